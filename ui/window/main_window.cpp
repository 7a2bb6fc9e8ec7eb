// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/main_window.h"

#include "canvas/canvas.h"
#include "export/export_view.h"
#include "panels/solver/solver_view.h"
#include "report/file_kind.h"
#include "schedule/schedule_json.h"
#include "theme/icon.h"
#include "views/graph/graph_view.h"
#include "window/message_bar.h"
#include "window/start_page.h"
#include "window/status_strip.h"
#include "window/view_catalog.h"
#include "workspace/selection_edits.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileInfo>
#include <QFileSystemWatcher>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QStyleHints>
#include <QTabBar>

namespace tilewright::ui {

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent), m_state(std::make_unique<AppState>())
{
    setObjectName(QStringLiteral("main"));
    setWindowIcon(applicationIcon());
    setDockOptions(AnimatedDocks | AllowTabbedDocks | AllowNestedDocks);
    setAcceptDrops(true);
    resize(1440, 900);

    createActions();
    createViews();
    createEditActions();
    createMenus();

    m_watcher = new QFileSystemWatcher(this);
    connect(m_watcher, &QFileSystemWatcher::fileChanged, this, [this](const QString& path) {
        m_messages->show(MessageBar::Kind::Warning,
                         tr("%1 has changed on disk.").arg(QFileInfo(path).fileName()), tr("Reload"),
                         [this] { m_state->actions.find(QStringLiteral("file.reload"))->trigger(); });
    });
    Document& document = m_state->document;
    connect(&document, &Document::problemChanged, this, &MainWindow::showCentre);
    connect(&document, &Document::problemChanged, this, [this] {
        m_state->selection.clear();
        m_selectedIn = m_state->document.schedule();
    });
    connect(&document, &Document::fileChanged, this, &MainWindow::refreshTitle);
    connect(&document, &Document::refused, this,
            [this](const QString& why) { m_messages->show(MessageBar::Kind::Warning, why); });
    for (auto signal : {&Document::snapshotChanged, &Document::fileChanged, &Document::baselineChanged})
        connect(&document, signal, &m_state->actions, &Actions::refresh);
    connect(&document, &Document::rulesChanged, &m_state->actions, &Actions::refresh);
    connect(&m_state->selection, &Selection::changed, &m_state->actions, &Actions::refresh);
    // A GEMM sent to the Systolic lens is to be seen.
    connect(&m_state->selection, &Selection::gemmRequested, this,
            [this] { showView(QStringLiteral("systolic")); });
    if (auto* solver = qobject_cast<SolverView*>(m_views.value(QStringLiteral("solver")))) {
        // F9 works from anywhere; what it does must be seen.
        connect(solver, &SolverView::started, this, [this] {
            m_docks.value(QStringLiteral("solver"))->show(), m_docks.value(QStringLiteral("solver"))->raise();
        });
        connect(solver, &SolverView::compareRequested, this, [this] { showView(QStringLiteral("compare")); });
    }
    for (auto signal : {&Document::scheduleChanged, &Document::problemChanged})
        connect(&document, signal, this, [this] { m_messages->dismissNotice(); });
    // Whoever drags again has read why the last drop was refused, and needs the room.
    if (auto* graph = qobject_cast<GraphView*>(m_graph))
        connect(&graph->drag(), &GraphDrag::begun, m_messages, &MessageBar::dismissNotice);
    connect(&document, &Document::scheduleChanged, this, [this] {
        // Ids in the selection are places in the order; undo and repairs move what stands there.
        const Schedule before = std::exchange(m_selectedIn, m_state->document.schedule());
        m_state->selection.set(followed(before, m_selectedIn, m_state->selection.state()));
        if (!m_autosaveTimer.isActive())
            m_autosaveTimer.start();
    });
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        for (QWidget* w = now; w; w = w->parentWidget())
            if (auto* view = qobject_cast<View*>(w)) {
                m_lastView = view;
                m_state->actions.refresh();
                return;
            }
    });
    m_autosaveTimer.setSingleShot(true);
    connect(&m_autosaveTimer, &QTimer::timeout, this, &MainWindow::autosave);

    // After all views: what an evaluation resizes is laid out before it is painted, instead of being painted
    // where it stood, laid out and painted again. Each round asks the parents of what it laid out.
    connect(&document, &Document::snapshotChanged, this, [] {
        constexpr int kRounds = 4; // a page in a scroll area in a dock
        for (int i = 0; i < kRounds; ++i)
            QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    });

    refreshRecentMenu();
    setPreferences({});
    applyPerspective(QStringLiteral("Edit"));
    showCentre();
    refreshTitle();
    m_state->actions.refresh();
}

MainWindow::~MainWindow()
{
    // What the state announces while it goes must not reach the window any more; views refer to the state and
    // must go first.
    disconnect(&m_state->document, nullptr, this, nullptr);
    disconnect(&m_state->selection, nullptr, this, nullptr);
    disconnect(qApp, nullptr, this, nullptr);
    disconnect(m_centre, nullptr, this, nullptr);
    for (View* view : std::as_const(m_views))
        delete view;
}

void MainWindow::createViews()
{
    const ViewContext context = m_state->context();
    m_centre = new QStackedWidget(this);
    m_startPage = new StartPage(context, m_centre);
    m_centre->addWidget(m_startPage);
    connect(m_startPage, &StartPage::openRequested, this,
            [this] { m_state->actions.find(QStringLiteral("file.open"))->trigger(); });
    connect(m_startPage, &StartPage::filesRequested, this, &MainWindow::openPaths);

    setCentralWidget(m_centre);
    m_messages = new MessageBar(context, m_centre);
    connect(m_centre, &QStackedWidget::currentChanged, this, [this] {
        m_messages->raise(); // a page that comes to the front would hide it
        m_state->actions.refresh();
    });

    for (const ViewEntry& entry : viewCatalog()) {
        View* view = entry.create(context);
        m_views.insert(entry.name, view);
        connect(view, &View::wanted, this, [this, name = entry.name] { showView(name); });
        if (entry.area == DockArea::Centre) {
            m_centre->addWidget(view);
            if (!m_graph)
                m_graph = view;
            continue;
        }
        auto* dock = new QDockWidget(entry.title, this);
        dock->setObjectName(QStringLiteral("dock.") + entry.name);
        // A pane that stands behind others does not keep the window wide.
        if (entry.area == DockArea::Bottom)
            view->setMinimumWidth(320);
        dock->setWidget(view);
        connect(dock, &QDockWidget::visibilityChanged, view, [this, view](bool seen) {
            if (seen)
                view->catchUp();
            else if (m_lastView == view) // a pane behind another one counts as visible for Qt
                m_lastView = nullptr;
        });
        m_docks.insert(entry.name, dock);
    }
    placeDocks();
    setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);

    for (Canvas* canvas : findChildren<Canvas*>()) {
        connect(canvas, &Canvas::historyChanged, &m_state->actions, &Actions::refresh);
        canvas->addActions({m_state->actions.find(QStringLiteral("view.fit")),
                            m_state->actions.find(QStringLiteral("view.fitSelection"))});
    }
    m_status = new StatusStrip(context, this);
    statusBar()->addPermanentWidget(m_status, 1);
    connect(m_status, &StatusStrip::validityClicked, this, [this] { showView(QStringLiteral("problems")); });
    connect(m_status, &StatusStrip::gapClicked, this, [this] { showView(QStringLiteral("bound")); });
}

void MainWindow::placeDocks()
{
    QDockWidget* firstBottom = nullptr;
    for (const ViewEntry& entry : viewCatalog()) {
        QDockWidget* dock = m_docks.value(entry.name);
        if (!dock)
            continue;
        const Qt::DockWidgetArea area = entry.area == DockArea::Left    ? Qt::LeftDockWidgetArea
                                        : entry.area == DockArea::Right ? Qt::RightDockWidgetArea
                                                                        : Qt::BottomDockWidgetArea;
        addDockWidget(area, dock);
        if (entry.area == DockArea::Bottom) {
            if (firstBottom)
                tabifyDockWidget(firstBottom, dock);
            else
                firstBottom = dock;
        }
    }
    if (firstBottom)
        firstBottom->raise();
}

void MainWindow::showCentre()
{
    const bool open = m_state->document.hasProblem();
    if (open && m_graph && m_centre->currentWidget() == m_startPage)
        m_centre->setCurrentWidget(m_graph);
    if (!open)
        m_centre->setCurrentWidget(m_startPage);
    // Without a workload the panes of the schedule have nothing to say: the start page gets the room.
    if (!open && m_docksOfDocument.isEmpty()) {
        m_docksOfDocument = saveState(kLayoutVersion);
        for (QDockWidget* dock : std::as_const(m_docks))
            dock->hide();
    } else if (open && !m_docksOfDocument.isEmpty()) {
        restoreState(std::exchange(m_docksOfDocument, {}), kLayoutVersion);
    }
}

void MainWindow::showView(const QString& name)
{
    if (QDockWidget* dock = m_docks.value(name)) {
        dock->show();
        dock->raise();
    } else if (View* view = m_views.value(name)) {
        m_centre->setCurrentWidget(view);
    }
    if (View* view = m_views.value(name)) {
        view->catchUp();
        view->setFocus();
    }
}

void MainWindow::applyPerspective(const QString& name)
{
    m_perspective = name;
    m_docksOfDocument.clear();
    QDockWidget* front = nullptr;
    for (const ViewEntry& entry : viewCatalog()) {
        const bool shown = entry.perspectives.split(QLatin1Char(',')).contains(name);
        if (QDockWidget* dock = m_docks.value(entry.name)) {
            dock->setVisible(shown);
            // The pane that the perspective is named after is in front, otherwise its first.
            if (shown && entry.area == DockArea::Bottom && (!front || entry.name == name.toLower()))
                front = dock;
        } else if (shown && m_state->document.hasProblem()) {
            m_centre->setCurrentWidget(m_views.value(entry.name));
        }
    }
    if (front)
        front->raise();
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
            const int letters = entry.area == DockArea::Left ? 68 : 50;
            sideWidths.push_back(std::min(letters * fontMetrics().averageCharWidth(), width() * 33 / 100));
        }
    }
    resizeDocks(sides, sideWidths, Qt::Horizontal);
    // Beside a graph that is worked in the lower panes take less of a window that large letters fill soon.
    const bool graphFirst = name == QLatin1String("Edit") || name == QLatin1String("Compare");
    const int lines = graphFirst ? 17 : 29;
    if (!bottom.isEmpty())
        resizeDocks({bottom.first()},
                    {std::min(lines * fontMetrics().height(), height() * (graphFirst ? 44 : 52) / 100)},
                    Qt::Vertical);
}

void MainWindow::setTheme(const QString& choice)
{
    m_preferences.theme = choice;
    // Qt 6.4 cannot tell the system's scheme; a dark default palette is what a dark desktop gives us.
    static const bool systemIsDark = QApplication::palette().color(QPalette::Window).lightness() < 128;
    const bool dark = choice == QLatin1String("dark") || (choice == QLatin1String("system") && systemIsDark);
    const Theme& theme = dark ? Theme::darkTheme() : Theme::light();
    QApplication::setPalette(theme.palette());
    m_state->themes.setTheme(theme);
    for (const char* name : {"system", "light", "dark"})
        if (QAction* action = m_state->actions.find(QStringLiteral("view.theme.") + QLatin1String(name)))
            action->setChecked(choice == QLatin1String(name));
}

bool MainWindow::openPaths(const QStringList& paths)
{
    // Problems first: a schedule given beside its problem attaches to it, whatever the order.
    QStringList problems;
    QStringList others;
    QStringList schedules;
    for (const QString& path : paths) {
        const auto kind = fileKind(path.toStdString());
        (kind && *kind == FileKind::Problem    ? problems
         : kind && *kind == FileKind::Schedule ? schedules
                                               : others)
            .push_back(path);
    }
    bool ok = true;
    for (const QString& path : problems + others)
        ok = openPath(path) && ok;
    if (schedules.size() >= 2 && m_state->document.hasProblem()) {
        // Several schedules of one problem are there to be compared: the last with each of the others.
        for (const QString& path : schedules) {
            if (!openPath(path)) {
                ok = false;
                continue;
            }
            if (path != schedules.back())
                m_state->document.pinBaseline(QFileInfo(path).fileName());
        }
        applyPerspective(QStringLiteral("Compare"));
    } else {
        for (const QString& path : schedules)
            ok = openPath(path) && ok;
    }
    return ok;
}

bool MainWindow::openPath(const QString& path)
{
    const QString absolute = QFileInfo(path).absoluteFilePath();
    const auto kind = fileKind(absolute.toStdString());
    if (!kind) {
        tellUnreadable(kind.error(), absolute);
        return false;
    }
    Document& document = m_state->document;
    Status opened = Unit{};
    saveFileSession();
    // A lens says what it cannot read as a refusal.
    const auto openInLens = [&](const char* lens, const char* view) {
        const auto listening = connect(&document, &Document::refused, this, [&](const QString& why) {
            opened = Error{ErrorCode::Problem, why.toStdString(), {}, {}};
        });
        m_state->selection.openLensFile(QLatin1String(lens), absolute);
        disconnect(listening);
        showView(QLatin1String(view));
        // Opened over the start page it is what the person wants to see.
        if (QDockWidget* dock = m_docks.value(QLatin1String(view)); dock && !document.hasProblem())
            resizeDocks({dock}, {height() * 7 / 10}, Qt::Vertical);
    };
    const QString pairKey = QStringLiteral("problemOf/") + QString::fromLatin1(absolute.toUtf8().toHex());
    if (*kind == FileKind::Schedule && !document.hasProblem()) {
        // A schedule that was saved or opened before knows its problem.
        const QString problem = QSettings().value(pairKey).toString();
        if (QFileInfo::exists(problem))
            opened = document.openProblem(problem);
    }
    switch (*kind) {
    case FileKind::Problem:
        if (!offerToSave())
            return false;
        opened = document.openProblem(absolute);
        break;
    case FileKind::Schedule:
        if (!offerToSave())
            return false;
        opened = document.openSchedule(absolute);
        break;
    case FileKind::MappingModel:
        openInLens("mapping", "mapping-model");
        break;
    case FileKind::MappingLayer:
    case FileKind::MappingMethod:
    case FileKind::MappingArchitecture:
        openInLens("mapping", "mapping");
        break;
    case FileKind::NpuModel:
        openInLens("npu", "npu");
        break;
    case FileKind::SystolicHierarchy:
        openInLens("systolic", "systolic");
        break;
    }
    if (!opened) {
        if (*kind == FileKind::Schedule && document.hasProblem() &&
            loadSchedule(*document.problem(), absolute.toStdString()))
            tellUnreadable(opened.error(), absolute, tr("Open anyway"), [this, absolute] {
                if (const Status part = m_state->document.openReadablePart(absolute); !part)
                    m_messages->show(MessageBar::Kind::Error, QString::fromStdString(part.error().text()));
            });
        else
            tellUnreadable(opened.error(), absolute);
        return false;
    }
    m_messages->dismiss();
    noteFigures();
    rememberRecent(absolute);
    if (*kind == FileKind::Schedule)
        QSettings().setValue(pairKey, document.problemPath());
    if (!m_watcher->files().isEmpty() && *kind == FileKind::Problem)
        m_watcher->removePaths(m_watcher->files());
    m_watcher->addPath(absolute);
    if (*kind == FileKind::Problem || *kind == FileKind::Schedule)
        restoreFileSession();
    return true;
}

bool MainWindow::offerToSave()
{
    Document& document = m_state->document;
    // A problem whose schedule was never saved and never worth a name is not asked about twice.
    if (!document.isModified() || !isVisible() || qApp->property("tilewrightNoPrompts").toBool())
        return true;
    QMessageBox box(QMessageBox::Question, tr("Save the schedule?"),
                    tr("The schedule has changes that are not saved."),
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    const int answer = box.exec();
    if (answer == QMessageBox::Save)
        return save();
    return answer == QMessageBox::Discard;
}

void MainWindow::refreshTitle()
{
    const Document& document = m_state->document;
    if (!document.hasProblem()) {
        setWindowTitle(tr("Tilewright"));
        return;
    }
    QString name = QString::fromStdString(document.problem()->name());
    if (!document.problemPath().isEmpty())
        name = QFileInfo(document.problemPath()).fileName();
    if (!document.schedulePath().isEmpty())
        name += QStringLiteral(" · ") + QFileInfo(document.schedulePath()).fileName();
    setWindowModified(document.isModified());
    setWindowTitle(name + QStringLiteral("[*] – Tilewright"));
}

Canvas* MainWindow::currentCanvas() const
{
    View* view = currentView();
    if (auto* canvas = qobject_cast<Canvas*>(view))
        return canvas;
    if (view)
        for (Canvas* canvas : view->findChildren<Canvas*>())
            if (canvas->isVisible())
                return canvas;
    return qobject_cast<Canvas*>(m_centre->currentWidget());
}

View* MainWindow::currentView() const
{
    if (m_lastView && m_lastView->isVisible())
        return m_lastView;
    return qobject_cast<View*>(m_centre->currentWidget());
}

void MainWindow::copyCurrentViewImage()
{
    View* view = currentView();
    if (!view)
        return;
    ExportOptions options;
    options.size = view->size();
    options.scale = 2;
    options.theme = &m_state->themes.theme();
    QApplication::clipboard()->setImage(renderToImage(*view, options));
    m_messages->show(MessageBar::Kind::Info, tr("%1 copied as an image.").arg(view->title()));
}

void MainWindow::rememberRecent(const QString& path)
{
    QSettings settings;
    QStringList recent = settings.value(QStringLiteral("recent")).toStringList();
    recent.removeAll(path);
    recent.prepend(path);
    settings.setValue(QStringLiteral("recent"), recent.mid(0, 12));
    refreshRecentMenu();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!offerToSave()) {
        event->ignore();
        return;
    }
    saveSession();
    Document::discardRecovery(autosavePath());
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    QStringList paths;
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile())
            paths.push_back(url.toLocalFile());
    if (paths.isEmpty())
        return;
    event->acceptProposedAction();
    openPaths(paths);
}

bool MainWindow::event(QEvent* event)
{
    // The tab bars of docks come and go; their titles are read in full, or scrolled to.
    if (event->type() == QEvent::ChildPolished)
        if (auto* tabs = qobject_cast<QTabBar*>(static_cast<QChildEvent*>(event)->child())) {
            tabs->setElideMode(Qt::ElideNone);
            tabs->setUsesScrollButtons(true);
            tabs->setAccessibleName(tr("Panes"));
        }
    return QMainWindow::event(event);
}

void MainWindow::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::WindowTitleChange)
        m_state->actions.refresh();
    QMainWindow::changeEvent(event);
}

} // namespace tilewright::ui
