// SPDX-License-Identifier: GPL-3.0-or-later
#include "hierarchy/feasible.h"

#include "base/exclusion.h"
#include "base/integer.h"
#include "base/text.h"
#include "hierarchy/evaluate.h"
#include "hierarchy/excluding.h"
#include "hierarchy/tilings.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace tilewright::hierarchy {

namespace {

constexpr std::size_t kMostWays = 4000; ///< maximum number of ways to distribute the factors of one loop
/// Maximum number of steps when the ways of all loops are combined.
constexpr std::size_t kMostSteps = 100'000;
constexpr std::int64_t kMostTrips = 64; ///< largest trip count for which all imperfect factors are tried

/// A limit that can be dropped, to find out whether it is part of the reason.
struct Demand
{
    enum class Kind { Factor, Axis, Room };

    Kind kind = Kind::Factor;
    /// Index of the limit of the factor, of the axis (among all axes), or of the level.
    std::size_t index = 0;
};

/// An axis in the list of the axes of all levels.
struct AxisPlace
{
    std::size_t level = 0;
    std::size_t axis = 0; ///< index of the axis in its level
};

std::vector<AxisPlace> axesOf(const Architecture& architecture)
{
    std::vector<AxisPlace> out;
    for (std::size_t i = 0; i < architecture.levels.size(); ++i)
        for (std::size_t a = 0; a < architecture.levels[i].axes.size(); ++a)
            out.push_back({i, a});
    return out;
}

/// One way to distribute the factors of a loop over the levels.
struct Way
{
    std::int64_t product = 1; ///< product of the factors placed so far
    /// Extents of the loop in the levels that are already decided.
    std::array<std::int64_t, kMaxLevels> extents;
    std::array<std::int64_t, kMaxLevels> temporal;
    std::vector<std::int64_t> axes; ///< factor of the loop on every axis

    /// True if everything that fits with the other way also fits with this one.
    [[nodiscard]] bool isAsGood(const Way& other, std::size_t level, std::size_t levels) const
    {
        if (product != other.product)
            return false;
        for (std::size_t i = level; i < levels; ++i)
            if (extents[i] > other.extents[i])
                return false;
        for (std::size_t a = 0; a < axes.size(); ++a)
            if (axes[a] > other.axes[a])
                return false;
        return true;
    }
};

enum class Answer { Yes, No, Unknown };

/// Searches for a mapping that satisfies some of the demands. Smaller tiles and smaller factors on axes
/// always fit better, so of the ways of a loop only those are kept that no other way beats in this.
class Finder
{
public:
    Finder(const LoopNest& nest, const Architecture& architecture, const Constraints& constraints)
        : m_nest(nest), m_architecture(architecture), m_constraints(constraints), m_axes(axesOf(architecture))
    {
    }

    [[nodiscard]] const std::vector<AxisPlace>& axes() const noexcept { return m_axes; }

    Answer find(const std::vector<Demand>& demands)
    {
        m_isWhole = true;
        m_limits.assign(m_constraints.factors.size(), false);
        m_sizes.assign(m_axes.size(), false);
        m_rooms.fill(false);
        for (const Demand& demand : demands) {
            if (demand.kind == Demand::Kind::Factor)
                m_limits[demand.index] = true;
            else if (demand.kind == Demand::Kind::Axis)
                m_sizes[demand.index] = true;
            else
                m_rooms[demand.index] = true;
        }
        for (int l = 0; l < m_nest.loopCount; ++l) {
            const Answer answer = listWays(l);
            if (answer != Answer::Yes)
                return answer;
        }
        m_steps = 0;
        const Answer answer = combine(0);
        return answer == Answer::No && !m_isWhole ? Answer::Unknown : answer;
    }

    /// The mapping that the last find() found.
    [[nodiscard]] Mapping mapping() const
    {
        Mapping out;
        out.levels.resize(m_architecture.levels.size());
        for (std::size_t i = 0; i < out.levels.size(); ++i) {
            for (const Axis& axis : m_architecture.levels[i].axes)
                out.levels[i].spatial.push_back({axis.name, {}});
            for (int l = 0; l < m_nest.loopCount; ++l)
                if (const std::int64_t factor = chosen(l).temporal[i]; factor > 1)
                    out.levels[i].temporal.push_back({l, factor});
        }
        for (std::size_t a = 0; a < m_axes.size(); ++a)
            for (int l = 0; l < m_nest.loopCount; ++l)
                if (const std::int64_t factor = chosen(l).axes[a]; factor > 1)
                    out.levels[m_axes[a].level].spatial[m_axes[a].axis].loops.push_back({l, factor});
        putInOrder(m_constraints, out);
        return out;
    }

    /// The smallest extents of a level's tile that the demands of the last find() allow.
    [[nodiscard]] Factors leastExtents(std::size_t level) const
    {
        Factors out{1, 1, 1, 1, 1, 1, 1};
        for (int l = 0; l < m_nest.loopCount; ++l) {
            const auto& ways = m_ways[static_cast<std::size_t>(l)];
            out[static_cast<std::size_t>(l)] = std::ranges::min_element(ways, {}, [&](const Way& way) {
                                                   return way.extents[level];
                                               })->extents[level];
        }
        return out;
    }

private:
    [[nodiscard]] const Way& chosen(int loop) const
    {
        const auto l = static_cast<std::size_t>(loop);
        return m_ways[l][m_chosen[l]];
    }

    [[nodiscard]] FactorLimit limitAt(std::size_t level, int axis, int loop) const
    {
        for (std::size_t i = 0; i < m_limits.size(); ++i)
            if (const FactorLimit& limit = m_constraints.factors[i];
                m_limits[i] && limit.isAt(level, axis, loop))
                return limit;
        return {level, axis, loop};
    }

    Answer listWays(int loop)
    {
        const auto l = static_cast<std::size_t>(loop);
        std::vector<Way>& ways = m_ways[l];
        m_factors = divisorsOf(m_nest.trips[l]);
        if (isImperfect())
            listImperfect(loop);
        Way none;
        none.extents.fill(1);
        none.temporal.fill(1);
        none.axes.assign(m_axes.size(), 1);
        ways.assign(1, none);
        std::size_t axis = m_axes.size();
        for (std::size_t i = m_architecture.levels.size(); i-- > 0;) {
            const std::vector<Axis>& own = m_architecture.levels[i].axes;
            for (std::size_t a = own.size(); a-- > 0;) {
                --axis;
                FactorLimit limit = limitAt(i, static_cast<int>(a), loop);
                if (m_sizes[axis])
                    limit.most = std::min(limit.most, own[a].size);
                if (!own[a].allows(m_nest.kind, loop))
                    limit.most = 1;
                if (!extend(ways, loop, limit, i,
                            [axis](Way& way) -> std::int64_t& { return way.axes[axis]; }))
                    return Answer::Unknown;
            }
            for (Way& way : ways)
                way.extents[i] = std::min(way.product, m_nest.trips[l]);
            if (!extend(ways, loop, limitAt(i, FactorLimit::kTemporal, loop), i,
                        [i](Way& way) -> std::int64_t& { return way.temporal[i]; }))
                return Answer::Unknown;
        }
        std::erase_if(ways, [&](const Way& way) { return way.product < m_nest.trips[l]; });
        return !ways.empty() ? Answer::Yes : m_isWhole ? Answer::No : Answer::Unknown;
    }

    /// True if factors that do not divide the trip count must be tried. Without bounds on factors, dividing
    /// factors suffice, because tiles of one element are the smallest possible ones.
    [[nodiscard]] bool isImperfect() const noexcept
    {
        return m_architecture.imperfect && !m_constraints.factors.empty();
    }

    /// Lists factors of a loop that need not divide its trip count: all of them, or a selection.
    void listImperfect(int loop)
    {
        const std::int64_t trips = m_nest.trips[static_cast<std::size_t>(loop)];
        const bool isSmall = trips <= kMostTrips;
        m_isWhole = m_isWhole && isSmall;
        for (std::int64_t n = 1; n <= std::min(trips, kMostTrips); ++n)
            m_factors.push_back(isSmall ? n : ceilDiv(trips, n));
        for (const FactorLimit& limit : m_constraints.factors)
            if (limit.loop == loop)
                for (const std::int64_t bound : {limit.least, limit.most})
                    if (bound <= trips)
                        m_factors.push_back(bound);
        std::ranges::sort(m_factors);
        m_factors.erase(std::unique(m_factors.begin(), m_factors.end()), m_factors.end());
    }

    /// Extends each way by one more factor, which `part` places.
    template <typename Part>
    bool extend(std::vector<Way>& ways, int loop, const FactorLimit& limit, std::size_t level,
                const Part& part) const
    {
        const std::size_t levels = m_architecture.levels.size();
        const std::int64_t trips = m_nest.trips[static_cast<std::size_t>(loop)];
        std::vector<Way> out;
        for (const Way& before : ways) {
            const std::int64_t left = ceilDiv(trips, before.product);
            for (const std::int64_t factor : m_factors) {
                if ((isImperfect() ? factor > left : left % factor != 0) || !limit.allows(factor))
                    continue;
                Way way = before;
                way.product *= factor;
                way.extents[level] = std::min(way.product, trips);
                part(way) = factor;
                if (std::ranges::any_of(out, [&](const Way& w) { return w.isAsGood(way, level, levels); }))
                    continue;
                std::erase_if(out, [&](const Way& w) { return way.isAsGood(w, level, levels); });
                out.push_back(std::move(way));
                if (out.size() > kMostWays)
                    return false;
            }
        }
        ways = std::move(out);
        return true;
    }

    Answer combine(int loop)
    {
        if (++m_steps > kMostSteps)
            return Answer::Unknown;
        if (!fitsSoFar(loop))
            return Answer::No;
        if (loop == m_nest.loopCount)
            return Answer::Yes;
        const auto l = static_cast<std::size_t>(loop);
        for (m_chosen[l] = 0; m_chosen[l] < m_ways[l].size(); ++m_chosen[l])
            if (const Answer answer = combine(loop + 1); answer != Answer::No)
                return answer;
        return Answer::No;
    }

    /// True if the chosen ways of the loops before `end` fit, with the smallest tiles of the other loops.
    [[nodiscard]] bool fitsSoFar(int end) const
    {
        for (std::size_t a = 0; a < m_axes.size(); ++a) {
            std::int64_t product = 1;
            for (int l = 0; l < m_nest.loopCount; ++l)
                product *= l < end ? chosen(l).axes[a] : leastOnAxis(l, a);
            const AxisPlace& place = m_axes[a];
            if (m_sizes[a] && product > m_architecture.levels[place.level].axes[place.axis].size)
                return false;
        }
        for (std::size_t i = 0; i < m_architecture.levels.size(); ++i) {
            if (!m_rooms[i])
                continue;
            Factors extents = leastExtents(i);
            for (int l = 0; l < end; ++l)
                extents[static_cast<std::size_t>(l)] = chosen(l).extents[i];
            if (!fits(m_architecture.levels[i], storedBits(m_nest, m_architecture, i, extents)))
                return false;
        }
        return true;
    }

    [[nodiscard]] std::int64_t leastOnAxis(int loop, std::size_t axis) const
    {
        const auto& ways = m_ways[static_cast<std::size_t>(loop)];
        return std::ranges::min_element(ways, {}, [&](const Way& way) { return way.axes[axis]; })->axes[axis];
    }

    const LoopNest& m_nest;
    const Architecture& m_architecture;
    const Constraints& m_constraints;
    std::vector<AxisPlace> m_axes;
    std::vector<bool> m_limits, m_sizes; ///< per demand: true if it must be satisfied
    std::array<bool, kMaxLevels> m_rooms{};
    std::vector<std::int64_t> m_factors; ///< candidate factors of the loop that is being distributed
    bool m_isWhole = true;               ///< true if all candidates were tried
    std::array<std::vector<Way>, kMaxLoops> m_ways;
    std::array<std::size_t, kMaxLoops> m_chosen{};
    std::size_t m_steps = 0;
};

class Reason
{
public:
    Reason(const LoopNest& nest, const Architecture& architecture, const Constraints& constraints,
           Finder& finder)
        : m_nest(nest), m_architecture(architecture), m_constraints(constraints), m_finder(finder)
    {
        using Kind = Demand::Kind;
        for (std::size_t i = 0; i < architecture.levels.size(); ++i)
            if (architecture.levels[i].bytes || architecture.levels[i].memories)
                m_all.push_back({Kind::Room, i});
        for (std::size_t i = 0; i < constraints.factors.size(); ++i)
            m_all.push_back({Kind::Factor, i});
        for (std::size_t a = 0; a < finder.axes().size(); ++a)
            m_all.push_back({Kind::Axis, a});
    }

    [[nodiscard]] const std::vector<Demand>& all() const noexcept { return m_all; }

    /// Finds the reason why there is no mapping. Precondition: no mapping satisfies all demands.
    [[nodiscard]] NoMapping find() const
    {
        const std::vector<Demand> core = smallest();
        std::vector<std::string> asked, rooms, axes;
        NoMapping out;
        for (const Demand& d : core) {
            if (d.kind == Demand::Kind::Factor) {
                const FactorLimit& limit = m_constraints.factors[d.index];
                out.loop = asked.empty() || out.loop == limit.loop ? limit.loop : -1;
                for (std::string& text : limitTexts(m_nest, m_architecture, limit))
                    asked.push_back(std::move(text));
            } else if (d.kind == Demand::Kind::Axis) {
                const AxisPlace& place = m_finder.axes()[d.index];
                const Level& level = m_architecture.levels[place.level];
                const Axis& axis = level.axes[place.axis];
                axes.push_back("axis \"" + axis.name + "\" of level " + level.name + " has only " +
                               formatGrouped(axis.size) + (axis.size == 1 ? " instance" : " instances"));
                out.level = static_cast<int>(place.level);
            } else {
                rooms.push_back(roomText(d.index, core));
                out.level = static_cast<int>(d.index);
            }
        }
        if (rooms.size() + axes.size() > 1)
            out.level = -1;
        out.message = asked.empty() ? "" : "with " + listedWith(asked, "and") + " ";
        if (rooms.empty() && axes.empty()) {
            out.message += factorsText(core, out.loop);
            return out;
        }
        rooms.insert(rooms.end(), axes.begin(), axes.end());
        out.message += listedWith(rooms, "and");
        return out;
    }

    /// Describes a set of limits, each with the values that would be sufficient.
    [[nodiscard]] std::vector<ExcludingLimit> limits() const
    {
        std::vector<ExcludingLimit> out;
        for (const Demand& d : smallest()) {
            if (d.kind == Demand::Kind::Factor) {
                const auto texts = limitTexts(m_nest, m_architecture, m_constraints.factors[d.index]);
                out.push_back({listedWith(texts, "and"), {}, {}});
            } else if (d.kind == Demand::Kind::Axis) {
                const AxisPlace& place = m_finder.axes()[d.index];
                const Level& level = m_architecture.levels[place.level];
                const Axis& axis = level.axes[place.axis];
                out.push_back({level.name + "." + axis.name, formatGrouped(axis.size), {}});
                addEnough(out.back(), axis.size, [place](Architecture& a) -> std::int64_t& {
                    return a.levels[place.level].axes[place.axis].size;
                });
            } else {
                const Level& level = m_architecture.levels[d.index];
                out.push_back({level.name + ".bytes", level.bytes ? formatGrouped(*level.bytes) : "", {}});
                if (level.bytes)
                    addEnough(out.back(), *level.bytes,
                              [&d](Architecture& a) -> std::int64_t& { return *a.levels[d.index].bytes; });
            }
        }
        return out;
    }

private:
    /// Adds the smallest value above `present` with which a mapping satisfies all demands.
    template <typename Field>
    void addEnough(ExcludingLimit& limit, std::int64_t present, const Field& field) const
    {
        constexpr std::int64_t kMost = std::int64_t{1} << 40;
        Architecture larger = m_architecture;
        const auto isEnough = [&](std::int64_t value) {
            field(larger) = value;
            return Finder(m_nest, larger, m_constraints).find(m_all) == Answer::Yes;
        };
        std::int64_t below = present, enough = std::max<std::int64_t>(1, 2 * present);
        for (; !isEnough(enough); enough *= 2) {
            if (enough > kMost)
                return;
            below = enough;
        }
        while (enough - below > 1) {
            const std::int64_t middle = below + (enough - below) / 2;
            (isEnough(middle) ? enough : below) = middle;
        }
        limit.enough.push_back(limit.name + " " + formatGrouped(enough));
    }

    /// Returns a smallest set of the demands that excludes all mappings.
    [[nodiscard]] std::vector<Demand> smallest() const
    {
        const auto demandsOf = [&](const std::vector<std::size_t>& set) {
            std::vector<Demand> out;
            out.reserve(set.size());
            for (const std::size_t i : set)
                out.push_back(m_all[i]);
            return out;
        };
        return demandsOf(smallestExcluding(
            m_all.size(), [&](const std::vector<std::size_t>& set) { return isImpossible(demandsOf(set)); }));
    }

    [[nodiscard]] bool isImpossible(const std::vector<Demand>& demands) const
    {
        return m_finder.find(demands) == Answer::No;
    }

    /// Text of limits that are all limits of factors. Such limits concern one loop, because factors of other
    /// loops do not affect them.
    [[nodiscard]] std::string factorsText(const std::vector<Demand>& core, int loop) const
    {
        const std::string fit = m_architecture.imperfect ? "cover" : "multiply to";
        if (loop < 0)
            return "no factors " + fit + " the trip counts";
        const auto l = static_cast<std::size_t>(loop);
        if (core.size() == 1) {
            const FactorLimit& limit = m_constraints.factors[core.front().index];
            const Level& level = m_architecture.levels[limit.level];
            if (limit.axis != FactorLimit::kTemporal)
                if (const Axis& axis = level.axes[static_cast<std::size_t>(limit.axis)];
                    !axis.allows(m_nest.kind, loop))
                    return "axis \"" + axis.name + "\" of level " + level.name + " does not take loop " +
                           std::string(m_nest.loopNames[l]);
        }
        return "no factors of loop " + std::string(m_nest.loopNames[l]) + " " + fit + " its trip count " +
               formatGrouped(m_nest.trips[l]);
    }

    /// Text such as "level buffer needs at least 48 of 8 bits for A, B".
    [[nodiscard]] std::string roomText(std::size_t level, std::vector<Demand> core) const
    {
        std::erase_if(core, [](const Demand& d) { return d.kind == Demand::Kind::Room; });
        const std::string name = "level " + m_architecture.levels[level].name;
        if (m_finder.find(core) == Answer::Yes) {
            const auto bits = storedBits(m_nest, m_architecture, level, m_finder.leastExtents(level));
            if (!fits(m_architecture.levels[level], bits))
                return name + " " + overflowText(m_nest, m_architecture, level, bits) +
                       (level == 0 ? "" : ", however small the tiles");
        }
        return name + " is too small for all tiles";
    }

    const LoopNest& m_nest;
    const Architecture& m_architecture;
    const Constraints& m_constraints;
    Finder& m_finder;
    std::vector<Demand> m_all;
};

} // namespace

Feasible findMapping(const LoopNest& nest, const Architecture& architecture, const Constraints& constraints)
{
    Finder finder(nest, architecture, constraints);
    const Reason reason(nest, architecture, constraints, finder);
    Feasible out;
    switch (finder.find(reason.all())) {
    case Answer::Yes:
        out.mapping = finder.mapping();
        break;
    case Answer::No:
        out.reason = reason.find();
        break;
    case Answer::Unknown:
        break;
    }
    return out;
}

std::vector<ExcludingLimit> excludingLimits(const LoopNest& nest, const Architecture& architecture,
                                            const Constraints& constraints)
{
    Finder finder(nest, architecture, constraints);
    const Reason reason(nest, architecture, constraints, finder);
    return finder.find(reason.all()) == Answer::No ? reason.limits() : std::vector<ExcludingLimit>();
}

} // namespace tilewright::hierarchy
