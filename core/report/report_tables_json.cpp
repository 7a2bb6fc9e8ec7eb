// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_document.h"
#include "report/html_shell.h"

namespace tilewright {

std::string tablesJson(const std::string& title, const std::vector<ReportTable>& tables)
{
    Json all = Json::array();
    for (const ReportTable& table : tables) {
        const std::vector<std::vector<std::string>> rows = rowsOf(table);
        if (rows.empty())
            continue;
        all.push_back({{"title", table.title},
                       {"columns", rows.front()},
                       {"rows", std::vector<std::vector<std::string>>(rows.begin() + 1, rows.end())}});
    }
    return dumpByField({{"title", title}, {"tables", std::move(all)}});
}

} // namespace tilewright
