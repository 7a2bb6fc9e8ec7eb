// SPDX-License-Identifier: GPL-3.0-or-later
#include "values.h"

#include "base/file.h"
#include "lower/machine_lenses.h"
#include "lower/on_machine.h"
#include "model/model_json.h"
#include "workload/problem_json.h"

#include <algorithm>

namespace tilewright::python {

namespace {

void save(const py::object& path, const std::string& text)
{
    valueOf(writeFileAtomically(pathOf(path), text));
}

ModelValue loadModel(const py::object& path, const Dimensions& dimensions)
{
    const std::string file = pathOf(path);
    const py::gil_scoped_release released;
    return {std::make_shared<const lower::Workload>(valueOf(lower::loadWorkload(file, dimensions))), file};
}

/// A problem as a workload, which can be put on a machine.
ModelValue modelOfProblem(const ProblemValue& value)
{
    lower::Workload out;
    out.problem = value.problem;
    if (auto model = lower::modelOf(*value.problem))
        out.model = std::move(*model);
    else
        out.noModel = model.error();
    return {std::make_shared<const lower::Workload>(std::move(out)), value.problem->name()};
}

std::string scheduleText(const ScheduleValue& value)
{
    return valueOf(writeSchedule(*value.problem, value.loaded.schedule, value.latencies));
}

/// "edp" stays, 4096 becomes "4096": as a machine file or an option has it.
std::string fieldText(const py::object& value)
{
    return py::str(value).cast<std::string>();
}

Rules rulesWith(const std::string& set, const py::kwargs& switches)
{
    Rules out = valueOf(verbs::rulesNamed(set)).rules;
    for (const auto& [name, value] : switches)
        valueOf(setRule(out, py::str(name).cast<std::string>(),
                        fieldText(py::reinterpret_borrow<py::object>(value))));
    return out;
}

py::dict rulesDict(const Rules& rules)
{
    py::dict out;
    for (const RuleSwitch& s : ruleSwitches())
        out[py::str(std::string(s.name))] = std::string(ruleValue(rules, s.name));
    return out;
}

void addProblem(py::module_& m)
{
    py::class_<ProblemValue>(
        m, "Problem", R"(A graph of ops on matrices with the hardware it runs on (docs/rules/schedule.md 1).

Sizes are elements, times the problem's own unit. Immutable; equal when its content is.)")
        .def_static(
            "load", &problemOf, py::arg("path"), py::arg("machine") = py::none(),
            py::arg("dim") = Dimensions{},
            R"(The problem of a workload file of any kind: a problem stands as it is unless a machine is
given, anything else (ONNX, model, layers, topology) is lowered to `machine` (without one: the preset edge).
Raises Error.)")
        .def_static(
            "from_text",
            [](const std::string& text, const std::string& file) {
                return ProblemValue{valueOf(readProblem(text, file))};
            },
            py::arg("text"), py::arg("file") = "problem", "From the text of a problem file. Raises Error.")
        .def(
            "to_text", [](const ProblemValue& p) { return writeProblem(*p.problem); },
            "The text of a problem file.")
        .def(
            "save",
            [](const ProblemValue& p, const py::object& path) { save(path, writeProblem(*p.problem)); },
            py::arg("path"), "Writes a problem file. Raises Error.")
        .def_property_readonly("name", [](const ProblemValue& p) { return p.problem->name(); })
        .def_property_readonly("op_count", [](const ProblemValue& p) { return p.problem->opCount(); })
        .def_property_readonly("tensor_count", [](const ProblemValue& p) { return p.problem->tensorCount(); })
        .def("__eq__",
             [](const ProblemValue& a, const ProblemValue& b) {
                 return a.problem == b.problem || writeProblem(*a.problem) == writeProblem(*b.problem);
             })
        .def("__hash__", [](const ProblemValue& p) { return py::hash(py::str(writeProblem(*p.problem))); })
        .def("__repr__",
             [](const ProblemValue& p) {
                 return "<tilewright.Problem " + p.problem->name() + (p.problem->name().empty() ? "" : ": ") +
                        std::to_string(p.problem->opCount()) + " ops, " +
                        std::to_string(p.problem->tensorCount()) + " tensors>";
             })
        .def(py::pickle([](const ProblemValue& p) { return py::make_tuple(writeProblem(*p.problem)); },
                        [](const py::tuple& t) {
                            return ProblemValue{valueOf(readProblem(t[0].cast<std::string>(), "problem"))};
                        }));
}

/// Whatever latencies their files report.
bool sameSubgraphs(const Schedule& a, const Schedule& b)
{
    return std::ranges::equal(a.subgraphs, b.subgraphs, [](const SubgraphPtr& x, const SubgraphPtr& y) {
        Subgraph other = *y;
        other.reportedLatency = x->reportedLatency;
        return *x == other;
    });
}

void addSchedule(py::module_& m)
{
    py::class_<ScheduleValue>(m, "Schedule",
                              R"(An execution order of subgraphs of a problem (docs/rules/schedule.md 2).

Immutable; equal when its subgraphs are. What the file breaks of the format is told by evaluate().)")
        .def_static("load", &scheduleOf, py::arg("problem"), py::arg("path"),
                    "Of a schedule file. Raises Error.")
        .def_static(
            "from_text",
            [](const ProblemValue& problem, const std::string& text, const std::string& file) {
                return ScheduleValue{
                    problem.problem, valueOf(readSchedule(*problem.problem, text, file)), {}, {}};
            },
            py::arg("problem"), py::arg("text"), py::arg("file") = "schedule",
            "From the text of a schedule file. Raises Error.")
        .def("to_text", &scheduleText, "The text of a schedule file. Raises Error.")
        .def(
            "save", [](const ScheduleValue& s, const py::object& path) { save(path, scheduleText(s)); },
            py::arg("path"), "Writes a schedule file. Raises Error.")
        .def_property_readonly("problem", [](const ScheduleValue& s) { return ProblemValue{s.problem}; })
        .def("__len__", [](const ScheduleValue& s) { return s.loaded.schedule.size(); })
        .def("__eq__",
             [](const ScheduleValue& a, const ScheduleValue& b) {
                 return sameSubgraphs(a.loaded.schedule, b.loaded.schedule) &&
                        a.loaded.formatIssues == b.loaded.formatIssues;
             })
        .def("__repr__",
             [](const ScheduleValue& s) {
                 return "<tilewright.Schedule of " + std::to_string(s.loaded.schedule.size()) + " subgraphs>";
             })
        .def(py::pickle(
            [](const ScheduleValue& s) { return py::make_tuple(ProblemValue{s.problem}, scheduleText(s)); },
            [](const py::tuple& t) {
                const ProblemPtr problem = t[0].cast<ProblemValue>().problem;
                return ScheduleValue{
                    problem, valueOf(readSchedule(*problem, t[1].cast<std::string>(), "schedule")), {}, {}};
            }));
}

void addModel(py::module_& m)
{
    py::class_<ModelValue>(
        m, "Model",
        R"(A workload of any kind before it is lowered: ONNX (read without its weights), model, layer list,
topology, problem. Immutable.)")
        .def_static("load", &loadModel, py::arg("path"), py::arg("dim") = Dimensions{},
                    R"(Of a file, told by its content. `dim` gives the sizes that an ONNX file leaves open:
{"batch": 1}. Raises Error.)")
        .def_static("of", &modelOfProblem, py::arg("problem"),
                    "A problem as a workload, which can be put on a machine.")
        .def(
            "to_text",
            [](const ModelValue& v) {
                if (v.workload->noModel)
                    throw BadInput(*v.workload->noModel);
                return model::writeModel(v.workload->model);
            },
            "The text of a model file. Raises Error for layers that are no model.")
        .def(
            "save",
            [](const ModelValue& v, const py::object& path) {
                if (v.workload->noModel)
                    throw BadInput(*v.workload->noModel);
                save(path, model::writeModel(v.workload->model));
            },
            py::arg("path"), "Writes a model file. Raises Error.")
        .def_property_readonly("name", [](const ModelValue& v) { return v.workload->model.name; })
        .def_property_readonly("operator_count",
                               [](const ModelValue& v) { return v.workload->model.operators.size(); })
        .def("__repr__", [](const ModelValue& v) {
            return "<tilewright.Model " + v.file + ": " + std::to_string(v.workload->model.operators.size()) +
                   " operators>";
        });
}

void addMachine(py::module_& m)
{
    py::class_<Machine>(
        m, "Machine",
        R"(A machine, which every lens takes its hardware from (docs/rules/workload.md 2). Immutable.)")
        .def_static(
            "load",
            [](const py::object& files) {
                const auto machine = machineOf(files);
                if (!machine)
                    throw py::type_error("expected a file, the name of a preset, or a list of these");
                return *machine;
            },
            py::arg("files"), "Of a file or a preset, or of several older files. Raises Error.")
        .def_static(
            "from_text",
            [](const std::string& text, const std::string& file) { return valueOf(readMachine(text, file)); },
            py::arg("text"), py::arg("file") = "machine", "From the text of a machine file. Raises Error.")
        .def_static(
            "presets",
            [] {
                std::vector<std::string> out;
                for (const MachinePreset& preset : machinePresets())
                    out.emplace_back(preset.name);
                return out;
            },
            "Names that load() knows without a file.")
        .def(
            "to_text", [](const Machine& v) { return writeMachine(v); },
            "The text of a machine file: the fields that were given.")
        .def(
            "save", [](const Machine& v, const py::object& path) { save(path, writeMachine(v)); },
            py::arg("path"), "Writes a machine file. Raises Error.")
        .def(
            "with_field",
            [](const Machine& v, const std::string& path, const py::object& value) {
                return valueOf(withMachineField(v, path, fieldText(value)));
            },
            py::arg("path"), py::arg("value"),
            R"(Another machine with one field changed ("levels.l2.bytes", 65536), all that follows from it derived again.
Raises Error.)")
        .def_property_readonly("name", [](const Machine& v) { return v.name; })
        .def("__eq__", [](const Machine& a, const Machine& b) { return a == b; })
        .def("__hash__", [](const Machine& v) { return py::hash(py::str(writeMachine(v))); })
        .def("__repr__", [](const Machine& v) { return "<tilewright.Machine " + v.name + ">"; })
        .def(py::pickle(
            [](const Machine& v) { return py::make_tuple(writeMachine(v)); },
            [](const py::tuple& t) { return valueOf(readMachine(t[0].cast<std::string>(), "machine")); }));
}

void addRules(py::module_& m)
{
    py::class_<Rules>(
        m, "Rules",
        R"(The reading of the Schedule rules: "final" (the default), the contest's last statement, or "seed", an
earlier one, with single switches set by name: Rules(k_limit="reduction", compute="array"). Immutable.)")
        .def(py::init(&rulesWith), py::arg("set") = "final")
        .def("to_dict", &rulesDict, "Every switch by name.")
        .def_property_readonly(
            "set", [](const Rules& r) { return std::string(ruleSetName(r)); },
            R"("final", "seed" or "custom".)")
        .def("__eq__", [](const Rules& a, const Rules& b) { return a == b; })
        .def("__hash__", [](const Rules& r) { return py::hash(py::str(rulesDict(r))); })
        .def("__repr__",
             [](const Rules& r) {
                 std::string out = "<tilewright.Rules " + std::string(ruleSetName(r));
                 for (const RuleSwitch& s : ruleSwitches())
                     if (ruleValue(r, s.name) != s.finalValue())
                         out += " " + std::string(s.name) + "=" + std::string(ruleValue(r, s.name));
                 return out + ">";
             })
        .def(py::pickle([](const Rules& r) { return py::make_tuple(rulesDict(r)); },
                        [](const py::tuple& t) { return rulesWith("final", t[0].cast<py::kwargs>()); }));
}

} // namespace

std::string pathOf(const py::handle& path)
{
    return py::module_::import("os").attr("fspath")(path).cast<std::string>();
}

std::optional<Machine> machineOf(const py::object& machine)
{
    if (machine.is_none())
        return std::nullopt;
    if (py::isinstance<Machine>(machine))
        return machine.cast<Machine>();
    std::vector<std::string> files;
    if (py::isinstance<py::list>(machine) || py::isinstance<py::tuple>(machine))
        for (const py::handle& file : machine)
            files.push_back(pathOf(file));
    else
        files.push_back(pathOf(machine));
    return valueOf(lower::loadMachine(files));
}

ModelValue modelOf(const py::object& workload, const Dimensions& dimensions)
{
    if (py::isinstance<ModelValue>(workload))
        return workload.cast<ModelValue>();
    return py::isinstance<ProblemValue>(workload) ? modelOfProblem(workload.cast<ProblemValue>())
                                                  : loadModel(workload, dimensions);
}

verbs::WorkloadCall callOf(const py::object& workload, const py::object& machine,
                           const Dimensions& dimensions)
{
    if (workload.is_none())
        return {nullptr, {}, machineOf(machine)};
    const ModelValue model = modelOf(workload, dimensions);
    return {model.workload, model.file, machineOf(machine)};
}

ProblemValue problemOf(const py::object& workload, const py::object& machine, const Dimensions& dimensions)
{
    if (machine.is_none() && py::isinstance<ProblemValue>(workload))
        return workload.cast<ProblemValue>();
    const verbs::WorkloadCall call = callOf(workload, machine, dimensions);
    const py::gil_scoped_release released;
    return {valueOf(verbs::problemOf(call))};
}

ScheduleValue scheduleOf(const ProblemValue& problem, const py::object& schedule)
{
    if (py::isinstance<ScheduleValue>(schedule)) {
        auto out = schedule.cast<ScheduleValue>();
        if (problem.problem != out.problem && !lower::sameGraph(*problem.problem, *out.problem))
            throw BadInput("the schedule is one of another problem");
        return out;
    }
    const std::string file = pathOf(schedule);
    const py::gil_scoped_release released;
    return {problem.problem, valueOf(loadSchedule(*problem.problem, file)), {}, {}};
}

Rules rulesOf(const py::object& rules)
{
    return py::isinstance<Rules>(rules) ? rules.cast<Rules>()
                                        : valueOf(verbs::rulesNamed(rules.cast<std::string>())).rules;
}

void addValues(py::module_& m)
{
    addMachine(m); // before those that take one
    addRules(m);
    addProblem(m);
    addSchedule(m);
    addModel(m);
}

} // namespace tilewright::python
