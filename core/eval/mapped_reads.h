// SPDX-License-Identifier: GPL-3.0-or-later
// The reads of a step and of a tile through index maps (R1.8), and their halos.
#pragma once

#include "eval/trace.h"
#include "workload/index_map.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace tilewright {

/// A read of one op through an index map. Volumes in elements of the base.
struct MappedRead
{
    OpId op;
    TensorId view;
    Role role = Role::Pointwise;
    Rect rect;            ///< part of the view that is read in one step
    Rect tile;            ///< part of the view that is read in all k steps of the tile
    Rect whole;           ///< part of the view that is read in all tiles
    Rect own;             ///< the rows of `tile` that no other row of tiles reads
    MapFootprint touched; ///< elements of the base that `tile` touches
    /// Number of elements that `tile` touches and that the parts of `whole` outside `own` also touch: other
    /// tiles read or compute them again. 0 for index maps other than windows. Elements between tiles that no
    /// tile needs (windows smaller than their stride) count as needed.
    std::int64_t halo = 0;
    bool operator==(const MappedRead&) const = default;
};

/// Returns the reads through maps of the runs of a step, each once, in the order of the runs. Reads that
/// touch no stored element are left out.
[[nodiscard]] std::vector<MappedRead> mappedReads(const Problem& problem, const Step& step);

/// Returns the read of `op` through `view` that touches most elements, among the first `maxSteps` steps of a
/// subgraph; nothing if there is no such read.
[[nodiscard]] std::optional<MappedRead> largestMappedRead(const Problem& problem, const Subgraph& subgraph,
                                                          std::span<const TensorId> residentBefore,
                                                          const Rules& rules, OpId op, TensorId view,
                                                          std::int64_t maxSteps = 512);

/// The halos in the working set of a step, in units (R1.9).
struct HaloVolume
{
    std::int64_t input = 0;    ///< elements in input buffers (R9.1b) that other tiles also load
    std::int64_t interior = 0; ///< elements in interior slices (R9.9) that other tiles also compute
    bool operator==(const HaloVolume&) const = default;
};

/// Computes the halos of steps and remembers those of equal rectangles. Buffers of a whole view, kept inputs
/// and resident tensors have no halo, because they are read once.
class StepHalos
{
public:
    explicit StepHalos(const Problem& problem) : m_problem(problem) {}
    [[nodiscard]] HaloVolume of(const Step& step);

private:
    [[nodiscard]] std::int64_t remembered(const MappedRead& read, bool interior);
    const Problem& m_problem;
    std::map<std::tuple<TensorId, Rect, Rect, Rect, bool>, std::int64_t> m_known;
};

} // namespace tilewright
