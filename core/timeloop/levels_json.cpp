// SPDX-License-Identifier: GPL-3.0-or-later
// Architectures with levels as the tree of Timeloop, whose attributes are the fields of our own files.
#include "base/json_document.h"
#include "base/utf8.h"
#include "hierarchy/files.h"
#include "timeloop/timeloop.h"
#include "timeloop/yaml.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace tilewright::timeloop {

namespace {

/// Fields of a level in the files of this program. In a Timeloop file they are attributes of the level's
/// component.
constexpr std::array<std::string_view, 11> kLevelFields{
    "bytes",    "memories", "holds", "read_bytes_per_cycle", "write_bytes_per_cycle",
    "read_pj",  "write_pj", "axes",  "double_buffered",      "multicast",
    "reduction"};
/// Fields of an architecture in the files of this program. In a Timeloop file they are attributes of the
/// multiplier.
constexpr std::array<std::string_view, 5> kArchitectureFields{"clock_ghz", "bits", "accumulator_bits",
                                                              "mac_pj", "imperfect"};

void emitJson(YAML::Emitter& out, const Json& value)
{
    if (value.is_object()) {
        out << YAML::Flow << YAML::BeginMap;
        for (const auto& [key, inner] : value.items()) {
            out << YAML::Key << key << YAML::Value;
            emitJson(out, inner);
        }
        out << YAML::EndMap;
    } else if (value.is_array()) {
        out << YAML::Flow << YAML::BeginSeq;
        for (const Json& inner : value)
            emitJson(out, inner);
        out << YAML::EndSeq;
    } else if (value.is_string()) {
        out << YAML::DoubleQuoted << value.get<std::string>();
    } else if (value.is_null()) {
        out << YAML::Null;
    } else {
        out << jsonText(value);
    }
}

Json jsonOf(const YAML::Node& node)
{
    if (node.IsMap()) {
        Json out = Json::object();
        for (const auto& field : node)
            out[field.first.IsScalar() ? field.first.Scalar() : "?"] = jsonOf(field.second);
        return out;
    }
    if (node.IsSequence()) {
        Json out = Json::array();
        for (const YAML::Node& item : node)
            out.push_back(jsonOf(item));
        return out;
    }
    if (!node.IsScalar())
        return {};
    if (node.Tag() != "!") // for a text without quotes
        if (const auto value = parseJson(node.Scalar(), {}); value && !value->is_structured())
            return *value;
    return node.Scalar();
}

std::int64_t fanOut(const hierarchy::Level& level)
{
    std::int64_t out = 1;
    for (const hierarchy::Axis& axis : level.axes)
        out *= axis.size;
    return out;
}

std::int64_t widest(const hierarchy::Architecture& a)
{
    return std::max({a.bits[0], a.bits[1], a.bits[2], a.accumulatorBits});
}

/// Name of a node with its number of instances: "PE" or "PE[0..63]".
std::string nodeName(const std::string& name, std::int64_t instances)
{
    return instances == 1 ? name : name + "[0.." + std::to_string(instances - 1) + "]";
}

/// Splits the name of a node into the name without number, and the number of instances.
std::pair<std::string, std::int64_t> nameAndCount(const std::string& text)
{
    const std::size_t at = text.rfind("[0..");
    if (at == std::string::npos || text.back() != ']')
        return {text, 1};
    std::int64_t last = -1;
    const char* const end = text.data() + text.size() - 1;
    const auto [stop, code] = std::from_chars(text.data() + at + 4, end, last);
    if (code != std::errc{} || stop != end || last < 0 || last >= (std::int64_t{1} << 40))
        return {text, 1};
    return {text.substr(0, at), last + 1};
}

class ArchitectureReader
{
public:
    explicit ArchitectureReader(std::string file) : m_file(std::move(file)) {}

    Result<hierarchy::Architecture> read(const YAML::Node& root)
    {
        if (!root.IsMap() || !root["architecture"] || !root["architecture"]["subtree"])
            return bad("architecture",
                       "expected the tree of Timeloop's version 0.3: architecture with a subtree");
        m_out = Json::object();
        m_out["levels"] = Json::array();
        if (Status s = readSubtree(root["architecture"]["subtree"], "architecture.subtree"); !s)
            return s.error();
        if (!m_hasMacs)
            return bad("architecture", "has no component whose class is a multiplier (intmac)");
        return hierarchy::readArchitecture(jsonText(m_out), m_file);
    }

private:
    [[nodiscard]] Error bad(const std::string& where, const std::string& why) const
    {
        return {ErrorCode::Field, why, where, m_file};
    }

    Status readSubtree(const YAML::Node& list, const std::string& at)
    {
        if (!list.IsSequence() || list.size() != 1 || !list[0].IsMap())
            return bad(at, "expected a list of one node: this lens has one memory hierarchy");
        const YAML::Node node = list[0];
        const std::string place = at + "[0]";
        m_fanOut *= nameAndCount(scalarOf(node, "name")).second;
        if (const YAML::Node local = node["local"]) {
            if (!local.IsSequence())
                return bad(place + ".local", "expected a list of components");
            for (std::size_t i = 0; i < local.size(); ++i)
                if (Status s = readComponent(local[i], place + ".local[" + std::to_string(i) + "]"); !s)
                    return s;
        }
        const YAML::Node inside = node["subtree"];
        return inside ? readSubtree(inside, place + ".subtree") : Status(Unit{});
    }

    Status readComponent(const YAML::Node& component, const std::string& at)
    {
        if (!component.IsMap())
            return bad(at, "expected a component with name and class");
        if (m_hasMacs)
            return bad(at, "lies inside the multipliers");
        const auto [name, count] = nameAndCount(scalarOf(component, "name"));
        const std::string kind = scalarOf(component, "class");
        const YAML::Node attributes = component["attributes"] ? component["attributes"] : YAML::Node();
        m_fanOut *= count;
        if (attributes.IsDefined() && !attributes.IsNull() && !attributes.IsMap())
            return bad(at + ".attributes", "expected names with values");
        if (Status s = closeFanOut(attributes, at); !s)
            return s;
        if (kind.find("mac") != std::string::npos || kind.find("MAC") != std::string::npos) {
            m_hasMacs = true;
            for (const std::string_view field : kArchitectureFields)
                copy(attributes, field, m_out);
            if (const std::string own = scalarOf(attributes, "architecture_name"); !own.empty())
                m_out["name"] = own;
            return Unit{};
        }
        Json level = Json::object();
        level["name"] = name;
        for (const std::string_view field : kLevelFields)
            copy(attributes, field, level);
        takeFromTimeloop(attributes, level);
        if (level.contains("double_buffered") && level["double_buffered"].is_null())
            level.erase("double_buffered");
        m_out["levels"].push_back(std::move(level));
        return Unit{};
    }

    static void copy(const YAML::Node& attributes, std::string_view field, Json& out)
    {
        const std::string key(field);
        if (attributes.IsMap() && attributes[key])
            out[key] = jsonOf(attributes[key]);
    }

    static std::optional<double> numberOf(const YAML::Node& attributes, const char* key)
    {
        if (!attributes.IsMap() || !attributes[key])
            return std::nullopt;
        const Json value = jsonOf(attributes[key]);
        return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
    }

    /// Sets fields that are missing in the notation of this program from the attributes of Timeloop.
    static void takeFromTimeloop(const YAML::Node& attributes, Json& level)
    {
        const double wordBits = numberOf(attributes, "word-bits").value_or(8);
        if (!level.contains("bytes") && !level.contains("memories")) {
            const auto depth = numberOf(attributes, "depth");
            const auto kilobytes = numberOf(attributes, "sizeKB");
            level["bytes"] = nullptr;
            if (depth)
                level["bytes"] = static_cast<std::int64_t>(
                    std::floor(*depth * numberOf(attributes, "width").value_or(wordBits) / 8));
            else if (kilobytes)
                level["bytes"] = static_cast<std::int64_t>(*kilobytes * 1024);
        }
        for (const std::string direction : {"read", "write"}) {
            const std::string own = direction + "_bytes_per_cycle";
            if (level.contains(own))
                continue;
            const auto words = numberOf(attributes, (direction + "_bandwidth").c_str());
            level[own] = words ? Json(*words * wordBits / 8) : Json();
        }
        if (const auto buffers = numberOf(attributes, "multiple-buffering");
            buffers && !level.contains("double_buffered"))
            level["double_buffered"] = *buffers >= 2;
    }

    /// Makes the instances of this component within one of the outer level the axes of that outer level.
    Status closeFanOut(const YAML::Node& attributes, const std::string& at)
    {
        const std::int64_t instances = std::exchange(m_fanOut, 1);
        Json& levels = m_out["levels"];
        if (levels.empty())
            return instances == 1 ? Status(Unit{}) : Status(bad(at, "the outermost memory has one instance"));
        Json& outside = levels.back();
        if (outside.contains("axes")) {
            std::int64_t product = 1;
            for (const Json& axis : outside["axes"])
                if (axis.is_object() && axis.contains("size") && axis["size"].is_number_integer())
                    product *= axis["size"].get<std::int64_t>();
            if (product != instances)
                return bad(at, "has " + std::to_string(instances) + " instances in one of " +
                                   outside["name"].get<std::string>() + ", whose axes have " +
                                   std::to_string(product));
            return Unit{};
        }
        if (instances == 1)
            return Unit{};
        const auto meshX = static_cast<std::int64_t>(numberOf(attributes, "meshX").value_or(0));
        outside["axes"] = Json::array();
        if (meshX > 0 && instances % meshX == 0 && meshX < instances) {
            outside["axes"].push_back({{"name", "X"}, {"size", meshX}});
            outside["axes"].push_back({{"name", "Y"}, {"size", instances / meshX}});
        } else {
            outside["axes"].push_back({{"name", "X"}, {"size", instances}});
        }
        return Unit{};
    }

    std::string m_file;
    Json m_out;
    std::int64_t m_fanOut = 1;
    bool m_hasMacs = false;
};

} // namespace

std::string levelsText(const hierarchy::Architecture& a)
{
    const Json own = parsedJson(hierarchy::writeArchitecture(a));
    const std::int64_t word = widest(a);
    YAML::Emitter out;
    out << YAML::BeginMap << YAML::Key << "architecture" << YAML::Value << YAML::BeginMap << YAML::Key
        << "version" << YAML::Value << "0.3";
    const auto attribute = [&](std::string_view key, const Json& value) {
        out << YAML::Key << std::string(key) << YAML::Value;
        emitJson(out, value);
    };
    const auto component = [&](const std::string& name, const char* kind) {
        out << YAML::BeginMap << YAML::Key << "name" << YAML::Value << name << YAML::Key << "class"
            << YAML::Value << kind << YAML::Key << "attributes" << YAML::Value << YAML::BeginMap;
    };
    const auto close = [&] { out << YAML::EndMap << YAML::EndMap; };
    std::int64_t instances = 1;
    for (std::size_t i = 0; i < a.levels.size(); ++i) {
        const hierarchy::Level& level = a.levels[i];
        out << YAML::Key << "subtree" << YAML::Value << YAML::BeginSeq << YAML::BeginMap << YAML::Key
            << "name" << YAML::Value << nodeName("at_" + level.name, instances) << YAML::Key << "local"
            << YAML::Value << YAML::BeginSeq;
        component(level.name, i == 0 ? "DRAM" : "SRAM");
        attribute("word-bits", word);
        attribute("width", word);
        if (level.bytes)
            attribute("depth", *level.bytes * 8 / word);
        if (level.readBytesPerCycle)
            attribute("read_bandwidth", *level.readBytesPerCycle * 8 / static_cast<double>(word));
        if (level.writeBytesPerCycle)
            attribute("write_bandwidth", *level.writeBytesPerCycle * 8 / static_cast<double>(word));
        if (a.isDoubleBuffered(i))
            attribute("multiple-buffering", 2);
        // Whether it is double-buffered follows from its place; writing a number of buffers would fix it.
        if (!level.doubleBuffered)
            attribute("double_buffered", nullptr);
        for (const std::string_view field : kLevelFields)
            if (const auto it = own["levels"][i].find(std::string(field)); it != own["levels"][i].end())
                attribute(field, *it);
        if (level.axes.empty())
            attribute("axes", Json::array());
        close();
        instances = fanOut(level);
        if (i + 1 == a.levels.size()) {
            component(nodeName("MACC", instances), "intmac");
            attribute("datawidth", std::max({a.bits[0], a.bits[1]}));
            if (!a.name.empty())
                attribute("architecture_name", a.name);
            for (const std::string_view field : kArchitectureFields)
                if (const auto it = own.find(std::string(field)); it != own.end())
                    attribute(field, *it);
            close();
        }
        out << YAML::EndSeq;
    }
    for (std::size_t i = 0; i < a.levels.size(); ++i)
        out << YAML::EndMap << YAML::EndSeq;
    out << YAML::EndMap << YAML::EndMap;
    return std::string(out.c_str()) + "\n";
}

Result<hierarchy::Architecture> readArchitecture(std::string_view text, const std::string& file)
{
    const auto root = loadDocument(text, file);
    if (!root)
        return root.error();
    return ArchitectureReader(file).read(*root);
}

} // namespace tilewright::timeloop
