// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/form.h"
#include "workspace/mapping_document.h"

#include <QWidget>

#include <functional>
#include <memory>

namespace tilewright::ui {

/// Fields of an architecture with levels: settings common to all levels; a group for each level with its
/// operands, memories, bandwidths, energies and axes; and the constraints of the search. Hidden for an
/// architecture of four levels.
class LevelFields : public QWidget
{
    Q_OBJECT
public:
    /// `tell` is called with the reason why a value is refused, or with an empty text. `load` asks the user
    /// for a file of constraints.
    LevelFields(MappingDocument& state, std::function<void(const QString&)> tell, std::function<void()> load,
                QWidget* parent);

    void refresh();

private:
    void build();
    void addCommon();
    void addLevel(std::size_t level);
    void addHeld(QFormLayout& form, std::size_t level);
    void addAxis(QFormLayout& form, std::size_t level, std::size_t axis);
    void addConstraints();
    [[nodiscard]] QString loopNames(unsigned loops) const;
    void apply(const hierarchy::Architecture& next, const QString& name);

    MappingDocument& m_state;
    std::function<void(const QString&)> m_tell;
    std::function<void()> m_load;
    /// The current fields, and those before: they must outlive the change that replaces them, because it
    /// comes from one of them.
    std::unique_ptr<ValueForm<hierarchy::Architecture>> m_fields, m_before;
    ValueForm<hierarchy::ConstraintTexts> m_constraints;
    FoldGroup* m_constraintGroup = nullptr;
    QWidget* m_page = nullptr;       ///< holds the fields; replaced when the levels change
    hierarchy::Architecture m_built; ///< architecture for whose levels the fields were made
    mapping::LayerKind m_kind = mapping::LayerKind::Gemm; ///< kind of layer whose loops the fields name
    QString m_fault; ///< error in the text that was changed last; empty if there is none
};

} // namespace tilewright::ui
