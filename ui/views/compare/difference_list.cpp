// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/difference_list.h"

#include "theme/number.h"
#include "theme/words.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyle>
#include <QStyledItemDelegate>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilewright::ui {

namespace {

constexpr int kIndexRole = Qt::UserRole;
constexpr int kValueRole = Qt::UserRole + 1;  // what the column sorts by
constexpr int kAmountRole = Qt::UserRole + 2; // -1 (better) .. 1 (worse)

QString subgraphList(const std::vector<SubgraphId>& ids)
{
    QStringList out;
    for (const SubgraphId s : ids)
        out << QString::number(s.index());
    return out.join(QStringLiteral(", "));
}

/// Rows with room around the text; behind a change, a bar from the middle of the cell to the better or the
/// worse side.
class Delegate : public QStyledItemDelegate
{
public:
    Delegate(const ThemeSource& themes, QObject* parent) : QStyledItemDelegate(parent), m_themes(themes) {}

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        return QStyledItemDelegate::sizeHint(option, index) + QSize(16, 8);
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyleOptionViewItem cell = option;
        initStyleOption(&cell, index);
        const QString text = std::exchange(cell.text, QString());
        const QWidget* widget = option.widget;
        widget->style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, widget);
        const Theme& theme = m_themes.theme();
        const QRectF inside = QRectF(option.rect).adjusted(8, 0, -8, 0);
        const bool chosen = option.state & QStyle::State_Selected;
        QColor ink = chosen ? cell.palette.color(QPalette::HighlightedText) : theme.text;
        if (const QVariant amount = index.data(kAmountRole); amount.isValid() && amount.toDouble() != 0) {
            const double a = amount.toDouble();
            const QColor& colour = a < 0 ? theme.ok : theme.warning;
            const double length = std::max(2.0, std::abs(a) * inside.width());
            painter->fillRect(QRectF(inside.right() + 4 - length, inside.bottom() - 4, length, 3), colour);
            if (!chosen)
                ink = colour;
        }
        painter->setFont(cell.font);
        painter->setPen(ink);
        painter->drawText(inside, static_cast<int>(cell.displayAlignment),
                          QFontMetricsF(cell.font).elidedText(text, cell.textElideMode, inside.width()));
    }

private:
    const ThemeSource& m_themes;
};

class Item : public QTreeWidgetItem
{
public:
    using QTreeWidgetItem::QTreeWidgetItem;
    bool operator<(const QTreeWidgetItem& other) const override
    {
        const int column = treeWidget()->sortColumn();
        const QVariant a = data(column, kValueRole);
        const QVariant b = other.data(column, kValueRole);
        return a.isValid() && b.isValid() ? a.toDouble() < b.toDouble() : text(column) < other.text(column);
    }
};

} // namespace

QString differenceKindText(DifferenceKind kind)
{
    switch (kind) {
    case DifferenceKind::Fused:
        return DifferenceList::tr("fused");
    case DifferenceKind::Split:
        return DifferenceList::tr("split");
    case DifferenceKind::Moved:
        return DifferenceList::tr("moved");
    case DifferenceKind::Recompute:
        return DifferenceList::tr("recompute");
    case DifferenceKind::Granularity:
        return DifferenceList::tr("granularity");
    case DifferenceKind::Traversal:
        return DifferenceList::tr("traversal");
    case DifferenceKind::Order:
        return DifferenceList::tr("order");
    case DifferenceKind::Retain:
        break;
    }
    return DifferenceList::tr("retain");
}

DifferenceList::DifferenceList(const ThemeSource& themes, QWidget* parent) : QTreeWidget(parent)
{
    setAccessibleName(tr("Differences"));
    setHeaderLabels({tr("Kind"), tr("Subgraph A"), tr("Subgraph B"), tr("In A"), tr("In B"), tr("Δ latency"),
                     tr("Δ of A")});
    headerItem()->setToolTip(Delta,
                             tr("What the total changes by when this and all before it are applied to A."));
    headerItem()->setToolTip(Share, tr("The same as a share of A's total."));
    for (const int c : {Delta, Share})
        headerItem()->setTextAlignment(c, Qt::AlignRight | Qt::AlignVCenter);
    setItemDelegate(new Delegate(themes, this));
    setRootIsDecorated(false);
    setAlternatingRowColors(true);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setFrameShape(QFrame::NoFrame);
    setTextElideMode(Qt::ElideMiddle);
    header()->setStretchLastSection(false);
    for (const int c : {InA, InB})
        header()->setSectionResizeMode(c, QHeaderView::Stretch);
    for (const int c : {Kind, SubgraphA, SubgraphB, Delta, Share})
        header()->setSectionResizeMode(c, QHeaderView::Interactive);
}

void DifferenceList::setComparison(const Comparison& comparison)
{
    clear();
    // As applied, until a header is clicked. (A sorted list takes rows in reverse.)
    setSortingEnabled(false);
    header()->setSortIndicator(-1, Qt::AscendingOrder);
    double largest = 0;
    for (const Contribution& c : comparison.contributions)
        largest = std::max(largest, std::abs(c.delta));
    QList<QTreeWidgetItem*> rows;
    for (std::size_t i = 0; i < comparison.contributions.size(); ++i) {
        const Contribution& c = comparison.contributions[i];
        const Difference& d = c.difference;
        const double share = comparison.before > 0 ? c.delta / comparison.before : 0;
        // Names of ops stay as they are.
        const auto shown = [&d](const std::string& text) {
            return d.kind == DifferenceKind::Granularity ? sentence(text) : QString::fromStdString(text);
        };
        auto* item =
            new Item({differenceKindText(d.kind), subgraphList(d.before), subgraphList(d.after),
                      shown(d.textBefore), shown(d.textAfter), signedNumber(c.delta), signedPercent(share)});
        item->setData(Kind, kIndexRole, static_cast<qulonglong>(i));
        if (!d.before.empty())
            item->setData(SubgraphA, kValueRole, static_cast<double>(d.before.front().index()));
        if (!d.after.empty())
            item->setData(SubgraphB, kValueRole, static_cast<double>(d.after.front().index()));
        for (const int column : {Delta, Share}) {
            item->setData(column, kValueRole, c.delta);
            item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
            item->setToolTip(column, tr("exactly %1; the total is %2 after this and all before it")
                                         .arg(exactNumber(c.delta), exactNumber(c.total)));
        }
        item->setData(Delta, kAmountRole, largest > 0 ? c.delta / largest : 0);
        for (const int column : {InA, InB})
            item->setToolTip(column, item->text(column));
        rows << item;
    }
    addTopLevelItems(rows);
    setSortingEnabled(true);
    for (const int column : {Kind, SubgraphA, SubgraphB, Delta, Share})
        setColumnWidth(column,
                       std::clamp(std::max(sizeHintForColumn(column), header()->sectionSizeHint(column)), 40,
                                  std::max(40, 16 * fontMetrics().averageCharWidth())));
}

std::optional<std::size_t> DifferenceList::indexOf(const QTreeWidgetItem* item) const
{
    return item ? std::optional<std::size_t>(item->data(Kind, kIndexRole).toULongLong()) : std::nullopt;
}

void DifferenceList::move(int by)
{
    const int n = topLevelItemCount();
    if (n == 0)
        return;
    const int now = indexOfTopLevelItem(currentItem());
    setCurrentItem(topLevelItem(now < 0 ? (by > 0 ? 0 : n - 1) : (now + by + n) % n));
}

void DifferenceList::showOps(const Comparison& comparison, const std::set<OpId>& ops)
{
    for (int row = 0; row < topLevelItemCount(); ++row) {
        const auto& concerned = comparison.contributions[*indexOf(topLevelItem(row))].difference.ops;
        if (std::any_of(concerned.begin(), concerned.end(), [&](OpId o) { return ops.count(o) > 0; })) {
            setCurrentItem(topLevelItem(row));
            return;
        }
    }
    setCurrentItem(nullptr);
}

} // namespace tilewright::ui
