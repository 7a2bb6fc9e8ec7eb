// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/file_session.h"

#include "base/file.h"

#include <QCryptographicHash>
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>

namespace tilewright::ui {

namespace {

constexpr int kVersion = 1;
constexpr int kMostSessions = 60;

QString fileName(const QString& folder, const QString& problem, const QString& schedule)
{
    const QByteArray key = (problem + QLatin1Char('\n') + schedule).toUtf8();
    return folder + QLatin1Char('/') +
           QString::fromLatin1(QCryptographicHash::hash(key, QCryptographicHash::Sha1).toHex()) +
           QStringLiteral(".json");
}

template <typename Ids> QJsonArray idsToJson(const Ids& ids)
{
    QJsonArray out;
    for (const auto id : ids)
        out.append(static_cast<qint64>(id.value));
    return out;
}

template <typename Id> std::set<Id> idsFromJson(const QJsonValue& value)
{
    std::set<Id> out;
    for (const QJsonValue v : value.toArray())
        if (v.toInteger(-1) >= 0)
            out.insert(Id(static_cast<std::size_t>(v.toInteger())));
    return out;
}

} // namespace

Status writeFileSession(const QString& folder, const FileSession& session)
{
    QJsonObject parts;
    for (auto it = session.parts.begin(); it != session.parts.end(); ++it)
        parts[it.key()] = QJsonArray{it->left(), it->top(), it->width(), it->height()};
    QJsonObject views;
    for (auto it = session.views.begin(); it != session.views.end(); ++it)
        views[it.key()] = it.value();
    const SelectionState& s = session.selection;
    QJsonObject selection{{QStringLiteral("ops"), idsToJson(s.ops)},
                          {QStringLiteral("subgraphs"), idsToJson(s.subgraphs)},
                          {QStringLiteral("step"), static_cast<qint64>(s.step)}};
    QJsonObject members;
    for (const auto& [subgraph, ops] : session.members)
        members[QString::number(subgraph.value)] = idsToJson(ops);
    selection[QStringLiteral("members")] = members;
    if (s.subgraph)
        selection[QStringLiteral("subgraph")] = static_cast<qint64>(s.subgraph->value);
    if (s.tensor)
        selection[QStringLiteral("tensor")] = static_cast<qint64>(s.tensor->value);
    QJsonObject root{{QStringLiteral("version"), kVersion},
                     {QStringLiteral("problem"), session.problem},
                     {QStringLiteral("schedule"), session.schedule},
                     {QStringLiteral("perspective"), session.perspective},
                     {QStringLiteral("parts"), parts},
                     {QStringLiteral("selection"), selection},
                     {QStringLiteral("views"), views}};
    writeMarks(session, root);
    QDir().mkpath(folder);
    const QString path = fileName(folder, session.problem, session.schedule);
    Status written = writeFileAtomically(path.toStdString(),
                                         QJsonDocument(root).toJson(QJsonDocument::Compact).toStdString());
    QDir dir(folder);
    const QStringList byAge = dir.entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Time);
    for (const QString& old : byAge.mid(kMostSessions))
        dir.remove(old);
    return written;
}

std::optional<FileSession> readFileSession(const QString& folder, const QString& problem,
                                           const QString& schedule)
{
    const auto text = readFile(fileName(folder, problem, schedule).toStdString());
    if (!text)
        return std::nullopt;
    const QJsonObject root = QJsonDocument::fromJson(QByteArray::fromStdString(*text)).object();
    if (root[QStringLiteral("version")].toInt() != kVersion)
        return std::nullopt;
    FileSession out;
    static_cast<DocumentMarks&>(out) = readMarks(root);
    out.problem = problem;
    out.schedule = schedule;
    out.perspective = root[QStringLiteral("perspective")].toString();
    const QJsonObject parts = root[QStringLiteral("parts")].toObject();
    for (auto it = parts.begin(); it != parts.end(); ++it) {
        const QJsonArray r = it->toArray();
        out.parts[it.key()] = {r[0].toDouble(), r[1].toDouble(), r[2].toDouble(), r[3].toDouble()};
    }
    const QJsonObject views = root[QStringLiteral("views")].toObject();
    for (auto it = views.begin(); it != views.end(); ++it)
        out.views[it.key()] = it->toObject();
    const QJsonObject selection = root[QStringLiteral("selection")].toObject();
    out.selection.ops = idsFromJson<OpId>(selection[QStringLiteral("ops")]);
    out.selection.subgraphs = idsFromJson<SubgraphId>(selection[QStringLiteral("subgraphs")]);
    const QJsonObject members = selection[QStringLiteral("members")].toObject();
    for (auto it = members.begin(); it != members.end(); ++it)
        out.members[SubgraphId(it.key().toUInt())] = idsFromJson<OpId>(*it);
    out.selection.step = selection[QStringLiteral("step")].toInteger();
    if (const qint64 i = selection[QStringLiteral("subgraph")].toInteger(-1); i >= 0)
        out.selection.subgraph = SubgraphId(static_cast<std::size_t>(i));
    if (const qint64 i = selection[QStringLiteral("tensor")].toInteger(-1); i >= 0)
        out.selection.tensor = TensorId(static_cast<std::size_t>(i));
    return out;
}

} // namespace tilewright::ui
