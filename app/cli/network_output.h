// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload_input.h"

#include "systolic/array_timing.h"

namespace tilewright::cli {

/// `systolic MODEL`: a row a product of the network, and the total (docs/rules/workload.md 4.2).
struct NetworkCall
{
    std::string file, csv;
    bool json = false;
};
int printNetwork(const NetworkCall& call, const WorkloadArguments& machine,
                 const systolic::Hierarchy* hierarchy, const systolic::TimingOptions& timing);

} // namespace tilewright::cli
