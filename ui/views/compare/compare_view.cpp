// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/compare_view.h"

#include "canvas/control_bar.h"
#include "theme/icon.h"
#include "theme/text.h"
#include "theme/theme.h"
#include "views/compare/compare_panes.h"
#include "views/compare/difference_list.h"
#include "views/graph/graph_colouring.h"
#include "workspace/model_file.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMimeData>
#include <QPainter>
#include <QSignalBlocker>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace tilewright::ui {

CompareView::CompareView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("compare"), tr("Compare"), parent), m_bar(new ControlBar(this)),
      m_baseline(new QComboBox(this)), m_summary(new QLabel(this)), m_totals(new QLabel(this)),
      m_onlyDifferences(new QCheckBox(tr("&Only differences"), this)),
      m_panes(new ComparePanes(context, this)), m_list(new DifferenceList(context.themes, this)),
      m_splitter(new QSplitter(Qt::Vertical, this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_baseline->setMinimumContentsLength(14);
    m_baseline->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_bar->add(m_baseline, tr("Baseline"), tr("The baseline is A here and the ghost in every view."));
    addActions();
    for (const char* id :
         {"compare.swap", "compare.previous", "compare.next", "compare.link", "compare.leave"})
        // After the loop, the button of the last action.
        m_leave = m_bar->addButton(registry().find(QLatin1String(id)));
    m_leave->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_onlyDifferences->setToolTip(tr("Hide the operators that are the same in both models."));
    m_onlyDifferences->setChecked(true);
    m_bar->add(m_summary, {}, tr("Number of differences, and the change of the total."));
    m_summary->setFocusPolicy(Qt::NoFocus);
    // The way back to the graph is offered even if there is nothing to compare.
    if (QAction* graph = registry().find(QStringLiteral("view.graph"))) {
        auto* leave = new QToolButton(this);
        leave->setText(tr("To the graph"));
        leave->setIcon(icon(QStringLiteral("layout")));
        leave->setIconSize(QSize(toolIconSize(), toolIconSize()));
        leave->setAutoRaise(true);
        leave->setToolButtonStyle(
            Qt::ToolButtonTextBesideIcon); // text and icon, so that the button to leave is easy to find
        connect(leave, &QToolButton::clicked, graph, &QAction::trigger);
        m_bar->add(leave, tr("Back to the graph"), {});
        registry().explain(leave, tr("Leave the comparison ({view.graph|Ctrl+G} or Esc)."));
    }
    column->addWidget(m_bar);
    m_totals->setWordWrap(true);
    m_totals->hide();
    m_totals->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* second = new QHBoxLayout;
    second->setContentsMargins(8, 0, 8, 6);
    second->addWidget(m_totals, 1);
    second->addWidget(m_onlyDifferences);
    column->addLayout(second);
    m_splitter->addWidget(m_panes);
    m_splitter->addWidget(m_list);
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setStretchFactor(1, 0);
    m_splitter->setChildrenCollapsible(false);
    column->addWidget(m_splitter, 1);
    setFocusProxy(m_panes);

    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] {
        if (!m_choosing)
            showCurrent();
    });
    connect(m_list, &QTreeView::clicked, this, &CompareView::showCurrent);
    connect(m_onlyDifferences, &QCheckBox::toggled, m_list, &DifferenceList::setOnlyDifferences);
    connect(m_panes, &ComparePanes::opsChosen, this, [this](std::size_t pane, const std::set<OpId>& ops) {
        // The current row of the list follows the click; the graphs do not move.
        m_choosing = true;
        if (m_data)
            m_list->showOps(pane, ops);
        m_choosing = false;
    });
    m_job = std::make_unique<LatestJob<CompareDataPtr>>(
        [this](CompareDataPtr data) { showData(std::move(data)); }, true);
    connect(m_baseline, &QComboBox::activated, this, [this](int i) {
        if (i > static_cast<int>(document().baselines().size()))
            return; // already compared with this model
        workspace().compared().leave();
        document().setBaselineIndex(i - 1);
    });
    setAcceptDrops(true);
    connect(&context.themes, &ThemeSource::changed, this, &CompareView::showTexts);
    connect(&workspace().compared(), &ComparedModel::changed, &registry(), &Actions::refresh);
    connect(&workspace().compared(), &ComparedModel::changed, this, &CompareView::outdate);
    document().whenChanged(this, Part::Problem | Part::Snapshot | Part::Baseline | Part::Preview,
                           &CompareView::outdate);
    refresh();
}

CompareView::~CompareView() = default;

void CompareView::addActions()
{
    const QString menu = tr("Compare");
    ComparedModel& other = workspace().compared();
    const auto schedules = [this, &d = document()] {
        const SnapshotPtr a = d.baseline();
        const SnapshotPtr& b = d.snapshot();
        return Availability(
            a && b && isComparable(*a, *b),
            registry().withKeys(tr("Pin a baseline of this problem first ({compare.pin|B}).")));
    };
    const auto both = [&other, schedules] { return other.isOpen() ? Availability() : schedules(); };
    registry().add("compare.next", menu, tr("&Next difference"), "down", {QKeySequence(Qt::Key_F7)},
                   tr("Go to the next difference and zoom both graphs to it."), both,
                   [this] { nextDifference(1); });
    registry().add("compare.previous", menu, tr("&Previous difference"), "up",
                   {QKeySequence(Qt::SHIFT | Qt::Key_F7)},
                   tr("Go to the previous difference and zoom both graphs to it."), both,
                   [this] { nextDifference(-1); });
    registry().add(
        "compare.swap", menu, tr("&Swap A and B"), "swap", {},
        tr("Make the baseline the current schedule and the current schedule the baseline: one undo step."),
        [&other, schedules, &d = document()] {
            if (other.isOpen())
                return Availability(false,
                                    tr("Two models are compared: open the other one to have it as B."));
            const Availability both = schedules();
            return both.isAvailable()
                       ? Availability(d.baseline()->problem == d.snapshot()->problem,
                                      tr("A is for other hardware. Undo restores that hardware."))
                       : both;
        },
        [this] { swap(); });
    const auto whenModels = [&other] {
        return Availability(other.isOpen(), tr("No other model is compared (File ▸ Compare with…)."));
    };
    registry().add("compare.leave", menu, tr("L&eave the comparison"), "delete", {},
                   tr("Close the other model. The open one does not change."), whenModels,
                   [&other] { other.leave(); });
    registry().add("compare.compare", menu, tr("Sho&w the compared models"), "compare", {},
                   tr("Show both graphs and the list of differences."), whenModels,
                   [this] { Q_EMIT wanted(); });
    QAction* link = registry().add({QStringLiteral("compare.link"),
                                    menu,
                                    tr("&Link the graphs"),
                                    QStringLiteral("link"),
                                    {},
                                    tr("Pan and zoom both graphs together."),
                                    true},
                                   [this](bool on) { m_panes->setLinked(on); });
    link->setChecked(true);
}

void CompareView::keyPressEvent(QKeyEvent* event)
{
    QAction* graph = event->key() == Qt::Key_Escape ? registry().find(QStringLiteral("view.graph")) : nullptr;
    graph ? graph->trigger() : View::keyPressEvent(event);
}

void CompareView::settle()
{
    document().waitForSnapshot();
    workspace().compared().settle();
    if (workspace().compared().isOpen())
        refresh();
    m_job->waitIdle();
}

void CompareView::fillBaselines()
{
    const QSignalBlocker quiet(m_baseline);
    m_baseline->clear();
    m_baseline->addItem(tr("no baseline"));
    for (const Baseline& b : document().baselines())
        m_baseline->addItem(tr("A: %1").arg(document().nameOf(b)));
    m_baseline->setCurrentIndex(document().baselineIndex() + 1);
    // The previewed result is compared with the current schedule, which is A.
    if (document().comparedPreview()) {
        m_baseline->addItem(tr("A: current"));
        m_baseline->setCurrentIndex(m_baseline->count() - 1);
    }
    if (const ComparedModel& other = workspace().compared(); other.isOpen()) {
        m_baseline->addItem(tr("A: model %1").arg(other.name()));
        m_baseline->setCurrentIndex(m_baseline->count() - 1);
    }
}

void CompareView::refresh()
{
    fillBaselines();
    registry().refresh();
    const ComparedModel& other = workspace().compared();
    m_bar->setShown(m_leave, other.isOpen());
    m_onlyDifferences->setVisible(other.isOpen());
    if (other.isOpen()) {
        if (!other.models()) { // the comparison is still being computed
            m_job->cancel();
            m_summary->setText(tr("Comparing …"));
            m_bar->setShown(m_summary, true);
            return;
        }
        // The same models are compared already, and a change of the schedule does not affect them.
        if (m_requested == other.models())
            return;
        m_requested = other.models();
        const std::array names{other.name(), QFileInfo(document().problemPath()).fileName()};
        m_job->request([models = other.models(), names](std::stop_token stop) {
            return compareData(models, names, GraphMetrics{}, stop);
        });
        return;
    }
    m_requested = nullptr;
    // A previewed result of a search comes after the current schedule, so it is B. A baseline comes before
    // it, so it is A.
    const SnapshotPtr found = document().comparedPreview();
    const SnapshotPtr a = found ? document().snapshot() : document().baseline();
    const SnapshotPtr b = found ? found : document().snapshot();
    if (!a || !b || !isComparable(*a, *b)) {
        m_job->cancel();
        showData(nullptr);
        return;
    }
    const std::array names =
        found ? std::array{tr("current"), tr("Solver")}
              : std::array{document().nameOf(
                               document().baselines()[static_cast<std::size_t>(document().baselineIndex())]),
                           tr("current")};
    SubgraphColours colours = document().subgraphColours();
    if (found) // subgraphs that both schedules have keep their colours
        colours.update(*found->problem, found->schedule);
    const double unitOfA =
        found || a->problem->hardware() == b->problem->hardware() ? 1 : document().unitOfBaseline();
    m_job->request([a, b, names, colours, unitOfA](std::stop_token stop) {
        return compareData(a, b, names, colours, GraphMetrics{}, stop, unitOfA);
    });
}

void CompareView::showData(CompareDataPtr data)
{
    m_data = std::move(data);
    m_choosing = true;
    m_list->setTable(m_data ? m_data->table : DifferenceTable());
    m_choosing = false;
    m_panes->setHighlight({}, false);
    m_panes->setData(m_data);
    const bool any = m_data && std::ranges::any_of(m_data->table.rows, &DifferenceRow::differs);
    const bool appears = any && m_list->isHidden();
    m_list->setVisible(any);
    if (appears)
        placeSplitter();
    showTexts();
}

void CompareView::showTexts()
{
    // The text on models is long and needs a wrapped label.
    const bool models = m_data && m_data->models;
    m_summary->setText(models ? QString() : rich(summary()));
    m_bar->setShown(m_summary, !models);
    m_totals->setText(
        models ? rich(summary() + QStringLiteral("<br>") + totals())
        : m_data && m_data->otherHardware
            ? tr("%1 is for other hardware, and so is its total; all latencies in the list are on the "
                 "hardware of B.")
                  .arg(m_data->names[0])
            : QString());
    m_totals->setVisible(!m_totals->text().isEmpty());
}

QString CompareView::summary() const
{
    if (!m_data)
        return tr("Nothing to compare yet.");
    if (!m_data->models) {
        const Comparison& c = m_data->comparison;
        for (const std::size_t side : {std::size_t{0}, std::size_t{1}})
            if (!m_data->isValid(side))
                return tr("%1; %2 is not valid on this machine: %3")
                    .arg(counted(std::ssize(c.contributions), tr("difference"), tr("differences")),
                         side == 0 ? tr("A") : tr("B"),
                         ui::sentence(m_data->snapshots[side]->evaluation.issues.front().text));
        return c.contributions.empty()
                   ? tr("Both schedules are the same.")
                   : tr("%1: %2 (%3)")
                         .arg(counted(std::ssize(c.contributions), tr("difference"), tr("differences")))
                         .arg(signedNumber(c.after - c.before),
                              c.before > 0 ? signedPercent(c.after / c.before - 1) : QString());
    }
    const model::ModelComparison& c = m_data->models->comparison;
    if (c.added + c.changed + c.gone == 0)
        return tr("Both models are the same.");
    // The text has the numbers that serve as legend of the graphs' colours.
    QStringList parts;
    const auto tell = [&](model::OperatorChange change, std::size_t count) {
        parts << QStringLiteral("<span style='color:%1'>■</span> %2 %3")
                     .arg(changeColour(change, theme()).name(), number(count), changeText(change));
    };
    tell(model::OperatorChange::New, c.added);
    tell(model::OperatorChange::Changed, c.changed);
    tell(model::OperatorChange::Gone, c.gone);
    parts << tr("%1 unchanged").arg(number(c.same));
    return parts.join(QStringLiteral(" &nbsp; "));
}

QString CompareView::totals() const
{
    if (!m_data || !m_data->models)
        return {};
    const model::ModelComparison& c = m_data->models->comparison;
    const auto total = [](const QString& name, double before, double after) {
        return QStringLiteral("%1 %2 → <b>%3</b>").arg(name, number(before), number(after)) +
               (before > 0 ? QStringLiteral(" (%1)").arg(signedPercent(after / before - 1)) : QString());
    };
    return tr("Total change from A to B: %1, %2, %3 on %4, each op alone in a subgraph.")
        .arg(total(tr("MACs"), static_cast<double>(c.macs[0]), static_cast<double>(c.macs[1])),
             total(tr("bytes"), static_cast<double>(c.bytes[0]), static_cast<double>(c.bytes[1])),
             total(tr("cycles"), m_data->totals[0], m_data->totals[1]),
             QString::fromStdString(m_data->models->models[1]->machine.name).toHtmlEscaped());
}

void CompareView::dragEnterEvent(QDragEnterEvent* event)
{
    // A dropped model is compared with the open one. Dropped schedules are left to the window, which opens
    // them.
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() != 1 || !urls.front().isLocalFile() || !document().lensModel())
        return;
    if (const auto file = readLensFile(urls.front().toLocalFile()); file && file->kind == FileKind::Model)
        event->acceptProposedAction();
}

void CompareView::dropEvent(QDropEvent* event)
{
    event->acceptProposedAction();
    if (const Status read = workspace().compared().open(event->mimeData()->urls().front().toLocalFile());
        !read)
        Q_EMIT workspace().refused(QString::fromStdString(read.error().text()));
}

void CompareView::placeSplitter()
{
    // The list gets the height that it needs, up to a third of the view; the graphs get the remaining height.
    int rows = 2;
    for (int row = 0; row < m_list->model()->rowCount(); ++row)
        rows += m_list->isRowHidden(row, {}) ? 0 : 1;
    const int row = std::max(m_list->sizeHintForRow(0), fontMetrics().height() + 8);
    const int list = std::min(rows * row, std::max(3 * row, height() / 3));
    m_splitter->setSizes({std::max(1, m_splitter->height() - list), list});
}

void CompareView::showCurrent()
{
    const auto i = m_list->indexOf(m_list->currentIndex());
    if (!m_data || !i || *i >= m_data->table.rows.size())
        return;
    const DifferenceRow& row = m_data->table.rows[*i];
    if (m_data->models) // other lenses also show the selected operator
        selection().selectOps(row.ops[1]);
    m_panes->setHighlight(row.ops, true);
}

void CompareView::nextDifference(int by)
{
    Q_EMIT wanted();
    m_list->move(by);
    showCurrent(); // also if there is only one difference, to return to it
}

void CompareView::swap()
{
    const SnapshotPtr baseline = document().baseline();
    if (!baseline)
        return;
    document().waitForSnapshot();
    document().replaceBaseline(tr("Swapped"), document().snapshot());
    document().apply(baseline->schedule, tr("Swap with the baseline"));
}

void CompareView::paintExport(QPainter& painter, const QSize& size, const Theme& theme)
{
    // The export has widgets and painted panes; the panes use the theme of the export.
    const Theme& before = this->theme();
    const QSize sizeBefore = this->size();
    context().themes.setTheme(theme);
    resize(size);
    layout()->activate();
    placeSplitter();
    View::paintExport(painter, size, theme);
    resize(sizeBefore);
    context().themes.setTheme(before);
}

QString CompareView::copyText() const
{
    return m_data ? m_list->asText() : QString();
}

} // namespace tilewright::ui
