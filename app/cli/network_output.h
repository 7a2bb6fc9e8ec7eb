// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload_input.h"

#include "systolic/hierarchy.h"

namespace tilewright::cli {

/// `systolic MODEL`: a row a product of the network, and the total (docs/rules/workload.md 4.2).
struct NetworkCall
{
    std::string file, csv;
    std::string reports; ///< folder of the SCALE-Sim-like reports
    bool json = false;
};
int printNetwork(const NetworkCall& call, const WorkloadArguments& machine,
                 const systolic::Hierarchy& hierarchy, const systolic::TimingOptions& timing);

} // namespace tilewright::cli
