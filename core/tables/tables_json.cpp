// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_document.h"
#include "tables/call.h"

namespace tilewright::tables {

namespace {

Json valueJson(const TableValue& value)
{
    if (const auto* const integer = std::get_if<std::int64_t>(&value))
        return *integer;
    if (const auto* const number = std::get_if<double>(&value))
        return jsonNumber(*number);
    if (const auto* const text = std::get_if<std::string>(&value))
        return *text;
    return nullptr;
}

Json rowsJson(const QueryResult& result)
{
    Json out = Json::array();
    for (const auto& row : result.rows) {
        Json values = Json::array();
        for (const TableValue& value : row)
            values.push_back(valueJson(value));
        out.push_back(std::move(values));
    }
    return out;
}

} // namespace

std::string tablesJson(const Database& database)
{
    Json sizes = Json::array();
    for (const TableSize& size : database.sizes())
        sizes.push_back({{"name", size.name}, {"rows", size.rows}});
    Json leftOut = Json::array();
    if (const auto read = database.query("SELECT table_name, reason FROM left_out"))
        for (const auto& row : read->rows)
            leftOut.push_back({{"table_name", valueJson(row[0])}, {"reason", valueJson(row[1])}});
    return dumpByField({{"tables", std::move(sizes)}, {"left_out", std::move(leftOut)}});
}

std::string queryJson(const QueryResult& result)
{
    return dumpByField({{"columns", result.columns}, {"rows", rowsJson(result)}, {"more", result.more}});
}

} // namespace tilewright::tables
