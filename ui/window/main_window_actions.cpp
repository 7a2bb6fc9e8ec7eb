// SPDX-License-Identifier: GPL-3.0-or-later
// Files, navigation, themes, perspectives, help: every action that is not an edit of the schedule.
#include "export/export_dialog.h"
#include "export/export_report.h"
#include "export/export_view.h"
#include "theme/style.h"
#include "window/command_palette.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/shortcut_sheet.h"
#include "window/start_page.h"
#include "window/view_catalog.h"
#include "workspace/samples.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QFileSystemWatcher>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QSet>
#include <QSettings>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QToolBar>

namespace tilewright::ui {

namespace {

QString openFilter()
{
    return QObject::tr("Problems, schedules, layers, models (*.json);;All files (*)");
}

} // namespace

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
    QUndoStack& undo = document.undoStack();
    const auto named = [](const QString& verb, const QString& what) {
        return what.isEmpty() ? verb : verb + QStringLiteral(": ") + what;
    };

    a.add({QStringLiteral("file.new"),
           file,
           tr("&New schedule"),
           QStringLiteral("new"),
           {QKeySequence::New},
           tr("Start again with every op in a subgraph of its own."),
           false,
           {},
           whenOpen},
          [&document](bool) { document.newSchedule(); });
    a.add({QStringLiteral("file.open"),
           file,
           tr("&Open…"),
           QStringLiteral("open"),
           {QKeySequence::Open},
           tr("Open a problem, a schedule of the open problem, or a layer or model of another lens.")},
          [this](bool) {
              const QStringList paths = QFileDialog::getOpenFileNames(this, tr("Open"), {}, openFilter());
              if (!paths.isEmpty())
                  openPaths(paths);
          });
    a.add({QStringLiteral("file.reload"),
           file,
           tr("&Reload"),
           QStringLiteral("reload"),
           {QKeySequence(Qt::Key_F5)},
           tr("Read the open files again from disk."),
           false,
           {},
           [&document] {
               return !document.hasProblem() ? Availability(false, tr("Open a problem first."))
                                             : Availability(!document.problemPath().isEmpty(),
                                                            tr("The problem did not come from a file."));
           }},
          [this, &document](bool) {
              QStringList paths{document.problemPath()};
              if (!document.schedulePath().isEmpty())
                  paths << document.schedulePath();
              if (!paths.front().isEmpty())
                  openPaths(paths);
          });
    a.add({QStringLiteral("file.save"),
           file,
           tr("&Save schedule"),
           QStringLiteral("save"),
           {QKeySequence::Save},
           tr("Write the schedule to its file."),
           false,
           {},
           whenOpen},
          [this](bool) { save(); });
    a.add({QStringLiteral("file.saveAs"),
           file,
           tr("Save schedule &as…"),
           {},
           {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)},
           tr("Write the schedule to another file."),
           false,
           {},
           whenOpen},
          [this](bool) { saveAs(); });
    a.add({QStringLiteral("file.close"),
           file,
           tr("&Close"),
           {},
           {QKeySequence::Close},
           tr("Close the workload and show the start page."),
           false,
           {},
           whenOpen},
          [this](bool) {
              if (!offerToSave())
                  return;
              saveFileSession();
              m_state->document.close();
              refreshRecentMenu();
          });
    a.add({QStringLiteral("file.export"),
           file,
           tr("&Export view…"),
           QStringLiteral("export"),
           {QKeySequence(Qt::CTRL | Qt::Key_E)},
           tr("Write the view you last used as PNG, SVG or PDF."),
           false,
           {},
           whenOpen},
          [this](bool) { exportCurrentView(); });
    a.add({QStringLiteral("file.report"),
           file,
           tr("Export &report…"),
           {},
           {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E)},
           tr("Write all charts and tables as one HTML page or a PDF."),
           false,
           {},
           whenOpen},
          [this](bool) { exportReportFile(); });
    for (const auto& [what, text] : {std::pair{"subgraphs", tr("Export CSV: subgraphs…")},
                                     {"steps", tr("Export CSV: steps…")},
                                     {"occupancy", tr("Export CSV: occupancy…")}})
        a.add({QStringLiteral("file.csv.") + QLatin1String(what),
               file,
               text,
               {},
               {},
               tr("Write a table with numbers in full that any spreadsheet reads."),
               false,
               {},
               whenOpen},
              [this, what = QString::fromLatin1(what)](bool) { exportCsvFile(what); });
    a.add({QStringLiteral("file.quit"), file, tr("&Quit"), {}, {QKeySequence::Quit}, tr("Close the window.")},
          [this](bool) { close(); });

    a.add({QStringLiteral("edit.undo"),
           edit,
           tr("&Undo"),
           QStringLiteral("undo"),
           {QKeySequence::Undo},
           tr("Take the last edit back."),
           false,
           {},
           [&undo] { return Availability(undo.canUndo(), tr("Nothing has been edited.")); },
           {},
           [&undo, named] { return named(tr("&Undo"), undo.undoText()); }},
          [&document](bool) { document.undoStack().undo(); });
    a.add({QStringLiteral("edit.redo"),
           edit,
           tr("&Redo"),
           QStringLiteral("redo"),
           {QKeySequence::Redo},
           tr("Make the edit again."),
           false,
           {},
           [&undo] { return Availability(undo.canRedo(), tr("Nothing has been undone.")); },
           {},
           [&undo, named] { return named(tr("&Redo"), undo.redoText()); }},
          [&document](bool) { document.undoStack().redo(); });
    a.add({QStringLiteral("edit.copy"),
           edit,
           tr("&Copy rows"),
           QStringLiteral("copy"),
           {QKeySequence::Copy},
           tr("Copy the rows of the view you last used as tab-separated text, with full precision.")},
          [this](bool) {
              if (const View* v = currentView(); v && !v->copyText().isEmpty())
                  QApplication::clipboard()->setText(v->copyText());
          });
    a.add({QStringLiteral("edit.copyImage"),
           edit,
           tr("Copy view as &image"),
           QStringLiteral("image"),
           {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C)},
           tr("Copy the view you last used as a picture.")},
          [this](bool) { copyCurrentViewImage(); });
    a.add({QStringLiteral("edit.palette"),
           edit,
           tr("Command &palette…"),
           QStringLiteral("search"),
           {QKeySequence(Qt::CTRL | Qt::Key_K)},
           tr("Find and run any command, op, tensor or subgraph by typing.")},
          [this](bool) { CommandPalette(m_state->context(), this).exec(); });

    a.add({QStringLiteral("edit.preferences"),
           edit,
           tr("P&references…"),
           QStringLiteral("settings"),
           {QKeySequence(Qt::CTRL | Qt::Key_Comma)},
           tr("Theme, mouse wheel, motion, autosave, what opens at start.")},
          [this](bool) { choosePreferences(); });
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
    for (const char* name : {"Edit", "Tiles", "Compare", "Hardware"})
        a.add({QStringLiteral("view.perspective.") + QLatin1String(name),
               view,
               tr("Perspective: %1").arg(QLatin1String(name)),
               QStringLiteral("layout"),
               {QKeySequence(QStringLiteral("Ctrl+%1").arg(digit++))},
               tr("Arrange the docks for this kind of work.")},
              [this, name = QString::fromLatin1(name)](bool) { applyPerspective(name); });
    a.add({QStringLiteral("view.resetLayout"),
           view,
           tr("Restore &default layout"),
           {},
           {},
           tr("Put every pane back where it was at first.")},
          [this](bool) { restoreDefaultLayout(); });
    a.add({QStringLiteral("view.start"),
           view,
           tr("Start &page"),
           QStringLiteral("home"),
           {},
           tr("Show samples and recent files.")},
          [this](bool) { m_centre->setCurrentWidget(m_startPage); });
    a.add({QStringLiteral("view.graph"),
           view,
           tr("&Graph"),
           {},
           {QKeySequence(Qt::CTRL | Qt::Key_G)},
           tr("Go to the graph."),
           false,
           {},
           whenOpen},
          [this](bool) { showView(QStringLiteral("graph")); });
    a.add({QStringLiteral("view.inspector"),
           view,
           tr("&Inspector"),
           {},
           {QKeySequence(Qt::CTRL | Qt::Key_I)},
           tr("Go to the properties of what is selected (Enter in the graph).")},
          [this](bool) { showView(QStringLiteral("inspector")); });

    a.add({QStringLiteral("compare.pin"),
           tr("Compare"),
           tr("&Pin as baseline"),
           QStringLiteral("pin"),
           {QKeySequence(Qt::Key_B)},
           tr("Remember this state; every view draws it as a ghost."),
           false,
           {},
           whenOpen},
          [&document](bool) { document.pinBaseline(); });
    a.add({QStringLiteral("compare.clear"),
           tr("Compare"),
           tr("&Clear baselines"),
           {},
           {},
           tr("Forget all pinned states."),
           false,
           {},
           [&document] { return Availability(!document.baselines().empty(), tr("No state is pinned.")); }},
          [&document](bool) { document.clearBaselines(); });

    a.add({QStringLiteral("help.shortcuts"),
           tr("Help"),
           tr("&Shortcuts"),
           QStringLiteral("help"),
           {QKeySequence(Qt::Key_F1), QKeySequence(Qt::Key_Question)},
           tr("All commands with their keys.")},
          [this](bool) { ShortcutSheet(m_state->actions, this).exec(); });
    a.add({QStringLiteral("help.tooltip"),
           tr("Help"),
           tr("&Explain what has the focus"),
           {},
           {QKeySequence(Qt::SHIFT | Qt::Key_F1)},
           tr("Show the tooltip of the control, row or picture that has the keyboard.")},
          [this](bool) { showTooltipOfFocus(); });
    a.add({QStringLiteral("help.about"),
           tr("Help"),
           tr("&About Tilewright"),
           {},
           {},
           tr("Version and licence.")},
          [this](bool) {
              QMessageBox::about(
                  this, tr("About Tilewright"),
                  tr("<h3>Tilewright 0.1.0</h3><p>See, hand-craft and solve schedules of tensor graphs on "
                     "accelerators with little memory.</p><p>GPL-3.0-or-later. Uses Qt, QCustomPlot, "
                     "nlohmann/json and CLI11.</p>"));
          });
    // Actions answer to their keys even before a menu holds them.
    for (QAction* action : a.all())
        if (action->shortcutContext() != Qt::WidgetWithChildrenShortcut)
            addAction(action);
}

void MainWindow::createMenus()
{
    const QStringList order{tr("File"),  tr("Edit"),    tr("View"), tr("Schedule"),
                            tr("Solve"), tr("Compare"), tr("Help")};
    QMap<QString, QMenu*> menus;
    for (const QString& name : order) {
        menus[name] = menuBar()->addMenu(QStringLiteral("&") + name);
        menus[name]->setToolTipsVisible(true);
    }
    // What belongs together stands together: a line before each of these.
    const QSet<QString> groups{QStringLiteral("file.save"),
                               QStringLiteral("file.close"),
                               QStringLiteral("file.export"),
                               QStringLiteral("file.quit"),
                               QStringLiteral("edit.copy"),
                               QStringLiteral("edit.palette"),
                               QStringLiteral("graph.selectAll"),
                               QStringLiteral("view.theme.system"),
                               QStringLiteral("view.perspective.Edit"),
                               QStringLiteral("view.start"),
                               QStringLiteral("schedule.mergePrevious"),
                               QStringLiteral("schedule.moveUp"),
                               QStringLiteral("schedule.retain"),
                               QStringLiteral("schedule.traversal.raster"),
                               QStringLiteral("schedule.normalise"),
                               QStringLiteral("schedule.rules.final"),
                               QStringLiteral("compare.next"),
                               QStringLiteral("help.about")};
    for (QAction* action : m_state->actions.all()) {
        const QString menu = Actions::menuOf(action);
        if (!menus.contains(menu))
            continue;
        if (groups.contains(action->objectName()) && !menus[menu]->isEmpty())
            menus[menu]->addSeparator();
        menus[menu]->addAction(action);
        if (action->shortcutContext() != Qt::WidgetWithChildrenShortcut)
            addAction(action);
        if (action->objectName() == QLatin1String("file.open"))
            m_recentMenu = menus[menu]->addMenu(tr("Open &recent"));
    }
    // Where a person looks for it after pinning a baseline.
    menus[tr("Compare")]->insertAction(menus[tr("Compare")]->actions().value(0),
                                       m_state->actions.find(QStringLiteral("view.perspective.Compare")));
    QMenu* docks = menus[tr("View")]->addMenu(tr("&Docks"));
    docks->setToolTipsVisible(true);
    for (QAction* action : createDockActions())
        docks->addAction(action);

    QToolBar* bar = addToolBar(tr("Main"));
    bar->setObjectName(QStringLiteral("toolbar"));
    bar->setMovable(false);
    bar->setIconSize(QSize(toolIconSize(), toolIconSize()));
    for (const char* id : {"file.open", "file.save", "", "edit.undo", "edit.redo", "", "view.fit",
                           "view.zoomIn", "view.zoomOut", "", "schedule.fuse", "schedule.split", "",
                           "solve.auto", "compare.pin", "", "edit.palette"}) {
        if (*id == 0)
            bar->addSeparator();
        else if (QAction* action = m_state->actions.find(QLatin1String(id)))
            bar->addAction(action);
    }
}

bool MainWindow::save()
{
    Document& document = m_state->document;
    if (document.schedulePath().isEmpty())
        return saveAs();
    m_watcher->removePath(document.schedulePath()); // our own write is no change "on disk"
    const Status saved = document.saveSchedule(document.schedulePath());
    m_watcher->addPath(document.schedulePath());
    if (!saved)
        m_messages->show(MessageBar::Kind::Error, QString::fromStdString(saved.error().text()));
    return saved.hasValue();
}

bool MainWindow::saveAs()
{
    Document& document = m_state->document;
    if (!document.hasProblem())
        return false;
    const QFileInfo problem(document.problemPath());
    // Beside its problem, but the samples stay as they came.
    const QString samples = QDir(samplesFolder()).canonicalPath();
    const bool ours =
        !samples.isEmpty() && problem.canonicalFilePath().startsWith(samples + QLatin1Char('/'));
    const QString folder =
        ours ? QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation) : problem.path();
    const QString suggestion =
        folder + QLatin1Char('/') + problem.completeBaseName() + QStringLiteral(".schedule.json");
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save schedule"), suggestion, tr("Schedules (*.json)"));
    if (path.isEmpty())
        return false;
    const Status saved = document.saveSchedule(path);
    if (!saved) {
        m_messages->show(MessageBar::Kind::Error, QString::fromStdString(saved.error().text()));
        return false;
    }
    m_watcher->addPath(path);
    rememberRecent(path);
    QSettings().setValue(QStringLiteral("problemOf/") + QString::fromLatin1(path.toUtf8().toHex()),
                         document.problemPath());
    return true;
}

void MainWindow::exportCurrentView()
{
    View* view = currentView();
    if (!view)
        return;
    ExportDialog dialog(*view, m_state->themes.theme(), this);
    if (dialog.exec() != QDialog::Accepted)
        return;
    tellWritten(exportView(*view, dialog.path(), dialog.options()), dialog.path());
}

void MainWindow::exportReportFile()
{
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Export report"), QStringLiteral("report.html"), tr("HTML page (*.html);;PDF (*.pdf)"));
    if (path.isEmpty())
        return;
    std::vector<View*> pages;
    for (const QString& name : reportViews())
        if (View* view = m_views.value(name))
            pages.push_back(view);
    tellWritten(exportReport(m_state->document, pages, path), path);
}

void MainWindow::exportCsvFile(const QString& what)
{
    const QString path = QFileDialog::getSaveFileName(this, tr("Export CSV"), what + QStringLiteral(".csv"),
                                                      tr("CSV (*.csv)"));
    if (!path.isEmpty())
        tellWritten(exportCsv(m_state->document, what, path), path);
}

void MainWindow::tellWritten(const Status& written, const QString& path)
{
    if (written)
        m_messages->show(MessageBar::Kind::Info, tr("Written to %1.").arg(path));
    else
        m_messages->show(MessageBar::Kind::Error, QString::fromStdString(written.error().text()));
}

} // namespace tilewright::ui
