// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/files.h"

#include "base/json_reader.h"
#include "mapping/method_json.h"

#include <algorithm>

namespace tilewright::mapping {

namespace {

constexpr std::int64_t kMaxCount = 1'000'000'000;

/// Reads members of one object into fields and remembers the first error.
class Fields
{
public:
    explicit Fields(JsonCursor cursor) : m_cursor(std::move(cursor)) {}

    void integer(std::string_view key, std::int64_t& out, std::int64_t min, std::int64_t max, bool required)
    {
        if (const auto member = get(key, required))
            keep(member->integer(min, max), out);
    }
    void number(std::string_view key, double& out)
    {
        if (const auto member = get(key, false))
            keep(member->number(0, 1e12), out);
    }
    void text(std::string_view key, std::string& out)
    {
        if (const auto member = get(key, false))
            keep(member->string(), out);
    }
    void integers(std::string_view key, std::vector<std::int64_t>& out, std::int64_t min, std::int64_t max,
                  std::size_t size)
    {
        if (const auto member = get(key, true))
            keep(member->integers(min, max, size), out);
    }
    void status(const Status& s)
    {
        if (!s && !m_error)
            m_error = s.error();
    }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

private:
    std::optional<JsonCursor> get(std::string_view key, bool required)
    {
        if (m_error)
            return std::nullopt;
        if (!required)
            return m_cursor.find(key);
        auto member = m_cursor.member(key);
        if (!member) {
            m_error = member.error();
            return std::nullopt;
        }
        return *member;
    }
    template <typename T> void keep(const Result<T>& value, T& out)
    {
        if (value)
            out = *value;
        else
            m_error = value.error();
    }

    JsonCursor m_cursor;
    std::optional<Error> m_error;
};

std::string joined(const std::string& path, const std::string& field)
{
    return path.empty() || field.empty() ? path + field : path + "." + field;
}

/// The checks that no single field can do (kernel against input, channels of dwconv, size in all).
std::optional<Error> checkLayer(const Layer& layer, const JsonCursor& at, const std::string& file)
{
    const auto nest = makeNest(layer);
    if (nest)
        return std::nullopt;
    Error error = nest.error();
    error.path = joined(at.path(), error.path);
    error.file = file;
    return error;
}

Result<Layer> layerAt(const JsonCursor& at, const std::string& file)
{
    auto kindMember = at.member("kind");
    if (!kindMember)
        return kindMember.error();
    auto kind = kindMember->string();
    if (!kind)
        return kind.error();
    Layer layer;
    Fields fields(at);
    fields.text("name", layer.name);
    fields.integer("count", layer.count, 1, kMaxCount, false);
    if (*kind == "gemm") {
        layer.kind = LayerKind::Gemm;
        fields.status(at.object({"name", "kind", "m", "n", "k", "count"}));
        fields.integer("m", layer.m, 1, kMaxDimension, true);
        fields.integer("n", layer.n, 1, kMaxDimension, true);
        fields.integer("k", layer.k, 1, kMaxDimension, true);
    } else if (*kind == "conv" || *kind == "dwconv") {
        layer.kind = *kind == "conv" ? LayerKind::Conv : LayerKind::DwConv;
        fields.status(at.object({"name", "kind", "batch", "in_channels", "out_channels", "height", "width",
                                 "kernel", "stride", "padding", "count"}));
        std::vector<std::int64_t> kernel{1, 1};
        fields.integer("batch", layer.batch, 1, kMaxDimension, false);
        fields.integer("in_channels", layer.inChannels, 1, kMaxDimension, true);
        layer.outChannels = layer.inChannels;
        fields.integer("out_channels", layer.outChannels, 1, kMaxDimension, layer.kind == LayerKind::Conv);
        fields.integer("height", layer.height, 1, kMaxDimension, true);
        fields.integer("width", layer.width, 1, kMaxDimension, true);
        fields.integers("kernel", kernel, 1, kMaxDimension, 2);
        fields.integer("stride", layer.stride, 1, kMaxDimension, false);
        fields.integer("padding", layer.padding, 0, kMaxDimension, false);
        layer.kernel = {kernel[0], kernel[1]};
    } else {
        return kindMember->error("unknown kind \"" + kind->substr(0, 40) +
                                 "\", expected conv, dwconv or gemm");
    }
    if (fields.error())
        return *fields.error();
    if (auto error = checkLayer(layer, at, file))
        return *error;
    return layer;
}

/// The reference project's layer: tensor A is the padded input, tensor B the filters (or the two matrices).
Result<Layer> referenceLayerAt(const JsonCursor& at, const std::string& group, const std::string& file)
{
    Layer layer;
    std::vector<std::int64_t> a;
    std::vector<std::int64_t> b;
    std::vector<std::int64_t> strides{1, 1};
    const std::size_t rank = group == "GEMM" ? 2 : 4;
    Fields fields(at);
    fields.text("name", layer.name);
    fields.integer("instances", layer.count, 1, kMaxCount, false);
    fields.integers("size_tensor_A", a, 1, kMaxDimension, rank);
    fields.integers("size_tensor_B", b, 1, kMaxDimension, rank);
    if (rank == 4)
        fields.integers("strides", strides, 1, kMaxDimension, 2);
    if (fields.error())
        return *fields.error();
    if (rank == 2) {
        if (a[1] != b[0])
            return at.error("the inner sizes differ: size_tensor_A has " + std::to_string(a[1]) +
                            " columns, size_tensor_B has " + std::to_string(b[0]) + " rows");
        layer.kind = LayerKind::Gemm;
        layer.m = a[0];
        layer.k = a[1];
        layer.n = b[1];
    } else {
        if (strides[0] != strides[1])
            return at.error("different strides for rows and columns (" + std::to_string(strides[0]) + ", " +
                            std::to_string(strides[1]) + ") are not supported");
        layer.kind = LayerKind::Conv;
        layer.batch = a[0];
        layer.inChannels = a[1];
        layer.outChannels = b[0];
        layer.height = a[2];
        layer.width = a[3];
        layer.kernel = {b[2], b[3]};
        layer.stride = strides[0];
        if (group == "DW_CONV" || (a[1] != b[1] && b[1] == 1)) {
            layer.kind = LayerKind::DwConv;
            layer.outChannels = layer.inChannels;
        } else if (a[1] != b[1]) {
            return at.error("size_tensor_A has " + std::to_string(a[1]) + " channels, size_tensor_B " +
                            std::to_string(b[1]));
        }
    }
    if (auto error = checkLayer(layer, at, file))
        return *error;
    return layer;
}

constexpr std::initializer_list<const char*> kReferenceGroups = {"CONV", "GEMM", "DW_CONV"};

bool isReferenceModel(const JsonCursor& root)
{
    return std::any_of(kReferenceGroups.begin(), kReferenceGroups.end(),
                       [&](const char* group) { return root.has(group); });
}

Json methodNumbers(const LoopNest& nest, const Factors& factors)
{
    Json out = Json::array();
    for (int l = 0; l < nest.loopCount; ++l)
        out.push_back(factors[static_cast<std::size_t>(l)]);
    return out;
}

Json layerJson(const Layer& layer)
{
    Json out = Json::object();
    if (!layer.name.empty())
        out["name"] = layer.name;
    out["kind"] = kindName(layer.kind);
    if (layer.kind == LayerKind::Gemm) {
        out["m"] = layer.m;
        out["n"] = layer.n;
        out["k"] = layer.k;
    } else {
        out["batch"] = layer.batch;
        out["in_channels"] = layer.inChannels;
        out["out_channels"] = layer.outChannels;
        out["height"] = layer.height;
        out["width"] = layer.width;
        out["kernel"] = layer.kernel;
        out["stride"] = layer.stride;
        out["padding"] = layer.padding;
    }
    if (layer.count != 1)
        out["count"] = layer.count;
    return out;
}

Result<LoopOrder> orderAt(const JsonCursor& at, const LoopNest& nest)
{
    auto items = at.array(static_cast<std::size_t>(nest.loopCount));
    if (!items)
        return items.error();
    LoopOrder out{0, 1, 2, 3, 4, 5, 6};
    unsigned seen = 0;
    for (std::size_t i = 0; i < items->size(); ++i) {
        auto name = (*items)[i].string();
        if (!name)
            return name.error();
        const int loop = nest.loopByName(*name);
        if (loop < 0)
            return (*items)[i].error("unknown loop \"" + name->substr(0, 40) + "\"");
        if ((seen >> loop & 1u) != 0)
            return (*items)[i].error("loop \"" + *name + "\" is named twice");
        seen |= 1u << loop;
        out[i] = loop;
    }
    return out;
}

Result<Architecture> referenceArchitecture(const JsonCursor& root)
{
    Architecture out;
    out.name.clear();
    if (const auto basic = root.find("arch_basic")) {
        Fields f(*basic);
        f.status(basic->object());
        f.integer("CGRA_SIZE", out.pes, 1, kMaxDimension, false);
        f.integer("RF_SIZE", out.rfBytes, 1, kMaxDimension, false);
        f.integer("BYTES_PER_DATA", out.elementBytes, 1, kMaxDimension, false);
        f.integer("TOTAL_BANKS_IN_SPM", out.spmBanks, 1, kMaxDimension, false);
        f.integer("TOTAL_BYTES_IN_BANK", out.spmBankBytes, 1, kMaxDimension, false);
        if (f.error())
            return *f.error();
    }
    if (const auto details = root.find("arch_details")) {
        Fields f(*details);
        f.status(details->object());
        if (!root.has("arch_basic") || !root.find("arch_basic")->has("BYTES_PER_DATA"))
            f.integer("data_type_size_in_bytes", out.elementBytes, 1, kMaxDimension, false);
        f.number("dma_init_cycles", out.dmaInitCycles);
        f.number("dma_cycles_per_byte", out.dmaCyclesPerByte);
        f.number("dma_frequency", out.dmaMhz);
        f.number("dataflow_accel_frequency", out.arrayMhz);
        f.number("rf_energy", out.energyPj.rf);
        f.number("communication_energy", out.energyPj.noc);
        f.number("spm_energy", out.energyPj.spm);
        f.number("dram_energy", out.energyPj.dram);
        f.number("mac_energy", out.energyPj.mac);
        if (f.error())
            return *f.error();
    }
    return out;
}

Result<Architecture> ownArchitecture(const JsonCursor& root)
{
    Architecture out;
    out.name.clear();
    Fields f(root);
    f.status(root.object({"name", "pes", "rf_bytes", "spm_banks", "spm_bank_bytes", "element_bytes",
                          "dma_init_cycles", "dma_cycles_per_byte", "dma_mhz", "array_mhz", "energy_pj"}));
    f.text("name", out.name);
    f.integer("pes", out.pes, 1, kMaxDimension, false);
    f.integer("rf_bytes", out.rfBytes, 1, kMaxDimension, false);
    f.integer("spm_banks", out.spmBanks, 1, kMaxDimension, false);
    f.integer("spm_bank_bytes", out.spmBankBytes, 1, kMaxDimension, false);
    f.integer("element_bytes", out.elementBytes, 1, kMaxDimension, false);
    f.number("dma_init_cycles", out.dmaInitCycles);
    f.number("dma_cycles_per_byte", out.dmaCyclesPerByte);
    f.number("dma_mhz", out.dmaMhz);
    f.number("array_mhz", out.arrayMhz);
    if (f.error())
        return *f.error();
    if (const auto energy = root.find("energy_pj")) {
        Fields e(*energy);
        e.status(energy->object({"rf", "noc", "spm", "dram", "mac"}));
        e.number("rf", out.energyPj.rf);
        e.number("noc", out.energyPj.noc);
        e.number("spm", out.energyPj.spm);
        e.number("dram", out.energyPj.dram);
        e.number("mac", out.energyPj.mac);
        if (e.error())
            return *e.error();
    }
    return out;
}

} // namespace

Json methodJson(const LoopNest& nest, const Method& method)
{
    Json out = Json::object();
    for (std::size_t level = 0; level < kLevels; ++level)
        out["tiling"][std::string(levelName(static_cast<Level>(level)))] =
            methodNumbers(nest, method.tiling[level]);
    const auto order = [&](const LoopOrder& o) {
        Json names = Json::array();
        for (int i = 0; i < nest.loopCount; ++i)
            names.push_back(nest.loopNames[static_cast<std::size_t>(o[static_cast<std::size_t>(i)])]);
        return names;
    };
    out["order"]["DRAM"] = order(method.dramOrder);
    out["order"]["SPM"] = order(method.spmOrder);
    return out;
}

Result<LayersFile> readLayers(std::string_view text, const std::string& file)
{
    auto document = parseJson(text, file);
    if (!document)
        return document.error();
    const JsonCursor root(*document, file);
    if (auto s = root.object(); !s)
        return s.error();
    LayersFile out;
    if (isReferenceModel(root)) {
        out.isModel = true;
        if (auto s = root.object({"CONV", "GEMM", "DW_CONV", "name", "comment"}); !s)
            return s.error();
        for (const char* group : kReferenceGroups) {
            const auto list = root.find(group);
            if (!list)
                continue;
            auto items = list->array();
            if (!items)
                return items.error();
            for (const JsonCursor& item : *items) {
                auto layer = referenceLayerAt(item, group, file);
                if (!layer)
                    return layer.error();
                out.model.layers.push_back(std::move(*layer));
            }
        }
    } else if (const auto layers = root.find("layers")) {
        out.isModel = true;
        Fields f(root);
        f.status(root.object({"name", "layers"}));
        f.text("name", out.model.name);
        if (f.error())
            return *f.error();
        auto items = layers->array();
        if (!items)
            return items.error();
        for (const JsonCursor& item : *items) {
            auto layer = layerAt(item, file);
            if (!layer)
                return layer.error();
            out.model.layers.push_back(std::move(*layer));
        }
    } else {
        auto layer = layerAt(root, file);
        if (!layer)
            return layer.error();
        out.model.name = layer->name;
        out.model.layers.push_back(std::move(*layer));
    }
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
    if (auto s = root.object(); !s)
        return s.error();
    const bool reference = root.has("arch_basic") || root.has("arch_details");
    auto out = reference ? referenceArchitecture(root) : ownArchitecture(root);
    if (!out)
        return out.error();
    if (auto s = checkArchitecture(*out); !s) {
        Error error = s.error();
        error.file = file;
        return error;
    }
    return out;
}

Result<Method> readMethod(std::string_view text, const std::string& file, const LoopNest& nest)
{
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && text[first] != '{')
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
    auto tiling = root.member("tiling");
    if (!tiling)
        return tiling.error();
    if (auto s = tiling->object({"DRAM", "SPM", "RF", "SPATIAL"}); !s)
        return s.error();
    Method out = trivialMethod(nest);
    const auto loops = static_cast<std::size_t>(nest.loopCount);
    for (std::size_t level = 0; level < kLevels; ++level) {
        auto member = tiling->member(levelName(static_cast<Level>(level)));
        if (!member)
            return member.error();
        auto factors = member->integers(1, kMaxDimension, loops);
        if (!factors)
            return factors.error();
        std::copy(factors->begin(), factors->end(), out.tiling[level].begin());
    }
    auto order = root.member("order");
    if (!order)
        return order.error();
    if (auto s = order->object({"DRAM", "SPM"}); !s)
        return s.error();
    for (const auto& [key, target] : {std::pair{"DRAM", &out.dramOrder}, std::pair{"SPM", &out.spmOrder}}) {
        auto member = order->member(key);
        if (!member)
            return member.error();
        auto loopsOrder = orderAt(*member, nest);
        if (!loopsOrder)
            return loopsOrder.error();
        *target = *loopsOrder;
    }
    return out;
}

std::string writeLayer(const Layer& layer)
{
    return layerJson(layer).dump(2) + "\n";
}

std::string writeModel(const Model& model)
{
    Json out = Json::object();
    out["name"] = model.name;
    out["layers"] = Json::array();
    for (const Layer& layer : model.layers)
        out["layers"].push_back(layerJson(layer));
    return out.dump(2) + "\n";
}

std::string writeArchitecture(const Architecture& a)
{
    Json out = Json::object();
    if (!a.name.empty())
        out["name"] = a.name;
    out["pes"] = a.pes;
    out["rf_bytes"] = a.rfBytes;
    out["spm_banks"] = a.spmBanks;
    out["spm_bank_bytes"] = a.spmBankBytes;
    out["element_bytes"] = a.elementBytes;
    out["dma_init_cycles"] = a.dmaInitCycles;
    out["dma_cycles_per_byte"] = a.dmaCyclesPerByte;
    out["dma_mhz"] = a.dmaMhz;
    out["array_mhz"] = a.arrayMhz;
    out["energy_pj"] = {{"rf", a.energyPj.rf},
                        {"noc", a.energyPj.noc},
                        {"spm", a.energyPj.spm},
                        {"dram", a.energyPj.dram},
                        {"mac", a.energyPj.mac}};
    return out.dump(2) + "\n";
}

std::string writeMethod(const LoopNest& nest, const Method& method)
{
    return methodJson(nest, method).dump(2) + "\n";
}

} // namespace tilewright::mapping
