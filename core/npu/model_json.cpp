// SPDX-License-Identifier: GPL-3.0-or-later
// The model file and the hardware file of the NPU lens.
#include "base/file.h"
#include "base/json_spread.h"
#include "npu/generate.h"
#include "npu/hardware.h"
#include "npu/model.h"

#include <algorithm>
#include <bit>
#include <map>

namespace tilewright::npu {

// Include this header in *_json.cpp files only.

/// Binds the fields of the hardware object: the root of a preset file, or the "hardware" of a model.
void bindFields(JsonFields& fields, NpuHardware& hardware);

namespace {

constexpr std::array kArbiters{Arbiter::DramAware, Arbiter::OldestFirst};

std::string_view arbiterName(Arbiter arbiter)
{
    return arbiter == Arbiter::DramAware ? "dram_aware" : "oldest_first";
}

void bindDram(JsonFields& f, DramHardware& dram)
{
    constexpr Integers kBlock{1, 1 << 24};
    constexpr Integers kCycles{0, 1 << 20};
    f.optional("channels", dram.channels, Integers{1, kMaxChannels});
    f.optional("banks", dram.banks, Integers{1, kMaxBanks});
    f.optional("bytes_per_cycle", dram.bytesPerCycle, Integers{1, 1 << 16});
    f.optional("burst_bytes", dram.burstBytes, Integers{1, 1 << 16});
    f.optional("interleave_bytes", dram.interleaveBytes, kBlock);
    f.optional("row_bytes", dram.rowBytes, kBlock);
    f.optional("row_hit_cycles", dram.rowHitCycles, kCycles);
    f.optional("row_miss_cycles", dram.rowMissCycles, kCycles);
    f.optional("read_latency_cycles", dram.readLatencyCycles, kCycles);
    f.optional("write_latency_cycles", dram.writeLatencyCycles, kCycles);
    f.optional("outstanding_requests", dram.outstandingRequests, Integers{0, 1 << 20});
    f.optional("request_bytes", dram.requestBytes, kBlock);
    if (f.reading() || dram.addressHash)
        f.optional("address_hash", dram.addressHash);
    f.optional("arbiter", dram.arbiter, Words<Arbiter>{kArbiters, arbiterName});
    for (const auto& [key, value] :
         {std::pair{"burst_bytes", dram.burstBytes}, std::pair{"interleave_bytes", dram.interleaveBytes},
          std::pair{"row_bytes", dram.rowBytes}})
        if (!std::has_single_bit(static_cast<std::uint64_t>(value)))
            f.fail(key, std::to_string(value) + " is not a power of two");
    if (dram.interleaveBytes < dram.burstBytes)
        f.fail("interleave_bytes", "must be a multiple of dram.burst_bytes");
    if (dram.rowBytes < dram.interleaveBytes)
        f.fail("row_bytes", "must be a multiple of dram.interleave_bytes");
}

} // namespace

void bindFields(JsonFields& f, NpuHardware& hw)
{
    constexpr Integers kSide{1, 65536};
    constexpr Integers kPasses{1, 1000};
    constexpr Integers kRate{1, 1 << 20};
    f.optional("name", hw.name);
    f.optional("cores", hw.cores, Integers{1, kMaxCores});
    f.optional("engine_rows", hw.engineRows, kSide);
    f.optional("engine_cols", hw.engineCols, kSide);
    f.optional("vector_lanes", hw.vectorLanes, Integers{1, 1 << 20});
    f.optional("clock_ghz", hw.clockGhz, Numbers{0.001, 1000});
    f.optional("spm_bytes", hw.spmBytes, Integers{1, std::int64_t{1} << 40});
    f.optional("accumulator_bytes", hw.accumulatorBytes, Integers{1, 16});
    f.optional("passes", [&](JsonFields& passes) {
        passes.optional("softmax", hw.passes.softmax, kPasses);
        passes.optional("layer_norm", hw.passes.layerNorm, kPasses);
        passes.optional("rms_norm", hw.passes.rmsNorm, kPasses);
        passes.optional("elementwise", hw.passes.elementwise, kPasses);
    });
    f.optional("dram", [&](JsonFields& dram) { bindDram(dram, hw.dram); });
    f.optional("energy_pj", [&](JsonFields& energy) {
        constexpr Numbers kPj{0, 1e9};
        energy.optional("mac", hw.energy.mac, kPj);
        energy.optional("spm", hw.energy.spm, kPj);
        energy.optional("noc", hw.energy.noc, kPj);
        energy.optional("dram", hw.energy.dram, kPj);
    });
    if (f.reading() || hw.shared.bytes > 0)
        f.optional("shared", [&](JsonFields& shared) {
            shared.optional("bytes", hw.shared.bytes, Integers{0, std::int64_t{1} << 40});
            constexpr Integers kPort{1, 1 << 28};
            shared.optional("bytes_per_cycle", hw.shared.bytesPerCycle, kPort);
            if (shared.reading() || hw.shared.hasTwoPorts()) {
                shared.optional("read_bytes_per_cycle", hw.shared.readBytesPerCycle, kPort);
                shared.optional("write_bytes_per_cycle", hw.shared.writeBytesPerCycle, kPort);
            }
            if (shared.has("read_bytes_per_cycle") != shared.has("write_bytes_per_cycle"))
                shared.fail(shared.has("read_bytes_per_cycle") ? "read_bytes_per_cycle"
                                                               : "write_bytes_per_cycle",
                            "a memory with two ports needs both rates");
            if (shared.reading() || hw.shared.multicast)
                shared.optional("multicast", hw.shared.multicast);
        });
    f.optional("noc", [&](JsonFields& noc) {
        noc.optional("link_bytes_per_cycle", hw.linkBytesPerCycle, kRate);
        noc.optional("trunk_bytes_per_cycle", hw.trunkBytesPerCycle, kRate);
        if (noc.reading() || hw.coreToCore)
            noc.optional("core_to_core", hw.coreToCore);
    });
}

Status checkHardware(const NpuHardware& hw)
{
    if (hw.dram.bytesPerCycle < 1)
        return Error{
            ErrorCode::Field,
            "the external memory moves less than one byte per cycle of a channel; the NPU lens moves "
            "whole bytes: take a higher bandwidth or a lower clock",
            "dram.bytes_per_cycle",
            {}};
    return checkJsonValue(hw);
}

Result<NpuHardware> parseHardware(std::string_view text, const std::string& file)
{
    return parseJsonValue<NpuHardware>(text, file);
}

Result<NpuHardware> loadHardware(const std::string& path)
{
    const auto text = readFile(path);
    if (!text)
        return text.error();
    return parseHardware(*text, path);
}

std::string hardwareToJson(const NpuHardware& hw)
{
    return jsonText(writeJson(hw), 2) + "\n";
}

// The model file:
//   {"name": text, "dtype_bytes": 2, "hardware": {...} (optional, see model_json.cpp),
//    "tensors": [{"name": text, "shape": [1 to 4 sizes], "bits": width of an element, by default
//    dtype_bytes}], "ops": [{"type": ..., "name": text (optional), "inputs": [tensor names], "outputs": [one
//    tensor name],
//             "tile": {...} (optional), ...attributes}]}
// type         inputs             attributes                                              tile fields
// matmul       A[M,K], B[K,N]     -                                                       m, n, k
// conv2d       X[N,C,H,W], W[..]  stride, padding, dilation (n or [v,h]), groups *)       c_out, c_in, h, w
// attention    Q, K, V            heads, kv_heads, causal, variant "standard" | "flash"   heads, q, t, d
// softmax      X                  -                                                       rows
// layer_norm   X, [gamma, beta]   -                                                       rows
// rms_norm     X, [gamma]         -                                                       rows
// elementwise  1 to 8 tensors     passes                                                  rows, cols
// kv_append    new tokens         heads (rank 2), position                                heads, t
// kv_load      cache              range [t0, t1]                                          heads, t, d
// view         any tensors        passes                                                  rows, cols
// *) padding also [top, left, bottom, right].
// Attention tensors are [B,H,T,D] or [T,H*D]; a cache is [B,H,T,D]. The output of kv_load is a view of the
// cache. Or: {"generate": "llama_block", "phase": "prefill" | "decode", "hidden", "heads", "ffn", "tokens",
// "cached", "variant", "kv_heads", "layers"}, {"generate": "bert_block", "hidden", "heads", "ffn", "tokens",
//      "variant", "layers"},
//     {"generate": "conv_net", "batch", "channels", "size", "width", "stages"}; all but "generate" optional,
//     also "name", "dtype_bytes" and "hardware".

namespace {

constexpr std::array kOpTypes{OpType::MatMul,    OpType::Conv2d,  OpType::Attention,   OpType::Softmax,
                              OpType::LayerNorm, OpType::RmsNorm, OpType::Elementwise, OpType::KvAppend,
                              OpType::KvLoad,    OpType::View};
constexpr std::array kVariants{false, true};
constexpr std::array kPhases{LlamaPhase::Prefill, LlamaPhase::Decode};
constexpr Integers kHeads{1, std::int64_t{1} << 40};
constexpr Integers kTokens{0, std::int64_t{1} << 40};
constexpr Integers kLayers{1, 1000};

std::string_view variantName(bool flash)
{
    return flash ? "flash" : "standard";
}

std::string_view phaseName(LlamaPhase phase)
{
    return phase == LlamaPhase::Decode ? "decode" : "prefill";
}

void bindVariant(JsonFields& f, bool& flash)
{
    f.optional("variant", flash, Words<bool>{kVariants, variantName});
}

/// An operator with the names of its tensors, as the file has them.
struct NamedOp
{
    ModelOp op;
    std::optional<std::string> name;
    std::vector<std::string> inputs, outputs;
};

void bindTile(JsonFields& f, ModelOp& op)
{
    for (const TileField& field : tileFields(op.type))
        f.defaulted(field.key, op.tile.*field.size, 0, Integers{1, kMaxDimension});
}

void bindAttributes(JsonFields& f, ModelOp& op)
{
    switch (op.type) {
    case OpType::Conv2d:
        f.optional("stride", op.stride, kSpread);
        f.optional("padding", op.padding, kSpread);
        f.optional("dilation", op.dilation, kSpread);
        f.optional("groups", op.groups, kHeads);
        break;
    case OpType::Attention:
        f.defaulted("heads", op.heads, 0, kHeads);
        f.defaulted("kv_heads", op.kvHeads, 0, kHeads);
        f.optional("causal", op.causal);
        bindVariant(f, op.flash);
        break;
    case OpType::KvAppend:
        f.defaulted("heads", op.heads, 0, kHeads);
        f.optional("position", op.position, kTokens);
        break;
    case OpType::KvLoad:
        f.required("range", op.range, kTokens);
        break;
    case OpType::Elementwise:
        f.defaulted("passes", op.passes, 0, Integers{1, 1000});
        break;
    case OpType::View:
        f.defaulted("passes", op.passes, 0, Integers{1, kMaxDimension});
        break;
    default:
        break;
    }
}

void bindFields(JsonFields& f, NamedOp& named)
{
    ModelOp& op = named.op;
    f.required("type", op.type, Words<OpType>{kOpTypes, toString});
    if (f.failed())
        return f.allowOthers(); // without a valid type the allowed fields are unknown
    f.defaulted("name", named.name, std::nullopt);
    f.required("inputs", named.inputs);
    f.required("outputs", named.outputs);
    bindAttributes(f, op);
    const auto fields = tileFields(op.type);
    const auto isCut = [&](const TileField& field) { return op.tile.*field.size > 0; };
    if (f.reading() || std::ranges::any_of(fields, isCut))
        f.optional("tile", [&](JsonFields& tile) { bindTile(tile, op); });
}

/// Fields that explicit and generated models share.
struct Header
{
    std::string name;
    int dtypeBytes = 2;
    std::optional<NpuHardware> hardware;
};

void bindHeader(JsonFields& f, Header& head)
{
    f.optional("name", head.name);
    f.optional("dtype_bytes", head.dtypeBytes, Integers{1, 16});
    f.defaulted("hardware", head.hardware, std::nullopt);
}

/// Fields of a model file that lists tensors and ops.
struct ModelFile
{
    Header head;
    std::vector<ModelTensor> tensors;
    std::vector<NamedOp> ops;
};

/// Indices of the tensors with these names. Reports an error at `where` for a name that no tensor has.
std::vector<std::size_t> resolve(JsonFields& f, const std::map<std::string, std::size_t>& byName,
                                 const std::vector<std::string>& names, const std::string& where)
{
    std::vector<std::size_t> out;
    for (const std::string& name : names) {
        const auto found = byName.find(name);
        if (found == byName.end())
            f.fail(where + "[" + std::to_string(out.size()) + "]",
                   "the tensor \"" + name + "\" is missing from \"tensors\"");
        out.push_back(found == byName.end() ? 0 : found->second);
    }
    return out;
}

void resolveNames(JsonFields& f, ModelFile& file)
{
    std::map<std::string, std::size_t> byName;
    for (std::size_t i = 0; i < file.tensors.size(); ++i)
        if (const std::string& name = file.tensors[i].name; !byName.emplace(name, i).second)
            f.fail("tensors[" + std::to_string(i) + "].name",
                   "the tensor name \"" + name + "\" is used twice");
    for (std::size_t i = 0; i < file.ops.size(); ++i) {
        NamedOp& named = file.ops[i];
        const std::string where = "ops[" + std::to_string(i) + "].";
        named.op.name = named.name.value_or(std::string(toString(named.op.type)) + std::to_string(i));
        named.op.inputs = resolve(f, byName, named.inputs, where + "inputs");
        named.op.outputs = resolve(f, byName, named.outputs, where + "outputs");
    }
}

} // namespace

static void bindFields(JsonFields& f, ModelTensor& tensor)
{
    f.required("name", tensor.name);
    f.required("shape", tensor.shape, Integers{1, kMaxDimension});
    bindBits(f, tensor.bits);
}

static void bindFields(JsonFields& f, LlamaBlockOptions& o)
{
    constexpr Integers kSize{1, 1 << 20};
    f.optional("phase", o.phase, Words<LlamaPhase>{kPhases, phaseName});
    f.optional("hidden", o.hidden, kSize);
    f.optional("heads", o.heads, kSize);
    f.optional("ffn", o.ffn, kSize);
    f.optional("tokens", o.tokens, kSize);
    f.optional("cached", o.cached, Integers{0, 1 << 24});
    f.optional("kv_heads", o.kvHeads, kSize);
    f.optional("layers", o.layers, kLayers);
    bindVariant(f, o.flash);
}

static void bindFields(JsonFields& f, BertBlockOptions& o)
{
    constexpr Integers kSize{1, 1 << 20};
    f.optional("hidden", o.hidden, kSize);
    f.optional("heads", o.heads, kSize);
    f.optional("ffn", o.ffn, kSize);
    f.optional("tokens", o.tokens, kSize);
    f.optional("layers", o.layers, kLayers);
    bindVariant(f, o.flash);
}

static void bindFields(JsonFields& f, ConvNetOptions& o)
{
    constexpr Integers kSize{1, 1 << 16};
    f.optional("batch", o.batch, kSize);
    f.optional("channels", o.channels, kSize);
    f.optional("size", o.size, kSize);
    f.optional("width", o.width, kSize);
    f.optional("stages", o.stages, Integers{1, 16});
}

namespace {

void bindFields(JsonFields& f, ModelFile& file)
{
    bindHeader(f, file.head);
    f.required("tensors", file.tensors);
    f.required("ops", file.ops);
    f.ignored("run"); // run options, read by run.h
    if (f.reading() && !f.failed())
        resolveNames(f, file);
}

/// Fields of a model file that names a generator and its options.
template <typename Options> struct GeneratedFile
{
    std::string generator;
    Header head;
    Options options;
};

template <typename Options> void bindFields(JsonFields& f, GeneratedFile<Options>& file)
{
    f.required("generate", file.generator);
    bindHeader(f, file.head);
    bindFields(f, file.options);
    file.options.dtypeBytes = file.head.dtypeBytes;
}

void take(Header&& head, NpuModel& model)
{
    if (!head.name.empty())
        model.name = std::move(head.name);
    model.dtypeBytes = head.dtypeBytes;
    model.hardware = std::move(head.hardware);
}

template <typename Options, typename Generate>
Result<NpuModel> generated(const JsonCursor& root, Generate&& generate)
{
    GeneratedFile<Options> file;
    if (Status s = readJson(root, file); !s)
        return s.error();
    auto model = generate(file.options);
    if (model)
        take(std::move(file.head), *model);
    return model;
}

Result<NpuModel> readGenerated(const JsonCursor& root)
{
    const JsonCursor generator = *root.find("generate");
    constexpr std::array<std::string_view, 3> kGenerators{"llama_block", "bert_block", "conv_net"};
    std::string word;
    if (Status s = readJson(generator, word); !s)
        return s.error();
    if (word == kGenerators[0])
        return generated<LlamaBlockOptions>(root, generateLlamaBlock);
    if (word == kGenerators[1])
        return generated<BertBlockOptions>(root, generateBertBlock);
    if (word == kGenerators[2])
        return generated<ConvNetOptions>(root, generateConvNet);
    return expectedWord(generator, kGenerators);
}

Result<NpuModel> readExplicit(const JsonCursor& root, const std::string& name)
{
    ModelFile file;
    if (Status s = readJson(root, file); !s)
        return s.error();
    NpuModel model;
    model.file = name;
    take(std::move(file.head), model);
    model.tensors = std::move(file.tensors);
    for (NamedOp& named : file.ops)
        model.ops.push_back(std::move(named.op));
    if (auto s = checkModel(model); !s)
        return s.error();
    return model;
}

} // namespace

Result<NpuModel> parseModel(std::string_view text, const std::string& file)
{
    const auto json = parseJson(text, file);
    if (!json)
        return json.error();
    const JsonCursor root(*json, file);
    auto model = root.has("generate") ? readGenerated(root) : readExplicit(root, file);
    if (model) {
        model->file = file;
        return model;
    }
    Error error = model.error();
    error.file = file;
    return error;
}

Status checkOwnFields(std::string_view text, const std::string& file)
{
    const auto json = parseJson(text, file);
    if (!json)
        return json.error();
    const JsonCursor root(*json, file);
    NpuHardware hardware;
    if (const auto at = root.find("hardware"))
        if (Status s = readJson(*at, hardware); !s)
            return s;
    const auto ops = root.find("ops");
    for (std::size_t i = 0; ops && ops->node().is_array() && i < ops->size(); ++i) {
        const JsonCursor op = ops->at(i);
        ModelOp read;
        if (const auto type = op.find("type");
            !type || !readJson(*type, read.type, Words<OpType>{kOpTypes, toString}))
            continue; // skips an operator that this lens does not know
        const auto fields = [&](JsonFields& f) {
            if (read.type == OpType::Attention)
                bindVariant(f, read.flash);
            f.optional("tile", [&](JsonFields& tile) { bindTile(tile, read); });
            f.allowOthers();
        };
        if (Status s = tilewright::readJson(op, fields); !s)
            return s;
    }
    return Unit{};
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
    ModelFile file{{model.name, model.dtypeBytes, model.hardware}, model.tensors, {}};
    const auto names = [&](const std::vector<std::size_t>& tensors) {
        std::vector<std::string> out;
        out.reserve(tensors.size());
        for (const std::size_t t : tensors)
            out.push_back(model.tensors[t].name);
        return out;
    };
    file.ops.reserve(model.ops.size());
    for (const ModelOp& op : model.ops)
        file.ops.push_back({op, op.name, names(op.inputs), names(op.outputs)});
    return jsonText(writeJson(file), 1) + "\n";
}

} // namespace tilewright::npu
