// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "window/app_state.h"
#include "window/start_page.h"
#include "workspace/recovery_store.h"

#include <QTimer>

class QMainWindow;

namespace tilewright::ui {

class MessageBar;
class Panes;

/// Stores state between runs: geometry and layout of the window, the session of each file, recent files.
class SessionStore
{
public:
    SessionStore(QMainWindow& window, AppState& state, Panes& panes);

    void saveWindow() const;
    void restoreWindow();
    /// The files of the last session that still exist.
    [[nodiscard]] static QStringList lastFiles();

    void saveFile() const; ///< writes the FileSession of the open workload
    void restoreFile();    ///< restores it

    void noteFigures() const; ///< stores op count and total of the open files, for recentFiles()
    [[nodiscard]] static std::vector<RecentFile> recentFiles();

private:
    QMainWindow& m_window;
    AppState& m_state;
    Panes& m_panes;
    /// Least total of saved states of the open problem under the final rule set; 0 if there is none.
    double m_best = 0;
    ProblemPtr m_bestOf; ///< problem that m_best belongs to
};

/// Writes recovery copies of modified documents, and offers to restore those that a crash left.
class Recovery : public QObject
{
    Q_OBJECT
public:
    /// `place`: widget over whose top edge the offer is shown.
    Recovery(AppState& state, QWidget& place);

    void setInterval(int seconds) { m_timer.setInterval(seconds * 1000); }
    void offer(); ///< offers to restore the latest lost session, if there is one
    [[nodiscard]] bool hasLost() const { return !m_store.lost().empty(); }
    void closed() { m_store.forget(); }
    void raise(); ///< brings the offer to the front, over a page that has just been shown

private:
    void restore(const LostSession& session);
    [[nodiscard]] MessageBar& bar();

    AppState& m_state;
    QWidget& m_place;
    MessageBar* m_bar = nullptr; ///< created with the first offer
    RecoveryStore m_store;
    QTimer m_timer;
};

} // namespace tilewright::ui
