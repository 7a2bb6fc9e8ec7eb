// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "place/lots.h"

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <stop_token>
#include <unordered_set>
#include <vector>

namespace tilewright {

/// Which lots overlap in time, and how high one is where the other lives too.
struct Overlaps
{
    struct Other
    {
        int lot = 0;
        std::int64_t mine = 0;   ///< size of this one where the other lives too
        std::int64_t theirs = 0; ///< size of the other where this one lives too
    };
    explicit Overlaps(const Component& component);
    [[nodiscard]] std::span<const Other> of(int lot) const
    {
        const auto i = static_cast<std::size_t>(lot);
        return std::span(m_others).subspan(m_first[i], m_first[i + 1] - m_first[i]);
    }

private:
    std::vector<Other> m_others;
    std::vector<std::size_t> m_first;
};

/// Whether the lots of a component fit below a height: depth first over bottom-justified placements
/// (docs/rules/place.md 4). Can be run again and again with more nodes; what was refuted is remembered.
class FitSearch
{
public:
    FitSearch(const Component& component, const Overlaps& overlaps, std::int64_t height);

    enum class Outcome : std::uint8_t { Fits, DoesNotFit, OutOfNodes };
    /// `strategy` chooses the order in which lots are tried.
    [[nodiscard]] Outcome run(int strategy, std::int64_t maxNodes, const std::stop_token& stop);

    [[nodiscard]] const std::vector<std::int64_t>& offsets() const noexcept { return m_offset; }
    [[nodiscard]] std::int64_t height() const noexcept { return m_height; }
    /// After DoesNotFit: no height below this one is enough.
    [[nodiscard]] std::int64_t nextHeight() const noexcept { return m_height + m_leastExcess; }
    [[nodiscard]] std::int64_t nodes() const noexcept { return m_nodes; }

private:
    using Key = std::array<std::uint64_t, 2>;
    struct KeyHash
    {
        std::size_t operator()(const Key& key) const noexcept { return key[0]; }
    };
    struct Change
    {
        int lot = 0;
        std::int64_t least = 0;
    };
    struct Choice
    {
        int section = -1;
        std::int64_t level = 0;
        std::int64_t slack = 0;
    };

    bool fits(std::vector<int> lots, std::int64_t ceiling);
    bool fitsApart(const std::vector<int>& lots, std::int64_t ceiling, const std::vector<int>& cuts);
    bool search(const std::vector<int>& lots, std::int64_t ceiling);
    bool branch(const std::vector<int>& lots, std::int64_t ceiling, const Choice& choice);
    bool place(int lot, const std::vector<int>& lots, std::int64_t ceiling, std::int64_t level,
               std::span<const int> refuted);
    bool delay(const std::vector<int>& candidates, const std::vector<int>& lots, std::int64_t ceiling,
               std::int64_t level);
    [[nodiscard]] bool peel(std::vector<int>& lots, std::int64_t& ceiling);
    bool exceeds(std::int64_t top, std::int64_t ceiling);
    [[nodiscard]] std::vector<int> split(const std::vector<int>& lots);
    [[nodiscard]] bool measure(const std::vector<int>& lots, std::int64_t ceiling);
    [[nodiscard]] Choice choose(const std::vector<int>& lots, std::int64_t ceiling);
    [[nodiscard]] std::vector<int> candidates(const std::vector<int>& lots, const Choice& choice) const;
    [[nodiscard]] Key keyOf(const std::vector<int>& lots, std::int64_t ceiling) const;
    void raise(int lot, std::int64_t least);
    void undo(std::size_t mark);

    const Component& m_component;
    const Overlaps& m_overlaps;
    std::int64_t m_height;
    std::int64_t m_leastExcess = std::numeric_limits<std::int64_t>::max();
    int m_strategy = 0;
    std::int64_t m_nodes = 0;
    std::int64_t m_lastNode = 0;
    bool m_out = false; // of nodes, or stopped
    std::stop_token m_stop;

    std::vector<std::int64_t> m_offset;
    std::vector<std::int64_t> m_least; // of unplaced lots: no offset below it is left
    std::vector<char> m_open;          // unplaced, and in the part that is searched
    std::vector<Change> m_trail;
    std::unordered_set<Key, KeyHash> m_refuted;
    // by section, of the node that is looked at
    std::vector<std::int64_t> m_floor, m_rest;
    std::vector<int> m_count;
};

} // namespace tilewright
