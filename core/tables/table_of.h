// SPDX-License-Identifier: GPL-3.0-or-later
// A table as its columns with their values; internal to core/tables.
#pragma once

#include "base/table.h"
#include "tables/tables.h"

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::tables {

/// A column, and the function that returns its value in a row.
template <typename Row> struct ColumnOf
{
    std::string_view name;
    ColumnType type = ColumnType::Text;
    std::string_view meaning;
    std::function<TableValue(const Row&)> value;
};

/// A table whose rows are computed from values of the type Row.
template <typename Row> class TableOf
{
public:
    TableOf(std::string_view name, std::string_view meaning, std::vector<ColumnOf<Row>> columns)
        : m_schema{name, meaning, {}}
    {
        m_schema.columns.reserve(columns.size());
        m_values.reserve(columns.size());
        for (ColumnOf<Row>& column : columns) {
            m_schema.columns.push_back({column.name, column.type, column.meaning});
            m_values.push_back(std::move(column.value));
        }
    }
    [[nodiscard]] const Schema& schema() const noexcept { return m_schema; }
    void write(const RowSink& sink, const Row& row) const
    {
        std::vector<TableValue> values;
        values.reserve(m_values.size());
        for (const auto& value : m_values)
            values.push_back(value(row));
        sink(m_schema, values);
    }

private:
    Schema m_schema;
    std::vector<std::function<TableValue(const Row&)>> m_values;
};

/// A part that was left out of a table, with the reason.
struct LeftOut
{
    std::string_view table;
    std::string reason; ///< a sentence without full stop
};

/// Argument of the functions that write the rows of the tables of a subject. They add the parts that they
/// leave out to `leftOut`.
struct Writing
{
    const Subject& subject;
    const RowSink& sink;
    const Progress& progress;
    std::vector<LeftOut>& leftOut;
};

// Functions that write tables, in the order of schemas():
void writeAbout(const Writing& w);
void writeSources(const Writing& w);
void writeTensors(const Writing& w);
void writeOps(const Writing& w);
void writeSubgraphs(const Writing& w);
void writeTraffic(const Writing& w);
void writeSteps(const Writing& w);
void writeBuffers(const Writing& w);
void writeNpu(const Writing& w);
void writeMappings(const Writing& w);
void writeSweep(const Writing& w);
void writeLeftOut(const Writing& w);

// Schemas of these tables, for schemas():
[[nodiscard]] std::vector<const Schema*> schemasOfGraph(); ///< tables from about to op_tensors
[[nodiscard]] std::vector<const Schema*> schemasOfSchedule();
[[nodiscard]] std::vector<const Schema*> schemasOfSteps();
[[nodiscard]] std::vector<const Schema*> schemasOfLenses(); ///< tables from npu_ops to left_out

} // namespace tilewright::tables
