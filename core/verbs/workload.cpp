// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/workload.h"

#include <algorithm>
#include <charconv>

namespace tilewright::verbs {

Machine WorkloadCall::machineOrEdge() const
{
    return machine ? *machine : *machinePreset("edge");
}

Result<lower::ModelOnMachinePtr> putOnMachine(const WorkloadCall& call)
{
    auto model = lower::putOnMachine(call.workload, call.machineOrEdge());
    if (model)
        return model;
    Error error = model.error();
    error.file = call.file;
    return error;
}

Result<lower::ModelOnMachinePtr> readOnMachine(WorkloadCall& call)
{
    if (Status s = readFiles(call); !s)
        return s.error();
    return putOnMachine(call);
}

Result<lower::GemmLayer> productNamed(const lower::LoweredProblem& lowered, const std::string& name)
{
    const std::vector<lower::GemmLayer> layers = lower::gemmsOf(lowered);
    const auto found = [&](const std::string& wanted) {
        std::vector<const lower::GemmLayer*> out;
        for (const lower::GemmLayer& layer : layers)
            if (std::find(layer.operators.begin(), layer.operators.end(), wanted) != layer.operators.end())
                out.push_back(&layer);
        return out;
    };
    if (const auto whole = found(name); !whole.empty())
        return *whole.front();
    const std::size_t colon = name.rfind(':');
    if (colon != std::string::npos) {
        const auto several = found(name.substr(0, colon));
        std::size_t n = 0;
        const char* end = name.data() + name.size();
        const auto read = std::from_chars(name.data() + colon + 1, end, n);
        if (read.ec == std::errc() && read.ptr == end && n >= 1 && n <= several.size())
            return *several[n - 1];
        if (!several.empty())
            return Error{ErrorCode::Problem,
                         "has " + std::to_string(several.size()) +
                             " products; write :1 to :" + std::to_string(several.size()) + " after its name",
                         name.substr(0, colon),
                         {}};
    }
    std::string known;
    for (std::size_t i = 0; i < std::min<std::size_t>(8, layers.size()); ++i)
        known += (i > 0 ? ", " : "") + layers[i].operators.front();
    return Error{ErrorCode::Problem,
                 "no operator of this name is a product; there are " + known +
                     (layers.size() > 8 ? ", …" : ""),
                 name,
                 {}};
}

Result<systolic::Gemm> productOf(const WorkloadCall& call, const std::string& gemm, const std::string& layer)
{
    if (!call.workload) {
        if (gemm.empty())
            return Error{ErrorCode::Problem, "is required (MxNxK), or a workload file", "--gemm", {}};
        return systolic::parseGemm(gemm);
    }
    if (layer.empty())
        return systolic::Gemm{1, 1, 1};
    const auto model = putOnMachine(call);
    if (!model)
        return model.error();
    const auto found = productNamed((*model)->lowered, layer);
    if (!found)
        return found.error();
    return found->gemm;
}

} // namespace tilewright::verbs
