// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/proof/set_pricing.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilewright {

/// In one thread, box by box.
class SetPricing::Search
{
public:
    static constexpr std::size_t kWeights = 3; ///< of compute against memory
    static constexpr std::array<double, kWeights> kWeight{0, 0.5, 1};
    /// Prices of room: none, three of the first step's, one of each of the others'.
    static constexpr std::size_t kFirstRooms = 4;
    static constexpr std::size_t kRooms = kFirstRooms + (BoxCosts::kMoments - 1);
    static constexpr std::size_t kLanes = kWeights * kRooms;
    static constexpr std::array<double, kRooms> kTimes{0, 0.5, 1, 2, 1, 1};
    static constexpr std::array<std::size_t, kRooms> kMomentOf{0, 0, 0, 0, 1, 2};
    using Lanes = std::array<double, kLanes>; ///< by room, then weight
    using Rooms = std::array<double, BoxCosts::kMoments>;

    /// Of a box: what paths there are still, and what room is worth by weight.
    struct State
    {
        TileBox box;
        std::shared_ptr<const Paths> paths;
        std::array<double, kWeights> rooms;
    };

    struct Taken
    {
        Digest key;
        Set set;
    };

    Search(const SetPricing& pricing, const std::vector<double>& prices, const KeyOf& keyOf,
           const Keys& known, double unit)
        : m_p(pricing), m_keyOf(keyOf), m_known(known), m_margin(kRounding * unit),
          m_capacity(static_cast<double>(pricing.m_problem.hardware().fastMemoryCapacity)),
          m_achieved(pricing.m_events.size()), m_terms(pricing.m_kinds.size()),
          m_costs(pricing.m_kinds.size())
    {
        for (std::size_t i = 0; i < m_achieved.size(); ++i)
            for (const auto& [row, amount] : m_p.m_events[i].situation->achieved)
                m_achieved[i] += amount * prices[row];
    }

    enum class Outcome : std::uint8_t { None, All, Some, TooMany };
    /// What of the box the prices may exceed is added to `out`; the paths become fewer.
    Outcome look(State& state, std::size_t mostNodes, std::size_t mostSets, std::vector<Taken>& out);

private:
    /// What an event adds, less prices, to what there is.
    [[nodiscard]] Lanes with(std::uint32_t event, const Lanes& other) const
    {
        const Lanes& cost = m_costs[m_p.m_events[event].kind];
        const double achieved = m_achieved[event];
        Lanes out;
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            out[lane] = other[lane] + (cost[lane] - achieved);
        return out;
    }
    void sweep(const Paths& paths);
    [[nodiscard]] Paths pruned(const Paths& paths);
    /// Whether a path that adds this much may be worth its prices.
    [[nodiscard]] bool mayExceed(const Lanes& sum) const
    {
        bool over = true;
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            over &= sum[lane] - m_roomPrice[lane] * m_capacity <= m_margin;
        return over;
    }
    struct Node
    {
        std::uint32_t state = 0;
        std::array<double, kWeights> value{};
        Rooms room{};
    };
    bool take(std::vector<Taken>& out);
    bool walk(const Paths& paths, const Node& node, std::vector<Taken>& out);

    static constexpr double kRounding = 1e-11;

    const SetPricing& m_p;
    const KeyOf& m_keyOf;
    const Keys& m_known;
    Keys m_taken; ///< in all boxes so far
    double m_margin, m_capacity;
    std::vector<double> m_achieved;       ///< by event: the prices
    std::vector<BoxCosts::Terms> m_terms; ///< by kind
    std::vector<Lanes> m_costs;           ///< by kind: with room at its price
    std::vector<char> m_isUsed;           ///< by kind
    std::vector<Lanes> m_least;           ///< by state: what paths from there add at least
    std::vector<Lanes> m_before;          ///< by state: what paths that lead there have added at least
    std::array<double, kLanes> m_roomPrice{};
    std::vector<std::uint32_t> m_path; ///< events of the path that is walked
    std::size_t m_nodes = 0, m_mostNodes = 0, m_mostSets = 0;
};

} // namespace tilewright
