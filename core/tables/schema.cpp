// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/schema.h"

#include "tables/table_of.h"

#include <algorithm>

namespace tilewright::tables {

std::string_view toString(ColumnType type) noexcept
{
    return type == ColumnType::Integer ? "integer" : type == ColumnType::Real ? "real" : "text";
}

std::span<const Schema* const> schemas()
{
    static const std::vector<const Schema*> all = [] {
        std::vector<const Schema*> out;
        for (const auto& part : {schemasOfGraph(), schemasOfSchedule(), schemasOfSteps(), schemasOfLenses()})
            out.insert(out.end(), part.begin(), part.end());
        return out;
    }();
    return all;
}

std::string createStatement(const Schema& schema)
{
    std::string out = "CREATE TABLE ";
    out.append(schema.name).append(" ( -- ").append(schema.meaning).append("\n");
    for (const Column& column : schema.columns) {
        out.append("  ").append(column.name).append(" ").append(toString(column.type));
        out.append(&column == &schema.columns.back() ? "" : ",");
        out.append(" -- ").append(column.meaning).append("\n");
    }
    return out + ")";
}

std::string schemaText()
{
    std::string out;
    for (const Schema* schema : schemas()) {
        out.append(out.empty() ? "" : "\n").append(schema->name).append(": ");
        out.append(schema->meaning).append("\n");
        std::size_t width = 0;
        for (const Column& column : schema->columns)
            width = std::max(width, column.name.size());
        for (const Column& column : schema->columns) {
            out.append("  ").append(column.name).append(width - column.name.size() + 2, ' ');
            const std::string_view type = toString(column.type);
            out.append(type).append(9 - type.size(), ' ').append(column.meaning).append("\n");
        }
    }
    return out;
}

bool writeTables(const Subject& subject, const RowSink& sink, const Progress& progress)
{
    std::vector<LeftOut> leftOut;
    const Writing writing{subject, sink, progress, leftOut};
    for (const auto write : {writeAbout, writeSources, writeTensors, writeOps, writeSubgraphs, writeTraffic,
                             writeSteps, writeBuffers, writeNpu, writeMappings, writeSweep, writeLeftOut}) {
        if (progress.stopRequested())
            return false;
        write(writing);
    }
    return !progress.stopRequested();
}

} // namespace tilewright::tables
