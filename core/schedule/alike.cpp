// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/alike.h"

#include <algorithm>
#include <array>

namespace tilewright {

namespace {

/// Schedule of one subgraph relative to its block. Ops and tensors are identified by their position in the
/// block.
struct SubgraphInBlock
{
    std::vector<std::int64_t> places;
    Granularity granularity;
    const Traversal* traversal = nullptr;
    bool operator==(const SubgraphInBlock& other) const
    {
        return places == other.places && granularity == other.granularity && *traversal == *other.traversal;
    }
};

class BlockPositions
{
public:
    BlockPositions(const Problem& problem, const Repetition& repetition)
        : m_problem(problem), m_block(problem.opCount(), -1), m_index(problem.opCount(), -1)
    {
        for (std::size_t b = 0; b < repetition.count(); ++b)
            for (std::size_t i = 0; i < repetition.period(); ++i) {
                m_block[repetition.blocks[b][i].index()] = static_cast<std::int64_t>(b);
                m_index[repetition.blocks[b][i].index()] = static_cast<std::int64_t>(i);
            }
    }

    /// Index of the block that contains an op; -1 outside all blocks.
    [[nodiscard]] std::int64_t blockOf(OpId op) const { return m_block[op.index()]; }

    [[nodiscard]] SubgraphInBlock describe(const Subgraph& subgraph, std::int64_t block) const
    {
        SubgraphInBlock out{{}, subgraph.granularity, &subgraph.traversal};
        for (const OpId op : subgraph.ops)
            add(out.places, op, block);
        std::vector<std::array<std::int64_t, 4>> kept; // positions of the retained tensors, sorted later
        for (const TensorId t : subgraph.retain)
            kept.push_back(placeOf(t, block));
        std::sort(kept.begin(), kept.end());
        for (const auto& place : kept)
            out.places.insert(out.places.end(), place.begin(), place.end());
        return out;
    }

private:
    void add(std::vector<std::int64_t>& to, OpId op, std::int64_t block) const
    {
        const std::int64_t at = m_block[op.index()];
        if (at < 0)
            to.insert(to.end(), {0, -1, static_cast<std::int64_t>(op.index())});
        else
            to.insert(to.end(), {1, block - at, m_index[op.index()]});
    }

    /// Position of a tensor relative to a block: given by its producer, or by its first reader if it has no
    /// producer.
    [[nodiscard]] std::array<std::int64_t, 4> placeOf(TensorId t, std::int64_t block) const
    {
        const auto producer = m_problem.producer(t);
        const auto readers = m_problem.consumers(t);
        std::vector<std::int64_t> op;
        if (producer || !readers.empty())
            add(op, producer ? *producer : readers.front(), block);
        op.resize(3, -2);
        std::int64_t input = -1;
        if (!producer && !readers.empty()) {
            const auto& inputs = m_problem.op(readers.front()).inputs;
            input = std::find(inputs.begin(), inputs.end(), t) - inputs.begin();
        }
        return {op[0], op[1], op[2], input};
    }

    const Problem& m_problem;
    std::vector<std::int64_t> m_block, m_index; // per op: number of its block, and index in the block
};

} // namespace

std::vector<std::size_t> scheduledLike(const Problem& problem, const Schedule& schedule,
                                       const Repetition& repetition)
{
    const BlockPositions positions(problem, repetition);
    // Subgraphs of each block in execution order.
    std::vector<std::vector<SubgraphInBlock>> blocks(repetition.count());
    for (const SubgraphPtr& subgraph : schedule.subgraphs) {
        std::vector<std::int64_t> touched;
        for (const OpId op : subgraph->ops)
            if (op.index() < problem.opCount() && positions.blockOf(op) >= 0)
                touched.push_back(positions.blockOf(op));
        std::sort(touched.begin(), touched.end());
        touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
        for (const std::int64_t block : touched)
            blocks[static_cast<std::size_t>(block)].push_back(positions.describe(*subgraph, block));
    }
    std::vector<std::size_t> out;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        std::size_t like = b;
        for (std::size_t other = 0; other < b && like == b; ++other)
            if (out[other] == other && blocks[other] == blocks[b])
                like = other;
        out.push_back(like);
    }
    return out;
}

} // namespace tilewright
