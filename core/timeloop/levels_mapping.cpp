// SPDX-License-Identifier: GPL-3.0-or-later
// Mappings on architectures with levels (docs/rules/hierarchy.md 10).
#include "base/text.h"
#include "hierarchy/imperfect.h"
#include "timeloop/timeloop.h"
#include "timeloop/yaml.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace tilewright::timeloop {

namespace {

using hierarchy::AxisLoops;
using hierarchy::LevelLoops;
using hierarchy::TiledLoop;
using LoopList = std::vector<TiledLoop>; ///< loops from the outermost inwards

/// A loop with the number of its steps in the last tile.
struct WrittenLoop
{
    int loop = 0;
    std::int64_t factor = 1, residue = 1;
};
using WrittenLoops = std::vector<WrittenLoop>; ///< loops from the outermost inwards

/// Returns the loops with a factor above 1 and their residues. The Error names a loop that occurs twice.
Result<WrittenLoops> loopsOnce(const mapping::LoopNest& nest, const LoopList& loops, const LoopList& residues)
{
    WrittenLoops out;
    for (std::size_t i = 0; i < loops.size(); ++i) {
        const TiledLoop& tiled = loops[i];
        if (tiled.factor == 1)
            continue;
        if (std::ranges::find(out, tiled.loop, &WrittenLoop::loop) != out.end())
            return Error{ErrorCode::Refused,
                         "has loop " + std::string(nest.loopNames[static_cast<std::size_t>(tiled.loop)]) +
                             " twice, for which Timeloop has one factor",
                         {},
                         {}};
        out.push_back({tiled.loop, tiled.factor, residues[i].factor});
    }
    return out;
}

/// Text of the factors of all loops: "M=4 N=1 K=3,2".
std::string factorsOf(const mapping::LoopNest& nest, const WrittenLoops& loops)
{
    std::string out;
    for (int l = 0; l < nest.loopCount; ++l) {
        const auto at = std::ranges::find(loops, l, &WrittenLoop::loop);
        const WrittenLoop written = at == loops.end() ? WrittenLoop() : *at;
        out.append(l == 0 ? "" : " ").append(factorText(nest, l, written.factor, written.residue));
    }
    return out;
}

/// Permutation as text: the loops from the innermost outwards, then the other loops of the layer.
std::string insideOut(const mapping::LoopNest& nest, const WrittenLoops& loops)
{
    std::string out;
    for (auto it = loops.rbegin(); it != loops.rend(); ++it)
        out += dimensionOf(nest, it->loop);
    for (int l = nest.loopCount; l-- > 0;)
        if (std::ranges::find(loops, l, &WrittenLoop::loop) == loops.end())
            out += dimensionOf(nest, l);
    return out;
}

/// Writes the directives of a mapping.
class MappingWriter
{
public:
    MappingWriter(const mapping::LoopNest& nest, const hierarchy::Architecture& architecture)
        : m_nest(nest), m_architecture(architecture)
    {
    }

    Result<std::string> write(const hierarchy::Mapping& mapping)
    {
        const hierarchy::Mapping residues = hierarchy::residuesOf(m_nest, m_architecture, mapping);
        m_out << YAML::BeginMap << YAML::Key << "mapping" << YAML::Value << YAML::BeginSeq;
        for (std::size_t i = 0; i < mapping.levels.size(); ++i)
            if (Status s = writeLevel(m_architecture.levels[i], mapping.levels[i], residues.levels[i]); !s)
                return Error{ErrorCode::Refused,
                             "level " + m_architecture.levels[i].name + " " + s.error().message,
                             {},
                             "--export"};
        m_out << YAML::EndSeq << YAML::EndMap;
        return std::string(m_out.c_str()) + "\n";
    }

private:
    Status writeLevel(const hierarchy::Level& level, const LevelLoops& loops, const LevelLoops& residues)
    {
        const auto temporal = loopsOnce(m_nest, loops.temporal, residues.temporal);
        if (!temporal)
            return temporal.error();
        begin(level, "temporal", *temporal);
        m_out << YAML::EndMap;
        std::vector<std::pair<std::string, WrittenLoops>> axes;
        bool isShared = false; // true if a loop lies on several axes
        unsigned seen = 0;
        for (const hierarchy::Axis& axis : level.axes) {
            auto own = loopsOnce(m_nest, loopsOn(axis, loops), loopsOn(axis, residues));
            if (!own)
                return own.error();
            for (const WrittenLoop& written : *own) {
                isShared = isShared || (seen >> written.loop & 1u) != 0;
                seen |= 1u << written.loop;
            }
            axes.emplace_back(axis.name, std::move(*own));
        }
        if (axes.empty())
            writeBypass(level);
        else if (axes.size() <= 2 && !isShared)
            writeMesh(level, axes);
        else
            for (const auto& [name, own] : axes) {
                begin(level, "spatial", own);
                m_out << YAML::Key << "axis" << YAML::Value << name << YAML::EndMap;
            }
        if (!axes.empty())
            writeBypass(level);
        return Unit{};
    }

    static LoopList loopsOn(const hierarchy::Axis& axis, const LevelLoops& loops)
    {
        LoopList out;
        for (const AxisLoops& used : loops.spatial)
            if (used.axis == axis.name)
                out.insert(out.end(), used.loops.begin(), used.loops.end());
        return out;
    }

    void begin(const hierarchy::Level& level, const char* type, const WrittenLoops& loops)
    {
        m_out << YAML::BeginMap << YAML::Key << "target" << YAML::Value << level.name << YAML::Key << "type"
              << YAML::Value << type << YAML::Key << "factors" << YAML::Value << factorsOf(m_nest, loops)
              << YAML::Key << "permutation" << YAML::Value << insideOut(m_nest, loops);
    }

    /// Writes the spatial directives of a level. Of the permutation, the first `split` dimensions lie on the
    /// first axis.
    void writeMesh(const hierarchy::Level& level,
                   const std::vector<std::pair<std::string, WrittenLoops>>& axes)
    {
        WrittenLoops loops = axes.size() > 1 ? axes[1].second : WrittenLoops();
        loops.insert(loops.end(), axes[0].second.begin(), axes[0].second.end());
        begin(level, "spatial", loops);
        const std::size_t onFirst =
            axes.size() > 1 ? axes[0].second.size() : static_cast<std::size_t>(m_nest.loopCount);
        m_out << YAML::Key << "split" << YAML::Value << onFirst << YAML::EndMap;
    }

    void writeBypass(const hierarchy::Level& level)
    {
        if (level.holds[0] && level.holds[1] && level.holds[2])
            return;
        m_out << YAML::BeginMap << YAML::Key << "target" << YAML::Value << level.name << YAML::Key << "type"
              << YAML::Value << "bypass";
        for (const bool held : {true, false}) {
            m_out << YAML::Key << (held ? "keep" : "bypass") << YAML::Value << YAML::Flow << YAML::BeginSeq;
            for (int op = 0; op < mapping::kOperands; ++op)
                if (level.holds[static_cast<std::size_t>(op)] == held)
                    m_out << std::string(dataSpaceOf(m_nest, op));
            m_out << YAML::EndSeq;
        }
        m_out << YAML::EndMap;
    }

    const mapping::LoopNest& m_nest;
    const hierarchy::Architecture& m_architecture;
    YAML::Emitter m_out;
};

/// Reads the directives of a mapping.
class MappingReader
{
public:
    MappingReader(std::string file, const mapping::LoopNest& nest,
                  const hierarchy::Architecture& architecture)
        : m_file(std::move(file)), m_nest(nest), m_architecture(architecture)
    {
        m_out.levels.resize(architecture.levels.size());
        m_residues.resize(architecture.levels.size());
        m_hasTemporal.assign(architecture.levels.size(), false);
    }

    Result<hierarchy::Mapping> read(const YAML::Node& root)
    {
        const YAML::Node directives = root.IsMap() && root["mapping"] ? root["mapping"] : root;
        if (!directives.IsSequence())
            return bad("mapping", "expected a list of directives");
        for (std::size_t i = 0; i < directives.size(); ++i) {
            m_at = "mapping[" + std::to_string(i) + "]";
            if (Status s = readDirective(directives[i]); !s)
                return s.error();
        }
        if (Status s = checkAllResidues(); !s)
            return bad("mapping", s.error().message);
        return std::move(m_out);
    }

private:
    [[nodiscard]] Error bad(const std::string& where, const std::string& why) const
    {
        return {ErrorCode::Field, why, where, m_file};
    }

    Status readDirective(const YAML::Node& directive)
    {
        if (!directive.IsMap())
            return bad(m_at, "expected a directive with target and type");
        constexpr std::array<std::string_view, 9> kFields{
            "target", "type", "factors", "permutation", "split", "axis", "bypass", "keep", "name"};
        for (const auto& field : directive) {
            const std::string name = field.first.IsScalar() ? field.first.Scalar() : std::string("?");
            if (std::ranges::find(kFields, name) == kFields.end())
                return bad(m_at, "unknown field \"" + name.substr(0, 40) + "\"");
        }
        const std::string target = scalarOf(directive, "target");
        const auto level = std::ranges::find(m_architecture.levels, target, &hierarchy::Level::name);
        if (level == m_architecture.levels.end())
            return bad(m_at + ".target",
                       target.empty() ? "is missing"
                                      : "the architecture has no level \"" + target.substr(0, 40) + "\"");
        const auto i = static_cast<std::size_t>(level - m_architecture.levels.begin());
        const std::string type = scalarOf(directive, "type");
        if (type == "bypass" || type == "datatype" || type == "dataspace")
            return checkBypass(directive, *level, m_nest, m_file, m_at);
        if (type != "temporal" && type != "spatial")
            return bad(m_at + ".type",
                       "expected temporal, spatial or bypass, got \"" + type.substr(0, 40) + "\"");
        const auto loops = readLoops(directive);
        if (!loops)
            return loops.error();
        if (type == "spatial") {
            m_residues[i].spatial[scalarOf(directive, "axis")] = m_written.residues;
            return readSpatial(directive, *level, *loops, m_out.levels[i]);
        }
        if (m_hasTemporal[i])
            return bad(m_at, "a second temporal directive for this level");
        m_hasTemporal[i] = true;
        m_residues[i].temporal = m_written.residues;
        m_out.levels[i].temporal = *loops;
        return Unit{};
    }

    /// Reads the loops with a factor above 1 in the order of the permutation. Loops that it does not name lie
    /// outside of these.
    Result<LoopList> readLoops(const YAML::Node& directive)
    {
        m_written = {};
        if (const YAML::Node node = directive["factors"]) {
            const auto written = readDirectiveFactors(m_nest, node, m_architecture.imperfect);
            if (!written)
                return bad(m_at + ".factors", written.error().message);
            m_written = *written;
        }
        m_permutation.clear();
        if (const YAML::Node node = directive["permutation"]) {
            auto inside = permutationOf(m_nest, node);
            if (!inside)
                return bad(m_at + ".permutation", inside.error().message);
            m_permutation = std::move(*inside);
        }
        LoopList out;
        const auto add = [&](int loop) {
            if (const std::int64_t factor = m_written.factors[static_cast<std::size_t>(loop)]; factor > 1)
                out.push_back({loop, factor});
        };
        for (int l = 0; l < m_nest.loopCount; ++l)
            if (std::ranges::find(m_permutation, l) == m_permutation.end())
                add(l);
        for (auto it = m_permutation.rbegin(); it != m_permutation.rend(); ++it)
            add(*it);
        return out;
    }

    Status checkAllResidues() const
    {
        std::array<std::vector<ResiduedFactor>, mapping::kMaxLoops> factors;
        const auto add = [&](const LoopList& loops, const mapping::Factors& residues) {
            for (const TiledLoop& tiled : loops) {
                const auto l = static_cast<std::size_t>(tiled.loop);
                factors[l].push_back({tiled.factor, residues[l]});
            }
        };
        for (std::size_t i = 0; i < m_out.levels.size(); ++i) {
            add(m_out.levels[i].temporal, m_residues[i].temporal);
            for (const hierarchy::Axis& axis : m_architecture.levels[i].axes)
                for (const AxisLoops& used : m_out.levels[i].spatial)
                    if (used.axis == axis.name) {
                        const auto& spatial = m_residues[i].spatial;
                        const auto own = spatial.find(axis.name);
                        add(used.loops, own == spatial.end() ? spatial.at({}) : own->second);
                    }
        }
        for (int l = 0; l < m_nest.loopCount; ++l)
            if (Status s = checkResidues(m_nest, l, factors[static_cast<std::size_t>(l)]); !s)
                return s;
        return Unit{};
    }

    Status readSpatial(const YAML::Node& directive, const hierarchy::Level& level, const LoopList& loops,
                       LevelLoops& out)
    {
        const auto put = [&](const std::string& axis, const LoopList& own) {
            if (!own.empty())
                out.spatial.push_back({axis, own});
        };
        if (directive["axis"]) {
            const std::string axis = scalarOf(directive, "axis");
            if (std::ranges::find(level.axes, axis, &hierarchy::Axis::name) == level.axes.end())
                return bad(m_at + ".axis",
                           "level " + level.name + " has no axis \"" + axis.substr(0, 40) + "\"");
            if (std::ranges::find(out.spatial, axis, &AxisLoops::axis) != out.spatial.end())
                return bad(m_at, "a second spatial directive for this axis");
            put(axis, loops);
            return Unit{};
        }
        if (!out.spatial.empty())
            return bad(m_at, "a second spatial directive for this level");
        if (loops.empty())
            return Unit{};
        if (level.axes.empty() || level.axes.size() > 2)
            return bad(m_at, "level " + level.name + " has " + std::to_string(level.axes.size()) +
                                 " axes: the directive needs the field axis");
        if (level.axes.size() == 1) {
            put(level.axes[0].name, loops);
            return Unit{};
        }
        const auto asked = splitOf(directive);
        if (!asked)
            return bad(m_at + ".split", "level " + level.name +
                                            " has two axes: expected the number of dimensions of the "
                                            "permutation that lie on the first one");
        const std::size_t split = std::min(*asked, m_permutation.size());
        std::array<LoopList, 2> own;
        for (const TiledLoop& tiled : loops) {
            const auto place = std::ranges::find(m_permutation, tiled.loop) - m_permutation.begin();
            own[static_cast<std::size_t>(place) < split ? 0 : 1].push_back(tiled);
        }
        put(level.axes[0].name, own[0]);
        put(level.axes[1].name, own[1]);
        return Unit{};
    }

    std::string m_file;
    const mapping::LoopNest& m_nest;
    const hierarchy::Architecture& m_architecture;
    std::string m_at;
    std::vector<int> m_permutation; ///< permutation of the directive, the innermost loop first
    DirectiveFactors m_written;     ///< factors of the directive
    /// Residues of a level, per loop: those of its temporal directive, and those of its spatial directives by
    /// their field `axis`.
    struct Residues
    {
        mapping::Factors temporal{};
        std::map<std::string, mapping::Factors> spatial;
    };
    std::vector<Residues> m_residues;
    std::vector<bool> m_hasTemporal;
    hierarchy::Mapping m_out;
};

/// Returns the energy tables. Reads and writes of a level are counted in words of the widest element, as the
/// width of the level states.
std::string energyTables(const hierarchy::Architecture& a)
{
    const auto word = static_cast<double>(std::max({a.bits[0], a.bits[1], a.bits[2], a.accumulatorBits}));
    std::vector<ComponentEnergies> tables;
    std::string path;
    std::int64_t instances = 1;
    const auto counted = [&](const std::string& name) {
        return instances == 1 ? name : name + "[0.." + std::to_string(instances - 1) + "]";
    };
    for (const hierarchy::Level& level : a.levels) {
        path.append(path.empty() ? "" : ".").append(counted("at_" + level.name));
        tables.push_back({path + "." + level.name,
                          {{"read", level.readPj * word},
                           {"write", level.writePj * word},
                           {"update", level.writePj * word},
                           {"leak", 0}}});
        instances = 1;
        for (const hierarchy::Axis& axis : level.axes)
            instances *= axis.size;
    }
    tables.push_back({path + "." + counted("MACC"), {{"compute", a.macPj}, {"leak", 0}}});
    return energyTablesText(tables);
}

} // namespace

Result<Files> writeFiles(const mapping::Layer& layer, const mapping::LoopNest& nest,
                         const hierarchy::Architecture& architecture, const hierarchy::Mapping& mapping)
{
    auto loops = MappingWriter(nest, architecture).write(mapping);
    if (!loops)
        return loops.error();
    return Files{problemText(layer, nest), levelsText(architecture), energyTables(architecture),
                 std::move(*loops)};
}

Result<hierarchy::Mapping> readLevelMapping(std::string_view text, const std::string& file,
                                            const mapping::LoopNest& nest,
                                            const hierarchy::Architecture& architecture)
{
    const auto root = loadDocument(text, file);
    if (!root)
        return root.error();
    return MappingReader(file, nest, architecture).read(*root);
}

} // namespace tilewright::timeloop
