// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/tile_graph_builder.h"

#include "base/hash.h"
#include "base/integer.h"
#include "base/text.h"
#include "npu/fit_tiles.h"

#include <algorithm>
#include <cmath>

namespace tilewright::npu {

std::string_view toString(NodeType type) noexcept
{
    switch (type) {
    case NodeType::MatMul:
        return "MATMUL";
    case NodeType::Conv:
        return "CONV";
    case NodeType::Softmax:
        return "SOFTMAX";
    case NodeType::Vector:
        return "VECTOR";
    case NodeType::KvStore:
        return "KV_STORE";
    case NodeType::KvLoad:
        return "KV_LOAD";
    }
    return "";
}

std::int64_t NpuGraph::spmOf(std::size_t node) const noexcept
{
    const TileNode& n = nodes[node];
    std::int64_t bytes = n.scratchBytes;
    if (n.accumulator != kNone)
        bytes += tiles[n.accumulator].spmRequired;
    for (const std::uint32_t t : inputs(node))
        bytes += tiles[t].spmRequired;
    for (const std::uint32_t t : outputs(node))
        if (t != n.accumulator)
            bytes += tiles[t].spmRequired;
    return bytes;
}

std::string NpuGraph::describe(std::size_t node) const
{
    return opNames[nodes[node].op] + ": " + std::string(toString(nodes[node].type)) + " " +
           std::to_string(node);
}

std::vector<std::int64_t> blockBounds(std::int64_t from, std::int64_t to, std::int64_t step)
{
    // More blocks than this exceed any node limit. The caller reports the limit.
    constexpr std::int64_t kMostBlocks = std::int64_t{1} << 24;
    std::vector<std::int64_t> out;
    if ((to - from) / step > kMostBlocks)
        return {from, to};
    for (std::int64_t at = from; at < to; at += step)
        out.push_back(at);
    out.push_back(to);
    return out;
}

void ProducerGrid::collect(const TileDesc& tile, std::vector<std::uint32_t>& out) const
{
    std::array<std::size_t, kMaxRank> from{}, to{}, count{};
    for (int d = 0; d < kMaxRank; ++d) {
        const auto& b = bounds[d];
        const auto lo = std::upper_bound(b.begin(), b.end(), tile.offset[d]);
        const auto hi = std::lower_bound(b.begin(), b.end(), tile.offset[d] + tile.shape[d]);
        from[d] = lo == b.begin() ? 0 : static_cast<std::size_t>(lo - b.begin()) - 1;
        count[d] = b.size() - 1;
        to[d] = std::min(count[d], static_cast<std::size_t>(hi - b.begin()));
        if (tile.offset[d] >= b.back() || from[d] >= to[d])
            return;
    }
    for (std::size_t i0 = from[0]; i0 < to[0]; ++i0)
        for (std::size_t i1 = from[1]; i1 < to[1]; ++i1)
            for (std::size_t i2 = from[2]; i2 < to[2]; ++i2)
                for (std::size_t i3 = from[3]; i3 < to[3]; ++i3)
                    out.push_back(nodes[((i0 * count[1] + i1) * count[2] + i2) * count[3] + i3]);
}

std::size_t TileGraphBuilder::TileKeyHash::operator()(const TileKey& key) const noexcept
{
    return hashOf(key.tensor, ListHash()(key.offset), ListHash()(key.shape));
}

TileGraphBuilder::TileGraphBuilder(const NpuModel& model, const NpuHardware& hardware, std::size_t maxNodes,
                                   bool fewNodes)
    : m_model(model), m_maxNodes(maxNodes), m_defaults(model, hardware, fewNodes ? maxNodes : 0),
      m_views(model.tensors.size())
{
    m_graph.fewNodes = fewNodes;
    m_graph.name = model.name;
    m_graph.hardware = hardware;
    m_graph.elementBytes = model.dtypeBytes;
    for (const ModelOp& op : model.ops) {
        m_graph.opNames.push_back(op.name);
        m_graph.opTypes.push_back(op.type);
    }
    m_graph.tileSizes.resize(model.ops.size());
    for (const ModelTensor& t : model.tensors) {
        Box shape{1, 1, 1, 1};
        std::copy(t.shape.begin(), t.shape.end(), shape.begin());
        addTensor(t.name, shape, static_cast<int>(t.shape.size()), t.bits);
    }
}

std::uint32_t TileGraphBuilder::addTensor(const std::string& name, const Box& shape, int rank,
                                          std::int64_t bits)
{
    NpuTensor t;
    t.name = name;
    t.rank = rank;
    t.shape = shape;
    t.bits = bits > 0 ? bits : m_model.dtypeBytes * kPartsOfByte;
    t.dramSize = t.bytesOf(t.elements());
    if (!m_graph.tensors.empty()) {
        const NpuTensor& last = m_graph.tensors.back();
        t.dramBase = roundUp(last.dramBase + last.dramSize, m_graph.hardware.dram.interleaveBytes);
    }
    m_graph.tensors.push_back(std::move(t));
    m_producers.emplace_back();
    m_loaders.emplace_back();
    return static_cast<std::uint32_t>(m_graph.tensors.size() - 1);
}

std::uint32_t TileGraphBuilder::tile(std::uint32_t tensor, const Box& offset, const Box& shape,
                                     bool accumulator)
{
    const auto [it, isNew] =
        m_tileIds.try_emplace({tensor, offset, shape}, static_cast<std::uint32_t>(m_graph.tiles.size()));
    if (isNew) {
        TileDesc t;
        t.tensor = tensor;
        t.accumulator = accumulator;
        t.offset = offset;
        t.shape = shape;
        placeTile(m_graph.tensors[tensor], m_graph.hardware.dram.burstBytes,
                  m_graph.hardware.accumulatorBytes, t);
        m_graph.tiles.push_back(t);
    }
    return it->second;
}

std::uint32_t TileGraphBuilder::addNode(NodeSpec spec, bool continues)
{
    const auto id = static_cast<std::uint32_t>(m_graph.nodes.size());
    TileNode n;
    n.type = spec.type;
    n.op = static_cast<std::uint32_t>(m_op);
    n.head = spec.head;
    n.accumulator = spec.accumulator;
    n.scratchBytes = spec.scratchBytes;
    n.computeCycles = spec.computeCycles;
    n.m = spec.m;
    n.n = spec.n;
    n.k = spec.k;
    n.repeats = spec.repeats;
    auto& pool = m_graph.nodeTiles;
    n.inputBegin = static_cast<std::uint32_t>(pool.size());
    pool.insert(pool.end(), spec.inputs.begin(), spec.inputs.end());
    n.inputEnd = n.outputBegin = static_cast<std::uint32_t>(pool.size());
    pool.insert(pool.end(), spec.outputs.begin(), spec.outputs.end());
    n.outputEnd = static_cast<std::uint32_t>(pool.size());
    for (std::uint32_t i = n.inputBegin; i < n.outputEnd; ++i)
        n.memBytes += m_graph.tiles[pool[i]].alignedBytes;
    m_graph.nodes.push_back(n);
    if (!continues || m_unitOf.empty())
        ++m_unitCount;
    m_unitOf.push_back(m_unitCount - 1);
    return id;
}

TileGraphBuilder::View TileGraphBuilder::resolve(std::size_t modelTensor) const
{
    if (m_views[modelTensor])
        return *m_views[modelTensor];
    return {static_cast<std::uint32_t>(modelTensor), 0};
}

void TileGraphBuilder::tileOp(std::size_t op)
{
    m_op = op;
    const ModelOp& o = m_model.ops[op];
    switch (o.type) {
    case OpType::MatMul:
        return tileMatmul(*this, o);
    case OpType::Conv2d:
        return tileConv(*this, o);
    case OpType::Attention:
        return tileAttention(*this, o);
    case OpType::KvAppend:
        return tileKvAppend(*this, o);
    case OpType::KvLoad:
        return tileKvLoad(*this, o);
    case OpType::View:
        return o.isReduction() ? tileReduce(*this, o) : tileView(*this, o);
    default:
        return tileVectorOp(*this, o);
    }
}

Result<NpuGraph> TileGraphBuilder::build(SpmCheck check)
{
    for (const std::size_t op : opOrder(m_model)) {
        tileOp(op);
        if (tooMany())
            return Error{ErrorCode::Refused,
                         "the model is cut into more than " + formatGrouped(m_maxNodes) +
                             (m_model.ops[op].tile == TileSizes{}
                                  ? " nodes with the largest tiles that fit; a larger scratchpad helps, and "
                                    "a smaller input"
                                  : " nodes; choose larger tiles"),
                         "ops[" + std::to_string(op) + "]", m_model.file};
    }
    if (check != SpmCheck::None)
        if (auto s = checkSpm(check); !s)
            return s.error();
    makeDependencies();
    joinLoads();
    makeUnits();
    makeAdjacency();
    return std::move(m_graph);
}

std::string TileGraphBuilder::smallerTileHint(std::size_t op) const
{
    std::string sizes;
    for (const TileField& field : tileFields(m_model.ops[op].type))
        if (const std::int64_t size = m_graph.tileSizes[op].*field.size; size > 1)
            sizes += (sizes.empty() ? "" : ", ") + std::string(field.key) + " " + std::to_string(size);
    return sizes.empty() ? "; its tile cannot be smaller"
                         : "; set a smaller \"tile\" of it (now " + sizes + ")";
}

std::string TileGraphBuilder::reasonOf(std::size_t op) const
{
    const auto why = whyNoTile(m_model, m_graph.hardware, op);
    return why ? "; no tile exists: " + why->text() : smallerTileHint(op);
}

Status TileGraphBuilder::checkSpm(SpmCheck check) const
{
    for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
        const std::int64_t need = m_graph.spmOf(i);
        if (need > m_graph.hardware.spmBytes)
            return Error{ErrorCode::Problem,
                         "the node " + m_graph.describe(i) + " needs " + formatGrouped(need) +
                             " bytes of SPM, but a core has " + formatGrouped(m_graph.hardware.spmBytes) +
                             (check == SpmCheck::Explains ? reasonOf(m_graph.nodes[i].op)
                                                          : smallerTileHint(m_graph.nodes[i].op)),
                         "ops[" + std::to_string(m_graph.nodes[i].op) + "]", m_model.file};
    }
    return tilewright::Unit{};
}

namespace {

/// Inverts the lists: which items list each value. The (item, value) pairs arrive in ascending order of item.
Adjacency inverted(const Adjacency& forward, std::size_t targets)
{
    Adjacency out;
    out.begin.assign(targets + 1, 0);
    for (const std::uint32_t v : forward.items)
        ++out.begin[v + 1];
    for (std::size_t i = 0; i < targets; ++i)
        out.begin[i + 1] += out.begin[i];
    out.items.resize(forward.items.size());
    std::vector<std::uint32_t> at(out.begin.begin(), out.begin.end() - 1);
    for (std::size_t i = 0; i + 1 < forward.begin.size(); ++i)
        for (const std::uint32_t v : forward.of(i))
            out.items[at[v]++] = static_cast<std::uint32_t>(i);
    return out;
}

void closeList(Adjacency& adjacency, std::vector<std::uint32_t>& list)
{
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    adjacency.items.insert(adjacency.items.end(), list.begin(), list.end());
    adjacency.begin.push_back(static_cast<std::uint32_t>(adjacency.items.size()));
    list.clear();
}

} // namespace

void TileGraphBuilder::makeDependencies()
{
    NpuGraph& g = m_graph;
    g.writersOf.begin = {0};
    std::vector<std::uint32_t> list;
    for (const TileDesc& tile : g.tiles) {
        for (const ProducerGrid& grid : m_producers[tile.tensor])
            grid.collect(tile, list);
        closeList(g.writersOf, list);
    }
    g.deps.begin = {0};
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        if (i > 0 && m_unitOf[i] == m_unitOf[i - 1])
            list.push_back(static_cast<std::uint32_t>(i - 1));
        for (const std::uint32_t t : g.inputs(i)) {
            const auto writers = g.writersOf.of(t);
            list.insert(list.end(), writers.begin(), writers.end());
            if (g.nodes[i].type != NodeType::KvLoad)
                for (const ProducerGrid& grid : m_loaders[g.tiles[t].tensor])
                    grid.collect(g.tiles[t], list);
        }
        closeList(g.deps, list);
    }
    g.successors = inverted(g.deps, g.nodes.size());
}

void TileGraphBuilder::joinLoads()
{
    for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
        if (m_graph.nodes[i].type != NodeType::KvLoad)
            continue;
        const auto users = m_graph.successors.of(i);
        if (users.empty())
            continue;
        const std::uint32_t unit = m_unitOf[users.front()];
        if (std::all_of(users.begin(), users.end(), [&](std::uint32_t u) { return m_unitOf[u] == unit; }))
            m_unitOf[i] = unit;
    }
}

void TileGraphBuilder::makeUnits()
{
    NpuGraph& g = m_graph;
    // A KV load that belongs to a unit runs just before its first user. Units are numbered by their first
    // node.
    const auto slot = [&](std::uint32_t node) {
        const bool joined = g.nodes[node].type == NodeType::KvLoad && !g.successors.of(node).empty() &&
                            m_unitOf[g.successors.of(node).front()] == m_unitOf[node];
        return joined ? g.successors.of(node).front() : node;
    };
    std::vector<std::vector<std::uint32_t>> members(m_unitCount);
    for (std::uint32_t i = 0; i < g.nodes.size(); ++i)
        members[m_unitOf[i]].push_back(i);
    for (auto& list : members) {
        if (list.empty())
            continue;
        std::stable_sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::pair(slot(a), a) < std::pair(slot(b), b);
        });
        TileUnit unit;
        unit.begin = static_cast<std::uint32_t>(g.unitNodes.size());
        for (const std::uint32_t node : list) {
            g.nodes[node].unit = static_cast<std::uint32_t>(g.units.size());
            g.unitNodes.push_back(node);
        }
        unit.end = static_cast<std::uint32_t>(g.unitNodes.size());
        g.units.push_back(unit);
    }
}

void TileGraphBuilder::makeAdjacency()
{
    NpuGraph& g = m_graph;
    g.unitSuccessors.begin = {0};
    std::vector<std::uint32_t> list;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        for (const std::uint32_t s : g.successors.of(i))
            if (g.nodes[s].unit != g.nodes[i].unit)
                list.push_back(g.nodes[s].unit);
        closeList(g.unitSuccessors, list);
    }
}

Result<NpuGraph> buildGraph(const NpuModel& model, const NpuHardware& hardware, std::size_t maxNodes)
{
    return buildGraph(model, hardware, maxNodes, SpmCheck::Explains);
}

Result<NpuGraph> buildGraph(const NpuModel& model, const NpuHardware& hardware, std::size_t maxNodes,
                            SpmCheck check)
{
    if (auto s = checkHardware(hardware); !s)
        return s.error();
    if (auto s = checkModel(model); !s)
        return s.error();
    TileGraphBuilder builder(model, hardware, maxNodes);
    auto graph = builder.build(check);
    return builder.tooMany() ? TileGraphBuilder(model, hardware, maxNodes, true).build(check)
                             : std::move(graph);
}

Cycle tensorCycles(const NpuHardware& hw, const ArrayWork& work, double rate, bool drain)
{
    const auto atRate = [rate](std::int64_t cycles) {
        return rate == 1 ? cycles
                         : static_cast<Cycle>(std::ceil(static_cast<double>(cycles) / rate * (1 - 1e-12)));
    };
    if (hw.fixed) // arrays with fixed loops have no drain
        return atRate(arrayCycles(*hw.fixed, work));
    using L = ArrayLoop;
    const std::int64_t m = work.of(L::N) * work.of(L::Ox) * work.of(L::Oy), n = work.of(L::M);
    const std::int64_t k = work.of(L::C) * work.of(L::Fx) * work.of(L::Fy);
    const std::int64_t foldsM = ceilDiv(m, hw.engineRows);
    const std::int64_t foldsN = ceilDiv(n, hw.engineCols);
    const Cycle stream = atRate(ceilDiv(foldsM * foldsN, hw.arrays) * k);
    if (!drain)
        return stream;
    return stream + (m - (foldsM - 1) * hw.engineRows) + (n - (foldsN - 1) * hw.engineCols) - 2;
}

} // namespace tilewright::npu
