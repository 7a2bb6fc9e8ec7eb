// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <cstdint>

namespace tilewright {

/// Kind of rearrangement of a view (R1.7), derived from sizes only: a problem does not store the index map.
enum class ViewKind : std::uint8_t {
    Rearrangement, ///< one base, each element once
    Transposition, ///< one base, each element once, height and width exchanged
    Slice,         ///< one base, fewer elements than the base
    Patches, ///< one base, more elements than the base: elements are read several times (im2col, broadcast)
    Concatenation, ///< several bases, each element once
    Gather,        ///< several bases, another number of elements than all bases together
};
struct ViewReading
{
    ViewKind kind = ViewKind::Rearrangement;
    std::int64_t elements = 0;     ///< number of elements of the view
    std::int64_t baseElements = 0; ///< number of elements of all bases
};
/// Classifies a view. Requires problem.isView(view).
[[nodiscard]] ViewReading viewReading(const Problem& problem, TensorId view);

} // namespace tilewright
