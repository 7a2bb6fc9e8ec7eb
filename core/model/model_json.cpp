// SPDX-License-Identifier: GPL-3.0-or-later
// The model file:
//   {"name": text, "dtype_bytes": 2, "opset": n (optional),
//    "tensors": [{"name": text, "shape": [at most 8 sizes], "bytes": n of an element (optional),
//                 "bits": width of an element on every machine (optional, up to 64, multiple of 1/1024)}],
//    "constants": [names of the tensors known before the model runs],
//    "ops": [{"type": ..., "name": text (optional), "inputs": [tensor names], "outputs": [tensor names],
//             ...attributes}]}
// type                       inputs                          attributes
// matmul                     A, B, [bias]                    transpose_a, transpose_b
// einsum                     A, B                            equation
// conv2d, conv_transpose2d   X[N,C,H,W], W, [bias]           stride, padding, dilation, groups,
// output_padding attention                  Q, K, V                         heads, kv_heads, causal lstm, gru
// X[steps,batch,in], W, R, ...    hidden, directions softmax, norms, rotary     X, [tables] - elementwise 1
// to 8 tensors                  function, passes max_pool, average_pool     X[N,C,H,W] kernel, stride,
// padding, dilation reduce                     X                               axes, keep kv_append new
// tokens, [past]              heads (rank 2), position kv_load                    cache range [t0, t1]
// transpose                  X                               permutation
// slice                      X                               axes, starts, ends, steps
// split, concat, gather      X / several / table, indices    axis; split: sizes
// pad                        X                               before, after
// depth_to_space             X                               block
// global_pool, identity, reshape, expand, tile, resize, view, unknown: no attributes, the output's shape
// tells. A pair is n or [vertical, horizontal], padding also [top, left, bottom, right]. Attention tensors
// are [batch,heads,tokens,d] or [tokens,heads*d].
//
// A model of the NPU lens (core/npu/model_json.cpp) is one too: its tile sizes, hardware and run stand for
// that lens alone, weights are told by where they are read, and a cache that several operators append to
// becomes a tensor of its own after each of them.
#include "model/model_json.h"

#include "base/json_spread.h"

#include <algorithm>
#include <map>

namespace tilewright::model {

namespace {

constexpr Integers kSigned{-(std::int64_t{1} << 40), std::int64_t{1} << 40};
constexpr Integers kCount{0, std::int64_t{1} << 40};
constexpr Integers kPositive{1, std::int64_t{1} << 40};

void bindAttributes(JsonFields& f, NoAttributes&, OperatorKind kind)
{
    if (kind == OperatorKind::View)
        f.ignored("passes"); // read only by the NPU lens: number of elements from which each one is computed
}

void bindAttributes(JsonFields& f, MatMulAttributes& a, OperatorKind)
{
    f.defaulted("transpose_a", a.transposeA, false);
    f.defaulted("transpose_b", a.transposeB, false);
}

void bindAttributes(JsonFields& f, EinsumAttributes& a, OperatorKind)
{
    f.required("equation", a.equation);
}

void bindAttributes(JsonFields& f, WindowAttributes& a, OperatorKind kind)
{
    const bool isPool = kind == OperatorKind::MaxPool || kind == OperatorKind::AveragePool;
    if (isPool)
        f.required("kernel", a.kernel, kSpread);
    f.optional("stride", a.stride, kSpread);
    f.optional("padding", a.padding, kSpread);
    f.optional("dilation", a.dilation, kSpread);
    if (!isPool)
        f.optional("groups", a.groups, kPositive);
    if (kind == OperatorKind::ConvTranspose2d)
        f.optional("output_padding", a.outputPadding, kSpread);
}

void bindAttributes(JsonFields& f, AttentionAttributes& a, OperatorKind)
{
    f.defaulted("heads", a.heads, 0, kPositive);
    f.defaulted("kv_heads", a.kvHeads, 0, kPositive);
    f.optional("causal", a.causal);
    f.ignored("variant"); // read only by the NPU lens: how it tiles the operator
}

void bindAttributes(JsonFields& f, RecurrentAttributes& a, OperatorKind)
{
    f.required("hidden", a.hidden, kPositive);
    f.optional("directions", a.directions, Integers{1, 2});
}

void bindAttributes(JsonFields& f, ElementwiseAttributes& a, OperatorKind)
{
    f.defaulted("function", a.function, {});
    f.defaulted("passes", a.passes, 0, Integers{1, kMaxOpset});
}

void bindAttributes(JsonFields& f, ReduceAttributes& a, OperatorKind)
{
    f.required("axes", a.axes, kSigned);
    f.optional("keep", a.keep);
}

void bindAttributes(JsonFields& f, KvAttributes& a, OperatorKind kind)
{
    if (kind == OperatorKind::KvLoad)
        return f.required("range", a.range, kCount);
    f.defaulted("heads", a.heads, 0, kPositive);
    f.optional("position", a.position, kCount);
}

void bindAttributes(JsonFields& f, TransposeAttributes& a, OperatorKind)
{
    f.required("permutation", a.permutation, kSigned);
}

void bindAttributes(JsonFields& f, SliceAttributes& a, OperatorKind)
{
    const Like likeAxes = f.like("axes");
    f.required("axes", a.axes, kSigned);
    f.required("starts", a.starts, likeAxes, kCount);
    f.required("ends", a.ends, likeAxes, kCount);
    f.defaulted("steps", a.steps, {}, likeAxes, kPositive);
}

void bindAttributes(JsonFields& f, AxisAttributes& a, OperatorKind kind)
{
    f.required("axis", a.axis, kSigned);
    if (kind == OperatorKind::Split)
        f.required("sizes", a.sizes, kPositive);
}

void bindAttributes(JsonFields& f, PadAttributes& a, OperatorKind)
{
    f.required("before", a.before, kCount);
    f.required("after", a.after, kCount);
}

void bindAttributes(JsonFields& f, BlockAttributes& a, OperatorKind)
{
    f.required("block", a.block, kPositive);
}

/// An operator as in the file, with its tensors by name.
struct NamedOperator
{
    Operator op;
    std::vector<std::string> inputs, outputs;
};

void bindFields(JsonFields& f, NamedOperator& named)
{
    Operator& op = named.op;
    f.required("type", op.kind, Words<OperatorKind>{operatorKinds(), toString});
    if (f.failed())
        return f.allowOthers(); // without a valid kind the allowed fields are unknown
    if (f.reading())
        op.attributes = attributesOf(op.kind);
    f.defaulted("name", op.name, {});
    f.defaulted("source_type", op.type, {});
    f.required("inputs", named.inputs);
    f.required("outputs", named.outputs);
    std::visit([&](auto& attributes) { bindAttributes(f, attributes, op.kind); }, op.attributes);
    f.ignored("tile");
}

struct ModelFile
{
    Model model; ///< the model without its operators
    std::optional<std::vector<std::string>> constants;
    std::vector<NamedOperator> operators;
};

} // namespace

static void bindFields(JsonFields& f, Tensor& tensor)
{
    f.required("name", tensor.name);
    f.required("shape", tensor.shape, Integers{1, kMaxDimension});
    f.defaulted("bytes", tensor.elementBytes, 0, Integers{1, 16});
    bindBits(f, tensor.bits);
}

namespace {

using Names = std::map<std::string, ModelTensorId, std::less<>>;

void resolve(JsonFields& f, ModelFile& file)
{
    Model& model = file.model;
    Names names;
    for (std::size_t i = 0; i < model.tensors.size(); ++i)
        if (const std::string& name = model.tensors[ModelTensorId(i)].name; !names.emplace(name, i).second)
            f.fail("tensors[" + std::to_string(i) + "].name",
                   "the tensor name \"" + name + "\" is used twice");
    const auto find = [&](const std::string& name, const std::string& where) {
        const auto found = names.find(name);
        if (found == names.end())
            f.fail(where, "there is no tensor \"" + name + "\"");
        return found == names.end() ? ModelTensorId(0) : found->second;
    };
    for (std::size_t i = 0; i < file.operators.size() && !f.failed(); ++i) {
        NamedOperator& named = file.operators[i];
        const std::string where = "ops[" + std::to_string(i) + "].";
        for (std::size_t j = 0; j < named.inputs.size(); ++j)
            named.op.inputs.push_back(find(named.inputs[j], where + "inputs[" + std::to_string(j) + "]"));
        for (std::size_t j = 0; j < named.outputs.size(); ++j)
            named.op.outputs.push_back(find(named.outputs[j], where + "outputs[" + std::to_string(j) + "]"));
        if (named.op.name.empty() && !named.outputs.empty())
            named.op.name = named.outputs.front();
        model.operators.push_back(std::move(named.op));
    }
    if (f.failed())
        return;
    if (file.constants)
        for (std::size_t i = 0; i < file.constants->size(); ++i) {
            const ModelTensorId t = find((*file.constants)[i], "constants[" + std::to_string(i) + "]");
            if (!model.tensors.empty())
                model.tensors[t].constant = true;
        }
    adoptCaches(model);
    if (!file.constants)
        markConstants(model);
}

void bindFields(JsonFields& f, ModelFile& file)
{
    Model& model = file.model;
    f.defaulted("name", model.name, {});
    f.optional("dtype_bytes", model.dtypeBytes, Integers{1, 16});
    f.defaulted("opset", model.opset, 0, Integers{1, 1000});
    std::vector<Tensor> tensors = model.tensors.raw();
    f.required("tensors", tensors);
    if (f.reading() || file.constants)
        f.optional("constants", file.constants);
    f.required("ops", file.operators);
    f.ignored("hardware"); // the NPU lens reads this field itself
    f.ignored("run");
    if (!f.reading() || f.failed())
        return;
    model.tensors = IdVector<ModelTensorId, Tensor>(std::move(tensors));
    resolve(f, file);
}

} // namespace

void adoptCaches(Model& model)
{
    std::map<ModelTensorId, ModelTensorId> latest; // key: cache in the file; value: its last version
    const auto addTensor = [&](std::string name, const Tensor& like) {
        model.tensors.push_back({std::move(name), like.shape, false, like.elementBytes, like.bits});
        return ModelTensorId(model.tensors.size() - 1);
    };
    for (Operator& op : model.operators) {
        for (ModelTensorId& t : op.inputs)
            if (const auto found = latest.find(t); found != latest.end())
                t = found->second;
        if (op.kind != OperatorKind::KvAppend || op.inputs.size() != 1 || op.outputs.size() != 1)
            continue;
        const ModelTensorId cache = op.outputs[0];
        const Tensor declared = model.tensors[cache];
        const auto& kv = op.as<KvAttributes>();
        const auto fresh = headShape(model.shape(op.inputs[0]), kv.heads);
        const auto known = latest.find(cache);
        if (known != latest.end()) {
            op.inputs.push_back(known->second);
            op.outputs[0] = addTensor(declared.name + "@" + op.name, declared);
        } else if (fresh && declared.shape.size() == 4 && declared.shape[2] > kv.position + fresh->tokens) {
            op.inputs.push_back(addTensor(declared.name + ".past", declared));
        }
        latest[cache] = op.outputs[0];
    }
}

void markConstants(Model& model)
{
    std::vector<bool> written(model.tensors.size(), false);
    for (const Operator& op : model.operators)
        for (const ModelTensorId t : op.outputs)
            written[t.index()] = true;
    for (const Operator& op : model.operators)
        for (std::size_t i = 1; i < op.inputs.size(); ++i) {
            Tensor& t = model.tensors[op.inputs[i]];
            switch (op.kind) {
            case OperatorKind::MatMul:
            case OperatorKind::Conv2d:
            case OperatorKind::ConvTranspose2d:
            case OperatorKind::LayerNorm:
            case OperatorKind::RmsNorm:
            case OperatorKind::BatchNorm:
            case OperatorKind::Lstm:
            case OperatorKind::Gru:
            case OperatorKind::Rnn:
            case OperatorKind::Rotary:
                t.constant = !written[op.inputs[i].index()];
                break;
            case OperatorKind::Elementwise:
                t.constant = !written[op.inputs[i].index()] && t.shape.size() <= 1;
                break;
            default:
                break;
            }
        }
}

Result<Model> readModel(std::string_view text, const std::string& file)
{
    auto read = parseJsonValue<ModelFile>(text, file);
    if (!read)
        return read.error();
    read->model.file = file;
    if (Status s = checkModel(read->model); !s)
        return s.error();
    return std::move(read->model);
}

std::string writeModel(const Model& model)
{
    ModelFile file;
    file.model = model;
    file.constants.emplace();
    const auto names = [&](const std::vector<ModelTensorId>& tensors) {
        std::vector<std::string> out;
        out.reserve(tensors.size());
        for (const ModelTensorId t : tensors)
            out.push_back(model.tensors[t].name);
        return out;
    };
    for (const Tensor& t : model.tensors)
        if (t.constant)
            file.constants->push_back(t.name);
    for (const Operator& op : model.operators)
        file.operators.push_back({op, names(op.inputs), names(op.outputs)});
    Json json = writeJson(file);
    // Each tensor and operator is on a line of its own, because people read files of whole networks.
    std::string out = "{\n";
    bool first = true;
    for (const auto& [key, value] : json.items()) {
        out += (first ? "  " : ",\n  ") + jsonText(Json(key)) + ": ";
        first = false;
        if (!value.is_array() || value.empty() || !value.front().is_object()) {
            out += jsonText(value);
            continue;
        }
        out += "[\n";
        for (std::size_t i = 0; i < value.size(); ++i)
            out += "    " + jsonText(value[i]) + (i + 1 < value.size() ? ",\n" : "\n");
        out += "  ]";
    }
    return out + "\n}\n";
}

} // namespace tilewright::model
