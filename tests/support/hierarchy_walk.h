// SPDX-License-Identifier: GPL-3.0-or-later
// The rules of docs/rules/hierarchy.md 2 to 5 and 11 iteration by iteration, element by element.
#pragma once

#include "hierarchy/evaluate.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::hierarchy {

/// Executes a mapping: walks the temporal loops outside a level step by step, keeps what each instance holds
/// as sets of elements, and counts every element that moves.
class HierarchyWalk
{
public:
    HierarchyWalk(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping)
        : m_nest(nest), m_architecture(architecture), m_mapping(mapping)
    {
        listLoops();
        check();
        if (code == "TILING")
            return;
        levels.resize(architecture.levels.size());
        for (std::size_t op = 0; op < kOperands; ++op)
            for (std::size_t inner = 1; inner <= levels.size(); ++inner)
                if (inner == levels.size() || architecture.levels[inner].holds[op])
                    exchange(op, holderOutside(op, inner), inner);
        price();
    }

    std::string code; ///< of the first violation; empty for a valid mapping
    int faultyLoop = -1, faultyLevel = -1;
    std::vector<std::array<Traffic, kOperands>> levels;
    double energy = 0, cycles = 0;

private:
    struct Loop
    {
        std::size_t loop = 0;
        std::int64_t factor = 1;
        std::int64_t step = 1; ///< iterations of the layer's loop by one step of this one
        std::size_t level = 0;
        bool temporal = true;
    };
    using Loops = std::vector<Loop>;
    using Point = std::array<std::int64_t, kMaxLoops>; ///< iteration of the layer
    using Elements = std::vector<std::int64_t>;        ///< each element as one number

    void listLoops()
    {
        for (std::size_t i = 0; i < m_mapping.levels.size(); ++i) {
            for (const TiledLoop& t : m_mapping.levels[i].temporal)
                m_loops.push_back({static_cast<std::size_t>(t.loop), t.factor, 1, i, true});
            std::vector<std::string> names; // in the order of the architecture
            for (const Axis& axis : m_architecture.levels[i].axes)
                names.push_back(axis.name);
            for (const AxisLoops& axis : m_mapping.levels[i].spatial)
                if (std::ranges::find(names, axis.axis) == names.end())
                    names.push_back(axis.axis);
            for (const std::string& name : names)
                for (const AxisLoops& axis : m_mapping.levels[i].spatial)
                    for (const TiledLoop& t : axis.loops)
                        if (axis.axis == name)
                            m_loops.push_back({static_cast<std::size_t>(t.loop), t.factor, 1, i, false});
        }
        Point inside;
        inside.fill(1);
        for (std::size_t i = m_loops.size(); i-- > 0;) {
            m_loops[i].step = inside[m_loops[i].loop];
            inside[m_loops[i].loop] *= m_loops[i].factor;
        }
        m_products = inside;
    }

    void check()
    {
        for (std::size_t l = 0; l < static_cast<std::size_t>(m_nest.loopCount); ++l)
            if (!multiplies(l) && code.empty()) {
                code = "TILING";
                faultyLoop = static_cast<int>(l);
            }
        for (std::size_t i = 0; i < m_architecture.levels.size() && code.empty(); ++i)
            for (const AxisLoops& used : m_mapping.levels[i].spatial)
                if (!axisTakes(m_architecture.levels[i], used))
                    fault("SPATIAL", i);
        for (std::size_t i = 0; i < m_architecture.levels.size() && code.empty(); ++i)
            if (!holdsTiles(i))
                fault("CAPACITY", i);
    }

    /// Whether the factors of the loop are right.
    [[nodiscard]] bool multiplies(std::size_t l) const
    {
        if (!m_architecture.imperfect)
            return m_products[l] == m_nest.trips[l];
        for (const Loop& loop : m_loops)
            if (loop.loop == l && (loop.factor - 1) * loop.step >= m_nest.trips[l])
                return false; // the last step never begins
        return m_products[l] >= m_nest.trips[l];
    }

    /// Whether the iteration is one of the layer.
    [[nodiscard]] bool exists(const Point& point) const
    {
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            if (point[l] >= m_nest.trips[l])
                return false;
        return true;
    }

    void fault(const char* what, std::size_t level)
    {
        code = what;
        faultyLevel = static_cast<int>(level);
    }

    [[nodiscard]] bool axisTakes(const Level& level, const AxisLoops& used) const
    {
        for (const Axis& axis : level.axes) {
            if (axis.name != used.axis)
                continue;
            std::int64_t product = 1;
            for (const TiledLoop& t : used.loops) {
                product *= t.factor;
                if (t.factor > 1 && !axis.allows(m_nest.kind, t.loop))
                    return false;
            }
            return product <= axis.size;
        }
        return false;
    }

    [[nodiscard]] bool holdsTiles(std::size_t i) const
    {
        const Level& level = m_architecture.levels[i];
        std::int64_t sum = 0;
        for (std::size_t op = 0; op < kOperands; ++op) {
            if (!level.holds[op])
                continue;
            std::int64_t bits = static_cast<std::int64_t>(tileAt(op, i, {}).size());
            bits *= op == 2 && i > 0 ? m_architecture.accumulatorBits : m_architecture.bits[op];
            if (level.doubleBuffered ? *level.doubleBuffered : i > 0 && i + 1 < m_architecture.levels.size())
                bits *= 2;
            if (level.memories && bits > 8 * (*level.memories)[op])
                return false;
            sum += bits;
        }
        return level.memories || !level.bytes || sum <= 8 * *level.bytes;
    }

    [[nodiscard]] std::size_t holderOutside(std::size_t op, std::size_t inner) const
    {
        std::size_t out = inner - 1;
        while (!m_architecture.levels[out].holds[op])
            --out;
        return out;
    }

    [[nodiscard]] bool indexes(std::size_t loop, std::size_t op) const
    {
        return (m_nest.operands[op].indexMask >> loop & 1u) != 0;
    }

    /// Calls `visit` with the indices of every iteration of `loops`, the last one innermost.
    template <typename Visit> static void forEachIndex(const Loops& loops, const Visit& visit)
    {
        std::vector<std::int64_t> at(loops.size(), 0);
        for (;;) {
            visit(at);
            std::size_t i = loops.size();
            while (i > 0 && ++at[i - 1] == loops[i - 1].factor)
                at[--i] = 0;
            if (i == 0)
                return;
        }
    }

    static void move(Point& point, const Loops& loops, const std::vector<std::int64_t>& at)
    {
        for (std::size_t i = 0; i < loops.size(); ++i)
            point[loops[i].loop] += at[i] * loops[i].step;
    }

    /// Elements of the tile of level `inner` whose first iteration is `base`: a box around all it touches.
    [[nodiscard]] Elements tileAt(std::size_t op, std::size_t inner, const Point& base) const
    {
        Point last = base;
        for (const Loop& loop : m_loops)
            if (loop.level >= inner)
                last[loop.loop] += (loop.factor - 1) * loop.step;
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            last[l] = std::min(last[l], m_nest.trips[l] - 1);
        const mapping::Operand& operand = m_nest.operands[op];
        Elements out{0};
        for (int i = 0; i < operand.dimensionCount; ++i) {
            const mapping::Dimension& d = operand.dimensions[static_cast<std::size_t>(i)];
            const auto place = [&](const Point& p) {
                const std::int64_t at = p[static_cast<std::size_t>(d.loop)];
                return d.filterLoop < 0
                           ? at
                           : at * d.stride + p[static_cast<std::size_t>(d.filterLoop)] * d.dilation;
            };
            Elements wider;
            for (const std::int64_t element : out)
                for (std::int64_t x = place(base); x <= place(last); ++x)
                    wider.push_back(element * d.stored + x);
            out = std::move(wider);
        }
        return out;
    }

    static std::int64_t distinct(Elements elements)
    {
        std::ranges::sort(elements);
        return std::unique(elements.begin(), elements.end()) - elements.begin();
    }

    struct Moved
    {
        double outerReads = 0, outerWrites = 0, innerReads = 0, innerWrites = 0; ///< bits
    };

    /// Everything that an operand does between two levels.
    void exchange(std::size_t op, std::size_t outer, std::size_t inner)
    {
        Loops times, places, between;
        for (const Loop& loop : m_loops) {
            if (loop.level >= inner)
                continue;
            if (loop.temporal)
                times.push_back(loop);
            else
                (loop.level < outer ? places : between).push_back(loop);
        }
        std::int64_t needed = 1;
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            needed *= indexes(l, op) ? 1 : m_nest.trips[l];
        std::size_t kept = times.size(); // loops of which each step is another visit
        while (inner < levels.size() && kept > 0 &&
               (times[kept - 1].factor == 1 || !indexes(times[kept - 1].loop, op)))
            --kept;
        std::vector<std::int64_t> now; // the present visit
        std::vector<Point> steps;      // first iterations of its steps
        std::set<std::vector<std::int64_t>> seen;
        std::map<std::pair<std::vector<std::int64_t>, std::int64_t>, std::int64_t> sums;
        Moved moved;
        const auto end = [&] {
            if (!steps.empty() && op == kWritten)
                forEachIndex(places, [&](const std::vector<std::int64_t>& place) {
                    send(moved, outer, inner, between, steps, places, place,
                         [&](std::int64_t element, std::int64_t products) {
                             std::int64_t& sum = sums[{place, element}];
                             sum += products;
                             return sum == needed;
                         });
                });
        };
        forEachIndex(times, [&](const std::vector<std::int64_t>& time) {
            Point start{};
            move(start, times, time);
            if (!exists(start))
                return;
            std::vector<std::int64_t> tile; // which one is there, as the indices of the loops that select it
            for (std::size_t i = 0; i < times.size(); ++i)
                if (indexes(times[i].loop, op))
                    tile.push_back(time[i]);
            std::vector<std::int64_t> visit(time.begin(), time.begin() + static_cast<std::ptrdiff_t>(kept));
            if (!steps.empty() && visit == now) {
                steps.push_back(start);
                return;
            }
            end();
            const bool again = !seen.insert(tile).second;
            now = std::move(visit);
            steps = {start};
            forEachIndex(places, [&](const std::vector<std::int64_t>& place) {
                Point base = start;
                move(base, places, place);
                if (!exists(base))
                    return;
                if (op != kWritten)
                    fetch(moved, op, outer, inner, between, base);
                else if (again)
                    bringBack(moved, outer, inner, between, base);
            });
        });
        end();
        wait(op, outer, inner, moved);
    }

    void fetch(Moved& moved, std::size_t op, std::size_t outer, std::size_t inner, const Loops& between,
               const Point& base)
    {
        std::map<std::vector<std::int64_t>, Elements> reads; // by the indices that multicast does not cover
        std::int64_t writes = 0;
        forEachIndex(between, [&](const std::vector<std::int64_t>& at) {
            std::vector<std::int64_t> own;
            for (std::size_t i = 0; i < between.size(); ++i)
                if (!m_architecture.levels[between[i].level].multicast)
                    own.push_back(at[i]);
            Point point = base;
            move(point, between, at);
            if (!exists(point))
                return;
            const Elements tile = tileAt(op, inner, point);
            writes += static_cast<std::int64_t>(tile.size());
            Elements& read = reads[own];
            read.insert(read.end(), tile.begin(), tile.end());
        });
        const auto bits = static_cast<double>(m_architecture.bits[op]);
        for (const auto& [own, elements] : reads) {
            const std::int64_t count = distinct(elements);
            levels[outer][op].reads += count;
            moved.outerReads += static_cast<double>(count) * bits;
        }
        if (inner < levels.size())
            levels[inner][op].writes += writes;
        moved.innerWrites += static_cast<double>(writes) * bits;
    }

    void bringBack(Moved& moved, std::size_t outer, std::size_t inner, const Loops& between,
                   const Point& base)
    {
        Elements elements;
        forEachIndex(between, [&](const std::vector<std::int64_t>& at) {
            Point point = base;
            move(point, between, at);
            if (!exists(point))
                return;
            const Elements tile = tileAt(kWritten, inner, point);
            elements.insert(elements.end(), tile.begin(), tile.end());
        });
        const std::int64_t count = distinct(elements);
        levels[outer][kWritten].reads += count;
        if (inner < levels.size())
            levels[inner][kWritten].writes += count;
        moved.outerReads += static_cast<double>(count * m_architecture.accumulatorBits);
        moved.innerWrites += static_cast<double>(count * m_architecture.accumulatorBits);
    }

    /// Products that are added to each element of the tile of level `inner` in the step that begins there.
    [[nodiscard]] std::int64_t productsOf(std::size_t inner, const Point& base) const
    {
        Point size;
        size.fill(1);
        for (const Loop& loop : m_loops)
            if (loop.level >= inner)
                size[loop.loop] *= loop.factor;
        std::int64_t out = 1;
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            if (!indexes(l, kWritten))
                out *= std::clamp<std::int64_t>(m_nest.trips[l] - base[l], 0, size[l]);
        return out;
    }

    /// The end of a visit. `complete` adds what the senders of an element have computed to its sum, and says
    /// whether that is all.
    template <typename Complete>
    void send(Moved& moved, std::size_t outer, std::size_t inner, const Loops& between,
              const std::vector<Point>& steps, const Loops& places, const std::vector<std::int64_t>& place,
              const Complete& complete)
    {
        struct Sum
        {
            std::int64_t senders = 0, products = 0;
            std::set<std::vector<std::int64_t>> arriving; ///< what the trees do not join
        };
        std::map<std::int64_t, Sum> sums;
        forEachIndex(between, [&](const std::vector<std::int64_t>& at) {
            std::vector<std::int64_t> own;
            for (std::size_t i = 0; i < between.size(); ++i)
                if (!indexes(between[i].loop, kWritten) &&
                    !m_architecture.levels[between[i].level].reductionTree)
                    own.push_back(at[i]);
            std::int64_t products = 0;
            for (Point point : steps) {
                move(point, places, place);
                move(point, between, at);
                products += productsOf(inner, point);
            }
            Point point = steps.front();
            move(point, places, place);
            move(point, between, at);
            if (!exists(point))
                return;
            for (const std::int64_t element : tileAt(kWritten, inner, point)) {
                Sum& sum = sums[element];
                ++sum.senders;
                sum.products += products;
                sum.arriving.insert(own);
            }
        });
        std::int64_t partial = 1; // instances that may have a part of the same sum
        for (const Loop& loop : between)
            partial *= indexes(loop.loop, kWritten) ? 1 : loop.factor;
        const double wide = static_cast<double>(m_architecture.accumulatorBits);
        const double own = static_cast<double>(m_architecture.bits[kWritten]);
        Traffic& out = levels[outer][kWritten];
        for (const auto& [element, sum] : sums) {
            const bool done = complete(element, sum.products);
            const auto arriving = static_cast<std::int64_t>(sum.arriving.size());
            out.writes += arriving;
            out.reads += arriving - 1;
            out.readBits += static_cast<double>(arriving - 1) * wide;
            moved.outerWrites += static_cast<double>(arriving - 1) * wide + (done ? own : wide);
            if (inner < levels.size())
                levels[inner][kWritten].reads += sum.senders;
            moved.innerReads += done && partial == 1 ? own : static_cast<double>(sum.senders) * wide;
        }
    }

    [[nodiscard]] double time(std::size_t level, double bits, const std::optional<double>& width) const
    {
        double instances = 1;
        for (const Loop& loop : m_loops)
            if (!loop.temporal && loop.level < level)
                instances *= static_cast<double>(loop.factor);
        return width ? bits / 8 / instances / *width : 0;
    }

    void wait(std::size_t op, std::size_t outer, std::size_t inner, const Moved& moved)
    {
        levels[outer][op].readBits += moved.outerReads;
        levels[outer][op].writeBits += moved.outerWrites;
        if (inner == levels.size())
            return;
        levels[inner][op].readBits += moved.innerReads;
        levels[inner][op].writeBits += moved.innerWrites;
        const Level& p = m_architecture.levels[outer];
        const Level& c = m_architecture.levels[inner];
        if (inner + 1 < levels.size() && c.doubleBuffered && !*c.doubleBuffered)
            m_waiting += std::max(time(inner, moved.innerWrites, c.writeBytesPerCycle),
                                  time(outer, moved.outerReads, p.readBytesPerCycle)) +
                         std::max(time(inner, moved.innerReads, c.readBytesPerCycle),
                                  time(outer, moved.outerWrites, p.writeBytesPerCycle));
    }

    void price()
    {
        energy = m_architecture.macPj;
        for (const std::int64_t trips : m_nest.trips)
            energy *= static_cast<double>(trips);
        Loops times;
        for (const Loop& loop : m_loops)
            if (loop.temporal)
                times.push_back(loop);
        cycles = 0;
        forEachIndex(times, [&](const std::vector<std::int64_t>& time) {
            Point point{};
            move(point, times, time);
            cycles += exists(point);
        });
        for (std::size_t i = 0; i < levels.size(); ++i) {
            const Level& level = m_architecture.levels[i];
            double reads = 0, writes = 0;
            for (const Traffic& t : levels[i]) {
                reads += t.readBits;
                writes += t.writeBits;
            }
            energy += reads * level.readPj + writes * level.writePj;
            cycles = std::max(
                {cycles, time(i, reads, level.readBytesPerCycle), time(i, writes, level.writeBytesPerCycle)});
        }
        cycles += m_waiting;
    }

    const LoopNest& m_nest;
    const Architecture& m_architecture;
    const Mapping& m_mapping;
    Loops m_loops; ///< of all levels, from the outermost inwards
    Point m_products{};
    double m_waiting = 0;
};

} // namespace tilewright::hierarchy
