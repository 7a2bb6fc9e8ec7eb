// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/sampled_search.h"

#include "base/integer.h"
#include "mapping/fast_evaluator.h"
#include "mapping/search_frame.h"

#include <cmath>
#include <limits>
#include <random>

namespace tilewright::mapping {

namespace {

constexpr double kDefaultSeconds = 10;

struct Move
{
    std::size_t loop = 0;
    std::int64_t prime = 2;
    std::size_t from = 0;
    std::size_t to = 0;
};

class Sampler : SearchFrame<Method>
{
public:
    Sampler(const LoopNest& nest, const Architecture& architecture, const SearchOptions& options)
        : SearchFrame(nest, architecture, options), m_evaluator(nest, architecture), m_random(options.seed)
    {
        if (m_options.seconds <= 0)
            m_options.seconds = kDefaultSeconds;
        m_counts.space = countTilings(nest);
        for (std::size_t l = 0; l < static_cast<std::size_t>(nest.loopCount); ++l)
            for (const PrimePower& power : primePowers(nest.trips[l]))
                for (std::size_t from = 0; from < kLevels; ++from)
                    for (std::size_t to = 0; to < kLevels; ++to)
                        if (from != to)
                            m_moves.push_back({l, power.prime, from, to});
    }

    SearchResult run()
    {
        int round = 0;
        if (allowed(trivialMethod(m_nest)) || m_options.reductions.any())
            while (!cancelled())
                climb(static_cast<Objective>(round++ % kObjectives));
        return finish();
    }

private:
    [[nodiscard]] bool allowed(const Method& m) const
    {
        if (!m_evaluator.fits(m))
            return false;
        const Reductions& r = m_options.reductions;
        if (!r.any())
            return true;
        const MappingCost e = evaluate(m_nest, m_architecture, m);
        std::int64_t spm = 0;
        for (const OperandReport& o : e.operands)
            spm += o.dataSpm;
        const auto share = [](std::int64_t part, std::int64_t whole) {
            return static_cast<double>(part) / static_cast<double>(whole);
        };
        const Factors& dram = m.at(Level::Dram);
        return share(e.pesUsed, m_architecture.pes) >= r.minPeUse && r.constraints.allows(m) &&
               share(e.rfElementsUsed, m_architecture.rfElements()) >= r.minRfUse &&
               share(spm, m_architecture.spmElements()) >= r.minSpmUse &&
               !(r.noSpatialReduction && e.reductionCycles > 0) &&
               !(r.noFilterLoopsAtDram && m_nest.loopCount == kMaxLoops && dram[5] * dram[6] > 1);
    }

    [[nodiscard]] static bool apply(Method& m, const Move& move)
    {
        std::int64_t& from = m.tiling[move.from][move.loop];
        if (from % move.prime != 0)
            return false;
        from /= move.prime;
        m.tiling[move.to][move.loop] *= move.prime;
        return true;
    }

    /// Evaluates a tiling with all order classes and offers the methods to the front. Returns the best value
    /// of the objective.
    double look(const Method& m, Objective objective)
    {
        double best = std::numeric_limits<double>::infinity();
        ++m_looked.visited;
        m_looked.evaluations +=
            m_evaluator.visitClasses(m, [&](const OrderClass& spm, const OrderClass& dram, const Cost& cost) {
                const double edp = cost.energy * static_cast<double>(cost.cycles);
                best = std::min(best, objective == Objective::Energy   ? cost.energy
                                      : objective == Objective::Cycles ? static_cast<double>(cost.cycles)
                                                                       : edp);
                if (m_front.dominates(cost))
                    return;
                Method full = m;
                full.spmOrder = orderOf(m_nest, spm);
                full.dramOrder = orderOf(m_nest, dram);
                m_front.insert(cost, full);
            });
        return best;
    }

    /// Hill climbing: starts at a random valid tiling and takes the first improving move until no move
    /// improves.
    void climb(Objective objective)
    {
        Method current = trivialMethod(m_nest);
        std::uniform_int_distribution<std::size_t> pick(0, m_moves.size() - 1);
        for (int i = 0; i < 400 && !m_moves.empty() && !cancelled(); ++i) {
            Method next = current;
            if (apply(next, m_moves[pick(m_random)]) && (m_evaluator.fits(next) || i % 50 == 49))
                current = next;
        }
        if (!allowed(current))
            return;
        double value = look(current, objective);
        std::shuffle(m_moves.begin(), m_moves.end(), m_random);
        std::size_t failures = 0;
        for (std::size_t i = 0; failures < m_moves.size() && !cancelled(); i = (i + 1) % m_moves.size()) {
            Method next = current;
            ++failures;
            if (!apply(next, m_moves[i]) || !allowed(next))
                continue;
            if (const double v = look(next, objective); v < value) {
                value = v;
                current = next;
                failures = 0;
            }
        }
        takeCounts(m_looked);
        report();
    }

    SearchResult finish()
    {
        SearchResult out = result([](const Method& method) { return method; });
        const EnergyTable& pj = m_architecture.energyPj;
        const auto cycles = static_cast<double>(ceilDiv(m_nest.macs, m_architecture.pes));
        double energy = m_evaluator.fixedPj() + pj.leakage * cycles;
        for (int op = 0; op < kOperands; ++op)
            energy += static_cast<double>(m_nest.elements(op, m_nest.trips)) *
                      (op == kWritten ? pj.writeDram() : pj.dram);
        out.lowerBound = {energy, cycles, energy * cycles};
        out.seconds = elapsed();
        return out;
    }

    FastEvaluator m_evaluator;
    std::mt19937_64 m_random;
    std::vector<Move> m_moves;
    FrontCopy<Method> m_looked; ///< counters since the last report
};

} // namespace

SearchResult sampledSearch(const LoopNest& nest, const Architecture& architecture,
                           const SearchOptions& options)
{
    return Sampler(nest, architecture, options).run();
}

} // namespace tilewright::mapping
