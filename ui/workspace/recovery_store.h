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

/// Unsaved documents of another run of the program that ended without closing.
struct LostSession
{
    QString file;          ///< recovery file
    QDateTime saved;       ///< time of the last copy
    QStringList documents; ///< names of the documents in it
};

/// Recovery copies of modified documents in a folder, one file per running program. The file is deleted when
/// the program closes properly; after a crash it stays until the user restores or discards it.
class RecoveryStore
{
public:
    explicit RecoveryStore(const QString& folder);
    ~RecoveryStore(); ///< deletes the copy of this program

    /// Copies all modified documents, replacing the previous copy. Deletes the copy if nothing is modified. A
    /// document that cannot be copied is left out, and the Error names it; the others are copied.
    [[nodiscard]] Status keep(const Workspace& workspace);
    void forget(); ///< deletes the copy of this program

    /// Copies of programs that no longer run, the latest first.
    [[nodiscard]] std::vector<LostSession> lost() const;
    /// Restores all documents of a copy and deletes it. If a document cannot be restored, the open one and
    /// the copy are kept, and the Error names the first such document.
    [[nodiscard]] Status restore(const LostSession& session, Workspace& workspace);
    void decline(const LostSession& session);

private:
    [[nodiscard]] QString path(const QString& name) const { return m_folder + QLatin1Char('/') + name; }
    void remove(const QString& file);

    QString m_folder;
    QString m_name; ///< name of the files of this program, without ending
    std::unique_ptr<QLockFile> m_lock;
};

} // namespace tilewright::ui
