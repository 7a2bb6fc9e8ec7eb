// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON files of architectures and mappings with any number of levels.
#include "base/json_fields.h"
#include "base/utf8.h"
#include "hierarchy/files.h"
#include "hierarchy/mapping_json.h"
#include "mapping/operands_json.h"

#include <algorithm>
#include <set>

namespace tilewright::hierarchy {

namespace {

constexpr Integers kBytes{1, std::int64_t{1} << 50};
constexpr Integers kBits{1, 128};
constexpr Integers kAxisSize{1, 1 << 24};
constexpr Integers kFactor{1, kMaxDimension};
constexpr Numbers kBytesPerCycle{1e-6, 1e12};
constexpr Numbers kPicojoules{0, 1e9};
constexpr Numbers kGigahertz{1e-6, 1e6};
constexpr std::size_t kMaxAxes = 8;

/// A value that is checked by `Rule`, or null for none.
template <typename Rule> struct OrNull
{
    Rule rule;
};

template <typename T, typename Rule>
Status readJson(const JsonCursor& at, std::optional<T>& out, const OrNull<Rule>& limit)
{
    if (!at.isNull())
        return tilewright::readJson(at, out, limit.rule);
    out.reset();
    return Unit{};
}

template <typename T, typename Rule> Json writeJson(const std::optional<T>& value, const OrNull<Rule>&)
{
    return value ? Json(*value) : Json();
}

/// One number for each of several operands: {"W": 16}. All of these operands must be present, and no others.
struct ByOperand
{
    std::array<bool, kOperands> which{true, true, true};
    Integers range;
};

using OperandValues = std::array<std::int64_t, kOperands>;

Status readJson(const JsonCursor& at, OperandValues& out, const ByOperand& rule)
{
    if (Status s = at.object(); !s)
        return s;
    out = {};
    std::array<bool, kOperands> seen{};
    for (const auto& [name, unused] : at.node().items()) {
        const auto op = mapping::readOperand(at, printable(name));
        if (!op)
            return op.error();
        if (seen[*op])
            return at.error("names operand " + std::string(mapping::kOperandNames[*op][0]) + " (" +
                            std::string(mapping::kOperandNames[*op][1]) + ") twice");
        seen[*op] = true;
        const auto value = at.member(name);
        if (Status s = tilewright::readJson(*value, out[*op], rule.range); !s)
            return s;
        if (!rule.which[*op])
            return value->error("the level does not hold this operand");
    }
    for (std::size_t op = 0; op < kOperands; ++op)
        if (rule.which[op] && !seen[op])
            return at.error("has no entry for operand " + std::string(mapping::kOperandNames[op][0]) + " (" +
                            std::string(mapping::kOperandNames[op][1]) + ")");
    return Unit{};
}

Json writeJson(const OperandValues& values, const ByOperand& rule)
{
    Json out = Json::object();
    for (std::size_t op = 0; op < kOperands; ++op)
        if (rule.which[op])
            out[std::string(mapping::kOperandNames[op][0])] = values[op];
    return out;
}

/// The loops of an axis. One list has those of convolutions and those of products.
struct LoopNames
{
};

struct LoopSet
{
    unsigned conv = Axis::kAllConv, gemm = Axis::kAllGemm;

    bool operator==(const LoopSet&) const = default;
};

Status readJson(const JsonCursor& at, LoopSet& out, const LoopNames&)
{
    if (Status s = at.list(); !s)
        return s;
    out = {0, 0};
    for (std::size_t i = 0; i < at.size(); ++i) {
        const auto name = at.at(i).string();
        if (!name)
            return name.error();
        const auto conv = std::ranges::find(mapping::kConvLoops, *name);
        const auto gemm = std::ranges::find(mapping::kGemmLoops, *name);
        if (conv != mapping::kConvLoops.end())
            out.conv |= 1u << (conv - mapping::kConvLoops.begin());
        else if (gemm != mapping::kGemmLoops.end())
            out.gemm |= 1u << (gemm - mapping::kGemmLoops.begin());
        else
            return at.at(i).error("unknown loop \"" + name->substr(0, 40) + "\"");
    }
    return Unit{};
}

Json writeJson(const LoopSet& loops, const LoopNames&)
{
    Json out = Json::array();
    for (std::size_t l = 0; l < mapping::kConvLoops.size(); ++l)
        if ((loops.conv >> l & 1u) != 0)
            out.push_back(mapping::kConvLoops[l]);
    for (std::size_t l = 0; l < mapping::kGemmLoops.size(); ++l)
        if ((loops.gemm >> l & 1u) != 0)
            out.push_back(mapping::kGemmLoops[l]);
    return out;
}

std::string_view reductionName(bool tree)
{
    return tree ? "tree" : "none";
}
constexpr std::array kReductions{false, true};

/// Reports an error at the second of two equal names in `list`, whose items have a field "name".
template <typename T> void checkNames(JsonFields& f, std::string_view list, const std::vector<T>& items)
{
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string where = std::string(list) + "[" + std::to_string(i) + "].name";
        if (items[i].name.empty())
            f.fail(where, "must not be empty");
        else if (!names.insert(items[i].name).second)
            f.fail(where, "\"" + items[i].name + "\" is the name of an earlier entry");
    }
}

} // namespace

static void bindFields(JsonFields& f, Axis& axis)
{
    f.required("name", axis.name);
    f.required("size", axis.size, kAxisSize);
    LoopSet loops{axis.convLoops, axis.gemmLoops};
    f.defaulted("loops", loops, {}, LoopNames{});
    axis.convLoops = loops.conv;
    axis.gemmLoops = loops.gemm;
}

static void bindFields(JsonFields& f, Level& level)
{
    f.required("name", level.name);
    f.defaulted("holds", level.holds, {true, true, true}, mapping::OperandNames{});
    if (f.has("bytes") && f.has("memories"))
        f.fail("memories", "separate memories instead of \"bytes\": the level has both");
    if (f.reading() ? f.has("memories") : level.memories.has_value())
        f.required("memories", level.memories, ByOperand{level.holds, kBytes});
    else if (f.reading() && !f.has("bytes"))
        f.fail({}, "expected \"bytes\" (null: unlimited) or \"memories\"");
    if (!level.memories)
        f.optional("bytes", level.bytes, OrNull<Integers>{kBytes});
    else
        f.ignored("bytes");
    f.required("read_bytes_per_cycle", level.readBytesPerCycle, OrNull<Numbers>{kBytesPerCycle});
    f.required("write_bytes_per_cycle", level.writeBytesPerCycle, OrNull<Numbers>{kBytesPerCycle});
    f.required("read_pj", level.readPj, kPicojoules);
    f.required("write_pj", level.writePj, kPicojoules);
    f.defaulted("double_buffered", level.doubleBuffered, {});
    f.defaulted("axes", level.axes, {});
    f.defaulted("multicast", level.multicast, true);
    f.defaulted("reduction", level.reductionTree, false, Words<bool>{kReductions, reductionName});
    if (level.axes.size() > kMaxAxes)
        f.fail("axes", "expected at most " + std::to_string(kMaxAxes) + " axes");
    checkNames(f, "axes", level.axes);
}

static void bindFields(JsonFields& f, Architecture& a)
{
    f.defaulted("name", a.name, {});
    f.defaulted("clock_ghz", a.clockGhz, 1, kGigahertz);
    f.required("bits", a.bits, ByOperand{{true, true, true}, kBits});
    f.required("accumulator_bits", a.accumulatorBits, kBits);
    f.required("mac_pj", a.macPj, kPicojoules);
    f.defaulted("imperfect", a.imperfect, false);
    f.required("levels", a.levels);
    if (!f.reading() || f.failed())
        return;
    if (a.levels.empty() || a.levels.size() > kMaxLevels)
        return f.fail("levels", "expected 1 to " + std::to_string(kMaxLevels) + " levels, got " +
                                    std::to_string(a.levels.size()));
    checkNames(f, "levels", a.levels);
    for (std::size_t op = 0; op < kOperands; ++op)
        if (!a.levels.front().holds[op])
            f.fail("levels[0].holds", "the outermost level holds all operands, but operand " +
                                          std::string(mapping::kOperandNames[op][0]) + " (" +
                                          std::string(mapping::kOperandNames[op][1]) + ") is missing");
}

namespace {

/// A tiled loop: ["Ox", 4].
struct LoopOf
{
    const LoopNest& nest;
};

Status readJson(const JsonCursor& at, TiledLoop& out, const LoopOf& rule)
{
    if (Status s = at.list(2); !s)
        return s;
    const auto name = at.at(0).string();
    if (!name)
        return name.error();
    out.loop = rule.nest.loopByName(*name);
    if (out.loop < 0)
        return at.at(0).error("unknown loop \"" + name->substr(0, 40) + "\"");
    return tilewright::readJson(at.at(1), out.factor, kFactor);
}

Json writeJson(const TiledLoop& tiled, const LoopOf& rule)
{
    return Json::array({rule.nest.loopNames[static_cast<std::size_t>(tiled.loop)], tiled.factor});
}

/// The spatial loops of a level: {"rows": [["Ox", 4]]}.
struct ByAxis
{
    const LoopNest& nest;
};

Status readJson(const JsonCursor& at, std::vector<AxisLoops>& out, const ByAxis& rule)
{
    if (Status s = at.object(); !s)
        return s;
    out.clear();
    for (const auto& [name, unused] : at.node().items()) {
        AxisLoops& axis = out.emplace_back();
        axis.axis = printable(name);
        if (Status s = tilewright::readJson(*at.member(name), axis.loops, LoopOf{rule.nest}); !s)
            return s;
    }
    return Unit{};
}

Json writeJson(const std::vector<AxisLoops>& axes, const ByAxis& rule)
{
    Json out = Json::object();
    for (const AxisLoops& axis : axes)
        out[axis.axis] = tilewright::writeJson(axis.loops, LoopOf{rule.nest});
    return out;
}

/// The level of the architecture that an entry of a mapping describes.
struct EntryOf
{
    const LoopNest& nest;
    const Level& level;
};

void bindEntry(JsonFields& f, LevelLoops& loops, const EntryOf& entry)
{
    std::string name = entry.level.name;
    f.required("name", name);
    if (name != entry.level.name)
        f.fail("name", "expected \"" + entry.level.name + "\", the level of the architecture, got \"" +
                           name.substr(0, 40) + "\"");
    f.optional("temporal", loops.temporal, LoopOf{entry.nest});
    f.defaulted("spatial", loops.spatial, {}, ByAxis{entry.nest});
}

struct MappingOf
{
    const LoopNest& nest;
    const Architecture& architecture;
};

Status readJson(const JsonCursor& at, std::vector<LevelLoops>& out, const MappingOf& rule)
{
    if (Status s = at.list(); !s)
        return s;
    const std::vector<Level>& levels = rule.architecture.levels;
    out.assign(levels.size(), {});
    for (std::size_t i = 0; i < std::min(at.size(), levels.size()); ++i)
        if (Status s = tilewright::readJson(at.at(i),
                                            [&](JsonFields& f) {
                                                bindEntry(f, out[i], EntryOf{rule.nest, levels[i]});
                                            });
            !s)
            return s;
    if (at.size() != levels.size())
        return at.error("has " + std::to_string(at.size()) + " entries, but the architecture has " +
                        std::to_string(levels.size()) + " levels");
    return Unit{};
}

Json writeJson(const std::vector<LevelLoops>& entries, const MappingOf& rule)
{
    Json out = Json::array();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        LevelLoops copy = entries[i];
        out.push_back(tilewright::writeJson([&](JsonFields& f) {
            bindEntry(f, copy, EntryOf{rule.nest, rule.architecture.levels[i]});
        }));
    }
    return out;
}

} // namespace

static void bindFields(JsonFields& f, Mapping& mapping, const MappingOf& rule)
{
    f.required("levels", mapping.levels, rule);
}

bool hasLevels(std::string_view text)
{
    const auto document = parseJson(text, {});
    return document && JsonCursor(*document, {}).has("levels");
}

Result<Architecture> readArchitecture(std::string_view text, const std::string& file)
{
    return parseJsonValue<Architecture>(text, file);
}

namespace {

/// Removes the name of an item of the list, or else one part of the path, and the dot after it from the front
/// of the path, and returns that item. Names may contain dots: the longest matching name is used.
Json* takePart(Json& at, std::string_view& path)
{
    if (!at.is_array()) {
        const std::string key(path.substr(0, path.find('.')));
        path.remove_prefix(std::min(key.size() + 1, path.size()));
        return at.is_object() && at.contains(key) ? &at[key] : nullptr;
    }
    Json* out = nullptr;
    std::size_t length = 0;
    for (Json& item : at)
        if (const auto name = item["name"].get<std::string>();
            path.starts_with(name) && path.substr(name.size()).starts_with('.') && name.size() >= length) {
            out = &item;
            length = name.size();
        }
    path.remove_prefix(out ? length + 1 : 0);
    return out;
}

} // namespace

Result<Architecture> withField(const Architecture& architecture, std::string_view path,
                               std::string_view value)
{
    const Error none{ErrorCode::Refused, "is not a field of the architecture", {}, {}};
    Json document = tilewright::writeJson(architecture);
    Json* at = &document;
    std::string_view rest = path;
    while (at && (at->is_array() || rest.find('.') != std::string_view::npos))
        at = takePart(*at, rest);
    if (!at || !at->is_object() || rest.empty())
        return none;
    const auto scalar = parseJson(value, {});
    (*at)[std::string(rest)] = scalar && scalar->is_primitive() ? *scalar : Json(std::string(value));
    return readArchitecture(jsonText(document), {});
}

Status checkArchitecture(const Architecture& architecture)
{
    return checkJsonValue(architecture);
}

Result<Mapping> readMapping(std::string_view text, const std::string& file, const LoopNest& nest,
                            const Architecture& architecture)
{
    return parseJsonValue<Mapping>(text, file, MappingOf{nest, architecture});
}

std::string writeArchitecture(const Architecture& architecture)
{
    return jsonText(tilewright::writeJson(architecture), 2) + "\n";
}

Json mappingJson(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping)
{
    return tilewright::writeJson(mapping, MappingOf{nest, architecture});
}

std::string writeMapping(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping)
{
    return jsonText(mappingJson(nest, architecture, mapping), 2) + "\n";
}

} // namespace tilewright::hierarchy
