// SPDX-License-Identifier: GPL-3.0-or-later
// Actions on the result of a run: apply, keep, compare, discard, choose an earlier one.
#include "panels/solver/solver_view.h"

#include "edit/edits.h"
#include "theme/words.h"

#include <QLabel>

namespace tilewright::ui {

void SolverView::applyResult()
{
    const SolverOutcomePtr outcome = m_card->outcome();
    if (!outcome || m_card->state() == SolverCard::State::Applied)
        return;
    document().waitForSnapshot();
    const auto result = edit::withLocksOf(outcome->after->schedule, document().schedule());
    if (!result) { // subgraphs that are locked by now
        m_progress->setText(tr("%1. Solve again, or unlock it.").arg(sentence(result.error().message)));
        return;
    }
    document().addBaseline(tr("Before auto-solve"), document().snapshot());
    m_appliedRun = outcome;
    m_appliedTo = document().schedule();
    m_applied = *result;
    document().apply(*result, tr("Auto-solve"));
    m_card->setState(SolverCard::State::Applied);
    Q_EMIT compareRequested();
}

/// After undo, the result is offered again.
void SolverView::followUndo()
{
    const Schedule& now = document().schedule();
    if (!m_card->outcome() || m_card->outcome() != m_appliedRun || m_applied == m_appliedTo)
        return;
    if (m_card->state() == SolverCard::State::Applied && now == m_appliedTo)
        m_card->setState(SolverCard::State::Offered);
    else if (m_card->state() == SolverCard::State::Offered && now == m_applied)
        m_card->setState(SolverCard::State::Applied);
}

void SolverView::keepResult()
{
    if (!m_card->outcome())
        return;
    document().addBaseline(tr("Solver"), m_card->outcome()->after);
    m_card->setState(SolverCard::State::Kept);
}

} // namespace tilewright::ui
