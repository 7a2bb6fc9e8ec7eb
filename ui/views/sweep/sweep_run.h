// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sweep/collect.h"
#include "sweep/run.h"
#include "workspace/latest_job.h"

#include <QObject>
#include <QThreadPool>

#include <map>
#include <memory>
#include <variant>
#include <vector>

namespace tilewright::ui {

/// A sweep with the results computed so far, in memory.
struct SweepResults
{
    std::shared_ptr<const sweep::Sweep> sweep;
    std::vector<sweep::Row> rows;                 ///< one row per point
    std::map<std::size_t, std::string> schedules; ///< schedules as text, by point
};

/// Computes sweeps in the background, one after another, each with all threads. Points appear as they are
/// finished; the window has priority.
class SweepRun : public QObject
{
    Q_OBJECT
public:
    explicit SweepRun(QObject* parent = nullptr);
    ~SweepRun() override;

    /// Discards earlier results; a sweep that has rows continues from them.
    void start(std::vector<SweepResults> sweeps);
    /// Abandons the points in progress; finished points are kept.
    void stop() { m_job->finishEarly(); }
    void forget();
    void settle() { m_job->waitIdle(); }

    [[nodiscard]] bool isRunning() const { return m_job->isBusy(); }
    [[nodiscard]] const std::vector<SweepResults>& results() const { return m_results; }
    /// Number of points of all sweeps.
    [[nodiscard]] std::size_t points() const;
    [[nodiscard]] std::size_t done() const;
    [[nodiscard]] std::optional<double> secondsLeft() const { return m_secondsLeft; }

Q_SIGNALS:
    void changed(); ///< rows have changed, or the run has started or ended

private:
    struct Batch
    {
        std::vector<std::pair<std::size_t, sweep::PointResult>> points;
        std::size_t of = 0; ///< index of the sweep
    };
    void take(Batch& batch, std::optional<double> secondsLeft);

    QThreadPool
        m_pool; ///< own pool: a sweep may take minutes, and other background work must not wait for it
    std::vector<SweepResults> m_results;
    std::optional<double> m_secondsLeft;
    std::unique_ptr<LatestJob<std::monostate>> m_job;
};

/// A sweep without results.
[[nodiscard]] SweepResults emptyResults(sweep::Sweep sweep);

} // namespace tilewright::ui
