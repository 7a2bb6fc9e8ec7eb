// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/form.h"
#include "views/npu/npu_lanes.h"
#include "workspace/workspace.h"

#include <QScrollArea>

class QLabel;
class QPushButton;

namespace tilewright::ui {

/// Model, hardware and scheduler of the run: every change simulates again in the background.
class NpuControls : public QScrollArea
{
    Q_OBJECT
public:
    /// `commands`: what the group Model begins with; `exports`: the menu of its last row.
    NpuControls(Workspace& workspace, NpuChartOptions& options, const QList<QAction*>& commands,
                const QList<QAction*>& exports, QWidget* parent);

Q_SIGNALS:
    void optionsChanged();

private:
    void addModelRows(QFormLayout& form, const QList<QAction*>& commands, const QList<QAction*>& exports);
    void addHardwareRows(QFormLayout& form);
    void addSchedulerRows(QFormLayout& form);
    void addViewRows(QFormLayout& form, NpuChartOptions& options);
    QFormLayout& group(QFormLayout& form, const char* name, const QString& title, bool open);
    void refresh(); ///< updates the controls from the document
    void openFile(const QString& path);
    void chooseFile();
    void saveFile();

    Workspace& m_workspace;
    NpuDocument& m_state;
    std::vector<npu::NpuHardware> m_presets; ///< in the order of the combo box
    ValueForm<NpuSettings> m_fields;
    std::vector<QWidget*> m_dynamic; ///< controls of the dynamic scheduler
    QComboBox* m_model = nullptr;
    /// Shows what the lens leaves out, or why it does not follow the open model.
    QLabel* m_followed = nullptr;
    lower::ModelOnMachinePtr m_leftOutOf; ///< the model of m_leftOut
    QString m_leftOut;                    ///< what the lens leaves out of the open model and of its machine
    QLabel* m_schedulers = nullptr;       ///< shows the makespan of each scheduler
    QComboBox* m_preset = nullptr;
    QCheckBox* m_keepGhost = nullptr;
    QPushButton* m_clearGhost = nullptr;
};
} // namespace tilewright::ui
