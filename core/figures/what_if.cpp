// SPDX-License-Identifier: GPL-3.0-or-later
#include "figures/what_if.h"

#include "base/text.h"
#include "eval/lower_bound.h"
#include "explain/critical_resources.h"
#include "figures/figure.h"
#include "figures/schedule_figures.h"
#include "model/machine.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace tilewright::figures {

namespace {

constexpr double kMore = 1.1;

/// Text of a value of a machine file increased by 10 %; empty if it is not a number or cannot be increased.
std::string moreOf(const MachineField& field)
{
    double value = 0;
    const char* const end = field.value.data() + field.value.size();
    const auto read = std::from_chars(field.value.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end || value <= 0)
        return {};
    const bool isWhole = field.unit == MachineUnit::Count || field.unit == MachineUnit::Bytes ||
                         field.unit == MachineUnit::Cycles;
    return formatNumber(isWhole ? std::ceil(value * kMore) : value * kMore);
}

bool isRead(const MachineField& field)
{
    return field.editable && !field.summary &&
           std::ranges::find(field.lenses, MachineLens::Schedule) != field.lenses.end();
}

/// The figure of the same schedule for another problem; nothing if the schedule breaks a rule for that
/// problem.
std::optional<double> figureWith(const Snapshot& snapshot, const ProblemPtr& problem,
                                 const lower::ModelOnMachinePtr& model, std::string_view address)
{
    const Rules& rules = snapshot.evaluation.rules;
    const auto other =
        takeSnapshot(problem, snapshot.schedule, rules, lowerBound(*problem, rules).value, snapshot.revision);
    if (!other->evaluation.valid())
        return {};
    const auto figure = scheduleFigures(other, model).find(address);
    return figure ? std::optional(figure->value.value) : std::nullopt;
}

} // namespace

std::vector<WhatIf> whatIf(const Snapshot& snapshot, const lower::ModelOnMachinePtr& model,
                           std::string_view address, const Progress& progress)
{
    const auto before = figureWith(snapshot, snapshot.problem, model, address);
    std::vector<WhatIf> out;
    if (!before)
        return out;
    const auto add = [&](std::string field, std::string from, std::string to, std::optional<double> figure) {
        if (!figure)
            return;
        std::string note;
        if (field == "clock_ghz")
            note = "cycles that are " + percent(1 - 1 / kMore) + " shorter";
        out.push_back(
            {std::move(field), std::move(from), std::move(to), *figure, *figure - *before, std::move(note)});
    };
    if (!model) {
        const Hardware& hardware = snapshot.problem->hardware();
        for (const auto& [parameter, field, value] :
             {std::tuple{HardwareParameter::Capacity, "fast_memory_capacity", hardware.fastMemoryCapacity},
              std::tuple{HardwareParameter::Bandwidth, "slow_memory_bandwidth",
                         hardware.slowMemoryBandwidth}}) {
            const auto problem = withHardware(*snapshot.problem, parameter, kMore);
            if (!problem)
                continue;
            const Hardware& more = (*problem)->hardware();
            add(field, formatNumber(static_cast<double>(value)),
                formatNumber(static_cast<double>(parameter == HardwareParameter::Capacity
                                                     ? more.fastMemoryCapacity
                                                     : more.slowMemoryBandwidth)),
                figureWith(snapshot, *problem, {}, address));
        }
    } else {
        for (const MachineField& field : machineFields(model->machine)) {
            if (progress.stopRequested())
                break;
            const std::string to = isRead(field) ? moreOf(field) : std::string();
            if (to.empty())
                continue;
            const auto machine = withMachineField(model->machine, field.path, to);
            if (!machine)
                continue;
            const auto other = lower::putOnMachine(model->workload, *machine);
            if (other && lower::sameGraph(*(*other)->problem, *snapshot.problem))
                add(field.path, field.value, to, figureWith(snapshot, (*other)->problem, *other, address));
        }
    }
    std::ranges::stable_sort(out, std::ranges::greater(),
                             [](const WhatIf& value) { return std::abs(value.change); });
    return out;
}

std::string whatIfText(const std::vector<WhatIf>& values)
{
    std::string out, unchanged;
    for (const WhatIf& value : values)
        if (value.change != 0) {
            out += "  " + value.field + " " + value.from + " -> " + value.to + ": " +
                   formatGrouped(value.figure) + " (" + (value.change > 0 ? "+" : "") +
                   formatGrouped(value.change) + (value.note.empty() ? "" : "; " + value.note) + ")\n";
        } else {
            unchanged += unchanged.empty() ? "" : ", ";
            unchanged += value.field;
        }
    if (!unchanged.empty())
        out += wrapped("no change: " + unchanged, "  ");
    return out;
}

} // namespace tilewright::figures
