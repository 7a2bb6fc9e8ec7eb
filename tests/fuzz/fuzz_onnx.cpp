// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/lens_coverage.h"
#include "lower/npu_model.h"
#include "lower/workload.h"

using namespace tilewright;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const auto free = onnx::freeDimensions(text, "fuzz");
    if (!free)
        return 0;
    onnx::Dimensions dimensions; // small, and not all alike
    for (const onnx::FreeDimension& d : *free)
        dimensions[d.name] = 1 + static_cast<std::int64_t>(d.name.size() % 5);
    const auto read = onnx::importModel(text, "fuzz", dimensions);
    if (!read || model::macsOf(read->model) > (1 << 24)) // what is large is slow, not wrong
        return 0;
    static const Machine kMachine = *machinePreset("edge");
    lower::Workload workload;
    workload.model = read->model;
    workload.import = read->report;
    if (const auto lowered = lower::lowerToProblem(read->model, kMachine)) {
        (void)lower::problemOf(*lowered);
        (void)lower::reportJson(lower::reportOf(workload, lowered->report), {});
    }
    (void)lower::lowerToNpu(read->model, kMachine);
    return 0;
}
