// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/problem_json.h"

#include "base/file.h"
#include "base/json_document.h"
#include "base/json_reader.h"

#include <array>

namespace tilewright {

namespace {

constexpr std::array<std::string_view, 12> kKnownFields{"name",
                                                        "widths",
                                                        "heights",
                                                        "tensor_names",
                                                        "inputs",
                                                        "outputs",
                                                        "base_costs",
                                                        "op_types",
                                                        "op_names",
                                                        "fast_memory_capacity",
                                                        "slow_memory_bandwidth",
                                                        "native_granularity"};

constexpr std::string_view kMatMul = "MatMul";
constexpr std::string_view kPointwise = "Pointwise";

/// The list `key`, whose length must be that of the list named `like`.
Result<JsonCursor> listLike(const JsonCursor& root, std::string_view key, std::string_view like,
                            std::size_t size)
{
    auto field = root.member(key);
    if (!field)
        return field.error();
    if (auto status = field->list(); !status)
        return status.error();
    if (field->size() != size)
        return field->error("has " + std::to_string(field->size()) + " entries, but \"" + std::string(like) +
                            "\" has " + std::to_string(size));
    return field;
}

/// An optional list of labels.
Result<std::vector<std::string>> labels(const JsonCursor& root, std::string_view key, std::string_view like,
                                        std::size_t size)
{
    std::vector<std::string> out(size);
    if (!root.has(key))
        return out;
    const auto list = listLike(root, key, like, size);
    if (!list)
        return list.error();
    for (std::size_t i = 0; i < size; ++i) {
        auto text = list->at(i).string();
        if (!text)
            return text.error();
        out[i] = std::move(*text);
    }
    return out;
}

Result<std::int64_t> positive(const JsonCursor& root, std::string_view key)
{
    const auto field = root.member(key);
    if (!field)
        return field.error();
    return field->integer(1, kMaxArea);
}

Result<Hardware> readHardware(const JsonCursor& root)
{
    Hardware hw;
    const auto capacity = positive(root, "fast_memory_capacity");
    if (!capacity)
        return capacity.error();
    const auto bandwidth = positive(root, "slow_memory_bandwidth");
    if (!bandwidth)
        return bandwidth.error();
    hw.fastMemoryCapacity = *capacity;
    hw.slowMemoryBandwidth = *bandwidth;
    const auto native = root.member("native_granularity");
    if (!native)
        return native.error();
    const auto sizes = native->integers(1, kMaxDimension);
    if (!sizes)
        return sizes.error();
    if (sizes->size() != 2 && sizes->size() != 3)
        return native->expected("[width, height] or [width, height, depth]");
    hw.nativeWidth = (*sizes)[0];
    hw.nativeHeight = (*sizes)[1];
    if (sizes->size() == 3)
        hw.nativeDepth = (*sizes)[2];
    return hw;
}

Result<IdVector<TensorId, Tensor>> readTensors(const JsonCursor& root)
{
    const auto widths = root.member("widths");
    if (!widths)
        return widths.error();
    const auto width = widths->integers(1, kMaxDimension);
    if (!width)
        return width.error();
    const auto heights = listLike(root, "heights", "widths", width->size());
    if (!heights)
        return heights.error();
    const auto height = heights->integers(1, kMaxDimension);
    if (!height)
        return height.error();
    const auto names = labels(root, "tensor_names", "widths", width->size());
    if (!names)
        return names.error();
    IdVector<TensorId, Tensor> tensors;
    for (std::size_t i = 0; i < width->size(); ++i)
        tensors.push_back({(*width)[i], (*height)[i], (*names)[i]});
    return tensors;
}

Result<OpType> readOpType(const JsonCursor& item)
{
    const auto text = item.string();
    if (!text)
        return text.error();
    if (*text == kMatMul)
        return OpType::MatMul;
    if (*text == kPointwise)
        return OpType::Pointwise;
    return item.expected("\"MatMul\" or \"Pointwise\"");
}

Result<std::vector<TensorId>> readTensorIds(const JsonCursor& list, std::size_t tensorCount)
{
    const auto indices = list.integers(0, std::numeric_limits<std::int64_t>::max());
    if (!indices)
        return indices.error();
    std::vector<TensorId> out;
    out.reserve(indices->size());
    for (const std::int64_t index : *indices) {
        if (static_cast<std::size_t>(index) >= tensorCount)
            return list.at(out.size())
                .error("tensor " + std::to_string(index) + " does not exist, there are " +
                       std::to_string(tensorCount));
        out.emplace_back(static_cast<std::size_t>(index));
    }
    return out;
}

Result<IdVector<OpId, Op>> readOps(const JsonCursor& root, std::size_t tensorCount)
{
    const auto typeField = root.member("op_types");
    if (!typeField)
        return typeField.error();
    if (auto status = typeField->list(); !status)
        return status.error();
    const std::size_t n = typeField->size();
    const auto inputs = listLike(root, "inputs", "op_types", n);
    if (!inputs)
        return inputs.error();
    const auto outputs = listLike(root, "outputs", "op_types", n);
    if (!outputs)
        return outputs.error();
    const auto costs = listLike(root, "base_costs", "op_types", n);
    if (!costs)
        return costs.error();
    const auto names = labels(root, "op_names", "op_types", n);
    if (!names)
        return names.error();

    IdVector<OpId, Op> ops;
    for (std::size_t i = 0; i < n; ++i) {
        const auto type = readOpType(typeField->at(i));
        if (!type)
            return type.error();
        auto in = readTensorIds(inputs->at(i), tensorCount);
        if (!in)
            return in.error();
        const auto out = readTensorIds(outputs->at(i), tensorCount);
        if (!out)
            return out.error();
        if (out->size() != 1)
            return outputs->at(i).error("an op has exactly one output, got " + std::to_string(out->size()));
        const auto cost = costs->at(i).integer(0, kMaxDimension);
        if (!cost)
            return cost.error();
        ops.push_back({*type, std::move(*in), out->front(), *cost, (*names)[i]});
    }
    return ops;
}

} // namespace

Result<ProblemPtr> readProblem(std::string_view text, const std::string& file)
{
    const auto document = parseJson(text, file);
    if (!document)
        return document.error();
    const JsonCursor root(*document, file);
    if (auto status = root.object(); !status)
        return status.error();
    Problem::Data data;
    if (const auto name = root.find("name")) {
        auto value = name->string();
        if (!value)
            return value.error();
        data.name = std::move(*value);
    }
    auto tensors = readTensors(root);
    if (!tensors)
        return tensors.error();
    data.tensors = std::move(*tensors);
    auto ops = readOps(root, data.tensors.size());
    if (!ops)
        return ops.error();
    data.ops = std::move(*ops);
    const auto hardware = readHardware(root);
    if (!hardware)
        return hardware.error();
    data.hardware = *hardware;
    data.extra = unknownFields(*document, kKnownFields);

    auto problem = Problem::build(std::move(data));
    if (!problem) {
        Error error = problem.error();
        error.file = file;
        return error;
    }
    return problem;
}

Result<ProblemPtr> loadProblem(const std::string& path)
{
    const auto text = readFile(path);
    if (!text)
        return text.error();
    return readProblem(*text, path);
}

std::string writeProblem(const Problem& problem)
{
    Json out = Json::object();
    if (!problem.name().empty())
        out["name"] = problem.name();
    Json widths = Json::array();
    Json heights = Json::array();
    Json tensorNames = Json::array();
    bool namedTensors = false;
    for (const Tensor& t : problem.tensors()) {
        widths.push_back(t.width);
        heights.push_back(t.height);
        tensorNames.push_back(t.name);
        namedTensors = namedTensors || !t.name.empty();
    }
    out["widths"] = std::move(widths);
    out["heights"] = std::move(heights);
    Json inputs = Json::array();
    Json outputs = Json::array();
    Json costs = Json::array();
    Json types = Json::array();
    Json opNames = Json::array();
    bool namedOps = false;
    for (const Op& op : problem.ops()) {
        Json in = Json::array();
        for (const TensorId t : op.inputs)
            in.push_back(t.value);
        inputs.push_back(std::move(in));
        outputs.push_back(Json::array({op.output.value}));
        costs.push_back(op.baseCost);
        types.push_back(op.type == OpType::MatMul ? kMatMul : kPointwise);
        opNames.push_back(op.name);
        namedOps = namedOps || !op.name.empty();
    }
    out["inputs"] = std::move(inputs);
    out["outputs"] = std::move(outputs);
    out["base_costs"] = std::move(costs);
    out["op_types"] = std::move(types);
    const Hardware& hw = problem.hardware();
    out["fast_memory_capacity"] = hw.fastMemoryCapacity;
    out["slow_memory_bandwidth"] = hw.slowMemoryBandwidth;
    out["native_granularity"] = Json::array({hw.nativeWidth, hw.nativeHeight});
    if (hw.nativeDepth)
        out["native_granularity"].push_back(*hw.nativeDepth);
    if (namedTensors)
        out["tensor_names"] = std::move(tensorNames);
    if (namedOps)
        out["op_names"] = std::move(opNames);
    addFields(out, problem.data().extra);
    return dumpByField(out);
}

} // namespace tilewright
