// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep of the view: what varies and over which values, and the results so far.
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

/// A number of the machine, of a problem with its own hardware, or a dimension of the workload, that can be
/// an axis.
struct SweepParameter
{
    QString path;  ///< path as in a plan (docs/rules/sweep.md 1.2)
    QString title; ///< "Fast memory (L3, each of 4)"
    MachineUnit unit = MachineUnit::Count;
    double now = 0; ///< current value
    QString tip;
    /// Names that are the values of the axis, such as presets of machines; a value is then a position among
    /// them, -1 for none. Empty: the values are numbers.
    QStringList words = {};

    [[nodiscard]] QString text(double value) const; ///< "128 KiB"
    /// Number of a typed text; the Error is the sentence for the user.
    [[nodiscard]] Result<double> typed(const QString& text) const;
    [[nodiscard]] bool isFractional() const;
    bool operator==(const SweepParameter&) const = default;
};

struct SweepAxis
{
    QString path; ///< empty: no axis
    double from = 0, to = 0;
    int points = 2;
    bool isLogarithmic = true;
    QStringList words = {}; ///< the values, if they are names
    bool operator==(const SweepAxis&) const = default;
};

/// The computation at every point.
enum class SweepTask {
    Solve,      ///< from scratch, without the open schedule and its locks
    SolveHere,  ///< from the open schedule, with locked subgraphs kept
    Evaluate,   ///< evaluation of the open schedule
    Bound,      ///< lower bound
    Traffic,    ///< smallest possible traffic
    NpuDynamic, ///< makespan with the dynamic scheduler
    NpuStatic,
    NpuTiles, ///< dynamic scheduler, searched tiles
    Mapping,
    Systolic,
    Run,     ///< the run of a schedule solved from scratch
    RunHere, ///< the run of the open schedule
    // A step of a language model.
    StepFloor,
    StepSchedule, ///< one op per subgraph
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
    int iterations = 20'000; ///< iterations of a search at a point
    int seconds = 0;         ///< seconds per mapping at a point; 0 = until proven
    int within = 5;          ///< tolerance in percent
    double limit = 0;        ///< limit of the metric: shows which machines meet it; 0: none
    QString metric;          ///< column of the plan; empty: the first
    QString against;         ///< second objective of the front: an axis or a column; empty: the first axis
    SweepPicture picture = SweepPicture::Curve;
    bool operator==(const SweepSetup&) const = default;

    [[nodiscard]] std::size_t axisCount() const { return axes[1].path.isEmpty() ? 1 : 2; }
};
[[nodiscard]] QJsonObject sweepSetupJson(const SweepSetup& setup);
[[nodiscard]] SweepSetup sweepSetupOf(const QJsonObject& json);
/// A plan with lens, kind of computation and budget of a setup, and nothing else.
[[nodiscard]] sweep::Plan taskPlan(const SweepSetup& setup);

/// The parameters that the open workload can be swept along, the most common first; none that the lens of the
/// task does not read.
[[nodiscard]] std::vector<SweepParameter> sweepParameters(Document& document, SweepTask task);
/// The default range: 1/16 to 16 times the current value; for rates and counts, 1/4 to 4 times.
[[nodiscard]] SweepAxis defaultAxis(const SweepParameter& parameter);

/// The sweep of the open workload. The Error says what the user has to change.
[[nodiscard]] Result<sweep::Sweep> sweepOf(Document& document, const SweepSetup& setup);
/// The sweep of the open schedule at the same points, drawn beside a solved curve; nullopt if there is none.
[[nodiscard]] std::optional<sweep::Sweep> besideSweep(Document& document, const SweepSetup& setup);
/// True if the results of one sweep apply to the other: only values along the axes may differ.
[[nodiscard]] bool isSameSweep(const sweep::Sweep& a, const sweep::Sweep& b);

/// Writes the plan and the files that it names and that do not exist yet. Returns the command that repeats
/// the sweep.
[[nodiscard]] Result<QString> saveSweepPlan(Document& document, const sweep::Sweep& sweep,
                                            const QString& path);

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
    /// Ends a run and takes earlier results in its place.
    void show(std::vector<SweepResults> sweeps);
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
