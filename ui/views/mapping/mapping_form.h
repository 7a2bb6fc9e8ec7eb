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
    /// Checks and applies a changed setup; `name`: name of the changed field.
    void apply(MappingSetup next, const QString& name);
    void loadConstraints();
    void createArchitectureChoice(QVBoxLayout& column);
    /// Fills the list of architectures: the current one with its cost model first, then the other choices.
    void listArchitectures();
    void chooseArchitecture(int index);
    void tell(const QString& text); ///< shows a message above the fields; an empty text hides it
    void refresh();

    MappingDocument& m_state;
    ValueForm<MappingSetup> m_fields;
    QComboBox* m_kind = nullptr;
    QLabel* m_error = nullptr;
    QComboBox* m_architecture = nullptr;
    QLabel* m_costModel = nullptr;
    std::vector<QWidget*> m_ofFourLevels; ///< groups of fields for an architecture of four levels
    LevelFields* m_levels = nullptr;
    /// Check boxes with the names of the layer's operands.
    std::array<QCheckBox*, mapping::kOperands> m_bypass{};
    QFormLayout* m_layerForm = nullptr;
    std::vector<std::pair<QSpinBox*, bool>>
        m_kindFields; ///< fields that exist only for matrix products or only for convolutions
};

} // namespace tilewright::ui
