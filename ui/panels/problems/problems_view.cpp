// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/problems/problems_view.h"

#include "theme/icon.h"
#include "theme/text.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace tilewright::ui {

namespace {

/// Returns the phrase with its first letter capitalised.
QString capital(const std::string& phrase)
{
    QString text = sentence(phrase);
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

QString placeOf(const std::optional<SubgraphId>& subgraph)
{
    return subgraph ? ProblemsView::tr("Subgraph %1").arg(subgraph->index()) : ProblemsView::tr("Schedule");
}

Table problemTable(const std::vector<Issue>& issues, const std::optional<PlacementConflict>& conflict,
                   const std::vector<LatencyDeviation>& deviations)
{
    Table out({ProblemsView::tr("Where"), ProblemsView::tr("Code"), ProblemsView::tr("What is wrong")});
    const auto add = [&out](const std::optional<SubgraphId>& where, const QString& code, const QString& text,
                            const QString& codeTip) {
        out.add(placeOf(where), TableCell(code, code, {}, codeTip), TableCell(text, text, {}, text));
    };
    for (const Issue& issue : issues)
        add(issue.subgraph, word(issueCodeName(issue.code)), sentence(issue.text),
            ProblemsView::tr("Name in the rule book: %1").arg(sentence(issue.text)));
    if (conflict)
        add(conflict->subgraph, ProblemsView::tr("ADDRESSES"), sentence(conflict->text), {});
    for (const LatencyDeviation& d : deviations)
        add(d.subgraph, ProblemsView::tr("LATENCY"),
            ProblemsView::tr("The latency in the file deviates: %1.").arg(sentence(d.text)), {});
    return out;
}

/// Limit of the search for a placement, about a second: if it is undecided at this limit, there is no
/// warning. Schedules with more steps are not checked.
constexpr std::int64_t kMostNodes = 100'000;
constexpr std::int64_t kMostSteps = 1'000'000;

} // namespace

ProblemsView::ProblemsView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("problems"), tr("Problems"), parent),
      m_rows(new TableModel(this,
                            [this](int row, int column, int role) {
                                if (role != Qt::DecorationRole || row < 0 || column != 0)
                                    return QVariant();
                                return QVariant(icon(signOf(static_cast<std::size_t>(row))));
                            })),
      m_list(new QTreeView(this)), m_hint(new QLabel(this)), m_reason(new QLabel(this)),
      m_fix(new QPushButton(this)), m_others(new QToolButton(this)),
      m_fixAll(new QPushButton(tr("Fix all"), this)), m_menu(new QMenu(this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    m_hint->setMargin(16);
    column->addWidget(m_hint, 1);
    column->addWidget(m_list, 1);
    m_list->setAccessibleName(tr("Problems"));
    m_rows->setTable(problemTable({}, {}, {}));
    m_list->setModel(m_rows);
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->header()->setStretchLastSection(true);
    const auto wide = [&](const QString& text) { return fontMetrics().horizontalAdvance(text) + 24; };
    m_list->setColumnWidth(0, wide(QStringLiteral("Subgraph 888")) + 20);
    m_list->setColumnWidth(1, wide(QStringLiteral("DISCONNECTED")));
    m_reason->setWordWrap(true);
    m_reason->setTextFormat(Qt::PlainText);
    m_reason->setContentsMargins(10, 4, 10, 0);
    m_reason->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_reason->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    column->addWidget(m_reason);
    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(8, 6, 8, 6);
    m_fix->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    m_fix->setMinimumWidth(1);
    m_others->setPopupMode(QToolButton::InstantPopup);
    m_others->setMenu(m_menu);
    m_others->setText(tr("Other fixes"));
    m_others->setAccessibleName(tr("Other fixes"));
    m_others->setToolTip(tr("Other ways to repair the selected problem, with the total after each."));
    m_menu->setToolTipsVisible(true);
    m_fixAll->setToolTip(tr("Repair one problem after the other until none is left or none of the rest can "
                            "be repaired: one undo step."));
    buttons->addWidget(m_fixAll); // The first button keeps its width; the others are as wide as their texts.
    buttons->addWidget(m_fix);
    buttons->addWidget(m_others);
    buttons->addStretch();
    column->addLayout(buttons);
    connect(m_list, &QTreeView::doubleClicked, this, &ProblemsView::jump);
    connect(m_list, &QTreeView::activated, this, &ProblemsView::jump);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &ProblemsView::searchRepairs);
    connect(m_fix, &QPushButton::clicked, this, [this] { fix(0); });
    connect(m_fixAll, &QPushButton::clicked, this, &ProblemsView::fixAll);
    m_job = std::make_unique<LatestJob<Found>>([this](Found found) { showRepairs(std::move(found)); });
    m_allJob = std::make_unique<LatestJob<std::pair<std::uint64_t, Schedule>>>(
        [this](std::pair<std::uint64_t, Schedule> repaired) {
            m_fixAll->setEnabled(true);
            // If the user has edited the schedule meanwhile, the repair is discarded.
            if (!document().snapshot() || document().snapshot()->revision != repaired.first)
                return;
            if (repaired.second == document().schedule())
                Q_EMIT document().refused(tr(
                    "Nothing was changed: no single change repairs a problem without causing another one."));
            else
                document().apply(std::move(repaired.second), tr("Fix all problems"));
        });
    m_placeJob = std::make_unique<LatestJob<Placed>>(
        [this](Placed placed) {
            if (!document().snapshot() || document().snapshot()->revision != placed.revision)
                return;
            m_placed = std::move(placed);
            refresh();
        },
        true);
    document().whenChanged(this, Part::Problem | Part::Snapshot, &ProblemsView::outdate);
    // The file was saved, so its latencies no longer deviate.
    connect(&document(), &LensDocument::fileChanged, this, &ProblemsView::outdate);
    refresh();
}

ProblemsView::~ProblemsView() = default;

void ProblemsView::resizeEvent(QResizeEvent* event)
{
    View::resizeEvent(event);
    elideFix();
}

void ProblemsView::settle()
{
    document().waitForSnapshot();
    refresh();
    m_placeJob->waitIdle();
    m_job->waitIdle();
    m_allJob->waitIdle();
}

/// Checks in the background whether a valid schedule can be placed (docs/rules/place.md 5.2).
void ProblemsView::checkPlacement()
{
    const SnapshotPtr snapshot = document().snapshot();
    std::int64_t steps = 0;
    if (snapshot)
        for (const SubgraphEvaluation& e : snapshot->evaluation.subgraphs)
            steps += e.steps;
    if (!snapshot || !snapshot->evaluation.valid() || steps > kMostSteps) {
        m_placeJob->cancel();
        m_placed = {};
    } else if (m_placed.revision != snapshot->revision) {
        m_placed = {snapshot->revision, std::nullopt};
        m_placeJob->request([snapshot](std::stop_token stop) {
            PlacementOptions options;
            options.maxNodes = kMostNodes;
            const auto placed = placeSchedule(*snapshot->problem, snapshot->schedule,
                                              snapshot->evaluation.rules, {std::move(stop), {}}, options);
            return Placed{snapshot->revision,
                          placed ? placementConflict(*snapshot->problem, *placed) : std::nullopt};
        });
    }
}

const Issue* ProblemsView::currentIssue() const
{
    const SnapshotPtr snapshot = document().snapshot();
    const int row = m_list->currentIndex().row();
    if (!snapshot || row < 0 || static_cast<std::size_t>(row) >= snapshot->evaluation.issues.size())
        return nullptr;
    return &snapshot->evaluation.issues[static_cast<std::size_t>(row)];
}

const LatencyDeviation* ProblemsView::currentDeviation() const
{
    // The first rows are issues; the last rows are the placement and the latencies of the file.
    const int row = m_list->currentIndex().row() - m_rows->rowCount() + static_cast<int>(m_deviations.size());
    return row >= 0 && static_cast<std::size_t>(row) < m_deviations.size()
               ? &m_deviations[static_cast<std::size_t>(row)]
               : nullptr;
}

/// Icon of a row. Issues come first, then the placement, then the latencies of the file.
QString ProblemsView::signOf(std::size_t row) const
{
    const SnapshotPtr snapshot = document().snapshot();
    const std::size_t issues = snapshot ? snapshot->evaluation.issues.size() : 0;
    if (row < issues)
        return QStringLiteral("error");
    return row == issues && m_placed.conflict ? QStringLiteral("memory") : QStringLiteral("clock");
}

void ProblemsView::refresh()
{
    const SnapshotPtr snapshot = document().snapshot();
    checkPlacement();
    m_deviations = document().latencyDeviations();
    const bool any =
        snapshot && (!snapshot->evaluation.valid() || m_placed.conflict || !m_deviations.empty());
    m_hint->setText(!snapshot ? tr("Open a problem to see the problems of its schedule here.")
                              : tr("No problems: every rule holds and every working set fits."));
    m_hint->setVisible(!any);
    for (QWidget* w : std::initializer_list<QWidget*>{m_list, m_fix, m_others, m_fixAll, m_reason})
        w->setVisible(any);
    const int row = m_list->currentIndex().row();
    m_list
        ->selectionModel()
        // The selection is cleared first, so that the search for repairs starts again for this row.
        ->clear();
    m_rows->setTable(any ? problemTable(snapshot->evaluation.issues, m_placed.conflict, m_deviations)
                         : problemTable({}, {}, {}));
    if (any)
        m_list->setCurrentIndex(m_rows->index(std::clamp(row, 0, m_rows->rowCount() - 1), 0));
}

void ProblemsView::searchRepairs()
{
    // Repairs are searched for the selected row only, because the search evaluates edits of the whole
    // schedule.
    const Issue* issue = currentIssue();
    m_found = {};
    m_reason->clear();
    m_reason->hide();
    m_others->hide();
    m_fix->setText(tr("Searching for a fix…"));
    m_fix->setEnabled(issue != nullptr);
    m_fix->setVisible(issue != nullptr);
    m_fixAll->setVisible(issue != nullptr);
    if (!issue) {
        if (currentDeviation())
            m_reason->setText(tr("A warning: the file should report the computed latencies, and Save writes "
                                 "them."));
        else if (m_placed.conflict)
            m_reason->setText(tr("A warning: the schedule is valid, but its buffers cannot be placed without "
                                 "another order or other tiles."));
        m_reason->setVisible(!m_reason->text().isEmpty());
        return;
    }
    const int row = m_list->currentIndex().row();
    m_job->request([snapshot = document().snapshot(), row, issue = *issue](std::stop_token) {
        return Found{snapshot->revision, row,
                     repairs(*snapshot->problem, snapshot->schedule, snapshot->evaluation, issue)};
    });
}

void ProblemsView::showRepairs(Found found)
{
    const SnapshotPtr snapshot = document().snapshot();
    if (!snapshot || snapshot->revision != found.revision || m_list->currentIndex().row() != found.row)
        return;
    m_found = std::move(found);
    const auto& repairs = m_found.repairs.found;
    const auto effect = [&](const Repair& r) {
        return r.issuesLeft == 0 ? tr("total %1").arg(number(r.total))
                                 : counted(static_cast<std::int64_t>(r.issuesLeft), tr("problem left"),
                                           tr("problems left"));
    };
    m_fix->setEnabled(!repairs.empty());
    m_fix->setToolTip(repairs.empty() ? plain(reason())
                                      : rich(QStringLiteral("<p>%1: %2</p><p>%3</p>")
                                                 .arg(capital(repairs.front().text).toHtmlEscaped(),
                                                      effect(repairs.front()), tr("One undo step."))));
    m_fix->setAccessibleDescription(repairs.empty() ? reason() : capital(repairs.front().text));
    elideFix();
    m_reason->setText(repairs.empty() ? tr("No fix: %1.").arg(reason()) : QString());
    m_reason->setVisible(repairs.empty());
    m_menu->clear();
    for (std::size_t i = 1; i < repairs.size(); ++i) {
        QAction* action =
            m_menu->addAction(QStringLiteral("%1 — %2").arg(capital(repairs[i].text), effect(repairs[i])));
        connect(action, &QAction::triggered, this, [this, i] { fix(i); });
    }
    m_others->setVisible(repairs.size() > 1);
}

void ProblemsView::elideFix()
{
    if (m_found.row < 0)
        return;
    const QString text = m_found.repairs.found.empty()
                             ? tr("Fix")
                             : tr("Fix: %1").arg(sentence(m_found.repairs.found.front().text));
    const int room = width() - m_fixAll->sizeHint().width() - m_others->sizeHint().width() - 64;
    m_fix->setText(fontMetrics().elidedText(text, Qt::ElideRight, std::max(60, room)));
}

QString ProblemsView::reason() const
{
    return m_found.repairs.found.empty() ? sentence(m_found.repairs.why) : QString();
}

void ProblemsView::jump()
{
    const Issue* found = currentIssue();
    SelectionState state;
    if (const LatencyDeviation* deviation = currentDeviation()) {
        state.subgraph = deviation->subgraph;
        state.subgraphs = {deviation->subgraph};
        selection().set(std::move(state));
        return;
    }
    if (!found && m_placed.conflict) {
        state.subgraph = m_placed.conflict->subgraph;
        state.subgraphs = {m_placed.conflict->subgraph};
        state.step = m_placed.conflict->step;
        selection().set(std::move(state));
        return;
    }
    if (!found)
        return;
    const Issue& issue = *found;
    if (issue.subgraph) {
        state.subgraph = issue.subgraph;
        state.subgraphs = {*issue.subgraph};
    }
    if (issue.op)
        state.ops = {*issue.op};
    state.tensor = issue.tensor;
    selection().set(std::move(state));
}

void ProblemsView::fix(std::size_t which)
{
    document().waitForSnapshot();
    m_job->waitIdle(); // a click before the end of the search waits for its result
    if (m_found.revision == document().snapshot()->revision && which < m_found.repairs.found.size()) {
        const Repair repair = m_found.repairs.found[which]; // a copy, because apply() clears m_found
        document().apply(repair.schedule, capital(repair.text));
    }
}

void ProblemsView::fixAll()
{
    document().waitForSnapshot();
    m_fixAll->setEnabled(false);
    m_allJob->request([snapshot = document().snapshot()](std::stop_token) {
        return std::pair(snapshot->revision, repairedAsFarAsPossible(*snapshot->problem, snapshot->schedule,
                                                                     snapshot->evaluation.rules));
    });
}

QString ProblemsView::copyText() const
{
    return rowsAsText(*m_rows, false);
}

} // namespace tilewright::ui
