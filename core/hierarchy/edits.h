// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of a mapping by hand: each returns a new mapping, or the reason why it is impossible.
#pragma once

#include "hierarchy/constraints.h"

#include <optional>

namespace tilewright::hierarchy {

/// A list of loops of a mapping: the temporal loops of a level, or what it puts on an axis.
struct Place
{
    std::size_t level = 0;
    std::optional<std::string> axis = std::nullopt; ///< name of the axis; nullopt: the temporal loops

    bool operator==(const Place&) const = default;
};

/// All places from the outermost inwards: of each level the temporal loops, then its axes. Axes that the
/// mapping uses and the level has not follow them.
[[nodiscard]] std::vector<Place> placesOf(const Architecture& architecture, const Mapping& mapping);

/// The loops at a place; none if the mapping puts none there.
[[nodiscard]] const std::vector<TiledLoop>& loopsAt(const Mapping& mapping, const Place& place) noexcept;

/// The product of the factors of a loop at a place.
[[nodiscard]] std::int64_t factorAt(const Mapping& mapping, const Place& place, int loop) noexcept;

/// A limit of a loop at this place, without bounds; nullopt for an axis that the architecture has not.
[[nodiscard]] std::optional<FactorLimit> limitAt(const Architecture& architecture, const Place& place,
                                                 int loop);

/// Text of a place in messages: "SRAM", "rows of cluster".
[[nodiscard]] std::string placeName(const Architecture& architecture, const Place& place);

/// Moves a factor of the `index`-th loop of `from` to another place. It is multiplied into the loop of the
/// same name there. Without one it becomes the loop that is nearest to where it came from: the innermost one
/// if it moves outwards, the outermost one if it moves inwards. The result may be invalid: see evaluate().
[[nodiscard]] Result<Mapping> moveFactor(const LoopNest& nest, const Architecture& architecture,
                                         const Mapping& mapping, const Place& from, std::size_t index,
                                         std::int64_t factor, const Place& to);

/// Moves the `from`-th temporal loop of a level to position `to` (0 = outermost).
[[nodiscard]] Result<Mapping> reorderLoop(const Architecture& architecture, const Mapping& mapping,
                                          std::size_t level, std::size_t from, std::size_t to);

/// Adapts a mapping to a layer with other sizes and the same loops. From the innermost loop outwards each one
/// keeps the part of its factor that divides the new trip count. The outermost level gets the rest.
[[nodiscard]] Mapping refitMapping(const LoopNest& nest, const Mapping& mapping);

/// The operand that is reused along the `index`-th temporal loop of a level: one of the innermost loops of
/// factor above 1 that do not index it, as far as a level further inside holds it. -1 if there is none.
[[nodiscard]] int reusedAlong(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping,
                              std::size_t level, std::size_t index);

/// The tiled loop nest as C-like text, without loops of factor 1.
[[nodiscard]] std::string pseudoCode(const LoopNest& nest, const Architecture& architecture,
                                     const Mapping& mapping);

} // namespace tilewright::hierarchy
