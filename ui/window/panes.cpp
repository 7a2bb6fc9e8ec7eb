// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/panes.h"

#include "canvas/canvas.h"
#include "window/lens_cover.h"
#include "window/view_catalog.h"

#include <QApplication>
#include <QDockWidget>
#include <QMainWindow>
#include <QStackedWidget>

#include <QTabBar>
#include <algorithm>

namespace tilewright::ui {

namespace {

/// What QMainWindow::resizeDocks() gives a stack of docks: the front one and the tabs beside it.
QSize sizeOfStack(const QDockWidget& front, const QMainWindow& window)
{
    QRect stack = front.geometry();
    for (const QTabBar* tabs : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
        if (tabs->isVisible() && tabs->geometry().adjusted(0, -1, 0, 1).intersects(front.geometry()))
            stack |= tabs->geometry();
    return {front.width(), stack.height()};
}

} // namespace

Panes::Panes(QMainWindow& window, AppState& state, QStackedWidget& centre, QWidget& start)
    : QObject(&window), m_window(window), m_state(state), m_centre(centre), m_start(start)
{
    create();
    place();
    m_window.setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    m_window.setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    for (Canvas* canvas : m_window.findChildren<Canvas*>()) {
        connect(canvas, &Canvas::historyChanged, this, &Panes::currentChanged);
        canvas->addActions({m_state.actions.find(QStringLiteral("view.fit")),
                            m_state.actions.find(QStringLiteral("view.fitSelection"))});
    }
    connect(&m_centre, &QStackedWidget::currentChanged, this, &Panes::currentChanged);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { follow(now); });
    constexpr int kSettledMs = 600; // window managers maximise after showing
    m_settled.setSingleShot(true);
    m_settled.setInterval(kSettledMs);
    connect(&m_settled, &QTimer::timeout, this, [this] {
        m_restored.clear();
        m_unsized = false;
    });
    m_window.installEventFilter(this);
}

bool Panes::eventFilter(QObject* watched, QEvent* event)
{
    const bool outgrown =
        event->type() == QEvent::Show || (event->type() == QEvent::Resize && m_window.isVisible());
    if (watched == &m_window && outgrown && (m_unsized || !m_restored.isEmpty()))
        // After the window has laid itself out in the new size.
        QMetaObject::invokeMethod(this, &Panes::sizeAnew, Qt::QueuedConnection);
    return QObject::eventFilter(watched, event);
}

Panes::~Panes()
{
    disconnect(qApp, nullptr, this, nullptr);
    disconnect(&m_centre, nullptr, this, nullptr);
    // Views refer to the state and must go first.
    for (View* view : std::as_const(m_views))
        delete view;
}

void Panes::sizeAnew()
{
    if (isAway())
        return; // the docks are not to be seen
    if (!m_restored.isEmpty())
        m_window.restoreState(m_restored, kLayoutVersion);
    else if (m_unsized)
        resizeAll(m_perspective);
    if (m_window.isVisible() && (m_unsized || !m_restored.isEmpty()) && !m_settled.isActive())
        m_settled.start();
}

void Panes::create()
{
    const ViewContext context = m_state.context();
    for (const ViewEntry& entry : viewCatalog()) {
        View* view = entry.create(context);
        m_views.insert(entry.name, view);
        if (entry.lens != Lens::Schedule)
            new LensCover(context, entry.lens, *view);
        connect(view, &View::wanted, this, [this, name = entry.name] { showView(name); });
        if (entry.area == DockArea::Centre) {
            view->setMinimumWidth(320); // the page that is not shown does not squeeze the docks
            m_centre.addWidget(view);
            continue;
        }
        auto* dock = new QDockWidget(entry.title, &m_window);
        dock->setObjectName(QStringLiteral("dock.") + entry.name);
        // A pane that stands behind others does not keep the window wide, nor its large letters the graph
        // small.
        if (entry.area == DockArea::Bottom)
            view->setMinimumWidth(320);
        constexpr int kLeastHeight = 110;
        if (view->minimumHeight() == 0)
            view->setMinimumHeight(kLeastHeight);
        dock->setWidget(view);
        connect(dock, &QDockWidget::visibilityChanged, view, [this, view](bool seen) {
            if (seen)
                view->catchUp();
            else if (m_lastView == view) // a pane behind another one counts as visible for Qt
                m_lastView = nullptr;
        });
        m_docks.insert(entry.name, dock);
    }
}

void Panes::follow(QWidget* focus)
{
    for (QWidget* w = focus; w; w = w->parentWidget())
        if (auto* view = qobject_cast<View*>(w)) {
            m_lastView = view;
            // A pane of a lens stands in its view: the outermost one is in the catalog.
            for (const ViewEntry& entry : viewCatalog())
                if (View* known = m_views.value(entry.name);
                    known && (known == focus || known->isAncestorOf(focus)))
                    m_state.workspace.setCurrent(entry.lens);
            Q_EMIT currentChanged();
            return;
        }
}

void Panes::place()
{
    QMap<DockArea, QDockWidget*> first; // the others of its area stand behind it
    for (const ViewEntry& entry : viewCatalog()) {
        QDockWidget* dock = m_docks.value(entry.name);
        if (!dock)
            continue;
        const Qt::DockWidgetArea area = entry.area == DockArea::Left    ? Qt::LeftDockWidgetArea
                                        : entry.area == DockArea::Right ? Qt::RightDockWidgetArea
                                                                        : Qt::BottomDockWidgetArea;
        m_window.addDockWidget(area, dock);
        if (QDockWidget* front = first.value(entry.area))
            m_window.tabifyDockWidget(front, dock);
        else
            first.insert(entry.area, dock);
    }
    for (QDockWidget* front : std::as_const(first))
        front->raise();
}

void Panes::showCentre()
{
    const bool open = m_state.document.hasProblem();
    if (open && m_centre.currentWidget() == &m_start)
        m_centre.setCurrentWidget(m_views.value(QStringLiteral("graph")));
    if (!open)
        m_centre.setCurrentWidget(&m_start);
    // Without a workload the panes of the schedule have nothing to say: the start page gets the room.
    if (!open && !isAway())
        putAway();
    else if (open && isAway())
        bringBack();
}

void Panes::putAway()
{
    m_layout = m_window.saveState(kLayoutVersion);
    m_away.clear();
    // Which are in front of a window that is not shown yet is not to be seen: those that the catalog begins
    // with.
    const bool visible = m_window.isVisible();
    for (const ViewEntry& entry : viewCatalog())
        if (QDockWidget* dock = m_docks.value(entry.name); dock && !dock->isHidden()) {
            const bool front = visible ? !dock->visibleRegion().isEmpty() : dock == m_front;
            // Only the front one of a stack has its size.
            const QSize size = visible && front ? sizeOfStack(*dock, m_window) : QSize();
            m_away.insert(front ? m_away.end() : m_away.begin(), {dock, size});
        }
    for (QDockWidget* dock : std::as_const(m_docks))
        dock->hide();
}

void Panes::bringBack()
{
    const QByteArray layout = std::exchange(m_layout, {});
    if (m_away.isEmpty())
        m_window.restoreState(layout, kLayoutVersion);
    QList<QDockWidget*> sized;
    QList<int> widths;
    QList<int> heights;
    const auto away = std::exchange(m_away, {});
    const bool seen = std::ranges::any_of(away, [](const auto& at) { return !at.second.isEmpty(); });
    for (const auto& [dock, size] : away) {
        dock->show();
        if (seen && size.isEmpty())
            continue;
        dock->raise();
        if (size.isEmpty() || dock->isFloating())
            continue;
        sized.push_back(dock);
        widths.push_back(size.width());
        heights.push_back(size.height());
    }
    m_window.resizeDocks(sized, widths, Qt::Horizontal);
    m_window.resizeDocks(sized, heights, Qt::Vertical);
    sizeAnew();
}

void Panes::showView(const QString& name)
{
    if (QDockWidget* dock = m_docks.value(name)) {
        dock->show();
        dock->raise();
    } else if (View* view = m_views.value(name)) {
        m_centre.setCurrentWidget(view);
    }
    if (View* view = m_views.value(name)) {
        view->catchUp();
        view->setFocus();
    }
}

void Panes::makeRoom(const QString& name)
{
    if (QDockWidget* dock = m_docks.value(name); dock && !m_state.document.hasProblem())
        m_window.resizeDocks({dock}, {m_window.height() * 7 / 10}, Qt::Vertical);
}

void Panes::giveRoom(const QString& name)
{
    // In a low window the picture needs the larger part.
    const int wanted = std::max(m_window.height() * 46 / 100,
                                std::min(24 * m_window.fontMetrics().height(), m_window.height() * 58 / 100));
    if (QDockWidget* dock = m_docks.value(name); dock && !dock->isFloating() && dock->height() < wanted)
        m_window.resizeDocks({dock}, {wanted}, Qt::Vertical);
}

void Panes::toggleLower()
{
    QList<QPointer<QDockWidget>> shown;
    for (const ViewEntry& entry : viewCatalog())
        if (QDockWidget* dock = m_docks.value(entry.name);
            dock && m_window.dockWidgetArea(dock) == Qt::BottomDockWidgetArea && !dock->isHidden() &&
            !dock->isFloating())
            shown.insert(dock->visibleRegion().isEmpty() ? 0 : shown.size(), dock);
    if (!shown.isEmpty()) {
        m_lower = shown;
        for (QDockWidget* dock : shown)
            dock->hide();
        return;
    }
    for (QDockWidget* dock : std::as_const(m_lower))
        dock->show();
    if (!m_lower.isEmpty())
        m_lower.last()->raise();
}

void Panes::applyPerspective(const QString& name)
{
    m_perspective = name;
    m_lower.clear();
    m_layout.clear();
    m_away.clear();
    m_restored.clear();
    m_unsized = !m_window.isVisible();
    m_front = nullptr;
    for (const ViewEntry& entry : viewCatalog()) {
        const bool shown = entry.perspectives.split(QLatin1Char(',')).contains(name);
        if (QDockWidget* dock = m_docks.value(entry.name)) {
            dock->setVisible(shown);
            // The pane that the perspective is named after is in front, otherwise its first.
            if (shown && entry.area == DockArea::Bottom && (!m_front || entry.name == name.toLower()))
                m_front = dock;
        } else if (shown && m_state.document.hasProblem()) {
            m_centre.setCurrentWidget(m_views.value(entry.name));
        }
    }
    if (m_front)
        m_front->raise();
    resizeAll(name);
}

void Panes::choosePerspective(const QString& name)
{
    m_chosen = true;
    applyPerspective(name);
}

void Panes::welcome()
{
    const QString usual = QStringLiteral("Edit");
    if (!m_chosen && m_perspective != usual)
        applyPerspective(usual);
}

void Panes::resizeAll(const QString& perspective)
{
    QList<QDockWidget*> bottom;
    QList<QDockWidget*> sides;
    QList<int> sideWidths;
    for (const ViewEntry& entry : viewCatalog()) {
        QDockWidget* dock = m_docks.value(entry.name);
        if (!dock || dock->isHidden())
            continue;
        if (entry.area == DockArea::Bottom)
            bottom.push_back(dock);
        else {
            sides.push_back(dock);
            // As wide as its text needs, but the graph keeps the larger part of the window.
            const int letters = entry.area == DockArea::Left ? 78 : 50;
            sideWidths.push_back(
                std::min(letters * m_window.fontMetrics().averageCharWidth(), m_window.width() * 33 / 100));
        }
    }
    m_window.resizeDocks(sides, sideWidths, Qt::Horizontal);
    // Beside a graph that is worked in the lower panes take less of a window that large letters fill soon.
    const bool graphFirst = perspective == QLatin1String("Edit") || perspective == QLatin1String("Compare");
    const int lines = graphFirst ? 17 : 29;
    if (!bottom.isEmpty())
        m_window.resizeDocks({bottom.first()},
                             {std::min(lines * m_window.fontMetrics().height(),
                                       m_window.height() * (graphFirst ? 44 : 52) / 100)},
                             Qt::Vertical);
}

void Panes::restoreDefaults()
{
    for (QDockWidget* dock : std::as_const(m_docks)) {
        dock->setFloating(false);
        m_window.removeDockWidget(dock);
    }
    place();
    m_chosen = false;
    applyPerspective(QStringLiteral("Edit"));
    showCentre();
}

QByteArray Panes::layout() const
{
    return isAway() ? m_layout : m_window.saveState(kLayoutVersion);
}

bool Panes::restoreLayout(const QByteArray& layout, const QString& perspective)
{
    m_layout.clear();
    m_away.clear();
    const bool restored = m_window.restoreState(layout, kLayoutVersion);
    if (restored) {
        m_perspective = perspective;
        m_restored = layout;
        m_unsized = false;
    } else {
        applyPerspective(QStringLiteral("Edit"));
    }
    showCentre();
    if (restored && isAway()) {
        m_layout = layout; // not as it was squeezed into a window that is not shown yet
        m_away.clear();
    }
    return restored;
}

void Panes::toggle(const QString& name)
{
    QDockWidget* dock = m_docks.value(name);
    if (!dock->isVisible() || !m_views.value(name)->isSeen()) {
        showView(name);
        return;
    }
    const bool focused = dock->isAncestorOf(QApplication::focusWidget());
    dock->hide();
    if (focused && m_centre.currentWidget())
        m_centre.currentWidget()->setFocus();
}

Canvas* Panes::currentCanvas() const
{
    View* view = currentView();
    if (auto* canvas = qobject_cast<Canvas*>(view))
        return canvas;
    if (view)
        for (Canvas* canvas : view->findChildren<Canvas*>())
            if (canvas->isVisible())
                return canvas;
    return qobject_cast<Canvas*>(m_centre.currentWidget());
}

View* Panes::currentView() const
{
    if (m_lastView && m_lastView->isVisible())
        return m_lastView;
    return qobject_cast<View*>(m_centre.currentWidget());
}

Lens Panes::lens() const
{
    const View* view = currentView();
    for (const ViewEntry& entry : viewCatalog())
        if (const View* known = m_views.value(entry.name);
            known && view && (known == view || known->isAncestorOf(view)))
            return entry.lens;
    return Lens::Schedule;
}

} // namespace tilewright::ui
