// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilewright {

/// Maps ops to corresponding ops in repeated parts of the graph, e.g. in another layer or branch.
class OpMirror
{
public:
    explicit OpMirror(const Problem& problem);

    /// Ops in the same class as `op` (opClasses()), `op` included.
    [[nodiscard]] std::span<const OpId> alike(OpId op) const { return m_alike[m_classes[op.index()]]; }
    using Image = std::vector<std::optional<OpId>>; ///< for each op, the corresponding op
    /// Returns, for each of the connected `ops`, the corresponding op, given that `to` corresponds to `from`.
    /// Returns nothing if some op has no corresponding op. Corresponding ops may have different costs.
    [[nodiscard]] std::optional<Image> image(const std::vector<OpId>& ops, OpId from, OpId to) const;
    /// Returns the tensor that corresponds to `t`: the result of the op that corresponds to its producer, or
    /// else the operand of an op that corresponds to a reader. Returns nothing if `image` contains neither of
    /// these ops.
    [[nodiscard]] std::optional<TensorId> image(const Image& image, TensorId t) const;

private:
    const Problem& m_problem;
    std::vector<std::uint32_t> m_classes;
    std::vector<std::vector<OpId>> m_alike; ///< ops of each class
};

} // namespace tilewright
