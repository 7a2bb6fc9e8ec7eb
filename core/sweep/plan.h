// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "rules/rules.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Design space: one workload on many machines (docs/rules/sweep.md).
namespace tilewright::sweep {

inline constexpr std::size_t kMaxPoints = 1'000'000;

enum class Lens : std::uint8_t { Schedule, Mapping, Npu, Systolic };
[[nodiscard]] std::string_view toString(Lens lens) noexcept; ///< "schedule", "mapping", ...

/// What is done at a point (docs/rules/sweep.md 3).
enum class What : std::uint8_t { Evaluate, Solve, Bound, Optimum, Static, Dynamic, Table };
[[nodiscard]] std::string_view toString(What what) noexcept; ///< "evaluate", "solve", ...

/// What a solve makes small.
enum class Minimise : std::uint8_t { Latency, Traffic };
[[nodiscard]] std::string_view toString(Minimise minimise) noexcept;

/// How the NPU cuts its operators (docs/rules/npu.md 2.6 and 2.8).
enum class Tiles : std::uint8_t { Default, Searched };
[[nodiscard]] std::string_view toString(Tiles tiles) noexcept;

/// Values from a range (docs/rules/sweep.md 1.4).
struct AxisRange
{
    double from = 0, to = 0;
    std::int64_t points = 2;
    bool isLogarithmic = false;
    bool operator==(const AxisRange&) const = default;
};

/// A value of an axis, as it would stand in a machine file: "64", "ws".
struct AxisValue
{
    std::string text;
    bool operator==(const AxisValue&) const = default;
    auto operator<=>(const AxisValue&) const = default;
    /// Nothing when it is a word.
    [[nodiscard]] std::optional<double> number() const;
};

struct Axis
{
    std::string name;              ///< "fast_memory_capacity", "levels.l2.bytes", "cores"
    std::vector<AxisValue> values; ///< those of the range, where there is one
    std::optional<AxisRange> range;
    bool operator==(const Axis&) const = default;
};

/// Of the work at one point; both 0: what the lens takes without one (docs/rules/sweep.md 1.6).
struct Budget
{
    std::int64_t iterations = 0;
    double seconds = 0; ///< not reproducible
    bool operator==(const Budget&) const = default;
};

/// A plan as its file has it (docs/rules/sweep.md 1).
struct Plan
{
    std::vector<std::string> workload;              ///< files, relative to the plan's
    std::map<std::string, std::int64_t> dimensions; ///< values of free ones of ONNX models
    std::string machine;                            ///< file or name of a preset; empty without
    Lens lens = Lens::Schedule;
    What what = What::Solve;
    Minimise minimise = Minimise::Latency;
    Tiles tiles = Tiles::Default;
    std::string schedule; ///< file: what is evaluated, or what a solve starts from
    Rules rules;
    std::uint64_t seed = 1;
    Budget budget;
    std::vector<Axis> axes;
    /// Instead of the product of the axes: points that are listed. The axes then have just their names.
    std::vector<std::vector<AxisValue>> listed;
    std::vector<std::size_t> listedWorkload; ///< beside it, when there are several
    std::vector<std::string> objectives;
    bool operator==(const Plan&) const = default;

    [[nodiscard]] std::size_t pointCount() const noexcept;
    /// Iterations of a solve at a point, the default one included; 0 when seconds are given.
    [[nodiscard]] std::int64_t iterations() const noexcept;
};

/// One point: which workload, and a value for each axis.
struct Point
{
    std::size_t workload = 0;
    std::vector<AxisValue> values;
};
/// Points are numbered from 0, the last axis runs fastest, the workload slowest.
[[nodiscard]] Point pointAt(const Plan& plan, std::size_t index);

/// One of the problem's hardware, "fast_memory_capacity": changed after the workload has been lowered.
[[nodiscard]] bool isProblemHardware(std::string_view name);
/// The values of a range, each once, as text: whole numbers, except where a machine's value is a rate, a
/// clock, a time or an energy.
[[nodiscard]] std::vector<AxisValue> valuesOf(const AxisRange& range, std::string_view axis);

/// Columns of the table that the lens computes, in their order (docs/rules/sweep.md 3).
[[nodiscard]] std::vector<std::string_view> metricsOf(const Plan& plan);

/// Reads a plan file. The Error names file, field and reason.
[[nodiscard]] Result<Plan> readPlan(std::string_view text, const std::string& file);
/// readPlan() gives an equal plan back.
[[nodiscard]] std::string writePlan(const Plan& plan);

} // namespace tilewright::sweep
