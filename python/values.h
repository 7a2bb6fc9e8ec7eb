// SPDX-License-Identifier: GPL-3.0-or-later
// Value types of the Python module, and declarations that all its files share.
#pragma once

#include "lower/workload.h"
#include "model/machine.h"
#include "released.h"
#include "schedule/schedule_json.h"
#include "solve/search/solver.h"
#include "verbs/schedule.h"
#include "verbs/workload.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tilewright::python {

namespace py = pybind11;

/// Becomes tilewright.Error, with the sentence that the command line prints.
class BadInput : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
    explicit BadInput(const Error& error) : std::runtime_error(error.text()) {}
};

template <typename T> T valueOf(Result<T> result)
{
    if (!result)
        throw BadInput(result.error());
    return std::move(*result);
}

struct ProblemValue
{
    ProblemPtr problem;
};

/// A schedule, and the problem to which its ids belong.
struct ScheduleValue
{
    ProblemPtr problem;
    LoadedSchedule loaded;
    /// latencies of the subgraphs, if the schedule is a result of solve()
    std::vector<double> latencies;
    /// rules that rules="auto" has chosen; empty until they are first needed
    mutable std::optional<RulesChoice> byFile;
};

struct ModelValue
{
    std::shared_ptr<const lower::Workload> workload;
    std::string file;   ///< name of the model in messages
    std::string source; ///< text from which the model was read; empty for ONNX files and for problems
};

struct EvaluationValue
{
    verbs::EvaluatedSchedule evaluated;
};

struct SolutionValue
{
    ProblemPtr problem;
    SolveResult result;
    Rules rules;
    bool interrupted = false;
    /// Without the finished schedule, which is the schedule of the solution.
    std::optional<RunFinish> finish = {};
};

using Dimensions = onnx::Dimensions;

// Conversions of arguments that several verbs have.

/// Converts any kind of path to the bytes of its name in the file system.
[[nodiscard]] std::string pathOf(const py::handle& path);
/// Converts a str. Raises TypeError for other types, and UnicodeEncodeError for lone surrogates ("\\udcff").
[[nodiscard]] std::string textFrom(const py::handle& text, const std::string& name);
/// Converts a dict or None.
[[nodiscard]] Dimensions dimensionsFrom(const py::object& dim);
/// Converts workload and machine. Workload: None, a Model, a Problem or a file. Machine: None, a Machine, a
/// file, the name of a preset, or a list of these. readFiles() reads the files later.
[[nodiscard]] verbs::WorkloadCall callOf(const py::object& workload, const py::object& machine,
                                         const Dimensions& dimensions);
/// Returns the workload as a problem. A problem keeps its hardware unless a machine is given.
[[nodiscard]] ProblemValue problemOf(const py::object& workload, const py::object& machine,
                                     const Dimensions& dimensions);
/// Converts a Schedule or the name of a schedule file.
[[nodiscard]] ScheduleValue scheduleOf(const ProblemValue& problem, const py::object& schedule);
/// Returns a new array with the values of the list.
template <typename T> py::array_t<T> arrayOf(const std::vector<T>& values)
{
    return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

/// Adds properties that all value types share: copies are independent, and an object that __new__ created
/// without __init__ is refused.
template <typename T, typename... Options> void addCommon(py::class_<T, Options...>& type)
{
    type.def("__copy__", [](const py::object& self) { return self; });
    type.def(
        "__deepcopy__", [](const py::object& self, const py::dict&) { return self; }, py::arg("memo"));
    // pybind11 calls this to allocate an object that has no value.
    py::detail::get_type_info(typeid(T), true)->operator_new = [](std::size_t) -> void* {
        throw py::type_error("the object is empty: __new__ alone makes no value");
    };
}

/// Evaluates a schedule of a problem. A Problem and a Schedule, the usual arguments, are not copied. `rules`:
/// Rules, "final", "seed" or "auto".
[[nodiscard]] EvaluationValue evaluateValue(const py::object& workload, const py::object& schedule,
                                            const py::object& rules, const py::object& machine,
                                            const Dimensions& dimensions);

// Each of these functions adds the contents of its file to the module.
void addValues(py::module_& module);
void addEvaluation(py::module_& module);
void addResults(py::module_& module);
void addVerbs(py::module_& module);

} // namespace tilewright::python
