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
    /// Returns, for each of the connected `ops`, the corresponding op, given that `to` corresponds to `from`;
    /// the result is indexed by op. Returns nothing if some op has no corresponding op. Costs of
    /// corresponding ops may differ.
    [[nodiscard]] std::optional<std::vector<std::optional<OpId>>> image(const std::vector<OpId>& ops,
                                                                        OpId from, OpId to) const;

private:
    const Problem& m_problem;
    std::vector<std::uint32_t> m_classes;
    std::vector<std::vector<OpId>> m_alike; ///< ops of each class
};

} // namespace tilewright
