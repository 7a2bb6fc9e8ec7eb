// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/document_marks.h"

#include "model/machine.h"
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
    for (const DocumentMarks::Pinned& b : marks.baselines) {
        QJsonObject entry{{QStringLiteral("name"), b.name},
                          {QStringLiteral("schedule"), QString::fromStdString(b.schedule)}};
        if (b.machine)
            entry[QStringLiteral("machine")] = QString::fromStdString(*b.machine);
        baselines.append(entry);
    }
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
    for (const QJsonValue b : from[QStringLiteral("baselines")].toArray()) {
        DocumentMarks::Pinned pinned{b[QStringLiteral("name")].toString(),
                                     b[QStringLiteral("schedule")].toString().toStdString()};
        if (const QJsonValue machine = b[QStringLiteral("machine")]; machine.isString())
            pinned.machine = machine.toString().toStdString();
        out.baselines.push_back(std::move(pinned));
    }
    out.baseline = from[QStringLiteral("baseline")].toInt(-1);
    return out;
}

DocumentMarks Document::marks() const
{
    DocumentMarks out{m_notes, m_nudges, {}, m_baselineIndex};
    for (const Baseline& baseline : m_baselines)
        if (auto text = writeSchedule(*baseline.snapshot->problem, baseline.snapshot->schedule))
            out.baselines.push_back({baseline.name, std::move(*text),
                                     baseline.model ? writeMachine(baseline.model->machine) : std::string()});
    return out;
}

Result<Document::Base> Document::baseOf(const DocumentMarks::Pinned& pinned) const
{
    if (!pinned.machine)
        return Base{m_problem, m_model, m_dimensions};
    if (pinned.machine->empty()) // a plain problem, which a machine may have been chosen for since
        return Base{m_model && m_model->workload->problem ? m_model->workload->problem : m_problem, nullptr,
                    m_dimensions};
    const auto machine = readMachine(*pinned.machine, "session");
    if (!machine)
        return machine.error();
    if (m_model && m_model->machine == *machine)
        return Base{m_problem, m_model, m_dimensions};
    for (const Baseline& known : m_baselines)
        if (known.model && known.model->machine == *machine)
            return Base{known.snapshot->problem, known.model, m_dimensions};
    auto model = onMachine(*machine);
    if (!model)
        return model.error();
    ProblemPtr problem = (*model)->problem;
    return Base{std::move(problem), std::move(*model), m_dimensions};
}

void Document::addMarks(const DocumentMarks& marks)
{
    if (m_notes.isEmpty())
        m_notes = marks.notes;
    if (m_nudges.isEmpty())
        setNudges(marks.nudges);
    if (!m_baselines.empty())
        return;
    for (const DocumentMarks::Pinned& pinned : marks.baselines) {
        const auto base = baseOf(pinned);
        if (!base)
            continue; // a machine of another version
        const auto loaded = readSchedule(*base->problem, pinned.schedule, "session");
        if (!loaded || !loaded->formatIssues.empty())
            continue;
        const double bound =
            base->problem == m_problem ? m_bound->value : lowerBound(*base->problem, m_rules).value;
        takeBaseline(
            {pinned.name, takeSnapshot(base->problem, loaded->schedule, m_rules, bound, 0), base->model});
    }
    setBaselineIndex(marks.baseline);
}

} // namespace tilewright::ui
