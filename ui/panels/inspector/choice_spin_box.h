// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/number_box.h"

#include <cstdint>
#include <vector>

namespace tilewright::ui {

/// A spin box whose arrows and wheel step through useful values, or by one with Ctrl. Any value can be typed.
/// The wheel is ignored without focus, so that scrolling the pane does not edit.
class ChoiceSpinBox : public NumberBox
{
    Q_OBJECT
public:
    explicit ChoiceSpinBox(QWidget* parent = nullptr);
    void setChoices(std::vector<std::int64_t> choices);
    void stepBy(int steps) override;

protected:
    StepEnabled stepEnabled() const override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    bool m_byOne = false; ///< true while Ctrl is held
    std::vector<std::int64_t> m_choices;
};

} // namespace tilewright::ui
