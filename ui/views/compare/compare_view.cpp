// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/compare_view.h"

#include "theme/number.h"
#include "theme/text_row.h"
#include "views/compare/compare_panes.h"
#include "views/compare/difference_list.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QSignalBlocker>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace tilewright::ui {

CompareView::CompareView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("compare"), tr("Compare"), parent), m_baseline(new QComboBox(this)),
      m_summary(new QLabel(this)), m_panes(new ComparePanes(context, this)),
      m_list(new DifferenceList(context.themes, this)), m_splitter(new QSplitter(Qt::Vertical, this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(8, 6, 8, 6);
    row->setSpacing(8);
    m_baseline->setAccessibleName(tr("Baseline"));
    m_baseline->setToolTip(tr("The pinned state that is A here and the ghost in every view."));
    m_baseline->setMinimumContentsLength(26);
    m_baseline->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    row->addWidget(m_baseline);
    addActions();
    for (const char* id : {"compare.swap", "compare.previous", "compare.next", "compare.link"}) {
        auto* button = new QToolButton(this);
        button->setDefaultAction(registry().find(QLatin1String(id)));
        button->setAutoRaise(true);
        button->setIconSize({20, 20});
        button->setAccessibleName(button->defaultAction()->text().remove(QLatin1Char('&')));
        row->addWidget(button);
    }
    m_summary->setMinimumWidth(40);
    row->addWidget(m_summary, 1);
    // Whoever compared goes on editing; also when there is nothing to compare.
    if (QAction* graph = registry().find(QStringLiteral("view.graph"))) {
        auto* leave = new QToolButton(this);
        leave->setText(tr("Back to the graph"));
        leave->setToolTip(tr("Leave the comparison (%1 or Esc).").arg(Actions::keysOf(graph)));
        leave->setAutoRaise(true);
        connect(leave, &QToolButton::clicked, graph, &QAction::trigger);
        row->addWidget(leave);
    }
    column->addLayout(row);
    m_splitter->addWidget(m_panes);
    m_splitter->addWidget(m_list);
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setStretchFactor(1, 0);
    m_splitter->setChildrenCollapsible(false);
    column->addWidget(m_splitter, 1);
    setFocusProxy(m_panes);

    connect(m_list, &QTreeWidget::currentItemChanged, this, [this] {
        if (!m_choosing)
            lookAtCurrent();
    });
    connect(m_list, &QTreeWidget::itemClicked, this, &CompareView::lookAtCurrent);
    connect(m_panes, &ComparePanes::opsChosen, this, [this](const std::set<OpId>& ops) {
        // The row follows what was clicked; the graphs stay where they are.
        m_choosing = true;
        if (m_data)
            m_list->showOps(m_data->comparison, ops);
        m_choosing = false;
    });
    m_job = std::make_unique<LatestJob<std::shared_ptr<const CompareData>>>(
        [this](std::shared_ptr<const CompareData> data) { showData(std::move(data)); }, true);
    connect(m_baseline, &QComboBox::activated, this, [this](int i) { document().setBaselineIndex(i - 1); });
    document().whenChanged(this, Part::Problem | Part::Snapshot | Part::Baseline, &CompareView::outdate);
    refresh();
}

CompareView::~CompareView() = default;

void CompareView::addActions()
{
    const QString menu = tr("Compare");
    const auto both = [&d = document()] {
        const SnapshotPtr a = d.baseline();
        const SnapshotPtr& b = d.snapshot();
        return Availability(a && b && a->problem == b->problem,
                            tr("Pin a baseline of this problem first (B)."));
    };
    registry().add("compare.next", menu, tr("&Next difference"), "down", {QKeySequence(Qt::Key_F7)},
                   tr("Go to the next difference and zoom both graphs to it."), both,
                   [this] { nextDifference(1); });
    registry().add(
        "compare.previous", menu, tr("&Previous difference"), "up", {QKeySequence(Qt::SHIFT | Qt::Key_F7)},
        tr("Go to the difference before and zoom both graphs to it."), both, [this] { nextDifference(-1); });
    registry().add("compare.swap", menu, tr("&Swap A and B"), "swap", {},
                   tr("Take the baseline's schedule and pin the current one in its place; one undo step."),
                   both, [this] { swap(); });
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
    m_job->waitIdle();
}

void CompareView::refresh()
{
    {
        const QSignalBlocker quiet(m_baseline);
        m_baseline->clear();
        m_baseline->addItem(tr("no baseline"));
        for (const Baseline& b : document().baselines())
            m_baseline->addItem(tr("A: %1").arg(b.name));
        m_baseline->setCurrentIndex(document().baselineIndex() + 1);
    }
    const SnapshotPtr a = document().baseline();
    const SnapshotPtr b = document().snapshot();
    registry().refresh();
    if (!a || !b || a->problem != b->problem) {
        m_job->cancel();
        showData(nullptr);
        return;
    }
    m_job->request([a, b](std::stop_token stop) { return compareData(a, b, GraphMetrics{}, stop); });
}

void CompareView::showData(std::shared_ptr<const CompareData> data)
{
    m_data = std::move(data);
    {
        const QSignalBlocker quiet(m_list);
        m_list->setComparison(m_data ? m_data->comparison : Comparison());
    }
    m_panes->setHighlight({}, false);
    m_panes->setData(m_data);
    const bool appears = m_data && !m_data->comparison.contributions.empty() && m_list->isHidden();
    m_list->setVisible(m_data && !m_data->comparison.contributions.empty());
    if (appears)
        placeSplitter();
    if (!m_data) {
        m_summary->setText(tr("Nothing to compare yet."));
        return;
    }
    const Comparison& c = m_data->comparison;
    m_summary->setText(
        c.contributions.empty()
            ? tr("Both schedules are the same.")
            : tr("%1: %2 (%3)")
                  .arg(counted(std::ssize(c.contributions), tr("difference"), tr("differences")))
                  .arg(signedNumber(c.after - c.before),
                       c.before > 0 ? signedPercent(c.after / c.before - 1) : QString()));
}

void CompareView::placeSplitter()
{
    // The list as high as it needs to be, up to a third: the graphs get the rest.
    const int rows = m_list->topLevelItemCount() + 2;
    const int row = std::max(m_list->sizeHintForRow(0), fontMetrics().height() + 8);
    const int list = std::min(rows * row, std::max(3 * row, height() / 3));
    m_splitter->setSizes({std::max(1, m_splitter->height() - list), list});
}

void CompareView::lookAtCurrent()
{
    const auto i = m_list->indexOf(m_list->currentItem());
    if (!m_data || !i || *i >= m_data->comparison.contributions.size())
        return;
    const Difference& d = m_data->comparison.contributions[*i].difference;
    m_panes->setHighlight({d.ops.begin(), d.ops.end()}, true);
}

void CompareView::nextDifference(int by)
{
    Q_EMIT wanted();
    m_list->move(by);
    lookAtCurrent(); // also when there is only one, to come back to it
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
    // Widgets and painted panes: the panes follow the theme of the export.
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
    QString out = tr("kind\tsubgraph A\tsubgraph B\tin A\tin B\tchange\n");
    for (int i = 0; m_data && i < m_list->topLevelItemCount(); ++i) {
        const QTreeWidgetItem* item = m_list->topLevelItem(i);
        QStringList cells;
        for (int c = 0; c < DifferenceList::Delta; ++c)
            cells << item->text(c);
        cells << exactNumber(m_data->comparison.contributions[*m_list->indexOf(item)].delta);
        out += textRow(cells);
    }
    return out;
}

} // namespace tilewright::ui
