// SPDX-License-Identifier: GPL-3.0-or-later
// The table of one or several summaries for people: in the window and in reports.
#include "base/text.h"
#include "verbs/summary.h"

#include <algorithm>

namespace tilewright::verbs {

std::vector<SummaryLine> summaryLines(std::span<const Summary> summaries)
{
    std::vector<SummaryLine> out;
    for (std::size_t s = 0; s < summaries.size(); ++s) {
        if (summaries.size() > 1)
            out.push_back({s, {}, {}});
        for (std::size_t i = 0; i < summaries[s].floors.size(); ++i)
            out.push_back({s, i, {}});
        for (const SummaryRow& row : summaries[s].rows)
            out.push_back({s, {}, row.kind});
    }
    return out;
}

const SummaryFigures& figuresOf(std::span<const Summary> summaries, const SummaryLine& line)
{
    static const SummaryFigures kNone;
    const Summary& summary = summaries[line.summary];
    return line.floor  ? summary.floorFigures[*line.floor]
           : line.kind ? summary.rows[static_cast<std::size_t>(*line.kind)].figures
                       : kNone;
}

std::optional<double> ratioOf(std::span<const Summary> summaries, const SummaryLine& line,
                              SummaryFigure figure)
{
    if (line.summary == 0 || summaries.front().floors.empty())
        return std::nullopt;
    SummaryLine first{0, line.floor, line.kind};
    if (line.floor) { // the first floor is compared with the first one, the last floor with the last one
        const std::size_t last = summaries.front().floors.size() - 1;
        first.floor =
            *line.floor + 1 == summaries[line.summary].floors.size() ? last : std::min(*line.floor, last);
    }
    const auto at = static_cast<std::size_t>(figure);
    const auto& value = figuresOf(summaries, line)[at];
    const auto& before = figuresOf(summaries, first)[at];
    if (!value || !before || value->value == 0 || before->value == 0)
        return std::nullopt;
    return value->value / before->value;
}

std::string shownFigure(std::span<const Summary> summaries, const SummaryLine& line, SummaryFigure figure)
{
    const auto& value = figuresOf(summaries, line)[static_cast<std::size_t>(figure)];
    std::string out;
    if (value)
        out = figureText(figure, value->value);
    else if (line.kind)
        out = summaries[line.summary].rows[static_cast<std::size_t>(*line.kind)].text(figure);
    if (const auto ratio = ratioOf(summaries, line, figure))
        out += " (× " + significantNumber(*ratio) + ")";
    return out;
}

std::string bindsInShort(std::span<const Summary> summaries, const SummaryLine& line)
{
    const Summary& summary = summaries[line.summary];
    if (line.floor)
        return summary.floors[*line.floor].boundByMemory() ? "memory" : "compute";
    return line.kind ? summary.rows[static_cast<std::size_t>(*line.kind)].bindsInShort() : std::string();
}

Table summaryTable(std::span<const Summary> summaries)
{
    Table out;
    out.columns = {{"Lens"}};
    for (const SummaryColumn& column : summaryColumns()) {
        std::string title(column.title);
        if (column.figure != SummaryFigure::Milliseconds && title.front() >= 'a' && title.front() <= 'z')
            // "ms" stays in lower case, because it is a unit.
            title.front() = static_cast<char>(title.front() - 'a' + 'A');
        out.columns.push_back({std::move(title), ColumnKind::Number});
    }
    out.columns.push_back({"Binds"});
    out.columns.push_back({"Leaves out"});
    for (const SummaryLine& line : summaryLines(summaries)) {
        const Summary& summary = summaries[line.summary];
        const SummaryRow* row = line.kind ? &summary.rows[static_cast<std::size_t>(*line.kind)] : nullptr;
        const lower::Floor* floor = line.floor ? &summary.floors[*line.floor] : nullptr;
        std::vector<TableCell> cells;
        cells.emplace_back(
            row     ? std::string(titleOf(row->kind))
            : floor ? "Floor on " + std::to_string(floor->cores) + (floor->cores == 1 ? " core" : " cores")
                    : (line.summary > 0 ? "Compared with " : "") + summary.model + " on " + summary.machine);
        for (const SummaryColumn& column : summaryColumns()) {
            const auto& figure = figuresOf(summaries, line)[static_cast<std::size_t>(column.figure)];
            cells.emplace_back(figure ? TableValue(figure->value) : TableValue(),
                               shownFigure(summaries, line, column.figure));
        }
        std::string leftOut;
        for (const std::string& part : row ? row->leftOut : std::vector<std::string>())
            leftOut += (leftOut.empty() ? "" : "; ") + part;
        const std::string binds = bindsInShort(summaries, line);
        cells.emplace_back(binds, binds, std::nullopt, row ? row->binds : std::string());
        cells.emplace_back(leftOut, leftOut, std::nullopt, leftOut);
        out.add(std::move(cells));
    }
    return out;
}

std::string summaryText(std::span<const Summary> summaries)
{
    const Table table = summaryTable(summaries);
    if (table.rows.empty())
        return {};
    std::string out;
    const auto add = [&](const auto& cellAt) {
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            std::string cell = cellAt(c); // the cell may contain names from a file
            std::ranges::replace_if(
                cell, [](char letter) { return letter == '\t' || letter == '\n'; }, ' ');
            out += (c > 0 ? "\t" : "") + cell;
        }
        out += '\n';
    };
    add([&](std::size_t c) { return table.heading(c); });
    for (std::size_t r = 0; r < table.rows.size(); ++r)
        add([&](std::size_t c) { return table.shown(r, c); });
    return out;
}

Summary quickSummary(const SummarySubject& subject)
{
    Summary out = emptySummary(subject);
    for (SummaryRow& row : out.rows)
        if (isQuick(row.kind))
            row = summaryRow(subject, row.kind);
    return out;
}

SummarySubject subjectOf(const EvaluatedFiles& evaluated, const WorkloadCall& workload)
{
    SummarySubject out;
    out.model = evaluated.model;
    out.workload = workload;
    out.workload.workload = evaluated.model->workload;
    out.workload.machine = evaluated.model->machine;
    out.rules = evaluated.rules.rules;
    out.rulesReason = evaluated.rules.reason;
    out.schedule = evaluated.loaded.schedule;
    return out;
}

std::vector<std::pair<std::string, std::string>> reportFigures(const lower::ModelOnMachine& model,
                                                               const Evaluation& evaluation)
{
    const Machine& machine = model.machine;
    std::vector<std::pair<std::string, std::string>> out{
        {"machine", machine.name + ": array of " + formatGrouped(machine.rows) + " × " +
                        formatGrouped(machine.cols) + ", clock " + significantNumber(machine.clockGhz) +
                        " GHz, cores " + formatGrouped(machine.cores)}};
    if (evaluation.valid()) {
        const double cycles = evaluation.total * static_cast<double>(model.lowered.timeUnit);
        out.emplace_back("time at the clock", significantNumber(cycles / machine.clockGhz / 1e6) + " ms");
        out.emplace_back("cycles", formatGrouped(cycles));
    }
    const lower::LoweringReport report = lower::reportOf(*model.workload, model.lowered.report);
    out.emplace_back("multiply-accumulates", formatGrouped(report.macs));
    const lower::Coverage& c = report.coverage;
    std::string import;
    for (const lower::NodeStatus status : {lower::NodeStatus::Mapped, lower::NodeStatus::Folded,
                                           lower::NodeStatus::Approximated, lower::NodeStatus::Dropped})
        if (c.count(status) > 0)
            import += (import.empty() ? "" : ", ") + formatGrouped(c.count(status)) + " " +
                      std::string(toString(status));
    if (c.count(lower::NodeStatus::Dropped) > 0)
        import += " (" + lower::droppedText(c) + " of the multiply-accumulates)";
    out.emplace_back("import, operators", std::move(import));
    if (std::string missing = lower::missingText(*model.workload); !missing.empty())
        out.emplace_back("missing", std::move(missing));
    if (model.workload->language)
        for (const LanguageLine& line : languageLines(languageFigures(*model.workload->language, machine)))
            out.emplace_back(line.name, line.text);
    return out;
}

} // namespace tilewright::verbs
