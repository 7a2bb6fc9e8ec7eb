// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeySequence>
#include <QList>
#include <QPoint>
#include <QPointer>

#include <functional>
#include <vector>

class QAction;
class QKeyEvent;

namespace tilewright::ui {

/// Which of an entry's keys was pressed, and what was held with it.
struct KeyUse
{
    qsizetype index = 0;
    Qt::KeyboardModifiers modifiers;

    [[nodiscard]] bool shift() const { return modifiers.testFlag(Qt::ShiftModifier); }
    /// Of arrowKeys(): where the arrow points, y downwards.
    [[nodiscard]] QPoint arrow() const
    {
        return index == 0   ? QPoint(-1, 0)
               : index == 1 ? QPoint(1, 0)
               : index == 2 ? QPoint(0, -1)
                            : QPoint(0, 1);
    }
};

/// Left, right, up, down, with `held`.
[[nodiscard]] inline QList<QKeySequence> arrowKeys(Qt::KeyboardModifiers held = {})
{
    return {QKeyCombination(held, Qt::Key_Left), QKeyCombination(held, Qt::Key_Right),
            QKeyCombination(held, Qt::Key_Up), QKeyCombination(held, Qt::Key_Down)};
}

/// What the keys of a picture do. Shift may be held beside a key that does not name it (the entry is told, to
/// go further or to extend); Ctrl and Alt only where the key names them. Later entries precede earlier ones:
/// a view gives a key of every picture a meaning of its own.
class KeyTable
{
public:
    using Handler = std::function<void(const KeyUse&)>;

    void add(QList<QKeySequence> keys, Handler run);
    /// The keys that the action has when one is pressed: a person may choose others.
    void add(QAction* action, Handler run);
    /// Runs what the press means; false when it means nothing here.
    bool press(const QKeyEvent& event) const;

private:
    struct Entry
    {
        QList<QKeySequence> keys; ///< unless an action has them
        QPointer<QAction> action;
        Handler run;
    };
    std::vector<Entry> m_entries;
};

} // namespace tilewright::ui
