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

/// A sweep and what of it has been computed, in memory.
struct SweepResults
{
    std::shared_ptr<const sweep::Sweep> sweep;
    std::vector<sweep::Row> rows;                 ///< one a point
    std::map<std::size_t, std::string> schedules; ///< texts, by point
};

/// Computes sweeps in the background, one after another, each with all threads: points appear as they come,
/// the window goes first.
class SweepRun : public QObject
{
    Q_OBJECT
public:
    explicit SweepRun(QObject* parent = nullptr);
    ~SweepRun() override;

    /// Forgets what there is; a sweep that has rows already goes on from them.
    void start(std::vector<SweepResults> sweeps);
    /// Gives up the points in work; what is done stays.
    void stop() { m_job->finishEarly(); }
    void forget();
    void settle() { m_job->waitIdle(); }

    [[nodiscard]] bool isRunning() const { return m_job->isBusy(); }
    [[nodiscard]] const std::vector<SweepResults>& results() const { return m_results; }
    /// Of all sweeps together.
    [[nodiscard]] std::size_t points() const;
    [[nodiscard]] std::size_t done() const;
    [[nodiscard]] std::optional<double> secondsLeft() const { return m_secondsLeft; }

Q_SIGNALS:
    void changed(); ///< rows, or whether it runs

private:
    struct Batch
    {
        std::vector<std::pair<std::size_t, sweep::PointResult>> points;
        std::size_t of = 0; ///< which sweep
    };
    void take(Batch& batch, std::optional<double> secondsLeft);

    QThreadPool m_pool; ///< a sweep may take minutes: other background work must not wait for it
    std::vector<SweepResults> m_results;
    std::optional<double> m_secondsLeft;
    std::unique_ptr<LatestJob<std::monostate>> m_job;
};

/// Nothing computed yet.
[[nodiscard]] SweepResults emptyResults(sweep::Sweep sweep);

} // namespace tilewright::ui
