// SPDX-License-Identifier: GPL-3.0-or-later
// What outlives a window: preferences, layout, how each file was left, recovery after a crash.
#include "canvas/canvas.h"
#include "window/file_session.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/preferences_dialog.h"
#include "report/take_snapshot.h"
#include "schedule/schedule_json.h"
#include "window/start_page.h"
#include "theme/number.h"
#include "theme/style.h"
#include "views/graph/graph_view.h"

#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QMenu>
#include <QSettings>
#include <QStandardPaths>

namespace tilewright::ui {

namespace {

/// Beside the settings, so that a program with settings of its own (pictures, tests) has sessions of its own.
QString sessionFolder()
{
    return QFileInfo(QSettings().fileName()).path() + QStringLiteral("/sessions");
}

} // namespace

// -- preferences -----------------------------------------------------------------------------------------

void MainWindow::setPreferences(const Preferences& preferences)
{
    const bool motion = preferences.reduceMotion != m_preferences.reduceMotion;
    m_preferences = preferences;
    setTheme(preferences.theme);
    if (motion)
        QApplication::setStyle(makeStyle(preferences.reduceMotion));
    setAnimated(!preferences.reduceMotion);
    for (Canvas* canvas : findChildren<Canvas*>())
        canvas->setWheelScrolls(preferences.wheelScrolls);
    m_autosaveTimer.setInterval(preferences.autosaveSeconds * 1000);
}

void MainWindow::choosePreferences()
{
    auto* graph = qobject_cast<GraphView*>(m_graph);
    PreferencesDialog dialog(m_preferences, graph && graph->shape().leftToRight, this);
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

// -- the window ------------------------------------------------------------------------------------------

void MainWindow::saveSession() const
{
    QSettings settings;
    settings.setValue(QStringLiteral("geometry"), saveGeometry());
    settings.setValue(QStringLiteral("docks"),
                      m_docksOfDocument.isEmpty() ? saveState(kLayoutVersion) : m_docksOfDocument);
    settings.setValue(QStringLiteral("perspective"), m_perspective);
    QStringList open;
    for (const QString& path : {m_state->document.problemPath(), m_state->document.schedulePath()})
        if (!path.isEmpty())
            open << path;
    settings.setValue(QStringLiteral("openFiles"), open);
    m_preferences.save();
    saveFileSession();
}

void MainWindow::restoreSession()
{
    const QSettings settings;
    restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
    m_docksOfDocument.clear();
    if (restoreState(settings.value(QStringLiteral("docks")).toByteArray(), kLayoutVersion))
        m_perspective = settings.value(QStringLiteral("perspective"), m_perspective).toString();
    else
        applyPerspective(QStringLiteral("Edit"));
    showCentre();
    setPreferences(Preferences::load());
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

void MainWindow::fitOnto(const QSize& screen)
{
    // With its frame and title the window must not reach past the screen: the total stands in its last line.
    constexpr QSize kFrame(16, 48);
    const QSize room = screen - kFrame;
    if (width() <= room.width() && height() <= room.height())
        return;
    resize(size().boundedTo(room * 0.92));
    setWindowState(windowState() | Qt::WindowMaximized);
}

void MainWindow::reopenLastFiles()
{
    QStringList files = QSettings().value(QStringLiteral("openFiles")).toStringList();
    files.removeIf([](const QString& path) { return !QFileInfo::exists(path); });
    if (m_preferences.reopenLast && !files.isEmpty() && !Document::hasRecovery(autosavePath()))
        openPaths(files);
}

void MainWindow::restoreDefaultLayout()
{
    for (QDockWidget* dock : std::as_const(m_docks)) {
        dock->setFloating(false);
        removeDockWidget(dock);
    }
    placeDocks();
    applyPerspective(QStringLiteral("Edit"));
    showCentre();
}

// -- each file -------------------------------------------------------------------------------------------

void MainWindow::saveFileSession() const
{
    const Document& document = m_state->document;
    if (!document.hasProblem() || document.problemPath().isEmpty())
        return;
    noteFigures();
    FileSession session;
    session.problem = document.problemPath();
    session.schedule = document.schedulePath();
    session.perspective = m_perspective;
    for (const Canvas* canvas : findChildren<Canvas*>())
        if (const auto part = canvas->shownPart(); part && !part->isNull())
            session.parts[canvas->viewName()] = *part;
    session.selection = m_state->selection.state();
    for (const Baseline& baseline : document.baselines())
        if (const auto text = writeSchedule(*document.problem(), baseline.snapshot->schedule))
            session.baselines.push_back({baseline.name, *text});
    session.baseline = document.baselineIndex();
    (void)writeFileSession(sessionFolder(), session); // a lost zoom is nothing to bother anybody with
}

void MainWindow::restoreFileSession()
{
    Document& document = m_state->document;
    const auto session = readFileSession(sessionFolder(), document.problemPath(), document.schedulePath());
    if (!session)
        return;
    if (!session->perspective.isEmpty() && session->perspective != m_perspective)
        applyPerspective(session->perspective);
    // The files may have changed since: only what there still is comes back.
    SelectionState s = session->selection;
    const std::size_t ops = document.problem()->opCount();
    const std::size_t subgraphs = document.schedule().size();
    std::erase_if(s.ops, [&](OpId i) { return i.index() >= ops; });
    std::erase_if(s.subgraphs, [&](SubgraphId i) { return i.index() >= subgraphs; });
    if (s.subgraph && s.subgraph->index() >= subgraphs)
        s.subgraph.reset();
    if (s.tensor && s.tensor->index() >= document.problem()->tensorCount())
        s.tensor.reset();
    m_state->selection.set(s);
    for (Canvas* canvas : findChildren<Canvas*>())
        if (session->parts.contains(canvas->viewName()))
            canvas->showPart(session->parts[canvas->viewName()]);
    if (!document.baselines().empty())
        return; // they belong to the problem, which was open already
    for (const FileSession::Pinned& pinned : session->baselines)
        if (const auto loaded = readSchedule(*document.problem(), pinned.schedule, "session");
            loaded && loaded->formatIssues.empty())
            document.addBaseline(pinned.name,
                                 takeSnapshot(document.problem(), loaded->schedule, document.rules(),
                                              document.snapshot()->lowerBound, 0));
    document.setBaselineIndex(session->baseline);
}

// -- recent files ----------------------------------------------------------------------------------------

namespace {

QString figuresKey(const QString& path)
{
    return QStringLiteral("figures/") + QString::fromLatin1(path.toUtf8().toHex());
}

} // namespace

void MainWindow::noteFigures() const
{
    const Document& document = m_state->document;
    const SnapshotPtr& snapshot = document.snapshot();
    if (!snapshot)
        return;
    QSettings settings;
    const auto note = [&](const QString& path, bool keepBest) {
        if (path.isEmpty())
            return;
        settings.beginGroup(figuresKey(path));
        settings.setValue(QStringLiteral("ops"), static_cast<qlonglong>(snapshot->problem->opCount()));
        const double known = settings.value(QStringLiteral("total"), 0.0).toDouble();
        if (snapshot->evaluation.valid() && !(keepBest && known > 0 && known <= snapshot->evaluation.total))
            settings.setValue(QStringLiteral("total"), snapshot->evaluation.total);
        settings.endGroup();
    };
    note(document.problemPath(), true);
    if (!document.isModified())
        note(document.schedulePath(), false);
}

void MainWindow::refreshRecentMenu()
{
    const QSettings settings;
    const QStringList recent = settings.value(QStringLiteral("recent")).toStringList();
    std::vector<RecentFile> files;
    m_recentMenu->clear();
    for (const QString& path : recent) {
        QStringList figures;
        if (const qlonglong ops = settings.value(figuresKey(path) + QStringLiteral("/ops")).toLongLong())
            figures << counted(ops, tr("op"), tr("ops"));
        if (const double total = settings.value(figuresKey(path) + QStringLiteral("/total")).toDouble();
            total > 0)
            figures << tr("best total %1").arg(number(total));
        files.push_back({path, figures.join(QStringLiteral(" · "))});
        m_recentMenu->addAction(QFileInfo(path).fileName() + QStringLiteral("  —  ") + QFileInfo(path).path(),
                                this, [this, path] { openPaths({path}); });
    }
    m_startPage->setRecent(files);
    m_recentMenu->setEnabled(!recent.isEmpty());
}

// -- recovery --------------------------------------------------------------------------------------------

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

} // namespace tilewright::ui
