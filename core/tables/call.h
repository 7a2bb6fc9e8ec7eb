// SPDX-License-Identifier: GPL-3.0-or-later
// The verb tables: the tables of a workload, and the answer to a question about them.
#pragma once

#include "tables/database.h"
#include "verbs/schedule.h"

#include <memory>
#include <string>

namespace tilewright::tables {

/// Options of tables, as tilewright-cli and Python set them.
struct TablesCall : verbs::ScheduleCall
{
    bool npu = false;   ///< the run that the verb npu makes by default
    bool map = false;   ///< the search that the verb map makes by default
    bool place = false; ///< addresses, as the verb place finds them by default
    std::string sweep;  ///< folder of results
};
void bindOptions(verbs::OptionList& o, TablesCall& call);

/// Reads the files and computes what the call asks for. The schedule may break rules. The Error names the
/// file.
[[nodiscard]] Result<Subject> subjectOf(TablesCall& call, const std::stop_token& stop = {});

/// The document of `tables --json`: tables: [name, rows], left_out: [table_name, reason].
[[nodiscard]] std::string tablesJson(const Database& database);
/// The document of `tables --query --json`: columns, rows, more.
[[nodiscard]] std::string queryJson(const QueryResult& result);

} // namespace tilewright::tables
