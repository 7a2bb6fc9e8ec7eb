// SPDX-License-Identifier: GPL-3.0-or-later
// State that is kept between runs of the program: of the window and of each workload.
#pragma once

#include "base/result.h"
#include "window/app_state.h"
#include "window/start_page.h"
#include "workspace/document_marks.h"
#include "workspace/recovery_store.h"
#include "workspace/selection.h"

#include <QJsonObject>
#include <QMap>
#include <QRectF>
#include <QString>
#include <QTimer>

#include <map>
#include <optional>
#include <set>
#include <utility>

class QMainWindow;

namespace tilewright::ui {

/// State of the window for one workload, which is restored when the workload is opened again
/// (docs/design.md 4.6). It is stored beside the settings in one small file per pair of problem and schedule,
/// never in the user's own files.
struct FileSession : DocumentMarks
{
    QString problem;  ///< path of the problem or model
    QString schedule; ///< path of the schedule; empty if it has no file
    QString perspective;
    QMap<QString, QJsonObject> views; ///< View::settings() by name of the view
    QMap<QString, QRectF>
        parts; ///< Canvas::shownPart() by name of the view, for views that were zoomed or moved
    SelectionState selection;
    /// Ops of the selected subgraphs, by which these are found again in a schedule with another order.
    std::map<SubgraphId, std::set<OpId>> members;
};

/// Writes the session into `folder`. If there are too many sessions, deletes the oldest ones.
[[nodiscard]] Status writeFileSession(const QString& folder, const FileSession& session);
/// Reads the session of a pair of files; nothing if there is no readable one.
[[nodiscard]] std::optional<FileSession> readFileSession(const QString& folder, const QString& problem,
                                                         const QString& schedule);

class MessageBar;
class Panes;

/// Stores the state between runs: geometry and layout of the window, the session of each file, recent files.
/// Notes, baselines, moved nodes and the names of the open files are written soon after each change.
class SessionStore : public QObject
{
    Q_OBJECT
public:
    SessionStore(QMainWindow& window, AppState& state, Panes& panes);

    void saveWindow();
    void restoreWindow();
    /// The files of the last session that still exist.
    [[nodiscard]] static QStringList lastFiles();

    void saveFile();    ///< writes the FileSession of the open workload
    void restoreFile(); ///< restores the FileSession of the open workload

    void noteFigures() const; ///< stores the number of ops and the total of the open files, for recentFiles()
    [[nodiscard]] static std::vector<RecentFile> recentFiles();

Q_SIGNALS:
    /// Emitted if the session cannot be written; writing is tried again later.
    void failed(const QString& why);
    /// Emitted if the saved layout belongs to another version, so that the default is shown.
    void layoutReset();

private:
    void saveOpenFiles() const;
    [[nodiscard]] Status writeFile() const;
    void takeOtherNotes();
    void knowNotes(const Document::Notes& notes);

    QMainWindow& m_window;
    AppState& m_state;
    Panes& m_panes;
    /// Least total of the saved states of the open problem under the rule set `final`; 0 if there is none.
    double m_best = 0;
    ProblemPtr m_bestOf; ///< the problem to which m_best belongs
    QTimer m_timer;
    Document::Notes m_knownNotes;          ///< notes in the session file when it was last read or written
    std::pair<QString, QString> m_notesOf; ///< problem and schedule to which m_knownNotes belong
    QString m_failure;                     ///< reason why the last saveFile() failed; empty if it did not
};

/// Writes recovery copies of modified documents, and offers to restore copies that were left after a crash.
class Recovery : public QObject
{
    Q_OBJECT
public:
    /// `place`: widget to whose layout the offer is added.
    Recovery(AppState& state, QWidget& place);

    void setInterval(int seconds) { m_timer.setInterval(seconds * 1000); }
    void offer(); ///< offers to restore the latest lost session, if there is one
    [[nodiscard]] bool hasLost() const { return !m_store.lost().empty(); }
    void keep(); ///< writes the copy now
    void closed() { m_store.forget(); }
    void leaveCopy() { m_store.leaveCopy(); }

Q_SIGNALS:
    /// Emitted if the copy cannot be written; writing is tried again even without a further edit.
    void failed(const QString& why);
    void keptAgain(); ///< emitted when the copy was written after earlier failures
    void restored();  ///< emitted after a lost session was restored

private:
    void restore(const LostSession& session);
    void discard(const LostSession& session);
    [[nodiscard]] MessageBar& bar();

    AppState& m_state;
    QWidget& m_place;
    MessageBar* m_bar = nullptr; ///< message with the offer; created with the first offer
    RecoveryStore m_store;
    QTimer m_timer;
    QString m_failure; ///< reason why the last keep() failed; empty if it did not
};

} // namespace tilewright::ui
