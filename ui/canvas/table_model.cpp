// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/table_model.h"

#include "theme/text.h"

#include <QEvent>
#include <QFrame>
#include <QHeaderView>
#include <QTableView>

#include <utility>

namespace tilewright::ui {

namespace {

QVariant variantOf(const TableValue& value)
{
    if (const auto* whole = std::get_if<std::int64_t>(&value))
        return static_cast<qlonglong>(*whole);
    if (const auto* number = std::get_if<double>(&value))
        return *number;
    const auto* text = std::get_if<std::string>(&value);
    return text ? QVariant(QString::fromStdString(*text)) : QVariant();
}

int sideOf(ColumnKind kind)
{
    return int((kind == ColumnKind::Text ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
}

} // namespace

void TableModel::setTable(Table table)
{
    const bool sameSize = table.rowCount() == m_table.rowCount() && table.rowCount() > 0 &&
                          table.columns.size() == m_table.columns.size();
    if (!sameSize)
        beginResetModel();
    m_table = std::move(table);
    if (!sameSize)
        return endResetModel();
    refresh();
    Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    Q_EMIT headerDataChanged(Qt::Vertical, 0, rowCount() - 1);
}

void TableModel::setCount(std::size_t rows)
{
    beginResetModel();
    m_table.count = rows;
    endResetModel();
}

void TableModel::refresh(int firstColumn, int lastColumn)
{
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, firstColumn),
                           index(rowCount() - 1, lastColumn < 0 ? columnCount() - 1 : lastColumn));
}

int TableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.rowCount());
}

int TableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.columns.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    if (m_look)
        if (QVariant look = m_look(index.row(), index.column(), role); look.isValid())
            return look;
    const auto row = static_cast<std::size_t>(index.row());
    const auto column = static_cast<std::size_t>(index.column());
    switch (role) {
    case Qt::DisplayRole:
        return QString::fromStdString(m_table.shown(row, column));
    case Qt::ToolTipRole:
        return QString::fromStdString(m_table.tip(row, column));
    case Qt::TextAlignmentRole:
        return sideOf(m_table.columns[column].kind);
    case SortRole:
        return variantOf(m_table.key(row, column));
    case ExactRole:
        return QString::fromStdString(m_table.cell(row, column).value.exact());
    case RowRole:
        return index.row();
    case FigureRole:
        return QString::fromStdString(m_table.columns[column].figure)
            .replace(QLatin1Char('*'), QString::number(index.row()));
    default:
        return {};
    }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    const bool ofRow = orientation == Qt::Vertical;
    if (m_look)
        if (QVariant look = ofRow ? m_look(section, kHeading, role) : m_look(kHeading, section, role);
            look.isValid())
            return look;
    if (ofRow || section >= columnCount())
        return {};
    const auto column = static_cast<std::size_t>(section);
    const TableColumn& c = m_table.columns[column];
    switch (role) {
    case Qt::DisplayRole:
        return QString::fromStdString(c.title);
    case Qt::ToolTipRole:
        return QString::fromStdString(c.tip);
    case Qt::TextAlignmentRole:
        return m_aligned ? QVariant(sideOf(c.kind)) : QVariant();
    case ExactRole:
        return c.copied ? QVariant(QString::fromStdString(m_table.heading(column))) : QVariant();
    default:
        return {};
    }
}

QString rowsAsText(const QAbstractItemModel& shown, bool headings, QList<int> columns,
                   const std::function<bool(int row)>& taken)
{
    if (columns.isEmpty())
        for (int c = 0; c < shown.columnCount(); ++c)
            columns << c;
    const auto heading = [&](int c) { return shown.headerData(c, Qt::Horizontal, TableModel::ExactRole); };
    columns.removeIf([&](int c) { return !heading(c).isValid(); });
    QStringList cells;
    for (const int c : columns)
        cells << heading(c).toString();
    QString out = headings ? textRow(cells) : QString();
    for (int row = 0; row < shown.rowCount(); ++row) {
        if (taken && !taken(row))
            continue;
        cells.clear();
        for (const int c : columns)
            cells << shown.index(row, c).data(TableModel::ExactRole).toString();
        out += textRow(cells);
    }
    return out;
}

namespace {

/// Adapts the height of the rows of a table to its font.
class RowHeight : public QObject
{
public:
    static void follow(QTableView& view)
    {
        auto* filter = new RowHeight(view);
        view.installEventFilter(filter);
        filter->fit();
    }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::FontChange)
            fit();
        return QObject::eventFilter(watched, event);
    }

private:
    explicit RowHeight(QTableView& view) : QObject(&view), m_view(view) {}
    void fit()
    {
        constexpr int kPadding = 9;
        m_view.verticalHeader()->setMinimumSectionSize(m_view.fontMetrics().height());
        m_view.verticalHeader()->setDefaultSectionSize(m_view.fontMetrics().height() + kPadding);
    }
    QTableView& m_view;
};

} // namespace

void asList(QTableView& view, const QString& name, QAbstractItemModel& rows)
{
    view.setModel(&rows);
    view.setAccessibleName(name);
    view.setSelectionBehavior(QAbstractItemView::SelectRows);
    view.setEditTriggers(QAbstractItemView::NoEditTriggers);
    view.setShowGrid(false);
    view.setWordWrap(false);
    view.setFrameShape(QFrame::NoFrame);
    view.verticalHeader()->hide();
    view.horizontalHeader()->setHighlightSections(false);
    RowHeight::follow(view);
}

SortedRows::SortedRows(TableModel& rows, QString order, QObject* parent)
    : QSortFilterProxyModel(parent), m_order(std::move(order))
{
    setSortRole(TableModel::SortRole);
    setSourceModel(&rows);
}

void SortedRows::sortBy(QTableView& table)
{
    QHeaderView* header = table.horizontalHeader();
    header->setSortIndicatorClearable(true);
    header->setSortIndicator(-1, Qt::AscendingOrder);
    table.setSortingEnabled(true);
    connect(header, &QHeaderView::sortIndicatorChanged, &table, &QTableView::scrollToTop);
}

void SortedRows::setFilter(std::function<bool(std::size_t row)> passes)
{
    m_passes = std::move(passes);
    invalidateFilter();
}

bool SortedRows::filterAcceptsRow(int row, const QModelIndex&) const
{
    return !m_passes || m_passes(static_cast<std::size_t>(row));
}

int SortedRows::rowOf(int sourceRow) const
{
    return mapFromSource(sourceModel()->index(sourceRow, 0)).row();
}

QVariant SortedRows::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && role == Qt::InitialSortOrderRole && !m_order.isEmpty()) {
        const QVariant first = sourceModel()->index(0, section).data(TableModel::SortRole);
        const bool largestFirst = section > 0 && first.typeId() != QMetaType::QString;
        return static_cast<int>(largestFirst ? Qt::DescendingOrder : Qt::AscendingOrder);
    }
    QVariant own = sourceModel()->headerData(section, orientation, role);
    if (orientation != Qt::Horizontal || role != Qt::ToolTipRole || m_order.isEmpty())
        return own;
    const QString tip = own.toString();
    return (tip.isEmpty() ? QString() : tip + QLatin1Char('\n')) +
           tr("Click to sort by this column, again to reverse, a third time for %1.").arg(m_order);
}

bool SortedRows::lessThan(const QModelIndex& left, const QModelIndex& right) const
{
    // In descending order Qt swaps the two rows to compare.
    const bool ascending = sortOrder() == Qt::AscendingOrder;
    const int fixedFrom = sourceModel()->rowCount() - m_fixed;
    const bool leftFixed = left.row() >= fixedFrom;
    const bool rightFixed = right.row() >= fixedFrom;
    if (leftFixed && rightFixed)
        return (left.row() < right.row()) == ascending;
    if (leftFixed != rightFixed)
        return rightFixed == ascending;
    const bool leftKnown = left.data(TableModel::SortRole).isValid();
    const bool rightKnown = right.data(TableModel::SortRole).isValid();
    if (leftKnown != rightKnown)
        return leftKnown == ascending;
    return QSortFilterProxyModel::lessThan(left, right);
}

} // namespace tilewright::ui
