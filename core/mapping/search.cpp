// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/search.h"

#include "base/integer.h"
#include "mapping/fast_evaluator.h"
#include "mapping/imperfect_search.h"
#include "mapping/sampled_search.h"
#include "mapping/search_frame.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::mapping {

namespace {

using Index = Lattice::Index;

/// The data from which a method is rebuilt: extents of the SPM tile and of the array, SPATIAL factors, reused
/// operands.
struct Found
{
    Index tile = 0;
    Index array = 0;
    Index spatial = 0;
    int spmOperand = -1;
    int dramOperand = -1;
};

/// At most one order class per operand, and one without reuse. For a reused operand, more of its loops
/// innermost never cost more energy or cycles, so the proper subsets are not tried.
template <typename T> struct FewClasses
{
    int count = 0;
    std::array<T, kOperands + 1> items;

    void add(const T& item) noexcept { items[static_cast<std::size_t>(count++)] = item; }
    [[nodiscard]] const T* begin() const noexcept { return items.data(); }
    [[nodiscard]] const T* end() const noexcept { return items.data() + count; }
};

struct SpmClass
{
    int operand = -1;
    std::int64_t reuse = 1;
    PassTerms pass;
};

class Search : SearchFrame<Found>
{
public:
    Search(const LoopNest& nest, const Architecture& architecture, const SearchOptions& options,
           Lattice lattice)
        : SearchFrame(nest, architecture, options), m_lattice(std::move(lattice)),
          m_evaluator(nest, architecture)
    {
        m_spmConstrained = options.reductions.constraints.bounds(Level::Spm);
        m_dramConstrained = options.reductions.constraints.bounds(Level::Dram);
    }

    SearchResult run()
    {
        m_counts.space = countTilings(m_nest);
        const ArrayTable table(m_lattice, m_architecture, m_options.reductions, [this] {
            report();
            return cancelled();
        });
        m_table = &table;
        m_listed = table.complete();
        if (m_listed) {
            m_bounds.emplace(m_nest, m_architecture, m_lattice, table);
            prepareTiles();
            searchTiles();
        }
        return finish();
    }

private:
    using Worker = FrontCopy<Found>;
    struct Tile
    {
        Index index;
        std::int64_t tilings; ///< number of tilings in the whole space with this tile
        std::int64_t valid;   ///< number of these tilings that fit
        Cost bound;
    };

    [[nodiscard]] bool tileFits(Index tile) const
    {
        if (!fitsScratchpad(m_lattice, m_architecture, tile))
            return false;
        std::int64_t elements = 0;
        for (std::size_t op = 0; op < kOperands; ++op)
            elements += m_lattice.elements[op][tile];
        const Reductions& r = m_options.reductions;
        if (static_cast<double>(elements) < r.minSpmUse * static_cast<double>(m_architecture.spmElements()))
            return false;
        if (m_dramConstrained &&
            !r.constraints.allows(Level::Dram, m_lattice.factors(m_lattice.last() - tile)))
            return false;
        if (r.noFilterLoopsAtDram && m_nest.loopCount == kMaxLoops) {
            const Factors dram = m_lattice.factors(m_lattice.last() - tile);
            return dram[5] == 1 && dram[6] == 1;
        }
        return true;
    }

    /// Number of tilings of the whole space that have this SPM tile: each exponent e is split over SPM, RF
    /// and SPATIAL.
    [[nodiscard]] std::int64_t tilingsOf(Index tile) const
    {
        std::int64_t out = 1;
        for (const Lattice::Axis& axis : m_lattice.axes()) {
            const std::int64_t e = m_lattice.exponent(tile, axis);
            out *= (e + 1) * (e + 2) / 2;
        }
        return out;
    }

    [[nodiscard]] FewClasses<DramTerms> dramClasses(Index tile) const
    {
        const Index outer = m_lattice.last() - tile;
        const Factors extents = m_lattice.factors(tile);
        const Factors dram = m_lattice.factors(outer);
        FewClasses<DramTerms> out;
        if (outer == 0 || m_lattice.neutralProduct[outer] > 1)
            out.add(m_evaluator.dramTerms(extents, dram, {}));
        for (int op = 0; op < kOperands; ++op)
            if (const std::int64_t reuse = m_lattice.freeProduct[static_cast<std::size_t>(op)][outer];
                reuse > 1)
                out.add(m_evaluator.dramTerms(extents, dram, {op, 0, reuse}));
        return out;
    }

    /// Calls visit(lower bound) for every combination of reused operands, until visit() returns true.
    template <typename Visit>
    void boundTile(Index tile, const FewClasses<DramTerms>& classes, Visit&& visit) const
    {
        for (const DramTerms& d : classes)
            for (int spmOperand = 0; spmOperand < kOperands; ++spmOperand)
                if (visit(m_bounds->cost(tile, d, spmOperand)))
                    return;
    }

    [[nodiscard]] bool spmAllowed(Index spm) const
    {
        return m_options.reductions.constraints.allows(Level::Spm, m_lattice.factors(spm));
    }

    /// Returns the number of tilings with this SPM tile that fit the PEs and the register files and satisfy
    /// the user's constraints.
    [[nodiscard]] std::int64_t validBelow(Index tile) const
    {
        if (!m_spmConstrained)
            return m_bounds->validBelow(tile);
        std::int64_t out = 0;
        m_lattice.forEachDivisor(tile, [&](Index array) {
            if (spmAllowed(tile - array))
                out += m_table->summary(array).feasible;
        });
        return out;
    }

    void prepareTiles()
    {
        for (std::size_t i = 0; i < m_lattice.size(); ++i) {
            const auto index = static_cast<Index>(i);
            const std::int64_t all = tilingsOf(index);
            m_total += all;
            const std::int64_t valid =
                m_bounds->validBelow(index) == 0 || !tileFits(index) ? 0 : validBelow(index);
            if (valid == 0) {
                m_counts.invalid += all;
                m_settled += all;
                continue;
            }
            m_counts.invalid += all - valid;
            m_counts.valid += valid;
            Cost least{std::numeric_limits<double>::infinity(), std::numeric_limits<std::int64_t>::max()};
            boundTile(index, dramClasses(index), [&](const Cost& bound) {
                least.energy = std::min(least.energy, bound.energy);
                least.cycles = std::min(least.cycles, bound.cycles);
                return false;
            });
            m_tiles.push_back({index, all, valid, least});
        }
        // Tiles with good bounds are searched first. A few tiles with the best energy and the best cycles
        // open the two ends of the front.
        const auto edp = [](const Tile& t) { return t.bound.energy * static_cast<double>(t.bound.cycles); };
        std::sort(m_tiles.begin(), m_tiles.end(), [&](const Tile& a, const Tile& b) {
            const double x = edp(a);
            const double y = edp(b);
            return x != y ? x < y : a.index < b.index;
        });
        const std::size_t lead = std::min<std::size_t>(16, m_tiles.size() / 2);
        const auto bringForward = [&](std::size_t from, auto less) {
            std::vector<Tile> best(lead);
            std::partial_sort_copy(m_tiles.begin() + static_cast<std::ptrdiff_t>(from), m_tiles.end(),
                                   best.begin(), best.end(), less);
            for (const Tile& t : best) {
                const auto at =
                    std::find_if(m_tiles.begin() + static_cast<std::ptrdiff_t>(from), m_tiles.end(),
                                 [&](const Tile& o) { return o.index == t.index; });
                std::rotate(m_tiles.begin() + static_cast<std::ptrdiff_t>(from), at, at + 1);
            }
        };
        bringForward(lead, [](const Tile& a, const Tile& b) { return a.bound.energy < b.bound.energy; });
        bringForward(lead, [](const Tile& a, const Tile& b) { return a.bound.cycles < b.bound.cycles; });
    }

    void searchTile(Worker& w, std::size_t part)
    {
        refresh(w, part);
        const Index tile = m_tiles[part].index;
        const FewClasses<DramTerms> drams = dramClasses(tile);
        bool promising = false;
        boundTile(tile, drams, [&](const Cost& bound) {
            promising = !w.dominates(bound);
            return promising;
        });
        if (!promising)
            return;
        m_lattice.forEachDivisor(tile, [&](Index array) {
            if (m_table->summary(array).feasible > 0 && (!m_spmConstrained || spmAllowed(tile - array)))
                searchArray(w, tile, array, drams);
        });
    }

    /// Values for operands that bypass the scratchpad; empty if no operand does.
    struct Direct
    {
        FastEvaluator::TileDma dma;
        Factors outer{};
    };

    /// Calls visit(cost, spm operand, dram operand) for all order classes that may be on the front, until
    /// visit() returns true.
    template <typename Visit>
    void visitClasses(Worker& w, const ArrayTerms& terms, std::int64_t passes, FewClasses<SpmClass>& spms,
                      const FewClasses<DramTerms>& drams, const Direct& direct, Visit&& visit) const
    {
        for (int i = 0; i < spms.count; ++i) {
            SpmClass& s = spms.items[static_cast<std::size_t>(i)];
            s.pass = spmPassTerms(terms, s.operand, s.reuse, passes, m_evaluator.overlapped());
        }
        for (const DramTerms& d : drams)
            for (const SpmClass& s : spms) {
                const bool kept =
                    d.operand >= 0 && (passes == 1 || (s.operand == d.operand && s.reuse == passes));
                const auto cost = [&](const DramTerms& dram) {
                    return kept ? keptCost(dram, terms, passes, m_evaluator.fixedPj())
                                : layerCost(dram, s.pass, m_evaluator.fixedPj());
                };
                ++w.evaluations;
                if (visit(m_evaluator.bypasses()
                              ? cost(m_evaluator.bypassed(d, direct.dma, direct.outer, s.operand, s.reuse,
                                                          passes, kept))
                              : cost(d),
                          s.operand, d.operand))
                    return;
            }
    }

    void searchArray(Worker& w, Index tile, Index array, const FewClasses<DramTerms>& drams)
    {
        const Index spm = tile - array;
        const std::int64_t passes = m_lattice.product[spm];
        FewClasses<SpmClass> spms;
        if (passes == 1 || m_lattice.neutralProduct[spm] > 1)
            spms.add({});
        for (int op = 0; op < kOperands; ++op)
            if (const std::int64_t reuse = m_lattice.freeProduct[static_cast<std::size_t>(op)][spm];
                reuse > 1)
                spms.add({op, reuse, {}});
        Direct direct;
        if (m_evaluator.bypasses())
            direct = {m_evaluator.tileDma(m_lattice.factors(array)),
                      m_lattice.factors(m_lattice.last() - array)};
        if (m_table->summary(array).feasible > 1) {
            bool promising = false;
            visitClasses(w, m_table->ideal(array), passes, spms, drams, direct,
                         [&](const Cost& bound, int, int) {
                             promising = !w.dominates(bound);
                             return promising;
                         });
            if (!promising)
                return;
        }
        for (const Split& split : m_table->splits(array)) {
            ++w.visited;
            visitClasses(w, split.terms, passes, spms, drams, direct,
                         [&](const Cost& cost, int spmOp, int dramOp) {
                             if (!w.dominates(cost))
                                 publish(w, cost, {tile, array, split.spatial, spmOp, dramOp});
                             return false;
                         });
        }
    }

    void searchTiles()
    {
        const auto settle = [&](Worker& w, std::size_t i) {
            if (cancelled())
                return false;
            searchTile(w, i);
            m_settled.fetch_add(m_tiles[i].tilings, std::memory_order_relaxed);
            takeCounts(w);
            return true;
        };
        settleParts(
            m_tiles.size(), [] { return Worker(); }, settle);
    }

    [[nodiscard]] Method methodOf(const Found& f) const
    {
        Method out;
        out.at(Level::Dram) = m_lattice.factors(m_lattice.last() - f.tile);
        out.at(Level::Spm) = m_lattice.factors(f.tile - f.array);
        out.at(Level::Rf) = m_lattice.factors(f.array - f.spatial);
        out.at(Level::Spatial) = m_lattice.factors(f.spatial);
        const auto order = [&](int op) {
            const unsigned subset = op < 0 ? 0 : m_nest.operands[static_cast<std::size_t>(op)].freeMask;
            return orderOf(m_nest, {op, subset, 1});
        };
        out.dramOrder = order(f.dramOperand);
        out.spmOrder = order(f.spmOperand);
        return out;
    }

    SearchResult finish()
    {
        SearchResult out = result([this](const Found& found) { return methodOf(found); });
        // Valid tilings that are neither open nor visited were cut.
        std::int64_t open = 0;
        OpenBound least;
        if (m_listed) {
            forEachOpen(m_tiles, [&](const Tile& tile) {
                open += tile.valid;
                least.include(tile.bound);
            });
            out.boundBy(least.least);
            out.counts.cut = out.counts.valid - open - out.counts.visited;
        } else {
            least.include(rootBound());
            out.lowerBound = least.least;
        }
        if (out.front.empty() && !out.proven)
            addTrivial(out);
        out.seconds = elapsed();
        return out;
    }

    /// Lower bound for all methods: every operand crosses DRAM once, and every PE works in every cycle.
    [[nodiscard]] Cost rootBound() const
    {
        const EnergyTable& pj = m_architecture.energyPj;
        const std::int64_t cycles = ceilDiv(m_nest.macs, m_architecture.pes);
        double energy = m_evaluator.fixedPj() + pj.leakage * static_cast<double>(cycles);
        for (std::size_t op = 0; op < kOperands; ++op)
            energy += static_cast<double>(m_lattice.elements[op][m_lattice.last()]) *
                      (op == kWritten ? pj.writeDram() : pj.dram);
        return {energy, cycles};
    }

    /// If the search was stopped before it found a method, adds the method with all factors at DRAM if that
    /// is valid.
    void addTrivial(SearchResult& out) const
    {
        const Method method = trivialMethod(m_nest);
        if (!m_options.reductions.any() && evaluate(m_nest, m_architecture, method).valid())
            out.add(costOf(method));
    }

    Lattice m_lattice;
    FastEvaluator m_evaluator;
    const ArrayTable* m_table = nullptr;
    bool m_spmConstrained = false; ///< true if constraints bound factors at SPM
    bool m_dramConstrained = false;
    std::optional<TileBounds> m_bounds;
    std::vector<Tile> m_tiles;
};

} // namespace

SearchResult search(const LoopNest& nest, const Architecture& architecture, const SearchOptions& options)
{
    if (architecture.options.imperfect)
        return imperfectSearch(nest, architecture, options);
    if (auto lattice = Lattice::build(nest, options.maxLatticePoints))
        return Search(nest, architecture, options, std::move(*lattice)).run();
    return sampledSearch(nest, architecture, options);
}

std::string_view objectiveName(Objective objective)
{
    switch (objective) {
    case Objective::Energy:
        return "energy";
    case Objective::Cycles:
        return "cycles";
    case Objective::Edp:
        break;
    }
    return "edp";
}

OpenBound::OpenBound() noexcept
{
    least.fill(std::numeric_limits<double>::infinity());
}

void OpenBound::include(const Cost& bound) noexcept
{
    for (std::size_t o = 0; o < kObjectives; ++o)
        least[o] = std::min(least[o], valueOf(bound, static_cast<Objective>(o)));
}

void SearchStatus::add(const Cost& cost)
{
    front.push_back(cost);
    for (std::size_t o = 0; o < kObjectives; ++o) {
        const auto objective = static_cast<Objective>(o);
        if (!best[o] || valueOf(cost, objective) < valueOf(*best[o], objective))
            best[o] = cost;
    }
}

void SearchResult::add(const MethodCost& method)
{
    front.push_back(method);
    for (std::size_t o = 0; o < kObjectives; ++o) {
        const auto objective = static_cast<Objective>(o);
        if (!best[o] || method.value(objective) < best[o]->value(objective))
            best[o] = method;
    }
}

void SearchResult::boundBy(const std::array<double, kObjectives>& open)
{
    lowerBound = open;
    for (std::size_t o = 0; o < kObjectives; ++o)
        if (best[o])
            lowerBound[o] = std::min(lowerBound[o], best[o]->value(static_cast<Objective>(o)));
}

bool SearchResult::isOptimal(Objective objective) const noexcept
{
    const auto i = static_cast<std::size_t>(objective);
    return proven || (best[i] && best[i]->value(objective) <= lowerBound[i]);
}

double SearchResult::gap(Objective objective) const noexcept
{
    const auto i = static_cast<std::size_t>(objective);
    if (proven || !best[i] || lowerBound[i] <= 0)
        return 0;
    return best[i]->value(objective) / lowerBound[i] - 1;
}

Reductions quickReductions()
{
    return {0.8, 0.8, 0.5, true, true, {}};
}

SearchResult quickSearch(const LoopNest& nest, const Architecture& architecture, SearchOptions options)
{
    const Constraints constraints = options.reductions.constraints;
    const auto relaxed = [&](Reductions r) {
        r.constraints = constraints;
        return r;
    };
    options.reductions = relaxed(quickReductions());
    const double limit = options.seconds;
    double spent = 0;
    for (;;) {
        SearchResult out = search(nest, architecture, options);
        spent += out.seconds;
        out.seconds = spent;
        Reductions& r = options.reductions;
        if (out.best[0] || !out.proven || r == relaxed({}))
            return out;
        const auto lower = [](double v) { return std::max(0.0, std::round(v * 10 - 1) / 10); };
        if (r.minPeUse == 0 && r.minRfUse == 0 && r.minSpmUse == 0)
            r = relaxed({});
        r.minPeUse = lower(r.minPeUse);
        r.minRfUse = lower(r.minRfUse);
        r.minSpmUse = lower(r.minSpmUse);
        if (limit > 0)
            options.seconds = std::max(0.001, limit - spent);
    }
}

} // namespace tilewright::mapping
