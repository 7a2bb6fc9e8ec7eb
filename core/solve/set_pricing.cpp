// SPDX-License-Identifier: GPL-3.0-or-later
// Tile sizes fall into boxes. In a box an op set costs at least what its ops, loads and stores cost at the
// box's largest tiles, one by one, and takes at least the room that they take at its smallest ones. Both are
// sums over the arcs of a path, so the least that a path can still add is known in every state: of the
// weighted sums of compute and memory less prices, with the room that is left at a price, too.
#include "solve/set_pricing.h"

#include "solve/set_pricing_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <condition_variable>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace tilewright {

namespace {

constexpr std::size_t kSetsABox = 500;
constexpr double kFine = 1.13; ///< sides of boxes that are worth many nodes
constexpr double kNever = std::numeric_limits<double>::infinity();

} // namespace

SetPricing::SetPricing(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
                       const FrontierGraph& graph)
    : m_problem(problem), m_costs(problem, rules, ops, graph), m_near(ops.size(), 0)
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
    }
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

/// The boxes of least cost first.
double SetPricing::leastOf(const Set& set) const
{
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

SetPricing::Found SetPricing::find(const std::vector<double>& prices, const Known& known,
                                   const Limits& limits) const
{
    double unit = 0; // what one op is worth, about
    for (const double p : prices)
        unit += std::max(0.0, p);
    unit /= static_cast<double>(m_near.size());
    Found out;
    out.all = true;
    Known seen;
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
            stopped |= (thread == 0 && limits.secondsLeft() <= 0) || out.sets.size() > limits.sets;
            if (stopped)
                break;
            Search::State state = std::move(boxes.back());
            boxes.pop_back();
            ++busy;
            lock.unlock();
            if (!search)
                search.emplace(*this, prices, known, unit);
            TileBox low{}, high{};
            const bool splits = m_costs.split(state.box, low, high);
            std::vector<Set> sets;
            const TileBox& b = state.box;
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
