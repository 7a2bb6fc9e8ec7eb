// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/problem_builder.h"

#include "base/integer.h"

#include <algorithm>
#include <cassert>

namespace tilewright {

namespace {

/// Throughput of generated ops, per unit of time. At the default bandwidth of 20, a product of 128 x 128 x
/// 128 is memory-bound alone and compute-bound once it shares operands with its neighbours.
constexpr double kProductsPerTime = 4096;
constexpr double kPointwisePerTime = 256;

std::int64_t cost(double work, double perTime)
{
    return std::clamp(static_cast<std::int64_t>(work / perTime), std::int64_t{1}, kMaxDimension);
}

} // namespace

ProblemBuilder::ProblemBuilder(std::string name, Hardware hardware)
{
    m_data.name = std::move(name);
    m_data.hardware = hardware;
}

TensorId ProblemBuilder::input(std::int64_t rows, std::int64_t cols, std::string name)
{
    m_data.tensors.push_back({cols, rows, std::move(name)});
    return TensorId(m_data.tensors.size() - 1);
}

TensorId ProblemBuilder::matmul(TensorId lhs, TensorId rhs, const std::string& name)
{
    const Tensor l = tensor(lhs);
    const Tensor r = tensor(rhs);
    assert(l.width == r.height);
    const double work = static_cast<double>(m_data.hardware.nativeWidth) *
                        static_cast<double>(m_data.hardware.nativeHeight) * static_cast<double>(l.width);
    return add(OpType::MatMul, {lhs, rhs}, l.height, r.width, name, cost(work, kProductsPerTime));
}

TensorId ProblemBuilder::pointwise(std::vector<TensorId> inputs, const std::string& name)
{
    const Tensor first = tensor(inputs.front());
    const double work =
        static_cast<double>(m_data.hardware.nativeWidth) * static_cast<double>(m_data.hardware.nativeHeight);
    return add(OpType::Pointwise, std::move(inputs), first.height, first.width, name,
               cost(work, kPointwisePerTime));
}

TensorId ProblemBuilder::add(OpType type, std::vector<TensorId> inputs, std::int64_t rows, std::int64_t cols,
                             const std::string& name, std::int64_t baseCost)
{
    const TensorId out = input(rows, cols, name + ".out");
    m_data.ops.push_back({type, std::move(inputs), out, baseCost, name});
    return out;
}

} // namespace tilewright
