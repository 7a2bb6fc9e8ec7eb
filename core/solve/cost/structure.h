// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/digest.h"
#include "workload/problem.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>

namespace tilewright {

/// structureOf() with number(tensor) for the numbers of tensors: a pair of the number and whether it is new.
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

/// Digest of how ops are connected, with their types, costs and shapes: equal for two lists of ops that
/// differ only in which ops and tensors of the problem they are. ofTensor(digest, tensor) adds what else
/// distinguishes tensors; it is called once for each, in the order of first appearance.
template <class OfTensor>
[[nodiscard]] Digest structureOf(const Problem& problem, std::span<const OpId> ops, OfTensor&& ofTensor)
{
    std::unordered_map<std::uint32_t, std::uint64_t> places; // by tensor
    const auto number = [&](TensorId t) {
        const auto [it, isNew] = places.try_emplace(t.value, places.size());
        return std::pair(it->second, isNew);
    };
    return structureOf(problem, ops, number, ofTensor);
}

} // namespace tilewright
