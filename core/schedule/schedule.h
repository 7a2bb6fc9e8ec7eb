// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/traversal.h"
#include "workload/problem.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

/// [w, h, k]: tile width (columns), tile height (rows), reduction depth; each >= 1.
struct Granularity
{
    std::int64_t w = 1;
    std::int64_t h = 1;
    std::int64_t k = 1;
    auto operator<=>(const Granularity&) const = default;
};

/// One subgraph of a schedule: ops that run together, their tiling and the tensors retained afterwards.
struct Subgraph
{
    std::vector<OpId> ops; ///< in declared order
    Granularity granularity;
    std::vector<TensorId> retain;
    Traversal traversal;
    std::optional<double> reportedLatency; ///< value from the file; never used as a result (R10.2)
    bool locked = false;                   ///< set by the user: the solver keeps ops and granularity
    bool operator==(const Subgraph&) const = default;
};

using SubgraphPtr = std::shared_ptr<const Subgraph>;

/// Subgraphs in execution order. A copy shares the subgraphs. An edit keeps the pointers of unchanged
/// subgraphs, so that evaluations can be cached by pointer.
struct Schedule
{
    std::vector<SubgraphPtr> subgraphs;
    std::string extra; ///< unknown fields of the file, as the text of one JSON object; kept on save

    [[nodiscard]] std::size_t size() const noexcept { return subgraphs.size(); }
    [[nodiscard]] const Subgraph& operator[](SubgraphId i) const { return *subgraphs[i.index()]; }
    /// Compares the content of the subgraphs, not the pointers.
    bool operator==(const Schedule& other) const;
};

} // namespace tilewright
