// SPDX-License-Identifier: GPL-3.0-or-later
// Fields for a constraint on tiles.
#pragma once

#include "canvas/control_bar.h"
#include "solve/cost/constraints.h"
#include "workspace/document.h"

#include <QLineEdit>
#include <QPushButton>

#include <array>

namespace tilewright::ui {

/// Three fields for the ranges of w, h and k in a constraint on tiles, with the buttons to set and to cancel
/// it. Hidden unless a constraint is being edited.
class TileRangeForm : public ControlBar
{
    Q_OBJECT
public:
    TileRangeForm(Document& document, QWidget* parent);

    /// Shows the constraint in the fields and moves the focus there.
    void edit(ScheduleConstraints::Tiles tiles);
    /// Returns the field of w (axis 0), h (1) or k (2).
    [[nodiscard]] QLineEdit& field(std::size_t axis) const { return *m_fields[axis]; }
    [[nodiscard]] QPushButton& set() const { return *m_set; }

Q_SIGNALS:
    void closed();

protected:
    void keyPressEvent(QKeyEvent* event) override; ///< Esc closes the form

private:
    void leave();
    void take(); ///< sets the constraint, or says which field is refused and why

    Document& m_document;
    ScheduleConstraints::Tiles m_tiles;
    QLabel* m_what;
    std::array<QLineEdit*, 3> m_fields{};
    QPushButton *m_set, *m_cancel;
};

} // namespace tilewright::ui
