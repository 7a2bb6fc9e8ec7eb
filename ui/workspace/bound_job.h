// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/lower_bound.h"
#include "workspace/latest_job.h"

#include <QElapsedTimer>
#include <QObject>

#include <memory>

namespace tilewright::ui {

using LowerBoundPtr = std::shared_ptr<const LowerBound>;

/// Looks for a higher lower bound of one problem in the background: a short run first, so that something is
/// there soon, then longer ones until the time is over, there is nothing more to find, or stop().
class BoundJob : public QObject
{
    Q_OBJECT
public:
    explicit BoundJob(QObject* parent = nullptr);

    void start(const ProblemPtr& problem, const Rules& rules, double seconds);
    /// What has been found by then has been told.
    void stop();
    [[nodiscard]] bool isRunning() const { return m_job.isBusy(); }
    [[nodiscard]] double seconds() const; ///< of the search that runs, or of the last one
    void waitIdle() { m_job.waitIdle(); }

Q_SIGNALS:
    void raised(const tilewright::ProblemPtr& problem, const tilewright::Rules& rules,
                const tilewright::ui::LowerBoundPtr& bound);
    void finished();

private:
    QElapsedTimer m_clock;
    double m_lasted = 0;
    LatestJob<bool> m_job;
};

} // namespace tilewright::ui
