// SPDX-License-Identifier: GPL-3.0-or-later
// State between runs: of the window, and of each workload.
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

/// State of the window for one workload, restored when it is opened again (docs/design.md 4.6). Stored beside
/// the settings, one small file per pair of problem and schedule; never in the user's own files.
struct FileSession : DocumentMarks
{
    QString problem;  ///< path of the problem or model
    QString schedule; ///< path of the schedule; empty if it has no file
    QString perspective;
    QMap<QString, QJsonObject> views; ///< View::settings() by the name of the view
    QMap<QString, QRectF>
        parts; ///< Canvas::shownPart() by the name of the view; only of zoomed or moved views
    SelectionState selection;
    /// Ops of the selected subgraphs: used to find these again in a schedule with another order.
    std::map<SubgraphId, std::set<OpId>> members;
};

/// Writes the session into `folder` and deletes the oldest sessions if there are too many.
[[nodiscard]] Status writeFileSession(const QString& folder, const FileSession& session);
/// Session of this pair of files; nothing if none can be read.
[[nodiscard]] std::optional<FileSession> readFileSession(const QString& folder, const QString& problem,
                                                         const QString& schedule);

class MessageBar;
class Panes;

/// Stores state between runs: geometry and layout of the window, the session of each file, recent files.
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
    void restoreFile(); ///< restores it

    void noteFigures() const; ///< stores op count and total of the open files, for recentFiles()
    [[nodiscard]] static std::vector<RecentFile> recentFiles();

Q_SIGNALS:
    void failed(const QString& why); ///< the session cannot be written; it is tried again
    void layoutReset(); ///< the saved layout is of another version, and was replaced by the default

private:
    void saveOpenFiles() const;
    [[nodiscard]] Status writeFile() const;
    void takeOtherNotes();
    void knowNotes(const Document::Notes& notes);

    QMainWindow& m_window;
    AppState& m_state;
    Panes& m_panes;
    /// Least total of saved states of the open problem under the final rule set; 0 if there is none.
    double m_best = 0;
    ProblemPtr m_bestOf; ///< problem that m_best belongs to
    QTimer m_timer;
    Document::Notes m_knownNotes;          ///< notes in the session file when it was read or written last
    std::pair<QString, QString> m_notesOf; ///< problem and schedule that m_knownNotes belong to
    QString m_failure;                     ///< reason why the last saveFile() failed; empty if it did not
};

/// Writes recovery copies of modified documents, and offers to restore those that a crash left.
class Recovery : public QObject
{
    Q_OBJECT
public:
    /// `place`: widget whose layout takes the offer.
    Recovery(AppState& state, QWidget& place);

    void setInterval(int seconds) { m_timer.setInterval(seconds * 1000); }
    void offer(); ///< offers to restore the latest lost session, if there is one
    [[nodiscard]] bool hasLost() const { return !m_store.lost().empty(); }
    void keep(); ///< writes the copy now
    void closed() { m_store.forget(); }
    void leaveCopy() { m_store.leaveCopy(); }

Q_SIGNALS:
    void failed(const QString& why); ///< the copy cannot be written; it is tried again without a further edit
    void keptAgain();                ///< the copy was written after it had failed
    void restored();                 ///< a lost session was restored

private:
    void restore(const LostSession& session);
    void discard(const LostSession& session);
    [[nodiscard]] MessageBar& bar();

    AppState& m_state;
    QWidget& m_place;
    MessageBar* m_bar = nullptr; ///< created with the first offer
    RecoveryStore m_store;
    QTimer m_timer;
    QString m_failure; ///< reason why the last keep() failed; empty if it did not
};

} // namespace tilewright::ui
