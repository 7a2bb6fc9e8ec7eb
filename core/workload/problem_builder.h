// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <string>
#include <vector>

namespace tilewright {

/// Builds a problem op by op. The shapes and base costs of results follow from the operands.
class ProblemBuilder
{
public:
    explicit ProblemBuilder(std::string name, Hardware hardware);

    TensorId input(std::int64_t rows, std::int64_t cols, std::string name);
    /// Requires width(lhs) = height(rhs).
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

} // namespace tilewright
