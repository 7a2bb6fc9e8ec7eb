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

/// One entry of the schedule: ops executed together, their tiling and what stays resident afterwards.
struct Subgraph
{
    std::vector<OpId> ops; ///< declared order
    Granularity granularity;
    std::vector<TensorId> retain;
    Traversal traversal;
    std::optional<double> reportedLatency; ///< as read from a file; never used as a result (R10.2)
    bool locked = false;                   ///< pinned by the person: the solver keeps ops and granularity
    bool operator==(const Subgraph&) const = default;
};

using SubgraphPtr = std::shared_ptr<const Subgraph>;

/// An execution order of subgraphs. Copying copies pointers; unchanged subgraphs keep their identity through
/// edits, so that evaluations can be memoised by pointer.
struct Schedule
{
    std::vector<SubgraphPtr> subgraphs;
    std::string extra; ///< unknown fields of the file, as the text of one JSON object; kept on save

    [[nodiscard]] std::size_t size() const noexcept { return subgraphs.size(); }
    [[nodiscard]] const Subgraph& operator[](SubgraphId i) const { return *subgraphs[i.index()]; }
    /// Equal content (not identity).
    bool operator==(const Schedule& other) const;
};

} // namespace tilewright
