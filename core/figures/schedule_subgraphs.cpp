// SPDX-License-Identifier: GPL-3.0-or-later
#include "figures/schedule_source.h"

#include "base/text.h"
#include "eval/cost.h"
#include "eval/explain.h"
#include "eval/memory_use.h"
#include "eval/waste.h"
#include "rules/check.h"

#include <algorithm>
#include <utility>

namespace tilewright::figures {

// Figures with times --------------------------------------------------------------------------------

namespace {

/// The cost of one run of an op (R8).
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

/// A sum over the kinds of steps of a subgraph. `of` explains one step of a kind.
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

} // namespace

Value ofSubgraph::latency(const ScheduleSource& s, std::size_t i)
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

Value ofSubgraph::compute(const ScheduleSource& s, std::size_t i)
{
    const SubgraphEvaluation* e = s.valid(i);
    if (!e)
        return {};
    return overSteps(s, i, "compute time", s.time, e->compute, "R8",
                     [&](const Step& step) { return computeOf(s, s.subgraph(i), step); });
}

Value ofSubgraph::memory(const ScheduleSource& s, std::size_t i)
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

// Figures with sizes --------------------------------------------------------------------------------

namespace {

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

} // namespace

Value ofSubgraph::loads(const ScheduleSource& s, std::size_t i)
{
    return traffic(s, i, true);
}
Value ofSubgraph::stores(const ScheduleSource& s, std::size_t i)
{
    return traffic(s, i, false);
}

namespace {

ExplainedValue unitsLeaf(const ScheduleSource& s, std::string name, std::int64_t units, std::string source,
                         std::string rule)
{
    return asElements(
        s, leaf(std::move(name), "elements", static_cast<double>(units), std::move(source), std::move(rule)));
}

} // namespace

Value ofSubgraph::reserved(const ScheduleSource& s, std::size_t i)
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

Value ofSubgraph::peak(const ScheduleSource& s, std::size_t i)
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

// Figures with counts -------------------------------------------------------------------------------

Value ofSubgraph::steps(const ScheduleSource& s, std::size_t i)
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

namespace {

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

} // namespace

Value ofSubgraph::rows(const ScheduleSource& s, std::size_t i)
{
    return gridExtent(s, i, true);
}
Value ofSubgraph::cols(const ScheduleSource& s, std::size_t i)
{
    return gridExtent(s, i, false);
}

Value ofSubgraph::computeBound(const ScheduleSource& s, std::size_t i)
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

// Figures with energies -----------------------------------------------------------------------------

Value ofSubgraph::energy(const ScheduleSource& s, std::size_t i)
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

// Figures of padding and repetition -----------------------------------------------------------------

namespace {

/// The ops without padding and repetition.
ExplainedValue workOfOps(const ScheduleSource& s, std::size_t i)
{
    std::vector<ExplainedValue> parts;
    for (const OpId op : s.subgraph(i).ops)
        parts.push_back(leaf(s.problem().opName(op), s.time, opWork(s.problem(), op, s.evaluation().rules),
                             "its base cost times the native tiles of its result, not rounded up", "R8"));
    return sumOf("work without padding and repetition", s.time,
                 workOf(s.problem(), s.subgraph(i), s.evaluation().rules), std::move(parts));
}

/// The inputs that are not resident, by their sizes.
ExplainedValue inputsOf(const ScheduleSource& s, std::size_t i)
{
    const std::vector<TensorId> resident = s.resident(i);
    std::vector<ExplainedValue> parts;
    for (const TensorId t : boundaryOf(s.problem(), s.subgraph(i).ops).inputs)
        if (!std::ranges::binary_search(resident, t))
            parts.push_back(given(s, s.problem().tensorName(t), "elements",
                                  s.problem().elementsOf(s.problem().sizeUnits(t)), "widths, heights"));
    return sumOf("inputs that are not resident", "elements",
                 s.problem().elementsOf(inputUnits(s.problem(), s.subgraph(i), resident)), std::move(parts));
}

ExplainedValue figureOfSubgraph(std::string name, std::string unit, double value, std::size_t i,
                                const char* field)
{
    return figureLeaf(std::move(name), std::move(unit), value,
                      "subgraphs." + std::to_string(i) + "." + field);
}

} // namespace

Value ofSubgraph::padding(const ScheduleSource& s, std::size_t i)
{
    const SubgraphEvaluation* e = s.valid(i);
    if (!e)
        return {};
    ExplainedValue work = workOfOps(s, i);
    if (work.value <= 0)
        return {};
    return combined(Operation::Quotient, "compute time for each unit of work", "",
                    {figureOfSubgraph("compute time", s.time, e->compute, i, "compute"), std::move(work)});
}

Value ofSubgraph::paddingTime(const ScheduleSource& s, std::size_t i)
{
    const SubgraphEvaluation* e = s.valid(i);
    if (!e)
        return {};
    return difference("time of padding and repetition", s.time,
                      figureOfSubgraph("compute time", s.time, e->compute, i, "compute"), workOfOps(s, i),
                      "R8.5");
}

Value ofSubgraph::reload(const ScheduleSource& s, std::size_t i)
{
    const SubgraphEvaluation* e = s.valid(i);
    if (!e)
        return {};
    ExplainedValue inputs = inputsOf(s, i);
    if (inputs.parts.empty())
        return {};
    return combined(Operation::Quotient, "elements loaded for each element of the inputs", "",
                    {figureOfSubgraph("elements loaded", "elements", e->loadElements, i, "load_elements"),
                     std::move(inputs)});
}

Value ofSubgraph::reloaded(const ScheduleSource& s, std::size_t i)
{
    const SubgraphEvaluation* e = s.valid(i);
    if (!e || !s.waste(i).loads)
        return {};
    const double once = s.waste(i).loads->once;
    ExplainedValue inputs = inputsOf(s, i);
    if (inputs.value != once) // R1.8: some are not read as a whole
        inputs = leaf("elements that are loaded at least once", "elements", once,
                      "all steps, by the elements that the index maps touch", "R1.8");
    return difference("elements loaded again", "elements",
                      figureOfSubgraph("elements loaded", "elements", e->loadElements, i, "load_elements"),
                      std::move(inputs), "R7.6");
}

Value ofSubgraph::halo(const ScheduleSource& s, std::size_t i)
{
    if (!s.valid(i) || !s.waste(i).loads)
        return {};
    return leaf("halo", "elements", s.waste(i).loads->halo,
                "all different slices that are read through windows of images, less what they touch together",
                "R7.6");
}

} // namespace tilewright::figures
