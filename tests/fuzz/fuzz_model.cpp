// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/npu_model.h"
#include "lower/workload.h"
#include "model/model_json.h"

using namespace tilewright;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const auto read = lower::readWorkload(text, "fuzz");
    if (!read || read->noModel)
        return 0;
    (void)model::readModel(model::writeModel(read->model), "again.json");
    if (model::macsOf(read->model) > (1 << 24)) // what is large is slow, not wrong
        return 0;
    static const Machine kMachine = *machinePreset("edge");
    if (const auto lowered = lower::lowerToProblem(read->model, kMachine)) {
        (void)lower::problemOf(*lowered);
        (void)lower::layersOf(read->model, *lowered);
    }
    (void)lower::lowerToNpu(read->model, kMachine);
    return 0;
}
