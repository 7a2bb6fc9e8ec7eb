// SPDX-License-Identifier: GPL-3.0-or-later
// Drawn layers, architectures and mappings with any number of levels.
#pragma once

#include "hierarchy/constraints.h"
#include "hierarchy/evaluate.h"
#include "hierarchy/imperfect.h"

#include <algorithm>
#include <random>
#include <string>

namespace tilewright::hierarchy {

/// Draws small cases; the same for the same seed.
class HierarchyDraw
{
public:
    explicit HierarchyDraw(unsigned seed) : m_random(seed) {}

    /// A layer of at most `macs` multiplications.
    mapping::Layer layer(std::int64_t macs)
    {
        for (;;) {
            mapping::Layer out;
            out.kind = static_cast<mapping::LayerKind>(below(3));
            if (out.kind == mapping::LayerKind::Gemm) {
                out.m = from(1, 8);
                out.n = from(1, 8);
                out.k = from(1, 8);
            } else {
                out.batch = from(1, 2);
                out.inChannels = from(1, 4);
                out.outChannels = out.kind == mapping::LayerKind::DwConv ? out.inChannels : from(1, 4);
                out.kernel = {from(1, 4), from(1, 4)};
                out.stride = {from(1, 3), from(1, 3)};
                out.dilation = {chance(4) ? 2 : 1, chance(4) ? 3 : 1};
                const auto size = [&](std::size_t i) {
                    return (from(1, 4) - 1) * out.stride[i] + (out.kernel[i] - 1) * out.dilation[i] + 1;
                };
                out.height = size(0);
                out.width = size(1);
            }
            if (mapping::makeNest(out).value().macs <= macs)
                return out;
        }
    }

    /// One to `levels` levels; `roomy`: without capacities.
    Architecture architecture(std::size_t levels, bool roomy)
    {
        Architecture out;
        out.bits = {oneOf({4, 8, 16}), oneOf({4, 8, 16}), oneOf({4, 8, 16})};
        out.accumulatorBits = oneOf({8, 16, 32});
        out.macPj = eighths(2);
        out.levels.resize(1 + below(levels));
        for (std::size_t i = 0; i < out.levels.size(); ++i)
            out.levels[i] = level(i, roomy);
        return out;
    }

    /// Factors that multiply to the trip counts, in any order, on axes that allow them; `faults`: one case in
    /// ten breaks a rule on purpose.
    Mapping mapping(const LoopNest& nest, const Architecture& architecture, bool faults)
    {
        Mapping out;
        out.levels.resize(architecture.levels.size());
        for (std::size_t i = 0; i < out.levels.size(); ++i)
            for (const Axis& axis : architecture.levels[i].axes)
                if (chance(2))
                    out.levels[i].spatial.push_back({axis.name, {}});
        for (int l = 0; l < nest.loopCount; ++l)
            for (std::int64_t left = nest.trips[static_cast<std::size_t>(l)]; left > 1;) {
                std::int64_t prime = 2;
                while (left % prime != 0)
                    ++prime;
                left /= prime;
                place(nest, architecture, out, {l, prime});
            }
        for (LevelLoops& level : out.levels) {
            if (chance(3))
                level.temporal.push_back(
                    {static_cast<int>(below(static_cast<std::size_t>(nest.loopCount))), 1});
            std::shuffle(level.temporal.begin(), level.temporal.end(), m_random);
        }
        if (faults && chance(10))
            breakRule(out, nest);
        return out;
    }

    /// Factors that need not divide: those of a slightly larger layer, reduced to what is needed; `faults`:
    /// one case in ten is not reduced.
    Mapping imperfectMapping(const LoopNest& nest, const Architecture& architecture, bool faults)
    {
        LoopNest larger = nest;
        for (int l = 0; l < nest.loopCount; ++l)
            if (std::int64_t& trips = larger.trips[static_cast<std::size_t>(l)]; trips > 1)
                trips += from(0, 3);
        const Mapping out = mapping(larger, architecture, faults);
        return faults && chance(10) ? out : tightened(nest, architecture, out);
    }

    /// Up to three bounds of factors, mostly such that some mapping keeps them, and orders of some levels.
    Constraints constraints(const LoopNest& nest, const Architecture& architecture)
    {
        const auto loop = [&] { return below(static_cast<std::size_t>(nest.loopCount)); };
        std::vector<std::string> factors, orders;
        for (std::size_t i = below(4); i > 0; --i) {
            const Level& level = architecture.levels[below(architecture.levels.size())];
            const std::size_t l = loop();
            std::string text = level.name + ".";
            if (!level.axes.empty() && chance(2))
                text += level.axes[below(level.axes.size())].name + ".";
            const bool isExact = chance(2);
            text.append(nest.loopNames[l]).append(isExact ? "=" : chance(2) ? "<=" : ">=");
            text += std::to_string(chance(6) ? from(1, 4) : chance(2) ? 1 : nest.trips[l]);
            factors.push_back(text);
            if (!parseConstraints(nest, architecture, factors, {}))
                factors.pop_back(); // contradicts another one
        }
        for (const Level& level : architecture.levels)
            if (chance(2)) {
                std::vector<std::string> names(nest.loopNames.begin(),
                                               nest.loopNames.begin() + nest.loopCount);
                std::shuffle(names.begin(), names.end(), m_random);
                names.resize(1 + below(names.size()));
                std::string text = level.name;
                for (const std::string& name : names)
                    text.append(&name == &names.front() ? "=" : ",").append(name);
                orders.push_back(text);
            }
        return parseConstraints(nest, architecture, factors, orders).value();
    }

    /// Takes an operand from a level or loops from an axis, or does nothing.
    void limit(Architecture& architecture)
    {
        const std::size_t i = below(architecture.levels.size());
        const std::string name = architecture.levels[i].name;
        if (chance(2))
            (void)addBypass(architecture, name + "." + std::string(1, "IWOABC"[below(6)]));
        if (!architecture.levels[i].axes.empty() && chance(2))
            (void)limitAxis(architecture, name + "." + architecture.levels[i].axes.front().name +
                                              (chance(2) ? "=M,C,Ox,X" : "=C,Oy,Fx,K"));
    }

    std::size_t below(std::size_t n) { return m_random() % n; }
    bool chance(std::size_t oneIn) { return below(oneIn) == 0; }

private:
    std::int64_t from(std::int64_t least, std::int64_t most)
    {
        return least + static_cast<std::int64_t>(below(static_cast<std::size_t>(most - least + 1)));
    }
    std::int64_t oneOf(std::initializer_list<std::int64_t> values)
    {
        return values.begin()[below(values.size())];
    }
    double eighths(std::int64_t most) { return static_cast<double>(from(0, 8 * most)) / 8; }
    std::optional<double> bandwidth()
    {
        if (chance(4))
            return std::nullopt;
        return static_cast<double>(oneOf({1, 2, 4, 8, 16})) / 2;
    }

    Level level(std::size_t index, bool roomy)
    {
        Level out;
        out.name = "L" + std::to_string(index);
        if (index > 0 && chance(2))
            out.holds = {chance(2), chance(2), chance(2)};
        if (!roomy && chance(4)) {
            out.memories.emplace();
            for (std::size_t op = 0; op < kOperands; ++op)
                (*out.memories)[op] = out.holds[op] ? oneOf({16, 64, 256}) : 0;
        } else if (!roomy && chance(2)) {
            out.bytes = oneOf({32, 64, 128, 256, 1024});
        }
        out.readBytesPerCycle = bandwidth();
        out.writeBytesPerCycle = bandwidth();
        out.readPj = eighths(8);
        out.writePj = eighths(8);
        if (chance(2))
            out.doubleBuffered = chance(2);
        out.multicast = !chance(3);
        out.reductionTree = chance(2);
        for (std::size_t i = below(3); i > 0; --i) {
            Axis& axis = out.axes.emplace_back();
            axis.name = i == 1 ? "rows" : "cols";
            axis.size = from(1, 8);
            if (chance(3)) {
                axis.convLoops = static_cast<unsigned>(below(Axis::kAllConv + 1u));
                axis.gemmLoops = static_cast<unsigned>(below(Axis::kAllGemm + 1u));
            }
        }
        return out;
    }

    /// Puts a factor into the temporal loops of a level, or on one of its axes if that has room.
    void place(const LoopNest& nest, const Architecture& architecture, Mapping& out, const TiledLoop& tiled)
    {
        const std::size_t to = below(out.levels.size());
        LevelLoops& level = out.levels[to];
        if (!level.spatial.empty() && !chance(3)) {
            AxisLoops& used = level.spatial[below(level.spatial.size())];
            const auto axis = std::ranges::find(architecture.levels[to].axes, used.axis, &Axis::name);
            std::int64_t product = tiled.factor;
            for (const TiledLoop& t : used.loops)
                product *= t.factor;
            if (product <= axis->size && axis->allows(nest.kind, tiled.loop)) {
                used.loops.push_back(tiled);
                return;
            }
        }
        level.temporal.push_back(tiled);
    }

    void breakRule(Mapping& out, const LoopNest& nest)
    {
        LevelLoops& level = out.levels[below(out.levels.size())];
        const TiledLoop tiled{static_cast<int>(below(static_cast<std::size_t>(nest.loopCount))), from(2, 3)};
        if (chance(3))
            level.temporal.push_back(tiled);
        else if (level.spatial.empty())
            level.spatial.push_back({"none", {}});
        else if (!level.temporal.empty())
            std::swap(level.spatial.front().loops, level.temporal);
    }

    std::mt19937 m_random;
};

} // namespace tilewright::hierarchy
