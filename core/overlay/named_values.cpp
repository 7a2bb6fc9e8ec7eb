// SPDX-License-Identifier: GPL-3.0-or-later
#include "overlay/named_values.h"

#include "base/csv.h"
#include "base/file.h"
#include "base/text.h"
#include "base/utf8.h"
#include "overlay/value_rows.h"
#include "validation/measured_set.h"

#include <algorithm>
#include <filesystem>
#include <unordered_map>

namespace tilewright::overlay {

using validation::ChosenColumn;
using validation::lowerCase;
using validation::MeasuredColumn;
using validation::numberOf;
using validation::Quantity;
using validation::quotedText;

namespace {

constexpr std::string_view kMark = "\xef\xbb\xbf";
/// Columns that may contain names of operators. The first one that the table has is used.
constexpr std::initializer_list<const char*> kNameColumns = {"name", "layer",      "operator", "op",
                                                             "node", "layer name", "kernel",   "layerid"};
constexpr const char* kScaleSimName = "layerid";
constexpr const char* kScaleSimCycles = "total cycles";
/// Limit of a value. Sums of such values stay far below the largest double.
constexpr double kMostValue = 1e18;

std::string_view withoutMark(std::string_view text)
{
    if (text.starts_with(kMark))
        text.remove_prefix(kMark.size());
    return text;
}

/// The first line that is neither empty nor a comment.
std::string_view firstLine(std::string_view text)
{
    text = withoutMark(text);
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (!line.starts_with('#') && line.find_first_not_of(" \t\r") != std::string_view::npos)
            return line;
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return {};
}

char separatorOf(std::string_view line)
{
    char best = ',';
    for (const char c : {';', '\t'})
        if (std::ranges::count(line, c) > std::ranges::count(line, best))
            best = c;
    return best;
}

bool isJson(std::string_view text)
{
    text = withoutMark(text);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

/// The heading of the part of Timeloop's statistics that contains the totals.
constexpr std::string_view kTimeloopHeading = "Summary Stats";

bool isTimeloopStats(std::string_view text)
{
    return text.find(kTimeloopHeading) != std::string_view::npos &&
           text.find("Cycles:") != std::string_view::npos;
}

/// A column of values, and the name of the total in Timeloop's statistics.
struct TimeloopTotal
{
    const char *field, *column;
};
constexpr TimeloopTotal kTimeloopTotals[] = {{"Cycles:", "cycles"}, {"Energy:", "energy_uj"}};

/// Name of the layer of a file of statistics: the file name without its endings; if it is the default name of
/// the tool, the name of the folder.
std::string layerOfFile(const std::string& file)
{
    const std::filesystem::path path(file);
    std::string stem = path.filename().string();
    stem.resize(std::min(stem.find('.'), stem.size()));
    return stem.empty() || stem.starts_with("timeloop-") ? path.parent_path().filename().string() : stem;
}

/// The number after a field of the totals, with its line.
struct FoundTotal
{
    std::string text;
    std::size_t line = 0;
};
FoundTotal totalOf(std::string_view text, std::string_view field)
{
    const std::size_t heading = text.rfind(kTimeloopHeading);
    const std::size_t at = text.find(field, heading);
    if (at == std::string_view::npos)
        return {};
    std::string_view rest = text.substr(at + field.size());
    rest = rest.substr(0, rest.find('\n'));
    const std::size_t from = rest.find_first_not_of(' ');
    if (from == std::string_view::npos)
        return {};
    rest.remove_prefix(from);
    return {std::string(rest.substr(0, rest.find_first_of(" \r"))),
            1 + static_cast<std::size_t>(
                    std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'))};
}

Result<NamedValues> readTimeloop(std::string_view text, const std::string& file, const ReadOptions& options)
{
    ValueRows rows(file, Form::TimeloopStats, options);
    std::vector<std::string_view> names{"name"};
    std::vector<FoundTotal> totals;
    for (const TimeloopTotal& total : kTimeloopTotals)
        if (FoundTotal found = totalOf(text, total.field); !found.text.empty()) {
            names.emplace_back(total.column);
            totals.push_back(std::move(found));
        }
    const std::string layer = layerOfFile(file);
    std::vector<std::string_view> cells{layer};
    for (const FoundTotal& total : totals)
        cells.emplace_back(total.text);
    const std::size_t line = totals.empty() ? 1 : totals.front().line;
    if (Status s = rows.header(std::move(names), line); !s)
        return s.error();
    if (Status s = rows.row(std::move(cells), line); !s)
        return s.error();
    return std::move(rows).finish();
}

Result<NamedValues> readTable(std::string_view text, const std::string& file, const ReadOptions& options)
{
    const char separator = separatorOf(firstLine(text));
    ValueRows rows(file, Form::Table, options);
    std::size_t line = 0;
    text = withoutMark(text);
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        const std::string_view content = text.substr(start, end - start);
        start = end + 1;
        ++line;
        if (content.starts_with('#')) {
            const std::size_t from = content.find_first_not_of("# ");
            if (!rows.hasHeader() && from != std::string_view::npos)
                rows.addHead(printable(content.substr(from)));
            continue;
        }
        std::vector<std::string_view> cells = csvCells(content, separator);
        if (cells.empty())
            continue;
        if (Status s =
                rows.hasHeader() ? rows.row(std::move(cells), line) : rows.header(std::move(cells), line);
            !s)
            return s.error();
    }
    return std::move(rows).finish();
}

/// Reads a table of shapes without a column of names. The names are those of the rows of the measured set.
Result<NamedValues> readSet(std::string_view text, const std::string& file, const ReadOptions& options)
{
    // The kind of operator that a row of vectors measures is not part of its name.
    auto set = validation::readMeasuredSet(text, file, {options.column, "elementwise", options.where, 0});
    if (!set)
        return set.error();
    NamedValues out{file, Form::MeasuredSet, std::move(set->head), set->column, {}, set->leftOut};
    out.values.reserve(set->rows.size());
    for (validation::MeasuredRow& row : set->rows)
        out.values.push_back({std::move(row.name), row.line, row.measured});
    return joined(std::move(out), options.repeated);
}

bool hasNames(std::string_view header)
{
    for (const std::string_view cell : csvCells(header, separatorOf(header)))
        if (std::ranges::find(kNameColumns, lowerCase(cell),
                              [](const char* name) { return std::string(name); }) != kNameColumns.end())
            return true;
    return false;
}

} // namespace

std::string placeOf(Form form, std::size_t line)
{
    return (form == Form::Document ? "entry " : "line ") + std::to_string(line);
}

std::string_view titleOf(Form form) noexcept
{
    switch (form) {
    case Form::Document:
        return "JSON";
    case Form::MeasuredSet:
        return "measured set";
    case Form::ScaleSim:
        return "report of SCALE-Sim";
    case Form::TimeloopStats:
        return "statistics of Timeloop";
    case Form::Table:
        break;
    }
    return "table";
}

ValueRows::ValueRows(std::string file, Form form, const ReadOptions& options) : m_options(options)
{
    m_row.file = file;
    m_out.file = std::move(file);
    m_out.form = form;
}

Status ValueRows::header(std::vector<std::string_view> names, std::size_t line)
{
    m_hasHeader = true;
    m_row.line = line;
    m_row.cells = std::move(names);
    m_row.takeNames();
    auto conditions = validation::readConditions(m_options.where, m_row);
    if (!conditions)
        return conditions.error();
    m_conditions = std::move(*conditions);
    if (!m_options.nameColumn.empty()) {
        const auto at = validation::columnNamed(m_row, m_options.nameColumn);
        if (!at)
            return at.error();
        m_name = *at;
    } else if (const auto at = m_row.column(kNameColumns)) {
        m_name = *at;
        if (m_out.form == Form::Table && lowerCase(m_row.names[m_name]) == kScaleSimName)
            m_out.form = Form::ScaleSim;
    } else {
        m_name = 0;
    }
    std::string column = m_options.column;
    if (column.empty() && m_out.form == Form::ScaleSim && m_row.column({kScaleSimCycles}))
        column = kScaleSimCycles;
    // A column that the user names need not have a unit. Otherwise a column with a unit is chosen.
    auto chosen = validation::chosenColumn(m_row, column);
    if (!chosen) {
        std::optional<std::size_t> at;
        if (!column.empty()) {
            const auto named = validation::columnNamed(m_row, column);
            if (!named)
                return named.error();
            at = *named;
        } else if (m_row.names.size() == 2) { // the two columns are names and values
            at = 1 - m_name;
        } else {
            return m_row.fail("no column has a time or cycles, and none was named; the columns are " +
                              m_row.namesText());
        }
        chosen = ChosenColumn{*at, validation::measuredColumn(m_row.names[*at])
                                       .value_or(MeasuredColumn{m_row.names[*at], Quantity::Plain, 1})};
    }
    if (!m_options.unit.empty()) {
        const auto unit = validation::columnInUnit(m_options.unit);
        if (!unit)
            return Error{ErrorCode::Field,
                         "expected one of " + std::string(validation::kUnitWords) + ", got " +
                             quotedText(m_options.unit),
                         "--unit",
                         {}};
        chosen->column.quantity = unit->quantity;
        chosen->column.scale = unit->scale;
    }
    if (chosen->at == m_name)
        return m_row.fail("the column " + quotedText(m_row.names[m_name]) + " is that of the names");
    m_value = chosen->at;
    m_out.column = std::move(chosen->column);
    m_out.column.name = printable(m_out.column.name);
    return Unit{};
}

Status ValueRows::row(std::vector<std::string_view> cells, std::size_t line)
{
    m_row.line = line;
    m_row.cells = std::move(cells);
    const std::string_view value = m_row.cell(m_value);
    if (value.empty() || !validation::meets(m_row, m_conditions))
        return ++m_out.leftOut, Unit{};
    const std::string_view name = m_row.cell(m_name);
    if (name.empty())
        return m_row.fail("the row has no name");
    const auto number = numberOf(value);
    if (!number || *number < 0 || *number * m_out.column.scale > kMostValue)
        return m_row.fail(printable(m_row.names[m_value]) + ": expected a number from 0 to 1e18, got " +
                          quotedText(value));
    m_out.values.push_back({printable(name), line, *number * m_out.column.scale});
    return Unit{};
}

Result<NamedValues> ValueRows::finish() &&
{
    if (!m_hasHeader)
        return Error{ErrorCode::Field, "expected a line with the names of the columns", {}, m_out.file};
    return joined(std::move(m_out), m_options.repeated);
}

Result<NamedValues> joined(NamedValues values, Repeated repeated)
{
    if (values.values.empty())
        return Error{ErrorCode::Field, "no row has a value and meets the conditions", {}, values.file};
    std::unordered_map<std::string_view, std::size_t> first;
    first.reserve(values.values.size());
    std::vector<double> counts;
    std::vector<NamedValue> out;
    out.reserve(values.values.size());
    for (const NamedValue& value : values.values) {
        const auto [at, isNew] = first.try_emplace(value.name, out.size());
        if (isNew) {
            out.push_back(value);
            counts.push_back(1);
            continue;
        }
        if (repeated == Repeated::Refused)
            return Error{ErrorCode::Field,
                         quotedText(value.name) + " is also the name of " +
                             placeOf(values.form, out[at->second].line) +
                             "; --repeated sum or mean joins such rows",
                         placeOf(values.form, value.line), values.file};
        out[at->second].value += value.value;
        ++counts[at->second];
    }
    if (repeated == Repeated::Mean)
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i].value /= counts[i];
    values.values = std::move(out);
    return values;
}

bool isNamedValues(std::string_view text)
{
    if (isJson(text))
        return isNamedValuesJson(text);
    if (isTimeloopStats(text))
        return true;
    const std::string_view line = firstLine(text);
    if (!hasNames(line) || validation::isMeasuredSet(text))
        return false;
    const auto cells = csvCells(line, separatorOf(line));
    return cells.size() == 2 || std::ranges::any_of(cells, [](std::string_view cell) {
               return validation::measuredColumn(cell).has_value();
           });
}

Result<NamedValues> readNamedValues(std::string_view text, const std::string& file,
                                    const ReadOptions& options)
{
    if (std::string foreign = foreignFormat(text.substr(0, 256)); !foreign.empty())
        return Error{ErrorCode::Syntax, std::move(foreign), {}, file};
    if (isJson(text))
        return readNamedValuesJson(text, file, options);
    if (isTimeloopStats(text))
        return readTimeloop(text, file, options);
    if (options.nameColumn.empty() && !hasNames(firstLine(text)) && validation::isMeasuredSet(text))
        return readSet(text, file, options);
    return readTable(text, file, options);
}

} // namespace tilewright::overlay
