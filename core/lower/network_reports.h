// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/network_table.h"

namespace tilewright::lower {

/// The reports of a network under the names and heads that SCALE-Sim gives them, a line a product (of one,
/// not times its count), A as IFMAP, B as FILTER, C as OFMAP; each line ends with count and operators
/// (docs/rules/systolic.md 11).
struct NetworkReports
{
    std::string compute, bandwidth, access; ///< CSV
};
[[nodiscard]] NetworkReports networkReports(const NetworkTable& table, const systolic::Hierarchy& hierarchy,
                                            const systolic::TimingOptions& timing);

} // namespace tilewright::lower
