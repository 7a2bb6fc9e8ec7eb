// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/generate.h"

#include "base/integer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <random>

namespace tilewright {

namespace {

/// Multiply-accumulates of generated products per unit of time. At the default bandwidth of 20, a product of
/// 128 x 128 x 128 is memory-bound alone, and compute-bound if it shares operands with its neighbours.
constexpr double kProductsPerTime = 4096;
constexpr double kPointwisePerTime = 256;

std::int64_t cost(double work, double perTime)
{
    return std::clamp(static_cast<std::int64_t>(work / perTime), std::int64_t{1}, kMaxDimension);
}

} // namespace

ProblemBuilder::ProblemBuilder(std::string name, Hardware hardware)
{
    m_data.name = std::move(name);
    m_data.hardware = hardware;
}

TensorId ProblemBuilder::input(std::int64_t rows, std::int64_t cols, std::string name)
{
    m_data.tensors.push_back({cols, rows, std::move(name)});
    return TensorId(m_data.tensors.size() - 1);
}

TensorId ProblemBuilder::matmul(TensorId lhs, TensorId rhs, const std::string& name)
{
    const Tensor l = tensor(lhs);
    const Tensor r = tensor(rhs);
    assert(l.width == r.height);
    const double work = static_cast<double>(m_data.hardware.nativeWidth) *
                        static_cast<double>(m_data.hardware.nativeHeight) * static_cast<double>(l.width);
    return add(OpType::MatMul, {lhs, rhs}, l.height, r.width, name, cost(work, kProductsPerTime));
}

TensorId ProblemBuilder::pointwise(std::vector<TensorId> inputs, const std::string& name)
{
    const Tensor first = tensor(inputs.front());
    const double work =
        static_cast<double>(m_data.hardware.nativeWidth) * static_cast<double>(m_data.hardware.nativeHeight);
    return add(OpType::Pointwise, std::move(inputs), first.height, first.width, name,
               cost(work, kPointwisePerTime));
}

TensorId ProblemBuilder::add(OpType type, std::vector<TensorId> inputs, std::int64_t rows, std::int64_t cols,
                             const std::string& name, std::int64_t baseCost)
{
    const TensorId out = input(rows, cols, name + ".out");
    m_data.ops.push_back({type, std::move(inputs), out, baseCost, name});
    return out;
}

namespace {

constexpr std::int64_t kMaxOps = 1'000'000;

std::string numbered(const char* name, std::int64_t i)
{
    return name + std::to_string(i);
}

/// Random integers, uniform in [0, n). std::uniform_int_distribution is not used: its results differ between
/// standard libraries.
class RandomIntegers
{
public:
    explicit RandomIntegers(std::uint64_t seed) : m_engine(seed) {}
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(m_engine() % n); }
    std::int64_t between(std::int64_t low, std::int64_t high)
    {
        return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low + 1)));
    }

private:
    std::mt19937_64 m_engine;
};

class Generator
{
public:
    Generator(const GenerateOptions& options, std::string name)
        : m_o(options), m_random(options.seed),
          m_g(std::move(name), {options.capacity, options.bandwidth, options.native, options.native, {}})
    {
        if (m_o.ragged)
            for (std::int64_t* size : {&m_o.rows, &m_o.width, &m_o.hidden})
                *size = std::max<std::int64_t>(
                    1, *size - m_random.between(1, std::max<std::int64_t>(1, *size / 8)));
    }

    Result<ProblemPtr> run()
    {
        switch (m_o.kind) {
        case WorkloadKind::Transformer:
            transformer();
            break;
        case WorkloadKind::Mlp:
            mlp();
            break;
        case WorkloadKind::ConvNet:
            convNet();
            break;
        case WorkloadKind::Diamond:
            diamond();
            break;
        case WorkloadKind::Moe:
            moe();
            break;
        case WorkloadKind::FanOut:
            fanOut();
            break;
        case WorkloadKind::Random:
            random();
            break;
        }
        return m_g.build();
    }

private:
    TensorId weight(std::int64_t rows, std::int64_t cols, const std::string& name)
    {
        return m_g.input(rows, cols, name);
    }

    /// Product of x with a new weight tensor.
    TensorId linear(TensorId x, std::int64_t cols, const std::string& name)
    {
        return m_g.matmul(x, weight(m_g.tensor(x).width, cols, name + ".weight"), name);
    }

    void transformer()
    {
        TensorId x = m_g.input(m_o.rows, m_o.width, "x");
        const std::int64_t head = std::max<std::int64_t>(1, m_o.width / m_o.branches);
        for (std::int64_t l = 0; l < m_o.layers; ++l) {
            const std::string p = numbered("layer", l) + ".";
            const TensorId normed = m_g.pointwise({x}, p + "norm1");
            std::vector<TensorId> parts{x};
            for (std::int64_t h = 0; h < m_o.branches; ++h) {
                const std::string q = p + numbered("head", h) + ".";
                const TensorId query = linear(normed, head, q + "query");
                // The keys are read from the cache in transposed form, because a problem has no transposition
                // op.
                const TensorId keys = m_g.input(head, m_o.rows, q + "keys");
                const TensorId scores = m_g.matmul(query, keys, q + "scores");
                const TensorId weights = m_g.pointwise({scores}, q + "softmax");
                const TensorId values = linear(normed, head, q + "value");
                const TensorId context = m_g.matmul(weights, values, q + "context");
                parts.push_back(linear(context, m_o.width, q + "project"));
            }
            x = m_g.pointwise(parts, p + "add1");
            const TensorId normed2 = m_g.pointwise({x}, p + "norm2");
            const TensorId up = linear(normed2, m_o.hidden, p + "up");
            const TensorId active = m_g.pointwise({up}, p + "gelu");
            const TensorId down = linear(active, m_o.width, p + "down");
            x = m_g.pointwise({x, down}, p + "add2");
        }
    }

    void mlp()
    {
        TensorId x = m_g.input(m_o.rows, m_o.width, "x");
        for (std::int64_t l = 0; l < m_o.layers; ++l) {
            const std::string p = numbered("layer", l) + ".";
            const TensorId up = linear(x, m_o.hidden, p + "up");
            const TensorId active = m_g.pointwise({up}, p + "relu");
            const TensorId down = linear(active, m_o.width, p + "down");
            x = m_g.pointwise({x, down}, p + "add");
        }
    }

    void convNet()
    {
        TensorId x = m_g.input(m_o.rows, m_o.width, "image");
        for (std::int64_t l = 0; l < m_o.layers; ++l) {
            const std::string p = numbered("block", l) + ".";
            const TensorId reduced = linear(x, m_o.hidden, p + "reduce");
            const TensorId active = m_g.pointwise({reduced}, p + "relu1");
            std::vector<TensorId> taps;
            for (std::int64_t t = 0; t < m_o.branches; ++t) {
                const std::string q = p + numbered("tap", t) + ".";
                // The middle tap is not shifted and reads the activation directly.
                const TensorId image = t == m_o.branches / 2 ? active : m_g.pointwise({active}, q + "shift");
                taps.push_back(linear(image, m_o.hidden, q + "conv"));
            }
            const TensorId active2 = m_g.pointwise(taps, p + "relu2");
            const TensorId expanded = linear(active2, m_o.width, p + "expand");
            x = m_g.pointwise({x, expanded}, p + "add");
        }
    }

    void diamond()
    {
        TensorId x = m_g.input(m_o.rows, m_o.width, "x");
        for (std::int64_t l = 0; l < m_o.layers; ++l) {
            const std::string p = numbered("diamond", l) + ".";
            const TensorId top = m_g.pointwise({x}, p + "top");
            std::vector<TensorId> parts;
            for (std::int64_t b = 0; b < m_o.branches; ++b) {
                const std::string q = p + numbered("branch", b);
                parts.push_back(b % 2 == 0 ? linear(top, m_o.width, q) : m_g.pointwise({top}, q));
            }
            x = m_g.pointwise(parts, p + "join");
        }
    }

    void moe()
    {
        TensorId x = m_g.input(m_o.rows, m_o.width, "x");
        for (std::int64_t l = 0; l < m_o.layers; ++l) {
            const std::string p = numbered("layer", l) + ".";
            const TensorId logits = linear(x, m_o.branches, p + "router");
            const TensorId shares = m_g.pointwise({logits}, p + "softmax");
            std::vector<TensorId> parts{x};
            for (std::int64_t e = 0; e < m_o.branches; ++e) {
                const std::string q = p + numbered("expert", e) + ".";
                const TensorId up = linear(x, m_o.hidden, q + "up");
                const TensorId active = m_g.pointwise({up}, q + "silu");
                const TensorId down = linear(active, m_o.width, q + "down");
                // A selector matrix repeats the share of this expert along the columns of each row.
                const TensorId gate =
                    m_g.matmul(shares, weight(m_o.branches, m_o.width, q + "selector"), q + "gate");
                parts.push_back(m_g.pointwise({down, gate}, q + "scale"));
            }
            x = m_g.pointwise(parts, p + "sum");
        }
    }

    void fanOut()
    {
        TensorId x = m_g.input(m_o.rows, m_o.width, "x");
        for (std::int64_t l = 0; l < m_o.layers; ++l) {
            const std::string p = numbered("fan", l) + ".";
            std::vector<TensorId> parts;
            for (std::int64_t b = 0; b < m_o.branches; ++b)
                parts.push_back(linear(x, m_o.width, p + numbered("product", b)));
            for (std::int64_t sums = 0; parts.size() > 1;) {
                std::vector<TensorId> next;
                for (std::size_t i = 0; i + 1 < parts.size(); i += 2)
                    next.push_back(m_g.pointwise({parts[i], parts[i + 1]}, p + numbered("sum", sums++)));
                if (parts.size() % 2 == 1)
                    next.push_back(parts.back());
                parts = std::move(next);
            }
            x = parts.front();
        }
    }

    /// Adds ops that read recent results. Some of them read an old result, which gives the graph long edges.
    void random()
    {
        const std::array<std::int64_t, 2> largest{m_o.rows, m_o.width};
        const auto size = [&](std::size_t axis) {
            const std::int64_t whole = std::max<std::int64_t>(1, largest[axis] >> m_random.below(3));
            return m_o.ragged ? std::max<std::int64_t>(1, whole - m_random.between(0, whole / 4)) : whole;
        };
        std::vector<TensorId> pool;
        for (std::int64_t i = 0; i < std::max<std::int64_t>(1, m_o.branches / 2); ++i)
            pool.push_back(m_g.input(size(0), size(1), numbered("x", i)));
        const auto recent = [&] {
            const auto window = static_cast<std::size_t>(m_o.branches) * (m_random.below(8) == 0 ? 4 : 1);
            return pool[pool.size() - 1 - m_random.below(std::min(pool.size(), window))];
        };
        for (std::int64_t i = 0; i < m_o.ops; ++i) {
            const TensorId a = recent();
            const Tensor shape = m_g.tensor(a);
            if (m_random.below(2) == 0) {
                // The second operand is an earlier result of matching shape, or a new weight tensor.
                TensorId b = recent();
                if (m_g.tensor(b).height != shape.width || m_random.below(2) == 0)
                    b = weight(shape.width, size(1), numbered("w", i));
                pool.push_back(m_g.matmul(a, b, numbered("matmul", i)));
                continue;
            }
            std::vector<TensorId> inputs{a};
            for (std::size_t extra = m_random.below(3); extra > 0; --extra) {
                const TensorId b = recent();
                const bool known = std::ranges::find(inputs, b) != inputs.end();
                if (!known && m_g.tensor(b).height == shape.height && m_g.tensor(b).width == shape.width)
                    inputs.push_back(b);
            }
            pool.push_back(m_g.pointwise(std::move(inputs), numbered("pointwise", i)));
        }
    }

    GenerateOptions m_o;
    RandomIntegers m_random;
    ProblemBuilder m_g;
};

struct Defaults
{
    std::int64_t layers, rows, width, hidden, branches;
};

Defaults defaultsOf(WorkloadKind kind)
{
    switch (kind) {
    case WorkloadKind::Transformer:
        return {2, 512, 512, 2048, 4};
    case WorkloadKind::Mlp:
        return {4, 512, 512, 2048, 1};
    case WorkloadKind::ConvNet:
        return {3, 1024, 256, 64, 3};
    case WorkloadKind::Diamond:
        return {4, 512, 512, 512, 3};
    case WorkloadKind::Moe:
        return {1, 512, 512, 1024, 8};
    case WorkloadKind::FanOut:
        return {1, 512, 512, 512, 16};
    case WorkloadKind::Random:
        return {1, 512, 512, 512, 6};
    }
    return {1, 1, 1, 1, 1};
}

std::int64_t opsOf(const GenerateOptions& o)
{
    switch (o.kind) {
    case WorkloadKind::Transformer:
        return o.layers * (6 * o.branches + 7);
    case WorkloadKind::Mlp:
        return o.layers * 4;
    case WorkloadKind::ConvNet:
        return o.layers * (2 * o.branches + 4);
    case WorkloadKind::Diamond:
        return o.layers * (o.branches + 2);
    case WorkloadKind::Moe:
        return o.layers * (5 * o.branches + 3);
    case WorkloadKind::FanOut:
        return o.layers * (2 * o.branches - 1);
    case WorkloadKind::Random:
        return o.ops;
    }
    return 0;
}

constexpr std::array<WorkloadKindInfo, 7> kKinds{{
    {WorkloadKind::Transformer, "transformer", "blocks of attention and feed-forward net", "heads"},
    {WorkloadKind::Mlp, "mlp", "products and activations with residual sums", "nothing"},
    {WorkloadKind::ConvNet, "conv-net", "residual bottlenecks of convolutions", "taps of a convolution"},
    {WorkloadKind::Diamond, "diamond", "results that branch and are joined again", "branches"},
    {WorkloadKind::Moe, "moe", "a router and gated experts", "experts"},
    {WorkloadKind::FanOut, "fan-out", "many products of one shared operand", "products"},
    {WorkloadKind::Random, "random", "a layered mixture of shapes and types",
     "number of recent results that an op can read"},
}};

} // namespace

std::span<const WorkloadKindInfo> workloadKinds()
{
    return kKinds;
}

Result<WorkloadKind> workloadKindOf(std::string_view name)
{
    std::string known;
    for (const WorkloadKindInfo& info : kKinds) {
        if (info.name == name)
            return info.kind;
        known += (known.empty() ? "" : ", ") + std::string(info.name);
    }
    return Error{
        ErrorCode::Field, "there is no kind \"" + std::string(name) + "\"; the kinds are " + known, {}, {}};
}

Result<ProblemPtr> generateWorkload(const GenerateOptions& options)
{
    GenerateOptions o = options;
    const Defaults defaults = defaultsOf(o.kind);
    if (o.ops == 0)
        o.ops = 30;
    struct Setting
    {
        const char* name;
        std::int64_t* value;
        std::int64_t fallback;
        std::int64_t max;
    };
    for (const Setting& s :
         {Setting{"layers", &o.layers, defaults.layers, kMaxOps},
          Setting{"rows", &o.rows, defaults.rows, 1 << 20},
          Setting{"width", &o.width, defaults.width, 1 << 20},
          Setting{"hidden", &o.hidden, defaults.hidden, 1 << 20},
          Setting{"branches", &o.branches, defaults.branches, 1 << 16}, Setting{"ops", &o.ops, 1, kMaxOps},
          Setting{"native", &o.native, 128, 1 << 20}, Setting{"capacity", &o.capacity, 60'000, kMaxArea},
          Setting{"bandwidth", &o.bandwidth, 20, kMaxArea}}) {
        if (*s.value == 0)
            *s.value = s.fallback;
        if (*s.value < 1 || *s.value > s.max)
            return Error{ErrorCode::Field,
                         "must be from 1 to " + std::to_string(s.max) + ", got " + std::to_string(*s.value),
                         s.name,
                         {}};
    }
    if (opsOf(o) > kMaxOps)
        return Error{ErrorCode::Field,
                     "the workload would have " + std::to_string(opsOf(o)) + " ops, more than " +
                         std::to_string(kMaxOps),
                     "layers",
                     {}};
    const auto info = std::ranges::find(kKinds, o.kind, &WorkloadKindInfo::kind);
    std::string name(info->name);
    if (o.kind == WorkloadKind::Random || o.ragged)
        name += " " + std::to_string(o.seed);
    return Generator(o, name).run();
}

} // namespace tilewright
