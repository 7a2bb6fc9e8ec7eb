// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/inspector/fuse_offer.h"

#include "eval/evaluator.h"
#include "panels/inspector/pane.h"
#include "panels/inspector/wrap_button.h"
#include "theme/icon.h"
#include "theme/number.h"
#include "theme/words.h"
#include "workspace/schedule_edits.h"

#include <QLabel>
#include <QVBoxLayout>

namespace tilewright::ui {

FuseOffer::FuseOffer(const ViewContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_note(paragraph(this)), m_column(new QVBoxLayout),
      m_job([this](const Trial& trial) { show(trial); }, true)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addLayout(m_column);
    column->addWidget(m_note);
}

void FuseOffer::refresh(bool wanted)
{
    const SnapshotPtr snapshot = m_context.document.snapshot();
    if (!wanted || !snapshot) {
        m_job.cancel();
        m_shown.reset();
        return;
    }
    const SelectionState& selection = m_context.selection.state();
    if (m_shown && m_shown->revision == snapshot->revision && m_shown->selection.ops == selection.ops &&
        m_shown->selection.subgraphs == selection.subgraphs)
        return;
    m_shown.reset();
    clearLayout(m_column);
    m_note->clear();
    m_job.request([snapshot, selection](const std::stop_token&) {
        Trial trial{snapshot->revision, selection, {}, {}};
        const Rules& rules = snapshot->evaluation.rules;
        const auto next = fused(*snapshot->problem, snapshot->schedule, rules, selection);
        if (next)
            trial.after = evaluate(*snapshot->problem, *next, rules);
        else
            trial.refusal = next.error().message;
        return trial;
    });
}

void FuseOffer::show(const Trial& trial)
{
    const SnapshotPtr snapshot = m_context.document.snapshot();
    if (!snapshot || snapshot->revision != trial.revision)
        return;
    m_shown = trial;
    clearLayout(m_column);
    if (!trial.after) {
        m_note->setText(plain(tr("Cannot be fused: %1.").arg(sentence(trial.refusal))));
        return;
    }
    const bool comparable = trial.after->valid() && snapshot->evaluation.valid();
    auto* button = new WrapButton(
        icon(QStringLiteral("fuse")),
        comparable ? signedNumber(change(snapshot->evaluation.total, trial.after->total)) : QString(),
        m_context.actions.withKeys(tr("fuse them ({schedule.fuse|G})")), this);
    connect(button, &QPushButton::clicked, this,
            [this] { fuseSelection(m_context.document, m_context.selection); });
    m_column->addWidget(button);
    m_note->setText(trial.after->valid() ? tr("The new total would be %1.").arg(number(trial.after->total))
                                         : plain(sentence(trial.after->verdict()->text)));
}

} // namespace tilewright::ui
