// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/key_table.h"

#include <QAction>
#include <QKeyEvent>

#include <utility>

namespace tilewright::ui {

namespace {

int plainKey(int key)
{
    return key == Qt::Key_Enter ? static_cast<int>(Qt::Key_Return) : key;
}

} // namespace

void KeyTable::add(QList<QKeySequence> keys, Handler run)
{
    m_entries.push_back({std::move(keys), nullptr, std::move(run)});
}

void KeyTable::add(QAction* action, Handler run)
{
    m_entries.push_back({{}, action, std::move(run)});
}

bool KeyTable::press(const QKeyEvent& event) const
{
    const Qt::KeyboardModifiers held =
        event.modifiers() & (Qt::ShiftModifier | Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
    const Entry* found = nullptr;
    KeyUse use{0, held};
    bool exact = false;
    for (auto entry = m_entries.rbegin(); entry != m_entries.rend() && !exact; ++entry) {
        const QList<QKeySequence> keys = entry->action ? entry->action->shortcuts() : entry->keys;
        for (qsizetype i = 0; i < keys.size() && !exact; ++i) {
            const QKeyCombination key = keys[i][0];
            if (plainKey(key.key()) != plainKey(event.key()))
                continue;
            exact = key.keyboardModifiers() == held;
            const bool shiftBeside = (key.keyboardModifiers() | Qt::ShiftModifier) == held;
            if (exact || (shiftBeside && !found)) {
                found = &*entry;
                use.index = i;
            }
        }
    }
    if (!found)
        return false;
    const Handler run = found->run; // a copy: the handler may change the table
    run(use);
    return true;
}

} // namespace tilewright::ui
