// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps: one workload on many machines (docs/rules/sweep.md); plan, inputs, points.
#pragma once

#include "base/result.h"
#include "hierarchy/architecture.h"
#include "lower/workload.h"
#include "model/machine.h"
#include "run/run.h"
#include "workload/rules.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

/// Sweeps: one workload on many machines (docs/rules/sweep.md).

namespace tilewright::sweep {

inline constexpr std::size_t kMaxPoints = 1'000'000;
/// Largest prefetch in a plan of the lens run.
inline constexpr std::int64_t kMaxPrefetch = 1'000'000;

enum class Lens : std::uint8_t { Schedule, Run, Mapping, Npu, Systolic, Language };
[[nodiscard]] std::string_view toString(Lens lens) noexcept; ///< name such as "schedule"

/// Kind of computation at each point (docs/rules/sweep.md 3).
enum class What : std::uint8_t { Evaluate, Solve, Bound, Optimum, Static, Dynamic, Table };
[[nodiscard]] std::string_view toString(What what) noexcept; ///< name such as "evaluate"

/// What a solve minimises.
enum class Minimise : std::uint8_t { Latency, Traffic, Energy, Edp };
[[nodiscard]] std::string_view toString(Minimise minimise) noexcept;

/// How tile sizes of NPU operators are chosen: by the default rule or by a search (docs/rules/npu.md 2.6 and
/// 2.8).
enum class Tiles : std::uint8_t { Default, Searched };
[[nodiscard]] std::string_view toString(Tiles tiles) noexcept;

/// Cost model of the lens mapping: four levels (docs/rules/mapping.md) or any number of levels
/// (docs/rules/hierarchy.md).
enum class CostModel : std::uint8_t { FourLevels, Hierarchy };
[[nodiscard]] std::string_view toString(CostModel model) noexcept; ///< "four-levels", "hierarchy"

/// Range of axis values (docs/rules/sweep.md 1.4).
struct AxisRange
{
    double from = 0, to = 0;
    std::int64_t points = 2;
    bool isLogarithmic = false;
    bool operator==(const AxisRange&) const = default;
};

/// Value of an axis, written as in a machine file: "64", "ws".
struct AxisValue
{
    std::string text;
    bool operator==(const AxisValue&) const = default;
    auto operator<=>(const AxisValue&) const = default;
    /// The value as a number; nullopt if it is a word.
    [[nodiscard]] std::optional<double> number() const;
};

struct Axis
{
    /// Name such as "fast_memory_capacity", "levels.l2.bytes", "cores" or "dimensions.batch".
    std::string name;
    std::vector<AxisValue> values; ///< computed from `range` if that is set
    std::optional<AxisRange> range;
    bool operator==(const Axis&) const = default;
};

/// Work limit per point. If both fields are 0, the default of the lens is used (docs/rules/sweep.md 1.6).
struct Budget
{
    std::int64_t iterations = 0;
    double seconds = 0; ///< time limit in seconds; results with a time limit are not reproducible
    bool operator==(const Budget&) const = default;
};

/// Contents of a plan file (docs/rules/sweep.md 1).
struct Plan
{
    std::vector<std::string> workload; ///< workload files, relative to the folder of the plan
    /// Values of the free dimensions of ONNX models, or options of language models (llm::optionsOf()).
    std::map<std::string, std::int64_t> dimensions;
    std::string machine; ///< machine file or preset name; empty = no machine
    Lens lens = Lens::Schedule;
    What what = What::Solve;
    Minimise minimise = Minimise::Latency;
    Tiles tiles = Tiles::Default;
    CostModel costModel = CostModel::FourLevels;
    std::string architecture; ///< file of an architecture with levels; its fields can then be axes
    std::int64_t prefetch = tilewright::RunOptions().prefetch; ///< prefetch of the lens run (R20)
    std::string schedule;       ///< schedule file that is evaluated or run, or from which a solve starts
    std::optional<Rules> rules; ///< empty: the rules of the problem of each point (R18)
    std::uint64_t seed = 1;
    Budget budget;
    std::vector<Axis> axes;
    /// Explicit list of points, used instead of the product of the axes. The axes then have only names.
    std::vector<std::vector<AxisValue>> listed;
    std::vector<std::size_t> listedWorkload; ///< workload index of each listed point; empty = one workload
    std::vector<std::string> objectives;
    bool operator==(const Plan&) const = default;

    [[nodiscard]] std::size_t pointCount() const noexcept;
    [[nodiscard]] Rules rulesOf(const Problem& problem) const { return rules.value_or(problem.rules()); }
    /// Number of iterations of a solve per point, including the default; 0 if the budget is in seconds.
    [[nodiscard]] std::int64_t iterations() const noexcept;
};

/// A point: the index of its workload, and one value per axis.
struct Point
{
    std::size_t workload = 0;
    std::vector<AxisValue> values;
};
/// The point with this index. Indices start at 0. The last axis varies fastest, the workload slowest.
[[nodiscard]] Point pointAt(const Plan& plan, std::size_t index);

/// Dimensions of the workload at a point: those of the plan, and those that axes set.
[[nodiscard]] std::map<std::string, std::int64_t> dimensionsAt(const Plan& plan, const Point& point);

/// True for the lenses whose points are schedules of problems: schedule and run.
[[nodiscard]] constexpr bool isOfProblems(Lens lens) noexcept
{
    return lens == Lens::Schedule || lens == Lens::Run;
}

/// True if the name is a hardware parameter of a problem, such as "fast_memory_capacity". These are changed
/// after the workload has been lowered.
[[nodiscard]] bool isProblemHardware(std::string_view name);
/// Name of the axis whose values are machine presets: each point has another machine.
inline constexpr std::string_view kMachineAxis = "machine";
/// The dimension of the workload that an axis sets: "batch" for "dimensions.batch". Empty for other axes.
[[nodiscard]] std::string_view dimensionOf(std::string_view axis);
/// The values of a range as text, without duplicates. They are whole numbers unless the machine field is a
/// rate, a clock, a time or an energy.
[[nodiscard]] std::vector<AxisValue> valuesOf(const AxisRange& range, std::string_view axis);

/// Names of the metrics that the lens computes, in the order of the table columns (docs/rules/sweep.md 3).
[[nodiscard]] std::vector<std::string_view> metricsOf(const Plan& plan);
/// False for a point of the lens `language` whose weights and cache are larger than the external memory. Such
/// a point has figures, but cannot run on the machine (docs/rules/sweep.md 3.5).
[[nodiscard]] bool fitsMemory(const Plan& plan, std::span<const double> metrics);

/// Reads a plan file. The Error names the file, the field and the reason.
[[nodiscard]] Result<Plan> readPlan(std::string_view text, const std::string& file);
/// Text of a plan file; readPlan() reads it back as an equal plan.
[[nodiscard]] std::string writePlan(const Plan& plan);

/// An input file of a sweep and its hash.
struct InputFile
{
    std::string file; ///< file name as written in the plan
    std::string sha256;
    bool operator==(const InputFile&) const = default;
};

/// Contents of `plan.json` in a results folder (docs/rules/sweep.md 2.1): everything on which the results
/// depend.
struct Manifest
{
    std::string program; ///< version of the program
    Plan plan;
    std::string machine;              ///< text of the machine file; empty = no machine
    std::string architecture;         ///< text of the architecture with levels; empty = none
    std::vector<InputFile> workloads; ///< in the order of Plan::workload
    std::optional<InputFile> schedule;
    bool keepSchedules = false;
    bool operator==(const Manifest&) const = default;
};
[[nodiscard]] std::string writeManifest(const Manifest& manifest);
[[nodiscard]] Result<Manifest> readManifest(std::string_view text, const std::string& file);
/// Returns a sentence that describes the first difference between two manifests; empty if they are equal.
[[nodiscard]] std::string differenceOf(const Manifest& there, const Manifest& here);

/// Names of points. A name is a hash of everything on which the result of the point depends
/// (docs/rules/sweep.md 2.2).
class PointNames
{
public:
    explicit PointNames(const Manifest& manifest);
    /// Name of a point: 32 hexadecimal digits.
    [[nodiscard]] std::string of(std::size_t index) const;

private:
    const Plan* m_plan;
    std::string m_common; ///< hash of the data that all points share
    std::vector<std::string> m_workloads;
};

/// A workload of a sweep.
struct SweepWorkload
{
    std::shared_ptr<const lower::Workload> workload;
    bool standsAsItIs = false; ///< true for a problem with its own hardware
    /// Content of the file, from which points with other dimensions are read; null if the plan has no such
    /// axis.
    std::shared_ptr<const FileContent> content = {};
};

/// A plan with all its files loaded. Any number of threads can compute its points at the same time. A view
/// can also create it from open documents.
struct Sweep
{
    Manifest manifest;
    std::vector<SweepWorkload> workloads;
    std::optional<Machine> machine;
    std::optional<hierarchy::Architecture> architecture; ///< architecture of the plan
    std::string scheduleText;

    [[nodiscard]] const Plan& plan() const noexcept { return manifest.plan; }
};
/// Loads the plan, workloads, machine and schedule. The Error names the file, the field and the reason.
[[nodiscard]] Result<Sweep> loadSweep(const std::string& planFile);
/// Loads a sweep from the text of a plan; its files are relative to the folder of `planFile`.
[[nodiscard]] Result<Sweep> readSweep(std::string_view text, const std::string& planFile);
/// Checks that the axes of the plan fit the workloads and the machine, also for lenses that accept only
/// models.
[[nodiscard]] Status checkAxes(const Sweep& sweep);

/// Key of a problem without capacity and bandwidth, and these two values. If the keys of two points are
/// equal, a schedule of one point is also a schedule of the other (docs/rules/sweep.md 4.1).
struct SameProblem
{
    std::string key;
    double capacity = 0; ///< size of fast memory in elements
    /// Bandwidth of slow memory in elements per cycle; for a problem with its own hardware, per unit of time.
    double bandwidth = 0;
    bool operator==(const SameProblem&) const = default;
};

/// Result of a point.
struct PointResult
{
    std::string error;           ///< error sentence of a failed point; empty if it succeeded
    std::vector<double> metrics; ///< in the order of metricsOf(); empty if the point failed
    std::optional<SameProblem> problem;
    std::string schedule; ///< text of the schedule; empty = none
    [[nodiscard]] bool failed() const noexcept { return !error.empty(); }
    bool operator==(const PointResult&) const = default;
};

/// Hardware of a point, if it differs from that of the sweep: a machine, or the hardware of a problem.
struct PointHardware
{
    std::optional<Machine> machine;
    std::optional<Hardware> hardware;
};
/// The hardware of a point. The Error says why no machine can have the values of the point.
[[nodiscard]] Result<PointHardware> hardwareOfPoint(const Sweep& sweep, std::size_t index);

/// Computes the result of a point; nullopt if stopped. The result depends only on the sweep and the index,
/// unless the budget is in seconds.
[[nodiscard]] std::optional<PointResult> computePoint(const Sweep& sweep, std::size_t index,
                                                      const std::stop_token& stop = {});

} // namespace tilewright::sweep
