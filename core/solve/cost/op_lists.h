// SPDX-License-Identifier: GPL-3.0-or-later
// Functions on lists of ops, classes of ops that look alike, and digests that are equal for equal structures.
#pragma once

#include "base/hash.h"
#include "workload/problem.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tilewright {

template <class T> [[nodiscard]] bool isIn(T value, const std::vector<T>& list)
{
    return std::ranges::find(list, value) != list.end();
}

// The following functions work on lists of distinct ops in any order.

[[nodiscard]] std::vector<OpId> without(const std::vector<OpId>& ops, const std::vector<OpId>& removed);
[[nodiscard]] std::vector<OpId> united(const std::vector<OpId>& ops, const std::vector<OpId>& added);
/// Returns `o` followed by its descendants (`down`) or ancestors (!down), along paths inside `ops`.
[[nodiscard]] std::vector<OpId> cone(const Problem& problem, const std::vector<OpId>& ops, OpId o, bool down);

/// Returns the class of each op. Ops are in the same class if their surroundings look alike up to a distance
/// of `radius` ops, as in repeated layers of a network. Beyond this distance they may differ, so results must
/// not rely on the classes.
[[nodiscard]] std::vector<std::uint32_t> opClasses(const Problem& problem, int radius = 6);

/// Adds the kind and the fields of an index map (R1.8) to a digest.
void addMap(Digest& d, const IndexMap& map);

/// Variant of structureOf() in which the caller numbers the tensors: number(tensor) returns the number of the
/// tensor and whether it has not occurred before.
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
        if (problem.hasWidths())
            d.add(static_cast<std::uint64_t>(problem.units(t)));
        ofTensor(d, t);
    };
    for (const OpId o : ops) {
        const Op& op = problem.op(o);
        d.add(static_cast<std::uint64_t>(op.type) + 2 * op.inputs.size());
        d.add(static_cast<std::uint64_t>(op.baseCost));
        for (const TensorId t : problem.operands(o)) {
            if (const IndexMap* map = problem.map(t)) {
                addMap(d, *map);
                // A view with an index map reads its base tensor, but has buffers of its own.
                tensor(problem.stored(t));
            }
            tensor(t);
        }
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
