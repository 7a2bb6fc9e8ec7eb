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

/// Overlaps in time between lots, with the sizes of both lots during the overlap.
struct Overlaps
{
    struct Other
    {
        int lot = 0;
        std::int64_t mine = 0;   ///< largest size of this lot while the other lot is alive
        std::int64_t theirs = 0; ///< largest size of the other lot while this lot is alive
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

/// Decides whether the lots of a component fit below a height. It is a depth-first search over
/// bottom-justified placements (docs/rules/place.md 4). The search can be continued with more nodes, and
/// remembers refuted states.
class FitSearch
{
public:
    FitSearch(const Component& component, const Overlaps& overlaps, std::int64_t height);

    enum class Outcome : std::uint8_t { Fits, DoesNotFit, OutOfNodes };
    /// Searches up to `maxNodes` nodes. `strategy` selects the order in which lots are tried.
    [[nodiscard]] Outcome run(int strategy, std::int64_t maxNodes, const std::stop_token& stop);

    [[nodiscard]] const std::vector<std::int64_t>& offsets() const noexcept { return m_offset; }
    [[nodiscard]] std::int64_t height() const noexcept { return m_height; }
    /// After the outcome DoesNotFit: returns a lower bound on the height.
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
    bool m_out = false; // true if the node limit is reached or the search is stopped
    std::stop_token m_stop;

    std::vector<std::int64_t> m_offset;
    std::vector<std::int64_t> m_least; // for each unplaced lot, the lowest offset that is not excluded
    std::vector<char> m_open;          // for each lot, true if it is unplaced and in the current subproblem
    std::vector<Change> m_trail;
    std::unordered_set<Key, KeyHash> m_refuted;
    // For each section, in the current node: its floor, and the sum of the sizes of the unplaced lots.
    std::vector<std::int64_t> m_floor, m_rest;
    std::vector<int> m_count;
};

} // namespace tilewright
