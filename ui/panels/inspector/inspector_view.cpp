// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/inspector/inspector_view.h"

#include "canvas/bound_mark.h"
#include "canvas/figure_address.h"
#include "eval/explain.h"
#include "panels/inspector/controls.h"
#include "panels/inspector/retain_list.h"
#include "panels/inspector/schedule_overview.h"
#include "panels/inspector/tensor_page.h"
#include "schedule/schedule.h"
#include "theme/icon.h"
#include "theme/text.h"
#include "views/granularity/granularity_view.h"
#include "workspace/schedule_edits.h"
#include "workspace/texts.h"

#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QStyle>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace tilewright::ui {

InspectorView::InspectorView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("inspector"), tr("Inspector"), parent)
{
    m_facts = std::make_unique<LatestJob<InspectorFacts>>(
        [this](const InspectorFacts& facts) { showFacts(facts); }, true);
    m_factsTimer.setSingleShot(true);
    m_factsTimer.setInterval(60);
    connect(&m_factsTimer, &QTimer::timeout, this, &InspectorView::requestFacts);
    build();
    document().whenChanged(this, Part::Problem, [this] {
        m_shown = {}; // after a change of the problem, a number means another subgraph
    });
    document().whenChanged(this, Part::Problem | Part::Snapshot | Part::Baseline | Part::Proof,
                           &InspectorView::outdate);
    connect(&selection(), &Selection::changed, this,
            [this] { document().isChanging() ? outdateLater() : outdate(); });
    refresh();
}

InspectorView::~InspectorView() = default;

void InspectorView::requestFacts()
{
    const auto id = current();
    if (!id)
        return;
    m_facts->request([snapshot = document().snapshot(), id = *id](std::stop_token stop) {
        return inspectorFacts(*snapshot, id, stop);
    });
}

void InspectorView::settle()
{
    if (m_factsTimer.isActive()) {
        m_factsTimer.stop();
        requestFacts();
    }
    m_facts->waitIdle();
    m_overview->settle();
    m_tensorPage->settle();
    m_fuseOffer->settle();
    for (GranularityView* map : findChildren<GranularityView*>())
        map->settle();
}

void InspectorView::chooseBestTraversal()
{
    const auto id = current();
    if (!id)
        return;
    document().waitForSnapshot();
    const SnapshotPtr snapshot = document().snapshot();
    double least = snapshot->evaluation.subgraphs[id->index()].latency;
    std::optional<TraversalKind> best;
    for (const TraversalKind kind : kTraversalPresets) {
        const auto trial = edit::setTraversal(*snapshot->problem, snapshot->schedule, std::array{*id}, kind,
                                              editOptions(document().rules()));
        if (!trial)
            continue;
        const double latency =
            evaluate(*snapshot->problem, *trial, document().rules()).subgraphs[id->index()].latency;
        if (change(least, latency) < 0) {
            least = latency;
            best = kind;
        }
    }
    if (best)
        return useTraversal(*best);
    const QPoint below = m_bestTraversal->rect().bottomLeft();
    QToolTip::showText(
        m_bestTraversal->mapToGlobal(below),
        tr("None of the %1 preset orders is faster than the present one.").arg(kTraversalPresets.size()),
        m_bestTraversal);
}

void InspectorView::useTraversal(TraversalKind kind)
{
    const auto id = current();
    const auto name = traversalName(kind);
    if (id)
        document().apply(
            edit::setTraversal(*document().problem(), document().schedule(), std::array{*id}, kind,
                               editOptions(document().rules())),
            tr("Traversal: %1").arg(QLatin1String(name.data(), static_cast<qsizetype>(name.size()))));
}

void InspectorView::toggleRetain(TensorId tensor)
{
    const auto id = current();
    if (id && !ui::toggleRetain(document(), *id, tensor))
        refreshRetain(*document().snapshot(), *id); // resets the check box to the state of the document
}

void InspectorView::refreshRetain(const Snapshot& snapshot, SubgraphId id)
{
    m_retain->setCandidates(
        *snapshot.problem,
        retainCandidates(*snapshot.problem, snapshot.schedule, id, editOptions(snapshot.evaluation.rules)),
        id.index() + 1 == snapshot.schedule.size());
}

void InspectorView::resizeEvent(QResizeEvent* event)
{
    View::resizeEvent(event);
    const int needed =
        3 * (m_w->minimumWidth() + fontMetrics().horizontalAdvance(QStringLiteral("w")) + 16) + 32;
    m_sizes->setDirection(width() < needed ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    if (event->oldSize().width() != width())
        showArithmetic();
}

void InspectorView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange && m_map)
        fitMap();
    View::changeEvent(event);
}

void InspectorView::fitMap()
{
    // The map's cells need more room in a larger font, because its labels grow.
    m_map->setMinimumSize(1, 120 + 11 * fontMetrics().height());
}

QList<QPushButton*> InspectorView::suggestionButtons() const
{
    QList<QPushButton*> out;
    for (int i = 0; i < m_suggestions->count(); ++i)
        if (auto* button = qobject_cast<QPushButton*>(m_suggestions->itemAt(i)->widget()))
            out << button;
    return out;
}

void InspectorView::follow(const QString& link)
{
    const qulonglong index = link.section(QLatin1Char(':'), 1).toULongLong();
    if (link.startsWith(QLatin1String("tensor:")))
        selection().selectTensor(TensorId(index));
    else if (link.startsWith(QLatin1String("subgraph:")))
        selection().selectSubgraph(SubgraphId(index));
    else if (link.startsWith(QLatin1String("op:")))
        selection().selectOps({OpId(index)});
}

std::optional<SubgraphId> InspectorView::current() const
{
    const SelectionState& state = selection().state();
    const SnapshotPtr snapshot = document().snapshot();
    if (!snapshot)
        return std::nullopt;
    std::optional<SubgraphId> id = state.subgraph;
    if (const auto concerned = concernedSubgraphs(snapshot->schedule, state); concerned.size() == 1)
        id = concerned.front(); // a rubber band selects ops, and the page shows their subgraph
    if (!id || id->index() >= snapshot->schedule.size() || id->index() >= document().schedule().size())
        return std::nullopt;
    return id;
}

void InspectorView::refresh()
{
    const SnapshotPtr snapshot = document().snapshot();
    const SelectionState& state = selection().state();
    const bool tensor = snapshot && state.tensor && state.ops.empty() &&
                        state.tensor->index() < snapshot->problem->tensorCount();
    const bool several = snapshot && !tensor && showsSeveral(snapshot->schedule, state);
    const auto id = several || tensor ? std::nullopt : current();
    const bool whole = snapshot && !id && !several && !tensor;
    m_hint->setVisible(!snapshot);
    m_overviewPane->setVisible(whole);
    if (whole)
        m_overview->refresh();
    else
        m_overview->cancel();
    m_tensorPane->setVisible(tensor);
    if (tensor)
        m_tensorPage->refresh();
    else
        m_tensorPage->cancel();
    m_summaryPane->setVisible(several);
    m_body->setVisible(id.has_value());
    if (several)
        m_summary->setText(rich(selectionSummary(*snapshot, state, theme())));
    m_fuseOffer->refresh(several);
    if (!id) {
        m_facts->cancel();
        m_shownOps.clear();
        return;
    }
    m_refreshing = true;
    // A page of another subgraph scrolls to its top; an edit of the same subgraph keeps the scroll position.
    const std::vector<OpId>& ops = snapshot->schedule[*id].ops;
    if (std::none_of(ops.begin(), ops.end(), [&](OpId o) {
            return std::find(m_shownOps.begin(), m_shownOps.end(), o) != m_shownOps.end();
        }))
        m_body->verticalScrollBar()->setValue(0);
    m_shownOps = ops;
    // The layout is suspended: otherwise each note or button that appears would lay out the page again.
    QLayout* const page = m_title->parentWidget()->layout();
    page->setEnabled(false);
    const QStringList opNames = refreshTexts(*snapshot, *id);
    refreshGranularity(*snapshot, *id);
    refreshArray(*snapshot, *id, opNames);
    m_traversal->setCurrentIndex(
        static_cast<int>(std::find(kTraversalPresets.begin(), kTraversalPresets.end(),
                                   snapshot->schedule[*id].traversal.kind()) -
                         kTraversalPresets.begin()));
    if (const QString note = document().notes().value(Document::subgraphNote(snapshot->schedule[*id]));
        m_note->toPlainText() != note)
        m_note->setPlainText(note);
    refreshFacts(*snapshot, *id);
    page->setEnabled(true);
    page->invalidate();
    m_refreshing = false;
}

/// Old facts of the same subgraph are dimmed until the new ones arrive, so that nothing jumps at every edit.
/// Facts of another subgraph are removed at once.
void InspectorView::refreshFacts(const Snapshot& snapshot, SubgraphId id)
{
    const bool same = m_shown.subgraph == id && m_shown.revision > 0;
    if (same && m_shown.revision == snapshot.revision)
        return;
    if (!same) {
        m_shown = {};
        m_arithmetic->setText(tr("Counting steps…"));
        m_binds->clear();
        clearLayout(m_suggestions);
    }
    setFactsEnabled(false);
    refreshRetain(snapshot, id);
    m_factsTimer.start();
}

QStringList InspectorView::refreshTexts(const Snapshot& snapshot, SubgraphId id)
{
    const Problem& problem = *snapshot.problem;
    const Subgraph& s = snapshot.schedule[id];
    const SubgraphEvaluation& e = snapshot.evaluation.subgraphs[id.index()];
    const OpNames names = shortOpNames(problem, s.ops, commonPrefix(problem));
    QStringList ops;
    bool matMul = false;
    QStringList shorts = names.names.split(QStringLiteral(", "));
    for (std::size_t i = 0; i < s.ops.size(); ++i) {
        ops << QStringLiteral("<a href='op:%1'>%2</a>")
                   .arg(s.ops[i].index())
                   .arg(shorts.value(static_cast<qsizetype>(i)).toHtmlEscaped());
        matMul = matMul || problem.op(s.ops[i]).type == OpType::MatMul;
    }
    m_title->setText(tr("<b>Subgraph %1</b> of %2").arg(id.index()).arg(snapshot.schedule.size()) +
                     QStringLiteral("<br>") + ops.join(QStringLiteral(", ")) +
                     (names.where.isEmpty() ? QString()
                                            : QStringLiteral(" <span style='color:%1'>%2</span>")
                                                  .arg(theme().muted.name(), names.where.toHtmlEscaped())));
    m_title->setToolTip(plain(fullOpNames(problem, s.ops)));
    for (QWidget* button : m_productLenses)
        button->setVisible(matMul);

    // The text has a fixed number of lines, so that the fields below do not move.
    const std::int64_t capacity = problem.hardware().fastMemoryCapacity;
    const QString none = QStringLiteral("–");
    const bool runs = e.structurallyValid;
    QString text = runs ? tr("Latency <b>%1</b>, %2").arg(number(e.latency), boundText(e.bound))
                        : tr("Latency %1").arg(none);
    if (const SnapshotPtr baseline = document().baseline())
        for (std::size_t j = 0; j < baseline->schedule.size(); ++j)
            if (baseline->schedule[SubgraphId(j)].ops == s.ops)
                text += QStringLiteral("<br>") +
                        tr("%1 against the baseline")
                            .arg(runs ? signedNumber(change(baseline->evaluation.subgraphs[j].latency *
                                                                document().unitOfBaseline(),
                                                            e.latency))
                                      : none);
    text += QStringLiteral("<br>") +
            tr("Working set %1 of %2").arg(runs ? number(e.peakWorkingSet) : none, number(capacity));
    text += QStringLiteral("<br>") +
            tr("Traffic %1 in, %2 out")
                .arg(runs ? number(e.loadElements) : none, runs ? number(e.storeElements) : none);
    if (problem.hasEnergy())
        text += QStringLiteral("<br>") + tr("Energy <b>%1</b>").arg(runs ? energyText(e.energy) : none);
    m_numbers->setText(rich(text));
    for (QLabel* label : {m_title, m_numbers, m_arithmetic, m_binds})
        setFigure(label, QStringLiteral("schedule:subgraphs.%1.latency").arg(id.index()));

    QStringList remarks;
    const auto problemFound = [&](const QString& what) {
        remarks << QStringLiteral("<span style='color:%1'>⚠ %2</span>")
                       .arg(theme().error.name(), what.toHtmlEscaped());
    };
    if (runs && !e.fits)
        problemFound(tr("Working set exceeds fast memory by %1").arg(number(e.peakWorkingSet - capacity)));
    for (const Issue& issue : snapshot.evaluation.issues)
        if (issue.subgraph == id &&
            issue.code != IssueCode::OutOfMemory) // this issue is shown by the excess above
            problemFound(sentence(issue.text));
    if (const QString chosen = selectedOpsText(snapshot, selection().state()); !chosen.isEmpty())
        remarks << chosen;
    m_remarks->setText(rich(remarks.join(QStringLiteral("<br>"))));
    m_remarks->setVisible(!remarks.isEmpty());

    const Boundary boundary = boundaryOf(problem, s.ops);
    QString tensors;
    const auto list = [&](const QString& title, const std::vector<TensorId>& ids) {
        QStringList links;
        for (const TensorId t : ids)
            links << QStringLiteral("<a href='tensor:%1'>%2</a> %3")
                         .arg(t.index())
                         .arg(QString::fromStdString(problem.tensorName(t)).toHtmlEscaped(),
                              sizeText({problem.tensor(t).height, problem.tensor(t).width},
                                       QStringLiteral("×")) +
                                  (problem.isView(t) ? tr(" (view)") : QString()));
        if (!links.isEmpty())
            tensors += QStringLiteral("<p><b>%1</b> %2</p>").arg(title, links.join(QStringLiteral(", ")));
    };
    list(tr("In"), boundary.inputs);
    list(tr("Out"), boundary.sinks);
    list(tr("Interior"), boundary.interior);
    m_tensors->setText(rich(tensors));
    return shorts;
}

void InspectorView::refreshGranularity(const Snapshot& snapshot, SubgraphId id)
{
    const Problem& problem = *snapshot.problem;
    const Hardware& hw = problem.hardware();
    const Subgraph& s = snapshot.schedule[id];
    const SubgraphEvaluation& e = snapshot.evaluation.subgraphs[id.index()];
    const Rules& rules = snapshot.evaluation.rules;
    const bool ceil = rules.superNative == Rules::SuperNative::Ceil;
    const auto limit = [](std::int64_t native, bool none) { // R4.1, R4.2
        return none ? std::numeric_limits<std::int64_t>::max() : native;
    };
    std::int64_t width = 1;
    std::int64_t height = 1;
    for (const TensorId t : boundaryOf(problem, s.ops).sinks) {
        width = std::max(width, problem.tensor(t).width);
        height = std::max(height, problem.tensor(t).height);
    }
    std::int64_t depth = 0;
    for (const OpId o : s.ops)
        if (problem.op(o).type == OpType::MatMul)
            depth = depth == 0 ? problem.reductionSize(o) : std::min(depth, problem.reductionSize(o));
    m_w->setChoices(usefulSizes(width, hw.nativeWidth, limit(hw.nativeWidth, ceil)));
    m_h->setChoices(usefulSizes(height, hw.nativeHeight, limit(hw.nativeHeight, ceil)));
    m_k->setChoices(depth > 0
                        ? usefulSizes(depth, hw.nativeK(),
                                      limit(hw.nativeK(), ceil || rules.kLimit == Rules::KLimit::Reduction))
                        : std::vector<std::int64_t>{1});
    m_k->setEnabled(depth > 0);
    const auto limited = [](ChoiceSpinBox* box, std::int64_t most) {
        box->setToolTip(box->accessibleDescription() + QLatin1Char('\n') +
                        (most == std::numeric_limits<std::int64_t>::max()
                             ? tr("1 or more.")
                             : tr("1 to %1.").arg(number(most))));
    };
    limited(m_w, limit(hw.nativeWidth, ceil));
    limited(m_h, limit(hw.nativeHeight, ceil));
    limited(m_k, limit(hw.nativeK(), ceil || rules.kLimit == Rules::KLimit::Reduction));
    // A text that the user is typing is not overwritten.
    for (const auto& [box, value] :
         {std::pair{m_w, s.granularity.w}, {m_h, s.granularity.h}, {m_k, s.granularity.k}}) {
        const QSignalBlocker quiet(box);
        if (box->value() != value)
            box->setValue(static_cast<int>(std::min<std::int64_t>(value, std::numeric_limits<int>::max())));
    }
    m_grid->setText(e.structurallyValid
                        ? tr("%1 × %2 tiles, %3 · native %4 × %5")
                              .arg(number(e.rows), number(e.cols), counted(e.steps, tr("step"), tr("steps")))
                              .arg(hw.nativeWidth)
                              .arg(hw.nativeHeight)
                        : tr("native %1 × %2").arg(hw.nativeWidth).arg(hw.nativeHeight));
}

/// Shows the tile on the array. Updated with every edit, even during quick edits, because h directly changes
/// these figures. The figures of a subgraph that cannot run are dimmed.
void InspectorView::refreshArray(const Snapshot& snapshot, SubgraphId id, const QStringList& opNames)
{
    const bool runs = snapshot.evaluation.subgraphs[id.index()].structurallyValid;
    m_array->setEnabled(runs);
    if (!runs && m_shown.subgraph == id && m_shown.revision > 0)
        return;
    constexpr std::size_t kShown = 6;
    const Subgraph& s = snapshot.schedule[id];
    const ArrayUses array = arrayUses(*snapshot.problem, s, snapshot.evaluation.rules, kShown);
    const QString size = sizeText({array.rows, array.cols});
    QString text =
        (array.arrays > 1
             ? tr("%1 arrays of %2: cycles and share spent multiplying:").arg(number(array.arrays), size)
             : tr("Array of %1: cycles and share spent multiplying:").arg(size));
    for (const ArrayUse& use : array.uses)
        text += QStringLiteral("<br><a href='op:%1'>%2</a> ")
                    .arg(use.op.index())
                    .arg(opNames.value(std::ranges::find(s.ops, use.op) - s.ops.begin()).toHtmlEscaped()) +
                tr("%1: %2 per run, %3%4 in total, %5")
                    .arg(sizeText({use.run.rows, use.run.cols, use.run.depth}), number(use.runCycles),
                         use.exact ? QString() : tr("about "), number(use.cycles), percent(use.utilisation));
    if (array.more > 0)
        text += QStringLiteral("<br>") + tr("and %1").arg(counted(static_cast<std::int64_t>(array.more),
                                                                  tr("more MatMul"), tr("more MatMuls")));
    m_array->setVisible(!array.uses.empty());
    m_array->setText(rich(text));
}

void InspectorView::applyGranularity()
{
    const auto id = current();
    if (!id || m_refreshing)
        return;
    const Granularity g{m_w->value(), m_h->value(), m_k->value()};
    // Successive steps in one field are one edit. An edit in another field is a separate edit.
    const Granularity& now = document().schedule()[*id].granularity;
    const QChar box = QLatin1Char(g.w != now.w ? 'w' : g.h != now.h ? 'h' : 'k');
    EditOptions options = editOptions(document().rules());
    options.force = true; // an illegal size is accepted and shown as a problem
    document().apply(
        edit::setGranularity(*document().problem(), document().schedule(), std::array{*id}, g, options),
        tr("Granularity of subgraph %1: %2")
            .arg(QString::number(id->index()), sizeText({g.w, g.h, g.k}, QStringLiteral("×"))),
        QStringLiteral("granularity.%1.%2").arg(id->index()).arg(box));
}

void InspectorView::setFactsEnabled(bool enabled)
{
    m_arithmetic->setEnabled(enabled);
    m_binds->setEnabled(enabled);
    for (QPushButton* button : suggestionButtons())
        button->setEnabled(enabled);
}

void InspectorView::showFacts(const InspectorFacts& facts)
{
    const SnapshotPtr snapshot = document().snapshot();
    const auto id = current();
    if (!snapshot || !id || facts.revision != snapshot->revision || facts.subgraph != *id)
        return;
    m_shown = facts;
    setFactsEnabled(true);
    showArithmetic();
    m_binds->setText(sentence(facts.explanation.text));
    clearLayout(m_suggestions);
    constexpr std::size_t kShown = 3;
    for (std::size_t i = 0; i < facts.suggestions.size() && i < kShown; ++i)
        m_suggestions->addWidget(
            changeButton(context(), *snapshot, *id, facts.suggestions[i], i == 0, false, this));
    m_retain->setChanges(facts.retain);
}

void InspectorView::showArithmetic()
{
    const SnapshotPtr snapshot = document().snapshot();
    const auto id = current();
    if (!snapshot || !id || m_shown.revision != snapshot->revision || m_shown.subgraph != *id)
        return;
    const SubgraphEvaluation& e = snapshot->evaluation.subgraphs[id->index()];
    const int room = width() - 20 - style()->pixelMetric(QStyle::PM_ScrollBarExtent); // page margins: 20
    if (!e.structurallyValid) {
        m_arithmetic->setText(tr("No steps: this subgraph breaks a rule."));
        return;
    }
    QString text = m_latencyTexts.fitting(m_shown.arithmetic, e.latency, room);
    if (const EnergyParts& parts = m_shown.energy; snapshot->problem->hasEnergy())
        text += tr("<br>Energy in pJ: slow memory %1, fast memory %2, MACs %3, vector unit %4")
                    .arg(number(parts.slow), number(parts.fast), number(parts.mac), number(parts.vector));
    m_arithmetic->setText(rich(text));
}

} // namespace tilewright::ui
