// SPDX-License-Identifier: GPL-3.0-or-later
// Placement problems drawn by chance, and the least height of small ones by trying every order.
#pragma once

#include "place/placement.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace tilewright::place_cases {

using Items = std::vector<PlacementItem>;
using Engine = std::mt19937_64;

inline std::int64_t below(Engine& rnd, std::int64_t n)
{
    return static_cast<std::int64_t>(rnd() % static_cast<std::uint64_t>(n));
}

/// At most 8 items on at most 8 points of time; some are narrower at first. Half of them live for two to four
/// points, for those have gaps most often.
inline Items small(Engine& rnd)
{
    const bool chain = below(rnd, 2) == 0;
    const std::int64_t count = chain ? 7 + below(rnd, 2) : 1 + below(rnd, 8);
    const std::int64_t end = chain ? 8 : 2 + below(rnd, 7);
    const std::int64_t sizes = 1 + below(rnd, 9);
    Items out;
    for (std::int64_t i = 0; i < count; ++i) {
        PlacementItem item;
        item.lower = below(rnd, chain ? end - 2 : end);
        item.upper = chain ? std::min(end, item.lower + 2 + below(rnd, 3))
                           : item.lower + 1 + below(rnd, end - item.lower);
        item.size = 1 + below(rnd, sizes);
        item.narrowUntil = item.lower;
        if (item.upper - item.lower > 1 && below(rnd, 5) == 0) {
            item.narrowUntil = item.lower + 1 + below(rnd, item.upper - item.lower - 1);
            item.narrowSize = 1 + below(rnd, item.size);
        }
        out.push_back(item);
    }
    return out;
}

/// What `below` adds to the offset of `above` when it lies beneath it; -1 when they never meet.
inline std::int64_t sizeBeneath(const PlacementItem& below, const PlacementItem& above)
{
    std::int64_t size = -1;
    for (std::int64_t t = std::max(below.lower, above.lower); t < std::min(below.upper, above.upper); ++t)
        size = std::max(size, below.sizeAt(t));
    return size;
}

/// The least height: every order, each item dropped onto those before it. In the order of its offsets any
/// placement can be had so, or a lower one.
class EveryOrder
{
public:
    explicit EveryOrder(const Items& items) : m_items(items), m_offset(items.size()) { drop(0, 0); }
    [[nodiscard]] std::int64_t height() const noexcept { return m_best; }

private:
    void drop(unsigned placed, std::int64_t height)
    {
        if (height >= m_best)
            return;
        if (placed == (1U << m_items.size()) - 1) {
            m_best = height;
            return;
        }
        for (std::size_t i = 0; i < m_items.size(); ++i) {
            if ((placed >> i & 1U) != 0)
                continue;
            std::int64_t at = 0;
            for (std::size_t j = 0; j < m_items.size(); ++j)
                if ((placed >> j & 1U) != 0)
                    if (const std::int64_t size = sizeBeneath(m_items[j], m_items[i]); size >= 0)
                        at = std::max(at, m_offset[j] + size);
            m_offset[i] = at;
            drop(placed | 1U << i, std::max(height, at + m_items[i].size));
        }
    }

    const Items& m_items;
    std::vector<std::int64_t> m_offset;
    std::int64_t m_best = INT64_MAX;
};

/// A whole rectangle of time and memory cut up at random, so that the buffers fill it to the last unit: hard,
/// and known to fit. Addresses are multiples of `unit`.
inline Items cutUp(Engine& rnd, std::size_t count, std::int64_t time, std::int64_t memory, std::int64_t unit)
{
    struct Piece
    {
        std::int64_t from, to, low, high;
    };
    std::vector<Piece> pieces{{0, time, 0, memory}};
    while (pieces.size() < count) {
        std::size_t at = rnd() % pieces.size();
        const auto area = [&](const Piece& p) {
            return static_cast<double>(p.to - p.from) * static_cast<double>(p.high - p.low);
        };
        for (int i = 0; i < 3; ++i)
            if (const std::size_t other = rnd() % pieces.size(); area(pieces[other]) > area(pieces[at]))
                at = other;
        const Piece p = pieces[at];
        const std::int64_t units = (p.high - p.low) / unit;
        if (below(rnd, 2) == 0 && p.to - p.from > 1) {
            pieces[at].to = p.from + 1 + below(rnd, p.to - p.from - 1);
            pieces.push_back({pieces[at].to, p.to, p.low, p.high});
        } else if (units > 1) {
            pieces[at].high = p.low + unit * (1 + below(rnd, units - 1));
            pieces.push_back({p.from, p.to, pieces[at].high, p.high});
        }
    }
    std::shuffle(pieces.begin(), pieces.end(), rnd);
    Items out;
    for (const Piece& p : pieces)
        out.push_back({p.from, p.to, p.high - p.low, p.from, 0});
    return out;
}

/// A memory that is full at every moment: neighbours end together, and others take exactly their place.
inline Items refilled(Engine& rnd, std::size_t count, std::int64_t memory, std::int64_t unit)
{
    struct Buffer
    {
        std::int64_t low, high, born;
    };
    const auto fill = [&](std::int64_t low, std::int64_t high, std::int64_t now) {
        std::vector<Buffer> out;
        while (low < high) {
            const std::int64_t units = std::min((high - low) / unit, 64 + below(rnd, 200));
            const std::int64_t size = unit * (1 + below(rnd, units));
            out.push_back({low, low + size, now});
            low += size;
        }
        return out;
    };
    std::vector<Buffer> alive = fill(0, memory, 0);
    Items out;
    std::int64_t now = 0;
    const auto end = [&](const Buffer& b) { out.push_back({b.born, now, b.high - b.low, b.born, 0}); };
    while (out.size() + alive.size() < count) {
        ++now;
        const auto first = alive.begin() + below(rnd, static_cast<std::int64_t>(alive.size()));
        const auto last = first + std::min<std::ptrdiff_t>(alive.end() - first, 1 + below(rnd, 3));
        std::for_each(first, last, end);
        const std::vector<Buffer> fresh = fill(first->low, std::prev(last)->high, now);
        alive.insert(alive.erase(first, last), fresh.begin(), fresh.end());
    }
    ++now;
    std::for_each(alive.begin(), alive.end(), end);
    std::shuffle(out.begin(), out.end(), rnd);
    return out;
}

} // namespace tilewright::place_cases
