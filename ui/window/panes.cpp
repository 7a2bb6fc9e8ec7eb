// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/panes.h"

#include "canvas/canvas.h"
#include "window/dock_title.h"
#include "window/lens_cover.h"
#include "window/view_catalog.h"

#include <QApplication>
#include <QDockWidget>
#include <QMainWindow>
#include <QMouseEvent>
#include <QStackedWidget>
#include <QStyle>
#include <QTabBar>

#include <algorithm>

namespace tilewright::ui {

void DockTabs::adopt(QTabBar& tabs)
{
    tabs.setElideMode(Qt::ElideNone); // titles are shown in full; the tab bar scrolls instead
    tabs.setUsesScrollButtons(true);
    tabs.setAccessibleName(tr("Panes"));
    tabs.installEventFilter(this);
}

bool DockTabs::eventFilter(QObject* watched, QEvent* event)
{
    const auto* tabs = qobject_cast<const QTabBar*>(watched);
    if (event->type() == QEvent::MouseButtonDblClick) {
        const int at = tabs->tabAt(static_cast<QMouseEvent*>(event)->pos());
        if (at >= 0)
            Q_EMIT doubleClicked(tabs->tabText(at));
        return true;
    }
    if (event->type() == QEvent::MouseButtonPress)
        m_tabCountAtPress = tabs->count();
    const bool drags =
        event->type() == QEvent::MouseMove && static_cast<QMouseEvent*>(event)->buttons() != Qt::NoButton;
    // QTabBar drags the tab at the index where the mouse was pressed, even if a dock has left the stack
    // since. Such drags are ignored.
    if (drags && (tabs->count() != m_tabCountAtPress || !tabs->isVisible()))
        return true;
    return QObject::eventFilter(watched, event);
}

namespace {

/// Returns the size of a stack of docks as QMainWindow::resizeDocks() expects it: the front dock with its tab
/// bar.
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
    for (Canvas* canvas : m_window.findChildren<Canvas*>()) {
        connect(canvas, &Canvas::historyChanged, this, &Panes::currentChanged);
        canvas->addActions({m_state.actions.find(QStringLiteral("view.fit")),
                            m_state.actions.find(QStringLiteral("view.fitSelection"))});
    }
    connect(&m_centre, &QStackedWidget::currentChanged, this, &Panes::currentChanged);
    connect(&m_centre, &QStackedWidget::currentChanged, this, &Panes::centreChanged);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { follow(now); });
    // Time in milliseconds in which window managers may maximise a window that was just shown.
    constexpr int kSettledMs = 600;
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
        // Queued, so that it runs after the window has done its layout in the new size.
        QMetaObject::invokeMethod(this, &Panes::resizeAgain, Qt::QueuedConnection);
    // A double click on the title of a dock maximises it; Qt would detach it from the window.
    if (auto* dock = qobject_cast<QDockWidget*>(watched);
        dock && event->type() == QEvent::MouseButtonDblClick && !dock->isFloating()) {
        toggleMaximised(qobject_cast<View*>(dock->widget()));
        return true;
    }
    return QObject::eventFilter(watched, event);
}

Panes::~Panes()
{
    disconnect(qApp, nullptr, this, nullptr);
    disconnect(&m_centre, nullptr, this, nullptr);
    // Views refer to the state, so they are deleted before it.
    for (View* view : std::as_const(m_views))
        delete view;
}

void Panes::resizeAgain()
{
    if (areHidden())
        return; // the views are hidden while the docks are hidden
    if (!m_restored.isEmpty())
        (void)restoreState(m_restored);
    else if (m_unsized)
        resizeAll();
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
        // A dock behind others, or with a large font, must not enlarge the minimum width of the window or
        // shrink the graph.
        if (entry.area == DockArea::Charts)
            view->setMinimumWidth(320);
        constexpr int kLeastHeight = 110;
        if (view->minimumHeight() == 0)
            view->setMinimumHeight(kLeastHeight);
        dock->setWidget(view);
        connect(dock, &QDockWidget::visibilityChanged, view, [this, view](bool seen) {
            if (seen)
                return view->catchUp();
            if (m_lastView == view) // Qt counts a dock behind another one as visible
                m_lastView = nullptr;
        });
        dock->installEventFilter(this);
        auto* title = new DockTitle(*dock);
        dock->setTitleBarWidget(title);
        connect(title, &DockTitle::maximiseClicked, this, [this, view] { toggleMaximised(view); });
        connect(this, &Panes::maximisedChanged, title,
                [this, title, view] { title->setMaximised(m_maximised == view); });
        m_docks.insert(entry.name, dock);
    }
}

void Panes::follow(QWidget* focus)
{
    for (QWidget* w = focus; w; w = w->parentWidget())
        if (auto* view = qobject_cast<View*>(w)) {
            const bool another = std::exchange(m_lastView, view) != view;
            // If views are nested, the outermost one is in the catalog. The list of layers belongs to the
            // lens beside it.
            for (const ViewEntry& entry : viewCatalog())
                if (View* known = m_views.value(entry.name); another && known &&
                                                             entry.area != DockArea::Left &&
                                                             (known == focus || known->isAncestorOf(focus)))
                    m_state.workspace.setCurrent(entry.lens);
            Q_EMIT currentChanged();
            return;
        }
}

void Panes::place()
{
    // From left to right: the list of layers; the graph; a column with the charts above the subgraphs and the
    // properties. The views of the lenses are with the charts and take the place of the graph.
    QMap<DockArea, QDockWidget*> first; // front dock of each place; the other docks are tabs behind it
    for (const ViewEntry& entry : viewCatalog())
        if (QDockWidget* dock = m_docks.value(entry.name); dock && !first.contains(entry.area)) {
            first.insert(entry.area, dock);
            m_window.addDockWidget(
                entry.area == DockArea::Left ? Qt::LeftDockWidgetArea : Qt::RightDockWidgetArea, dock);
        }
    m_window.splitDockWidget(first[DockArea::Charts], first[DockArea::Table], Qt::Vertical);
    m_window.splitDockWidget(first[DockArea::Table], first[DockArea::Properties], Qt::Horizontal);
    for (const ViewEntry& entry : viewCatalog())
        if (QDockWidget* dock = m_docks.value(entry.name); dock && first[entry.area] != dock)
            m_window.tabifyDockWidget(first[entry.area], dock);
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
    // Without a workload the docks are hidden, because they are empty, and the start page gets their space.
    if (!open && !areHidden())
        hideDocks();
    else if (open && areHidden())
        restoreDocks();
    updateCentre();
}

void Panes::updateCentre()
{
    const bool startsHere = m_centre.currentWidget() == &m_start && lensesWithoutWorkload().empty();
    const bool isFull = m_maximised && m_centre.indexOf(m_maximised) < 0;
    m_centre.setVisible(!isFull && (startsHere || ui::perspective(m_perspective).hasCentre));
}

Panes::Arrangement Panes::arrangement() const
{
    Arrangement out;
    // Before the window is shown, Qt does not know which docks are in front, so m_front is used.
    const bool visible = m_window.isVisible();
    for (const ViewEntry& entry : viewCatalog())
        if (QDockWidget* dock = m_docks.value(entry.name); dock && !dock->isHidden()) {
            const bool front = visible ? !dock->visibleRegion().isEmpty() : dock == m_front;
            // Only the front dock of a stack has the size of the stack.
            const QSize size = visible && front ? sizeOfStack(*dock, m_window) : QSize();
            out.insert(front ? out.end() : out.begin(), {dock, size});
        }
    return out;
}

void Panes::arrange(const Arrangement& docks)
{
    const auto isShown = [&](const QDockWidget* dock) {
        return std::ranges::any_of(docks, [dock](const auto& at) { return at.first == dock; });
    };
    for (QDockWidget* dock : std::as_const(m_docks))
        if (!isShown(dock))
            dock->hide();
    QList<QDockWidget*> sized;
    QList<int> widths;
    QList<int> heights;
    const bool seen = std::ranges::any_of(docks, [](const auto& at) { return !at.second.isEmpty(); });
    for (const auto& [dock, size] : docks) {
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
    updateCentre();
    m_window.resizeDocks(sized, widths, Qt::Horizontal);
    m_window.resizeDocks(sized, heights, Qt::Vertical);
    repaintLater();
}

void Panes::hideDocks()
{
    const Arrangement shown = m_maximised ? m_beforeMaximised : arrangement();
    leaveMaximised();
    m_layout = m_window.saveState(kLayoutVersion);
    m_hidden = shown;
    for (QDockWidget* dock : std::as_const(m_docks))
        dock->hide();
}

void Panes::restoreDocks()
{
    const QByteArray layout = std::exchange(m_layout, {});
    if (m_hidden.isEmpty())
        (void)restoreState(layout);
    else
        arrange(std::exchange(m_hidden, {}));
    for (const QString& name : m_offered.values())
        offer(name, true);
    resizeAgain();
}

void Panes::showView(const QString& name)
{
    View* view = m_views.value(name);
    if (!view)
        return;
    if (m_maximised && m_maximised != view)
        leaveMaximised();
    for (const ViewEntry& entry : viewCatalog())
        if (entry.name == name && entry.lens != Lens::Schedule && (entry.lens != lens() || areHidden()))
            showLens(entry.lens); // the start page hides the panes of the lens of the last session
    if (QDockWidget* dock = m_docks.value(name)) {
        dock->show();
        dock->raise();
    } else {
        showLens(Lens::Schedule);
        // The graph and the comparison are shown and hidden with the docks of their tasks.
        const QString compare = QStringLiteral("Compare");
        if ((name == QLatin1String("compare")) != (m_perspective == compare) &&
            m_state.document.hasProblem()) {
            const bool chosen = m_chosen;
            choosePerspective(name == QLatin1String("compare") ? compare : m_taskBefore);
            m_chosen = chosen;
        }
        m_centre.setCurrentWidget(view);
    }
    view->catchUp();
    view->setFocus();
}

void Panes::offer(const QString& name, bool hasSomethingToSay)
{
    QDockWidget* dock = m_docks.value(name);
    hasSomethingToSay ? (void)m_offered.insert(name) : (void)m_offered.remove(name);
    if (!dock || areHidden() || m_maximised)
        return;
    if (!hasSomethingToSay) {
        if (!dock->isHidden() && !m_views.value(name)->isSeen())
            dock->hide();
        return;
    }
    if (!dock->isHidden())
        return;
    const Arrangement before = arrangement();
    dock->show();
    // A dock that is shown again comes to the front of its stack.
    for (const auto& [front, size] : before)
        if (!size.isEmpty())
            front->raise();
}

void Panes::toggleMaximised(View* view)
{
    if (m_maximised) {
        leaveMaximised();
        return;
    }
    QDockWidget* dock = view ? m_docks.value(view->viewName()) : nullptr;
    const bool inCentre = view && m_centre.indexOf(view) >= 0;
    if (dock && dock->isFloating())
        dock->setWindowState(dock->windowState() ^ Qt::WindowMaximized);
    if (areHidden() || (!dock && !inCentre) || (dock && dock->isFloating())) {
        Q_EMIT maximisedChanged();
        return;
    }
    m_beforeMaximised = arrangement();
    m_maximised = view;
    for (QDockWidget* other : std::as_const(m_docks))
        if (other != dock && !other->isFloating())
            other->hide();
    updateCentre();
    view->setFocus();
    Q_EMIT maximisedChanged();
}

void Panes::leaveMaximised()
{
    View* view = std::exchange(m_maximised, nullptr);
    if (!view)
        return;
    arrange(std::exchange(m_beforeMaximised, {}));
    view->setFocus();
    Q_EMIT maximisedChanged();
}

void Panes::maximise(const QString& title)
{
    for (auto at = m_docks.cbegin(); at != m_docks.cend(); ++at)
        if (at.value()->windowTitle() == title)
            return toggleMaximised(m_views.value(at.key()));
}

void Panes::setPerspective(const QString& name)
{
    leaveMaximised();
    const Perspective& next = ui::perspective(name);
    m_perspective = next.name;
    if (next.lens == Lens::Schedule) {
        if (m_task != next.name && m_task != QLatin1String("Compare"))
            m_taskBefore = m_task;
        m_task = next.name;
    }
    m_layout.clear();
    m_hidden.clear();
    m_restored.clear();
    for (const ViewEntry& entry : viewCatalog())
        if (entry.area == DockArea::Centre && m_state.document.hasProblem() &&
            entry.perspectives.split(QLatin1Char(',')).contains(m_perspective))
            m_centre.setCurrentWidget(m_views.value(entry.name));
}

void Panes::applyPerspective(const QString& name)
{
    setPerspective(name);
    m_hadModel = m_state.document.model() != nullptr;
    m_unsized = !m_window.isVisible();
    m_front = nullptr;
    const bool open = m_state.document.hasProblem();
    for (const ViewEntry& entry : viewCatalog()) {
        QDockWidget* dock = m_docks.value(entry.name);
        if (!dock)
            continue;
        const bool shown =
            entry.perspectives.split(QLatin1Char(',')).contains(m_perspective) &&
            (open || lens() == Lens::Schedule || entry.lens == lens()) &&
            (m_state.document.model() || // views that do not apply to a plain problem
             (entry.name != QLatin1String("import") && entry.name != QLatin1String("summary")));
        dock->setVisible(shown);
        // The view with the name of the perspective is in front; if there is none, the first view.
        if (shown && entry.area == DockArea::Charts && (!m_front || entry.name == m_perspective.toLower()))
            m_front = dock;
    }
    updateCentre();
    if (m_front)
        m_front->raise();
    resizeAll();
    if (m_window.isVisible()) // once more when the docks have been laid out
        QMetaObject::invokeMethod(this, &Panes::resizeAll, Qt::QueuedConnection);
    m_state.workspace.setCurrent(lens());
    Q_EMIT perspectiveChanged();
}

void Panes::choosePerspective(const QString& name)
{
    const QString before = m_perspective;
    m_chosen = true;
    if (name == before || areHidden()) {
        applyPerspective(name);
        return;
    }
    // If a pane is maximised, the arrangement before that is stored, because docks that come back have no
    // size yet.
    m_left[before] = m_maximised ? m_beforeMaximised : arrangement();
    leaveMaximised();
    if (const auto known = m_left.constFind(name); known != m_left.cend() && m_window.isVisible()) {
        setPerspective(name);
        arrange(*known);
        m_state.workspace.setCurrent(lens());
        Q_EMIT perspectiveChanged();
    } else {
        applyPerspective(name);
    }
}

bool Panes::showLens(Lens lens)
{
    if (lens == this->lens() && !(areHidden() && lens != Lens::Schedule))
        return false;
    const bool chosen = m_chosen;
    const QString name = lens == Lens::Schedule ? m_task : ui::perspective(lens).name;
    const bool known = m_left.contains(name);
    choosePerspective(name);
    m_chosen = chosen;
    if (!m_state.document.hasProblem() && lens == Lens::Schedule)
        showCentre(); // shows the start page
    return known;
}

void Panes::showNewWorkload()
{
    const QString usual = QStringLiteral("Edit");
    m_left.clear();
    if (!m_chosen && m_perspective != usual)
        applyPerspective(usual);
    else if (lens() != Lens::Schedule)
        applyPerspective(m_perspective); // shows the list of layers, too
    else
        showSummary();
}

/// Shows the Summary for models, which have a floor, and hides it for other workloads. If the user has closed
/// it, it stays closed while one model follows another.
void Panes::showSummary()
{
    QDockWidget* dock = m_docks.value(QStringLiteral("summary"));
    const bool hasModel = m_state.document.model() != nullptr;
    const auto entry = std::ranges::find(viewCatalog(), QStringLiteral("summary"), &ViewEntry::name);
    if (hasModel == std::exchange(m_hadModel, hasModel) ||
        !entry->perspectives.split(QLatin1Char(',')).contains(m_perspective))
        return;
    dock->setVisible(hasModel);
    if (m_front)
        m_front->raise();
}

/// Repaints the window after the pending layouts: Qt does not erase the handle of a splitter that a title bar
/// has covered.
void Panes::repaintLater()
{
    QTimer::singleShot(0, &m_window, qOverload<>(&QWidget::update));
}

void Panes::resizeAll()
{
    QMap<DockArea, QDockWidget*> shown; // one visible dock of each place
    for (const ViewEntry& entry : viewCatalog())
        if (QDockWidget* dock = m_docks.value(entry.name); dock && !dock->isHidden() && !dock->isFloating())
            shown.insert(entry.area, dock == m_front ? m_front : shown.value(entry.area, dock));
    const int width = m_window.width(), height = m_window.height();
    QDockWidget* charts = shown.value(DockArea::Charts);
    QDockWidget* table = shown.value(DockArea::Table);
    QDockWidget* properties = shown.value(DockArea::Properties);
    QDockWidget* layers = shown.value(DockArea::Left);
    if (layers && charts) {
        const int list = std::min(62 * m_window.fontMetrics().averageCharWidth(), width * 28 / 100);
        m_window.resizeDocks({layers, charts}, {list, width - list}, Qt::Horizontal);
    }
    if (!ui::perspective(m_perspective).hasCentre || !charts)
        return;
    // The graph gets two fifths of the width. In the column beside it the charts get the larger part.
    const int column = width * (m_perspective == QLatin1String("Compare") ? 45 : 60) / 100;
    m_window.resizeDocks({charts}, {column}, Qt::Horizontal);
    if (table && properties) {
        // The table is wide enough for all its columns, if the properties keep a third of the width.
        const int wide =
            std::clamp(74 * m_window.fontMetrics().averageCharWidth(), column * 55 / 100, column * 66 / 100);
        const int handle =
            m_window.style()->pixelMetric(QStyle::PM_DockWidgetSeparatorExtent, nullptr, &m_window);
        m_window.resizeDocks({table, properties}, {wide, column - handle - wide}, Qt::Horizontal);
    }
    // The height of a chart grows with the font by the height of its texts. The list of a machine's values
    // needs more.
    const int chart =
        m_perspective == QLatin1String("Hardware")
            ? height * 42 / 100
            : std::min(13 * m_window.fontMetrics().height() + height * 31 / 100, height * 66 / 100);
    if (QDockWidget* below = table ? table : properties)
        m_window.resizeDocks({charts, below}, {chart, height * 88 / 100 - chart}, Qt::Vertical);
    repaintLater();
}

void Panes::restoreDefaults()
{
    for (QDockWidget* dock : std::as_const(m_docks)) {
        dock->setFloating(false);
        m_window.removeDockWidget(dock);
    }
    place();
    m_chosen = false;
    m_left.clear();
    applyPerspective(QStringLiteral("Edit"));
    showCentre();
}

QByteArray Panes::layout() const
{
    return areHidden() ? m_layout : m_window.saveState(kLayoutVersion);
}

bool Panes::restoreState(const QByteArray& layout)
{
    const bool restored = m_window.restoreState(layout, kLayoutVersion);
    if (restored && !m_layoutOfModel && m_state.document.model()) {
        m_hadModel = false; // the layout is that of the start page or of a plain problem, without the Summary
        showSummary();
    }
    Q_EMIT layoutRestored();
    return restored;
}

bool Panes::restoreLayout(const QByteArray& layout, const QString& perspective, bool ofModel)
{
    m_layout.clear();
    m_hidden.clear();
    m_layoutOfModel = ofModel;
    const bool restored = restoreState(layout);
    if (restored) {
        m_hadModel = ofModel; // the saved layout already has the Summary
        setPerspective(perspective);
        m_restored = layout;
        m_unsized = false;
        Q_EMIT perspectiveChanged();
    } else {
        applyPerspective(QStringLiteral("Edit"));
    }
    showCentre();
    if (restored && areHidden()) {
        // hideDocks() has stored the layout of a window that is not shown yet, which is too small
        m_layout = layout;
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
    return ui::perspective(m_perspective).lens;
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
    applyPerspective(QStringLiteral("Edit"));
    showCentre();
}

} // namespace tilewright::ui
