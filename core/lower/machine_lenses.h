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

// What each lens takes from the machine (docs/rules/workload.md 2). The Schedule lens' share depends on the
// costs, see lowerToProblem().

[[nodiscard]] systolic::Hierarchy hierarchyOf(const Machine& machine);
[[nodiscard]] systolic::Dataflow dataflowOf(const Machine& machine);
[[nodiscard]] npu::NpuHardware npuHardwareOf(const Machine& machine);
[[nodiscard]] mapping::Architecture architectureOf(const Machine& machine);

/// A machine file or one of the older formats (hierarchy, NPU hardware, mapping architecture), told by
/// content. `file` names it in messages.
struct MachineText
{
    std::string text, file;
};
/// One machine of several older files, each giving what it knows; a field that two of them give differently
/// is an error that names both.
[[nodiscard]] Result<Machine> readMachines(std::span<const MachineText> texts);
/// The field "machine" among the fields that a schedule file has beside its own (Schedule::extra).
[[nodiscard]] Result<std::optional<Machine>> machineField(const std::string& extra, const std::string& file);
/// The field "dimensions" beside it: the sizes of an ONNX model that its file leaves open.
[[nodiscard]] onnx::Dimensions dimensionsField(const std::string& extra);
[[nodiscard]] std::string withMachineField(const std::string& extra, const Machine& machine,
                                           const onnx::Dimensions& dimensions = {});
/// The field "hardware" beside it: what a schedule of a problem that stands as it is was made for, where that
/// is not what the problem's file says.
[[nodiscard]] Result<std::optional<Hardware>> hardwareField(const std::string& extra,
                                                            const std::string& file);
/// Without `hardware` the field goes.
[[nodiscard]] std::string withHardwareField(const std::string& extra,
                                            const std::optional<Hardware>& hardware);
/// The same ops and tensors on other hardware.
[[nodiscard]] Result<std::shared_ptr<const Problem>> withHardware(const Problem& problem,
                                                                  const Hardware& hardware);
/// What a schedule file says of the machine that it was made for, all of it optional.
struct ScheduleTarget
{
    std::optional<Machine> machine;
    onnx::Dimensions dimensions;
    std::optional<Hardware> hardware;
};
/// Of the text of a schedule file; nothing where it is not JSON. The Error names a field of the machine.
[[nodiscard]] Result<ScheduleTarget> targetOfSchedule(const std::string& text, const std::string& file);
/// Names the fields in Schedule::extra that mean nothing to this program, for a warning: "the field "author"
/// is unknown: it is kept, but has no effect". Empty without such fields.
[[nodiscard]] std::string unknownInSchedule(const std::string& extra);
/// The same of Problem::Data::extra.
[[nodiscard]] std::string unknownInProblem(const std::string& extra);
/// Schedule::extra with that and no other target.
[[nodiscard]] std::string withTarget(const std::string& extra, const ScheduleTarget& target);
/// Each a file, or the name of a preset.
[[nodiscard]] Result<Machine> loadMachine(std::span<const std::string> filesOrNames);

} // namespace tilewright::lower
