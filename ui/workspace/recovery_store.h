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

/// What another run of the program had not saved when it ended without closing.
struct LostSession
{
    QString file;          ///< of the store
    QDateTime saved;       ///< the last time it was kept
    QStringList documents; ///< what is in it, by name
};

/// Copies of modified documents in a folder, one file a running program. A copy outlives its program only
/// when that did not end properly, and then stays until somebody restores or declines it.
class RecoveryStore
{
public:
    explicit RecoveryStore(const QString& folder);
    ~RecoveryStore(); ///< ends properly: this program's copy goes

    /// Keeps what is modified now; the copy of before goes when nothing is.
    [[nodiscard]] Status keep(const Workspace& workspace);
    void forget(); ///< this program's copy

    /// What programs that run no more have left, the latest first.
    [[nodiscard]] std::vector<LostSession> lost() const;
    /// Brings all its documents back and gives it up. What cannot be brought back costs nothing that is open,
    /// and the copy stays; the Error names the first of them.
    [[nodiscard]] Status restore(const LostSession& session, Workspace& workspace);
    void decline(const LostSession& session);

private:
    [[nodiscard]] QString path(const QString& name) const { return m_folder + QLatin1Char('/') + name; }
    void remove(const QString& file);

    QString m_folder;
    QString m_name; ///< of this program's files, without their endings
    std::unique_ptr<QLockFile> m_lock;
};

} // namespace tilewright::ui
