// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/main_window.h"

#include "base/notice.h"
#include "canvas/canvas.h"
#include "canvas/form.h"
#include "export/export_view.h"
#include "panels/machine/machine_view.h"
#include "panels/solver/solver_view.h"
#include "theme/icon.h"
#include "theme/text.h"
#include "theme/theme.h"
#include "views/graph/graph_view.h"
#include "views/sweep/sweep_view.h"
#include "window/figure_card.h"
#include "window/file_actions.h"
#include "window/message_bar.h"
#include "window/missing_banner.h"
#include "window/session_store.h"
#include "window/start_page.h"
#include "window/status_strip.h"
#include "workspace/model_file.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QPointer>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace tilewright::ui {

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent), m_state(std::make_unique<AppState>())
{
    setObjectName(QStringLiteral("main"));
    setWindowIcon(applicationIcon());
    setDockOptions(AnimatedDocks | AllowTabbedDocks | AllowNestedDocks);
    setAcceptDrops(true);
    resize(1440, 900);

    createActions();
    createParts();
    createEditActions();
    createLensActions();
    createTourActions();
    createMenus();
    connectParts();

    refreshRecentMenu();
    refreshHeadline();
    setPreferences({});
    m_panes->applyPerspective(QStringLiteral("Edit"));
    m_panes->showCentre();
    refreshTitle();
    m_state->actions.refresh();
}

MainWindow::~MainWindow()
{
    // The state emits signals while it is destroyed; these must not reach the window. Views refer to the
    // state, so they are deleted first.
    m_state->workspace.setGuard({});
    disconnect(&m_state->workspace, nullptr, this, nullptr);
    disconnect(&m_state->workspace.undoGroup(), nullptr, this, nullptr);
    disconnect(&m_state->document, nullptr, this, nullptr);
    disconnect(&m_state->selection, nullptr, this, nullptr);
    disconnect(m_panes.get(), nullptr, this, nullptr);
    disconnect(m_centre, nullptr, this, nullptr);
    delete m_recovery; // removes the recovery copy, because the program did not crash
    m_session.reset();
    m_panes.reset();
}

void MainWindow::createParts()
{
    const ViewContext context = m_state->context();
    m_centre = new QStackedWidget(this);
    m_startPage = new StartPage(context, m_centre);
    m_centre->addWidget(m_startPage);
    setCentralWidget(m_centre);
    auto* messages = new QWidget(this); // the offer to recover is above the message
    auto* rows = new QVBoxLayout(messages);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    statusBar()->addPermanentWidget(messages, 1);
    statusBar()->setSizeGripEnabled(false);
    auto* missing = new MissingBanner(context, messages);
    connect(missing, &MissingBanner::importWanted, this, [this] { showView(QStringLiteral("import")); });
    m_messages = new MessageBar(context, messages);
    messages->setMinimumHeight(m_messages->usualHeight());
    setNoticeHandler([bar = QPointer<MessageBar>(m_messages)](const Error& what) {
        const auto kind =
            what.code == ErrorCode::Internal ? MessageBar::Kind::Error : MessageBar::Kind::Warning;
        if (!qApp)
            return;
        QMetaObject::invokeMethod(
            qApp,
            [bar, kind, text = QString::fromStdString(what.text())] {
                if (bar)
                    bar->show(kind, text);
            },
            Qt::QueuedConnection);
    });
    new FieldKeys(*this);
    m_panes = std::make_unique<Panes>(*this, *m_state, *m_centre, *m_startPage);
    m_recovery = new Recovery(*m_state, *messages);
    m_files = new FileActions(*this, *m_state, *m_messages);
    m_session = std::make_unique<SessionStore>(*this, *m_state, *m_panes);
    m_status = new StatusStrip(context, this);
    m_figure = new FigureCard(m_state->workspace, this);
    statusBar()->addPermanentWidget(m_status->evaluationTime());
}

void MainWindow::connectParts()
{
    Workspace& workspace = m_state->workspace;
    Document& document = m_state->document;
    connect(m_startPage, &StartPage::openRequested, m_files, &FileActions::chooseAndOpen);
    connect(m_startPage, &StartPage::filesRequested, m_files, &FileActions::open);
    connect(m_status, &StatusStrip::validityClicked, this, [this] { showView(QStringLiteral("problems")); });
    connect(m_status, &StatusStrip::gapClicked, this, [this] { showView(QStringLiteral("bound")); });
    connect(m_status, &StatusStrip::floorClicked, this, [this] { showView(QStringLiteral("summary")); });
    connect(m_status, &StatusStrip::rulesClicked, this, [this] { showView(QStringLiteral("rules")); });
    document.whenChanged(this, Part::Problem | Part::Snapshot, [this, &document] {
        refreshHeadline();
        const SnapshotPtr snapshot = document.snapshot();
        m_panes->offer(QStringLiteral("problems"), snapshot && !snapshot->evaluation.valid());
    });
    if (auto* machine = qobject_cast<MachineView*>(view(QStringLiteral("machine"))))
        connect(machine, &MachineView::problemsWanted, this,
                [this] { showView(QStringLiteral("problems")); });
    connect(m_panes.get(), &Panes::layoutRestored, this, &MainWindow::refreshHeadline);
    for (auto signal : {&Panes::currentChanged, &Panes::perspectiveChanged, &Panes::maximisedChanged})
        connect(m_panes.get(), signal, &m_state->actions, &Actions::refresh);
    connect(&m_dockTabs, &DockTabs::doubleClicked, this,
            [this](const QString& title) { m_panes->maximise(title); });

    connect(m_files, &FileActions::opening, this, [this] { m_session->saveFile(); });
    connect(m_files, &FileActions::lensOpened, this,
            [this](FileKind kind) { showView(QLatin1String(fileUse(kind).view)); });
    connect(m_files, &FileActions::opened, this, [this](FileKind kind) {
        m_session->noteFigures();
        refreshRecentMenu();
        if (fileUse(kind).lens == Lens::Schedule && kind != FileKind::Machine)
            m_session->restoreFile();
    });
    connect(m_files, &FileActions::viewWanted, this, &MainWindow::showView);
    connect(m_files, &FileActions::comparisonOpened, this,
            [this] { m_panes->applyPerspective(QStringLiteral("Compare")); });
    connect(m_files, &FileActions::recentChanged, this, &MainWindow::refreshRecentMenu);

    const auto showFailure = [this](const QString& why) { m_messages->show(MessageBar::Kind::Error, why); };
    connect(m_session.get(), &SessionStore::failed, this, showFailure);
    connect(m_session.get(), &SessionStore::layoutReset, this, [this] {
        m_messages->show(
            MessageBar::Kind::Info,
            tr("The panes are in their default places: this version of Tilewright has other panes than "
               "the last one."),
            tr("OK"), [] {});
    });
    connect(m_recovery, &Recovery::failed, this, showFailure);
    connect(m_recovery, &Recovery::keptAgain, this, [this] {
        m_messages->show(MessageBar::Kind::Info, tr("The recovery copy can be written again."));
    });
    connect(m_recovery, &Recovery::restored, this, [this] { m_session->restoreFile(); });
    // The session manager requests this before it ends the program. If the user cancels the logout, the next
    // edit makes the program ask again before changes are lost.
    connect(
        qApp, &QGuiApplication::commitDataRequest, this, [this] { keepForNextStart(); },
        Qt::DirectConnection);
    connect(&workspace, &Workspace::edited, this, [this] { m_ending = false; });

    connect(&workspace, &Workspace::refused, this,
            [this](const QString& why) { m_messages->show(MessageBar::Kind::Warning, why); });
    // If another lens opens a GEMM in the Systolic lens, that lens is shown.
    connect(&workspace, &Workspace::gemmOpened, this, [this] { showView(QStringLiteral("systolic")); });
    for (auto signal : {&Workspace::edited, &Workspace::currentChanged})
        connect(&workspace, signal, this, [this] {
            refreshTitle();
            m_state->actions.refresh();
        });
    document.whenChanged(this, Part::Problem, [this] { m_panes->showCentre(); });
    // If there is nothing left to compare, the graph replaces the comparison.
    const auto leaveEmptyComparison = [this] {
        if (m_centre->currentWidget() == view(QStringLiteral("compare")) && m_state->document.hasProblem() &&
            m_state->document.baselines().empty() && !m_state->workspace.compared().isOpen())
            showView(QStringLiteral("graph"));
    };
    connect(&workspace.compared(), &ComparedModel::changed, this, leaveEmptyComparison);
    document.whenChanged(this, Part::Problem, leaveEmptyComparison);
    document.whenChanged(&m_state->actions, Part::Snapshot | Part::Baseline | Part::RuleSet,
                         &Actions::refresh);
    connect(&m_state->selection, &Selection::changed, &m_state->actions, [this] {
        if (!m_state->document.isChanging())
            m_state->actions.refresh();
    });
    if (auto* solver = qobject_cast<SolverView*>(view(QStringLiteral("solver")))) {
        // F9 starts the solver from any view, so the Solver view is shown.
        connect(solver, &SolverView::started, this, [this] {
            // The schedule that is solved, and the place where the result is shown.
            m_panes->showLens(Lens::Schedule);
            QDockWidget* dock = m_panes->dock(QStringLiteral("solver"));
            dock->show(), dock->raise();
        });
        connect(solver, &SolverView::compareRequested, this, [this] { showView(QStringLiteral("compare")); });
        connect(m_panes.get(), &Panes::centreChanged, solver, [this, solver] {
            if (!view(QStringLiteral("compare"))->isSeen())
                solver->endComparison();
        });
    }
    if (auto* sweep = qobject_cast<SweepView*>(view(QStringLiteral("sweep"))))
        connect(sweep, &SweepView::compareRequested, this, [this] { showView(QStringLiteral("compare")); });
    document.whenChanged(this, Part::Problem | Part::Steps, [this] { m_messages->dismissNotice(); });
    connect(&document, &Document::retileOffered, this, [this, &document] {
        m_messages->show(
            MessageBar::Kind::Info,
            tr("The schedule was edited, so it still has the tiles chosen for the machine before."),
            tr("Re-tile for the new machine"), [this] { retile(); }, tr("Keep the tiles"), [] {});
        m_retileQuestion = m_messages->text();
    });
    // The question refers to the last step only, so a further step removes it.
    connect(&document.undoStack(), &QUndoStack::indexChanged, this, [this, &document] {
        if (!m_retileQuestion.isEmpty() && m_messages->text() == m_retileQuestion && !document.canRetile())
            m_messages->dismiss();
    });
    // A new drag dismisses the message about the last refused drop, because it would cover the graph.
    if (auto* graph = qobject_cast<GraphView*>(view(QStringLiteral("graph"))))
        connect(&graph->drag(), &GraphDrag::begun, m_messages, &MessageBar::dismissNotice);

    // Connected after all views. Lays out the controls that an evaluation has resized before they are
    // painted, so that they are painted only once. Each round lays out the next level of parents.
    document.whenChanged(this, Part::Snapshot, [] {
        constexpr int kRounds = 4; // levels of nested layouts: control, page, scroll area, dock
        for (int i = 0; i < kRounds; ++i)
            QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    });
}

/// Chooses the tiles anew. Subgraphs of which no tile fits into the fast memory of the new machine stay
/// unchanged; the message says so.
void MainWindow::retile()
{
    Document& document = m_state->document;
    document.retile();
    document.waitForSnapshot();
    const SnapshotPtr snapshot = document.snapshot();
    if (!snapshot || snapshot->evaluation.valid())
        return;
    m_messages->show(MessageBar::Kind::Warning,
                     tr("The schedule has new tiles, but it is not valid on this machine: %1")
                         .arg(ui::sentence(snapshot->evaluation.verdict()->text)),
                     tr("Show the problems"), [this] { showView(QStringLiteral("problems")); });
    m_retileQuestion = m_messages->text(); // the next step also ends this message
}

void MainWindow::refreshHeadline()
{
    m_headline->setVisible(m_state->document.snapshot() != nullptr);
}

bool MainWindow::openPaths(const QStringList& paths)
{
    return m_files->open(paths);
}

void MainWindow::closeFile()
{
    if (m_state->document.hasProblem()) {
        if (!m_files->confirmDiscard({&m_state->document}))
            return;
        m_session->saveFile();
        m_state->document.close();
        refreshRecentMenu();
        return;
    }
    std::vector<LensDocument*> lenses;
    for (const Lens lens : m_panes->lensesWithoutWorkload())
        lenses.push_back(&m_state->workspace.document(lens));
    if (!m_files->confirmDiscard(lenses))
        return;
    for (LensDocument* lens : lenses)
        lens->forgetChanges();
    m_panes->closeLenses();
    m_messages->dismiss();
    m_startPage->setFocus();
    m_state->actions.refresh();
}

// -- session and preferences -----------------------------------------------------------------------------

void MainWindow::restoreSession()
{
    m_session->restoreWindow();
    refreshHeadline();
    setPreferences(Preferences::load());
    m_recovery->offer();
}

void MainWindow::reopenLastFiles()
{
    const QStringList files = SessionStore::lastFiles();
    if (m_preferences.reopenLast && !files.isEmpty() && !m_recovery->hasLost())
        openPaths(files);
}

void MainWindow::keepForNextStart()
{
    m_session->saveWindow();
    m_preferences.save();
    m_recovery->keep();
    m_recovery->leaveCopy();
    m_ending = true;
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (m_ending)
        return event->accept();
    if (!m_files->confirmDiscard(m_state->workspace.modified())) {
        event->ignore();
        return;
    }
    m_session->saveWindow();
    m_preferences.save();
    m_recovery->closed();
    event->accept();
}

void MainWindow::fitOnto(const QSize& screen)
{
    // The window with frame and title must fit on the screen, because the total is in its bottom line.
    constexpr QSize kFrame(16, 48);
    const QSize room = screen - kFrame;
    if (width() <= room.width() && height() <= room.height())
        return;
    resize(size().boundedTo(room * 0.92));
    setWindowState(windowState() | Qt::WindowMaximized);
}

namespace {

/// Changes the font of all widgets. Widgets with a font size of their own (headings) are scaled in
/// proportion.
void changeFont(const QWidget& window, const QFont& font)
{
    const auto size = [](const QWidget& w) { return w.font().pointSizeF(); };
    std::vector<std::pair<QWidget*, double>> own;
    for (auto* w : window.findChildren<QWidget*>())
        if (w->testAttribute(Qt::WA_SetFont) && (w->font().resolveMask() & QFont::SizeResolved) &&
            size(*w) > 0)
            own.emplace_back(w, size(*w));
    const double before = QApplication::font().pointSizeF();
    QApplication::setFont(font);
    for (const auto& [w, was] : own)
        if (size(*w) == was && before > 0) { // unless the widget has already adapted its font
            QFont changed = w->font();
            changed.setPointSizeF(was * font.pointSizeF() / before);
            w->setFont(changed);
        }
}

} // namespace

void MainWindow::setPreferences(const Preferences& preferences)
{
    const bool motion = preferences.reduceMotion != m_preferences.reduceMotion;
    const bool letters = preferences.fontSize != m_preferences.fontSize;
    m_preferences = preferences;
    if (letters) {
        static const QFont system = QApplication::font();
        QFont font = system;
        if (preferences.fontSize > 0)
            font.setPointSize(preferences.fontSize);
        changeFont(*this, font);
        for (auto* bar : findChildren<QToolBar*>(QString(), Qt::FindDirectChildrenOnly))
            bar->setIconSize(QSize(toolIconSize(), toolIconSize()));
    }
    setTheme(preferences.theme);
    if (motion)
        QApplication::setStyle(makeStyle(preferences.reduceMotion));
    setAnimated(!preferences.reduceMotion);
    m_state->actions.setKeyChoices(preferences.keys);
    for (Canvas* canvas : findChildren<Canvas*>())
        canvas->setWheelScrolls(preferences.wheelScrolls);
    m_recovery->setInterval(preferences.autosaveSeconds);
}

void MainWindow::choosePreferences()
{
    auto* graph = qobject_cast<GraphView*>(view(QStringLiteral("graph")));
    PreferencesDialog dialog(m_preferences, graph && graph->shape().leftToRight, m_state->actions, this);
    if (dialog.exec() != QDialog::Accepted)
        return;
    setPreferences(dialog.preferences());
    m_preferences.save();
    if (graph && graph->shape().leftToRight != dialog.graphLeftToRight()) {
        GraphShape shape = graph->shape();
        shape.leftToRight = dialog.graphLeftToRight();
        graph->setShape(shape);
    }
}

void MainWindow::setTheme(const QString& choice)
{
    m_preferences.theme = choice;
    // Qt 6.4 has no query for the colour scheme of the system: a dark default palette means a dark desktop.
    static const bool systemIsDark = QApplication::palette().color(QPalette::Window).lightness() < 128;
    const bool dark = choice == QLatin1String("dark") || (choice == QLatin1String("system") && systemIsDark);
    const Theme& theme = dark ? Theme::darkTheme() : Theme::light();
    QApplication::setPalette(theme.palette());
    if (auto* primary = findChild<QToolButton*>(QStringLiteral("primary")))
        primary->setStyleSheet(
            QStringLiteral("QToolButton { background: %1; color: %2; border-radius: 4px; padding: 4px 12px;"
                           // Set explicitly, because a widget with a style sheet does not follow the font.
                           " font-size: %6px; }"
                           "QToolButton:hover, QToolButton:focus { background: %3; }"
                           "QToolButton:disabled { background: %4; color: %5; }")
                .arg(theme.accent.name(), theme.inkOn(theme.accent).name(),
                     Theme::mix(theme.accent, theme.text, 0.2).name(), theme.panel.name(), theme.muted.name())
                .arg(QFontInfo(QApplication::font()).pixelSize()));
    // The style draws the mark for hidden tools in black, so it is replaced.
    for (auto* more : findChildren<QToolButton*>(QStringLiteral("qt_toolbar_ext_button")))
        more->setIcon(icon(QStringLiteral("down")));
    m_state->themes.setTheme(theme);
    // Links in a label keep the colour that they had when the text was set, so the text is set again.
    for (auto* label : findChildren<QLabel*>())
        if (const QString text = label->text(); text.contains(QLatin1String("<a "))) {
            label->setText({});
            label->setText(text);
        }
    for (const char* name : {"system", "light", "dark"})
        if (QAction* action = m_state->actions.find(QStringLiteral("view.theme.") + QLatin1String(name)))
            action->setChecked(choice == QLatin1String(name));
}

// -- title, clipboard, recent files ----------------------------------------------------------------------

void MainWindow::refreshTitle()
{
    const Document& document = m_state->document;
    // Qt replaces "[*]" by a star if the window is modified.
    const QString star = QStringLiteral("[*]");
    QStringList parts;
    if (document.hasProblem()) {
        QString name = QString::fromStdString(document.problem()->name());
        if (!document.problemPath().isEmpty())
            name = QFileInfo(document.problemPath()).fileName();
        if (!document.schedulePath().isEmpty())
            name += QStringLiteral(" · ") + QFileInfo(document.schedulePath()).fileName();
        parts << name + (document.isModified() ? star : QString());
    }
    const std::vector<LensDocument*> modified = m_state->workspace.modified();
    for (const LensDocument* lens : modified)
        if (lens->lens() != Lens::Schedule)
            parts << (lens->path().isEmpty() ? lensName(lens->lens()) : QFileInfo(lens->path()).fileName()) +
                         star;
    if (const LensDocument& shown = m_state->workspace.current();
        parts.isEmpty() && shown.lens() != Lens::Schedule && !shown.path().isEmpty())
        parts << QFileInfo(shown.path()).fileName();
    setWindowTitle(parts.isEmpty()
                       ? tr("Tilewright")
                       : parts.join(QStringLiteral(" · ")) + (modified.empty() ? star : QString()) +
                             QStringLiteral(" – Tilewright"));
    setWindowModified(!modified.empty());
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

void MainWindow::refreshRecentMenu()
{
    const std::vector<RecentFile> files = SessionStore::recentFiles();
    m_recentMenu->clear();
    for (const RecentFile& file : files)
        m_recentMenu
            ->addAction(QFileInfo(file.path).fileName() + QStringLiteral("  —  ") +
                            QFileInfo(file.path).path(),
                        this, [this, path = file.path] { openPaths({path}); })
            ->setToolTip(plain(file.path));
    m_startPage->setRecent(files);
    m_recentMenu->setEnabled(!files.empty());
}

// -- events ----------------------------------------------------------------------------------------------

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
    if (event->type() == QEvent::ChildPolished)
        if (auto* tabs = qobject_cast<QTabBar*>(static_cast<QChildEvent*>(event)->child()))
            m_dockTabs.adopt(*tabs);
    return QMainWindow::event(event);
}

} // namespace tilewright::ui
