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

void addMap(Digest& d, const IndexMap& map)
{
    d.add(map.index());
    const auto all = [&](const auto&... lists) {
        const auto one = [&](const auto& list) {
            for (const std::int64_t v : list)
                d.add(static_cast<std::uint64_t>(v));
        };
        (one(lists), ...);
    };
    if (const auto* w = std::get_if<WindowsMap>(&map))
        all(std::array{w->n, w->h, w->w}, w->channels, w->window, w->stride, w->pad, w->dilation);
    else if (const auto* r = std::get_if<RepeatMap>(&map))
        all(r->rows, r->cols);
    else if (const auto* s = std::get_if<SliceMap>(&map))
        all(s->rows, s->cols, std::array{std::int64_t{s->transposed}});
}

/// Colour refinement: in each of `radius` rounds the colour of an op is combined with those of its
/// neighbours.
std::vector<std::uint32_t> opClasses(const Problem& problem, int radius)
{
    std::vector<std::uint32_t> out(problem.opCount(), 0);
    std::vector<Digest> colours(problem.opCount());
    std::vector<std::uint64_t> readers;
    for (int round = 0; round <= radius; ++round) {
        std::unordered_map<Digest, std::uint32_t, DigestHash> numbers;
        for (std::uint32_t i = 0; i < out.size(); ++i) {
            const Op& op = problem.op(OpId(i));
            Digest d;
            d.add(static_cast<std::uint64_t>(op.type));
            d.add(static_cast<std::uint64_t>(op.baseCost));
            const auto tensor = [&](TensorId t) {
                d.add(static_cast<std::uint64_t>(problem.tensor(t).width));
                d.add(static_cast<std::uint64_t>(problem.tensor(t).height));
                d.add(static_cast<std::uint64_t>(problem.units(t)));
                d.add((problem.isView(t) ? 1U : 0U) | (problem.isGraphOutput(t) ? 2U : 0U) |
                      (problem.viewsOf(t).empty() ? 0U : 4U));
                readers.clear();
                for (const OpId c : problem.consumers(t))
                    readers.push_back(out[c.index()]);
                std::ranges::sort(readers);
                d.add(readers.size());
                for (const std::uint64_t reader : readers)
                    d.add(reader);
            };
            for (const TensorId operand : problem.operands(OpId(i))) {
                const TensorId t = problem.stored(operand);
                if (const IndexMap* map = problem.map(operand))
                    addMap(d, *map);
                const auto producer = problem.producer(t);
                d.add(producer ? out[producer->index()] + 1 : 0);
                tensor(t);
            }
            tensor(op.output);
            colours[i] = d;
        }
        for (std::uint32_t i = 0; i < out.size(); ++i)
            out[i] =
                numbers.try_emplace(colours[i], static_cast<std::uint32_t>(numbers.size())).first->second;
    }
    return out;
}

} // namespace tilewright
