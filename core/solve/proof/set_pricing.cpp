// SPDX-License-Identifier: GPL-3.0-or-later
// Branch and bound over boxes of tile sizes. In a box, the cost of an op set is at least the sum of the costs
// of its ops, loads and stores at the largest tiles of the box. The fast memory that the op set needs is at
// least the sum of their needs at the smallest tiles. Both sums run over the arcs of a path (FrontierGraph).
// So one backward pass computes, for every state, the minimum that a path can still add: weighted compute and
// memory time, minus prices, plus fast memory at a price (a Lagrangian relaxation of the capacity).
#include "solve/proof/set_pricing.h"

#include "base/workers.h"
#include "solve/proof/connected_sets.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>

namespace tilewright {

namespace {

constexpr std::size_t kMaxSetsPerBox = 500;
constexpr std::size_t kNodesPerOp = 4; ///< maximum number of nodes per op, since every walk passes all ops
/// boxes in which width and height each vary by at most this factor get more nodes
constexpr double kFineBoxRatio = 1.13;

} // namespace

/// The search of one thread, which explores one tile box after another.
class SetPricing::Search
{
public:
    static constexpr std::size_t kWeights = 3; ///< number of weights between compute and memory time
    static constexpr std::array<double, kWeights> kWeight{0, 0.5, 1};
    /// Number of prices for fast memory in the first step, including 0. For each of the other moments there
    /// is one price.
    static constexpr std::size_t kFirstStepPrices = 4;
    static constexpr std::size_t kMemoryPrices = kFirstStepPrices + (BoxCosts::kMoments - 1);
    static constexpr std::size_t kLanes = kWeights * kMemoryPrices;
    static constexpr std::array<double, kMemoryPrices> kMemoryPriceFactor{0, 0.5, 1, 2, 1, 1};
    static constexpr std::array<std::size_t, kMemoryPrices> kMomentOf{0, 0, 0, 0, 1, 2};
    using Lanes = std::array<double, kLanes>; ///< one value for each pair of a memory price and a weight
    using MomentMemory = std::array<double, BoxCosts::kMoments>;

    /// A box of tile sizes, the paths that remain in it, and the price of fast memory for each weighting of
    /// compute and memory time.
    struct State
    {
        TileBox box;
        std::shared_ptr<const Paths> paths;
        std::array<double, kWeights> memoryPrices;
    };

    struct FoundSet
    {
        Digest key;
        Set set;
    };

    Search(const SetPricing& pricing, const std::vector<double>& prices, const KeyOf& keyOf,
           const Keys& known, double unit)
        : m_p(pricing), m_keyOf(keyOf), m_known(known), m_margin(kRounding * unit),
          m_capacity(static_cast<double>(pricing.m_problem.hardware().fastMemoryCapacity)),
          m_achieved(pricing.m_events.size()), m_terms(pricing.m_kinds.size()),
          m_costs(pricing.m_kinds.size())
    {
        for (std::size_t i = 0; i < m_achieved.size(); ++i)
            for (const auto& [row, amount] : m_p.m_events[i].choice->achieved)
                m_achieved[i] += amount * prices[row];
    }

    enum class Outcome : std::uint8_t { None, All, Some, TooMany };
    /// Adds the sets of the box that may be overpriced to `out`. If this takes more than `mostNodes` nodes,
    /// adds none and only removes paths that cannot be overpriced.
    Outcome searchBox(State& state, std::size_t mostNodes, std::size_t mostSets, std::vector<FoundSet>& out);

private:
    /// Returns the sum of `other` and the reduced cost of an event, for each pair of a memory price and a
    /// weight.
    [[nodiscard]] Lanes plusEvent(std::uint32_t event, const Lanes& other) const
    {
        const Lanes& cost = m_costs[m_p.m_events[event].kind];
        const double achieved = m_achieved[event];
        Lanes out;
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            out[lane] = other[lane] + (cost[lane] - achieved);
        return out;
    }
    void computeRemaining(const Paths& paths);
    [[nodiscard]] Paths pruned(const Paths& paths);
    /// True if a path with this cost minus prices may have a negative reduced cost.
    [[nodiscard]] bool mayExceed(const Lanes& sum) const
    {
        bool over = true;
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            over &= sum[lane] - m_memoryPrice[lane] * m_capacity <= m_margin;
        return over;
    }
    struct Node
    {
        std::uint32_t state = 0;
        std::array<double, kWeights> value{};
        MomentMemory fastMemory{};
    };
    bool addPath(std::vector<FoundSet>& out);
    bool walk(const Paths& paths, const Node& node, std::vector<FoundSet>& out);

    static constexpr double kRounding = 1e-11;

    const SetPricing& m_p;
    const KeyOf& m_keyOf;
    const Keys& m_known;
    Keys m_found; ///< keys of all sets found so far
    double m_margin, m_capacity;
    std::vector<double> m_achieved; ///< for each event, the sum of the prices of its rows
    /// for each kind of event: its compute time, memory time and fast memory
    std::vector<BoxCosts::Terms> m_terms;
    /// for each kind of event: weighted time plus the price of the fast memory that it occupies; infinite if
    /// it is impossible
    std::vector<Lanes> m_costs;
    std::vector<char> m_isUsed;  ///< for each kind of event, true if a remaining path uses it
    std::vector<Lanes> m_least;  ///< for each state: minimum cost minus prices from the state to the end
    std::vector<Lanes> m_before; ///< for each state: minimum cost minus prices from the start to the state
    std::array<double, kLanes> m_memoryPrice{};
    std::vector<std::uint32_t> m_path; ///< events on the current path
    std::size_t m_nodes = 0, m_mostNodes = 0, m_mostSets = 0;
};

SetPricing::SetPricing(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
                       const FrontierGraph& graph)
    : m_problem(problem), m_costs(problem, rules, ops, graph), m_ops(ops)
{
    std::uint32_t states = 0;
    std::unordered_map<Digest, std::uint32_t, DigestHash> kinds;
    for (const FrontierGraph::Layer& layer : graph.layers()) {
        const auto event = static_cast<std::uint32_t>(m_events.size());
        for (const FrontierChoice& s : layer.choices) {
            const auto [kind, isNew] =
                kinds.try_emplace(m_costs.kindOf(s, layer.op), static_cast<std::uint32_t>(m_kinds.size()));
            if (isNew)
                m_kinds.push_back(static_cast<std::uint32_t>(m_events.size()));
            const bool adds = s.runs || std::ranges::any_of(s.loads, &FrontierChoice::Load::resident);
            m_events.push_back({&s, layer.op, kind->second, adds});
        }
        const auto here = static_cast<std::uint32_t>(layer.first.size() - 1);
        const bool last = &layer == &graph.layers().back();
        for (std::uint32_t s = 0; s < here; ++s) {
            m_paths.first.push_back(static_cast<std::uint32_t>(m_paths.arcs.size()));
            for (std::uint32_t a = layer.first[s]; a < layer.first[s + 1]; ++a)
                if (const FrontierGraph::Arc arc = layer.arcs[a]; arc.to == FrontierGraph::kAfter)
                    m_paths.arcs.push_back({event + arc.choice, Paths::kEnd});
                else if (!last)
                    m_paths.arcs.push_back({event + arc.choice, states + here + arc.to});
        }
        states += here;
    }
    m_paths.first.push_back(static_cast<std::uint32_t>(m_paths.arcs.size()));
    m_paths.kinds.resize(m_kinds.size());
    std::iota(m_paths.kinds.begin(), m_paths.kinds.end(), std::uint32_t{0});
}

void SetPricing::add(const Event& event, Set& set) const
{
    if (event.choice->runs)
        set.ops.push_back(event.op);
    if (event.choice->retained)
        set.retained.push_back(m_problem.op(event.op).output);
    for (const FrontierChoice::Load& load : event.choice->loads)
        if (load.resident)
            set.resident.push_back(load.tensor);
}

std::vector<SetPricing::Set> SetPricing::smallSets(std::size_t most) const
{
    std::vector<char> isHere(m_problem.opCount(), 0);
    for (const OpId o : m_ops)
        isHere[o.index()] = 1;
    std::vector<Set> out;
    std::vector<Set> last;
    for (const OpId o : m_ops)
        last.push_back({{o}, {}, {}});
    while (!last.empty() && (out.empty() || out.size() + last.size() <= most)) {
        std::set<std::vector<OpId>> larger;
        for (const Set& set : last) {
            out.push_back(set);
            for (const OpId o : set.ops)
                forEachTouching(m_problem, o, [&](OpId other) {
                    if (isHere[other.index()] == 0 || std::ranges::binary_search(set.ops, other) ||
                        larger.size() > most)
                        return;
                    std::vector<OpId> more(set.ops);
                    more.insert(std::ranges::upper_bound(more, other), other);
                    larger.insert(std::move(more));
                });
        }
        last.clear();
        if (larger.size() <= most)
            for (const std::vector<OpId>& ops : larger)
                last.push_back({ops, {}, {}});
    }
    return out;
}

/// Computes m_least from the last state to the first.
void SetPricing::Search::computeRemaining(const Paths& paths)
{
    const std::size_t states = paths.first.size() - 1;
    m_least.resize(states);
    for (std::size_t s = states; s-- > 0;) {
        Lanes least;
        least.fill(std::numeric_limits<double>::infinity());
        for (std::uint32_t a = paths.first[s]; a < paths.first[s + 1]; ++a) {
            const Paths::Arc arc = paths.arcs[a];
            const Lanes sum = plusEvent(arc.event, arc.to == Paths::kEnd ? Lanes{} : m_least[arc.to]);
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                least[lane] = std::min(least[lane], sum[lane]);
        }
        m_least[s] = least;
    }
}

/// Returns only the arcs of paths that may have a negative reduced cost. A removed path has none in smaller
/// boxes either.
SetPricing::Paths SetPricing::Search::pruned(const Paths& paths)
{
    const std::size_t states = paths.first.size() - 1;
    Lanes never;
    never.fill(std::numeric_limits<double>::infinity());
    m_before.assign(states, never);
    m_before[0].fill(0);
    m_isUsed.assign(m_p.m_kinds.size(), 0);
    std::vector<std::uint32_t> number(states, Paths::kEnd);
    std::vector<std::uint32_t> kept;
    Paths out;
    const auto sum = [](const Lanes& a, const Lanes& b) {
        Lanes c;
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            c[lane] = a[lane] + b[lane];
        return c;
    };
    for (std::uint32_t s = 0; s < states; ++s) {
        if (!mayExceed(sum(m_before[s], m_least[s])))
            continue;
        number[s] = static_cast<std::uint32_t>(kept.size());
        kept.push_back(s);
        out.first.push_back(static_cast<std::uint32_t>(out.arcs.size()));
        for (std::uint32_t a = paths.first[s]; a < paths.first[s + 1]; ++a) {
            const Paths::Arc arc = paths.arcs[a];
            const Lanes here = plusEvent(arc.event, m_before[s]);
            if (!mayExceed(arc.to == Paths::kEnd ? here : sum(here, m_least[arc.to])))
                continue;
            out.arcs.push_back(arc);
            if (const std::uint32_t kind = m_p.m_events[arc.event].kind; m_isUsed[kind] == 0) {
                m_isUsed[kind] = 1;
                out.kinds.push_back(kind);
            }
            if (arc.to != Paths::kEnd)
                for (std::size_t lane = 0; lane < kLanes; ++lane)
                    m_before[arc.to][lane] = std::min(m_before[arc.to][lane], here[lane]);
        }
    }
    out.first.push_back(static_cast<std::uint32_t>(out.arcs.size()));
    for (Paths::Arc& arc : out.arcs)
        if (arc.to != Paths::kEnd)
            arc.to = number[arc.to];
    return out;
}

/// Adds the op set of the current path. Returns false when there are enough sets.
bool SetPricing::Search::addPath(std::vector<FoundSet>& out)
{
    Set set;
    for (const std::uint32_t event : m_path)
        m_p.add(m_p.m_events[event], set);
    std::ranges::sort(set.ops);
    std::ranges::sort(set.resident);
    std::ranges::sort(set.retained);
    const Digest key = m_keyOf(set);
    if (m_known.contains(key) || !m_found.insert(key).second)
        return true;
    out.push_back({key, std::move(set)});
    return out.size() < m_mostSets;
}

bool SetPricing::Search::walk(const Paths& paths, const Node& node, std::vector<FoundSet>& out)
{
    if (++m_nodes > m_mostNodes)
        return false;
    for (std::uint32_t a = paths.first[node.state]; a < paths.first[node.state + 1]; ++a) {
        const Paths::Arc arc = paths.arcs[a];
        const BoxCosts::Terms& t = m_terms[m_p.m_events[arc.event].kind];
        Node next = node;
        next.state = arc.to;
        bool over = t.possible;
        for (std::size_t m = 0; m < BoxCosts::kMoments; ++m) {
            next.fastMemory[m] += t.fastMemory[m];
            over &= next.fastMemory[m] <= m_capacity;
        }
        if (!over)
            continue;
        for (std::size_t w = 0; w < kWeights; ++w)
            next.value[w] += kWeight[w] * t.compute + (1 - kWeight[w]) * t.memory - m_achieved[arc.event];
        if (arc.to == Paths::kEnd) {
            for (const double v : next.value)
                over &= v <= m_margin;
        } else {
            const Lanes& rest = m_least[arc.to];
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                over &=
                    next.value[lane % kWeights] + rest[lane] -
                        m_memoryPrice[lane] * (m_capacity - next.fastMemory[kMomentOf[lane / kWeights]]) <=
                    m_margin;
        }
        if (!over)
            continue;
        const bool adds = m_p.m_events[arc.event].adds;
        if (adds)
            m_path.push_back(arc.event);
        const bool continues = arc.to == Paths::kEnd ? addPath(out) : walk(paths, next, out);
        if (adds)
            m_path.pop_back();
        if (!continues)
            return false;
    }
    return true;
}

SetPricing::Search::Outcome SetPricing::Search::searchBox(State& state, std::size_t mostNodes,
                                                          std::size_t mostSets, std::vector<FoundSet>& out)
{
    for (std::size_t lane = 0; lane < kLanes; ++lane)
        m_memoryPrice[lane] =
            kMemoryPriceFactor[lane / kWeights] * state.memoryPrices[lane % kWeights] / m_capacity;
    for (const std::uint32_t kind : state.paths->kinds) {
        const Event& e = m_p.m_events[m_p.m_kinds[kind]];
        const BoxCosts::Terms t = m_terms[kind] = m_p.m_costs.of(*e.choice, e.op, state.box);
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const double weight = kWeight[lane % kWeights];
            m_costs[kind][lane] = t.possible
                                      ? weight * t.compute + (1 - weight) * t.memory +
                                            m_memoryPrice[lane] * t.fastMemory[kMomentOf[lane / kWeights]]
                                      : std::numeric_limits<double>::infinity();
        }
    }
    computeRemaining(*state.paths);
    const Lanes& least = m_least[0];
    if (!mayExceed(least))
        return Outcome::None;
    for (std::size_t w = 0; w < kWeights; ++w) {
        std::size_t best = 1;
        const auto at = [&](std::size_t room) {
            return least[room * kWeights + w] - m_memoryPrice[room * kWeights + w] * m_capacity;
        };
        for (std::size_t r = 1; r < kFirstStepPrices; ++r)
            if (at(r) > at(best))
                best = r;
        state.memoryPrices[w] *= kMemoryPriceFactor[best];
    }
    m_mostNodes = m_nodes + mostNodes;
    m_mostSets = mostSets;
    if (walk(*state.paths, {}, out))
        return Outcome::All;
    if (out.size() >= mostSets)
        return Outcome::Some;
    for (const FoundSet& one : out) // these sets need not be kept, because the smaller boxes find them again
        m_found.erase(one.key);
    out.clear();
    state.paths = std::make_shared<const Paths>(pruned(*state.paths));
    return Outcome::TooMany;
}

SetPricing::Found SetPricing::find(const std::vector<double>& prices, const KeyOf& keyOf, const Keys& known,
                                   const Limits& limits) const
{
    const double unit = limits.unit;
    Found out;
    out.all = true;
    Keys seen;
    std::mutex mutex;
    Search::State root{m_costs.all(), {}, {}};
    // non-owning pointer to m_paths
    root.paths = std::shared_ptr<const Paths>(std::shared_ptr<const Paths>(), &m_paths);
    root.memoryPrices.fill(2 * unit);
    std::vector<Search::State> boxes{root};
    std::size_t busy = 0;
    bool stopped = false;
    std::condition_variable changed;
    const auto work = [&](std::size_t thread) {
        std::optional<Search> search;
        std::unique_lock lock(mutex);
        for (;;) {
            changed.wait(lock, [&] { return !boxes.empty() || busy == 0 || stopped; });
            if (boxes.empty() || stopped)
                break;
            stopped |= (thread == 0 && limits.secondsLeft() <= 0) ||
                       out.sets.size() > (out.all ? limits.sets : limits.sets / 8);
            if (stopped)
                break;
            Search::State state = std::move(boxes.back());
            boxes.pop_back();
            ++busy;
            lock.unlock();
            if (!search)
                search.emplace(*this, prices, keyOf, known, unit);
            TileBox low{}, high{};
            const bool splits = m_costs.split(state.box, low, high);
            std::vector<Search::FoundSet> sets;
            const TileBox& b = state.box;
            const bool fine = static_cast<double>(b.w1) <= kFineBoxRatio * static_cast<double>(b.w0) &&
                              static_cast<double>(b.h1) <= kFineBoxRatio * static_cast<double>(b.h0);
            // The node limit grows with the number of ops, since every walk passes all ops.
            const std::size_t mostNodes = kNodesPerOp * m_ops.size() + (!splits ? 200'000
                                                                        : fine  ? 50'000
                                                                                : 2000);
            const auto outcome = search->searchBox(state, mostNodes, kMaxSetsPerBox, sets);
            lock.lock();
            --busy;
            for (Search::FoundSet& found : sets)
                if (seen.insert(found.key).second)
                    out.sets.push_back(std::move(found.set));
            if (outcome == Search::Outcome::Some || (outcome == Search::Outcome::TooMany && !splits))
                out.all = false;
            if (outcome == Search::Outcome::TooMany && splits) {
                boxes.push_back({low, state.paths, state.memoryPrices});
                boxes.push_back({high, state.paths, state.memoryPrices});
            }
            changed.notify_all();
        }
        changed.notify_all();
    };
    Workers workers([&] {
        const std::lock_guard lock(mutex);
        stopped = true;
        changed.notify_all();
    });
    for (std::size_t thread = 1; thread < limits.threads; ++thread)
        workers.start([&work, thread] { work(thread); });
    workers.run([&work] { work(0); });
    workers.join();
    out.all &= !stopped;
    return out;
}

} // namespace tilewright
