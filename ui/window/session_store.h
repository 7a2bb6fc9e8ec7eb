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

/// What outlives a window: how it stood, how each file was left, what the list of recent files says of them.
class SessionStore
{
public:
    SessionStore(QMainWindow& window, AppState& state, Panes& panes);

    void saveWindow() const;
    void restoreWindow();
    /// The files of the last session that still exist.
    [[nodiscard]] static QStringList lastFiles();

    void saveFile() const; ///< how the open workload is left
    void restoreFile();

    void noteFigures() const; ///< of the open files, for recentFiles()
    [[nodiscard]] static std::vector<RecentFile> recentFiles();

private:
    QMainWindow& m_window;
    AppState& m_state;
    Panes& m_panes;
    /// Least total of the open problem on the machine it came with, by the contest's last rules.
    double m_best = 0;
    ProblemPtr m_bestOf;
};

/// Keeps copies of what is modified, and offers what a crash has left until it is restored or declined.
class Recovery : public QObject
{
    Q_OBJECT
public:
    /// The offer floats over the top of `place`.
    Recovery(AppState& state, QWidget& place);

    void setInterval(int seconds) { m_timer.setInterval(seconds * 1000); }
    void offer(); ///< the latest that was lost, if any
    [[nodiscard]] bool hasLost() const { return !m_store.lost().empty(); }
    void closed() { m_store.forget(); }
    void raise(); ///< the offer, over a page that came to the front

private:
    void restore(const LostSession& session);
    [[nodiscard]] MessageBar& bar();

    AppState& m_state;
    QWidget& m_place;
    MessageBar* m_bar = nullptr; ///< made when there is something to offer
    RecoveryStore m_store;
    QTimer m_timer;
};

} // namespace tilewright::ui
