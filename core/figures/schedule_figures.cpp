// SPDX-License-Identifier: GPL-3.0-or-later
#include "figures/schedule_figures.h"

#include "figures/schedule_source.h"

#include "base/text.h"
#include "eval/cost.h"
#include "eval/energy_bound.h"
#include "eval/explain.h"
#include "lower/floor.h"
#include "report/evaluation_json.h"
#include "rules/check.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace tilewright::figures {

namespace {

// Figures of the whole schedule ---------------------------------------------------------------------

/// The sum of a figure over all valid subgraphs.
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

Value totalPadding(const ScheduleSource& s, std::size_t)
{
    return overSubgraphs(s, "time of padding and repetition", s.time, "padding_time", "R8.5",
                         [&](std::size_t i) { return s.waste(i).padding; });
}

/// The sum of a count of loads; nothing if one of them is unknown.
template <double Reloads::*member> Value totalReloads(const ScheduleSource& s, std::size_t)
{
    for (std::size_t i = 0; i < s.evaluation().subgraphs.size(); ++i)
        if (!s.waste(i).loads)
            return {};
    const bool isHalo = member == &Reloads::halo;
    return overSubgraphs(s, isHalo ? "halo" : "elements loaded again", "elements",
                         isHalo ? "halo_elements" : "reloaded_elements", "R7.6",
                         [&](std::size_t i) { return (*s.waste(i).loads).*member; });
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
    if (s.model && quick.value == s.problem().floor())
        return combined(Operation::Quotient, "lower bound", s.time,
                        {figureLeaf("floor", "cycles", lower::floorOf(*s.model, 1).cycles.value, "floor"),
                         leaf("cycles of a unit of time", "cycles",
                              static_cast<double>(s.model->lowered.timeUnit), "lowered problem")},
                        "R19");
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

// Figures of ops ------------------------------------------------------------------------------------

/// The utilisation of the array by an op in the first subgraph that computes it; nothing if no subgraph does.
std::optional<std::pair<ArrayUse, std::int64_t>> useOf(const ScheduleSource& s, std::size_t op)
{
    for (std::size_t i = 0; i < s.snapshot->schedule.size(); ++i) {
        const Subgraph& subgraph = s.subgraph(i);
        if (std::ranges::find(subgraph.ops, OpId(op)) == subgraph.ops.end())
            continue;
        const ArrayUses uses = arrayUses(s.problem(), subgraph, s.evaluation().rules, subgraph.ops.size());
        for (const ArrayUse& use : uses.uses)
            if (use.op == OpId(op))
                return std::pair{use, uses.pes()};
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

/// The floor with one core.
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
    ScheduleKind{{"padding_time", "time of padding and repetition", "In sum over the subgraphs."},
                 totalPadding},
    ScheduleKind{{"reloaded_elements", "elements loaded again",
                  "Elements that subgraphs load more than once, in sum over the subgraphs. Halos are "
                  "included.",
                  "Tensors that several subgraphs load: the first load by each is not counted."},
                 totalReloads<&Reloads::again>},
    ScheduleKind{{"halo_elements", "halo that is read twice",
                  "The part of the elements loaded again that slices of images have in common, in sum over "
                  "the subgraphs."},
                 totalReloads<&Reloads::halo>},
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
        ofSubgraph::latency},
    ScheduleKind{{"subgraphs.*.compute", "compute time of a subgraph",
                  "The sum over its steps of the cost of all runs.", "", "SCALE-Sim: compute cycles."},
                 ofSubgraph::compute},
    ScheduleKind{{"subgraphs.*.memory", "memory time of a subgraph",
                  "The time in which the slow memory moves all that the subgraph loads and stores."},
                 ofSubgraph::memory},
    ScheduleKind{
        {"subgraphs.*.load_elements", "elements that a subgraph loads",
         "Elements read from slow memory over all steps; parts that do not stay in fast memory count each "
         "time.",
         "", "Timeloop: reads of the outermost level. SCALE-Sim: DRAM reads."},
        ofSubgraph::loads},
    ScheduleKind{{"subgraphs.*.store_elements", "elements that a subgraph stores",
                  "Elements of its results that are written to slow memory.", "",
                  "Timeloop: updates of the outermost level. SCALE-Sim: DRAM writes."},
                 ofSubgraph::stores},
    ScheduleKind{{"subgraphs.*.peak_working_set", "largest working set of a subgraph",
                  "The room in fast memory that its largest step takes; it must not exceed the capacity.",
                  "Addresses and fragmentation: verb place has both."},
                 ofSubgraph::peak},
    ScheduleKind{{"subgraphs.*.reserved", "room for resident and retained tensors",
                  "The part of every working set that the steps cannot use."},
                 ofSubgraph::reserved},
    ScheduleKind{{"subgraphs.*.energy_pj", "energy of a subgraph", "Its transfers, accesses and operations.",
                  "Static power."},
                 ofSubgraph::energy},
    ScheduleKind{{"subgraphs.*.steps", "steps of a subgraph", "One for each tile and k step."},
                 ofSubgraph::steps},
    ScheduleKind{
        {"subgraphs.*.rows", "rows of the tile grid", "Tiles from top to bottom of the largest result."},
        ofSubgraph::rows},
    ScheduleKind{
        {"subgraphs.*.cols", "columns of the tile grid", "Tiles from left to right of the largest result."},
        ofSubgraph::cols},
    ScheduleKind{{"subgraphs.*.compute_bound_steps", "compute-bound steps",
                  "Steps whose compute time is at least their memory time."},
                 ofSubgraph::computeBound},
    ScheduleKind{{"subgraphs.*.padding", "padding factor of a subgraph",
                  "Compute time divided by the time at full efficiency: 1.25 means that a fifth of the "
                  "compute time is "
                  "padding of ragged tiles or repeated work."},
                 ofSubgraph::padding},
    ScheduleKind{{"subgraphs.*.reload", "reload factor of a subgraph",
                  "Elements loaded, divided by the elements of its inputs that are not resident: 1 means "
                  "that nothing is "
                  "loaded twice."},
                 ofSubgraph::reload},
    ScheduleKind{{"subgraphs.*.padding_time", "time of padding and repetition",
                  "Compute time less the time of the ops at full efficiency: native tiles that tensor edges "
                  "cut, and runs that several tiles repeat."},
                 ofSubgraph::paddingTime},
    ScheduleKind{
        {"subgraphs.*.reloaded_elements", "elements that a subgraph loads again",
         "Elements loaded, less those that its steps load at least once. Halos are included.",
         "What another subgraph has loaded before: each subgraph loads its inputs once at least, unless they "
         "are retained."},
        ofSubgraph::reloaded},
    ScheduleKind{{"subgraphs.*.halo_elements", "halo that is read twice",
                  "The part of the elements loaded again that different slices of an image have in common, "
                  "because the windows of a convolution overlap at the edges of tiles.",
                  "Halos that a tile computes again rather than loads: they are compute time of repetition."},
                 ofSubgraph::halo},
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
