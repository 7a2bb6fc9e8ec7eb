// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload_input.h"

#include "table.h"

#include "base/file.h"
#include "base/text.h"
#include "manual/program.h"
#include "model/file_kind.h"
#include "workload/problem_json.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <iostream>

namespace tilewright::cli {

CLI::Option* WorkloadArguments::addTo(CLI::App& verb)
{
    verb.add_option("--dim", dims, "Value of a free dimension of an ONNX model")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    return verb.add_option("--machine", machine, "Machine file, or the name of a preset")
        ->type_name("FILE|" + manual::oneOf(machinePresets()))
        ->allow_extra_args(false);
}

Result<std::optional<Machine>> WorkloadArguments::load() const
{
    if (machine.empty())
        return std::optional<Machine>();
    auto read = lower::loadMachine(machine);
    if (!read)
        return read.error();
    return std::optional(std::move(*read));
}

Result<onnx::Dimensions> WorkloadArguments::dimensions() const
{
    onnx::Dimensions out;
    for (const std::string& dim : dims) {
        // A name may have any sign in it, a value has none of these.
        const std::size_t at = dim.rfind('=');
        std::int64_t value = 0;
        const char* const end = dim.data() + dim.size();
        const auto wrong = [&](const char* why) { return Error{ErrorCode::Field, why, "--dim " + dim, {}}; };
        if (at == std::string::npos || at == 0)
            return wrong("expected NAME=VALUE");
        const auto number = std::from_chars(dim.data() + at + 1, end, value);
        if (number.ec != std::errc{} || number.ptr != end)
            return wrong("expected a whole number behind \"=\"");
        if (!out.emplace(dim.substr(0, at), value).second)
            return wrong("the dimension has a value already");
    }
    return out;
}

namespace {

/// `asProblem`: a schedule in the place of a problem is refused by the reader of problems, which names the
/// field that it misses.
Result<verbs::WorkloadCall> readCall(const WorkloadArguments& arguments, const std::string& file,
                                     const onnx::Dimensions& usual, bool asProblem)
{
    const auto given = arguments.dimensions();
    if (!given)
        return given.error();
    const auto content = readContent(file, onnx::isOnnx);
    if (!content)
        return content.error();
    auto workload = lower::readWorkload(content->view(), file, given->empty() ? usual : *given);
    if (!workload) {
        const auto kind = fileKindOf(content->view(), file);
        if (asProblem && kind && *kind == FileKind::Schedule)
            if (const auto problem = readProblem(content->view(), file); !problem)
                return problem.error();
        return workload.error();
    }
    auto named = arguments.load();
    if (!named)
        return named.error();
    return verbs::WorkloadCall{std::make_shared<const lower::Workload>(std::move(*workload)), file,
                               std::move(*named)};
}

} // namespace

Result<verbs::WorkloadCall> WorkloadArguments::read(const std::string& file,
                                                    const onnx::Dimensions& usual) const
{
    return readCall(*this, file, usual, false);
}

Result<verbs::WorkloadCall> WorkloadArguments::readIfNamed(const std::string& file) const
{
    if (!file.empty())
        return read(file);
    auto named = load();
    if (!named)
        return named.error();
    return verbs::WorkloadCall{nullptr, {}, std::move(*named)};
}

Result<verbs::ProblemOnHardware> problemOf(const std::string& file, const WorkloadArguments& machine,
                                           const verbs::TargetOfFile& schedule)
{
    const auto call = readCall(machine, file, schedule.target.dimensions, true);
    if (!call)
        return call.error();
    std::string named;
    for (const std::string& name : machine.machine)
        named += (named.empty() ? "" : " and ") + name;
    auto out = verbs::problemOnHardware(*call, named, schedule);
    if (out && out->target.machine) {
        const auto given = machine.dimensions();
        out->target.dimensions = machine.dims.empty() ? schedule.target.dimensions : *given;
    }
    return out;
}

void printLowering(const lower::LoweringReport& r)
{
    const auto line = [](const char* name, const std::string& value) {
        std::cout << name << std::string(15 - std::string_view(name).size(), ' ') << value << '\n';
    };
    const auto count = [](std::size_t n) { return formatGrouped(static_cast<std::int64_t>(n)); };
    if (!r.name.empty())
        line("name", r.name);
    line("model", count(r.operators) + " operators, " + count(r.tensors) + " tensors");
    line("MACs", formatGrouped(r.macs) + (r.vectorMacs > 0
                                              ? ", " + formatGrouped(r.vectorMacs) + " of them vector work"
                                              : std::string()));
    line("of the MACs", percent(r.coverage.mapped) + " mapped, " + percent(r.coverage.approximated) +
                            " approximated, " + percent(r.coverage.dropped) + " dropped; of the operators " +
                            percent(r.coverage.folded) + " folded");
    line("left out", formatGrouped(r.leftOutBytes) + " bytes of constants that are broadcast");
    for (const std::string& note : r.notes)
        line("note", note);
    Table table({"type", "nodes", "MACs", "bytes"});
    for (const lower::TypeReport& t : lower::typesOf(r))
        table.add({t.type, formatGrouped(t.nodes), formatGrouped(t.macs), formatGrouped(t.bytes)});
    std::cout << '\n';
    table.print(std::cout);
    std::vector<const lower::NodeReport*> other;
    for (const lower::NodeReport& n : r.nodes)
        if (n.status == lower::NodeStatus::Approximated || n.status == lower::NodeStatus::Dropped)
            other.push_back(&n);
    std::stable_sort(other.begin(), other.end(), [](const auto* x, const auto* y) {
        return std::pair(x->macs, x->bytes) > std::pair(y->macs, y->bytes);
    });
    constexpr std::size_t kShown = 10;
    if (!other.empty())
        std::cout << "\nnot quite as in the model" << (other.size() > kShown ? ", the ten largest" : "")
                  << '\n';
    for (std::size_t i = 0; i < std::min(other.size(), kShown); ++i)
        std::cout << "  " << toString(other[i]->status) << "  " << other[i]->name << ": " << other[i]->note
                  << '\n';
}

} // namespace tilewright::cli
