// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "export/steps_export.h"
#include "window/app_state.h"
#include "window/panes.h"
#include "window/preferences.h"

#include <QMainWindow>

class QMenu;
class QStackedWidget;
class QToolBar;
class QToolButton;

namespace tilewright::ui {

class FileActions;
class MessageBar;
class Recovery;
class SessionStore;
class StartPage;
class StatusStrip;
class FigureCard;
class TourGuide;

/// The main window: menus and toolbar, which are made from the Actions registry, and the views around them.
/// FileActions handles files, SessionStore stores state between runs, Panes arranges the docks.
class MainWindow : public QMainWindow
{
    Q_OBJECT
public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    [[nodiscard]] AppState& state() { return *m_state; }
    [[nodiscard]] View* view(const QString& name) const { return m_panes->view(name); }
    [[nodiscard]] FileActions& files() { return *m_files; }

    /// Opens problems, schedules and files of the other lenses. True if all could be opened; errors are shown
    /// in the message bar.
    bool openPaths(const QStringList& paths);
    void setTheme(const QString& choice); ///< "system", "light", "dark"
    [[nodiscard]] const Preferences& preferences() const { return m_preferences; }
    void setPreferences(const Preferences& preferences);
    void applyPerspective(const QString& name) { m_panes->choosePerspective(name); }
    /// Shows the dock of a view and brings it to the front.
    void showView(const QString& name) { m_panes->showView(name); }
    /// Restores geometry, docks and preferences. Offers to recover edits that were not saved before a crash.
    void restoreSession();
    /// Saves everything for the next start without asking: session, preferences, and a recovery copy of all
    /// changes. After that, closing the window asks nothing. Called when the system ends the program.
    void keepForNextStart();
    /// Maximises the window if its usual size is too large for the screen.
    void fitOnto(const QSize& screen);
    /// Reopens the files of the last session if the preferences say so and there is nothing to recover.
    void reopenLastFiles();
    [[nodiscard]] Canvas* currentCanvas() const { return m_panes ? m_panes->currentCanvas() : nullptr; }
    [[nodiscard]] View* currentView() const { return m_panes ? m_panes->currentView() : nullptr; }

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    bool event(QEvent* event) override;

private:
    void createParts();
    void connectParts();
    void createActions();     // implemented in main_window_actions.cpp
    void createLookActions(); // implemented in main_window_menu_actions.cpp
    void createLensActions(); // implemented in main_window_menu_actions.cpp
    void showLens(Lens lens);
    QList<QAction*> createDockActions();
    void createEditActions(); // implemented in main_window_menu_actions.cpp
    void createTourActions();
    void createMenus();
    void createToolbars();
    QToolButton* createTaskButton(QWidget* parent);
    void closeFile();
    void refreshTitle();
    void retile();
    void refreshHeadline();
    void exportCurrentView();
    void exportReportFile();
    void exportCsvFile(const QString& what);
    void exportSteps(StepCsv table, const QString& path);
    void copyCurrentViewImage();
    void refreshRecentMenu();
    void showTooltipOfFocus();
    void choosePreferences();

    std::unique_ptr<AppState> m_state;
    QStackedWidget* m_centre = nullptr;
    StartPage* m_startPage = nullptr;
    /// Text of the message that offers Document::retile(), or that lists the subgraphs it left unchanged.
    QString m_retileQuestion;
    MessageBar* m_messages = nullptr;
    std::unique_ptr<Panes> m_panes;
    FileActions* m_files = nullptr;
    std::unique_ptr<SessionStore> m_session;
    Recovery* m_recovery = nullptr;
    StatusStrip* m_status = nullptr;
    QToolBar* m_headline = nullptr; ///< the toolbar that contains m_status; hidden while nothing is open
    TourGuide* m_tour = nullptr;
    FigureCard* m_figure = nullptr;
    QMenu* m_recentMenu = nullptr;
    Preferences m_preferences;
    bool m_ending = false; ///< true after keepForNextStart(), until the next edit
    DockTabs m_dockTabs;
    StepsExport m_stepsExport;
};

} // namespace tilewright::ui
