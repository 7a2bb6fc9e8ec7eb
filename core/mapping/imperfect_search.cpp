// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/imperfect_search.h"

#include "base/integer.h"
#include "mapping/factors.h"
#include "mapping/front.h"
#include "mapping/imperfect.h"
#include "mapping/imperfect_bounds.h"
#include "mapping/padding.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace tilewright::mapping {

namespace {

using SteadyClock = std::chrono::steady_clock;

/// Longer ones are not settled: their sizes are too many to look at.
constexpr std::int64_t kLongestLoop = 1 << 20;

double edpOf(const Cost& c)
{
    return c.energy * static_cast<double>(c.cycles);
}

class ImperfectSearch
{
public:
    ImperfectSearch(const LoopNest& nest, const Architecture& architecture, const SearchOptions& options)
        : m_nest(nest), m_architecture(architecture), m_options(options), m_cost(nest, architecture),
          m_bounds(nest, architecture), m_loops(static_cast<std::size_t>(nest.loopCount)),
          m_start(SteadyClock::now())
    {
        m_threads = options.threads > 0 ? options.threads
                                        : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
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
    /// SPM tiles of one loop: `count` of them need at least `low` and at most `high` elements each.
    struct Range
    {
        std::int64_t count;
        std::int64_t low;
        std::int64_t high;
    };
    /// All methods with the same number of SPM tiles along every loop.
    struct Group
    {
        std::array<std::uint32_t, kMaxLoops> range{};
        Cost bound;
    };
    struct Worker
    {
        Front<Method> front;
        std::uint64_t version = 0;
        std::int64_t visited = 0;
        std::int64_t evaluations = 0;
        int untilAsked = 0;
        bool stopped = false;
        Method method;
        NestTiles tiles{};
    };

    [[nodiscard]] double elapsed() const
    {
        return std::chrono::duration<double>(SteadyClock::now() - m_start).count();
    }
    [[nodiscard]] bool cancelled() const
    {
        return m_options.stop.stop_requested() || (m_options.seconds > 0 && elapsed() >= m_options.seconds);
    }
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
            for (const MethodCost& m : search(nest, perfect, options).front)
                offer(tightened(m_nest, m.method));
        offer(trivialMethod(m_nest));
    }

    void offer(const Method& method)
    {
        if (!allowed(method))
            return;
        const MappingCost e = evaluate(m_nest, m_architecture, method);
        if (e.valid())
            m_front.insert({e.energy, e.cycles}, method);
    }

    /// The reductions; `evaluate()` knows nothing of them.
    [[nodiscard]] bool allowed(const Method& m) const
    {
        const Reductions& r = m_options.reductions;
        if (!r.any())
            return true;
        const NestTiles tiles = nestTiles(m_nest, m);
        std::array<double, 3> elements{};
        for (std::size_t level = 0; level < elements.size(); ++level)
            for (int op = 0; op < kOperands; ++op) {
                Factors sizes{1, 1, 1, 1, 1, 1, 1};
                for (std::size_t l = 0; l < m_loops; ++l)
                    sizes[l] = tiles[l].size[level];
                elements[level] += static_cast<double>(m_nest.elements(op, sizes));
            }
        double pes = 1;
        std::int64_t reduced = 1;
        for (std::size_t l = 0; l < m_loops; ++l) {
            pes *= static_cast<double>(m.at(Level::Spatial)[l]);
            if ((m_nest.operands[kWritten].freeMask >> l & 1u) != 0)
                reduced *= m.at(Level::Spatial)[l];
        }
        const Factors& dram = m.at(Level::Dram);
        return r.constraints.allows(m) && pes >= r.minPeUse * static_cast<double>(m_architecture.pes) &&
               elements[0] >= r.minRfUse * static_cast<double>(m_architecture.rfElements()) &&
               elements[2] >= r.minSpmUse * static_cast<double>(m_architecture.spmElements()) &&
               !(r.noSpatialReduction && reduced > 1) &&
               !(r.noFilterLoopsAtDram && m_nest.loopCount == kMaxLoops && dram[5] * dram[6] > 1);
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
        w.front = m_front;
        Group group;
        Factors sizes{1, 1, 1, 1, 1, 1, 1};
        NestTiles tiles{};
        addGroups(w, 0, group, sizes, tiles);
        std::sort(m_groups.begin(), m_groups.end(), [](const Group& a, const Group& b) {
            return edpOf(a.bound) != edpOf(b.bound) ? edpOf(a.bound) < edpOf(b.bound) : a.range < b.range;
        });
        m_groupDone = std::vector<std::atomic<bool>>(m_groups.size());
        m_listed = !w.stopped;
    }

    void addGroups(Worker& w, std::size_t loop, Group& group, Factors& sizes, NestTiles& tiles)
    {
        if (loop == m_loops) {
            group.bound = {std::numeric_limits<double>::infinity(), std::numeric_limits<std::int64_t>::max()};
            bool open = false;
            m_bounds.visitGroup(tiles, [&](const Cost& bound) {
                group.bound.energy = std::min(group.bound.energy, bound.energy);
                group.bound.cycles = std::min(group.bound.cycles, bound.cycles);
                open = open || !w.front.dominates(bound);
            });
            if (open)
                m_groups.push_back(group);
            return;
        }
        for (std::size_t i = 0; i < m_ranges[loop].size() && !stops(w); ++i) {
            const Range& range = m_ranges[loop][i];
            sizes[loop] = range.low;
            if (!m_bounds.fitsScratchpad(sizes))
                continue;
            group.range[loop] = static_cast<std::uint32_t>(i);
            tiles[loop].trip = m_nest.trips[loop];
            tiles[loop].count.fill(range.count);
            addGroups(w, loop + 1, group, sizes, tiles);
        }
        sizes[loop] = 1;
    }

    // -- one group: sizes of SPM tiles, then arrays, then splits --

    void searchGroup(Worker& w, const Group& group)
    {
        refresh(w);
        if (w.front.dominates(group.bound))
            return;
        bool open = false;
        for (std::size_t l = 0; l < m_loops; ++l) {
            w.tiles[l].trip = m_nest.trips[l];
            w.tiles[l].count.fill(m_ranges[l][group.range[l]].count);
            w.method.at(Level::Dram)[l] = m_ranges[l][group.range[l]].count;
        }
        m_bounds.visitGroup(w.tiles, [&](const Cost& bound) { open = open || !w.front.dominates(bound); });
        if (!open)
            return;
        Factors sizes{1, 1, 1, 1, 1, 1, 1};
        for (std::size_t l = 0; l < m_loops; ++l)
            sizes[l] = m_ranges[l][group.range[l]].low;
        Factors tile{1, 1, 1, 1, 1, 1, 1};
        chooseTile(w, group, 0, sizes, tile);
    }

    void chooseTile(Worker& w, const Group& group, std::size_t loop, Factors& sizes, Factors& tile)
    {
        if (loop == m_loops) {
            Factors array{1, 1, 1, 1, 1, 1, 1};
            chooseArray(w, 0, tile, array, 1);
            return;
        }
        const Range& range = m_ranges[loop][group.range[loop]];
        for (tile[loop] = range.low; tile[loop] <= range.high && !stops(w); ++tile[loop]) {
            sizes[loop] = std::min(tile[loop], m_nest.trips[loop]);
            if (!m_bounds.fitsScratchpad(sizes))
                break;
            w.tiles[loop].size[2] = sizes[loop];
            chooseTile(w, group, loop + 1, sizes, tile);
        }
        sizes[loop] = range.low;
    }

    void chooseArray(Worker& w, std::size_t loop, const Factors& tile, Factors& array, std::int64_t product)
    {
        if (loop == m_loops) {
            bool open = false;
            m_bounds.visitArray(w.tiles, [&](const Cost& bound) {
                open = !w.front.dominates(bound);
                return open;
            });
            if (open) {
                Factors rf{1, 1, 1, 1, 1, 1, 1};
                chooseSplit(w, 0, array, rf, 1);
            }
            return;
        }
        const std::int64_t trip = m_nest.trips[loop];
        for (const std::int64_t a : divisors(tile[loop])) {
            if (stops(w))
                return;
            const std::int64_t spm = tile[loop] / a;
            const std::int64_t clipped = std::min(a, trip);
            if (product * clipped > m_bounds.largestArray())
                break;
            if (spm > ceilDiv(trip, a))
                continue;
            array[loop] = a;
            w.tiles[loop].size[1] = clipped;
            w.tiles[loop].count[1] = ceilDiv(trip, clipped);
            w.method.at(Level::Spm)[loop] = spm;
            chooseArray(w, loop + 1, tile, array, product * clipped);
        }
    }

    void chooseSplit(Worker& w, std::size_t loop, const Factors& array, Factors& rf, std::int64_t pes)
    {
        if (loop == m_loops) {
            visit(w);
            return;
        }
        const std::int64_t trip = m_nest.trips[loop];
        for (const std::int64_t spatial : divisors(array[loop])) {
            if (pes * spatial > m_architecture.pes)
                break;
            const std::int64_t own = array[loop] / spatial;
            if (own > trip || spatial > ceilDiv(trip, own))
                continue;
            rf[loop] = own;
            if (!m_bounds.fitsRegisters(rf))
                continue;
            w.tiles[loop] = LoopTiles::make(trip, own, spatial, w.method.at(Level::Spm)[loop]);
            w.method.at(Level::Rf)[loop] = own;
            w.method.at(Level::Spatial)[loop] = spatial;
            chooseSplit(w, loop + 1, array, rf, pes * spatial);
        }
        rf[loop] = 1;
    }

    void visit(Worker& w)
    {
        if (stops(w) || !allowed(w.method))
            return;
        ++w.visited;
        const OrderClasses spms = orderClasses(m_nest, w.method.at(Level::Spm));
        const OrderClasses drams = orderClasses(m_nest, w.method.at(Level::Dram));
        std::int64_t passes = 1;
        for (std::size_t l = 0; l < m_loops; ++l)
            passes *= w.method.at(Level::Spm)[l];
        const double leakage = m_architecture.energyPj.leakage;
        for (const OrderClass& d : drams)
            for (const OrderClass& s : spms) {
                const bool kept =
                    d.operand >= 0 && (passes == 1 || (s.operand == d.operand && s.reuse == passes));
                const ImperfectCost::Reuse spm{s.operand, s.subset};
                const ImperfectCost::Reuse dram{d.operand, d.subset};
                ++w.evaluations;
                const double energy = m_cost.energy(w.tiles, spm, dram, kept);
                const std::int64_t least = m_cost.cyclesBound(w.tiles, spm, dram, kept);
                if (w.front.dominates({energy + leakage * static_cast<double>(least), least}))
                    continue;
                const std::int64_t cycles = m_cost.cycles(w.tiles, spm, dram, kept).total();
                const Cost cost{energy + leakage * static_cast<double>(cycles), cycles};
                if (w.front.dominates(cost))
                    continue;
                Method found = w.method;
                found.spmOrder = orderOf(m_nest, s);
                found.dramOrder = orderOf(m_nest, d);
                const std::lock_guard lock(m_mutex);
                if (m_front.insert(cost, found))
                    ++m_version;
                w.front = m_front;
                w.version = m_version.load(std::memory_order_relaxed);
            }
    }

    void refresh(Worker& w)
    {
        if (w.version == m_version.load(std::memory_order_relaxed))
            return;
        const std::lock_guard lock(m_mutex);
        w.front = m_front;
        w.version = m_version.load(std::memory_order_relaxed);
    }

    [[nodiscard]] static std::vector<std::int64_t> divisorsOf(std::int64_t n)
    {
        std::vector<std::int64_t> out{1};
        for (const PrimePower& p : primePowers(n)) {
            const std::size_t before = out.size();
            std::int64_t power = 1;
            for (int e = 0; e < p.exponent; ++e) {
                power *= p.prime;
                for (std::size_t i = 0; i < before; ++i)
                    out.push_back(out[i] * power);
            }
        }
        std::sort(out.begin(), out.end());
        return out;
    }

    /// Ascending; made once for every number up to the largest tile.
    [[nodiscard]] const std::vector<std::int64_t>& divisors(std::int64_t n) const
    {
        return m_divisors[static_cast<std::size_t>(n)];
    }

    void searchGroups()
    {
        std::int64_t largest = 1;
        for (const Group& g : m_groups)
            for (std::size_t l = 0; l < m_loops; ++l)
                largest = std::max(largest, m_ranges[l][g.range[l]].high);
        m_divisors.resize(static_cast<std::size_t>(largest) + 1);
        for (std::int64_t n = 1; n <= largest; ++n)
            m_divisors[static_cast<std::size_t>(n)] = divisorsOf(n);
        std::atomic<std::size_t> next{0};
        std::atomic<int> running{m_threads};
        std::mutex doneMutex;
        std::condition_variable done;
        const auto work = [&] {
            Worker w;
            for (Factors& f : w.method.tiling)
                f.fill(1);
            for (std::size_t i = next++; i < m_groups.size() && !cancelled(); i = next++) {
                searchGroup(w, m_groups[i]);
                if (!w.stopped) {
                    m_groupDone[i].store(true, std::memory_order_relaxed);
                    ++m_settled;
                }
                m_visited += std::exchange(w.visited, 0);
                m_evaluations += std::exchange(w.evaluations, 0);
            }
            const std::lock_guard lock(doneMutex);
            --running;
            done.notify_all();
        };
        std::vector<std::jthread> workers;
        workers.reserve(static_cast<std::size_t>(m_threads));
        for (int t = 0; t < m_threads; ++t)
            workers.emplace_back(work);
        std::unique_lock lock(doneMutex);
        while (!done.wait_for(lock, std::chrono::milliseconds(100), [&] { return running == 0; }))
            tell();
    }

    [[nodiscard]] double share() const
    {
        return m_groups.empty()
                   ? (m_listed ? 1 : 0)
                   : static_cast<double>(m_settled.load()) / static_cast<double>(m_groups.size());
    }

    void tell()
    {
        if (!m_options.status)
            return;
        SearchStatus status;
        status.settled = share();
        status.counts = m_counts;
        status.counts.visited = m_visited;
        status.counts.evaluations = m_evaluations;
        status.seconds = elapsed();
        {
            const std::lock_guard lock(m_mutex);
            for (const auto& p : m_front.points())
                status.front.push_back(p.cost);
        }
        for (const Cost& c : status.front)
            for (std::size_t o = 0; o < kObjectives; ++o) {
                const auto value = [&](const Cost& x) {
                    return MethodCost{{}, x.energy, x.cycles, edpOf(x)}.value(static_cast<Objective>(o));
                };
                if (!status.best[o] || value(c) < value(*status.best[o]))
                    status.best[o] = c;
            }
        m_options.status(status);
    }

    SearchResult finish()
    {
        SearchResult out;
        for (const auto& p : m_front.points()) {
            const MappingCost e = evaluate(m_nest, m_architecture, p.payload);
            out.front.push_back({p.payload, e.energy, e.cycles, e.edp});
        }
        Cost open{std::numeric_limits<double>::infinity(), std::numeric_limits<std::int64_t>::max()};
        double openEdp = std::numeric_limits<double>::infinity();
        bool all = m_listed;
        for (std::size_t i = 0; i < m_groups.size(); ++i) {
            if (m_groupDone[i])
                continue;
            all = false;
            open.energy = std::min(open.energy, m_groups[i].bound.energy);
            open.cycles = std::min(open.cycles, m_groups[i].bound.cycles);
            openEdp = std::min(openEdp, edpOf(m_groups[i].bound));
        }
        if (!m_listed) {
            open = m_bounds.root();
            openEdp = edpOf(open);
        }
        out.lowerBound = {open.energy, static_cast<double>(open.cycles), openEdp};
        for (std::size_t o = 0; o < kObjectives; ++o) {
            const auto objective = static_cast<Objective>(o);
            for (const MethodCost& m : out.front)
                if (!out.best[o] || m.value(objective) < out.best[o]->value(objective))
                    out.best[o] = m;
            if (out.best[o])
                out.lowerBound[o] = std::min(out.lowerBound[o], out.best[o]->value(objective));
        }
        out.proven = all;
        out.interrupted = m_options.stop.stop_requested() && !out.proven;
        out.reductions = m_options.reductions;
        out.counts = m_counts;
        out.counts.visited = m_visited;
        out.counts.evaluations = m_evaluations;
        if (out.counts.space) {
            out.counts.valid = *out.counts.space;
            out.counts.cut = *out.counts.space - out.counts.visited;
        }
        out.settled = out.proven ? 1 : std::min(share(), 0.999999);
        out.seconds = elapsed();
        return out;
    }

    LoopNest m_nest;
    Architecture m_architecture;
    SearchOptions m_options;
    ImperfectCost m_cost;
    ImperfectBounds m_bounds;
    std::size_t m_loops;
    SteadyClock::time_point m_start;
    int m_threads = 1;
    std::array<std::vector<Range>, kMaxLoops> m_ranges;
    std::vector<Group> m_groups;
    std::vector<std::atomic<bool>> m_groupDone;
    std::vector<std::vector<std::int64_t>> m_divisors;
    bool m_listed = false;
    SearchCounts m_counts;
    std::atomic<std::int64_t> m_settled{0};
    std::atomic<std::int64_t> m_visited{0};
    std::atomic<std::int64_t> m_evaluations{0};
    std::mutex m_mutex; ///< guards m_front
    Front<Method> m_front;
    std::atomic<std::uint64_t> m_version{1};
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
