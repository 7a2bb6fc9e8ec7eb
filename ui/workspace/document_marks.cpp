// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/document_marks.h"

#include "schedule/schedule_json.h"
#include "workspace/document.h"

#include <QJsonArray>

namespace tilewright::ui {

void writeMarks(const DocumentMarks& marks, QJsonObject& to)
{
    QJsonObject notes, nudges;
    for (auto it = marks.notes.begin(); it != marks.notes.end(); ++it)
        notes[it.key()] = it.value();
    for (auto it = marks.nudges.begin(); it != marks.nudges.end(); ++it)
        nudges[it.key()] = QJsonArray{it->x(), it->y()};
    QJsonArray baselines;
    for (const DocumentMarks::Pinned& b : marks.baselines)
        baselines.append(QJsonObject{{QStringLiteral("name"), b.name},
                                     {QStringLiteral("schedule"), QString::fromStdString(b.schedule)}});
    to[QStringLiteral("notes")] = notes;
    to[QStringLiteral("nudges")] = nudges;
    to[QStringLiteral("baselines")] = baselines;
    to[QStringLiteral("baseline")] = marks.baseline;
}

DocumentMarks readMarks(const QJsonObject& from)
{
    DocumentMarks out;
    const QJsonObject notes = from[QStringLiteral("notes")].toObject();
    for (auto it = notes.begin(); it != notes.end(); ++it)
        out.notes[it.key()] = it->toString();
    const QJsonObject nudges = from[QStringLiteral("nudges")].toObject();
    for (auto it = nudges.begin(); it != nudges.end(); ++it) {
        const QJsonArray by = it->toArray();
        out.nudges[it.key()] = {by[0].toDouble(), by[1].toDouble()};
    }
    for (const QJsonValue b : from[QStringLiteral("baselines")].toArray())
        out.baselines.push_back(
            {b[QStringLiteral("name")].toString(), b[QStringLiteral("schedule")].toString().toStdString()});
    out.baseline = from[QStringLiteral("baseline")].toInt(-1);
    return out;
}

DocumentMarks Document::marks() const
{
    DocumentMarks out{m_notes, m_nudges, {}, m_baselineIndex};
    for (const Baseline& baseline : m_baselines)
        if (auto text = writeSchedule(*m_problem, baseline.snapshot->schedule))
            out.baselines.push_back({baseline.name, std::move(*text)});
    return out;
}

void Document::addMarks(const DocumentMarks& marks)
{
    if (m_notes.isEmpty())
        m_notes = marks.notes;
    if (m_nudges.isEmpty())
        setNudges(marks.nudges);
    if (!m_baselines.empty())
        return;
    for (const DocumentMarks::Pinned& pinned : marks.baselines)
        if (const auto loaded = readSchedule(*m_problem, pinned.schedule, "session");
            loaded && loaded->formatIssues.empty())
            addBaseline(pinned.name, takeSnapshot(m_problem, loaded->schedule, m_rules, m_bound->value, 0));
    setBaselineIndex(marks.baseline);
}

} // namespace tilewright::ui
