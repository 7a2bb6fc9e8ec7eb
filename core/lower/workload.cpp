// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/workload.h"

#include "base/file.h"
#include "base/notice.h"
#include "base/text.h"
#include "mapping/files.h"
#include "model/file_kind.h"
#include "model/mlir.h"
#include "model/model.h"
#include "model/model_json.h"
#include "model/topology.h"
#include "npu/run.h"
#include "stablehlo/import.h"
#include "workload/problem_json.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <unordered_set>

namespace tilewright::lower {

namespace {

constexpr std::int64_t kMaxLayers = 100'000;

void takeModel(Workload& out, Result<model::Model> model, const std::string& file)
{
    if (model) {
        out.model = std::move(*model);
    } else {
        out.noModel = model.error();
        out.noModel->file = file;
    }
}

Result<Workload> workloadOf(Result<onnx::Imported> imported)
{
    if (!imported)
        return imported.error();
    Workload out;
    out.model = std::move(imported->model);
    out.import = std::move(imported->report);
    return out;
}

/// Reads the config.json of a language model, and the hf_quant_config.json in the same folder if there is
/// one.
Result<Workload> languageModel(std::string_view text, const std::string& file,
                               const onnx::Dimensions& dimensions)
{
    const auto options = llm::optionsOf(dimensions);
    if (!options) {
        Error error = options.error();
        error.path = "--dim " + error.path;
        error.file = file;
        return error;
    }
    constexpr std::string_view kName = "config.json";
    std::string beside = file;
    std::optional<std::string> quantText;
    if (file.ends_with(kName)) {
        beside.insert(beside.size() - kName.size(), "hf_quant_");
        std::error_code none;
        if (std::filesystem::exists(beside, none)) {
            auto read = readFile(beside);
            if (!read)
                return read.error();
            quantText = std::move(*read);
        }
    }
    const auto config = llm::readLlmConfig(text, file, quantText, beside);
    if (!config)
        return config.error();
    auto built = llm::llmModel(*config, *options);
    if (!built) {
        Error error = built.error();
        error.file = file;
        return error;
    }
    Workload out;
    out.model = std::move(built->model);
    out.language = std::move(static_cast<llm::LlmScope&>(*built));
    return out;
}

/// Converts ids of tensors of a problem to those of its model, which have the same indices.
std::vector<ModelTensorId> sameIndex(const std::vector<TensorId>& tensors)
{
    std::vector<ModelTensorId> out;
    out.reserve(tensors.size());
    for (const TensorId t : tensors)
        out.emplace_back(t.index());
    return out;
}

/// Converts the attributes of an operator of the NPU lens that other lenses use, too.
model::Attributes attributesOf(const npu::ModelOp& op, model::OperatorKind kind)
{
    model::Attributes out = model::attributesOf(kind);
    if (auto* window = std::get_if<model::WindowAttributes>(&out)) {
        window->stride = op.stride;
        window->dilation = op.dilation;
        window->padding = op.padding;
        window->groups = op.groups;
    } else if (auto* attention = std::get_if<model::AttentionAttributes>(&out)) {
        *attention = {op.heads, op.kvHeads, op.causal};
    } else if (auto* vector = std::get_if<model::ElementwiseAttributes>(&out)) {
        vector->passes = op.passes;
    } else if (auto* cache = std::get_if<model::KvAttributes>(&out)) {
        *cache = {op.heads, op.position, op.range};
    }
    return out;
}

/// Converts a model of the NPU lens. Each operator type becomes the OperatorKind of the same name.
Result<model::Model> modelOf(const npu::NpuModel& npu)
{
    model::Model out;
    out.name = npu.name;
    out.dtypeBytes = npu.dtypeBytes;
    out.file = npu.file;
    for (const npu::ModelTensor& t : npu.tensors)
        out.tensors.push_back({t.name, t.shape, false, 0});
    const auto ids = [](const std::vector<std::size_t>& tensors) {
        return std::vector<ModelTensorId>(tensors.begin(), tensors.end());
    };
    for (const npu::ModelOp& op : npu.ops) {
        const auto kind = *std::ranges::find(model::operatorKinds(), toString(op.type),
                                             [](model::OperatorKind k) { return toString(k); });
        out.operators.push_back({kind, op.name, {}, ids(op.inputs), ids(op.outputs), attributesOf(op, kind)});
    }
    model::adoptCaches(out);
    model::markConstants(out);
    if (Status s = model::checkModel(out); !s)
        return s.error();
    return out;
}

/// Adds one copy of a layer to the model.
void addLayer(model::ModelBuilder& b, const mapping::Layer& layer, const std::string& name)
{
    if (layer.kind == mapping::LayerKind::Gemm) {
        const ModelTensorId a = b.input(name + ".A", {layer.m, layer.k});
        b.matmul(name, a, b.constant(name + ".B", {layer.k, layer.n}));
        return;
    }
    model::WindowAttributes w;
    w.stride = layer.stride;
    w.dilation = layer.dilation;
    w.padding.fill(layer.padding);
    const bool depthwise = layer.kind == mapping::LayerKind::DwConv;
    w.groups = depthwise ? layer.inChannels : layer.groups;
    const ModelTensorId x =
        b.input(name + ".input", {layer.batch, layer.inChannels, layer.height, layer.width});
    const ModelTensorId weight = b.constant(
        name + ".weight", {layer.outChannels, layer.inChannels / w.groups, layer.kernel[0], layer.kernel[1]});
    b.add(model::OperatorKind::Conv2d, name, {x, weight}, w);
}

/// True if, for a file that both readers refuse, the error of the NPU lens's reader should be shown, because
/// the file has fields that only this lens has.
bool isOfNpuAlone(FileKind kind, const Error& ofModel, const Error& ofNpu)
{
    const auto isUnknown = [](const Error& e) { return e.message.starts_with("unknown field"); };
    return kind == FileKind::NpuModel || (isUnknown(ofModel) && !isUnknown(ofNpu));
}

/// Checks the fields that the reader of a model ignores because the NPU lens reads them. Issues a notice if
/// that lens cannot read the file either.
Status checkFieldsOfNpu(std::string_view text, const std::string& file, const Result<npu::NpuModel>& npu)
{
    const auto has = [&](std::string_view key) { return text.find(key) != std::string_view::npos; };
    if (has("\"run\""))
        if (const auto run = npu::runOptionsOf(text, file); !run)
            return run.error();
    if (npu || !(has("\"hardware\"") || has("\"tile\"") || has("\"variant\"")))
        return Unit{};
    if (Status s = npu::checkOwnFields(text, file); !s)
        return s;
    const Error& why = npu.error();
    notice(
        {ErrorCode::Field,
         "the fields for the NPU lens (hardware, tile, variant) are not used, because it does not read this "
         "model: " +
             (why.path.empty() ? std::string() : why.path + ": ") + why.message,
         {},
         file});
    return Unit{};
}

} // namespace

Result<model::Model> modelOf(const Problem& problem)
{
    model::Model out;
    out.name = problem.name();
    for (std::size_t i = 0; i < problem.tensorCount(); ++i) {
        const Tensor& t = problem.tensor(TensorId(i));
        out.tensors.push_back({problem.tensorName(TensorId(i)), {t.height, t.width}, false, 0});
    }
    // Names may repeat in a problem, but not in a model.
    std::map<std::string, int> seen;
    for (std::size_t i = 0; i < out.tensors.size(); ++i)
        if (std::string& name = out.tensors[ModelTensorId(i)].name; seen[name]++ > 0)
            name += "#" + std::to_string(i);
    for (std::size_t i = 0; i < problem.opCount(); ++i) {
        const Op& op = problem.op(OpId(i));
        const bool product = op.type == OpType::MatMul;
        out.operators.push_back({product ? model::OperatorKind::MatMul : model::OperatorKind::Elementwise,
                                 problem.opName(OpId(i)),
                                 {},
                                 sameIndex(problem.operands(OpId(i))),
                                 sameIndex({op.output}),
                                 product ? model::Attributes(model::MatMulAttributes{})
                                         : model::Attributes(model::ElementwiseAttributes{})});
    }
    for (const TensorView& view : problem.data().views)
        out.operators.push_back({model::OperatorKind::View,
                                 out.tensors[ModelTensorId(view.tensor.index())].name,
                                 {},
                                 sameIndex(view.bases),
                                 sameIndex({view.tensor}),
                                 model::NoAttributes{}});
    if (Status s = model::checkModel(out); !s)
        return s.error();
    return out;
}

Result<model::Model> modelOf(const mapping::Model& layers)
{
    std::int64_t total = 0;
    for (const mapping::Layer& layer : layers.layers)
        if (total = saturatingAdd(total, layer.count); total > kMaxLayers)
            return problemError("layers",
                                "the counts are more than " + formatGrouped(kMaxLayers) + " together");
    model::ModelBuilder b(layers.name);
    std::map<std::string, int> used;
    std::unordered_set<std::string> tensors;
    const auto named = [&](std::string name, std::size_t i) {
        static constexpr std::string_view kParts[] = {"", ".A", ".B", ".input", ".weight"};
        const auto isTaken = [&](std::string_view part) {
            return tensors.contains(name + std::string(part));
        };
        while (std::ranges::any_of(kParts, isTaken))
            name += "#" + std::to_string(i);
        for (const std::string_view part : kParts)
            tensors.insert(name + std::string(part));
        return name;
    };
    for (std::size_t i = 0; i < layers.layers.size(); ++i) {
        const mapping::Layer& layer = layers.layers[i];
        std::string name = layer.name.empty() ? "layer" + std::to_string(i) : layer.name;
        if (used[name]++ > 0)
            name += "#" + std::to_string(i);
        for (std::int64_t c = 0; c < layer.count; ++c)
            addLayer(b, layer, named(layer.count > 1 ? name + "[" + std::to_string(c) + "]" : name, i));
    }
    return std::move(b).build();
}

Result<Workload> readWorkload(std::string_view text, const std::string& file,
                              const onnx::Dimensions& dimensions)
{
    if (onnx::isOnnx(text))
        return workloadOf(onnx::importModel(text, file, dimensions));
    if (isLanguageModel(text))
        return languageModel(text, file, dimensions);
    if (!dimensions.empty())
        return Error{ErrorCode::Field, "the workload has no free dimension",
                     "--dim " + dimensions.begin()->first, file};
    if (model::isMlir(text))
        return workloadOf(stablehlo::importModel(text, file));
    Workload out;
    if (model::isTopology(text)) {
        auto m = model::readTopology(text, file);
        if (!m)
            return m.error();
        out.model = std::move(*m);
        return out;
    }
    const auto kind = fileKindOf(text, file);
    if (!kind)
        return kind.error();
    switch (*kind) {
    case FileKind::Problem: {
        const auto problem = readProblem(text, file);
        if (!problem)
            return problem.error();
        out.problem = *problem;
        takeModel(out, modelOf(**problem), file);
        return out;
    }
    case FileKind::MappingLayer:
    case FileKind::MappingModel: {
        const auto layers = mapping::readLayers(text, file);
        if (!layers)
            return layers.error();
        out.layers = layers->model;
        out.oneLayer = !layers->isModel;
        takeModel(out, modelOf(layers->model), file);
        return out;
    }
    case FileKind::MappingSetup: {
        if (hierarchy::isSetup(text)) {
            auto setup = hierarchy::readSetup(text, file);
            if (!setup)
                return setup.error();
            out.layers = mapping::Model{setup->layer.name, {setup->layer}};
            out.oneLayer = true;
            out.levels = std::move(*setup);
            takeModel(out, modelOf(*out.layers), file);
            return out;
        }
        auto setup = mapping::readSetup(text, file);
        if (!setup)
            return setup.error();
        out.layers = mapping::Model{setup->layer.name, {setup->layer}};
        out.oneLayer = true;
        out.setup = std::move(*setup);
        takeModel(out, modelOf(*out.layers), file);
        return out;
    }
    case FileKind::Model:
    case FileKind::NpuModel: {
        auto npu = npu::parseModel(text, file);
        auto m = npu ? modelOf(*npu) : model::readModel(text, file);
        if (!m)
            return npu || !isOfNpuAlone(*kind, m.error(), npu.error()) ? m.error() : npu.error();
        if (Status s = checkFieldsOfNpu(text, file, npu); !s)
            return s.error();
        out.model = std::move(*m);
        if (npu)
            out.npu = std::move(*npu);
        return out;
    }
    default:
        return Error{ErrorCode::Problem,
                     "is not a workload (a model, a layer list, a topology or a problem)",
                     {},
                     file};
    }
}

Result<Workload> loadWorkload(const std::string& path, const onnx::Dimensions& dimensions)
{
    const auto file = onnx::readFile(path);
    if (!file)
        return file.error();
    return readWorkload(file->view(), path, dimensions);
}

std::optional<systolic::Gemm> gemmOf(const LoweredProblem& lowered, OpId id)
{
    const Op& op = lowered.data.ops[id];
    if (op.type != OpType::MatMul || lowered.helper[id.index()])
        return std::nullopt;
    const Tensor& result = lowered.data.tensors[op.output];
    return systolic::Gemm{result.height, result.width, lowered.data.tensors[op.inputs[0]].width};
}

std::vector<GemmLayer> gemmsOf(const LoweredProblem& lowered)
{
    std::vector<GemmLayer> out;
    std::map<std::array<std::int64_t, 3>, std::size_t> known;
    for (std::size_t i = 0; i < lowered.data.ops.size(); ++i) {
        const auto gemm = gemmOf(lowered, OpId(i));
        if (!gemm)
            continue;
        const auto [it, isNew] = known.emplace(std::array{gemm->m, gemm->n, gemm->k}, out.size());
        if (isNew)
            out.push_back({*gemm, 0, {}});
        GemmLayer& layer = out[it->second];
        ++layer.count;
        const std::string& name = lowered.report.nodes[lowered.source[i].index()].name;
        if (layer.operators.empty() || layer.operators.back() != name)
            layer.operators.push_back(name);
    }
    return out;
}

// Report of an ONNX model, by the nodes of its file.

namespace {

NodeReport reportOf(const onnx::ImportedNode& node, const std::vector<NodeReport>& operators, bool allKnown)
{
    NodeReport out{node.name, node.type, NodeStatus::Folded, 0, node.bytes, node.note, 0};
    const NodeReport* op = node.op ? &operators[node.op->index()] : nullptr;
    switch (node.fate) {
    case onnx::Fate::Operator:
        if (op != nullptr) {
            out = *op;
            out.name = node.name;
            out.type = node.type;
        }
        break;
    case onnx::Fate::Part:
        out.status = NodeStatus::Approximated;
        out.macs = node.macs;
        if (op != nullptr && !op->note.empty())
            out.note += ": " + op->note;
        break;
    case onnx::Fate::Folded:
        break;
    case onnx::Fate::Dropped:
        out.status = NodeStatus::Dropped;
        out.dependents = op == nullptr ? 0 : op->dependents;
        out.macsKnown = node.macsKnown;
        out.needed = node.needed;
        out.note += dependentsText(out.dependents, out, allKnown);
        break;
    }
    return out;
}

} // namespace

std::string missingText(const Workload& workload)
{
    std::vector<NodeReport> dropped;
    const auto add = [&](const std::string& name, std::string_view type) {
        NodeReport& node = dropped.emplace_back();
        node.name = name;
        node.type = type;
        node.status = NodeStatus::Dropped;
        node.needed = true;
    };
    if (workload.import) {
        for (const onnx::ImportedNode& node : workload.import->nodes)
            if (node.fate == onnx::Fate::Dropped && node.needed)
                add(node.name, node.type);
    } else {
        for (const model::Operator& op : workload.model.operators)
            if (op.kind == model::OperatorKind::Unknown)
                add(op.name, op.typeName());
    }
    return missingText(dropped);
}

LoweringReport reportOf(const Workload& workload, LoweringReport report)
{
    if (!workload.import)
        return report;
    std::vector<NodeReport> nodes;
    const bool allKnown = std::ranges::all_of(workload.import->nodes, &onnx::ImportedNode::macsKnown);
    for (const onnx::ImportedNode& node : workload.import->nodes)
        nodes.push_back(reportOf(node, report.nodes, allKnown));
    report.nodes = std::move(nodes);
    report.operators = report.nodes.size();
    report.leftOutBytes = saturatingAdd(report.leftOutBytes, workload.import->leftOutBytes);
    report.notes.insert(report.notes.end(), workload.import->notes.begin(), workload.import->notes.end());
    tellTotals(report);
    return report;
}

using model::Operator;
using model::OperatorKind;
using model::Shape;

namespace {

mapping::Layer gemmLayer(std::int64_t m, std::int64_t n, std::int64_t k)
{
    mapping::Layer l;
    l.kind = mapping::LayerKind::Gemm;
    l.m = m;
    l.n = n;
    l.k = k;
    return l;
}

/// Layers with different shapes, in the order of their first operator.
class LayerList
{
public:
    void add(mapping::Layer layer, const std::string& name)
    {
        const std::string key = std::to_string(static_cast<int>(layer.kind)) + describe(layer) + "/" +
                                std::to_string(layer.padding);
        const auto [it, isNew] = m_known.emplace(key, m_out.size());
        if (isNew) {
            layer.count = 0;
            layer.name = name;
            m_out.push_back({std::move(layer), {}});
        }
        NamedLayer& known = m_out[it->second];
        ++known.layer.count;
        if (known.operators.empty() || known.operators.back() != name)
            known.operators.push_back(name);
    }
    std::vector<NamedLayer> take() { return std::move(m_out); }

private:
    std::vector<NamedLayer> m_out;
    std::map<std::string, std::size_t> m_known;
};

} // namespace

mapping::Layer convolutionLayer(const model::Model& model, const Operator& op)
{
    const auto& w = op.as<model::WindowAttributes>();
    const Shape &x = model.shape(op.inputs[0]), &weight = model.shape(op.inputs[1]);
    mapping::Layer l;
    l.batch = x[0];
    l.inChannels = x[1];
    l.outChannels = weight[0];
    l.kernel = {weight[2], weight[3]};
    l.stride = w.stride;
    l.dilation = w.dilation;
    l.groups = w.groups;
    const auto& p = w.padding;
    if (std::all_of(p.begin(), p.end(), [&](std::int64_t n) { return n == p[0]; })) {
        l.height = x[2];
        l.width = x[3];
        l.padding = p[0];
    } else { // a layer has equal padding on all sides; the size of the stored input does not change
        l.height = x[2] + p[0] + p[2];
        l.width = x[3] + p[1] + p[3];
    }
    if (w.groups == x[1] && weight[0] == x[1] && w.groups > 1) {
        l.kind = mapping::LayerKind::DwConv;
        l.groups = 1;
    }
    return l;
}

std::vector<NamedLayer> layersOf(const model::Model& model, const LoweredProblem& lowered)
{
    // A convolution becomes a layer with seven loops; other products become the GEMMs of the problem.
    std::vector<std::vector<OpId>> products(model.operators.size());
    for (std::size_t i = 0; i < lowered.data.ops.size(); ++i)
        if (lowered.data.ops[OpId(i)].type == OpType::MatMul && !lowered.helper[i])
            products[lowered.source[i].index()].emplace_back(i);
    LayerList out;
    for (std::size_t i = 0; i < model.operators.size(); ++i) {
        const Operator& op = model.operators[OperatorId(i)];
        const NodeReport& node = lowered.report.nodes[i];
        if (node.status == NodeStatus::Dropped)
            continue;
        if (op.kind == OperatorKind::Conv2d) {
            out.add(convolutionLayer(model, op), node.name);
            continue;
        }
        for (const OpId o : products[i]) {
            const Op& product = lowered.data.ops[o];
            const Tensor& result = lowered.data.tensors[product.output];
            out.add(gemmLayer(result.height, result.width, lowered.data.tensors[product.inputs[0]].width),
                    node.name);
        }
    }
    return out.take();
}

mapping::Model layerModel(const model::Model& model, const LoweredProblem& lowered)
{
    mapping::Model out;
    out.name = model.name;
    for (NamedLayer& named : layersOf(model, lowered))
        out.layers.push_back(std::move(named.layer));
    return out;
}

} // namespace tilewright::lower
