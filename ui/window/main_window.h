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

/// The main window: menus and toolbar made from the Actions registry, and the views around them. FileActions
/// handles files, SessionStore stores state between runs, Panes arranges the docks.
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
    /// Restores geometry, docks and preferences, and offers to recover edits that a crash left unsaved.
    void restoreSession();
    /// Saves everything for the next start, without a question: session, preferences, and a recovery copy of
    /// all changes. Closing the window then asks nothing. For a program that the system ends.
    void keepForNextStart();
    /// Maximises the window if it is too large for the screen.
    void fitOnto(const QSize& screen);
    /// Reopens the files of the last session if the preference asks for it and nothing is to be recovered.
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
    void createActions();     // main_window_actions.cpp
    void createLookActions(); // main_window_menu_actions.cpp
    void createLensActions(); // main_window_menu_actions.cpp
    void showLens(Lens lens);
    QList<QAction*> createDockActions();
    void createEditActions(); // main_window_menu_actions.cpp
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
    QString m_retileQuestion; ///< text of the message that offers Document::retile(), or says what it left
    MessageBar* m_messages = nullptr;
    std::unique_ptr<Panes> m_panes;
    FileActions* m_files = nullptr;
    std::unique_ptr<SessionStore> m_session;
    Recovery* m_recovery = nullptr;
    StatusStrip* m_status = nullptr;
    QToolBar* m_headline = nullptr; ///< row of m_status; hidden while nothing is open
    TourGuide* m_tour = nullptr;
    FigureCard* m_figure = nullptr;
    QMenu* m_recentMenu = nullptr;
    Preferences m_preferences;
    bool m_ending = false; ///< keepForNextStart() was called, and nothing was edited since
    DockTabs m_dockTabs;
    StepsExport m_stepsExport;
};

} // namespace tilewright::ui
