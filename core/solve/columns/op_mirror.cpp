// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/columns/op_mirror.h"

#include "solve/cost/op_lists.h"

#include <algorithm>

namespace tilewright {

namespace {

/// Radius for opClasses(). It is small, so that ops in the first and last of the repeated layers also
/// correspond to ops in other layers.
constexpr int kRadius = 2;

} // namespace

OpMirror::OpMirror(const Problem& problem) : m_problem(problem), m_classes(opClasses(problem, kRadius))
{
    for (std::uint32_t i = 0; i < m_classes.size(); ++i) {
        m_alike.resize(std::max<std::size_t>(m_alike.size(), m_classes[i] + 1));
        m_alike[m_classes[i]].emplace_back(i);
    }
}

std::optional<OpMirror::Image> OpMirror::image(const std::vector<OpId>& ops, OpId from, OpId to) const
{
    Image out(m_problem.opCount());
    std::vector<char> isWanted(m_problem.opCount());
    std::vector<char> isImage(m_problem.opCount());
    for (const OpId o : ops)
        isWanted[o.index()] = 1;
    std::vector<OpId> found;
    const auto map = [&](OpId o, OpId image) {
        if (out[o.index()])
            return out[o.index()] == image;
        if (isImage[image.index()] != 0 || m_classes[o.index()] != m_classes[image.index()])
            return false;
        out[o.index()] = image;
        isImage[image.index()] = 1;
        found.push_back(o);
        return true;
    };
    // Maps the readers of `t` to readers of `image`. An op that reads both tensors is preferably mapped to
    // itself.
    const auto mapReaders = [&](TensorId t, TensorId image) {
        const std::span<const OpId> others = m_problem.consumers(image);
        for (const OpId o : m_problem.consumers(t)) {
            if (isWanted[o.index()] == 0 || out[o.index()])
                continue;
            const auto fits = [&](OpId other) {
                return isImage[other.index()] == 0 && m_classes[other.index()] == m_classes[o.index()];
            };
            const auto same = std::ranges::find_if(others, [&](OpId p) { return p == o && fits(p); });
            const auto any = same != others.end() ? same : std::ranges::find_if(others, fits);
            if (any == others.end() || !map(o, *any))
                return false;
        }
        return true;
    };
    if (!map(from, to))
        return std::nullopt;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const Op& op = m_problem.op(found[i]);
        const Op& image = m_problem.op(*out[found[i].index()]);
        if (op.inputs.size() != image.inputs.size())
            return std::nullopt;
        for (std::size_t k = 0; k < op.inputs.size(); ++k) {
            const std::optional<OpId> producer = m_problem.producer(op.inputs[k]);
            const std::optional<OpId> other = m_problem.producer(image.inputs[k]);
            if (producer && isWanted[producer->index()] != 0 && (!other || !map(*producer, *other)))
                return std::nullopt;
            if (!mapReaders(op.inputs[k], image.inputs[k]))
                return std::nullopt;
        }
        if (!mapReaders(op.output, image.output))
            return std::nullopt;
    }
    return found.size() == ops.size() ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<TensorId> OpMirror::image(const Image& image, TensorId t) const
{
    if (const auto producer = m_problem.producer(t); producer && image[producer->index()])
        return m_problem.op(*image[producer->index()]).output;
    for (const OpId reader : m_problem.consumers(t))
        if (const auto other = image[reader.index()]) {
            const auto& inputs = m_problem.op(reader).inputs;
            return m_problem.op(*other)
                .inputs[static_cast<std::size_t>(std::ranges::find(inputs, t) - inputs.begin())];
        }
    return std::nullopt;
}

} // namespace tilewright
