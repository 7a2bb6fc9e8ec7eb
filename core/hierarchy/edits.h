// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of a mapping by hand: each returns a new mapping, or the reason why it is impossible.
#pragma once

#include "hierarchy/constraints.h"

#include <optional>

namespace tilewright::hierarchy {

/// A place in a mapping that has a list of loops: the temporal loops of a level, or the loops on one of its
/// axes.
struct Place
{
    std::size_t level = 0;
    std::optional<std::string> axis = std::nullopt; ///< name of the axis; nullopt: the temporal loops

    bool operator==(const Place&) const = default;
};

/// All places from the outermost inwards. Each level has its temporal loops, then its axes. Axes that the
/// mapping uses but the level does not have come last.
[[nodiscard]] std::vector<Place> placesOf(const Architecture& architecture, const Mapping& mapping);

/// The loops at a place; empty if the mapping has none there.
[[nodiscard]] const std::vector<TiledLoop>& loopsAt(const Mapping& mapping, const Place& place) noexcept;

/// The product of the factors of a loop at a place.
[[nodiscard]] std::int64_t factorAt(const Mapping& mapping, const Place& place, int loop) noexcept;

/// Returns a limit without bounds for a loop at this place; nullopt for an axis that the architecture does
/// not have.
[[nodiscard]] std::optional<FactorLimit> limitAt(const Architecture& architecture, const Place& place,
                                                 int loop);

/// Text of a place in messages: "SRAM", "rows of cluster".
[[nodiscard]] std::string placeName(const Architecture& architecture, const Place& place);

/// Moves a factor of the `index`-th loop of `from` to another place. If the place has a loop of the same
/// name, the factor is multiplied into it. Otherwise it becomes a new loop: the innermost one of the place if
/// it moves outwards, the outermost one if it moves inwards. The result may be invalid: see evaluate().
[[nodiscard]] Result<Mapping> moveFactor(const LoopNest& nest, const Architecture& architecture,
                                         const Mapping& mapping, const Place& from, std::size_t index,
                                         std::int64_t factor, const Place& to);

/// Moves the `from`-th temporal loop of a level to position `to` (0 = outermost).
[[nodiscard]] Result<Mapping> reorderLoop(const Architecture& architecture, const Mapping& mapping,
                                          std::size_t level, std::size_t from, std::size_t to);

/// Adapts a mapping to a layer with other trip counts and the same loops. From the innermost loop outwards,
/// each one keeps the part of its factor that divides the new trip count. The outermost level gets the
/// remaining factor.
[[nodiscard]] Mapping refitMapping(const LoopNest& nest, const Mapping& mapping);

/// The operand that is reused along the `index`-th temporal loop of a level; -1 if there is none. An operand
/// is reused along a loop with a factor above 1 if a level further inside holds it and neither this loop nor
/// the loops between it and that level index the operand.
[[nodiscard]] int reusedAlong(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping,
                              std::size_t level, std::size_t index);

/// The tiled loop nest as C-like text, without loops of factor 1.
[[nodiscard]] std::string pseudoCode(const LoopNest& nest, const Architecture& architecture,
                                     const Mapping& mapping);

} // namespace tilewright::hierarchy
