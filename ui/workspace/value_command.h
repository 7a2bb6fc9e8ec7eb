// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QUndoCommand>

#include <chrono>
#include <functional>
#include <utility>

namespace tilewright::ui {

/// Undo command that stores a value before and after a change; undo and redo assign it. Consecutive commands
/// with the same merge key are merged if there is no pause between them. Commands of one stack with different
/// T must have different Kind.
template <typename T, int Kind = 1> class ValueCommand : public QUndoCommand
{
public:
    using Assign = std::function<void(const T&)>;

    ValueCommand(T before, T after, Assign assign, const QString& text, QString mergeKey = {})
        : QUndoCommand(text), m_before(std::move(before)), m_after(std::move(after)),
          m_assign(std::move(assign)), m_mergeKey(std::move(mergeKey))
    {
    }

    void undo() override { m_assign(m_before); }
    void redo() override { m_assign(m_after); }
    [[nodiscard]] int id() const override { return m_mergeKey.isEmpty() ? -1 : Kind; }
    bool mergeWith(const QUndoCommand* other) override
    {
        const auto& next = static_cast<const ValueCommand&>(*other);
        if (next.m_mergeKey != m_mergeKey || next.m_made - m_made > kPause)
            return false;
        m_made = next.m_made;
        m_after = next.m_after;
        setText(next.text()); // the text of the latest change
        setObsolete(m_before == m_after);
        return true;
    }

private:
    using Clock = std::chrono::steady_clock;
    /// After a longer pause a new undo step begins.
    static constexpr std::chrono::milliseconds kPause{1500};

    Clock::time_point m_made = Clock::now();
    T m_before;
    T m_after;
    Assign m_assign;
    QString m_mergeKey;
};

} // namespace tilewright::ui
