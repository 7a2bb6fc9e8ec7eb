// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/bound/bound_view.h"

#include "canvas/control_bar.h"
#include "canvas/number_box.h"
#include "edit/edits.h"
#include "report/summary.h"
#include "theme/icon.h"
#include "theme/text.h"
#include "verbs/schedule.h"
#include "workspace/texts.h"

#include <QAction>
#include <QDoubleSpinBox>
#include <QHeaderView>
#include <QLabel>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

namespace tilewright::ui {

namespace {

enum Column : std::uint8_t { Ops, Value, Share, Compute, Memory, In, Out, Spilled, Why };
constexpr int kTickMs = 200;
constexpr double kLongestLimit = 3600;

/// One row per part of the bound.
Table partsTable(const LowerBound& bound, const Problem* problem)
{
    constexpr auto figure = ColumnKind::Number;
    Table out;
    out.columns = {{tr("Ops")},
                   {tr("Value"), figure},
                   {tr("Share"), ColumnKind::Percent},
                   {tr("Compute"), figure},
                   {tr("Memory"), figure},
                   {tr("In"), figure},
                   {tr("Out"), figure},
                   {tr("Spilled"), figure},
                   {tr("Explanation")}};
    for (std::size_t c = Compute; c <= Spilled; ++c)
        out.columns[c].copied = bound.prices.empty();
    const QString prefix = problem ? commonPrefix(*problem) : QString();
    for (const BoundPart& part : bound.parts) {
        constexpr std::size_t kMostNames = 24;
        const std::span<const OpId> ops(part.ops);
        const QString names =
            shortOpNames(*problem, ops.first(std::min(kMostNames, ops.size())), prefix).names;
        const QString says = sentence(part.text);
        out.add(TableCell(names, names, {}, plain(fullOpNames(*problem, ops))), part.value,
                bound.value > 0 ? part.value / bound.value : 0, part.compute, part.memory, part.inputElements,
                part.outputElements, part.spilledElements, TableCell(says, says, {}, plain(says)));
    }
    return out;
}

} // namespace

BoundView::BoundView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("bound"), tr("Lower bound"), parent), m_bar(new ControlBar(this)),
      m_offer(new QLabel(this)), m_summary(new QLabel(this)), m_limit(new DecimalBox(this)),
      m_progress(new QLabel(this)), m_rows(new TableModel(this)), m_parts(new QTreeView(this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 0);
    m_summary->setObjectName(QStringLiteral("bound.summary"));
    m_summary->setWordWrap(true);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_summary);
    addCommands();
    column->addWidget(m_bar);
    m_offer->setObjectName(QStringLiteral("bound.offer"));
    m_offer->setWordWrap(true);
    m_offer->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_offer);
    column->addWidget(m_parts, 1);
    m_parts->setAccessibleName(tr("Parts of the lower bound"));
    m_rows->setTable(partsTable({}, nullptr));
    m_parts->setModel(m_rows);
    m_parts->setRootIsDecorated(false);
    m_parts->setAlternatingRowColors(true);
    m_parts->setFrameShape(QFrame::NoFrame);
    m_parts->setMinimumHeight(1); // the table may shrink and scroll; the sentences above it keep their height
    m_parts->setSelectionMode(QAbstractItemView::ExtendedSelection);
    for (int c = Value; c < Why; ++c)
        m_parts->setColumnWidth(c, fontMetrics().horizontalAdvance(QStringLiteral("1 234 567.8")) + 16);
    m_parts->setColumnWidth(Ops, 2 * m_parts->columnWidth(Value));
    m_parts->setColumnWidth(Share, fontMetrics().horizontalAdvance(QStringLiteral("100.0 %")) + 16);
    connect(m_parts->selectionModel(), &QItemSelectionModel::selectionChanged, this, &BoundView::selectOps);
    connect(&m_job, &BoundJob::raised, &document(), &Document::raiseBound);
    connect(&m_job, &BoundJob::raised, this, &BoundView::showProgress);
    connect(&m_job, &BoundJob::advanced, this, &BoundView::follow);
    connect(&m_job, &BoundJob::finished, this, &BoundView::showProgress);
    connect(&m_ticking, &QTimer::timeout, this, &BoundView::showProgress);
    m_ticking.setInterval(kTickMs);
    document().whenChanged(this, Part::Problem | Part::Machine | Part::RuleSet, [this] {
        m_job.stop();
        m_tried = false;
        m_state = {};
        showProgress();
    });
    document().whenChanged(this, Part::Problem | Part::Snapshot, &BoundView::outdate);
    refresh();
}

void BoundView::addCommands()
{
    ActionSpec prove{
        QStringLiteral("bound.prove"),
        tr("Solve"),
        tr("Prove how good this is"),
        QStringLiteral("play"),
        {},
        tr("Search for a higher lower bound and for a proof of optimality in the background. Press again to "
           "stop. The proof considers the capacity of fast memory, repeated loads and retained tensors. With "
           "up to 64 ops it searches the whole remaining space.")};
    prove.available = [&d = document()] { return Availability(d.hasProblem(), tr("Open a problem first.")); };
    m_prove = addCommand(prove, [this](bool) { toggle(); });
    auto* button = m_bar->addButton(m_prove);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_limit->setObjectName(QStringLiteral("bound.seconds"));
    m_limit->setRange(0.1, kLongestLimit);
    m_limit->setDecimals(1);
    m_limit->setSuffix(tr(" s"));
    m_limit->setValue(verbs::kWindowProofSeconds);
    m_bar->addLabelled(tr("For"), m_limit, tr("Time limit of the proof."));
    m_bar->add(m_progress, tr("Progress of the proof"), tr("The best lower bound proven so far."), true);
    m_progress->setObjectName(QStringLiteral("bound.progress"));
    ActionSpec take{QStringLiteral("bound.take"),
                    tr("Solve"),
                    tr("Apply the better schedule"),
                    QStringLiteral("ok"),
                    {},
                    tr("Replace the schedule by the one that the proof found: one undo step. The present "
                       "schedule becomes the baseline.")};
    m_applyBetter = addCommand(take, [this](bool) { applyBetter(); });
    auto* offered = m_bar->addButton(m_applyBetter);
    offered->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_applyButton = offered;
}

void BoundView::toggle()
{
    if (m_job.isRunning())
        return m_job.stop();
    if (!document().hasProblem())
        return;
    m_limit->interpretText();
    document().waitForSnapshot();
    const SnapshotPtr snapshot = document().snapshot();
    if (!snapshot)
        return;
    m_tried = true;
    m_state = {};
    ProofRequest request{document().problem(), document().rules(), m_limit->value()};
    if (snapshot->evaluation.valid())
        request.total = snapshot->evaluation.total;
    m_job.start(request);
    m_ticking.start();
    showProgress();
}

void BoundView::follow(const ProofState& state)
{
    if (!m_tried)
        return;
    m_state = state;
    // A proof of optimality over all traversal orders is stored in the document.
    if (state.optimal && !document().proof())
        document().addProof(
            {document().problem(), document().rules(), state.best, QString::fromStdString(state.space)});
    outdate();
    showProgress();
}

void BoundView::applyBetter()
{
    if (!m_state.schedule)
        return;
    document().waitForSnapshot();
    const auto result = edit::withLocksOf(*m_state.schedule, document().schedule());
    if (!result) { // a lock refused the change, because the proof ignores locks
        m_offer->setText(plain(tr("%1. Unlock it, or look for a better schedule with Auto-solve.")
                                   .arg(sentence(result.error().message))));
        return;
    }
    // An invalid schedule is not pinned as a baseline, because it has no latency to compare with.
    if (const SnapshotPtr before = document().snapshot(); before->evaluation.valid())
        document().addBaseline(tr("Before the proof"), before);
    document().apply(*result, tr("Better schedule of the proof"));
}

void BoundView::showProgress()
{
    const bool running = m_job.isRunning();
    if (!running)
        m_ticking.stop();
    m_prove->setText(running ? tr("Stop") : tr("Prove how good this is"));
    m_prove->setIcon(icon(running ? QStringLiteral("stop") : QStringLiteral("play")));
    showOffer();
    const SnapshotPtr snapshot = document().snapshot();
    if (!m_tried || !snapshot)
        return m_progress->clear();
    QStringList parts{
        (running ? tr("proving since %1") : tr("ended after %1")).arg(secondsText(m_job.seconds()))};
    if (snapshot->evaluation.valid())
        parts << gapText();
    parts << presetText();
    parts.removeAll(QString());
    m_progress->setText(parts.join(QStringLiteral(" · ")));
}

/// Text of the gap to the lower bound for preset traversals, if that bound is higher than the one for all
/// orders; otherwise empty.
QString BoundView::presetText() const
{
    const SnapshotPtr& snapshot = document().snapshot();
    const bool saysMore = m_state.presetBound > document().bound()->value * (1 + 1e-6);
    if (m_state.optimal || !saysMore || !snapshot->evaluation.valid())
        return {};
    return tr("to preset traversals %1").arg(percent(snapshot->evaluation.total / m_state.presetBound - 1));
}

/// Offers the better schedule that a proof has found. The offer stays until it is applied, and returns after
/// undo.
void BoundView::showOffer()
{
    const SnapshotPtr& snapshot = document().snapshot();
    const bool offers = m_state.schedule && snapshot &&
                        (!snapshot->evaluation.valid() || m_state.best < snapshot->evaluation.total);
    Actions::setAvailable(m_applyBetter, {offers, tr("No proof has found a better schedule.")});
    m_bar->setShown(m_applyButton, offers);
    m_offer->setVisible(offers);
    if (!offers)
        return;
    QString text = tr("The proof has found a better schedule: <b>%1</b>").arg(number(m_state.best));
    if (snapshot->evaluation.valid())
        text += tr(" instead of %1 (%2 less)")
                    .arg(number(snapshot->evaluation.total),
                         percent(1 - m_state.best / snapshot->evaluation.total));
    if (m_state.optimal)
        text += tr(", optimal over %1").arg(QString::fromStdString(m_state.space).toHtmlEscaped());
    m_offer->setText(rich(text + QStringLiteral(".")));
}

/// Text that says which schedules a proof covers, and how much faster any other schedule could be.
QString BoundView::coverText() const
{
    const Document::Proof* proof = document().proof();
    if (!proof)
        return {};
    QString text = tr(" <b>Proven optimal</b> over %1.").arg(proof->space.toHtmlEscaped());
    const double total = document().snapshot()->evaluation.total;
    if (!meetsBound(total, document().bound()->value))
        text += tr(" Other orders of tiles could be at most %1 faster.")
                    .arg(percent(1 - document().bound()->value / total));
    return text;
}

QString BoundView::gapText() const
{
    return document().proof() ? tr("proven optimal")
                              : tr("gap %1").arg(percent(document().snapshot()->gap()));
}

void BoundView::refresh()
{
    const SnapshotPtr snapshot = document().snapshot();
    m_parts->setVisible(snapshot != nullptr);
    showProgress();
    if (!snapshot) {
        m_shown = nullptr;
        m_rows->setTable(partsTable({}, nullptr));
        m_summary->setText(tr("Open a problem to see its lower bound and where the bound comes from."));
        return;
    }
    const LowerBound& bound = *document().bound();
    std::vector<SubgraphId> all;
    for (std::size_t i = 0; i < snapshot->schedule.size(); ++i)
        all.emplace_back(i);
    const SubgraphsSummary whole = summarise(*snapshot, all);
    m_summary->setText(rich(
        tr("No valid schedule is faster than <b>%1</b>: %2. This schedule computes for %3 and moves data for "
           "%4. Its latency is %5 (%6).")
            .arg(number(bound.value),
                 bound.prices.empty() ? tr("compute takes at least %1, compulsory traffic %2")
                                            .arg(number(bound.compute), number(bound.memory))
                                      : tr("the groups of ops below take at least that long in any schedule"),
                 number(whole.compute.sum), number(whole.memory.sum), number(snapshot->evaluation.total),
                 gapText()) +
        coverText()));
    if (m_shown != document().bound()) {
        m_shown = document().bound();
        m_rows->setTable(partsTable(*m_shown, document().problem().get()));
        m_parts->clearSelection();
        for (int c = Compute; c <= Spilled; ++c)
            m_parts->setColumnHidden(c, !m_shown->prices.empty());
    }
}

void BoundView::selectOps()
{
    std::set<OpId> ops;
    for (const QModelIndex& row : m_parts->selectionModel()->selectedRows()) {
        const BoundPart& part = m_shown->parts[static_cast<std::size_t>(row.row())];
        ops.insert(part.ops.begin(), part.ops.end());
    }
    if (!ops.empty())
        selection().selectOps(std::move(ops));
}

QString BoundView::copyText() const
{
    return rowsAsText(*m_rows, false, {Why, Ops, Value, Share, Compute, Memory, In, Out, Spilled});
}

} // namespace tilewright::ui
