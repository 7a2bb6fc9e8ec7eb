// SPDX-License-Identifier: GPL-3.0-or-later
// Shape inference: shapes of the results of each kind of operator.
#include "model/model.h"

#include <algorithm>

namespace tilewright::model {

namespace {

using Shapes = Result<std::vector<Shape>>;

Error bad(std::string message)
{
    return {ErrorCode::Problem, std::move(message), {}, {}};
}

Shapes one(Shape shape)
{
    return std::vector<Shape>{std::move(shape)};
}

struct Arity
{
    std::size_t least = 1, most = 1;
};

Arity arity(OperatorKind kind)
{
    switch (kind) {
    case OperatorKind::MatMul:
    case OperatorKind::Conv2d:
    case OperatorKind::ConvTranspose2d:
        return {2, 3};
    case OperatorKind::Einsum:
        return {2, 2};
    case OperatorKind::Attention:
        return {3, 3};
    case OperatorKind::Lstm:
    case OperatorKind::Gru:
    case OperatorKind::Rnn:
        return {3, 6};
    case OperatorKind::RmsNorm:
    case OperatorKind::KvAppend:
        return {1, 2};
    case OperatorKind::LayerNorm:
    case OperatorKind::Rotary:
        return {1, 3};
    case OperatorKind::BatchNorm:
        return {1, 5};
    case OperatorKind::Gather:
        return {2, 2};
    case OperatorKind::Elementwise:
    case OperatorKind::Concat:
    case OperatorKind::View:
        return {1, 1 << 16};
    case OperatorKind::Unknown:
        return {0, 4096};
    default:
        return {1, 1};
    }
}

Result<Shape> matMulShape(const MatMulAttributes& t, Shape a, Shape b)
{
    if (a.size() < 2 || b.size() < 2)
        return bad("both operands must have at least 2 dimensions");
    if (t.transposeA)
        std::swap(a[a.size() - 1], a[a.size() - 2]);
    if (t.transposeB)
        std::swap(b[b.size() - 1], b[b.size() - 2]);
    const std::int64_t k = a.back();
    if (k != b[b.size() - 2])
        return bad("the shapes do not match: K is " + std::to_string(k) + " and " +
                   std::to_string(b[b.size() - 2]));
    const auto batch = broadcastShape(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
    if (!batch)
        return bad("the leading dimensions of " + shapeText(a) + " and " + shapeText(b) + " do not match");
    Shape out = *batch;
    out.push_back(a[a.size() - 2]);
    out.push_back(b.back());
    return out;
}

Status checkWindow(const WindowAttributes& w)
{
    for (std::size_t i = 0; i < 4; ++i)
        if (w.padding[i] < 0 || w.padding[i] > (1 << 20))
            return bad("padding must be from 0 to 1048576");
    for (std::size_t i = 0; i < 2; ++i)
        if (w.stride[i] < 1 || w.dilation[i] < 1 || w.kernel[i] < 1 || w.stride[i] > (1 << 20) ||
            w.dilation[i] > (1 << 20) || w.kernel[i] > (1 << 20))
            return bad("kernel, stride and dilation must be from 1 to 1048576");
    return Unit{};
}

Shapes windows(const WindowAttributes& w, const Shape& x, std::int64_t channels,
               std::array<std::int64_t, 2> kernel)
{
    Shape out{x[0], channels};
    for (std::size_t axis = 0; axis < 2; ++axis)
        out.push_back(windowOutput(x[2 + axis], kernel[axis], w.stride[axis],
                                   w.padding[axis] + w.padding[2 + axis], w.dilation[axis]));
    if (out[2] < 1 || out[3] < 1)
        return bad("the kernel is larger than the padded input " + shapeText(x));
    return one(std::move(out));
}

Shapes conv(const Operator& op, std::span<const Shape> in)
{
    const auto& a = op.as<WindowAttributes>();
    const Shape &x = in[0], &w = in[1];
    if (x.size() != 4 || w.size() != 4)
        return bad("the input and the weights must have 4 dimensions");
    if (Status s = checkWindow(a); !s)
        return s.error();
    const bool transposed = op.kind == OperatorKind::ConvTranspose2d;
    if (a.groups < 1 || x[1] % a.groups != 0 || (!transposed && w[0] % a.groups != 0))
        return bad("groups (" + std::to_string(a.groups) + ") must divide the channels of the input (" +
                   std::to_string(x[1]) + ") and of the output");
    const std::int64_t channels = transposed ? w[1] * a.groups : w[0];
    if (in.size() > 2 && in[2] != Shape{channels})
        return bad("the bias " + shapeText(in[2]) + " must be " + shapeText({channels}));
    if (!transposed) {
        if (w[1] != x[1] / a.groups)
            return bad("the weights " + shapeText(w) + " must have " + std::to_string(x[1] / a.groups) +
                       " input channels per group");
        return windows(a, x, channels, {w[2], w[3]});
    }
    if (w[0] != x[1])
        return bad("the weights " + shapeText(w) + " must have " + std::to_string(x[1]) + " input channels");
    Shape out{x[0], channels};
    for (std::size_t axis = 0; axis < 2; ++axis)
        out.push_back((x[2 + axis] - 1) * a.stride[axis] + a.dilation[axis] * (w[2 + axis] - 1) + 1 +
                      a.outputPadding[axis] - a.padding[axis] - a.padding[2 + axis]);
    if (out[2] < 1 || out[3] < 1)
        return bad("the padding removes the whole output");
    return one(std::move(out));
}

Shapes pool(const Operator& op, const Shape& x)
{
    if (x.size() != 4)
        return bad("the input must have 4 dimensions");
    const auto& a = op.as<WindowAttributes>();
    if (Status s = checkWindow(a); !s)
        return s.error();
    return windows(a, x, x[1], a.kernel);
}

Shapes attention(const Operator& op, std::span<const Shape> in)
{
    const auto& a = op.as<AttentionAttributes>();
    const std::int64_t kvHeads = a.kvHeads > 0 ? a.kvHeads : a.heads;
    const auto q = headShape(in[0], a.heads), k = headShape(in[1], kvHeads), v = headShape(in[2], kvHeads);
    for (const auto& [shape, found] : {std::pair(&in[0], &q), std::pair(&in[1], &k), std::pair(&in[2], &v)})
        if (!*found)
            return bad("the tensor " + shapeText(*shape) +
                       " must be [batch,heads,tokens,d], or [tokens,heads*d] with \"heads\" dividing its "
                       "columns");
    if (k->batch != q->batch || v->batch != q->batch || k->dims != q->dims || v->tokens != k->tokens ||
        v->heads != k->heads)
        return bad("the shapes of Q " + shapeText(in[0]) + ", K " + shapeText(in[1]) + " and V " +
                   shapeText(in[2]) + " do not match");
    if (q->heads % k->heads != 0)
        return bad("the heads of Q (" + std::to_string(q->heads) +
                   ") must be a multiple of the heads of K and V (" + std::to_string(k->heads) + ")");
    if (a.causal && k->tokens < q->tokens)
        return bad("a causal mask needs at least as many keys as queries");
    Shape out = in[0];
    out.back() = out.size() == 4 ? v->dims : q->heads * v->dims;
    return one(std::move(out));
}

/// Shapes: X[steps, batch, in], W[directions, gates * hidden, in], R[directions, gates * hidden, hidden].
Shapes recurrent(const Operator& op, std::span<const Shape> in)
{
    const auto& a = op.as<RecurrentAttributes>();
    const std::int64_t gates = (op.kind == OperatorKind::Lstm  ? 4
                                : op.kind == OperatorKind::Gru ? 3
                                                               : 1) *
                               a.hidden;
    if (a.hidden < 1 || a.directions < 1 || a.directions > 2)
        return bad("hidden must be at least 1 and directions 1 or 2");
    if (in[0].size() != 3)
        return bad("the input must be [steps,batch,features]");
    if (in[1] != Shape{a.directions, gates, in[0][2]} || in[2] != Shape{a.directions, gates, a.hidden})
        return bad("the weights must be " + shapeText({a.directions, gates, in[0][2]}) + " and " +
                   shapeText({a.directions, gates, a.hidden}));
    return one({in[0][0], a.directions, in[0][1], a.hidden});
}

Shapes elementwise(std::span<const Shape> in)
{
    Shape out;
    for (const Shape& s : in) {
        const auto next = broadcastShape(out, s);
        if (!next)
            return bad("the shapes " + shapeText(out) + " and " + shapeText(s) + " do not match");
        out = *next;
    }
    return one(std::move(out));
}

Result<std::size_t> axisOf(std::int64_t axis, std::size_t rank)
{
    const std::int64_t r = static_cast<std::int64_t>(rank);
    if (axis < -r || axis >= r)
        return bad("axis " + std::to_string(axis) + " does not exist, there are " + std::to_string(rank));
    return static_cast<std::size_t>(axis < 0 ? axis + r : axis);
}

Shapes reduce(const ReduceAttributes& a, const Shape& x)
{
    std::vector<bool> gone(x.size(), a.axes.empty());
    for (const std::int64_t axis : a.axes) {
        const auto i = axisOf(axis, x.size());
        if (!i)
            return i.error();
        gone[*i] = true;
    }
    Shape out;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!gone[i] || a.keep)
            out.push_back(gone[i] ? 1 : x[i]);
    return one(std::move(out));
}

Shapes kvAppend(const KvAttributes& a, std::span<const Shape> in)
{
    const auto fresh = headShape(in[0], a.heads);
    if (!fresh)
        return bad("the new tokens " + shapeText(in[0]) +
                   " must be [batch,heads,tokens,d], or [tokens,heads*d] with \"heads\"");
    Shape out{fresh->batch, fresh->heads, a.position + fresh->tokens, fresh->dims};
    if (in.size() > 1) {
        if (in[1].size() != 4 || in[1][0] != out[0] || in[1][1] != out[1] || in[1][3] != out[3])
            return bad("the cache " + shapeText(in[1]) + " does not match the new tokens " +
                       shapeText(in[0]));
        if (a.position > in[1][2])
            return bad("the new tokens start after the end of the cache, " + std::to_string(in[1][2]));
        out[2] = std::max(in[1][2], out[2]);
    }
    return one(std::move(out));
}

Shapes kvLoad(const KvAttributes& a, const Shape& cache)
{
    if (cache.size() != 4)
        return bad("the cache " + shapeText(cache) + " must be [batch,heads,tokens,d]");
    if (a.range[0] < 0 || a.range[1] <= a.range[0] || a.range[1] > cache[2])
        return bad("the range [" + std::to_string(a.range[0]) + "," + std::to_string(a.range[1]) +
                   ") lies outside the cache of " + std::to_string(cache[2]) + " tokens");
    return one({cache[0], cache[1], a.range[1] - a.range[0], cache[3]});
}

Shapes transpose(const TransposeAttributes& a, const Shape& x)
{
    if (a.permutation.size() != x.size())
        return bad("the permutation has " + std::to_string(a.permutation.size()) + " entries, the input " +
                   std::to_string(x.size()) + " dimensions");
    Shape out;
    std::vector<bool> seen(x.size(), false);
    for (const std::int64_t p : a.permutation) {
        const auto i = axisOf(p, x.size());
        if (!i)
            return i.error();
        if (seen[*i])
            return bad("the permutation contains dimension " + std::to_string(p) + " twice");
        seen[*i] = true;
        out.push_back(x[*i]);
    }
    return one(std::move(out));
}

Shapes slice(const SliceAttributes& a, const Shape& x)
{
    if (a.starts.size() != a.axes.size() || a.ends.size() != a.axes.size() ||
        (!a.steps.empty() && a.steps.size() != a.axes.size()))
        return bad("axes, starts, ends and steps must be lists of one length");
    Shape out = x;
    for (std::size_t i = 0; i < a.axes.size(); ++i) {
        const auto axis = axisOf(a.axes[i], x.size());
        if (!axis)
            return axis.error();
        const std::int64_t step = a.steps.empty() ? 1 : a.steps[i];
        if (step < 1)
            return bad("steps must be at least 1");
        if (a.starts[i] < 0 || a.ends[i] <= a.starts[i] || a.ends[i] > x[*axis])
            return bad("[" + std::to_string(a.starts[i]) + "," + std::to_string(a.ends[i]) +
                       ") lies outside the " + std::to_string(x[*axis]) + " entries of dimension " +
                       std::to_string(*axis));
        out[*axis] = ceilDiv(a.ends[i] - a.starts[i], step);
    }
    return one(std::move(out));
}

Shapes split(const AxisAttributes& a, const Shape& x)
{
    const auto axis = axisOf(a.axis, x.size());
    if (!axis)
        return axis.error();
    std::int64_t sum = 0;
    std::vector<Shape> out;
    for (const std::int64_t size : a.sizes) {
        sum = size < 1 ? -1 : saturatingAdd(sum, size);
        if (sum < 0 || sum > x[*axis])
            break;
        out.push_back(x);
        out.back()[*axis] = size;
    }
    if (sum != x[*axis])
        return bad("the sizes must be positive and sum up to " + std::to_string(x[*axis]));
    return out;
}

Shapes concat(const AxisAttributes& a, std::span<const Shape> in)
{
    const auto axis = axisOf(a.axis, in[0].size());
    if (!axis)
        return axis.error();
    Shape out = in[0];
    for (const Shape& s : in.subspan(1)) {
        Shape like = s;
        if (like.size() == out.size())
            like[*axis] = out[*axis];
        if (like != out)
            return bad("the shapes " + shapeText(in[0]) + " and " + shapeText(s) +
                       " differ in a dimension other than " + std::to_string(*axis));
        out[*axis] = saturatingAdd(out[*axis], s[*axis]);
    }
    return one(std::move(out));
}

Shapes pad(const PadAttributes& a, const Shape& x)
{
    if (a.before.size() != x.size() || a.after.size() != x.size())
        return bad("before and after must have one entry per dimension");
    Shape out = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (a.before[i] < 0 || a.after[i] < 0)
            return bad("padding must be at least 0");
        out[i] = saturatingAdd(out[i], saturatingAdd(a.before[i], a.after[i]));
    }
    return one(std::move(out));
}

Shapes gather(const AxisAttributes& a, std::span<const Shape> in)
{
    const auto axis = axisOf(a.axis, in[0].size());
    if (!axis)
        return axis.error();
    const auto at = static_cast<std::ptrdiff_t>(*axis);
    Shape out(in[0].begin(), in[0].begin() + at);
    out.insert(out.end(), in[1].begin(), in[1].end());
    out.insert(out.end(), in[0].begin() + at + 1, in[0].end());
    return one(std::move(out));
}

Shapes depthToSpace(const BlockAttributes& a, const Shape& x)
{
    if (x.size() != 4 || a.block < 1 || a.block > (1 << 15) || x[1] % (a.block * a.block) != 0)
        return bad("the channels must be a multiple of the block's area");
    return one({x[0], x[1] / (a.block * a.block), x[2] * a.block, x[3] * a.block});
}

/// Result shapes of the kinds whose result shape is declared in the file.
Shapes open(const Operator& op, const Shape& x, std::span<const Shape> declared)
{
    if (declared.size() != 1)
        return bad("expected 1 output, got " + std::to_string(declared.size()));
    const Shape& y = declared[0];
    if (op.kind == OperatorKind::Reshape && elementsOf(x) != elementsOf(y))
        return bad("the input " + shapeText(x) + " and the output " + shapeText(y) +
                   " have different numbers of elements");
    if (op.kind == OperatorKind::Expand && broadcastShape(x, y) != y)
        return bad("the input " + shapeText(x) + " cannot be expanded to " + shapeText(y));
    if (op.kind == OperatorKind::Tile || op.kind == OperatorKind::Resize) {
        bool fits = x.size() == y.size();
        for (std::size_t i = 0; fits && op.kind == OperatorKind::Tile && i < x.size(); ++i)
            fits = y[i] % x[i] == 0;
        if (!fits)
            return bad("the input " + shapeText(x) + " does not fit the output " + shapeText(y));
    }
    return one(y);
}

Shapes einsum(const EinsumAttributes& a, std::span<const Shape> in)
{
    const auto roles = einsumRoles(a.equation);
    if (!roles)
        return roles.error();
    if (roles->lhs.size() != in[0].size() || roles->rhs.size() != in[1].size())
        return bad("the equation \"" + a.equation + "\" does not have one letter per dimension");
    const auto sizeOf = [&](char c) -> std::int64_t {
        const std::size_t l = roles->lhs.find(c);
        return l != std::string::npos ? in[0][l] : in[1][roles->rhs.find(c)];
    };
    for (std::size_t i = 0; i < roles->rhs.size(); ++i)
        if (in[1][i] != sizeOf(roles->rhs[i]))
            return bad(std::string("the letter ") + roles->rhs[i] + " has two different sizes");
    Shape out;
    for (const char c : roles->out)
        out.push_back(sizeOf(c));
    return one(std::move(out));
}

} // namespace

std::optional<Shape> broadcastShape(const Shape& a, const Shape& b)
{
    Shape out(std::max(a.size(), b.size()), 1);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
        const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (x != y && x != 1 && y != 1)
            return std::nullopt;
        out[out.size() - 1 - i] = x == 1 ? y : x;
    }
    return out;
}

Result<std::vector<Shape>> outputShapes(const Operator& op, std::span<const Shape> in,
                                        std::span<const Shape> declared)
{
    const Arity expected = arity(op.kind);
    if (in.size() < expected.least || in.size() > expected.most)
        return bad("expected " + std::to_string(expected.least) +
                   (expected.most > expected.least ? " to " + std::to_string(expected.most) : std::string()) +
                   " inputs, got " + std::to_string(in.size()));
    if (op.attributes.index() != attributesOf(op.kind).index())
        return bad("has the attributes of another kind of operator");
    switch (op.kind) {
    case OperatorKind::MatMul: {
        auto shape = matMulShape(op.as<MatMulAttributes>(), in[0], in[1]);
        if (!shape)
            return shape.error();
        if (in.size() > 2 && broadcastShape(*shape, in[2]) != *shape)
            return bad("the bias " + shapeText(in[2]) + " does not fit the output " + shapeText(*shape));
        return one(std::move(*shape));
    }
    case OperatorKind::Einsum:
        return einsum(op.as<EinsumAttributes>(), in);
    case OperatorKind::Conv2d:
    case OperatorKind::ConvTranspose2d:
        return conv(op, in);
    case OperatorKind::Attention:
        return attention(op, in);
    case OperatorKind::Lstm:
    case OperatorKind::Gru:
    case OperatorKind::Rnn:
        return recurrent(op, in);
    case OperatorKind::Softmax:
    case OperatorKind::LayerNorm:
    case OperatorKind::RmsNorm:
    case OperatorKind::BatchNorm:
    case OperatorKind::Rotary:
    case OperatorKind::Identity:
        for (const Shape& table : in.subspan(1))
            if (table.size() > in[0].size())
                return bad("the table " + shapeText(table) + " has more dimensions than the input " +
                           shapeText(in[0]));
        return one(in[0]);
    case OperatorKind::Elementwise:
        return elementwise(in);
    case OperatorKind::MaxPool:
    case OperatorKind::AveragePool:
        return pool(op, in[0]);
    case OperatorKind::GlobalPool:
        return in[0].size() == 4 ? one({in[0][0], in[0][1], 1, 1}) : bad("the input must have 4 dimensions");
    case OperatorKind::Reduce:
        return reduce(op.as<ReduceAttributes>(), in[0]);
    case OperatorKind::KvAppend:
        return kvAppend(op.as<KvAttributes>(), in);
    case OperatorKind::KvLoad:
        return kvLoad(op.as<KvAttributes>(), in[0]);
    case OperatorKind::Transpose:
        return transpose(op.as<TransposeAttributes>(), in[0]);
    case OperatorKind::Slice:
        return slice(op.as<SliceAttributes>(), in[0]);
    case OperatorKind::Split:
        return split(op.as<AxisAttributes>(), in[0]);
    case OperatorKind::Concat:
        return concat(op.as<AxisAttributes>(), in);
    case OperatorKind::Pad:
        return pad(op.as<PadAttributes>(), in[0]);
    case OperatorKind::Gather:
        return gather(op.as<AxisAttributes>(), in);
    case OperatorKind::DepthToSpace:
        return depthToSpace(op.as<BlockAttributes>(), in[0]);
    case OperatorKind::Reshape:
    case OperatorKind::Expand:
    case OperatorKind::Tile:
    case OperatorKind::Resize:
        return open(op, in[0], declared);
    case OperatorKind::View:
    case OperatorKind::Unknown:
        break;
    }
    return std::vector<Shape>(declared.begin(), declared.end());
}

} // namespace tilewright::model
