// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/solver/solver_card.h"

#include "canvas/control_bar.h"
#include "edit/edits.h"
#include "eval/lower_bound.h"
#include "panels/solver/solver_front.h"
#include "panels/solver/solver_view.h"
#include "theme/icon.h"
#include "theme/text.h"

#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace tilewright::ui {

namespace {

constexpr double kFirstSecond = 1e-3;

double shownTime(double seconds)
{
    return std::max(seconds, kFirstSecond);
}

/// Describes the changes that finishing on the run has made to the result.
QString finishText(const RunFinish& f)
{
    const QString runs = counted(f.runs, SolverCard::tr("run"), SolverCard::tr("runs"));
    if (f.end >= f.endBefore)
        return SolverCard::tr("Finished on the run: in %1 none ends before that of the best latency, %2.")
            .arg(runs, number(f.endBefore));
    return SolverCard::tr(
               "Finished on the run: in %1 the end went from %2 to %3, and the latency from %4 to %5; "
               "%6 with other tiles.")
        .arg(runs, number(f.endBefore), number(f.end), number(f.latencyBefore), number(f.latency),
             counted(static_cast<std::int64_t>(f.retiled.size()), SolverCard::tr("subgraph"),
                     SolverCard::tr("subgraphs")));
}

} // namespace

PlotModel solverPlot(const SolverCurve& curve, const Theme& theme)
{
    const double best = curve.points.back().second;
    double low = best;
    double high = std::max(curve.points.front().second, curve.before);
    // The lower bound is shown, unless it is so low that the curve would look flat.
    const bool boundInView = curve.lowerBound > 0 && curve.lowerBound > low - 3 * (high - low) - 0.15 * low;
    if (boundInView)
        low = std::min(low, curve.lowerBound);
    const double margin = std::max((high - low) * 0.08, high * 0.002);
    const double end = std::max({curve.seconds, curve.budget, curve.points.back().first, 10 * kFirstSecond});

    PlotModel p;
    p.pick = PlotPick::Column;
    p.x = {tr("time, log"), Scale::Log, kFirstSecond, end, 0, secondsText};
    const QString quantity = curve.objective == SolveObjective::Latency  ? tr("best latency")
                             : curve.objective == SolveObjective::Energy ? tr("least energy in pJ")
                                                                         : tr("least latency × energy");
    p.y = {quantity, Scale::Linear, low - margin, high + margin};
    const auto level = [&](const QString& text, double value, const QColor& colour, Qt::PenStyle style) {
        p.lines.push_back({{}, {{kFirstSecond, value}, {end, value}}, QPen(colour, 1.5, style)});
        p.labels.push_back({{text.arg(number(value)), number(value), shortNumber(value)},
                            {kFirstSecond, value},
                            {end, value},
                            colour});
    };
    // Labels are placed in this order. The label of the best latency comes first, because it must be
    // readable.
    const QPointF last(shownTime(std::max(curve.seconds, curve.points.back().first)), best);
    p.labels.push_back({{number(best), shortNumber(best)}, last, last, theme.accent});
    if (boundInView)
        level(tr("lower bound %1"), curve.lowerBound, theme.ok, Qt::DashLine);
    if (curve.before > 0)
        level(tr("before %1"), curve.before, theme.muted, Qt::DotLine);

    PlotLine line{quantity, {}, QPen(theme.accent, 2), true};
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
        PlotMark m; // an invisible mark for tooltips
        m.x = shownTime(curve.points[i].first);
        m.y = curve.points[i].second;
        m.id = static_cast<int>(i);
        m.radius = 0;
        p.marks.push_back(m);
        line.points.emplace_back(m.x, m.y);
    }
    line.points.push_back(last);
    p.lines.push_back(std::move(line));
    PlotMark now{last.x(), last.y()};
    now.radius = 3.5;
    now.brush = theme.accent;
    p.marks.push_back(now);
    return p;
}

SolverCurveView::SolverCurveView(const ViewContext& context, QWidget* parent)
    : PlotCanvas(context, QStringLiteral("solver-curve"), tr("Best latency over time"), parent)
{
}

void SolverCurveView::setCurve(SolverCurve curve)
{
    m_curve = std::move(curve);
    outdatePlots();
}

QSize SolverCurveView::sizeHint() const
{
    return {fontMetrics().averageCharWidth() * 40, fontMetrics().height() * 8};
}

QSize SolverCurveView::minimumSizeHint() const
{
    return {0, fontMetrics().height() * 6};
}

std::vector<PlotModel> SolverCurveView::buildPlots(const Theme& theme) const
{
    return {solverPlot(m_curve, theme)};
}

QString SolverCurveView::hint() const
{
    if (!m_curve.points.empty())
        return {};
    return m_curve.budget > 0 ? tr("Searching for a first schedule …")
                              : tr("Start the solver to see the best latency fall towards the lower bound.");
}

QString SolverCurveView::markTooltip(const PlotMark& mark) const
{
    const auto& [seconds, latency] = m_curve.points[static_cast<std::size_t>(mark.id)];
    return tr("<b>%1</b><br>found after %2").arg(number(latency), secondsText(seconds));
}

SolverCard::SolverCard(const ViewContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_halves(new QBoxLayout(QBoxLayout::TopToBottom)),
      m_figures(new ControlBar(this)), m_note(new QLabel(this)), m_buttons(new ControlBar(this)),
      m_apply(new QPushButton(icon(QStringLiteral("ok")), tr("Apply"), this)),
      m_keep(new QPushButton(icon(QStringLiteral("pin")), tr("Keep as baseline"), this)),
      m_compare(new QPushButton(icon(QStringLiteral("compare")), tr("Compare"), this)),
      m_discard(new QPushButton(tr("Discard"), this)), m_tabs(new QTabWidget(this)),
      m_changes(new SolverChanges(context, m_tabs)), m_alternatives(new SolverAlternatives(context, m_tabs)),
      m_limits(new SolverLimits(context, m_tabs)), m_front(new SolverFront(context, m_tabs))
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
    m_buttons->add(m_compare, m_compare->text(),
                   tr("Add the result to the baselines under the name Solver, and show it beside the "
                      "current schedule. Other baselines stay in the list."));
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

    m_tabs->addTab(m_front, tr("Front"));
    m_tabs->setTabToolTip(3, tr("Latency against energy of the schedules found; each can be adopted."));
    connect(m_front, &SolverFront::adoptRequested, this, &SolverCard::adoptRequested);
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
    m_front->setOutcome(m_outcome);
    m_tabs->setTabVisible(m_tabs->indexOf(m_front), m_outcome && !m_outcome->front.empty());
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
    const RunFinish* const run = o.onRun.get();
    setFact(RunEnd,
            !run || run->endBefore <= 0
                ? tr("End of run")
                : tr("End of run (%1)").arg(signedPercent(run->end / run->endBefore - 1)),
            run ? number(run->end) : QString(),
            run ? tr("The run of the result ends at %1; that of the search's best schedule at %2.")
                      .arg(exactNumber(run->end), exactNumber(run->endBefore))
                : QString(),
            run && run->end < run->endBefore ? theme.ok : theme.text);
    const double energyBefore = o.before->evaluation.energy, energy = o.after->evaluation.energy;
    setFact(Energy,
            comparable && energyBefore > 0 ? tr("Energy (%1)").arg(signedPercent(energy / energyBefore - 1))
                                           : tr("Energy"),
            o.after->problem->hasEnergy() ? energyText(energy) : QString(),
            tr("energy of the result: %1 pJ, before %2 pJ, at least %3 pJ")
                .arg(exactNumber(energy), exactNumber(energyBefore), exactNumber(o.energyBound)),
            theme.text);
    setFact(Gap, tr("Gap to bound"), percent(o.gap()),
            tr("How far the result is above the lower bound: %1")
                .arg(exactNumber(valueOf(o.objective, o.after->lowerBound, o.energyBound))),
            theme.text);
    setFact(Time, tr("Time"), secondsText(o.seconds),
            tr("the best was found after %1").arg(secondsText(o.foundAfter)), theme.text);
    setFact(Evaluations, tr("Evaluations"),
            o.evaluations > 0 ? shortNumber(static_cast<double>(o.evaluations)) : QString(),
            tr("%1 tilings evaluated exactly").arg(number(o.evaluations)), theme.text);
    m_figures->updateGeometry();

    QStringList notes;
    if (o.objective == SolveObjective::Energy)
        notes << tr("Minimised: energy.");
    if (o.objective == SolveObjective::Edp)
        notes << tr("Minimised: latency × energy, now %1.").arg(number(after * energy));
    if (run)
        notes << finishText(*run);
    notes << (o.proven    ? tr("Proven optimal over %1.").arg(o.provenSpace.toHtmlEscaped())
              : o.stopped ? tr("Stopped by you; not proven optimal.")
                          : tr("Not proven optimal: the gap may be closed by a better schedule or by a "
                               "higher lower bound."));
    if (o.proven && !meetsBound(1 + o.gap(), 1))
        notes << tr("The gap is what schedules outside of these could gain at most.");
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
    // If the dock is low (under the graph), the lists are beside the buttons and use the full height.
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

// Actions on the result of a run: apply, keep, compare, discard, and choose an earlier result.

void SolverView::applyResult()
{
    const SolverOutcomePtr outcome = m_card->outcome();
    if (!outcome || m_card->state() == SolverCard::State::Applied)
        return;
    document().waitForSnapshot();
    const auto result = edit::withLocksOf(outcome->after->schedule, document().schedule());
    if (!result) { // refused: a subgraph was locked after the run started
        m_progress->setText(tr("%1. Solve again, or unlock it.").arg(sentence(result.error().message)));
        return;
    }
    document().addBaseline(tr("Before auto-solve"), document().snapshot());
    m_appliedRun = outcome;
    m_appliedTo = document().schedule();
    m_applied = *result;
    document().apply(*result, tr("Auto-solve"));
    m_card->setState(SolverCard::State::Applied);
}

/// Replaces the schedule by the chosen one of the front.
void SolverView::adoptPoint(const std::shared_ptr<const Schedule>& schedule)
{
    document().waitForSnapshot();
    const auto result = edit::withLocksOf(*schedule, document().schedule());
    if (!result) {
        m_progress->setText(tr("%1. Solve again, or unlock it.").arg(sentence(result.error().message)));
        return;
    }
    document().apply(*result, tr("Schedule of the front"));
}

/// After an undo of Apply, the result is offered again.
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
