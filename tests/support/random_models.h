// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model.h"

#include <random>
#include <stdexcept>

namespace tilewright {

/// A small legal model of random operators of every kind that has a rule of its own.
class RandomModel
{
public:
    explicit RandomModel(unsigned seed) : m_random(seed), m_b("random" + std::to_string(seed)) {}

    model::Model make()
    {
        m_images.push_back(m_b.input("image", {size(1, 2), size(1, 4) * 4, size(4, 9), size(4, 9)}));
        m_rows.push_back(m_b.input("x", {size(1, 9), size(1, 4) * 4}));
        const int count = static_cast<int>(size(2, 12));
        for (int i = 0; i < count; ++i) {
            m_name = "op" + std::to_string(i);
            below(2) == 0 ? addImage() : addRows();
        }
        // at least one op of the problem
        m_b.linear("last", pick(m_rows), 3);
        auto model = std::move(m_b).build();
        if (!model)
            throw std::runtime_error(model.error().text());
        return std::move(*model);
    }

private:
    using K = model::OperatorKind;
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(m_random() % n); }
    std::int64_t size(std::int64_t low, std::int64_t high)
    {
        return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low + 1)));
    }
    ModelTensorId pick(const std::vector<ModelTensorId>& from) { return from[below(from.size())]; }
    const model::Shape& shape(ModelTensorId t) const { return m_b.shape(t); }

    void addImage()
    {
        const ModelTensorId x = pick(m_images);
        const model::Shape s = shape(x);
        const std::int64_t c = s[1];
        switch (below(12)) {
        case 0:
        case 1:
        case 2: {
            constexpr std::int64_t kGroups[] = {1, 1, 2, 4};
            const std::int64_t groups = below(4) == 0 ? c : kGroups[below(4)];
            model::WindowAttributes w;
            w.groups = groups;
            const std::int64_t kh = size(1, std::min<std::int64_t>(3, s[2])),
                               kw = size(1, std::min<std::int64_t>(3, s[3]));
            w.stride = {size(1, 2), size(1, 2)};
            w.padding = {size(0, 1), size(0, 1), size(0, 1), size(0, 1)};
            const ModelTensorId weight =
                m_b.constant(m_name + ".w", {groups * size(1, 3), c / groups, kh, kw});
            std::vector<ModelTensorId> in{x, weight};
            if (below(2) == 0)
                in.push_back(m_b.constant(m_name + ".b", {shape(weight)[0]}));
            add(m_b.add(K::Conv2d, m_name, in, w));
            break;
        }
        case 3: {
            model::WindowAttributes w;
            w.stride = {size(1, 3), size(1, 2)};
            const ModelTensorId weight = m_b.constant(m_name + ".w", {c, size(1, 3), size(1, 4), size(1, 3)});
            add(m_b.add(K::ConvTranspose2d, m_name, {x, weight}, w));
            break;
        }
        case 4: {
            model::WindowAttributes w;
            w.kernel = {size(1, std::min<std::int64_t>(3, s[2])), size(1, std::min<std::int64_t>(3, s[3]))};
            w.stride = {size(1, 2), 1};
            add(m_b.add(below(2) == 0 ? K::MaxPool : K::AveragePool, m_name, {x}, w));
            break;
        }
        case 5:
            add(m_b.elementwise("add", m_name, {x, x}));
            break;
        case 6:
            add(m_b.elementwise("mul", m_name, {x, m_b.constant(m_name + ".c", {c, 1, 1})}));
            break;
        case 7:
            add(m_b.add(K::GlobalPool, m_name, {x}));
            break;
        case 8:
            m_rows.push_back(m_b.reshape(m_name, x, {s[0], s[1] * s[2] * s[3]}));
            break;
        case 9: {
            model::AxisAttributes axis;
            axis.axis = size(0, 3);
            add(m_b.add(K::Concat, m_name, {x, x}, axis));
            break;
        }
        case 10:
            add(m_b.add(K::Transpose, m_name, {x}, model::TransposeAttributes{{0, 1, 3, 2}}));
            break;
        default:
            add(m_b.add(K::Resize, m_name, {x}, model::NoAttributes{}, {s[0], s[1], 2 * s[2], 2 * s[3]}));
        }
    }

    void add(ModelTensorId t)
    {
        if (m_b.shape(t)[1] % 4 == 0 && m_b.shape(t)[1] <= 64 && m_b.shape(t)[2] <= 32 &&
            m_b.shape(t)[3] <= 32)
            m_images.push_back(t);
    }

    void addRows()
    {
        const ModelTensorId x = pick(m_rows);
        const std::int64_t h = shape(x)[0], w = shape(x)[1];
        switch (below(12)) {
        case 0:
        case 1:
            m_rows.push_back(m_b.linear(m_name, x, size(1, 4) * 4));
            break;
        case 2:
            m_rows.push_back(
                m_b.add(K::MatMul, m_name, {x, x}, model::MatMulAttributes{false, true})); // [h, h]
            break;
        case 3: {
            if (w % 4 != 0)
                break;
            const ModelTensorId k = m_b.linear(m_name + ".k", x, w / 2);
            m_rows.push_back(
                m_b.add(K::Attention, m_name, {x, k, k}, model::AttentionAttributes{4, 2, true}));
            break;
        }
        case 4: {
            if (w % 4 != 0)
                break;
            const ModelTensorId a = m_b.reshape(m_name + ".a", x, {h, 4, w / 4});
            const ModelTensorId t =
                m_b.add(K::Transpose, m_name + ".t", {a}, model::TransposeAttributes{{1, 0, 2}});
            const ModelTensorId p =
                m_b.add(K::MatMul, m_name, {t, t}, model::MatMulAttributes{false, true}); // [4, h, h]
            m_rows.push_back(m_b.reshape(m_name + ".r", p, {4 * h, h}));
            break;
        }
        case 5:
            m_rows.push_back(m_b.add(K::Einsum, m_name, {x, m_b.input(m_name + ".y", {w, 3, h})},
                                     model::EinsumAttributes{"ab,bca->ac"}));
            break;
        case 6:
            m_rows.push_back(m_b.add(K::Softmax, m_name, {x}));
            break;
        case 7: {
            model::ReduceAttributes a;
            a.axes = {size(0, 1)};
            m_rows.push_back(m_b.add(K::Reduce, m_name, {x}, a));
            break;
        }
        case 8:
            m_rows.push_back(m_b.add(K::Slice, m_name, {x}, model::SliceAttributes{{0}, {h / 2}, {h}, {}}));
            break;
        case 9:
            m_rows.push_back(m_b.elementwise("add", m_name, {x, m_b.constant(m_name + ".b", {w})}));
            break;
        case 10: {
            const ModelTensorId s = m_b.input(m_name + ".x", {size(1, 3), h, w});
            const std::int64_t hidden = size(1, 5);
            constexpr std::array kKinds{K::Lstm, K::Gru, K::Rnn};
            constexpr std::array<std::int64_t, 3> kGates{4, 3, 1};
            const auto which = static_cast<std::size_t>(below(3));
            const std::int64_t gates = kGates[which] * hidden, directions = size(1, 2);
            const ModelTensorId wi = m_b.constant(m_name + ".w", {directions, gates, w});
            const ModelTensorId wr = m_b.constant(m_name + ".r", {directions, gates, hidden});
            m_b.add(kKinds[which], m_name, {s, wi, wr}, model::RecurrentAttributes{hidden, directions});
            break;
        }
        default:
            m_rows.push_back(m_b.add(K::Unknown, m_name, {x}, model::NoAttributes{}, {h, w}));
        }
        if (model::elementsOf(shape(m_rows.back())) > 4096)
            m_rows.pop_back();
    }

    std::mt19937 m_random;
    model::ModelBuilder m_b;
    std::string m_name;
    std::vector<ModelTensorId> m_images, m_rows;
};

} // namespace tilewright
