// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens of routed experts (docs/rules/llm.md 6.3, 8.5).
#include "base/integer.h"
#include "llm/model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilewright::llm {

namespace {

/// Probability that a token is sent to each expert. The sum is `perToken`; no value is above 1.
std::vector<double> chances(const LlmExperts& e)
{
    const auto count = static_cast<std::size_t>(e.count);
    const auto k = static_cast<double>(e.perToken);
    if (e.skew == 0)
        return std::vector<double>(count, k / static_cast<double>(e.count));
    std::vector<double> out(count);
    for (std::size_t i = 0; i < count; ++i)
        out[i] = std::pow(static_cast<double>(i + 1),
                          -static_cast<double>(e.skew) / static_cast<double>(kSkewOfOne));
    // The largest weights come first. Those that would exceed 1 become 1, and the others share the remaining
    // sum.
    double rest = std::accumulate(out.begin(), out.end(), 0.0);
    double left = k;
    for (double& weight : out) {
        const double chance = std::min(1.0, left * weight / rest);
        rest -= weight;
        left -= chance;
        weight = chance;
    }
    return out;
}

} // namespace

std::vector<std::int64_t> expertTokens(const LlmExperts& e, std::int64_t tokens)
{
    const std::vector<double> all = chances(e);
    // Tokens of all chips, each of which may be sent to an expert here.
    const std::int64_t everywhere = tokens * e.chips;
    double touched = 0, share = 0;
    std::vector<double> mine;
    for (std::size_t i = 0; i < all.size(); i += static_cast<std::size_t>(e.chips)) {
        mine.push_back(all[i]);
        share += all[i];
        touched += 1 - std::pow(1 - all[i], static_cast<double>(everywhere));
    }
    const std::int64_t least = ceilDiv(e.perToken, e.chips);
    const std::int64_t places =
        e.skew == 0 ? tokens * e.perToken
                    : std::max<std::int64_t>(least, std::llround(share * static_cast<double>(everywhere)));
    const std::int64_t most = std::min(places, static_cast<std::int64_t>(mine.size()));
    const std::int64_t fewest = std::min(std::max(least, ceilDiv(places, everywhere)), most);
    mine.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(std::llround(touched), fewest, most)));
    // Rounds to whole tokens: each expert gets at least one, further ones go where the difference is largest.
    share = std::accumulate(mine.begin(), mine.end(), 0.0);
    std::vector<std::int64_t> out;
    out.reserve(mine.size());
    std::int64_t left = places;
    for (const double chance : mine) {
        const auto part = static_cast<std::int64_t>(static_cast<double>(places) * chance / share);
        out.push_back(std::clamp<std::int64_t>(part, 1, everywhere));
        left -= out.back();
    }
    for (std::size_t i = 0; left > 0; i = (i + 1) % out.size())
        if (out[i] < everywhere) {
            ++out[i];
            --left;
        }
    for (std::size_t i = 0; left < 0; i = (i + 1) % out.size())
        if (out[i] > 1) {
            --out[i];
            ++left;
        }
    return out;
}

} // namespace tilewright::llm
