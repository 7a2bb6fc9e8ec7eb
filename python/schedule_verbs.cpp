// SPDX-License-Identifier: GPL-3.0-or-later
#include "interruptible.h"

#include "base/file.h"
#include "eval/lower_bound.h"
#include "lower/npu_model.h"
#include "mapping/files.h"
#include "place/placement_json.h"
#include "report/bound_json.h"
#include "solve/search/solver.h"
#include "sweep/collect.h"
#include "sweep/run.h"
#include "verbs/deadline.h"
#include "verbs/solve_json.h"

#include <mutex>

namespace tilewright::python {

namespace {

struct SolutionValue
{
    ProblemPtr problem;
    SolveResult result;
    Rules rules;
    bool interrupted = false;
};

ScheduleValue bestOf(const SolutionValue& value)
{
    return {value.problem, {value.result.schedule, {}}, value.result.latencies, {}};
}

SolutionValue solveProblem(const py::object& workload, const py::object& rules, double seconds,
                           std::int64_t iterations, int threads, std::uint64_t seed, const py::object& start,
                           bool placeable, const py::object& onImprovement, const py::object& stop,
                           const py::object& machine, const Dimensions& dimensions)
{
    const ProblemValue value = problemOf(workload, machine, dimensions);
    Session session(stop);
    SolveOptions options;
    options.rules = rulesOf(rules);
    options.seconds = seconds;
    options.iterations = iterations;
    options.threads = threads;
    options.seed = seed;
    options.placeable = placeable;
    options.stop = session.token();
    if (!start.is_none())
        options.start = valueOf(verbs::startOf(
            scheduleOf(value, start).loaded, py::isinstance<ScheduleValue>(start) ? "start" : pathOf(start)));
    if (!onImprovement.is_none())
        options.onImprovement = [&](const SolveImprovement& i) {
            session.tell([&onImprovement, &value, i] {
                onImprovement(i.seconds, i.total, ScheduleValue{value.problem, {*i.schedule, {}}, {}, {}});
            });
        };
    auto result = session.run([&] { return solve(*value.problem, options); });
    if (!result && session.interrupted())
        Session::raiseInterrupt();
    return {value.problem, valueOf(std::move(result)), options.rules, session.interrupted()};
}

Answer placeSchedule(const EvaluationValue& value, double seconds, const py::object& stop)
{
    if (const std::string why = verbs::whyNotPlaced(value.evaluated); !why.empty())
        throw BadInput(why);
    Session session(stop);
    auto placed = session.run([&] {
        const verbs::Deadline deadline(seconds, session.token());
        const verbs::EvaluatedSchedule& e = value.evaluated;
        return tilewright::placeSchedule(*e.problem, e.loaded.schedule, e.rules.rules, deadline.progress());
    });
    if (!placed && session.interrupted())
        Session::raiseInterrupt();
    return {placementJson(*value.evaluated.problem, valueOf(std::move(placed))), session.interrupted()};
}

Answer placeBuffers(const py::object& path, std::int64_t capacity, double seconds, const py::object& stop)
{
    const std::string file = pathOf(path);
    if (capacity <= 0)
        throw BadInput({ErrorCode::Field, "a file of buffers needs --capacity N", {}, file});
    auto buffers = readBuffers(valueOf(readFile(file)));
    if (!buffers) {
        Error error = buffers.error();
        error.file = file;
        throw BadInput(error);
    }
    Session session(stop);
    const Placement placement = session.run([&] {
        const verbs::Deadline deadline(seconds, session.token());
        return findPlacement(buffers->items, capacity, deadline.progress());
    });
    return {placementJson(*buffers, placement, capacity), session.interrupted()};
}

std::string bound(const py::object& workload, const py::object& rules, const py::object& machine,
                  const Dimensions& dimensions)
{
    const ProblemValue value = problemOf(workload, machine, dimensions);
    const Rules reading = rulesOf(rules);
    const py::gil_scoped_release released;
    return boundJson(*value.problem, lowerBound(*value.problem, reading));
}

struct LoweringValue
{
    lower::ModelOnMachinePtr model;
};

LoweringValue lowerModel(const py::object& workload, const py::object& machine, const Dimensions& dimensions)
{
    const verbs::WorkloadCall call = callOf(workload, machine, dimensions);
    const py::gil_scoped_release released;
    return {valueOf(verbs::putOnMachine(call))};
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
    py::class_<LoweringValue>(m, "Lowering", "A workload lowered to a machine, for each lens.")
        .def_property_readonly("problem",
                               [](const LoweringValue& v) { return ProblemValue{v.model->problem}; })
        .def_property_readonly("machine", [](const LoweringValue& v) { return v.model->machine; })
        .def_property_readonly("gemms", &gemms,
                               "The products by shape: [{operators, m, n, k, count}], helpers left out.")
        .def("report_json",
             [](const LoweringValue& v) {
                 return lower::reportJson(lower::reportOf(*v.model->workload, v.model->lowered.report));
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

/// Points of a plan: into a folder, or kept in memory.
sweep::SweepTable runSweep(sweep::Sweep& sweep, const std::optional<std::string>& output,
                           const sweep::RunOptions& options)
{
    if (output) {
        const auto folder = valueOf(sweep::ResultsFolder::prepare(*output, sweep.manifest));
        sweep::Sink sink;
        sink.has = [&](std::size_t index) { return folder.has(index); };
        sink.put = [&](std::size_t index, const sweep::PointResult& result, double) {
            return folder.put(index, result);
        };
        valueOf(sweep::runSweep(sweep, sink, options));
        return valueOf(sweep::collect(folder));
    }
    std::vector<sweep::Row> rows(sweep.plan().pointCount());
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i].point = i;
    std::mutex mutex;
    sweep::Sink sink;
    sink.has = [](std::size_t) { return false; };
    sink.put = [&](std::size_t index, const sweep::PointResult& result, double) -> Status {
        sweep::Row row = sweep::rowOf(index, result);
        const std::scoped_lock lock(mutex);
        rows[index] = std::move(row);
        return Unit{};
    };
    valueOf(sweep::runSweep(sweep, sink, options));
    return sweep::tableOf(sweep.manifest, std::move(rows));
}

Answer sweepPlan(const std::string& text, const std::string& file, const std::optional<std::string>& output,
                 int threads, const std::string& part, bool keepSchedules, const py::object& onState,
                 const py::object& stop)
{
    Session session(stop);
    sweep::RunOptions options;
    options.threads = threads;
    options.stop = session.token();
    if (!part.empty())
        options.part = valueOf(sweep::partFromText(part));
    if (!onState.is_none())
        options.onState = [&](const sweep::RunState& s) {
            session.tell([&onState, s] { onState(s.done(), s.failed, s.points); });
        };
    auto table = session.run([&] {
        sweep::Sweep sweep = valueOf(sweep::readSweep(text, file));
        sweep.manifest.keepSchedules = keepSchedules;
        return sweep::tableJson(runSweep(sweep, output, options));
    });
    return {std::move(table), session.interrupted()};
}

} // namespace

void addScheduleVerbs(py::module_& m)
{
    py::class_<SolutionValue>(m, "Solution", "The best schedule that solve() found.")
        .def_property_readonly("schedule", &bestOf)
        .def_property_readonly("problem", [](const SolutionValue& v) { return ProblemValue{v.problem}; })
        .def_property_readonly("rules", [](const SolutionValue& v) { return v.rules; })
        .def_property_readonly(
            "total", [](const SolutionValue& v) { return v.result.total; }, "Latency.")
        .def_property_readonly(
            "start_latency", [](const SolutionValue& v) { return v.result.startTotal; },
            "Latency of `start`, else of each op alone.")
        .def_property_readonly("lower_bound", [](const SolutionValue& v) { return v.result.lowerBound; })
        .def_property_readonly(
            "gap", [](const SolutionValue& v) { return v.result.gap(); }, "total / lower_bound - 1")
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
            "json", [](const SolutionValue& v) { return solveResultJson(v.problem, v.result, v.rules); },
            "The document of `solve --json`.");
    m.def("solve", &solveProblem, py::arg("problem"), py::kw_only(), py::arg("rules") = "final",
          py::arg("seconds") = 10.0, py::arg("iterations") = 0, py::arg("threads") = 0, py::arg("seed") = 1,
          py::arg("start") = py::none(), py::arg("placeable") = false, py::arg("on_improvement") = py::none(),
          py::arg("stop") = py::none(), py::arg("machine") = py::none(), py::arg("dim") = Dimensions{},
          R"(Searches for the schedule with the least total latency.

`problem` is a Problem, or any workload (Model, file) to lower to `machine`. `seconds` of wall clock (0: until stopped
or `iterations`, search steps a thread); `threads` 0: all; one thread with `iterations` and no `seconds` gives the same
result each time. `start` is a Schedule or a file; `placeable` keeps to schedules whose buffers have addresses.
`on_improvement(seconds, total, schedule)` is called for every better schedule, `stop()` about fifty times a second; it
says whether to stop. Ctrl+C stops too: the best so far is returned, with `interrupted`; before there is one,
KeyboardInterrupt is raised. Other threads run meanwhile. Raises Error for bad input and where no schedule is valid.)");
    m.def(
        "read_text", [](const py::object& path) { return valueOf(readFile(pathOf(path))); }, py::arg("path"));
    m.def("place_schedule", &placeSchedule, py::arg("evaluation"), py::arg("seconds"), py::arg("stop"));
    m.def("place_buffers", &placeBuffers, py::arg("file"), py::arg("capacity"), py::arg("seconds"),
          py::arg("stop"));
    m.def("bound", &bound, py::arg("problem"), py::arg("rules"), py::arg("machine"), py::arg("dim"));
    addLowering(m);
    m.def("sweep", &sweepPlan, py::arg("text"), py::arg("file"), py::arg("output"), py::arg("threads"),
          py::arg("part"), py::arg("keep_schedules"), py::arg("on_state"), py::arg("stop"));
}

} // namespace tilewright::python
