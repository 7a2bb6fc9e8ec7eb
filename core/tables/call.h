// SPDX-License-Identifier: GPL-3.0-or-later
// The verb tables: the tables of a workload, and the answer to a question about them.
#pragma once

#include "tables/database.h"
#include "verbs/schedule.h"

#include <memory>
#include <string>

namespace tilewright::tables {

/// Options of the verb tables, as tilewright-cli and Python set them.
struct TablesCall : verbs::ScheduleCall
{
    bool npu = false;   ///< true: with the run that the verb npu makes by default
    bool map = false;   ///< true: with the search that the verb map makes by default
    bool place = false; ///< true: with the addresses that the verb place finds by default
    std::string sweep;  ///< results folder of a sweep
};
void bindOptions(verbs::OptionList& o, TablesCall& call);

/// Reads the files and computes all parts that the call asks for. The schedule may break rules. The Error
/// names the file.
[[nodiscard]] Result<Subject> subjectOf(TablesCall& call, const std::stop_token& stop = {});

/// Document of `tables --json`: tables: [name, rows], left_out: [table_name, reason].
[[nodiscard]] std::string tablesJson(const Database& database);
/// Document of `tables --query --json`: columns, rows, more.
[[nodiscard]] std::string queryJson(const QueryResult& result);

} // namespace tilewright::tables
