// SPDX-License-Identifier: GPL-3.0-or-later
#include "place/greedy.h"

#include "place/search.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tilewright {

namespace {

/// Up to this number of lots all orders are tried. Above it only the order of time is tried, which needs no
/// overlap lists.
constexpr std::size_t kMaxOrderedLots = 20'000;

struct OccupiedRange
{
    std::int64_t offset = 0;
    std::int64_t mine = 0;   ///< size of the new lot while the other lot is alive
    std::int64_t theirs = 0; ///< size of the other lot while the new lot is alive
    auto operator<=>(const OccupiedRange&) const = default;
};

/// The lowest offset at which the new lot overlaps none of the ranges in `taken`. Sorts `taken`.
std::int64_t firstFit(std::vector<OccupiedRange>& taken)
{
    std::sort(taken.begin(), taken.end());
    std::int64_t at = 0;
    for (bool moved = true; moved;) { // repeats only if sizes change during a life
        moved = false;
        for (const OccupiedRange& t : taken)
            if (at + t.mine > t.offset && at < t.offset + t.theirs) {
                at = t.offset + t.theirs;
                moved = true;
            }
    }
    return at;
}

std::vector<std::int64_t> inOrderOfTime(const Component& c)
{
    std::vector<std::int64_t> offsets(c.lots.size(), 0);
    std::vector<std::size_t> alive;
    std::vector<OccupiedRange> taken;
    for (std::size_t i = 0; i < c.lots.size(); ++i) {
        const Lot& lot = c.lots[i];
        std::erase_if(alive, [&](std::size_t a) { return c.lots[a].to <= lot.from; });
        taken.clear();
        for (const std::size_t a : alive) {
            const int together = std::min(lot.to, c.lots[a].to) - 1;
            taken.push_back({offsets[a], lot.sizeAt(together), c.lots[a].sizeAt(together)});
        }
        offsets[i] = firstFit(taken);
        alive.push_back(i);
    }
    return offsets;
}

std::vector<std::int64_t> inOrder(const Component& c, const Overlaps& overlaps, const std::vector<int>& order)
{
    std::vector<std::int64_t> offsets(c.lots.size(), -1);
    std::vector<OccupiedRange> taken;
    for (const int l : order) {
        taken.clear();
        for (const Overlaps::Other& o : overlaps.of(l))
            if (const std::int64_t at = offsets[static_cast<std::size_t>(o.lot)]; at >= 0)
                taken.push_back({at, o.mine, o.theirs});
        offsets[static_cast<std::size_t>(l)] = firstFit(taken);
    }
    return offsets;
}

} // namespace

std::int64_t heightOf(const Component& component, const std::vector<std::int64_t>& offsets)
{
    std::int64_t out = 0;
    for (std::size_t i = 0; i < offsets.size(); ++i)
        out = std::max(out, offsets[i] + component.lots[i].size);
    return out;
}

std::int64_t peakOf(const Component& component)
{
    std::vector<std::int64_t> change(static_cast<std::size_t>(component.sections) + 1, 0);
    for (const Lot& lot : component.lots) {
        change[static_cast<std::size_t>(lot.from)] += lot.sizeAt(lot.from);
        change[static_cast<std::size_t>(lot.narrowUntil)] += lot.size - lot.sizeAt(lot.from);
        change[static_cast<std::size_t>(lot.to)] -= lot.size;
    }
    std::int64_t out = 0;
    std::int64_t sum = 0;
    for (const std::int64_t c : change)
        out = std::max(out, sum += c);
    return out;
}

std::vector<std::int64_t> greedyOffsets(const Component& component)
{
    std::vector<std::int64_t> best = inOrderOfTime(component);
    if (component.lots.size() > kMaxOrderedLots)
        return best;
    std::int64_t height = heightOf(component, best);
    const std::int64_t peak = peakOf(component);
    const Overlaps overlaps(component);
    std::vector<int> order(component.lots.size());
    std::iota(order.begin(), order.end(), 0);
    const auto tryOrder = [&](auto key) {
        if (height == peak)
            return;
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
            return key(component.lots[static_cast<std::size_t>(a)]) >
                   key(component.lots[static_cast<std::size_t>(b)]);
        });
        std::vector<std::int64_t> offsets = inOrder(component, overlaps, order);
        if (const std::int64_t h = heightOf(component, offsets); h < height) {
            height = h;
            best = std::move(offsets);
        }
    };
    const auto life = [](const Lot& l) { return std::int64_t{l.to - l.from}; };
    tryOrder([&](const Lot& l) { return std::pair(life(l), l.size); });
    tryOrder([&](const Lot& l) { return std::pair(l.size, life(l)); });
    tryOrder([&](const Lot& l) { return std::pair(life(l) * l.size, l.size); });
    return best;
}

void settle(const Component& component, std::vector<std::int64_t>& offsets)
{
    const Overlaps overlaps(component);
    std::vector<int> order(offsets.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return offsets[static_cast<std::size_t>(a)] < offsets[static_cast<std::size_t>(b)];
    });
    std::vector<char> placed(offsets.size(), 0);
    for (const int l : order) {
        std::int64_t floor = 0;
        for (const Overlaps::Other& o : overlaps.of(l))
            if (placed[static_cast<std::size_t>(o.lot)])
                floor = std::max(floor, offsets[static_cast<std::size_t>(o.lot)] + o.theirs);
        offsets[static_cast<std::size_t>(l)] = floor;
        placed[static_cast<std::size_t>(l)] = 1;
    }
}

} // namespace tilewright
