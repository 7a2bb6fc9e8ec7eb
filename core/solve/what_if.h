// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

namespace tilewright {

enum class WhatIfParameter : std::uint8_t { Capacity, Bandwidth, NativeSize };

/// The problem with one hardware parameter multiplied (rounded, at least 1; the native size in both axes and
/// its depth). Errors when the result leaves the limits of a problem.
[[nodiscard]] Result<ProblemPtr> withHardware(const Problem& problem, WhatIfParameter parameter,
                                              double factor);

struct WhatIfPoint
{
    double factor = 1;
    std::int64_t value = 0;        ///< of the parameter (native size: its width)
    std::optional<double> current; ///< latency of the given schedule; none when it is not valid there
    std::optional<double>
        solved;                ///< latency of a schedule solved for this hardware; none when none was found
    bool withoutLocks = false; ///< a locked subgraph does not fit: what was solved changes it
};

struct WhatIfOptions
{
    Rules rules;
    WhatIfParameter parameter = WhatIfParameter::Capacity;
    std::vector<double> factors;
    double secondsPerPoint = 0.3; ///< of solving; 0 = only evaluate the current schedule
    std::stop_token stop;
    std::function<void(const WhatIfPoint&)> onPoint; ///< from the calling thread
};

/// Evaluates and re-solves the schedule for each factor; returns the points done before a stop.
[[nodiscard]] std::vector<WhatIfPoint> whatIf(const Problem& problem, const Schedule& schedule,
                                              const WhatIfOptions& options);

} // namespace tilewright
