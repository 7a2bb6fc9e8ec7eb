// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/integer.h"
#include "base/text.h"
#include "hierarchy/evaluate.h"
#include "hierarchy/imperfect.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace tilewright::hierarchy {

namespace {

/// Calls `visit` for every loop of every level, temporal loops first.
template <typename Visit> void forEachLoop(const Mapping& mapping, const Visit& visit)
{
    for (const LevelLoops& level : mapping.levels) {
        for (const TiledLoop& tiled : level.temporal)
            visit(tiled);
        for (const AxisLoops& axis : level.spatial)
            for (const TiledLoop& tiled : axis.loops)
                visit(tiled);
    }
}

std::optional<Violation> checkTiling(const LoopNest& nest, const Architecture& architecture,
                                     const Mapping& mapping)
{
    if (architecture.imperfect) {
        auto fault = imperfectFault(nest, architecture, mapping);
        return fault ? std::optional(
                           Violation{ViolationCode::Tiling, fault->loop, -1, std::move(fault->message)})
                     : std::nullopt;
    }
    Factors products{1, 1, 1, 1, 1, 1, 1};
    forEachLoop(mapping, [&](const TiledLoop& tiled) {
        std::int64_t& product = products[static_cast<std::size_t>(tiled.loop)];
        product = saturatingMul(product, tiled.factor);
    });
    for (int l = 0; l < nest.loopCount; ++l) {
        const auto i = static_cast<std::size_t>(l);
        if (products[i] == nest.trips[i])
            continue;
        std::string factors;
        forEachLoop(mapping, [&](const TiledLoop& tiled) {
            if (tiled.loop == l)
                factors += (factors.empty() ? "" : " x ") + std::to_string(tiled.factor);
        });
        std::string fault = "loop " + std::string(nest.loopNames[i]);
        if (factors.empty()) {
            fault += ": no level has it, but its trip count is ";
        } else {
            fault += ": the factors ";
            fault += factors;
            fault += " multiply to ";
            fault += products[i] == INT64_MAX ? "more than 64 bits" : std::to_string(products[i]);
            fault += ", not to the trip count ";
        }
        fault += std::to_string(nest.trips[i]);
        return Violation{ViolationCode::Tiling, l, -1, std::move(fault)};
    }
    return std::nullopt;
}

/// The reason why the level does not allow these loops on that axis; empty if it does.
std::string axisFault(const LoopNest& nest, const Level& level, const AxisLoops& used)
{
    const auto axis = std::ranges::find(level.axes, used.axis, &Axis::name);
    if (axis == level.axes.end())
        return "has no axis \"" + used.axis + "\"";
    std::int64_t product = 1;
    for (const TiledLoop& tiled : used.loops)
        product = saturatingMul(product, tiled.factor);
    if (product > axis->size)
        return "needs " + formatGrouped(product) + " of " + formatGrouped(axis->size) + " along axis \"" +
               axis->name + "\"";
    for (const TiledLoop& tiled : used.loops)
        if (tiled.factor > 1 && !axis->allows(nest.kind, tiled.loop))
            return "does not allow loop " +
                   std::string(nest.loopNames[static_cast<std::size_t>(tiled.loop)]) + " on axis \"" +
                   axis->name + "\"";
    return {};
}

std::optional<Violation> checkSpatial(const LoopNest& nest, const Architecture& architecture,
                                      const Mapping& mapping)
{
    for (std::size_t i = 0; i < architecture.levels.size(); ++i)
        for (const AxisLoops& used : mapping.levels[i].spatial)
            if (const std::string fault = axisFault(nest, architecture.levels[i], used); !fault.empty())
                return Violation{ViolationCode::Spatial, -1, static_cast<int>(i),
                                 "level " + architecture.levels[i].name + " " + fault};
    return std::nullopt;
}

std::optional<Violation> checkCapacity(const LoopNest& nest, const Architecture& architecture,
                                       const TiledNest& tiled)
{
    for (std::size_t i = 0; i < architecture.levels.size(); ++i) {
        const Level& level = architecture.levels[i];
        const auto bits = storedBits(nest, architecture, i, tiled.extents[i]);
        if (!fits(level, bits))
            return Violation{ViolationCode::Capacity, -1, static_cast<int>(i),
                             "level " + level.name + " " + overflowText(nest, architecture, i, bits)};
    }
    return std::nullopt;
}

} // namespace

std::string_view violationName(ViolationCode code)
{
    constexpr std::array<std::string_view, 3> names{"TILING", "SPATIAL", "CAPACITY"};
    return names[static_cast<std::size_t>(code)];
}

std::array<double, kOperands> storedBits(const LoopNest& nest, const Architecture& architecture,
                                         std::size_t level, const Factors& extents) noexcept
{
    // Doubles are exact up to 2^53, which no memory exceeds in bits.
    const int buffers = architecture.isDoubleBuffered(level) ? 2 : 1;
    std::array<double, kOperands> out{};
    for (std::size_t op = 0; op < kOperands; ++op)
        if (architecture.levels[level].holds[op])
            out[op] = static_cast<double>(nest.elements(static_cast<int>(op), extents)) *
                      static_cast<double>(buffers * architecture.storedBits(level, op));
    return out;
}

bool fits(const Level& level, const std::array<double, kOperands>& bits) noexcept
{
    if (level.memories) {
        for (std::size_t op = 0; op < kOperands; ++op)
            if (bits[op] > 8 * static_cast<double>((*level.memories)[op]))
                return false;
        return true;
    }
    return !level.bytes || bits[0] + bits[1] + bits[2] <= 8 * static_cast<double>(*level.bytes);
}

std::string overflowText(const LoopNest& nest, const Architecture& architecture, std::size_t at,
                         const std::array<double, kOperands>& bits)
{
    const Level& level = architecture.levels[at];
    std::string names;
    double sum = 0, room = 0;
    for (std::size_t op = 0; op < kOperands; ++op) {
        if (!level.holds[op])
            continue;
        if (level.memories && bits[op] <= 8 * static_cast<double>((*level.memories)[op]))
            continue;
        names += (names.empty() ? "" : ", ") + std::string(nest.operands[op].name);
        sum += bits[op];
        room = 8 * static_cast<double>(level.memories ? (*level.memories)[op] : level.bytes.value_or(0));
        if (level.memories)
            break; // for operands with separate memories, only the first memory that is too small is named
    }
    // Sizes of memories are in bytes elsewhere; a small one is compared to the bit.
    constexpr double kKibibyte = 8 * 1024;
    std::string sizes = formatGrouped(sum) + " of " + formatGrouped(room) + " bits";
    if (room >= kKibibyte && sum < 0x1p62) {
        const auto bytes = [](double of) { return bytesText(static_cast<std::int64_t>(std::ceil(of / 8))); };
        if (bytes(sum) != bytes(room))
            sizes = bytes(sum) + " of " + bytes(room);
    }
    return "needs " + sizes + " for " + names +
           (architecture.isDoubleBuffered(at) ? ", twice for its double buffer" : "");
}

std::optional<Violation> checkMapping(const LoopNest& nest, const Architecture& architecture,
                                      const Mapping& mapping)
{
    if (auto violation = checkTiling(nest, architecture, mapping))
        return violation;
    if (auto violation = checkSpatial(nest, architecture, mapping))
        return violation;
    return checkCapacity(nest, architecture, tiledNest(nest, mapping));
}

} // namespace tilewright::hierarchy
