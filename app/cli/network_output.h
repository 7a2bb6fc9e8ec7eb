// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "verbs/systolic.h"

#include <string>

namespace tilewright::cli {

/// `systolic MODEL`: a row a product of the network, and the total (docs/rules/workload.md 4.2).
struct NetworkCall
{
    std::string csv;
    std::string reports; ///< folder of the SCALE-Sim-like reports
    bool json = false;
};
int printNetwork(const NetworkCall& call, const verbs::NetworkAnswer& answer);

} // namespace tilewright::cli
