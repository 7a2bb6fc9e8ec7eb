// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/panes.h"

#include "canvas/canvas.h"
#include "window/lens_cover.h"
#include "window/view_catalog.h"

#include <QApplication>
#include <QDockWidget>
#include <QMainWindow>
#include <QMouseEvent>
#include <QStackedWidget>
#include <QTabBar>

#include <algorithm>

namespace tilewright::ui {

void DockTabs::adopt(QTabBar& tabs)
{
    tabs.setElideMode(Qt::ElideNone); // show titles in full; the bar scrolls instead
    tabs.setUsesScrollButtons(true);
    tabs.setAccessibleName(tr("Panes"));
    tabs.installEventFilter(this);
}

bool DockTabs::eventFilter(QObject* watched, QEvent* event)
{
    const auto* tabs = qobject_cast<const QTabBar*>(watched);
    if (event->type() == QEvent::MouseButtonPress)
        m_tabCountAtPress = tabs->count();
    const bool drags =
        event->type() == QEvent::MouseMove && static_cast<QMouseEvent*>(event)->buttons() != Qt::NoButton;
    // QTabBar drags the tab at the pressed index even if a dock has left the stack since: ignore such drags.
    if (drags && (tabs->count() != m_tabCountAtPress || !tabs->isVisible()))
        return true;
    return QObject::eventFilter(watched, event);
}

namespace {

/// Size of a stack of docks as QMainWindow::resizeDocks() counts it: the front dock with the tab bar.
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
    constexpr int kSettledMs = 600; // window managers maximise a window shortly after showing it
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
        // Queued: runs after the window has done its layout in the new size.
        QMetaObject::invokeMethod(this, &Panes::resizeAgain, Qt::QueuedConnection);
    return QObject::eventFilter(watched, event);
}

Panes::~Panes()
{
    disconnect(qApp, nullptr, this, nullptr);
    disconnect(&m_centre, nullptr, this, nullptr);
    // Views refer to the state and are deleted before it.
    for (View* view : std::as_const(m_views))
        delete view;
}

void Panes::resizeAgain()
{
    if (areHidden())
        return; // the docks are hidden
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
            view->setMinimumWidth(320); // a hidden page must not squeeze the docks
            m_centre.addWidget(view);
            continue;
        }
        auto* dock = new QDockWidget(entry.title, &m_window);
        dock->setObjectName(QStringLiteral("dock.") + entry.name);
        // A dock behind others, or one with a large font, must not force the window to be wide or the graph
        // to be small.
        if (entry.area == DockArea::Bottom)
            view->setMinimumWidth(320);
        constexpr int kLeastHeight = 110;
        if (view->minimumHeight() == 0)
            view->setMinimumHeight(kLeastHeight);
        dock->setWidget(view);
        connect(dock, &QDockWidget::visibilityChanged, view, [this, view](bool seen) {
            if (seen)
                return view->catchUp();
            if (m_lastView == view) // for Qt, a dock behind another one is still visible
                m_lastView = nullptr;
            if (m_mainView == view)
                m_mainView = nullptr;
        });
        m_docks.insert(entry.name, dock);
    }
}

void Panes::follow(QWidget* focus)
{
    for (QWidget* w = focus; w; w = w->parentWidget())
        if (auto* view = qobject_cast<View*>(w)) {
            m_lastView = view;
            // Views can be nested: the outermost one is in the catalog.
            for (const ViewEntry& entry : viewCatalog())
                if (View* known = m_views.value(entry.name);
                    known && (known == focus || known->isAncestorOf(focus))) {
                    m_state.workspace.setCurrent(entry.lens);
                    // The docks at the sides belong to all lenses.
                    if (entry.area == DockArea::Centre || entry.area == DockArea::Bottom)
                        m_mainView = known;
                }
            Q_EMIT currentChanged();
            return;
        }
}

void Panes::place()
{
    QMap<DockArea, QDockWidget*> first; // front dock of each area; the others are tabs behind it
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
    // Without a workload the docks are empty: hide them and give their space to the start page.
    if (!open && !areHidden())
        hideDocks();
    else if (open && areHidden())
        restoreDocks();
}

void Panes::hideDocks()
{
    m_layout = m_window.saveState(kLayoutVersion);
    m_hidden.clear();
    // Before the window is shown, Qt does not know which docks are in front: m_front is used instead.
    const bool visible = m_window.isVisible();
    for (const ViewEntry& entry : viewCatalog())
        if (QDockWidget* dock = m_docks.value(entry.name); dock && !dock->isHidden()) {
            const bool front = visible ? !dock->visibleRegion().isEmpty() : dock == m_front;
            // Only the front dock of a stack has the size of the stack.
            const QSize size = visible && front ? sizeOfStack(*dock, m_window) : QSize();
            m_hidden.insert(front ? m_hidden.end() : m_hidden.begin(), {dock, size});
        }
    for (QDockWidget* dock : std::as_const(m_docks))
        dock->hide();
}

void Panes::restoreDocks()
{
    const QByteArray layout = std::exchange(m_layout, {});
    if (m_hidden.isEmpty())
        m_window.restoreState(layout, kLayoutVersion);
    QList<QDockWidget*> sized;
    QList<int> widths;
    QList<int> heights;
    const auto away = std::exchange(m_hidden, {});
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
    resizeAgain();
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

void Panes::enlargeDock(const QString& name)
{
    // A low window gives a larger share of its height to the dock.
    const int wanted = std::max(m_window.height() * 46 / 100,
                                std::min(24 * m_window.fontMetrics().height(), m_window.height() * 58 / 100));
    QDockWidget* dock = m_docks.value(name);
    if (!dock || dock->isFloating() || dock->height() >= wanted)
        return;
    if (!m_enlarged && m_state.document.hasProblem()) {
        m_enlarged = dock;
        m_heightBefore = dock->height();
    }
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
    m_hidden.clear();
    m_restored.clear();
    m_unsized = !m_window.isVisible();
    m_front = nullptr;
    m_enlarged = nullptr;
    for (const ViewEntry& entry : viewCatalog()) {
        const bool shown = entry.perspectives.split(QLatin1Char(',')).contains(name);
        if (QDockWidget* dock = m_docks.value(entry.name)) {
            dock->setVisible(shown);
            // The view that the perspective is named after is in front, otherwise the first one.
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

void Panes::showNewWorkload()
{
    const QString usual = QStringLiteral("Edit");
    if (m_chosen)
        return;
    if (m_perspective != usual)
        return applyPerspective(usual);
    // Undo enlargeDock(): the graph gets its space back.
    QDockWidget* grown = std::exchange(m_enlarged, nullptr);
    if (!grown || grown->isFloating() || !m_front || m_front->isHidden())
        return;
    m_front->raise();
    m_window.resizeDocks({m_front}, {m_heightBefore}, Qt::Vertical);
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
            // Wide enough for its texts, but not more than a third of the window: the rest is for the graph.
            const int letters = entry.area == DockArea::Left ? 78 : 50;
            sideWidths.push_back(
                std::min(letters * m_window.fontMetrics().averageCharWidth(), m_window.width() * 33 / 100));
        }
    }
    m_window.resizeDocks(sides, sideWidths, Qt::Horizontal);
    // With a graph in the centre the lower docks get less height.
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
    return areHidden() ? m_layout : m_window.saveState(kLayoutVersion);
}

bool Panes::restoreLayout(const QByteArray& layout, const QString& perspective)
{
    m_layout.clear();
    m_hidden.clear();
    const bool restored = m_window.restoreState(layout, kLayoutVersion);
    if (restored) {
        m_perspective = perspective;
        m_restored = layout;
        m_unsized = false;
    } else {
        applyPerspective(QStringLiteral("Edit"));
    }
    showCentre();
    if (restored && areHidden()) {
        m_layout = layout; // hideDocks() saved the layout of a window that is not shown yet: too small
        m_hidden.clear();
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
    if (m_mainView && m_mainView->isVisible())
        for (const ViewEntry& entry : viewCatalog())
            if (m_views.value(entry.name) == m_mainView)
                return entry.lens;
    return Lens::Schedule;
}

std::vector<Lens> Panes::lensesWithoutWorkload() const
{
    std::vector<Lens> lenses;
    if (m_state.document.hasProblem())
        return lenses;
    for (const ViewEntry& entry : viewCatalog())
        if (const QDockWidget* dock = m_docks.value(entry.name);
            dock && !dock->isHidden() && entry.lens != Lens::Schedule &&
            std::ranges::find(lenses, entry.lens) == lenses.end())
            lenses.push_back(entry.lens);
    return lenses;
}

void Panes::closeLenses()
{
    for (const ViewEntry& entry : viewCatalog())
        if (QDockWidget* dock = m_docks.value(entry.name); dock && entry.lens != Lens::Schedule)
            dock->hide();
    m_mainView = nullptr;
}

} // namespace tilewright::ui
