// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QDateTime>
#include <QString>
#include <QStringList>

#include <memory>
#include <vector>

class QLockFile;

namespace tilewright::ui {

class Workspace;

/// Unsaved documents of another run of the program that was not closed properly.
struct LostSession
{
    QString file;          ///< path of the recovery file
    QDateTime saved;       ///< time at which the copy was last written
    QStringList documents; ///< names of the documents in the file
};

/// Recovery copies of modified documents in a folder, one file per running program. The file is deleted when
/// the program closes properly; after a crash it stays until the user restores or discards it. A discarded
/// copy is kept for a week.
class RecoveryStore
{
public:
    explicit RecoveryStore(const QString& folder);
    ~RecoveryStore(); ///< deletes the copy of this program, unless leaveCopy() was called

    /// Copies all modified documents, replacing the previous copy. Deletes the copy if nothing is modified. A
    /// document that cannot be copied does not prevent the copies of the others; the Error names it.
    [[nodiscard]] Status keep(const Workspace& workspace);
    void forget(); ///< deletes the copy of this program
    /// Keeps the copy for the next start, because the program ends without asking the user.
    void leaveCopy() { m_left = true; }

    /// Returns the copies of programs that no longer run, the latest first.
    [[nodiscard]] std::vector<LostSession> lost() const;
    /// Restores all documents of a copy and deletes it. If a document cannot be restored, the open documents
    /// and the copy are kept, and the Error names the first such document.
    [[nodiscard]] Status restore(const LostSession& session, Workspace& workspace);
    /// Moves the copy to discardedFolder(), where it is deleted after a week. Returns its new path.
    [[nodiscard]] Result<QString> discard(const LostSession& session);
    /// Moves a discarded copy back, so that lost() lists it again.
    [[nodiscard]] Status undoDiscard(const QString& discarded);
    [[nodiscard]] QString discardedFolder() const { return path(QStringLiteral("discarded")); }

private:
    [[nodiscard]] QString path(const QString& name) const { return m_folder + QLatin1Char('/') + name; }
    [[nodiscard]] Status lock();
    void removeExpired() const; ///< deletes discarded copies that are older than a week

    QString m_folder;
    QString m_name; ///< name of the recovery and lock files of this program, without extension
    std::unique_ptr<QLockFile> m_lock;
    bool m_left = false;
};

} // namespace tilewright::ui
