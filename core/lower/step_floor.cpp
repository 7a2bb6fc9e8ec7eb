// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/step_floor.h"

#include "base/text.h"
#include "lower/floor.h"

#include <map>

namespace tilewright::lower {

namespace {

double bitsOf(std::int64_t width)
{
    return static_cast<double>(width) / static_cast<double>(llm::kBit);
}

ExplainedValue computeFloor(const llm::LlmWork& work, const Machine& m, std::int64_t cores)
{
    std::vector<ExplainedValue> times;
    for (const llm::LlmProducts& p : work.products) {
        const double rate = m.macsPerCycle(bitsOf(p.bits), bitsOf(p.otherBits));
        times.push_back(combined(
            Operation::Quotient,
            "cycles at " + formatNumber(bitsOf(p.bits)) + " x " + formatNumber(bitsOf(p.otherBits)) + " bits",
            "cycles",
            {leaf("multiply-accumulates", "MACs", p.macs, kClosedForm, "docs/rules/llm.md 6.4"),
             combined(
                 Operation::Product, "largest rate", "MACs a cycle",
                 {leaf("cores", "", static_cast<double>(cores), "number of cores"),
                  machineValue(m, "arrays", "arrays of a core", "", static_cast<double>(m.arrays)),
                  machineValue(m, "array.rows", "rows of an array", "", static_cast<double>(m.rows)),
                  machineValue(m, "array.cols", "columns of an array", "", static_cast<double>(m.cols)),
                  machineValue(m, "array.rates", "MACs of a processing element in a cycle", "", rate)})}));
    }
    return combined(Operation::Sum, "compute floor", "cycles", std::move(times), "R19");
}

ExplainedValue memoryFloor(const llm::LlmWork& work, const Machine& m)
{
    std::vector<ExplainedValue> parts;
    for (std::size_t i = 0; i < llm::kLlmParts; ++i)
        if (work.readBytes[i] > 0)
            parts.push_back(leaf(std::string(llm::toString(static_cast<llm::LlmPart>(i))), "bytes",
                                 work.readBytes[i], kClosedForm, "docs/rules/llm.md 7"));
    ExplainedValue in = combined(Operation::Sum, "weights and cache read", "bytes", std::move(parts));
    ExplainedValue out =
        leaf("keys and values written", "bytes", work.writtenBytes, kClosedForm, "docs/rules/llm.md 4");
    const auto rate = [&](const std::string& field, const std::string& name, double gbPerSecond) {
        return combined(Operation::Quotient, name, "bytes a cycle",
                        {machineValue(m, "levels.external." + field, name, "GB/s", gbPerSecond),
                         machineValue(m, "clock_ghz", "clock", "GHz", m.clockGhz)});
    };
    const Machine::Level& external = m.at(MachineLevel::External);
    if (external.portsApart)
        return combined(
            Operation::Largest, "memory floor", "cycles",
            {combined(Operation::Quotient, "reads", "cycles",
                      {in, rate("read_gb_per_s", "bandwidth of reads", external.readGbPerSecond)}),
             combined(Operation::Quotient, "writes", "cycles",
                      {out, rate("write_gb_per_s", "bandwidth of writes", external.writeGbPerSecond)})},
            "R19");
    return combined(Operation::Quotient, "memory floor", "cycles",
                    {combined(Operation::Sum, "bytes that must move", "bytes", {in, out}),
                     rate("gb_per_s", "bandwidth of the external memory", external.gbPerSecond)},
                    "R19");
}

} // namespace

std::int64_t elementBits(const Machine& machine)
{
    return machine.elementBytes * 8 * llm::kBit;
}

StepFloor stepFloor(const llm::LlmConfig& config, const llm::LlmOptions& options, const Machine& machine,
                    std::int64_t cores)
{
    const llm::LlmWork work = llm::llmWork(config, options, elementBits(machine));
    StepFloor out;
    out.compute = computeFloor(work, machine, cores);
    out.memory = memoryFloor(work, machine);
    out.cycles = combined(Operation::Largest, "floor of the whole model", "cycles", {out.compute, out.memory},
                          "docs/rules/llm.md 7");
    return out;
}

CyclesOfLayers ofAllLayers(const llm::LlmScope& scope,
                           std::span<const std::pair<OperatorId, double>> operators)
{
    CyclesOfLayers out;
    for (const auto& [op, cycles] : operators) {
        out.once += cycles;
        out.whole += cycles * static_cast<double>(scope.countOf(op));
    }
    return out;
}

std::vector<double> sharedCycles(const std::vector<std::pair<double, double>>& spans)
{
    std::map<double, std::int64_t> change; // key: time; value: change of the number of running spans
    for (const auto& [from, to] : spans) {
        ++change[from];
        --change[to];
    }
    std::map<double, double> until; // key: time; value: share of a span that has run since the beginning
    std::int64_t active = 0;
    double sum = 0, last = 0;
    for (const auto& [time, difference] : change) {
        if (active > 0)
            sum += (time - last) / static_cast<double>(active);
        until[time] = sum;
        active += difference;
        last = time;
    }
    std::vector<double> out;
    out.reserve(spans.size());
    for (const auto& [from, to] : spans)
        out.push_back(until[to] - until[from]);
    return out;
}

} // namespace tilewright::lower
