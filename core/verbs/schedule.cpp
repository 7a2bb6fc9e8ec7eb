// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/schedule.h"

#include "base/file.h"
#include "edit/fit.h"
#include "eval/lower_bound.h"
#include "solve/search/constraint_costs.h"

#include <cmath>

namespace tilewright::verbs {

Status RulesCall::apply(Rules& rules) const
{
    for (const std::string& setting : switches)
        if (Status status = setRule(rules, setting); !status) {
            Error error = status.error();
            error.path = "--set";
            return error;
        }
    return Unit{};
}

Result<Rules> RulesCall::rules(const Problem& problem) const
{
    if (value)
        return *value;
    Rules out = problem.rules();
    if (set != "auto") {
        const auto named = rulesNamed(set);
        if (!named)
            return named.error();
        out = named->rules;
    }
    if (const Status status = apply(out); !status)
        return status.error();
    return out;
}

Result<EvaluatedFiles> evaluateFiles(ScheduleCall& call)
{
    const auto text = readFile(call.schedule);
    TargetOfFile made{{}, call.schedule};
    if (text) { // without the text, errors of the problem are reported first
        auto target = lower::targetOfSchedule(*text, call.schedule);
        if (!target)
            return target.error();
        made.target = std::move(*target);
    }
    auto on = readProblem(call.workload, made);
    if (!on)
        return on.error();
    if (!text)
        return text.error();
    const Problem& problem = *on->problem;
    auto loaded = readSchedule(problem, *text, call.schedule);
    if (!loaded)
        return loaded.error();
    noticeOf(call.schedule, lower::unknownInSchedule(loaded->schedule.extra));
    auto rules = call.rules.set == "auto" ? rulesOfFile(problem, *loaded) : rulesNamed(call.rules.set);
    if (!rules)
        return rules.error();
    if (const Status status = call.rules.apply(rules->rules); !status)
        return status.error();
    for (const std::string& setting : call.rules.switches)
        rules->reason += ", " + setting;
    const bool own = !on->target.machine && !on->target.hardware;
    EvaluatedFiles out{evaluateLoaded(std::move(on->problem), std::move(*loaded), std::move(*rules)),
                       std::move(on->text), own, std::move(on->model)};
    if (out.loaded.formatIssues.empty() && !call.workload.hasMachine()) {
        out.deviations = latencyDeviations(out.loaded.schedule, out.evaluation);
        noticeDeviations(call.schedule, out.deviations);
    }
    return out;
}

Result<EvaluatedFiles> evaluateFilesOrStart(ScheduleCall& call)
{
    if (!call.schedule.empty())
        return evaluateFiles(call);
    auto on = readProblem(call.workload);
    if (!on)
        return on.error();
    const auto rules = call.rules.rules(*on->problem);
    if (!rules)
        return rules.error();
    LoadedSchedule start;
    start.schedule = oneOpPerSubgraph(*on->problem, *rules);
    return EvaluatedFiles{evaluateLoaded(on->problem, std::move(start), {*rules, "one op a subgraph"}),
                          on->text, true, on->model};
}

RulesChoice rulesOfFile(const Problem& problem, const LoadedSchedule& loaded)
{
    if (!loaded.formatIssues.empty())
        return {Rules::final(), "the file has format errors"};
    return chooseRules(problem, loaded.schedule);
}

Result<RulesChoice> rulesNamed(const std::string& set)
{
    const auto named = ruleSetNamed(set);
    if (!named)
        return Error{
            ErrorCode::Field, "expected auto, " + ruleSetList() + ", got \"" + set + "\"", "--rules", {}};
    return RulesChoice{*named, "given by --rules"};
}

EvaluatedSchedule evaluateLoaded(ProblemPtr problem, LoadedSchedule loaded, RulesChoice rules)
{
    EvaluatedSchedule out{std::move(problem), std::move(loaded), std::move(rules), {}};
    if (out.loaded.formatIssues.empty()) {
        out.evaluation = evaluate(*out.problem, out.loaded.schedule, out.rules.rules);
    } else {
        out.evaluation.rules = out.rules.rules;
        prependFormatIssues(out.evaluation, out.loaded.formatIssues);
    }
    return out;
}

Snapshot snapshotOf(const EvaluatedSchedule& evaluated)
{
    Snapshot out;
    out.problem = evaluated.problem;
    out.schedule = evaluated.loaded.schedule;
    out.evaluation = evaluated.evaluation;
    out.lowerBound = lowerBound(*evaluated.problem, evaluated.rules.rules).value;
    if (evaluated.loaded.formatIssues.empty())
        out.arrayTotal =
            evaluate(*evaluated.problem, evaluated.loaded.schedule, evaluated.rules.rules.onArray()).total;
    return out;
}

std::string whyNotPlaced(const EvaluatedSchedule& evaluated)
{
    const Issue* issue = evaluated.evaluation.verdict();
    return issue ? "only a valid schedule has items to place; " + sentence(*issue) : std::string();
}

Result<Schedule> startOf(LoadedSchedule loaded, const std::string& file)
{
    if (loaded.formatIssues.empty())
        return std::move(loaded.schedule);
    const Issue& issue = loaded.formatIssues.front();
    return Error{ErrorCode::Field, issue.text, issue.path, file};
}

std::string BoundAnswer::json() const
{
    return boundJson(*on.problem, bound, energy, best ? &*best : nullptr);
}

ProofRunLimits proofLimits(const BoundCall& call, std::stop_token stop)
{
    return {
        .seconds = call.seconds, .threads = static_cast<std::size_t>(call.threads), .stop = std::move(stop)};
}

Result<BoundAnswer> boundOf(BoundCall& call, const std::stop_token& interrupt)
{
    auto on = readProblem(call.workload);
    if (!on)
        return on.error();
    const auto rules = call.rules.rules(*on->problem);
    if (!rules)
        return rules.error();
    BoundAnswer out{std::move(*on), {}, {}, {}};
    const Problem& problem = *out.on.problem;
    out.energy = energyBound(problem, *rules);
    if (call.seconds <= 0) {
        out.bound = lowerBound(problem, *rules);
        return out;
    }
    ProofRunResult proof = runProof(problem, *rules, proofLimits(call, interrupt));
    out.bound = std::move(proof.bound);
    if (std::isfinite(proof.state.best))
        out.best = BoundedBest{proof.state.best, proof.state.optimal, proof.state.space};
    return out;
}

Result<Buffers> readBuffers(const PlaceCall& call)
{
    const std::string& file = call.workload.file;
    if (call.capacity <= 0)
        return Error{ErrorCode::Field, "a file of buffers needs --capacity N", {}, file};
    const auto text = readFile(file);
    if (!text)
        return text.error();
    auto buffers = tilewright::readBuffers(*text);
    if (buffers)
        return buffers;
    Error error = buffers.error();
    error.file = file;
    return error;
}

std::string PlaceAnswer::json() const
{
    return schedule ? placementJson(*problem, *schedule) : placementJson(buffers, placement, capacity);
}

Result<PlaceAnswer> placeBuffers(Buffers buffers, std::int64_t capacity, const Progress& progress)
{
    Placement placement = findPlacement(buffers.items, capacity, progress);
    return PlaceAnswer{std::move(placement), std::move(buffers), capacity};
}

Result<PlaceAnswer> placeItems(const EvaluatedSchedule& evaluated, const Progress& progress)
{
    const Problem& problem = *evaluated.problem;
    auto placed = placeSchedule(problem, evaluated.loaded.schedule, evaluated.rules.rules, progress);
    if (!placed)
        return placed.error();
    Placement placement = placed->placement;
    Buffers buffers = buffersOf(problem, placed->items);
    return PlaceAnswer{std::move(placement), std::move(buffers), problem.hardware().fastMemoryCapacity,
                       evaluated.problem, std::move(*placed)};
}

namespace {

Result<ScheduleConstraints> constraintsIn(const Problem& problem, const std::string& file)
{
    const auto text = readFile(file);
    return text ? readConstraints(problem, *text, file) : text.error();
}

} // namespace

Result<std::optional<ConstraintCheck>> checkConstraints(const EvaluateCall& call,
                                                        const EvaluatedSchedule& evaluated)
{
    if (call.constraintsFile.empty())
        return std::optional<ConstraintCheck>();
    auto read = constraintsIn(*evaluated.problem, call.constraintsFile);
    if (!read)
        return read.error();
    if (!evaluated.loaded.formatIssues.empty())
        return std::optional<ConstraintCheck>();
    auto broken = violations(*evaluated.problem, evaluated.rules.rules, evaluated.loaded.schedule, *read);
    return std::optional(ConstraintCheck{std::move(*read), std::move(broken)});
}

Result<SolveOptions> solveOptions(const SolveCall& call, const Problem& problem)
{
    const auto rules = call.rules.rules(problem);
    if (!rules)
        return rules.error();
    SolveOptions out;
    out.rules = *rules;
    out.seconds = call.seconds.value_or(suggestedSeconds(problem.opCount()));
    out.stagnation = call.patience;
    out.threads = call.threads;
    out.seed = call.seed;
    out.iterations = call.iterations;
    out.placeable = call.placeable;
    const auto objective = std::ranges::find(kObjectiveNames, call.objective);
    if (objective == kObjectiveNames.end())
        return Error{ErrorCode::Refused, "must be latency, energy or edp", "objective", {}};
    out.objective = static_cast<SolveObjective>(objective - kObjectiveNames.begin());
    if (call.prove > 0 && out.objective != SolveObjective::Latency)
        return Error{
            ErrorCode::Refused, "only latencies are proven: needs the objective latency", "prove", {}};
    out.start = call.start;
    out.selection = call.selection;
    out.constraints = call.constraints;
    if (!call.constraintsFile.empty()) {
        auto read = constraintsIn(problem, call.constraintsFile);
        if (!read)
            return read.error();
        out.constraints.add(*read);
    }
    if (call.start || call.startFile.empty())
        return out;
    auto loaded = loadSchedule(problem, call.startFile);
    if (!loaded)
        return loaded.error();
    auto start = startOf(std::move(*loaded), call.startFile);
    if (!start)
        return start.error();
    auto own = constraintsOf(problem, *start, call.startFile);
    if (!own)
        return own.error();
    out.constraints.add(*own);
    if (!call.workload.hasMachine())
        noticeDeviations(call.startFile, latencyDeviations(*start, evaluate(problem, *start, *rules)));
    out.start = std::move(*start);
    return out;
}

Result<std::optional<RunFinish>> finishAfter(const SolveCall& call, const Problem& problem,
                                             const SolveOptions& options, SolveResult& result)
{
    if (call.finish != "run" || options.stop.stop_requested())
        return std::optional<RunFinish>();
    std::vector<Schedule> found{result.schedule};
    for (const FrontPoint& p : result.front)
        if (!(*p.schedule == result.schedule))
            found.push_back(*p.schedule);
    const Deadline deadline(options.seconds, options.stop);
    auto finish = finishOnRun(problem, found, options.rules, RunOptions().prefetch, deadline.progress());
    if (!finish)
        return finish.error();
    result.schedule = finish->schedule;
    const Evaluation e = evaluate(problem, result.schedule, options.rules);
    result.provenOptimal = result.provenOptimal && e.total <= result.total * (1 + 1e-12);
    result.total = e.total;
    result.energy = e.energy;
    result.latencies.clear();
    for (const SubgraphEvaluation& s : e.subgraphs)
        result.latencies.push_back(s.latency);
    result.stopped = result.stopped || options.stop.stop_requested();
    return std::optional(std::move(*finish));
}

void costsAfter(const SolveCall& call, const Problem& problem, const SolveOptions& options,
                SolveResult& result)
{
    if (call.constraintCosts && !options.stop.stop_requested())
        findConstraintCosts(problem, options, result);
    result.stopped = result.stopped || options.stop.stop_requested();
}

void proveAfter(const SolveCall& call, const Problem& problem, const SolveOptions& options,
                SolveResult& result, const std::function<void(double, double)>& report)
{
    if (call.prove <= 0 || result.provenOptimal || options.stop.stop_requested())
        return;
    const double begun = wallClock();
    ProofCallbacks callbacks;
    if (report)
        callbacks.onBound = [&report, begun, searched = result.seconds](const LowerBound& bound) {
            report(searched + wallClock() - begun, bound.value);
        };
    ProofRunLimits limits = proofLimits({.seconds = call.prove, .threads = call.threads}, options.stop);
    limits.total = result.total;
    limits.findsSchedule = false;
    const ProofRunResult proof = runProof(problem, options.rules, limits, callbacks);
    // The proof may find a better schedule that violates constraints or locks of the start schedule, or whose
    // buffers cannot get addresses.
    const bool isFree = !options.placeable && !options.start && !options.constraints.any();
    applyProof(result, proof, isFree, wallClock() - begun);
    result.stopped = result.stopped || options.stop.stop_requested();
}

} // namespace tilewright::verbs
