// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/bound/bound_view.h"

#include "canvas/control_bar.h"
#include "report/summary.h"
#include "theme/number.h"
#include "theme/text_row.h"
#include "theme/words.h"
#include "workspace/op_names.h"

#include <QDoubleSpinBox>
#include <QHeaderView>
#include <QLabel>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace tilewright::ui {

namespace {

enum Column : std::uint8_t { Ops, Value, Share, Compute, Memory, In, Out, Spilled, Why, Columns };
constexpr int kTickMs = 200;
constexpr double kUsualLimit = 10; // seconds
constexpr double kLongestLimit = 3600;
constexpr int kExact = Qt::UserRole; // in full, for copying
constexpr int kPart = Qt::UserRole + 1;

} // namespace

BoundView::BoundView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("bound"), tr("Lower bound"), parent), m_summary(new QLabel(this)),
      m_limit(new QDoubleSpinBox(this)), m_progress(new QLabel(this)), m_parts(new QTreeWidget(this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 0);
    m_summary->setWordWrap(true);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_summary);
    auto* bar = new ControlBar(this);
    addCommands(*bar);
    column->addWidget(bar);
    column->addWidget(m_parts, 1);
    m_parts->setAccessibleName(tr("Parts of the lower bound"));
    m_parts->setHeaderLabels({tr("Ops"), tr("Value"), tr("Share"), tr("Compute"), tr("Memory"), tr("In"),
                              tr("Out"), tr("Spilled"), tr("What it says")});
    m_parts->setRootIsDecorated(false);
    m_parts->setAlternatingRowColors(true);
    m_parts->setFrameShape(QFrame::NoFrame);
    m_parts->setSelectionMode(QAbstractItemView::ExtendedSelection);
    for (int c = Value; c < Why; ++c)
        m_parts->setColumnWidth(c, fontMetrics().horizontalAdvance(QStringLiteral("1 234 567.8")) + 16);
    m_parts->setColumnWidth(Ops, 2 * m_parts->columnWidth(Value));
    m_parts->setColumnWidth(Share, fontMetrics().horizontalAdvance(QStringLiteral("100.0 %")) + 16);
    connect(m_parts, &QTreeWidget::itemSelectionChanged, this, &BoundView::selectOps);
    connect(&m_job, &BoundJob::raised, &document(), &Document::raiseBound);
    connect(&m_job, &BoundJob::raised, this, &BoundView::showProgress);
    connect(&m_job, &BoundJob::finished, this, &BoundView::showProgress);
    connect(&m_ticking, &QTimer::timeout, this, &BoundView::showProgress);
    m_ticking.setInterval(kTickMs);
    document().whenChanged(this, Part::Problem | Part::Machine | Part::RuleSet, [this] {
        m_job.stop();
        m_tried = false;
        showProgress();
    });
    document().whenChanged(this, Part::Problem | Part::Snapshot, &BoundView::outdate);
    refresh();
}

void BoundView::addCommands(ControlBar& bar)
{
    ActionSpec prove{QStringLiteral("bound.prove"),
                     tr("Solve"),
                     tr("Prove how good this is"),
                     QStringLiteral("play"),
                     {},
                     tr("Look for a higher lower bound in the background; again: stop. It sees what fits in "
                        "fast memory, what has to be loaded again and what can stay.")};
    prove.available = [&d = document()] { return Availability(d.hasProblem(), tr("Open a problem first.")); };
    QAction* action = addCommand(prove, [this](bool) { toggle(); });
    auto* button = bar.addButton(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_limit->setObjectName(QStringLiteral("bound.seconds"));
    m_limit->setRange(0.1, kLongestLimit);
    m_limit->setDecimals(1);
    m_limit->setSuffix(tr(" s"));
    m_limit->setValue(kUsualLimit);
    bar.addLabelled(tr("For"), m_limit, tr("How long the search for a higher bound may take."));
    bar.add(m_progress, tr("Progress of the proof"), tr("What has been proven so far."), true);
    m_progress->setObjectName(QStringLiteral("bound.progress"));
}

void BoundView::toggle()
{
    if (m_job.isRunning())
        return m_job.stop();
    if (!document().hasProblem())
        return;
    m_tried = true;
    m_job.start(document().problem(), document().rules(), m_limit->value());
    m_ticking.start();
    showProgress();
}

void BoundView::showProgress()
{
    const bool running = m_job.isRunning();
    if (!running)
        m_ticking.stop();
    const SnapshotPtr snapshot = document().snapshot();
    if (!m_tried || !snapshot)
        return m_progress->clear();
    QStringList parts{
        (running ? tr("proving since %1") : tr("ended after %1")).arg(secondsText(m_job.seconds()))};
    if (snapshot->evaluation.valid())
        parts << gapText();
    m_progress->setText(parts.join(QStringLiteral(" · ")));
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
        m_parts->clear();
        m_summary->setText(tr("Open a problem to see what no schedule can beat, and why."));
        return;
    }
    const LowerBound& bound = *document().bound();
    std::vector<SubgraphId> all;
    for (std::size_t i = 0; i < snapshot->schedule.size(); ++i)
        all.emplace_back(i);
    const SubgraphsSummary whole = summarise(*snapshot, all);
    m_summary->setText(
        rich(tr("No valid schedule is faster than <b>%1</b>: %2. "
                "This schedule computes for %3 and moves data for %4; its latency is %5 (%6).")
                 .arg(number(bound.value),
                      bound.prices.empty()
                          ? tr("compute takes at least %1, compulsory traffic %2")
                                .arg(number(bound.compute), number(bound.memory))
                          : tr("the groups below take that long, whatever runs together with them"),
                      number(whole.compute.sum), number(whole.memory.sum), number(snapshot->evaluation.total),
                      gapText())));
    if (m_shown != document().bound())
        fillParts();
}

void BoundView::fillParts()
{
    const QSignalBlocker quiet(m_parts);
    m_shown = document().bound();
    const Problem& problem = *document().problem();
    m_parts->clear();
    const bool priced = !m_shown->prices.empty();
    for (int c = Compute; c <= Spilled; ++c)
        m_parts->setColumnHidden(c, priced);
    const QString dropped = commonPrefix(problem);
    for (std::size_t i = 0; i < m_shown->parts.size(); ++i) {
        const BoundPart& part = m_shown->parts[i];
        auto* item = new QTreeWidgetItem(m_parts);
        item->setData(Ops, kPart, static_cast<qulonglong>(i));
        constexpr std::size_t kMostNames = 24;
        const std::span<const OpId> ops(part.ops);
        const auto cell = [item](int at, auto value) {
            item->setText(at, number(value));
            item->setData(at, kExact, static_cast<double>(value));
            item->setTextAlignment(at, Qt::AlignRight | Qt::AlignVCenter);
        };
        item->setText(Ops, shortOpNames(problem, ops.first(std::min(kMostNames, ops.size())), dropped).names);
        item->setToolTip(Ops, fullOpNames(problem, ops));
        cell(Value, part.value);
        const double share = m_shown->value > 0 ? part.value / m_shown->value : 0;
        cell(Share, share);
        item->setText(Share, percent(share));
        cell(Compute, part.compute);
        cell(Memory, part.memory);
        cell(In, part.inputElements);
        cell(Out, part.outputElements);
        cell(Spilled, part.spilledElements);
        item->setText(Why, sentence(part.text));
        item->setToolTip(Why, sentence(part.text));
    }
}

void BoundView::selectOps()
{
    std::set<OpId> ops;
    for (const QTreeWidgetItem* item : m_parts->selectedItems()) {
        const BoundPart& part = m_shown->parts[item->data(Ops, kPart).toULongLong()];
        ops.insert(part.ops.begin(), part.ops.end());
    }
    if (!ops.empty())
        selection().selectOps(std::move(ops));
}

QString BoundView::copyText() const
{
    QString out;
    for (int i = 0; i < m_parts->topLevelItemCount(); ++i) {
        const QTreeWidgetItem* item = m_parts->topLevelItem(i);
        QStringList cells{item->text(Why), item->text(Ops)};
        for (int c = Value; c < Why; ++c)
            if (!m_parts->isColumnHidden(c))
                cells << exactNumber(item->data(c, kExact).toDouble());
        out += textRow(cells);
    }
    return out;
}

} // namespace tilewright::ui
