// SPDX-License-Identifier: GPL-3.0-or-later
#include "place/unplaceable.h"

#include "base/text.h"

#include <algorithm>
#include <numeric>

namespace tilewright {

namespace {

using Set = std::vector<std::size_t>; ///< indices of buffers, ascending

/// Maximum of the number of buffers times the number of moments that are examined.
constexpr std::size_t kMostMoments = 5'000'000;
constexpr std::size_t kMostBuffers = 200; ///< maximum number of buffers that are left out one by one
/// Maximum number of search nodes for each placement without a buffer.
constexpr std::int64_t kMostNodes = 20'000;

/// The smallest set of buffers that are alive together and exceed the capacity; empty if there is none.
Set fewestTogether(const std::vector<PlacementItem>& items, std::int64_t capacity, std::int64_t& moment)
{
    std::vector<std::int64_t> moments;
    for (const PlacementItem& item : items) {
        moments.push_back(item.lower);
        if (item.narrows())
            moments.push_back(item.narrowUntil);
    }
    std::ranges::sort(moments);
    moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
    Set out;
    if (items.size() * moments.size() > kMostMoments)
        return out;
    for (const std::int64_t t : moments) {
        Set alive;
        for (std::size_t i = 0; i < items.size(); ++i)
            if (items[i].lower <= t && t < items[i].upper)
                alive.push_back(i);
        std::ranges::stable_sort(alive, std::ranges::greater(),
                                 [&](std::size_t i) { return items[i].sizeAt(t); });
        std::int64_t sum = 0;
        std::size_t count = 0; // counts buffers from the largest on: fewer do not exceed the capacity
        while (count < alive.size() && sum <= capacity)
            sum += items[alive[count++]].sizeAt(t);
        if (sum > capacity && (out.empty() || count < out.size())) {
            out.assign(alive.begin(), alive.begin() + static_cast<std::ptrdiff_t>(count));
            moment = t;
        }
    }
    std::ranges::sort(out);
    return out;
}

std::vector<PlacementItem> chosen(const std::vector<PlacementItem>& items, const Set& set)
{
    std::vector<PlacementItem> out;
    for (const std::size_t i : set)
        out.push_back(items[i]);
    return out;
}

/// Removes each buffer without which it is still proven that the others do not fit.
Set withoutSpare(const std::vector<PlacementItem>& items, std::int64_t capacity)
{
    Set out(items.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
    const PlacementOptions quick{.maxNodes = kMostNodes, .onlyWhetherItFits = true};
    for (std::size_t i = out.size(); i-- > 0;) {
        Set fewer = out;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (findPlacement(chosen(items, fewer), capacity, {}, quick).leastHeight > capacity)
            out = std::move(fewer);
    }
    return out;
}

} // namespace

std::optional<Exclusion> whyUnplaceable(const Buffers& buffers, std::int64_t capacity,
                                        const Placement& placement)
{
    if (placement.leastHeight <= capacity)
        return std::nullopt;
    std::int64_t moment = 0;
    Set set = fewestTogether(buffers.items, capacity, moment);
    Exclusion out;
    if (!set.empty()) {
        std::int64_t sum = 0;
        for (const std::size_t i : set)
            sum += buffers.items[i].sizeAt(moment);
        out.because =
            (set.size() == 1 ? "it takes " : "alive together at " + formatGrouped(moment) + ", they take ") +
            formatGrouped(sum);
    } else {
        if (buffers.items.size() > kMostBuffers || placement.peak > capacity)
            return std::nullopt;
        set = withoutSpare(buffers.items, capacity);
        const Placement own =
            findPlacement(chosen(buffers.items, set), capacity, {},
                          PlacementOptions{.maxNodes = kMostNodes, .onlyWhetherItFits = false});
        out.because = "they never take more than " + formatGrouped(own.peak) +
                      " at once, but no arrangement of them is lower than " + formatGrouped(own.leastHeight);
    }
    ExcludingLimit room{"capacity", formatGrouped(capacity), {}};
    room.enough.push_back("a capacity of " + formatGrouped(placement.height));
    out.limits.push_back(std::move(room));
    for (const std::size_t i : set)
        out.limits.push_back({"buffer " + buffers.ids[i], {}, {}});
    return out;
}

} // namespace tilewright
