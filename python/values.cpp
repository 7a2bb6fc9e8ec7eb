// SPDX-License-Identifier: GPL-3.0-or-later
#include "values.h"

#include "base/file.h"
#include "lower/machine_lenses.h"
#include "lower/on_machine.h"
#include "model/model_json.h"
#include "workload/problem_json.h"

#include <algorithm>
#include <array>

namespace tilewright::python {

namespace {

ModelValue loadModel(const py::object& path, const Dimensions& dimensions)
{
    const std::string file = pathOf(path);
    const Released released;
    const FileContent content = valueOf(onnx::readFile(file));
    ModelValue out{std::make_shared<const lower::Workload>(
                       valueOf(lower::readWorkload(content.view(), file, dimensions))),
                   file,
                   {}};
    if (!out.workload->import)
        out.source = content.view();
    return out;
}

/// Converts a problem to a workload that can be put on a machine.
ModelValue modelOfProblem(const ProblemValue& value)
{
    lower::Workload out;
    out.problem = value.problem;
    if (auto model = lower::modelOf(*value.problem))
        out.model = std::move(*model);
    else
        out.noModel = model.error();
    return {std::make_shared<const lower::Workload>(std::move(out)), value.problem->name(), {}};
}

/// State of a model for pickle, and the inverse conversion: the text of its file or an equivalent text, and
/// for ONNX also how its nodes were converted.
py::tuple stateOf(const ModelValue& v)
{
    py::list nodes, notes;
    std::int64_t leftOut = 0;
    if (const auto& import = v.workload->import) {
        for (const onnx::ImportedNode& n : import->nodes)
            nodes.append(py::make_tuple(n.name, n.type, static_cast<int>(n.fate),
                                        n.op ? py::object(py::int_(n.op->index())) : py::none(), n.macs,
                                        n.bytes, n.note));
        notes = py::cast(import->notes);
        leftOut = import->leftOutBytes;
    }
    const std::string text = !v.source.empty()     ? v.source
                             : v.workload->problem ? writeProblem(*v.workload->problem)
                                                   : model::writeModel(v.workload->model);
    return py::make_tuple(py::bytes(v.file), py::bytes(text), v.workload->import.has_value(), nodes, leftOut,
                          notes, !v.source.empty());
}
ModelValue modelFrom(const py::tuple& t)
{
    ModelValue out;
    out.file = t[0].cast<std::string>();
    const auto text = t[1].cast<std::string>();
    lower::Workload workload = valueOf(lower::readWorkload(text, out.file));
    if (t[2].cast<bool>()) {
        onnx::ImportReport report;
        for (const py::handle& item : t[3]) {
            const auto n = py::reinterpret_borrow<py::tuple>(item);
            report.nodes.push_back(
                {n[0].cast<std::string>(), n[1].cast<std::string>(),
                 static_cast<onnx::Fate>(n[2].cast<int>()),
                 n[3].is_none() ? std::nullopt : std::optional(OperatorId(n[3].cast<std::size_t>())),
                 n[4].cast<std::int64_t>(), n[5].cast<std::int64_t>(), n[6].cast<std::string>()});
        }
        report.leftOutBytes = t[4].cast<std::int64_t>();
        report.notes = t[5].cast<std::vector<std::string>>();
        workload.import = std::move(report);
    }
    if (t[6].cast<bool>())
        out.source = text;
    out.workload = std::make_shared<const lower::Workload>(std::move(workload));
    return out;
}

/// State of a schedule for pickle, and the inverse conversion, including the format errors of its file.
py::tuple stateOf(const ScheduleValue& s)
{
    const auto indexOf = [](const auto& id) {
        return id ? py::object(py::int_(id->index())) : py::object(py::none());
    };
    py::list issues;
    for (const Issue& i : s.loaded.formatIssues)
        issues.append(py::make_tuple(static_cast<int>(i.code), indexOf(i.subgraph), i.text, indexOf(i.op),
                                     indexOf(i.tensor), i.need, i.have, i.path));
    return py::make_tuple(ProblemValue{s.problem},
                          valueOf(writeSchedule(*s.problem, s.loaded.schedule, s.latencies)), issues);
}
ScheduleValue scheduleFrom(const py::tuple& t)
{
    const ProblemPtr problem = t[0].cast<ProblemValue>().problem;
    ScheduleValue out{problem, valueOf(readSchedule(*problem, t[1].cast<std::string>(), "schedule")), {}, {}};
    out.loaded.formatIssues.clear();
    const auto idFrom = [](const py::object& index, auto& id) {
        if (!index.is_none())
            id.emplace(index.cast<std::size_t>());
    };
    for (const py::handle& item : t[2]) {
        const auto i = py::reinterpret_borrow<py::tuple>(item);
        Issue& issue = out.loaded.formatIssues.emplace_back();
        issue.code = static_cast<IssueCode>(i[0].cast<int>());
        idFrom(i[1], issue.subgraph);
        issue.text = i[2].cast<std::string>();
        idFrom(i[3], issue.op);
        idFrom(i[4], issue.tensor);
        issue.need = i[5].cast<std::int64_t>();
        issue.have = i[6].cast<std::int64_t>();
        issue.path = i[7].cast<std::string>();
    }
    return out;
}

std::string scheduleText(const ScheduleValue& value)
{
    return valueOf(writeSchedule(*value.problem, value.loaded.schedule, value.latencies));
}

/// Text of a value as in a machine file or option: 4096 becomes "4096", "edp" is unchanged.
std::string fieldText(const py::object& value)
{
    return textFrom(py::str(value), "value");
}

Rules rulesWith(const std::string& set, const py::kwargs& switches)
{
    Rules out = valueOf(verbs::rulesNamed(set)).rules;
    for (const auto& [name, value] : switches)
        valueOf(setRule(out, textFrom(name, "rule"), fieldText(py::reinterpret_borrow<py::object>(value))));
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
    py::class_<ProblemValue> type(
        m, "Problem", R"(A graph of ops on matrices with the hardware it runs on (docs/rules/schedule.md 1).

Sizes are elements, times the problem's own unit. Immutable; equal when its content is.)");
    addCommon(type);
    type.def_static(
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
        .def_property_readonly("name", [](const ProblemValue& p) { return p.problem->name(); })
        .def_property_readonly("op_count", [](const ProblemValue& p) { return p.problem->opCount(); })
        .def_property_readonly("tensor_count", [](const ProblemValue& p) { return p.problem->tensorCount(); })
        .def(
            "__eq__",
            [](const ProblemValue& a, const ProblemValue& b) {
                return a.problem == b.problem || writeProblem(*a.problem) == writeProblem(*b.problem);
            },
            py::is_operator())
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

/// True if the schedules have equal subgraphs. Latencies that their files report are ignored.
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
    py::class_<ScheduleValue> type(m, "Schedule",
                                   R"(An execution order of subgraphs of a problem (docs/rules/schedule.md 2).

Immutable; equal when its subgraphs are. evaluate() reports format errors of the file.)");
    addCommon(type);
    type.def_static("load", &scheduleOf, py::arg("problem"), py::arg("path"),
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
        .def_property_readonly("problem", [](const ScheduleValue& s) { return ProblemValue{s.problem}; })
        .def("__len__", [](const ScheduleValue& s) { return s.loaded.schedule.size(); })
        .def(
            "__eq__",
            [](const ScheduleValue& a, const ScheduleValue& b) {
                return sameSubgraphs(a.loaded.schedule, b.loaded.schedule) &&
                       a.loaded.formatIssues == b.loaded.formatIssues;
            },
            py::is_operator())
        .def("__repr__",
             [](const ScheduleValue& s) {
                 return "<tilewright.Schedule of " + std::to_string(s.loaded.schedule.size()) + " subgraphs>";
             })
        .def(py::pickle([](const ScheduleValue& s) { return stateOf(s); }, &scheduleFrom));
}

void addModel(py::module_& m)
{
    py::class_<ModelValue> type(
        m, "Model",
        R"(A workload of any kind before it is lowered: ONNX (read without its weights), model, layer list,
topology, problem. Immutable.)");
    addCommon(type);
    type.def_static(
            "load", &loadModel, py::arg("path"), py::arg("dim") = Dimensions{},
            R"(From a file, whose kind is known by its content. `dim` gives the sizes that an ONNX file leaves open:
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
        .def_property_readonly("name", [](const ModelValue& v) { return v.workload->model.name; })
        .def_property_readonly("operator_count",
                               [](const ModelValue& v) { return v.workload->model.operators.size(); })
        .def("__repr__",
             [](const ModelValue& v) {
                 return "<tilewright.Model " + v.file + ": " +
                        std::to_string(v.workload->model.operators.size()) + " operators>";
             })
        .def(py::pickle([](const ModelValue& v) { return stateOf(v); }, &modelFrom));
}

/// Returns the value of an enumeration that has this name. Raises Error if there is none.
template <typename E, std::size_t N>
E valueNamed(const std::array<E, N>& values, const std::string& word, const char* what)
{
    std::string known;
    for (const E value : values) {
        if (toString(value) == word)
            return value;
        known += (known.empty() ? "" : ", ") + std::string(toString(value));
    }
    throw BadInput(std::string(what) + ": expected one of " + known + ", got \"" + word + "\"");
}

SourceKind sourceKind(const std::string& word)
{
    return valueNamed(std::array{SourceKind::Measured, SourceKind::Datasheet, SourceKind::Paper,
                                 SourceKind::Assumed, SourceKind::Fitted},
                      word, "kind");
}

MachineLens lensNamed(const std::string& word)
{
    return valueNamed(
        std::array{MachineLens::Schedule, MachineLens::Systolic, MachineLens::Npu, MachineLens::Mapping},
        word, "lens");
}

py::list machineDicts(const Machine& machine)
{
    py::list out;
    for (const MachineField& f : machineFields(machine)) {
        py::list lenses;
        for (const MachineLens lens : f.lenses)
            lenses.append(std::string(toString(lens)));
        py::object source = py::none();
        if (f.source)
            source = py::dict(py::arg("kind") = std::string(toString(f.source->kind)),
                              py::arg("source") = f.source->source, py::arg("year") = f.source->year,
                              py::arg("note") = f.source->note);
        out.append(py::dict(py::arg("path") = f.path, py::arg("group") = f.group, py::arg("label") = f.label,
                            py::arg("meaning") = std::string(f.meaning), py::arg("value") = f.value,
                            py::arg("given") = f.given,
                            py::arg("formula") = f.given ? std::string() : f.formula,
                            py::arg("source") = source, py::arg("lenses") = lenses));
    }
    return out;
}

void addMachine(py::module_& m)
{
    py::class_<Machine> type(
        m, "Machine",
        R"(A machine, which every lens takes its hardware from (docs/rules/workload.md 2). Immutable.)");
    addCommon(type);
    type.def_static(
            "load",
            [](const py::object& files) {
                verbs::WorkloadCall call = callOf(py::none(), files, {});
                if (!call.hasMachine())
                    throw py::type_error("expected a file, the name of a preset, or a list of these");
                valueOf(readFiles(call));
                return *call.machine;
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
            "with_field",
            [](const Machine& v, const std::string& path, const py::object& value) {
                const bool isBool = py::isinstance<py::bool_>(value);
                return valueOf(withMachineField(
                    v, path, isBool ? value.cast<bool>() ? "true" : "false" : fieldText(value)));
            },
            py::arg("path"), py::arg("value"),
            R"(Another machine with one field changed ("levels.l2.bytes", 65536), all that follows from it derived again.
Raises Error.)")
        .def(
            "with_source",
            [](const Machine& v, const std::string& path, const std::string& kind, const std::string& source,
               std::int64_t year, const std::string& note) {
                return valueOf(withMachineSource(v, path, {sourceKind(kind), source, year, note}));
            },
            py::arg("path"), py::arg("kind"), py::arg("source") = "", py::arg("year") = 0,
            py::arg("note") = "",
            R"(Another machine with the origin of a given value: "measured", "datasheet", "paper", "assumed" or "fitted".
Raises Error.)")
        .def_property_readonly(
            "fields", &machineDicts,
            R"(Every value: [{path, group, label, meaning, value, given, formula, source, lenses}]. `source` is None or
{kind, source, year, note}; `lenses` are the lenses that model the value.)")
        .def(
            "left_out",
            [](const Machine& v, const std::string& lens) {
                py::list out;
                for (const FieldLeftOut& f : fieldsLeftOut(v, lensNamed(lens)))
                    out.append(py::dict(py::arg("path") = f.path, py::arg("label") = f.label,
                                        py::arg("value") = f.value));
                return out;
            },
            py::arg("lens"),
            R"(The given values that a lens ("Schedule", "Systolic", "NPU" or "Mapping") does not model: [{path, label,
value}]. Raises Error.)")
        .def_property_readonly("name", [](const Machine& v) { return v.name; })
        .def(
            "__eq__", [](const Machine& a, const Machine& b) { return a == b; }, py::is_operator())
        .def("__hash__", [](const Machine& v) { return py::hash(py::str(writeMachine(v))); })
        .def("__repr__", [](const Machine& v) { return "<tilewright.Machine " + v.name + ">"; })
        .def(py::pickle(
            [](const Machine& v) { return py::make_tuple(writeMachine(v)); },
            [](const py::tuple& t) { return valueOf(readMachine(t[0].cast<std::string>(), "machine")); }));
}

void addRules(py::module_& m)
{
    py::class_<Rules> type(
        m, "Rules",
        R"(The reading of the Schedule rules: "final" (the default), the contest's last statement, or "seed", an
earlier one, with single switches set by name: Rules(k_limit="reduction", compute="array"). Immutable.)");
    addCommon(type);
    type.def(py::init(&rulesWith), py::arg("set") = "final")
        .def("to_dict", &rulesDict, "Every switch by name.")
        .def_property_readonly(
            "set", [](const Rules& r) { return std::string(ruleSetName(r)); },
            R"("final", "seed" or "custom".)")
        .def(
            "__eq__", [](const Rules& a, const Rules& b) { return a == b; }, py::is_operator())
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
    auto bytes = py::module_::import("os").attr("fsencode")(path).cast<std::string>();
    if (bytes.find('\0') != std::string::npos)
        throw py::value_error("a path has no null character in it");
    return bytes;
}

std::string textFrom(const py::handle& text, const std::string& name)
{
    if (!py::isinstance<py::str>(text))
        throw py::type_error(name + ": expected a text, got " + py::repr(text).cast<std::string>());
    py::ssize_t size = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (!bytes)
        throw py::error_already_set();
    return {bytes, static_cast<std::size_t>(size)};
}

Dimensions dimensionsFrom(const py::object& dim)
{
    try {
        return dim.is_none() ? Dimensions{} : dim.cast<Dimensions>();
    } catch (const py::cast_error&) {
        throw py::type_error("dim: expected a dict of names and whole numbers, got " +
                             py::repr(dim).cast<std::string>());
    }
}

verbs::WorkloadCall callOf(const py::object& workload, const py::object& machine,
                           const Dimensions& dimensions)
{
    verbs::WorkloadCall out;
    if (py::isinstance<ModelValue>(workload) || py::isinstance<ProblemValue>(workload)) {
        const ModelValue model = py::isinstance<ModelValue>(workload)
                                     ? workload.cast<ModelValue>()
                                     : modelOfProblem(workload.cast<ProblemValue>());
        if (!dimensions.empty())
            throw BadInput("dim: goes with a file, a value has its sizes");
        out.workload = model.workload;
        out.file = model.file;
    } else if (!workload.is_none()) {
        out.file = pathOf(workload);
    }
    if (py::isinstance<Machine>(machine))
        out.machine = machine.cast<Machine>();
    else if (py::isinstance<py::list>(machine) || py::isinstance<py::tuple>(machine))
        for (const py::handle& file : machine)
            out.machines.push_back(pathOf(file));
    else if (!machine.is_none())
        out.machines.push_back(pathOf(machine));
    for (const auto& [name, value] : dimensions)
        out.dims.push_back(name + "=" + std::to_string(value));
    return out;
}

ProblemValue problemOf(const py::object& workload, const py::object& machine, const Dimensions& dimensions)
{
    if (machine.is_none() && dimensions.empty() && py::isinstance<ProblemValue>(workload))
        return workload.cast<ProblemValue>();
    verbs::WorkloadCall call = callOf(workload, machine, dimensions);
    const Released released;
    return {valueOf(verbs::readProblem(call)).problem};
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
    const Released released;
    return {problem.problem, valueOf(loadSchedule(*problem.problem, file)), {}, {}};
}

void addValues(py::module_& m)
{
    m.def(
        "write_text",
        [](const py::object& path, const std::string& text) {
            valueOf(writeFileAtomically(pathOf(path), text));
        },
        py::arg("path"), py::arg("text"));
    addMachine(m); // registered before the functions that have a Machine parameter
    addRules(m);
    addProblem(m);
    addSchedule(m);
    addModel(m);
}

} // namespace tilewright::python
