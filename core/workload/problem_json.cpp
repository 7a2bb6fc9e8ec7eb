// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/problem_json.h"

#include "base/file.h"
#include "base/json_fields.h"
#include "base/text.h"
#include "workload/rules_json.h"

#include <algorithm>
#include <array>

namespace tilewright {

namespace {

constexpr std::array kArrayKinds{ComputeArray::Kind::Systolic, ComputeArray::Kind::DotProduct};
constexpr Integers kCounts{1, kMaxDimension};
constexpr Integers kFirsts{0, kMaxDimension};
constexpr Integers kPads{-kMaxDimension, kMaxDimension};

std::string_view arrayKindName(ComputeArray::Kind kind)
{
    return kind == ComputeArray::Kind::Systolic ? "systolic" : "dot_product";
}

void bindMap(JsonFields& f, WindowsMap& m)
{
    f.required("n", m.n, kCounts);
    f.required("h", m.h, kCounts);
    f.required("w", m.w, kCounts);
    f.required("channels", m.channels, kFirsts);
    f.required("window", m.window, kCounts);
    f.required("stride", m.stride, kCounts);
    f.required("pad", m.pad, kPads);
    f.required("dilation", m.dilation, kCounts);
}

void bindMap(JsonFields& f, RepeatMap& m)
{
    f.required("rows", m.rows, kCounts);
    f.required("cols", m.cols, kCounts);
}

void bindMap(JsonFields& f, SliceMap& m)
{
    f.required("rows", m.rows, kFirsts);
    f.required("cols", m.cols, kFirsts);
    f.defaulted("transposed", m.transposed, false);
}

} // namespace

// JSON form of an index map (R1.8): an object with the field "kind"
static Status readJson(const JsonCursor& at, IndexMap& map)
{
    const auto kind = at.member("kind");
    if (!kind)
        return kind.error();
    std::string word;
    if (Status s = readJson(*kind, word); !s)
        return s;
    constexpr std::array<std::string_view, 3> kKinds{"windows", "repeat", "slice"};
    if (word == kKinds[0])
        map = WindowsMap();
    else if (word == kKinds[1])
        map = RepeatMap();
    else if (word == kKinds[2])
        map = SliceMap();
    else
        return expectedWord(*kind, kKinds);
    JsonFields f(at);
    f.required("kind", word);
    std::visit([&](auto& m) { bindMap(f, m); }, map);
    return f.close();
}

static Json writeJson(const IndexMap& map)
{
    Json out;
    JsonFields f(out);
    std::string kind(mapKind(map));
    f.required("kind", kind);
    IndexMap copy = map;
    std::visit([&](auto& m) { bindMap(f, m); }, copy);
    return out;
}

// JSON form of a view (R1.7, R1.8): [view, [base, ...]] or [view, [base], map]
static Status readJson(const JsonCursor& at, TensorView& view)
{
    constexpr Integers kIds{0, std::numeric_limits<std::uint32_t>::max()};
    if (Status s = at.list(); !s)
        return s;
    if (at.size() != 2 && at.size() != 3)
        return at.error("expected [view, [base, ...]] or [view, [base], map], got a list of " +
                        std::to_string(at.size()));
    if (Status s = readJson(at.at(0), view.tensor.value, kIds); !s)
        return s;
    std::vector<std::int64_t> bases;
    if (Status s = readJson(at.at(1), bases, kIds); !s)
        return s;
    view.bases.clear();
    for (const std::int64_t base : bases)
        view.bases.emplace_back(static_cast<std::size_t>(base));
    return at.size() == 3 ? readJson(at.at(2), view.map) : Status(Unit{});
}

static Json writeJson(const TensorView& view)
{
    Json bases = Json::array();
    for (const TensorId base : view.bases)
        bases.push_back(base.value);
    Json out = Json::array({view.tensor.value, std::move(bases)});
    if (view.map)
        out.push_back(writeJson(*view.map));
    return out;
}

/// A width in bits (R1.9), stored in 1/1024 bit.
struct BitWidth
{
    std::int64_t parts = 0;
    bool operator==(const BitWidth&) const = default;
};

static Status readJson(const JsonCursor& at, BitWidth& width)
{
    double bits = 0;
    if (Status s = readJson(at, bits, Numbers{0, 64}); !s)
        return s;
    const double parts = bits * static_cast<double>(kPartsOfBit);
    width.parts = static_cast<std::int64_t>(parts);
    if (parts <= 0 || static_cast<double>(width.parts) != parts)
        return at.error("expected a width in bits above 0 and a multiple of 1/1024, got " +
                        formatNumber(bits));
    return Unit{};
}

template <typename... Rule> static Json writeJson(const BitWidth& width, const Rule&...)
{
    if (width.parts % kPartsOfBit == 0)
        return width.parts / kPartsOfBit;
    return static_cast<double>(width.parts) / static_cast<double>(kPartsOfBit);
}

/// Energies of the ops of one kind (R17): one number, or a list with one number per op.
struct OpEnergies
{
    std::vector<double> values{0};
};

static Status readJson(const JsonCursor& at, OpEnergies& energies, const Numbers& range)
{
    if (at.node().is_array())
        return readJson<double>(at, energies.values, range);
    energies.values.assign(1, 0);
    return readJson(at, energies.values.front(), range);
}

static Json writeJson(const OpEnergies& energies, const Numbers& /*range*/)
{
    return energies.values.size() == 1 ? Json(energies.values.front()) : Json(energies.values);
}

static void bindFields(JsonFields& f, EnergyCosts& e)
{
    constexpr Numbers kEnergy{0, 1e9};
    OpEnergies mac{e.mac}, vector{e.vector};
    f.required("slow", e.slow, kEnergy);
    f.required("fast", e.fast, kEnergy);
    f.required("mac", mac, kEnergy);
    f.required("vector", vector, kEnergy);
    e.mac = std::move(mac.values);
    e.vector = std::move(vector.values);
}

static void bindFields(JsonFields& f, ComputeArray& a)
{
    f.required("kind", a.kind, Words<ComputeArray::Kind>{kArrayKinds, arrayKindName});
    if (a.kind == ComputeArray::Kind::DotProduct) {
        f.required("inputs", a.inputs, kCounts);
        f.required("outputs", a.outputs, kCounts);
    }
    f.defaulted("arrays", a.arrays, 1, kCounts);
}

namespace {

constexpr std::array kOpTypes{OpType::MatMul, OpType::Pointwise};
constexpr Integers kSizes{1, kMaxDimension};

std::string_view opTypeName(OpType type)
{
    return type == OpType::MatMul ? "MatMul" : "Pointwise";
}

/// Content of a problem file: parallel lists with one entry per tensor or per op.
struct ProblemFile
{
    std::string name;
    std::vector<std::int64_t> widths, heights;
    std::vector<std::string> tensorNames; ///< empty if no tensor has a name
    std::vector<std::vector<std::int64_t>> inputs, outputs;
    std::vector<std::int64_t> costs;
    std::vector<OpType> types;
    std::vector<std::string> opNames; ///< empty if no op has a name
    std::int64_t capacity = 0, bandwidth = 0;
    std::vector<std::int64_t> native; ///< native width and height; optionally the depth
    std::vector<TensorView> views;
    std::vector<BitWidth> bits; ///< empty if no tensor has a width of its own
    std::optional<BitWidth> elementBits, accumulatorBits;
    std::optional<EnergyCosts> energy;
    ComputeArray array;
    std::optional<Rules> rules;
    std::string extra; ///< unknown fields as JSON text
};

void checkTensors(JsonFields& f, const std::vector<std::vector<std::int64_t>>& lists, const std::string& key,
                  std::size_t tensors)
{
    for (std::size_t i = 0; i < lists.size(); ++i)
        for (std::size_t j = 0; j < lists[i].size(); ++j)
            if (const std::int64_t t = lists[i][j]; static_cast<std::size_t>(t) >= tensors)
                f.fail(key + "[" + std::to_string(i) + "][" + std::to_string(j) + "]",
                       "tensor " + std::to_string(t) + " does not exist, there are " +
                           std::to_string(tensors));
}

void bindFields(JsonFields& f, ProblemFile& p)
{
    constexpr Integers kTensors{0, std::numeric_limits<std::int64_t>::max()};
    const Like likeWidths = f.like("widths");
    const Like likeTypes = f.like("op_types");
    f.defaulted("name", p.name, {});
    f.required("widths", p.widths, kSizes);
    f.required("heights", p.heights, likeWidths, kSizes);
    f.required("inputs", p.inputs, likeTypes, kTensors);
    f.required("outputs", p.outputs, likeTypes, kTensors);
    f.required("base_costs", p.costs, likeTypes, Integers{0, kMaxDimension});
    f.required("op_types", p.types, Words<OpType>{kOpTypes, opTypeName});
    f.required("fast_memory_capacity", p.capacity, Integers{1, kMaxArea});
    f.required("slow_memory_bandwidth", p.bandwidth, Integers{1, kMaxArea});
    f.required("native_granularity", p.native, kSizes);
    f.defaulted("tensor_names", p.tensorNames, {}, likeWidths);
    f.defaulted("op_names", p.opNames, {}, likeTypes);
    f.defaulted("views", p.views, {});
    f.defaulted("element_bits", p.elementBits, {});
    f.defaulted("bits", p.bits, {}, likeWidths);
    f.defaulted("accumulator_bits", p.accumulatorBits, {});
    f.defaulted("energy", p.energy, {});
    f.defaulted("array", p.array, {});
    f.defaulted("rules", p.rules, {});
    p.extra = f.others();
    f.allowOthers();
    if (!f.reading())
        return;
    checkTensors(f, p.inputs, "inputs", p.widths.size());
    checkTensors(f, p.outputs, "outputs", p.widths.size());
    for (std::size_t i = 0; i < p.outputs.size(); ++i)
        if (p.outputs[i].size() != 1)
            f.fail("outputs[" + std::to_string(i) + "]",
                   "an op has exactly one output, got " + std::to_string(p.outputs[i].size()));
    if (p.native.size() != 2 && p.native.size() != 3)
        f.fail("native_granularity", "expected [width, height] or [width, height, depth], got a list of " +
                                         std::to_string(p.native.size()));
}

Problem::Data dataOf(ProblemFile file)
{
    Problem::Data data;
    data.name = std::move(file.name);
    file.tensorNames.resize(file.widths.size());
    for (std::size_t i = 0; i < file.widths.size(); ++i)
        data.tensors.push_back({file.widths[i], file.heights[i], std::move(file.tensorNames[i]),
                                file.bits.empty() ? 0 : file.bits[i].parts});
    file.opNames.resize(file.types.size());
    for (std::size_t i = 0; i < file.types.size(); ++i) {
        const auto id = [](std::int64_t t) { return TensorId(static_cast<std::size_t>(t)); };
        std::vector<TensorId> inputs;
        for (const std::int64_t t : file.inputs[i])
            inputs.push_back(id(t));
        data.ops.push_back({file.types[i], std::move(inputs), id(file.outputs[i].front()), file.costs[i],
                            std::move(file.opNames[i])});
    }
    data.hardware.fastMemoryCapacity = file.capacity;
    data.hardware.slowMemoryBandwidth = file.bandwidth;
    data.hardware.nativeWidth = file.native[0];
    data.hardware.nativeHeight = file.native[1];
    if (file.native.size() == 3)
        data.hardware.nativeDepth = file.native[2];
    data.hardware.array = file.array;
    data.views = std::move(file.views);
    if (file.elementBits)
        data.elementBits = file.elementBits->parts;
    if (file.accumulatorBits)
        data.accumulatorBits = file.accumulatorBits->parts;
    data.energy = std::move(file.energy);
    data.rules = file.rules;
    data.extra = std::move(file.extra);
    return data;
}

ProblemFile fileOf(const Problem& problem)
{
    ProblemFile file;
    file.name = problem.name();
    for (const Tensor& t : problem.tensors()) {
        file.widths.push_back(t.width);
        file.heights.push_back(t.height);
        file.tensorNames.push_back(t.name);
        if (t.bits != 0)
            file.bits.push_back({t.bits});
    }
    for (const Op& op : problem.data().ops) {
        auto& inputs = file.inputs.emplace_back();
        for (const TensorId t : op.inputs)
            inputs.push_back(static_cast<std::int64_t>(t.value));
        file.outputs.push_back({static_cast<std::int64_t>(op.output.value)});
        file.costs.push_back(op.baseCost);
        file.types.push_back(op.type);
        file.opNames.push_back(op.name);
    }
    for (auto* names : {&file.tensorNames, &file.opNames})
        if (std::ranges::all_of(*names, &std::string::empty))
            names->clear();
    file.views = problem.data().views;
    if (const auto bits = problem.data().elementBits)
        file.elementBits = BitWidth{*bits};
    if (const auto bits = problem.data().accumulatorBits)
        file.accumulatorBits = BitWidth{*bits};
    file.energy = problem.data().energy;
    file.rules = problem.data().rules;
    file.array = problem.hardware().array;
    const Hardware& hw = problem.hardware();
    file.capacity = hw.fastMemoryCapacity;
    file.bandwidth = hw.slowMemoryBandwidth;
    file.native = {hw.nativeWidth, hw.nativeHeight};
    if (hw.nativeDepth)
        file.native.push_back(*hw.nativeDepth);
    return file;
}

} // namespace

Result<ProblemPtr> readProblem(std::string_view text, const std::string& file)
{
    auto read = parseJsonValue<ProblemFile>(text, file);
    if (!read)
        return read.error();
    auto problem = Problem::build(dataOf(std::move(*read)));
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
    Json out = writeJson(fileOf(problem));
    addFields(out, problem.data().extra);
    return dumpByField(out);
}

} // namespace tilewright
