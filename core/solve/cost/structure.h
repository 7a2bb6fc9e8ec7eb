// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/digest.h"
#include "workload/problem.h"

#include <cstdint>
#include <span>
#include <unordered_map>

namespace tilewright {

/// Equal ones are of ops that are connected in the same way: ops one by one, tensors by first appearance,
/// when ofTensor(digest, tensor) adds what else counts of them.
template <class OfTensor>
[[nodiscard]] Digest structureOf(const Problem& problem, std::span<const OpId> ops, OfTensor&& ofTensor)
{
    Digest d;
    std::unordered_map<std::uint32_t, std::uint64_t> place; // by tensor
    const auto tensor = [&](TensorId t) {
        const auto [it, isNew] = place.try_emplace(t.value, place.size());
        d.add(it->second);
        if (!isNew)
            return;
        d.add(static_cast<std::uint64_t>(problem.tensor(t).width));
        d.add(static_cast<std::uint64_t>(problem.tensor(t).height));
        ofTensor(d, t);
    };
    for (const OpId o : ops) {
        const Op& op = problem.op(o);
        d.add(static_cast<std::uint64_t>(op.type) + 2 * op.inputs.size());
        d.add(static_cast<std::uint64_t>(op.baseCost));
        for (const TensorId t : op.inputs)
            tensor(t);
        tensor(op.output);
    }
    return d;
}

} // namespace tilewright
