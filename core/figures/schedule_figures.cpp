// SPDX-License-Identifier: GPL-3.0-or-later
#include "figures/schedule_figures.h"

#include "base/text.h"
#include "eval/cost.h"
#include "eval/energy_bound.h"
#include "eval/explain.h"
#include "eval/memory_use.h"
#include "eval/step_kinds.h"
#include "lower/floor.h"
#include "report/evaluation_json.h"
#include "rules/check.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace tilewright::figures {

namespace {

constexpr std::size_t kMostParts = 40; ///< parts of a sum that are told one by one

struct ScheduleSource
{
    SnapshotPtr snapshot;
    std::string time;    ///< "cycles", "units of time"
    std::string perTime; ///< "elements a cycle"
    lower::ModelOnMachinePtr model;
    /// What has been walked so far.
    std::shared_ptr<std::map<std::size_t, std::optional<StepKinds>>> walked =
        std::make_shared<std::map<std::size_t, std::optional<StepKinds>>>();

    [[nodiscard]] const Problem& problem() const { return *snapshot->problem; }
    [[nodiscard]] const Evaluation& evaluation() const { return snapshot->evaluation; }
    /// Nothing if the subgraph breaks a rule.
    [[nodiscard]] const SubgraphEvaluation* valid(std::size_t i) const
    {
        const SubgraphEvaluation& e = evaluation().subgraphs[i];
        return e.structurallyValid ? &e : nullptr;
    }
    [[nodiscard]] const Subgraph& subgraph(std::size_t i) const { return snapshot->schedule[SubgraphId(i)]; }
    [[nodiscard]] std::vector<TensorId> resident(std::size_t i) const
    {
        return residentBefore(problem(), snapshot->schedule, evaluation().rules, SubgraphId(i));
    }
    [[nodiscard]] const std::optional<StepKinds>& steps(std::size_t i) const
    {
        const auto [at, isNew] = walked->try_emplace(i);
        if (isNew && evaluation().subgraphs[i].steps <= kMostExplainedSteps)
            at->second = stepKinds(problem(), snapshot->schedule, evaluation().rules, SubgraphId(i),
                                   kMostExplainedSteps + 1);
        return at->second;
    }
};

using Value = std::optional<ExplainedValue>;

ExplainedValue byEvaluator(std::string name, std::string unit, double value, std::string rule)
{
    return leaf(std::move(name), std::move(unit), value, "all steps, counted by the evaluator",
                std::move(rule));
}

ExplainedValue counted(std::string name, std::int64_t count, std::string unit = {})
{
    return leaf(std::move(name), std::move(unit), static_cast<double>(count), "counted");
}

/// A sum whose parts beyond kMostParts are one leaf: the rest of `whole`.
ExplainedValue sumOf(std::string name, std::string unit, double whole, std::vector<ExplainedValue> parts,
                     std::string rule = {})
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

/// A value of the problem file, or of what the model was lowered to.
ExplainedValue given(const ScheduleSource& s, std::string name, std::string unit, double value,
                     const std::string& field)
{
    const std::string owner =
        s.model ? "lowered for " + s.model->machine.name + ": " : std::string("the problem, field ");
    return leaf(std::move(name), std::move(unit), value, owner + field, "R1.1");
}

/// Sizes in units (R1.9) as elements that capacity and bandwidth count.
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

// Times --------------------------------------------------------------------------------------------

/// The cost of one run, R8.
ExplainedValue costOf(const ScheduleSource& s, const Subgraph& subgraph, const StepRun& run)
{
    const Problem& problem = s.problem();
    const Op& op = problem.op(run.op);
    const std::int64_t rows = run.rect.r1 - run.rect.r0, cols = run.rect.c1 - run.rect.c0;
    std::string name = problem.opName(run.op) + ", " + formatNumber(static_cast<double>(rows)) + " x " +
                       formatNumber(static_cast<double>(cols));
    if (run.repeated)
        return leaf(std::move(name), s.time, 0, "the same run as in an earlier step", "R8.1");
    const auto base = static_cast<double>(op.baseCost);
    ExplainedValue baseCost = given(s, "base cost", s.time, base, "base_costs");
    const StepCosts costs(problem.hardware(), subgraph.granularity, s.evaluation().rules);
    if (op.type == OpType::MatMul) {
        name += " over " + formatNumber(static_cast<double>(run.k1 - run.k0)) + " of " +
                formatNumber(static_cast<double>(problem.reductionSize(run.op)));
        if (costs.array)
            return combined(
                Operation::Quotient, std::move(name), s.time,
                {combined(Operation::Product, "base cost times cycles", "",
                          {std::move(baseCost),
                           leaf("cycles of this run", "cycles", costs.cycles(rows, cols, run.k1 - run.k0),
                                "closed form of the array", "R8.2")}),
                 leaf("cycles of a native tile over the whole reduction", "cycles",
                      costs.wholeTile(problem.reductionSize(run.op)), "closed form of the array", "R8.2")},
                "R8.2");
    } else if (costs.elements) {
        return combined(Operation::Quotient, std::move(name), s.time,
                        {combined(Operation::Product, "base cost times elements", "",
                                  {std::move(baseCost), counted("elements", rows * cols)}),
                         given(s, "elements of a native tile", "", costs.nativeHeight * costs.nativeWidth,
                               "native_granularity")},
                        "R8.3");
    }
    return combined(Operation::Product, std::move(name), s.time,
                    {std::move(baseCost),
                     leaf("native tiles of this run", "", base == 0 ? 0 : run.cost / base,
                          "extents of the run, native granularity and share of the reduction", "R8.1")},
                    "R8.1");
}

ExplainedValue computeOf(const ScheduleSource& s, const Subgraph& subgraph, const Step& step)
{
    std::vector<ExplainedValue> runs;
    runs.reserve(step.runs.size());
    for (const StepRun& run : step.runs)
        runs.push_back(costOf(s, subgraph, run));
    return sumOf("compute time of the step", s.time, step.compute, std::move(runs), "R8");
}

ExplainedValue bandwidth(const ScheduleSource& s)
{
    return given(s, "bandwidth of the slow memory", s.perTime,
                 static_cast<double>(s.problem().hardware().slowMemoryBandwidth), "slow_memory_bandwidth");
}

ExplainedValue memoryOf(const ScheduleSource& s, const Step& step)
{
    std::vector<ExplainedValue> moved;
    for (const std::vector<StepBuffer>* buffers : {&step.buffers, &step.keptLoads})
        for (const StepBuffer& b : *buffers)
            if (b.loaded)
                moved.push_back(leaf("load of " + s.problem().tensorName(b.tensor), "elements",
                                     s.problem().elementsOf(b.size), "a buffer that is not held yet", "R7"));
    for (const StepSink& sink : step.sinks)
        if (sink.storedElements > 0)
            moved.push_back(leaf("store of " + s.problem().tensorName(sink.tensor), "elements",
                                 s.problem().elementsOf(sink.storedElements), "a tile that is complete",
                                 "R7"));
    return combined(Operation::Quotient, "memory time of the step", s.time,
                    {sumOf("elements moved", "elements",
                           s.problem().elementsOf(step.loadElements + step.storeElements), std::move(moved)),
                     bandwidth(s)},
                    "R10.1");
}

std::string kindName(const StepKind& kind)
{
    const std::string first = formatGrouped(static_cast<double>(kind.first.index));
    return kind.count == 1 ? "step " + first : "steps like step " + first;
}

/// A sum over the kinds of steps: `of` explains one step of a kind.
template <typename Of>
ExplainedValue overSteps(const ScheduleSource& s, std::size_t i, std::string name, std::string unit,
                         double whole, std::string rule, Of&& of)
{
    const auto& steps = s.steps(i);
    if (!steps)
        return byEvaluator(std::move(name), std::move(unit), whole, std::move(rule));
    std::vector<ExplainedValue> parts;
    for (const StepKind& kind : steps->kinds) {
        ExplainedValue one = of(kind.first);
        if (one.value == 0)
            continue;
        parts.push_back(kind.count == 1
                            ? std::move(one)
                            : combined(Operation::Product, kindName(kind), unit,
                                       {counted("number of such steps", kind.count), std::move(one)}));
    }
    return sumOf(std::move(name), std::move(unit), whole, std::move(parts), std::move(rule));
}

Value latency(const ScheduleSource& s, std::size_t i)
{
    const SubgraphEvaluation* e = s.valid(i);
    if (!e)
        return {};
    return overSteps(s, i, "latency", s.time, e->latency, "R10.1", [&](const Step& step) {
        return combined(Operation::Largest,
                        "latency of step " + formatGrouped(static_cast<double>(step.index)), s.time,
                        {computeOf(s, s.subgraph(i), step), memoryOf(s, step)}, "R10.1");
    });
}

Value compute(const ScheduleSource& s, std::size_t i)
{
    const SubgraphEvaluation* e = s.valid(i);
    if (!e)
        return {};
    return overSteps(s, i, "compute time", s.time, e->compute, "R8",
                     [&](const Step& step) { return computeOf(s, s.subgraph(i), step); });
}

Value memory(const ScheduleSource& s, std::size_t i)
{
    const SubgraphEvaluation* e = s.valid(i);
    if (!e)
        return {};
    const std::string at = "subgraphs." + std::to_string(i) + ".";
    return combined(
        Operation::Quotient, "memory time", s.time,
        {combined(Operation::Sum, "elements moved", "elements",
                  {figureLeaf("elements loaded", "elements", e->loadElements, at + "load_elements"),
                   figureLeaf("elements stored", "elements", e->storeElements, at + "store_elements")}),
         bandwidth(s)},
        "R10.1");
}

// Sizes --------------------------------------------------------------------------------------------

Value traffic(const ScheduleSource& s, std::size_t i, bool isLoad)
{
    const SubgraphEvaluation* e = s.valid(i);
    if (!e)
        return {};
    const double whole = isLoad ? e->loadElements : e->storeElements;
    const std::string name = isLoad ? "elements loaded" : "elements stored";
    const auto moved =
        tensorTraffic(s.problem(), s.subgraph(i), s.resident(i), s.evaluation().rules, kMostExplainedSteps);
    if (!moved)
        return byEvaluator(name, "elements", whole, "R7");
    std::vector<ExplainedValue> parts;
    for (const TensorTraffic& t : *moved) {
        const std::int64_t units = isLoad ? t.load : t.store;
        if (units == 0)
            continue;
        const std::string tensor = s.problem().tensorName(t.tensor);
        const double elements = s.problem().elementsOf(units),
                     size = s.problem().elementsOf(s.problem().sizeUnits(t.tensor));
        if (units == s.problem().sizeUnits(t.tensor) || size == 0)
            parts.push_back(leaf(tensor, "elements", elements, "moved once", "R7"));
        else
            parts.push_back(combined(Operation::Product, tensor, "elements",
                                     {given(s, "size of the tensor", "elements", size, "widths, heights"),
                                      leaf("times that it moves", "", elements / size,
                                           "all steps, by buffers that are not held", "R7")}));
    }
    return sumOf(name, "elements", whole, std::move(parts), "R7");
}

Value loads(const ScheduleSource& s, std::size_t i)
{
    return traffic(s, i, true);
}
Value stores(const ScheduleSource& s, std::size_t i)
{
    return traffic(s, i, false);
}

ExplainedValue unitsLeaf(const ScheduleSource& s, std::string name, std::int64_t units, std::string source,
                         std::string rule)
{
    return asElements(
        s, leaf(std::move(name), "elements", static_cast<double>(units), std::move(source), std::move(rule)));
}

Value reserved(const ScheduleSource& s, std::size_t i)
{
    if (!s.valid(i))
        return {};
    std::vector<TensorId> tensors = s.resident(i);
    const std::size_t before = tensors.size();
    for (const TensorId t : s.subgraph(i).retain)
        if (std::ranges::find(tensors, t) == tensors.end())
            tensors.push_back(t);
    std::vector<ExplainedValue> parts;
    for (std::size_t n = 0; n < tensors.size(); ++n)
        parts.push_back(unitsLeaf(s, s.problem().tensorName(tensors[n]), s.problem().sizeUnits(tensors[n]),
                                  n < before ? "resident: the subgraph before retains it"
                                             : "retained for the next subgraph",
                                  "R9.1a"));
    return combined(Operation::Sum, "reserved", "elements", std::move(parts), "R9.1a");
}

Value peak(const ScheduleSource& s, std::size_t i)
{
    const SubgraphEvaluation* e = s.valid(i);
    if (!e)
        return {};
    const auto& steps = s.steps(i);
    if (!steps)
        return byEvaluator("largest working set", "elements", e->peakWorkingSet, "R9.1");
    const Step& step = steps->largest;
    const std::string name =
        "largest working set: that of step " + formatGrouped(static_cast<double>(step.index));
    std::vector<ExplainedValue> parts;
    if (step.reserved > 0)
        parts.push_back(figureLeaf("reserved for resident and retained tensors", "elements", e->reserved,
                                   "subgraphs." + std::to_string(i) + ".reserved"));
    for (const StepBuffer& b : step.buffers)
        parts.push_back(unitsLeaf(s, "input " + s.problem().tensorName(b.tensor), b.size,
                                  b.full ? "the whole tensor" : "what the step reads of it", "R9.1b"));
    for (const StepSink& sink : step.sinks) {
        const std::string tensor = s.problem().tensorName(sink.tensor);
        if (sink.outputElements > 0)
            parts.push_back(
                unitsLeaf(s, "tile of " + tensor, sink.outputElements, "tile of the result", "R9.1c"));
        if (sink.accumulators > 0)
            parts.push_back(unitsLeaf(s, "accumulators for " + tensor, sink.accumulators,
                                      "sums of a split reduction", "R9.1d"));
    }
    for (const StepInterior& t : step.interiors)
        parts.push_back(unitsLeaf(s, "interior slice of " + s.problem().tensorName(t.tensor), t.size,
                                  "produced in this step", "R9.9"));
    if (step.donatedElements > 0)
        parts.push_back(unitsLeaf(s, "taken over from inputs", -step.donatedElements,
                                  "outputs that take over a buffer", "R9.6"));
    return sumOf(name, "elements", s.problem().elementsOf(step.workingSet), std::move(parts), "R9.1");
}

// Counts -------------------------------------------------------------------------------------------

Value steps(const ScheduleSource& s, std::size_t i)
{
    const SubgraphEvaluation* e = s.valid(i);
    if (!e)
        return {};
    const auto& walked = s.steps(i);
    if (!walked)
        return byEvaluator("steps", "", static_cast<double>(e->steps), "R5");
    std::vector<ExplainedValue> parts;
    for (const auto& [kSteps, tiles] : walked->tiles)
        parts.push_back(combined(Operation::Product,
                                 "steps of tiles with " + formatNumber(static_cast<double>(kSteps)), "",
                                 {counted("tiles", tiles), counted("k steps of each", kSteps)}));
    return sumOf("steps", "", static_cast<double>(e->steps), std::move(parts), "R5");
}

Value gridExtent(const ScheduleSource& s, std::size_t i, bool isRows)
{
    if (!s.valid(i))
        return {};
    const Subgraph& subgraph = s.subgraph(i);
    const std::int64_t size = isRows ? subgraph.granularity.h : subgraph.granularity.w;
    std::vector<ExplainedValue> parts;
    for (const TensorId t : boundaryOf(s.problem(), subgraph.ops).sinks) {
        const Tensor& tensor = s.problem().tensor(t);
        parts.push_back(combined(
            Operation::Ceil, s.problem().tensorName(t), "",
            {given(s, isRows ? "height" : "width", "elements",
                   static_cast<double>(isRows ? tensor.height : tensor.width), isRows ? "heights" : "widths"),
             leaf(isRows ? "height of a tile" : "width of a tile", "elements", static_cast<double>(size),
                  "the schedule, field granularities", "R2.1")}));
    }
    return combined(Operation::Largest, isRows ? "rows of tiles" : "columns of tiles", "", std::move(parts),
                    "R5.1");
}

Value rows(const ScheduleSource& s, std::size_t i)
{
    return gridExtent(s, i, true);
}
Value cols(const ScheduleSource& s, std::size_t i)
{
    return gridExtent(s, i, false);
}

Value computeBound(const ScheduleSource& s, std::size_t i)
{
    const SubgraphEvaluation* e = s.valid(i);
    if (!e)
        return {};
    const auto whole = static_cast<double>(e->computeBoundSteps);
    const auto& walked = s.steps(i);
    if (!walked)
        return byEvaluator("compute-bound steps", "", whole, "R10.1");
    std::vector<ExplainedValue> parts;
    for (const StepKind& kind : walked->kinds)
        if (kind.first.compute >= kind.first.memory)
            parts.push_back(leaf(kindName(kind), "", static_cast<double>(kind.count),
                                 formatGrouped(kind.first.compute) + " of compute, " +
                                     formatGrouped(kind.first.memory) + " of memory"));
    return sumOf("compute-bound steps", "", whole, std::move(parts), "R10.1");
}

// Energy -------------------------------------------------------------------------------------------

Value energy(const ScheduleSource& s, std::size_t i)
{
    const SubgraphEvaluation* e = s.valid(i);
    const Problem& problem = s.problem();
    if (!e || !problem.hasEnergy())
        return {};
    const StepEnergy costs(problem);
    const double units =
        (e->loadElements + e->storeElements) * static_cast<double>(problem.unitsPerElement());
    std::vector<ExplainedValue> parts{combined(
        Operation::Product, "elements moved", "pJ",
        {leaf("units loaded and stored", "units", units, "figures load_elements and store_elements", "R17"),
         given(s, "energy of a unit in slow and fast memory", "pJ", costs.slow + costs.fast, "energy")},
        "R17")};
    const auto& walked = s.steps(i);
    if (!walked) {
        parts.push_back(byEvaluator("runs of the ops", "pJ", e->energy - parts.front().value, "R17"));
    } else {
        for (const auto& [op, value] : walked->energy)
            if (value > 0)
                parts.push_back(leaf("runs of " + problem.opName(op), "pJ", value,
                                     "accesses of the fast memory and operations of all its runs", "R17"));
    }
    return sumOf("energy", "pJ", e->energy, std::move(parts), "R17");
}

// The whole schedule -------------------------------------------------------------------------------

/// A sum over the valid subgraphs of one of their figures.
template <typename Of>
Value overSubgraphs(const ScheduleSource& s, std::string name, std::string unit, const char* figure,
                    const char* rule, Of&& of)
{
    if (!hasTotal(s.evaluation()))
        return {};
    std::vector<ExplainedValue> parts;
    double whole = 0;
    for (std::size_t i = 0; i < s.evaluation().subgraphs.size(); ++i) {
        const double value = of(i);
        whole += value;
        std::string title = "subgraph " + std::to_string(i);
        if (const std::string names = opNames(s.problem(), s.subgraph(i).ops); !names.empty())
            title += " (" + names + ")";
        parts.push_back(
            figureLeaf(std::move(title), unit, value, "subgraphs." + std::to_string(i) + "." + figure));
    }
    return sumOf(std::move(name), std::move(unit), whole, std::move(parts), rule);
}

Value total(const ScheduleSource& s, std::size_t)
{
    return overSubgraphs(s, "total latency", s.time, "latency", "R10.1",
                         [&](std::size_t i) { return s.evaluation().subgraphs[i].latency; });
}

Value arrayTotal(const ScheduleSource& s, std::size_t)
{
    if (!hasTotal(s.evaluation()))
        return {};
    if (s.evaluation().rules == s.evaluation().rules.onArray())
        return figureLeaf("total latency", s.time, s.snapshot->arrayTotal, "total_latency");
    return leaf("total latency with compute=array", s.time, s.snapshot->arrayTotal,
                "evaluate --set compute=array", "R8.2");
}

Value totalEnergy(const ScheduleSource& s, std::size_t)
{
    if (!s.problem().hasEnergy())
        return {};
    return overSubgraphs(s, "energy", "pJ", "energy_pj", "R17",
                         [&](std::size_t i) { return s.evaluation().subgraphs[i].energy; });
}

Value edp(const ScheduleSource& s, std::size_t)
{
    if (!s.problem().hasEnergy() || !hasTotal(s.evaluation()))
        return {};
    return combined(Operation::Product, "energy-delay product", "pJ x " + s.time,
                    {figureLeaf("total latency", s.time, s.evaluation().total, "total_latency"),
                     figureLeaf("energy", "pJ", s.evaluation().energy, "energy_pj")},
                    "R17");
}

Value bound(const ScheduleSource& s, std::size_t)
{
    const LowerBound quick = lowerBound(s.problem(), s.evaluation().rules);
    if (quick.value != s.snapshot->lowerBound)
        return leaf("lower bound", s.time, s.snapshot->lowerBound, "a proof (bound --seconds)",
                    "docs/rules/bound.md");
    std::vector<ExplainedValue> parts;
    double sum = 0;
    for (const BoundPart& part : quick.parts) {
        const std::string names = opNames(s.problem(), part.ops);
        parts.push_back(leaf(names.empty() ? "part of the graph" : names, s.time, part.value, part.text,
                             "docs/rules/bound.md 4"));
        sum += part.value;
    }
    ExplainedValue byParts = sumOf("parts of the graph", s.time, sum, std::move(parts));
    const double known = std::max({byParts.value, quick.compute, quick.memory});
    std::vector<ExplainedValue> candidates{
        std::move(byParts), leaf("compute time of all ops", s.time, quick.compute, "sum over the parts"),
        leaf("memory time of what must move", s.time, quick.memory, "sum over the parts")};
    if (known < quick.value)
        candidates.push_back(leaf("whole graph", s.time, quick.value,
                                  "reloads that the capacity forces in the graph as a whole",
                                  "docs/rules/bound.md"));
    ExplainedValue out =
        combined(Operation::Largest, "lower bound", s.time, std::move(candidates), "docs/rules/bound.md");
    return out;
}

Value boundOfEnergy(const ScheduleSource& s, std::size_t)
{
    if (!s.problem().hasEnergy())
        return {};
    const EnergyBound least = energyBound(s.problem(), s.evaluation().rules);
    const char* const source = "what every schedule has";
    const char* const rule = "docs/rules/bound.md 8";
    return combined(Operation::Sum, "least energy", "pJ",
                    {leaf("slow memory", "pJ", least.slow, source, rule),
                     leaf("fast memory", "pJ", least.fast, source, rule),
                     leaf("multiply-accumulates", "pJ", least.mac, source, rule),
                     leaf("elements of Pointwises", "pJ", least.vector, source, rule)},
                    rule);
}

Value capacityField(const ScheduleSource& s, std::size_t)
{
    return given(s, "capacity of the fast memory", "elements",
                 static_cast<double>(s.problem().hardware().fastMemoryCapacity), "fast_memory_capacity");
}
Value bandwidthField(const ScheduleSource& s, std::size_t)
{
    return bandwidth(s);
}

// Ops ----------------------------------------------------------------------------------------------

/// The use of the array by an op in the first subgraph that computes it; nothing for other ops.
std::optional<std::pair<ArrayUse, std::int64_t>> useOf(const ScheduleSource& s, std::size_t op)
{
    for (std::size_t i = 0; i < s.snapshot->schedule.size(); ++i) {
        const Subgraph& subgraph = s.subgraph(i);
        if (std::ranges::find(subgraph.ops, OpId(op)) == subgraph.ops.end())
            continue;
        const ArrayUses uses = arrayUses(s.problem(), subgraph, s.evaluation().rules, subgraph.ops.size());
        for (const ArrayUse& use : uses.uses)
            if (use.op == OpId(op))
                return std::pair{use, uses.rows * uses.cols};
    }
    return {};
}

Value opCycles(const ScheduleSource& s, std::size_t op)
{
    const auto use = useOf(s, op);
    if (!use)
        return {};
    return leaf("cycles of the array", "cycles", use->first.cycles,
                "closed form, summed over the runs of its first subgraph", "R8.2");
}

Value opUtilisation(const ScheduleSource& s, std::size_t op)
{
    const auto use = useOf(s, op);
    if (!use || use->first.cycles <= 0)
        return {};
    const double capacity = static_cast<double>(use->second) * use->first.cycles;
    return combined(Operation::Quotient, "utilisation of the array", "",
                    {leaf("multiply-accumulates", "", use->first.utilisation * capacity,
                          "extents of the result times reduction", "R8.2"),
                     given(s, "PEs", "", static_cast<double>(use->second), "native_granularity"),
                     figureLeaf("cycles of the array", "cycles", use->first.cycles,
                                "ops." + std::to_string(op) + ".cycles")},
                    "R8.2");
}

Value opLatency(const ScheduleSource& s, std::size_t op)
{
    std::vector<ExplainedValue> parts;
    double whole = 0;
    for (std::size_t i = 0; i < s.snapshot->schedule.size(); ++i) {
        const Subgraph& subgraph = s.subgraph(i);
        if (std::ranges::find(subgraph.ops, OpId(op)) == subgraph.ops.end() || !s.valid(i))
            continue;
        const double value = s.valid(i)->latency;
        whole += value;
        parts.push_back(figureLeaf("subgraph " + std::to_string(i), s.time, value,
                                   "subgraphs." + std::to_string(i) + ".latency"));
    }
    if (parts.empty())
        return {};
    return sumOf("latency of its subgraphs", s.time, whole, std::move(parts), "R10.1");
}

/// Compute time of padding and repetition, and what is loaded more than once.
Value padding(const ScheduleSource& s, std::size_t i)
{
    const SubgraphEvaluation* e = s.valid(i);
    if (!e)
        return {};
    double work = 0;
    std::vector<ExplainedValue> parts;
    for (const OpId op : s.subgraph(i).ops) {
        const double one = opWork(s.problem(), op, s.evaluation().rules);
        work += one;
        parts.push_back(leaf(s.problem().opName(op), s.time, one,
                             "its base cost times the native tiles of its result, not rounded up", "R8"));
    }
    if (work <= 0)
        return {};
    return combined(
        Operation::Quotient, "compute time for each unit of work", "",
        {figureLeaf("compute time", s.time, e->compute, "subgraphs." + std::to_string(i) + ".compute"),
         sumOf("work without padding and repetition", s.time, work, std::move(parts))});
}

Value reload(const ScheduleSource& s, std::size_t i)
{
    const SubgraphEvaluation* e = s.valid(i);
    if (!e)
        return {};
    const std::vector<TensorId> resident = s.resident(i);
    std::vector<ExplainedValue> parts;
    double distinct = 0;
    for (const TensorId t : boundaryOf(s.problem(), s.subgraph(i).ops).inputs)
        if (!std::ranges::binary_search(resident, t)) {
            const double size = s.problem().elementsOf(s.problem().sizeUnits(t));
            distinct += size;
            parts.push_back(given(s, s.problem().tensorName(t), "elements", size, "widths, heights"));
        }
    if (parts.empty())
        return {};
    return combined(Operation::Quotient, "elements loaded for each element of the inputs", "",
                    {figureLeaf("elements loaded", "elements", e->loadElements,
                                "subgraphs." + std::to_string(i) + ".load_elements"),
                     sumOf("inputs that are not resident", "elements", distinct, std::move(parts))});
}

/// The floor, with one core.
Value floorCycles(const ScheduleSource& s, std::size_t)
{
    return s.model ? Value(lower::floorOf(*s.model, 1).cycles) : Value();
}

using ScheduleKind = KindIn<ScheduleSource>;
const std::array kScheduleKinds{
    ScheduleKind{
        {"total_latency", "total latency of the schedule",
         "The time from the first load to the last store: the sum over all subgraphs, which run one after "
         "another.",
         "Overlap of subgraphs and the time that a first load takes before compute can begin: the run of the "
         "schedule (verb run) has both.",
         "Timeloop and ZigZag: latency or cycles of a network, layer by layer."},
        total},
    ScheduleKind{{"array_total", "total latency with the cycles of the array",
                  "The same schedule, where each run of a product takes the cycles that a systolic array of "
                  "the native "
                  "granularity needs (rule switch compute=array)."},
                 arrayTotal},
    ScheduleKind{
        {"lower_bound", "lower bound of the total latency",
         "No valid schedule of this problem under these rules is faster.",
         "It holds for the rules of the Schedule lens; the floor of a model (verb summary) holds for every "
         "lens."},
        bound},
    ScheduleKind{{"energy_pj", "energy of the schedule",
                  "The energy of all transfers, accesses of the fast memory and operations.", "Static power.",
                  "Timeloop: total energy."},
                 totalEnergy},
    ScheduleKind{{"edp", "energy-delay product", "Total latency times energy."}, edp},
    ScheduleKind{{"energy_bound_pj", "lower bound of the energy",
                  "No valid schedule of this problem needs less energy."},
                 boundOfEnergy},
    ScheduleKind{{"floor", "floor of the model on the machine",
                  "Cycles that no schedule, mapping or tile of any lens goes below, on one core."},
                 floorCycles},
    ScheduleKind{{"hardware.fast_memory_capacity", "capacity of the fast memory",
                  "The working set of every step must fit."},
                 capacityField},
    ScheduleKind{{"hardware.slow_memory_bandwidth", "bandwidth of the slow memory",
                  "Elements that are loaded or stored in a unit of time."},
                 bandwidthField},
    ScheduleKind{
        {"subgraphs.*.latency", "latency of a subgraph",
         "The sum over its steps of the longer one of compute time and memory time: in a step, both overlap.",
         "The first load and the last store do not overlap with compute on a real machine: the run of the "
         "schedule (verb run) has both."},
        latency},
    ScheduleKind{{"subgraphs.*.compute", "compute time of a subgraph",
                  "The sum over its steps of the cost of all runs.", "", "SCALE-Sim: compute cycles."},
                 compute},
    ScheduleKind{{"subgraphs.*.memory", "memory time of a subgraph",
                  "The time in which the slow memory moves all that the subgraph loads and stores."},
                 memory},
    ScheduleKind{
        {"subgraphs.*.load_elements", "elements that a subgraph loads",
         "Elements read from slow memory over all steps; parts that do not stay in fast memory count each "
         "time.",
         "", "Timeloop: reads of the outermost level. SCALE-Sim: DRAM reads."},
        loads},
    ScheduleKind{{"subgraphs.*.store_elements", "elements that a subgraph stores",
                  "Elements of its results that are written to slow memory.", "",
                  "Timeloop: updates of the outermost level. SCALE-Sim: DRAM writes."},
                 stores},
    ScheduleKind{{"subgraphs.*.peak_working_set", "largest working set of a subgraph",
                  "The room in fast memory that its largest step takes; it must not exceed the capacity.",
                  "Addresses and fragmentation: verb place has both."},
                 peak},
    ScheduleKind{{"subgraphs.*.reserved", "room for resident and retained tensors",
                  "The part of every working set that the steps cannot use."},
                 reserved},
    ScheduleKind{{"subgraphs.*.energy_pj", "energy of a subgraph", "Its transfers, accesses and operations.",
                  "Static power."},
                 energy},
    ScheduleKind{{"subgraphs.*.steps", "steps of a subgraph", "One for each tile and k step."}, steps},
    ScheduleKind{
        {"subgraphs.*.rows", "rows of the tile grid", "Tiles from top to bottom of the largest result."},
        rows},
    ScheduleKind{
        {"subgraphs.*.cols", "columns of the tile grid", "Tiles from left to right of the largest result."},
        cols},
    ScheduleKind{{"subgraphs.*.compute_bound_steps", "compute-bound steps",
                  "Steps whose compute time is at least their memory time."},
                 computeBound},
    ScheduleKind{{"subgraphs.*.padding", "padding factor of a subgraph",
                  "Compute time divided by the time at full efficiency: 1.25 means that a fifth of the "
                  "compute time is "
                  "padding of ragged tiles or repeated work."},
                 padding},
    ScheduleKind{{"subgraphs.*.reload", "reload factor of a subgraph",
                  "Elements loaded, divided by the elements of its inputs that are not resident: 1 means "
                  "that nothing is "
                  "loaded twice."},
                 reload},
    ScheduleKind{{"ops.*.latency", "latency of an op", "The latency of the subgraphs that compute it."},
                 opLatency},
    ScheduleKind{{"ops.*.cycles", "cycles of the array for an op", "Cycles of all runs of a product."},
                 opCycles},
    ScheduleKind{{"ops.*.utilisation", "utilisation of the array by an op",
                  "Multiply-accumulates of a product, divided by what all PEs could do in its cycles.",
                  "Waiting for the memory: cycles of the array alone.",
                  "SCALE-Sim: overall utilisation. ONNXim: PE utilisation. ZigZag: MAC utilisation."},
                 opUtilisation},
};

} // namespace

Figures scheduleFigures(SnapshotPtr snapshot, lower::ModelOnMachinePtr model)
{
    FigureGroup subgraphs{"subgraphs", {}}, ops{"ops", {}};
    subgraphs.names.resize(snapshot->evaluation.subgraphs.size());
    for (std::size_t o = 0; o < snapshot->problem->opCount(); ++o)
        ops.names.push_back(snapshot->problem->opName(OpId(o)));
    std::string time = timeUnitOf(model), perTime = "elements a unit of time";
    if (model)
        perTime = time == "cycles" ? "elements a cycle" : "elements in " + time.substr(time.rfind("of ") + 3);
    return figuresBy<ScheduleSource>(
        kScheduleKinds, {std::move(subgraphs), std::move(ops)},
        {std::move(snapshot), std::move(time), std::move(perTime), std::move(model)});
}

std::string timeUnitOf(const lower::ModelOnMachinePtr& model)
{
    if (!model)
        return "units of time";
    const std::int64_t unit = model->lowered.timeUnit;
    return unit == 1 ? "cycles" : "units of " + std::to_string(unit) + " cycles";
}

} // namespace tilewright::figures
