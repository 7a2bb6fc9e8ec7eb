// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSpinBox>

#include <cstdint>
#include <vector>

namespace tilewright::ui {

/// A spin box whose arrows and wheel step through useful values, with Ctrl by one, while any value can be
/// typed. The wheel is ignored unless the box has the focus, so that scrolling the pane never edits by
/// accident.
class ChoiceSpinBox : public QSpinBox
{
    Q_OBJECT
public:
    explicit ChoiceSpinBox(QWidget* parent = nullptr);
    void setChoices(std::vector<std::int64_t> choices);
    void stepBy(int steps) override;

protected:
    StepEnabled stepEnabled() const override;
    /// Says why what was typed is given up.
    void fixup(QString& input) const override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    bool m_byOne = false; ///< Ctrl is held
    std::vector<std::int64_t> m_choices;
};

} // namespace tilewright::ui
