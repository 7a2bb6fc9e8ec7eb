// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/compare_view.h"

#include "theme/number.h"
#include "theme/words.h"
#include "views/compare/compare_panes.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace tilewright::ui {

namespace {

QString subgraphList(const std::vector<SubgraphId>& ids)
{
    QStringList out;
    for (const SubgraphId s : ids)
        out << QString::number(s.index());
    return out.join(QStringLiteral(", "));
}

} // namespace

CompareView::CompareView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("compare"), tr("Compare"), parent), m_baseline(new QComboBox(this)),
      m_summary(new QLabel(this)), m_panes(new ComparePanes(context, this)), m_list(new QTreeWidget(this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(8, 6, 8, 6);
    m_baseline->setAccessibleName(tr("Baseline"));
    m_baseline->setToolTip(tr("The pinned state that is A here and the ghost in every view."));
    m_baseline->setMinimumContentsLength(18);
    row->addWidget(m_baseline);
    row->addWidget(m_summary, 1);
    column->addLayout(row);
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->addWidget(m_panes);
    splitter->addWidget(m_list);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    column->addWidget(splitter, 1);

    m_list->setAccessibleName(tr("Differences"));
    m_list->setHeaderLabels(
        {tr("Kind"), tr("Subgraph A"), tr("Subgraph B"), tr("In A"), tr("In B"), tr("Δ latency")});
    m_list->setRootIsDecorated(false);
    m_list->setAlternatingRowColors(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->header()->setStretchLastSection(false);
    m_list->setColumnWidth(0, 110);
    m_list->setColumnWidth(1, 90);
    m_list->setColumnWidth(2, 90);
    m_list->header()->setSectionResizeMode(3, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(4, QHeaderView::Stretch);
    m_list->setColumnWidth(5, 120);
    connect(m_list, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
        const int i = m_list->indexOfTopLevelItem(item);
        if (!m_data || i < 0 || static_cast<std::size_t>(i) >= m_data->comparison.contributions.size())
            return;
        const Difference& d = m_data->comparison.contributions[static_cast<std::size_t>(i)].difference;
        m_panes->setHighlight({d.ops.begin(), d.ops.end()});
    });
    m_job = std::make_unique<LatestJob<std::shared_ptr<const CompareData>>>(
        [this](std::shared_ptr<const CompareData> data) { show(std::move(data)); }, true);
    connect(m_baseline, &QComboBox::activated, this, [this](int i) { document().setBaselineIndex(i - 1); });
    registry().add({QStringLiteral("compare.next"),
                    tr("Compare"),
                    tr("&Next difference"),
                    {},
                    {QKeySequence(Qt::Key_F7)},
                    tr("Go to the next difference of the comparison.")},
                   [this](bool) { nextDifference(1); });
    registry().add({QStringLiteral("compare.previous"),
                    tr("Compare"),
                    tr("&Previous difference"),
                    {},
                    {QKeySequence(Qt::SHIFT | Qt::Key_F7)},
                    tr("Go to the difference before.")},
                   [this](bool) { nextDifference(-1); });
    registry().add({QStringLiteral("compare.swap"),
                    tr("Compare"),
                    tr("&Swap A and B"),
                    {},
                    {},
                    tr("Take the baseline's schedule and pin the current one instead; one undo step.")},
                   [this](bool) {
                       const SnapshotPtr baseline = document().baseline();
                       if (!baseline)
                           return;
                       document().pinBaseline(tr("Swapped"));
                       document().apply(baseline->schedule, tr("Swap with the baseline"));
                   });
    for (auto signal : {&Document::snapshotChanged, &Document::baselineChanged, &Document::problemChanged})
        connect(&document(), signal, this, &CompareView::refresh);
    refresh();
}

CompareView::~CompareView() = default;

void CompareView::settle()
{
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
    if (!a || !b || a->problem != b->problem) {
        m_job->cancel();
        show(nullptr);
        return;
    }
    m_job->request([a, b](std::stop_token stop) { return compareData(a, b, GraphMetrics{}, stop); });
}

void CompareView::show(std::shared_ptr<const CompareData> data)
{
    m_data = std::move(data);
    m_panes->setHighlight({});
    m_panes->setData(m_data);
    m_list->clear();
    m_list->setVisible(m_data != nullptr);
    if (!m_data) {
        m_summary->setText(tr("Nothing to compare yet."));
        return;
    }
    const Comparison& c = m_data->comparison;
    m_summary->setText(c.contributions.empty()
                           ? tr("Both schedules are the same.")
                           : tr("%1 the total by %2 (%3).")
                                 .arg(plural(std::ssize(c.contributions), tr("%1 difference changes"),
                                             tr("%1 differences change")))
                                 .arg(signedNumber(c.after - c.before),
                                      c.before > 0 ? signedPercent(c.after / c.before - 1) : QString()));
    for (const Contribution& part : c.contributions) {
        const auto kind = differenceName(part.difference.kind);
        auto* item = new QTreeWidgetItem(
            m_list, {QString::fromLatin1(kind.data(), static_cast<qsizetype>(kind.size())),
                     subgraphList(part.difference.before), subgraphList(part.difference.after),
                     QString::fromStdString(part.difference.textBefore),
                     QString::fromStdString(part.difference.textAfter), signedNumber(part.delta)});
        item->setTextAlignment(5, Qt::AlignRight | Qt::AlignVCenter);
        item->setForeground(5, part.delta < 0   ? theme().ok
                               : part.delta > 0 ? theme().warning
                                                : theme().muted);
        for (const int col : {3, 4})
            item->setToolTip(col, item->text(col));
        item->setToolTip(5, tr("exactly %1; the total is %2 after this and all before it")
                                .arg(exactNumber(part.delta), exactNumber(part.total)));
    }
}

void CompareView::nextDifference(int by)
{
    const int n = m_list->topLevelItemCount();
    if (n == 0)
        return;
    const int now = m_list->indexOfTopLevelItem(m_list->currentItem());
    m_list->setCurrentItem(m_list->topLevelItem(now < 0 ? (by > 0 ? 0 : n - 1) : (now + by + n) % n));
}

void CompareView::paintExport(QPainter& painter, const QSize& size, const Theme& theme)
{
    // Widgets and painted panes: the panes follow the theme of the export.
    if (&theme == &this->theme()) {
        View::paintExport(painter, size, theme);
        return;
    }
    context().themes.setTheme(theme);
    View::paintExport(painter, size, theme);
    context().themes.setTheme(theme.dark ? Theme::light() : Theme::darkTheme());
}

QString CompareView::copyText() const
{
    QString out = tr("kind\tsubgraph A\tsubgraph B\tin A\tin B\tchange\n");
    if (m_data)
        for (int i = 0; i < m_list->topLevelItemCount(); ++i) {
            QStringList cells;
            for (int c = 0; c < 5; ++c)
                cells << m_list->topLevelItem(i)->text(c);
            cells << exactNumber(m_data->comparison.contributions[static_cast<std::size_t>(i)].delta);
            out += cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
        }
    return out;
}

} // namespace tilewright::ui
