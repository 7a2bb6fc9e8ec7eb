// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/form.h"
#include "workspace/mapping_document.h"

#include <QScrollArea>

class QLabel;
class QVBoxLayout;

namespace tilewright::ui {

class LevelFields;

/// The fields of the layer and of the hardware. An impossible value is refused with the reason and stays in
/// its field until it is corrected.
class MappingForm : public QScrollArea
{
    Q_OBJECT
public:
    MappingForm(MappingDocument& state, QWidget* parent);

private:
    void apply(MappingSetup next, const QString& name); ///< `name` of the field
    void loadConstraints();
    void createArchitectureChoice(QVBoxLayout& column);
    /// Shows the architecture and its cost model, then what else can be chosen.
    void listArchitectures();
    void chooseArchitecture(int index);
    void tell(const QString& text); ///< above the fields; empty: nothing
    void refresh();

    MappingDocument& m_state;
    ValueForm<MappingSetup> m_fields;
    QComboBox* m_kind = nullptr;
    QLabel* m_error = nullptr;
    QComboBox* m_architecture = nullptr;
    QLabel* m_costModel = nullptr;
    std::vector<QWidget*> m_ofFourLevels; ///< groups of an architecture of four levels
    LevelFields* m_levels = nullptr;
    std::array<QCheckBox*, mapping::kOperands> m_bypass{}; ///< labelled with the layer's operands
    QFormLayout* m_layerForm = nullptr;
    std::vector<std::pair<QSpinBox*, bool>>
        m_kindFields; ///< fields that only matrix products or only convolutions have
};

} // namespace tilewright::ui
