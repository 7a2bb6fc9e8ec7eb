// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/solver/solver_card.h"

#include "canvas/control_bar.h"
#include "panels/solver/solver_limits.h"
#include "theme/icon.h"
#include "theme/number.h"

#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QTabWidget>
#include <QVBoxLayout>

namespace tilewright::ui {

SolverCard::SolverCard(const ViewContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_halves(new QBoxLayout(QBoxLayout::TopToBottom)),
      m_figures(new ControlBar(this)), m_note(new QLabel(this)), m_buttons(new ControlBar(this)),
      m_apply(new QPushButton(icon(QStringLiteral("ok")), tr("Apply"), this)),
      m_keep(new QPushButton(icon(QStringLiteral("pin")), tr("Keep as baseline"), this)),
      m_compare(new QPushButton(icon(QStringLiteral("compare")), tr("Compare"), this)),
      m_discard(new QPushButton(tr("Discard"), this)), m_tabs(new QTabWidget(this)),
      m_changes(new SolverChanges(context, m_tabs)), m_alternatives(new SolverAlternatives(context, m_tabs)),
      m_limits(new SolverLimits(context, m_tabs))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_figures);
    column->addLayout(m_halves, 1);
    m_halves->setSpacing(0);
    auto* head = new QVBoxLayout;
    head->addWidget(m_note);
    head->addWidget(m_buttons);
    head->addStretch(1);
    m_halves->addLayout(head);
    m_halves->addWidget(m_tabs, 1);
    for (int i = 0; i < FactCount; ++i) {
        auto* fact = new QLabel(this);
        fact->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        fact->setContentsMargins(0, 0, 2, 0);
        m_figures->add(fact, {}, {});
        m_facts << fact;
    }
    m_note->setWordWrap(true);
    m_note->setContentsMargins(8, 2, 8, 2);
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_buttons->add(m_apply, m_apply->text(),
                   tr("Replace the schedule by the result: one undo step. The state before becomes the "
                      "baseline, and Compare opens."));
    m_buttons->add(m_keep, m_keep->text(),
                   tr("Keep the schedule as it is and show the result as a ghost in every view."));
    m_buttons->add(m_compare, m_compare->text(), tr("Show both side by side before you decide."));
    m_buttons->add(m_discard, m_discard->text(), tr("Forget the result."));
    m_tabs->setDocumentMode(true);
    m_tabs->setUsesScrollButtons(true);
    m_tabs->setElideMode(Qt::ElideNone);
    m_tabs->addTab(m_changes, tr("Changes"));
    m_tabs->setTabToolTip(0, tr("The changes of the result, the most valuable first."));
    m_tabs->addTab(m_alternatives, tr("Alternatives"));
    m_tabs->setTabToolTip(1, tr("Alternatives that were tried for each subgraph, with their cost."));
    m_tabs->setAccessibleName(tr("Details of the result"));
    auto* limits = new QScrollArea(m_tabs);
    limits->setAccessibleName(tr("Limits"));
    limits->setFrameShape(QFrame::NoFrame);
    limits->setWidgetResizable(true);
    limits->setWidget(m_limits);
    m_tabs->addTab(limits, tr("Limits"));
    m_tabs->setTabToolTip(2, tr("Which resources limit the latency, and what more of them would save."));

    connect(m_apply, &QPushButton::clicked, this, &SolverCard::applyClicked);
    connect(m_keep, &QPushButton::clicked, this, &SolverCard::keepClicked);
    connect(m_compare, &QPushButton::clicked, this, &SolverCard::compareClicked);
    connect(m_discard, &QPushButton::clicked, this, &SolverCard::discardClicked);
    connect(m_changes, &SolverChanges::counted, this,
            [this](int n) { m_tabs->setTabText(0, tr("Changes (%1)").arg(n)); });
    m_context.document.whenChanged(this, Part::Snapshot, &SolverCard::refresh);
    connect(&m_context.themes, &ThemeSource::changed, this, &SolverCard::refresh);
    refresh();
}

void SolverCard::setOutcome(SolverOutcomePtr outcome)
{
    m_outcome = std::move(outcome);
    m_state = State::Offered;
    m_tabs->setTabText(0, tr("Changes"));
    m_changes->setOutcome(m_outcome);
    m_alternatives->setOutcome(m_outcome);
    m_limits->setOutcome(m_outcome);
    refresh();
}

void SolverCard::setState(State state)
{
    m_state = state;
    refresh();
}

void SolverCard::setFact(Fact fact, const QString& caption, const QString& value, const QString& tip,
                         const QColor& colour)
{
    QLabel* label = m_facts[fact];
    label->setText(QStringLiteral("<span style='color:%1'>%2</span><br><b style='color:%3'>%4</b>")
                       .arg(m_context.themes.theme().muted.name(), caption, colour.name(), value));
    label->setToolTip(tip);
    label->setAccessibleName(caption + QStringLiteral(": ") + value);
    label->setVisible(!value.isEmpty());
}

void SolverCard::refresh()
{
    setVisible(m_outcome != nullptr);
    if (!m_outcome)
        return;
    const Theme& theme = m_context.themes.theme();
    const SolverOutcome& o = *m_outcome;
    const bool comparable = o.before->evaluation.valid() && o.before->evaluation.total > 0;
    const double before = o.before->evaluation.total;
    const double after = o.after->evaluation.total;
    setFact(Before, tr("Before"), comparable ? number(before) : tr("not valid"),
            tr("total latency when the run started: %1").arg(exactNumber(before)), theme.text);
    setFact(After, tr("After"), number(after), tr("total latency of the result: %1").arg(exactNumber(after)),
            theme.text);
    const double by = comparable ? after - before : 0;
    setFact(Change, comparable ? tr("Change (%1)").arg(signedPercent(by / before)) : QString(),
            comparable ? signedNumber(by) : QString(), tr("exactly %1").arg(exactNumber(by)),
            by < 0 ? theme.ok : theme.text);
    setFact(Gap, tr("Gap to bound"), percent(o.after->gap()),
            tr("How far the result is above the lower bound: %1").arg(exactNumber(o.after->lowerBound)),
            theme.text);
    setFact(Time, tr("Time"), secondsText(o.seconds),
            tr("the best was found after %1").arg(secondsText(o.foundAfter)), theme.text);
    setFact(Evaluations, tr("Evaluations"),
            o.evaluations > 0 ? shortNumber(static_cast<double>(o.evaluations)) : QString(),
            tr("%1 tilings evaluated exactly").arg(number(o.evaluations)), theme.text);
    m_figures->updateGeometry();

    QStringList notes;
    notes << (o.proven    ? tr("Proven optimal over %1.").arg(o.provenSpace.toHtmlEscaped())
              : o.stopped ? tr("Stopped by you; not proven optimal.")
                          : tr("Not proven optimal: the gap may be closed by a better schedule or by a "
                               "higher lower bound."));
    if (m_state == State::Applied)
        notes << tr("Applied. Undo restores the schedule before.");
    else if (m_state == State::Kept)
        notes << tr("Kept as the baseline.");
    const SnapshotPtr& now = m_context.document.snapshot();
    if (m_state != State::Applied && now && !(now->schedule == o.before->schedule))
        notes << tr("Your schedule has changed since the search began. Its total is now %1.")
                     .arg(now->evaluation.valid() ? number(now->evaluation.total) : tr("not valid"));
    m_note->setText(notes.join(QLatin1Char(' ')));
    m_apply->setVisible(m_state != State::Applied);
    m_keep->setVisible(m_state == State::Offered);
    m_discard->setText(m_state == State::Applied ? tr("Close") : tr("Discard"));
    m_buttons->updateGeometry();
}

void SolverCard::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    // In the low dock under the graph the lists are beside the buttons and use the full height.
    const bool wide = width() >= fontMetrics().averageCharWidth() * 84;
    if (wide == (m_halves->direction() == QBoxLayout::LeftToRight))
        return;
    m_halves->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_halves->setStretch(0, wide ? 1 : 0);
    m_halves->setStretch(1, wide ? 2 : 1);
    m_tabs->setSizePolicy(QSizePolicy::Expanding, wide ? QSizePolicy::Ignored : QSizePolicy::Expanding);
    layout()->activate();
}

void SolverCard::settle()
{
    if (!m_outcome)
        return;
    m_changes->settle();
    if (m_alternatives->isVisible())
        m_alternatives->settle();
    if (m_limits->isVisible())
        m_limits->settle();
}

} // namespace tilewright::ui
