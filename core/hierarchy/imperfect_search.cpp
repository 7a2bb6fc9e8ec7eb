// SPDX-License-Identifier: GPL-3.0-or-later
#include "hierarchy/imperfect_search.h"

#include "hierarchy/branch_search.h"
#include "hierarchy/chains.h"
#include "hierarchy/exchange.h"
#include "hierarchy/imperfect.h"
#include "mapping/padding.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tilewright::hierarchy {

namespace {

constexpr std::size_t kMostChains = 10'000; ///< largest number of chains of one loop that are all tried
constexpr double kStartSeconds = 2; ///< time in seconds of each search with dividing factors at the start

/// Returns the layer with other trip counts.
LoopNest withTrips(const LoopNest& nest, const Factors& trips)
{
    LoopNest out = nest;
    out.trips = trips;
    out.macs = 1;
    for (const std::int64_t trip : trips)
        out.macs *= trip;
    for (mapping::Operand& o : out.operands)
        for (mapping::Dimension& d : o.dimensions)
            d.stored = std::max(d.stored, out.span(d, trips));
    return out;
}

/// Lower bounds of energy and cycles over the mappings that were not settled.
struct Open
{
    std::array<double, kObjectives> least{kInfinite, kInfinite, kInfinite};

    void add(double energy, double cycles)
    {
        const MappingCost bound{{}, energy, cycles};
        for (std::size_t o = 0; o < kObjectives; ++o)
            least[o] = std::min(least[o], bound.value(static_cast<Objective>(o)));
    }
    void add(const Open& other)
    {
        for (std::size_t o = 0; o < kObjectives; ++o)
            least[o] = std::min(least[o], other.least[o]);
    }
};

/// Data of the search space that all threads read.
struct Space
{
    std::vector<Hop> hops;
    std::array<ChainList, kMaxLoops> chains;
    std::vector<std::size_t> loops; ///< loops in the order of the search
    /// Least contribution of the loops from a position on: shares per hop, steps, and the largest number of
    /// instances.
    struct Rest
    {
        std::vector<Share> shares;
        double steps = 1;
        std::array<double, kMaxLevels + 1> instances{};
    };
    std::vector<Rest> rest;
    /// Per hop: number of elements of the windows that take part in a multiplication.
    std::vector<double> windows;
    bool complete = true;

    [[nodiscard]] bool isPossible() const
    {
        return std::ranges::all_of(chains, [](const ChainList& c) { return !c.list.empty(); });
    }
};

/// Searches mappings on one thread.
class ChainSearch
{
public:
    ChainSearch(const LoopNest& nest, const Architecture& architecture, const SearchOptions& options,
                const Space& space, SearchRun& run)
        : m_nest(nest), m_architecture(architecture), m_options(options), m_space(space), m_run(run),
          m_cutter(run.found())
    {
        m_stationary.fill(-1);
    }
    ChainSearch(const ChainSearch&) = delete;
    ChainSearch& operator=(const ChainSearch&) = delete;
    ~ChainSearch() { m_run.take(m_counts); }

    /// Lower bounds by docs/rules/hierarchy.md 11.3.
    struct Bound
    {
        double energy = 0, cycles = 0;
    };
    struct Node
    {
        std::vector<Share> shares; ///< per hop: product of the shares of the loops chosen so far
        double steps = 1;
        std::array<double, kMaxLevels + 1> instances{};
    };
    [[nodiscard]] Node root() const
    {
        Node out;
        out.shares.resize(m_space.hops.size());
        out.instances.fill(1);
        return out;
    }

    /// A chain of the loop at this position that may be better than the mappings found, with its bounds.
    struct Candidate
    {
        const Chain* chain = nullptr;
        Bound bound;
    };
    [[nodiscard]] std::vector<Candidate> candidates(std::size_t position, const Node& node)
    {
        std::vector<Candidate> out;
        const std::size_t loop = m_space.loops[position];
        for (const Chain& chain : m_space.chains[loop].list) {
            if (m_run.isOver()) {
                const Bound all = bound(position, node);
                m_open.add(all.energy, all.cycles);
                return {};
            }
            m_chosen[loop] = &chain;
            if (!fitsSoFar(position + 1))
                continue;
            const Bound one = bound(position + 1, with(node, chain));
            ++m_counts.evaluations;
            if (!m_cutter.isSettled(one.energy, one.cycles))
                out.push_back({&chain, one});
        }
        m_chosen[loop] = nullptr;
        const auto objective = m_options.objective.value_or(Objective::Edp);
        std::ranges::stable_sort(out, {}, [&](const Candidate& c) {
            return std::pair(MappingCost{{}, c.bound.energy, c.bound.cycles}.value(objective),
                             c.bound.energy);
        });
        return out;
    }

    /// Settles all mappings with this chain and the chains chosen before it.
    void settle(std::size_t position, const Node& node, const Candidate& candidate)
    {
        if (m_cutter.isSettled(candidate.bound.energy, candidate.bound.cycles))
            return;
        if (m_run.isOver())
            return m_open.add(candidate.bound.energy, candidate.bound.cycles);
        const std::size_t loop = m_space.loops[position];
        m_chosen[loop] = candidate.chain;
        if (position + 1 == m_space.loops.size()) {
            ++m_counts.tilings;
            tryOrders(0);
        } else {
            const Node next = with(node, *candidate.chain);
            for (const Candidate& one : candidates(position + 1, next))
                settle(position + 1, next, one);
        }
        m_chosen[loop] = nullptr;
    }

    /// Chooses the chains of the first loops as long as each has only one. `position` becomes the first other
    /// loop.
    [[nodiscard]] Node chooseSingle(std::size_t& position)
    {
        Node node = root();
        while (position + 1 < m_space.loops.size() &&
               m_space.chains[m_space.loops[position]].list.size() == 1) {
            const std::size_t loop = m_space.loops[position++];
            m_chosen[loop] = &m_space.chains[loop].list.front();
            node = with(node, *m_chosen[loop]);
        }
        return node;
    }

    /// Improves a mapping loop by loop and level by level, until no change improves it.
    void improve(const Mapping& start, Objective objective)
    {
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            if (!(m_chosen[l] = chainOf(start, l)))
                return;
        m_stationary.fill(-1);
        double best = kInfinite;
        const auto improves = [&] {
            const double value = evaluateChosen().value(objective);
            const bool out = value < best;
            best = std::min(best, value);
            return out;
        };
        (void)improves();
        for (bool changed = true; changed && !m_run.isOver();) {
            changed = false;
            for (std::size_t i = 0; i < m_architecture.levels.size(); ++i)
                for (int op = -1; op < static_cast<int>(kOperands); ++op) {
                    const int before = std::exchange(m_stationary[i], op);
                    if (improves())
                        changed = true;
                    else
                        m_stationary[i] = before;
                }
            for (const std::size_t loop : m_space.loops)
                for (const Chain& chain : m_space.chains[loop].list) {
                    if (m_run.isOver())
                        return;
                    const Chain* const before = std::exchange(m_chosen[loop], &chain);
                    if (fitsSoFar(m_space.loops.size()) && improves())
                        changed = true;
                    else
                        m_chosen[loop] = before;
                }
        }
    }

    [[nodiscard]] const Open& open() const noexcept { return m_open; }

private:
    [[nodiscard]] Node with(const Node& node, const Chain& chain) const
    {
        Node out = node;
        out.steps *= chain.steps;
        for (std::size_t i = 0; i < out.shares.size(); ++i)
            out.shares[i].multiply(chain.shares[i]);
        for (std::size_t i = 0; i <= m_architecture.levels.size(); ++i)
            out.instances[i] *= chain.instances[i];
        return out;
    }

    [[nodiscard]] Bound bound(std::size_t position, const Node& node) const
    {
        const Space::Rest& rest = m_space.rest[position];
        const std::size_t levels = m_architecture.levels.size();
        std::array<double, kMaxLevels> reads{}, writes{};
        for (std::size_t i = 0; i < m_space.hops.size(); ++i) {
            const Hop& hop = m_space.hops[i];
            Share all = node.shares[i];
            all.multiply(rest.shares[i]);
            const double outer = all.outer * std::max(all.outerTiles, m_space.windows[i]);
            const double inner = all.inner * std::max(all.innerTiles, m_space.windows[i]);
            const auto bits = static_cast<double>(m_architecture.bits[hop.operand]);
            if (hop.operand != mapping::kWritten) {
                reads[hop.outer] += outer * bits;
                if (hop.inner < levels)
                    writes[hop.inner] += inner * bits;
                continue;
            }
            const auto wide = static_cast<double>(m_architecture.accumulatorBits);
            // Complete sums may have fewer bits than partial sums.
            const double narrower = std::max(0.0, wide - bits) * all.first;
            const double back = std::max(0.0, all.visited - all.first) * wide;
            writes[hop.outer] += std::max(0.0, outer * wide - narrower);
            reads[hop.outer] += back;
            if (hop.inner < levels) {
                reads[hop.inner] += std::max(0.0, inner * wide - narrower);
                writes[hop.inner] += back;
            }
        }
        Bound out{static_cast<double>(m_nest.macs) * m_architecture.macPj, node.steps * rest.steps};
        for (std::size_t i = 0; i < levels; ++i) {
            const Level& level = m_architecture.levels[i];
            const double instances = node.instances[i] * rest.instances[i];
            out.energy += reads[i] * level.readPj + writes[i] * level.writePj;
            if (level.readBytesPerCycle)
                out.cycles = std::max(out.cycles, reads[i] / (8 * instances) / *level.readBytesPerCycle);
            if (level.writeBytesPerCycle)
                out.cycles = std::max(out.cycles, writes[i] / (8 * instances) / *level.writeBytesPerCycle);
        }
        // Allows for rounding: bounds must hold for the figures of the evaluator, which adds in another
        // order.
        out.energy *= 1 - 1e-13;
        out.cycles *= 1 - 1e-13;
        return out;
    }

    /// True if the chains of the first loops fit together with the smallest tiles of the other loops.
    [[nodiscard]] bool fitsSoFar(std::size_t position) const
    {
        std::size_t axis = 0;
        for (const Level& level : m_architecture.levels)
            for (const Axis& a : level.axes) {
                std::int64_t product = 1;
                for (std::size_t i = 0; i < position; ++i)
                    product *= m_chosen[m_space.loops[i]]->spatial[axis];
                if (product > a.size)
                    return false;
                ++axis;
            }
        for (std::size_t i = 0; i < m_architecture.levels.size(); ++i) {
            Factors extents{1, 1, 1, 1, 1, 1, 1};
            for (std::size_t p = 0; p < position; ++p)
                extents[m_space.loops[p]] = m_chosen[m_space.loops[p]]->extents[i];
            if (!fits(m_architecture.levels[i], storedBits(m_nest, m_architecture, i, extents)))
                return false;
        }
        return true;
    }

    /// Tries the loop orders of this level and the levels inside it that can be best (docs/rules/hierarchy.md
    /// 7.2).
    void tryOrders(std::size_t level)
    {
        if (level == m_architecture.levels.size()) {
            (void)evaluateChosen();
            return;
        }
        bool any = false;
        for (std::size_t op = 0; op < kOperands; ++op) {
            bool isFree = false, isIndexed = false;
            for (std::size_t l = 0; l < kMaxLoops; ++l)
                if (m_chosen[l]->temporal[level] > 1)
                    ((m_nest.operands[op].indexMask >> l & 1u) != 0 ? isIndexed : isFree) = true;
            if (!isFree || !isIndexed || m_architecture.innermostHolder(op) <= level)
                continue;
            any = true;
            m_stationary[level] = static_cast<int>(op);
            tryOrders(level + 1);
        }
        m_stationary[level] = -1;
        if (!any)
            tryOrders(level + 1);
    }

    [[nodiscard]] MappingCost evaluateChosen()
    {
        ++m_counts.evaluations;
        MappingCost out{mapping(), 0, 0};
        countImperfectCost(m_nest, m_architecture, out.mapping, m_cost);
        out.energy = m_cost.energy;
        out.cycles = m_cost.cycles;
        m_run.found().add(out.energy, out.cycles, [&] { return out.mapping; });
        return out;
    }

    [[nodiscard]] Mapping mapping() const
    {
        Mapping out;
        out.levels.resize(m_architecture.levels.size());
        std::size_t axis = 0;
        for (std::size_t i = 0; i < out.levels.size(); ++i) {
            LevelLoops& level = out.levels[i];
            for (const Axis& a : m_architecture.levels[i].axes) {
                level.spatial.push_back({a.name, {}});
                for (std::size_t l = 0; l < kMaxLoops; ++l)
                    if (const std::int64_t factor = m_chosen[l]->spatial[axis]; factor > 1)
                        level.spatial.back().loops.push_back({static_cast<int>(l), factor});
                ++axis;
            }
            for (std::size_t l = 0; l < kMaxLoops; ++l)
                if (const std::int64_t factor = m_chosen[l]->temporal[i]; factor > 1)
                    level.temporal.push_back({static_cast<int>(l), factor});
            putInnermost(m_nest, m_stationary[i], level.temporal);
        }
        putInOrder(m_options.constraints, out);
        return out;
    }

    /// The chain of a loop in a mapping; null if it is not in the list of chains.
    [[nodiscard]] const Chain* chainOf(const Mapping& mapping, std::size_t loop) const
    {
        std::array<std::int64_t, kMaxLevels> temporal{};
        std::vector<std::int64_t> spatial;
        const auto factorOf = [&](const std::vector<TiledLoop>& loops) {
            std::int64_t out = 1;
            for (const TiledLoop& tiled : loops)
                out *= tiled.loop == static_cast<int>(loop) ? tiled.factor : 1;
            return out;
        };
        temporal.fill(1);
        for (std::size_t i = 0; i < mapping.levels.size(); ++i) {
            temporal[i] = factorOf(mapping.levels[i].temporal);
            for (const Axis& axis : m_architecture.levels[i].axes) {
                std::int64_t factor = 1;
                for (const AxisLoops& used : mapping.levels[i].spatial)
                    factor *= used.axis == axis.name ? factorOf(used.loops) : 1;
                spatial.push_back(factor);
            }
        }
        for (const Chain& chain : m_space.chains[loop].list)
            if (chain.temporal == temporal && chain.spatial == spatial)
                return &chain;
        return nullptr;
    }

    const LoopNest& m_nest;
    const Architecture& m_architecture;
    const SearchOptions& m_options;
    const Space& m_space;
    SearchRun& m_run;
    Cutter m_cutter;
    std::array<const Chain*, kMaxLoops> m_chosen{};
    std::array<int, kMaxLevels> m_stationary{};
    Open m_open;
    Cost m_cost;
    SearchCounts m_counts;
};

class ImperfectSearcher
{
public:
    ImperfectSearcher(const LoopNest& nest, const Architecture& architecture, const SearchOptions& options)
        : m_nest(nest), m_architecture(architecture), m_options(options), m_run(options)
    {
        m_all = boundOfAll(nest, architecture);
    }

    SearchResult run()
    {
        Feasible feasible = findMapping(m_nest, m_architecture, m_options.constraints);
        if (feasible.reason) {
            SearchResult out = m_run.result();
            out.none = std::move(feasible.reason);
            out.proven = true;
            return out;
        }
        if (feasible.mapping)
            add(*feasible.mapping);
        start(m_nest.trips);
        if (const Factors padded = mapping::paddedTrips(m_nest); padded != m_nest.trips)
            start(padded);
        listSpace();
        if (m_space.isPossible()) {
            improve();
            if (m_space.complete && !m_options.quick)
                settle();
        }
        return result();
    }

private:
    /// Adds a mapping after reducing factors that are larger than needed.
    void add(const Mapping& mapping)
    {
        Mapping tight = tightened(m_nest, m_architecture, mapping);
        const Cost cost = evaluate(m_nest, m_architecture, tight);
        if (cost.valid() && m_options.constraints.allows(m_architecture, tight))
            m_run.found().add(cost.energy, cost.cycles, [&] { return tight; });
    }

    /// Adds the mappings that a short search with dividing factors finds for these trip counts.
    void start(const Factors& trips)
    {
        const LoopNest nest = withTrips(m_nest, trips);
        if (!checkCountable(nest) || m_run.isStopped())
            return;
        Architecture perfect = m_architecture;
        perfect.imperfect = false;
        SearchOptions options = m_options;
        options.seconds =
            std::min(kStartSeconds, m_options.seconds > 0 ? m_options.seconds / 8 : kStartSeconds);
        const SearchResult found = search(nest, perfect, options);
        for (const MappingCost& point : found.front)
            add(point.mapping);
    }

    void listSpace()
    {
        m_space.hops = hopsOf(m_architecture);
        m_run.inThreads(kMaxLoops, [&](const auto& next) {
            for (std::size_t l = next(); l < kMaxLoops; l = next())
                m_space.chains[l] = listChains(m_nest, m_architecture, m_options.constraints, m_space.hops,
                                               static_cast<int>(l), kMostChains);
        });
        m_space.loops.resize(kMaxLoops);
        std::iota(m_space.loops.begin(), m_space.loops.end(), 0);
        std::ranges::stable_sort(m_space.loops, {},
                                 [&](std::size_t l) { return m_space.chains[l].list.size(); });
        for (const ChainList& chains : m_space.chains)
            m_space.complete = m_space.complete && chains.complete;
        if (!m_space.isPossible())
            return;
        listRest();
        for (const Hop& hop : m_space.hops) {
            const mapping::Operand& operand = m_nest.operands[hop.operand];
            double elements = 1;
            for (int i = 0; i < operand.dimensionCount; ++i)
                if (const auto& d = operand.dimensions[static_cast<std::size_t>(i)]; d.filterLoop >= 0)
                    elements *= static_cast<double>(usedLength(m_nest, d));
            m_space.windows.push_back(elements);
        }
    }

    /// Computes the least contribution of the last loops, from the last one backwards.
    void listRest()
    {
        const std::size_t loops = m_space.loops.size();
        m_space.rest.resize(loops + 1);
        m_space.rest[loops].shares.resize(m_space.hops.size());
        m_space.rest[loops].instances.fill(1);
        for (std::size_t p = loops; p-- > 0;) {
            const std::vector<Chain>& list = m_space.chains[m_space.loops[p]].list;
            Space::Rest least;
            least.shares = list.front().shares;
            least.steps = list.front().steps;
            least.instances = list.front().instances;
            for (const Chain& chain : list) {
                least.steps = std::min(least.steps, chain.steps);
                for (std::size_t i = 0; i < least.shares.size(); ++i)
                    least.shares[i].limit(chain.shares[i]);
                for (std::size_t i = 0; i <= m_architecture.levels.size(); ++i)
                    least.instances[i] = std::max(least.instances[i], chain.instances[i]);
            }
            m_space.rest[p] = m_space.rest[p + 1];
            m_space.rest[p].steps *= least.steps;
            for (std::size_t i = 0; i < least.shares.size(); ++i)
                m_space.rest[p].shares[i].multiply(least.shares[i]);
            for (std::size_t i = 0; i <= m_architecture.levels.size(); ++i)
                m_space.rest[p].instances[i] *= least.instances[i];
        }
    }

    void improve()
    {
        std::vector<std::pair<Mapping, Objective>> starts;
        for (std::size_t o = 0; o < kObjectives; ++o)
            if (const auto objective = static_cast<Objective>(o);
                !m_options.objective || *m_options.objective == objective) {
                const SearchResult sofar = m_run.result();
                for (const auto& best : sofar.best)
                    if (best)
                        starts.emplace_back(best->mapping, objective);
            }
        m_run.inThreads(starts.size(), [&](const auto& next) {
            ChainSearch search(m_nest, m_architecture, m_options, m_space, m_run);
            for (std::size_t i = next(); i < starts.size(); i = next())
                search.improve(starts[i].first, starts[i].second);
        });
    }

    void settle()
    {
        std::size_t position = 0;
        ChainSearch first(m_nest, m_architecture, m_options, m_space, m_run);
        const ChainSearch::Node node = first.chooseSingle(position);
        const auto candidates = first.candidates(position, node);
        m_open.add(first.open());
        std::mutex mutex; // guards m_open
        m_run.inThreads(candidates.size(), [&](const auto& next) {
            ChainSearch search(m_nest, m_architecture, m_options, m_space, m_run);
            std::size_t at = 0;
            (void)search.chooseSingle(at);
            for (std::size_t i = next(); i < candidates.size(); i = next())
                search.settle(position, node, candidates[i]);
            const std::lock_guard lock(mutex);
            m_open.add(search.open());
        });
        m_isSettled = true;
    }

    [[nodiscard]] SearchResult result() const
    {
        SearchResult out = m_run.result();
        // True if some loop has no chain at all.
        const bool isEmpty = m_space.complete && !m_space.isPossible();
        out.proven = isEmpty || (m_isSettled &&
                                 std::ranges::all_of(m_open.least, [](double d) { return d == kInfinite; }));
        out.interrupted = !out.proven && m_run.isStopped();
        for (std::size_t o = 0; o < kObjectives; ++o) {
            const auto objective = static_cast<Objective>(o);
            const bool isAsked = !m_options.objective || *m_options.objective == objective;
            double least = out.best[o] ? out.best[o]->value(objective) : kInfinite;
            least = std::min(least, m_isSettled && isAsked ? std::max(m_open.least[o], m_all.value(objective))
                                                           : m_all.value(objective));
            out.lowerBound[o] = isEmpty || least == kInfinite ? 0 : least;
        }
        return out;
    }

    const LoopNest& m_nest;
    const Architecture& m_architecture;
    const SearchOptions& m_options;
    SearchRun m_run;
    Branch m_all; ///< bounds of the whole space
    Space m_space;
    Open m_open;
    bool m_isSettled = false; ///< all mappings except those of m_open are settled
};

} // namespace

SearchResult searchImperfect(const LoopNest& nest, const Architecture& architecture,
                             const SearchOptions& options)
{
    return ImperfectSearcher(nest, architecture, options).run();
}

} // namespace tilewright::hierarchy
