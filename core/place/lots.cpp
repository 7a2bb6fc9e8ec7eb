// SPDX-License-Identifier: GPL-3.0-or-later
#include "place/lots.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

namespace tilewright {

namespace {

std::uint64_t mixed(std::uint64_t x)
{
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

/// The lots of all items in ascending order, with the items that they stand for.
struct Lots
{
    std::vector<Lot> lots;
    std::vector<std::size_t> items;
    int points = 0; ///< number of sections of the time axis
};

Lots compressed(std::span<const PlacementItem> items, std::span<const std::size_t> chosen)
{
    std::vector<std::int64_t> times;
    times.reserve(chosen.size() * 2);
    for (const std::size_t i : chosen) {
        times.push_back(items[i].lower);
        times.push_back(items[i].upper);
        if (items[i].narrows())
            times.push_back(items[i].narrowUntil);
    }
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    const auto point = [&](std::int64_t time) {
        return static_cast<int>(std::lower_bound(times.begin(), times.end(), time) - times.begin());
    };
    std::vector<std::pair<Lot, std::size_t>> sorted;
    sorted.reserve(chosen.size());
    for (const std::size_t i : chosen) {
        const PlacementItem& item = items[i];
        Lot lot{point(item.lower), point(item.upper), item.size, 0, 0};
        lot.narrowUntil = item.narrows() ? point(item.narrowUntil) : lot.from;
        lot.narrowSize = item.narrows() ? item.narrowSize : 0;
        sorted.emplace_back(lot, i);
    }
    std::sort(sorted.begin(), sorted.end());
    Lots out;
    out.points = std::max(0, static_cast<int>(times.size()) - 1);
    for (const auto& [lot, item] : sorted) {
        out.lots.push_back(lot);
        out.items.push_back(item);
    }
    return out;
}

/// Finds repeated stretches of time. Between two points at which the same lots are alive, all other lots are
/// local: they overlap only each other and these lots. Two such stretches with equal local lots can have
/// equal placements.
class Repeats
{
public:
    Repeats(const Lots& all, const std::stop_token& stop) : m_all(all), m_stop(stop), m_twin(all.lots.size())
    {
        std::iota(m_twin.begin(), m_twin.end(), std::size_t{0});
        if (stop.stop_requested())
            return;
        const auto points = static_cast<std::size_t>(all.points) + 1;
        m_crossing.assign(points + 1, 0);
        for (std::size_t i = 0; i < all.lots.size(); ++i) {
            const Lot& lot = all.lots[i];
            // Adds a lot to the hash of the points in [from, to).
            const auto crosses = [&](int from, int to, std::uint64_t hash) {
                m_crossing[static_cast<std::size_t>(from)] ^= hash;
                m_crossing[static_cast<std::size_t>(to)] ^= hash;
            };
            // A lot counts as one surrounding lot while it is narrow, and as another one while it is wide.
            const int wide = std::max(lot.from + 1, lot.narrowUntil);
            crosses(lot.from + 1, wide, mixed(2 * i));
            crosses(wide, lot.to, mixed(2 * i + 1));
        }
        for (std::size_t p = 1; p <= points; ++p)
            m_crossing[p] ^= m_crossing[p - 1];
        m_crossing.resize(points);
        m_next.assign(points, -1);
        std::unordered_map<std::uint64_t, int> seen;
        for (int p = all.points; p >= 0; --p) {
            const auto [it, fresh] = seen.try_emplace(m_crossing[static_cast<std::size_t>(p)], p);
            if (!fresh)
                m_next[static_cast<std::size_t>(p)] = std::exchange(it->second, p);
        }
        m_firstFrom.assign(points + 1, 0);
        for (const Lot& lot : all.lots)
            ++m_firstFrom[static_cast<std::size_t>(lot.from) + 1];
        for (std::size_t p = 1; p <= points; ++p)
            m_firstFrom[p] += m_firstFrom[p - 1];
        find(0, all.points + 1, 0);
    }

    /// Per lot: the lot whose offset it takes over; its own index if its offset is searched.
    [[nodiscard]] const std::vector<std::size_t>& twin() const noexcept { return m_twin; }

private:
    [[nodiscard]] std::span<const Lot> startingIn(int from, int to) const
    {
        const std::size_t first = m_firstFrom[static_cast<std::size_t>(from)];
        return std::span(m_all.lots).subspan(first, m_firstFrom[static_cast<std::size_t>(to)] - first);
    }

    /// Finds repeated stretches among the points in [first, end).
    void find(int first, int end, int depth)
    {
        for (int p = first; p < end;) {
            int last = p;
            // start points of different stretches, by hash
            std::unordered_map<std::uint64_t, std::vector<int>> known;
            for (int next = m_next[static_cast<std::size_t>(p)]; next >= 0 && next < end;
                 next = m_next[static_cast<std::size_t>(next)]) {
                stretch(last, next, known, depth);
                last = next;
            }
            p = last + 1;
        }
    }

    void stretch(int from, int to, std::unordered_map<std::uint64_t, std::vector<int>>& known, int depth)
    {
        constexpr int kMostDepth = 1000; // maximum depth of stretches inside each other
        if (depth > kMostDepth || m_stop.stop_requested())
            return;
        const std::span<const Lot> here = startingIn(from, to);
        std::uint64_t hash = here.size();
        for (const Lot& lot : here)
            for (const std::int64_t v : {std::int64_t{lot.from - from}, std::int64_t{lot.to - from}, lot.size,
                                         std::int64_t{lot.narrowUntil - from}, lot.narrowSize})
                hash = mixed(hash ^ static_cast<std::uint64_t>(v));
        std::vector<int>& starts = known[hash];
        for (const int other : starts) {
            const std::span<const Lot> there = startingIn(other, other + (to - from));
            const auto alike = [&](const Lot& a, const Lot& b) {
                return a.from - from == b.from - other && a.to - from == b.to - other && a.size == b.size &&
                       a.narrowUntil - from == b.narrowUntil - other && a.narrowSize == b.narrowSize;
            };
            if (!std::equal(here.begin(), here.end(), there.begin(), there.end(), alike))
                continue;
            const auto a = static_cast<std::size_t>(here.data() - m_all.lots.data());
            const auto b = static_cast<std::size_t>(there.data() - m_all.lots.data());
            for (std::size_t i = 0; i < here.size(); ++i)
                m_twin[a + i] = m_twin[b + i];
            return;
        }
        starts.push_back(from);
        if (to - from > 2)
            find(from + 1, to, depth + 1);
    }

    const Lots& m_all;
    std::stop_token m_stop;
    std::vector<std::size_t> m_twin;
    std::vector<std::uint64_t> m_crossing; // per point: hash of the lots that are alive before and after it
    std::vector<int> m_next;               // per point: next point with the same lots alive; -1 = none
    std::vector<std::size_t> m_firstFrom;  // per point: first lot that starts there or later
};

/// Removes each section whose lots are all alive in a neighbouring section with at least the same sizes.
void dropCoveredSections(Component& c)
{
    const auto n = static_cast<std::size_t>(c.sections);
    std::vector<char> grows(n + 1, 0);
    std::vector<char> ends(n + 1, 0);
    for (const Lot& lot : c.lots) {
        grows[static_cast<std::size_t>(lot.from)] = 1;
        grows[static_cast<std::size_t>(lot.narrowUntil)] = 1;
        ends[static_cast<std::size_t>(lot.to)] = 1;
    }
    std::vector<int> kept(n + 1, 0); // number of kept sections before each section
    for (std::size_t s = 0; s < n; ++s)
        kept[s + 1] = kept[s] + (grows[s] && ends[s + 1] ? 1 : 0);
    for (Lot& lot : c.lots) {
        lot.from = kept[static_cast<std::size_t>(lot.from)];
        lot.to = kept[static_cast<std::size_t>(lot.to)];
        lot.narrowUntil = std::max(lot.from, kept[static_cast<std::size_t>(lot.narrowUntil)]);
        if (lot.narrowUntil == lot.from)
            lot.narrowSize = 0;
    }
    c.sections = kept[n];
}

} // namespace

Reduced reduce(std::span<const PlacementItem> items, const std::stop_token& stop)
{
    Reduced out;
    out.representative.resize(items.size());
    std::iota(out.representative.begin(), out.representative.end(), std::size_t{0});
    if (items.empty())
        return out;
    Lots all = compressed(items, out.representative);
    out.timePoints = all.points;
    std::vector<std::int64_t> change(static_cast<std::size_t>(all.points) + 1, 0);
    for (const Lot& lot : all.lots) {
        change[static_cast<std::size_t>(lot.from)] += lot.sizeAt(lot.from);
        change[static_cast<std::size_t>(lot.narrowUntil)] += lot.size - lot.sizeAt(lot.from);
        change[static_cast<std::size_t>(lot.to)] -= lot.size;
    }
    std::int64_t sum = 0;
    for (const std::int64_t c : change)
        out.peak = std::max(out.peak, sum += c);

    std::vector<std::size_t> chosen;
    {
        const Repeats repeats(all, stop);
        for (std::size_t i = 0; i < all.lots.size(); ++i) {
            out.representative[all.items[i]] = all.items[repeats.twin()[i]];
            if (repeats.twin()[i] == i)
                chosen.push_back(all.items[i]);
        }
    }
    const Lots rest = chosen.size() == all.lots.size() ? std::move(all) : compressed(items, chosen);
    int reach = 0;
    for (std::size_t i = 0; i < rest.lots.size(); ++i) {
        const Lot& lot = rest.lots[i];
        if (out.components.empty() || lot.from >= reach) {
            out.components.emplace_back();
            // the first section for now; replaced by the number of sections when the component is complete
            out.components.back().sections = lot.from;
        }
        reach = std::max(reach, lot.to);
        out.components.back().lots.push_back(lot);
        out.components.back().items.push_back(rest.items[i]);
    }
    for (Component& c : out.components) {
        const int start = c.sections;
        int end = start;
        for (Lot& lot : c.lots) {
            end = std::max(end, lot.to);
            lot.from -= start;
            lot.to -= start;
            lot.narrowUntil -= start;
        }
        c.sections = end - start;
        dropCoveredSections(c);
    }
    return out;
}

namespace {

/// Up to this number of lots several orders are tried. Above it only the order of time is tried, in which a
/// lot is compared only with lots that are alive.
constexpr std::size_t kMaxOrderedLots = 20'000;

struct PlacedLot
{
    std::int64_t offset = 0;
    Lot lot;
};

/// Returns the lowest offset at which the lot overlaps none of the placed lots. These are in ascending order
/// of offset.
std::int64_t lowestFit(const Lot& lot, const std::vector<PlacedLot>& placed)
{
    std::int64_t at = 0;
    for (bool moved = true; moved;) { // a second pass is needed only if the size of some lot changes
        moved = false;
        for (const auto& [offset, other] : placed) {
            if (offset >= at + lot.size) // this lot and all that follow lie above
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

/// Places one lot after the other. `isInTime` is true if `order` is the order of time; lots that have ended
/// then need not be compared. Returns an empty list if stopped.
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

/// Places all lots in O(n log n) time, for the case that the time limit is reached. Each lot takes the
/// smallest hole into which it fits, with its full size for its whole life.
std::vector<std::int64_t> inHoles(const Component& c)
{
    std::map<std::int64_t, std::int64_t> holes; // size of each hole, by its offset
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
    std::vector<int> order(component.lots.size()); // the lots in the order of time
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
