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
    /// Maps each of the connected `ops` to its image, given that `to` is the image of `from`. Returns nothing
    /// if some op has no image. The result is indexed by op. Costs of an op and its image may differ.
    [[nodiscard]] std::optional<std::vector<std::optional<OpId>>> image(const std::vector<OpId>& ops,
                                                                        OpId from, OpId to) const;

private:
    const Problem& m_problem;
    std::vector<std::uint32_t> m_classes;
    std::vector<std::vector<OpId>> m_alike; ///< ops of each class
};

} // namespace tilewright
