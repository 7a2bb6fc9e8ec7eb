// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/integer.h"
#include "eval/cost.h"
#include "eval/step_links.h"
#include "run/run.h"

#include <cstdint>
#include <optional>

namespace tilewright {

/// Time of a run as a whole number of ticks. A tick is the problem's unit of time divided by a common
/// denominator of all durations, so that sums and comparisons are exact.
using Ticks = Int128;

class RunClock
{
public:
    /// `longest`: upper bound of sums of times, in units of time. `network`: that of several cores.
    RunClock(const Problem& problem, const Schedule& schedule, const Rules& rules, double longest,
             const std::optional<RunNetwork>& network = {});

    [[nodiscard]] Ticks transfer(std::int64_t units) const { return ticks({units, m_bandwidth}); }
    /// Duration of a transfer over a link of the network.
    [[nodiscard]] Ticks link(std::int64_t units) const
    {
        return ticks({static_cast<Int128>(units) * m_link.denominator, m_link.numerator});
    }
    /// Duration of a run; 0 for a repeated one (R8.1). `costs`: those of its subgraph.
    [[nodiscard]] Ticks run(const Problem& problem, const StepCosts& costs, const StepRun& run,
                            const StepLinks::Run& kinds) const;
    /// Converts ticks to the problem's unit of time, rounded once.
    [[nodiscard]] double time(Ticks t) const noexcept
    {
        // Avoids the conversion of 128 bits, which is slow.
        const auto narrow = static_cast<std::int64_t>(t);
        const auto numerator = narrow == t ? static_cast<long double>(narrow) : static_cast<long double>(t);
        return static_cast<double>(numerator / m_divisor);
    }
    /// False if there is no common denominator that fits. Durations are then rounded to a multiple of a power
    /// of two.
    [[nodiscard]] bool exact() const noexcept { return m_exact; }

private:
    [[nodiscard]] Ticks ticks(const ExactTime& t) const;
    std::int64_t m_bandwidth;
    ExactTime m_link{1, 1}; // ratio: units that a link moves per unit of time
    Int128 m_perUnit = 1;
    long double m_divisor = 1; // ticks per unit of time, as a floating-point number
    bool m_exact = true;
};

} // namespace tilewright
