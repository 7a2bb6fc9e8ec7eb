// SPDX-License-Identifier: GPL-3.0-or-later
#include "values.h"

#include "lower/npu_model.h"
#include "mapping/files.h"
#include "verbs/solve_json.h"

namespace tilewright::python {

namespace {

ScheduleValue bestOf(const SolutionValue& value)
{
    return {value.problem, {value.result.schedule, {}}, value.result.latencies, {}};
}

/// For pickle, and back.
py::tuple stateOf(const SolutionValue& v)
{
    const SolveResult& r = v.result;
    return py::make_tuple(ScheduleValue{v.problem, {r.schedule, {}}, {}, {}}, v.rules, v.interrupted, r.total,
                          r.startTotal, r.lowerBound, r.provenOptimal, r.provenSpace, r.stopped, r.stagnated,
                          r.seconds, r.evaluations, r.lookups, r.steps, r.curve, r.latencies);
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
    take(r.curve), take(r.latencies);
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
    addLowering(m);
}

} // namespace tilewright::python
