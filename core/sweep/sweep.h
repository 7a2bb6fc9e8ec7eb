// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/workload.h"
#include "model/machine.h"
#include "sweep/plan.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace tilewright::sweep {

/// A file that the results depend on.
struct InputFile
{
    std::string file; ///< as the plan names it
    std::string sha256;
    bool operator==(const InputFile&) const = default;
};

/// What `plan.json` of a results folder holds (docs/rules/sweep.md 2.1): all that the results depend on.
struct Manifest
{
    std::string program; ///< version
    Plan plan;
    std::string machine;              ///< the machine in force, as text of its file; empty without
    std::vector<InputFile> workloads; ///< as Plan::workload
    std::optional<InputFile> schedule;
    bool keepSchedules = false;
    bool operator==(const Manifest&) const = default;
};
[[nodiscard]] std::string writeManifest(const Manifest& manifest);
[[nodiscard]] Result<Manifest> readManifest(std::string_view text, const std::string& file);
/// In what two differ, one sentence; empty when in nothing.
[[nodiscard]] std::string differenceOf(const Manifest& there, const Manifest& here);

/// The names of points: each says all that its result depends on (docs/rules/sweep.md 2.2).
class PointNames
{
public:
    explicit PointNames(const Manifest& manifest);
    /// 32 hexadecimal digits.
    [[nodiscard]] std::string of(std::size_t index) const;

private:
    const Plan* m_plan;
    std::string m_common; ///< hash of what all points share
    std::vector<std::string> m_workloads;
};

/// A workload of a sweep, as its file holds it.
struct SweepWorkload
{
    std::shared_ptr<const lower::Workload> workload;
    bool standsAsItIs = false; ///< a problem on its own hardware
};

/// A plan with everything it names loaded; points can be computed by any number of threads. A view can fill
/// it from what is open instead of files.
struct Sweep
{
    Manifest manifest;
    std::vector<SweepWorkload> workloads;
    std::optional<Machine> machine;
    std::string scheduleText;

    [[nodiscard]] const Plan& plan() const noexcept { return manifest.plan; }
};
/// Reads plan, workloads, machine and schedule. The Error names file, field and reason.
[[nodiscard]] Result<Sweep> loadSweep(const std::string& planFile);
/// The same of the text of a plan, whose files lie beside `planFile`.
[[nodiscard]] Result<Sweep> readSweep(std::string_view text, const std::string& planFile);
/// Are the names of the axes what the workloads and the machine have? Also where a lens takes only models.
[[nodiscard]] Status checkAxes(const Sweep& sweep);

/// When one point's schedule is a schedule of another: the same problem but for capacity and bandwidth
/// (docs/rules/sweep.md 4.1).
struct SameProblem
{
    std::string key;
    double capacity = 0;  ///< elements
    double bandwidth = 0; ///< elements a cycle, or a unit of time of a problem that stands as it is
    bool operator==(const SameProblem&) const = default;
};

/// What was found at a point.
struct PointResult
{
    std::string error;           ///< of a failed point its sentence, else empty
    std::vector<double> metrics; ///< as metricsOf(); empty of a failed point
    std::optional<SameProblem> problem;
    std::string schedule; ///< text of the schedule found; empty without
    [[nodiscard]] bool failed() const noexcept { return !error.empty(); }
    bool operator==(const PointResult&) const = default;
};

/// What a point asks for instead of what the sweep has: its machine, or the hardware of a problem that stands
/// as it is.
struct PointHardware
{
    std::optional<Machine> machine;
    std::optional<Hardware> hardware;
};
/// The Error says why no machine has the point's values.
[[nodiscard]] Result<PointHardware> hardwareOfPoint(const Sweep& sweep, std::size_t index);

/// The result of one point, which depends on nothing but the sweep and the index, unless the budget is in
/// seconds. Nothing when it was stopped.
[[nodiscard]] std::optional<PointResult> computePoint(const Sweep& sweep, std::size_t index,
                                                      const std::stop_token& stop = {});

} // namespace tilewright::sweep
