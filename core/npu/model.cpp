// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/model.h"

#include "base/integer.h"

#include <algorithm>
#include <queue>
#include <set>

namespace tilewright::npu {

std::string_view toString(OpType type) noexcept
{
    switch (type) {
    case OpType::MatMul:
        return "matmul";
    case OpType::Conv2d:
        return "conv2d";
    case OpType::Attention:
        return "attention";
    case OpType::Softmax:
        return "softmax";
    case OpType::LayerNorm:
        return "layer_norm";
    case OpType::RmsNorm:
        return "rms_norm";
    case OpType::Elementwise:
        return "elementwise";
    case OpType::KvAppend:
        return "kv_append";
    case OpType::KvLoad:
        return "kv_load";
    case OpType::View:
        return "view";
    }
    return "";
}

std::span<const TileField> tileFields(OpType type) noexcept
{
    static constexpr TileField kMatmul[] = {{"m", &TileSizes::m}, {"n", &TileSizes::n}, {"k", &TileSizes::k}};
    static constexpr TileField kConv[] = {{"c_out", &TileSizes::cOut},
                                          {"c_in", &TileSizes::cIn},
                                          {"h", &TileSizes::height},
                                          {"w", &TileSizes::width}};
    static constexpr TileField kHeads[] = {
        {"heads", &TileSizes::heads}, {"t", &TileSizes::tokens}, {"d", &TileSizes::dims}};
    static constexpr TileField kAttention[] = {{"heads", &TileSizes::heads},
                                               {"q", &TileSizes::queries},
                                               {"t", &TileSizes::tokens},
                                               {"d", &TileSizes::dims}};
    static constexpr TileField kRows[] = {{"rows", &TileSizes::rows}, {"cols", &TileSizes::cols}};
    switch (type) {
    case OpType::MatMul:
        return kMatmul;
    case OpType::Conv2d:
        return kConv;
    case OpType::Attention:
        return kAttention;
    case OpType::KvLoad:
        return kHeads;
    case OpType::KvAppend:
        return std::span(kHeads).first(2);
    case OpType::Elementwise:
    case OpType::View:
        return kRows;
    case OpType::Softmax:
    case OpType::LayerNorm:
    case OpType::RmsNorm:
        return std::span(kRows).first(1);
    }
    return {};
}

std::vector<OpTiling> tilingOf(const NpuModel& model)
{
    std::vector<OpTiling> out;
    for (const ModelOp& op : model.ops)
        out.push_back({op.tile, op.flash});
    return out;
}

NpuModel withTiling(NpuModel model, std::span<const OpTiling> tiling)
{
    for (std::size_t i = 0; i < std::min(model.ops.size(), tiling.size()); ++i) {
        model.ops[i].tile = tiling[i].tile;
        model.ops[i].flash = tiling[i].flash;
    }
    return model;
}

std::size_t NpuModel::addTensor(std::string tensorName, std::vector<std::int64_t> shape, std::int64_t bits)
{
    tensors.push_back({std::move(tensorName), std::move(shape), bits});
    return tensors.size() - 1;
}

std::int64_t NpuModel::reductionOf(const ModelOp& op) const
{
    const auto elementsOf = [this](std::size_t tensor) {
        std::int64_t out = 1;
        for (const std::int64_t d : tensors[tensor].shape)
            out = saturatingMul(out, d);
        return out;
    };
    return ceilDiv(elementsOf(op.inputs[0]), elementsOf(op.outputs[0]));
}

int NpuModel::widestBytes(const ModelOp& op) const noexcept
{
    std::int64_t widest = 1;
    for (const auto* list : {&op.inputs, &op.outputs})
        for (const std::size_t t : *list)
            widest = std::max(widest, bitsOf(t));
    return static_cast<int>(ceilDiv(widest, kPartsOfByte));
}

MatmulShape matmulShape(const NpuModel& model, const ModelOp& op)
{
    const auto &a = model.tensors[op.inputs[0]].shape, &c = model.tensors[op.outputs[0]].shape;
    MatmulShape s{c[c.size() - 2], c.back(), a.back(), {1, 1}};
    for (std::size_t d = 0; d + 2 < c.size(); ++d)
        s.batch[d + 4 - c.size()] = c[d];
    return s;
}

std::optional<HeadShape> headShape(const ModelTensor& tensor, std::int64_t heads)
{
    const auto& s = tensor.shape;
    if (s.size() == 4 && (heads == 0 || heads == s[1]))
        return HeadShape{s[0], s[1], s[2], s[3]};
    if (s.size() == 2 && heads > 0 && s[1] % heads == 0)
        return HeadShape{1, heads, s[0], s[1] / heads};
    return std::nullopt;
}

std::int64_t convOutput(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                        std::int64_t dilation)
{
    const std::int64_t span = in + padding - dilation * (kernel - 1) - 1;
    return span < 0 ? 0 : span / stride + 1;
}

namespace {

std::string shapeText(const std::vector<std::int64_t>& shape)
{
    std::string out = "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
        out += (i ? "," : "") + std::to_string(shape[i]);
    return out + "]";
}

class ModelChecker
{
public:
    explicit ModelChecker(const NpuModel& model) : m_model(model) {}

    Status run()
    {
        if (m_model.dtypeBytes < 1 || m_model.dtypeBytes > 16)
            return fail("dtype_bytes", "expected 1 to 16, got " + std::to_string(m_model.dtypeBytes));
        if (m_model.ops.empty())
            return fail("ops", "the model has no operators");
        if (auto s = tensors(); !s)
            return s;
        for (std::size_t i = 0; i < m_model.ops.size(); ++i)
            if (auto s = op(i); !s)
                return s;
        return graph();
    }

private:
    [[nodiscard]] Error fail(const std::string& path, std::string message) const
    {
        return {ErrorCode::Problem, std::move(message), path, m_model.file};
    }
    [[nodiscard]] Error failOp(std::size_t i, const std::string& message) const
    {
        const ModelOp& o = m_model.ops[i];
        return fail("ops[" + std::to_string(i) + "]",
                    std::string(toString(o.type)) + " \"" + o.name + "\": " + message);
    }
    [[nodiscard]] const std::vector<std::int64_t>& shape(std::size_t tensor) const
    {
        return m_model.tensors[tensor].shape;
    }
    [[nodiscard]] std::string describe(std::size_t tensor) const
    {
        return "\"" + m_model.tensors[tensor].name + "\" " + shapeText(shape(tensor));
    }

    static constexpr std::int64_t kMostBytes = std::int64_t{1} << 44;
    static constexpr std::int64_t kWidestElement = 8 * kPartsOfByte;

    Status tensors() const
    {
        std::set<std::string> names;
        std::int64_t total = 0;
        for (std::size_t i = 0; i < m_model.tensors.size(); ++i) {
            const ModelTensor& t = m_model.tensors[i];
            const std::string path = "tensors[" + std::to_string(i) + "]";
            if (!names.insert(t.name).second)
                return fail(path + ".name", "the tensor name \"" + t.name + "\" is used twice");
            if (t.shape.empty() || t.shape.size() > kMaxRank)
                return fail(path + ".shape",
                            "expected 1 to 4 dimensions, got " + std::to_string(t.shape.size()));
            if (t.bits < 0 || t.bits > kWidestElement)
                return fail(path + ".bits", "expected at most 64 bits");
            std::int64_t elements = 1;
            for (const std::int64_t d : t.shape) {
                if (d < 1 || d > kMaxDimension)
                    return fail(path + ".shape",
                                "expected sizes from 1 to 2147483648, got " + std::to_string(d));
                const auto product = checkedMul(elements, d);
                if (!product || *product > kMostBytes)
                    return fail(path + ".shape", "the tensor is too large");
                elements = *product;
            }
            const auto sum = checkedAdd(total, ceilDiv(elements * m_model.bitsOf(i), kPartsOfByte));
            if (!sum || *sum > kMostBytes)
                return fail(path + ".shape", "the tensors together are larger than 16 TiB");
            total = *sum;
        }
        return Unit{};
    }

    Status op(std::size_t i) const
    {
        const ModelOp& o = m_model.ops[i];
        std::size_t minIn = 1;
        std::size_t maxIn = 1;
        switch (o.type) {
        case OpType::MatMul:
        case OpType::Conv2d:
            minIn = maxIn = 2;
            break;
        case OpType::Attention:
            minIn = maxIn = 3;
            break;
        case OpType::RmsNorm:
            maxIn = 2;
            break;
        case OpType::LayerNorm:
            maxIn = 3;
            break;
        case OpType::Elementwise:
            maxIn = 8;
            break;
        case OpType::View:
            maxIn = 1 << 16;
            break;
        default:
            break;
        }
        if (o.inputs.size() < minIn || o.inputs.size() > maxIn)
            return failOp(i, "expected " + std::to_string(minIn) +
                                 (maxIn > minIn ? " to " + std::to_string(maxIn) : std::string()) +
                                 " inputs, got " + std::to_string(o.inputs.size()));
        if (o.outputs.size() != 1)
            return failOp(i, "expected 1 output, got " + std::to_string(o.outputs.size()));
        switch (o.type) {
        case OpType::MatMul:
            return matmul(i);
        case OpType::Conv2d:
            return conv(i);
        case OpType::Attention:
            return attention(i);
        case OpType::KvAppend:
            return kvAppend(i);
        case OpType::KvLoad:
            return kvLoad(i);
        case OpType::View:
            return Unit{};
        default:
            return vectorOp(i);
        }
    }

    Status matmul(std::size_t i) const
    {
        const ModelOp& o = m_model.ops[i];
        const auto &a = shape(o.inputs[0]), &b = shape(o.inputs[1]), &c = shape(o.outputs[0]);
        if (a.size() < 2 || b.size() < 2 || c.size() < 2)
            return failOp(i, "inputs and output must have at least 2 dimensions");
        if (a.back() != b[b.size() - 2])
            return failOp(i, "the shapes of " + describe(o.inputs[0]) + " and " + describe(o.inputs[1]) +
                                 " do not match: K is " + std::to_string(a.back()) + " and " +
                                 std::to_string(b[b.size() - 2]));
        // The dimensions before the last two are those of the batch. They are aligned at the last one.
        std::vector<std::int64_t> want(std::max(a.size(), b.size()), 1);
        std::int64_t all = 1, second = 1;
        for (std::size_t d = 0; d + 2 < want.size(); ++d) {
            const auto of = [&](const std::vector<std::int64_t>& s) {
                const std::size_t lead = want.size() - s.size();
                return d < lead ? 1 : s[d - lead];
            };
            if (of(a) != of(b) && of(a) != 1 && of(b) != 1)
                return failOp(i, "the batches of " + describe(o.inputs[0]) + " and " + describe(o.inputs[1]) +
                                     " do not match");
            want[d] = std::max(of(a), of(b));
            all *= want[d];
            second *= of(b);
        }
        want[want.size() - 2] = a[a.size() - 2];
        want.back() = b.back();
        if (c != want)
            return failOp(i, "the shape of the output " + describe(o.outputs[0]) + " must be " +
                                 shapeText(want));
        if (all > 1 && second == 1)
            return failOp(i, "all products have the same second input " + describe(o.inputs[1]) +
                                 ", so the batch belongs to the rows of one product: [B*M,K] x [K,N]");
        return Unit{};
    }

    Status conv(std::size_t i) const
    {
        const ModelOp& o = m_model.ops[i];
        const auto &x = shape(o.inputs[0]), &w = shape(o.inputs[1]), &y = shape(o.outputs[0]);
        if (x.size() != 4 || w.size() != 4 || y.size() != 4)
            return failOp(i, "inputs and output must have 4 dimensions");
        for (int axis = 0; axis < 2; ++axis) {
            if (o.stride[axis] < 1 || o.dilation[axis] < 1 || o.stride[axis] > (1 << 20) ||
                o.dilation[axis] > (1 << 20))
                return failOp(i, "stride and dilation must be from 1 to 1048576");
        }
        if (std::ranges::any_of(o.padding, [](std::int64_t p) { return p < 0 || p > (1 << 20); }))
            return failOp(i, "padding must be from 0 to 1048576");
        if (o.groups < 1 || x[1] % o.groups != 0 || w[0] % o.groups != 0)
            return failOp(i, "groups (" + std::to_string(o.groups) +
                                 ") must divide the channels of the input (" + std::to_string(x[1]) +
                                 ") and of the output (" + std::to_string(w[0]) + ")");
        if (w[1] != x[1] / o.groups)
            return failOp(i, "the weights " + describe(o.inputs[1]) + " must have " +
                                 std::to_string(x[1] / o.groups) + " input channels a group");
        const std::vector<std::int64_t> want{
            x[0], w[0], convOutput(x[2], w[2], o.stride[0], o.padding[0] + o.padding[2], o.dilation[0]),
            convOutput(x[3], w[3], o.stride[1], o.padding[1] + o.padding[3], o.dilation[1])};
        if (want[2] < 1 || want[3] < 1)
            return failOp(i, "the kernel is larger than the padded input " + describe(o.inputs[0]));
        if (y != want)
            return failOp(i, "the shape of the output " + describe(o.outputs[0]) + " must be " +
                                 shapeText(want));
        return Unit{};
    }

    /// The head shape of tensor `tensor` of operator `i` (attention or KV), or an Error.
    Result<HeadShape> headsOf(std::size_t i, std::size_t tensor, bool ofKeys = false) const
    {
        const ModelOp& o = m_model.ops[i];
        const auto found = headShape(m_model.tensors[tensor], ofKeys ? o.headsOfKeys() : o.heads);
        if (!found)
            return failOp(i, "the tensor " + describe(tensor) +
                                 " must be [B,H,T,D], or [T,H*D] with \"heads\" dividing its columns");
        return *found;
    }

    Status attention(std::size_t i) const
    {
        const ModelOp& o = m_model.ops[i];
        HeadShape s[4];
        for (int j = 0; j < 4; ++j) {
            const auto found = headsOf(i, j < 3 ? o.inputs[j] : o.outputs[0], j == 1 || j == 2);
            if (!found)
                return found.error();
            s[j] = *found;
        }
        if (s[3] != s[0])
            return failOp(i, "the output " + describe(o.outputs[0]) + " must have the shape of Q " +
                                 describe(o.inputs[0]));
        if (s[1] != s[2] || s[1].batch != s[0].batch || s[0].heads % s[1].heads != 0 ||
            s[1].dims != s[0].dims)
            return failOp(i, "the shapes of Q " + describe(o.inputs[0]) + ", K " + describe(o.inputs[1]) +
                                 " and V " + describe(o.inputs[2]) + " do not match");
        if (o.causal && s[1].tokens < s[0].tokens)
            return failOp(i, "a causal mask needs at least as many keys as queries");
        return Unit{};
    }

    Status kvAppend(std::size_t i) const
    {
        const ModelOp& o = m_model.ops[i];
        const auto in = headsOf(i, o.inputs[0]);
        if (!in)
            return in.error();
        const auto& cache = shape(o.outputs[0]);
        if (cache.size() != 4 || cache[0] != in->batch || cache[1] != in->heads || cache[3] != in->dims)
            return failOp(i, "the cache " + describe(o.outputs[0]) + " does not match the new tokens " +
                                 describe(o.inputs[0]));
        if (o.position < 0 || o.position + in->tokens > cache[2])
            return failOp(i, "tokens " + std::to_string(o.position) + " to " +
                                 std::to_string(o.position + in->tokens) + " lie outside the cache of " +
                                 std::to_string(cache[2]));
        return Unit{};
    }

    Status kvLoad(std::size_t i) const
    {
        const ModelOp& o = m_model.ops[i];
        const auto &cache = shape(o.inputs[0]), &view = shape(o.outputs[0]);
        if (cache.size() != 4)
            return failOp(i, "the cache " + describe(o.inputs[0]) + " must be [B,H,T,D]");
        if (o.range[0] < 0 || o.range[1] <= o.range[0] || o.range[1] > cache[2])
            return failOp(i, "the range [" + std::to_string(o.range[0]) + "," + std::to_string(o.range[1]) +
                                 ") lies outside the cache of " + std::to_string(cache[2]) + " tokens");
        if (view != std::vector{cache[0], cache[1], o.range[1] - o.range[0], cache[3]})
            return failOp(i, "the shape of the output " + describe(o.outputs[0]) + " must be " +
                                 shapeText({cache[0], cache[1], o.range[1] - o.range[0], cache[3]}));
        return Unit{};
    }

    Status vectorOp(std::size_t i) const
    {
        const ModelOp& o = m_model.ops[i];
        const auto& y = shape(o.outputs[0]);
        for (std::size_t j = 0; j < o.inputs.size(); ++j) {
            const auto& x = shape(o.inputs[j]);
            const bool vectorAllowed = j > 0;
            const bool isRowVector = x.size() == 1 && x[0] == y.back();
            if (x != y && !(vectorAllowed && isRowVector))
                return failOp(i, "the shape of the input " + describe(o.inputs[j]) +
                                     " does not match the output " + describe(o.outputs[0]));
        }
        return Unit{};
    }

    Status graph() const
    {
        std::vector<int> writers(m_model.tensors.size(), -1);
        std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> appended(m_model.tensors.size());
        std::vector<bool> isView(m_model.tensors.size(), false);
        for (std::size_t i = 0; i < m_model.ops.size(); ++i) {
            const ModelOp& o = m_model.ops[i];
            const std::size_t out = o.outputs[0];
            if (o.type == OpType::KvLoad)
                isView[out] = true;
            if (o.type == OpType::KvAppend) {
                const auto s = *headShape(m_model.tensors[o.inputs[0]], o.heads);
                for (const auto& [from, to] : appended[out])
                    if (o.position < to && from < o.position + s.tokens)
                        return failOp(i, "token " + std::to_string(std::max(from, o.position)) +
                                             " of the cache " + describe(out) + " is written twice");
                appended[out].emplace_back(o.position, o.position + s.tokens);
            }
            const bool sharedCache = o.type == OpType::KvAppend && writers[out] >= 0 &&
                                     m_model.ops[writers[out]].type == OpType::KvAppend;
            if (writers[out] >= 0 && !sharedCache)
                return failOp(i, "the tensor \"" + m_model.tensors[out].name + "\" is already written by \"" +
                                     m_model.ops[writers[out]].name + "\"");
            writers[out] = static_cast<int>(i);
        }
        for (std::size_t i = 0; i < m_model.ops.size(); ++i)
            for (const std::size_t in : m_model.ops[i].inputs)
                if (isView[in] && m_model.ops[i].type != OpType::Attention)
                    return failOp(i, "the loaded cache \"" + m_model.tensors[in].name +
                                         "\" can only be read by an attention operator");
        if (opOrder(m_model).size() != m_model.ops.size())
            return cycleError();
        return Unit{};
    }

    [[nodiscard]] Error cycleError() const
    {
        const auto order = opOrder(m_model);
        std::set<std::size_t> left;
        for (std::size_t i = 0; i < m_model.ops.size(); ++i)
            left.insert(i);
        for (const std::size_t i : order)
            left.erase(i);
        return failOp(*left.begin(), "the graph is cyclic: this operator waits for its own result");
    }

    const NpuModel& m_model;
};

} // namespace

Status checkModel(const NpuModel& model)
{
    return ModelChecker(model).run();
}

namespace {

bool touchesRange(const NpuModel& model, const ModelOp& append, const std::array<std::int64_t, 2>& range)
{
    const auto tokens = headShape(model.tensors[append.inputs[0]], append.heads);
    return tokens && append.position < range[1] && range[0] < append.position + tokens->tokens;
}

} // namespace

std::vector<std::size_t> opOrder(const NpuModel& model)
{
    std::vector<std::vector<std::size_t>> writers(model.tensors.size());
    for (std::size_t i = 0; i < model.ops.size(); ++i)
        for (const std::size_t out : model.ops[i].outputs)
            writers[out].push_back(i);
    std::vector<std::vector<std::size_t>> readers(model.ops.size());
    std::vector<std::size_t> waiting(model.ops.size(), 0);
    for (std::size_t i = 0; i < model.ops.size(); ++i)
        for (const std::size_t in : model.ops[i].inputs)
            for (const std::size_t w : writers[in]) {
                if (model.ops[i].type == OpType::KvLoad && model.ops[w].type == OpType::KvAppend &&
                    !touchesRange(model, model.ops[w], model.ops[i].range))
                    continue; // no dependency: the writer is a later decode step
                readers[w].push_back(i);
                ++waiting[i];
            }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < waiting.size(); ++i)
        if (waiting[i] == 0)
            ready.push(i);
    std::vector<std::size_t> order;
    while (!ready.empty()) {
        const std::size_t i = ready.top();
        ready.pop();
        order.push_back(i);
        for (const std::size_t r : readers[i])
            if (--waiting[r] == 0)
                ready.push(r);
    }
    return order;
}

} // namespace tilewright::npu
