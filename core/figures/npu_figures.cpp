// SPDX-License-Identifier: GPL-3.0-or-later
#include "figures/npu_figures.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tilewright::figures {

namespace {

using Value = std::optional<ExplainedValue>;
using npu::CoreState;
using npu::OpReport;

constexpr const char* kSimulated = "simulated event by event";
constexpr const char* kRunRule = "docs/rules/npu.md 5";

ExplainedValue simulated(std::string name, std::string unit, double value)
{
    return leaf(std::move(name), std::move(unit), value, kSimulated, kRunRule);
}
ExplainedValue inGraph(std::string name, double value)
{
    return leaf(std::move(name), "", value, "counted in the tile graph", "docs/rules/npu.md 3");
}

// Figures of the whole run --------------------------------------------------------------------------

/// The makespan as the sum of the states of the core that is idle least: a core always is in exactly one
/// state.
Value makespan(const NpuSubject& s, std::size_t)
{
    std::size_t core = 0;
    for (std::size_t c = 1; c < s.run->cores.size(); ++c)
        if (s.run->cores[c].of(CoreState::Idle) < s.run->cores[core].of(CoreState::Idle))
            core = c;
    std::vector<ExplainedValue> parts;
    for (std::size_t state = 0; state < npu::kCoreStates; ++state) {
        const std::string name(npu::toString(static_cast<CoreState>(state)));
        parts.push_back(figureLeaf(name, "cycles", static_cast<double>(s.run->cores[core].cycles[state]),
                                   "per_core." + std::to_string(core) + "." + name));
    }
    return combined(Operation::Sum, "makespan: the states of core " + std::to_string(core), "cycles",
                    std::move(parts), "docs/rules/npu.md 6");
}

Value lowerBound(const NpuSubject& s, std::size_t)
{
    const npu::Bounds& b = s.bounds;
    return combined(
        Operation::Largest, "lower bound of these tiles", "cycles",
        {figureLeaf("critical path", "cycles", static_cast<double>(b.criticalPath), "bounds.critical_path"),
         figureLeaf("tensor engines", "cycles", static_cast<double>(b.tensor), "bounds.tensor"),
         figureLeaf("vector engines", "cycles", static_cast<double>(b.vector), "bounds.vector"),
         figureLeaf("DRAM", "cycles", static_cast<double>(b.dram), "bounds.dram")},
        "docs/rules/npu.md 4");
}

Value criticalPath(const NpuSubject& s, std::size_t)
{
    return leaf("critical path", "cycles", static_cast<double>(s.bounds.criticalPath),
                "longest path of compute cycles through the tile graph", "docs/rules/npu.md 4");
}

Value engineBound(const NpuSubject& s, bool isVector)
{
    npu::Cycle work = 0;
    for (const npu::TileNode& node : s.graph->nodes)
        if ((node.engine() == npu::Engine::Vector) == isVector)
            work += node.computeCycles;
    return combined(Operation::Ceil, isVector ? "vector engines" : "tensor engines", "cycles",
                    {leaf("cycles of all nodes", "cycles", static_cast<double>(work),
                          "closed form of each node", "docs/rules/npu.md 3"),
                     leaf("cores", "", static_cast<double>(s.run->hardware.cores), "the machine, cores")},
                    "docs/rules/npu.md 4");
}
Value tensorBound(const NpuSubject& s, std::size_t)
{
    return engineBound(s, false);
}
Value vectorBound(const NpuSubject& s, std::size_t)
{
    return engineBound(s, true);
}

Value dramBound(const NpuSubject& s, std::size_t)
{
    return combined(Operation::Ceil, "DRAM", "cycles",
                    {figureLeaf("bytes that must move", "bytes",
                                static_cast<double>(s.bounds.compulsoryBytes), "bounds.compulsory_bytes"),
                     leaf("bytes of all channels in a cycle", "bytes a cycle",
                          static_cast<double>(s.run->hardware.dramBytesPerCycle()),
                          "the machine, levels.external: channels times bytes of a channel")},
                    "docs/rules/npu.md 4");
}

Value compulsory(const NpuSubject& s, std::size_t)
{
    return leaf("bytes that must move", "bytes", static_cast<double>(s.bounds.compulsoryBytes),
                "inputs that are read and results that no node reads, in whole bursts",
                "docs/rules/npu.md 4");
}
Value intermediate(const NpuSubject& s, std::size_t)
{
    return leaf("bytes of intermediate results", "bytes", static_cast<double>(s.bounds.intermediateBytes),
                "results that later nodes read, in whole bursts", "docs/rules/npu.md 5.2");
}

std::string operatorField(std::size_t i, const char* field)
{
    return "operators." + std::to_string(i) + "." + field;
}

Value dramBytes(const NpuSubject& s, std::size_t)
{
    std::vector<ExplainedValue> parts;
    double known = 0;
    for (const OpReport& r : s.reports)
        if (const auto bytes = static_cast<double>(r.dramBytes()); bytes != 0) {
            known += bytes;
            parts.push_back(simulated(r.name, "bytes", bytes));
        }
    if (const double rest = static_cast<double>(s.run->dramBytes) - known; rest != 0)
        parts.push_back(simulated("padding to bursts and what the operators share", "bytes", rest));
    return combined(Operation::Sum, "DRAM bytes", "bytes", std::move(parts), "docs/rules/npu.md 6");
}

Value sharedBytes(const NpuSubject& s, std::size_t)
{
    if (s.run->hardware.shared.bytes == 0)
        return {};
    return simulated("bytes from the shared memory", "bytes", static_cast<double>(s.run->sharedBytes));
}

Value multicastBytes(const NpuSubject& s, std::size_t)
{
    const npu::SharedHardware& shared = s.run->hardware.shared;
    return shared.bytes > 0 && shared.multicast
               ? Value(simulated("bytes of loads that joined another one", "bytes",
                                 static_cast<double>(s.run->joinedBytes)))
               : Value();
}

Value dramBusy(const NpuSubject& s, std::size_t)
{
    if (s.run->makespan == 0 || s.run->dramBusy.empty())
        return {};
    double busy = 0;
    for (const npu::Cycle cycles : s.run->dramBusy)
        busy += static_cast<double>(cycles);
    return combined(Operation::Quotient, "used share of the DRAM buses", "",
                    {simulated("cycles in which a bus is in use, of all channels", "cycles", busy),
                     figureLeaf("makespan", "cycles", static_cast<double>(s.run->makespan), "makespan"),
                     leaf("channels", "", static_cast<double>(s.run->dramBusy.size()), "the machine")},
                    "docs/rules/npu.md 6");
}

Value rowHits(const NpuSubject& s, std::size_t)
{
    return simulated("groups of bursts in an open row", "", static_cast<double>(s.run->rowHits));
}
Value rowMisses(const NpuSubject& s, std::size_t)
{
    return simulated("groups of bursts that open a row", "", static_cast<double>(s.run->rowMisses));
}
Value cores(const NpuSubject& s, std::size_t)
{
    return leaf("cores", "", static_cast<double>(s.run->cores.size()), "the machine, or --cores");
}
Value tiles(const NpuSubject& s, std::size_t)
{
    return inGraph("tiles", static_cast<double>(s.graph->tiles.size()));
}
Value nodes(const NpuSubject& s, std::size_t)
{
    return inGraph("nodes", static_cast<double>(s.graph->nodes.size()));
}
Value floorCycles(const NpuSubject& s, std::size_t)
{
    return s.floor ? Value(leaf("floor", "cycles", *s.floor, "summary --explain has its parts", "R19"))
                   : Value();
}

Value energy(const NpuSubject& s, std::size_t)
{
    std::vector<ExplainedValue> parts;
    for (std::size_t i = 0; i < s.reports.size(); ++i)
        parts.push_back(figureLeaf(s.reports[i].name, "pJ", s.reports[i].energyPj(),
                                   operatorField(i, "energy_pj.total")));
    return combined(Operation::Sum, "energy", "pJ", std::move(parts), "docs/rules/npu.md 6");
}

// Figures of cores, operators and schedulers --------------------------------------------------------

template <CoreState state> Value stateOf(const NpuSubject& s, std::size_t core)
{
    return simulated("cycles in this state", "cycles", static_cast<double>(s.run->cores[core].of(state)));
}

template <auto field> Value ofOperator(const NpuSubject& s, std::size_t i)
{
    return simulated(s.reports[i].name, "cycles", static_cast<double>(s.reports[i].*field));
}
template <auto field> Value bytesOf(const NpuSubject& s, std::size_t i)
{
    return simulated(s.reports[i].name, "bytes", static_cast<double>(s.reports[i].*field));
}
template <CoreState state> Value waitOf(const NpuSubject& s, std::size_t i)
{
    return simulated(s.reports[i].name, "cycles", static_cast<double>(s.reports[i].stallsOf(state)));
}
Value sharedOf(const NpuSubject& s, std::size_t i)
{
    return s.run->hardware.shared.bytes > 0 ? bytesOf<&OpReport::shared>(s, i) : Value();
}
Value multicastOf(const NpuSubject& s, std::size_t i)
{
    const npu::SharedHardware& shared = s.run->hardware.shared;
    return shared.bytes > 0 && shared.multicast ? bytesOf<&OpReport::joined>(s, i) : Value();
}
Value nodesOf(const NpuSubject& s, std::size_t i)
{
    return inGraph("nodes of " + s.reports[i].name, static_cast<double>(s.reports[i].nodes));
}
template <auto field> Value energyOf(const NpuSubject& s, std::size_t i)
{
    return leaf(s.reports[i].name, "pJ", s.reports[i].*field, "counts of the run times the machine's table",
                "docs/rules/npu.md 6");
}
Value energyTotal(const NpuSubject& s, std::size_t i)
{
    const OpReport& r = s.reports[i];
    return combined(Operation::Sum, r.name, "pJ",
                    {figureLeaf("multiply-accumulates", "pJ", r.macPj, operatorField(i, "energy_pj.mac")),
                     figureLeaf("scratchpad", "pJ", r.spmPj, operatorField(i, "energy_pj.spm")),
                     figureLeaf("network", "pJ", r.nocPj, operatorField(i, "energy_pj.noc")),
                     figureLeaf("DRAM", "pJ", r.dramPj, operatorField(i, "energy_pj.dram"))},
                    "docs/rules/npu.md 6");
}
Value schedulerMakespan(const NpuSubject& s, std::size_t i)
{
    const npu::PolicyRun& run = s.schedulers[i];
    return leaf(npu::policyText(run.scheduler, run.assignment), "cycles", static_cast<double>(run.makespan),
                "a run of the same tiles with this scheduler", "docs/rules/npu.md 4.1");
}

using NpuKind = KindIn<NpuSubject>;
const std::array kNpuKinds{
    NpuKind{{"makespan", "makespan of the run",
             "Cycles from the start to the last byte stored. Every core is in one state at any time, so the "
             "states "
             "of one core add up to it.",
             "Launch times of operators; instruction fetch.", "ONNXim: total execution cycle."},
            makespan},
    NpuKind{{"lower_bound", "lower bound of the run",
             "No run of these tiles on this machine is faster; other tiles may be.", "", ""},
            lowerBound},
    NpuKind{{"floor", "floor of the model on the machine",
             "Cycles that no tiles and no lens go below, on these cores."},
            floorCycles},
    NpuKind{{"bounds.critical_path", "critical path",
             "Compute cycles of the longest chain of nodes that depend on each other."},
            criticalPath},
    NpuKind{{"bounds.tensor", "bound of the tensor engines",
             "Cycles of all nodes of the tensor engines, divided among the cores."},
            tensorBound},
    NpuKind{{"bounds.vector", "bound of the vector engines",
             "Cycles of all nodes of the vector engines, divided among the cores."},
            vectorBound},
    NpuKind{{"bounds.dram", "bound of the DRAM", "Bytes that must move, at the full rate of all channels."},
            dramBound},
    NpuKind{{"bounds.compulsory_bytes", "bytes that must move",
             "Graph inputs that are read and graph outputs, each byte once."},
            compulsory},
    NpuKind{{"bounds.intermediate_bytes", "bytes of intermediate results",
             "Results that later nodes read; they are written through to DRAM."},
            intermediate},
    NpuKind{{"dram_bytes", "bytes that DRAM moves", "All reads and writes of the run, in whole bursts.", "",
             "ONNXim: total DRAM requests times their size."},
            dramBytes},
    NpuKind{{"shared_bytes", "bytes from the shared memory",
             "Bytes that the shared memory supplied instead of DRAM."},
            sharedBytes},
    NpuKind{{"multicast_bytes", "bytes of loads that joined another one",
             "Bytes from the shared memory for loads that one read serves together with another load of the "
             "same tile."},
            multicastBytes},
    NpuKind{{"dram_busy", "used share of the DRAM buses",
             "Cycles in which the bus of a channel moves data or waits for a row, divided by all cycles.", "",
             "ONNXim: DRAM bandwidth utilisation."},
            dramBusy},
    NpuKind{{"row_hits", "row hits", "Groups of bursts that find their row open."}, rowHits},
    NpuKind{{"row_misses", "row misses", "Groups of bursts for which a row is opened first."}, rowMisses},
    NpuKind{{"cores", "cores", "Cores of the run."}, cores},
    NpuKind{{"tiles", "tiles", "Parts of tensors that move as a whole."}, tiles},
    NpuKind{{"nodes", "nodes",
             "Pieces of work of one core: a tile of an operator, over one step of its reduction."},
            nodes},
    NpuKind{{"energy_pj", "energy of the run", "Operations, scratchpads, network and DRAM.", "Static power."},
            energy},
    NpuKind{{"per_core.*.tensor", "cycles of the tensor engine", "The core multiplies.", "",
             "ONNXim: systolic array active cycles."},
            stateOf<CoreState::Tensor>},
    NpuKind{{"per_core.*.vector", "cycles of the vector engine", "The core computes elements or reductions.",
             "", "ONNXim: vector unit active cycles."},
            stateOf<CoreState::Vector>},
    NpuKind{{"per_core.*.wait_dependency", "wait for other nodes",
             "The core has room and data, but a node that it needs is not done."},
            stateOf<CoreState::WaitDependency>},
    NpuKind{{"per_core.*.wait_spm", "wait for room", "The scratchpad has no room for the next tile."},
            stateOf<CoreState::WaitSpm>},
    NpuKind{{"per_core.*.wait_dram", "wait for DRAM", "A tile that the core needs is on its way from DRAM."},
            stateOf<CoreState::WaitDram>},
    NpuKind{
        {"per_core.*.wait_noc", "wait for the network", "A tile that the core needs waits for the network."},
        stateOf<CoreState::WaitNoc>},
    NpuKind{{"per_core.*.idle", "idle cycles", "The core has nothing left to do."}, stateOf<CoreState::Idle>},
    NpuKind{{"operators.*.nodes", "nodes of an operator", "Pieces into which its tiles cut it."}, nodesOf},
    NpuKind{{"operators.*.start", "start of an operator", "Cycle in which its first node starts."},
            ofOperator<&OpReport::start>},
    NpuKind{{"operators.*.end", "end of an operator", "Cycle in which its last result is stored."},
            ofOperator<&OpReport::end>},
    NpuKind{
        {"operators.*.tensor", "tensor cycles of an operator", "Cycles of the tensor engines, of all cores."},
        ofOperator<&OpReport::tensor>},
    NpuKind{
        {"operators.*.vector", "vector cycles of an operator", "Cycles of the vector engines, of all cores."},
        ofOperator<&OpReport::vector>},
    NpuKind{{"operators.*.wait_spm", "wait for room of an operator",
             "Cycles in which cores wait for room for it."},
            waitOf<CoreState::WaitSpm>},
    NpuKind{{"operators.*.wait_noc", "wait for the network of an operator",
             "Cycles in which cores wait for the network for it."},
            waitOf<CoreState::WaitNoc>},
    NpuKind{{"operators.*.wait_dram", "wait for DRAM of an operator",
             "Cycles in which cores wait for DRAM for it."},
            waitOf<CoreState::WaitDram>},
    NpuKind{{"operators.*.wait_dependency", "wait for other nodes of an operator",
             "Cycles in which cores wait for nodes that it needs."},
            waitOf<CoreState::WaitDependency>},
    NpuKind{{"operators.*.loaded_bytes", "bytes loaded for an operator",
             "Bytes of its tiles that move into scratchpads; a tile that is loaded twice counts twice."},
            bytesOf<&OpReport::loaded>},
    NpuKind{{"operators.*.stored_bytes", "bytes stored by an operator", "Bytes of its results."},
            bytesOf<&OpReport::stored>},
    NpuKind{{"operators.*.shared_bytes", "bytes of an operator from the shared memory",
             "Bytes of its loads that the shared memory supplied."},
            sharedOf},
    NpuKind{{"operators.*.multicast_bytes", "bytes of an operator's loads that joined another one",
             "Bytes of its loads that one read serves together with another load of the same tile."},
            multicastOf},
    NpuKind{{"operators.*.energy_pj.mac", "energy of multiply-accumulates", "Energy for one operator."},
            energyOf<&OpReport::macPj>},
    NpuKind{{"operators.*.energy_pj.spm", "energy of the scratchpads", "Energy for one operator."},
            energyOf<&OpReport::spmPj>},
    NpuKind{{"operators.*.energy_pj.noc", "energy of the network", "Energy for one operator."},
            energyOf<&OpReport::nocPj>},
    NpuKind{{"operators.*.energy_pj.dram", "energy of DRAM", "Energy for one operator."},
            energyOf<&OpReport::dramPj>},
    NpuKind{{"operators.*.energy_pj.total", "energy of an operator", "The sum of its four causes."},
            energyTotal},
    NpuKind{{"schedulers.*.makespan", "makespan with a scheduler",
             "The run with one of the schedulers that were compared."},
            schedulerMakespan},
};

template <typename Range, typename Name> std::vector<std::string> namesOf(const Range& range, Name&& name)
{
    std::vector<std::string> out;
    out.reserve(range.size());
    for (const auto& element : range)
        out.push_back(name(element));
    return out;
}

} // namespace

NpuSubject subjectOf(const verbs::NpuAnswer& answer)
{
    return {std::make_shared<const npu::NpuGraph>(answer.graph),
            std::make_shared<const npu::NpuRun>(*answer.run),
            answer.bounds,
            answer.reports,
            answer.floor,
            answer.isBest ? answer.schedulers : std::vector<npu::PolicyRun>()};
}

Figures npuFigures(NpuSubject subject)
{
    std::vector<FigureGroup> groups{
        {"per_core", std::vector<std::string>(subject.run->cores.size())},
        {"operators", namesOf(subject.reports, [](const OpReport& r) { return r.name; })},
        {"schedulers", namesOf(subject.schedulers, [](const npu::PolicyRun& run) {
             return std::string(npu::toString(run.scheduler));
         })}};
    return figuresBy<NpuSubject>(kNpuKinds, std::move(groups), std::move(subject));
}

} // namespace tilewright::figures
