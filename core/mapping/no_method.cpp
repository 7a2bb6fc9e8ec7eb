// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/no_method.h"

#include "base/integer.h"
#include "base/text.h"
#include "mapping/imperfect.h"
#include "mapping/imperfect_search.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace tilewright::mapping {

namespace {

/// Maximum number of steps when the splits of all loops are combined.
constexpr std::size_t kMostSteps = 200'000;
constexpr std::int64_t kMostTrips = 64; ///< largest trip count for which all imperfect factors are tried
constexpr std::int64_t kUnlimited = std::int64_t{1} << 40;

enum class Answer : std::uint8_t { Yes, No, Unknown };

/// A limit of the search space that can be dropped.
struct Limit
{
    enum class Kind : std::uint8_t {
        Pes,
        Rf,
        Spm,
        Least,
        Most,
        PeUse,
        RfUse,
        SpmUse,
        NoSpatialReduction,
        NoFilterLoops
    };
    Kind kind = Kind::Pes;
    std::size_t level = 0, loop = 0; ///< level and loop of the bound, for Least and Most
};

std::vector<Limit> limitsOf(const LoopNest& nest, const Reductions& r)
{
    using Kind = Limit::Kind;
    std::vector<Limit> out{{Kind::Rf}, {Kind::Spm}, {Kind::Pes}};
    const Constraints none;
    for (std::size_t level = 0; level < kLevels; ++level)
        for (std::size_t l = 0; l < static_cast<std::size_t>(nest.loopCount); ++l) {
            if (r.constraints.least[level][l] > 1)
                out.push_back({Kind::Least, level, l});
            if (r.constraints.most[level][l] < none.most[level][l])
                out.push_back({Kind::Most, level, l});
        }
    if (r.minPeUse > 0)
        out.push_back({Kind::PeUse});
    if (r.minRfUse > 0)
        out.push_back({Kind::RfUse});
    if (r.minSpmUse > 0)
        out.push_back({Kind::SpmUse});
    if (r.noSpatialReduction)
        out.push_back({Kind::NoSpatialReduction});
    if (r.noFilterLoopsAtDram && nest.loopCount == kMaxLoops)
        out.push_back({Kind::NoFilterLoops});
    return out;
}

/// The requested limits without the dropped ones.
struct Asked
{
    Architecture architecture;
    Reductions reductions;
};

Asked withLimits(const LoopNest& nest, const Asked& all, const std::vector<Limit>& limits,
                 const std::vector<std::size_t>& kept, std::array<bool, 3>& rooms)
{
    using Kind = Limit::Kind;
    Asked out = all;
    const Constraints none;
    rooms = {false, false, false};
    for (std::size_t i = 0; i < limits.size(); ++i) {
        const Limit& limit = limits[i];
        const bool isKept = std::ranges::binary_search(kept, i);
        if (limit.kind <= Kind::Spm) {
            rooms[static_cast<std::size_t>(limit.kind)] = isKept;
            continue;
        }
        if (isKept)
            continue;
        Reductions& r = out.reductions;
        switch (limit.kind) {
        case Kind::Least:
            r.constraints.least[limit.level][limit.loop] = 1;
            break;
        case Kind::Most:
            r.constraints.most[limit.level][limit.loop] = none.most[limit.level][limit.loop];
            break;
        case Kind::PeUse:
            r.minPeUse = 0;
            break;
        case Kind::RfUse:
            r.minRfUse = 0;
            break;
        case Kind::SpmUse:
            r.minSpmUse = 0;
            break;
        case Kind::NoSpatialReduction:
            r.noSpatialReduction = false;
            break;
        default:
            r.noFilterLoopsAtDram = false;
            break;
        }
    }
    if (nest.loopCount < kMaxLoops)
        out.reductions.noFilterLoopsAtDram = false;
    return out;
}

/// Searches for a valid method: lists the possible splits of each loop and combines them loop by loop.
class Finder
{
public:
    /// `rooms`: whether PEs, register files and scratchpad limit the methods.
    Finder(const LoopNest& nest, const Asked& asked, const std::array<bool, 3>& rooms)
        : m_nest(nest), m_asked(asked), m_rooms(rooms), m_loops(static_cast<std::size_t>(nest.loopCount))
    {
        const Reductions& r = asked.reductions;
        m_isFilling = r.minPeUse > 0 || r.minRfUse > 0 || r.minSpmUse > 0;
    }

    Answer find()
    {
        for (std::size_t l = 0; l < m_loops; ++l) {
            listWays(l);
            if (m_ways[l].empty())
                return m_isWhole ? Answer::No : Answer::Unknown;
        }
        for (Factors* f :
             {&m_least.rf, &m_least.spm, &m_least.spatial, &m_most.rf, &m_most.spm, &m_most.spatial})
            f->fill(1);
        for (std::size_t l = 0; l < m_loops; ++l) {
            const auto range = [&](Factors Extents::*part) {
                const auto [low, high] = std::ranges::minmax(m_ways[l], {}, [&](const Way& w) {
                    return w.*(part == &Extents::rf    ? &Way::rf
                               : part == &Extents::spm ? &Way::spmExtent
                                                       : &Way::spatial);
                });
                const auto of = [&](const Way& w) {
                    return part == &Extents::rf ? w.rf : part == &Extents::spm ? w.spmExtent : w.spatial;
                };
                (m_least.*part)[l] = of(low);
                (m_most.*part)[l] = of(high);
            };
            range(&Extents::rf);
            range(&Extents::spm);
            range(&Extents::spatial);
        }
        const Answer answer = combine(0);
        return answer == Answer::No && !m_isWhole ? Answer::Unknown : answer;
    }

private:
    struct Way
    {
        std::int64_t dram = 1, spm = 1, rf = 1, spatial = 1;
        std::int64_t spmExtent = 1; ///< extent of the SPM tile, at most the trip count
    };
    struct Extents
    {
        Factors rf{}, spm{}, spatial{};
    };

    void listWays(std::size_t l)
    {
        const std::int64_t trip = m_nest.trips[l];
        const bool isImperfect = m_asked.architecture.options.imperfect;
        const Reductions& r = m_asked.reductions;
        std::vector<std::int64_t> factors;
        for (std::int64_t n = 1; n <= trip; ++n)
            if (trip % n == 0 || (isImperfect && trip <= kMostTrips))
                factors.push_back(n);
        // If no factor is bounded, tiles of single elements are the smallest, and their factors divide the
        // trip count.
        m_isWhole = m_isWhole && (!isImperfect || trip <= kMostTrips || !r.any());
        const auto allows = [&](Level level, std::int64_t factor) {
            const auto i = static_cast<std::size_t>(level);
            return factor >= r.constraints.least[i][l] && factor <= r.constraints.most[i][l];
        };
        const bool isReduced = (m_nest.operands[kWritten].freeMask >> l & 1U) != 0;
        const bool isFilter = m_loops == kMaxLoops && l >= 5;
        std::vector<Way>& ways = m_ways[l];
        ways.clear();
        for (const std::int64_t rf : factors)
            for (const std::int64_t spatial : factors) {
                if (rf * spatial >= trip + std::max(rf, spatial) || !allows(Level::Rf, rf) ||
                    !allows(Level::Spatial, spatial) || (r.noSpatialReduction && isReduced && spatial > 1))
                    continue;
                for (const std::int64_t spm : factors) {
                    const std::int64_t inner = rf * spatial * spm;
                    if (inner >= trip + rf * std::max(spatial * spm, spatial) || !allows(Level::Spm, spm))
                        continue;
                    const std::int64_t dram = ceilDiv(trip, inner);
                    if (!allows(Level::Dram, dram) || (r.noFilterLoopsAtDram && isFilter && dram > 1) ||
                        !isSplit(l, {dram, spm, rf, spatial, 1}))
                        continue;
                    add(ways, {dram, spm, rf, spatial, std::min(inner, trip)});
                }
            }
    }
    [[nodiscard]] bool isSplit(std::size_t l, const Way& way) const
    {
        const std::int64_t trip = m_nest.trips[l];
        const std::int64_t product = way.dram * way.spm * way.rf * way.spatial;
        if (product == trip)
            return true;
        if (!m_asked.architecture.options.imperfect || product < trip)
            return false;
        Method method = trivialMethod(m_nest);
        put(method, l, way);
        return !checkTight(m_nest, method, static_cast<int>(l));
    }
    static void put(Method& method, std::size_t l, const Way& way)
    {
        method.at(Level::Dram)[l] = way.dram;
        method.at(Level::Spm)[l] = way.spm;
        method.at(Level::Rf)[l] = way.rf;
        method.at(Level::Spatial)[l] = way.spatial;
    }
    /// Adds a split of a loop. If no minimum use is required, ways with smaller tiles on fewer PEs replace
    /// the others.
    void add(std::vector<Way>& ways, const Way& way) const
    {
        const auto isAsGood = [](const Way& a, const Way& b) {
            return a.rf <= b.rf && a.spmExtent <= b.spmExtent && a.spatial <= b.spatial;
        };
        if (!m_isFilling) {
            if (std::ranges::any_of(ways, [&](const Way& w) { return isAsGood(w, way); }))
                return;
            std::erase_if(ways, [&](const Way& w) { return isAsGood(way, w); });
        }
        ways.push_back(way);
    }

    Answer combine(std::size_t l)
    {
        if (++m_steps > kMostSteps)
            return Answer::Unknown;
        if (!isOpen(l))
            return Answer::No;
        if (l == m_loops)
            return isValid() ? Answer::Yes : Answer::No;
        for (const Way& way : m_ways[l]) {
            m_chosen[l] = way;
            if (const Answer answer = combine(l + 1); answer != Answer::No)
                return answer;
        }
        return Answer::No;
    }
    /// True if the splits of the loops before `end` leave enough memory and PEs for the other loops, and the
    /// required minimum use can still be reached.
    [[nodiscard]] bool isOpen(std::size_t end) const
    {
        Extents low = m_least, high = m_most;
        for (std::size_t l = 0; l < end; ++l)
            for (Extents* e : {&low, &high}) {
                e->rf[l] = m_chosen[l].rf;
                e->spm[l] = m_chosen[l].spmExtent;
                e->spatial[l] = m_chosen[l].spatial;
            }
        const Architecture& a = m_asked.architecture;
        const Reductions& r = m_asked.reductions;
        if (m_rooms[0] && product(low.spatial) > a.pes)
            return false;
        if (m_rooms[1] && elements(low.rf) > a.rfElements())
            return false;
        if (m_rooms[2] && banks(low.spm) > a.spmBanks)
            return false;
        return static_cast<double>(product(high.spatial)) >= r.minPeUse * static_cast<double>(a.pes) &&
               static_cast<double>(elements(high.rf)) >= r.minRfUse * static_cast<double>(a.rfElements()) &&
               static_cast<double>(elements(high.spm)) >= r.minSpmUse * static_cast<double>(a.spmElements());
    }
    [[nodiscard]] std::int64_t product(const Factors& f) const
    {
        std::int64_t out = 1;
        for (std::size_t l = 0; l < m_loops; ++l)
            out = saturatingMul(out, f[l]);
        return out;
    }
    [[nodiscard]] std::int64_t elements(const Factors& extents) const
    {
        std::int64_t out = 0;
        for (int op = 0; op < kOperands; ++op)
            out += m_nest.elements(op, extents);
        return out;
    }
    [[nodiscard]] std::int64_t banks(const Factors& extents) const
    {
        const Architecture& a = m_asked.architecture;
        std::int64_t out = 0;
        for (int op = 0; op < kOperands; ++op)
            if (!a.options.bypassSpm[static_cast<std::size_t>(op)])
                out += ceilDiv(m_nest.elements(op, extents) * a.elementBytes, a.spmBankBytes);
        return out;
    }
    [[nodiscard]] bool isValid() const
    {
        Method method = trivialMethod(m_nest);
        for (std::size_t l = 0; l < m_loops; ++l)
            put(method, l, m_chosen[l]);
        return keepsReductions(m_nest, m_asked.architecture, m_asked.reductions, method);
    }

    const LoopNest& m_nest;
    const Asked& m_asked;
    std::array<bool, 3> m_rooms;
    std::size_t m_loops;
    bool m_isFilling = false; ///< true if a minimum use of some resource is required
    bool m_isWhole = true;    ///< true if all splits were tried
    std::array<std::vector<Way>, kMaxLoops> m_ways;
    std::array<Way, kMaxLoops> m_chosen{};
    Extents m_least, m_most; ///< least and largest extents over all splits of a loop
    std::size_t m_steps = 0;
};

class Reason
{
public:
    Reason(const LoopNest& nest, const Architecture& architecture, const Reductions& reductions)
        : m_nest(nest), m_all{architecture, reductions}, m_limits(limitsOf(nest, reductions))
    {
    }

    std::optional<Exclusion> find()
    {
        std::vector<std::size_t> all(m_limits.size());
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = i;
        if (ask(m_all, all) != Answer::No)
            return std::nullopt;
        m_core = smallestExcluding(m_limits.size(), [&](const std::vector<std::size_t>& kept) {
            return ask(m_all, kept) == Answer::No;
        });
        Exclusion out;
        std::vector<std::string> because;
        for (const std::size_t i : m_core) {
            out.limits.push_back(inWords(m_limits[i], all));
            if (std::string text = needText(m_limits[i]); !text.empty())
                because.push_back(std::move(text));
        }
        out.because = because.empty() ? factorsText() : listedWith(because, "and");
        return out;
    }

private:
    using Kind = Limit::Kind;

    [[nodiscard]] Answer ask(const Asked& from, const std::vector<std::size_t>& kept) const
    {
        std::array<bool, 3> rooms;
        const Asked asked = withLimits(m_nest, from, m_limits, kept, rooms);
        return Finder(m_nest, asked, rooms).find();
    }

    /// Returns the size of a resource: PEs, elements of the register file, or banks of the scratchpad.
    static std::int64_t roomOf(const Asked& asked, Kind kind)
    {
        const Architecture& a = asked.architecture;
        return kind == Kind::Pes ? a.pes : kind == Kind::Rf ? a.rfElements() : a.spmBanks;
    }
    static void setRoom(Asked& asked, Kind kind, std::int64_t value)
    {
        Architecture& a = asked.architecture;
        if (kind == Kind::Pes)
            a.pes = value;
        else if (kind == Kind::Rf)
            a.rfBytes = value * a.elementBytes;
        else
            a.spmBanks = value;
    }
    /// Returns the smallest size of the resource, above the present size, with which some method satisfies
    /// these limits.
    [[nodiscard]] std::optional<std::int64_t> enoughRoom(Kind kind,
                                                         const std::vector<std::size_t>& kept) const
    {
        Asked asked = m_all;
        const auto isEnough = [&](std::int64_t value) {
            setRoom(asked, kind, value);
            return ask(asked, kept) == Answer::Yes;
        };
        std::int64_t below = roomOf(m_all, kind), enough = std::max<std::int64_t>(below, 1);
        do {
            if (enough > kUnlimited)
                return std::nullopt;
            enough *= 2;
        } while (!isEnough(enough));
        while (enough - below > 1) {
            const std::int64_t middle = below + (enough - below) / 2;
            (isEnough(middle) ? enough : below) = middle;
        }
        return enough;
    }
    static std::string roomText(Kind kind, std::int64_t value)
    {
        return formatGrouped(value) + (kind == Kind::Pes  ? " PEs"
                                       : kind == Kind::Rf ? " elements in a register file"
                                                          : " scratchpad banks");
    }
    static const char* roomName(Kind kind)
    {
        return kind == Kind::Pes ? "pes" : kind == Kind::Rf ? "rf" : "spm_banks";
    }

    [[nodiscard]] ExcludingLimit inWords(const Limit& limit, const std::vector<std::size_t>& all) const
    {
        ExcludingLimit out;
        const auto useText = [](double share) { return percent(share); };
        const Reductions& r = m_all.reductions;
        switch (limit.kind) {
        case Kind::Pes:
        case Kind::Rf:
        case Kind::Spm:
            out.name = roomName(limit.kind);
            out.value =
                formatGrouped(roomOf(m_all, limit.kind)) + (limit.kind == Kind::Rf ? " elements" : "");
            if (const auto enough = enoughRoom(limit.kind, all))
                out.enough.push_back(roomText(limit.kind, *enough));
            return out;
        case Kind::Least:
        case Kind::Most:
            return factorLimit(limit, all);
        case Kind::PeUse:
            out = {"min_pe_use", useText(r.minPeUse), {}};
            break;
        case Kind::RfUse:
            out = {"min_rf_use", useText(r.minRfUse), {}};
            break;
        case Kind::SpmUse:
            out = {"min_spm_use", useText(r.minSpmUse), {}};
            break;
        case Kind::NoSpatialReduction:
            out.name = "no_spatial_reduction";
            break;
        case Kind::NoFilterLoops:
            out.name = "no_filter_loops_at_dram";
            break;
        }
        std::vector<std::size_t> others = all;
        std::erase_if(others, [&](std::size_t i) { return &m_limits[i] == &limit; });
        if (ask(m_all, others) == Answer::Yes)
            out.enough.push_back("no " + out.name);
        return out;
    }

    /// Describes the bound of a factor, and the closest bound with which some method is valid.
    [[nodiscard]] ExcludingLimit factorLimit(const Limit& limit, const std::vector<std::size_t>& all) const
    {
        const bool isLeast = limit.kind == Kind::Least;
        const auto bound = [&](Asked& asked) -> std::int64_t& {
            Constraints& c = asked.reductions.constraints;
            return isLeast ? c.least[limit.level][limit.loop] : c.most[limit.level][limit.loop];
        };
        Asked asked = m_all;
        const std::int64_t present = bound(asked);
        const std::string name = std::string(levelName(static_cast<Level>(limit.level))) + "." +
                                 std::string(m_nest.loopNames[limit.loop]);
        const std::string sign = isLeast ? ">= " : "<= ";
        ExcludingLimit out{name, sign + formatGrouped(present), {}};
        std::vector<std::int64_t> others;
        for (std::int64_t n = 1; n <= m_nest.trips[limit.loop]; ++n)
            if ((isLeast ? n < present : n > present) &&
                (m_all.architecture.options.imperfect || m_nest.trips[limit.loop] % n == 0))
                others.push_back(n);
        constexpr std::size_t kMostTried = 64;
        if (isLeast)
            std::ranges::reverse(others);
        if (others.size() > kMostTried)
            others.resize(kMostTried);
        for (const std::int64_t n : others) {
            bound(asked) = n;
            if (ask(asked, all) == Answer::Yes) {
                out.enough.push_back(std::string(name).append(" ").append(sign).append(formatGrouped(n)));
                break;
            }
        }
        return out;
    }

    /// Text of the size of a resource that the other limits of the set require.
    [[nodiscard]] std::string needText(const Limit& limit) const
    {
        if (limit.kind > Kind::Spm)
            return {};
        const auto need = enoughRoom(limit.kind, m_core);
        if (!need)
            return {};
        const char* what = limit.kind == Kind::Pes  ? "the spatial factors take"
                           : limit.kind == Kind::Rf ? "the data of one PE takes"
                                                    : "the smallest tile takes";
        return std::string(what) + " at least " + roomText(limit.kind, *need);
    }
    [[nodiscard]] std::string factorsText() const
    {
        std::size_t loop = kMaxLoops;
        for (const std::size_t i : m_core) {
            const Limit& limit = m_limits[i];
            if ((limit.kind != Kind::Least && limit.kind != Kind::Most) ||
                (loop < kMaxLoops && loop != limit.loop))
                return "no factors keep them";
            loop = limit.loop;
        }
        return "no factors of loop " + std::string(m_nest.loopNames[loop]) +
               (m_all.architecture.options.imperfect ? " cover" : " multiply to") + " its trip count " +
               formatGrouped(m_nest.trips[loop]);
    }

    const LoopNest& m_nest;
    Asked m_all;
    std::vector<Limit> m_limits;
    std::vector<std::size_t> m_core;
};

} // namespace

std::optional<Exclusion> whyNoMethod(const LoopNest& nest, const Architecture& architecture,
                                     const Reductions& reductions)
{
    return Reason(nest, architecture, reductions).find();
}

std::string noMethodText(const LoopNest& nest, const Architecture& architecture, const SearchResult& result)
{
    if (const auto why = whyNoMethod(nest, architecture, result.reductions))
        return why->sentence("valid method");
    return result.proven ? "no valid method exists" : "no valid method was found";
}

} // namespace tilewright::mapping
