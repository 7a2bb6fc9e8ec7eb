// SPDX-License-Identifier: GPL-3.0-or-later
#include "families.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace tilewright::bench {

namespace {

enum class Style {
    Attention,
    Experts,
    Mlp,
    SharedChain,
    Bottleneck,
    Fan,
    Ladder,
    MultiSink,
    Mixture,
    Random
};
constexpr std::array<const char*, 10> kNames{"attention", "experts", "mlp",        "shared",  "bottleneck",
                                             "fan",       "ladder",  "multi-sink", "mixture", "random"};

class Drawing
{
public:
    Drawing(std::uint64_t seed, std::size_t ops) : m_random(seed * 2654435761U + ops), m_wanted(ops)
    {
        m_style = static_cast<Style>(seed % kNames.size());
        m_ragged = below(4) == 0;
        // Either tensors are far larger than fast memory, or several fit at once, so that retaining counts.
        const bool roomy = seed / kNames.size() % 3 == 2;
        m_rows = extent(roomy ? 64 : 128, roomy ? 512 : ops > 60 ? 2048 : 4096);
        m_width = extent(roomy ? 64 : 128, roomy ? 512 : 2048);
        m_inner = extent(roomy ? 64 : 128, roomy ? 1024 : 4096);
        m_matmul = oneOf({500, 1000, 2000, 5000, 10000});
        m_pointwise = oneOf({50, 100, 200, 500, 1000});
        m_data.hardware.nativeWidth = m_data.hardware.nativeHeight = 128;
        // A strip of a tile's operands takes between half and eight times as long to move as to multiply, and
        // fast memory holds from some tiles to some strips.
        const double depth = static_cast<double>(below(2) == 0 ? m_width : m_inner);
        const double ratio = 0.5 * std::pow(2.0, static_cast<double>(below(9)) / 2);
        m_data.hardware.slowMemoryBandwidth = std::clamp<std::int64_t>(
            std::llround(depth * 256 / (static_cast<double>(m_matmul) * ratio)), 2, 400);
        const double strip = roomy ? static_cast<double>(m_rows * m_width) * 2 : 128 * depth;
        m_data.hardware.fastMemoryCapacity = std::clamp<std::int64_t>(
            std::llround(strip * 0.3 * std::pow(2.0, static_cast<double>(below(9)) / 2)) / 1000 * 1000, 10000,
            600000);
    }

    Family run()
    {
        TensorId x = input(m_rows, m_width);
        for (int round = 0; round < 1000 && m_data.ops.size() < m_wanted; ++round)
            x = block(m_style == Style::Mixture ? static_cast<Style>(below(8)) : m_style, x);
        m_data.name = kNames[static_cast<std::size_t>(m_style)];
        m_data.tensors = IdVector<TensorId, Tensor>(m_tensors);
        auto built = Problem::build(std::move(m_data));
        return {kNames[static_cast<std::size_t>(m_style)], built ? built.value() : nullptr};
    }

private:
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(m_random() % n); }
    std::int64_t oneOf(const std::vector<std::int64_t>& values) { return values[below(values.size())]; }
    std::int64_t extent(std::int64_t low, std::int64_t high)
    {
        std::int64_t e = low;
        while (e < high && below(3) != 0)
            e *= 2;
        return m_ragged ? e - e / 16 + static_cast<std::int64_t>(below(static_cast<std::size_t>(e / 8))) : e;
    }
    [[nodiscard]] bool full() const { return m_data.ops.size() >= m_wanted; }
    [[nodiscard]] const Tensor& at(TensorId t) const { return m_tensors[t.index()]; }

    TensorId input(std::int64_t rows, std::int64_t cols)
    {
        m_tensors.push_back({cols, rows, {}});
        return TensorId(m_tensors.size() - 1);
    }
    TensorId matmul(TensorId a, TensorId b)
    {
        const TensorId out = input(at(a).height, at(b).width);
        m_data.ops.push_back({OpType::MatMul, {a, b}, out, m_matmul, {}});
        return out;
    }
    TensorId pointwise(std::vector<TensorId> inputs)
    {
        const TensorId out = input(at(inputs.front()).height, at(inputs.front()).width);
        m_data.ops.push_back({OpType::Pointwise, std::move(inputs), out, m_pointwise, {}});
        return out;
    }
    TensorId linear(TensorId x, std::int64_t cols) { return matmul(x, input(at(x).width, cols)); }

    TensorId block(Style style, TensorId x)
    {
        switch (style) {
        case Style::Attention:
            return attention(x);
        case Style::Experts:
            return experts(x);
        case Style::Mlp: {
            const TensorId up = pointwise({linear(x, m_inner)});
            return pointwise({linear(up, at(x).width), x});
        }
        case Style::SharedChain:
            return sharedChain(x);
        case Style::Bottleneck:
            return bottleneck(x);
        case Style::Fan:
            return fan(x);
        case Style::Ladder:
            return ladder(x);
        case Style::MultiSink: {
            // Results that leave the graph at every block.
            const TensorId a = linear(x, m_width);
            const TensorId b = pointwise({a});
            (void)pointwise({a, b});
            (void)linear(b, m_inner);
            return pointwise({b});
        }
        default:
            return randomOp(x);
        }
    }

    TensorId attention(TensorId x)
    {
        const std::size_t heads = 1 + below(4);
        const std::int64_t head = std::min<std::int64_t>(m_inner, 256);
        std::vector<TensorId> parts;
        for (std::size_t h = 0; h < heads; ++h) {
            const TensorId query = linear(x, head);
            const TensorId keys = input(head, at(x).height);
            TensorId weights = matmul(query, keys);
            if (m_pointwise > 60)
                weights = pointwise({weights});
            const TensorId value = linear(x, head);
            parts.push_back(linear(matmul(weights, value), at(x).width));
        }
        TensorId sum = parts.size() > 1 || below(2) == 0 ? pointwise(parts) : parts.front();
        return pointwise({sum, x});
    }

    TensorId experts(TensorId x)
    {
        std::vector<TensorId> parts;
        for (std::size_t e = 2 + below(3); e > 0; --e) {
            const TensorId down = linear(pointwise({linear(x, m_inner)}), at(x).width);
            const TensorId gate = linear(x, at(x).width);
            parts.push_back(pointwise({down, gate}));
        }
        while (parts.size() > 1) {
            const TensorId a = parts.back();
            parts.pop_back();
            parts.back() = pointwise({parts.back(), a});
        }
        return pointwise({parts.front(), x});
    }

    /// Many products of own operands with the same large ones, joined by a tree.
    TensorId sharedChain(TensorId x)
    {
        const TensorId first = input(m_width, m_inner);
        const TensorId second = input(m_inner, m_width);
        std::vector<TensorId> parts;
        for (std::size_t h = 3 + below(6); h > 0; --h) {
            const TensorId own = input(128, m_width);
            parts.push_back(linear(matmul(matmul(own, first), second), 128));
        }
        while (parts.size() > 1) {
            const TensorId a = parts.back();
            parts.pop_back();
            parts.back() = pointwise({parts.back(), a});
        }
        (void)x;
        return parts.front();
    }

    TensorId bottleneck(TensorId x)
    {
        const std::int64_t narrow = std::min<std::int64_t>(m_inner, 256);
        TensorId y = linear(x, narrow);
        for (std::size_t i = 1 + below(3); i > 0; --i)
            y = pointwise({y});
        y = linear(y, narrow);
        y = pointwise({pointwise({y})});
        return pointwise({linear(y, at(x).width), x});
    }

    TensorId fan(TensorId x)
    {
        std::vector<TensorId> parts;
        for (std::size_t b = 3 + below(6); b > 0; --b) {
            const TensorId p = linear(x, at(x).width);
            parts.push_back(below(3) == 0 ? pointwise({p}) : p);
        }
        for (; parts.size() > 1; parts.pop_back())
            parts[parts.size() - 2] = pointwise({parts[parts.size() - 2], parts.back()});
        return parts.front();
    }

    /// A chain of cheap pointwise ops with long skips, then one product.
    TensorId ladder(TensorId x)
    {
        std::vector<TensorId> steps{x};
        for (std::size_t i = 3 + below(6); i > 0; --i) {
            std::vector<TensorId> inputs{steps.back()};
            if (const TensorId skip = steps[below(steps.size())]; skip != steps.back())
                inputs.push_back(skip);
            if (below(4) == 0)
                inputs.push_back(input(at(x).height, at(x).width));
            steps.push_back(pointwise(std::move(inputs)));
        }
        return below(2) == 0 ? linear(steps.back(), at(x).width) : steps.back();
    }

    TensorId randomOp(TensorId x)
    {
        m_pool.push_back(x);
        const auto recent = [&] {
            return m_pool[m_pool.size() - 1 - below(std::min<std::size_t>(6, m_pool.size()))];
        };
        const TensorId a = recent();
        if (below(2) == 0)
            return linear(a, oneOf({m_width, m_inner, 128}));
        std::vector<TensorId> inputs{a};
        for (int i = 0; i < 2; ++i)
            if (const TensorId b = recent(); std::ranges::find(inputs, b) == inputs.end() &&
                                             at(b).width == at(a).width && at(b).height == at(a).height)
                inputs.push_back(b);
        return pointwise(std::move(inputs));
    }

    std::mt19937_64 m_random;
    std::size_t m_wanted;
    Style m_style;
    bool m_ragged;
    std::int64_t m_rows, m_width, m_inner, m_matmul, m_pointwise;
    Problem::Data m_data;
    std::vector<Tensor> m_tensors;
    std::vector<TensorId> m_pool;
};

} // namespace

Family drawProblem(std::uint64_t seed, std::size_t ops)
{
    return Drawing(seed, ops).run();
}

} // namespace tilewright::bench
