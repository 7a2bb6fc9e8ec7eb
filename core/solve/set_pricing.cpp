// SPDX-License-Identifier: GPL-3.0-or-later
// Tile sizes fall into boxes. In a box an op set costs at least what its ops, loads and stores cost at the
// box's largest tiles, one by one, and takes at least the room that they take at its smallest ones. Both are
// sums over the arcs of a path, so the least that a path can still add is known in every state: of the
// weighted sums of compute and memory less prices, with the room that is left at a price, too.
#include "solve/set_pricing.h"

#include "base/integer.h"
#include "eval/lower_bound.h"
#include "solve/prove_threads.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace tilewright {

namespace {

constexpr std::size_t kWeights = 3; ///< of compute against memory
/// Room is looked at in the first step and in those that complete sinks of some depths.
constexpr std::size_t kMoments = 3;
/// Prices of room: none, three of the first step's, one of each of the others'.
constexpr std::size_t kRooms = 4 + (kMoments - 1);
constexpr std::size_t kLanes = kWeights * kRooms;
constexpr std::array<double, kRooms> kTimes{0, 0.5, 1, 2, 1, 1};
constexpr std::array<std::size_t, kRooms> kMomentOf{0, 0, 0, 0, 1, 2};
constexpr std::array<double, kWeights> kWeight{0, 0.5, 1};
constexpr std::size_t kSetsABox = 500;
constexpr double kFine = 1.13; ///< sides of boxes that are not split further
constexpr double kNever = std::numeric_limits<double>::infinity();

using Lanes = std::array<double, kLanes>;
using Rooms = std::array<double, kMoments>;

} // namespace

SetPricing::SetPricing(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
                       const FrontierGraph& graph)
    : m_problem(problem), m_rules(rules), m_graph(graph), m_spatial(spatialAxes(problem, rules)),
      m_near(ops.size(), 0)
{
    m_placeOf.assign(problem.opCount(), 0);
    for (std::uint32_t i = 0; i < ops.size(); ++i)
        m_placeOf[ops[i].index()] = i;
    std::uint32_t states = 0;
    for (const FrontierGraph::Layer& layer : graph.layers()) {
        const auto event = static_cast<std::uint32_t>(m_events.size());
        const OpBits bit = OpBits{1} << m_placeOf[layer.op.index()];
        for (const FrontierSituation& s : layer.situations) {
            Event e{&s, layer.op, {s.runs ? bit : 0, 0, s.kept ? bit : 0}};
            for (const FrontierSituation::Load& load : s.loads) {
                if (!load.resident)
                    continue;
                const auto it = std::ranges::find(m_inputs, load.tensor);
                const auto at = static_cast<std::size_t>(it - m_inputs.begin());
                if (it == m_inputs.end())
                    m_inputs.push_back(load.tensor);
                if (covers())
                    e.adds.stayIn |= OpBits{1} << at;
            }
            m_events.push_back(e);
        }
        const auto here = static_cast<std::uint32_t>(layer.first.size() - 1);
        const bool last = &layer == &graph.layers().back();
        for (std::uint32_t s = 0; s < here; ++s) {
            m_paths.first.push_back(static_cast<std::uint32_t>(m_paths.arcs.size()));
            for (std::uint32_t a = layer.first[s]; a < layer.first[s + 1]; ++a)
                if (const FrontierGraph::Arc arc = layer.arcs[a]; arc.to == FrontierGraph::kBehind)
                    m_paths.arcs.push_back({event + arc.situation, Paths::kEnd});
                else if (!last)
                    m_paths.arcs.push_back({event + arc.situation, states + here + arc.to});
        }
        states += here;
    }
    m_paths.first.push_back(static_cast<std::uint32_t>(m_paths.arcs.size()));
    const auto touches = [&](OpId a, OpId b) {
        const Op& x = problem.op(a);
        const Op& y = problem.op(b);
        const auto has = [](const Op& op, TensorId t) {
            return op.output == t || std::ranges::find(op.inputs, t) != op.inputs.end();
        };
        return has(y, x.output) || std::ranges::any_of(x.inputs, [&](TensorId t) { return has(y, t); });
    };
    for (std::size_t i = 0; i < ops.size(); ++i) {
        for (std::size_t j = 0; j < ops.size(); ++j)
            if (i != j && touches(ops[i], ops[j]))
                m_near[i] |= OpBits{1} << j;
        if (problem.op(ops[i]).type == OpType::MatMul)
            m_reductions.push_back(problem.reductionSize(ops[i]));
    }
    std::ranges::sort(m_reductions);
    m_reductions.erase(std::unique(m_reductions.begin(), m_reductions.end()), m_reductions.end());
    m_depthOf.assign(kMoments, std::numeric_limits<std::int64_t>::max());
    m_depthOf[0] = 0;
    for (std::size_t m = 1; graph.tellsDepths() && m < std::min(kMoments, m_reductions.size() + 1); ++m)
        m_depthOf[m] = m_reductions[m_reductions.size() - m];
}

std::vector<SetPricing::Set> SetPricing::smallSets(std::size_t most) const
{
    std::vector<Set> out;
    std::vector<OpBits> last;
    for (std::size_t i = 0; i < m_near.size(); ++i)
        last.push_back(OpBits{1} << i);
    while (!last.empty() && out.size() + last.size() <= most) {
        std::unordered_set<OpBits> larger;
        for (const OpBits set : last) {
            out.push_back({.ops = set});
            OpBits near = 0;
            for (OpBits rest = set; rest != 0; rest &= rest - 1)
                near |= m_near[static_cast<std::size_t>(std::countr_zero(rest))];
            for (near &= ~set; near != 0; near &= near - 1)
                larger.insert(set | (near & (~near + 1)));
        }
        last.assign(larger.begin(), larger.end());
        std::ranges::sort(last);
    }
    return out;
}

/// False for boxes that are fine enough.
bool SetPricing::split(const Box& box, Box& low, Box& high) const
{
    const auto ratio = [](std::int64_t a, std::int64_t b) {
        return static_cast<double>(b) / static_cast<double>(a);
    };
    // Where a reduction of that size becomes one step.
    const auto inside = std::ranges::upper_bound(m_reductions, box.k0);
    const bool cutsK = inside != m_reductions.end() && *inside <= box.k1;
    const double byW = ratio(box.w0, box.w1);
    const double byH = ratio(box.h0, box.h1);
    low = high = box;
    if (cutsK && std::max(byW, byH) < 4) {
        const auto last = std::ranges::upper_bound(m_reductions, box.k1);
        const std::int64_t at = *(inside + (last - inside) / 2);
        low.k1 = at - 1;
        high.k0 = at;
        return true;
    }
    if (box.w0 == box.w1 && box.h0 == box.h1)
        return false;
    const auto middle = [](std::int64_t a, std::int64_t b) {
        const auto m = static_cast<std::int64_t>(
            std::lround(std::sqrt(static_cast<double>(a) * static_cast<double>(b))));
        return std::clamp(m, a, b - 1);
    };
    if (byH >= byW) {
        low.h1 = middle(box.h0, box.h1);
        high.h0 = low.h1 + 1;
    } else {
        low.w1 = middle(box.w0, box.w1);
        high.w0 = low.w1 + 1;
    }
    return true;
}

/// In one thread, box by box.
class SetPricing::Search
{
public:
    /// Of a box: what paths there are still, and what room is worth by weight.
    struct State
    {
        Box box;
        std::shared_ptr<const Paths> paths;
        std::array<double, kWeights> rooms;
    };

    Search(const SetPricing& pricing, const std::vector<double>& prices, const Known& known, double unit)
        : m_p(pricing), m_known(known), m_margin(kRounding * unit),
          m_capacity(static_cast<double>(pricing.m_problem.hardware().fastMemoryCapacity)),
          m_bandwidth(static_cast<double>(pricing.m_problem.hardware().slowMemoryBandwidth)),
          m_achieved(pricing.m_events.size()), m_terms(pricing.m_events.size()),
          m_costs(pricing.m_events.size())
    {
        for (std::size_t i = 0; i < m_achieved.size(); ++i)
            for (const auto& [row, amount] : m_p.m_events[i].situation->achieved)
                m_achieved[i] += amount * prices[row];
    }

    Search(const SetPricing& pricing, const Known& known)
        : m_p(pricing), m_known(known), m_margin(0),
          m_capacity(static_cast<double>(pricing.m_problem.hardware().fastMemoryCapacity)),
          m_bandwidth(static_cast<double>(pricing.m_problem.hardware().slowMemoryBandwidth))
    {
    }

    enum class Outcome : std::uint8_t { None, All, Some, TooMany };
    /// What of the box the prices may exceed is added to `out`; the paths become fewer.
    Outcome look(State& state, std::size_t mostNodes, std::size_t mostSets, std::vector<Set>& out);

    struct Terms
    {
        double compute = 0, memory = 0;
        Rooms room{};
        bool possible = true;
    };
    [[nodiscard]] Terms termsOf(const FrontierSituation& s, OpId o, const Box& box) const;

private:
    [[nodiscard]] double computeOf(OpId o, const FrontierSituation& s, const Box& box) const;
    [[nodiscard]] static bool mayBeWhole(const Tensor& t, const Asked& asked, const Box& box);
    [[nodiscard]] static double timesLoaded(const Tensor& t, const Asked& asked, const Box& box);
    void sweep(const Paths& paths);
    [[nodiscard]] Paths pruned(const Paths& paths);
    /// Whether a path that adds this much may be worth its prices.
    [[nodiscard]] bool mayExceed(const Lanes& sum) const
    {
        bool over = true;
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            over &= sum[lane] - m_roomPrice[lane] * m_capacity <= m_margin;
        return over;
    }
    struct Node
    {
        std::uint32_t state = 0;
        std::array<double, kWeights> value{};
        Rooms room{};
        Set set;
    };
    bool walk(const Paths& paths, const Node& node, std::vector<Set>& out);

    static constexpr double kRounding = 1e-11;

    const SetPricing& m_p;
    const Known& m_known;
    double m_margin, m_capacity, m_bandwidth;
    std::vector<double> m_achieved; ///< by event: the prices
    std::vector<Terms> m_terms;     ///< by event
    std::vector<Lanes> m_costs;     ///< by event: less prices, with room at its price
    std::vector<Lanes> m_least;     ///< by state: what paths from there add at least
    std::vector<Lanes> m_before;    ///< by state: what paths that lead there have added at least
    std::array<double, kLanes> m_roomPrice{};
    std::size_t m_nodes = 0, m_mostNodes = 0, m_mostSets = 0;
};

double SetPricing::Search::computeOf(OpId o, const FrontierSituation& s, const Box& box) const
{
    const Problem& problem = m_p.m_problem;
    const Op& op = problem.op(o);
    if (op.type == OpType::MatMul && m_p.m_rules.compute == Rules::Compute::Array)
        return leastTime(problem, m_p.m_rules, o, m_p.m_spatial[o.index()]);
    const Tensor& t = problem.tensor(op.output);
    const Hardware& hw = problem.hardware();
    bool byRow = true;
    bool byCol = true;
    for (const Asked::Request& r : m_p.m_graph.asked(s.asked).requests) { // the first one decides (R6.6)
        byRow &= r.rows == Asked::Tile;
        byCol &= r.cols == Asked::Tile;
    }
    const auto times = [](bool tiles, std::int64_t extent, std::int64_t tile, std::int64_t native) {
        return tiles ? static_cast<double>(ceilDiv(extent, tile))
                     : static_cast<double>(extent) / static_cast<double>(native);
    };
    double time = static_cast<double>(op.baseCost) * times(byRow, t.height, box.h1, hw.nativeHeight) *
                  times(byCol, t.width, box.w1, hw.nativeWidth);
    if (op.type == OpType::MatMul && m_p.m_rules.kScaling == Rules::KScaling::Native)
        time *= static_cast<double>(problem.reductionSize(o)) / static_cast<double>(hw.nativeK());
    return time;
}

/// Whether some request may be for all of the tensor.
bool SetPricing::Search::mayBeWhole(const Tensor& t, const Asked& asked, const Box& box)
{
    const auto isWhole = [&](Asked::Cut cut, std::int64_t extent, std::int64_t tile) {
        return cut == Asked::Whole || extent <= (cut == Asked::Tile ? tile : box.k1);
    };
    return std::ranges::any_of(asked.requests, [&](const Asked::Request& r) {
        return isWhole(r.rows, t.height, box.h1) && isWhole(r.cols, t.width, box.w1);
    });
}

/// R7.1, R7.2: every role has buffers of its own, unless one that holds the whole tensor serves them all. A
/// range of a reduction never follows an equal one, where there are several: it is loaded in every tile that
/// needs it, but for one slice that another kind of request in the same role may have left there.
double SetPricing::Search::timesLoaded(const Tensor& t, const Asked& asked, const Box& box)
{
    const auto& requests = asked.requests;
    if (requests.size() > 1 && mayBeWhole(t, asked, box))
        return 1;
    double sum = 0;
    for (std::size_t i = 0, end = 0; i < requests.size(); i = end) {
        while (end < requests.size() && requests[end].role == requests[i].role)
            ++end;
        double most = 1;
        for (std::size_t j = i; j < end; ++j) {
            const Asked::Request& r = requests[j];
            const bool stepsRows = r.rows == Asked::Step && t.height > box.k1;
            const bool stepsCols = r.cols == Asked::Step && t.width > box.k1;
            if (!stepsRows && !stepsCols)
                continue;
            double times = (r.rows == Asked::Tile ? 1 : static_cast<double>(ceilDiv(r.gridH, box.h1))) *
                           (r.cols == Asked::Tile ? 1 : static_cast<double>(ceilDiv(r.gridW, box.w1)));
            if (end - i > 1) {
                const double there =
                    std::min(stepsRows ? static_cast<double>(box.h1) / static_cast<double>(t.height) : 1,
                             stepsCols ? static_cast<double>(box.w1) / static_cast<double>(t.width) : 1);
                times *= std::max(0.0, 1 - there);
            }
            most = std::max(most, times);
        }
        sum += most;
    }
    return sum;
}

SetPricing::Search::Terms SetPricing::Search::termsOf(const FrontierSituation& s, OpId o,
                                                      const Box& box) const
{
    const Problem& problem = m_p.m_problem;
    const Rules& rules = m_p.m_rules;
    Terms out;
    const Op& op = problem.op(o);
    const Asked& ofResult = m_p.m_graph.asked(s.asked);
    const Tensor& result = problem.tensor(op.output);
    const bool matmul = op.type == OpType::MatMul;
    const auto addEverywhere = [&](double elements) {
        for (double& room : out.room)
            room += elements;
    };
    if (s.runs) {
        const auto isNarrow = [&](std::int64_t least, std::int64_t most) { // R4.7
            return least > most && (rules.prologue == Rules::Prologue::Always || least > box.k1);
        };
        if (isNarrow(ofResult.leastW, box.w1) || isNarrow(ofResult.leastH, box.h1) ||
            (matmul && rules.kAboveK == Rules::KAboveK::Error && problem.reductionSize(o) < box.k0)) {
            out.possible = false;
            return out;
        }
        out.compute = computeOf(o, s, box);
        const double tile = static_cast<double>(std::min(box.h0, result.height)) *
                            static_cast<double>(std::min(box.w0, result.width));
        // Of a sink, from the first step to the one that completes it; with it accumulators (R9.1).
        const auto addTile = [&](std::int64_t depth) {
            for (std::size_t m = 0; m < kMoments; ++m)
                out.room[m] += depth >= m_p.m_depthOf[m] ? tile : 0;
        };
        if (s.written) {
            out.memory += static_cast<double>(result.elements());
            if (!rules.donation || matmul)
                addTile(s.depth);
        }
        if (s.kept)
            addEverywhere(static_cast<double>(result.elements()));
        if (const Asked::Request* epilogue = ofResult.tile(); matmul && epilogue != nullptr) {
            const std::int64_t depth = m_p.m_graph.tellsDepths() ? epilogue->depth : problem.reductionSize(o);
            if (depth > box.k1)
                addTile(depth);
        }
    }
    for (const FrontierSituation::Load& load : s.loads) {
        const Tensor& t = problem.tensor(load.tensor);
        if (load.resident) {
            addEverywhere(static_cast<double>(t.elements()));
            continue;
        }
        const Asked& asked = m_p.m_graph.asked(load.asked);
        const bool whole = mayBeWhole(t, asked, box);
        for (std::size_t m = 0; m < kMoments; ++m) {
            std::array<std::int64_t, 3> byRole{};
            for (const Asked::Request& r : asked.requests) {
                // What only the completing step asks for is there in the first one where that is the same.
                const std::int64_t depth = m_p.m_depthOf[m];
                if (r.isTile() ? (m == 0 ? r.depth > box.k0 : r.depth != depth) : r.depth < depth)
                    continue;
                const auto part = [&](Asked::Cut cut, std::int64_t extent, std::int64_t tile) {
                    return cut == Asked::Whole  ? extent
                           : cut == Asked::Tile ? std::min(tile, extent)
                           : m == 0             ? std::min(box.k0, extent)
                           : extent <= box.k0   ? extent // one step is all of it
                                                : std::int64_t{1};
                };
                byRole[r.role] =
                    std::max(byRole[r.role], part(r.rows, t.height, box.h0) * part(r.cols, t.width, box.w0));
            }
            std::int64_t room = 0;
            for (const std::int64_t area : byRole)
                room = whole ? std::max(room, area) : room + area;
            out.room[m] += static_cast<double>(room);
        }
        out.memory += timesLoaded(t, asked, box) * static_cast<double>(t.elements());
    }
    out.memory /= m_bandwidth;
    return out;
}

/// From the last state to the first.
void SetPricing::Search::sweep(const Paths& paths)
{
    const std::size_t states = paths.first.size() - 1;
    m_least.resize(states);
    for (std::size_t s = states; s-- > 0;) {
        Lanes least;
        least.fill(kNever);
        for (std::uint32_t a = paths.first[s]; a < paths.first[s + 1]; ++a) {
            const Paths::Arc arc = paths.arcs[a];
            const Lanes& cost = m_costs[arc.event];
            if (arc.to == Paths::kEnd) {
                for (std::size_t lane = 0; lane < kLanes; ++lane)
                    least[lane] = std::min(least[lane], cost[lane]);
                continue;
            }
            const Lanes& rest = m_least[arc.to];
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                least[lane] = std::min(least[lane], cost[lane] + rest[lane]);
        }
        m_least[s] = least;
    }
}

/// Those that may be worth their prices; what is not in smaller boxes either.
SetPricing::Paths SetPricing::Search::pruned(const Paths& paths)
{
    const std::size_t states = paths.first.size() - 1;
    Lanes never;
    never.fill(kNever);
    m_before.assign(states, never);
    m_before[0].fill(0);
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
            const Lanes with = sum(m_before[s], m_costs[arc.event]);
            if (!mayExceed(arc.to == Paths::kEnd ? with : sum(with, m_least[arc.to])))
                continue;
            out.arcs.push_back(arc);
            if (arc.to != Paths::kEnd)
                for (std::size_t lane = 0; lane < kLanes; ++lane)
                    m_before[arc.to][lane] = std::min(m_before[arc.to][lane], with[lane]);
        }
    }
    out.first.push_back(static_cast<std::uint32_t>(out.arcs.size()));
    for (Paths::Arc& arc : out.arcs)
        if (arc.to != Paths::kEnd)
            arc.to = number[arc.to];
    return out;
}

bool SetPricing::Search::walk(const Paths& paths, const Node& node, std::vector<Set>& out)
{
    if (++m_nodes > m_mostNodes)
        return false;
    for (std::uint32_t a = paths.first[node.state]; a < paths.first[node.state + 1]; ++a) {
        const Paths::Arc arc = paths.arcs[a];
        const Terms& t = m_terms[arc.event];
        Node next = node;
        next.state = arc.to;
        bool over = t.possible;
        for (std::size_t m = 0; m < kMoments; ++m) {
            next.room[m] += t.room[m];
            over &= next.room[m] <= m_capacity;
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
                over &= next.value[lane % kWeights] + rest[lane] -
                            m_roomPrice[lane] * (m_capacity - next.room[kMomentOf[lane / kWeights]]) <=
                        m_margin;
        }
        if (!over)
            continue;
        const Set& adds = m_p.m_events[arc.event].adds;
        next.set.ops |= adds.ops;
        next.set.stayIn |= adds.stayIn;
        next.set.stayOut |= adds.stayOut;
        if (arc.to == Paths::kEnd) {
            if (m_known.contains(next.set))
                continue;
            out.push_back(next.set);
            if (out.size() >= m_mostSets)
                return false;
        } else if (!walk(paths, next, out)) {
            return false;
        }
    }
    return true;
}

SetPricing::Search::Outcome SetPricing::Search::look(State& state, std::size_t mostNodes,
                                                     std::size_t mostSets, std::vector<Set>& out)
{
    for (std::size_t lane = 0; lane < kLanes; ++lane)
        m_roomPrice[lane] = kTimes[lane / kWeights] * state.rooms[lane % kWeights] / m_capacity;
    for (std::size_t i = 0; i < m_terms.size(); ++i) {
        const Event& e = m_p.m_events[i];
        const Terms t = m_terms[i] = termsOf(*e.situation, e.op, state.box);
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const double weight = kWeight[lane % kWeights];
            m_costs[i][lane] = t.possible ? weight * t.compute + (1 - weight) * t.memory - m_achieved[i] +
                                                m_roomPrice[lane] * t.room[kMomentOf[lane / kWeights]]
                                          : kNever;
        }
    }
    sweep(*state.paths);
    const Lanes& least = m_least[0];
    if (!mayExceed(least))
        return Outcome::None;
    for (std::size_t w = 0; w < kWeights; ++w) {
        std::size_t best = 1;
        const auto at = [&](std::size_t room) {
            return least[room * kWeights + w] - m_roomPrice[room * kWeights + w] * m_capacity;
        };
        for (std::size_t r = 1; kMomentOf[r] == 0 && r < 4; ++r)
            if (at(r) > at(best))
                best = r;
        state.rooms[w] *= kTimes[best];
    }
    m_mostNodes = m_nodes + mostNodes;
    m_mostSets = mostSets;
    if (walk(*state.paths, {}, out))
        return Outcome::All;
    if (out.size() >= mostSets)
        return Outcome::Some;
    out.clear();
    state.paths = std::make_shared<const Paths>(pruned(*state.paths));
    return Outcome::TooMany;
}

/// The boxes of least cost first.
double SetPricing::leastOf(const Set& set) const
{
    const Hardware& hw = m_problem.hardware();
    const std::int64_t deepest =
        m_rules.kLimit == Rules::KLimit::Native || m_reductions.empty() ? hw.nativeK() : m_reductions.back();
    const auto isOf = [&](const Event& e) {
        const FrontierSituation& what = *e.situation;
        const OpBits bit = OpBits{1} << m_placeOf[e.op.index()];
        return what.runs == ((set.ops & bit) != 0) && what.kept == ((set.stayOut & bit) != 0) &&
               std::ranges::all_of(what.loads, [&](const FrontierSituation::Load& load) {
                   const auto in = std::ranges::find(m_inputs, load.tensor) - m_inputs.begin();
                   const bool stays =
                       in < std::ssize(m_inputs) && (set.stayIn >> static_cast<std::size_t>(in) & 1) != 0;
                   return load.resident == stays;
               });
    };
    using Events = std::vector<std::uint32_t>;
    std::vector<Events> paths; // what drives its sinks may be taken for other than it is
    const std::function<void(std::uint32_t, const Events&)> follow = [&](std::uint32_t s,
                                                                         const Events& before) {
        for (std::uint32_t a = m_paths.first[s]; a < m_paths.first[s + 1]; ++a) {
            const Paths::Arc arc = m_paths.arcs[a];
            if (!isOf(m_events[arc.event]))
                continue;
            Events events = before;
            events.push_back(arc.event);
            if (arc.to != Paths::kEnd)
                follow(arc.to, events);
            else
                paths.push_back(std::move(events));
        }
    };
    follow(0, {});
    std::erase_if(paths, [&](const Events& events) {
        OpBits ops = 0;
        for (const std::uint32_t e : events)
            ops |= m_events[e].adds.ops;
        return ops != set.ops;
    });
    const Known known;
    const Search search(*this, known);
    const auto leastOfPath = [&](const Events& events, const Box& box) {
        double compute = 0;
        double memory = 0;
        Rooms room{};
        for (const std::uint32_t i : events) {
            const auto t = search.termsOf(*m_events[i].situation, m_events[i].op, box);
            if (!t.possible)
                return kNever;
            compute += t.compute;
            memory += t.memory;
            for (std::size_t m = 0; m < kMoments; ++m)
                room[m] += t.room[m];
        }
        return *std::ranges::max_element(room) > static_cast<double>(hw.fastMemoryCapacity)
                   ? kNever
                   : std::max(compute, memory);
    };
    const auto leastIn = [&](const Box& box) {
        double least = kNever;
        for (const Events& events : paths)
            least = std::min(least, leastOfPath(events, box));
        return least;
    };
    using Open = std::pair<double, Box>;
    const auto later = [](const Open& a, const Open& b) { return a.first > b.first; };
    std::vector<Open> open;
    const auto push = [&](const Box& box) {
        if (const double least = leastIn(box); least < kNever) {
            open.emplace_back(least, box);
            std::ranges::push_heap(open, later);
        }
    };
    push({1, hw.nativeWidth, 1, hw.nativeHeight, 1, deepest});
    constexpr int kBoxes = 300;
    for (int looked = 0; !open.empty(); ++looked) {
        std::ranges::pop_heap(open, later);
        const auto [least, box] = open.back();
        open.pop_back();
        Box low, high;
        if (looked == kBoxes || !split(box, low, high))
            return least;
        push(low);
        push(high);
    }
    return kNever;
}

SetPricing::Found SetPricing::find(const std::vector<double>& prices, const Known& known,
                                   const Limits& limits) const
{
    const Hardware& hw = m_problem.hardware();
    const std::int64_t deepest =
        m_rules.kLimit == Rules::KLimit::Native || m_reductions.empty() ? hw.nativeK() : m_reductions.back();
    double unit = 0; // what one op is worth, about
    for (const double p : prices)
        unit += std::max(0.0, p);
    unit /= static_cast<double>(m_graph.layers().size());
    Found out;
    out.all = true;
    Known seen;
    std::mutex mutex;
    Search::State root{{1, hw.nativeWidth, 1, hw.nativeHeight, 1, deepest}, {}, {}};
    root.paths = std::shared_ptr<const Paths>(std::shared_ptr<const Paths>(), &m_paths); // not owned
    root.rooms.fill(2 * unit);
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
            stopped |= (thread == 0 && limits.secondsLeft() <= 0) || out.sets.size() > limits.sets;
            if (stopped)
                break;
            Search::State state = std::move(boxes.back());
            boxes.pop_back();
            ++busy;
            lock.unlock();
            if (!search)
                search.emplace(*this, prices, known, unit);
            Box low, high;
            const bool splits = split(state.box, low, high);
            std::vector<Set> sets;
            const Box& b = state.box;
            const bool fine = static_cast<double>(b.w1) <= kFine * static_cast<double>(b.w0) &&
                              static_cast<double>(b.h1) <= kFine * static_cast<double>(b.h0);
            const auto outcome = search->look(state,
                                              !splits ? 10'000'000
                                              : fine  ? 50'000
                                                      : 2000,
                                              kSetsABox, sets);
            lock.lock();
            --busy;
            for (const Set& set : sets)
                if (seen.insert(set).second)
                    out.sets.push_back(set);
            if (outcome == Search::Outcome::Some || (outcome == Search::Outcome::TooMany && !splits))
                out.all = false;
            if (outcome == Search::Outcome::TooMany && splits) {
                boxes.push_back({low, state.paths, state.rooms});
                boxes.push_back({high, state.paths, state.rooms});
            }
            changed.notify_all();
        }
        changed.notify_all();
    };
    {
        std::vector<std::jthread> helpers;
        for (std::size_t thread = 1; thread < limits.threads; ++thread)
            helpers.emplace_back(work, thread);
        work(0);
    }
    out.all &= !stopped;
    return out;
}

} // namespace tilewright
