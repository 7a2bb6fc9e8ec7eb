// SPDX-License-Identifier: GPL-3.0-or-later
#include "figures/run_figures.h"

#include "base/text.h"
#include "figures/schedule_figures.h"

#include <array>
#include <cmath>
#include <deque>
#include <utility>

namespace tilewright::figures {

namespace {

using Value = std::optional<ExplainedValue>;
using RunKind = KindIn<RunSubject>;
using ExplainRun = Value (*)(const RunSubject&, std::size_t);

ExplainedValue ofRun(std::string name, std::string unit, double value)
{
    return leaf(std::move(name), std::move(unit), value, "run command by command", "R20");
}

/// A part that is subtracted.
ExplainedValue less(std::string name, const std::string& unit, ExplainedValue part)
{
    return combined(Operation::Product, std::move(name), unit,
                    {leaf("minus one", "", -1, "subtraction"), std::move(part)});
}

std::string addressOf(std::size_t subgraph, const char* field)
{
    return "subgraphs." + std::to_string(subgraph) + "." + field;
}

/// The sum of a figure over the subgraphs.
template <auto field> ExplainedValue overSubgraphs(const RunSubject& s, std::string name, const char* address)
{
    std::vector<ExplainedValue> parts;
    for (std::size_t i = 0; i < s.run->subgraphs.size(); ++i)
        parts.push_back(figureLeaf("subgraph " + std::to_string(i) + " (" + s.subgraphs[i] + ")", s.time,
                                   s.run->subgraphs[i].*field, addressOf(i, address)));
    return combined(Operation::Sum, std::move(name), s.time, std::move(parts), "docs/rules/run.md 2.3");
}

// Figures of the whole run --------------------------------------------------------------------------

Value end(const RunSubject& s, std::size_t)
{
    return overSubgraphs<&RunSubgraph::length>(s, "end of the run", "length");
}
Value latency(const RunSubject& s, std::size_t)
{
    return overSubgraphs<&RunSubgraph::latency>(s, "latency of the schedule", "latency");
}
Value steps(const RunSubject& s, std::size_t)
{
    return leaf("steps", "", static_cast<double>(s.run->stepCount), "the tiles of the schedule", "R6");
}
Value prefetch(const RunSubject& s, std::size_t)
{
    return leaf("steps ahead", "", static_cast<double>(s.run->options.prefetch),
                "--prefetch, or its default");
}
Value cores(const RunSubject& s, std::size_t)
{
    return leaf("cores", "", static_cast<double>(s.run->options.cores), "--cores, or the machine");
}
template <auto field> Value elements(const RunSubject& s, std::size_t)
{
    return ofRun("elements", "elements", s.problem->elementsOf(s.run.get()->*field));
}
Value network(const RunSubject& s, std::size_t e)
{
    return s.run->options.cores > 1 ? elements<&ScheduleRun::networkUnits>(s, e) : Value();
}
Value channel(const RunSubject& s, std::size_t)
{
    return s.run->options.cores > 1 ? Value(ofRun("time of the channel", s.time, s.run->channelBusy))
                                    : Value();
}
Value capacity(const RunSubject& s, std::size_t)
{
    return leaf("capacity of fast memory", "elements",
                static_cast<double>(s.problem->hardware().fastMemoryCapacity), "fast_memory_capacity");
}

// Figures of subgraphs ------------------------------------------------------------------------------

template <auto field> Value timeOf(const RunSubject& s, std::size_t i)
{
    return ofRun("subgraph " + std::to_string(i), s.time, s.run->subgraphs[i].*field);
}
Value stepsOf(const RunSubject& s, std::size_t i)
{
    return leaf("steps", "", static_cast<double>(s.run->subgraphs[i].steps), "the tiles of the subgraph",
                "R6");
}
Value latencyOf(const RunSubject& s, std::size_t i)
{
    return leaf("latency", s.time, s.run->subgraphs[i].latency,
                "evaluate, " + addressOf(i, "latency") + ": explain has its parts", "R10.1");
}
Value lengthOf(const RunSubject& s, std::size_t i)
{
    const RunSubgraph& r = s.run->subgraphs[i];
    return combined(
        Operation::Sum, "length", s.time,
        {figureLeaf("latency", s.time, r.latency, addressOf(i, "latency")),
         figureLeaf("start-up", s.time, r.startUp, addressOf(i, "start_up")),
         figureLeaf("drain", s.time, r.drain, addressOf(i, "drain")),
         less("less overlap", s.time, figureLeaf("overlap", s.time, r.overlap, addressOf(i, "overlap")))},
        "docs/rules/run.md 2.3");
}
template <std::size_t unit> Value busyOf(const RunSubject& s, std::size_t i)
{
    return ofRun("time of the commands", s.time, s.run->subgraphs[i].busy[unit]);
}

// Figures of the units ------------------------------------------------------------------------------

/// A sum over the cores; on one core the figure of the core.
template <typename Of>
Value overCores(const RunSubject& s, const std::string& name, const std::string& unit,
                const std::string& field, Of&& of)
{
    if (s.run->options.cores == 1)
        return ofRun(name, unit, of(s.run->cores.front()));
    std::vector<ExplainedValue> parts;
    for (std::size_t c = 0; c < s.run->cores.size(); ++c)
        parts.push_back(figureLeaf("core " + std::to_string(c), unit, of(s.run->cores[c]),
                                   "per_core." + std::to_string(c) + "." + field));
    return combined(Operation::Sum, name, unit, std::move(parts), "docs/rules/run.md 5");
}

std::string nameOf(std::size_t unit)
{
    return "units." + std::string(runUnitName(static_cast<RunUnit>(unit)));
}
std::string waitName(std::size_t wait)
{
    return std::string(runWaitName(static_cast<RunWait>(wait)));
}

template <std::size_t unit> Value busy(const RunSubject& s, std::size_t)
{
    return overCores(s, "time of the commands", s.time, nameOf(unit) + ".busy",
                     [](const RunCoreSums& core) { return core.units[unit].busy; });
}
template <std::size_t unit> Value commands(const RunSubject& s, std::size_t)
{
    return overCores(s, "commands", "", nameOf(unit) + ".commands",
                     [](const RunCoreSums& core) { return static_cast<double>(core.units[unit].commands); });
}
template <std::size_t unit, std::size_t wait> Value waits(const RunSubject& s, std::size_t)
{
    return overCores(s, "time in which the unit waits", s.time, nameOf(unit) + ".waits." + waitName(wait),
                     [](const RunCoreSums& core) { return core.units[unit].waits[wait]; });
}
/// On one core the document has no `per_core`.
template <std::size_t unit> Value coreBusy(const RunSubject& s, std::size_t c)
{
    return s.run->options.cores > 1
               ? Value(ofRun("time of the commands", s.time, s.run->cores[c].units[unit].busy))
               : Value();
}
template <std::size_t unit> Value coreCommands(const RunSubject& s, std::size_t c)
{
    return s.run->options.cores > 1
               ? Value(ofRun("commands", "", static_cast<double>(s.run->cores[c].units[unit].commands)))
               : Value();
}
template <std::size_t unit, std::size_t wait> Value coreWaits(const RunSubject& s, std::size_t c)
{
    return s.run->options.cores > 1
               ? Value(ofRun("time in which the unit waits", s.time, s.run->cores[c].units[unit].waits[wait]))
               : Value();
}
Value coreSteps(const RunSubject& s, std::size_t c)
{
    return s.run->options.cores > 1 ? Value(ofRun("steps", "", static_cast<double>(s.run->cores[c].steps)))
                                    : Value();
}
Value coreRoom(const RunSubject& s, std::size_t c)
{
    return s.run->options.cores > 1
               ? Value(ofRun("elements", "elements", s.problem->elementsOf(s.run->cores[c].peakUnits)))
               : Value();
}

/// What a unit waits for.
std::string_view meaningOf(RunWait wait)
{
    switch (wait) {
    case RunWait::Room:
        return "Time in which the unit is idle because the next step has no room in fast memory.";
    case RunWait::Prefetch:
        return "Time in which the unit is idle because the next step is more than `prefetch` steps ahead.";
    case RunWait::Load:
        return "Time in which the unit is idle because a tensor is still being loaded.";
    case RunWait::Run:
        return "Time in which the unit is idle because an op has not run yet.";
    case RunWait::Store:
        return "Time in which the unit is idle because a tensor that it loads is still being stored.";
    case RunWait::Channel:
        return "Time in which the unit is idle because the channel or the network serves another queue.";
    case RunWait::Nothing:
        return "Time in which the unit has no work left.";
    }
    return {};
}

/// Builds the kinds whose addresses are made of the names of units and waits.
class RunKinds
{
public:
    RunKinds()
    {
        const auto add = [&](std::string_view address, std::string_view title, std::string_view meaning,
                             ExplainRun explain, std::string_view leavesOut = {}) {
            all.push_back(RunKind{{address, title, meaning, leavesOut}, explain});
        };
        add("end", "end of the run", "Time from the start to the last command of the schedule.", end,
            "Launch times of operators.");
        add("latency", "latency of the schedule",
            "The latency that R10 adds up, with a barrier after each step.", latency);
        add("steps", "steps", "Steps of all subgraphs.", steps);
        add("prefetch", "steps ahead",
            "Steps whose loads may overlap with the oldest step that has not ended.", prefetch);
        add("cores", "cores", "Cores of the run.", cores);
        add("load_elements", "elements loaded", "Elements that move from the external memory to fast memory.",
            elements<&ScheduleRun::loadUnits>);
        add("store_elements", "elements stored",
            "Elements that move from fast memory to the external memory.",
            elements<&ScheduleRun::storeUnits>);
        add("network_elements", "elements from other cores",
            "Elements of resident tensors that are read from other cores.", network);
        add("channel_busy", "time of the channel",
            "Time in which loads and stores of all cores use the channel to the external memory.", channel);
        add("peak_room", "largest room in use", "Largest number of elements in the fast memory of a core.",
            elements<&ScheduleRun::peakUnits>);
        add("capacity", "capacity of fast memory", "Elements that the fast memory of a core holds.",
            capacity);
        addSubgraphs(add);
        addUnits(add, std::make_index_sequence<kRunUnits>());
        add("per_core.*.steps", "steps of a core", "Steps that the core runs.", coreSteps);
        add("per_core.*.peak_room", "largest room in use of a core",
            "Largest number of elements in its fast memory.", coreRoom);
    }
    std::vector<RunKind> all;

private:
    template <typename Add> void addSubgraphs(const Add& add)
    {
        add("subgraphs.*.steps", "steps of a subgraph", "Its tiles and parts of the reduction.", stepsOf);
        add("subgraphs.*.begin", "begin of a subgraph", "Time at which its first command begins.",
            timeOf<&RunSubgraph::begin>);
        add("subgraphs.*.end", "end of a subgraph", "Time at which its last step has ended.",
            timeOf<&RunSubgraph::end>);
        add("subgraphs.*.latency", "latency of a subgraph", "Its latency by R10.", latencyOf);
        add("subgraphs.*.length", "length of a subgraph",
            "Time by which it delays the end of the run so far.", lengthOf);
        add("subgraphs.*.start_up", "start-up of a subgraph", "Part of its length before its first op runs.",
            timeOf<&RunSubgraph::startUp>);
        add("subgraphs.*.drain", "drain of a subgraph", "Part of its length after its last op has run.",
            timeOf<&RunSubgraph::drain>);
        add("subgraphs.*.overlap", "overlap of a subgraph",
            "Time in which its units work in parallel although R10 adds them up, less its waits.",
            timeOf<&RunSubgraph::overlap>);
        add("subgraphs.*.early", "early time of a subgraph",
            "Time from its first command to the end of the subgraphs before it.",
            timeOf<&RunSubgraph::early>);
    }
    template <typename Add, std::size_t... unit> void addUnits(const Add& add, std::index_sequence<unit...>)
    {
        (addUnit<unit>(add, std::make_index_sequence<kRunWaits>()), ...);
    }
    template <std::size_t unit, typename Add, std::size_t... wait>
    void addUnit(const Add& add, std::index_sequence<wait...>)
    {
        const std::string name(runUnitName(static_cast<RunUnit>(unit)));
        const std::string_view busyTitle = kept("busy time, " + name), waitTitle = kept("wait, " + name),
                               commandTitle = kept("commands, " + name);
        constexpr std::string_view kBusy = "Time in which the unit executes commands.",
                                   kCommands = "Commands that the unit executes.";
        add(kept("subgraphs.*.busy." + name), busyTitle, kBusy, busyOf<unit>);
        const std::string ofAll = nameOf(unit), ofCore = "per_core.*." + ofAll;
        add(kept(ofAll + ".busy"), busyTitle, kBusy, busy<unit>);
        add(kept(ofCore + ".busy"), busyTitle, kBusy, coreBusy<unit>);
        add(kept(ofAll + ".commands"), commandTitle, kCommands, commands<unit>);
        add(kept(ofCore + ".commands"), commandTitle, kCommands, coreCommands<unit>);
        (add(kept(ofAll + ".waits." + waitName(wait)), waitTitle, meaningOf(static_cast<RunWait>(wait)),
             waits<unit, wait>),
         ...);
        (add(kept(ofCore + ".waits." + waitName(wait)), waitTitle, meaningOf(static_cast<RunWait>(wait)),
             coreWaits<unit, wait>),
         ...);
    }
    std::string_view kept(std::string text) { return m_texts.emplace_back(std::move(text)); }

    std::deque<std::string> m_texts; ///< texts of `all`
};

} // namespace

RunSubject subjectOf(const verbs::EvaluatedSchedule& evaluated, std::shared_ptr<const ScheduleRun> run,
                     std::string unit)
{
    RunSubject out{evaluated.problem, std::move(run), {}, std::move(unit)};
    for (std::size_t i = 0; i < out.run->subgraphs.size(); ++i)
        out.subgraphs.push_back(opNames(*evaluated.problem, evaluated.loaded.schedule[SubgraphId(i)].ops));
    return out;
}

Figures runFigures(RunSubject subject)
{
    static const RunKinds kKinds;
    std::vector<FigureGroup> groups{
        {"subgraphs", std::vector<std::string>(subject.run->subgraphs.size())},
        {"per_core",
         std::vector<std::string>(subject.run->options.cores > 1 ? subject.run->cores.size() : 0)}};
    return figuresBy<RunSubject>(kKinds.all, std::move(groups), std::move(subject));
}

} // namespace tilewright::figures
