// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of one product on one array, by the places that `systolic --gemm --json` gives them.
#include "figures/systolic_figures.h"
#include "figures/systolic_products.h"

#include <array>
#include <cmath>
#include <utility>

namespace tilewright::figures {

namespace one {
namespace {

using Answer = std::shared_ptr<const verbs::SystolicAnswer>;
using Value = std::optional<ExplainedValue>;

constexpr const char* kTiming = "docs/rules/systolic.md 1.5";
constexpr const char* kTraffic = "docs/rules/systolic.md 3";
constexpr const char* kEdges = "docs/rules/systolic.md 4";
constexpr const char* kDram = "docs/rules/systolic.md 7";
constexpr const char* kRoofline = "docs/rules/systolic.md 8";
constexpr const char* kEnergy = "docs/rules/systolic.md 10";

double number(std::int64_t n)
{
    return static_cast<double>(n);
}
const verbs::SystolicFigures& figuresOf(const Answer& a)
{
    return a->figures;
}
Product productOf(const Answer& a)
{
    const verbs::SystolicRequest& r = a->request;
    const verbs::SystolicFigures& f = figuresOf(a);
    return {r.gemm, r.hierarchy.array, r.timing.dataflow, f.timing, f.padding,
            {},     f.cycles,          f.utilization(r),  ""};
}
template <auto of> Value asProduct(const Answer& a, std::size_t)
{
    return of(productOf(a));
}
ExplainedValue elementBytes(const Answer& a)
{
    return leaf("bytes of an element", "bytes", number(a->request.hierarchy.elementBytes), "the hierarchy");
}
/// The multiply-accumulates times two.
ExplainedValue operations(const Answer& a)
{
    return combined(Operation::Product, "operations", "",
                    {leaf("operations of a multiply-accumulate", "", 2, "a product and a sum"),
                     ofProduct::macs(productOf(a))});
}

// The array ----------------------------------------------------------------------------------------

template <std::size_t extent> Value sizeOf(const Answer& a, std::size_t)
{
    return leaf("extent of the product", "", number(a->request.gemm.*kExtents[extent].of),
                "--gemm, or the layer of the workload");
}
template <auto side> Value sideOf(const Answer& a, std::size_t)
{
    return leaf("side of the array", "", number(a->request.hierarchy.array.*side),
                "--array, the hierarchy or the machine");
}
Value folds(const Answer& a, std::size_t)
{
    return leaf("folds", "", number(figuresOf(a).timing.folds),
                "blocks of the product that the array holds one after another", "docs/rules/systolic.md 1.4");
}
Value stalled(const Answer& a, std::size_t)
{
    if (a->request.supply.unlimited())
        return {};
    return leaf("cycles stalled on an edge FIFO", "cycles", number(figuresOf(a).stalled),
                "the edge FIFOs, cycle by cycle", kEdges);
}
template <auto phase> Value phaseOf(const Answer& a, std::size_t)
{
    const auto& phases = figuresOf(a).phases;
    if (!phases)
        return {};
    return leaf("phase", "", number((*phases).*phase), "the folds and the times at which their PEs work",
                kTiming);
}

// Edges and memories -------------------------------------------------------------------------------

Value fifoDepth(const Answer& a, std::size_t)
{
    return leaf("depth of a FIFO", "elements", number(a->request.supply.depth), "--fifo-depth", kEdges);
}
template <auto side> Value fifoBytes(const Answer& a, std::size_t)
{
    return combined(Operation::Product, "bytes of the FIFOs", "bytes",
                    {leaf("lanes", "", number(a->request.hierarchy.array.*side), "the array"),
                     figureLeaf("depth", "elements", number(a->request.supply.depth), "edges.fifo_depth"),
                     elementBytes(a)},
                    kEdges);
}
template <auto size> Value edgeOf(const Answer& a, std::size_t)
{
    return leaf("size at the edge", "", number(figuresOf(a).edges.*size), "the largest fold", kEdges);
}
Value l2Bytes(const Answer& a, std::size_t)
{
    return combined(Operation::Product, "bytes from and to L2", "bytes",
                    {leaf("elements that cross the edges of the array", "elements",
                          number(figuresOf(a).timing.l2Elements), "operands and results of all folds",
                          "docs/rules/systolic.md 3.4"),
                     elementBytes(a)},
                    "docs/rules/systolic.md 3.4");
}
Value dramBytes(const Answer& a, std::size_t)
{
    std::vector<ExplainedValue> parts;
    for (const systolic::Matrix m : {systolic::Matrix::A, systolic::Matrix::B, systolic::Matrix::C}) {
        const std::string name(systolic::matrixName(m));
        const systolic::MatrixTraffic& moved = figuresOf(a).dram.of(m);
        parts.push_back(figureLeaf("loads of " + name, "bytes", number(moved.loadBytes),
                                   "dram.matrices." + name + ".load_bytes"));
        parts.push_back(figureLeaf("stores of " + name, "bytes", number(moved.storeBytes),
                                   "dram.matrices." + name + ".store_bytes"));
    }
    return combined(Operation::Sum, "bytes from and to DRAM", "bytes", std::move(parts), kDram);
}
template <systolic::Matrix matrix, auto bytes> Value matrixBytes(const Answer& a, std::size_t)
{
    return leaf("bytes", "bytes", number(figuresOf(a).dram.of(matrix).*bytes),
                systolic::dramAssumption(figuresOf(a).dramQuery), kDram);
}
Value compulsory(const Answer& a, std::size_t)
{
    const Product p = productOf(a);
    const auto size = [&](const char* name, std::size_t first, std::size_t second) {
        std::vector<ExplainedValue> sides;
        for (const std::size_t e : {first, second})
            sides.push_back(
                figureLeaf(kExtents[e].name, "", number(p.gemm.*kExtents[e].of), kExtents[e].name));
        return combined(Operation::Product, name, "elements", std::move(sides));
    };
    return combined(Operation::Product, "bytes that move at least once", "bytes",
                    {combined(Operation::Sum, "elements of all matrices", "elements",
                              {size("A", 0, 2), size("B", 2, 1), size("C", 0, 1)}),
                     elementBytes(a)},
                    kDram);
}
template <auto extent> Value dramTile(const Answer& a, std::size_t)
{
    return leaf("extent of the tile", "", number(figuresOf(a).dramQuery.tile.*extent),
                a->request.tile ? "--tile" : "the size of the array", kDram);
}
Value l3Bytes(const Answer& a, std::size_t)
{
    return leaf("bytes of L3", "bytes", number(figuresOf(a).dramQuery.l3Bytes), "the hierarchy", kDram);
}
template <auto extent> Value l2Tile(const Answer& a, std::size_t)
{
    return leaf("extent of the tile", "", number(figuresOf(a).l2.tile.*extent),
                a->request.tile ? "--tile" : "the size of the array", kTraffic);
}
template <auto of> Value planOf(const Answer& a, std::size_t i)
{
    return leaf("value of the schedule", "", number(figuresOf(a).l2.plans[i].*of),
                "tiles along m, n and k, and what stays in L2", "docs/rules/systolic.md 3.2");
}
Value planTraffic(const Answer& a, std::size_t i)
{
    const systolic::L2Plan& plan = figuresOf(a).l2.plans[i];
    return combined(Operation::Sum, "bytes of the schedule", "bytes",
                    {leaf("reads", "bytes", number(plan.readBytes), "tiles that enter L2", kTraffic),
                     leaf("writes", "bytes", number(plan.writeBytes), "tiles that leave L2", kTraffic)},
                    "docs/rules/systolic.md 3.2");
}
Value banks(const Answer& a, std::size_t)
{
    return leaf("banks", "", number(figuresOf(a).l2.banks), "the buffers of L2, at least two", kTraffic);
}
template <auto of> Value conflictsOf(const Answer& a, std::size_t)
{
    const auto& conflicts = figuresOf(a).conflicts;
    if (!conflicts)
        return {};
    return leaf("count", "", number((*conflicts).*of), "all steps, tile by tile",
                "docs/rules/systolic.md 3.3");
}

// Roofline -----------------------------------------------------------------------------------------

std::string levelField(std::size_t i, const char* field)
{
    return "roofline.levels." + std::to_string(i) + "." + field;
}
Value peak(const Answer& a, std::size_t)
{
    const systolic::Hierarchy& h = a->request.hierarchy;
    return combined(Operation::Product, "peak", "GFLOP/s",
                    {leaf("operations of a PE in a cycle", "", 2, "a product and a sum"),
                     figureLeaf("rows", "", number(h.array.rows), "rows"),
                     figureLeaf("columns", "", number(h.array.cols), "cols"),
                     leaf("clock", "GHz", h.frequencyGhz, "the hierarchy")},
                    kRoofline);
}
Value arrayLimit(const Answer& a, std::size_t)
{
    return leaf("limit of the array", "GFLOP/s", figuresOf(a).roofline.arrayGflops,
                "its cycles with the blocks of the tile", kRoofline);
}
Value attainable(const Answer& a, std::size_t)
{
    const systolic::Roofline& r = figuresOf(a).roofline;
    std::vector<ExplainedValue> roofs{
        figureLeaf("limit of the array", "GFLOP/s", r.arrayGflops, "roofline.array_gflops")};
    for (std::size_t i = 0; i < r.points.size(); ++i)
        roofs.push_back(figureLeaf(std::string(systolic::levelName(r.points[i].level)), "GFLOP/s",
                                   r.points[i].roofGflops, levelField(i, "roof_gflops")));
    return combined(Operation::Smallest, "attainable", "GFLOP/s", std::move(roofs), kRoofline);
}
template <auto bytes> Value levelBytes(const Answer& a, std::size_t i)
{
    return leaf("bytes of the level", "bytes", number(figuresOf(a).roofline.points[i].*bytes),
                "operands and results, by the tile and the program that moves least", kRoofline);
}
Value levelIntensity(const Answer& a, std::size_t i)
{
    return combined(Operation::Quotient, "operations for each byte", "FLOP/byte",
                    {operations(a), figureLeaf("bytes at the port", "bytes",
                                               number(figuresOf(a).roofline.points[i].portBytes),
                                               levelField(i, "port_bytes"))},
                    kRoofline);
}
Value levelRoof(const Answer& a, std::size_t i)
{
    const systolic::RooflinePoint& p = figuresOf(a).roofline.points[i];
    return combined(
        Operation::Product, "roof", "GFLOP/s",
        {leaf("bandwidth", "GB/s", p.gbPerSecond, "the hierarchy"),
         figureLeaf("operations for each byte", "FLOP/byte", p.intensity, levelField(i, "flop_per_byte"))},
        kRoofline);
}
Value naiveIntensity(const Answer& a, std::size_t)
{
    return combined(Operation::Quotient, "operations for each byte", "FLOP/byte",
                    {leaf("operations", "", 1, "one"),
                     leaf("elements of an operation", "", 3, "two operands and a result"), elementBytes(a)},
                    kRoofline);
}
Value naiveBytes(const Answer& a, std::size_t)
{
    return combined(Operation::Product, "bytes without reuse", "bytes",
                    {operations(a), leaf("elements of an operation", "", 3, "two operands and a result"),
                     elementBytes(a)},
                    kRoofline);
}
Value naiveRoof(const Answer& a, std::size_t)
{
    const systolic::RooflinePoint& p = figuresOf(a).roofline.naive;
    return combined(
        Operation::Product, "roof without reuse", "GFLOP/s",
        {leaf("bandwidth of DRAM", "GB/s", p.gbPerSecond, "the hierarchy"),
         figureLeaf("operations for each byte", "FLOP/byte", p.intensity, "roofline.no_reuse.flop_per_byte")},
        kRoofline);
}

// Energy -------------------------------------------------------------------------------------------

ExplainedValue energyOfOne(double each, const char* field)
{
    return leaf("energy of one", "pJ", each, std::string("the machine, energy_pj.") + field, kEnergy);
}
ExplainedValue elementsAt(const Answer& a, std::size_t level)
{
    return combined(Operation::Quotient,
                    "elements of " +
                        std::string(systolic::levelName(figuresOf(a).roofline.points[level].level)),
                    "elements",
                    {figureLeaf("bytes", "bytes", number(figuresOf(a).roofline.points[level].bytes),
                                levelField(level, "bytes")),
                     elementBytes(a)});
}
Value energyTotal(const Answer& a, std::size_t)
{
    const lower::ArrayEnergy& e = figuresOf(a).energy;
    return combined(Operation::Sum, "energy", "pJ",
                    {figureLeaf("multiply-accumulates", "pJ", e.mac, "energy_pj.mac"),
                     figureLeaf("register files", "pJ", e.rf, "energy_pj.rf"),
                     figureLeaf("network", "pJ", e.noc, "energy_pj.noc"),
                     figureLeaf("scratchpads", "pJ", e.spm, "energy_pj.spm"),
                     figureLeaf("DRAM", "pJ", e.dram, "energy_pj.dram")},
                    kEnergy);
}
Value energyMac(const Answer& a, std::size_t)
{
    return combined(Operation::Product, "energy", "pJ",
                    {ofProduct::macs(productOf(a)), energyOfOne(a->request.energy.mac, "mac")}, kEnergy);
}
Value energyRf(const Answer& a, std::size_t)
{
    return combined(Operation::Product, "energy", "pJ",
                    {leaf("accesses of a multiply-accumulate", "", 3, "two operands and the sum"),
                     ofProduct::macs(productOf(a)), energyOfOne(a->request.energy.rf, "rf")},
                    kEnergy);
}
Value energyNoc(const Answer& a, std::size_t)
{
    return combined(Operation::Product, "energy", "pJ",
                    {elementsAt(a, 0), energyOfOne(a->request.energy.noc, "noc")}, kEnergy);
}
Value energySpm(const Answer& a, std::size_t)
{
    return combined(
        Operation::Product, "energy", "pJ",
        {combined(Operation::Sum, "elements of L2 and L3", "elements", {elementsAt(a, 1), elementsAt(a, 2)}),
         energyOfOne(a->request.energy.spm, "spm")},
        kEnergy);
}
Value energyDram(const Answer& a, std::size_t)
{
    return combined(Operation::Product, "energy", "pJ",
                    {elementsAt(a, 3), energyOfOne(a->request.energy.dram, "dram")}, kEnergy);
}

// Dataflows ----------------------------------------------------------------------------------------

std::string flowField(std::size_t d, const char* field)
{
    return "dataflows." + std::to_string(d) + "." + field;
}
template <auto of> Value flowOf(const Answer& a, std::size_t d)
{
    return leaf("value of the dataflow", "", number(figuresOf(a).dataflows.of[d].*of),
                "the same product and tile in this dataflow", kRoofline);
}
Value flowDramCycles(const Answer& a, std::size_t d)
{
    return combined(Operation::Ceil, "cycles of DRAM", "cycles",
                    {figureLeaf("bytes", "bytes", number(figuresOf(a).dataflows.of[d].dramBytes),
                                flowField(d, "dram_bytes")),
                     leaf("bytes of DRAM in a cycle", "bytes a cycle",
                          a->request.hierarchy.bytesPerCycle(systolic::Level::External),
                          "bandwidth over clock of the hierarchy")},
                    kDram);
}
Value flowTotal(const Answer& a, std::size_t d)
{
    const systolic::DataflowTime& t = figuresOf(a).dataflows.of[d];
    return combined(
        Operation::Largest, "longer of array and DRAM", "cycles",
        {figureLeaf("cycles of the array", "cycles", number(t.arrayCycles), flowField(d, "array_cycles")),
         figureLeaf("cycles of DRAM", "cycles", number(t.dramCycles), flowField(d, "dram_cycles"))});
}
Value flowProgram(const Answer& a, std::size_t d)
{
    const auto& cycles = figuresOf(a).dataflows.programCycles[d];
    if (!cycles)
        return {};
    return leaf("cycles of the program", "cycles", number(*cycles),
                figuresOf(a).dataflows.ran ? "the run of the program" : "a lower bound of all programs",
                kEdges);
}
Value osFewer(const Answer& a, std::size_t)
{
    const verbs::DataflowFigures& f = figuresOf(a).dataflows;
    if (!f.osFewer())
        return {};
    const auto cycles = [&](std::size_t d) {
        const char* const name = d == 0 ? "os" : "ws";
        return f.ofPrograms()
                   ? figureLeaf(name, "cycles", number(*f.programCycles[d]), flowField(d, "program_cycles"))
                   : figureLeaf(name, "cycles", number(f.of[d].totalCycles), flowField(d, "total_cycles"));
    };
    return difference("share of cycles that os needs fewer", "", leaf("all", "", 1, "the cycles of ws"),
                      combined(Operation::Quotient, "os / ws", "", {cycles(0), cycles(1)}), kRoofline);
}
Value dramRate(const Answer& a, std::size_t)
{
    return leaf("bandwidth of DRAM", "GB/s", a->request.hierarchy.at(systolic::Level::External).gbPerSecond,
                "the hierarchy, or --dram-gb-per-s");
}

using Kind = KindIn<Answer>;
using systolic::ArrayPhases;
using systolic::BankConflicts;
using systolic::DataflowTime;
using systolic::EdgeSizes;
using systolic::L2Plan;
using systolic::Matrix;
using systolic::MatrixTraffic;
using systolic::RooflinePoint;
using systolic::TileShape;

constexpr std::string_view kArrayAlone = "Waiting for memories; a program (--pipeline) has it.";
constexpr std::string_view kIdle = "Fill, drain and waiting for memories, which the utilisation includes.";

const std::array kKinds{
    Kind{{"m", "rows of the product", "Rows of A and C."}, sizeOf<0>},
    Kind{{"n", "columns of the product", "Columns of B and C."}, sizeOf<1>},
    Kind{{"k", "reduction of the product", "Columns of A and rows of B."}, sizeOf<2>},
    Kind{{"rows", "rows of the array", "PEs from top to bottom."}, sideOf<&systolic::ArrayShape::rows>},
    Kind{{"cols", "columns of the array", "PEs from left to right."}, sideOf<&systolic::ArrayShape::cols>},
    Kind{{"cycles", "cycles of the array", "From the first operand to the last multiplication.", kArrayAlone,
          "SCALE-Sim: compute cycles."},
         asProduct<ofProduct::cycles>},
    Kind{{"stalled_cycles", "cycles stalled on an edge FIFO",
          "Cycles in which the array waits for operands at its edges.", kArrayAlone},
         stalled},
    Kind{{"folds", "folds", "Blocks of the product that the array holds one after another.", "",
          "SCALE-Sim: folds."},
         folds},
    Kind{{"utilization", "utilisation of the array",
          "Multiply-accumulates over what all PEs could do in these cycles.", kArrayAlone,
          "SCALE-Sim: overall utilisation. ZigZag: MAC utilisation."},
         asProduct<ofProduct::utilization>},
    Kind{{"mapping_efficiency", "mapping efficiency", "Used PEs over PEs, mean over the folds.", "",
          "SCALE-Sim: mapping efficiency."},
         asProduct<ofProduct::mapping>},
    Kind{{"padding.m", "rows that are padded",
          "Rows that fill the last folds along M: the extent of whole folds less M."},
         asProduct<ofProduct::padded<0>>},
    Kind{{"padding.n", "columns that are padded",
          "Columns that fill the last folds along N: the extent of whole folds less N."},
         asProduct<ofProduct::padded<1>>},
    Kind{{"padding.k", "reduction that is padded",
          "Reduction that fills the last folds along K: the extent of whole folds less K."},
         asProduct<ofProduct::padded<2>>},
    Kind{{"padding.macs", "multiply-accumulates of padding",
          "What the PEs could do in the cycles in which they are idle because folds are ragged.", kIdle},
         asProduct<ofProduct::paddedMacs>},
    Kind{{"padding.idle_pes", "PEs idle by ragged folds", "PEs without work, mean over the folds.", kIdle,
          "SCALE-Sim: mapping efficiency, the share of the other PEs."},
         asProduct<ofProduct::idlePes>},
    Kind{{"phases.fill", "fill", "Cycles before the most PEs are active."}, phaseOf<&ArrayPhases::fill>},
    Kind{{"phases.steady", "steady", "Cycles from the first to the last with the most active PEs."},
         phaseOf<&ArrayPhases::steady>},
    Kind{{"phases.drain", "drain", "Cycles after the most PEs were active."}, phaseOf<&ArrayPhases::drain>},
    Kind{{"phases.peak_pes", "most active PEs", "PEs that work at once, at most."},
         phaseOf<&ArrayPhases::peakPes>},
    Kind{{"edges.fifo_depth", "depth of an edge FIFO", "Elements that a FIFO of a lane holds."}, fifoDepth},
    Kind{{"edges.west_fifo_bytes", "bytes of the west FIFOs", "All lanes of the west edge."},
         fifoBytes<&systolic::ArrayShape::rows>},
    Kind{{"edges.north_fifo_bytes", "bytes of the north FIFOs", "All lanes of the north edge."},
         fifoBytes<&systolic::ArrayShape::cols>},
    Kind{{"edges.west_skew_elements", "skew of the west edge",
          "Elements that the last row waits behind the first."},
         edgeOf<&EdgeSizes::westSkew>},
    Kind{{"edges.north_skew_elements", "skew of the north edge",
          "Elements that the last column waits behind the first."},
         edgeOf<&EdgeSizes::northSkew>},
    Kind{{"edges.west_stream_bytes", "bytes of a west streaming buffer",
          "Operands of the largest fold that enter at the west edge."},
         edgeOf<&EdgeSizes::westStream>},
    Kind{{"edges.north_stream_bytes", "bytes of a north streaming buffer",
          "Operands of the largest fold that enter at the north edge."},
         edgeOf<&EdgeSizes::northStream>},
    Kind{{"traffic_bytes.l2", "bytes of L2", "Operands and results that cross the edges of the array.",
          "Reuse between folds."},
         l2Bytes},
    Kind{{"traffic_bytes.dram", "bytes of DRAM", "Loads and stores of all matrices.", "",
          "SCALE-Sim: DRAM reads and writes."},
         dramBytes},
    Kind{{"dram.matrices.A.load_bytes", "loads of A", "Bytes from DRAM."},
         matrixBytes<Matrix::A, &MatrixTraffic::loadBytes>},
    Kind{{"dram.matrices.A.store_bytes", "stores of A", "Bytes to DRAM."},
         matrixBytes<Matrix::A, &MatrixTraffic::storeBytes>},
    Kind{{"dram.matrices.B.load_bytes", "loads of B", "Bytes from DRAM."},
         matrixBytes<Matrix::B, &MatrixTraffic::loadBytes>},
    Kind{{"dram.matrices.B.store_bytes", "stores of B", "Bytes to DRAM."},
         matrixBytes<Matrix::B, &MatrixTraffic::storeBytes>},
    Kind{{"dram.matrices.C.load_bytes", "loads of partial sums", "Bytes from DRAM."},
         matrixBytes<Matrix::C, &MatrixTraffic::loadBytes>},
    Kind{{"dram.matrices.C.store_bytes", "stores of C", "Bytes to DRAM, partial sums included."},
         matrixBytes<Matrix::C, &MatrixTraffic::storeBytes>},
    Kind{{"dram.compulsory_bytes", "least bytes of DRAM", "Every element of A, B and C moves once."},
         compulsory},
    Kind{{"dram.l3_bytes", "bytes of L3", "Room for panels that stay between tiles."}, l3Bytes},
    Kind{{"dram.tile.Ti", "rows of a tile", "Rows of A and C in a tile."}, dramTile<&TileShape::ti>},
    Kind{{"dram.tile.Tj", "columns of a tile", "Columns of B and C in a tile."}, dramTile<&TileShape::tj>},
    Kind{{"dram.tile.Tk", "reduction of a tile", "Columns of A and rows of B in a tile."},
         dramTile<&TileShape::tk>},
    Kind{{"l2_schedules.tile.Ti", "rows of a tile", "Rows of A and C in a tile."}, l2Tile<&TileShape::ti>},
    Kind{{"l2_schedules.tile.Tj", "columns of a tile", "Columns of B and C in a tile."},
         l2Tile<&TileShape::tj>},
    Kind{{"l2_schedules.tile.Tk", "reduction of a tile", "Columns of A and rows of B in a tile."},
         l2Tile<&TileShape::tk>},
    Kind{{"l2_schedules.of.*.passes", "passes over the reduction", "Parts in which k is worked through."},
         planOf<&L2Plan::passes>},
    Kind{{"l2_schedules.of.*.traffic_bytes", "bytes of an L2 schedule", "Reads and writes of L2."},
         planTraffic},
    Kind{{"l2_schedules.of.*.least_bytes", "least room of an L2 schedule", "Tiles in L2 at once."},
         planOf<&L2Plan::minBytes>},
    Kind{{"l2_schedules.of.*.double_buffered_bytes", "room of an L2 schedule",
          "Tiles in L2 at once, inputs twice."},
         planOf<&L2Plan::doubleBytes>},
    Kind{{"bank_conflicts.banks", "banks of L2", "Buffers that serve an access each."}, banks},
    Kind{{"bank_conflicts.count", "bank conflicts", "Steps in which two tiles lie in one bank."},
         conflictsOf<&BankConflicts::count>},
    Kind{{"bank_conflicts.steps", "steps", "Steps for which conflicts are counted."},
         conflictsOf<&BankConflicts::steps>},
    Kind{{"roofline.peak_gflops", "peak of the array", "All PEs in every cycle."}, peak},
    Kind{{"roofline.array_gflops", "limit of the array", "Its cycles, with the blocks of the tile."},
         arrayLimit},
    Kind{{"roofline.attainable_gflops", "attainable", "The lowest of the array and all roofs."}, attainable},
    Kind{{"roofline.levels.*.bytes", "bytes of a level", "Bytes that move at this level."},
         levelBytes<&RooflinePoint::bytes>},
    Kind{{"roofline.levels.*.port_bytes", "bytes at the port of a level",
          "Those that limit a program: of the busiest port, in the program that moves least."},
         levelBytes<&RooflinePoint::portBytes>},
    Kind{{"roofline.levels.*.flop_per_byte", "operations for each byte of a level",
          "Operations of the product over the bytes at the port."},
         levelIntensity},
    Kind{{"roofline.levels.*.roof_gflops", "roof of a level", "Bandwidth times operations for each byte."},
         levelRoof},
    Kind{{"roofline.no_reuse.flop_per_byte", "operations for each byte without reuse",
          "Every operation moves two operands and a result."},
         naiveIntensity},
    Kind{{"roofline.no_reuse.bytes", "bytes without reuse",
          "Every operation moves two operands and a result."},
         naiveBytes},
    Kind{{"roofline.no_reuse.roof_gflops", "roof without reuse",
          "Bandwidth of DRAM times operations for each byte."},
         naiveRoof},
    Kind{{"energy_pj.total", "energy of the product", "Multiply-accumulates and the traffic of every level.",
          "Static power."},
         energyTotal},
    Kind{{"energy_pj.mac", "energy of the multiply-accumulates", "Each one once."}, energyMac},
    Kind{{"energy_pj.rf", "energy of the registers", "Two operands and the sum of each."}, energyRf},
    Kind{{"energy_pj.noc", "energy of the network", "Elements across the edges of the array."}, energyNoc},
    Kind{{"energy_pj.spm", "energy of L2 and L3", "Elements that move at both levels."}, energySpm},
    Kind{{"energy_pj.dram", "energy of DRAM", "Elements from and to DRAM."}, energyDram},
    Kind{{"dataflows.*.array_cycles", "cycles of the array with a dataflow", "The array alone.", kArrayAlone},
         flowOf<&DataflowTime::arrayCycles>},
    Kind{{"dataflows.*.dram_bytes", "bytes of DRAM with a dataflow", "Loads and stores of all matrices."},
         flowOf<&DataflowTime::dramBytes>},
    Kind{{"dataflows.*.dram_cycles", "cycles of DRAM with a dataflow", "The transfers alone."},
         flowDramCycles},
    Kind{{"dataflows.*.total_cycles", "cycles with a dataflow", "The longer one of array and DRAM."},
         flowTotal},
    Kind{{"dataflows.*.program_cycles", "cycles of the program of a dataflow",
          "The pipelined program at the rates of the hierarchy, or the least that any program takes."},
         flowProgram},
    Kind{{"os_fewer_than_ws", "share of cycles that os needs fewer than ws",
          "1 less the quotient of both cycles: of the programs, or of array and DRAM if one does not fit."},
         osFewer},
    Kind{{"dram_gb_per_s", "bandwidth of DRAM", "The rate of the external memory."}, dramRate},
};

} // namespace
} // namespace one

Figures productFigures(std::shared_ptr<const verbs::SystolicAnswer> answer)
{
    FigureGroup plans{"l2_schedules.of", {}}, levels{"roofline.levels", {}}, dataflows{"dataflows", {}};
    for (const systolic::L2Plan& plan : answer->figures.l2.plans)
        plans.names.emplace_back(systolic::l2ScheduleName(plan.schedule));
    for (const systolic::RooflinePoint& point : answer->figures.roofline.points)
        levels.names.emplace_back(systolic::levelName(point.level));
    for (const systolic::DataflowTime& time : answer->figures.dataflows.of)
        dataflows.names.emplace_back(systolic::dataflowName(time.dataflow));
    return figuresBy<one::Answer>(one::kKinds, {std::move(plans), std::move(levels), std::move(dataflows)},
                                  std::move(answer));
}

} // namespace tilewright::figures
