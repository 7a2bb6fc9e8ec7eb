// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/cost/op_lists.h"

#include <algorithm>

namespace tilewright {

std::vector<OpId> without(const std::vector<OpId>& ops, const std::vector<OpId>& removed)
{
    std::vector<OpId> out;
    for (const OpId o : ops)
        if (std::ranges::find(removed, o) == removed.end())
            out.push_back(o);
    return out;
}

std::vector<OpId> united(const std::vector<OpId>& ops, const std::vector<OpId>& added)
{
    std::vector<OpId> out = ops;
    for (const OpId o : added)
        if (std::ranges::find(ops, o) == ops.end())
            out.push_back(o);
    return out;
}

std::vector<OpId> cone(const Problem& problem, const std::vector<OpId>& ops, OpId o, bool down)
{
    std::vector<OpId> out{o};
    for (std::size_t i = 0; i < out.size(); ++i)
        for (const OpId p : ops) {
            const OpId from = down ? out[i] : p;
            const OpId to = down ? p : out[i];
            const std::vector<TensorId>& inputs = problem.op(to).inputs;
            if (std::ranges::find(inputs, problem.op(from).output) != inputs.end() &&
                std::ranges::find(out, p) == out.end())
                out.push_back(p);
        }
    return out;
}

} // namespace tilewright
