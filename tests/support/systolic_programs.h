// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/pipeline.h"

namespace tilewright::test {

/// The example of the source document: 4 x 4 x 4 tiles of the array.
inline systolic::ProgramOptions cube64()
{
    systolic::ProgramOptions o;
    o.gemm = {64, 64, 64};
    return o;
}

inline std::int64_t sumOfStalls(const systolic::PipelineRun& run)
{
    std::int64_t sum = 0;
    for (const auto& [reason, cycles] : run.stalls)
        sum += cycles;
    return sum;
}

inline std::int64_t bytesOf(const systolic::Program& program, systolic::CommandKind kind)
{
    std::int64_t bytes = 0;
    for (const systolic::Command& c : program.commands)
        bytes += c.kind == kind ? c.bytes : 0;
    return bytes;
}

} // namespace tilewright::test
