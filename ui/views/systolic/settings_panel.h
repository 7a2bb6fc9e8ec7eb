// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/form.h"
#include "canvas/view.h"
#include "workspace/systolic_document.h"

#include <QScrollArea>

class QLabel;
class QPushButton;
class QSpinBox;

namespace tilewright::ui {

/// The settings of the Systolic lens: GEMM, array, dataflow, edges, programs, memories.
class SettingsPanel : public QScrollArea
{
    Q_OBJECT
public:
    SettingsPanel(const ViewContext& context, SystolicDocument* state, QAction* follow, QAction* use,
                  QWidget* parent);

    QSize sizeHint() const override;

private:
    void read(); ///< updates the controls from the document
    void readOffer();
    void loadPreset(int index);

    ViewContext m_context;
    SystolicDocument* m_state;
    ValueForm<SystolicSettings> m_fields;
    QLabel* m_origin = nullptr;
    QLabel* m_why = nullptr; ///< text on why the lens does not follow the selection
    QLabel* m_error = nullptr;
    QPushButton* m_offer = nullptr;
    QComboBox* m_part = nullptr; ///< combo box for LensLinks::systolicPart()
    QComboBox* m_weights = nullptr;
    QComboBox* m_preset = nullptr;
    QComboBox* m_tile = nullptr;
    QComboBox* m_schedule = nullptr;
    QSpinBox* m_passes = nullptr;
    QSpinBox* m_depth = nullptr;
};

} // namespace tilewright::ui
