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

/// An input file of a sweep and its hash.
struct InputFile
{
    std::string file; ///< file name as in the plan
    std::string sha256;
    bool operator==(const InputFile&) const = default;
};

/// Contents of `plan.json` in a results folder (docs/rules/sweep.md 2.1): everything that the results depend
/// on.
struct Manifest
{
    std::string program; ///< program version
    Plan plan;
    std::string machine;              ///< text of the machine file; empty = no machine
    std::vector<InputFile> workloads; ///< same order as Plan::workload
    std::optional<InputFile> schedule;
    bool keepSchedules = false;
    bool operator==(const Manifest&) const = default;
};
[[nodiscard]] std::string writeManifest(const Manifest& manifest);
[[nodiscard]] Result<Manifest> readManifest(std::string_view text, const std::string& file);
/// Describes the first difference between two manifests in one sentence; empty if they are equal.
[[nodiscard]] std::string differenceOf(const Manifest& there, const Manifest& here);

/// Names of points. A name is a hash of everything that the result of the point depends on
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
};

/// A plan with all its files loaded. Any number of threads can compute its points. A view can also fill it
/// from open documents.
struct Sweep
{
    Manifest manifest;
    std::vector<SweepWorkload> workloads;
    std::optional<Machine> machine;
    std::string scheduleText;

    [[nodiscard]] const Plan& plan() const noexcept { return manifest.plan; }
};
/// Loads the plan, workloads, machine and schedule. The Error names the file, the field and the reason.
[[nodiscard]] Result<Sweep> loadSweep(const std::string& planFile);
/// Loads a sweep from the text of a plan; its files are relative to the folder of `planFile`.
[[nodiscard]] Result<Sweep> readSweep(std::string_view text, const std::string& planFile);
/// Checks that the workloads and the machine have the axes of the plan, also for lenses that accept only
/// models.
[[nodiscard]] Status checkAxes(const Sweep& sweep);

/// Key of a problem without capacity and bandwidth, and these two values. With an equal key, a schedule of
/// one point is also a schedule of another one (docs/rules/sweep.md 4.1).
struct SameProblem
{
    std::string key;
    double capacity = 0; ///< fast memory, in elements
    /// Slow memory, in elements per cycle, or per unit of time for a problem with its own hardware
    double bandwidth = 0;
    bool operator==(const SameProblem&) const = default;
};

/// Result of a point.
struct PointResult
{
    std::string error;           ///< error sentence of a failed point; empty if it succeeded
    std::vector<double> metrics; ///< by metricsOf(); empty if the point failed
    std::optional<SameProblem> problem;
    std::string schedule; ///< text of the schedule; empty = none
    [[nodiscard]] bool failed() const noexcept { return !error.empty(); }
    bool operator==(const PointResult&) const = default;
};

/// Hardware of a point that differs from that of the sweep: a machine, or the hardware of a problem.
struct PointHardware
{
    std::optional<Machine> machine;
    std::optional<Hardware> hardware;
};
/// The hardware of a point. The Error says why no machine has the values of the point.
[[nodiscard]] Result<PointHardware> hardwareOfPoint(const Sweep& sweep, std::size_t index);

/// Computes the result of a point. It depends only on the sweep and the index, unless the budget is in
/// seconds. nullopt if stopped.
[[nodiscard]] std::optional<PointResult> computePoint(const Sweep& sweep, std::size_t index,
                                                      const std::stop_token& stop = {});

} // namespace tilewright::sweep
