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

namespace tilewright::ui {

namespace {

const QString kCopy = QStringLiteral(".recovery.json");
const QString kLock = QStringLiteral(".lock");

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

/// Documents in a recovery file; empty if it cannot be read.
QJsonObject readCopy(const QString& file)
{
    const auto text = readFile(file.toStdString());
    return text ? QJsonDocument::fromJson(QByteArray::fromStdString(*text)).object() : QJsonObject();
}

/// The copy of a document; an Error also for an exception, because other documents may be copied.
Result<QJsonObject> copyOf(const LensDocument& document)
{
    try {
        return document.recoveryCopy();
    } catch (const std::exception& e) {
        return Error{ErrorCode::Internal, e.what(), {}, {}};
    }
}

} // namespace

RecoveryStore::RecoveryStore(const QString& folder)
    : m_folder(folder), m_name(QUuid::createUuid().toString(QUuid::WithoutBraces))
{
}

RecoveryStore::~RecoveryStore()
{
    forget();
}

void RecoveryStore::remove(const QString& file)
{
    QFile::remove(file);
    QFile::remove(file.chopped(kCopy.size()) + kLock);
}

void RecoveryStore::forget()
{
    if (!m_lock)
        return;
    QFile::remove(path(m_name + kCopy));
    m_lock.reset(); // unlocks and removes it
}

Status RecoveryStore::keep(const Workspace& workspace)
{
    QJsonArray documents;
    Status missing = Unit{}; // the first document that cannot be copied; the others are
    for (const LensDocument* document : workspace.documents()) {
        if (!document->isModified())
            continue;
        const auto copy = copyOf(*document);
        if (!copy) {
            missing = Error{copy.error().code,
                            lensName(document->lens()).toStdString() + ": " + copy.error().text(),
                            {},
                            {}};
            continue;
        }
        QJsonObject entry = *copy;
        entry[QStringLiteral("lens")] = QLatin1String(wordOf(document->lens()));
        documents.append(entry);
    }
    if (documents.isEmpty()) {
        if (missing)
            forget();
        return missing;
    }
    if (!m_lock) {
        // The lock is held while the program runs, so that other programs know that the copy is in use.
        QDir().mkpath(m_folder);
        m_lock = std::make_unique<QLockFile>(path(m_name + kLock));
        m_lock->setStaleLockTime(0);
        m_lock->tryLock(0);
    }
    const QJsonObject root{
        {QStringLiteral("version"), 1},
        {QStringLiteral("saved"), QDateTime::currentDateTime().toString(Qt::ISODateWithMs)},
        {QStringLiteral("documents"), documents}};
    Status written = writeFileAtomically(path(m_name + kCopy).toStdString(),
                                         QJsonDocument(root).toJson(QJsonDocument::Compact).toStdString());
    return written ? missing : written;
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
        if (!lock.tryLock(0))
            continue; // its program is still running
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
        // Write the restored documents into this program's copy before the lost one is deleted, in case of a
        // crash.
        if (Status kept = keep(workspace); !kept)
            return kept;
        remove(session.file);
    }
    return result;
}

void RecoveryStore::decline(const LostSession& session)
{
    remove(session.file);
}

} // namespace tilewright::ui
