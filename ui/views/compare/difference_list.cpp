// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/difference_list.h"

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
constexpr int kDiffersRole = Qt::UserRole + 3;

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

DifferenceList::DifferenceList(const ThemeSource& themes, QWidget* parent) : QTreeWidget(parent)
{
    setAccessibleName(tr("Differences"));
    setItemDelegate(new Delegate(themes, this));
    setRootIsDecorated(false);
    setAlternatingRowColors(true);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setFrameShape(QFrame::NoFrame);
    setTextElideMode(Qt::ElideMiddle);
    header()->setStretchLastSection(false);
}

void DifferenceList::setTable(const DifferenceTable& table)
{
    clear();
    // As applied, until a header is clicked. (A sorted list takes rows in reverse.)
    setSortingEnabled(false);
    header()->setSortIndicator(-1, Qt::AscendingOrder);
    const int columns = static_cast<int>(table.columns.size());
    setColumnCount(columns);
    m_stretched.clear();
    const auto columnAt = [&](int c) -> const DifferenceColumn& {
        return table.columns[static_cast<std::size_t>(c)];
    };
    constexpr Qt::Alignment kRight = Qt::AlignRight | Qt::AlignVCenter;
    for (int c = 0; c < columns; ++c) {
        headerItem()->setText(c, columnAt(c).title);
        headerItem()->setToolTip(c, columnAt(c).tip);
        headerItem()->setTextAlignment(c, columnAt(c).isFigure ? kRight : Qt::AlignLeft | Qt::AlignVCenter);
        header()->setSectionResizeMode(c, QHeaderView::Interactive);
        if (columnAt(c).stretches)
            m_stretched << c;
    }
    QList<QTreeWidgetItem*> rows;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const DifferenceRow& row = table.rows[i];
        auto* item = new Item(row.cells);
        item->setData(0, kIndexRole, static_cast<qulonglong>(i));
        item->setData(0, kDiffersRole, row.differs);
        for (int c = 0; c < columns; ++c) {
            if (const auto& value = row.values[static_cast<std::size_t>(c)])
                item->setData(c, kValueRole, *value);
            if (columnAt(c).isFigure)
                item->setTextAlignment(c, kRight);
            item->setToolTip(c, row.tips.value(c));
        }
        item->setData(static_cast<int>(table.barColumn), kAmountRole, row.amount);
        rows << item;
    }
    addTopLevelItems(rows);
    setOnlyDifferences(m_onlyDifferences);
    setSortingEnabled(true);
    for (int c = 0; c < columns; ++c)
        if (!columnAt(c).stretches) { // a figure is never cut
            const int own = std::max(sizeHintForColumn(c), header()->sectionSizeHint(c));
            const int most = columnAt(c).isFigure ? own : 16 * fontMetrics().averageCharWidth();
            setColumnWidth(c, std::clamp(own, 40, std::max(40, most)));
        }
    shareRoom();
}

void DifferenceList::resizeEvent(QResizeEvent* event)
{
    QTreeWidget::resizeEvent(event);
    shareRoom();
}

void DifferenceList::shareRoom()
{
    int left = viewport()->width();
    for (int c = 0; c < columnCount(); ++c)
        left -= m_stretched.contains(c) ? 0 : columnWidth(c);
    const int least = 14 * fontMetrics().averageCharWidth();
    const bool isRoom = left >= least * static_cast<int>(m_stretched.size());
    for (const int c : m_stretched) {
        header()->setSectionResizeMode(c, isRoom ? QHeaderView::Stretch : QHeaderView::Interactive);
        if (!isRoom)
            setColumnWidth(c, least);
    }
}

void DifferenceList::setOnlyDifferences(bool only)
{
    m_onlyDifferences = only;
    for (int row = 0; row < topLevelItemCount(); ++row)
        topLevelItem(row)->setHidden(only && !topLevelItem(row)->data(0, kDiffersRole).toBool());
}

std::optional<std::size_t> DifferenceList::indexOf(const QTreeWidgetItem* item) const
{
    return item ? std::optional<std::size_t>(item->data(0, kIndexRole).toULongLong()) : std::nullopt;
}

void DifferenceList::move(int by)
{
    const int n = topLevelItemCount();
    int row = indexOfTopLevelItem(currentItem());
    if (row < 0)
        row = by > 0 ? -1 : n;
    for (int tried = 0; tried < n; ++tried) {
        row = (row + by + n) % n;
        if (topLevelItem(row)->data(0, kDiffersRole).toBool()) {
            setCurrentItem(topLevelItem(row));
            return;
        }
    }
}

void DifferenceList::showOps(const DifferenceTable& table, std::size_t side, const std::set<OpId>& ops)
{
    for (int row = 0; row < topLevelItemCount(); ++row) {
        const auto& concerned = table.rows[*indexOf(topLevelItem(row))].ops[side];
        if (std::any_of(concerned.begin(), concerned.end(), [&](OpId o) { return ops.count(o) > 0; })) {
            setCurrentItem(topLevelItem(row)->isHidden() ? nullptr : topLevelItem(row));
            return;
        }
    }
    setCurrentItem(nullptr);
}

} // namespace tilewright::ui
