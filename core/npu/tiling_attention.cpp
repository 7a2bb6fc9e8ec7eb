// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/integer.h"
#include "npu/tile_graph_builder.h"

#include <algorithm>

namespace tilewright::npu {

HeadTensor::HeadTensor(TileGraphBuilder& b, std::size_t modelTensor, std::int64_t heads)
    : m_shape(*headShape(b.model().tensors[modelTensor], heads)),
      m_flat(b.model().tensors[modelTensor].shape.size() == 2), m_view(b.resolve(modelTensor))
{
}

std::uint32_t HeadTensor::tile(TileGraphBuilder& b, std::int64_t batch, std::int64_t h, std::int64_t hn,
                               std::int64_t t, std::int64_t tn, std::int64_t d, std::int64_t dn,
                               bool accumulator) const
{
    t += m_view.tokenOffset;
    if (m_flat)
        return b.tile(m_view.tensor, {t, h * m_shape.dims + d, 0, 0},
                      {tn, (hn - 1) * m_shape.dims + dn, 1, 1}, accumulator);
    return b.tile(m_view.tensor, {batch, h, t, d}, {1, hn, tn, dn}, accumulator);
}

ProducerGrid HeadTensor::grid(std::int64_t headStep, const std::vector<std::int64_t>& tokenBounds,
                              std::int64_t dimStep, const std::vector<std::uint32_t>& nodes) const
{
    ProducerGrid out;
    std::vector<std::int64_t> tokens = tokenBounds;
    for (std::int64_t& t : tokens)
        t += m_view.tokenOffset;
    if (!m_flat) {
        out.bounds = {blockBounds(0, m_shape.batch, 1), blockBounds(0, m_shape.heads, headStep), tokens,
                      blockBounds(0, m_shape.dims, dimStep)};
        out.nodes = nodes;
        return out;
    }
    // A flat tensor has (head, dim) blocks as columns, so the nodes are reordered from (h, t, d) to (t, h,
    // d).
    std::vector<std::int64_t> columns;
    for (std::int64_t h = 0; h < m_shape.heads; h += headStep)
        for (std::int64_t d = 0; d < m_shape.dims; d += dimStep)
            columns.push_back(h * m_shape.dims + d);
    const std::size_t dimBlocks = static_cast<std::size_t>(ceilDiv(m_shape.dims, dimStep));
    const std::size_t headBlocks = columns.size() / dimBlocks;
    const std::size_t tokenBlocks = tokens.size() - 1;
    columns.push_back(m_shape.heads * m_shape.dims);
    for (std::size_t t = 0; t < tokenBlocks; ++t)
        for (std::size_t h = 0; h < headBlocks; ++h)
            for (std::size_t d = 0; d < dimBlocks; ++d)
                out.nodes.push_back(nodes[(h * tokenBlocks + t) * dimBlocks + d]);
    out.bounds = {tokens, columns, {0, 1}, {0, 1}};
    return out;
}

namespace {

/// Default number of tokens per chunk (docs/rules/npu.md 2.6).
constexpr std::int64_t kTokens = 128;

TileSizes headSizes(std::int64_t heads, std::int64_t tokens, std::int64_t dims)
{
    TileSizes t;
    t.heads = heads;
    t.tokens = tokens;
    t.dims = dims;
    return t;
}

/// Tiles one attention operator (docs/rules/npu.md 2.3) in blocks of heads.
class AttentionTiler
{
public:
    AttentionTiler(TileGraphBuilder& b, const ModelOp& op)
        : m_b(b), m_op(op), m_q(b, op.inputs[0], op.heads), m_k(b, op.inputs[1], op.headsOfKeys()),
          m_v(b, op.inputs[2], op.headsOfKeys()), m_o(b, op.outputs[0], op.heads)
    {
        const HeadShape& s = m_q.shape();
        m_dims = std::min(s.dims, op.tile.dims > 0 ? op.tile.dims : s.dims);
        m_heads = std::min(s.heads, op.tile.heads > 0 ? op.tile.heads : 1);
        // In a [T, H*D] tensor, a part of the dims of several heads is not one box.
        const bool anyFlat = m_q.isFlat() || m_k.isFlat() || m_v.isFlat() || m_o.isFlat();
        if (anyFlat && m_dims < s.dims)
            m_heads = 1;
        m_group = s.heads / m_k.shape().heads;
        // With grouped queries, a block of several heads would read the same keys several times.
        if (m_group > 1)
            m_heads = 1;
        m_tokens = op.tile.tokens > 0 ? op.tile.tokens : kTokens;
        m_queries =
            op.tile.queries > 0 ? std::min(s.tokens, op.tile.queries) : b.defaults().queries(op, m_tokens);
        shrink();
        TileSizes sizes = headSizes(m_heads, m_tokens, m_dims);
        sizes.queries = m_queries;
        b.setTile(sizes);
    }

    void run()
    {
        const HeadShape& s = m_q.shape();
        const auto queries = blockBounds(0, s.tokens, m_queries);
        makeScoreTensors(queries);
        for (std::int64_t batch = 0; batch < s.batch; ++batch)
            for (std::int64_t h = 0; h < s.heads; h += m_heads)
                for (std::size_t q = 0; q + 1 < queries.size(); ++q) {
                    if (m_b.tooMany())
                        return;
                    m_block = {
                        batch, h, std::min(m_heads, s.heads - h), queries[q], queries[q + 1] - queries[q], q};
                    m_head = static_cast<std::int32_t>(batch * s.heads + h);
                    m_op.flash ? flash() : standard();
                }
        m_b.addProducer(m_o.tensor(), m_o.grid(m_heads, queries, m_dims, m_outputs));
        for (std::size_t q = 0; q < m_scores.size(); ++q) {
            const auto keys = keyBounds(queries[q], queries[q + 1] - queries[q]);
            const auto grid = [&](const std::vector<std::uint32_t>& nodes) {
                ProducerGrid g;
                g.bounds = {blockBounds(0, s.batch, 1),
                            blockBounds(0, s.heads, m_heads),
                            {0, queries[q + 1] - queries[q]},
                            keys};
                g.nodes = nodes;
                return g;
            };
            m_b.addProducer(m_scores[q], grid(m_scoreNodes[q]));
            m_b.addProducer(m_probs[q], grid(m_probNodes[q]));
        }
    }

private:
    struct Block
    {
        std::int64_t batch, head, heads, query, queries;
        std::size_t chunk;
    };

    /// SPM bytes of the largest node with `copies` copies of its operands. A softmax node reads and writes
    /// whole rows.
    [[nodiscard]] std::int64_t largestNode(std::int64_t queries, std::int64_t tokens,
                                           std::int64_t copies) const
    {
        const std::int64_t element = m_b.dtype(), wide = m_b.hardware().accumulatorBytes;
        const std::int64_t dims = m_q.shape().dims, keys = m_k.shape().tokens;
        const std::int64_t chunk = std::min(tokens, keys);
        if (m_op.flash)
            return m_heads * (copies * (queries + chunk) * m_dims * element + queries * dims * wide +
                              queries * (chunk + 2) * wide);
        const std::int64_t scores = copies * (queries + chunk) * m_dims * element + queries * chunk * wide;
        const std::int64_t values = copies * (queries + m_dims) * chunk * element + queries * m_dims * wide;
        return m_heads * std::max({scores, values, queries * keys * (wide + element)});
    }

    /// Shrinks default sizes until the nodes fit into SPM. It takes fewer rows of Q and, in return, longer
    /// chunks of keys, so that the number of nodes stays small.
    void shrink()
    {
        const std::int64_t room = m_b.hardware().spmBytes, keys = m_k.shape().tokens;
        const bool freeTokens = m_op.tile.tokens == 0, freeQueries = m_op.tile.queries == 0;
        const auto fits = [&] { return largestNode(m_queries, m_tokens, 1) <= room; };
        while (freeQueries && !m_op.flash && !fits() && m_queries > 1) {
            m_queries = (m_queries + 1) / 2;
            const std::int64_t longer = 2 * m_tokens;
            const std::int64_t products = // SPM bytes of a node of a product (not of the softmax)
                m_heads * (2 * (m_queries + longer) * m_dims * m_b.dtype() +
                           m_queries * longer * m_b.hardware().accumulatorBytes);
            if (freeTokens && m_tokens < keys && products <= room)
                m_tokens = longer;
        }
        while (!fits() && ((freeTokens && m_tokens > 1) || (freeQueries && m_queries > 1)))
            if (freeTokens && m_tokens > 1 && (m_tokens >= m_queries || !freeQueries || m_queries == 1))
                m_tokens = (std::min(m_tokens, keys) + 1) / 2;
            else
                m_queries = (m_queries + 1) / 2;
    }

    /// Bounds of the key chunks that query rows [query, query + count) can see.
    [[nodiscard]] std::vector<std::int64_t> keyBounds(std::int64_t query, std::int64_t count) const
    {
        const std::int64_t keys = m_k.shape().tokens;
        const std::int64_t lastSeen =
            m_op.causal ? query + count - 1 + (keys - m_q.shape().tokens) : keys - 1;
        std::vector<std::int64_t> out;
        for (std::int64_t k = 0; k < keys && k <= lastSeen; k += m_tokens)
            out.push_back(k);
        out.push_back(std::min(keys, out.back() + m_tokens));
        return out;
    }

    /// Adds one score tensor per query chunk. A score tensor has only the columns of visible keys, so that a
    /// causal mask leaves no gaps in it.
    void makeScoreTensors(const std::vector<std::int64_t>& queries)
    {
        if (m_op.flash)
            return;
        const HeadShape& s = m_q.shape();
        for (std::size_t q = 0; q + 1 < queries.size(); ++q) {
            const std::int64_t rows = queries[q + 1] - queries[q];
            const Box shape{s.batch, s.heads, rows, keyBounds(queries[q], rows).back()};
            const std::string part = "[" + std::to_string(q) + "]";
            m_scores.push_back(m_b.addTensor(m_op.name + ".scores" + part, shape, 4));
            m_probs.push_back(m_b.addTensor(m_op.name + ".probs" + part, shape, 4));
        }
        m_scoreNodes.resize(m_scores.size());
        m_probNodes.resize(m_scores.size());
    }

    [[nodiscard]] Cycle cycles(std::int64_t m, std::int64_t n, std::int64_t k, bool drain) const
    {
        const ArrayWork work = productWork(m, n, k);
        return (m_block.heads - 1) * tensorCycles(m_b.hardware(), work, m_op.rate, false) +
               tensorCycles(m_b.hardware(), work, m_op.rate, drain);
    }

    TileGraphBuilder::NodeSpec product(std::int64_t m, std::int64_t n, std::int64_t k, bool drain) const
    {
        TileGraphBuilder::NodeSpec node;
        node.type = NodeType::MatMul;
        node.head = m_head;
        node.m = m;
        node.n = n;
        node.k = k;
        node.repeats = m_block.heads;
        node.computeCycles = cycles(m, n, k, drain);
        return node;
    }

    [[nodiscard]] std::uint32_t queryTile(std::int64_t d, std::int64_t dn) const
    {
        return m_q.tile(m_b, m_block.batch, m_block.head, m_block.heads, m_block.query, m_block.queries, d,
                        dn);
    }
    [[nodiscard]] std::uint32_t keyTile(const HeadTensor& tensor, std::int64_t from, std::int64_t to,
                                        std::int64_t d, std::int64_t dn) const
    {
        return tensor.tile(m_b, m_block.batch, m_block.head / m_group, m_block.heads, from, to - from, d, dn);
    }
    [[nodiscard]] std::uint32_t scoreTile(std::uint32_t tensor, std::int64_t from, std::int64_t to,
                                          bool accumulator) const
    {
        return m_b.tile(tensor, {m_block.batch, m_block.head, 0, from},
                        {1, m_block.heads, m_block.queries, to - from}, accumulator);
    }
    [[nodiscard]] std::uint32_t outputTile(std::int64_t d, std::int64_t dn) const
    {
        return m_o.tile(m_b, m_block.batch, m_block.head, m_block.heads, m_block.query, m_block.queries, d,
                        dn, true);
    }

    void standard()
    {
        const auto keys = keyBounds(m_block.query, m_block.queries);
        const std::int64_t dims = m_q.shape().dims;
        const std::uint32_t scores = m_scores[m_block.chunk];
        const std::uint32_t probs = m_probs[m_block.chunk];
        TileGraphBuilder::NodeSpec softmax;
        softmax.type = NodeType::Softmax;
        softmax.head = m_head;
        for (std::size_t k = 0; k + 1 < keys.size(); ++k) {
            const std::uint32_t s = scoreTile(scores, keys[k], keys[k + 1], true);
            std::uint32_t last = 0;
            for (std::int64_t d = 0; d < dims; d += m_dims) {
                const std::int64_t dn = std::min(m_dims, dims - d);
                const bool isLast = d + dn == dims;
                auto node = product(m_block.queries, keys[k + 1] - keys[k], dn, isLast);
                node.inputs = distinct({queryTile(d, dn), keyTile(m_k, keys[k], keys[k + 1], d, dn)});
                if (isLast)
                    node.outputs = {s};
                node.accumulator = s;
                last = m_b.addNode(std::move(node), d > 0);
            }
            m_scoreNodes[m_block.chunk].push_back(last);
            softmax.inputs.push_back(s);
            softmax.outputs.push_back(scoreTile(probs, keys[k], keys[k + 1], false));
        }
        const auto probTiles = softmax.outputs;
        softmax.computeCycles =
            ceilDiv(m_block.heads * m_block.queries * keys.back(), m_b.hardware().vectorLanes) *
            m_b.hardware().passes.softmax;
        const std::uint32_t softmaxNode = m_b.addNode(std::move(softmax));
        m_probNodes[m_block.chunk].insert(m_probNodes[m_block.chunk].end(), probTiles.size(), softmaxNode);
        for (std::int64_t d = 0; d < dims; d += m_dims) {
            const std::int64_t dn = std::min(m_dims, dims - d);
            const std::uint32_t out = outputTile(d, dn);
            std::uint32_t last = 0;
            for (std::size_t k = 0; k + 1 < keys.size(); ++k) {
                const bool isLast = k + 2 == keys.size();
                auto node = product(m_block.queries, dn, keys[k + 1] - keys[k], isLast);
                node.inputs = {probTiles[k], keyTile(m_v, keys[k], keys[k + 1], d, dn)};
                if (isLast)
                    node.outputs = {out};
                node.accumulator = out;
                last = m_b.addNode(std::move(node), k > 0);
            }
            m_outputs.push_back(last);
        }
    }

    /// Flash attention: softmax streamed over key chunks; scores, running maximum and sum stay in SPM
    /// (docs/rules/npu.md 2.3, variant flash). All dims are accumulated together, because every chunk
    /// rescales the whole output.
    void flash()
    {
        const auto keys = keyBounds(m_block.query, m_block.queries);
        const std::int64_t dims = m_q.shape().dims;
        const NpuHardware& hw = m_b.hardware();
        const std::int64_t rows = m_block.heads * m_block.queries;
        const std::int64_t width = std::min(m_tokens, m_k.shape().tokens);
        const std::int64_t scratch = rows * (width + 2) * hw.accumulatorBytes;
        const std::uint32_t out = outputTile(0, dims);
        bool continues = false;
        std::uint32_t last = 0;
        const auto add = [&](TileGraphBuilder::NodeSpec node) {
            node.accumulator = out;
            node.scratchBytes = scratch;
            last = m_b.addNode(std::move(node), continues);
            continues = true;
        };
        for (std::size_t k = 0; k + 1 < keys.size(); ++k) {
            const std::int64_t kn = keys[k + 1] - keys[k];
            for (std::int64_t d = 0; d < dims; d += m_dims) {
                const std::int64_t dn = std::min(m_dims, dims - d);
                auto scores = product(m_block.queries, kn, dn, d + dn == dims);
                scores.inputs = distinct({queryTile(d, dn), keyTile(m_k, keys[k], keys[k + 1], d, dn)});
                add(std::move(scores));
            }
            TileGraphBuilder::NodeSpec softmax;
            softmax.type = NodeType::Softmax;
            softmax.head = m_head;
            softmax.computeCycles =
                ceilDiv(rows * kn, hw.vectorLanes) * hw.passes.softmax +
                (k > 0 ? ceilDiv(rows * dims, hw.vectorLanes) * hw.passes.elementwise : 0);
            add(std::move(softmax));
            for (std::int64_t d = 0; d < dims; d += m_dims) {
                const std::int64_t dn = std::min(m_dims, dims - d);
                const bool isLast = k + 2 == keys.size() && d + dn == dims;
                auto values = product(m_block.queries, dn, kn, isLast);
                values.inputs = {keyTile(m_v, keys[k], keys[k + 1], d, dn)};
                if (isLast)
                    values.outputs = {out};
                add(std::move(values));
            }
        }
        for (std::int64_t d = 0; d < dims; d += m_dims)
            m_outputs.push_back(last);
    }

    /// Removes duplicate tiles, which occur if Q and K are the same tensor.
    static std::vector<std::uint32_t> distinct(std::vector<std::uint32_t> tiles)
    {
        if (tiles.size() == 2 && tiles[0] == tiles[1])
            tiles.pop_back();
        return tiles;
    }

    TileGraphBuilder& m_b;
    const ModelOp& m_op;
    HeadTensor m_q, m_k, m_v, m_o;
    std::int64_t m_heads = 1, m_group = 1, m_queries = 1, m_tokens = 1, m_dims = 1;
    Block m_block{};
    std::int32_t m_head = -1;
    std::vector<std::uint32_t> m_scores, m_probs; ///< per query chunk: its tensor of scores (probabilities)
    std::vector<std::vector<std::uint32_t>> m_scoreNodes, m_probNodes;
    std::vector<std::uint32_t> m_outputs;
};

} // namespace

void tileAttention(TileGraphBuilder& builder, const ModelOp& op)
{
    AttentionTiler(builder, op).run();
}

void tileKvAppend(TileGraphBuilder& b, const ModelOp& op)
{
    const HeadTensor in(b, op.inputs[0], op.heads);
    const HeadTensor cache(b, op.outputs[0], 0);
    const HeadShape& s = in.shape();
    const std::int64_t headStep = std::min(s.heads, op.tile.heads > 0 ? op.tile.heads : 1);
    const std::int64_t tokenStep = op.tile.tokens > 0 ? op.tile.tokens : kTokens;
    b.setTile(headSizes(headStep, tokenStep, s.dims));
    std::vector<std::uint32_t> nodes;
    for (std::int64_t batch = 0; batch < s.batch; ++batch)
        for (std::int64_t h = 0; h < s.heads; h += headStep)
            for (std::int64_t t = 0; t < s.tokens; t += tokenStep) {
                if (b.tooMany())
                    return;
                const std::int64_t hn = std::min(headStep, s.heads - h);
                const std::int64_t tn = std::min(tokenStep, s.tokens - t);
                TileGraphBuilder::NodeSpec node;
                node.type = NodeType::KvStore;
                node.head = static_cast<std::int32_t>(batch * s.heads + h);
                node.inputs = {in.tile(b, batch, h, hn, t, tn, 0, s.dims)};
                node.outputs = {cache.tile(b, batch, h, hn, op.position + t, tn, 0, s.dims)};
                nodes.push_back(b.addNode(std::move(node)));
            }
    b.addProducer(
        cache.tensor(),
        cache.grid(headStep, blockBounds(op.position, op.position + s.tokens, tokenStep), s.dims, nodes));
}

void tileKvLoad(TileGraphBuilder& b, const ModelOp& op)
{
    const HeadTensor cache(b, op.inputs[0], 0);
    const HeadShape& s = cache.shape();
    const std::int64_t headStep = std::min(s.heads, op.tile.heads > 0 ? op.tile.heads : 1);
    const std::int64_t tokenStep = op.tile.tokens > 0 ? op.tile.tokens : kTokens;
    const std::int64_t dimStep = std::min(s.dims, op.tile.dims > 0 ? op.tile.dims : s.dims);
    b.setTile(headSizes(headStep, tokenStep, dimStep));
    std::vector<std::uint32_t> nodes;
    for (std::int64_t batch = 0; batch < s.batch; ++batch)
        for (std::int64_t h = 0; h < s.heads; h += headStep)
            for (std::int64_t t = op.range[0]; t < op.range[1]; t += tokenStep)
                for (std::int64_t d = 0; d < s.dims; d += dimStep) {
                    if (b.tooMany())
                        return;
                    TileGraphBuilder::NodeSpec node;
                    node.type = NodeType::KvLoad;
                    node.head = static_cast<std::int32_t>(batch * s.heads + h);
                    node.inputs = {cache.tile(b, batch, h, std::min(headStep, s.heads - h), t,
                                              std::min(tokenStep, op.range[1] - t), d,
                                              std::min(dimStep, s.dims - d))};
                    nodes.push_back(b.addNode(std::move(node)));
                }
    b.m_loaders[cache.tensor()].push_back(
        cache.grid(headStep, blockBounds(op.range[0], op.range[1], tokenStep), dimStep, nodes));
    b.m_views[op.outputs[0]] = TileGraphBuilder::View{cache.tensor(), op.range[0]};
}

} // namespace tilewright::npu
