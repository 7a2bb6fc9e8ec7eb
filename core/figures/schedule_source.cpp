// SPDX-License-Identifier: GPL-3.0-or-later
#include "figures/schedule_source.h"

#include "base/text.h"

#include <algorithm>
#include <utility>

namespace tilewright::figures {

namespace {

constexpr std::size_t kMostParts = 40; ///< maximum number of parts of a sum that are listed separately

} // namespace

ExplainedValue byEvaluator(std::string name, std::string unit, double value, std::string rule)
{
    return leaf(std::move(name), std::move(unit), value, "all steps, counted by the evaluator",
                std::move(rule));
}

ExplainedValue counted(std::string name, std::int64_t count, std::string unit)
{
    return leaf(std::move(name), std::move(unit), static_cast<double>(count), "counted");
}

ExplainedValue sumOf(std::string name, std::string unit, double whole, std::vector<ExplainedValue> parts,
                     std::string rule)
{
    if (parts.size() > kMostParts) {
        std::ranges::stable_sort(parts, std::ranges::greater(), &ExplainedValue::value);
        const std::size_t more = parts.size() - kMostParts;
        parts.resize(kMostParts);
        double told = 0;
        for (const ExplainedValue& part : parts)
            told += part.value;
        parts.push_back(leaf(formatGrouped(static_cast<double>(more)) + " smaller parts", unit, whole - told,
                             "the rest of the whole"));
    }
    return combined(Operation::Sum, std::move(name), std::move(unit), std::move(parts), std::move(rule));
}

ExplainedValue given(const ScheduleSource& s, std::string name, std::string unit, double value,
                     const std::string& field)
{
    const std::string owner =
        s.model ? "lowered for " + s.model->machine.name + ": " : std::string("the problem, field ");
    return leaf(std::move(name), std::move(unit), value, owner + field, "R1.1");
}

ExplainedValue asElements(const ScheduleSource& s, ExplainedValue units)
{
    if (s.problem().unitsPerElement() == 1)
        return units;
    std::string name = units.name;
    units.unit = "units";
    return combined(Operation::Quotient, std::move(name), "elements",
                    {std::move(units),
                     leaf("units of an element", "units", static_cast<double>(s.problem().unitsPerElement()),
                          "widths of the tensors", "R1.9")},
                    "R1.9");
}

ExplainedValue bandwidth(const ScheduleSource& s)
{
    return given(s, "bandwidth of the slow memory", s.perTime,
                 static_cast<double>(s.problem().hardware().slowMemoryBandwidth), "slow_memory_bandwidth");
}

} // namespace tilewright::figures
