// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/instructions.h"

#include <algorithm>
#include <span>

namespace tilewright::npu {

std::string_view toString(Opcode opcode) noexcept
{
    switch (opcode) {
    case Opcode::Sync:
        return "SYNC";
    case Opcode::TLoad:
        return "TLOAD";
    case Opcode::TRecv:
        return "TRECV";
    case Opcode::TMatmul:
        return "TMATMUL";
    case Opcode::TConv:
        return "TCONV";
    case Opcode::TSoftmax:
        return "TSOFTMAX";
    case Opcode::TVec:
        return "TVEC";
    case Opcode::TStore:
        return "TSTORE";
    }
    return "";
}

namespace {

/// The compute instruction of a node type; Sync if the type has none.
Opcode computeOpcode(NodeType type)
{
    switch (type) {
    case NodeType::MatMul:
        return Opcode::TMatmul;
    case NodeType::Conv:
        return Opcode::TConv;
    case NodeType::Softmax:
        return Opcode::TSoftmax;
    case NodeType::Vector:
        return Opcode::TVec;
    default:
        return Opcode::Sync;
    }
}

} // namespace

namespace {

/// Groups the spans in `items` by node, in their order; the spans of a node start at `begin[node]`.
class SpansOfNodes
{
public:
    SpansOfNodes(std::size_t nodes, const std::vector<TransferSpan>& spans)
        : m_begin(nodes + 1, 0), m_items(spans.size())
    {
        for (const TransferSpan& s : spans)
            ++m_begin[s.node + 1];
        for (std::size_t n = 0; n < nodes; ++n)
            m_begin[n + 1] += m_begin[n];
        std::vector<std::uint32_t> at(m_begin.begin(), m_begin.end() - 1);
        for (const TransferSpan& s : spans)
            m_items[at[s.node]++] = s;
    }
    [[nodiscard]] std::span<const TransferSpan> of(std::uint32_t node) const
    {
        return {m_items.data() + m_begin[node], m_items.data() + m_begin[node + 1]};
    }

private:
    std::vector<std::uint32_t> m_begin;
    std::vector<TransferSpan> m_items;
};

} // namespace

std::vector<std::vector<Instruction>> instructionsOf(const NpuGraph& graph, const NpuRun& run)
{
    std::vector<std::vector<Instruction>> out;
    std::vector<Cycle> computed(graph.nodes.size(), 0); // by node: end of its computation
    for (const CoreRun& core : run.cores) {
        const SpansOfNodes loads(graph.nodes.size(), core.loads), stores(graph.nodes.size(), core.stores);
        for (const auto* spans : {&core.tensor, &core.vector})
            for (const ComputeSpan& s : *spans)
                computed[s.node] = s.start;
        std::vector<Instruction>& program = out.emplace_back();
        for (const Choice& choice : core.choices) {
            // The static scheduler takes nodes in list order without waiting for their units, so it needs no
            // SYNC.
            if (run.options.scheduler == Scheduler::Dynamic && graph.isFirstOfUnit(choice.node))
                program.push_back({Opcode::Sync, choice.node, kNone, choice.time});
            for (const TransferSpan& s : loads.of(choice.node))
                program.push_back({s.from < 0 ? Opcode::TLoad : Opcode::TRecv, choice.node, s.tile, s.start});
            const Opcode opcode = computeOpcode(graph.nodes[choice.node].type);
            if (opcode != Opcode::Sync)
                program.push_back({opcode, choice.node, kNone, computed[choice.node]});
            else if (stores.of(choice.node).empty() &&
                     loads.of(choice.node).empty()) // for a KV_LOAD whose tile was already in SPM
                program.push_back(
                    {Opcode::Sync, choice.node, graph.inputs(choice.node).front(), choice.time});
            for (const TransferSpan& s : stores.of(choice.node))
                program.push_back({Opcode::TStore, choice.node, s.tile, s.start});
        }
    }
    return out;
}

std::string describe(const NpuGraph& graph, const Instruction& i)
{
    std::string text{toString(i.opcode)};
    text.resize(9, ' ');
    if (i.tile != kNone) {
        const TileDesc& tile = graph.tiles[i.tile];
        const NpuTensor& tensor = graph.tensors[tile.tensor];
        text += tensor.name + "[";
        for (int d = 0; d < tensor.rank; ++d)
            text += (d ? "," : "") + std::to_string(tile.offset[d]) + ":" +
                    std::to_string(tile.offset[d] + tile.shape[d]);
        text += "]  ";
    }
    return text + graph.describe(i.node);
}

namespace {

/// True if the loads of the run equal the TLOADs and TRECVs of the programs on each core.
bool loadsMatch(const std::vector<std::vector<Instruction>>& programs, const NpuRun& run)
{
    for (std::size_t c = 0; c < programs.size(); ++c) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> wanted, loaded;
        for (const Instruction& i : programs[c])
            if (i.opcode == Opcode::TLoad || i.opcode == Opcode::TRecv)
                wanted.emplace_back(i.node, i.tile);
        for (const TransferSpan& s : run.cores[c].loads)
            loaded.emplace_back(s.node, s.tile);
        std::sort(wanted.begin(), wanted.end());
        std::sort(loaded.begin(), loaded.end());
        if (wanted != loaded)
            return false;
    }
    return true;
}

std::vector<CoreProgram> listsOf(const std::vector<std::vector<Instruction>>& programs)
{
    std::vector<CoreProgram> lists;
    for (const auto& program : programs) {
        CoreProgram& list = lists.emplace_back();
        bool sync = false;
        for (const Instruction& i : program) {
            if (i.opcode == Opcode::Sync && i.tile == kNone) {
                sync = true;
                continue;
            }
            if (!list.nodes.empty() && list.nodes.back() == i.node)
                continue;
            list.nodes.push_back(i.node);
            list.sync.push_back(sync);
            sync = false;
        }
    }
    return lists;
}

Result<NpuRun> withItsLoads(Result<NpuRun> run, const std::vector<std::vector<Instruction>>& programs)
{
    if (run && !loadsMatch(programs, *run))
        return Error{ErrorCode::Internal, "the loads of a core differ from its TLOAD instructions", {}, {}};
    return run;
}

} // namespace

Result<NpuRun> replay(const NpuGraph& graph, const NpuHardware& hardware,
                      const std::vector<std::vector<Instruction>>& programs, const RunOptions& options)
{
    return withItsLoads(simulatePrograms(graph, hardware, listsOf(programs), options), programs);
}

Result<NpuRun> retrace(const NpuGraph& graph, const NpuRun& run,
                       const std::vector<std::vector<Instruction>>& programs)
{
    return withItsLoads(retracePrograms(graph, run, listsOf(programs)), programs);
}

} // namespace tilewright::npu
