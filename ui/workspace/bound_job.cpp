// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/bound_job.h"

#include "solve/strong_bound.h"

#include <algorithm>

namespace tilewright::ui {

BoundJob::BoundJob(QObject* parent)
    : QObject(parent), m_job(
                           [this](bool) {
                               m_lasted = seconds();
                               m_clock.invalidate();
                               Q_EMIT finished();
                           },
                           true)
{
}

void BoundJob::start(const ProblemPtr& problem, const Rules& rules, double seconds)
{
    constexpr double kFirst = 0.5; // seconds of the first run
    constexpr double kNext = 3;    // times as long is the next one
    m_clock.start();
    const auto tell = m_job.teller();
    m_job.request([this, tell, problem, rules, seconds](std::stop_token stop) {
        const auto spent = [clock = m_clock] { return static_cast<double>(clock.elapsed()) / 1000; };
        for (double run = kFirst; !stop.stop_requested() && spent() < seconds; run *= kNext) {
            StrongBoundLimits limits;
            limits.seconds = std::min(run, seconds - spent());
            limits.keepGoing = [&stop] { return !stop.stop_requested(); };
            const double before = spent();
            const auto bound = std::make_shared<const LowerBound>(strongBound(*problem, rules, limits));
            tell([this, problem, rules, bound] { Q_EMIT raised(problem, rules, bound); });
            if (spent() - before < limits.seconds / 2) // it ended by itself
                break;
        }
        return true;
    });
}

void BoundJob::stop()
{
    m_job.finishEarly();
}

double BoundJob::seconds() const
{
    return m_clock.isValid() ? static_cast<double>(m_clock.elapsed()) / 1000 : m_lasted;
}

} // namespace tilewright::ui
