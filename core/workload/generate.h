// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace tilewright {

enum class WorkloadKind : std::uint8_t {
    Transformer, ///< pre-norm blocks: attention over cached keys, one product per head; a feed-forward net
    Mlp,         ///< product and activation in turn, with residual sums
    ConvNet,     ///< residual bottlenecks; each tap of a convolution is a product of a shifted image
    Diamond,     ///< a chain of diamonds: one result branches and is joined again
    Moe,         ///< a router and gated experts
    FanOut,      ///< many products of one shared operand, summed up pairwise
    Random,      ///< random shapes and op types, in layers
};

struct WorkloadKindInfo
{
    WorkloadKind kind;
    std::string_view name;     ///< name on the command line
    std::string_view meaning;  ///< short description for the user
    std::string_view branches; ///< meaning of the option `branches` for this kind
};
[[nodiscard]] std::span<const WorkloadKindInfo> workloadKinds();
/// Returns an error that lists the valid kinds if the name is unknown.
[[nodiscard]] Result<WorkloadKind> workloadKindOf(std::string_view name);

/// Options of a generated problem. Sizes are in elements; 0 selects the default of the kind.
struct GenerateOptions
{
    WorkloadKind kind = WorkloadKind::Transformer;
    std::int64_t layers = 0;   ///< number of blocks in the chain
    std::int64_t rows = 0;     ///< height of the activations (sequence length, batch, positions)
    std::int64_t width = 0;    ///< width of the activations (features, channels)
    std::int64_t hidden = 0;   ///< inner width of a block
    std::int64_t branches = 0; ///< heads, taps, branches, experts
    std::int64_t ops = 0;      ///< number of ops of the kind Random, which ignores `layers`
    /// Changes each size a little, depending on the seed, so that no tile size divides it.
    bool ragged = false;
    std::uint64_t seed = 1;
    std::int64_t native = 128; ///< native tile width and height
    std::int64_t capacity = 60'000;
    std::int64_t bandwidth = 20;
};

/// Generates a problem with op and tensor names. Deterministic: equal options give equal problems on every
/// machine. Returns an error with the name of the option that is out of range.
[[nodiscard]] Result<ProblemPtr> generateWorkload(const GenerateOptions& options);

} // namespace tilewright
