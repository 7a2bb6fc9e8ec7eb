// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/digest.h"
#include "workload/problem.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>

namespace tilewright {

/// Digest of how ops are connected: equal for sets of ops whose shapes, costs and common tensors are alike.
/// `placeOf(tensor)` gives a tensor's number by first appearance and whether it is new;
/// `ofTensor(digest, tensor)` adds what else matters of a new one.
template <class PlaceOf, class OfTensor>
[[nodiscard]] Digest structureOf(const Problem& problem, std::span<const OpId> ops, PlaceOf&& placeOf,
                                 OfTensor&& ofTensor)
{
    Digest d;
    const auto tensor = [&](TensorId t) {
        const auto [place, isNew] = placeOf(t);
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

template <class OfTensor>
[[nodiscard]] Digest structureOf(const Problem& problem, std::span<const OpId> ops, OfTensor&& ofTensor)
{
    std::unordered_map<std::uint32_t, std::uint64_t> places;
    const auto placeOf = [&](TensorId t) {
        const auto [it, isNew] = places.try_emplace(t.value, places.size());
        return std::pair(it->second, isNew);
    };
    return structureOf(problem, ops, placeOf, std::forward<OfTensor>(ofTensor));
}

} // namespace tilewright
