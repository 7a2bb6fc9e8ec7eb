// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/digest.h"
#include "workload/problem.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>

namespace tilewright {

/// Variant of structureOf() with given tensor numbers: number(tensor) returns the number and whether it is
/// new.
template <class Number, class OfTensor>
[[nodiscard]] Digest structureOf(const Problem& problem, std::span<const OpId> ops, Number&& number,
                                 OfTensor&& ofTensor)
{
    Digest d;
    const auto tensor = [&](TensorId t) {
        const auto [place, isNew] = number(t);
        d.add(place);
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

/// Digest of the connections, types, costs and shapes of ops. It is equal for two lists of ops with the same
/// structure, whatever the ids of their ops and tensors. ofTensor(digest, tensor) adds further properties of
/// a tensor; it is called once for each tensor, in order of first appearance.
template <class OfTensor>
[[nodiscard]] Digest structureOf(const Problem& problem, std::span<const OpId> ops, OfTensor&& ofTensor)
{
    // number of each tensor, by order of first appearance
    std::unordered_map<std::uint32_t, std::uint64_t> places;
    const auto number = [&](TensorId t) {
        const auto [it, isNew] = places.try_emplace(t.value, places.size());
        return std::pair(it->second, isNew);
    };
    return structureOf(problem, ops, number, ofTensor);
}

} // namespace tilewright
