// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/density.h"

#include "mapping/factors.h"
#include "mapping/fast_evaluator.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

namespace tilewright::mapping {

namespace {

struct Seen
{
    float logCycles;
    float logEnergy;
    std::uint32_t tiling;
    std::uint8_t spmClass;
    std::uint8_t dramClass;
};

using ExponentParts = std::array<int, kLevels>;

struct LoopPower
{
    std::size_t loop;
    std::int64_t prime;
    std::vector<ExponentParts> splits; ///< all splits of the exponent over the levels
};

std::vector<ExponentParts> splitsOf(int exponent)
{
    std::vector<ExponentParts> out;
    for (int a = 0; a <= exponent; ++a)
        for (int b = 0; a + b <= exponent; ++b)
            for (int c = 0; a + b + c <= exponent; ++c)
                out.push_back({a, b, c, exponent - a - b - c});
    return out;
}

/// Draws factorisations of the trip counts uniformly at random.
class Drawer
{
public:
    Drawer(const LoopNest& nest, std::int64_t pes, std::uint64_t seed)
        : m_random(seed), m_pes(pes), m_trivial(trivialMethod(nest))
    {
        for (std::size_t l = 0; l < static_cast<std::size_t>(nest.loopCount); ++l)
            for (const PrimePower& p : primePowers(nest.trips[l]))
                m_powers.push_back({l, p.prime, splitsOf(p.exponent)});
    }

    /// Draws a tiling; nullopt if its factors need more PEs than the architecture has.
    std::optional<Method> draw()
    {
        Method m = m_trivial;
        std::int64_t pes = 1;
        for (const LoopPower& p : m_powers) {
            const ExponentParts& parts = p.splits[m_random() % p.splits.size()];
            for (int e = 0; e < parts[static_cast<std::size_t>(Level::Spatial)]; ++e)
                if ((pes *= p.prime) > m_pes)
                    return std::nullopt;
            for (std::size_t level = 1; level < kLevels; ++level)
                for (int e = 0; e < parts[level]; ++e) {
                    m.tiling[0][p.loop] /= p.prime;
                    m.tiling[level][p.loop] *= p.prime;
                }
        }
        return m;
    }

private:
    std::mt19937_64 m_random;
    std::int64_t m_pes;
    Method m_trivial;
    std::vector<LoopPower> m_powers;
};

int cellAlong(double value, double low, double high, int cells)
{
    const double at = high > low ? (value - low) / (high - low) * cells : 0;
    return std::clamp(static_cast<int>(at), 0, cells - 1);
}

} // namespace

std::size_t Density::cellOf(const Cost& cost) const
{
    return cell(cellAlong(std::log10(static_cast<double>(cost.cycles)), minLogCycles, maxLogCycles, columns),
                cellAlong(std::log10(cost.energy), minLogEnergy, maxLogEnergy, rows));
}

Density sampleDensity(const LoopNest& nest, const Architecture& architecture, const DensityOptions& options)
{
    Density out;
    out.columns = std::max(1, options.columns);
    out.rows = std::max(1, options.rows);
    out.counts.assign(static_cast<std::size_t>(out.columns) * static_cast<std::size_t>(out.rows), 0);
    out.exampleOf.assign(out.counts.size(), -1);

    const FastEvaluator evaluator(nest, architecture);
    Drawer drawer(nest, architecture.pes, options.seed);
    std::vector<Method> tilings;
    std::vector<Seen> seen;
    // Limits the number of draws, in case hardly any tiling is valid.
    const std::int64_t mostTries = std::int64_t{15} * options.tilings;
    while (out.tilings < options.tilings && out.tried < mostTries) {
        if (out.tried % 256 == 0 && options.stop.stop_requested())
            break;
        ++out.tried;
        const auto drawn = drawer.draw();
        if (!drawn || !evaluator.fits(*drawn))
            continue;
        const Method& m = *drawn;
        ++out.tilings;
        const OrderClasses spm = orderClasses(nest, m.at(Level::Spm));
        int pair = 0;
        evaluator.visitClasses(m, [&](const OrderClass&, const OrderClass&, const Cost& cost) {
            seen.push_back(
                {static_cast<float>(std::log10(static_cast<double>(cost.cycles))),
                 static_cast<float>(std::log10(cost.energy)), static_cast<std::uint32_t>(tilings.size()),
                 static_cast<std::uint8_t>(pair % spm.count), static_cast<std::uint8_t>(pair / spm.count)});
            ++pair;
        });
        tilings.push_back(m);
    }
    out.methods = static_cast<std::int64_t>(seen.size());

    bool first = true;
    const auto cover = [&](double cycles, double energy) {
        out.minLogCycles = first ? cycles : std::min(out.minLogCycles, cycles);
        out.maxLogCycles = first ? cycles : std::max(out.maxLogCycles, cycles);
        out.minLogEnergy = first ? energy : std::min(out.minLogEnergy, energy);
        out.maxLogEnergy = first ? energy : std::max(out.maxLogEnergy, energy);
        first = false;
    };
    for (const Seen& s : seen)
        cover(static_cast<double>(s.logCycles), static_cast<double>(s.logEnergy));
    for (const Cost& c : options.include)
        if (c.cycles > 0 && c.energy > 0)
            cover(std::log10(static_cast<double>(c.cycles)), std::log10(c.energy));

    std::vector<const Seen*> cheapest(out.counts.size(), nullptr);
    for (const Seen& s : seen) {
        const std::size_t cell = out.cell(
            cellAlong(static_cast<double>(s.logCycles), out.minLogCycles, out.maxLogCycles, out.columns),
            cellAlong(static_cast<double>(s.logEnergy), out.minLogEnergy, out.maxLogEnergy, out.rows));
        ++out.counts[cell];
        const Seen*& best = cheapest[cell];
        if (best == nullptr || s.logCycles + s.logEnergy < best->logCycles + best->logEnergy)
            best = &s;
    }
    for (std::size_t cell = 0; cell < cheapest.size(); ++cell) {
        const Seen* s = cheapest[cell];
        if (s == nullptr)
            continue;
        MethodCost example;
        example.method = tilings[s->tiling];
        const OrderClasses spm = orderClasses(nest, example.method.at(Level::Spm));
        const OrderClasses dram = orderClasses(nest, example.method.at(Level::Dram));
        example.method.spmOrder = orderOf(nest, spm.items[s->spmClass]);
        example.method.dramOrder = orderOf(nest, dram.items[s->dramClass]);
        const Cost cost = evaluator.cost(example.method);
        example.energy = cost.energy;
        example.cycles = cost.cycles;
        example.edp = cost.energy * static_cast<double>(cost.cycles);
        out.exampleOf[cell] = static_cast<int>(out.examples.size());
        out.examples.push_back(example);
    }
    return out;
}

} // namespace tilewright::mapping
