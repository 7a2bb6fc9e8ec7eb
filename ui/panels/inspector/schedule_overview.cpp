// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/inspector/schedule_overview.h"

#include "base/progress.h"
#include "edit/edits.h"
#include "eval/energy_bound.h"
#include "panels/inspector/controls.h"
#include "panels/solver/solver_lists.h"
#include "report/summary.h"
#include "theme/text.h"
#include "theme/theme.h"
#include "workspace/texts.h"

#include <QLabel>
#include <QPushButton>
#include <QStringList>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <set>
#include <vector>

namespace tilewright::ui {

namespace {

constexpr std::size_t kOffered = 5;
// Maximum number of subgraphs for which settle() waits, in exports and tests.
constexpr std::size_t kSettled = 40;
constexpr int kSettleMs = 3'000; // maximum time that settle() waits, in milliseconds
constexpr double kEvery = 0.5;   // seconds between two reports of the search
// Maximum number of subgraphs for which the resources are measured. Larger schedules would take minutes,
// because every subgraph is tiled again for each other memory size.
constexpr std::size_t kMeasured = 300;

} // namespace

ScheduleOverview::ScheduleOverview(const ViewContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_figures(paragraph(this)), m_limits(nullptr), m_none(nullptr),
      m_changes(nullptr), m_job([this](const Facts& facts) { show(facts); }, true, &m_pool)
{
    m_pool.setMaxThreadCount(1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    m_figures->setAccessibleName(tr("The whole schedule"));
    column->addWidget(m_figures);
    auto* changes = section(tr("Changes that help most"), this, column);
    m_changes = new QVBoxLayout;
    changes->addLayout(m_changes);
    m_none = paragraph(this);
    changes->addWidget(m_none);
    m_limits = paragraph(this);
    connect(m_limits, &QLabel::linkActivated, this, [this] {
        if (QAction* sweep = m_context.actions.find(QStringLiteral("solve.sweep")))
            sweep->trigger();
    });
    section(tr("What limits it"), this, column)->addWidget(m_limits);
    QLabel* byHand = paragraph(this);
    m_context.actions.tellKeys(
        byHand,
        tr("Drag an op onto another subgraph to move it there, or onto empty space to give it a subgraph of "
           "its own. Hold Ctrl to recompute it there as well. While you drag, every possible target shows "
           "its effect.<br>Draw a frame around several ops and press {schedule.fuse|G} to fuse "
           "them.<br>Click a subgraph to see its tiles, its traversal order and what it retains."),
        [byHand](const QString& told) { byHand->setText(told); });
    section(tr("By hand"), this, column)->addWidget(byHand);
    column->addStretch();
    m_timer.setSingleShot(true);
    // Delay in milliseconds: evaluating hundreds of changes must not compete with editing.
    m_timer.setInterval(250);
    connect(&m_timer, &QTimer::timeout, this, [this] { request(std::numeric_limits<std::size_t>::max()); });
}

void ScheduleOverview::refresh()
{
    const SnapshotPtr snapshot = m_context.document.snapshot();
    if (!snapshot)
        return cancel();
    const Evaluation& e = snapshot->evaluation;
    std::vector<SubgraphId> all;
    for (std::size_t i = 0; i < snapshot->schedule.size(); ++i)
        all.emplace_back(i);
    const SubgraphsSummary summary = summarise(*snapshot, all);
    const Theme& theme = m_context.themes.theme();
    QString text =
        tr("<b>The whole schedule</b>: %1 in %2")
            .arg(counted(static_cast<std::int64_t>(snapshot->problem->opCount()), tr("op"), tr("ops")),
                 counted(static_cast<std::int64_t>(all.size()), tr("subgraph"), tr("subgraphs")));
    if (e.valid())
        text += tr("<br>Latency <b>%1</b>").arg(number(e.total));
    else
        text += QStringLiteral("<br><span style='color:%1'>⚠ %2</span>")
                    .arg(theme.error.name(), counted(std::ssize(e.issues), tr("problem"), tr("problems")));
    if (const SnapshotPtr baseline = m_context.document.baseline();
        baseline && e.valid() && baseline->evaluation.valid())
        text += tr(" (%1 against the baseline)")
                    .arg(signedNumber(
                        change(baseline->evaluation.total * m_context.document.unitOfBaseline(), e.total)));
    text += tr("<br>No schedule is faster than %1").arg(number(snapshot->lowerBound));
    if (e.valid())
        text += tr(" (gap %1)").arg(percent(snapshot->gap()));
    if (snapshot->problem->hasEnergy()) {
        if (e.valid())
            text += tr("<br>Energy <b>%1</b>, latency × energy %2 pJ %3")
                        .arg(energyText(e.energy), scientific(e.edp()),
                             timesUnitText(m_context.document.model()));
        text += tr("<br>No schedule takes less energy than %1")
                    .arg(energyText(energyBound(*snapshot->problem, e.rules).value));
    }
    text +=
        tr("<br>Largest working set %1 of %2")
            .arg(number(summary.workingSet.max), number(snapshot->problem->hardware().fastMemoryCapacity));
    const Document::Proof* proof = m_context.document.proof();
    if (proof)
        text += tr("<br><b>Proven optimal</b> over %1.").arg(proof->space.toHtmlEscaped());
    m_figures->setText(rich(text));
    if (m_shown == snapshot->revision && m_proven == (proof != nullptr))
        return;
    m_proven = proof != nullptr;
    m_shown.reset();
    m_job.cancel(); // The snapshot on which the job works no longer exists.
    clearLayout(m_changes);
    m_offered.clear();
    m_none->setText(tr("Searching…"));
    m_none->show();
    m_limits->setText(tr("Measuring…"));
    m_timer.start();
}

void ScheduleOverview::request(std::size_t subgraphs)
{
    const SnapshotPtr snapshot = m_context.document.snapshot();
    if (!snapshot) // the document was closed in the meantime
        return;
    const auto report = m_job.reporter();
    m_job.request([this, snapshot, subgraphs, report](const std::stop_token& stop) {
        standBack();
        Facts facts;
        facts.revision = snapshot->revision;
        facts.measured = snapshot->schedule.size() <= kMeasured;
        if (facts.measured)
            facts.resources = criticalResources(*snapshot->problem, snapshot->schedule,
                                                snapshot->evaluation.rules, {stop, {}});
        double reported = wallClock();
        const auto found = [&](const BestChanges& best) {
            if (wallClock() - reported < kEvery)
                return;
            reported = wallClock();
            facts.best = best;
            report([this, facts] { show(facts); });
        };
        facts.best = bestChanges(*snapshot->problem, snapshot->schedule, snapshot->evaluation,
                                 {.changes = kOffered, .subgraphs = subgraphs, .stop = stop, .found = found});
        facts.complete = true;
        return facts;
    });
}

void ScheduleOverview::show(const Facts& facts)
{
    const SnapshotPtr snapshot = m_context.document.snapshot();
    if (!snapshot || snapshot->revision != facts.revision)
        return;
    m_shown = facts.revision;
    const auto isSame = [](const Advice& a, const Advice& b) {
        return a.subgraph == b.subgraph && a.change.total == b.change.total && a.change.text == b.change.text;
    };
    // Buttons whose changes stay are not created again: one of them may be under the mouse.
    if (!std::ranges::equal(facts.best.changes, m_offered, isSame)) {
        clearLayout(m_changes);
        m_offered = facts.best.changes;
        for (const Advice& advice : m_offered)
            m_changes->addWidget(changeButton(m_context, *snapshot, advice.subgraph, advice.change,
                                              &advice == &m_offered.front(), true, this));
    }
    const QString text = changesText(facts.best, facts.complete);
    m_none->setText(text);
    m_none->setVisible(!text.isEmpty());
    m_limits->setText(!facts.measured ? tr("Not measured for schedules with this many subgraphs. The "
                                           "roofline shows what limits each subgraph.")
                      : facts.resources
                          ? rich(limitSentences(*facts.resources)
                                     .join(QStringLiteral("<br>"))
                                     .replace(tr("see Sweep"), tr("<a href='sweep'>see Sweep</a>")))
                          : tr("A schedule that cannot run has no latency to analyse."));
}

/// Describes the progress of the search for changes, or why it has found none. Empty if the list is complete.
QString ScheduleOverview::changesText(const BestChanges& best, bool complete) const
{
    const SnapshotPtr snapshot = m_context.document.snapshot();
    const std::size_t all = snapshot->schedule.size();
    if (best.looked < all) {
        const QString looked =
            tr("%1 of %2 subgraphs examined, the slowest first")
                .arg(number(static_cast<std::int64_t>(best.looked)), number(static_cast<std::int64_t>(all)));
        return complete ? tr("%1.").arg(looked) : tr("%1; the search goes on.").arg(looked);
    }
    if (!best.changes.empty())
        return {};
    if (m_proven)
        return tr("No schedule is faster: nothing can be improved.");
    return snapshot->evaluation.valid()
               ? m_context.actions.withKeys(tr(
                     "No single change makes it faster (granularity, traversal, retained tensors, fusing or "
                     "reordering two subgraphs, moving, recomputing or splitting off an op). Several changes "
                     "together may: press {solve.auto|F9}."))
               : tr("No single change repairs it.");
}

void ScheduleOverview::cancel()
{
    m_timer.stop();
    if (m_job.isBusy())
        m_shown.reset(); // the search starts again when the view becomes visible
    m_job.cancel();
}

void ScheduleOverview::settle()
{
    if (m_timer.isActive() || m_job.isBusy()) {
        m_timer.stop();
        request(kSettled); // a longer search is stopped, so that the result does not depend on the time
    }
    // With a model on a machine, evaluating a subgraph may take seconds, so intermediate results are shown.
    QTimer late;
    late.setSingleShot(true);
    connect(&late, &QTimer::timeout, this, [this] { m_job.finishEarly(); });
    late.start(kSettleMs);
    m_job.waitIdle();
}

namespace {

constexpr std::size_t kMostLinks = 40;

/// Text with lines instead of columns: five numbers side by side do not fit into a narrow pane.
QString spreads(const SubgraphsSummary& summary, const Theme& theme)
{
    struct Measure
    {
        QString name;
        const Spread& spread;
        bool sums;
    };
    const std::array measures{
        Measure{tr("Latency"), summary.latency, true}, Measure{tr("Compute time"), summary.compute, true},
        Measure{tr("Memory time"), summary.memory, true}, Measure{tr("Traffic"), summary.traffic, true},
        Measure{tr("Working set"), summary.workingSet, false}};
    QString html;
    for (const Measure& m : measures) {
        html += QStringLiteral("<p style='margin:4px 0'><b>%1</b>").arg(m.name);
        if (m.sums)
            html += tr(" · sum %1").arg(number(m.spread.sum));
        html += QStringLiteral("<br><span style='color:%1'>").arg(theme.muted.name()) +
                tr("min %1 · mean %2 · max %3")
                    .arg(number(m.spread.min), number(m.spread.mean), number(m.spread.max)) +
                QStringLiteral("</span></p>");
    }
    return html;
}

} // namespace

std::vector<SubgraphId> concernedSubgraphs(const Schedule& schedule, const SelectionState& selection)
{
    std::set<SubgraphId> out;
    if (selection.ops.empty()) {
        out = selection.subgraphs;
        if (selection.subgraph)
            out.insert(*selection.subgraph);
    } else {
        for (std::size_t i = 0; i < schedule.size(); ++i)
            if (std::any_of(schedule.subgraphs[i]->ops.begin(), schedule.subgraphs[i]->ops.end(),
                            [&](OpId o) { return selection.ops.count(o) > 0; }))
                out.insert(SubgraphId(i));
    }
    std::erase_if(out, [&](SubgraphId i) { return i.index() >= schedule.size(); });
    return {out.begin(), out.end()};
}

bool showsSeveral(const Schedule& schedule, const SelectionState& selection)
{
    if (concernedSubgraphs(schedule, selection).size() < 2)
        return false;
    if (selection.ops.empty() || !selection.subgraph || selection.subgraph->index() >= schedule.size())
        return true;
    const std::vector<OpId>& current = schedule[*selection.subgraph].ops;
    return !std::all_of(selection.ops.begin(), selection.ops.end(), [&](OpId o) {
        return std::find(current.begin(), current.end(), o) != current.end();
    });
}

QString selectionSummary(const Snapshot& snapshot, const SelectionState& selection, const Theme& theme)
{
    const auto subgraphs = concernedSubgraphs(snapshot.schedule, selection);
    const SubgraphsSummary summary = summarise(snapshot, subgraphs);
    std::set<OpId> all = selection.ops;
    if (all.empty())
        for (const SubgraphId i : subgraphs)
            all.insert(snapshot.schedule[i].ops.begin(), snapshot.schedule[i].ops.end());
    const std::vector<OpId> ops(all.begin(), all.end());

    const QString opCount = counted(static_cast<std::int64_t>(ops.size()), tr("op"), tr("ops"));
    QString html =
        QStringLiteral("<p><b>%1</b><br>%2</p>")
            .arg(selection.ops.empty() ? tr("%1 subgraphs with %2").arg(number(subgraphs.size())).arg(opCount)
                                       : tr("%1 in %2 subgraphs").arg(opCount).arg(number(subgraphs.size())))
            .arg(tr("%1 of the latency, %2 of the work of all ops")
                     .arg(percent(summary.latencyShare),
                          percent(workShare(*snapshot.problem, ops, snapshot.evaluation.rules))));
    if (summary.broken > 0)
        html += QStringLiteral("<p style='color:%1'>⚠ %2</p>")
                    .arg(theme.error.name(),
                         summary.broken == 1
                             ? tr("1 of them cannot run and is not counted below")
                             : tr("%1 of them cannot run and are not counted below").arg(summary.broken));
    if (summary.latency.count > 0)
        html += spreads(summary, theme);
    const auto links = [&](const QString& title, std::size_t n, auto&& link) {
        QStringList list;
        for (std::size_t i = 0; i < std::min(n, kMostLinks); ++i)
            list << link(i);
        if (n > kMostLinks)
            list << tr("%1 more").arg(n - kMostLinks);
        html += QStringLiteral("<p><b>%1</b> %2</p>").arg(title, list.join(QStringLiteral(", ")));
    };
    links(tr("Subgraphs"), subgraphs.size(), [&](std::size_t i) {
        const SubgraphEvaluation& e = snapshot.evaluation.subgraphs[subgraphs[i].index()];
        return QStringLiteral("<a href='subgraph:%1'>%1</a>%2")
            .arg(subgraphs[i].index())
            .arg(e.structurallyValid ? QStringLiteral("&nbsp;(%1)").arg(shortNumber(e.latency)) : QString());
    });
    const QString dropped = commonPrefix(*snapshot.problem);
    links(tr("Ops"), ops.size(), [&](std::size_t i) {
        return QStringLiteral("<a href='op:%1'>%2</a>")
            .arg(ops[i].index())
            .arg(
                QString::fromStdString(snapshot.problem->opName(ops[i])).mid(dropped.size()).toHtmlEscaped());
    });
    return html;
}

QString selectedOpsText(const Snapshot& snapshot, const SelectionState& selection)
{
    if (selection.ops.empty())
        return {};
    const std::vector<OpId> ops(selection.ops.begin(), selection.ops.end());
    const QString share = percent(workShare(*snapshot.problem, ops, snapshot.evaluation.rules));
    return ops.size() == 1
               ? tr("%1 is selected: %2 of the work of all ops")
                     .arg(QString::fromStdString(snapshot.problem->opName(ops.front())).toHtmlEscaped(),
                          share)
               : tr("%1 ops are selected: %2 of the work of all ops").arg(number(ops.size()), share);
}

} // namespace tilewright::ui
