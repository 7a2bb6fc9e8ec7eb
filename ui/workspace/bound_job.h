// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/lower_bound.h"
#include "schedule/schedule.h"
#include "workspace/latest_job.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>

#include <limits>
#include <memory>

namespace tilewright::ui {

using LowerBoundPtr = std::shared_ptr<const LowerBound>;

/// What is to be proven.
struct ProofRequest
{
    ProblemPtr problem;
    Rules rules;
    double seconds = 0;
    double total = std::numeric_limits<double>::infinity(); ///< of the valid schedule that is shown
};

/// What has been proven by now.
struct ProofState
{
    double presetBound = 0; ///< no schedule of preset traversals takes less
    double best = 0;        ///< latency of the best schedule that is known
    bool optimal = false;   ///< nothing in `space` is better than `best`
    QString space;          ///< what the proof covers, in words
    /// With the latency `best`, where that is better than what was shown.
    std::shared_ptr<const Schedule> schedule;
};

/// Proves in the background how good a schedule is: a bound by prices, a short one first, so that something
/// is there soon; then, where the op sets can be listed, branch and bound from the best schedule that is
/// known or quickly found; else longer runs of the bound, until the time is over, there is nothing more to
/// find, or stop().
class BoundJob : public QObject
{
    Q_OBJECT
public:
    explicit BoundJob(QObject* parent = nullptr);

    void start(const ProofRequest& request);
    /// Ends at once for whoever looks; what was found by then may still be told.
    void stop();
    [[nodiscard]] bool isRunning() const { return m_job.isBusy() && !m_isStopped; }
    [[nodiscard]] double seconds() const; ///< of the search that runs, or of the last one
    void waitIdle() { m_job.waitIdle(); }

Q_SIGNALS:
    void raised(const tilewright::ProblemPtr& problem, const tilewright::Rules& rules,
                const tilewright::ui::LowerBoundPtr& bound);
    /// Of the last request.
    void advanced(const tilewright::ui::ProofState& state);
    void finished();

private:
    void end();

    QElapsedTimer m_clock;
    double m_lasted = 0;
    bool m_isStopped = false;
    LatestJob<bool> m_job;
};

} // namespace tilewright::ui
