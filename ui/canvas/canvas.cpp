// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/canvas.h"

#include "theme/text.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QApplication>
#include <QCoreApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QResizeEvent>
#include <QTimer>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
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

    // The table is read-only and has no selection: the window's controls and lists report the selection.
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
    /// Rows of the table, cached until control returns to the event loop.
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

/// Presents every Canvas to assistive technology as a table with the rows of View::tableText(), plus its
/// child controls. Called once, by the first canvas.
void installCanvasAccessibility()
{
    static const bool once = (QAccessible::installFactory(canvasInterface), true);
    Q_UNUSED(once)
}

/// True if two parts have the same bounds. Coordinates can be decades or cycles, so the tolerance is
/// relative.
bool sameLook(const QRectF& a, const QRectF& b)
{
    if (a.isNull() || b.isNull())
        return a.isNull() == b.isNull();
    const double w = 1e-3 * std::max(a.width(), b.width());
    const double h = 1e-3 * std::max(a.height(), b.height());
    return std::abs(a.left() - b.left()) <= w && std::abs(a.right() - b.right()) <= w &&
           std::abs(a.top() - b.top()) <= h && std::abs(a.bottom() - b.bottom()) <= h;
}

constexpr int kSampled = 6; // distance in pixels between the positions that are probed

/// Finds the parts by probing a grid of positions: neighbours with the same content become one part.
std::vector<PicturePart> sampledParts(const QSize& size, const std::function<PicturePart(QPointF)>& at)
{
    std::vector<PicturePart> parts;
    std::vector<std::size_t> above; // parts that reach down to the current row of the grid
    for (int y = 0; y < size.height(); y += kSampled) {
        std::vector<PicturePart> row;
        for (int x = 0; x < size.width(); x += kSampled) {
            PicturePart here = at(QPointF(x, y) + QPointF(kSampled, kSampled) / 2);
            if (here.tooltip.isEmpty())
                continue;
            here.rect = QRectF(x, y, kSampled, kSampled);
            if (!row.empty() && row.back().rect.right() == x && row.back().tooltip == here.tooltip &&
                row.back().keys == here.keys)
                row.back().rect.setRight(here.rect.right());
            else
                row.push_back(std::move(here));
        }
        std::vector<std::size_t> now;
        for (PicturePart& part : row) {
            const auto same = std::find_if(above.begin(), above.end(), [&](std::size_t i) {
                return parts[i].rect.left() == part.rect.left() &&
                       parts[i].rect.right() == part.rect.right() && parts[i].tooltip == part.tooltip &&
                       parts[i].keys == part.keys;
            });
            if (same != above.end()) {
                parts[*same].rect.setBottom(part.rect.bottom());
                now.push_back(*same);
            } else {
                now.push_back(parts.size());
                parts.push_back(std::move(part));
            }
        }
        above = std::move(now);
    }
    return parts;
}

} // namespace

Canvas::Canvas(const ViewContext& context, QString name, QString title, QWidget* parent)
    : View(context, std::move(name), std::move(title), parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(120, 60);
    setAttribute(Qt::WA_OpaquePaintEvent);
    installCanvasAccessibility();
    addCommonKeys();
    m_time.start();
    // The hints that canvases paint contain keys.
    connect(&registry(), &Actions::keysChanged, this, qOverload<>(&QWidget::update));
    // Parts of another problem are meaningless in the zoom history.
    document().whenChanged(this, Part::Problem, [this] {
        m_history.clear();
        Q_EMIT historyChanged();
    });
}

void Canvas::paintExport(QPainter& painter, const QSize& size, const Theme& theme)
{
    const QRectF area(QPointF(0, 0), size);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.fillRect(area, theme.canvas);
    paint(painter, area, theme, true);
}

std::vector<PicturePart> Canvas::partsByPlace(const QSize& size)
{
    const auto makeLarge = [this](const QSize& to) {
        const QSize from = this->size();
        resize(to);
        QResizeEvent event(to, from); // Qt sends no resize event to a hidden widget
        QCoreApplication::sendEvent(this, &event);
    };
    const QSize before = this->size();
    makeLarge(size);
    makeLarge(size + (QSizeF(size) - pictureArea().size()).toSize());
    const QPointF origin = pictureArea().topLeft();
    std::vector<PicturePart> parts = sampledParts(size, [&](QPointF at) {
        return PicturePart{{}, keysAt(at + origin), tooltipAt(at + origin)};
    });
    makeLarge(before);
    return parts;
}

void Canvas::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.fillRect(rect(), theme().canvas);
    paint(painter, rect(), theme(), false);
    if (hasFocus() && focusPolicy() != Qt::NoFocus) {
        painter.resetTransform();
        painter.setClipping(false);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme().accent, 2));
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
}

// -- zoom history ----------------------------------------------------------------------------------------

void Canvas::remember(const std::optional<QRectF>& before, ZoomHistory::Gesture gesture)
{
    const std::optional<QRectF> now = shownPart();
    if (!before || !now || sameLook(*before, *now))
        return;
    m_history.leave(*before, gesture, m_time.elapsed());
    Q_EMIT historyChanged();
}

void Canvas::look(const std::function<void()>& change, ZoomHistory::Gesture gesture)
{
    const std::optional<QRectF> before = shownPart();
    change();
    remember(before, gesture);
}

void Canvas::goBack()
{
    if (const auto part = m_history.back(shownPart().value_or(QRectF())))
        showPart(*part);
    Q_EMIT historyChanged();
}

void Canvas::goForward()
{
    if (const auto part = m_history.forward(shownPart().value_or(QRectF())))
        showPart(*part);
    Q_EMIT historyChanged();
}

void Canvas::goToSelection()
{
    const std::optional<QRectF> before = shownPart();
    const QRectF target = selectedPart();
    if (before && !before->isNull() && !target.isEmpty()) {
        QRectF centred = *before;
        centred.moveCenter(target.center());
        showPart(centred);
        if (!sameLook(*before, shownPart().value_or(QRectF())))
            return;
    }
    fitSelection();
}

void Canvas::showTooltipOfFocus()
{
    const QPointF at = focusPoint();
    QString text = tooltipAt(at);
    if (text.isEmpty())
        text = accessibleDescription().isEmpty() ? title() : accessibleDescription();
    // The tooltip stays for up to 60 s, because the mouse does not point at it.
    QToolTip::showText(mapToGlobal(at.toPoint()), rich(text), this, rect(), 60'000);
}

// -- events ----------------------------------------------------------------------------------------------

bool Canvas::event(QEvent* event)
{
    switch (event->type()) {
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonDblClick:
        if (const auto button = static_cast<QMouseEvent*>(event)->button();
            button == Qt::BackButton || button == Qt::ForwardButton) {
            button == Qt::BackButton ? goBack() : goForward();
            m_beforeDrag.reset();
            return true;
        }
        m_beforeDrag = shownPart();
        return handle(event);
    case QEvent::MouseButtonRelease: {
        const bool done = handle(event);
        remember(std::exchange(m_beforeDrag, std::nullopt), ZoomHistory::Gesture::Drag);
        return done;
    }
    case QEvent::Wheel:
    case QEvent::KeyPress: {
        const auto before = shownPart();
        const bool done = handle(event);
        remember(before,
                 event->type() == QEvent::Wheel ? ZoomHistory::Gesture::Wheel : ZoomHistory::Gesture::Keys);
        return done;
    }
    default:
        return handle(event);
    }
}

bool Canvas::handle(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const QString text = tooltipAt(help->pos());
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), rich(text), this);
        return true;
    }
    return View::event(event);
}

void Canvas::wheelEvent(QWheelEvent* event)
{
    // A touchpad reports pixels: two fingers scroll, with Ctrl they zoom. A mouse wheel zooms
    // (docs/design.md 4.1), unless the preference is that it scrolls.
    const bool control = event->modifiers() & Qt::ControlModifier;
    if (!control && (m_wheelScrolls || !event->pixelDelta().isNull())) {
        QPointF by =
            event->pixelDelta().isNull() ? QPointF(event->angleDelta()) / 2 : QPointF(event->pixelDelta());
        if (event->modifiers() & Qt::ShiftModifier && by.x() == 0)
            by = by.transposed();
        panBy(by);
    } else {
        const double fine = control && !m_wheelScrolls ? 0.35 : 1.0;
        const double notches = event->angleDelta().y() / 120.0;
        zoomBy(std::pow(1.2, notches * fine), event->position());
    }
    event->accept();
}

void Canvas::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::MiddleButton || event->button() == Qt::RightButton) {
        m_panning = true;
        m_panFrom = event->position();
        m_rightPressed = event->position();
    }
}

void Canvas::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_panning)
        return;
    setCursor(Qt::ClosedHandCursor);
    panBy(event->position() - m_panFrom);
    m_panFrom = event->position();
}

void Canvas::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_panning && (event->button() == Qt::MiddleButton || event->button() == Qt::RightButton)) {
        m_panning = false;
        unsetCursor();
    }
    const bool moved =
        (event->position() - m_rightPressed).manhattanLength() >= QApplication::startDragDistance();
    if (event->button() == Qt::RightButton && !moved)
        showContextMenu(event->position());
}

void Canvas::showContextMenu(QPointF position)
{
    setFocus(Qt::MouseFocusReason); // the commands act on the view with the focus
    QMenu menu(this);
    menu.setToolTipsVisible(true);
    menu.addActions(viewCommands());
    for (const char* id : {"", "view.fit", "view.fitSelection", "view.back", "view.maximise", "",
                           "file.export", "edit.copyImage", "edit.copy", "view.note"}) {
        if (*id == 0)
            menu.addSeparator();
        else if (QAction* action = registry().find(QLatin1String(id)))
            menu.addAction(action);
    }
    if (!menu.isEmpty())
        menu.exec(mapToGlobal(position.toPoint()));
}

void Canvas::keyPressEvent(QKeyEvent* event)
{
    if (m_keys.press(*event))
        event->accept();
    else if (event->key() == Qt::Key_Menu)
        showContextMenu(focusPoint());
    else
        View::keyPressEvent(event);
}

} // namespace tilewright::ui
