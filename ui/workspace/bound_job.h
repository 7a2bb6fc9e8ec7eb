// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/lower_bound.h"
#include "solve/search/proof_run.h"
#include "workspace/latest_job.h"

#include <QElapsedTimer>
#include <QObject>

#include <limits>
#include <memory>

namespace tilewright::ui {

using LowerBoundPtr = std::shared_ptr<const LowerBound>;

/// Input of a BoundJob.
struct ProofRequest
{
    ProblemPtr problem;
    Rules rules;
    double seconds = 0;
    double total = std::numeric_limits<double>::infinity(); ///< total of the valid schedule that is shown
};

/// Raises the lower bound of a problem in the background, until the gap is closed or the time is over
/// (core/solve/search/proof_run.h).
class BoundJob : public QObject
{
    Q_OBJECT
public:
    explicit BoundJob(QObject* parent = nullptr);

    void start(const ProofRequest& request);
    /// Stops the job: isRunning() is false at once. A last result may still be announced.
    void stop();
    [[nodiscard]] bool isRunning() const { return m_job.isBusy() && !m_isStopped; }
    [[nodiscard]] double seconds() const; ///< duration of the running job so far, or of the last one
    void waitIdle() { m_job.waitIdle(); }

Q_SIGNALS:
    void raised(const tilewright::ProblemPtr& problem, const tilewright::Rules& rules,
                const tilewright::ui::LowerBoundPtr& bound);
    /// Progress of the last request.
    void advanced(const tilewright::ProofState& state);
    void finished();

private:
    void end();

    QElapsedTimer m_clock;
    double m_lasted = 0;
    bool m_isStopped = false;
    LatestJob<bool> m_job;
};

} // namespace tilewright::ui
