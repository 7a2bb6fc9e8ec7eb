// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "verbs.h"
#include "workload/generate.h"
#include "workload/problem_json.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace tilewright::cli {

namespace {

struct GenerateArguments
{
    std::string kind;
    std::string output;
    GenerateOptions options;
};

int generate(GenerateArguments arguments)
{
    const auto kind = workloadKindOf(arguments.kind);
    if (!kind)
        return fail(kind.error());
    arguments.options.kind = *kind;
    const auto problem = generateWorkload(arguments.options);
    if (!problem) {
        Error error = problem.error();
        error.path = "--" + error.path;
        return fail(error);
    }
    const std::string text = writeProblem(**problem);
    if (arguments.output.empty() || arguments.output == "-") {
        std::cout << text;
        return Exit::Success;
    }
    if (auto status = writeFileAtomically(arguments.output, text); !status)
        return fail(status.error());
    std::cerr << arguments.output << ": " << (*problem)->opCount() << " ops, " << (*problem)->tensorCount()
              << " tensors\n";
    return Exit::Success;
}

} // namespace

void addGenerateVerb(CLI::App& app, int& exitCode)
{
    auto* verb = app.add_subcommand("generate", "Write a problem of a kind and size of your choice");
    auto a = std::make_shared<GenerateArguments>();
    std::string kinds;
    std::string branches;
    for (const WorkloadKindInfo& info : workloadKinds()) {
        kinds += "\n" + std::string(info.name) + ": " + std::string(info.meaning);
        branches +=
            (branches.empty() ? "" : "; ") + std::string(info.name) + ": " + std::string(info.branches);
    }
    GenerateOptions& o = a->options;
    verb->add_option("kind", a->kind, "What to generate:" + kinds)->required();
    verb->add_option("-o,--output", a->output, "Problem file to write (standard output without it)");
    verb->add_option("--layers", o.layers, "Blocks in a row");
    verb->add_option("--rows", o.rows, "Height of the activations");
    verb->add_option("--width", o.width, "Width of the activations");
    verb->add_option("--hidden", o.hidden, "Inner width of a block");
    verb->add_option("--branches", o.branches, "Counts, by kind: " + branches);
    verb->add_option("--ops", o.ops, "Number of ops (random only)");
    verb->add_flag("--ragged", o.ragged, "Sizes that nothing divides");
    verb->add_option("--seed", o.seed, "Other sizes and shapes (random and --ragged)")->capture_default_str();
    verb->add_option("--native", o.native, "Native width and height")->capture_default_str();
    verb->add_option("--capacity", o.capacity, "Fast memory, in elements")->capture_default_str();
    verb->add_option("--bandwidth", o.bandwidth, "Slow memory, in elements per unit of time")
        ->capture_default_str();
    verb->callback([a, &exitCode] { exitCode = generate(*a); });
}

} // namespace tilewright::cli
