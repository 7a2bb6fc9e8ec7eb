// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping_brute_force.h"

#include "mapping/search_frame.h"

namespace tilewright::mapping {

namespace {

/// All (DRAM, SPM, RF, SPATIAL) factor quadruples of one trip count.
std::vector<std::array<std::int64_t, kLevels>> quadruples(std::int64_t trip)
{
    std::vector<std::array<std::int64_t, kLevels>> out;
    std::vector<std::int64_t> divisors;
    for (std::int64_t d = 1; d <= trip; ++d)
        if (trip % d == 0)
            divisors.push_back(d);
    for (const std::int64_t spatial : divisors)
        for (const std::int64_t rf : divisors)
            for (const std::int64_t spm : divisors)
                if (trip % (spatial * rf) == 0 && trip % (spatial * rf * spm) == 0)
                    out.push_back({trip / (spatial * rf * spm), spm, rf, spatial});
    return out;
}

} // namespace

BruteForceResult bruteForce(const LoopNest& nest, const Architecture& architecture,
                            const std::function<bool(const Method&)>& allowed)
{
    BruteForceResult out;
    const FastEvaluator evaluator(nest, architecture);
    std::array<std::vector<std::array<std::int64_t, kLevels>>, kMaxLoops> choices;
    for (std::size_t l = 0; l < kMaxLoops; ++l)
        choices[l] = quadruples(nest.trips[l]);
    Front<int> front;
    std::array<std::size_t, kMaxLoops> digit{};
    for (;;) {
        Method m;
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            for (std::size_t level = 0; level < kLevels; ++level)
                m.tiling[level][l] = choices[l][digit[l]][level];
        ++out.tilings;
        if (evaluator.fits(m) && (!allowed || allowed(m))) {
            ++out.valid;
            out.evaluations +=
                evaluator.visitClasses(m, [&](const OrderClass&, const OrderClass&, const Cost& cost) {
                    front.insert(cost, 0);
                    for (int o = 0; o < kObjectives; ++o) {
                        const auto value = [&](const Cost& c) {
                            return o == 0   ? c.energy
                                   : o == 1 ? static_cast<double>(c.cycles)
                                            : c.energy * static_cast<double>(c.cycles);
                        };
                        auto& best = out.best[static_cast<std::size_t>(o)];
                        if (!best || value(cost) < value(*best))
                            best = cost;
                    }
                });
        }
        std::size_t l = 0;
        for (; l < kMaxLoops && ++digit[l] == choices[l].size(); ++l)
            digit[l] = 0;
        if (l == kMaxLoops)
            break;
    }
    for (const auto& p : front.points())
        out.front.push_back(p.cost);
    return out;
}

} // namespace tilewright::mapping
