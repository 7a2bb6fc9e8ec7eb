// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "eval/memory_use.h"
#include "lower/npu_model.h"
#include "mapping/files.h"
#include "report/evaluation_json.h"
#include "report/writers.h"
#include "values.h"
#include "verbs/schedule.h"
#include "verbs/workload.h"

#include <limits>

namespace tilewright::python {

namespace {

constexpr std::int64_t kMostSteps = 4'000'000;

/// A row of the table Evaluation.steps.
struct StepRow
{
    std::int64_t subgraph, step, tile, row, col, k_step;
    double start, compute, memory, latency;
    std::int64_t load_elements, store_elements, working_set, reserved, input_elements, output_elements,
        accumulator_elements, interior_elements, donated_elements;
};

/// A row of the table Evaluation.occupancy.
struct OccupancyRow
{
    double start, end;
    std::int64_t subgraph, first_step, steps, resident, retained, input, output, accumulator, interior,
        donated, total;
};

const verbs::EvaluatedSchedule& readable(const EvaluationValue& value)
{
    if (!value.evaluated.loaded.formatIssues.empty())
        throw BadInput("a schedule with errors of format has no steps; " +
                       sentence(*value.evaluated.evaluation.verdict()));
    return value.evaluated;
}

py::array_t<StepRow> steps(const EvaluationValue& value)
{
    const verbs::EvaluatedSchedule& e = readable(value);
    std::vector<StepRow> rows;
    {
        const Released released;
        std::int64_t count = 0;
        for (const SubgraphEvaluation& s : e.evaluation.subgraphs)
            count += s.steps;
        if (count > kMostSteps)
            throw BadInput("the schedule has " + std::to_string(count) + " steps, more than the " +
                           std::to_string(kMostSteps) +
                           " that are kept in memory; evaluate --trace FILE.csv writes them");
        rows.reserve(static_cast<std::size_t>(count));
        walkSteps(*e.problem, e.loaded.schedule, e.rules.rules, {},
                  [&rows](SubgraphId subgraph, double start, const Step& s) {
                      rows.push_back({static_cast<std::int64_t>(subgraph.index()), s.index, s.tile, s.row,
                                      s.col, s.kStep, start, s.compute, s.memory, s.latency, s.loadElements,
                                      s.storeElements, s.workingSet, s.reserved, s.inputElements,
                                      s.outputElements, s.accumulatorElements, s.interiorElements,
                                      s.donatedElements});
                  });
    }
    return arrayOf(rows);
}

py::array_t<OccupancyRow> occupancyOf(const EvaluationValue& value)
{
    const verbs::EvaluatedSchedule& e = readable(value);
    std::vector<OccupancyRow> rows;
    {
        const Released released;
        for (const OccupancySegment& s : occupancy(*e.problem, e.loaded.schedule, e.rules.rules).segments)
            rows.push_back({s.start, s.end, static_cast<std::int64_t>(s.subgraph.index()), s.firstStep,
                            s.steps, s.resident, s.retained, s.input, s.output, s.accumulator, s.interior,
                            s.donated, s.total()});
    }
    return arrayOf(rows);
}

std::string json(const EvaluationValue& value)
{
    const Released released;
    return evaluationJson(verbs::snapshotOf(value.evaluated), value.evaluated.rules.reason);
}

py::object errorOf(const EvaluationValue& value)
{
    const Issue* issue = value.evaluated.evaluation.verdict();
    return issue ? py::object(py::str(sentence(*issue))) : py::none();
}

std::vector<double> latenciesOf(const EvaluationValue& value)
{
    std::vector<double> out;
    for (const SubgraphEvaluation& s : value.evaluated.evaluation.subgraphs)
        out.push_back(s.structurallyValid ? s.latency : std::numeric_limits<double>::quiet_NaN());
    return out;
}

/// Returns the schedule with its latencies. From the latencies in a schedule file a reader can determine the
/// rules.
ScheduleValue withLatencies(const EvaluationValue& value)
{
    const verbs::EvaluatedSchedule& e = value.evaluated;
    return {e.problem, e.loaded, hasTotal(e.evaluation) ? latenciesOf(value) : std::vector<double>(), {}};
}

RulesChoice chosen(const ScheduleValue& schedule, const py::object& rules)
{
    if (py::isinstance<Rules>(rules))
        return {rules.cast<Rules>(), "given by rules="};
    const std::string set = textFrom(rules, "rules");
    if (set != "auto")
        return valueOf(verbs::rulesNamed(set));
    if (!schedule.byFile)
        schedule.byFile = verbs::rulesOfFile(*schedule.problem, schedule.loaded);
    return *schedule.byFile;
}

/// Returns the problem on which the schedule is evaluated. Without `machine`, the machine is the one that the
/// schedule file names.
ProblemValue problemFor(const py::object& schedule, const py::object& workload, const py::object& machine,
                        const Dimensions& dimensions)
{
    const bool isGiven = !machine.is_none() || py::isinstance<ProblemValue>(workload);
    if (isGiven || py::isinstance<ScheduleValue>(schedule))
        return problemOf(workload, machine, dimensions);
    const std::string file = pathOf(schedule);
    const auto text = readFile(file);
    const auto target = text ? valueOf(lower::targetOfSchedule(*text, file)) : lower::ScheduleTarget();
    if (!target.machine && !target.hardware)
        return problemOf(workload, machine, dimensions);
    verbs::WorkloadCall call = callOf(workload, machine, dimensions);
    const Released released;
    return {valueOf(verbs::readProblem(call, {target, file})).problem};
}

} // namespace

EvaluationValue evaluateValue(const py::object& workload, const py::object& schedule, const py::object& rules,
                              const py::object& machine, const Dimensions& dimensions)
{
    const ProblemValue problem = problemFor(schedule, workload, machine, dimensions);
    if (py::isinstance<ScheduleValue>(schedule)) {
        const auto& value = schedule.cast<const ScheduleValue&>();
        if (problem.problem == value.problem) {
            RulesChoice choice = chosen(value, rules);
            const Released released;
            return {verbs::evaluateLoaded(problem.problem, value.loaded, std::move(choice))};
        }
    }
    const ScheduleValue value = scheduleOf(problem, schedule);
    RulesChoice choice = chosen({problem.problem, value.loaded, {}, {}}, rules);
    const bool isFile = machine.is_none() && !py::isinstance<ScheduleValue>(schedule);
    const std::string file = isFile ? pathOf(schedule) : std::string();
    const Released released;
    EvaluationValue out{verbs::evaluateLoaded(problem.problem, value.loaded, std::move(choice))};
    if (isFile && value.loaded.formatIssues.empty())
        noticeDeviations(file, latencyDeviations(value.loaded.schedule, out.evaluated.evaluation));
    return out;
}

void addEvaluation(py::module_& m)
{
    PYBIND11_NUMPY_DTYPE(StepRow, subgraph, step, tile, row, col, k_step, start, compute, memory, latency,
                         load_elements, store_elements, working_set, reserved, input_elements,
                         output_elements, accumulator_elements, interior_elements, donated_elements);
    PYBIND11_NUMPY_DTYPE(OccupancyRow, start, end, subgraph, first_step, steps, resident, retained, input,
                         output, accumulator, interior, donated, total);
    py::class_<EvaluationValue> type(
        m, "Evaluation", "What a schedule costs. Times in the problem's unit, sizes in elements.");
    addCommon(type);
    type.def(py::pickle(
        [](const EvaluationValue& v) {
            const verbs::EvaluatedSchedule& e = v.evaluated;
            return py::make_tuple(ScheduleValue{e.problem, e.loaded, {}, {}}, e.rules.rules, e.rules.reason);
        },
        [](const py::tuple& t) {
            const auto schedule = t[0].cast<ScheduleValue>();
            RulesChoice rules{t[1].cast<Rules>(), t[2].cast<std::string>()};
            return EvaluationValue{
                verbs::evaluateLoaded(schedule.problem, schedule.loaded, std::move(rules))};
        }));
    type.def_property_readonly("valid",
                               [](const EvaluationValue& v) { return v.evaluated.evaluation.valid(); })
        .def_property_readonly("error", &errorOf, "The checker's sentence; None when it is valid.")
        .def_property_readonly(
            "total",
            [](const EvaluationValue& v) {
                const Evaluation& e = v.evaluated.evaluation;
                return hasTotal(e) ? std::optional(e.total) : std::nullopt;
            },
            "Latency; None when a subgraph could not be evaluated.")
        .def_property_readonly("rules", [](const EvaluationValue& v) { return v.evaluated.rules.rules; })
        .def_property_readonly("rules_reason",
                               [](const EvaluationValue& v) { return v.evaluated.rules.reason; })
        .def_property_readonly(
            "latencies", [](const EvaluationValue& v) { return arrayOf(latenciesOf(v)); },
            "float64[subgraphs]; nan for one that could not be evaluated.")
        .def_property_readonly(
            "capacity",
            [](const EvaluationValue& v) { return v.evaluated.problem->hardware().fastMemoryCapacity; },
            "Fast memory, in elements.")
        .def_property_readonly(
            "units_per_element",
            [](const EvaluationValue& v) { return v.evaluated.problem->unitsPerElement(); },
            "Units of an element, in which `steps` and `occupancy` count; 1 unless tensors differ in width.")
        .def_property_readonly(
            "steps", &steps,
            R"(Every step in order of execution, as a structured array: subgraph, step (within it), tile, row, col,
k_step, start (since the start of the schedule), compute, memory, latency, load_elements, store_elements, working_set
and its parts reserved, input_elements, output_elements, accumulator_elements, interior_elements, donated_elements; sizes in units,
units_per_element of which are an element. Walked anew each time. Raises Error for a schedule with errors of format and beyond four million steps.)")
        .def_property_readonly(
            "occupancy", &occupancyOf,
            R"(What fills fast memory, as a staircase: start, end, subgraph, first_step, steps, resident, retained,
input, output, accumulator, interior, donated, total, in units as for `steps`. Walked anew each time. Raises Error as `steps` does.)")
        .def_property_readonly("problem",
                               [](const EvaluationValue& v) { return ProblemValue{v.evaluated.problem}; })
        .def_property_readonly("schedule", &withLatencies)
        .def("json", &json, "The document of `evaluate --json`.")
        .def(
            "check_json",
            [](const EvaluationValue& v) {
                return checkJson(*v.evaluated.problem, v.evaluated.evaluation, v.evaluated.rules.reason);
            },
            "The document of `check --json`.");
    m.def("evaluate", &evaluateValue, py::arg("problem"), py::arg("schedule"), py::kw_only(),
          py::arg("rules") = "auto", py::arg("machine") = py::none(), py::arg("dim") = Dimensions{},
          R"(Latency, traffic and memory of a schedule, subgraph by subgraph.

`problem` is a Problem, or any workload (Model, file) to lower to `machine`; `schedule` a Schedule or a file; `rules`
Rules, "final", "seed", or "auto": the one that the latencies in the file agree with. An invalid schedule is no error:
see Evaluation.valid and .error. Raises Error for bad input.)");
}

namespace {

ScheduleValue bestOf(const SolutionValue& value)
{
    return {value.problem, {value.result.schedule, {}}, value.result.latencies, {}};
}

/// Returns the front as a list of tuples (latency, energy, Schedule).
py::list frontOf(const SolutionValue& v)
{
    py::list out;
    for (const FrontPoint& p : v.result.front)
        out.append(py::make_tuple(p.latency, p.energy, ScheduleValue{v.problem, {*p.schedule, {}}, {}, {}}));
    return out;
}

/// State of the result of finish="run" for pickle, and the inverse conversion; None without finish="run".
py::object finishState(const SolutionValue& v)
{
    if (!v.finish)
        return py::none();
    const RunFinish& f = *v.finish;
    std::vector<std::size_t> retiled;
    for (const SubgraphId i : f.retiled)
        retiled.push_back(i.index());
    return py::make_tuple(f.end, f.latency, f.endBefore, f.latencyBefore, f.runs, f.of, retiled);
}
std::optional<RunFinish> finishOf(const py::handle& state)
{
    if (state.is_none())
        return std::nullopt;
    const auto t = state.cast<py::tuple>();
    RunFinish out;
    out.end = t[0].cast<double>();
    out.latency = t[1].cast<double>();
    out.endBefore = t[2].cast<double>();
    out.latencyBefore = t[3].cast<double>();
    out.runs = t[4].cast<std::int64_t>();
    out.of = t[5].cast<std::size_t>();
    for (const std::size_t i : t[6].cast<std::vector<std::size_t>>())
        out.retiled.emplace_back(i);
    return out;
}

/// State of a solution for pickle, and the inverse conversion.
py::tuple stateOf(const SolutionValue& v)
{
    const SolveResult& r = v.result;
    return py::make_tuple(ScheduleValue{v.problem, {r.schedule, {}}, {}, {}}, v.rules, v.interrupted, r.total,
                          r.startTotal, r.lowerBound, r.provenOptimal, r.provenSpace, r.stopped, r.stagnated,
                          r.seconds, r.evaluations, r.lookups, r.steps, r.curve, r.latencies, r.energy,
                          static_cast<int>(r.objective), r.startEnergy, r.energyBound, frontOf(v),
                          finishState(v));
}
SolutionValue solutionOf(const py::tuple& state)
{
    std::size_t at = 0;
    const auto take = [&](auto& value) { value = state[at++].cast<std::decay_t<decltype(value)>>(); };
    ScheduleValue schedule;
    SolutionValue out;
    take(schedule), take(out.rules), take(out.interrupted);
    SolveResult& r = out.result;
    take(r.total), take(r.startTotal), take(r.lowerBound), take(r.provenOptimal), take(r.provenSpace);
    take(r.stopped), take(r.stagnated), take(r.seconds), take(r.evaluations), take(r.lookups), take(r.steps);
    take(r.curve), take(r.latencies), take(r.energy);
    r.objective = static_cast<SolveObjective>(state[at++].cast<int>());
    take(r.startEnergy), take(r.energyBound);
    for (const py::handle point : state[at++]) {
        const auto p = point.cast<py::tuple>();
        r.front.push_back({p[0].cast<double>(), p[1].cast<double>(),
                           std::make_shared<const Schedule>(p[2].cast<ScheduleValue>().loaded.schedule)});
    }
    out.finish = finishOf(state[at]);
    out.problem = schedule.problem;
    r.schedule = std::move(schedule.loaded.schedule);
    return out;
}

struct LoweringValue
{
    lower::ModelOnMachinePtr model;
};

LoweringValue lowerModel(const py::object& workload, const py::object& machine, const Dimensions& dimensions)
{
    verbs::WorkloadCall call = callOf(workload, machine, dimensions);
    const Released released;
    return {valueOf(verbs::readOnMachine(call))};
}

py::list gemms(const LoweringValue& v)
{
    py::list out;
    for (const lower::GemmLayer& g : lower::gemmsOf(v.model->lowered))
        out.append(py::dict(py::arg("operators") = g.operators, py::arg("m") = g.gemm.m,
                            py::arg("n") = g.gemm.n, py::arg("k") = g.gemm.k, py::arg("count") = g.count));
    return out;
}

void addLowering(py::module_& m)
{
    py::class_<LoweringValue> type(m, "Lowering", "A workload lowered to a machine, for each lens.");
    addCommon(type);
    type.def_property_readonly("problem",
                               [](const LoweringValue& v) { return ProblemValue{v.model->problem}; })
        .def_property_readonly("machine", [](const LoweringValue& v) { return v.model->machine; })
        .def_property_readonly("gemms", &gemms,
                               "The products by shape: [{operators, m, n, k, count}], helpers left out.")
        .def("report_json",
             [](const LoweringValue& v) {
                 return lower::reportJson(lower::reportOf(*v.model->workload, v.model->lowered.report),
                                          lower::lensCoverage(*v.model));
             })
        .def("layers_json",
             [](const LoweringValue& v) {
                 return mapping::writeModel(lower::layerModel(v.model->model(), v.model->lowered));
             })
        .def("npu_json", [](const LoweringValue& v) {
            return npu::modelToJson(valueOf(lower::lowerToNpu(v.model->model(), v.model->machine)).model);
        });
    m.def(
        "lower", &lowerModel, py::arg("workload"), py::kw_only(), py::arg("machine") = py::none(),
        py::arg("dim") = Dimensions{},
        R"(Any workload lowered to a machine (without one: the preset edge), for each lens. Raises Error, which names the
operator that cannot be lowered.)");
}

} // namespace

void addResults(py::module_& m)
{
    py::class_<SolutionValue> type(m, "Solution", "The best schedule that solve() found.");
    addCommon(type);
    type.def(py::pickle(&stateOf, &solutionOf));
    type.def_property_readonly("schedule", &bestOf)
        .def_property_readonly("problem", [](const SolutionValue& v) { return ProblemValue{v.problem}; })
        .def_property_readonly("rules", [](const SolutionValue& v) { return v.rules; })
        .def_property_readonly(
            "total", [](const SolutionValue& v) { return v.result.total; }, "Latency.")
        .def_property_readonly(
            "start_latency", [](const SolutionValue& v) { return v.result.startTotal; },
            "Latency of `start`, else of each op alone.")
        .def_property_readonly("lower_bound", [](const SolutionValue& v) { return v.result.lowerBound; })
        .def_property_readonly(
            "gap", [](const SolutionValue& v) { return v.result.gap(); },
            "Of the objective's value above its lower bound; for the latency total / lower_bound - 1.")
        .def_property_readonly(
            "energy", [](const SolutionValue& v) { return v.result.energy; },
            "In pJ; 0 if the problem states no energies.")
        .def_property_readonly(
            "energy_bound", [](const SolutionValue& v) { return v.result.energyBound; },
            "Lower bound of the energy of every schedule, in pJ.")
        .def_property_readonly(
            "edp", [](const SolutionValue& v) { return v.result.total * v.result.energy; },
            "Energy-delay product: total * energy.")
        .def_property_readonly(
            "objective",
            [](const SolutionValue& v) {
                return kObjectiveNames[static_cast<std::size_t>(v.result.objective)];
            },
            "latency, energy or edp.")
        .def_property_readonly(
            "front", &frontOf,
            "[(latency, energy, Schedule)] of which none beats another in both; empty if the\n"
            "problem states no energies.")
        .def_property_readonly(
            "run_end",
            [](const SolutionValue& v) { return v.finish ? std::optional(v.finish->end) : std::nullopt; },
            "End of the run with finish=\"run\"; None without.")
        .def_property_readonly("proven_optimal",
                               [](const SolutionValue& v) { return v.result.provenOptimal; })
        .def_property_readonly(
            "proven_space", [](const SolutionValue& v) { return v.result.provenSpace; },
            "What the proof covers, in words.")
        .def_property_readonly(
            "interrupted", [](const SolutionValue& v) { return v.interrupted; },
            "By Ctrl+C: the best up to then.")
        .def_property_readonly(
            "stopped", [](const SolutionValue& v) { return v.result.stopped; }, "By Ctrl+C or `stop`.")
        .def_property_readonly("seconds", [](const SolutionValue& v) { return v.result.seconds; })
        .def_property_readonly("evaluations", [](const SolutionValue& v) { return v.result.evaluations; })
        .def_property_readonly(
            "latencies", [](const SolutionValue& v) { return arrayOf(v.result.latencies); },
            "float64[subgraphs]")
        .def_property_readonly(
            "curve",
            [](const SolutionValue& v) {
                py::array_t<double> out({static_cast<py::ssize_t>(v.result.curve.size()), py::ssize_t{2}});
                auto cells = out.mutable_unchecked<2>();
                for (py::ssize_t i = 0; i < cells.shape(0); ++i) {
                    cells(i, 0) = v.result.curve[static_cast<std::size_t>(i)].first;
                    cells(i, 1) = v.result.curve[static_cast<std::size_t>(i)].second;
                }
                return out;
            },
            "float64[improvements, 2]: seconds, latency.")
        .def(
            "json",
            [](const SolutionValue& v) { return solveResultJson(v.problem, v.result, v.rules, v.finish); },
            "The document of `solve --json`.");
    addLowering(m);
}

} // namespace tilewright::python
