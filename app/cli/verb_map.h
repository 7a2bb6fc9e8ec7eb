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
    std::vector<std::string> exported; ///< values of --export: format and folder
    bool json = false;
    bool progress = false;
};

void bindOptions(verbs::OptionList& o, MapArguments& a);

/// Writes `files` into the folder that --export names.
[[nodiscard]] Status writeExport(const MapArguments& args, const timeloop::Files& files);

/// Prints the line "cost model" with the name of the cost model and the rules that define it.
void printCostModel(std::string_view name, std::string_view rules);

/// Runs the verb `map` for an architecture with any number of memory levels. Returns the exit code.
[[nodiscard]] int runMapOnHierarchy(const std::variant<verbs::MapSubject, verbs::MapModel>& subject,
                                    const MapArguments& args);

} // namespace tilewright::cli
