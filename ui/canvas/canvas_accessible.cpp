// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/canvas_accessible.h"

#include "canvas/canvas.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QTimer>

#include <map>

namespace tilewright::ui {

namespace {

class CanvasAccessible;

/// One cell of the table. Looks up its text at each query, because the view may have changed.
class CanvasCell : public QAccessibleInterface, public QAccessibleTableCellInterface
{
public:
    CanvasCell(CanvasAccessible& table, int row, int column) : m_table(table), m_row(row), m_column(column) {}

    bool isValid() const override;
    QObject* object() const override { return nullptr; }
    QWindow* window() const override;
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    QAccessibleInterface* parent() const override;
    QAccessibleInterface* child(int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QString text(QAccessible::Text kind) const override;
    void setText(QAccessible::Text, const QString&) override {}
    QRect rect() const override;
    QAccessible::Role role() const override { return QAccessible::Cell; }
    QAccessible::State state() const override
    {
        QAccessible::State state;
        state.readOnly = true;
        return state;
    }
    void* interface_cast(QAccessible::InterfaceType type) override
    {
        return type == QAccessible::TableCellInterface ? static_cast<QAccessibleTableCellInterface*>(this)
                                                       : nullptr;
    }

    bool isSelected() const override { return false; }
    QList<QAccessibleInterface*> columnHeaderCells() const override { return {}; }
    QList<QAccessibleInterface*> rowHeaderCells() const override { return {}; }
    int columnIndex() const override { return m_column; }
    int rowIndex() const override { return m_row; }
    int columnExtent() const override { return 1; }
    int rowExtent() const override { return 1; }
    QAccessibleInterface* table() const override { return parent(); }

private:
    CanvasAccessible& m_table;
    int m_row, m_column;
};

/// Accessible interface of a canvas. Children: its child widgets, then the cells row by row.
class CanvasAccessible : public QAccessibleWidget, public QAccessibleTableInterface
{
public:
    explicit CanvasAccessible(Canvas& canvas)
        : QAccessibleWidget(&canvas, QAccessible::Table), m_canvas(canvas)
    {
    }
    ~CanvasAccessible() override
    {
        for (const auto& [place, id] : m_cells)
            QAccessible::deleteAccessibleInterface(id);
    }

    void* interface_cast(QAccessible::InterfaceType type) override
    {
        return type == QAccessible::TableInterface ? static_cast<QAccessibleTableInterface*>(this)
                                                   : QAccessibleWidget::interface_cast(type);
    }
    int childCount() const override { return QAccessibleWidget::childCount() + rowCount() * columnCount(); }
    QAccessibleInterface* child(int index) const override
    {
        const int widgets = QAccessibleWidget::childCount();
        if (index < widgets)
            return QAccessibleWidget::child(index);
        const int columns = columnCount();
        return columns == 0 ? nullptr : cellAt((index - widgets) / columns, (index - widgets) % columns);
    }
    int indexOfChild(const QAccessibleInterface* child) const override
    {
        if (const auto* cell = dynamic_cast<const CanvasCell*>(child))
            return QAccessibleWidget::childCount() + cell->rowIndex() * columnCount() + cell->columnIndex();
        return QAccessibleWidget::indexOfChild(child);
    }

    QAccessibleInterface* caption() const override { return nullptr; }
    QAccessibleInterface* summary() const override { return nullptr; }
    QAccessibleInterface* cellAt(int row, int column) const override
    {
        if (row < 0 || column < 0 || row >= rowCount() || column >= columnCount())
            return nullptr;
        auto* self = const_cast<CanvasAccessible*>(this);
        auto& id = self->m_cells[{row, column}];
        if (id == 0)
            id = QAccessible::registerAccessibleInterface(new CanvasCell(*self, row, column));
        return QAccessible::accessibleInterface(id);
    }
    int columnCount() const override { return static_cast<int>(head().size()); }
    int rowCount() const override { return std::max(0, static_cast<int>(lines().size()) - 1); }
    QString columnDescription(int column) const override { return head().value(column); }
    QString rowDescription(int row) const override { return text(row, 0); }

    // The table is read-only without selection; controls and lists report the selection.
    int selectedCellCount() const override { return 0; }
    int selectedColumnCount() const override { return 0; }
    int selectedRowCount() const override { return 0; }
    QList<QAccessibleInterface*> selectedCells() const override { return {}; }
    QList<int> selectedColumns() const override { return {}; }
    QList<int> selectedRows() const override { return {}; }
    bool isColumnSelected(int) const override { return false; }
    bool isRowSelected(int) const override { return false; }
    bool selectRow(int) override { return false; }
    bool selectColumn(int) override { return false; }
    bool unselectRow(int) override { return false; }
    bool unselectColumn(int) override { return false; }
    void modelChange(QAccessibleTableModelChangeEvent*) override {}

    [[nodiscard]] QString text(int row, int column) const
    {
        return lines().value(row + 1).split(QLatin1Char('\t')).value(column);
    }

private:
    [[nodiscard]] QStringList head() const
    {
        return lines().isEmpty() ? QStringList() : lines().front().split(QLatin1Char('\t'));
    }
    /// Present rows, cached until control returns to the event loop.
    [[nodiscard]] const QStringList& lines() const
    {
        if (!m_fresh) {
            m_lines = m_canvas.tableText().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
            m_fresh = true;
            QTimer::singleShot(0, &m_canvas, [this] { m_fresh = false; });
        }
        return m_lines;
    }

    Canvas& m_canvas;
    mutable QStringList m_lines;
    mutable bool m_fresh = false;
    std::map<std::pair<int, int>, QAccessible::Id> m_cells;
};

bool CanvasCell::isValid() const
{
    return m_table.isValid();
}

QWindow* CanvasCell::window() const
{
    return m_table.window();
}

QAccessibleInterface* CanvasCell::parent() const
{
    return &m_table;
}

QString CanvasCell::text(QAccessible::Text kind) const
{
    if (kind == QAccessible::Description)
        return m_table.columnDescription(m_column);
    return kind == QAccessible::Name || kind == QAccessible::Value ? m_table.text(m_row, m_column)
                                                                   : QString();
}

QRect CanvasCell::rect() const
{
    return m_table.rect();
}

QAccessibleInterface* canvasInterface(const QString&, QObject* object)
{
    auto* canvas = qobject_cast<Canvas*>(object);
    return canvas ? new CanvasAccessible(*canvas) : nullptr;
}

} // namespace

void installCanvasAccessibility()
{
    static const bool once = (QAccessible::installFactory(canvasInterface), true);
    Q_UNUSED(once)
}

} // namespace tilewright::ui
