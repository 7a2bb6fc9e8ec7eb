// SPDX-License-Identifier: GPL-3.0-or-later
#include "random_cases.h"

#include <algorithm>
#include <numeric>

namespace tilewright::random_cases {

ProblemPtr problem(Source& rnd, int maxOps, int viewPercent)
{
    for (;;) {
        std::vector<std::int64_t> dims;
        const bool round = rnd.chance(40);
        const std::int64_t count = rnd.between(1, 3);
        for (std::int64_t i = 0; i < count; ++i)
            dims.push_back(round ? std::int64_t{1} << rnd.between(0, 5) : rnd.between(1, 24));
        Problem::Data data;
        const auto tensor = [&](std::int64_t height, std::int64_t width) {
            data.tensors.push_back({width, height, {}});
            return TensorId(data.tensors.size() - 1);
        };
        // An existing tensor of this shape, or a new graph input.
        const auto source = [&](std::int64_t height, std::int64_t width) {
            if (viewPercent > 0 && !data.tensors.empty() && rnd.chance(viewPercent)) {
                TensorView view;
                for (std::int64_t tries = rnd.between(1, 3); tries > 0; --tries) {
                    const TensorId base(static_cast<std::size_t>(
                        rnd.between(0, static_cast<std::int64_t>(data.tensors.size()) - 1)));
                    if (std::ranges::find(data.views, base, &TensorView::tensor) == data.views.end() &&
                        std::ranges::find(view.bases, base) == view.bases.end())
                        view.bases.push_back(base);
                }
                if (!view.bases.empty()) {
                    view.tensor = tensor(height, width);
                    data.views.push_back(view);
                    return view.tensor;
                }
            }
            std::vector<TensorId> fitting;
            for (std::size_t i = 0; i < data.tensors.size(); ++i)
                if (data.tensors[TensorId(i)].height == height && data.tensors[TensorId(i)].width == width)
                    fitting.emplace_back(i);
            return !fitting.empty() && rnd.chance(75) ? TensorId(rnd.pick(fitting)) : tensor(height, width);
        };
        const std::int64_t n = rnd.between(1, maxOps);
        for (std::int64_t i = 0; i < n; ++i) {
            Op op;
            op.type = rnd.chance(50) ? OpType::MatMul : OpType::Pointwise;
            constexpr std::int64_t kCosts[] = {0, 1, 7, 10, 40, 100};
            op.baseCost = rnd.pick(kCosts);
            std::int64_t height = rnd.pick(dims);
            std::int64_t width = rnd.pick(dims);
            if (!data.tensors.empty() && rnd.chance(70)) { // continue from something that exists
                const Tensor& t = data.tensors[TensorId(static_cast<std::size_t>(
                    rnd.between(0, static_cast<std::int64_t>(data.tensors.size()) - 1)))];
                height = t.height;
                width = t.width;
            }
            if (op.type == OpType::MatMul) {
                const std::int64_t depth = rnd.pick(dims);
                const TensorId lhs = source(height, depth);
                const bool square = data.tensors[lhs].height == depth && depth == width;
                const TensorId rhs = square && rnd.chance(30) ? lhs : source(depth, width);
                op.inputs = {lhs, rhs};
            } else {
                const std::int64_t inputs = rnd.between(1, 3);
                for (std::int64_t j = 0; j < inputs; ++j)
                    op.inputs.push_back(source(height, width));
            }
            op.output = tensor(height, width);
            data.ops.push_back(op);
        }
        constexpr std::int64_t kBandwidths[] = {1, 3, 10, 50};
        data.hardware = {
            rnd.between(1, 4000), rnd.pick(kBandwidths), rnd.between(1, 24), rnd.between(1, 24), {}};
        if (rnd.chance(50))
            data.hardware.nativeHeight = data.hardware.nativeWidth;
        if (rnd.chance(30))
            data.hardware.nativeDepth = rnd.between(1, 24);
        if (auto built = Problem::build(std::move(data)))
            return *built;
    }
}

DrawnMap indexMap(Source& rnd, std::int64_t height, std::int64_t width, std::int64_t most)
{
    for (;;) {
        const std::int64_t kind = rnd.between(0, 9);
        if (kind < 5) {
            std::vector<std::int64_t> divisors;
            for (std::int64_t d = 1; d <= height; ++d)
                if (height % d == 0)
                    divisors.push_back(d);
            WindowsMap m;
            const std::int64_t pixels = rnd.pick(divisors);
            m.n = height / pixels;
            std::erase_if(divisors, [&](std::int64_t d) { return pixels % d != 0; });
            m.h = rnd.pick(divisors);
            m.w = pixels / m.h;
            m.channels[0] = rnd.chance(60) ? 0 : rnd.between(0, width - 1);
            m.channels[1] = rnd.chance(60) ? width - m.channels[0] : rnd.between(1, width - m.channels[0]);
            for (std::size_t axis = 0; axis < 2; ++axis) {
                m.window[axis] = rnd.between(1, 3);
                m.stride[axis] = rnd.chance(60) ? 1 : rnd.between(1, 3);
                m.dilation[axis] = rnd.chance(75) ? 1 : rnd.between(1, 3);
            }
            for (std::int64_t& pad : m.pad)
                pad = rnd.chance(30) ? 0 : rnd.between(-1, 2);
            const std::int64_t rows = m.n * m.outHeight() * m.outWidth();
            const std::int64_t cols = m.window[0] * m.window[1] * m.channels[1];
            if (rows >= 1 && rows <= most && cols <= most)
                return {m, {rows, cols}};
        } else if (kind < 7) {
            const auto inner = [&] { return rnd.chance(50) ? std::int64_t{1} : rnd.between(1, 4); };
            const auto size = [&](std::int64_t extent) {
                return rnd.chance(50) ? extent : rnd.between(1, most);
            };
            return {RepeatMap{{height, inner()}, {width, inner()}}, {size(height), size(width)}};
        } else {
            const auto cut = [&](std::int64_t extent) {
                const std::int64_t first = rnd.chance(50) ? 0 : rnd.between(0, extent - 1);
                const std::int64_t stride = rnd.chance(60) ? 1 : rnd.between(1, 3);
                const std::int64_t count = (extent - first - 1) / stride + 1;
                return std::array{first, stride, rnd.chance(50) ? count : rnd.between(1, count)};
            };
            const SliceMap m{cut(height), cut(width), rnd.chance(50)};
            if (m.rows[2] <= most && m.cols[2] <= most)
                return {m, m.transposed ? std::pair{m.cols[2], m.rows[2]} : std::pair{m.rows[2], m.cols[2]}};
        }
    }
}

ProblemPtr realProblem(Source& rnd, int maxOps, RealParts parts)
{
    for (;;) {
        Problem::Data data;
        const auto tensor = [&](std::int64_t height, std::int64_t width) {
            data.tensors.push_back({width, height, {}});
            return TensorId(data.tensors.size() - 1);
        };
        const auto isView = [&](TensorId t) {
            return std::ranges::find(data.views, t, &TensorView::tensor) != data.views.end();
        };
        // Newer tensors are likelier, so that ops make chains.
        const auto existing = [&] {
            const auto n = static_cast<std::int64_t>(data.tensors.size());
            return TensorId(static_cast<std::size_t>(
                rnd.between(rnd.chance(60) ? std::max<std::int64_t>(0, n - 3) : 0, n - 1)));
        };
        const auto viewOf = [&](TensorId base, const DrawnMap& drawn) {
            const TensorId view = tensor(drawn.size.first, drawn.size.second);
            data.views.push_back({view, {base}, drawn.map});
            return view;
        };
        // A new input, something that exists, or a view of something that exists.
        const auto first = [&] {
            if (data.tensors.empty())
                tensor(rnd.between(1, std::min<std::int64_t>(24, parts.most)),
                       rnd.between(1, std::min<std::int64_t>(8, parts.most)));
            const TensorId t = existing();
            if (!parts.maps || isView(t) || !rnd.chance(65))
                return t;
            return viewOf(t, indexMap(rnd, data.tensors[t].height, data.tensors[t].width, parts.most));
        };
        const auto ofSize = [&](std::int64_t height, std::int64_t width) {
            std::vector<TensorId> fitting;
            for (std::size_t i = 0; i < data.tensors.size(); ++i)
                if (data.tensors[TensorId(i)].height == height && data.tensors[TensorId(i)].width == width)
                    fitting.emplace_back(i);
            if (!fitting.empty() && rnd.chance(70))
                return TensorId(rnd.pick(fitting));
            for (int tries = 0; parts.maps && rnd.chance(40) && tries < 3; ++tries) {
                const TensorId t = data.tensors.empty() || rnd.chance(20)
                                       ? tensor(rnd.chance(50) ? 1 : height, rnd.between(1, width))
                                       : existing();
                if (!isView(t))
                    return viewOf(t, {RepeatMap{{data.tensors[t].height, rnd.between(1, 3)},
                                                {data.tensors[t].width, rnd.between(1, 2)}},
                                      {height, width}});
            }
            return tensor(height, width);
        };
        const std::int64_t ops = rnd.between(1, maxOps);
        for (std::int64_t i = 0; i < ops; ++i) {
            Op op;
            constexpr std::int64_t kCosts[] = {0, 1, 7, 10, 40, 100};
            op.baseCost = rnd.pick(kCosts);
            const TensorId start = first();
            const std::int64_t height = data.tensors[start].height, width = data.tensors[start].width;
            if (rnd.chance(50)) {
                op.type = OpType::MatMul;
                const std::int64_t other = rnd.between(1, std::min<std::int64_t>(12, parts.most));
                if (rnd.chance(75)) {
                    op.inputs = {start, ofSize(width, other)};
                    op.output = tensor(height, other);
                } else {
                    op.inputs = {ofSize(other, height), start};
                    op.output = tensor(other, width);
                }
            } else {
                op.inputs = {start};
                for (std::int64_t more = rnd.between(0, 2); more > 0; --more)
                    op.inputs.push_back(ofSize(height, width));
                if (rnd.chance(30))
                    std::swap(op.inputs.front(), op.inputs.back());
                op.output = tensor(height, width);
            }
            data.ops.push_back(op);
        }
        if (parts.bits && rnd.chance(70)) {
            constexpr std::int64_t kBits[] = {4 * kPartsOfBit, 4224, 8 * kPartsOfBit, 16 * kPartsOfBit};
            data.elementBits = rnd.pick(kBits);
            for (Tensor& t : data.tensors)
                t.bits = rnd.chance(30) ? 8 * kPartsOfBit : rnd.pick(kBits);
            for (const TensorView& v : data.views)
                data.tensors[v.tensor].bits = data.tensors[v.bases.front()].bits;
            constexpr std::int64_t kAccumulators[] = {8 * kPartsOfBit, 16 * kPartsOfBit, 32 * kPartsOfBit};
            if (rnd.chance(60))
                data.accumulatorBits = rnd.pick(kAccumulators);
        }
        if (parts.energy && rnd.chance(70)) {
            EnergyCosts energy{static_cast<double>(rnd.between(0, 50)) / 4,
                               static_cast<double>(rnd.between(0, 10)) / 8,
                               {static_cast<double>(rnd.between(0, 8)) / 16},
                               {static_cast<double>(rnd.between(0, 8)) / 4}};
            if (rnd.chance(50))
                for (std::size_t i = 1; i < data.ops.size(); ++i) {
                    energy.mac.push_back(static_cast<double>(rnd.between(0, 8)) / 16);
                    energy.vector.push_back(static_cast<double>(rnd.between(0, 8)) / 4);
                }
            data.energy = energy;
        }
        constexpr std::int64_t kBandwidths[] = {1, 3, 10, 50};
        data.hardware = {
            rnd.between(50, 6000), rnd.pick(kBandwidths), rnd.between(1, 24), rnd.between(1, 24), {}};
        if (rnd.chance(30))
            data.hardware.nativeDepth = rnd.between(1, 24);
        if (rnd.chance(20))
            data.hardware.array = {rnd.chance(50) ? ComputeArray::Kind::DotProduct
                                                  : ComputeArray::Kind::Systolic,
                                   rnd.between(1, 4), rnd.between(1, 4), rnd.between(1, 3)};
        if (auto built = Problem::build(std::move(data)))
            return *built;
    }
}

Rules realRules(Source& rnd)
{
    if (rnd.chance(35))
        return Rules::machine();
    Rules r = rules(rnd);
    if (rnd.chance(60))
        r.prologue = Rules::Prologue::Off;
    if (rnd.chance(40))
        r.superNative = Rules::SuperNative::Ceil;
    return r;
}

Rules rules(Source& rnd)
{
    Rules r = rnd.chance(30) ? Rules::final() : rnd.chance(30) ? Rules::seed() : Rules{};
    const auto draw = [&r](Source& from, const RuleSwitch& s) {
        if (!from.chance(25))
            return;
        // Half of the draws are the first value, the others share the rest.
        const std::int64_t roll = from.between(1, 100);
        s.set(r, roll > 50 ? 0
                           : static_cast<std::size_t>(1 + (roll - 1) *
                                                              static_cast<std::int64_t>(s.count - 1) / 50));
    };
    constexpr std::size_t kFirst = 9;
    for (const RuleSwitch& s : ruleSwitches().first(kFirst))
        draw(rnd, s);
    Source more = rnd; // a copy: switches that are added leave the other draws of a seed as they are
    for (const RuleSwitch& s : ruleSwitches().subspan(kFirst))
        draw(more, s);
    return r;
}

Traversal traversal(Source& rnd, std::int64_t rows, std::int64_t cols)
{
    constexpr TraversalKind kKinds[] = {TraversalKind::Raster, TraversalKind::Snake, TraversalKind::Column,
                                        TraversalKind::ColumnSnake, TraversalKind::Spiral};
    if (rnd.chance(75))
        return rnd.pick(kKinds);
    std::vector<std::int64_t> order(static_cast<std::size_t>(rows * cols));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1],
                  order[static_cast<std::size_t>(rnd.between(0, static_cast<std::int64_t>(i) - 1))]);
    if (rnd.chance(5) && !order.empty())
        order.back() = order.front() + 1;
    return Traversal::custom(std::move(order));
}

/// Sizes that divide, that do not, and that are larger than everything.
static std::int64_t extent(Source& rnd, std::int64_t native)
{
    return rnd.chance(60)   ? rnd.between(1, std::max<std::int64_t>(1, native))
           : rnd.chance(85) ? native
                            : native + 1;
}

Subgraph subgraph(Source& rnd, const Problem& p, std::vector<OpId> ops)
{
    Subgraph s;
    s.ops = std::move(ops);
    if (s.ops.size() > 1 && rnd.chance(10))
        std::swap(s.ops.front(), s.ops.back());
    const Hardware& hw = p.hardware();
    s.granularity = {extent(rnd, hw.nativeWidth), extent(rnd, hw.nativeHeight), extent(rnd, hw.nativeK())};
    if (rnd.chance(70))
        for (const OpId o : s.ops)
            if (p.op(o).type == OpType::MatMul)
                s.granularity.k = std::min(s.granularity.k, p.reductionSize(o));
    const Boundary b = boundaryOf(p, s.ops);
    for (const auto* list : {&b.sinks, &b.interior, &b.inputs})
        for (const TensorId t : *list)
            if (rnd.chance(list == &b.inputs ? 8 : 15))
                s.retain.push_back(t);
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    for (const TensorId t : b.sinks) {
        rows = std::max(rows, (p.tensor(t).height + s.granularity.h - 1) / s.granularity.h);
        cols = std::max(cols, (p.tensor(t).width + s.granularity.w - 1) / s.granularity.w);
    }
    s.traversal = traversal(rnd, rows, cols);
    return s;
}

std::vector<OpId> connectedOps(Source& rnd, const Problem& p, std::size_t most)
{
    std::vector<bool> in(p.opCount(), false);
    std::vector<bool> near(p.tensorCount(), false);
    const auto touches = [&](OpId o) {
        const Op& op = p.op(o);
        return near[op.output.index()] ||
               std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorId t) { return near[t.index()]; });
    };
    auto next = OpId(static_cast<std::size_t>(rnd.between(0, static_cast<std::int64_t>(p.opCount()) - 1)));
    for (std::size_t n = 0;; ++n) {
        in[next.index()] = true;
        near[p.op(next).output.index()] = true;
        for (const TensorId t : p.op(next).inputs)
            near[t.index()] = true;
        std::vector<OpId> candidates;
        for (std::size_t o = 0; o < p.opCount(); ++o)
            if (!in[o] && touches(OpId(o)))
                candidates.emplace_back(o);
        if (candidates.empty() || n + 1 >= most)
            break;
        next = rnd.pick(candidates);
    }
    std::vector<OpId> ops;
    for (const OpId o : p.topologicalOrder())
        if (in[o.index()])
            ops.push_back(o);
    return ops;
}

Schedule schedule(Source& rnd, const Problem& p)
{
    Schedule out;
    const auto& order = p.topologicalOrder();
    std::size_t at = 0;
    while (at < order.size()) {
        const auto n = static_cast<std::size_t>(rnd.between(1, static_cast<std::int64_t>(order.size() - at)));
        std::vector<OpId> ops(order.begin() + static_cast<std::ptrdiff_t>(at),
                              order.begin() + static_cast<std::ptrdiff_t>(at + n));
        at += n;
        if (rnd.chance(20) && at > n) // recompute something
            ops.insert(
                ops.begin(),
                order[static_cast<std::size_t>(rnd.between(0, static_cast<std::int64_t>(at - n) - 1))]);
        out.subgraphs.push_back(std::make_shared<const Subgraph>(subgraph(rnd, p, std::move(ops))));
    }
    return out;
}

} // namespace tilewright::random_cases
