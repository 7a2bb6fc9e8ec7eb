// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/schedule.h"

#include <algorithm>

namespace tilewright {

bool Schedule::operator==(const Schedule& other) const
{
    return extra == other.extra &&
           std::ranges::equal(subgraphs, other.subgraphs,
                              [](const SubgraphPtr& a, const SubgraphPtr& b) { return a == b || *a == *b; });
}

} // namespace tilewright
