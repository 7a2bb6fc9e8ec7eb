// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of a Document as undo steps, and the difference that the last step made.
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
        m_document.beginStep(std::exchange(m_done, true) ? LastStep::Way::Redo : LastStep::Way::Edit);
        ValueCommand::redo();
    }

private:
    Document& m_document;
    bool m_done = false;
};

void Document::push(State next, const QString& text, const QString& mergeKey)
{
    undoStack().push(new EditCommand(*this, std::move(next), text, mergeKey));
}

void Document::beginStep(LastStep::Way way)
{
    if (std::exchange(m_stepping, true))
        return;
    ++m_openBatches; // until endStep()
    // If the last edit is not evaluated yet, evaluate it here: this edit is compared with it.
    m_lastStep = {way, !m_taker || isEvaluated() ? m_snapshot : m_taker->take(m_schedule, m_revision)};
}

/// Must be called after the undo stack has counted the step, so that isModified() is valid for the receivers
/// of the signals. Waits up to 8 ms for the evaluation, which is enough for most edits. One signal then
/// announces the edit and its evaluation, and views are built and painted once instead of twice
/// (docs/design.md 5.1).
void Document::endStep()
{
    constexpr std::chrono::milliseconds kBeforePainting(8);
    if (!std::exchange(m_stepping, false))
        return;
    if (!isEvaluated())
        m_evaluation->deliverWithin(kBeforePainting);
    --m_openBatches;
    announce({});
}

void Document::apply(const SnapshotPtr& judged, const QString& text)
{
    m_judged = judged;
    apply(judged->schedule, text);
    m_judged = nullptr;
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
    const ChangeBatch batch(*this);
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
        evaluateNow(); // so that views never show costs of one machine with steps of another
        return;
    }
    refreshColours();
    if (m_judged && m_judged->problem == m_problem && m_judged->evaluation.rules == m_rules) {
        m_evaluation->cancel();
        auto judged = std::make_shared<Snapshot>(*m_judged);
        judged->revision = m_revision;
        publish(std::move(judged));
        return;
    }
    requestEvaluation();
}

} // namespace tilewright::ui
