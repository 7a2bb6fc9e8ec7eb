// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace tilewright {

enum class WorkloadKind : std::uint8_t {
    Transformer, ///< pre-norm blocks: attention over cached keys, one product a head, then a feed-forward net
    Mlp,         ///< product and activation alternating, with residual sums
    ConvNet,     ///< residual bottlenecks; the taps of a convolution are products of shifted images
    Diamond,     ///< a result that branches and is joined again, several in a row
    Moe,         ///< a router and gated experts
    FanOut,      ///< many products of one shared operand, summed up pairwise
    Random,      ///< layered, any mixture of shapes and types
};

struct WorkloadKindInfo
{
    WorkloadKind kind;
    std::string_view name;     ///< as on the command line
    std::string_view meaning;  ///< one clause for people
    std::string_view branches; ///< what `branches` counts
};
[[nodiscard]] std::span<const WorkloadKindInfo> workloadKinds();
/// Errors naming the kinds there are.
[[nodiscard]] Result<WorkloadKind> workloadKindOf(std::string_view name);

/// What to generate. Sizes are in elements; 0 means the kind's default.
struct GenerateOptions
{
    WorkloadKind kind = WorkloadKind::Transformer;
    std::int64_t layers = 0;   ///< blocks in a row
    std::int64_t rows = 0;     ///< height of the activations (sequence length, batch, positions)
    std::int64_t width = 0;    ///< width of the activations (features, channels)
    std::int64_t hidden = 0;   ///< inner width of a block
    std::int64_t branches = 0; ///< heads, taps, branches, experts
    std::int64_t ops = 0;      ///< random: number of ops (layers is ignored then)
    bool ragged = false;       ///< sizes that nothing divides: each is changed a little, by the seed
    std::uint64_t seed = 1;
    std::int64_t native = 128; ///< native width and height
    std::int64_t capacity = 60'000;
    std::int64_t bandwidth = 20;
};

/// The problem, with op and tensor names. Deterministic: equal options give equal problems on every machine.
/// Errors naming the option that is out of range.
[[nodiscard]] Result<ProblemPtr> generateWorkload(const GenerateOptions& options);

} // namespace tilewright
