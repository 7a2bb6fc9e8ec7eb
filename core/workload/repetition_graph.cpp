// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/repetition_graph.h"

#include "base/hash.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

namespace tilewright {

OpWiring::OpWiring(const Problem& problem)
    : m_kind(problem.opCount()), m_depth(problem.opCount(), 0), m_order(problem.opCount())
{
    using Facts = std::vector<std::int64_t>;
    std::unordered_map<Facts, int, ListHash> kinds, arrangements;
    const auto numberOf = [](auto& known, const Facts& of, int from) {
        return known.emplace(of, static_cast<int>(known.size()) + from).first->second;
    };
    Facts facts, shapes;
    std::vector<std::size_t> firstOperands; // index of the first operand of each input
    for (std::size_t i = 0; i < problem.opCount(); ++i) {
        const Op& op = problem.op(OpId(i));
        m_firstInput.push_back(m_inputs.size());
        m_firstOperand.push_back(m_operands.size());
        facts = {static_cast<std::int64_t>(op.type), op.baseCost};
        const auto addShape = [&](Facts& to, TensorId t) {
            to.insert(to.end(), {problem.tensor(t).width, problem.tensor(t).height});
        };
        const auto addOperand = [&](TensorId t) {
            const auto producer = problem.producer(t);
            m_operands.push_back({producer ? static_cast<int>(producer->value) : kNone, t});
        };
        addShape(facts, op.output);
        for (const TensorId t : op.inputs) {
            addShape(facts, t);
            firstOperands.push_back(m_operands.size());
            int arrangement = 0;
            if (problem.isView(t)) {
                shapes.clear();
                for (const TensorId base : problem.bases(t)) {
                    addShape(shapes, base);
                    addOperand(base);
                }
                arrangement = numberOf(arrangements, shapes, 1);
            } else {
                addOperand(t);
            }
            m_inputs.push_back({t, arrangement, {}});
        }
        m_kind[i] = numberOf(kinds, facts, 0);
    }
    m_firstInput.push_back(m_inputs.size());
    m_firstOperand.push_back(m_operands.size());
    firstOperands.push_back(m_operands.size());
    for (std::size_t i = 0; i < m_inputs.size(); ++i)
        m_inputs[i].operands =
            std::span(m_operands).subspan(firstOperands[i], firstOperands[i + 1] - firstOperands[i]);
    for (const OpId op : problem.topologicalOrder())
        for (const Operand& o : operands(static_cast<int>(op.value)))
            if (o.producer != kNone)
                m_depth[op.index()] = std::max(m_depth[op.index()], depth(o.producer) + 1);
    std::iota(m_order.begin(), m_order.end(), 0);
    std::stable_sort(m_order.begin(), m_order.end(), [&](int a, int b) { return depth(a) < depth(b); });
}

namespace {

class BlockRun
{
public:
    BlockRun(const OpWiring& wiring, const std::vector<int>& lastOps, std::size_t& visited)
        : m_wiring(wiring), m_last(lastOps), m_visited(visited), m_stage(all(OpWiring::kNone)),
          m_before(all(OpWiring::kNone)), m_claimed(all(OpWiring::kNone)), m_members(lastOps.size()),
          m_equal(lastOps.size(), false)
    {
    }

    Blocks longest()
    {
        for (std::size_t k = 0; k < m_last.size(); ++k) {
            const bool follows = collect(static_cast<int>(k));
            m_equal[k] = k > 0 && follows && pairUp(static_cast<int>(k));
        }
        Blocks best;
        for (std::size_t first = 0; first + 1 < m_last.size();) {
            std::size_t last = first;
            while (last + 1 < m_last.size() && m_equal[last + 1] &&
                   (last == first || m_members[last].size() == m_members[last + 1].size()))
                ++last;
            if (last > first) {
                Blocks run = longestWithEqualReads(blocksOf(first, last));
                if (run.size() > 1 && (best.empty() || repeatedOps(run) > repeatedOps(best)))
                    best = std::move(run);
            }
            first = std::max(last, first + 1);
        }
        if (!best.empty())
            addLeaves(best);
        return best;
    }

private:
    [[nodiscard]] std::vector<int> all(int value) const
    {
        return std::vector<int>(static_cast<std::size_t>(m_wiring.size()), value);
    }
    static std::size_t at(int op) { return static_cast<std::size_t>(op); }
    static std::size_t repeatedOps(const Blocks& blocks)
    {
        return (blocks.size() - 1) * blocks.front().size();
    }

    /// Collects the ops that lead to the last op of block k and do not belong to an earlier block. Returns
    /// true if the last op of block k - 1 is one of their producers.
    bool collect(int k)
    {
        if (m_stage[at(m_last[at(k)])] != OpWiring::kNone)
            return false;
        std::vector<int> open{m_last[at(k)]};
        m_stage[at(open.front())] = k;
        bool follows = false;
        while (!open.empty()) {
            const int op = open.back();
            open.pop_back();
            m_members[at(k)].push_back(op);
            for (const OpWiring::Operand& o : m_wiring.operands(op)) {
                if (o.producer == OpWiring::kNone)
                    continue;
                follows = follows || (k > 0 && o.producer == m_last[at(k - 1)]);
                if (m_stage[at(o.producer)] != OpWiring::kNone)
                    continue;
                m_stage[at(o.producer)] = k;
                open.push_back(o.producer);
            }
        }
        m_visited += m_members[at(k)].size();
        return follows;
    }

    /// Pairs the ops of a block with those of the previous block, from the last ops backwards. Returns true
    /// if all pairs match.
    bool pairUp(int block)
    {
        std::vector<std::pair<int, int>> open;
        const auto pair = [&](int op, int other) {
            if (m_before[at(op)] != OpWiring::kNone)
                return m_before[at(op)] == other;
            if (other == OpWiring::kNone || m_stage[at(other)] != block - 1 ||
                m_claimed[at(other)] != OpWiring::kNone || m_wiring.kind(op) != m_wiring.kind(other))
                return false;
            m_before[at(op)] = other;
            m_claimed[at(other)] = op;
            open.emplace_back(op, other);
            return true;
        };
        if (!pair(m_last[at(block)], m_last[at(block - 1)]))
            return false;
        while (!open.empty()) {
            const auto [op, other] = open.back();
            open.pop_back();
            const auto here = m_wiring.inputs(op), there = m_wiring.inputs(other);
            for (std::size_t i = 0; i < here.size(); ++i)
                for (std::size_t k = 0; k < here[i].operands.size(); ++k) {
                    const int p = here[i].operands[k].producer;
                    if (p != OpWiring::kNone && m_stage[at(p)] == block &&
                        (here[i].arrangement != there[i].arrangement ||
                         !pair(p, there[i].operands[k].producer)))
                        return false;
                }
        }
        return true;
    }

    [[nodiscard]] Blocks blocksOf(std::size_t first, std::size_t last) const
    {
        Blocks blocks(last - first + 1);
        blocks.back() = m_members[last];
        std::sort(blocks.back().begin(), blocks.back().end(), [&](int a, int b) {
            return std::pair(m_wiring.depth(a), a) < std::pair(m_wiring.depth(b), b);
        });
        for (std::size_t b = blocks.size() - 1; b-- > 0;)
            for (const int op : blocks[b + 1])
                blocks[b].push_back(m_before[at(op)]);
        return blocks;
    }

    // Functions that compare the sources of operands:

    struct Places
    {
        /// Per op: number of its block, and index in the block; kNone outside of all blocks.
        std::vector<int> block, index;
    };
    [[nodiscard]] Places placesOf(const Blocks& blocks) const
    {
        Places places{all(OpWiring::kNone), all(OpWiring::kNone)};
        for (std::size_t b = 0; b < blocks.size(); ++b)
            for (std::size_t i = 0; i < blocks[b].size(); ++i) {
                places.block[at(blocks[b][i])] = static_cast<int>(b);
                places.index[at(blocks[b][i])] = static_cast<int>(i);
            }
        return places;
    }

    /// Returns true if the operands of block b have the same sources as the operands of block `model`,
    /// relative to the block. If `first` is true, block b is the first block of the run and has no previous
    /// block: in place of a result of an earlier block it may read any tensor, but always the same one.
    [[nodiscard]] bool readsCorrespondingOperands(const Blocks& blocks, const Places& places, std::size_t b,
                                                  std::size_t model, bool first) const
    {
        std::map<std::tuple<int, int, int>, TensorId> instead;
        // Graph inputs and views are numbered in order of first use. Equal numbers mean corresponding
        // tensors.
        std::map<TensorId, int> numbers, modelNumbers;
        const auto number = [](std::map<TensorId, int>& known, TensorId t) {
            return known.emplace(t, static_cast<int>(known.size())).first->second;
        };
        const auto sameTensors = [&](TensorId t, TensorId m, TensorId before, TensorId beforeModel) {
            if (number(numbers, t) != number(modelNumbers, m))
                return false;
            const bool isShared = m == beforeModel;
            return first || b == 0 ? !isShared || t == m : (t == before) == isShared;
        };
        const auto sameProducers = [&](int p, int m) {
            const int blockOfModel = places.block[at(m)];
            if (blockOfModel == OpWiring::kNone)
                return p == m;
            return places.block[at(p)] == static_cast<int>(b) - (static_cast<int>(model) - blockOfModel) &&
                   places.index[at(p)] == places.index[at(m)];
        };
        const auto isIn = [&](const OpWiring::Input& input, std::size_t block) {
            return std::any_of(input.operands.begin(), input.operands.end(), [&](const auto& o) {
                return o.producer != OpWiring::kNone &&
                       places.block[at(o.producer)] == static_cast<int>(block);
            });
        };
        for (std::size_t i = 0; i < blocks[b].size(); ++i) {
            const auto here = m_wiring.inputs(blocks[b][i]), there = m_wiring.inputs(blocks[model][i]);
            const auto before = m_wiring.inputs(blocks[b > 0 ? b - 1 : b][i]);
            const auto beforeModel = m_wiring.inputs(blocks[model - 1][i]);
            for (std::size_t k = 0; k < here.size(); ++k) {
                const int from = there[k].operands.front().producer;
                const int blockOfModel = from == OpWiring::kNone ? OpWiring::kNone : places.block[at(from)];
                if (first && blockOfModel != OpWiring::kNone && !isIn(there[k], model)) {
                    const std::tuple place{static_cast<int>(model) - blockOfModel, places.index[at(from)],
                                           there[k].arrangement};
                    if (isIn(here[k], b) ||
                        instead.emplace(place, here[k].tensor).first->second != here[k].tensor)
                        return false;
                    continue;
                }
                if (here[k].arrangement != there[k].arrangement)
                    return false;
                // The input of the first block from outside may have fewer operands.
                const auto operandBefore = [](const OpWiring::Input& input, std::size_t o) {
                    return o < input.operands.size() ? input.operands[o].tensor : input.tensor;
                };
                if (there[k].arrangement != 0 &&
                    !sameTensors(here[k].tensor, there[k].tensor, before[k].tensor, beforeModel[k].tensor))
                    return false;
                for (std::size_t o = 0; o < here[k].operands.size(); ++o) {
                    const auto& x = here[k].operands[o];
                    const auto& m = there[k].operands[o];
                    if ((x.producer == OpWiring::kNone) != (m.producer == OpWiring::kNone))
                        return false;
                    if (m.producer == OpWiring::kNone
                            ? !sameTensors(x.tensor, m.tensor, operandBefore(before[k], o),
                                           operandBefore(beforeModel[k], o))
                            : !sameProducers(x.producer, m.producer))
                        return false;
                }
            }
        }
        return !first || isConvex(places, b, blocks[b]);
    }

    /// Returns true if no path leaves the block and enters it again. Such a block is convex.
    [[nodiscard]] bool isConvex(const Places& places, std::size_t b, const std::vector<int>& block) const
    {
        const auto inside = [&](int op) { return places.block[at(op)] == static_cast<int>(b); };
        int deepest = 0, highest = m_wiring.size();
        for (const int op : block) {
            deepest = std::max(deepest, m_wiring.depth(op));
            highest = std::min(highest, m_wiring.depth(op));
        }
        std::vector<char> behind(static_cast<std::size_t>(m_wiring.size()), 0);
        const auto& order = m_wiring.order();
        auto from = std::partition_point(order.begin(), order.end(),
                                         [&](int op) { return m_wiring.depth(op) < highest; });
        for (; from != order.end() && m_wiring.depth(*from) <= deepest; ++from)
            for (const OpWiring::Operand& o : m_wiring.operands(*from)) {
                if (o.producer == OpWiring::kNone)
                    continue;
                const bool comesBack = behind[at(o.producer)] != 0;
                if (comesBack && inside(*from))
                    return false;
                if (comesBack || (inside(o.producer) && !inside(*from)))
                    behind[at(*from)] = 1;
            }
        return true;
    }

    /// Returns the longest part of the run in which all blocks read corresponding operands.
    [[nodiscard]] Blocks longestWithEqualReads(const Blocks& run)
    {
        const Places places = placesOf(run);
        std::size_t bestFirst = 0, bestCount = 0;
        for (std::size_t model = run.size(); model-- > 1;) {
            std::size_t first = model;
            while (first > 0 && readsCorrespondingOperands(run, places, first - 1, model, false))
                --first;
            if (first > 0 && readsCorrespondingOperands(run, places, first - 1, model, true))
                --first;
            m_visited += (model - first + 1) * run.front().size();
            if (model - first + 1 > bestCount) {
                bestFirst = first;
                bestCount = model - first + 1;
            }
            // The first block of a run may be the last block of another one.
            model = first < model ? first + 1 : model;
        }
        if (bestCount < 2)
            return {};
        return Blocks(run.begin() + static_cast<std::ptrdiff_t>(bestFirst),
                      run.begin() + static_cast<std::ptrdiff_t>(bestFirst + bestCount));
    }

    // Functions for ops outside the paths to the last ops:

    /// Adds ops that occur in every block and do not lead to its last op, for example graph outputs such as
    /// cached keys.
    void addLeaves(Blocks& blocks)
    {
        Places places = placesOf(blocks);
        const int firstStage = m_stage[at(blocks.front().front())];
        for (bool found = true; found;) {
            found = false;
            // Per key: the matching ops of each block.
            std::map<std::vector<int>, std::vector<std::vector<int>>> candidates;
            for (const int op : m_wiring.order()) {
                if (places.block[at(op)] != OpWiring::kNone || m_stage[at(op)] != OpWiring::kNone)
                    continue;
                int block = OpWiring::kNone;
                for (const OpWiring::Operand& o : m_wiring.operands(op))
                    if (o.producer != OpWiring::kNone)
                        block = std::max(block, places.block[at(o.producer)]);
                if (block == OpWiring::kNone)
                    continue;
                std::vector<int> key{m_wiring.kind(op)};
                bool known = true;
                for (const OpWiring::Input& input : m_wiring.inputs(op))
                    key.push_back(input.arrangement);
                for (const OpWiring::Operand& o : m_wiring.operands(op)) {
                    const int p = o.producer;
                    if (p == OpWiring::kNone)
                        key.insert(key.end(), {0, 0});
                    else if (places.block[at(p)] != OpWiring::kNone)
                        key.insert(key.end(), {1 + block - places.block[at(p)], places.index[at(p)]});
                    else {
                        known = known && m_stage[at(p)] != OpWiring::kNone && m_stage[at(p)] <= firstStage;
                        key.insert(key.end(), {-1, p});
                    }
                }
                if (!known)
                    continue;
                auto& byBlock = candidates[key];
                byBlock.resize(blocks.size());
                byBlock[at(block)].push_back(op);
            }
            Blocks next = blocks;
            for (const auto& [key, byBlock] : candidates) {
                const std::size_t each = byBlock.front().size();
                if (each == 0 || std::any_of(byBlock.begin(), byBlock.end(),
                                             [&](const auto& ops) { return ops.size() != each; }))
                    continue;
                for (std::size_t b = 0; b < blocks.size(); ++b)
                    next[b].insert(next[b].end(), byBlock[b].begin(), byBlock[b].end());
                found = true;
            }
            if (!found || longestWithEqualReads(next).size() != blocks.size())
                return;
            blocks = std::move(next);
            places = placesOf(blocks);
        }
    }

    const OpWiring& m_wiring;
    const std::vector<int>& m_last;
    std::size_t& m_visited;
    std::vector<int> m_stage;   // per op: the first block to whose last op it leads
    std::vector<int> m_before;  // per op: the corresponding op of the previous block
    std::vector<int> m_claimed; // per op: the corresponding op of the next block
    Blocks m_members;           // ops of each block
    std::vector<char> m_equal;  // per block: true if it equals the previous block
};

} // namespace

Blocks blocksEndingIn(const OpWiring& wiring, const std::vector<int>& lastOps, std::size_t& visited)
{
    return BlockRun(wiring, lastOps, visited).longest();
}

} // namespace tilewright
