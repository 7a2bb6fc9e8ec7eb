// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <cstdint>

namespace tilewright {

/// How a view (R1.7) arranges its bases, as far as sizes tell: a problem does not name the map.
enum class ViewKind : std::uint8_t {
    Rearrangement, ///< of one base, every element once
    Transposition, ///< the same with height and width exchanged
    Slice,         ///< fewer elements than its one base
    Patches,       ///< more: elements of its one base are read several times (unfolded, broadcast)
    Concatenation, ///< of several bases, every element once
    Gather,        ///< of several bases, not as many elements as they have
};
struct ViewReading
{
    ViewKind kind = ViewKind::Rearrangement;
    std::int64_t elements = 0;     ///< that are read for the view
    std::int64_t baseElements = 0; ///< of all bases
};
/// `view` is one (Problem::isView).
[[nodiscard]] ViewReading viewReading(const Problem& problem, TensorId view);

} // namespace tilewright
