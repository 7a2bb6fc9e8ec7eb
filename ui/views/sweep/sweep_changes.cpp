// SPDX-License-Identifier: GPL-3.0-or-later
// Differences between the schedules on both sides of a step of a curve.
#include "lower/on_machine.h"
#include "report/compare.h"
#include "schedule/schedule_json.h"
#include "theme/name.h"
#include "theme/words.h"
#include "views/sweep/sweep_view.h"

#include <algorithm>

namespace tilewright::ui {

namespace {

constexpr double kStep = 0.005; ///< smallest relative drop of a curve that counts as a step
constexpr qsizetype kNamed = 2;

ProblemPtr problemOfPoint(const sweep::Sweep& sweep, std::size_t point)
{
    const auto hardware = sweep::hardwareOfPoint(sweep, point);
    if (!hardware)
        return nullptr;
    const auto& workload = sweep.workloads.front().workload;
    if (hardware->machine) {
        const auto model = lower::putOnMachine(workload, *hardware->machine);
        return model ? (*model)->problem : nullptr;
    }
    Problem::Data data = workload->problem->data();
    data.hardware = *hardware->hardware;
    const auto problem = Problem::build(std::move(data));
    return problem ? *problem : nullptr;
}

template <typename Ids, typename NameOf> QString someNames(const Ids& ids, qsizetype most, NameOf&& nameOf)
{
    QStringList names;
    for (const auto id : ids)
        names << nameOf(id);
    const qsizetype more = names.size() - most;
    names = names.mid(0, most);
    return names.join(QStringLiteral(" + ")) + (more > 0 ? tr(" and %1 more").arg(more) : QString());
}

QString textOf(const Problem& problem, const Difference& d, const std::string& prefix, qsizetype most)
{
    const auto op = [&](OpId id) { return withoutPrefix(problem.opName(id), prefix); };
    const auto tensor = [&](TensorId id) { return withoutPrefix(problem.tensorName(id), prefix); };
    switch (d.kind) {
    case DifferenceKind::Fused:
        return tr("fused: %1").arg(someNames(d.ops, most, op));
    case DifferenceKind::Retain:
        return tr("retained: %1").arg(someNames(d.tensors, most, tensor));
    case DifferenceKind::Split:
        return tr("split: %1").arg(someNames(d.ops, most, op));
    case DifferenceKind::Granularity:
        return tr("tile of %1").arg(someNames(d.ops, most, op));
    default:
        return tr("order of %1").arg(someNames(d.ops, most, op));
    }
}

/// The most valuable difference. Fusions and retained tensors come before changes of tiles only.
const Contribution* mainChange(const Comparison& comparison)
{
    const Contribution* out = nullptr;
    const auto structural = [](const Contribution& c) {
        return c.difference.kind == DifferenceKind::Fused || c.difference.kind == DifferenceKind::Retain;
    };
    for (const bool wanted : {true, false})
        if (!out)
            for (const Contribution& c : comparison.contributions)
                if ((structural(c) || !wanted) && c.delta < 0 && (!out || c.delta < out->delta))
                    out = &c;
    return out;
}

} // namespace

std::vector<SweepChange> findSweepChanges(const SweepResults& results, const SweepModel& model,
                                          const std::stop_token& stop)
{
    std::vector<SweepChange> out;
    const std::vector<SweepCurve> curves = model.curves();
    if (curves.size() != 1)
        return out;
    const auto& points = curves.front().points;
    const auto scheduleAt = [&](std::size_t row) {
        const auto text = results.schedules.find(model.table.rows[row].from);
        return text == results.schedules.end() ? nullptr : &text->second;
    };
    for (std::size_t i = 1; i < points.size() && !stop.stop_requested(); ++i) {
        const std::string* before = scheduleAt(points[i - 1].row);
        const std::string* after = scheduleAt(points[i].row);
        if (!before || !after || *before == *after || points[i].value >= points[i - 1].value * (1 - kStep))
            continue;
        const ProblemPtr problem = problemOfPoint(*results.sweep, model.table.rows[points[i].row].point);
        if (!problem)
            continue;
        const auto a = readSchedule(*problem, *before, "sweep");
        const auto b = readSchedule(*problem, *after, "sweep");
        if (!a || !b)
            continue;
        const Comparison comparison =
            compareSchedules(problem, a->schedule, b->schedule, results.sweep->plan().rules, {stop, {}});
        std::vector<std::string> names;
        for (std::size_t o = 0; o < problem->opCount(); ++o)
            names.push_back(problem->opName(OpId(o)));
        const std::string prefix = commonNamePrefix(names);
        if (const Contribution* change = mainChange(comparison))
            out.push_back({points[i].row, textOf(*problem, change->difference, prefix, kNamed),
                           textOf(*problem, change->difference, prefix, 1)});
    }
    return out;
}

} // namespace tilewright::ui
