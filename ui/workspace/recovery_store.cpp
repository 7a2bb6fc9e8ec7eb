// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/recovery_store.h"

#include "base/file.h"
#include "workspace/workspace.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLockFile>
#include <QUuid>

#include <algorithm>
#include <exception>

namespace tilewright::ui {

namespace {

const QString kCopy = QStringLiteral(".recovery.json");
const QString kLock = QStringLiteral(".lock");
constexpr int kDaysKept = 7; ///< number of days for which discarded copies are kept

/// Key of each lens in a recovery file.
const char* wordOf(Lens lens)
{
    switch (lens) {
    case Lens::Schedule:
        break;
    case Lens::Systolic:
        return "systolic";
    case Lens::Npu:
        return "npu";
    case Lens::Mapping:
        return "mapping";
    }
    return "schedule";
}

/// Returns the documents in a recovery file; empty if it cannot be read.
QJsonObject readCopy(const QString& file)
{
    QFile content(file); // a copy may exceed the size limit of the files from which it was made
    return content.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(content.readAll()).object()
                                             : QJsonObject();
}

/// Returns the recovery copy of a document. An exception becomes an Error, so that the other documents are
/// still copied.
Result<QJsonObject> copyOf(const LensDocument& document)
{
    const auto failed = [&](const std::string& why) {
        return Error{ErrorCode::Internal, lensName(document.lens()).toStdString() + ": " + why, {}, {}};
    };
    try {
        auto copy = document.recoveryCopy();
        return copy ? copy : failed(copy.error().text());
    } catch (const std::exception& e) {
        return failed(e.what());
    }
}

} // namespace

RecoveryStore::RecoveryStore(const QString& folder)
    : m_folder(folder), m_name(QUuid::createUuid().toString(QUuid::WithoutBraces))
{
    removeExpired();
}

RecoveryStore::~RecoveryStore()
{
    if (!m_left)
        forget();
}

void RecoveryStore::forget()
{
    if (!m_lock)
        return;
    QFile::remove(path(m_name + kCopy));
    m_lock.reset(); // unlocks and removes the lock file
}

/// Takes the lock, which is held while the program runs, so that other programs know that the copy is in use.
/// Takes it again if the folder was deleted, or if the disk was full before.
Status RecoveryStore::lock()
{
    const QString file = path(m_name + kLock);
    if (m_lock && m_lock->isLocked() && QFile::exists(file))
        return Unit{};
    QDir().mkpath(m_folder);
    m_lock = std::make_unique<QLockFile>(file);
    m_lock->setStaleLockTime(0);
    if (m_lock->tryLock(0))
        return Unit{};
    return Error{ErrorCode::Io,
                 "cannot be written (is the disk full, or the folder read-only?)",
                 {},
                 file.toStdString()};
}

Status RecoveryStore::keep(const Workspace& workspace)
{
    m_left = false;
    QJsonArray documents;
    Status all = Unit{};
    for (const LensDocument* document : workspace.documents()) {
        if (!document->isModified())
            continue;
        const auto copy = copyOf(*document);
        if (!copy) {
            all = copy.error();
            continue;
        }
        QJsonObject entry = *copy;
        entry[QStringLiteral("lens")] = QLatin1String(wordOf(document->lens()));
        documents.append(entry);
    }
    if (documents.isEmpty()) {
        if (all)
            forget();
        return all;
    }
    if (Status locked = lock(); !locked)
        return locked;
    const QJsonObject root{
        {QStringLiteral("version"), 1},
        {QStringLiteral("saved"), QDateTime::currentDateTime().toString(Qt::ISODateWithMs)},
        {QStringLiteral("documents"), documents}};
    Status written = writeFileAtomically(path(m_name + kCopy).toStdString(),
                                         QJsonDocument(root).toJson(QJsonDocument::Compact).toStdString());
    return written ? all : written;
}

std::vector<LostSession> RecoveryStore::lost() const
{
    std::vector<LostSession> out;
    for (const QFileInfo& file : QDir(m_folder).entryInfoList({QLatin1Char('*') + kCopy}, QDir::Files)) {
        const QString name = file.fileName().chopped(kCopy.size());
        if (name == m_name)
            continue;
        QLockFile lock(path(name + kLock));
        lock.setStaleLockTime(0);
        if (!lock.tryLock(0) && lock.error() == QLockFile::LockFailedError)
            continue; // the program that wrote the copy is still running, so its session is not lost
        const QJsonObject root = readCopy(file.filePath());
        LostSession session;
        session.file = file.filePath();
        session.saved = QDateTime::fromString(root[QStringLiteral("saved")].toString(), Qt::ISODateWithMs);
        for (const QJsonValue entry : root[QStringLiteral("documents")].toArray())
            for (const Lens lens : kLenses)
                if (entry[QStringLiteral("lens")].toString() == QLatin1String(wordOf(lens)))
                    session.documents << lensName(lens);
        out.push_back(std::move(session));
    }
    std::sort(out.begin(), out.end(),
              [](const LostSession& a, const LostSession& b) { return a.saved > b.saved; });
    return out;
}

Status RecoveryStore::restore(const LostSession& session, Workspace& workspace)
{
    const QJsonArray documents = readCopy(session.file)[QStringLiteral("documents")].toArray();
    Status result =
        documents.isEmpty()
            ? Status(Error{ErrorCode::Io, "the recovery copy cannot be read", {}, session.file.toStdString()})
            : Status(Unit{});
    for (const QJsonValue entry : documents)
        for (const Lens lens : kLenses)
            if (entry[QStringLiteral("lens")].toString() == QLatin1String(wordOf(lens)))
                if (const Status recovered = workspace.document(lens).recover(entry.toObject());
                    !recovered && result)
                    result = recovered;
    if (result) {
        // The restored documents are written into this program's copy before the lost copy is deleted, in
        // case of a crash.
        if (Status kept = keep(workspace); !kept)
            return kept;
        QFile::remove(session.file);
    }
    return result;
}

Result<QString> RecoveryStore::discard(const LostSession& session)
{
    const QString to = discardedFolder() + QLatin1Char('/') + QFileInfo(session.file).fileName();
    QDir().mkpath(discardedFolder());
    QFile file(session.file);
    if (!file.rename(to))
        return Error{ErrorCode::Io, "cannot be moved to " + to.toStdString(), {}, session.file.toStdString()};
    // The week begins now and not when the copy was written, so the time of the file is updated.
    if (file.open(QIODevice::ReadWrite))
        file.setFileTime(QDateTime::currentDateTime(), QFileDevice::FileModificationTime);
    return to;
}

Status RecoveryStore::undoDiscard(const QString& discarded)
{
    if (QFile::rename(discarded, path(QFileInfo(discarded).fileName())))
        return Unit{};
    return Error{ErrorCode::Io, "cannot be moved back", {}, discarded.toStdString()};
}

void RecoveryStore::removeExpired() const
{
    const QDateTime oldest = QDateTime::currentDateTime().addDays(-kDaysKept);
    for (const QFileInfo& file :
         QDir(discardedFolder()).entryInfoList({QLatin1Char('*') + kCopy}, QDir::Files))
        if (file.lastModified() < oldest)
            QFile::remove(file.filePath());
}

} // namespace tilewright::ui
