// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "window/app_state.h"
#include "window/preferences.h"

#include <QMainWindow>
#include <QMap>

class QDockWidget;
class QMenu;
class QStackedWidget;
class QFileSystemWatcher;

namespace tilewright::ui {

class Canvas;
class MessageBar;
class StartPage;
class StatusStrip;

/// The window: docks around the graph, menus and toolbar from the Actions registry, files, perspectives.
/// The only class that knows all views.
class MainWindow : public QMainWindow
{
    Q_OBJECT
public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    [[nodiscard]] AppState& state() { return *m_state; }
    [[nodiscard]] View* view(const QString& name) const { return m_views.value(name); }

    /// Opens problems, schedules and the files of the other lenses; messages go to the message bar.
    bool openPaths(const QStringList& paths);
    void setTheme(const QString& choice); ///< "system", "light", "dark"
    [[nodiscard]] const Preferences& preferences() const { return m_preferences; }
    void setPreferences(const Preferences& preferences);
    void applyPerspective(const QString& name);
    /// Makes the dock of a view visible and brings it to the front.
    void showView(const QString& name);
    /// Geometry, docks, preferences; a crashed session's autosave is offered.
    void restoreSession();
    /// Where the screen is too small for the window as it is, the window fills it.
    void fitOnto(const QSize& screen);
    /// The files of the last session come back, when the person wants that and nothing is to be recovered.
    void reopenLastFiles();
    /// The canvas that keys and commands of the View menu act on; may be null.
    [[nodiscard]] Canvas* currentCanvas() const;
    /// What is exported and copied: the pane that last had the keyboard while it is seen, else the centre.
    [[nodiscard]] View* currentView() const;

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    static constexpr int kLayoutVersion = 1; // raised when docks change: no old layout is half restored
    void createViews();
    void placeDocks();        ///< where the catalog says
    void createActions();     // main_window_actions.cpp
    void createLookActions(); // main_window_look_actions.cpp
    QList<QAction*> createDockActions();
    void toggleDock(const QString& name);
    void createEditActions(); // main_window_edit_actions.cpp
    void createMenus();
    void refreshTitle();
    bool openPath(const QString& path);
    /// The error, with its place in the file to be shown where it has one; and another way out, if any.
    void tellUnreadable(const Error& error, const QString& file, const QString& otherwise = {},
                        std::function<void()> instead = {}); // main_window_files.cpp
    bool offerToSave();
    bool save();
    bool saveAs();
    void exportCurrentView();
    void exportReportFile();
    void exportCsvFile(const QString& what);
    void tellWritten(const Status& written, const QString& path);
    void copyCurrentViewImage();
    void rememberRecent(const QString& path);
    void refreshRecentMenu();
    void showTooltipOfFocus();
    // main_window_session.cpp
    void restoreDefaultLayout();
    void choosePreferences();
    void saveSession() const;
    void saveFileSession() const;
    void noteFigures() const; ///< what the list of recent files says of the open ones
    void restoreFileSession();
    void autosave();
    [[nodiscard]] QString autosavePath() const;
    void showCentre();

    std::unique_ptr<AppState> m_state;
    QMap<QString, View*> m_views;
    QMap<QString, QDockWidget*> m_docks;
    QStackedWidget* m_centre = nullptr;
    StartPage* m_startPage = nullptr;
    View* m_graph = nullptr;
    MessageBar* m_messages = nullptr;
    StatusStrip* m_status = nullptr;
    QMenu* m_recentMenu = nullptr;
    QFileSystemWatcher* m_watcher = nullptr;
    QTimer m_autosaveTimer;
    Preferences m_preferences;
    QString m_perspective = QStringLiteral("Edit");
    View* m_lastView = nullptr;
    Schedule m_selectedIn; ///< the schedule whose places the selection names
    QByteArray
        m_docksOfDocument; ///< how the docks stand while a workload is open; empty = they are shown now
};

} // namespace tilewright::ui
