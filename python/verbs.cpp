// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs as Python functions, with the options of core/verbs. python/tilewright/__init__.py makes a
// function from each list of options; call() reads the values.
#include "interruptible.h"
#include "table_columns.h"

#include "base/file.h"
#include "figures/explain.h"
#include "mapping/files.h"
#include "sweep/folder.h"
#include "tables/call.h"
#include "verbs/fit.h"
#include "verbs/map_hierarchy.h"
#include "verbs/npu.h"
#include "verbs/overlay.h"
#include "verbs/run.h"
#include "verbs/schedule.h"
#include "verbs/summary.h"
#include "verbs/sweep.h"
#include "verbs/systolic.h"
#include "verbs/tile.h"
#include "verbs/traces.h"
#include "verbs/validate.h"

#include <algorithm>
#include <mutex>

namespace tilewright::python {

namespace {

/// Arguments of a verb by name. None counts as not given.
class Arguments
{
public:
    explicit Arguments(const py::dict& given)
    {
        for (const auto& [name, value] : given)
            if (!value.is_none())
                m_values[name] = value;
    }
    py::object take(const char* name)
    {
        return m_values.contains(name) ? py::object(m_values.attr("pop")(name)) : py::none();
    }
    [[nodiscard]] const py::dict& rest() const noexcept { return m_values; }

private:
    py::dict m_values;
};

/// Text of a value as on the command line: "128x256x64" for (128, 256, 64).
std::string textOf(const verbs::Option& option, const py::handle& value)
{
    if (option.type == "int" && PyIndex_Check(value.ptr()) != 0)
        return py::str(py::int_(py::reinterpret_borrow<py::object>(value))).cast<std::string>();
    if (option.type == "float" && PyNumber_Check(value.ptr()) != 0)
        return formatNumber(static_cast<double>(py::float_(py::reinterpret_borrow<py::object>(value))));
    if (option.type == "path")
        return pathOf(value);
    if ((option.type == "str" || option.type == "sizes") && py::isinstance<py::str>(value))
        return textFrom(value, option.identifier());
    if (option.type == "sizes" && py::isinstance<py::sequence>(value)) {
        std::string out;
        for (const py::handle& size : value)
            out += (out.empty() ? "" : "x") + textFrom(py::str(size), option.identifier());
        return out;
    }
    throw py::type_error(option.identifier() + ": has a value of the wrong type, " +
                         py::repr(value).cast<std::string>());
}

void readOption(verbs::OptionList& list, const verbs::Option& option, const py::handle& value)
{
    std::vector<std::string> texts;
    if (option.type == "bool") {
        if (!value.cast<bool>())
            return;
    } else if (!option.isList) {
        texts.push_back(textOf(option, value));
    } else if (py::isinstance<py::str>(value)) {
        throw py::type_error(option.identifier() + ": expected a list, got " +
                             py::repr(value).cast<std::string>());
    } else {
        for (const py::handle& one : value)
            texts.push_back(textOf(option, one));
    }
    valueOf(list.read(option.name, texts));
}

/// Reads all arguments that are options of the call, and the files that they name. Arguments that are Python
/// values are read first: workload, machine, dim and rules.
template <typename Call>
void readCall(Call& call, Arguments& arguments, const std::vector<std::string>& given = {})
{
    verbs::OptionList list;
    bindOptions(list, call);
    for (const std::string& name : given)
        list.markGiven(name);
    if constexpr (requires { call.workload; }) {
        const py::object workload = arguments.take("workload"), problem = arguments.take("problem");
        const py::object machine = arguments.take("machine"), dim = arguments.take("dim");
        call.workload = callOf(workload.is_none() ? problem : workload, machine, dimensionsFrom(dim));
        if (!machine.is_none())
            list.markGiven("--machine");
        if (!call.workload.dims.empty())
            list.markGiven("--dim");
        if (call.workload.isNamed())
            list.markGiven(list.all().front().name);
    }
    if constexpr (requires { call.rules; }) {
        const py::object rules = arguments.take("rules");
        if (py::isinstance<Rules>(rules))
            call.rules.value = rules.cast<Rules>();
        else if (!rules.is_none())
            readOption(list, list["--rules"], rules);
        if (!rules.is_none())
            list.markGiven("--rules");
    }
    for (const auto& [name, value] : arguments.rest())
        for (const verbs::Option& option : list.all())
            if (option.identifier() == name.template cast<std::string>())
                readOption(list, option, value);
    valueOf(verbs::checkEffects(list, call));
    if constexpr (requires { readFiles(call); }) {
        const Released released;
        valueOf(readFiles(call));
        valueOf(verbs::checkEffects(list, call));
    }
}

/// Runs `work` and returns its document. Raises KeyboardInterrupt if Ctrl+C left no result.
template <typename Work> py::object documentOf(const py::object& stop, Work&& work)
{
    Session session(stop);
    Result<std::string> json = session.run([&] { return work(session); });
    if (!json && session.interrupted())
        Session::raiseInterrupt();
    return py::cast(Answer(valueOf(std::move(json)), session.interrupted()));
}

/// Runs a verb whose call has all arguments: json(call, session) computes its document.
template <typename Call, auto json> py::object lensVerb(Arguments& arguments, const py::object& stop)
{
    Call call;
    readCall(call, arguments);
    return documentOf(stop, [&call](const Session& session) { return json(call, session); });
}

Result<std::string> systolicDocument(const verbs::SystolicCall& call, const Session& session)
{
    if (call.ofNetwork()) {
        const auto answer = verbs::systolicNetwork(call);
        return answer ? Result<std::string>(verbs::systolicJson(*answer)) : answer.error();
    }
    const auto answer = verbs::systolicProduct(call, {session.token(), {}});
    return answer ? Result<std::string>(verbs::systolicJson(*answer)) : answer.error();
}

Result<std::string> tileDocument(const verbs::TileCall& call, const Session& session)
{
    if (call.ofNetwork()) {
        const auto tiles = verbs::tilesOfNetwork(call);
        return tiles ? Result<std::string>(verbs::tileJson(*tiles)) : tiles.error();
    }
    auto answer = verbs::tileOfProduct(call);
    if (!answer)
        return answer.error();
    verbs::addAdaptive(*answer, {session.token(), {}});
    return verbs::tileJson(*answer);
}

/// Runs the schedule in a file and returns the document. The Error says why the schedule cannot run.
Result<std::string> runDocument(verbs::RunCall call, const Session& session)
{
    const auto files = verbs::evaluateFiles(call);
    if (!files)
        return files.error();
    if (std::string why = verbs::whyNotRun(*files); !why.empty())
        return Error{ErrorCode::Refused, std::move(why), {}, call.schedule};
    const auto run = verbs::run(*files, call, files->model.get(), {session.token(), {}});
    if (!run)
        return run.error();
    return verbs::runJson(*files, *run,
                          verbs::runNotes(files->model.get(), files->loaded.schedule, run->options.cores));
}

Result<std::string> npuDocument(const verbs::NpuCall& call, const Session& session)
{
    if (!call.schedule.empty())
        return runDocument(call.scheduleRun(), session);
    const auto answer = verbs::runNpu(call, {session.token(), {}}, {session.token(), {}});
    return answer ? Result<std::string>(verbs::npuJson(*answer)) : answer.error();
}

Result<std::string> boundDocument(verbs::BoundCall& call, const Session& session)
{
    const auto answer = verbs::boundOf(call, session.token());
    return answer ? Result<std::string>(answer->json()) : answer.error();
}

Result<std::string> summaryDocument(const verbs::SummaryCall& call, const Session& session)
{
    const auto answer = verbs::summaryOf(call, {session.token(), {}});
    return answer ? Result<std::string>(verbs::summaryJson(answer->summaries, answer->explained))
                  : answer.error();
}

Result<std::string> validateDocument(const verbs::ValidateCall& call, const Session& session)
{
    const auto comparison = verbs::validate(call, {session.token(), {}});
    return comparison ? Result<std::string>(validation::comparisonJson(*comparison)) : comparison.error();
}

Result<std::string> fitDocument(const verbs::FitCall& call, const Session& session)
{
    const auto answer = verbs::fitMachine(call, {session.token(), {}});
    return answer ? Result<std::string>(answer->json()) : answer.error();
}

Result<std::string> overlayDocument(const verbs::OverlayCall& call, const Session& session)
{
    const auto overlays = verbs::overlaysOf(call, {session.token(), {}});
    return overlays ? Result<std::string>(overlay::overlaysJson(*overlays)) : overlays.error();
}

Result<std::string> tracesDocument(const verbs::TracesCall& call, const Session&)
{
    const auto comparison = verbs::tracesOf(call);
    return comparison ? Result<std::string>(overlay::tracesJson(*comparison)) : comparison.error();
}

Result<std::string> explainDocument(figures::ExplainCall& call, const Session&)
{
    const auto answer = figures::explain(call);
    return answer ? Result<std::string>(figures::explainJson(*answer)) : answer.error();
}

Result<std::string> mapDocument(const verbs::MapCall& call, const Session& session)
{
    const auto subject = verbs::readMapCall(call);
    if (!subject)
        return subject.error();
    if (call.hierarchy)
        return verbs::hierarchyDocument(*subject, call, session.token());
    const mapping::Objective objective = verbs::objectiveOf(call.objective);
    if (const auto* model = std::get_if<verbs::MapModel>(&*subject)) {
        const auto result = verbs::mapModel(*model, call, session.token());
        return result ? Result<std::string>(mapping::modelReport(*result, objective)) : result.error();
    }
    const auto& layer = std::get<verbs::MapSubject>(*subject);
    if (!call.method.empty()) {
        const auto answer = verbs::evaluateMethod(layer, call.method);
        if (!answer)
            return answer.error();
        return mapping::evaluationReport(layer.nest, answer->method, answer->cost, objective,
                                         answer->seconds);
    }
    const auto answer = verbs::mapLayer(layer, call, session.token());
    if (!answer)
        return answer.error();
    return mapping::searchReport(layer.nest, layer.architecture, answer->result, objective, answer->notes);
}

/// Reads the call of a verb on a schedule of a problem, and evaluates the schedule.
template <typename Call>
EvaluationValue evaluatedFor(Call& call, Arguments& arguments, const py::object& schedule)
{
    call.schedule = "schedule";
    Arguments rest(arguments.rest()); // a copy, because readCall() takes the same values out of `arguments`
    readCall(call, arguments, {"schedule"});
    const py::object rules = rest.take("rules"), dim = rest.take("dim");
    return evaluateValue(rest.take("problem"), schedule, rules.is_none() ? py::str("auto") : rules,
                         rest.take("machine"), dimensionsFrom(dim));
}

py::object runVerb(Arguments& arguments, const py::object& stop)
{
    const py::object schedule = arguments.take("schedule");
    verbs::RunCall call;
    const EvaluationValue evaluated = evaluatedFor(call, arguments, schedule);
    if (const std::string why = verbs::whyNotRun(evaluated.evaluated); !why.empty())
        throw BadInput(why);
    return documentOf(stop, [&](const Session& session) -> Result<std::string> {
        lower::ModelOnMachinePtr model;
        if (verbs::WorkloadCall workload = call.workload;
            call.cores > 1 && workload.hasMachine() && workload.isNamed()) {
            auto on = verbs::readOnMachine(workload);
            if (!on)
                return on.error();
            model = *on;
        }
        const auto run = verbs::run(evaluated.evaluated, call, model.get(), {session.token(), {}});
        if (!run)
            return run.error();
        return verbs::runJson(evaluated.evaluated, *run,
                              verbs::runNotes(model.get(), evaluated.evaluated.loaded.schedule, call.cores));
    });
}

py::object placeVerb(Arguments& arguments, const py::object& stop)
{
    const py::object schedule = arguments.take("schedule");
    verbs::PlaceCall call;
    std::optional<EvaluationValue> evaluated;
    if (schedule.is_none()) {
        readCall(call, arguments);
    } else {
        evaluated = evaluatedFor(call, arguments, schedule);
        if (const std::string why = verbs::whyNotPlaced(evaluated->evaluated); !why.empty())
            throw BadInput(why);
    }
    return documentOf(stop, [&](const Session& session) -> Result<std::string> {
        const verbs::Deadline deadline(call.seconds, session.token());
        if (evaluated) {
            const auto answer = verbs::placeItems(evaluated->evaluated, deadline.progress());
            return answer ? Result<std::string>(answer->json()) : answer.error();
        }
        auto buffers = verbs::readBuffers(call);
        if (!buffers)
            return buffers.error();
        const auto answer = verbs::placeBuffers(std::move(*buffers), call.capacity, deadline.progress());
        return answer ? Result<std::string>(answer->json()) : answer.error();
    });
}

py::object solveVerb(Arguments& arguments, const py::object& stop)
{
    const py::object onImprovement = arguments.take("on_improvement"), start = arguments.take("start");
    verbs::SolveCall call;
    if (!start.is_none())
        call.start.emplace(); // a placeholder: the start schedule is read once the problem is known
    readCall(call, arguments);
    call.start.reset();
    const ProblemPtr problem = [&] {
        const Released released;
        return valueOf(verbs::readProblem(call.workload)).problem;
    }();
    if (py::isinstance<ScheduleValue>(start))
        call.start = valueOf(verbs::startOf(scheduleOf({problem}, start).loaded, "start"));
    else if (!start.is_none())
        call.startFile = pathOf(start);
    SolveOptions options = valueOf(verbs::solveOptions(call, *problem));
    Session session(stop);
    options.stop = session.token();
    if (!onImprovement.is_none())
        options.onImprovement = [&](const SolveImprovement& i) {
            session.tell([&onImprovement, &problem, i] {
                onImprovement(i.seconds, i.total, ScheduleValue{problem, {*i.schedule, {}}, {}, {}});
            });
        };
    std::optional<RunFinish> finished;
    auto result = session.run([&]() -> Result<SolveResult> {
        auto found = solve(*problem, options);
        if (!found)
            return found;
        verbs::proveAfter(call, *problem, options, *found);
        verbs::costsAfter(call, *problem, options, *found);
        auto finish = verbs::finishAfter(call, *problem, options, *found);
        if (!finish)
            return finish.error();
        finished = std::move(*finish);
        return found;
    });
    if (!result && session.interrupted())
        Session::raiseInterrupt();
    return py::cast(SolutionValue{problem, valueOf(std::move(result)), options.rules, session.interrupted(),
                                  std::move(finished)});
}

/// Runs the points of a sweep. The results go into the folder `output`, or stay in memory if it is empty.
sweep::SweepTable runSweep(const sweep::Sweep& sweep, const std::string& output,
                           const sweep::RunOptions& options)
{
    if (!output.empty()) {
        const auto folder = valueOf(sweep::ResultsFolder::prepare(output, sweep.manifest));
        valueOf(sweep::checkResults(folder, options.part, options.stop));
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

py::object sweepVerb(Arguments& arguments, const py::object& stop)
{
    const py::object onState = arguments.take("on_state"), plan = arguments.take("plan");
    verbs::SweepCall call;
    if (py::isinstance<py::dict>(plan)) {
        const py::object path = py::module_::import("os").attr("fspath");
        call.planText =
            py::module_::import("json").attr("dumps")(plan, py::arg("default") = path).cast<std::string>();
        call.plan = "plan";
    } else {
        call.plan = pathOf(plan);
    }
    readCall(call, arguments, {"plan"});
    sweep::RunOptions options = valueOf(call.runOptions());
    return documentOf(stop, [&](Session& session) -> Result<std::string> {
        options.stop = session.token();
        if (!onState.is_none())
            options.onState = [&](const sweep::RunState& state) {
                session.tell([&onState, state] { onState(state.done(), state.failed, state.points); });
            };
        return sweep::tableJson(runSweep(valueOf(call.read()), call.output, options));
    });
}

py::object tablesVerb(Arguments& arguments, const py::object& stop)
{
    tables::TablesCall call;
    readCall(call, arguments);
    Session session(stop);
    TableColumns columns;
    const Status filled = session.run([&]() -> Status {
        const auto subject = tables::subjectOf(call, session.token());
        if (!subject)
            return subject.error();
        if (!columns.fill(*subject, {session.token(), {}}))
            return Error{ErrorCode::Refused, "stopped", {}, {}};
        return Unit{};
    });
    if (!filled && session.interrupted())
        Session::raiseInterrupt();
    valueOf(filled);
    return columns.arrays();
}

/// Parameters of a verb: a tuple (name, type, is a list, default or None, is positional, is required, help)
/// per option.
template <typename Call> py::list parametersOf()
{
    Call call;
    verbs::OptionList list;
    bindOptions(list, call);
    py::list out;
    for (const verbs::Option& o : list.all()) {
        if (o.name == "--set") // in Python the class Rules has the switches
            continue;
        py::object standard = py::none();
        if (o.type == "bool")
            standard = py::bool_(false);
        else if (!o.standard.empty())
            standard = o.type == "int"     ? py::object(py::int_(py::str(o.standard)))
                       : o.type == "float" ? py::object(py::float_(py::str(o.standard)))
                                           : py::object(py::str(o.standard));
        out.append(py::make_tuple(o.identifier(), o.type, o.isList, standard, o.isPositional(), o.required,
                                  o.description()));
    }
    return out;
}

struct Verb
{
    py::object (*run)(Arguments& arguments, const py::object& stop);
    py::list (*parameters)();
};
template <typename Call> constexpr Verb verbOf(py::object (*run)(Arguments&, const py::object&))
{
    return {run, &parametersOf<Call>};
}
template <typename Call, auto json> constexpr Verb lensVerbOf()
{
    return verbOf<Call>(&lensVerb<Call, json>);
}
const std::map<std::string, Verb> kVerbs{{"solve", verbOf<verbs::SolveCall>(&solveVerb)},
                                         {"bound", lensVerbOf<verbs::BoundCall, &boundDocument>()},
                                         {"place", verbOf<verbs::PlaceCall>(&placeVerb)},
                                         {"run", verbOf<verbs::RunCall>(&runVerb)},
                                         {"systolic", lensVerbOf<verbs::SystolicCall, &systolicDocument>()},
                                         {"tile", lensVerbOf<verbs::TileCall, &tileDocument>()},
                                         {"npu", lensVerbOf<verbs::NpuCall, &npuDocument>()},
                                         {"map", lensVerbOf<verbs::MapCall, &mapDocument>()},
                                         {"summary", lensVerbOf<verbs::SummaryCall, &summaryDocument>()},
                                         {"validate", lensVerbOf<verbs::ValidateCall, &validateDocument>()},
                                         {"fit", lensVerbOf<verbs::FitCall, &fitDocument>()},
                                         {"overlay", lensVerbOf<verbs::OverlayCall, &overlayDocument>()},
                                         {"traces", lensVerbOf<verbs::TracesCall, &tracesDocument>()},
                                         {"explain", lensVerbOf<figures::ExplainCall, &explainDocument>()},
                                         {"tables", verbOf<tables::TablesCall>(&tablesVerb)},
                                         {"sweep", verbOf<verbs::SweepCall>(&sweepVerb)}};

} // namespace

void addVerbs(py::module_& m)
{
    m.def(
        "parameters", [](const std::string& verb) { return kVerbs.at(verb).parameters(); }, py::arg("verb"),
        "The options of a verb.");
    m.def(
        "call",
        [](const std::string& verb, const py::dict& given) {
            Arguments arguments(given);
            const py::object stop = arguments.take("stop");
            return kVerbs.at(verb).run(arguments, stop);
        },
        py::arg("verb"), py::arg("arguments"),
        "A verb's JSON document and whether it was interrupted; a Solution.");
}

} // namespace tilewright::python
