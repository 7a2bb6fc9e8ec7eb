// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/npu/npu_lanes.h"
#include "workspace/workspace.h"

#include <QScrollArea>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QPushButton;
class QSpinBox;

namespace tilewright::ui {

/// Model, hardware and scheduler of the run: every change re-simulates in the background.
class NpuControls : public QScrollArea
{
    Q_OBJECT
public:
    NpuControls(Workspace& workspace, NpuChartOptions& options, QWidget* parent);

Q_SIGNALS:
    void optionsChanged();

private:
    void addModelRows(QFormLayout* form);
    void addHardwareRows(QFormLayout* form);
    void addSchedulerRows(QFormLayout* form);
    void addViewRows(QFormLayout* form, NpuChartOptions& options);
    void heading(QFormLayout* form, const QString& text);
    /// A row whose control says what it does; the wheel changes it only when it has the focus.
    void row(QFormLayout* form, const QString& label, QWidget* control, const QString& tip);
    QSpinBox* number(QFormLayout* form, const QString& name, const QString& label, int low, int high,
                     bool doubling, const QString& tip);
    void refresh(); ///< controls from the state
    void apply();   ///< state from the controls
    void openFile(const QString& path);
    void chooseFile();
    void saveFile();

    Workspace& m_workspace;
    NpuDocument& m_state;
    std::vector<npu::NpuHardware> m_presets; ///< in the order of the combo box
    bool m_refreshing = false;
    QComboBox* m_model = nullptr;
    QComboBox* m_preset = nullptr;
    QComboBox* m_arbiter = nullptr;
    QComboBox* m_scheduler = nullptr;
    QComboBox* m_assignment = nullptr;
    QCheckBox* m_memoryFirst = nullptr;
    QCheckBox* m_keepGhost = nullptr;
    QPushButton* m_clearGhost = nullptr;
    QDoubleSpinBox* m_weights[3] = {};
    QSpinBox *m_cores = nullptr, *m_spm = nullptr, *m_channels = nullptr, *m_banks = nullptr,
             *m_burst = nullptr, *m_link = nullptr, *m_trunk = nullptr;
};

} // namespace tilewright::ui
