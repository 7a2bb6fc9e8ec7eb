// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the Schedule lens in the Summary.
#include "base/text.h"
#include "edit/fit.h"
#include "lower/element_bytes.h"
#include "verbs/run.h"
#include "verbs/summary_rows.h"

#include <algorithm>

namespace tilewright::verbs {

namespace {

std::string tileText(const Granularity& g)
{
    return formatGrouped(g.w) + " x " + formatGrouped(g.h) + " x " + formatGrouped(g.k);
}

std::string nameOf(const Problem& problem, const Schedule& schedule, std::size_t i)
{
    const std::vector<OpId>& ops = schedule.subgraphs[i]->ops;
    return "subgraph " + std::to_string(i) + ", " + problem.opName(ops.front()) +
           (ops.size() > 1 ? " and " + std::to_string(ops.size() - 1) + " more" : std::string());
}

/// Adds the figures of a valid schedule. With `run`, times are those of the run.
void addSchedule(SummaryRow& row, const SummarySubject& subject, const Schedule& schedule,
                 const Evaluation& evaluation, const ScheduleRun* run = nullptr)
{
    const double total = run ? run->end : evaluation.total;
    // On several cores, the parts of a subgraph together load more than the subgraph on one core
    // (docs/rules/run.md 5.1).
    const bool severalCores = run && run->options.cores > 1;
    const Problem& problem = *subject.model->problem;
    const auto unit = static_cast<double>(subject.model->lowered.timeUnit);
    const double elementBytes = lower::elementBytes(*subject.model);
    const std::string evaluator = "evaluator of schedules";
    std::vector<ExplainedValue> latencies, moved, energies;
    double memoryBound = 0;
    std::size_t memoryBoundSubgraphs = 0;
    std::vector<OperatorFigures> operators;
    for (std::size_t i = 0; i < evaluation.subgraphs.size(); ++i) {
        const SubgraphEvaluation& e = evaluation.subgraphs[i];
        const std::string name = nameOf(problem, schedule, i);
        const double time = run ? run->subgraphs[i].length : e.latency;
        latencies.push_back(leaf(name, "units of time", time, run ? "run of the schedule" : evaluator,
                                 run ? "docs/rules/run.md 2.3" : "R10.1"));
        moved.push_back(leaf(name, "elements", e.loadElements + e.storeElements, evaluator, "R7.5"));
        energies.push_back(leaf(name, "pJ", e.energy, evaluator, "R17"));
        if (e.bound == Bound::Memory) {
            memoryBound += e.latency;
            ++memoryBoundSubgraphs;
        }
        std::vector<OperatorId> seen;
        for (const OpId op : schedule.subgraphs[i]->ops) {
            const OperatorId source = subject.model->operatorOf(op);
            if (std::ranges::find(seen, source) != seen.end())
                continue;
            seen.push_back(source);
            OperatorFigures f{source,
                              combined(Operation::Product, name, "cycles",
                                       {latencies.back(), leaf("unit of time", "cycles", unit, "lowering")}),
                              {},
                              {},
                              name + ", tile " + tileText(schedule.subgraphs[i]->granularity) + ", " +
                                  percent(total > 0 ? time / total : 0) + " of the schedule, " +
                                  std::string(boundName(e.bound)) + "-bound"};
            if (!severalCores)
                f.dramBytes = (e.loadElements + e.storeElements) * elementBytes;
            if (problem.hasEnergy() && !severalCores)
                f.energyPj = e.energy;
            operators.push_back(std::move(f));
        }
        // Operators that run together share one latency. The sum over the layers must count it once.
        for (std::size_t o = operators.size() - seen.size(); o < operators.size(); ++o)
            operators[o].shared = operators[o].cycles.value / static_cast<double>(seen.size());
    }
    std::ranges::stable_sort(operators, {}, [](const OperatorFigures& f) { return f.op; });
    row.operators = std::move(operators);
    setFigure(row, SummaryFigure::Cycles,
              combined(Operation::Product, "cycles", "cycles",
                       {combined(Operation::Sum, run ? "end of the run" : "latency of the schedule",
                                 "units of time", std::move(latencies), run ? "R20" : "R10"),
                        leaf("unit of time", "cycles", unit, "lowering")}));
    if (severalCores)
        moved = {leaf("all stretches", "elements", problem.elementsOf(run->loadUnits + run->storeUnits),
                      "run of the schedule", "docs/rules/run.md 5.1")};
    setFigure(row, SummaryFigure::DramBytes,
              combined(Operation::Product, "DRAM bytes", "bytes",
                       {combined(Operation::Sum, "elements loaded and stored", "elements", std::move(moved)),
                        leaf("bytes of an element", "bytes", elementBytes, "lowering", "R1.9")}));
    if (problem.hasEnergy() && !severalCores)
        setFigure(row, SummaryFigure::Energy,
                  combined(Operation::Sum, "energy", "pJ", std::move(energies), "R17"));
    if (run)
        return;
    const double share = evaluation.total > 0 ? memoryBound / evaluation.total : 0;
    const std::size_t all = evaluation.subgraphs.size();
    row.binds = share >= 0.5
                    ? "memory: " + percent(share) + " of the time, " + formatGrouped(memoryBoundSubgraphs) +
                          " of " + formatGrouped(all) + " subgraphs"
                    : "compute: " + percent(1 - share) + " of the time, " +
                          formatGrouped(all - memoryBoundSubgraphs) + " of " + formatGrouped(all) +
                          " subgraphs";
}

std::string rulesText(const SummarySubject& subject)
{
    return "rules " + std::string(ruleSetName(subject.rules)) +
           (subject.rulesReason.empty() ? std::string() : " (" + subject.rulesReason + ")");
}

/// Text of the unit that is busy for the largest part of a run.
std::string busiestText(const ScheduleRun& run)
{
    const auto cores = static_cast<double>(run.cores.size());
    const auto busy = [&](RunUnit unit) { return run.of(unit).busy / cores; };
    const bool several = run.cores.size() > 1;
    const std::array units{
        std::pair{"memory: the channel", run.channelBusy},
        std::pair{several ? "array: on average each" : "array: it", busy(RunUnit::Array)},
        std::pair{several ? "vector unit: on average each" : "vector unit: it", busy(RunUnit::Vector)}};
    const auto largest = *std::ranges::max_element(units, {}, [](const auto& u) { return u.second; });
    return std::string(largest.first) + " is busy " + percent(run.end > 0 ? largest.second / run.end : 0) +
           " of the time";
}

} // namespace

SummaryRow scheduleRow(SummaryRow row, const SummarySubject& subject)
{
    const Problem& problem = *subject.model->problem;
    const Schedule schedule = subject.schedule ? *subject.schedule : oneOpPerSubgraph(problem, subject.rules);
    row.how = (subject.schedule ? "the schedule as it stands, " : "start schedule, one op a subgraph, ") +
              rulesText(subject);
    const Evaluation evaluation = evaluate(problem, schedule, subject.rules);
    if (!evaluation.valid())
        return failedRow(std::move(row), sentence(*evaluation.verdict()));
    addSchedule(row, subject, schedule, evaluation);
    return row;
}

SummaryRow runRow(SummaryRow row, const SummarySubject& subject, const Progress& progress)
{
    const Problem& problem = *subject.model->problem;
    const Schedule schedule = subject.schedule ? *subject.schedule : oneOpPerSubgraph(problem, subject.rules);
    const Evaluation evaluation = evaluate(problem, schedule, subject.rules);
    if (!evaluation.valid())
        return failedRow(std::move(row), sentence(*evaluation.verdict()));
    RunCall call;
    call.cores = subject.coresOf(row.kind);
    auto options = call.options(subject.model.get());
    if (!options)
        return failedRow(std::move(row), options.error().message);
    options->mostCommands = 0;
    const auto run = runSchedule(problem, schedule, evaluation, *options, progress);
    if (!run)
        return failedRow(std::move(row), run.error().text());
    row.how = "unit by unit, loads one step ahead, " +
              (call.cores > 1 ? formatGrouped(call.cores) + " cores, " : std::string()) + rulesText(subject);
    for (std::string& note : runNotes(subject.model.get(), schedule, call.cores))
        row.leftOut.push_back(std::move(note));
    addSchedule(row, subject, schedule, evaluation, &*run);
    row.binds = busiestText(*run);
    return row;
}

SummaryRow solvedRow(SummaryRow row, const SummarySubject& subject, const Progress& progress)
{
    const Problem& problem = *subject.model->problem;
    SolveCall call;
    call.rules.value = subject.rules;
    if (subject.solve > 0)
        call.seconds = subject.solve;
    call.start = subject.schedule;
    auto options = solveOptions(call, problem);
    if (!options)
        return failedRow(std::move(row), options.error().text());
    options->stop = progress.stop;
    options->onStatus = [&](const SolveStatus& status) {
        progress.tell(std::min(1.0, status.seconds / options->seconds));
    };
    const auto result = solve(problem, *options);
    if (!result)
        return failedRow(std::move(row), result.error().text());
    row.interrupted = result->stopped;
    row.solved = std::make_shared<const Schedule>(result->schedule);
    const double cycles = static_cast<double>(subject.model->lowered.timeUnit);
    row.how = "searched for " + secondsText(result->seconds) + ", " + formatGrouped(result->schedule.size()) +
              " subgraphs, " + rulesText(subject) +
              (result->provenOptimal ? "; proven optimal over " + result->provenSpace
                                     : "; no schedule under these rules on one core takes less than " +
                                           formatGrouped(result->lowerBound * cycles) + " cycles");
    addSchedule(row, subject, result->schedule, evaluate(problem, result->schedule, subject.rules));
    return row;
}

} // namespace tilewright::verbs
