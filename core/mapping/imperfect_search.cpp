// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/imperfect_search.h"

#include "base/integer.h"
#include "mapping/imperfect_group.h"
#include "mapping/padding.h"

#include <algorithm>
#include <limits>
#include <memory>

namespace tilewright::mapping {

namespace {

/// Longer loops are not settled: they have too many tile sizes.
constexpr std::int64_t kLongestLoop = 1 << 20;

class ImperfectSearch : SearchFrame<Method>
{
public:
    ImperfectSearch(const LoopNest& nest, const Architecture& architecture, const SearchOptions& options)
        : SearchFrame(nest, architecture, options), m_cost(nest, architecture), m_bounds(nest, architecture),
          m_loops(static_cast<std::size_t>(nest.loopCount))
    {
    }

    SearchResult run()
    {
        m_counts.space = countImperfectTilings(m_nest);
        seed();
        listGroups();
        searchGroups();
        return finish();
    }

private:
    /// All methods with the same number of SPM tiles along every loop.
    struct Group
    {
        std::array<std::uint32_t, kMaxLoops> range{};
        Cost bound;
    };
    struct Worker
    {
        std::unique_ptr<ImperfectGroup> group;
        int untilAsked = 0;
        bool stopped = false;
    };

    bool stops(Worker& w) const
    {
        if (--w.untilAsked < 0) {
            w.untilAsked = 2000;
            w.stopped = w.stopped || cancelled();
        }
        return w.stopped;
    }

    // -- the start: methods of the layer as it is and of the padded one --

    void seed()
    {
        Architecture perfect = m_architecture;
        perfect.options.imperfect = false;
        SearchOptions options;
        options.threads = m_options.threads;
        options.stop = m_options.stop;
        options.reductions = m_options.reductions;
        options.seconds = m_options.seconds > 0 ? std::min(2.0, 0.2 * m_options.seconds) : 2.0;
        std::vector<LoopNest> nests{m_nest, m_nest};
        LoopNest& padded = nests[1];
        padded.trips = paddedTrips(m_nest);
        for (Operand& o : padded.operands)
            for (Dimension& d : o.dimensions)
                d.stored = std::max(d.stored, padded.span(d, padded.trips));
        if (padded.trips == m_nest.trips)
            nests.pop_back();
        for (const LoopNest& nest : nests)
            for (const MethodCost& m : tilewright::mapping::search(nest, perfect, options).front)
                offer(tightened(m_nest, m.method));
        offer(trivialMethod(m_nest));
    }

    void offer(const Method& method)
    {
        if (!keepsReductions(m_nest, m_architecture, m_options.reductions, method))
            return;
        const MappingCost e = evaluate(m_nest, m_architecture, method);
        if (e.valid())
            m_front.insert({e.energy, e.cycles}, method);
    }

    // -- groups --

    void listGroups()
    {
        for (const std::int64_t trip : m_nest.trips)
            if (trip > kLongestLoop)
                return;
        for (std::size_t l = 0; l < m_loops; ++l) {
            const std::int64_t trip = m_nest.trips[l];
            for (std::int64_t size = trip; size >= 1;) {
                const std::int64_t count = ceilDiv(trip, size);
                const std::int64_t low = ceilDiv(trip, count);
                // One tile may be larger than the loop: 4 PEs of 2 take 7.
                m_ranges[l].push_back({count, low, count == 1 ? 2 * trip - 1 : size});
                size = low - 1;
            }
        }
        Worker w;
        Group group;
        Factors sizes{1, 1, 1, 1, 1, 1, 1};
        NestTiles tiles{};
        for (std::size_t l = 0; l < m_loops; ++l)
            tiles[l].trip = m_nest.trips[l];
        addGroups(w, 0, group, sizes, tiles);
        std::sort(m_groups.begin(), m_groups.end(), [](const Group& a, const Group& b) {
            const double x = valueOf(a.bound, Objective::Edp);
            const double y = valueOf(b.bound, Objective::Edp);
            return x != y ? x < y : a.range < b.range;
        });
        m_total = static_cast<std::int64_t>(m_groups.size());
        m_listed = !w.stopped;
    }

    void addGroups(Worker& w, std::size_t loop, Group& group, Factors& sizes, NestTiles& tiles)
    {
        if (loop == m_loops) {
            group.bound = {std::numeric_limits<double>::infinity(), std::numeric_limits<std::int64_t>::max()};
            bool open = false;
            m_bounds.visitGroup(m_bounds.movesOf(tiles), [&](const Cost& bound) {
                group.bound.energy = std::min(group.bound.energy, bound.energy);
                group.bound.cycles = std::min(group.bound.cycles, bound.cycles);
                open = open || !m_front.dominates(bound);
                return false;
            });
            if (open)
                m_groups.push_back(group);
            return;
        }
        for (std::size_t i = 0; i < m_ranges[loop].size() && !stops(w); ++i) {
            const ImperfectGroup::Range& range = m_ranges[loop][i];
            sizes[loop] = range.low;
            if (!m_bounds.fitsScratchpad(sizes))
                continue;
            group.range[loop] = static_cast<std::uint32_t>(i);
            tiles[loop].count.fill(range.count);
            addGroups(w, loop + 1, group, sizes, tiles);
        }
        sizes[loop] = 1;
    }

    void searchGroups()
    {
        const auto makeWorker = [this] {
            auto w = std::make_unique<Worker>();
            ImperfectGroup::Hooks hooks{[this, worker = w.get()] { return stops(*worker); },
                                        [this, worker = w.get()](const Cost& cost, const Method& found) {
                                            publish(*worker->group, cost, found);
                                        }};
            w->group = std::make_unique<ImperfectGroup>(m_nest, m_architecture, m_options.reductions, m_cost,
                                                        m_bounds, std::move(hooks));
            return w;
        };
        const auto settle = [this](const std::unique_ptr<Worker>& w, std::size_t i) {
            if (cancelled())
                return false;
            refresh(*w->group);
            std::array<ImperfectGroup::Range, kMaxLoops> ranges{};
            for (std::size_t l = 0; l < m_loops; ++l)
                ranges[l] = m_ranges[l][m_groups[i].range[l]];
            if (!w->group->front.dominates(m_groups[i].bound))
                w->group->search(ranges);
            takeCounts(*w->group);
            m_settled += w->stopped ? 0 : 1;
            return !w->stopped;
        };
        settleParts(m_groups.size(), makeWorker, settle);
    }

    SearchResult finish()
    {
        SearchResult out = result([](const Method& method) { return method; });
        OpenBound open;
        forEachOpen(m_groups, [&](const Group& group) { open.include(group.bound); });
        if (!m_listed)
            open.include(m_bounds.root());
        out.boundBy(open.least);
        if (out.counts.space) {
            out.counts.valid = *out.counts.space;
            out.counts.cut = *out.counts.space - out.counts.visited;
        }
        out.settled = out.proven ? 1 : std::min(out.settled, 0.999999);
        out.seconds = elapsed();
        return out;
    }

    ImperfectCost m_cost;
    ImperfectBounds m_bounds;
    std::size_t m_loops;
    std::array<std::vector<ImperfectGroup::Range>, kMaxLoops> m_ranges;
    std::vector<Group> m_groups;
};

} // namespace

std::optional<std::int64_t> countImperfectTilings(const LoopNest& nest)
{
    std::int64_t out = 1;
    for (std::size_t l = 0; l < static_cast<std::size_t>(nest.loopCount); ++l) {
        const std::int64_t trip = nest.trips[l];
        if (trip > 1'000'000)
            return std::nullopt;
        std::int64_t chains = 0;
        for (std::int64_t rf = 1; rf <= trip; ++rf)
            for (std::int64_t spatial = 1; spatial <= ceilDiv(trip, rf); ++spatial)
                chains += ceilDiv(trip, rf * spatial);
        const auto product = checkedMul(out, chains);
        if (!product)
            return std::nullopt;
        out = *product;
    }
    return out;
}

SearchResult imperfectSearch(const LoopNest& nest, const Architecture& architecture,
                             const SearchOptions& options)
{
    return ImperfectSearch(nest, architecture, options).run();
}

} // namespace tilewright::mapping
