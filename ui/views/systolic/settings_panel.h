// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/value_form.h"
#include "canvas/view.h"
#include "workspace/systolic_document.h"

#include <QScrollArea>

class QLabel;
class QPushButton;

namespace tilewright::ui {

/// The settings column of the Systolic lens: GEMM, array, dataflow, edges, programs, memories.
class SettingsPanel : public QScrollArea
{
    Q_OBJECT
public:
    SettingsPanel(const ViewContext& context, SystolicDocument* state, QAction* follow, QWidget* parent);

    QSize sizeHint() const override;

private:
    void read(); ///< state -> controls
    void readOffer();
    void loadPreset(int index);

    ViewContext m_context;
    SystolicDocument* m_state;
    ValueForm<SystolicSettings> m_fields;
    QLabel* m_origin = nullptr;
    QLabel* m_why = nullptr; ///< it does not follow
    QLabel* m_error = nullptr;
    QPushButton* m_offer = nullptr;
    QComboBox* m_weights = nullptr;
    QComboBox* m_preset = nullptr;
};

} // namespace tilewright::ui
