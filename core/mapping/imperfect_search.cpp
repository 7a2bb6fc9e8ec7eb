// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/imperfect_search.h"

#include "base/integer.h"
#include "mapping/padding.h"

#include <algorithm>
#include <limits>
#include <memory>

namespace tilewright::mapping {

bool keepsReductions(const LoopNest& nest, const Architecture& architecture, const Reductions& reductions,
                     const Method& method)
{
    const Reductions& r = reductions;
    if (!r.any())
        return true;
    const auto loops = static_cast<std::size_t>(nest.loopCount);
    const NestTiles tiles = nestTiles(nest, method);
    std::array<double, 3> elements{};
    for (std::size_t level = 0; level < elements.size(); ++level)
        for (int op = 0; op < kOperands; ++op) {
            Factors sizes{1, 1, 1, 1, 1, 1, 1};
            for (std::size_t l = 0; l < loops; ++l)
                sizes[l] = tiles[l].size[level];
            elements[level] += static_cast<double>(nest.elements(op, sizes));
        }
    double pes = 1;
    std::int64_t reduced = 1;
    for (std::size_t l = 0; l < loops; ++l) {
        pes *= static_cast<double>(method.at(Level::Spatial)[l]);
        if ((nest.operands[kWritten].freeMask >> l & 1u) != 0)
            reduced *= method.at(Level::Spatial)[l];
    }
    const Factors& dram = method.at(Level::Dram);
    return r.constraints.allows(method) && pes >= r.minPeUse * static_cast<double>(architecture.pes) &&
           elements[kPeTiles] >= r.minRfUse * static_cast<double>(architecture.rfElements()) &&
           elements[kSpmTiles] >= r.minSpmUse * static_cast<double>(architecture.spmElements()) &&
           !(r.noSpatialReduction && reduced > 1) &&
           !(r.noFilterLoopsAtDram && nest.loopCount == kMaxLoops && dram[5] * dram[6] > 1);
}

ImperfectGroup::ImperfectGroup(const LoopNest& nest, const Architecture& architecture,
                               const Reductions& reductions, const ImperfectCost& cost,
                               const ImperfectBounds& bounds, Hooks hooks)
    : m_nest(nest), m_architecture(architecture), m_reductions(reductions), m_cost(cost), m_bounds(bounds),
      m_hooks(std::move(hooks)), m_loops(static_cast<std::size_t>(nest.loopCount)),
      m_reduced(reductions.any())
{
    for (Factors& f : m_method.tiling)
        f.fill(1);
    for (std::size_t l = 0; l < m_loops; ++l)
        m_tiles[l].trip = nest.trips[l];
}

bool ImperfectGroup::asks(Level level, std::size_t loop, std::int64_t factor) const noexcept
{
    const Constraints& c = m_reductions.constraints;
    const auto i = static_cast<std::size_t>(level);
    return factor >= c.least[i][loop] && factor <= c.most[i][loop];
}

void ImperfectGroup::search(const std::array<Range, kMaxLoops>& ranges)
{
    m_ranges = ranges;
    for (std::size_t l = 0; l < m_loops; ++l) {
        if (!asks(Level::Dram, l, ranges[l].count))
            return;
        m_tiles[l].count.fill(ranges[l].count);
        m_method.at(Level::Dram)[l] = ranges[l].count;
        m_size[l] = std::min(ranges[l].low, m_nest.trips[l]);
    }
    m_across = m_bounds.movesOf(m_tiles);
    bool open = false;
    m_bounds.visitGroup(m_across, [&](const Cost& bound) { return open = !dominates(bound); });
    if (open)
        choosePasses(0, 1);
}

bool ImperfectGroup::isOpen(const ImperfectBounds::Pes& pes) const
{
    bool open = false;
    m_bounds.visitArray(m_across, m_networks, pes,
                        [&](const Cost& bound) { return open = !dominates(bound); });
    return open;
}

/// Chooses the number of array passes of one loop after another. A loop without a choice has as many passes
/// as SPM tiles, the least number.
void ImperfectGroup::choosePasses(std::size_t loop, std::int64_t product)
{
    if (m_hooks.stops())
        return;
    m_networks = m_bounds.passesOf(m_tiles);
    std::int64_t passes = 1;
    for (std::size_t l = 0; l < m_loops; ++l)
        passes *= m_tiles[l].count[kArrayPasses];
    if (!isOpen({static_cast<double>(passes), {}}))
        return;
    if (loop == m_loops) {
        for (std::size_t l = 0; l < m_loops; ++l)
            m_tiles[l].count[kPeTiles] = m_tiles[l].count[kArrayPasses];
        choosePes(0, 1, 1);
        return;
    }
    LoopTiles& tiles = m_tiles[loop];
    const std::int64_t trip = tiles.trip;
    // Tries array sizes from the largest one that fits into one tile down to single elements.
    for (std::int64_t size = std::min(trip, m_ranges[loop].high); size >= 1;) {
        const std::int64_t count = ceilDiv(trip, size);
        const std::int64_t low = ceilDiv(trip, count);
        // With one pass, the PEs may cover more than the loop: 4 PEs of 2 elements each for 7 elements.
        m_passes[loop] = {count, low, count == 1 ? 2 * trip - 1 : size};
        if (product * low <= m_bounds.largestArray()) {
            tiles.count[kArrayPasses] = count;
            choosePasses(loop + 1, product * low);
        }
        size = low - 1;
    }
    tiles.count[kArrayPasses] = tiles.count[kSpmTiles];
}

/// Chooses register files and PEs of one loop after another. A loop without a choice has one PE per pass.
void ImperfectGroup::choosePes(std::size_t loop, std::int64_t pes, double computing)
{
    if (m_hooks.stops())
        return;
    if (loop > 0) {
        double rest = 1;
        double passes = 1;
        for (std::size_t l = loop; l < m_loops; ++l) {
            rest *= static_cast<double>(m_tiles[l].trip);
            passes *= static_cast<double>(m_passes[l].count);
        }
        const auto left = m_architecture.pes / pes;
        if (!isOpen(m_bounds.pesOf(m_tiles, computing * std::max(passes, rest / static_cast<double>(left)))))
            return;
    }
    if (loop == m_loops) {
        chooseTile(0);
        return;
    }
    const std::int64_t trip = m_tiles[loop].trip;
    const Passes& passes = m_passes[loop];
    const LoopTiles before = m_tiles[loop];
    for (std::int64_t rf = 1; rf <= std::min(passes.high, trip); ++rf) {
        m_rf[loop] = rf;
        if (!m_bounds.fitsRegisters(m_rf))
            break;
        // With one pass, the smallest sufficient number of PEs is tried. Otherwise every number of PEs that
        // gives a size in the range is tried.
        const std::int64_t fewest = ceilDiv(passes.low, rf);
        const std::int64_t most = passes.count == 1 ? fewest : passes.high / rf;
        for (std::int64_t spatial = fewest; spatial <= most && pes * spatial <= m_architecture.pes;
             ++spatial) {
            if (!asks(Level::Rf, loop, rf) || !asks(Level::Spatial, loop, spatial))
                continue;
            m_method.at(Level::Rf)[loop] = rf;
            m_method.at(Level::Spatial)[loop] = spatial;
            LoopTiles& tiles = m_tiles[loop];
            tiles = LoopTiles::make(trip, rf, spatial, 1);
            tiles.count[kSpmTiles] = before.count[kSpmTiles];
            choosePes(loop + 1, pes * spatial, computing * static_cast<double>(tiles.computing));
        }
    }
    m_rf[loop] = 1;
    m_tiles[loop] = before;
}

/// Chooses the SPM factors for which the loops have the group's numbers of SPM tiles.
void ImperfectGroup::chooseTile(std::size_t loop)
{
    if (loop == m_loops) {
        if (!m_reduced || keepsReductions(m_nest, m_architecture, m_reductions, m_method))
            visit();
        return;
    }
    const Range& range = m_ranges[loop];
    const std::int64_t rf = m_method.at(Level::Rf)[loop];
    const std::int64_t spatial = m_method.at(Level::Spatial)[loop];
    const std::int64_t array = rf * spatial;
    const std::int64_t trip = m_tiles[loop].trip;
    const LoopTiles before = m_tiles[loop];
    const std::int64_t least = m_size[loop];
    const std::int64_t first = ceilDiv(range.low, array);
    const std::int64_t last = range.count == 1 ? first : range.high / array;
    for (std::int64_t spm = first; spm <= last; ++spm) {
        m_size[loop] = std::min(array * spm, trip);
        if (!m_bounds.fitsScratchpad(m_size))
            break;
        if (!asks(Level::Spm, loop, spm))
            continue;
        m_tiles[loop] = LoopTiles::make(trip, rf, spatial, spm);
        m_method.at(Level::Spm)[loop] = spm;
        chooseTile(loop + 1);
    }
    m_size[loop] = least;
    m_tiles[loop] = before;
}

void ImperfectGroup::visit()
{
    if (m_hooks.stops())
        return;
    ++visited;
    const OrderClasses spms = orderClasses(m_nest, m_method.at(Level::Spm));
    const OrderClasses drams = orderClasses(m_nest, m_method.at(Level::Dram));
    std::int64_t passes = 1;
    for (std::size_t l = 0; l < m_loops; ++l)
        passes *= m_method.at(Level::Spm)[l];
    const auto isKept = [&](const OrderClass& s, const OrderClass& d) {
        return d.operand >= 0 && (passes == 1 || (s.operand == d.operand && s.reuse == passes));
    };
    // Among the order classes that reuse the same operand, the class with all its loops innermost costs
    // least, except for waits for DMA. If the front dominates the bound of that class, the other classes are
    // skipped.
    const auto whole = [&](const OrderClasses& classes, int operand) {
        OrderClass out{operand, 0, 1};
        for (const OrderClass& c : classes)
            if (c.operand == operand && c.reuse > out.reuse)
                out = c;
        return out;
    };
    for (int dramOperand = -1; dramOperand < kOperands; ++dramOperand) {
        const OrderClass dram = whole(drams, dramOperand);
        if (dramOperand >= 0 && dram.reuse == 1)
            continue;
        for (int spmOperand = -1; spmOperand < kOperands; ++spmOperand) {
            const OrderClass spm = whole(spms, spmOperand);
            if (spmOperand >= 0 && spm.reuse == 1)
                continue;
            const bool kept = isKept(spm, dram);
            const ImperfectCost::Reuse s{spm.operand, spm.subset};
            const ImperfectCost::Reuse d{dram.operand, dram.subset};
            const double energy = m_cost.energy(m_tiles, s, d, kept);
            const std::int64_t least = m_cost.cyclesBound(m_tiles, s, d, kept);
            if (dominates({energy + m_architecture.energyPj.leakage * static_cast<double>(least), least}))
                continue;
            for (const OrderClass& dc : drams)
                for (const OrderClass& sc : spms)
                    if (dc.operand == dramOperand && sc.operand == spmOperand)
                        evaluateClass(sc, dc, isKept(sc, dc));
        }
    }
}

void ImperfectGroup::evaluateClass(const OrderClass& spm, const OrderClass& dram, bool kept)
{
    ++evaluations;
    const ImperfectCost::Reuse s{spm.operand, spm.subset};
    const ImperfectCost::Reuse d{dram.operand, dram.subset};
    const double leakage = m_architecture.energyPj.leakage;
    const double energy = m_cost.energy(m_tiles, s, d, kept);
    const std::int64_t least = m_cost.cyclesBound(m_tiles, s, d, kept);
    if (dominates({energy + leakage * static_cast<double>(least), least}))
        return;
    const std::int64_t cycles = m_cost.cycles(m_tiles, s, d, kept).total();
    const Cost cost{energy + leakage * static_cast<double>(cycles), cycles};
    if (dominates(cost))
        return;
    Method found = m_method;
    found.spmOrder = orderOf(m_nest, spm);
    found.dramOrder = orderOf(m_nest, dram);
    m_hooks.publish(cost, found);
}

namespace {

/// Layers with a longer loop are not settled, because the loop has too many tile sizes.
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

    // Functions for the start of the search: methods of the layer as it is, and of the padded layer.

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

    // Functions for groups of methods with equal numbers of SPM tiles:

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
                // A single tile may be larger than the loop: 4 PEs of 2 elements each cover 7 elements.
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
            refresh(*w->group, i);
            std::array<ImperfectGroup::Range, kMaxLoops> ranges{};
            for (std::size_t l = 0; l < m_loops; ++l)
                ranges[l] = m_ranges[l][m_groups[i].range[l]];
            if (!w->group->dominates(m_groups[i].bound))
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
