// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "timeloop/timeloop.h"
#include "verbs.h"
#include "verbs/map.h"

#include <string>
#include <variant>
#include <vector>

namespace tilewright::cli {

struct MapArguments : verbs::MapCall
{
    std::string output, csv, explain;
    std::vector<std::string> exported; ///< format and folder
    bool json = false;
    bool progress = false;
};

void bindOptions(verbs::OptionList& o, MapArguments& a);

/// Writes the files of --export into its folder.
[[nodiscard]] Status writeExport(const MapArguments& args, const timeloop::Files& files);

/// Prints "cost model" and its name and rules.
void printCostModel(std::string_view name, std::string_view rules);

/// The call with an architecture of levels; returns the exit code.
[[nodiscard]] int runMapOnHierarchy(const std::variant<verbs::MapSubject, verbs::MapModel>& subject,
                                    const MapArguments& args);

} // namespace tilewright::cli
