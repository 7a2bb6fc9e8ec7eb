// SPDX-License-Identifier: GPL-3.0-or-later
// What happens to a file that is dropped on the window: told by its fields, then read by its reader.
#include "hierarchy/files.h"
#include "hierarchy/setup.h"
#include "lower/machine_lenses.h"
#include "lower/workload.h"
#include "mapping/files.h"
#include "model/file_kind.h"
#include "npu/graph.h"
#include "systolic/hierarchy.h"
#include "systolic/settings.h"
#include "workload/problem_json.h"

using namespace tilewright;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string file = "fuzz.json";
    const auto kind = fileKindOf(text, file);
    if (!kind)
        return 0;
    switch (*kind) {
    case FileKind::Problem:
        (void)readProblem(text, file);
        break;
    case FileKind::MappingLayer:
    case FileKind::MappingModel:
        (void)mapping::readLayers(text, file);
        break;
    case FileKind::MappingArchitecture:
        if (hierarchy::hasLevels(text))
            (void)hierarchy::readArchitecture(text, file);
        else
            (void)mapping::readArchitecture(text, file);
        break;
    case FileKind::Model:
        (void)lower::readWorkload(text, file);
        break;
    case FileKind::Machine: {
        const lower::MachineText machine{std::string(text), file};
        (void)lower::readMachines(std::span(&machine, 1));
        break;
    }
    case FileKind::NpuModel:
        if (const auto model = npu::parseModel(text, file))
            (void)npu::buildGraph(*model, model->hardware.value_or(npu::NpuHardware{}), 2'000);
        break;
    case FileKind::SystolicHierarchy:
        if (const auto hierarchy = systolic::parseHierarchy(text, file))
            (void)systolic::parseHierarchy(systolic::hierarchyJson(*hierarchy), file)
                .value(); // what is written can be read
        break;
    case FileKind::SystolicSettings:
        if (const auto settings = systolic::parseSettings(text, file))
            (void)systolic::parseSettings(systolic::settingsJson(*settings), file).value();
        break;
    case FileKind::MappingSetup:
        if (hierarchy::isSetup(text)) {
            if (const auto setup = hierarchy::readSetup(text, file))
                (void)hierarchy::readSetup(hierarchy::writeSetup(*setup), file).value();
        } else if (const auto setup = mapping::readSetup(text, file)) {
            (void)mapping::readSetup(mapping::writeSetup(*setup), file).value();
        }
        break;
    case FileKind::Schedule: // these need a problem or a layer; they have targets of their own
    case FileKind::MappingMethod:
        break;
    }
    return 0;
}
