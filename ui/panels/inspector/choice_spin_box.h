// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSpinBox>

#include <cstdint>
#include <vector>

namespace tilewright::ui {

/// A spin box whose arrows and wheel step through useful values, while any value can be typed. The wheel is
/// ignored unless the box has the focus, so that scrolling the pane never edits by accident.
class ChoiceSpinBox : public QSpinBox
{
    Q_OBJECT
public:
    explicit ChoiceSpinBox(QWidget* parent = nullptr);
    void setChoices(std::vector<std::int64_t> choices);
    void stepBy(int steps) override;

protected:
    StepEnabled stepEnabled() const override;

private:
    std::vector<std::int64_t> m_choices;
};

} // namespace tilewright::ui
