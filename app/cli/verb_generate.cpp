// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "manual/program.h"
#include "model/model_json.h"
#include "model/networks.h"
#include "verbs.h"
#include "workload/generate.h"
#include "workload/problem_json.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <tuple>

namespace tilewright::cli {

namespace {

struct GenerateArguments
{
    std::string kind;
    std::string output;
    GenerateOptions options;
    model::NetworkOptions network;
};

int write(const std::string& file, const std::string& text, const std::string& what)
{
    if (file.empty() || file == "-") {
        std::cout << text;
        return Exit::Success;
    }
    if (auto status = writeFileAtomically(file, text); !status)
        return fail(status.error());
    std::cerr << file << ": " << what << '\n';
    return Exit::Success;
}

/// A whole network, as a model.
int generateModel(const GenerateArguments& arguments, model::NetworkKind kind)
{
    model::NetworkOptions o = arguments.network;
    o.kind = kind;
    o.layers = arguments.options.layers;
    o.tokens = arguments.options.rows;
    o.hidden = arguments.options.width;
    o.ffn = arguments.options.hidden;
    const auto network = model::generateNetwork(o);
    if (!network) {
        // Three sizes have the names that all kinds share.
        Error error = network.error();
        for (const auto& [own, shared] :
             {std::pair{"tokens", "rows"}, std::pair{"hidden", "width"}, std::pair{"ffn", "hidden"}})
            if (error.path == own) {
                error.path = shared;
                break;
            }
        error.path = "--" + error.path;
        return fail(error);
    }
    return write(arguments.output, model::writeModel(*network),
                 std::to_string(network->operators.size()) + " operators, " +
                     std::to_string(network->tensors.size()) + " tensors");
}

int generate(GenerateArguments arguments)
{
    if (const auto network = model::networkKindOf(arguments.kind))
        return generateModel(arguments, *network);
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
    return write(arguments.output, writeProblem(**problem),
                 std::to_string((*problem)->opCount()) + " ops, " +
                     std::to_string((*problem)->tensorCount()) + " tensors");
}

} // namespace

void addGenerateVerb(CLI::App& app, int& exitCode)
{
    auto* verb = app.add_subcommand("generate",
                                    "Write a problem or a whole network of a kind and size of your choice");
    auto a = std::make_shared<GenerateArguments>();
    std::string kinds;
    std::string branches;
    for (const WorkloadKindInfo& info : workloadKinds()) {
        kinds += "\n" + std::string(info.name) + ": " + std::string(info.meaning);
        branches +=
            (branches.empty() ? "" : "; ") + std::string(info.name) + ": " + std::string(info.branches);
    }
    for (const model::NetworkKindInfo& info : model::networkKinds())
        kinds += "\n" + std::string(info.name) + " (a model): " + std::string(info.meaning);
    GenerateOptions& o = a->options;
    verb->add_option("kind", a->kind, "What to generate:" + kinds)
        ->type_name(manual::oneOf(workloadKinds()) + "|" + manual::oneOf(model::networkKinds()))
        ->required();
    verb->add_option("-o,--output", a->output, "File to write (standard output without it)");
    verb->add_option("--layers", o.layers, "Blocks in a row");
    verb->add_option("--rows", o.rows, "Height of the activations; of models: tokens");
    verb->add_option("--width", o.width, "Width of the activations; of models: hidden size");
    verb->add_option("--hidden", o.hidden, "Inner width of a block; of models: of the feed-forward net");
    verb->add_option("--branches", o.branches, "Counts, by kind: " + branches);
    model::NetworkOptions& n = a->network;
    for (const auto& [name, value, meaning] :
         {std::tuple{"--heads", &n.heads, "Models: heads of queries"},
          std::tuple{"--kv-heads", &n.kvHeads, "Models: heads of keys and values"},
          std::tuple{"--cached", &n.cached, "Models: tokens in the KV cache before these"},
          std::tuple{"--experts", &n.experts, "Models: experts, two of which work on a token"},
          std::tuple{"--batch", &n.batch, "Models: images"},
          std::tuple{"--size", &n.size, "Models: height and width of an image"},
          std::tuple{"--classes", &n.classes, "Models: classes, or words of the vocabulary"}})
        verb->add_option(name, *value, meaning);
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
