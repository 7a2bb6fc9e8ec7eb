// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/cost/op_lists.h"

namespace tilewright {

std::vector<OpId> without(const std::vector<OpId>& ops, const std::vector<OpId>& removed)
{
    std::vector<OpId> out;
    for (const OpId o : ops)
        if (!isIn(o, removed))
            out.push_back(o);
    return out;
}

std::vector<OpId> united(const std::vector<OpId>& ops, const std::vector<OpId>& added)
{
    std::vector<OpId> out = ops;
    for (const OpId o : added)
        if (!isIn(o, ops))
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
            if (isIn(problem.op(from).output, problem.op(to).inputs) && !isIn(p, out))
                out.push_back(p);
        }
    return out;
}

} // namespace tilewright
