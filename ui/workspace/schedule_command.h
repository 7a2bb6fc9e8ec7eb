// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workspace/document.h"

#include <QUndoCommand>

namespace tilewright::ui {

/// The one undo command: the schedule before and after. Commands with the same merge key become one.
class ScheduleCommand : public QUndoCommand
{
public:
    ScheduleCommand(Document& document, Schedule before, Schedule after, const QString& text,
                    const QString& mergeKey)
        : QUndoCommand(text), m_document(document), m_before(std::move(before)), m_after(std::move(after)),
          m_mergeKey(mergeKey)
    {
    }

    void undo() override { m_document.setScheduleFromCommand(m_before); }
    void redo() override { m_document.setScheduleFromCommand(m_after); }
    int id() const override { return m_mergeKey.isEmpty() ? -1 : 1; }
    bool mergeWith(const QUndoCommand* other) override
    {
        const auto* next = static_cast<const ScheduleCommand*>(other);
        if (next->m_mergeKey != m_mergeKey)
            return false;
        m_after = next->m_after;
        setObsolete(m_before == m_after);
        return true;
    }

private:
    Document& m_document;
    Schedule m_before;
    Schedule m_after;
    QString m_mergeKey;
};

} // namespace tilewright::ui
