// SPDX-License-Identifier: GPL-3.0-or-later
// Branch and bound over boxes of tile sizes. In a box an op set costs at least what its ops, loads and stores
// cost one by one at the largest tiles, and takes at least the room that they take at the smallest ones. Both
// are sums over the arcs of a path. So one backward pass gives, for every state, the least that a path can
// still add of weighted compute and memory less prices, with room at a price (a Lagrangian relaxation of the
// capacity).
#include "solve/proof/set_pricing.h"

#include "solve/proof/set_pricing_search.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <thread>
#include <unordered_map>

namespace tilewright {

namespace {

constexpr std::size_t kSetsABox = 500;
constexpr std::size_t kWalked = 4; ///< nodes an op: a walk passes every op
constexpr double kFine = 1.13;     ///< ratio of the sides of boxes that are worth many nodes
constexpr double kNever = std::numeric_limits<double>::infinity();

} // namespace

SetPricing::SetPricing(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
                       const FrontierGraph& graph)
    : m_problem(problem), m_costs(problem, rules, ops, graph), m_ops(ops)
{
    std::uint32_t states = 0;
    std::unordered_map<Digest, std::uint32_t, DigestHash> kinds;
    for (const FrontierGraph::Layer& layer : graph.layers()) {
        const auto event = static_cast<std::uint32_t>(m_events.size());
        for (const FrontierSituation& s : layer.situations) {
            const auto [kind, isNew] =
                kinds.try_emplace(m_costs.kindOf(s, layer.op), static_cast<std::uint32_t>(m_kinds.size()));
            if (isNew)
                m_kinds.push_back(static_cast<std::uint32_t>(m_events.size()));
            const bool adds = s.runs || std::ranges::any_of(s.loads, &FrontierSituation::Load::resident);
            m_events.push_back({&s, layer.op, kind->second, adds});
        }
        const auto here = static_cast<std::uint32_t>(layer.first.size() - 1);
        const bool last = &layer == &graph.layers().back();
        for (std::uint32_t s = 0; s < here; ++s) {
            m_paths.first.push_back(static_cast<std::uint32_t>(m_paths.arcs.size()));
            for (std::uint32_t a = layer.first[s]; a < layer.first[s + 1]; ++a)
                if (const FrontierGraph::Arc arc = layer.arcs[a]; arc.to == FrontierGraph::kAfter)
                    m_paths.arcs.push_back({event + arc.situation, Paths::kEnd});
                else if (!last)
                    m_paths.arcs.push_back({event + arc.situation, states + here + arc.to});
        }
        states += here;
    }
    m_paths.first.push_back(static_cast<std::uint32_t>(m_paths.arcs.size()));
    m_paths.kinds.resize(m_kinds.size());
    std::iota(m_paths.kinds.begin(), m_paths.kinds.end(), std::uint32_t{0});
}

void SetPricing::add(const Event& event, Set& set) const
{
    if (event.situation->runs)
        set.ops.push_back(event.op);
    if (event.situation->retained)
        set.retained.push_back(m_problem.op(event.op).output);
    for (const FrontierSituation::Load& load : event.situation->loads)
        if (load.resident)
            set.resident.push_back(load.tensor);
}

std::vector<SetPricing::Set> SetPricing::smallSets(std::size_t most) const
{
    std::vector<char> isHere(m_problem.opCount(), 0);
    for (const OpId o : m_ops)
        isHere[o.index()] = 1;
    // Visits the ops that touch a common tensor.
    const auto forEachNear = [&](OpId o, auto&& visit) {
        const auto touching = [&](TensorId t) {
            if (const auto producer = m_problem.producer(t); producer && isHere[producer->index()] != 0)
                visit(*producer);
            for (const OpId c : m_problem.consumers(t))
                if (isHere[c.index()] != 0)
                    visit(c);
        };
        touching(m_problem.op(o).output);
        std::ranges::for_each(m_problem.op(o).inputs, touching);
    };
    std::vector<Set> out;
    std::vector<Set> last;
    for (const OpId o : m_ops)
        last.push_back({{o}, {}, {}});
    while (!last.empty() && (out.empty() || out.size() + last.size() <= most)) {
        std::set<std::vector<OpId>> larger;
        for (const Set& set : last) {
            out.push_back(set);
            for (const OpId o : set.ops)
                forEachNear(o, [&](OpId other) {
                    if (std::ranges::binary_search(set.ops, other) || larger.size() > most)
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

/// Looks at the boxes of least cost first.
double SetPricing::leastOf(const Set& set) const
{
    const auto isOf = [&](const Event& e) {
        const FrontierSituation& what = *e.situation;
        return what.runs == std::ranges::binary_search(set.ops, e.op) &&
               what.retained == std::ranges::binary_search(set.retained, m_problem.op(e.op).output) &&
               std::ranges::all_of(what.loads, [&](const FrontierSituation::Load& load) {
                   return load.resident == std::ranges::binary_search(set.resident, load.tensor);
               });
    };
    using Events = std::vector<std::uint32_t>;
    std::vector<Events> paths; // several: the depths of sinks are guessed
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
        return static_cast<std::size_t>(std::ranges::count_if(
                   events, [&](std::uint32_t e) { return m_events[e].situation->runs; })) != set.ops.size();
    });
    const auto leastOfPath = [&](const Events& events, const TileBox& box) {
        double compute = 0;
        double memory = 0;
        std::array<double, BoxCosts::kMoments> room{};
        for (const std::uint32_t i : events) {
            const BoxCosts::Terms t = m_costs.of(*m_events[i].situation, m_events[i].op, box);
            if (!t.possible)
                return kNever;
            compute += t.compute;
            memory += t.memory;
            for (std::size_t m = 0; m < BoxCosts::kMoments; ++m)
                room[m] += t.room[m];
        }
        return *std::ranges::max_element(room) > static_cast<double>(m_problem.hardware().fastMemoryCapacity)
                   ? kNever
                   : std::max(compute, memory);
    };
    const auto leastIn = [&](const TileBox& box) {
        double least = kNever;
        for (const Events& events : paths)
            least = std::min(least, leastOfPath(events, box));
        return least;
    };
    using Open = std::pair<double, TileBox>;
    const auto later = [](const Open& a, const Open& b) { return a.first > b.first; };
    std::vector<Open> open;
    const auto push = [&](const TileBox& box) {
        if (const double least = leastIn(box); least < kNever) {
            open.emplace_back(least, box);
            std::ranges::push_heap(open, later);
        }
    };
    push(m_costs.all());
    constexpr int kBoxes = 300;
    for (int looked = 0; !open.empty(); ++looked) {
        std::ranges::pop_heap(open, later);
        const auto [least, box] = open.back();
        open.pop_back();
        TileBox low{}, high{};
        if (looked == kBoxes || !m_costs.split(box, low, high))
            return least;
        push(low);
        push(high);
    }
    return kNever;
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
            std::vector<Search::Taken> sets;
            const TileBox& b = state.box;
            const bool fine = static_cast<double>(b.w1) <= kFine * static_cast<double>(b.w0) &&
                              static_cast<double>(b.h1) <= kFine * static_cast<double>(b.h0);
            // A walk passes every op at least once.
            const std::size_t mostNodes = kWalked * m_ops.size() + (!splits ? 200'000 : fine ? 50'000 : 2000);
            const auto outcome = search->look(state, mostNodes, kSetsABox, sets);
            lock.lock();
            --busy;
            for (Search::Taken& found : sets)
                if (seen.insert(found.key).second)
                    out.sets.push_back(std::move(found.set));
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
