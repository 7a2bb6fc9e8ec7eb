// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/group_step.h"

#include "base/text.h"
#include "llm/counts.h"
#include "llm/shards.h"
#include "lower/collectives.h"
#include "lower/floor.h"

#include <algorithm>

namespace tilewright::lower {

namespace {

constexpr const char* kRuleOfGroups = "docs/rules/llm.md 8.3";

std::vector<llm::LlmStage> stagesOf(const llm::LlmScope& scope)
{
    const llm::LlmOptions& o = scope.options;
    return llm::stagesOf(llm::shardOf(scope.whole, o.chips, o.expertChips), o.stages);
}

std::string nameOf(const llm::LlmConfig& stage)
{
    const auto layers = static_cast<std::int64_t>(stage.layers.size());
    return "stage of " + formatGrouped(layers) + (layers == 1 ? " layer" : " layers") +
           (stage.hasEmbedding ? ", with the embedding" : "") + (stage.hasHead ? ", with the head" : "");
}

/// The largest of the values of the stages. If there is only one stage, its value gets the name of the whole.
ExplainedValue largest(const std::string& name, const std::string& unit, std::vector<ExplainedValue> parts)
{
    if (parts.size() > 1)
        return combined(Operation::Largest, name, unit, std::move(parts), kRuleOfGroups);
    parts.front().name = name;
    return std::move(parts.front());
}

ExplainedValue cyclesOfMillisecond(const Machine& machine)
{
    return combined(Operation::Product, "cycles a millisecond", "",
                    {machineValue(machine, "clock_ghz", "clock", "GHz", machine.clockGhz),
                     leaf("cycles a millisecond at 1 GHz", "", 1e6, {})});
}

} // namespace

ExplainedValue millisecondsOf(const std::string& name, const ExplainedValue& cycles, const Machine& machine)
{
    return combined(Operation::Quotient, name, "ms", {cycles, cyclesOfMillisecond(machine)});
}

ExplainedValue cyclesOf(const ExplainedValue& milliseconds, const Machine& machine)
{
    return combined(Operation::Product, "cycles of " + milliseconds.name, "cycles",
                    {milliseconds, cyclesOfMillisecond(machine)});
}

GroupFloor groupFloor(const llm::LlmScope& scope, const llm::LlmOptions& options, const Machine& machine,
                      std::int64_t cores, const std::string& name)
{
    GroupFloor out;
    std::vector<ExplainedValue> times, all, collectives;
    for (llm::LlmStage& stage : stagesOf(scope)) {
        StageFloor s{std::move(stage.config), stage.count, {}, {}, {}};
        s.chip = stepFloor(s.config, options, machine, cores);
        s.collectives = collectiveTime(s.config, options, machine);
        s.time = millisecondsOf(options.isGroup() ? "floor of a chip" : name, s.chip.cycles, machine);
        if (options.isGroup())
            s.time = combined(Operation::Sum, nameOf(s.config), "ms", {s.time, s.collectives}, kRuleOfGroups);
        const auto repeated = [&](const ExplainedValue& one) {
            return s.count == 1
                       ? one
                       : combined(Operation::Product, one.name, one.unit,
                                  {leaf("stages", "", static_cast<double>(s.count), "the call"), one});
        };
        times.push_back(s.time);
        all.push_back(repeated(s.time));
        collectives.push_back(repeated(s.collectives));
        out.stages.push_back(std::move(s));
    }
    const auto sum = [&](const std::string& of, std::vector<ExplainedValue>& parts) {
        if (parts.size() > 1)
            return combined(Operation::Sum, of, "ms", std::move(parts), kRuleOfGroups);
        parts.front().name = of;
        return std::move(parts.front());
    };
    out.slowest = largest(options.stages > 1 ? "time of the slowest stage" : name, "ms", std::move(times));
    out.latency = sum(name, all);
    out.collectives = sum("time of the collectives", collectives);
    return out;
}

ChipBytes chipBytes(const llm::LlmScope& scope, const Machine& machine)
{
    const auto sequences = static_cast<double>(scope.options.sequences());
    std::vector<ExplainedValue> weights, caches;
    for (const llm::LlmStage& stage : stagesOf(scope)) {
        const llm::LlmConfig c = llm::atWidth(stage.config, elementBits(machine));
        weights.push_back(
            leaf(nameOf(c), "bytes", llm::llmCounts(c).weightBytes, kClosedForm, "docs/rules/llm.md 8.1"));
        const double cache = c.causal ? sequences * llm::kvBytes(c, scope.options.keys()) : 0.0;
        caches.push_back(leaf(nameOf(c), "bytes", cache, kClosedForm, "docs/rules/llm.md 8.1"));
    }
    return {largest("bytes of weights a chip", "bytes", std::move(weights)),
            largest("bytes of cache a chip", "bytes", std::move(caches))};
}

std::optional<std::int64_t> longestContext(const llm::LlmScope& scope, const Machine& machine)
{
    const auto memory = static_cast<double>(machine.at(MachineLevel::External).totalBytes());
    std::optional<std::int64_t> out;
    for (const llm::LlmStage& stage : stagesOf(scope)) {
        const llm::LlmConfig c = llm::atWidth(stage.config, elementBits(machine));
        const double room = memory - llm::llmCounts(c).weightBytes;
        const auto longest = llm::longestContext(c, scope.options.sequences(), std::max(0.0, room));
        if (!longest)
            continue;
        const std::int64_t tokens = room < 0 ? 0 : *longest;
        out = std::min(out.value_or(tokens), tokens);
    }
    return out;
}

} // namespace tilewright::lower
