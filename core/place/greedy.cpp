// SPDX-License-Identifier: GPL-3.0-or-later
#include "place/greedy.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

namespace tilewright {

namespace {

/// Up to this number of lots all orders are tried. Above it only the order of time is tried, in which only
/// lots that are alive are compared.
constexpr std::size_t kMaxOrderedLots = 20'000;

struct PlacedLot
{
    std::int64_t offset = 0;
    Lot lot;
};

/// The lowest offset at which the lot overlaps none of the placed ones, which are in ascending order of
/// offset.
std::int64_t lowestFit(const Lot& lot, const std::vector<PlacedLot>& placed)
{
    std::int64_t at = 0;
    for (bool moved = true; moved;) { // repeats only if sizes change during a life
        moved = false;
        for (const auto& [offset, other] : placed) {
            if (offset >= at + lot.size) // and so are all that follow
                break;
            const int last = std::min(lot.to, other.to) - 1;
            if (std::max(lot.from, other.from) <= last && at + lot.sizeAt(last) > offset &&
                at < offset + other.sizeAt(last)) {
                at = offset + other.sizeAt(last);
                moved = true;
            }
        }
    }
    return at;
}

/// Places one lot after the other. `isInTime`: a lot comes in the order of time, so that those that have
/// ended are out of its way. Empty if stopped.
std::vector<std::int64_t> inOrder(const Component& c, const std::vector<int>& order, bool isInTime,
                                  const std::stop_token& stop)
{
    std::vector<std::int64_t> offsets(c.lots.size(), 0);
    std::vector<PlacedLot> placed;
    for (const int i : order) {
        if (stop.stop_requested())
            return {};
        const Lot& lot = c.lots[static_cast<std::size_t>(i)];
        if (isInTime)
            std::erase_if(placed, [&](const PlacedLot& p) { return p.lot.to <= lot.from; });
        const std::int64_t at = lowestFit(lot, placed);
        offsets[static_cast<std::size_t>(i)] = at;
        placed.insert(std::ranges::upper_bound(placed, at, {}, &PlacedLot::offset), {at, lot});
    }
    return offsets;
}

/// Places all lots in n log n, for when the time is up: each takes the smallest hole that it fits into, with
/// its full size for its whole life.
std::vector<std::int64_t> inHoles(const Component& c)
{
    std::map<std::int64_t, std::int64_t> holes; // size by offset
    std::set<std::pair<std::int64_t, std::int64_t>> bySize;
    const auto add = [&](std::int64_t offset, std::int64_t size) {
        if (size == 0)
            return;
        holes.emplace(offset, size);
        bySize.emplace(size, offset);
    };
    const auto take = [&](std::map<std::int64_t, std::int64_t>::iterator hole) {
        bySize.erase({hole->second, hole->first});
        holes.erase(hole);
    };
    add(0, std::numeric_limits<std::int64_t>::max() / 2);
    std::vector<std::size_t> ending(c.lots.size()); // lots in the order of their ends
    std::iota(ending.begin(), ending.end(), std::size_t{0});
    std::ranges::sort(ending, {}, [&](std::size_t i) { return c.lots[i].to; });
    std::vector<std::int64_t> offsets(c.lots.size(), 0);
    std::size_t ended = 0;
    for (std::size_t i = 0; i < c.lots.size(); ++i) {
        for (; c.lots[ending[ended]].to <= c.lots[i].from; ++ended) {
            std::int64_t from = offsets[ending[ended]], to = from + c.lots[ending[ended]].size;
            auto next = holes.lower_bound(from);
            if (next != holes.end() && next->first == to) {
                to += next->second;
                take(next++);
            }
            if (next != holes.begin())
                if (const auto before = std::prev(next); before->first + before->second == from) {
                    from = before->first;
                    take(before);
                }
            add(from, to - from);
        }
        const auto [size, offset] = *bySize.lower_bound({c.lots[i].size, 0});
        take(holes.find(offset));
        offsets[i] = offset;
        add(offset + c.lots[i].size, size - c.lots[i].size);
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

std::vector<std::int64_t> greedyOffsets(const Component& component, const std::stop_token& stop)
{
    std::vector<int> order(component.lots.size()); // which is that of time
    std::iota(order.begin(), order.end(), 0);
    std::vector<std::int64_t> best = inOrder(component, order, true, stop);
    if (best.empty())
        return inHoles(component);
    if (component.lots.size() > kMaxOrderedLots)
        return best;
    std::int64_t height = heightOf(component, best);
    const std::int64_t peak = peakOf(component);
    const auto tryOrder = [&](auto key) {
        if (height == peak)
            return;
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
            return key(component.lots[static_cast<std::size_t>(a)]) >
                   key(component.lots[static_cast<std::size_t>(b)]);
        });
        std::vector<std::int64_t> offsets = inOrder(component, order, false, stop);
        if (offsets.empty())
            return;
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
    std::vector<std::size_t> order(offsets.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return offsets[a] < offsets[b]; });
    for (std::size_t n = 0; n < order.size(); ++n) {
        const Lot& lot = component.lots[order[n]];
        std::int64_t floor = 0;
        for (const std::size_t below : std::span(order).first(n)) {
            const Lot& other = component.lots[below];
            const int last = std::min(lot.to, other.to) - 1;
            if (std::max(lot.from, other.from) <= last)
                floor = std::max(floor, offsets[below] + other.sizeAt(last));
        }
        offsets[order[n]] = floor;
    }
}

} // namespace tilewright
