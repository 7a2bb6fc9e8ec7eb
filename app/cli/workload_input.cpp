// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload_input.h"

#include "table.h"

#include "base/file.h"
#include "base/text.h"
#include "lower/on_machine.h"
#include "manual/program.h"
#include "model/topology.h"
#include "report/file_kind.h"
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

Result<Machine> WorkloadArguments::load() const
{
    if (machine.empty())
        return *machinePreset("edge");
    return lower::loadMachine(machine);
}

Result<lower::Workload> WorkloadArguments::read(const std::string& file) const
{
    onnx::Dimensions dimensions;
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
        if (!dimensions.emplace(dim.substr(0, at), value).second)
            return wrong("the dimension has a value already");
    }
    return lower::loadWorkload(file, dimensions);
}

bool isProblemFile(const std::string& file)
{
    if (onnx::isOnnxFile(file))
        return false;
    const auto text = readFile(file);
    if (!text || model::isTopology(*text))
        return !text;
    const auto kind = fileKindOf(*text, file);
    return !kind || *kind == FileKind::Problem || *kind == FileKind::Schedule;
}

Result<ProblemPtr> problemOf(const std::string& file, const WorkloadArguments& machine)
{
    if (!machine.given() && machine.dims.empty() && isProblemFile(file))
        return loadProblem(file);
    auto lowered = lowerFile(file, machine);
    if (!lowered)
        return lowered.error();
    return lower::problemOf(std::move(lowered->lowered));
}

Result<LoweredFile> lowerFile(const std::string& file, const WorkloadArguments& arguments)
{
    auto workload = arguments.read(file);
    if (!workload)
        return workload.error();
    if (workload->noModel)
        return *workload->noModel;
    auto machine = arguments.load();
    if (!machine)
        return machine.error();
    auto lowered = lower::lowerToProblem(workload->model, *machine);
    if (!lowered) {
        Error error = lowered.error();
        error.file = file;
        return error;
    }
    if (workload->problem)
        lower::keepIds(*lowered, *workload->problem);
    return LoweredFile{std::move(*workload), std::move(*machine), std::move(*lowered)};
}

Result<lower::GemmLayer> productNamed(const lower::LoweredProblem& lowered, const std::string& name)
{
    const std::vector<lower::GemmLayer> layers = lower::gemmsOf(lowered);
    const auto found = [&](const std::string& wanted) {
        std::vector<const lower::GemmLayer*> out;
        for (const lower::GemmLayer& layer : layers)
            if (std::find(layer.operators.begin(), layer.operators.end(), wanted) != layer.operators.end())
                out.push_back(&layer);
        return out;
    };
    if (const auto whole = found(name); !whole.empty())
        return *whole.front();
    const std::size_t colon = name.rfind(':');
    if (colon != std::string::npos) {
        const auto several = found(name.substr(0, colon));
        std::size_t n = 0;
        const char* end = name.data() + name.size();
        const auto read = std::from_chars(name.data() + colon + 1, end, n);
        if (read.ec == std::errc() && read.ptr == end && n >= 1 && n <= several.size())
            return *several[n - 1];
        if (!several.empty())
            return Error{ErrorCode::Problem,
                         "has " + std::to_string(several.size()) +
                             " products; write :1 to :" + std::to_string(several.size()) + " after its name",
                         name.substr(0, colon),
                         {}};
    }
    std::string known;
    for (std::size_t i = 0; i < std::min<std::size_t>(8, layers.size()); ++i)
        known += (i > 0 ? ", " : "") + layers[i].operators.front();
    return Error{ErrorCode::Problem,
                 "no operator of this name is a product; there are " + known +
                     (layers.size() > 8 ? ", …" : ""),
                 name,
                 {}};
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
