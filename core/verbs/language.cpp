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
using lower::GroupFloor;
using lower::groupFloor;
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
    {LanguageFigure::WeightBytesOfChip, "weight_bytes_of_chip", "bytes of weights a chip", "bytes"},
    {LanguageFigure::KvBytesOfChip, "kv_bytes_of_chip", "bytes of cache a chip", "bytes"},
    {LanguageFigure::CollectiveTime, "collectives_ms", "time of collectives in a step", "ms"},
}};

/// Returns the options with the same sequences for another phase.
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

void addTimes(LanguageFigures& out, const llm::LlmScope& scope, const Machine& m)
{
    const auto at = [&](LanguageFigure f) -> auto&
    {
        return out.figures[static_cast<std::size_t>(f)];
    };
    const LlmOptions prefill = inPhase(out.options, LlmPhase::Prefill);
    at(LanguageFigure::TimeToFirstToken) =
        groupFloor(scope, prefill, m, out.cores, "time to first token").latency;
    if (!scope.whole.causal)
        return;
    const LlmOptions decode = inPhase(out.options, LlmPhase::Decode);
    const ExplainedValue tokens = leaf("tokens of a sequence in a step", "",
                                       static_cast<double>(decode.tokens), "the call", "docs/rules/llm.md 6");
    const GroupFloor step = groupFloor(scope, decode, m, out.cores);
    at(LanguageFigure::TimePerOutputToken) =
        combined(Operation::Quotient, "time per output token", "ms", {step.latency, tokens});
    at(LanguageFigure::TokensPerSecond) =
        combined(Operation::Quotient, "tokens a second", "",
                 {combined(Operation::Product, "tokens of a thousand steps", "",
                           {leaf("sequences", "", static_cast<double>(decode.batch), "the call"), tokens,
                            leaf("milliseconds of a second", "", 1000, {})}),
                  step.slowest});
    if (const auto knee = batchAtKnee(scope.config, decode.cached, m, out.cores))
        at(LanguageFigure::BatchAtKnee) =
            leaf("batch", "", static_cast<double>(*knee),
                 "least batch whose compute floor is not below its memory floor", "docs/rules/llm.md 7");
    if (const auto longest = lower::longestContext(scope, m))
        at(LanguageFigure::LongestContext) =
            leaf("tokens", "tokens", static_cast<double>(*longest),
                 "external memory of " + m.name + " without the weights", "docs/rules/llm.md 7");
}

/// Adds the figures that exist only for several chips.
void addGroup(LanguageFigures& out, const llm::LlmScope& scope, const Machine& machine,
              const GroupFloor& step)
{
    lower::ChipBytes bytes = lower::chipBytes(scope, machine);
    out.figures[static_cast<std::size_t>(LanguageFigure::WeightBytesOfChip)] = std::move(bytes.weights);
    if (scope.whole.causal)
        out.figures[static_cast<std::size_t>(LanguageFigure::KvBytesOfChip)] = std::move(bytes.cache);
    out.figures[static_cast<std::size_t>(LanguageFigure::CollectiveTime)] = step.collectives;
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
    out.config = scope.whole;
    out.options = scope.options;
    out.cores = machine.cores;
    const llm::LlmConfig here = llm::atWidth(scope.whole, lower::elementBits(machine));
    const llm::LlmCounts counts = llm::llmCounts(here);
    const llm::LlmWork work = llm::llmWork(scope.whole, scope.options, lower::elementBits(machine));
    const auto set = [&](LanguageFigure f, const char* unit, double value, const char* rule) {
        out.figures[static_cast<std::size_t>(f)] =
            leaf(std::string(kColumns[static_cast<std::size_t>(f)].title), unit, value, kClosedForm, rule);
    };
    set(LanguageFigure::Parameters, "", static_cast<double>(counts.total), "docs/rules/llm.md 3");
    set(LanguageFigure::ActiveParameters, "", static_cast<double>(counts.active), "docs/rules/llm.md 3");
    set(LanguageFigure::WeightBytes, "bytes", counts.weightBytes, "docs/rules/llm.md 5");
    if (scope.whole.causal) {
        set(LanguageFigure::KvBytesPerToken, "bytes", counts.kvBytesPerToken, "docs/rules/llm.md 4");
        set(LanguageFigure::KvBytes, "bytes",
            static_cast<double>(scope.options.sequences()) * llm::kvBytes(here, scope.options.keys()),
            "docs/rules/llm.md 4");
    }
    const auto tokens = static_cast<double>(scope.options.batch * scope.options.computed());
    set(LanguageFigure::FlopsPerToken, "", 2 * work.totalMacs() / tokens, "docs/rules/llm.md 7");
    addTimes(out, scope, machine);
    GroupFloor step = groupFloor(scope, scope.options, machine, out.cores);
    if (scope.options.isGroup())
        addGroup(out, scope, machine, step);
    const lower::StageFloor& last = step.stages.back();
    out.floor = last.chip;
    out.binds = last.collectives.value > last.time.value - last.collectives.value ? "collectives"
                : last.chip.boundByMemory()                                       ? "memory"
                                                                                  : "compute";
    out.step = std::move(step.latency);
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
    case LanguageFigure::CollectiveTime:
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
    if (o.stages > 1)
        out += ", " + counted(o.stages, "stage") + " of " + counted(o.chips, "chip");
    else if (o.chips > 1)
        out += ", " + counted(o.chips, "chip");
    if (o.expertChips > 1)
        out += ", experts on " + counted(o.expertChips, "chip");
    if (o.expertSkew > 0)
        out += ", skew of experts " + formatNumber(static_cast<double>(o.expertSkew) / llm::kSkewOfOne);
    return out;
}

} // namespace tilewright::verbs
