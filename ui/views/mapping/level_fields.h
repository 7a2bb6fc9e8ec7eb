// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/form.h"
#include "workspace/mapping_document.h"

#include <QWidget>

#include <functional>
#include <memory>

namespace tilewright::ui {

/// Fields of the levels of an architecture: a group for each level with its memories, bandwidths, energies
/// and axes. Hidden for an architecture of four levels.
class LevelFields : public QWidget
{
    Q_OBJECT
public:
    /// `tell` gets the reason why a value is refused, or an empty text.
    LevelFields(MappingDocument& state, std::function<void(const QString&)> tell, QWidget* parent);

    void refresh();

private:
    void build();
    void addLevel(std::size_t level);
    void apply(const hierarchy::Architecture& next, const QString& name);

    MappingDocument& m_state;
    std::function<void(const QString&)> m_tell;
    std::unique_ptr<ValueForm<hierarchy::Architecture>> m_fields;
    QWidget* m_page = nullptr;       ///< the fields; made anew for other levels
    hierarchy::Architecture m_built; ///< the architecture whose levels have the fields
};

} // namespace tilewright::ui
