// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep of the view: its axes and their values, and the results so far.
#pragma once

#include "model/machine.h"
#include "sweep/folder.h"
#include "sweep/run.h"
#include "sweep/sweep.h"
#include "workspace/document.h"
#include "workspace/latest_job.h"

#include <QJsonObject>
#include <QObject>
#include <QThreadPool>

#include <array>
#include <map>
#include <memory>
#include <variant>
#include <vector>

namespace tilewright::ui {

/// A number that can be an axis: a value of the machine, a value of a problem's own hardware, or a dimension
/// of the workload.
struct SweepParameter
{
    QString path;  ///< path of the value in a plan (docs/rules/sweep.md 1.2)
    QString title; ///< "Fast memory (L3, each of 4)"
    MachineUnit unit = MachineUnit::Count;
    double now = 0; ///< current value
    QString tip;
    /// Names that are the values of the axis, such as machine presets. A value of the axis is then an index
    /// into these names, or -1 for none. If empty, the values are numbers.
    QStringList words = {};

    [[nodiscard]] QString text(double value) const; ///< "128 KiB"
    /// Reads a typed number; the Error is a sentence for the user.
    [[nodiscard]] Result<double> typed(const QString& text) const;
    [[nodiscard]] bool isFractional() const;
    bool operator==(const SweepParameter&) const = default;
};

struct SweepAxis
{
    QString path; ///< path of the parameter; empty: there is no axis
    double from = 0, to = 0;
    int points = 2;
    bool isLogarithmic = true;
    QStringList words = {}; ///< the values of the axis if they are names
    bool operator==(const SweepAxis&) const = default;
};

/// The computation that a sweep does at every point.
enum class SweepTask {
    Solve,      ///< solve from scratch, without the open schedule and its locks
    SolveHere,  ///< solve from the open schedule, with locked subgraphs kept
    Evaluate,   ///< evaluate the open schedule
    Bound,      ///< compute the lower bound
    Traffic,    ///< compute the least possible traffic
    NpuDynamic, ///< simulate the makespan with the dynamic scheduler
    NpuStatic,
    NpuTiles, ///< simulate with the dynamic scheduler and searched tiles
    Mapping,
    Systolic,
    Run,     ///< solve from scratch and run the schedule
    RunHere, ///< run the open schedule
    // Compute the time of a step of a language model.
    StepFloor,
    StepSchedule, ///< time of the start schedule (one op per subgraph)
    StepNpu,
};
inline constexpr SweepTask kLastSweepTask = SweepTask::StepNpu;
/// True for tasks that only a language model has.
[[nodiscard]] constexpr bool isOfLanguage(SweepTask task)
{
    return task >= SweepTask::StepFloor;
}

enum class SweepPicture { Curve, HeatMap, Front, Table };

/// The user's choices in the Sweep view, saved with the session.
struct SweepSetup
{
    SweepTask task = SweepTask::Solve;
    std::array<SweepAxis, 2> axes;
    int iterations = 20'000; ///< iterations of the search at each point
    int seconds = 0;         ///< time limit in seconds for each mapping; 0 = search until proven
    int within = 5;   ///< a value is sufficient if the result is within this percentage of the best one
    double limit = 0; ///< limit of the metric, which machines must meet; 0 = no limit
    QString metric;   ///< plotted column of the plan; empty: the first one
    QString against;  ///< second objective of the front, an axis or a column; empty: the first axis
    SweepPicture picture = SweepPicture::Curve;
    bool operator==(const SweepSetup&) const = default;

    [[nodiscard]] std::size_t axisCount() const { return axes[1].path.isEmpty() ? 1 : 2; }
};
[[nodiscard]] QJsonObject sweepSetupJson(const SweepSetup& setup);
[[nodiscard]] SweepSetup sweepSetupOf(const QJsonObject& json);
/// Returns a plan that has only the lens, the kind of computation and the budget of a setup.
[[nodiscard]] sweep::Plan taskPlan(const SweepSetup& setup);

/// Returns the parameters along which the open workload can be swept, the most common first. Parameters that
/// the lens of the task does not read are left out.
[[nodiscard]] std::vector<SweepParameter> sweepParameters(Document& document, SweepTask task);
/// Returns the default axis for a parameter: from 1/16 to 16 times the current value; for rates and counts
/// from 1/4 to 4 times.
[[nodiscard]] SweepAxis defaultAxis(const SweepParameter& parameter);

/// Returns the sweep of the open workload. The Error says what the user must change.
[[nodiscard]] Result<sweep::Sweep> sweepOf(Document& document, const SweepSetup& setup);
/// Returns the sweep that evaluates the open schedule at the same points, which is drawn beside a solved
/// curve. nullopt if there is none.
[[nodiscard]] std::optional<sweep::Sweep> besideSweep(Document& document, const SweepSetup& setup);
/// True if the results of one sweep also apply to the other. Only values along the axes may differ.
[[nodiscard]] bool isSameSweep(const sweep::Sweep& a, const sweep::Sweep& b);

/// Writes the plan and those files named in it that do not exist yet. Returns the command that repeats the
/// sweep.
[[nodiscard]] Result<QString> saveSweepPlan(Document& document, const sweep::Sweep& sweep,
                                            const QString& path);

/// A sweep with the results so far, in memory.
struct SweepResults
{
    std::shared_ptr<const sweep::Sweep> sweep;
    std::vector<sweep::Row> rows;                 ///< one row per point of the sweep
    std::map<std::size_t, std::string> schedules; ///< schedules as JSON text, by index of the point
};

/// Computes sweeps in the background, one after another, each with all threads. Points are delivered as they
/// are finished. The window has priority over these threads.
class SweepRun : public QObject
{
    Q_OBJECT
public:
    explicit SweepRun(QObject* parent = nullptr);
    ~SweepRun() override;

    /// Starts the sweeps and discards earlier results. A sweep that already has rows is continued.
    void start(std::vector<SweepResults> sweeps);
    /// Stops the run. Finished points are kept, unfinished ones are abandoned.
    void stop() { m_job->finishEarly(); }
    void forget();
    /// Ends a run and replaces its results by earlier results.
    void show(std::vector<SweepResults> sweeps);
    void settle() { m_job->waitIdle(); }

    [[nodiscard]] bool isRunning() const { return m_job->isBusy(); }
    [[nodiscard]] const std::vector<SweepResults>& results() const { return m_results; }
    /// Number of points of all sweeps.
    [[nodiscard]] std::size_t points() const;
    [[nodiscard]] std::size_t done() const;
    [[nodiscard]] std::optional<double> secondsLeft() const { return m_secondsLeft; }

Q_SIGNALS:
    void changed(); ///< emitted when rows have changed, or the run has started or ended

private:
    struct Batch
    {
        std::vector<std::pair<std::size_t, sweep::PointResult>> points;
        std::size_t of = 0; ///< index of the sweep to which the row belongs
    };
    void take(Batch& batch, std::optional<double> secondsLeft);

    QThreadPool
        /// A pool of its own: a sweep may take minutes, and other background work must not wait for it.
        m_pool;
    std::vector<SweepResults> m_results;
    std::optional<double> m_secondsLeft;
    std::unique_ptr<LatestJob<std::monostate>> m_job;
};

/// Returns a sweep without results.
[[nodiscard]] SweepResults emptyResults(sweep::Sweep sweep);

} // namespace tilewright::ui
