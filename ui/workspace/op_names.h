// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <QString>

#include <span>

namespace tilewright::ui {

/// Names of ops for narrow places. Parts of a name end at '.' or '/'.
struct OpNames
{
    QString names; ///< "value, context": without what all of these ops share
    QString where; ///< what they share: "head0"; empty when nothing
};

/// The leading parts that the names of all ops of a problem share ("layer0."); they tell nothing.
[[nodiscard]] QString commonPrefix(const Problem& problem);
/// `dropped` = commonPrefix(problem).
[[nodiscard]] OpNames shortOpNames(const Problem& problem, std::span<const OpId> ops, const QString& dropped);
/// All names in full, at most `most` of them and how many more there are.
[[nodiscard]] QString fullOpNames(const Problem& problem, std::span<const OpId> ops, std::size_t most = 12);

} // namespace tilewright::ui
