// SPDX-License-Identifier: GPL-3.0-or-later
#include "table_columns.h"

namespace tilewright::python {

namespace {

double numberOf(const TableValue& value)
{
    if (const auto* const integer = std::get_if<std::int64_t>(&value))
        return static_cast<double>(*integer);
    const auto* const number = std::get_if<double>(&value);
    return number != nullptr ? *number : std::numeric_limits<double>::quiet_NaN();
}

py::object arrayOfColumn(const std::vector<TableValue>& values, tables::ColumnType type)
{
    if (type == tables::ColumnType::Text) {
        py::list out;
        for (const TableValue& value : values) {
            const auto* const text = std::get_if<std::string>(&value);
            out.append(text != nullptr ? py::object(py::str(*text)) : py::none());
        }
        return out;
    }
    if (type == tables::ColumnType::Integer && std::ranges::all_of(values, &TableValue::isKnown)) {
        std::vector<std::int64_t> out;
        out.reserve(values.size());
        for (const TableValue& value : values)
            out.push_back(std::get<std::int64_t>(value));
        return arrayOf(out);
    }
    std::vector<double> out;
    out.reserve(values.size());
    for (const TableValue& value : values)
        out.push_back(numberOf(value));
    return arrayOf(out);
}

} // namespace

bool TableColumns::fill(const tables::Subject& subject, const Progress& progress)
{
    for (const tables::Schema* const schema : tables::schemas())
        m_columns[schema].resize(schema->columns.size());
    return tables::writeTables(
        subject,
        [this](const tables::Schema& schema, std::span<const TableValue> row) {
            auto& columns = m_columns[&schema];
            for (std::size_t c = 0; c < row.size(); ++c)
                columns[c].push_back(row[c]);
        },
        progress);
}

py::dict TableColumns::arrays() const
{
    py::dict out;
    for (const tables::Schema* const schema : tables::schemas()) {
        py::list columns;
        const auto& values = m_columns.at(schema);
        for (std::size_t c = 0; c < values.size(); ++c)
            columns.append(py::make_tuple(std::string(schema->columns[c].name),
                                          arrayOfColumn(values[c], schema->columns[c].type)));
        out[py::str(std::string(schema->name))] = columns;
    }
    return out;
}

} // namespace tilewright::python
