// SPDX-License-Identifier: GPL-3.0-or-later
// Generated problems, and the builder that makes them op by op.
#pragma once

#include "workload/problem.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// Builds a problem op by op. Shapes and base costs of results are derived from the operands.
class ProblemBuilder
{
public:
    explicit ProblemBuilder(std::string name, Hardware hardware);

    TensorId input(std::int64_t rows, std::int64_t cols, std::string name);
    /// Adds a product. Requires width(lhs) = height(rhs).
    TensorId matmul(TensorId lhs, TensorId rhs, const std::string& name);
    TensorId pointwise(std::vector<TensorId> inputs, const std::string& name);

    [[nodiscard]] const Tensor& tensor(TensorId t) const { return m_data.tensors[t]; }
    [[nodiscard]] std::size_t opCount() const { return m_data.ops.size(); }
    [[nodiscard]] Result<ProblemPtr> build() { return Problem::build(std::move(m_data)); }

private:
    TensorId add(OpType type, std::vector<TensorId> inputs, std::int64_t rows, std::int64_t cols,
                 const std::string& name, std::int64_t cost);

    Problem::Data m_data;
};

enum class WorkloadKind : std::uint8_t {
    Transformer, ///< pre-norm blocks: attention over cached keys, one product per head; a feed-forward net
    Mlp,         ///< product and activation alternate, with residual sums
    ConvNet,     ///< residual bottlenecks; each tap of a convolution is a product of a shifted image
    Diamond,     ///< a chain of diamonds: one result branches and is joined again
    Moe,         ///< a router and gated experts
    FanOut,      ///< many products with one shared operand, summed pairwise
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
    std::int64_t branches = 0; ///< number of heads, taps, branches or experts
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
