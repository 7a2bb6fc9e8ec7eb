// SPDX-License-Identifier: GPL-3.0-or-later
#include "hierarchy/imperfect.h"

#include "base/integer.h"

#include <algorithm>
#include <utility>

namespace tilewright::hierarchy {

namespace {

/// Calls `visit(tiled, level, isTemporal)` for every loop of a mapping from the outermost inwards: per level
/// the temporal loops, then the loops on its axes in the architecture's order.
template <typename Levels, typename Visit>
void forEachLoop(const Architecture& architecture, Levels& levels, const Visit& visit)
{
    for (std::size_t i = 0; i < levels.size(); ++i) {
        for (auto& tiled : levels[i].temporal)
            visit(tiled, i, true);
        for (const Axis& axis : architecture.levels[i].axes)
            for (auto& used : levels[i].spatial)
                if (used.axis == axis.name)
                    for (auto& tiled : used.loops)
                        visit(tiled, i, false);
        for (auto& used : levels[i].spatial) // loops on axes that the level does not have
            if (std::ranges::find(architecture.levels[i].axes, used.axis, &Axis::name) ==
                architecture.levels[i].axes.end())
                for (auto& tiled : used.loops)
                    visit(tiled, i, false);
    }
}

bool indexes(const LoopNest& nest, std::size_t operand, std::size_t loop)
{
    return (nest.operands[operand].indexMask >> loop & 1u) != 0;
}

} // namespace

Steps stepsOf(const Architecture& architecture, const Mapping& mapping)
{
    Steps out;
    std::size_t order = 0;
    forEachLoop(architecture, mapping.levels,
                [&](const TiledLoop& tiled, std::size_t level, bool isTemporal) {
                    out[static_cast<std::size_t>(tiled.loop)].push_back(
                        {tiled.factor, 1, level, isTemporal, order++});
                });
    for (StepList& steps : out) {
        std::int64_t inside = 1;
        for (std::size_t i = steps.size(); i-- > 0;) {
            steps[i].size = inside;
            inside = saturatingMul(inside, steps[i].factor);
        }
    }
    return out;
}

ImperfectCounter::ImperfectCounter(const LoopNest& nest, const Architecture& architecture,
                                   const Mapping& mapping)
    : m_nest(nest), m_architecture(architecture), m_steps(stepsOf(architecture, mapping))
{
}

std::int64_t ImperfectCounter::compute() const
{
    std::int64_t out = 1;
    for (std::size_t l = 0; l < kMaxLoops; ++l)
        out *= countSteps(m_steps[l], m_nest.trips[l], [](const Step& step) { return step.temporal; });
    return out;
}

ImperfectCounter::Exchanged ImperfectCounter::exchanged(std::size_t operand, std::size_t outer,
                                                        std::size_t inner) const
{
    Exchanged out{outer, inner, 0};
    const bool isMacs = inner == m_architecture.levels.size();
    for (std::size_t l = 0; l < kMaxLoops; ++l)
        for (const Step& step : m_steps[l])
            if (step.temporal && step.level < inner && step.factor > 1 &&
                (isMacs || indexes(m_nest, operand, l)))
                out.lastChange = std::max(out.lastChange, step.order + 1);
    return out;
}

ImperfectCounter::Part ImperfectCounter::partOf(const Step& step, const Exchanged& e) noexcept
{
    if (step.level >= e.inner)
        return Part::Inside;
    if (step.temporal)
        return step.order < e.lastChange ? Part::Kept : Part::Dropped;
    return step.level < e.outer ? Part::Place : Part::Between;
}

/// True if one read of the outer level can serve all instances along the step.
bool ImperfectCounter::isShared(const Step& step, const Exchanged& e) const noexcept
{
    return partOf(step, e) == Part::Between && m_architecture.levels[step.level].multicast;
}

/// Groups of tiles along a loop that one read serves, with the number of times that each group occurs. If
/// `together` is false, each tile is a group.
std::vector<ImperfectCounter::Group> ImperfectCounter::groups(std::size_t loop, const Exchanged& e,
                                                              bool together) const
{
    // One step outside the tile, and its position in the last iteration of the loop. A tile is cut off if it
    // contains the last iteration; later tiles do not exist.
    struct Digit
    {
        std::int64_t factor, size, last;
        bool own;
    };
    std::vector<Digit> digits;
    std::int64_t rest = m_nest.trips[loop] - 1, full = 1;
    for (const Step& step : m_steps[loop]) {
        const Part part = partOf(step, e);
        if (part == Part::Inside) {
            full = saturatingMul(full, step.factor);
            continue;
        }
        digits.push_back({step.factor, step.size, rest / step.size, !(together && isShared(step, e))});
        rest %= step.size;
    }
    const std::int64_t cut = rest + 1;
    const auto group = [&](std::size_t differs, int sign, std::int64_t count) {
        Group out{count, {}};
        // Visits all combinations of the shared digits. `tight`: all digits so far equal those of the last
        // iteration.
        const auto walk = [&](const auto& self, std::size_t i, std::int64_t start, bool tight) -> void {
            if (i == digits.size()) {
                out.tiles.push_back({start, tight ? cut : full});
                return;
            }
            const Digit& d = digits[i];
            if (d.own) {
                // After `differs`, digits are not limited by the last iteration.
                const int order = i == differs ? sign : 0;
                if (!tight || order <= 0)
                    self(self, i + 1, start, tight && order == 0);
                return;
            }
            for (std::int64_t at = 0; at < d.factor && (!tight || at <= d.last); ++at)
                self(self, i + 1, start + at * d.size, tight && at == d.last);
        };
        walk(walk, 0, 0, true);
        return out;
    };
    std::vector<Group> out;
    std::int64_t inside = 1; // number of combinations of the remaining own digits
    for (std::size_t i = digits.size(); i-- > 0;) {
        if (!digits[i].own)
            continue;
        // The earlier own digits equal those of the last iteration; this digit is smaller or larger.
        if (digits[i].last > 0)
            out.push_back(group(i, -1, digits[i].last * inside));
        if (const std::int64_t above = digits[i].factor - 1 - digits[i].last; above > 0)
            out.push_back(group(i, 1, above * inside));
        inside *= digits[i].factor;
    }
    out.push_back(group(digits.size(), 0, 1));
    std::erase_if(out, [](const Group& g) { return g.tiles.empty(); });
    return out;
}

/// Number of elements along a dimension, summed over all reads.
std::int64_t ImperfectCounter::summedSpans(const mapping::Dimension& d, const Exchanged& e,
                                           bool together) const
{
    const auto loop = static_cast<std::size_t>(d.loop);
    if (d.filterLoop < 0)
        return m_nest.trips[loop]; // the tiles do not overlap
    const std::vector<Group> outputs = groups(loop, e, together);
    const std::vector<Group> filters = groups(static_cast<std::size_t>(d.filterLoop), e, together);
    std::int64_t out = 0;
    std::vector<Group::Tile> spans;
    for (const Group& o : outputs)
        for (const Group& f : filters) {
            spans.clear();
            for (const Group::Tile& a : o.tiles)
                for (const Group::Tile& b : f.tiles)
                    spans.push_back({a.start * d.stride + b.start * d.dilation,
                                     (a.length - 1) * d.stride + (b.length - 1) * d.dilation + 1});
            if (spans.size() > 1)
                std::ranges::sort(spans, {}, &Group::Tile::start);
            std::int64_t covered = 0, end = spans.front().start;
            for (const Group::Tile& span : spans) {
                const std::int64_t stop = span.start + span.length;
                covered += std::max<std::int64_t>(0, stop - std::max(end, span.start));
                end = std::max(end, stop);
            }
            out += o.count * f.count * covered;
        }
    return out;
}

/// Number of elements in all tiles of a read operand, each tile counted as often as it is read.
std::int64_t ImperfectCounter::summed(std::size_t operand, const Exchanged& e, bool together) const
{
    std::int64_t out = 1;
    for (std::size_t l = 0; l < kMaxLoops; ++l)
        if (!indexes(m_nest, operand, l))
            out *= countSteps(m_steps[l], m_nest.trips[l], [&](const Step& step) {
                const Part part = partOf(step, e);
                return part != Part::Inside && part != Part::Dropped && !(together && isShared(step, e));
            });
    const mapping::Operand& o = m_nest.operands[operand];
    for (int i = 0; i < o.dimensionCount; ++i)
        out *= summedSpans(o.dimensions[static_cast<std::size_t>(i)], e, together);
    return out;
}

ReadCounts ImperfectCounter::read(std::size_t operand, std::size_t outer, std::size_t inner) const
{
    const Exchanged e = exchanged(operand, outer, inner);
    return {summed(operand, e, true), summed(operand, e, false)};
}

WrittenCounts ImperfectCounter::written(std::size_t outer, std::size_t inner) const
{
    const Exchanged e = exchanged(mapping::kWritten, outer, inner);
    WrittenCounts out{1, 1, 1, 1};
    for (std::size_t l = 0; l < kMaxLoops; ++l) {
        const std::int64_t trips = m_nest.trips[l];
        if (indexes(m_nest, mapping::kWritten, l)) {
            for (std::int64_t* count : {&out.sent, &out.arriving, &out.visited, &out.first})
                *count *= trips;
            continue;
        }
        const auto count = [&](const auto& ofPart) {
            return countSteps(m_steps[l], trips,
                              [&](const Step& step) { return ofPart(partOf(step, e), step); });
        };
        const auto inVisit = [](Part part) { return part == Part::Kept || part == Part::Place; };
        out.sent *= count([&](Part part, const Step&) { return inVisit(part) || part == Part::Between; });
        out.arriving *= count([&](Part part, const Step& step) {
            return inVisit(part) ||
                   (part == Part::Between && !m_architecture.levels[step.level].reductionTree);
        });
        out.visited *= count([&](Part part, const Step&) { return inVisit(part); });
        out.first *= count([](Part part, const Step&) { return part == Part::Place; });
    }
    return out;
}

std::optional<FactorFault> imperfectFault(const LoopNest& nest, const Architecture& architecture,
                                          const Mapping& mapping)
{
    const Steps steps = stepsOf(architecture, mapping);
    for (int l = 0; l < nest.loopCount; ++l) {
        const auto i = static_cast<std::size_t>(l);
        const std::int64_t trips = nest.trips[i];
        std::string fault = "loop " + std::string(nest.loopNames[i]) + ": ";
        std::int64_t reach = 1;
        for (auto step = steps[i].rbegin(); step != steps[i].rend(); ++step) {
            const std::int64_t enough = ceilDiv(trips, step->size);
            if (step->factor > enough) {
                fault.append("the factor ").append(std::to_string(step->factor));
                fault.append(" at ").append(architecture.levels[step->level].name);
                fault.append(" is larger than needed, ").append(std::to_string(enough));
                fault.append(enough == 1 ? " covers" : " cover").append(" the trip count ");
                return FactorFault{l, fault + std::to_string(trips)};
            }
            reach = saturatingMul(reach, step->factor);
        }
        if (reach >= trips)
            continue;
        if (steps[i].empty())
            fault.append("no level has it, but its trip count is ");
        else
            fault.append("the factors multiply to ")
                .append(std::to_string(reach))
                .append(", less than the trip count ");
        return FactorFault{l, fault + std::to_string(trips)};
    }
    return std::nullopt;
}

Mapping residuesOf(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping)
{
    Mapping out = mapping;
    Factors inside{1, 1, 1, 1, 1, 1, 1};
    std::vector<TiledLoop*> loops;
    forEachLoop(architecture, out.levels,
                [&](TiledLoop& tiled, std::size_t, bool) { loops.push_back(&tiled); });
    for (std::size_t i = loops.size(); i-- > 0;) {
        std::int64_t& step = inside[static_cast<std::size_t>(loops[i]->loop)];
        const std::int64_t last = (nest.trips[static_cast<std::size_t>(loops[i]->loop)] - 1) / step;
        step *= loops[i]->factor;
        loops[i]->factor = last % loops[i]->factor + 1;
    }
    return out;
}

Mapping tightened(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping)
{
    Mapping out = mapping;
    Factors inside{1, 1, 1, 1, 1, 1, 1};
    std::vector<TiledLoop*> loops;
    forEachLoop(architecture, out.levels,
                [&](TiledLoop& tiled, std::size_t, bool) { loops.push_back(&tiled); });
    for (std::size_t i = loops.size(); i-- > 0;) {
        const auto l = static_cast<std::size_t>(loops[i]->loop);
        loops[i]->factor = std::min(loops[i]->factor, ceilDiv(nest.trips[l], inside[l]));
        inside[l] *= loops[i]->factor;
    }
    std::vector<TiledLoop>& outermost = out.levels.front().temporal;
    for (int l = nest.loopCount; l-- > 0;) {
        const auto i = static_cast<std::size_t>(l);
        if (inside[i] >= nest.trips[i])
            continue;
        const auto same = std::ranges::find(outermost, l, &TiledLoop::loop);
        if (same == outermost.end())
            outermost.insert(outermost.begin(), TiledLoop{l, ceilDiv(nest.trips[i], inside[i])});
        else
            same->factor = ceilDiv(nest.trips[i], inside[i] / same->factor);
    }
    for (LevelLoops& level : out.levels) {
        const auto isOne = [](const TiledLoop& tiled) { return tiled.factor == 1; };
        std::erase_if(level.temporal, isOne);
        for (AxisLoops& axis : level.spatial)
            std::erase_if(axis.loops, isOne);
    }
    return out;
}

} // namespace tilewright::hierarchy
