// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/inspector/choice_spin_box.h"

#include "canvas/form_guard.h"

#include <QKeyEvent>
#include <QScopedValueRollback>
#include <QWheelEvent>

#include <algorithm>
#include <limits>

namespace tilewright::ui {

ChoiceSpinBox::ChoiceSpinBox(QWidget* parent) : NumberBox(parent)
{
    setRange(1, std::numeric_limits<int>::max());
    FormGuard::protect(this);
    setAlignment(Qt::AlignRight);
    // The range has no practical limit; the width need not hold its longest number.
    setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("0000000")) + 12);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void ChoiceSpinBox::setChoices(std::vector<std::int64_t> choices)
{
    m_choices = std::move(choices);
    std::sort(m_choices.begin(), m_choices.end());
}

void ChoiceSpinBox::stepBy(int steps)
{
    if (m_byOne) { // Qt multiplies steps by ten with Ctrl.
        setValue(value() + (steps > 0) - (steps < 0));
        selectAll();
        return;
    }
    std::int64_t v = value();
    for (; steps > 0; --steps) {
        const auto next = std::upper_bound(m_choices.begin(), m_choices.end(), v);
        if (next == m_choices.end())
            break;
        v = *next;
    }
    for (; steps < 0; ++steps) {
        const auto at = std::lower_bound(m_choices.begin(), m_choices.end(), v);
        if (at == m_choices.begin())
            break;
        v = *std::prev(at);
    }
    setValue(static_cast<int>(v));
    selectAll();
}

QAbstractSpinBox::StepEnabled ChoiceSpinBox::stepEnabled() const
{
    if (m_choices.empty())
        return StepNone;
    if (m_byOne)
        return StepUpEnabled | (value() > 1 ? StepEnabled(StepDownEnabled) : StepNone);
    StepEnabled out = StepNone;
    if (value() > m_choices.front())
        out |= StepDownEnabled;
    if (value() < m_choices.back())
        out |= StepUpEnabled;
    return out;
}

void ChoiceSpinBox::keyPressEvent(QKeyEvent* event)
{
    const QScopedValueRollback byOne(m_byOne, event->modifiers().testFlag(Qt::ControlModifier));
    NumberBox::keyPressEvent(event);
}

void ChoiceSpinBox::wheelEvent(QWheelEvent* event)
{
    const QScopedValueRollback byOne(m_byOne, event->modifiers().testFlag(Qt::ControlModifier));
    NumberBox::wheelEvent(event);
}

} // namespace tilewright::ui
