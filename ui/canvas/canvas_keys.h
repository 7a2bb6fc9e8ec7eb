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

/// A pressed key of an entry of a KeyTable, with its modifiers.
struct KeyUse
{
    qsizetype index = 0;
    Qt::KeyboardModifiers modifiers;

    [[nodiscard]] bool shift() const { return modifiers.testFlag(Qt::ShiftModifier); }
    /// Direction of an arrow key, y downwards.
    [[nodiscard]] QPoint arrow() const
    {
        return index == 0   ? QPoint(-1, 0)
               : index == 1 ? QPoint(1, 0)
               : index == 2 ? QPoint(0, -1)
                            : QPoint(0, 1);
    }
};

/// The keys Left, Right, Up and Down with modifiers.
[[nodiscard]] inline QList<QKeySequence> arrowKeys(Qt::KeyboardModifiers held = {})
{
    return {QKeyCombination(held, Qt::Key_Left), QKeyCombination(held, Qt::Key_Right),
            QKeyCombination(held, Qt::Key_Up), QKeyCombination(held, Qt::Key_Down)};
}

/// Table of the keys of a view. An entry without Shift also matches if Shift is held; its handler learns this
/// from KeyUse, for larger steps or to extend a selection. Ctrl and Alt must match exactly. Later entries
/// have priority, so that a view can override common keys.
class KeyTable
{
public:
    using Handler = std::function<void(const KeyUse&)>;

    void add(QList<QKeySequence> keys, Handler run);
    /// Adds the keys that an action has when a key is pressed; the user may change them.
    void add(QAction* action, Handler run);
    /// Runs the handler of a pressed key. False if there is none.
    bool press(const QKeyEvent& event) const;

private:
    struct Entry
    {
        QList<QKeySequence> keys; ///< keys of the entry if it has no action
        QPointer<QAction> action;
        Handler run;
    };
    std::vector<Entry> m_entries;
};

} // namespace tilewright::ui
