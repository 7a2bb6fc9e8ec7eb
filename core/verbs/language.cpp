// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/language.h"

#include "base/text.h"
#include "lower/floor.h"

#include <algorithm>
#include <cmath>

namespace tilewright::verbs {

namespace {

using llm::LlmOptions;
using llm::LlmPhase;
using lower::kClosedForm;
using lower::stepFloor;
using lower::StepFloor;

constexpr std::array<LanguageColumn, kLanguageFigures> kColumns{{
    {LanguageFigure::Parameters, "parameters", "parameters", ""},
    {LanguageFigure::ActiveParameters, "active_parameters", "parameters a token meets", ""},
    {LanguageFigure::WeightBytes, "weight_bytes", "bytes of weights", "bytes"},
    {LanguageFigure::KvBytesPerToken, "kv_bytes_per_token", "bytes of cache a token", "bytes"},
    {LanguageFigure::KvBytes, "kv_bytes", "bytes of cache", "bytes"},
    {LanguageFigure::FlopsPerToken, "flops_per_token", "FLOPs a token", ""},
    {LanguageFigure::TimeToFirstToken, "time_to_first_token_ms", "time to first token, floor", "ms"},
    {LanguageFigure::TimePerOutputToken, "time_per_output_token_ms", "time per output token, floor", "ms"},
    {LanguageFigure::TokensPerSecond, "tokens_per_second", "tokens a second, at most", ""},
    {LanguageFigure::BatchAtKnee, "batch_at_knee", "batch from which decode is bound by compute", ""},
    {LanguageFigure::LongestContext, "longest_context", "longest context that fits", "tokens"},
}};

/// The same sequences in another phase.
LlmOptions inPhase(const LlmOptions& options, LlmPhase phase)
{
    LlmOptions out = options;
    if (phase == options.phase)
        return out;
    const std::int64_t context = options.phase == LlmPhase::Decode ? options.cached : options.keys();
    out.phase = phase;
    out.prompt = phase == LlmPhase::Decode ? 0 : context;
    out.cached = phase == LlmPhase::Decode ? context : 0;
    out.tokens = phase == LlmPhase::Decode ? 1 : 0;
    return out;
}

ExplainedValue milliseconds(const std::string& name, const ExplainedValue& cycles, const Machine& m)
{
    return combined(Operation::Quotient, name, "ms",
                    {cycles, combined(Operation::Product, "cycles a millisecond", "",
                                      {lower::machineValue(m, "clock_ghz", "clock", "GHz", m.clockGhz),
                                       leaf("cycles a millisecond at 1 GHz", "", 1e6, {})})});
}

void addTimes(LanguageFigures& out, const Machine& m)
{
    const auto at = [&](LanguageFigure f) -> auto&
    {
        return out.figures[static_cast<std::size_t>(f)];
    };
    const LlmOptions prefill = inPhase(out.options, LlmPhase::Prefill);
    at(LanguageFigure::TimeToFirstToken) =
        milliseconds("time to first token", stepFloor(out.config, prefill, m, out.cores).cycles, m);
    if (!out.config.causal)
        return;
    const LlmOptions decode = inPhase(out.options, LlmPhase::Decode);
    const ExplainedValue tokens = leaf("tokens of a sequence in a step", "",
                                       static_cast<double>(decode.tokens), "the call", "docs/rules/llm.md 6");
    const ExplainedValue step =
        milliseconds("time of a step", stepFloor(out.config, decode, m, out.cores).cycles, m);
    at(LanguageFigure::TimePerOutputToken) =
        combined(Operation::Quotient, "time per output token", "ms", {step, tokens});
    at(LanguageFigure::TokensPerSecond) =
        combined(Operation::Quotient, "tokens a second", "",
                 {combined(Operation::Product, "tokens of a thousand steps", "",
                           {leaf("sequences", "", static_cast<double>(decode.batch), "the call"), tokens,
                            leaf("milliseconds of a second", "", 1000, {})}),
                  step});
    if (const auto knee = batchAtKnee(out.config, decode.cached, m, out.cores))
        at(LanguageFigure::BatchAtKnee) =
            leaf("batch", "", static_cast<double>(*knee),
                 "least batch whose compute floor is not below its memory floor", "docs/rules/llm.md 7");
    const double room = static_cast<double>(m.at(MachineLevel::External).totalBytes()) -
                        at(LanguageFigure::WeightBytes)->value;
    if (const auto longest = llm::longestContext(out.config, out.options.batch, std::max(0.0, room)))
        at(LanguageFigure::LongestContext) =
            leaf("tokens", "tokens", static_cast<double>(room < 0 ? 0 : *longest),
                 "external memory of " + m.name + " without the weights", "docs/rules/llm.md 7");
}

} // namespace

std::span<const LanguageColumn, kLanguageFigures> languageColumns() noexcept
{
    return kColumns;
}

std::optional<std::int64_t> batchAtKnee(const llm::LlmConfig& config, std::int64_t cached,
                                        const Machine& machine, std::int64_t cores)
{
    LlmOptions o;
    o.phase = LlmPhase::Decode;
    o.cached = cached;
    o.tokens = 1;
    const auto isCompute = [&](std::int64_t batch) {
        o.batch = batch;
        const StepFloor floor = stepFloor(config, o, machine, cores);
        return floor.compute.value >= floor.memory.value;
    };
    std::int64_t high = 1;
    while (!isCompute(high)) {
        if (high >= kMostKneeBatch)
            return std::nullopt;
        high *= 2;
    }
    std::int64_t low = high / 2;
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (isCompute(middle) ? high : low) = middle;
    }
    return high;
}

LanguageFigures languageFigures(const llm::LlmScope& scope, const Machine& machine)
{
    LanguageFigures out;
    out.config = scope.config;
    out.options = scope.options;
    out.cores = machine.cores;
    const llm::LlmCounts counts = llm::llmCounts(scope.config);
    const llm::LlmWork work = llm::llmWork(scope.config, scope.options, lower::elementBits(machine));
    const auto set = [&](LanguageFigure f, const char* unit, double value, const char* rule) {
        out.figures[static_cast<std::size_t>(f)] =
            leaf(std::string(kColumns[static_cast<std::size_t>(f)].title), unit, value, kClosedForm, rule);
    };
    set(LanguageFigure::Parameters, "", static_cast<double>(counts.total), "docs/rules/llm.md 3");
    set(LanguageFigure::ActiveParameters, "", static_cast<double>(counts.active), "docs/rules/llm.md 3");
    set(LanguageFigure::WeightBytes, "bytes", counts.weightBytes, "docs/rules/llm.md 5");
    if (scope.config.causal) {
        set(LanguageFigure::KvBytesPerToken, "bytes", counts.kvBytesPerToken, "docs/rules/llm.md 4");
        set(LanguageFigure::KvBytes, "bytes",
            static_cast<double>(scope.options.batch) * llm::kvBytes(scope.config, scope.options.keys()),
            "docs/rules/llm.md 4");
    }
    const auto tokens = static_cast<double>(scope.options.batch * scope.options.computed());
    set(LanguageFigure::FlopsPerToken, "", 2 * work.totalMacs() / tokens, "docs/rules/llm.md 7");
    addTimes(out, machine);
    out.floor = stepFloor(scope.config, scope.options, machine, out.cores);
    for (std::size_t i = 0; i < llm::kLlmParts; ++i)
        if (counts.parameters[i] > 0 || work.macs[i] > 0)
            out.parts.push_back({static_cast<llm::LlmPart>(i), counts.parameters[i], counts.bytes[i],
                                 work.macs[i], work.readBytes[i]});
    return out;
}

std::string languageText(const LanguageFigures& figures, LanguageFigure figure)
{
    const auto& value = figures.of(figure);
    if (!value)
        return figure == LanguageFigure::BatchAtKnee      ? "none"
               : figure == LanguageFigure::LongestContext ? "any"
                                                          : "no cache";
    switch (figure) {
    case LanguageFigure::TimeToFirstToken:
    case LanguageFigure::TimePerOutputToken:
        return significantNumber(value->value);
    default:
        return formatGrouped(std::round(value->value));
    }
}

std::string stepText(const LlmOptions& o)
{
    const auto counted = [](std::int64_t n, const char* word) {
        return formatGrouped(n) + " " + word + (n == 1 ? "" : "s");
    };
    std::string out = std::string(toString(o.phase)) + ", " + counted(o.batch, "sequence") + " of " +
                      counted(o.computed(), "token");
    if (o.cached > 0)
        out += " after " + formatGrouped(o.cached) + " in the cache";
    return out;
}

} // namespace tilewright::verbs
