// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window.h"

#include "export/export_view.h"
#include "message_bar.h"
#include "panels/solver/solver_view.h"
#include "report/file_kind.h"
#include "start_page.h"
#include "status_strip.h"
#include "theme/icon.h"
#include "view_catalog.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QFileSystemWatcher>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QStatusBar>
#include <QStyleHints>
#include <QVBoxLayout>

namespace tilewright::ui {

namespace {
constexpr int kLayoutVersion = 1; // raised when docks change, so that an old layout is not half restored
constexpr int kAutosaveMs = 5000;
} // namespace

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
    connect(&document, &Document::problemChanged, this, [this] { m_state->selection.clear(); });
    connect(&document, &Document::fileChanged, this, &MainWindow::refreshTitle);
    connect(&document, &Document::refused, this,
            [this](const QString& why) { m_messages->show(MessageBar::Kind::Warning, why); });
    for (auto signal : {&Document::snapshotChanged, &Document::fileChanged, &Document::baselineChanged})
        connect(&document, signal, this, &MainWindow::refreshActions);
    connect(&document, &Document::rulesChanged, this, &MainWindow::refreshActions);
    connect(&m_state->selection, &Selection::changed, this, &MainWindow::refreshActions);
    // A GEMM sent to the Systolic lens is to be seen.
    connect(&m_state->selection, &Selection::gemmRequested, this,
            [this] { showView(QStringLiteral("systolic")); });
    if (auto* solver = qobject_cast<SolverView*>(m_views.value(QStringLiteral("solver")))) {
        // F9 works from anywhere; what it does must be seen.
        connect(solver, &SolverView::started, this, [this] {
            m_docks.value(QStringLiteral("solver"))->show(), m_docks.value(QStringLiteral("solver"))->raise();
        });
        connect(solver, &SolverView::compareRequested, this,
                [this] { showView(QStringLiteral("compare")); });
    }
    for (auto signal : {&Document::scheduleChanged, &Document::problemChanged})
        connect(&document, signal, this, [this] { m_messages->dismissNotice(); });
    connect(&document, &Document::scheduleChanged, this, [this] {
        // Ids in the selection are positions; an edit may have removed them.
        SelectionState s = m_state->selection.state();
        const std::size_t n = m_state->document.schedule().size();
        std::erase_if(s.subgraphs, [n](SubgraphId i) { return i.index() >= n; });
        if (s.subgraph && s.subgraph->index() >= n)
            s.subgraph.reset();
        m_state->selection.set(s);
        if (!m_autosaveTimer.isActive())
            m_autosaveTimer.start();
    });
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        for (QWidget* w = now; w; w = w->parentWidget())
            if (auto* view = qobject_cast<View*>(w)) {
                m_lastView = view;
                return;
            }
    });
    m_autosaveTimer.setSingleShot(true);
    m_autosaveTimer.setInterval(kAutosaveMs);
    connect(&m_autosaveTimer, &QTimer::timeout, this, &MainWindow::autosave);

    refreshRecentMenu();
    setTheme(QStringLiteral("system"));
    applyPerspective(QStringLiteral("Edit"));
    showCentre();
    refreshTitle();
    refreshActions();
}

MainWindow::~MainWindow()
{
    // What the state announces while it goes must not reach the window any more; views refer to the state and
    // must go first.
    disconnect(&m_state->document, nullptr, this, nullptr);
    disconnect(&m_state->selection, nullptr, this, nullptr);
    disconnect(qApp, nullptr, this, nullptr);
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
    connect(m_startPage, &StartPage::fileRequested, this, [this](const QString& path) { openPaths({path}); });

    m_messages = new MessageBar(context, this);
    auto* centre = new QWidget(this);
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_messages);
    column->addWidget(m_centre, 1);
    setCentralWidget(centre);

    QDockWidget* firstBottom = nullptr;
    for (const ViewEntry& entry : viewCatalog()) {
        View* view = entry.create(context);
        m_views.insert(entry.name, view);
        if (entry.area == DockArea::Centre) {
            m_centre->addWidget(view);
            if (!m_graph)
                m_graph = view;
            continue;
        }
        auto* dock = new QDockWidget(entry.title, this);
        dock->setObjectName(QStringLiteral("dock.") + entry.name);
        dock->setWidget(view);
        m_docks.insert(entry.name, dock);
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
    setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    if (firstBottom)
        firstBottom->raise();

    m_status = new StatusStrip(context, this);
    statusBar()->addPermanentWidget(m_status, 1);
    connect(m_status, &StatusStrip::validityClicked, this, [this] { showView(QStringLiteral("problems")); });
    connect(m_status, &StatusStrip::gapClicked, this, [this] { showView(QStringLiteral("bound")); });
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
    if (View* view = m_views.value(name))
        view->setFocus();
}

void MainWindow::applyPerspective(const QString& name)
{
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
            sideWidths.push_back(entry.area == DockArea::Left ? 450 : 350);
        }
    }
    resizeDocks(sides, sideWidths, Qt::Horizontal);
    if (!bottom.isEmpty())
        resizeDocks({bottom.first()}, {name == QLatin1String("Edit") ? 270 : 460}, Qt::Vertical);
}

void MainWindow::setTheme(const QString& choice)
{
    m_themeChoice = choice;
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
        // Two schedules of one problem are there to be compared.
        ok = openPath(schedules[0]) && ok;
        m_state->document.pinBaseline(QFileInfo(schedules[0]).fileName());
        ok = openPath(schedules[1]) && ok;
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
        m_messages->show(MessageBar::Kind::Error, QString::fromStdString(kind.error().text()));
        return false;
    }
    Document& document = m_state->document;
    Status opened = Unit{};
    // A lens says what it cannot read as a refusal.
    const auto openInLens = [&](const char* lens, const char* view) {
        const auto listening = connect(&document, &Document::refused, this, [&](const QString& why) {
            opened = Error{ErrorCode::Problem, why.toStdString(), {}, {}};
        });
        m_state->selection.openLensFile(QLatin1String(lens), absolute);
        disconnect(listening);
        showView(QLatin1String(view));
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
        m_messages->show(MessageBar::Kind::Error, QString::fromStdString(opened.error().text()));
        return false;
    }
    m_messages->dismiss();
    rememberRecent(absolute);
    if (*kind == FileKind::Schedule)
        QSettings().setValue(pairKey, document.problemPath());
    if (!m_watcher->files().isEmpty() && *kind == FileKind::Problem)
        m_watcher->removePaths(m_watcher->files());
    m_watcher->addPath(absolute);
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

// -- session ---------------------------------------------------------------------------------------------

QString MainWindow::autosavePath() const
{
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/recovery");
}

void MainWindow::autosave()
{
    const Document& document = m_state->document;
    if (!document.isModified() || document.problemPath().isEmpty())
        return;
    // The schedule and, beside it, which problem it belongs to; the files themselves are never touched.
    QDir().mkpath(autosavePath());
    m_state->document.saveRecovery(autosavePath());
}

void MainWindow::saveSession() const
{
    QSettings settings;
    settings.setValue(QStringLiteral("geometry"), saveGeometry());
    settings.setValue(QStringLiteral("docks"),
                      m_docksOfDocument.isEmpty() ? saveState(kLayoutVersion) : m_docksOfDocument);
    settings.setValue(QStringLiteral("theme"), m_themeChoice);
}

void MainWindow::restoreSession()
{
    QSettings settings;
    restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
    m_docksOfDocument.clear();
    if (!restoreState(settings.value(QStringLiteral("docks")).toByteArray(), kLayoutVersion))
        applyPerspective(QStringLiteral("Edit"));
    showCentre();
    setTheme(settings.value(QStringLiteral("theme"), QStringLiteral("system")).toString());
    if (Document::hasRecovery(autosavePath()))
        m_messages->show(
            MessageBar::Kind::Warning,
            tr("Tilewright did not close properly; the edits of the last session can be restored."),
            tr("Restore"), [this] {
                const Status restored = m_state->document.restoreRecovery(autosavePath());
                if (!restored)
                    m_messages->show(MessageBar::Kind::Error,
                                     QString::fromStdString(restored.error().text()));
            });
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

void MainWindow::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::WindowTitleChange)
        refreshActions();
    QMainWindow::changeEvent(event);
}

} // namespace tilewright::ui
