// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/solver/solver_lists.h"

#include "theme/text.h"
#include "workspace/texts.h"

#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace tilewright::ui {

namespace {

/// Text of a difference, short enough for a narrow pane; the tooltip has all digits.
QString change(double delta)
{
    if (std::abs(delta) < 1e5)
        return signedNumber(delta);
    return (delta < 0 ? QString(QChar(0x2212)) : QStringLiteral("+")) + shortNumber(std::abs(delta));
}

QString names(const Problem& problem, const std::vector<OpId>& ops)
{
    QStringList out;
    for (const OpId o : ops)
        out << QString::fromStdString(problem.opName(o));
    return out.join(QStringLiteral(", "));
}

QString sentence(const Problem& problem, const Difference& d)
{
    const auto name = differenceName(d.kind);
    QString what = word(name);
    // The text of a change of one subgraph does not repeat the names of its ops.
    if (d.kind == DifferenceKind::Granularity || d.kind == DifferenceKind::Traversal ||
        d.kind == DifferenceKind::Order || d.kind == DifferenceKind::Retain)
        if (!d.after.empty())
            what = SolverChanges::tr("subgraph %1, %2").arg(d.after.front().index()).arg(what);
    // Maximum number of named ops: a regrouping of many ops would fill a page with names. The tooltip has all
    // of them.
    constexpr std::size_t kNamed = 6;
    constexpr std::ptrdiff_t kFirst = 3;
    const QString prefix = commonPrefix(problem);
    if (d.ops.size() > kNamed && (d.kind == DifferenceKind::Fused || d.kind == DifferenceKind::Split)) {
        const auto groups = [](const std::string& text) {
            return QString::fromStdString(text).count(QStringLiteral(" | ")) + 1;
        };
        QStringList first;
        for (const OpId o : std::span(d.ops).first(kFirst))
            first << namesWithoutPrefix(QString::fromStdString(problem.opName(o)), prefix);
        return SolverChanges::tr("%1: %2 ops (%3, …), %4 subgraphs → %5")
            .arg(what, number(d.ops.size()), first.join(QStringLiteral(", ")), number(groups(d.textBefore)),
                 number(groups(d.textAfter)));
    }
    // Numbers in names of ops are not reformatted; names are shortened as in the graph.
    const auto shown = [&](const std::string& text) {
        if (text == "-")
            return SolverChanges::tr("nothing");
        return d.kind == DifferenceKind::Granularity
                   ? ui::sentence(text)
                   : namesWithoutPrefix(QString::fromStdString(text), prefix);
    };
    return SolverChanges::tr("%1: %2 → %3").arg(what, shown(d.textBefore), shown(d.textAfter));
}

/// True for a low, wide pane. Its texts have at most two lines, so that several rows are visible; the tooltip
/// has the whole text.
bool isLow(const QTreeView& tree)
{
    constexpr int kLowLines = 10;
    return !tree.isColumnHidden(1) &&
           tree.viewport()->height() < kLowLines * tree.fontMetrics().lineSpacing();
}

/// Makes the rows of a tree view high enough for wrapped text, which the tree view does not do by itself.
class WrappingDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QSize size = QStyledItemDelegate::sizeHint(option, index);
        const auto* tree = qobject_cast<const QTreeView*>(option.widget);
        if (!tree || index.column() != 0)
            return size;
        const int levels = (index.parent().isValid() ? 1 : 0) + (tree->rootIsDecorated() ? 1 : 0);
        const int width = tree->columnWidth(0) - levels * tree->indentation() - 10;
        const QRect text = tree->fontMetrics().boundingRect(QRect(0, 0, std::max(width, 1), 10'000),
                                                            Qt::TextWordWrap, textOf(*tree, index));
        const int most = isLow(*tree) ? 2 * tree->fontMetrics().lineSpacing() : text.height();
        size.setHeight(std::min(text.height(), most) + 6);
        return size;
    }

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        if (const auto* tree = qobject_cast<const QTreeView*>(option->widget); tree && index.column() == 0)
            option->text = textOf(*tree, index).replace(QLatin1Char('\n'), QChar(QChar::LineSeparator));
    }

private:
    /// The text of a cell. If the column of numbers is hidden for lack of room, the number precedes the text.
    static QString textOf(const QTreeView& tree, const QModelIndex& index)
    {
        const QString text = index.data().toString();
        const QString figure = index.siblingAtColumn(1).data().toString();
        return tree.isColumnHidden(1) && !figure.isEmpty() ? figure + QLatin1Char('\n') + text : text;
    }
};

QTreeWidgetItem* numbered(QTreeWidgetItem* item, double delta, const Theme& theme)
{
    item->setText(1, change(delta));
    item->setTextAlignment(1, Qt::AlignRight | Qt::AlignTop);
    item->setForeground(1, delta < 0 ? theme.ok : delta > 0 ? theme.warning : theme.muted);
    return item;
}

} // namespace

CompactTree::CompactTree(QWidget* parent) : QTreeWidget(parent)
{
    setColumnCount(2);
    setFrameShape(QFrame::NoFrame);
    setWordWrap(true);
    setTextElideMode(Qt::ElideNone);
    setItemDelegate(new WrappingDelegate(this));
    setAlternatingRowColors(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(0, QHeaderView::Stretch);
    header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    setHeaderHidden(true);
}

QSize CompactTree::sizeHint() const
{
    return {fontMetrics().averageCharWidth() * 30, fontMetrics().height() * 5};
}

QSize CompactTree::minimumSizeHint() const
{
    return {0, fontMetrics().height() * 4};
}

void CompactTree::resizeEvent(QResizeEvent* event)
{
    QTreeWidget::resizeEvent(event);
    setColumnHidden(1, viewport()->width() < fontMetrics().averageCharWidth() * 30);
    setTextElideMode(isLow(*this) ? Qt::ElideRight : Qt::ElideNone);
    scheduleDelayedItemsLayout(); // the width determines the height of wrapped rows
}

// -- what changed ---------------------------------------------------------------------------------------

SolverChanges::SolverChanges(const ViewContext& context, QWidget* parent)
    : CompactTree(parent), m_context(context),
      m_job([this](Comparison comparison) { fill(std::move(comparison)); }, true)
{
    setAccessibleName(tr("Changes by gain"));
    setRootIsDecorated(false);
    connect(this, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) { selectRow(item); });
    connect(this, &QTreeWidget::itemClicked, this, [this](QTreeWidgetItem* item) { selectRow(item); });
}

void SolverChanges::setOutcome(SolverOutcomePtr outcome)
{
    m_outcome = std::move(outcome);
    m_comparison = {};
    m_order.clear();
    clear();
    m_job.cancel();
    if (m_outcome)
        m_job.request([o = m_outcome](std::stop_token stop) {
            return compareSchedules(o->before->problem, o->before->schedule, o->after->schedule,
                                    o->after->evaluation.rules, {stop, {}});
        });
}

void SolverChanges::fill(Comparison comparison)
{
    m_comparison = std::move(comparison);
    m_order = rankedByGain(m_comparison);
    clear();
    for (const std::size_t i : m_order) {
        const Contribution& c = m_comparison.contributions[i];
        const QString what = sentence(*m_outcome->after->problem, c.difference);
        auto* item = numbered(new QTreeWidgetItem(this, {what}), c.delta, m_context.themes.theme());
        item->setToolTip(0, tr("%1<br>Ops: %2")
                                .arg(what.toHtmlEscaped(),
                                     names(*m_outcome->after->problem, c.difference.ops).toHtmlEscaped()));
        item->setToolTip(
            1, tr("exactly %1; the changes apply one after another, so that their sum is the whole gain")
                   .arg(exactNumber(c.delta)));
    }
    Q_EMIT counted(static_cast<int>(m_order.size()));
}

QString SolverChanges::gain(int row) const
{
    return exactNumber(m_comparison.contributions[m_order[static_cast<std::size_t>(row)]].delta);
}

void SolverChanges::selectRow(const QTreeWidgetItem* item)
{
    const int row = item ? indexOfTopLevelItem(const_cast<QTreeWidgetItem*>(item)) : -1;
    if (row < 0 || static_cast<std::size_t>(row) >= m_order.size())
        return;
    const Difference& d = m_comparison.contributions[m_order[static_cast<std::size_t>(row)]].difference;
    SelectionState s;
    s.ops.insert(d.ops.begin(), d.ops.end());
    // Ids of subgraphs refer to the schedule that is shown.
    const Schedule& shown = m_context.document.schedule();
    const auto& ids = shown == m_outcome->after->schedule    ? d.after
                      : shown == m_outcome->before->schedule ? d.before
                                                             : std::vector<SubgraphId>{};
    s.subgraphs.insert(ids.begin(), ids.end());
    if (!ids.empty())
        s.subgraph = ids.front();
    m_context.selection.set(std::move(s));
}

// -- what else was tried --------------------------------------------------------------------------------

SolverAlternatives::SolverAlternatives(const ViewContext& context, QWidget* parent)
    : CompactTree(parent), m_context(context), m_job([](bool) {}, true)
{
    setAccessibleName(tr("Alternatives and their cost"));
    connect(this, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
        if (!item || !m_outcome)
            return;
        const auto row =
            static_cast<std::size_t>(indexOfTopLevelItem(item->parent() ? item->parent() : item));
        const auto& ops = m_outcome->after->schedule.subgraphs[row]->ops;
        if (m_context.document.schedule() == m_outcome->after->schedule)
            m_context.selection.selectSubgraph(SubgraphId(row));
        else
            m_context.selection.selectOps({ops.begin(), ops.end()});
    });
}

void SolverAlternatives::setOutcome(SolverOutcomePtr outcome)
{
    m_outcome = std::move(outcome);
    m_job.cancel();
    clear();
    m_wanted = m_outcome != nullptr;
    if (isVisible())
        request();
}

void SolverAlternatives::showEvent(QShowEvent* event)
{
    CompactTree::showEvent(event);
    request();
}

void SolverAlternatives::request()
{
    if (!std::exchange(m_wanted, false))
        return;
    const Snapshot& after = *m_outcome->after;
    for (std::size_t i = 0; i < after.schedule.size(); ++i) {
        const Subgraph& s = after.schedule[SubgraphId(i)];
        const Granularity& g = s.granularity;
        auto* item = new QTreeWidgetItem(this, {tr("%1: %2 · %3")
                                                    .arg(QString::number(i), names(*after.problem, s.ops),
                                                         sizeText({g.w, g.h, g.k}, QStringLiteral("×"))),
                                                shortNumber(after.evaluation.subgraphs[i].latency)});
        item->setTextAlignment(1, Qt::AlignRight | Qt::AlignTop);
        item->setToolTip(1, tr("latency %1").arg(exactNumber(after.evaluation.subgraphs[i].latency)));
        if (s.locked)
            new QTreeWidgetItem(item, {tr("locked: no alternatives were tried")});
    }
    m_job.request([this, o = m_outcome, tell = m_job.reporter()](std::stop_token stop) {
        solveAlternatives(*o->after->problem, o->after->schedule, o->after->evaluation.rules, {stop, {}},
                          [&](SubgraphId subgraph, const std::vector<SolveAlternative>& found) {
                              tell([this, subgraph, found] { fill(subgraph, found); });
                          });
        return true;
    });
}

void SolverAlternatives::fill(SubgraphId subgraph, const std::vector<SolveAlternative>& found)
{
    QTreeWidgetItem* row = topLevelItem(static_cast<int>(subgraph.index()));
    for (const SolveAlternative& a : found) {
        auto* item = numbered(new QTreeWidgetItem(row, {sentence(a.text)}), a.loss, m_context.themes.theme());
        item->setToolTip(0, tr("Alternative: %1. The total would be %2.")
                                .arg(sentence(a.text).toHtmlEscaped(), number(a.total)));
        item->setToolTip(1, tr("exactly %1").arg(exactNumber(a.loss)));
    }
    if (row->childCount() == 0)
        new QTreeWidgetItem(row, {tr("no alternative is valid")});
    row->setExpanded(topLevelItemCount() <= 12);
}

void SolverAlternatives::settle()
{
    request();
    m_job.waitIdle();
}

namespace {

/// The bar with the shares of compute, load and store, above the sentences.
class LimitsBar : public QWidget
{
public:
    LimitsBar(const std::optional<CriticalResources>& resources, const ThemeSource& themes, QWidget* parent)
        : QWidget(parent), m_resources(resources), m_themes(themes)
    {
        setAccessibleName(SolverLimits::tr("Share of computing, loading and storing"));
    }
    QSize sizeHint() const override { return {200, fontMetrics().height() + 8}; }
    QSize minimumSizeHint() const override { return {0, fontMetrics().height() + 8}; }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        if (m_resources)
            paintLimits(painter, rect(), *m_resources, m_themes.theme());
    }

private:
    const std::optional<CriticalResources>& m_resources;
    const ThemeSource& m_themes;
};

} // namespace

QStringList limitSentences(const CriticalResources& r)
{
    if (r.total <= 0)
        return {};
    const auto tr = [](const char* text) { return SolverLimits::tr(text); };
    const auto saves = [&](double gain) {
        return gain > 0 ? tr("saves %1 (%2)").arg(number(gain), signedPercent(-gain / r.total))
                        : tr("saves nothing");
    };
    const double memory = r.load + r.store;
    const QString compute = tr("<b>Compute</b> limits %1 of the time. 10 % faster computing %2.")
                                .arg(percent(r.compute / r.total), saves(r.fasterCompute));
    const QString bandwidth =
        tr("<b>Bandwidth</b> limits %1 of the time (loads %2, stores %3). 10 % more bandwidth %4.")
            .arg(percent(memory / r.total), percent(r.load / r.total), percent(r.store / r.total),
                 saves(r.moreBandwidth));
    QStringList out{compute, bandwidth};
    if (memory > r.compute)
        std::swap(out[0], out[1]);
    out << (r.unlimitedCapacity > 0
                ? tr("<b>Capacity</b>: 10 % more fast memory %1. With unlimited fast memory the same "
                     "subgraphs would take %2 less (%3). More ops might be fused as well: see Sweep.")
                      .arg(saves(r.moreCapacity), number(r.unlimitedCapacity),
                           signedPercent(-r.unlimitedCapacity / r.total))
                : tr("<b>Capacity</b>: more fast memory would not make these subgraphs faster, but more ops "
                     "might be fused: see Sweep."));
    if (!r.exact)
        out << tr("Some subgraphs have too many steps to analyse each step; they are counted by their "
                  "overall limit.");
    return out;
}

void paintLimits(QPainter& painter, const QRectF& area, const CriticalResources& r, const Theme& theme)
{
    if (r.total <= 0)
        return;
    struct Part
    {
        double time;
        const QColor& colour;
        QString name;
    };
    const std::array parts{Part{r.compute, theme.computeTime, SolverLimits::tr("compute")},
                           Part{r.load, theme.loadTime, SolverLimits::tr("load")},
                           Part{r.store, theme.storeTime, SolverLimits::tr("store")}};
    painter.setFont(uiFont(0.9));
    const QFontMetricsF fm(painter.font());
    double x = area.left();
    for (const Part& part : parts) {
        const QRectF box(x, area.top(), area.width() * part.time / r.total, area.height());
        x = box.right();
        painter.fillRect(box, part.colour);
        for (const QString& text :
             {QStringLiteral("%1 %2").arg(part.name, percent(part.time / r.total)), part.name})
            if (fm.horizontalAdvance(text) + 8 <= box.width()) {
                painter.setPen(theme.inkOn(part.colour));
                painter.drawText(box, Qt::AlignCenter, text);
                break;
            }
    }
}

SolverLimits::SolverLimits(const ViewContext& context, QWidget* parent)
    : QWidget(parent), m_bar(new LimitsBar(m_resources, context.themes, this)), m_text(new QLabel(this)),
      m_job(
          [this](const std::optional<CriticalResources>& resources) {
              m_resources = resources;
              m_bar->setVisible(resources.has_value());
              if (resources)
                  m_text->setText(QStringLiteral("<p>") +
                                  limitSentences(*resources).join(QStringLiteral("</p><p>")) +
                                  QStringLiteral("</p>"));
              m_bar->update();
          },
          true)
{
    auto* column = new QVBoxLayout(this);
    column->addWidget(m_bar);
    column->addWidget(m_text);
    column->addStretch();
    m_bar->hide();
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_text->setAccessibleName(tr("What limits the schedule"));
}

void SolverLimits::setOutcome(SolverOutcomePtr outcome)
{
    m_outcome = std::move(outcome);
    m_job.cancel();
    m_resources.reset();
    m_bar->hide();
    m_text->clear();
    m_wanted = m_outcome != nullptr;
    if (isVisible())
        request();
}

void SolverLimits::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    request();
}

void SolverLimits::request()
{
    if (!std::exchange(m_wanted, false))
        return;
    m_text->setText(tr("Measuring …"));
    m_job.request([o = m_outcome](std::stop_token stop) {
        return criticalResources(*o->after->problem, o->after->schedule, o->after->evaluation.rules,
                                 {stop, {}});
    });
}

void SolverLimits::settle()
{
    request();
    m_job.waitIdle();
}

} // namespace tilewright::ui
