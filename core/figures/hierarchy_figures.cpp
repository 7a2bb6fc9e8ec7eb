// SPDX-License-Identifier: GPL-3.0-or-later
#include "figures/hierarchy_figures.h"

#include <list>
#include <memory>
#include <utility>

namespace tilewright::figures {

namespace levels {
namespace {

using Subject = HierarchySubject;
using Value = std::optional<ExplainedValue>;

constexpr const char* kTrafficRule = "docs/rules/hierarchy.md 3";
constexpr const char* kEnergyRule = "docs/rules/hierarchy.md 4";
constexpr const char* kCyclesRule = "docs/rules/hierarchy.md 5";

std::string levelField(std::size_t level, const std::string& field)
{
    return "levels." + std::to_string(level) + "." + field;
}
const hierarchy::LevelCost& costOf(const Subject& s, std::size_t level)
{
    return s.cost.levels[level];
}
const std::string& nameOf(const Subject& s, std::size_t level)
{
    return s.architecture.levels[level].name;
}
std::string operandName(const Subject& s, std::size_t operand)
{
    return std::string(s.nest.operands[operand].name);
}
bool holds(const Subject& s, std::size_t level, std::size_t operand)
{
    return s.architecture.levels[level].holds[operand];
}

// The layer ----------------------------------------------------------------------------------------

Value energy(const Subject& s, std::size_t)
{
    std::vector<ExplainedValue> parts{
        figureLeaf("multiply-accumulates", "pJ", s.cost.macEnergy, "mac_energy")};
    for (std::size_t i = 0; i < s.cost.levels.size(); ++i)
        parts.push_back(figureLeaf(nameOf(s, i), "pJ", costOf(s, i).energy(), levelField(i, "energy")));
    return combined(Operation::Sum, "energy", "pJ", std::move(parts), kEnergyRule);
}

Value cycles(const Subject& s, std::size_t)
{
    std::vector<ExplainedValue> times{
        figureLeaf("multiply-accumulates", "cycles", static_cast<double>(s.cost.compute), "compute")};
    for (std::size_t i = 0; i < s.cost.levels.size(); ++i) {
        times.push_back(figureLeaf("reads of " + nameOf(s, i), "cycles", costOf(s, i).readCycles,
                                   levelField(i, "read_cycles")));
        times.push_back(figureLeaf("writes of " + nameOf(s, i), "cycles", costOf(s, i).writeCycles,
                                   levelField(i, "write_cycles")));
    }
    return combined(Operation::Sum, "cycles", "cycles",
                    {combined(Operation::Largest, "what is busy for the longest time", "cycles",
                              std::move(times), kCyclesRule),
                     figureLeaf("waiting for tiles", "cycles", s.cost.waiting, "waiting")},
                    kCyclesRule);
}

Value edp(const Subject& s, std::size_t)
{
    return combined(Operation::Product, "energy-delay product", "pJ x cycles",
                    {figureLeaf("energy", "pJ", s.cost.energy, "energy"),
                     figureLeaf("cycles", "cycles", s.cost.cycles, "cycles")},
                    kCyclesRule);
}

Value compute(const Subject& s, std::size_t)
{
    return leaf("cycles of the multiply-accumulates", "cycles", static_cast<double>(s.cost.compute),
                "the product of all temporal factors", kCyclesRule);
}

Value waiting(const Subject& s, std::size_t)
{
    std::vector<ExplainedValue> parts;
    for (std::size_t i = 0; i < s.cost.levels.size(); ++i)
        for (std::size_t o = 0; o < hierarchy::kOperands; ++o) {
            if (!holds(s, i, o))
                continue;
            const hierarchy::OperandCost& cost = costOf(s, i).operands[o];
            const std::string at = "operands." + operandName(s, o) + ".";
            for (const auto& [what, value] : {std::pair{"fill", cost.fill}, {"drain", cost.drain}})
                if (value > 0)
                    parts.push_back(figureLeaf(nameOf(s, i) + ", " + operandName(s, o) + ": " + what,
                                               "cycles", value, levelField(i, at + what)));
        }
    return combined(Operation::Sum, "waiting for tiles", "cycles", std::move(parts), kCyclesRule);
}

Value macEnergy(const Subject& s, std::size_t)
{
    return combined(
        Operation::Product, "energy of the multiply-accumulates", "pJ",
        {leaf("multiply-accumulates", "", static_cast<double>(s.nest.macs), "the product of all trip counts"),
         leaf("energy of one", "pJ", s.architecture.macPj, "the architecture, mac_pj")},
        kEnergyRule);
}

// Levels -------------------------------------------------------------------------------------------

Value instances(const Subject& s, std::size_t level)
{
    return leaf("instances", "", static_cast<double>(costOf(s, level).instances),
                "the product of all spatial factors outside the level", kTrafficRule);
}

Value levelEnergy(const Subject& s, std::size_t level)
{
    std::vector<ExplainedValue> parts;
    for (std::size_t o = 0; o < hierarchy::kOperands; ++o)
        if (holds(s, level, o))
            parts.push_back(figureLeaf(operandName(s, o), "pJ", costOf(s, level).operands[o].energy,
                                       levelField(level, "operands." + operandName(s, o) + ".energy")));
    return combined(Operation::Sum, "energy of the level", "pJ", std::move(parts), kEnergyRule);
}

/// Bits of all operands over what the instances of a level move in a cycle; 0 if that is unlimited.
Value timeOf(const Subject& s, std::size_t level, bool isRead)
{
    const hierarchy::Level& l = s.architecture.levels[level];
    const std::optional<double> rate = isRead ? l.readBytesPerCycle : l.writeBytesPerCycle;
    const char* const what = isRead ? "reads" : "writes";
    if (!rate)
        return leaf(what, "cycles", 0, "the bandwidth is unlimited", kCyclesRule);
    std::vector<ExplainedValue> bits;
    for (std::size_t o = 0; o < hierarchy::kOperands; ++o) {
        const hierarchy::Traffic& t = costOf(s, level).operands[o].traffic;
        bits.push_back(
            leaf(operandName(s, o), "bits", isRead ? t.readBits : t.writeBits, "its traffic", kTrafficRule));
    }
    return combined(Operation::Quotient, what, "cycles",
                    {combined(Operation::Sum, std::string("bits of all ") + what, "bits", std::move(bits)),
                     leaf("bits of a byte", "", 8, "8"),
                     figureLeaf("instances", "", static_cast<double>(costOf(s, level).instances),
                                levelField(level, "instances")),
                     leaf("bytes of an instance in a cycle", "bytes a cycle", *rate, "the architecture")},
                    kCyclesRule);
}
Value readCycles(const Subject& s, std::size_t level)
{
    return timeOf(s, level, true);
}
Value writeCycles(const Subject& s, std::size_t level)
{
    return timeOf(s, level, false);
}

// Operands of a level ------------------------------------------------------------------------------

template <std::size_t operand> Value tile(const Subject& s, std::size_t level)
{
    if (!holds(s, level, operand))
        return {};
    return leaf("elements of a tile", "elements",
                static_cast<double>(costOf(s, level).operands[operand].tile),
                "the factors of this level and of those inside it", "docs/rules/hierarchy.md 2");
}
template <std::size_t operand> Value operandEnergy(const Subject& s, std::size_t level)
{
    if (!holds(s, level, operand))
        return {};
    const hierarchy::Level& l = s.architecture.levels[level];
    const hierarchy::Traffic& t = costOf(s, level).operands[operand].traffic;
    const auto part = [](const char* what, double bits, double each, const char* field) {
        return combined(Operation::Product, what, "pJ",
                        {leaf("bits", "bits", bits, "elements by their width", kEnergyRule),
                         leaf("energy of a bit", "pJ", each, std::string("the architecture, ") + field)});
    };
    return combined(
        Operation::Sum, "energy", "pJ",
        {part("reads", t.readBits, l.readPj, "read_pj"), part("writes", t.writeBits, l.writePj, "write_pj")},
        kEnergyRule);
}
template <std::size_t operand, auto member> Value waitOf(const Subject& s, std::size_t level)
{
    if (!holds(s, level, operand))
        return {};
    return leaf("cycles of waiting", "cycles", costOf(s, level).operands[operand].*member,
                "the longer of both ends of the transfer, where the level is not double-buffered",
                kCyclesRule);
}
template <std::size_t operand, auto member> Value countOf(const Subject& s, std::size_t level)
{
    return leaf("elements", "elements",
                static_cast<double>(costOf(s, level).operands[operand].traffic.*member),
                "visits times tiles, of all instances", kTrafficRule);
}

using Kind = KindIn<Subject>;

/// The kinds of an operand, whose name is part of their addresses. `texts` keeps these.
template <std::size_t operand>
void addOperand(std::vector<Kind>& kinds, std::list<std::string>& texts, const Subject& s)
{
    const std::string name = operandName(s, operand);
    const auto add = [&](std::string address, std::string title, std::string_view meaning, auto explain) {
        kinds.push_back(
            {{texts.emplace_back(std::move(address)), texts.emplace_back(std::move(title)), meaning},
             explain});
    };
    using hierarchy::OperandCost;
    using hierarchy::Traffic;
    const std::string at = "levels.*.operands." + name + ".", count = "counts.*." + name + ".";
    add(at + "tile", "tile of " + name, "Elements of one instance.", tile<operand>);
    add(at + "energy", "energy of " + name + " in a level", "Its reads and writes, of all instances.",
        operandEnergy<operand>);
    add(at + "fill", "fill with " + name, "Cycles in which the level waits until its tile has arrived.",
        waitOf<operand, &OperandCost::fill>);
    add(at + "drain", "drain of " + name, "Cycles in which the level waits until its tile has left.",
        waitOf<operand, &OperandCost::drain>);
    add(count + "reads", "reads of " + name, "Elements that all instances of the level read.",
        countOf<operand, &Traffic::reads>);
    add(count + "writes", "writes of " + name, "Elements that all instances of the level write.",
        countOf<operand, &Traffic::writes>);
}

std::vector<Kind> kindsOf(const Subject& s, std::list<std::string>& texts)
{
    std::vector<Kind> out{
        Kind{{"energy", "energy of the layer", "Multiply-accumulates and the accesses of all levels.",
              "Static power.", "Timeloop: energy. ZigZag: energy."},
             energy},
        Kind{{"cycles", "cycles of the layer",
              "The resource that is busy for the longest time, and the waiting for tiles.", "",
              "Timeloop: cycles. ZigZag: latency."},
             cycles},
        Kind{{"edp", "energy-delay product", "Energy times cycles."}, edp},
        Kind{{"compute", "cycles of the multiply-accumulates", "One after another in each PE.",
              "All transfers."},
             compute},
        Kind{{"waiting", "waiting for tiles",
              "Cycles in which levels without double buffer wait until tiles have come or left."},
             waiting},
        Kind{{"mac_energy", "energy of the multiply-accumulates", "Each one once."}, macEnergy},
        Kind{{"levels.*.instances", "instances of a level", "Those that the mapping uses."}, instances},
        Kind{{"levels.*.energy", "energy of a level", "Reads and writes of all operands."}, levelEnergy},
        Kind{{"levels.*.read_cycles", "cycles of the reads of a level",
              "All bits that it reads at its bandwidth."},
             readCycles},
        Kind{{"levels.*.write_cycles", "cycles of the writes of a level",
              "All bits that are written to it at its bandwidth."},
             writeCycles}};
    addOperand<0>(out, texts, s);
    addOperand<1>(out, texts, s);
    addOperand<2>(out, texts, s);
    return out;
}

/// What the figures refer to for as long as they live.
struct Answer
{
    Subject subject;
    std::list<std::string> texts; ///< addresses and titles with names of operands
    std::vector<Kind> kinds;
};

} // namespace
} // namespace levels

Figures hierarchyFigures(HierarchySubject subject)
{
    const auto answer = std::make_shared<levels::Answer>();
    answer->subject = std::move(subject);
    answer->kinds = levels::kindsOf(answer->subject, answer->texts);
    FigureGroup byLevel{"levels", {}};
    for (const hierarchy::Level& level : answer->subject.architecture.levels)
        byLevel.names.push_back(level.name);
    FigureGroup counts{"counts", byLevel.names};
    return {{answer->kinds.begin(), answer->kinds.end()},
            {std::move(byLevel), std::move(counts)},
            [answer](std::size_t kind, std::size_t element) {
                return answer->kinds[kind].explain(answer->subject, element);
            }};
}

} // namespace tilewright::figures
