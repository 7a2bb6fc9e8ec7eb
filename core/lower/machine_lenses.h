// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/architecture.h"
#include "model/machine.h"
#include "npu/hardware.h"
#include "onnx/import.h"
#include "systolic/hierarchy.h"
#include "workload/problem.h"

#include <optional>
#include <span>
#include <string>

namespace tilewright::lower {

// The hardware of each lens, derived from the machine (docs/rules/workload.md 2). The hardware of the
// Schedule lens depends on the costs of the ops; see lowerToProblem().

[[nodiscard]] systolic::Hierarchy hierarchyOf(const Machine& machine);
[[nodiscard]] systolic::Dataflow dataflowOf(const Machine& machine);
[[nodiscard]] npu::NpuHardware npuHardwareOf(const Machine& machine);
[[nodiscard]] mapping::Architecture architectureOf(const Machine& machine);

// The opposite direction: machines with the hardware that the user tried in a lens. Fields in which that
// hardware equals the lens's view of the machine do not change. The Error names a field that a machine cannot
// have.

[[nodiscard]] Result<Machine> withHierarchy(const Machine& machine, const systolic::Hierarchy& hierarchy);
[[nodiscard]] Result<Machine> withNpuHardware(const Machine& machine, const npu::NpuHardware& hardware);
[[nodiscard]] Result<Machine> withArchitecture(const Machine& machine,
                                               const mapping::Architecture& architecture);

/// Text of a machine file or of an older hardware format (hierarchy, NPU hardware, mapping architecture). The
/// format is recognised by its content. `file` is its name in messages.
struct MachineText
{
    std::string text, file;
};
/// Combines several files of older formats to one machine. The Error names two files that contradict each
/// other in a field.
[[nodiscard]] Result<Machine> readMachines(std::span<const MachineText> texts);
/// Returns the field "machine" of a schedule file. `extra` has the fields that are not part of the schedule
/// itself (Schedule::extra).
[[nodiscard]] Result<std::optional<Machine>> machineField(const std::string& extra, const std::string& file);
/// Returns the field "dimensions" of a schedule file: the free dimensions of an ONNX model.
[[nodiscard]] onnx::Dimensions dimensionsField(const std::string& extra);
[[nodiscard]] std::string withMachineField(const std::string& extra, const Machine& machine,
                                           const onnx::Dimensions& dimensions = {});
/// Returns the field "hardware" of a schedule file: the hardware for which a schedule of a problem was made,
/// if it differs from the hardware in the problem's file.
[[nodiscard]] Result<std::optional<Hardware>> hardwareField(const std::string& extra,
                                                            const std::string& file);
/// Sets the field "hardware", or removes it if `hardware` is empty.
[[nodiscard]] std::string withHardwareField(const std::string& extra,
                                            const std::optional<Hardware>& hardware);
/// Returns a problem with the same ops and tensors and with other hardware.
[[nodiscard]] Result<std::shared_ptr<const Problem>> withHardware(const Problem& problem,
                                                                  const Hardware& hardware);
/// The machine for which a schedule was made, as its file names it. Every member is optional.
struct ScheduleTarget
{
    std::optional<Machine> machine;
    onnx::Dimensions dimensions;
    std::optional<Hardware> hardware;
};
/// Returns the machine in the text of a schedule file; empty if the text is not JSON. The Error names a field
/// of the machine.
[[nodiscard]] Result<ScheduleTarget> targetOfSchedule(const std::string& text, const std::string& file);
/// Text that names the fields in Schedule::extra which this program does not know, for a warning: "the field
/// "author" is unknown: it is kept, but has no effect". Empty if there are none.
[[nodiscard]] std::string unknownInSchedule(const std::string& extra);
/// Like unknownInSchedule(), for the fields in Problem::Data::extra.
[[nodiscard]] std::string unknownInProblem(const std::string& extra);
/// Returns `extra` (Schedule::extra) with the machine or hardware of `target` in place of any other one.
[[nodiscard]] std::string withTarget(const std::string& extra, const ScheduleTarget& target);
/// Loads a machine. Each string is a file or the name of a preset.
[[nodiscard]] Result<Machine> loadMachine(std::span<const std::string> filesOrNames);

} // namespace tilewright::lower
