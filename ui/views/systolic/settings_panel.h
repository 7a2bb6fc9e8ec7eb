// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "workspace/systolic_document.h"

#include <QScrollArea>

class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QPushButton;
class QSpinBox;

namespace tilewright::ui {

/// The settings column of the Systolic lens: GEMM, array, dataflow, edges, programs, memories.
class SettingsPanel : public QScrollArea
{
    Q_OBJECT
public:
    SettingsPanel(const ViewContext& context, SystolicDocument* state, QWidget* parent);

    QSize sizeHint() const override;

private:
    void read();  ///< state -> controls
    void write(); ///< controls -> state
    void readOffer();
    void loadPreset(int index);
    QSpinBox* addNumber(QFormLayout* form, const char* name, const QString& label, int low, int high,
                        const QString& tip);
    QComboBox* addChoice(QFormLayout* form, const char* name, const QString& label,
                         const QStringList& choices, const QString& tip);
    void prepare(QWidget* control, const char* name, const QString& label, const QString& tip);

    ViewContext m_context;
    SystolicDocument* m_state;
    bool m_reading = false;
    QLabel* m_origin = nullptr;
    QLabel* m_error = nullptr;
    QPushButton* m_offer = nullptr;
    systolic::Gemm m_offered;
    QString m_offeredFrom;
    QSpinBox *m_m = nullptr, *m_n = nullptr, *m_k = nullptr, *m_rows = nullptr, *m_cols = nullptr;
    QComboBox *m_dataflow = nullptr, *m_readout = nullptr, *m_weights = nullptr;
    QSpinBox *m_fifo = nullptr, *m_west = nullptr, *m_north = nullptr;
    QComboBox *m_speedOf = nullptr, *m_layout = nullptr;
    QSpinBox* m_depth = nullptr;
    QComboBox* m_preset = nullptr;
    QDoubleSpinBox* m_frequency = nullptr;
    std::array<QDoubleSpinBox*, 5> m_bandwidth{};
    std::array<QSpinBox*, 5> m_kilobytes{};
};

} // namespace tilewright::ui
