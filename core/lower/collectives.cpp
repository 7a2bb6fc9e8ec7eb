// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/collectives.h"

#include "lower/floor.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilewright::lower {

namespace {

constexpr const char* kRuleOfCollectives = "docs/rules/llm.md 8.2";

/// The cost of one collective for one chip.
struct Cost
{
    double share = 0; ///< bytes that the chip sends, as a multiple of the bytes of the result
    double turns = 0; ///< number of link latencies, one after another
};

Cost costOf(CollectiveKind kind, std::int64_t chips, LinkTopology topology)
{
    if (kind == CollectiveKind::Send)
        return {1, 1};
    // In a ring of n chips, a link carries n/4 of the bytes of a chip, and the last rows pass n/2 links.
    if (kind == CollectiveKind::AllToAll) {
        const bool isRing = topology == LinkTopology::Ring;
        const auto all = static_cast<double>(chips);
        return {isRing ? std::max(1.0, all / 4) : 1, isRing ? std::max(1.0, std::floor(all / 2)) : 1};
    }
    const auto others = static_cast<double>(chips - 1);
    const double halves = kind == CollectiveKind::AllReduce ? 2 : 1;
    const double turns = topology == LinkTopology::Ring ? others : std::min(others, 1.0);
    return {halves * others / static_cast<double>(chips), halves * turns};
}

ExplainedValue timeOf(const Collective& c, const Machine& m)
{
    const std::int64_t chips = c.chips;
    const Cost cost = costOf(c.kind, chips, m.links.topology);
    const ExplainedValue sent =
        combined(Operation::Product, "bytes that a chip sends", "bytes",
                 {leaf("bytes of the result", "bytes", c.bytes, "closed form of the configuration",
                       kRuleOfCollectives),
                  leaf("share of them", "", cost.share,
                       std::string(toString(c.kind)) + " of " + std::to_string(chips) + " chips",
                       kRuleOfCollectives)});
    const ExplainedValue rate = combined(
        Operation::Product, "bytes a chip sends in a ms", "bytes",
        {machineValue(m, "links.gb_per_s", "rate of the links of a chip", "GB/s", m.links.gbPerSecond),
         leaf("bytes a ms of one GB/s", "", 1e6, {})});
    const ExplainedValue latency = combined(
        Operation::Quotient, "latency", "ms",
        {combined(
             Operation::Product, "latency", "us",
             {leaf("transfers one after another", "", cost.turns,
                   std::string(toString(m.links.topology)) + ", " + std::to_string(chips) + " chips",
                   kRuleOfCollectives),
              machineValue(m, "links.latency_us", "latency of a transfer", "us", m.links.latencyMicros)}),
         leaf("us a ms", "", 1000, {})});
    return combined(Operation::Product, c.name, "ms",
                    {leaf("number", "", c.count, "closed form of the configuration", kRuleOfCollectives),
                     combined(Operation::Sum, "time of one", "ms",
                              {combined(Operation::Quotient, "transfer", "ms", {sent, rate}), latency})});
}

/// Adds the transfers of rows to the chips of their experts and of the results back. `hidden`: bytes of the
/// rows of one chip. A row is sent once to each chip that has some of its experts.
void addExchanges(std::vector<Collective>& out, const llm::LlmConfig& stage, std::int64_t chips,
                  double hidden)
{
    const auto layers = static_cast<double>(std::ranges::count_if(stage.layers, &llm::LlmLayer::sparse));
    if (layers == 0)
        return;
    const auto all = static_cast<double>(chips), experts = static_cast<double>(stage.experts->perToken);
    const double reached = (all - 1) * (1 - std::pow(1 - 1 / all, experts));
    for (const char* name : {"all-to-alls of rows to their experts", "all-to-alls of results of experts"})
        out.push_back({CollectiveKind::AllToAll, name, layers, hidden * reached, chips});
}

} // namespace

std::string_view toString(CollectiveKind kind) noexcept
{
    constexpr std::array<std::string_view, 4> kNames{"all-reduce", "all-gather", "all-to-all", "send"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::vector<Collective> collectivesOf(const llm::LlmConfig& stage, const llm::LlmOptions& options,
                                      std::int64_t elementBytes)
{
    const auto rows = static_cast<double>(options.batch * options.computed());
    const auto layers = static_cast<double>(stage.layers.size());
    const auto bytes = static_cast<double>(elementBytes);
    const double hidden = rows * static_cast<double>(stage.hidden) * bytes;
    std::vector<Collective> out;
    if (!stage.hasEmbedding)
        out.push_back({CollectiveKind::Send, "rows of the stage before", 1, hidden, options.chips});
    if (options.expertChips > 1)
        addExchanges(out, stage, options.expertChips, hidden);
    if (options.chips == 1)
        return out;
    const auto add = [&](CollectiveKind kind, const char* name, double count, double size) {
        out.push_back({kind, name, count, size, options.chips});
    };
    if (stage.hasEmbedding && stage.vocabulary > 0)
        add(CollectiveKind::AllReduce, "all-reduce after the embedding", 1, hidden);
    if (stage.parallel) {
        add(CollectiveKind::AllReduce, "all-reduces after the sum of the branches", layers, hidden);
    } else {
        add(CollectiveKind::AllReduce, "all-reduces after attention", layers, hidden);
        add(CollectiveKind::AllReduce, "all-reduces after the feed forward", layers, hidden);
    }
    if (stage.hasHead && stage.causal) {
        const double ends =
            options.phase == llm::LlmPhase::Decode ? rows : static_cast<double>(options.batch);
        add(CollectiveKind::AllGather, "all-gather of the logits", 1,
            ends * static_cast<double>(stage.vocabulary * options.chips) * bytes);
    }
    return out;
}

double collectiveMicros(CollectiveKind kind, double bytes, std::int64_t chips, const Machine::Links& links)
{
    constexpr double kBytesOfMicros = 1e3; // bytes per microsecond at 1 GB/s
    const Cost cost = costOf(kind, chips, links.topology);
    return cost.share * bytes / (links.gbPerSecond * kBytesOfMicros) + cost.turns * links.latencyMicros;
}

ExplainedValue collectiveTime(const llm::LlmConfig& stage, const llm::LlmOptions& options,
                              const Machine& machine)
{
    std::vector<ExplainedValue> parts;
    for (const Collective& c : collectivesOf(stage, options, machine.elementBytes))
        parts.push_back(timeOf(c, machine));
    return combined(Operation::Sum, "collectives", "ms", std::move(parts), kRuleOfCollectives);
}

Status checkLinks(const llm::LlmOptions& options, const Machine& machine)
{
    if (!options.isGroup() || machine.links.gbPerSecond > 0)
        return Unit{};
    return Error{ErrorCode::Refused,
                 "the machine " + machine.name + " states no rate of its links to other chips, which " +
                     (options.chips > 1         ? "--chips " + std::to_string(options.chips)
                      : options.expertChips > 1 ? "--expert-chips " + std::to_string(options.expertChips)
                                                : "--stages " + std::to_string(options.stages)) +
                     " needs",
                 "links.gb_per_s",
                 {}};
}

} // namespace tilewright::lower
