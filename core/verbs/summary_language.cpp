// SPDX-License-Identifier: GPL-3.0-or-later
// What the rows of the Summary say of a whole language model (docs/rules/llm.md 7).
#include "base/text.h"
#include "lower/collectives.h"
#include "lower/group_step.h"
#include "lower/launch.h"
#include "verbs/summary_rows.h"

#include <algorithm>
#include <map>
#include <set>

namespace tilewright::verbs {

namespace {

lower::CyclesOfLayers weighted(const SummaryRow& row, const SummarySubject& subject,
                               const llm::LlmScope& scope)
{
    // Systolic and Mapping state the cycles of one product. An operator may have several equal products.
    std::map<OperatorId, std::pair<double, double>> products;
    const bool ofOne = lensOf(row.kind) == MachineLens::Systolic || lensOf(row.kind) == MachineLens::Mapping;
    if (ofOne) {
        const lower::LoweredProblem& lowered = subject.model->lowered;
        for (std::size_t i = 0; i < lowered.data.ops.size(); ++i)
            if (lower::gemmOf(lowered, OpId(i)))
                products[lowered.source[i]].first += 1;
        for (const OperatorFigures& f : row.operators)
            products[f.op].second += 1;
    }
    std::vector<std::pair<OperatorId, double>> cyclesOf;
    for (const OperatorFigures& f : row.operators) {
        double cycles = f.shared.value_or(f.cycles.value);
        if (const auto found = products.find(f.op); found != products.end() && found->second.first > 0)
            cycles *= found->second.first / found->second.second;
        cyclesOf.emplace_back(f.op, cycles);
    }
    return lower::ofAllLayers(scope, cyclesOf);
}

/// Adds the collectives to the cycles of a chip of the current stage.
ExplainedValue withCollectives(ExplainedValue cycles, const llm::LlmScope& scope, const Machine& machine)
{
    const ExplainedValue collectives = lower::collectiveTime(scope.config, scope.options, machine);
    std::string name = cycles.name + " and collectives";
    return combined(Operation::Sum, std::move(name), "cycles",
                    {std::move(cycles), lower::cyclesOf(collectives, machine)}, "docs/rules/llm.md 8.3");
}

} // namespace

void addWhole(SummaryRow& row, const SummarySubject& subject)
{
    const auto& scope = subject.model->workload->language;
    const auto& cycles = row.of(SummaryFigure::Cycles);
    if (!scope || !cycles)
        return;
    const lower::CyclesOfLayers w = weighted(row, subject, *scope);
    if (w.once <= 0)
        return;
    const auto& sources = subject.model->lowered.source;
    for (const OperatorId op : std::set<OperatorId>(sources.begin(), sources.end()))
        row.wholeLaunches += static_cast<double>(scope->countOf(op)) * lower::launchOf(*subject.model, op);
    row.wholeCycles = combined(
        Operation::Product, "cycles of all layers", "cycles",
        {*cycles, combined(Operation::Quotient, "layers for each of the model", "",
                           {leaf("cycles of the operators, each as often as the whole model has it", "cycles",
                                 w.whole, "operators of this row", "docs/rules/llm.md 7"),
                            leaf("cycles of the operators", "cycles", w.once, "operators of this row")})},
        "docs/rules/llm.md 7");
    ExplainedValue floor =
        lower::stepFloor(scope->config, scope->options, subject.model->machine, subject.coresOf(row.kind))
            .cycles;
    if (scope->options.isGroup()) {
        row.wholeCycles = withCollectives(std::move(*row.wholeCycles), *scope, subject.model->machine);
        floor = withCollectives(std::move(floor), *scope, subject.model->machine);
    }
    row.wholeOfFloor = combined(Operation::Quotient, "multiple of the floor", "",
                                {*row.wholeCycles, std::move(floor)}, "docs/rules/llm.md 7");
}

std::optional<double> wholeMilliseconds(const Summary& summary, const SummaryRow& row)
{
    if (!row.wholeCycles || summary.clockGhz <= 0)
        return std::nullopt;
    return row.wholeCycles->value / (summary.clockGhz * 1e6) + row.wholeLaunches;
}

std::vector<LanguageLine> languageLines(const LanguageFigures& figures)
{
    std::vector<LanguageLine> out{{"step", stepText(figures.options)}};
    for (const LanguageColumn& column : languageColumns()) {
        if (isOfGroup(column.figure) && !figures.options.isGroup())
            continue;
        const auto& figure = figures.of(column.figure);
        std::string text = languageText(figures, column.figure);
        if (!column.unit.empty() && figure)
            text += " " + std::string(column.unit);
        out.push_back({std::string(column.title), std::move(text), figure ? &*figure : nullptr});
    }
    double macs = 0, bytes = 0;
    for (const LanguagePart& part : figures.parts) {
        macs += part.macs;
        bytes += part.readBytes;
    }
    for (const LanguagePart& part : figures.parts)
        out.push_back({"share of " + std::string(llm::toString(part.part)),
                       percent(macs > 0 ? part.macs / macs : 0) + " of the multiply-accumulates, " +
                           percent(bytes > 0 ? part.readBytes / bytes : 0) + " of the bytes read"});
    return out;
}

namespace {

/// Text " of 4 cores": the cores whose floor the row is compared with.
std::string floorCores(const SummaryRow& row)
{
    const auto& cores = row.of(SummaryFigure::Cores);
    if (!cores)
        return {};
    return " of " + formatGrouped(cores->value) + (cores->value == 1 ? " core" : " cores");
}

} // namespace

std::vector<LanguageLine> languageLines(const Summary& summary)
{
    if (!summary.language)
        return {};
    std::vector<LanguageLine> out = languageLines(*summary.language);
    const llm::LlmOptions& options = summary.language->options;
    const auto tokens = static_cast<double>(options.batch * options.computed());
    for (const SummaryRow& row : summary.rows)
        if (const auto ms = wholeMilliseconds(summary, row))
            out.push_back(
                {"whole model, " + std::string(titleOf(row.kind)),
                 significantNumber(*ms * static_cast<double>(options.stages)) + " ms a step, " +
                     (row.wholeLaunches > 0
                          ? significantNumber(row.wholeLaunches * static_cast<double>(options.stages)) +
                                " of them launches, "
                          : std::string()) +
                     significantNumber(*ms > 0 ? 1000 * tokens / *ms : 0) + " tokens a second, " +
                     significantNumber(row.wholeOfFloor ? row.wholeOfFloor->value : 0) + " x floor" +
                     floorCores(row),
                 &*row.wholeCycles});
    return out;
}

} // namespace tilewright::verbs
