// SPDX-License-Identifier: GPL-3.0-or-later
// Constraints of the search on architectures with levels (docs/rules/hierarchy.md 10.3).
#include "hierarchy/constraints.h"
#include "timeloop/timeloop.h"
#include "timeloop/yaml.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tilewright::timeloop {

std::optional<std::size_t> splitOf(const YAML::Node& directive)
{
    const std::string text = scalarOf(directive, "split");
    const bool isNumber = !text.empty() && text.size() < 4 &&
                          std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    return isNumber ? std::optional<std::size_t>(std::stoul(text)) : std::nullopt;
}

Status checkBypass(const YAML::Node& directive, const hierarchy::Level& level, const mapping::LoopNest& nest,
                   const std::string& file, const std::string& at)
{
    for (const bool held : {true, false}) {
        const std::string key = held ? "keep" : "bypass";
        const auto bad = [&](const std::string& why) {
            return Error{ErrorCode::Field, why, std::string(at).append(".").append(key), file};
        };
        const YAML::Node names = directive[key];
        if (!names || names.IsNull())
            continue;
        if (!names.IsSequence())
            return bad("expected a list of data spaces");
        for (const YAML::Node& item : names) {
            const std::string name = item.IsScalar() ? item.Scalar() : "?";
            const int op = operandNamed(nest, name);
            if (op < 0)
                return bad("this layer has no data space \"" + name.substr(0, 40) + "\"");
            const auto o = static_cast<std::size_t>(op);
            if (level.holds[o] != held)
                return bad(held ? "level " + level.name + " does not hold " + name
                                : "level " + level.name + " holds " + name + ": --bypass " + level.name +
                                      "." + std::string(nest.operands[o].name) + " takes it away");
        }
    }
    return Unit{};
}

namespace {

/// Reads the constraints of a search.
class LevelConstraintReader
{
public:
    LevelConstraintReader(std::string file, const mapping::LoopNest& nest,
                          const hierarchy::Architecture& architecture)
        : m_file(std::move(file)), m_nest(nest), m_architecture(architecture)
    {
    }

    Result<ReadLevelConstraints> read(const YAML::Node& root)
    {
        const Status s = forEachTarget(root, m_file, [this](const YAML::Node& node, const std::string& at) {
            return readTarget(node, at);
        });
        if (!s)
            return s.error();
        const auto checked = hierarchy::parseConstraints(m_nest, m_architecture, m_out.factors, m_out.orders);
        if (!checked)
            return bad({}, checked.error().message);
        return std::move(m_out);
    }

private:
    [[nodiscard]] Error bad(const std::string& where, const std::string& why) const
    {
        return {ErrorCode::Field, why, where, m_file};
    }

    Status readTarget(const YAML::Node& node, const std::string& at)
    {
        const std::string target = scalarOf(node, "target"), type = scalarOf(node, "type");
        const auto level = std::ranges::find(m_architecture.levels, target, &hierarchy::Level::name);
        if (level == m_architecture.levels.end())
            return bad(at + ".target",
                       target.empty() ? "is missing"
                                      : "the architecture has no level \"" + target.substr(0, 40) + "\"");
        const bool isBypass = type == "bypass" || type == "datatype" || type == "dataspace";
        if (!isBypass && type != "temporal" && type != "spatial")
            return bad(at + ".type", "a constraint of type \"" + type.substr(0, 40) +
                                         "\" has no counterpart in this lens: temporal, spatial and "
                                         "bypass have");
        for (const auto& field : node) {
            const std::string key = field.first.IsScalar() ? field.first.Scalar() : std::string("?");
            const bool isOwn = isBypass ? key == "bypass" || key == "keep"
                                        : key == "factors" || key == "permutation" ||
                                              (type == "spatial" && (key == "split" || key == "axis"));
            if (!isOwn && key != "target" && key != "type" && key != "name")
                return bad(at, "\"" + key.substr(0, 40) + "\" has no counterpart in this lens");
        }
        if (isBypass)
            return checkBypass(node, *level, m_nest, m_file, at);
        std::vector<int> inside;
        if (const YAML::Node permutation = node["permutation"]) {
            auto read = permutationOf(m_nest, permutation);
            if (!read)
                return bad(at + ".permutation", read.error().message);
            inside = std::move(*read);
        }
        if (type == "temporal" && !inside.empty()) {
            std::string order;
            for (auto it = inside.rbegin(); it != inside.rend(); ++it)
                order.append(order.empty() ? "" : ",")
                    .append(m_nest.loopNames[static_cast<std::size_t>(*it)]);
            m_out.orders.push_back(level->name + "=" + order);
        }
        return readFactors(node, *level, type == "spatial", inside, at);
    }

    Status readFactors(const YAML::Node& node, const hierarchy::Level& level, bool isSpatial,
                       const std::vector<int>& inside, const std::string& at)
    {
        if (!node["factors"])
            return Unit{};
        const auto written = splitFactors(node["factors"]);
        if (!written)
            return bad(at + ".factors", written.error().message);
        for (const FactorText& f : *written) {
            const int loop = loopNamed(m_nest, f.name);
            if (loop < 0)
                return bad(at + ".factors", "this layer has no dimension \"" + f.name + "\"");
            if (f.residue)
                return bad(at + ".factors", "the residue of " + f.name + " has no counterpart in this lens");
            const auto l = static_cast<std::size_t>(loop);
            const std::string value = f.sign + std::to_string(f.value == 0 ? m_nest.trips[l] : f.value);
            const std::string name(m_nest.loopNames[l]);
            if (!isSpatial) {
                m_out.factors.push_back(std::string(level.name).append(".").append(name).append(value));
                continue;
            }
            const auto axis = axisOf(node, level, loop, inside, at);
            if (!axis)
                return axis.error();
            for (std::size_t a = 0; a < level.axes.size(); ++a)
                if (a == *axis || !node["axis"]) // Timeloop has one factor for both axes
                    m_out.factors.push_back(std::string(level.name)
                                                .append(".")
                                                .append(level.axes[a].name)
                                                .append(".")
                                                .append(name)
                                                .append(a == *axis ? value : "=1"));
        }
        return Unit{};
    }

    /// Returns the axis to which the constraint assigns the loop.
    Result<std::size_t> axisOf(const YAML::Node& node, const hierarchy::Level& level, int loop,
                               const std::vector<int>& inside, const std::string& at) const
    {
        if (node["axis"]) {
            const std::string name = scalarOf(node, "axis");
            const auto axis = std::ranges::find(level.axes, name, &hierarchy::Axis::name);
            if (axis == level.axes.end())
                return bad(at + ".axis",
                           "level " + level.name + " has no axis \"" + name.substr(0, 40) + "\"");
            return static_cast<std::size_t>(axis - level.axes.begin());
        }
        if (level.axes.size() == 1)
            return std::size_t{0};
        if (level.axes.size() != 2)
            return bad(at, "level " + level.name + " has " + std::to_string(level.axes.size()) +
                               " axes: the constraint needs the field axis");
        const auto split = splitOf(node);
        if (!split)
            return bad(at + ".split", "level " + level.name +
                                          " has two axes: expected the number of dimensions of the "
                                          "permutation that lie on the first one");
        const auto place = std::ranges::find(inside, loop) - inside.begin();
        return static_cast<std::size_t>(place) < std::min(*split, inside.size()) ? 0 : 1;
    }

    std::string m_file;
    const mapping::LoopNest& m_nest;
    const hierarchy::Architecture& m_architecture;
    ReadLevelConstraints m_out;
};

} // namespace

Result<ReadLevelConstraints> readConstraints(std::string_view text, const std::string& file,
                                             const mapping::LoopNest& nest,
                                             const hierarchy::Architecture& architecture)
{
    const auto root = loadDocument(text, file);
    if (!root)
        return root.error();
    return LevelConstraintReader(file, nest, architecture).read(*root);
}

} // namespace tilewright::timeloop
