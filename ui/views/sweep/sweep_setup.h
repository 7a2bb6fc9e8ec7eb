// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/machine_fields.h"
#include "sweep/sweep.h"
#include "workspace/document.h"

#include <QJsonObject>

#include <array>

namespace tilewright::ui {

/// A number of the machine, or of a problem that stands as it is, that can be an axis.
struct SweepParameter
{
    QString path;  ///< as in a plan (docs/rules/sweep.md 1.2)
    QString title; ///< "Fast memory (L3, each of 4)"
    MachineUnit unit = MachineUnit::Count;
    double now = 0; ///< in force
    QString tip;

    [[nodiscard]] QString text(double value) const; ///< "128 KiB"
    /// Nothing when it is no number.
    [[nodiscard]] std::optional<double> typed(const QString& text) const;
    [[nodiscard]] bool isFractional() const;
    bool operator==(const SweepParameter&) const = default;
};

struct SweepAxis
{
    QString path; ///< empty: there is none
    double from = 0, to = 0;
    int points = 2;
    bool isLogarithmic = true;
    bool operator==(const SweepAxis&) const = default;
};

/// What is done at every point.
enum class SweepTask {
    Solve,      ///< anew, without the open schedule and its locks
    SolveHere,  ///< from the open schedule, whose locked subgraphs stay
    Evaluate,   ///< the open schedule as it is
    Bound,      ///< what no schedule beats
    Traffic,    ///< the least that has to be moved
    NpuDynamic, ///< makespans
    NpuStatic,
    NpuTiles, ///< dynamic, tiles searched
    Mapping,
    Systolic
};

enum class SweepPicture { Curve, HeatMap, Front, Table };

/// Everything a person chooses in the Sweep view; kept with the session.
struct SweepSetup
{
    SweepTask task = SweepTask::Solve;
    std::array<SweepAxis, 2> axes;
    int iterations = 20'000; ///< of a search at a point
    int seconds = 0;         ///< of a mapping at a point; 0 = until it is proven
    int within = 5;          ///< per cent
    QString metric;          ///< column; empty: the first
    QString against;         ///< of the front: an axis or a column; empty: the first axis
    SweepPicture picture = SweepPicture::Curve;
    bool operator==(const SweepSetup&) const = default;

    [[nodiscard]] std::size_t axisCount() const { return axes[1].path.isEmpty() ? 1 : 2; }
};
[[nodiscard]] QJsonObject sweepSetupJson(const SweepSetup& setup);
[[nodiscard]] SweepSetup sweepSetupOf(const QJsonObject& json);

/// What the open workload can be swept along, the usual first.
[[nodiscard]] std::vector<SweepParameter> sweepParameters(Document& document, SweepTask task);
/// A sixteenth to sixteen times what is in force; rates and counts a quarter to four times.
[[nodiscard]] SweepAxis usualAxis(const SweepParameter& parameter);

/// The sweep of what is open. The Error says what a person has to change.
[[nodiscard]] Result<sweep::Sweep> sweepOf(Document& document, const SweepSetup& setup);
/// The open schedule at the same points, which a solved curve is drawn with; nothing where there is none.
[[nodiscard]] std::optional<sweep::Sweep> besideSweep(Document& document, const SweepSetup& setup);
/// Whether the results of one are those of the other: only values along the axes may differ.
[[nodiscard]] bool isSameSweep(const sweep::Sweep& a, const sweep::Sweep& b);

/// Writes the plan and, beside it, what it names and no file has yet. Returns the command that repeats it.
[[nodiscard]] Result<QString> saveSweepPlan(Document& document, const sweep::Sweep& sweep,
                                            const QString& path);

} // namespace tilewright::ui
