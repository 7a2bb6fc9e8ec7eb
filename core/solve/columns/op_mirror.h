// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilewright {

/// Where a graph repeats itself: what corresponds to some of its ops elsewhere, in another layer or branch.
class OpMirror
{
public:
    explicit OpMirror(const Problem& problem);

    /// Ops that look like this one, itself included (opClasses()).
    [[nodiscard]] std::span<const OpId> alike(OpId op) const { return m_alike[m_classes[op.index()]]; }
    /// By op: what corresponds to it when `to` corresponds to `from`; for connected `ops`, others have none.
    /// Nothing when there is no such thing. Ops and their images only look alike; what the images cost has to
    /// be asked for.
    [[nodiscard]] std::optional<std::vector<std::optional<OpId>>> image(const std::vector<OpId>& ops,
                                                                        OpId from, OpId to) const;

private:
    const Problem& m_problem;
    std::vector<std::uint32_t> m_classes;
    std::vector<std::vector<OpId>> m_alike; ///< by class
};

} // namespace tilewright
