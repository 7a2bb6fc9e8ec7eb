// SPDX-License-Identifier: GPL-3.0-or-later
// The options that select a workload: sizes of free dimensions, a machine, the phase of a language model.
#include "base/text.h"
#include "base/utf8.h"
#include "llm/shards.h"
#include "verbs/workload.h"

#include <charconv>
#include <cmath>

namespace tilewright::verbs {

std::string LanguageCall::given() const
{
    const std::pair<bool, const char*> all[] = {{phase != "prefill", "--phase"},
                                                {batch.has_value(), "--batch"},
                                                {prompt.has_value(), "--prompt"},
                                                {cached.has_value(), "--cached"},
                                                {tokens.has_value(), "--tokens"},
                                                {!layers.empty(), "--layers"},
                                                {chips.has_value(), "--chips"},
                                                {stages.has_value(), "--stages"},
                                                {expertChips.has_value(), "--expert-chips"},
                                                {expertSkew.has_value(), "--expert-skew"},
                                                {kvBits.has_value(), "--kv-bits"},
                                                {weightBits.has_value(), "--weight-bits"},
                                                {activationBits.has_value(), "--activation-bits"}};
    for (const auto& [isGiven, name] : all)
        if (isGiven)
            return name;
    return {};
}

Result<llm::LlmOptions> LanguageCall::options() const
{
    llm::LlmOptions out;
    for (const llm::LlmPhase p : {llm::LlmPhase::Prefill, llm::LlmPhase::Decode, llm::LlmPhase::Chunked})
        if (toString(p) == phase)
            out.phase = p;
    out.batch = batch.value_or(out.batch);
    out.prompt = prompt.value_or(0);
    out.cached = cached.value_or(0);
    out.tokens = tokens.value_or(0);
    out.chips = chips.value_or(out.chips);
    out.stages = stages.value_or(out.stages);
    out.expertChips = expertChips.value_or(out.expertChips);
    out.expertSkew = std::llround(expertSkew.value_or(0) * static_cast<double>(llm::kSkewOfOne));
    const auto width = [](const std::optional<double>& bits) {
        return bits ? std::llround(*bits * static_cast<double>(llm::kBit)) : 0;
    };
    out.kvBits = width(kvBits);
    out.weightBits = width(weightBits);
    out.activationBits = width(activationBits);
    if (layers == "all") {
        out.layers = llm::kAllLayers;
    } else if (!layers.empty()) {
        const char* const end = layers.data() + layers.size();
        const auto read = std::from_chars(layers.data(), end, out.layers);
        if (read.ec != std::errc() || read.ptr != end || out.layers < 1)
            return Error{ErrorCode::Field, "expected all or an integer from 1 on", "--layers " + layers, {}};
    }
    return out;
}

namespace {

void bindOptions(OptionList& o, LanguageCall& call, bool isNamed)
{
    constexpr double kMostTokens = 1 << 24, kMostBatch = 1 << 16, kMostBits = 64;
    const Property model = o.needs(isNamed, "a workload");
    o.add(
        "--phase", call.phase, "prefill|decode|chunked",
        "What of a language model runs: a whole prompt, a step after the tokens in the cache, or a part of a "
        "prompt after them",
        model);
    o.add("--batch", call.batch, Range{1, kMostBatch}, "Sequences at once", model, o.otherwise("1"));
    o.add("--prompt", call.prompt, Range{1, kMostTokens}, "Tokens of a sequence that are computed", model,
          o.otherwise("2048, or the longest context of the model if that is less; 512 if chunked"));
    o.add("--cached", call.cached, Range{1, kMostTokens}, "Tokens of a sequence in the cache", model,
          o.otherwise("2048, or as many as the model has room for"));
    o.add("--tokens", call.tokens, Range{1, kMostTokens}, "Tokens of a sequence in one step", model,
          o.otherwise("1"));
    o.add("--layers", call.layers, "N|all", "The first N layers, or all", model,
          o.otherwise("one layer of each kind, which counts for all of its kind"));
    o.add("--chips", call.chips, Range{1, llm::kMostChips},
          "Chips that share every layer; what is computed is one of them", model, o.otherwise("1"));
    o.add("--stages", call.stages, Range{1},
          "Groups of so many chips, one after another, that share the layers", model, o.otherwise("1"));
    o.add("--expert-chips", call.expertChips, Range{1, llm::kMostChips},
          "Chips that share the routed experts, each with sequences of its own; what is computed is one of "
          "them",
          model, o.otherwise("1"));
    o.add("--expert-skew", call.expertSkew, Range{0, static_cast<double>(llm::kMostSkew) / llm::kSkewOfOne},
          "Expert I of a layer gets tokens in proportion to 1 / I to the power of this number", model,
          o.otherwise("0: all experts the same"));
    o.add("--kv-bits", call.kvBits, Range{0, kMostBits, true}, "Bits of an element of the cache", model,
          o.otherwise("those of the file, else 16"));
    o.add("--weight-bits", call.weightBits, Range{0, kMostBits, true},
          "Bits of a weight of the layers, with its share of scales", model,
          o.otherwise("those of the file"));
    o.add("--activation-bits", call.activationBits, Range{0, kMostBits, true},
          "Bits of what quantised weights are multiplied with", model, o.otherwise("those of the file"));
}

} // namespace

void bindMachine(OptionList& o, WorkloadCall& call)
{
    std::string machines = "FILE";
    for (const MachinePreset& preset : machinePresets())
        machines += "|" + std::string(preset.name);
    o.add("--machine", call.machines, machines, "Machine file, or the name of a preset", o.oneByOne());
}

void bindOptions(OptionList& o, WorkloadCall& call)
{
    o.add("--dim", call.dims, "NAME=VALUE", "Value of a free dimension of an ONNX model; may be repeated",
          o.oneByOne(), o.needs(call.isNamed(), "a workload"));
    bindMachine(o, call);
    o.flag("--strict", call.strict,
           "Refuse a model with operators that are not supported though it needs their results",
           o.needs(call.isNamed(), "a workload"));
    bindOptions(o, call.language, call.isNamed());
}

Result<onnx::Dimensions> WorkloadCall::dimensions() const
{
    const auto options = language.options();
    if (!options)
        return options.error();
    onnx::Dimensions out = llm::dimensionsOf(*options);
    for (const std::string& dim : dims) {
        // The name may contain "=", the value may not, so the last "=" separates them.
        const std::size_t at = dim.rfind('=');
        std::int64_t value = 0;
        const char* const end = dim.data() + dim.size();
        const auto wrong = [&](const char* why) { return Error{ErrorCode::Field, why, "--dim " + dim, {}}; };
        if (at == std::string::npos || at == 0)
            return wrong("expected NAME=VALUE");
        const auto number = std::from_chars(dim.data() + at + 1, end, value);
        if (number.ec != std::errc{} || number.ptr != end)
            return wrong("expected an integer behind \"=\"");
        if (!out.emplace(printable(dim.substr(0, at)), value).second)
            return wrong("the dimension has a value already");
    }
    return out;
}

} // namespace tilewright::verbs
