// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/solver/solver_view.h"

#include "canvas/form.h"
#include "eval/energy_bound.h"
#include "snapshot/snapshot.h"
#include "solve/proof/set_cover.h"
#include "theme/text.h"
#include "workspace/constraint_edits.h"
#include "workspace/schedule_edits.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPointer>
#include <QPushButton>
#include <QSpinBox>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {
// These intervals are long so that the cores stay free for the solver.
constexpr int kPreviewMs = 250;     // time between two previews
constexpr int kStatusMs = 100;      // time between two lines of progress
constexpr int kStopMs = 30;         // time to wait for the last result after Stop
constexpr double kStallSeconds = 1; // seconds without improvement until the progress line says so
constexpr std::size_t kRuns = 20;

bool hasLocks(const Schedule& schedule)
{
    return std::ranges::any_of(schedule.subgraphs, [](const SubgraphPtr& s) { return s->locked; });
}

/// Describes the current phase of the search.
QString phaseText(const SolveStatus& s)
{
    switch (s.phase) {
    case SolvePhase::Starting:
        return SolverView::tr("fusing neighbours greedily");
    case SolvePhase::Annealing:
        return SolverView::tr("round %1: moving ops between subgraphs").arg(s.round);
    case SolvePhase::GeneratingColumns:
        return SolverView::tr("round %1: pricing subgraphs and combining them").arg(s.round);
    case SolvePhase::Replanning:
        return SolverView::tr("round %1: replanning groups of neighbouring ops").arg(s.round);
    case SolvePhase::Tiling:
        return SolverView::tr("round %1: choosing tiles for the best schedule").arg(s.round);
    case SolvePhase::Proving:
        return SolverView::tr("trying every grouping for a proof, at most %1 s")
            .arg(fixedNumber(std::max(0.0, s.proofUntil - s.seconds), 1));
    }
    return {};
}
} // namespace

SolverView::SolverView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("solver"), tr("Solver"), parent)
{
    build();
    registerActions();
    m_previewTimer.setObjectName(QStringLiteral("pauseOfPreviews"));
    m_previewTimer.setSingleShot(true);
    m_previewTimer.setInterval(kPreviewMs);
    connect(&m_previewTimer, &QTimer::timeout, this, [this] {
        if (m_previewDue)
            showRunningBest();
    });
    m_stopTimer.setSingleShot(true);
    m_stopTimer.setInterval(kStopMs);
    connect(&m_stopTimer, &QTimer::timeout, this, &SolverView::finishWithBest);
    connect(&m_job, &SolverJob::improved, this,
            [this](double seconds, double value, const std::shared_ptr<const Schedule>& schedule) {
                m_curve.points.emplace_back(seconds, value);
                m_plot->setCurve(m_curve);
                m_best = schedule;
                m_previewDue = !m_stopTimer.isActive();
                if (m_previewDue && !m_previewTimer.isActive())
                    showRunningBest();
            });
    connect(&m_job, &SolverJob::status, this, &SolverView::showStatus);
    connect(&m_job, &SolverJob::finished, this,
            [this](const std::shared_ptr<const SolveResult>& result,
                   const std::shared_ptr<const RunFinish>& onRun) { finish(*result, onRun); });
    connect(&m_job, &SolverJob::finishing, this,
            [this] { m_progress->setText(tr("Running the schedules found, with other tiles …")); });
    connect(&m_job, &SolverJob::pricing, this, [this](const QString& without, int done, int all) {
        m_isPricing = true;
        m_progress->setText(tr("Search %1 of %2: without the constraint “%3” …")
                                .arg(done + 2)
                                .arg(all + 1)
                                .arg(sentence(without)));
    });
    connect(&m_job, &SolverJob::failed, this, [this](const QString& why) {
        endPreview();
        m_progress->setText(why);
        refresh();
    });
    // A late result would refer to ops of another problem, or its latency would belong to another machine or
    // to other rules.
    document().whenChanged(this, Part::Problem | Part::Machine, [this](Parts parts) {
        m_runs.clear(); // the runs belong to another problem or machine
        listRuns();
        const bool any = m_job.isRunning() || m_card->outcome();
        if (parts.testFlag(Part::Problem) || any)
            forget(parts.testFlag(Part::Problem) ? QString() : tr("The machine has changed; solve again."));
    });
    document().whenChanged(this, Part::RuleSet, [this] {
        const SnapshotPtr& of = m_job.isRunning()   ? m_before
                                : m_card->outcome() ? m_card->outcome()->after
                                                    : nullptr;
        std::erase_if(m_runs, [this](const SolverOutcomePtr& run) {
            return run->after->evaluation.rules != document().rules();
        });
        listRuns();
        if (of && of->evaluation.rules != document().rules())
            forget(tr("The rules have changed; solve again."));
    });
    // An edit or another selection pauses the preview. It does not return by itself in this run.
    const auto pause = [this] {
        if (m_job.isRunning() && !document().preview())
            m_options->pausePreview();
    };
    document().whenChanged(this, Part::Steps | Part::Preview, pause);
    document().whenChanged(this, Part::Steps, &SolverView::followUndo);
    refresh();
}

void SolverView::build()
{
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    m_scroll = new ScrollPane(this);
    m_scroll->setAccessibleName(title());
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    outer->addWidget(m_scroll);
    auto* body = new QWidget(m_scroll);
    m_scroll->setWidget(body);
    m_columns = new QBoxLayout(QBoxLayout::LeftToRight, body);
    m_columns->setContentsMargins(0, 0, 0, 0);
    m_columns->setSpacing(0);
    auto* left = new QVBoxLayout;
    m_options = new SolverOptions(document(), registry(), body);
    left->addWidget(m_options);
    m_progress = new QLabel(body);
    m_progress->setWordWrap(true);
    m_progress->setTextFormat(Qt::PlainText);
    m_progress->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_progress->setAccessibleName(tr("Progress"));
    m_runList = new QComboBox(body);
    m_runList->setAccessibleName(tr("Runs"));
    m_runList->setToolTip(tr("Results of earlier runs on this problem: choose one to show it again."));
    m_runList->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_runList->setMinimumContentsLength(24);
    auto* runRow = new QHBoxLayout;
    runRow->setContentsMargins(8, 0, 8, 2);
    runRow->addWidget(m_progress, 1);
    runRow->addWidget(m_runList, 1);
    left->addLayout(runRow);
    connect(m_runList, &QComboBox::activated, this, [this](int row) {
        const SolverOutcomePtr& run = m_runs[m_runs.size() - 1 - static_cast<std::size_t>(row)];
        if (!m_job.isRunning() && m_card->outcome() != run)
            m_card->setOutcome(run);
    });
    m_constraints = new SolverConstraints(context(), body);
    connect(m_constraints, &SolverConstraints::priceClicked, this, [this] { start(true); });
    left->addWidget(m_constraints);
    m_plot = new SolverCurveView(context(), body);
    m_plot->setMinimumHeight(48);
    left->addWidget(m_plot, 1);
    m_columns->addLayout(left, 1);
    m_card = new SolverCard(context(), body);
    m_columns->addWidget(m_card, 1);

    connect(m_options, &SolverOptions::runClicked, this, [this] { start(); });
    connect(m_options, &SolverOptions::stopClicked, this, &SolverView::stop);
    connect(m_options, &SolverOptions::pauseClicked, this, &SolverView::togglePause);
    connect(m_options, &SolverOptions::previewToggled, this,
            [this](bool on) { on ? showRunningBest() : document().dropPreview(); });
    connect(m_card, &SolverCard::applyClicked, this, &SolverView::applyResult);
    connect(m_card, &SolverCard::adoptRequested, this, &SolverView::adoptPoint);
    connect(m_card, &SolverCard::keepClicked, this, &SolverView::keepResult);
    connect(m_card, &SolverCard::compareClicked, this, [this] {
        if (m_card->state() != SolverCard::State::Applied) {
            m_comparing = true;
            document().showPreview(m_card->outcome()->after->schedule, true);
        }
        Q_EMIT compareRequested();
    });
    connect(m_card, &SolverCard::discardClicked, this, [this] { forget({}); });
}

void SolverView::registerActions()
{
    const auto whenOpen = [&d = document()] {
        return Availability(d.hasProblem(), tr("Open a problem first."));
    };
    registry().add("solve.auto", tr("Solve"), tr("&Auto-solve"), "solve", {QKeySequence(Qt::Key_F9)},
                   tr("Search for a better schedule with the settings of the Solver pane. Press again to "
                      "stop and keep the best schedule."),
                   whenOpen, [this] { startOrStop(); });
    registry().add("solve.selection", tr("Solve"), tr("Solve &selection only"), "",
                   {QKeySequence(Qt::SHIFT | Qt::Key_F9)},
                   tr("Only subgraphs with a selected op may change."), whenOpen, [this] {
                       m_options->start()->setCurrentIndex(SolverOptions::SelectionOnly);
                       startOrStop();
                   });
    registry().add(
        "schedule.constrain.range", tr("Schedule"), tr("Tile &range…"), "", {},
        tr("A constraint of the solver: the tiles of the selected ops, or of every subgraph, have a "
           "size or lie in a range."),
        whenOpen, [this] {
            Q_EMIT started(); // makes the window show the pane
            m_constraints->editTilesOfSelection();
        });
    ActionSpec ending{
        QStringLiteral("solve.stop"),
        tr("Solve"),
        tr("S&top and keep the best"),
        QStringLiteral("stop"),
        {QKeySequence(Qt::Key_Escape)},
        tr("End the search. The Solver pane keeps its best schedule (Esc while the pane has the focus)."),
        false,
        {},
        [self = QPointer<SolverView>(this)] {
            return Availability(self && self->m_job.isRunning(), tr("No search is running."));
        }};
    ending.keysAreFixed = true;
    QAction* stopping = registry().add(ending, [this](bool) { stop(); });
    stopping->setShortcutContext(
        // keyPressEvent() handles Esc, because Esc has other meanings outside of this pane
        Qt::WidgetShortcut);
}

void SolverView::startOrStop()
{
    if (m_job.isRunning())
        return stop();
    // A key press just after the search has ended by itself was meant to stop it, not to start another
    // search.
    if (!m_ended.isValid() || m_ended.elapsed() > m_latePressMs)
        start();
}

Result<verbs::SolveCall> SolverView::call() const
{
    verbs::SolveCall out = m_options->call();
    const int from = m_options->start()->currentIndex();
    const Schedule& schedule = document().schedule();
    auto constraints = constraintsOf(document());
    if (!constraints)
        return constraints.error();
    out.constraints = std::move(*constraints);
    // Locks apply even if the search starts from scratch.
    if (from != SolverOptions::FromScratch || hasLocks(schedule))
        out.start = schedule;
    if (from == SolverOptions::SelectionOnly) {
        out.selection = selectedOps(document(), selection());
        if (out.selection.empty())
            return Error{ErrorCode::Refused,
                         tr("select the ops or subgraphs that may change first").toStdString(),
                         {},
                         {}};
    }
    return out;
}

void SolverView::start(bool findsCosts)
{
    if (!document().hasProblem() || m_job.isRunning())
        return;
    for (auto* box : m_options->findChildren<QAbstractSpinBox*>())
        box->interpretText(); // a field may keep the focus when F9 is pressed
    const auto asked = this->call();
    if (!asked) {
        m_progress->setText(wholeSentence(asked.error().text()));
        Q_EMIT started(); // makes the window show the pane with the message
        return;
    }
    const verbs::SolveCall& call = *asked;
    SolveOptions options = *verbs::solveOptions(call, *document().problem());
    document().waitForSnapshot();
    m_before = document().snapshot();
    m_whole = !hasLocks(document().schedule()) && !call.constraints.any() && call.selection.empty();
    m_isPricing = false;
    if (findsCosts)
        m_constraints->expectCosts();
    m_curve = {};
    m_curve.budget = options.seconds;
    m_curve.objective = options.objective;
    m_curve.before = m_before->evaluation.valid()
                         ? valueOf(options.objective, m_before->evaluation.total, m_before->evaluation.energy)
                         : 0;
    if (options.start && m_curve.before > 0)
        m_curve.points.emplace_back(0, m_curve.before);
    m_plot->setCurve(m_curve);
    m_card->setOutcome(nullptr);
    m_best.reset();
    m_evaluations = 0;
    m_options->restorePreview();
    m_sinceStatus.invalidate();
    m_progress->setText(tr("Starting …"));
    m_job.start(document().problem(), std::move(options),
                findsCosts             ? SolverJob::Then::Price
                : call.finish == "run" ? SolverJob::Then::FinishOnRun
                                       : SolverJob::Then::Nothing);
    refresh();
    Q_EMIT started();
}

void SolverView::stop()
{
    if (!m_job.isRunning())
        return;
    m_job.stop();
    endPreview();
    if (!m_isPricing) // a result without costs belongs to a run that does not search for them
        m_stopTimer.start();
}

/// The solver does not stop at once. The last schedule that it delivers is checked and kept.
void SolverView::finishWithBest()
{
    if (!m_job.isRunning() || !m_best)
        return;
    SolveResult result;
    result.schedule = *m_best;
    result.lowerBound = m_before->lowerBound;
    result.objective = m_curve.objective;
    result.energyBound = energyBound(*m_before->problem, m_before->evaluation.rules).value;
    result.front = m_job.front();
    result.stopped = true;
    result.seconds = m_job.seconds();
    result.evaluations = m_evaluations;
    result.curve = m_curve.points;
    m_job.abandon();
    finish(result, nullptr);
}

void SolverView::showStatus(const SolveStatus& s)
{
    m_curve.seconds = s.seconds;
    m_curve.lowerBound = s.lowerBound;
    m_evaluations = s.evaluations;
    if (m_sinceStatus.isValid() && m_sinceStatus.elapsed() < kStatusMs)
        return;
    m_sinceStatus.start();
    QStringList parts{tr("%1 of %2 s").arg(fixedNumber(s.seconds, 1), fixedNumber(m_curve.budget, 1))};
    if (std::isfinite(s.best)) {
        parts << tr("best %1").arg(number(s.best));
        if (s.lowerBound > 0)
            parts << tr("gap %1").arg(percent(s.best / s.lowerBound - 1));
    }
    if (s.evaluations > 0)
        parts << tr("%1 evaluations").arg(shortNumber(static_cast<double>(s.evaluations)));
    parts << (m_job.isPaused() ? tr("paused") : phaseText(s));
    if (const double still = s.seconds - s.lastImproved; std::isfinite(s.best) && still >= kStallSeconds)
        parts << tr("no improvement for %1 s").arg(fixedNumber(still, 0));
    m_progress->setText(parts.join(QStringLiteral(" · ")));
    m_plot->setCurve(m_curve);
}

void SolverView::finish(const SolveResult& result, const std::shared_ptr<const RunFinish>& onRun)
{
    m_stopTimer.stop();
    if (!result.stopped)
        m_ended.start();
    m_best.reset();
    endPreview();
    m_curve.points = result.curve;
    m_curve.seconds = result.seconds;
    m_curve.budget = 0;
    m_curve.lowerBound = result.bound();
    m_plot->setCurve(m_curve);
    auto outcome = std::make_shared<SolverOutcome>();
    outcome->before = m_before;
    outcome->after =
        takeSnapshot(m_before->problem, result.schedule, m_before->evaluation.rules, result.lowerBound, 0);
    outcome->seconds = result.seconds;
    outcome->foundAfter = result.curve.empty() ? 0 : result.curve.back().first;
    outcome->evaluations = result.evaluations;
    outcome->stopped = result.stopped;
    outcome->proven = result.provenOptimal;
    outcome->provenSpace = QString::fromStdString(result.provenSpace);
    outcome->objective = result.objective;
    outcome->energyBound = result.energyBound;
    outcome->front = result.front;
    outcome->onRun = onRun;
    m_progress->setText(
        result.provenOptimal ? tr("Finished: proven optimal after %1.").arg(secondsText(result.seconds))
        : result.stagnated
            ? tr("Ended after %1: no improvement for %2 s.")
                  .arg(secondsText(result.seconds), fixedNumber(m_options->patience()->value(), 1))
        : result.stopped ? tr("Stopped after %1.").arg(secondsText(result.seconds))
                         : tr("Finished after %1.").arg(secondsText(result.seconds)));
    if (!result.constraintCosts.empty())
        m_constraints->showCosts(result);
    if (result.provenOptimal && m_whole &&
        result.objective ==
            // A proof under locks does not cover schedules that change locked subgraphs.
            SolveObjective::Latency)
        document().addProof({m_before->problem, m_before->evaluation.rules, outcome->after->evaluation.total,
                             outcome->provenSpace});
    if (m_whole && document().bound() && result.lowerBound > document().bound()->value) {
        auto raised = std::make_shared<LowerBound>(*document().bound());
        raiseBound(*raised, *m_before->problem, result.lowerBound);
        document().raiseBound(m_before->problem, m_before->evaluation.rules, raised);
    }
    m_runs.push_back(outcome);
    if (m_runs.size() > kRuns)
        m_runs.erase(m_runs.begin());
    m_card->setOutcome(std::move(outcome));
    refresh();
}

void SolverView::endComparison()
{
    if (std::exchange(m_comparing, false) && !m_job.isRunning())
        endPreview();
}

void SolverView::togglePause()
{
    if (!m_job.isRunning())
        return;
    m_job.setPaused(!m_job.isPaused());
    m_options->setPaused(m_job.isPaused());
    m_sinceStatus.invalidate();
}

void SolverView::listRuns()
{
    m_runList->setVisible(m_runs.size() > 1);
    m_runList->setEnabled(!m_job.isRunning());
    m_runList->clear();
    for (auto run = m_runs.rbegin(); run != m_runs.rend(); ++run) { // latest run first
        const SolverOutcome& o = **run;
        m_runList->addItem(tr("Run %1: %2 after %3%4")
                               .arg(m_runs.rend() - run)
                               .arg(number(o.after->evaluation.total), secondsText(o.seconds),
                                    o.proven    ? tr(", proven optimal")
                                    : o.stopped ? tr(", stopped")
                                                : QString()));
    }
    for (std::size_t i = 0; i < m_runs.size(); ++i)
        if (m_runs[i] == m_card->outcome())
            m_runList->setCurrentIndex(static_cast<int>(m_runs.size() - 1 - i));
}

void SolverView::forget(const QString& why)
{
    if (m_job.isRunning())
        m_job.abandon();
    m_stopTimer.stop();
    m_best.reset();
    endPreview();
    m_curve = {};
    m_progress->setText(why);
    m_card->setOutcome(nullptr);
    m_plot->setCurve(m_curve);
    refresh();
}

void SolverView::showRunningBest()
{
    if (!m_job.isRunning() || !m_best || !m_options->preview()->isChecked())
        return;
    m_previewDue = false;
    m_previewTimer.start();
    document().showPreview(*m_best);
}

void SolverView::endPreview()
{
    m_previewTimer.stop();
    m_previewDue = false;
    document().dropPreview();
}

void SolverView::refresh()
{
    const bool running = m_job.isRunning();
    m_options->setRunning(running);
    m_constraints->setRunning(running);
    if (!running)
        m_options->restorePreview();
    registry().refresh();
    listRuns();
    if (!document().hasProblem())
        m_progress->setText(tr("Open a problem first."));
    else if (!running && !m_card->outcome() && m_progress->text().isEmpty())
        m_progress->setText(tr("The solver chooses groups, tiles, orders and retained tensors. The result "
                               "waits here until you apply it."));
}

void SolverView::resizeEvent(QResizeEvent* event)
{
    View::resizeEvent(event);
    // There are two columns if there is room, and one in a narrow dock.
    const bool wide = width() >= fontMetrics().averageCharWidth() * 90;
    m_columns->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    // Beside the result the curve takes the available height. The pane scrolls only if it is lower than its
    // minimum height.
    m_plot->setSizePolicy(QSizePolicy::Expanding, wide ? QSizePolicy::Ignored : QSizePolicy::Preferred);
    m_columns->setStretch(0, wide ? 5 : 0);
    m_columns->setStretch(1, wide ? 7 : 1); // the column of the result
}

void SolverView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_job.isRunning())
        stop();
    else
        View::keyPressEvent(event);
}

void SolverView::settle()
{
    while (m_job.isRunning())
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    m_card->settle();
}

void SolverView::paintExport(QPainter& painter, const QSize& size, const Theme& theme)
{
    const Theme& own = this->theme();
    context().themes.setTheme(theme);
    View::paintExport(painter, size, theme);
    context().themes.setTheme(own);
}

QString SolverView::copyText() const
{
    QString out = tr("change\tgain\n");
    const SolverChanges& changes = *m_card->changes();
    for (int i = 0; i < changes.topLevelItemCount(); ++i)
        out += textRow(changes.topLevelItem(i)->text(0), changes.gain(i));
    return out;
}

} // namespace tilewright::ui
