// SPDX-License-Identifier: GPL-3.0-or-later
// Two convolutions in a row that read images through windows (R1.8).
#pragma once

#include "workload/problem.h"

namespace tilewright::test {

/// Two 3x3 convolutions with padding 1 on an image of 8 x 8 with two channels. Tensors: x, x patches, v, y,
/// y patches, w, z; ops: first, second.
inline ProblemPtr twoConvolutions()
{
    Problem::Data data;
    const WindowsMap map{1, 8, 8, {0, 2}, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}};
    data.tensors.push_back({2, 64, "x"});
    data.tensors.push_back({18, 64, "x patches"});
    data.tensors.push_back({2, 18, "v"});
    data.tensors.push_back({2, 64, "y"});
    data.tensors.push_back({18, 64, "y patches"});
    data.tensors.push_back({2, 18, "w"});
    data.tensors.push_back({2, 64, "z"});
    data.views.push_back({TensorId(1), {TensorId(0)}, map});
    data.views.push_back({TensorId(4), {TensorId(3)}, map});
    data.ops.push_back({OpType::MatMul, {TensorId(1), TensorId(2)}, TensorId(3), 10, "first"});
    data.ops.push_back({OpType::MatMul, {TensorId(4), TensorId(5)}, TensorId(6), 10, "second"});
    data.hardware = {1'000'000, 10, 64, 64, {}};
    return *Problem::build(std::move(data));
}

} // namespace tilewright::test
