// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/output.h"

#include "base/integer.h"
#include "base/table.h"
#include "base/text.h"

#include <algorithm>

namespace tilewright::npu {

namespace {

/// Number of elements that the engine reads from SPM for a node. Every fold of the tensor engine streams its
/// rows and columns. The vector engine reads its operands once per node.
double elementsRead(const NpuGraph& g, const NpuHardware& hw, std::size_t node)
{
    const TileNode& n = g.nodes[node];
    if (n.engine() == Engine::Tensor) {
        const std::int64_t rows = ceilDiv(n.n, hw.engineCols) * n.m;
        const std::int64_t cols = ceilDiv(n.m, hw.engineRows) * n.n;
        return static_cast<double>(rows + cols) * static_cast<double>(n.k) * static_cast<double>(n.repeats);
    }
    double out = 0;
    if (n.engine() == Engine::Vector)
        for (const std::uint32_t t : g.inputs(node))
            out += static_cast<double>(g.tiles[t].elements());
    return out;
}

void addNodes(const NpuGraph& g, const NpuRun& run, std::vector<OpReport>& out)
{
    const NpuHardware& hw = run.hardware;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const TileNode& n = g.nodes[i];
        OpReport& r = out[n.op];
        ++r.nodes;
        r.end = std::max(r.end, run.storedAt[i]);
        r.cores.push_back(run.coreOf[i]);
        double work = 0;
        if (n.engine() == Engine::Tensor) {
            r.tensor += n.computeCycles;
            work = static_cast<double>(n.m) * static_cast<double>(n.n) * static_cast<double>(n.k) *
                   static_cast<double>(n.repeats);
        } else if (n.engine() == Engine::Vector) {
            r.vector += n.computeCycles;
            work = static_cast<double>(n.computeCycles) * static_cast<double>(hw.vectorLanes);
        }
        r.macPj += work * hw.energy.mac;
        double touched = elementsRead(g, hw, i);
        if (n.engine() != Engine::None)
            for (const std::uint32_t t : g.outputs(i))
                touched += static_cast<double>(g.tiles[t].elements());
        r.spmPj += touched * hw.energy.spm;
        if (r.cores.size() > 2 * static_cast<std::size_t>(hw.cores)) {
            std::sort(r.cores.begin(), r.cores.end());
            r.cores.erase(std::unique(r.cores.begin(), r.cores.end()), r.cores.end());
        }
    }
    for (OpReport& r : out) {
        std::sort(r.cores.begin(), r.cores.end());
        r.cores.erase(std::unique(r.cores.begin(), r.cores.end()), r.cores.end());
    }
}

} // namespace

std::vector<OpReport> opReports(const NpuGraph& g, const NpuRun& run)
{
    std::vector<OpReport> out(g.opNames.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i].name = g.opNames[i];
        out[i].type = g.opTypes[i];
        out[i].tile = g.tileSizes[i];
        out[i].start = kNever;
    }
    addNodes(g, run, out);
    for (const CoreRun& core : run.cores) {
        for (const Choice& c : core.choices)
            out[g.nodes[c.node].op].start = std::min(out[g.nodes[c.node].op].start, c.time);
        for (const StateSpan& s : core.states)
            if (s.node != kNone && s.state != CoreState::Tensor && s.state != CoreState::Vector)
                out[g.nodes[s.node].op].stalls[static_cast<std::size_t>(s.state)] += s.end - s.start;
        for (const TransferSpan& s : core.loads) {
            out[g.nodes[s.node].op].loaded += bytesMoved(g, s);
            out[g.nodes[s.node].op].shared += s.shared;
            out[g.nodes[s.node].op].joined += s.joined ? s.shared : 0;
            out[g.nodes[s.node].op].passed += s.passed;
        }
        for (const TransferSpan& s : core.stores)
            out[g.nodes[s.node].op].stored += g.tiles[s.tile].alignedBytes;
    }
    for (OpReport& r : out) {
        if (r.start == kNever)
            r.start = 0;
        const double moved = static_cast<double>(r.loaded + r.stored) / g.elementBytes;
        const double byDram = static_cast<double>(r.dramBytes()) / g.elementBytes;
        r.dramPj = byDram * run.hardware.energy.dram;
        r.nocPj = moved * run.hardware.energy.noc;
        // A load writes to SPM, a store reads from it. A core that sends data reads its SPM, too.
        const double sent = static_cast<double>(r.passed) / g.elementBytes;
        r.spmPj += (moved + sent) * run.hardware.energy.spm;
    }
    return out;
}

std::string tileText(OpType type, const TileSizes& tile)
{
    std::string out;
    for (const TileField& field : tileFields(type))
        if (const std::int64_t size = tile.*field.size; size > 0)
            out += (out.empty() ? "" : " ") + std::string(field.key) + " " + formatNumber(size);
    return out;
}

std::string opReportsToCsv(const std::vector<OpReport>& reports)
{
    Table out = tableOf("operator,type,tile,nodes,start,end,tensor,vector,wait_spm,wait_noc,wait_dram,"
                        "wait_dependency,loaded_bytes,stored_bytes,cores,mac_pj,spm_pj,noc_pj,dram_pj,"
                        "energy_pj");
    for (const OpReport& r : reports)
        out.add(r.name, toString(r.type), tileText(r.type, r.tile), r.nodes, r.start, r.end, r.tensor,
                r.vector, r.stallsOf(CoreState::WaitSpm), r.stallsOf(CoreState::WaitNoc),
                r.stallsOf(CoreState::WaitDram), r.stallsOf(CoreState::WaitDependency), r.loaded, r.stored,
                r.cores.size(), r.macPj, r.spmPj, r.nocPj, r.dramPj, r.energyPj());
    return csvOf(out);
}

} // namespace tilewright::npu
