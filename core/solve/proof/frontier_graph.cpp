// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/frontier_graph.h"

#include "eval/lower_bound.h"

#include <cmath>
#include <limits>
#include <tuple>
#include <unordered_map>

namespace tilewright {

namespace {

/// For a tensor with at most this number of readers, a demand records which of them run. If a tensor has more
/// readers, it counts as delivered to all of them.
constexpr std::size_t kTrackedReaders = 6;

/// Finds an order of the ops in which readers precede producers. A tensor is open from its first reader or
/// producer in this order to its last one. The order keeps few tensors open at a time.
class Order
{
public:
    Order(const Problem& problem, const std::vector<OpId>& ops) : m_problem(problem), m_ops(ops)
    {
        m_place.assign(problem.opCount(), kNone);
        for (std::size_t i = 0; i < ops.size(); ++i)
            m_place[ops[i].index()] = i;
    }
    [[nodiscard]] std::vector<OpId> best()
    {
        // One attempt takes time quadratic in the number of ops. The first attempt breaks ties by the order
        // of the ops, which treats repeated parts of the graph alike; later attempts break ties at random.
        constexpr std::size_t kMany = 200;
        const std::uint32_t tries = m_ops.size() > kMany ? 1 : 24;
        std::vector<OpId> out;
        double least = std::numeric_limits<double>::infinity();
        for (std::uint32_t seed = 0; seed < tries; ++seed) {
            auto [order, cost] = greedy(seed);
            if (cost < least) {
                least = cost;
                out = std::move(order);
            }
        }
        return out;
    }

private:
    static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

    [[nodiscard]] std::pair<std::vector<OpId>, double> greedy(std::uint32_t seed) const
    {
        constexpr double kStatesATensor = 2.5;
        std::vector<char> done(m_ops.size(), 0);
        std::vector<char> open(m_problem.tensorCount(), 0);
        std::vector<OpId> order;
        double cost = 0;
        std::size_t width = 0;
        std::uint32_t random = seed * 2654435761U + 12345U;
        while (order.size() < m_ops.size()) {
            std::size_t best = kNone;
            std::pair<int, std::uint32_t> bestKey{};
            for (std::size_t i = 0; i < m_ops.size(); ++i) {
                if (done[i] != 0 || !isReady(m_ops[i], done))
                    continue;
                random = random * 1664525U + 1013904223U;
                const std::pair key{opened(m_ops[i], done, open), seed == 0 ? 0 : random >> 8};
                if (best == kNone || key < bestKey) {
                    best = i;
                    bestKey = key;
                }
            }
            const OpId o = m_ops[best];
            width = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(width) + bestKey.first);
            done[best] = 1;
            order.push_back(o);
            open[m_problem.op(o).output.index()] = 0;
            for (const TensorId t : m_problem.op(o).inputs)
                open[t.index()] = isClosed(t, done) ? 0 : 1;
            cost += std::pow(kStatesATensor, static_cast<double>(width));
        }
        return {std::move(order), cost};
    }
    [[nodiscard]] bool isReady(OpId o, const std::vector<char>& done) const
    {
        return std::ranges::all_of(m_problem.consumers(m_problem.op(o).output), [&](OpId c) {
            return m_place[c.index()] == kNone || done[m_place[c.index()]] != 0;
        });
    }
    /// True if all ops that produce or read the tensor are decided; `also` counts as decided.
    [[nodiscard]] bool isClosed(TensorId t, const std::vector<char>& done, std::size_t also = kNone) const
    {
        const auto isDone = [&](OpId o) {
            const std::size_t at = m_place[o.index()];
            return at == kNone || at == also || done[at] != 0;
        };
        const auto producer = m_problem.producer(t);
        return (!producer || isDone(*producer)) && std::ranges::all_of(m_problem.consumers(t), isDone);
    }
    /// Returns by how much this op increases the number of open tensors.
    [[nodiscard]] int opened(OpId o, const std::vector<char>& done, const std::vector<char>& open) const
    {
        const Op& op = m_problem.op(o);
        int sum = open[op.output.index()] != 0 ? -1 : 0;
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
            const TensorId t = op.inputs[i];
            if (std::find(op.inputs.begin(), op.inputs.begin() + static_cast<std::ptrdiff_t>(i), t) !=
                op.inputs.begin() + static_cast<std::ptrdiff_t>(i))
                continue;
            const bool closed = isClosed(t, done, m_place[o.index()]);
            sum += (closed ? 0 : 1) - (open[t.index()] != 0 ? 1 : 0);
        }
        return sum;
    }

    const Problem& m_problem;
    const std::vector<OpId>& m_ops;
    std::vector<std::size_t> m_place;
};

} // namespace

void TensorDemand::add(const Request& request)
{
    const auto it = std::ranges::find_if(requests, [&](const Request& r) { return r.isSame(request); });
    if (it == requests.end()) {
        requests.push_back(request);
        std::ranges::sort(requests, {}, [](const Request& r) { return std::tuple(r.role, r.rows, r.cols); });
        return;
    }
    it->depth = std::max(it->depth, request.depth);
    if (request.gridW * request.gridH > it->gridW * it->gridH) {
        it->gridW = request.gridW;
        it->gridH = request.gridH;
    }
}

void TensorDemand::addTo(Digest& digest) const
{
    const auto number = [&](std::int64_t n) { digest.add(static_cast<std::uint64_t>(n)); };
    number(leastW);
    number(leastH);
    number(std::ssize(requests));
    for (const Request& r : requests) {
        number(r.role * 9 + r.rows * 3 + r.cols);
        number(r.gridW);
        number(r.gridH);
        number(r.depth);
    }
}

class FrontierBuilder
{
public:
    FrontierBuilder(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
                    const MasterRows& rows, const FrontierGraph::Limits& limits, bool hasExactDepths)
        : m_problem(problem), m_rules(rules), m_rows(rows), m_limits(limits),
          m_mostArcs(hasExactDepths ? limits.arcsWithExactDepth : limits.arcs), m_isHere(problem.opCount(), 0)
    {
        for (const OpId o : ops)
            m_isHere[o.index()] = 1;
        m_order = Order(problem, ops).best();
        m_out.m_demands.emplace_back();
        m_out.m_hasExactDepths = hasExactDepths;
        listDepths(ops);
    }
    std::optional<FrontierGraph> build();

private:
    using State = FrontierGraph::State;
    /// demands for the open tensors, then the numbers of their connected components
    using Key = std::vector<std::uint32_t>;
    struct KeyHash
    {
        std::size_t operator()(const Key& key) const noexcept
        {
            std::uint64_t h = 0x9E3779B97F4A7C15;
            for (const std::uint32_t v : key)
                h = (h ^ v) * 0x100000001B3;
            return h ^ (h >> 29);
        }
    };

    void listDepths(const std::vector<OpId>& ops);
    [[nodiscard]] std::uint32_t intern(TensorId t, const TensorDemand& demand);
    [[nodiscard]] TensorDemand readBy(OpId o, TensorId t, const TensorDemand& ofResult, bool isSink,
                                      std::int64_t depth, TensorDemand before) const;
    [[nodiscard]] bool tracksReaders(TensorId t) const
    {
        return m_problem.producer(t) && m_problem.consumers(t).size() <= kTrackedReaders;
    }
    [[nodiscard]] bool isProducedHere(TensorId t) const
    {
        const auto producer = m_problem.producer(t);
        return producer && m_isHere[producer->index()] != 0;
    }
    void addReached(FrontierChoice& s, TensorId t, OpId reader) const;
    void addReachedReaders(FrontierChoice& s, TensorId t, std::uint32_t demand) const;
    void expand(std::size_t at);

    const Problem& m_problem;
    const Rules& m_rules;
    const MasterRows& m_rows;
    const FrontierGraph::Limits& m_limits;
    std::size_t m_mostArcs;
    std::vector<char> m_isHere; ///< for each op, true if it is in the component
    std::vector<OpId> m_order;
    std::vector<std::vector<std::int64_t>> m_depths; ///< for each op, its possible depths if it is a sink
    FrontierGraph m_out;
    /// Indices of demands, by the digest of tensor and demand.
    std::unordered_map<Digest, std::uint32_t, DigestHash> m_interned;
    std::vector<TensorId> m_open; ///< open tensors, in the order of the keys
    std::vector<Key> m_keys;      ///< key of each state
};

/// Lists for each op, as a sink, the possible values of the largest reduction size of its drivers; 0 stands
/// for no driver.
void FrontierBuilder::listDepths(const std::vector<OpId>& ops)
{
    m_depths.resize(m_problem.opCount());
    for (const OpId o : ops) {
        const Op& op = m_problem.op(o);
        std::vector<std::int64_t>& mine = m_depths[o.index()];
        if (op.type == OpType::MatMul) {
            mine = {m_problem.reductionSize(o)};
            continue;
        }
        mine = {0};
        for (const TensorId t : op.inputs)
            if (isProducedHere(t)) {
                const auto& theirs = m_depths[m_problem.producer(t)->index()];
                mine.insert(mine.end(), theirs.begin(), theirs.end());
            }
        std::ranges::sort(mine);
        mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    }
}

std::uint32_t FrontierBuilder::intern(TensorId t, const TensorDemand& demand)
{
    if (demand == TensorDemand{})
        return 0;
    Digest d;
    d.add(t.value);
    d.add(demand.readers * 2 + (demand.forbidsProducer ? 1U : 0U));
    demand.addTo(d);
    const auto [it, isNew] = m_interned.try_emplace(d, static_cast<std::uint32_t>(m_out.m_demands.size()));
    if (isNew)
        m_out.m_demands.push_back(demand);
    return it->second;
}

/// Returns the demand for an operand: `before` plus the requests of op `o`, which follow from the demand for
/// its result (`ofResult`).
TensorDemand FrontierBuilder::readBy(OpId o, TensorId t, const TensorDemand& ofResult, bool isSink,
                                     std::int64_t depth, TensorDemand before) const
{
    const Op& op = m_problem.op(o);
    const auto consumers = m_problem.consumers(t);
    if (tracksReaders(t))
        before.readers |= 1U << (std::ranges::find(consumers, o) - consumers.begin());
    using Request = TensorDemand::Request;
    // a Pointwise requests from its operands what is requested from its result (R6.4)
    if (op.type == OpType::Pointwise) {
        if (isSink)
            before.add({TensorDemand::Pointwise, TensorDemand::Tile, TensorDemand::Tile, 0, 0, depth});
        for (Request r : ofResult.requests) {
            r.role = TensorDemand::Pointwise;
            before.add(r);
        }
    } else {
        const Tensor& out = m_problem.tensor(op.output);
        const auto producer = m_problem.producer(t);
        const bool isPrologue = producer && m_problem.op(*producer).type == OpType::Pointwise;
        for (const bool left : {true, false}) {
            if (op.inputs[left ? 0 : 1] != t)
                continue;
            if (isSink || ofResult.tile() != nullptr) { // in these cases the MatMul is a driver (R6.1, R6.2)
                const std::int64_t own = m_problem.reductionSize(o);
                before.add(left ? Request{TensorDemand::Left, TensorDemand::Tile, TensorDemand::Step,
                                          out.width, out.height, own}
                                : Request{TensorDemand::Right, TensorDemand::Step, TensorDemand::Tile,
                                          out.width, out.height, own});
            }
            // requests of readers that need a whole reduction at once (R6.5)
            for (const Request& r : ofResult.requests)
                if (!r.isTile())
                    before.add(left ? Request{TensorDemand::Left, r.rows, TensorDemand::Whole, r.gridW,
                                              r.gridH, r.depth}
                                    : Request{TensorDemand::Right, TensorDemand::Whole, r.cols, r.gridW,
                                              r.gridH, r.depth});
            if (isPrologue && m_rules.prologue != Rules::Prologue::Off) {
                std::int64_t& least = left ? before.leastW : before.leastH;
                least = std::max(least, m_problem.reductionSize(o));
            }
        }
    }
    before.forbidsProducer |= isFusionForbidden(m_problem, m_rules, t, o);
    return before;
}

void FrontierBuilder::addReached(FrontierChoice& s, TensorId t, OpId reader) const
{
    if (const auto row = m_rows.reaches(t, reader))
        s.achieved.emplace_back(*row, 1);
}

/// Adds the row "the tensor reaches this reader" for each reader that runs.
void FrontierBuilder::addReachedReaders(FrontierChoice& s, TensorId t, std::uint32_t demand) const
{
    const auto consumers = m_problem.consumers(t);
    for (std::size_t i = 0; i < consumers.size() && tracksReaders(t); ++i)
        if ((m_out.m_demands[demand].readers >> i & 1) != 0)
            addReached(s, t, consumers[i]);
}

void FrontierBuilder::expand(std::size_t at)
{
    const OpId o = m_order[at];
    const Op& op = m_problem.op(o);
    const TensorId result = op.output;
    std::vector<TensorId> operands(op.inputs);
    std::ranges::sort(operands);
    operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
    // After this op, its result is closed. An operand stays open if an op later in the order produces or
    // reads it.
    std::vector<char> isDone(m_problem.opCount(), 1);
    for (std::size_t i = at + 1; i < m_order.size(); ++i)
        isDone[m_order[i].index()] = 0;
    const auto isClosed = [&](TensorId t) {
        return !isProducedHere(t) &&
               std::ranges::all_of(m_problem.consumers(t), [&](OpId c) { return isDone[c.index()] != 0; });
    };
    std::vector<TensorId> open;
    std::vector<std::size_t> from; // for each open tensor, its index in the keys of the previous layer
    constexpr std::size_t kNotOpen = std::numeric_limits<std::size_t>::max();
    std::size_t placeOfResult = kNotOpen;
    for (std::size_t i = 0; i < m_open.size(); ++i) {
        if (m_open[i] == result)
            placeOfResult = i;
        else if (!isClosed(m_open[i])) {
            open.push_back(m_open[i]);
            from.push_back(i);
        }
    }
    std::vector<std::size_t> oldPlace, newPlace; // index of each operand in the old and new keys
    for (const TensorId t : operands) {
        const auto it = std::ranges::find(m_open, t);
        oldPlace.push_back(it == m_open.end() ? kNotOpen : static_cast<std::size_t>(it - m_open.begin()));
        if (it == m_open.end() && !isClosed(t)) {
            open.push_back(t);
            from.push_back(kNotOpen);
        }
        const auto place = std::ranges::find(open, t);
        newPlace.push_back(place == open.end() ? kNotOpen : static_cast<std::size_t>(place - open.begin()));
    }

    FrontierGraph::Layer layer{o, {}, {}, {}};
    std::unordered_map<Key, State, KeyHash> states;
    std::vector<Key> keys{{}, {}};
    struct Option
    {
        std::uint32_t choice;
        /// how the subgraph reads the operands after this choice: indices for FrontierGraph::demand()
        std::vector<std::uint32_t> operands;
    };
    // for each combination of the demands for the result and the operands of `o`: the possible choices for
    // `o`
    std::unordered_map<Key, std::vector<Option>, KeyHash> known;

    const auto optionsOf = [&](const Key& demands) -> const std::vector<Option>& {
        const auto [it, isNew] = known.try_emplace(demands);
        std::vector<Option>& out = it->second;
        if (!isNew)
            return out;
        // Lists all combinations for the tensors from outside the subgraph that are closed at this op: each
        // of them is either loaded or resident.
        const auto withLoads = [&](const FrontierChoice& s, const std::vector<std::uint32_t>& demand,
                                   std::vector<std::pair<TensorId, std::uint32_t>> outside) {
            std::erase_if(outside, [&](const auto& t) { return m_out.m_demands[t.second].requests.empty(); });
            const std::size_t combinations = std::size_t{1} << outside.size();
            for (std::size_t combination = 0; combination < combinations; ++combination) {
                FrontierChoice choice = s;
                bool possible = true;
                for (std::size_t i = 0; i < outside.size(); ++i) {
                    const auto [t, demandOfTensor] = outside[i];
                    const bool resident = (combination >> i & 1) != 0;
                    possible &= !resident || m_rows.mayBeResident(t);
                    if (!possible)
                        break;
                    choice.loads.push_back({t, demandOfTensor, resident});
                    if (resident) {
                        if (const auto row = m_rows.handedOver(t))
                            choice.achieved.emplace_back(*row, -1);
                        addReachedReaders(choice, t, demandOfTensor);
                    }
                }
                if (!possible)
                    continue;
                out.push_back({static_cast<std::uint32_t>(layer.choices.size()), demand});
                layer.choices.push_back(std::move(choice));
            }
        };
        const TensorDemand ofResult = m_out.m_demands[demands[0]];
        const bool isRead = !ofResult.requests.empty();
        std::vector<std::uint32_t> before(demands.begin() + 1, demands.end());
        std::vector<std::pair<TensorId, std::uint32_t>> outside;
        for (std::size_t i = 0; i < operands.size(); ++i)
            if (newPlace[i] == kNotOpen)
                outside.emplace_back(operands[i], before[i]);
        if (isRead)
            outside.emplace_back(result, demands[0]);
        FrontierChoice without;
        without.demand = demands[0];
        withLoads(without, before, outside);
        const TensorDemand::Request* const tile = ofResult.tile();
        const bool matmul = op.type == OpType::MatMul;
        if (ofResult.forbidsProducer ||
            (matmul && tile != nullptr && tile->depth < m_problem.reductionSize(o)))
            return out;
        const auto run = [&](std::int64_t depth) {
            FrontierChoice with;
            with.runs = true;
            with.demand = demands[0];
            with.sink = !isRead;
            with.depth = depth;
            with.achieved.emplace_back(m_rows.runs(o), 1);
            addReachedReaders(with, result, demands[0]);
            std::vector<std::uint32_t> after(before);
            outside.clear();
            for (std::size_t i = 0; i < operands.size(); ++i) {
                const TensorId t = operands[i];
                after[i] = intern(t, readBy(o, t, ofResult, !isRead, depth, m_out.m_demands[before[i]]));
                if (m_problem.producer(t) && !tracksReaders(t))
                    addReached(with, t, o);
                if (newPlace[i] == kNotOpen)
                    outside.emplace_back(t, after[i]);
            }
            const auto consumers = m_problem.consumers(result);
            if (isRead) {
                withLoads(with, after, outside);
            } else {
                FrontierChoice written = with;
                written.written = true;
                if (const auto row = m_rows.written(result))
                    written.achieved.emplace_back(*row, 1);
                for (const OpId c : consumers)
                    addReached(written, result, c);
                withLoads(written, after, outside);
            }
            // Case: the result is retained. If no op reads it, another subgraph has to write it (R3.6, R1.7).
            if (!m_rows.mayBeResident(result) ||
                (consumers.empty() && !m_problem.isGraphOutput(result) && m_problem.viewsOf(result).empty()))
                return;
            with.retained = true;
            if (const auto row = m_rows.handedOver(result))
                with.achieved.emplace_back(*row, 1);
            // a tensor that is retained here may be retained again by a later subgraph and written then
            const bool mayBeWrittenLater = m_rules.keepsInputs();
            if (const auto row = m_rows.written(result); row && mayBeWrittenLater)
                with.achieved.emplace_back(*row, 1);
            for (std::size_t i = 0; i < consumers.size(); ++i)
                if (mayBeWrittenLater ? !tracksReaders(result) || (ofResult.readers >> i & 1) == 0
                                      : !m_rows.covers(consumers[i]))
                    addReached(with, result, consumers[i]);
            withLoads(with, after, outside);
        };
        // The drivers of a sink are decided in later layers. Every possible depth is tried here; a driver
        // that contradicts the depth has no arc.
        if (isRead)
            run(0);
        else if (m_out.m_hasExactDepths)
            for (const std::int64_t depth : m_depths[o.index()])
                run(depth);
        else
            run(m_depths[o.index()].back());
        return out;
    };

    Key demands(1 + operands.size());
    std::vector<std::uint32_t> joined; // connected components that this op joins
    // `components`: the connected components before op `o`; the components that `o` joins count as one.
    // `openComponents`: the members of `components` that have open tensors after `o`.
    std::vector<std::uint32_t> openComponents, components;
    for (State s = 0; s < m_keys.size() && m_out.m_arcs + layer.arcs.size() <= m_mostArcs; ++s) {
        layer.first.push_back(static_cast<std::uint32_t>(layer.arcs.size()));
        const Key& key = m_keys[s];
        if (s == FrontierGraph::kAfter)
            continue; // no further op runs after this state
        const auto demandAt = [&](std::size_t place) {
            return place == kNotOpen || s == FrontierGraph::kBefore ? 0 : key[place];
        };
        demands[0] = demandAt(placeOfResult);
        for (std::size_t i = 0; i < operands.size(); ++i)
            demands[1 + i] = demandAt(oldPlace[i]);
        for (const Option& option : optionsOf(demands)) {
            const bool runs = layer.choices[option.choice].runs;
            if (s == FrontierGraph::kBefore && !runs) {
                layer.arcs.push_back({option.choice, FrontierGraph::kBefore});
                continue;
            }
            Key next(2 * open.size(), 0);
            for (std::size_t i = 0; i < open.size(); ++i)
                next[i] = demandAt(from[i]);
            for (std::size_t i = 0; i < operands.size(); ++i)
                if (newPlace[i] != kNotOpen)
                    next[newPlace[i]] = option.operands[i];
            // Connected components: if the op runs, all components that it touches are merged.
            const auto partAt = [&](std::size_t place) {
                return demandAt(place) == 0 ? 0 : key[m_open.size() + place];
            };
            joined.clear();
            if (runs) {
                const auto join = [&](std::size_t place) {
                    if (const std::uint32_t part = partAt(place); part != 0)
                        joined.push_back(part);
                };
                join(placeOfResult);
                for (const std::size_t place : oldPlace)
                    join(place);
            }
            // number of the component that contains this op
            constexpr std::uint32_t kMerged = std::numeric_limits<std::uint32_t>::max();
            openComponents.clear();
            components.clear();
            const auto add = [](std::vector<std::uint32_t>& list, std::uint32_t part) {
                if (std::ranges::find(list, part) == list.end())
                    list.push_back(part);
            };
            const auto unified = [&](std::uint32_t part) {
                return std::ranges::find(joined, part) != joined.end() ? kMerged : part;
            };
            for (std::size_t i = 0; i < m_open.size(); ++i)
                if (const std::uint32_t part = partAt(i); part != 0)
                    add(components, unified(part));
            if (runs)
                add(components, kMerged);
            for (std::size_t i = 0; i < open.size(); ++i) {
                if (next[i] == 0)
                    continue;
                const bool touched = runs && std::ranges::find(newPlace, i) != newPlace.end();
                const std::uint32_t part = touched ? kMerged : unified(partAt(from[i]));
                add(openComponents, part);
                next[open.size() + i] = static_cast<std::uint32_t>(std::ranges::find(openComponents, part) -
                                                                   openComponents.begin() + 1);
            }
            if (openComponents.size() != components.size() &&
                !(openComponents.empty() && components.size() == 1))
                continue; // a component without open tensors cannot be joined to the others any more
            State to = FrontierGraph::kAfter;
            if (!openComponents.empty()) {
                const auto [it, isNew] = states.try_emplace(next, static_cast<State>(keys.size()));
                if (isNew)
                    keys.push_back(std::move(next));
                to = it->second;
            }
            layer.arcs.push_back({option.choice, to});
        }
    }
    layer.first.push_back(static_cast<std::uint32_t>(layer.arcs.size()));
    m_out.m_arcs += layer.arcs.size();
    m_out.m_layers.push_back(std::move(layer));
    m_open = std::move(open);
    m_keys = std::move(keys);
}

std::optional<FrontierGraph> FrontierBuilder::build()
{
    m_keys.assign(2, {});
    for (std::size_t i = 0; i < m_order.size(); ++i) {
        expand(i);
        if (m_out.m_arcs > m_mostArcs || m_limits.secondsLeft() <= 0)
            return std::nullopt;
    }
    return std::move(m_out);
}

std::optional<FrontierGraph> FrontierGraph::build(const Problem& problem, const Rules& rules,
                                                  const std::vector<OpId>& ops, const MasterRows& rows,
                                                  const Limits& limits)
{
    auto out = FrontierBuilder(problem, rules, ops, rows, limits, true).build();
    return out ? out : FrontierBuilder(problem, rules, ops, rows, limits, false).build();
}

} // namespace tilewright
