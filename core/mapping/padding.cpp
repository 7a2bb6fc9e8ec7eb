// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/padding.h"

#include "mapping/factors.h"

#include <algorithm>

namespace tilewright::mapping {

Factors paddedTrips(const LoopNest& nest)
{
    Factors out = nest.trips;
    for (std::size_t l = 0; l < static_cast<std::size_t>(nest.loopCount); ++l) {
        const std::int64_t trip = nest.trips[l];
        std::int64_t least = trip;
        const auto largestPrime = [](std::int64_t n) {
            const auto powers = primePowers(n);
            return powers.empty() ? 1 : powers.back().prime;
        };
        const std::int64_t last = std::min(trip + trip / 25, trip + 4096);
        for (std::int64_t n = trip; n <= last; ++n) {
            const std::int64_t prime = largestPrime(n);
            if (prime < least) {
                least = prime;
                out[l] = n;
            }
        }
    }
    return out;
}

namespace {

/// Searches for two seconds with other trip counts or options. Returns the best method; nullopt if it is not
/// at least 1 % better.
std::optional<MethodCost> betterMethod(const LoopNest& nest, const Architecture& architecture,
                                       const MethodCost& found, Objective objective,
                                       const std::stop_token& stop)
{
    if (!checkCountable(nest, architecture))
        return std::nullopt;
    SearchOptions options;
    options.seconds = 2;
    options.stop = stop;
    const SearchResult other = search(nest, architecture, options);
    const auto& best = other.of(objective);
    if (!best || other.interrupted || best->value(objective) > 0.99 * found.value(objective))
        return std::nullopt;
    return best;
}

} // namespace

std::optional<PaddingHint> paddingHint(const LoopNest& nest, const Architecture& architecture,
                                       const SearchResult& result, Objective objective,
                                       const std::stop_token& stop)
{
    LoopNest padded = nest;
    padded.trips = paddedTrips(nest);
    const auto& found = result.of(objective);
    if (padded.trips == nest.trips || !found || result.interrupted || result.reductions.any())
        return std::nullopt;
    padded.macs = 1;
    for (const std::int64_t trip : padded.trips)
        padded.macs *= trip;
    for (Operand& o : padded.operands)
        for (Dimension& d : o.dimensions)
            d.stored = std::max(d.stored, padded.span(d, padded.trips));
    Architecture perfect = architecture;
    perfect.options.imperfect = false;
    const auto best = betterMethod(padded, perfect, *found, objective, stop);
    return best ? std::optional(PaddingHint{padded.trips, *best}) : std::nullopt;
}

std::optional<MethodCost> imperfectHint(const LoopNest& nest, const Architecture& architecture,
                                        const SearchResult& result, Objective objective,
                                        const std::stop_token& stop)
{
    const auto& found = result.of(objective);
    if (architecture.options.imperfect || paddedTrips(nest) == nest.trips || !found || result.interrupted ||
        result.reductions.any())
        return std::nullopt;
    Architecture imperfect = architecture;
    imperfect.options.imperfect = true;
    return betterMethod(nest, imperfect, *found, objective, stop);
}

} // namespace tilewright::mapping
