// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/form.h"
#include "views/npu/npu_lanes.h"
#include "workspace/workspace.h"

#include <QScrollArea>

class QLabel;
class QPushButton;

namespace tilewright::ui {

/// Controls for model, hardware and scheduler of the run. Every change starts a new simulation in the
/// background.
class NpuControls : public QScrollArea
{
    Q_OBJECT
public:
    /// `commands`: buttons at the start of the group Model. `exports`: menu in the last row of that group.
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
    void keepFieldInPlace();
    void openFile(const QString& path);
    void chooseFile();
    void saveFile();

    Workspace& m_workspace;
    NpuDocument& m_state;
    std::vector<npu::NpuHardware> m_presets; ///< presets in the order of the combo box
    ValueForm<NpuSettings> m_fields;
    std::vector<QWidget*> m_dynamic; ///< controls of the dynamic scheduler
    QComboBox* m_model = nullptr;
    /// Text on what the lens leaves out, or on why it does not follow the open model.
    QLabel* m_followed = nullptr;
    lower::ModelOnMachinePtr m_leftOutOf; ///< the model to which m_leftOut belongs
    QString m_leftOut;              ///< text on what the lens leaves out of the open model and of its machine
    QLabel* m_schedulers = nullptr; ///< text with the makespan of each scheduler
    QComboBox* m_preset = nullptr;
    QCheckBox* m_keepGhost = nullptr;
    QPushButton* m_clearGhost = nullptr;
};
} // namespace tilewright::ui
