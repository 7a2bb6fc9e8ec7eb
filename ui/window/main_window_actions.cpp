// SPDX-License-Identifier: GPL-3.0-or-later
// Actions that do not edit the schedule: files, navigation, themes, perspectives, help. Also builds menus and
// toolbar.
#include "export/export_report.h"
#include "export/export_view.h"
#include "panels/rules/rules_view.h"
#include "theme/text.h"
#include "theme/theme.h"
#include "window/command_palette.h"
#include "window/figure_card.h"
#include "window/file_actions.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/panes.h"
#include "window/session_store.h"
#include "window/sheets.h"
#include "window/start_page.h"
#include "window/view_catalog.h"
#include "workspace/installed_files.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QDockWidget>
#include <QFileDialog>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QProgressDialog>
#include <QSet>
#include <QStackedWidget>
#include <QStorageInfo>
#include <QToolBar>
#include <QToolButton>
#include <QTreeWidget>
#include <QUrl>

#include <algorithm>

namespace tilewright::ui {

void MainWindow::createActions()
{
    Actions& a = m_state->actions;
    Document& document = m_state->document;
    const QString file = tr("File");
    const QString edit = tr("Edit");
    const QString view = tr("View");
    const auto whenOpen = [&document] {
        return Availability(document.hasProblem(), tr("Open a problem first."));
    };
    const auto whenContent = [this] {
        return Availability(m_state->workspace.current().hasContent(), tr("Open a problem first."));
    };
    QUndoGroup& undo = m_state->workspace.undoGroup();
    const auto named = [](const QString& verb, const QString& what) {
        return what.isEmpty() ? verb : verb + QStringLiteral(": ") + what;
    };

    a.add("file.new", file, tr("&New schedule"), "new", {QKeySequence::New},
          tr("Start over with one op per subgraph."), whenOpen, [&document] { document.newSchedule(); });
    a.add("file.open", file, tr("&Open…"), "open", {QKeySequence::Open},
          tr("Open a model, a problem, a schedule, a machine, or a file of another lens."), {},
          [this] { m_files->chooseAndOpen(); });
    a.add(
        "file.compare", file, tr("Compare &with…"), "compare", {},
        tr("Compare the open model with another one: added, removed and changed operators, and costs."),
        [&document] { return Availability(document.hasProblem(), tr("Open a model first.")); },
        [this] { m_files->chooseAndCompare(); });
    a.add(
        "file.reload", file, tr("&Reload"), "reload", {QKeySequence(Qt::Key_F5)},
        tr("Read the open files again from disk."),
        [this, &document] {
            const LensDocument& current = m_state->workspace.current();
            const bool isSchedule = current.lens() == Lens::Schedule;
            if (isSchedule && !document.hasProblem())
                return Availability(false, tr("Open a problem first."));
            return Availability(!(isSchedule ? document.problemPath() : current.path()).isEmpty(),
                                tr("The current document has no file."));
        },
        [this] { m_files->reload(); });
    a.add({QStringLiteral("file.save"),
           file,
           tr("&Save"),
           QStringLiteral("save"),
           {QKeySequence::Save},
           tr("Save the current document: the schedule, the systolic settings, the NPU model or the mapping, "
              "whichever was edited or used last."),
           false,
           {},
           whenContent,
           {},
           [this, named] { return named(tr("&Save"), lensName(m_state->workspace.current().lens())); }},
          [this](bool) { m_files->save(m_state->workspace.current()); });
    a.add("file.saveAs", file, tr("Save &as…"), "", {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)},
          tr("Save the current document under another name."), whenContent,
          [this] { m_files->saveAs(m_state->workspace.current()); });
    a.add(
        "file.close", file, tr("&Close"), "", {QKeySequence::Close},
        tr("Close the workload or the files that are open in single lenses, and show the start page."),
        [this, &document] {
            return Availability(document.hasProblem() ||
                                    (m_panes && !m_panes->lensesWithoutWorkload().empty()),
                                tr("Nothing is open."));
        },
        [this] { closeFile(); });
    a.add("file.export", file, tr("&Export view…"), "export", {QKeySequence(Qt::CTRL | Qt::Key_E)},
          tr("Save a picture of the view you last used as PNG, SVG or PDF."), whenOpen,
          [this] { exportCurrentView(); });
    a.add("file.report", file, tr("Export &report…"), "", {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E)},
          tr("Save all charts and tables as one HTML page or as a PDF."), whenOpen,
          [this] { exportReportFile(); });
    for (const auto& [what, text] : {std::pair{"subgraphs", tr("Export CSV: subgraphs…")},
                                     {"steps", tr("Export CSV: steps…")},
                                     {"occupancy", tr("Export CSV: occupancy…")}})
        a.add(QStringLiteral("file.csv.") + QLatin1String(what), file, text, "", {},
              tr("Save this table for a spreadsheet, with full precision."), whenOpen,
              [this, what = QString::fromLatin1(what)] { exportCsvFile(what); });
    a.add("file.quit", file, tr("&Quit"), "", {QKeySequence::Quit}, tr("Close the window."), {},
          [this] { close(); });

    a.add({QStringLiteral("edit.undo"),
           edit,
           tr("&Undo"),
           QStringLiteral("undo"),
           {QKeySequence::Undo},
           tr("Undo the last edit."),
           false,
           {},
           [&undo] { return Availability(undo.canUndo(), tr("There is no edit to undo.")); },
           {},
           [&undo, named] { return named(tr("&Undo"), undo.undoText()); }},
          [&undo](bool) { undo.undo(); });
    // Ctrl+Y works on every platform, in addition to the platform's own key.
    QList<QKeySequence> redoKeys{QKeySequence::Redo};
    if (const QKeySequence other(Qt::CTRL | Qt::Key_Y); !redoKeys.contains(other))
        redoKeys << other;
    a.add({QStringLiteral("edit.redo"),
           edit,
           tr("&Redo"),
           QStringLiteral("redo"),
           redoKeys,
           tr("Make the undone edit again."),
           false,
           {},
           [&undo] { return Availability(undo.canRedo(), tr("There is no undone edit.")); },
           {},
           [&undo, named] { return named(tr("&Redo"), undo.redoText()); }},
          [&undo](bool) { undo.redo(); });
    a.add("edit.copy", edit, tr("&Copy rows"), "copy", {QKeySequence::Copy},
          tr("Copy the rows of the view you last used as tab-separated text, with full precision."), {},
          [this] {
              const View* v = currentView();
              if (const QString rows = v ? v->copyText() : QString(); !rows.isEmpty())
                  QApplication::clipboard()->setText(plainNumbers(rows));
          });
    a.add("edit.copyImage", edit, tr("Copy view as &image"), "image",
          {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C)}, tr("Copy a picture of the view you last used."),
          {}, [this] { copyCurrentViewImage(); });
    a.add("edit.palette", edit, tr("Command &palette…"), "search", {QKeySequence(Qt::CTRL | Qt::Key_K)},
          tr("Find and run any command, rule, op, tensor or subgraph by typing."), {}, [this] {
              CommandPalette palette(m_state->context(), this);
              connect(&palette, &CommandPalette::ruleChosen, this, [this](int rule) {
                  showView(QStringLiteral("rules"));
                  QTreeWidget* list = static_cast<RulesView*>(this->view(QStringLiteral("rules")))->list();
                  list->setCurrentItem(list->topLevelItem(rule));
                  list->setFocus();
              });
              palette.exec();
          });

    a.add("edit.preferences", edit, tr("P&references…"), "settings", {QKeySequence(Qt::CTRL | Qt::Key_Comma)},
          tr("Theme, font size, mouse wheel, animations, autosave, files to open at start, keys."), {},
          [this] { choosePreferences(); });
    createLookActions();
    for (const auto& [name, text] : {std::pair{"system", tr("Theme: &system")},
                                     {"light", tr("Theme: &light")},
                                     {"dark", tr("Theme: &dark")}})
        a.add({QStringLiteral("view.theme.") + QLatin1String(name),
               view,
               text,
               {},
               {},
               tr("Choose the colours of the window."),
               true},
              [this, name = QString::fromLatin1(name)](bool) { setTheme(name); });
    int digit = 1;
    for (const Perspective& task : perspectives())
        if (task.lens == Lens::Schedule)
            a.add({QStringLiteral("view.perspective.") + task.name,
                   tr("Lens"),
                   tr("Task: %1").arg(task.name),
                   QStringLiteral("layout"),
                   {QKeySequence(QStringLiteral("Ctrl+%1").arg(digit++))},
                   task.tip,
                   true,
                   {},
                   {},
                   [this, name = task.name] { return m_panes && m_panes->perspective() == name; }},
                  [this, name = task.name](bool) {
                      applyPerspective(name);
                      m_state->actions.refresh();
                  });
    a.add("view.resetLayout", view, tr("Restore &default layout"), "", {},
          tr("Put all views back to their default places."), {}, [this] { m_panes->restoreDefaults(); });
    a.add("view.start", view, tr("Start &page"), "home", {}, tr("Show samples and recent files."), {},
          [this] { m_centre->setCurrentWidget(m_startPage); });
    a.add("view.graph", view, tr("&Graph"), "", {QKeySequence(Qt::CTRL | Qt::Key_G)}, tr("Go to the graph."),
          whenOpen, [this] { showView(QStringLiteral("graph")); });
    a.add("view.inspector", view, tr("&Inspector"), "", {QKeySequence(Qt::CTRL | Qt::Key_I)},
          tr("Go to the properties of the selection ({graph.properties|Enter} in the graph)."), {},
          [this] { showView(QStringLiteral("inspector")); });

    a.add("compare.pin", tr("Compare"), tr("&Pin as baseline"), "pin", {QKeySequence(Qt::Key_B)},
          tr("Pin the present schedule for comparison; every view draws it as a ghost."), whenOpen,
          [&document] { document.pinBaseline(); });
    a.add(
        "compare.clear", tr("Compare"), tr("&Clear baselines"), "", {}, tr("Remove all baselines."),
        [&document] { return Availability(!document.baselines().empty(), tr("There is no baseline.")); },
        [&document] { document.clearBaselines(); });

    const auto addPage = [&](const char* id, const QString& text, const QString& tip, const QString& name) {
        a.add(
            id, tr("Help"), text, "", {}, tip,
            [isThere = !handbookPage(name).isEmpty()] {
                return Availability(
                    isThere, tr("The handbook is not installed. Install tilewright-doc, or build it with "
                                "./dev handbook."));
            },
            [this, page = handbookPage(name)] {
                // It is not known whether the browser really opens, so the message also names the file.
                if (QDesktopServices::openUrl(QUrl::fromLocalFile(page)))
                    m_messages->show(MessageBar::Kind::Info,
                                     tr("The handbook opens in the browser: %1").arg(page));
                else
                    m_messages->show(MessageBar::Kind::Warning, tr("No program can open %1.").arg(page));
            });
    };
    addPage("help.handbook", tr("&Handbook"),
            tr("Open the handbook in the browser: lenses, worked examples, formulas, files and the command "
               "line."),
            {});
    addPage(
        "help.four", tr("Handbook: &one layer in four lenses"),
        tr("Open the page of the handbook that says what each lens counts and computes one product in all of "
           "them."),
        QStringLiteral("lenses/four.html"));
    a.add("help.shortcuts", tr("Help"), tr("&Shortcuts"), "help", {QKeySequence(Qt::Key_F1)},
          tr("Show all commands and their keys."), {},
          [this] { ShortcutSheet(m_state->actions, this).exec(); });
    a.add("help.formulas", tr("Help"), tr("&Formula sheet"), "", {},
          tr("Show the formulas for validity and latency of a schedule on one page."), {},
          [this, &a] { FormulaSheet(a, this).exec(); });
    a.add("help.figure", tr("Help"), tr("Explain a &figure"), "", {QKeySequence(Qt::Key_Question)},
          tr("Show what the figure under the mouse, or the one that has the focus, is and how it came about. "
             "Alt "
             "and a click on a figure do the same."),
          {}, [this] { m_figure->askHere(); });
    a.add("help.tooltip", tr("Help"), tr("&Explain the focused control"), "",
          {QKeySequence(Qt::SHIFT | Qt::Key_F1)},
          tr("Show the tooltip of the control, row or chart that has the keyboard focus."), {},
          [this] { showTooltipOfFocus(); });
    a.add("help.about", tr("Help"), tr("&About Tilewright"), "", {}, tr("Version and licence."), {}, [this] {
        QMessageBox::about(
            this, tr("About Tilewright"),
            tr("<h3>Tilewright %1</h3><p>View, edit and optimise schedules of tensor graphs on "
               "accelerators with a small on-chip memory.</p><p>GPL-3.0-or-later. Uses Qt, QCustomPlot, "
               "nlohmann/json and CLI11.</p>")
                .arg(QCoreApplication::applicationVersion()));
    });
    // All actions are added to the window, so that their keys work before a menu contains them.
    for (QAction* action : a.all())
        if (action->shortcutContext() != Qt::WidgetWithChildrenShortcut)
            addAction(action);
}

namespace {

/// Returns the submenu of this name; creates it if there is none.
QMenu* subMenu(QMenu& menu, const QString& name)
{
    for (QAction* action : menu.actions())
        if (action->menu() && action->menu()->title() == name)
            return action->menu();
    QMenu* out = menu.addMenu(name);
    out->setToolTipsVisible(true);
    return out;
}

/// Returns the menu or submenu that lists an action.
QMenu* placeOf(const QAction& action, QMenu& menu)
{
    const QString id = action.objectName();
    const std::pair<const char*, QString> submenus[] = {
        {"view.theme.", tr("&Theme")},
        {"view.zoom", tr("&Zoom")},
        {"view.fit", tr("&Zoom")},
        {"view.actualSize", tr("&Zoom")},
        {"view.back", tr("&Zoom")},
        {"view.forward", tr("&Zoom")},
        {"view.start", tr("&Go to")},
        {"view.graph", tr("&Go to")},
        {"view.inspector", tr("&Go to")},
        {"view.perspective.", tr("&Task")},
        {"view.lowerPanes", tr("&Panes")},
        {"graph.colour.", tr("&Colour by")},
        {"schedule.traversal.", tr("Tra&versal")},
        {"schedule.rules.", tr("R&ules")},
        {"schedule.constrain.", tr("&Constraints")},
        {"file.csv.", tr("Export &CSV")},
    };
    for (const auto& [prefix, name] : submenus)
        if (id.startsWith(QLatin1String(prefix)))
            return subMenu(menu, name);
    if (id.startsWith(QLatin1String("graph.")) && menu.title() == QLatin1String("&View"))
        return subMenu(menu, tr("G&raph"));
    return &menu;
}

} // namespace

void MainWindow::createMenus()
{
    const QStringList order{tr("File"), tr("Edit"),  tr("View"),    tr("Schedule"),
                            tr("Lens"), tr("Solve"), tr("Compare"), tr("Help")};
    QMap<QString, QMenu*> menus;
    for (const QString& name : order) {
        menus[name] = menuBar()->addMenu(QStringLiteral("&") + name);
        menus[name]->setToolTipsVisible(true);
    }
    // Actions that begin a group; there is a separator before each.
    const QSet<QString> groups{QStringLiteral("file.save"),
                               QStringLiteral("file.close"),
                               QStringLiteral("file.export"),
                               QStringLiteral("file.quit"),
                               QStringLiteral("edit.copy"),
                               QStringLiteral("edit.palette"),
                               QStringLiteral("graph.selectAll"),
                               QStringLiteral("view.note"),
                               QStringLiteral("schedule.mergePrevious"),
                               QStringLiteral("schedule.moveUp"),
                               QStringLiteral("schedule.retain"),
                               QStringLiteral("schedule.traversal.raster"),
                               QStringLiteral("schedule.normalise"),
                               QStringLiteral("schedule.rules.final"),
                               QStringLiteral("query.ask"),
                               QStringLiteral("lens.slowest"),
                               QStringLiteral("lens.systolic"),
                               QStringLiteral("lens.machine"),
                               QStringLiteral("compare.next"),
                               QStringLiteral("help.tour.fuse"),
                               QStringLiteral("help.about")};
    // Views register actions at any time, so they are sorted: commands on answers follow those on the
    // schedule, and Quit is last.
    std::vector<QAction*> actions = m_state->actions.all();
    std::ranges::stable_sort(actions, {}, [](const QAction* action) {
        const QString id = action->objectName();
        return id == QLatin1String("file.quit") ? 2 : id.startsWith(QLatin1String("query.")) ? 1 : 0;
    });
    for (QAction* action : actions) {
        const QString menu = Actions::menuOf(action);
        if (!menus.contains(menu))
            continue;
        QMenu* place = placeOf(*action, *menus[menu]);
        if (groups.contains(action->objectName()) && !place->isEmpty())
            place->addSeparator();
        place->addAction(action);
        if (action->shortcutContext() != Qt::WidgetWithChildrenShortcut)
            addAction(action);
        if (action->objectName() == QLatin1String("file.open")) {
            m_recentMenu = menus[menu]->addMenu(tr("Open &recent"));
            QMenu* samples = menus[menu]->addMenu(tr("Sa&mples"));
            // The menu is filled when it opens, so that the start does not wait for reading the folder.
            connect(samples, &QMenu::aboutToShow, samples, [this, samples] {
                if (samples->isEmpty())
                    addAllSamples(*samples, [this](const QStringList& paths) { openPaths(paths); });
            });
        }
    }
    // Overlays are opened by their view; the menu of files has the same command.
    if (QAction* overlay = m_state->actions.find(QStringLiteral("overlay.open")))
        menus[tr("File")]->insertAction(m_state->actions.find(QStringLiteral("file.compare")), overlay);
    // The perspective Compare is also in the menu Compare, as its first entry.
    menus[tr("Compare")]->insertAction(menus[tr("Compare")]->actions().value(0),
                                       m_state->actions.find(QStringLiteral("view.perspective.Compare")));
    QMenu* docks = subMenu(*menus[tr("View")], tr("&Panes"));
    for (QAction* action : createDockActions())
        for (const ViewEntry& entry : viewCatalog())
            if (action->objectName() == QStringLiteral("view.dock.") + entry.name)
                subMenu(*docks, entry.lens == Lens::Schedule ? entry.menu : lensTitle(entry.lens))
                    ->addAction(action);
    createToolbars();
}

void MainWindow::createToolbars()
{
    QToolBar* bar = addToolBar(tr("Main"));
    bar->setObjectName(QStringLiteral("toolbar"));
    for (const char* id : {"file.open",
                           "file.save",
                           "",
                           "edit.undo",
                           "edit.redo",
                           "",
                           "schedule.fuse",
                           "schedule.split",
                           "compare.pin",
                           "",
                           "solve.auto",
                           "",
                           "lens.show.schedule",
                           "lens.show.systolic",
                           "lens.show.mapping",
                           "lens.show.npu",
                           "tasks",
                           "",
                           "view.fit",
                           "edit.palette"}) {
        const QByteArray name = id;
        if (name.isEmpty()) {
            bar->addSeparator();
        } else if (name == "tasks") {
            bar->addWidget(createTaskButton(bar));
        } else if (QAction* action = m_state->actions.find(QLatin1String(id))) {
            bar->addAction(action);
            // The lens buttons show which lens is in use; the button of the solver stands out as the main
            // command of the window.
            auto* button = qobject_cast<QToolButton*>(bar->widgetForAction(action));
            if (name.startsWith("lens.") || name == "solve.auto")
                button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
            if (name == "solve.auto")
                button->setObjectName(QStringLiteral("primary"));
        }
    }
    addToolBarBreak();
    m_headline = addToolBar(tr("Summary"));
    m_headline->setObjectName(QStringLiteral("headline"));
    m_headline->addWidget(m_status);
    for (QToolBar* one : {bar, m_headline}) {
        one->setMovable(false);
        one->setIconSize(QSize(toolIconSize(), toolIconSize()));
        one->toggleViewAction()->setEnabled(false); // this toolbar cannot be hidden
    }
}

QToolButton* MainWindow::createTaskButton(QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setObjectName(QStringLiteral("tasks"));
    button->setAccessibleName(tr("Task"));
    button->setToolTip(tr("Views for one kind of work on the schedule."));
    button->setPopupMode(QToolButton::InstantPopup);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    auto* menu = new QMenu(button);
    menu->setToolTipsVisible(true);
    for (const Perspective& task : perspectives())
        if (QAction* action = m_state->actions.find(QStringLiteral("view.perspective.") + task.name))
            menu->addAction(action);
    button->setMenu(menu);
    const auto refresh = [this, button] {
        button->setText(tr("Task: %1").arg(m_panes->perspective()));
        button->setEnabled(m_panes->lens() == Lens::Schedule);
        if (!button->isEnabled())
            button->setText(tr("Task"));
    };
    connect(m_panes.get(), &Panes::perspectiveChanged, button, refresh);
    refresh();
    return button;
}

void MainWindow::exportCurrentView()
{
    View* view = currentView();
    if (!view)
        return;
    ExportDialog dialog(*view, m_files->startFolder(), m_state->themes.theme(), this);
    if (dialog.exec() != QDialog::Accepted)
        return;
    m_files->showExported(exportView(*view, dialog.path(), dialog.options()), dialog.path());
}

void MainWindow::exportReportFile()
{
    const QString path = QFileDialog::getSaveFileName(this, tr("Export report"),
                                                      m_files->startFolder() + QStringLiteral("/report.html"),
                                                      tr("HTML page (*.html);;PDF (*.pdf)"));
    if (path.isEmpty())
        return;
    std::vector<View*> pages;
    for (const QString& name : reportViews(m_state->document))
        if (View* view = this->view(name))
            pages.push_back(view);
    m_files->showExported(exportReport(m_state->document, pages, path), path);
}

void MainWindow::exportCsvFile(const QString& what)
{
    if (m_stepsExport.isRunning()) {
        m_messages->show(MessageBar::Kind::Warning, tr("Another table is still being written."));
        return;
    }
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Export CSV"), m_files->startFolder() + QLatin1Char('/') + what + QStringLiteral(".csv"),
        tr("CSV (*.csv)"));
    if (path.isEmpty())
        return;
    if (what == QLatin1String("subgraphs"))
        m_files->showExported(exportSubgraphsCsv(m_state->document, path), path);
    else
        exportSteps(what == QLatin1String("steps") ? StepCsv::Steps : StepCsv::Occupancy, path);
}

void MainWindow::exportSteps(StepCsv table, const QString& path)
{
    // Size in bytes of an export above which the user is asked first.
    constexpr std::int64_t kAskedFor = 200'000'000;
    m_state->document.waitForSnapshot();
    const SnapshotPtr snapshot = m_state->document.snapshot();
    if (!snapshot)
        return;
    const StepCsvSize size = sizeOf(table, *snapshot);
    const QString name = QFileInfo(path).fileName();
    const QString large = tr("%1 would have %2, about %3")
                              .arg(name, counted(size.rows, tr("row"), tr("rows")), bytesText(size.bytes));
    const qint64 free = QStorageInfo(QFileInfo(path).path()).bytesAvailable();
    if (free >= 0 && size.bytes > free) {
        m_messages->show(MessageBar::Kind::Error,
                         tr("%1, but only %2 are free there.").arg(large, bytesText(free)));
        return;
    }
    if (size.bytes > kAskedFor) {
        QMessageBox box(QMessageBox::Question, tr("Write a large table?"), large + QLatin1Char('.'),
                        QMessageBox::Cancel, this);
        const auto* write = box.addButton(tr("&Write"), QMessageBox::AcceptRole);
        box.exec();
        if (box.clickedButton() != write)
            return;
    }
    constexpr int kParts = 1000;
    auto* progress = new QProgressDialog(tr("Writing %1").arg(name), tr("Cancel"), 0, kParts, this);
    progress->setWindowTitle(tr("Export CSV"));
    progress->setAutoReset(false);
    connect(progress, &QProgressDialog::canceled, &m_stepsExport, &StepsExport::cancel);
    connect(&m_stepsExport, &StepsExport::progressed, progress,
            [progress](double fraction) { progress->setValue(static_cast<int>(fraction * kParts)); });
    connect(&m_stepsExport, &StepsExport::finished, progress,
            [this, progress, path](const Status& written, bool cancelled) {
                progress->deleteLater();
                if (cancelled)
                    m_messages->show(MessageBar::Kind::Info, tr("Nothing was written."));
                else
                    m_files->showExported(written, path);
            });
    m_stepsExport.start(table, snapshot, path);
}

} // namespace tilewright::ui
