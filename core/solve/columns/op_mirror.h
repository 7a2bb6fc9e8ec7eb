// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilewright {

/// Images of ops where a graph repeats itself: the ops that correspond to them in another layer or branch.
class OpMirror
{
public:
    explicit OpMirror(const Problem& problem);

    /// Ops that look like this one, itself included (opClasses()).
    [[nodiscard]] std::span<const OpId> alike(OpId op) const { return m_alike[m_classes[op.index()]]; }
    /// By op: the image of each of the connected `ops` when that of `from` is `to`; nothing when some op has
    /// none. Ops and their images only look alike: their costs may differ.
    [[nodiscard]] std::optional<std::vector<std::optional<OpId>>> image(const std::vector<OpId>& ops,
                                                                        OpId from, OpId to) const;

private:
    const Problem& m_problem;
    std::vector<std::uint32_t> m_classes;
    std::vector<std::vector<OpId>> m_alike; ///< by class
};

} // namespace tilewright
