// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "base/utf8.h"
#include "manual/program.h"
#include "model/model_json.h"
#include "model/networks.h"
#include "verbs.h"
#include "workload/generate.h"
#include "workload/problem_json.h"

#include <algorithm>
#include <iostream>
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

void bindOptions(verbs::OptionList& o, GenerateArguments& a)
{
    std::string kinds = "What to generate:", branches;
    for (const WorkloadKindInfo& info : workloadKinds()) {
        kinds += "\n" + std::string(info.name) + ": " + std::string(info.meaning);
        branches +=
            (branches.empty() ? "" : "; ") + std::string(info.name) + ": " + std::string(info.branches);
    }
    for (const model::NetworkKindInfo& info : model::networkKinds())
        kinds += "\n" + std::string(info.name) + " (a model): " + std::string(info.meaning);
    const bool isModel = model::networkKindOf(a.kind).has_value(), isRandom = a.kind == "random";
    const auto isKind = [&a](std::initializer_list<const char*> names) {
        return std::ranges::count(names, a.kind) > 0;
    };
    const verbs::Property problem = o.notWith(isModel, "models"), model = o.needs(isModel, "a kind of model");
    const verbs::Property tokens =
        o.notWith(isKind({"resnet-18", "resnet-50", "mobilenet-v2"}), "networks for images");
    const verbs::Property ofKind = o.otherwise("that of the kind");
    const verbs::Range size{1}; // upper limits depend on the kind and are checked by the generators
    const verbs::Range orNone;
    o.add("kind", a.kind, manual::oneOf(workloadKinds()) + "|" + manual::oneOf(model::networkKinds()), kinds,
          o.required());
    o.add("-o,--output", a.output, "FILE", "File to write", o.otherwise("standard output"), o.writes());
    GenerateOptions& p = a.options;
    model::NetworkOptions& n = a.network;
    o.add("--layers", p.layers, size, "Blocks in a row", o.notWith(isRandom, "random"), ofKind);
    o.add("--rows", p.rows, size, "Height of the activations; of models: tokens", ofKind);
    o.add("--width", p.width, size, "Width of the activations; of models: hidden size", ofKind);
    o.add("--hidden", p.hidden, size, "Inner width of a block; of models: of the feed-forward net",
          o.notWith(isKind({"diamond", "fan-out", "random"}), "diamond, fan-out and random"), ofKind);
    o.add("--branches", p.branches, size, "Number by kind: " + branches, problem,
          o.notWith(a.kind == "mlp", "mlp"), ofKind);
    o.add("--heads", n.heads, size, "Heads of queries", model, ofKind);
    o.add("--kv-heads", n.kvHeads, size, "Heads of keys and values", model, tokens, ofKind);
    o.add("--cached", n.cached, orNone, "Tokens in the KV cache before these", model, tokens, ofKind);
    o.add("--experts", n.experts, orNone, "Experts, two of which work on a token", model, ofKind);
    o.add("--batch", n.batch, size, "Images", model, ofKind);
    o.add("--size", n.size, size, "Height and width of an image", model, ofKind);
    o.add("--classes", n.classes, size, "Classes, or words of the vocabulary", model, ofKind);
    o.add("--ops", p.ops, size, "Number of ops", o.needs(isRandom, "random"), o.otherwise("30"));
    o.flag("--ragged", p.ragged, "Sizes that nothing divides", problem);
    o.add("--seed", p.seed, verbs::Range{}, "Seed of sizes and shapes",
          o.needs(isRandom || p.ragged, "random or --ragged"));
    o.add("--native", p.native, size, "Native width and height", problem);
    o.add("--capacity", p.capacity, size, "Fast memory, in elements", problem);
    o.add("--bandwidth", p.bandwidth, size, "Slow memory, in elements per unit of time", problem);
}

int write(const std::string& file, const std::string& text, const std::string& what)
{
    if (file.empty() || file == "-") {
        std::cout << text;
        return Exit::Success;
    }
    if (auto status = writeFileAtomically(file, text); !status)
        return fail(status.error());
    std::cerr << printable(file + ": " + what) << '\n';
    return Exit::Success;
}

/// Generates the model of a whole network.
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
        // Three options have a shared name for all kinds; the error names the option that the user knows.
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

int generate(GenerateArguments& arguments)
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
    manual::addVerb<GenerateArguments>(app, "generate",
                                       "Write a problem or a whole network of a kind and size of your choice",
                                       generate, exitCode);
}

} // namespace tilewright::cli
