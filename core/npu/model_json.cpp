// SPDX-License-Identifier: GPL-3.0-or-later
// The model file:
//   {"name": text, "dtype_bytes": 2, "hardware": {...} (optional, see hardware_json.cpp),
//    "tensors": [{"name": text, "shape": [1 to 4 sizes]}],
//    "ops": [{"type": ..., "name": text (optional), "inputs": [tensor names], "outputs": [one tensor name],
//             "tile": {...} (optional), ...attributes}]}
// type         inputs             attributes                                              tile fields
// matmul       A[M,K], B[K,N]     -                                                       m, n, k
// conv2d       X[N,C,H,W], W[..]  stride, padding, dilation (n or [v,h]), groups          c_out, c_in, h, w
// attention    Q, K, V            heads (rank 2), causal, variant "standard" | "flash"    heads, t, d
// softmax      X                  -                                                       rows
// layer_norm   X, [gamma, beta]   -                                                       rows
// rms_norm     X, [gamma]         -                                                       rows
// elementwise  1 to 8 tensors     passes                                                  rows, cols
// kv_append    new tokens         heads (rank 2), position                                heads, t
// kv_load      cache              range [t0, t1]                                          heads, t, d
// Attention tensors are [B,H,T,D] or [T,H*D]; a cache is [B,H,T,D]. The output of kv_load is a view of the
// cache. Or: {"generate": "llama_block", "phase": "prefill" | "decode", "hidden", "heads", "ffn", "tokens",
// "cached",
//      "variant"}, {"generate": "bert_block", "hidden", "heads", "ffn", "tokens", "variant"},
//     {"generate": "conv_net", "batch", "channels", "size", "width", "stages"}; all but "generate" optional,
//     also "name", "dtype_bytes" and "hardware".
#include "base/file.h"
#include "base/json_reader.h"
#include "npu/generate.h"
#include "npu/hardware_json.h"
#include "npu/model.h"

#include <algorithm>
#include <map>

namespace tilewright::npu {

namespace {

constexpr std::int64_t kMin = -(std::int64_t{1} << 40);
constexpr std::int64_t kMax = std::int64_t{1} << 40;

Status readInteger(const JsonCursor& object, std::string_view key, std::int64_t& out, std::int64_t min = 0,
                   std::int64_t max = kMax)
{
    const auto field = object.find(key);
    if (!field)
        return Unit{};
    const auto value = field->integer(min, max);
    if (!value)
        return value.error();
    out = *value;
    return Unit{};
}

Status readVariant(const JsonCursor& object, bool& flash)
{
    const auto field = object.find("variant");
    if (!field)
        return Unit{};
    const auto text = field->string();
    if (!text)
        return text.error();
    if (*text != "standard" && *text != "flash")
        return field->expected("\"standard\" or \"flash\"");
    flash = *text == "flash";
    return Unit{};
}

/// n or [vertical, horizontal]
Status readPair(const JsonCursor& object, std::string_view key, std::array<std::int64_t, 2>& out)
{
    const auto field = object.find(key);
    if (!field)
        return Unit{};
    if (!field->node().is_array()) {
        const auto value = field->integer(kMin, kMax);
        if (!value)
            return value.error();
        out = {*value, *value};
        return Unit{};
    }
    const auto values = field->integers(kMin, kMax, 2);
    if (!values)
        return values.error();
    out = {(*values)[0], (*values)[1]};
    return Unit{};
}

class ModelReader
{
public:
    ModelReader(const JsonCursor& root, const std::string& file) : m_root(root) { m_model.file = file; }

    Result<NpuModel> read()
    {
        if (!m_root.node().is_object())
            return m_root.expected("an object");
        if (m_root.has("generate"))
            return generated();
        if (auto s = m_root.object({"name", "dtype_bytes", "hardware", "tensors", "ops", "run"}); !s)
            return s.error();
        if (auto s = header(); !s)
            return s.error();
        if (auto s = tensors(); !s)
            return s.error();
        if (auto s = ops(); !s)
            return s.error();
        if (auto s = checkModel(m_model); !s)
            return s.error();
        return std::move(m_model);
    }

private:
    Status header()
    {
        if (const auto field = m_root.find("name")) {
            const auto text = field->string();
            if (!text)
                return text.error();
            m_model.name = *text;
        }
        std::int64_t bytes = m_model.dtypeBytes;
        if (auto s = readInteger(m_root, "dtype_bytes", bytes, 1, 16); !s)
            return s;
        m_model.dtypeBytes = static_cast<int>(bytes);
        if (const auto field = m_root.find("hardware")) {
            auto hw = readHardware(*field, m_model.file);
            if (!hw)
                return hw.error();
            m_model.hardware = *hw;
        }
        return Unit{};
    }

    Status tensors()
    {
        const auto list = m_root.member("tensors");
        if (!list)
            return list.error();
        const auto items = list->array();
        if (!items)
            return items.error();
        for (const JsonCursor& item : *items) {
            if (auto s = item.object({"name", "shape"}); !s)
                return s;
            const auto name = item.member("name");
            if (!name)
                return name.error();
            const auto text = name->string();
            if (!text)
                return text.error();
            const auto shape = item.member("shape");
            if (!shape)
                return shape.error();
            const auto sizes = shape->integers(1, kMaxDimension);
            if (!sizes)
                return sizes.error();
            if (!m_byName.emplace(*text, m_model.tensors.size()).second)
                return name->error("the tensor name \"" + *text + "\" is used twice");
            m_model.tensors.push_back({*text, *sizes});
        }
        return Unit{};
    }

    Result<std::vector<std::size_t>> names(const JsonCursor& op, std::string_view key)
    {
        const auto list = op.member(key);
        if (!list)
            return list.error();
        const auto items = list->array();
        if (!items)
            return items.error();
        std::vector<std::size_t> out;
        for (const JsonCursor& item : *items) {
            const auto text = item.string();
            if (!text)
                return text.error();
            const auto found = m_byName.find(*text);
            if (found == m_byName.end())
                return item.error("the tensor \"" + *text + "\" is missing from \"tensors\"");
            out.push_back(found->second);
        }
        return out;
    }

    static Status tile(const JsonCursor& op, ModelOp& out)
    {
        const auto field = op.find("tile");
        if (!field)
            return Unit{};
        if (!field->node().is_object())
            return field->expected("an object");
        const auto fields = tileFields(out.type);
        for (const auto& [key, value] : field->node().items())
            if (std::none_of(fields.begin(), fields.end(), [&](const TileField& f) { return f.key == key; }))
                return field->error("unknown field \"" + key + "\"");
        for (const TileField& f : fields)
            if (auto s = readInteger(*field, f.key, out.tile.*f.size, 1, kMaxDimension); !s)
                return s;
        return Unit{};
    }

    static Status attributes(const JsonCursor& op, ModelOp& out)
    {
        switch (out.type) {
        case OpType::Conv2d:
            if (auto s = op.object(
                    {"type", "name", "inputs", "outputs", "tile", "stride", "padding", "dilation", "groups"});
                !s)
                return s;
            for (Status s :
                 {readPair(op, "stride", out.stride), readPair(op, "padding", out.padding),
                  readPair(op, "dilation", out.dilation), readInteger(op, "groups", out.groups, 1)})
                if (!s)
                    return s;
            return Unit{};
        case OpType::Attention: {
            if (auto s =
                    op.object({"type", "name", "inputs", "outputs", "tile", "heads", "causal", "variant"});
                !s)
                return s;
            if (const auto field = op.find("causal")) {
                const auto value = field->boolean();
                if (!value)
                    return value.error();
                out.causal = *value;
            }
            if (auto s = readVariant(op, out.flash); !s)
                return s;
            return readInteger(op, "heads", out.heads, 1);
        }
        case OpType::KvAppend:
            if (auto s = op.object({"type", "name", "inputs", "outputs", "tile", "heads", "position"}); !s)
                return s;
            if (auto s = readInteger(op, "heads", out.heads, 1); !s)
                return s;
            return readInteger(op, "position", out.position);
        case OpType::KvLoad: {
            if (auto s = op.object({"type", "name", "inputs", "outputs", "tile", "range"}); !s)
                return s;
            const auto range = op.member("range");
            if (!range)
                return range.error();
            const auto values = range->integers(0, kMax, 2);
            if (!values)
                return values.error();
            out.range = {(*values)[0], (*values)[1]};
            return Unit{};
        }
        case OpType::Elementwise:
            if (auto s = op.object({"type", "name", "inputs", "outputs", "tile", "passes"}); !s)
                return s;
            return readInteger(op, "passes", out.passes, 1, 1000);
        default:
            return op.object({"type", "name", "inputs", "outputs", "tile"});
        }
    }

    Status ops()
    {
        const auto list = m_root.member("ops");
        if (!list)
            return list.error();
        const auto items = list->array();
        if (!items)
            return items.error();
        for (const JsonCursor& item : *items) {
            const auto type = item.member("type");
            if (!type)
                return type.error();
            const auto word = type->string();
            if (!word)
                return word.error();
            ModelOp op;
            bool known = false;
            for (const OpType t :
                 {OpType::MatMul, OpType::Conv2d, OpType::Attention, OpType::Softmax, OpType::LayerNorm,
                  OpType::RmsNorm, OpType::Elementwise, OpType::KvAppend, OpType::KvLoad})
                if (toString(t) == *word) {
                    op.type = t;
                    known = true;
                }
            if (!known)
                return type->error("unknown operator type \"" + *word + "\"");
            op.name = *word + std::to_string(m_model.ops.size());
            if (const auto name = item.find("name")) {
                const auto text = name->string();
                if (!text)
                    return text.error();
                op.name = *text;
            }
            if (auto s = attributes(item, op); !s)
                return s;
            auto inputs = names(item, "inputs");
            if (!inputs)
                return inputs.error();
            auto outputs = names(item, "outputs");
            if (!outputs)
                return outputs.error();
            op.inputs = std::move(*inputs);
            op.outputs = std::move(*outputs);
            if (auto s = tile(item, op); !s)
                return s;
            m_model.ops.push_back(std::move(op));
        }
        return Unit{};
    }

    Result<NpuModel> generated()
    {
        const auto kind = m_root.member("generate")->string();
        if (!kind)
            return kind.error();
        auto made =
            *kind == "llama_block"  ? llama()
            : *kind == "bert_block" ? bert()
            : *kind == "conv_net"
                ? convNet()
                : Result<NpuModel>(
                      m_root.member("generate")->expected("\"llama_block\", \"bert_block\" or \"conv_net\""));
        if (!made) {
            Error e = made.error();
            e.file = m_model.file;
            return e;
        }
        const NpuModel head = m_model;
        m_model = std::move(*made);
        m_model.file = head.file;
        m_model.hardware = head.hardware;
        if (!head.name.empty())
            m_model.name = head.name;
        return std::move(m_model);
    }

    Result<NpuModel> llama()
    {
        LlamaBlockOptions o;
        if (auto s = m_root.object({"generate", "name", "dtype_bytes", "hardware", "phase", "hidden", "heads",
                                    "ffn", "tokens", "cached", "variant"});
            !s)
            return s.error();
        if (auto s = header(); !s)
            return s.error();
        o.dtypeBytes = m_model.dtypeBytes;
        if (const auto field = m_root.find("phase")) {
            const auto text = field->string();
            if (!text)
                return text.error();
            if (*text != "prefill" && *text != "decode")
                return field->expected("\"prefill\" or \"decode\"");
            o.phase = *text == "decode" ? LlamaPhase::Decode : LlamaPhase::Prefill;
        }
        for (Status s : {readInteger(m_root, "hidden", o.hidden, 1, 1 << 20),
                         readInteger(m_root, "heads", o.heads, 1, 1 << 20),
                         readInteger(m_root, "ffn", o.ffn, 1, 1 << 20),
                         readInteger(m_root, "tokens", o.tokens, 1, 1 << 20),
                         readInteger(m_root, "cached", o.cached, 0, 1 << 24), readVariant(m_root, o.flash)})
            if (!s)
                return s.error();
        return generateLlamaBlock(o);
    }

    Result<NpuModel> bert()
    {
        BertBlockOptions o;
        if (auto s = m_root.object({"generate", "name", "dtype_bytes", "hardware", "hidden", "heads", "ffn",
                                    "tokens", "variant"});
            !s)
            return s.error();
        if (auto s = header(); !s)
            return s.error();
        o.dtypeBytes = m_model.dtypeBytes;
        for (Status s : {readInteger(m_root, "hidden", o.hidden, 1, 1 << 20),
                         readInteger(m_root, "heads", o.heads, 1, 1 << 20),
                         readInteger(m_root, "ffn", o.ffn, 1, 1 << 20),
                         readInteger(m_root, "tokens", o.tokens, 1, 1 << 20), readVariant(m_root, o.flash)})
            if (!s)
                return s.error();
        return generateBertBlock(o);
    }

    Result<NpuModel> convNet()
    {
        ConvNetOptions o;
        if (auto s = m_root.object({"generate", "name", "dtype_bytes", "hardware", "batch", "channels",
                                    "size", "width", "stages"});
            !s)
            return s.error();
        if (auto s = header(); !s)
            return s.error();
        o.dtypeBytes = m_model.dtypeBytes;
        for (Status s : {readInteger(m_root, "batch", o.batch, 1, 1 << 16),
                         readInteger(m_root, "channels", o.channels, 1, 1 << 16),
                         readInteger(m_root, "size", o.size, 1, 1 << 16),
                         readInteger(m_root, "width", o.width, 1, 1 << 16),
                         readInteger(m_root, "stages", o.stages, 1, 16)})
            if (!s)
                return s.error();
        return generateConvNet(o);
    }

    JsonCursor m_root;
    NpuModel m_model;
    std::map<std::string, std::size_t> m_byName;
};

Json tileJson(const ModelOp& op)
{
    Json tile = Json::object();
    for (const TileField& f : tileFields(op.type))
        if (op.tile.*f.size > 0)
            tile[f.key] = op.tile.*f.size;
    return tile;
}

} // namespace

Result<NpuModel> parseModel(std::string_view text, const std::string& file)
{
    const auto json = parseJson(text, file);
    if (!json)
        return json.error();
    return ModelReader(JsonCursor(*json, file), file).read();
}

Result<NpuModel> loadModel(const std::string& path)
{
    const auto text = readFile(path);
    if (!text)
        return text.error();
    return parseModel(*text, path);
}

std::string modelToJson(const NpuModel& model)
{
    Json j;
    j["name"] = model.name;
    j["dtype_bytes"] = model.dtypeBytes;
    if (model.hardware)
        j["hardware"] = Json::parse(hardwareToJson(*model.hardware));
    j["tensors"] = Json::array();
    for (const ModelTensor& t : model.tensors)
        j["tensors"].push_back({{"name", t.name}, {"shape", t.shape}});
    j["ops"] = Json::array();
    for (const ModelOp& op : model.ops) {
        Json o;
        o["type"] = toString(op.type);
        o["name"] = op.name;
        for (const auto& [key, list] : {std::pair{"inputs", &op.inputs}, std::pair{"outputs", &op.outputs}}) {
            o[key] = Json::array();
            for (const std::size_t t : *list)
                o[key].push_back(model.tensors[t].name);
        }
        if (op.type == OpType::Conv2d) {
            o["stride"] = op.stride;
            o["padding"] = op.padding;
            o["dilation"] = op.dilation;
            o["groups"] = op.groups;
        }
        if (op.heads > 0)
            o["heads"] = op.heads;
        if (op.type == OpType::Attention) {
            o["causal"] = op.causal;
            o["variant"] = op.flash ? "flash" : "standard";
        }
        if (op.type == OpType::KvAppend)
            o["position"] = op.position;
        if (op.type == OpType::KvLoad)
            o["range"] = op.range;
        if (op.passes > 0)
            o["passes"] = op.passes;
        if (Json tile = tileJson(op); !tile.empty())
            o["tile"] = std::move(tile);
        j["ops"].push_back(std::move(o));
    }
    return j.dump(1) + "\n";
}

} // namespace tilewright::npu
