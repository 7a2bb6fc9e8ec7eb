// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <QString>

#include <span>

namespace tilewright::ui {

/// Shortened names of some ops. Parts of a name end at '.' or '/'.
struct OpNames
{
    QString names; ///< names without the common part: "value, context"
    QString where; ///< common part of the names: "head0"; may be empty
};

/// Leading parts that the names of all ops of a problem have in common ("layer0.").
[[nodiscard]] QString commonPrefix(const Problem& problem);
/// Short names of ops. `dropped`: commonPrefix(problem).
[[nodiscard]] OpNames shortOpNames(const Problem& problem, std::span<const OpId> ops, const QString& dropped);
/// Full names of at most `most` ops, with the number of further ones.
[[nodiscard]] QString fullOpNames(const Problem& problem, std::span<const OpId> ops, std::size_t most = 12);

} // namespace tilewright::ui
