// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of a document, one undo step each, and what the last of them changed.
#include "workspace/document.h"

#include "workspace/remembered_dimensions.h"
#include "workspace/value_command.h"

#include <utility>

namespace tilewright::ui {

void Document::apply(Schedule next, const QString& text, const QString& mergeKey)
{
    if (next == m_schedule)
        return;
    push({m_problem, m_model, std::move(next), m_dimensions}, text, mergeKey);
}

class Document::EditCommand final : public ValueCommand<State>
{
public:
    EditCommand(Document& document, State next, const QString& text, const QString& mergeKey)
        : ValueCommand(
              document.state(), std::move(next), [&document](const State& s) { document.assign(s); }, text,
              mergeKey),
          m_document(document)
    {
    }
    void undo() override
    {
        m_document.beginStep(LastStep::Way::Undo);
        ValueCommand::undo();
    }
    void redo() override
    {
        m_document.beginStep(m_done ? LastStep::Way::Redo : LastStep::Way::Edit);
        m_done = true;
        ValueCommand::redo();
    }

private:
    Document& m_document;
    bool m_done = false;
};

void Document::push(State next, const QString& text, const QString& mergeKey)
{
    undoStack().push(new EditCommand(*this, std::move(next), text, mergeKey));
    m_stepping = false;
}

void Document::beginStep(LastStep::Way way)
{
    if (std::exchange(m_stepping, true))
        return;
    // Who is faster than the evaluation is told the change of this step all the same.
    const bool known = !m_taker || (m_snapshot && m_snapshot->revision == m_revision);
    m_lastStep = {way, known ? m_snapshot : m_taker->take(m_schedule, m_revision)};
}

bool Document::apply(const Result<Schedule>& next, const QString& text, const QString& mergeKey)
{
    if (!next) {
        Q_EMIT refused(QString::fromStdString(next.error().message));
        return false;
    }
    apply(*next, text, mergeKey);
    return true;
}

void Document::assign(const State& state)
{
    const Together together(*this);
    dropPreview();
    m_schedule = state.schedule;
    ++m_revision;
    announce(Part::Steps);
    if (state.dimensions != m_dimensions)
        rememberDimensions(m_problemPath, state.dimensions);
    m_dimensions = state.dimensions;
    if (state.problem != m_problem) {
        m_trial->cancel();
        const bool another = !lower::sameGraph(*state.problem, *m_problem);
        takeBase(state.problem, state.model);
        if (another) {
            m_colours = {};
            m_baselines.clear();
            m_baselineIndex = -1;
            m_lastValid = m_lastStep.before = nullptr;
            announce(Part::Problem | Part::Baseline);
        }
        refreshColours();
        renewTaker();
        announce(Part::Machine);
        evaluateNow(); // views never see costs of one machine beside the steps of another
        return;
    }
    refreshColours();
    requestEvaluation();
}

} // namespace tilewright::ui
