// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON files of the Mapping lens.
#include "base/json_comments.h"
#include "base/json_fields.h"
#include "mapping/files.h"
#include "mapping/method.h"
#include "mapping/method_json.h"
#include "mapping/operands_json.h"
#include "mapping/part_json.h"

#include <algorithm>

namespace tilewright::mapping {

namespace {

constexpr std::int64_t kMaxCount = 1'000'000'000;

constexpr Integers kSize{1, kMaxDimension};
constexpr std::array kKinds{LayerKind::Conv, LayerKind::DwConv, LayerKind::Gemm};

/// A JSON value that is one number n, or [vertical, horizontal]. It is written as n if both are equal.
struct OneOrTwo
{
    Integers range;
};

Status readJson(const JsonCursor& at, std::array<std::int64_t, 2>& out, const OneOrTwo& rule)
{
    if (at.node().is_array())
        return tilewright::readJson(at, std::span<std::int64_t>(out), rule.range);
    if (Status s = tilewright::readJson(at, out[0], rule.range); !s)
        return s;
    out[1] = out[0];
    return Unit{};
}

Json writeJson(const std::array<std::int64_t, 2>& value, const OneOrTwo&)
{
    return value[0] == value[1] ? Json(value[0]) : Json(value);
}

// Ranges of architecture fields, in the program's own format and in that of dMazeRunner.
constexpr Integers kPes{1, 1 << 24};
constexpr Integers kMemoryBytes{1, 1 << 30}; ///< size of a register file or of a bank
constexpr Integers kBanks{1, 1 << 20};
constexpr Integers kElementBytes{1, 64};
constexpr Numbers kStartCycles{0, 1e9};
constexpr Numbers kCyclesPerByte{0, 1e6};
constexpr Numbers kMhz{1e-3, 1e6};
constexpr Numbers kPicojoules{0, 1e9};

/// Checks that involve several fields: kernel and input, channels of dwconv, total size.
void checkLayer(JsonFields& f, const Layer& layer)
{
    if (f.failed() || !f.reading())
        return;
    if (const auto nest = makeNest(layer); !nest)
        f.check(nest.error());
}

} // namespace

static void bindFields(JsonFields& f, Layer& layer)
{
    f.defaulted("name", layer.name, {});
    f.required("kind", layer.kind, Words<LayerKind>{kKinds, kindName});
    if (f.failed())
        return f.allowOthers(); // without a valid kind the allowed fields are unknown
    if (layer.kind == LayerKind::Gemm) {
        f.required("m", layer.m, kSize);
        f.required("n", layer.n, kSize);
        f.required("k", layer.k, kSize);
    } else {
        f.optional("batch", layer.batch, kSize);
        f.required("in_channels", layer.inChannels, kSize);
        if (layer.kind == LayerKind::Conv) {
            f.required("out_channels", layer.outChannels, kSize);
        } else {
            if (f.reading())
                layer.outChannels = layer.inChannels;
            f.optional("out_channels", layer.outChannels, kSize);
        }
        f.required("height", layer.height, kSize);
        f.required("width", layer.width, kSize);
        f.required("kernel", layer.kernel, kSize);
        f.optional("stride", layer.stride, OneOrTwo{kSize});
        if (f.reading() || layer.dilation != std::array<std::int64_t, 2>{1, 1})
            f.optional("dilation", layer.dilation, OneOrTwo{kSize});
        if (layer.kind == LayerKind::Conv)
            f.defaulted("groups", layer.groups, 1, kSize);
        f.optional("padding", layer.padding, Integers{0, kMaxDimension});
    }
    f.defaulted("count", layer.count, 1, Integers{1, kMaxCount});
    checkLayer(f, layer);
}

static void bindFields(JsonFields& f, Model& model)
{
    f.optional("name", model.name);
    f.required("layers", model.layers);
}

static void bindFields(JsonFields& f, Architecture& a)
{
    f.defaulted("name", a.name, {});
    f.optional("pes", a.pes, kPes);
    f.optional("rf_bytes", a.rfBytes, kMemoryBytes);
    f.optional("spm_banks", a.spmBanks, kBanks);
    f.optional("spm_bank_bytes", a.spmBankBytes, kMemoryBytes);
    f.optional("element_bytes", a.elementBytes, kElementBytes);
    f.optional("dma_init_cycles", a.dmaInitCycles, kStartCycles);
    f.optional("dma_cycles_per_byte", a.dmaCyclesPerByte, kCyclesPerByte);
    f.optional("dma_mhz", a.dmaMhz, kMhz);
    f.optional("array_mhz", a.arrayMhz, kMhz);
    if (f.reading() || a.options != ModelOptions{})
        f.optional("options", [&](JsonFields& options) {
            options.defaulted("imperfect", a.options.imperfect, false);
            options.defaulted("reduction_tree", a.options.reductionTree, false);
            options.defaulted("overlapped", a.options.overlapped, false);
            options.defaulted("bypass_spm", a.options.bypassSpm, {}, OperandNames{});
        });
    f.optional("energy_pj", [&](JsonFields& energy) {
        energy.optional("rf", a.energyPj.rf, kPicojoules);
        energy.optional("noc", a.energyPj.noc, kPicojoules);
        energy.optional("spm", a.energyPj.spm, kPicojoules);
        energy.optional("dram", a.energyPj.dram, kPicojoules);
        energy.optional("mac", a.energyPj.mac, kPicojoules);
        energy.defaulted("rf_write", a.energyPj.rfWrite, {}, kPicojoules);
        energy.defaulted("spm_write", a.energyPj.spmWrite, {}, kPicojoules);
        energy.defaulted("dram_write", a.energyPj.dramWrite, {}, kPicojoules);
        energy.defaulted("rf_fill", a.energyPj.rfFill, 0, kPicojoules);
        energy.defaulted("spm_fill", a.energyPj.spmFill, 0, kPicojoules);
        energy.defaulted("leakage_per_cycle", a.energyPj.leakage, 0, kPicojoules);
    });
}

namespace {

/// A layer in a model file of dMazeRunner (docs/rules/mapping.md 8). Its tensor A is the padded
/// input and its tensor B the filters; in a GEMM they are the two matrices.
struct ReferenceLayer
{
    Layer layer;
};

void bindFields(JsonFields& f, ReferenceLayer& reference, const std::string_view& group)
{
    Layer& layer = reference.layer;
    const bool isGemm = group == "GEMM";
    std::vector<std::int64_t> a(isGemm ? 2 : 4);
    std::vector<std::int64_t> b = a;
    std::array<std::int64_t, 2> strides{1, 1};
    f.allowOthers();
    f.optional("name", layer.name);
    f.optional("instances", layer.count, Integers{1, kMaxCount});
    f.required("size_tensor_A", std::span(a), kSize);
    f.required("size_tensor_B", std::span(b), kSize);
    if (!isGemm)
        f.required("strides", strides, kSize);
    if (f.failed())
        return;
    if (isGemm) {
        if (a[1] != b[0])
            f.fail({}, "the inner sizes differ: size_tensor_A has " + std::to_string(a[1]) +
                           " columns, size_tensor_B has " + std::to_string(b[0]) + " rows");
        layer.kind = LayerKind::Gemm;
        layer.m = a[0];
        layer.k = a[1];
        layer.n = b[1];
    } else {
        if (strides[0] != strides[1])
            f.fail({}, "different strides for rows and columns (" + std::to_string(strides[0]) + ", " +
                           std::to_string(strides[1]) + ") are not supported");
        layer.kind = LayerKind::Conv;
        layer.batch = a[0];
        layer.inChannels = a[1];
        layer.outChannels = b[0];
        layer.height = a[2];
        layer.width = a[3];
        layer.kernel = {b[2], b[3]};
        layer.stride = strides;
        if (group == "DW_CONV" || (a[1] != b[1] && b[1] == 1)) {
            layer.kind = LayerKind::DwConv;
            layer.outChannels = layer.inChannels;
        } else if (a[1] != b[1]) {
            f.fail({}, "size_tensor_A has " + std::to_string(a[1]) + " channels, size_tensor_B " +
                           std::to_string(b[1]));
        }
    }
    checkLayer(f, layer);
}

constexpr std::array<std::string_view, 3> kReferenceGroups{"CONV", "GEMM", "DW_CONV"};

bool isReferenceModel(const JsonCursor& root)
{
    return std::any_of(kReferenceGroups.begin(), kReferenceGroups.end(),
                       [&](std::string_view group) { return root.has(group); });
}

void bindReferenceModel(JsonFields& f, Model& model)
{
    for (const std::string_view group : kReferenceGroups) {
        std::vector<ReferenceLayer> layers;
        f.optional(group, layers, group);
        for (ReferenceLayer& reference : layers)
            model.layers.push_back(std::move(reference.layer));
    }
    f.ignored("name");
    f.ignored("comment");
}

void bindReferenceArchitecture(JsonFields& f, Architecture& out)
{
    bool knowsElements = false;
    f.allowOthers();
    f.optional("arch_basic", [&](JsonFields& basic) {
        basic.allowOthers();
        basic.optional("CGRA_SIZE", out.pes, kPes);
        basic.optional("RF_SIZE", out.rfBytes, kMemoryBytes);
        basic.optional("BYTES_PER_DATA", out.elementBytes, kElementBytes);
        basic.optional("TOTAL_BANKS_IN_SPM", out.spmBanks, kBanks);
        basic.optional("TOTAL_BYTES_IN_BANK", out.spmBankBytes, kMemoryBytes);
        knowsElements = basic.has("BYTES_PER_DATA");
    });
    f.optional("arch_details", [&](JsonFields& details) {
        details.allowOthers();
        if (!knowsElements)
            details.optional("data_type_size_in_bytes", out.elementBytes, kElementBytes);
        details.optional("dma_init_cycles", out.dmaInitCycles, kStartCycles);
        details.optional("dma_cycles_per_byte", out.dmaCyclesPerByte, kCyclesPerByte);
        details.optional("dma_frequency", out.dmaMhz, kMhz);
        details.optional("dataflow_accel_frequency", out.arrayMhz, kMhz);
        details.optional("rf_energy", out.energyPj.rf, kPicojoules);
        details.optional("communication_energy", out.energyPj.noc, kPicojoules);
        details.optional("spm_energy", out.energyPj.spm, kPicojoules);
        details.optional("dram_energy", out.energyPj.dram, kPicojoules);
        details.optional("mac_energy", out.energyPj.mac, kPicojoules);
    });
}

/// Loop order of a level as a list of loop names.
struct NamedOrder
{
    const LoopNest& nest;
};

Status readJson(const JsonCursor& at, LoopOrder& out, const NamedOrder& names)
{
    auto items = at.array(static_cast<std::size_t>(names.nest.loopCount));
    if (!items)
        return items.error();
    out = {0, 1, 2, 3, 4, 5, 6};
    unsigned seen = 0;
    for (std::size_t i = 0; i < items->size(); ++i) {
        const JsonCursor& item = (*items)[i];
        auto name = item.string();
        if (!name)
            return name.error();
        const int loop = names.nest.loopByName(*name);
        if (loop < 0)
            return item.error("unknown loop \"" + name->substr(0, 40) + "\"");
        if ((seen >> loop & 1u) != 0)
            return item.error("loop \"" + *name + "\" is named twice");
        seen |= 1u << loop;
        out[i] = loop;
    }
    return Unit{};
}

Json writeJson(const LoopOrder& order, const NamedOrder& names)
{
    Json out = Json::array();
    for (int i = 0; i < names.nest.loopCount; ++i)
        out.push_back(names.nest.loopNames[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])]);
    return out;
}

} // namespace

static void bindFields(JsonFields& f, Method& method, const LoopNest& nest)
{
    f.allowOthers();
    f.required("tiling", [&](JsonFields& tiling) {
        for (std::size_t level = 0; level < kLevels; ++level)
            tiling.required(levelName(static_cast<Level>(level)),
                            std::span(method.tiling[level]).first(static_cast<std::size_t>(nest.loopCount)),
                            kSize);
    });
    f.required("order", [&](JsonFields& order) {
        order.required("DRAM", method.dramOrder, NamedOrder{nest});
        order.required("SPM", method.spmOrder, NamedOrder{nest});
    });
}

Json methodJson(const LoopNest& nest, const Method& method)
{
    return tilewright::writeJson(method, nest);
}

Result<LayersFile> readLayers(std::string_view text, const std::string& file)
{
    auto document = parseJson(text, file);
    if (!document)
        return document.error();
    const JsonCursor root(*document, file);
    LayersFile out;
    out.isModel = isReferenceModel(root) || root.has("layers");
    Status read = Unit{};
    if (isReferenceModel(root)) {
        read = readJson(root, [&](JsonFields& f) { bindReferenceModel(f, out.model); });
    } else if (out.isModel) {
        read = readJson(root, out.model);
    } else {
        read = readJson(root, out.model.layers.emplace_back());
        out.model.name = out.model.layers.front().name;
    }
    if (!read)
        return read.error();
    if (out.model.layers.empty())
        return root.error("the model has no layers", ErrorCode::Problem);
    return out;
}

Result<Architecture> readArchitecture(std::string_view text, const std::string& file)
{
    auto document = parseJson(text, file);
    if (!document)
        return document.error();
    const JsonCursor root(*document, file);
    const bool isReference = root.has("arch_basic") || root.has("arch_details");
    Architecture out;
    out.name.clear();
    const Status read = readJson(
        root, [&](JsonFields& f) { isReference ? bindReferenceArchitecture(f, out) : bindFields(f, out); });
    if (!read)
        return read.error();
    return out;
}

Status checkArchitecture(const Architecture& architecture)
{
    return checkJsonValue(architecture);
}

Result<Method> readMethod(std::string_view text, const std::string& file, const LoopNest& nest)
{
    const std::string plain = withoutJsonComments(text);
    const std::size_t first = plain.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && plain[first] != '{')
        return parsePrintedMethod(text, file, nest);
    auto document = parseJson(text, file);
    if (!document)
        return document.error();
    JsonCursor root(*document, file);
    if (const auto inner = root.find("method")) {
        if (inner->isNull())
            return inner->error("holds no method");
        root = *inner;
    }
    Method out = trivialMethod(nest);
    if (Status s = readJson(root, out, nest); !s)
        return s.error();
    return out;
}

std::string writeLayer(const Layer& layer)
{
    return jsonText(tilewright::writeJson(layer), 2) + "\n";
}

std::string writeModel(const Model& model)
{
    return jsonText(tilewright::writeJson(model), 2) + "\n";
}

std::string writeArchitecture(const Architecture& architecture)
{
    return jsonText(tilewright::writeJson(architecture), 2) + "\n";
}

std::string writeMethod(const LoopNest& nest, const Method& method)
{
    return jsonText(methodJson(nest, method), 2) + "\n";
}

Result<Setup> readSetup(std::string_view text, const std::string& file)
{
    const auto document = parseJson(text, file);
    if (!document)
        return document.error();
    const JsonCursor root(*document, file);
    Setup out;
    JsonFields fields(root); // each part has its own reader, which checks its fields
    for (const char* part : {"layer", "architecture", "method"})
        fields.ignored(part);
    fields.optional("factors", out.factors);
    if (const Status known = fields.close(); !known)
        return known.error();
    const auto layers = readPart(root, "layer", [&](const std::string& t) { return readLayers(t, file); });
    if (!layers)
        return layers.error();
    out.layer = layers->model.layers.front();
    auto architecture =
        readPart(root, "architecture", [&](const std::string& t) { return readArchitecture(t, file); });
    if (!architecture)
        return architecture.error();
    out.architecture = std::move(*architecture);
    const auto nest = makeNest(out.layer);
    if (!nest)
        return nest.error();
    auto method = readPart(root, "method", [&](const std::string& t) { return readMethod(t, file, *nest); });
    if (!method)
        return method.error();
    out.method = *method;
    if (const auto asked = parseConstraints(*nest, out.factors); !asked) {
        Error error = asked.error();
        error.path = "factors";
        error.file = file;
        return error;
    }
    return out;
}

std::string writeSetup(const Setup& setup)
{
    Json out = Json::object();
    out["layer"] = parsedJson(writeLayer(setup.layer));
    out["architecture"] = parsedJson(writeArchitecture(setup.architecture));
    out["method"] = parsedJson(writeMethod(*makeNest(setup.layer), setup.method));
    if (!setup.factors.empty())
        out["factors"] = setup.factors;
    return jsonText(out, 2) + "\n";
}

} // namespace tilewright::mapping
