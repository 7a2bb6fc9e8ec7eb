// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeloop/timeloop.h"
#include "timeloop/yaml.h"

#include <algorithm>
#include <array>
#include <vector>

namespace tilewright::timeloop {

using namespace mapping;

namespace {

constexpr std::array kInsideOut{Level::Rf, Level::Spatial, Level::Spm, Level::Dram};

class Reader
{
public:
    Reader(std::string file, const LoopNest& nest, const Architecture& architecture)
        : m_file(std::move(file)), m_nest(nest), m_architecture(architecture)
    {
        for (std::size_t level = 0; level < kLevels; ++level) {
            m_out.method.tiling[level].fill(1);
            m_residues[level].fill(0);
        }
    }

    Result<ReadMapping> read(const YAML::Node& root)
    {
        const YAML::Node directives = root.IsMap() && root["mapping"] ? root["mapping"] : root;
        if (!directives.IsSequence())
            return bad("mapping", "expected a list of directives");
        std::size_t i = 0;
        for (const YAML::Node& directive : directives) {
            m_at = "mapping[" + std::to_string(i++) + "]";
            if (!directive.IsMap())
                return bad(m_at, "expected a directive with target and type");
            if (Status s = readDirective(directive); !s)
                return s.error();
        }
        if (Status s = finish(); !s)
            return s.error();
        return m_out;
    }

private:
    [[nodiscard]] Error bad(const std::string& where, const std::string& why) const
    {
        return {ErrorCode::Field, why, where, m_file};
    }

    Result<Storage> targetOf(const YAML::Node& directive) const
    {
        if (!directive["target"] || !directive["target"].IsScalar())
            return bad(m_at, "has no target");
        const std::string name = directive["target"].Scalar();
        if (const auto known = storageNamed(name))
            return *known;
        return bad(m_at + ".target",
                   "unknown level \"" + name.substr(0, 40) + "\": this machine has three, DRAM, SPM and RF");
    }

    Status readDirective(const YAML::Node& directive)
    {
        const auto target = targetOf(directive);
        if (!target)
            return target.error();
        // In an unquoted flow mapping, the comma of a residue starts a new field.
        for (const auto& field : directive) {
            constexpr std::array<std::string_view, 11> kFields{"target",
                                                               "type",
                                                               "factors",
                                                               "permutation",
                                                               "split",
                                                               "bypass",
                                                               "keep",
                                                               "name",
                                                               "spread",
                                                               "no_link_transfer",
                                                               "no_multicast_no_reduction"};
            const std::string name = field.first.IsScalar() ? field.first.Scalar() : std::string("?");
            if (std::ranges::find(kFields, name) == kFields.end())
                return bad(m_at, "unknown field \"" + name.substr(0, 40) + "\"");
        }
        const std::string type =
            directive["type"] && directive["type"].IsScalar() ? directive["type"].Scalar() : std::string();
        if (type == "bypass" || type == "datatype" || type == "dataspace")
            return readBypass(directive, *target);
        if (type != "temporal" && type != "spatial")
            return bad(m_at + ".type",
                       "expected temporal, spatial or bypass, got \"" + type.substr(0, 40) + "\"");
        const bool spatial = type == "spatial";
        const Level level = spatial                    ? Level::Spatial
                            : *target == Storage::Dram ? Level::Dram
                            : *target == Storage::Spm  ? Level::Spm
                                                       : Level::Rf;
        DirectiveFactors written;
        if (const YAML::Node node = directive["factors"]) {
            const auto read = readDirectiveFactors(m_nest, node, m_architecture.options.imperfect);
            if (!read)
                return bad(m_at + ".factors", read.error().message);
            written = *read;
        }
        if (spatial && *target != Storage::Spm) {
            if (std::ranges::any_of(written.factors, [](std::int64_t f) { return f != 1; }))
                return bad(m_at, *target == Storage::Dram
                                     ? "spatial factors at DRAM: there is one scratchpad below it"
                                     : "spatial factors at RF: a PE has one multiplier");
            return Unit{};
        }
        const auto i = static_cast<std::size_t>(level);
        if (m_seen[i])
            return bad(m_at, "a second " + type + " directive for this level");
        m_seen[i] = true;
        m_out.method.tiling[i] = written.factors;
        m_residues[i] = written.residues;
        if (const YAML::Node node = directive["permutation"]) {
            LoopOrder order{};
            if (Status s = readPermutation(node, order); !s)
                return s;
            if (level == Level::Dram)
                m_out.method.dramOrder = order;
            else if (level == Level::Spm)
                m_out.method.spmOrder = order;
            else
                m_out.notes.push_back("the permutation at " + std::string(levelName(level)) +
                                      " is ignored: it does not change the cost");
        }
        return Unit{};
    }

    /// Reads a permutation, the innermost dimension first. Dimensions that are not listed lie outside of
    /// these.
    Status readPermutation(const YAML::Node& node, LoopOrder& order)
    {
        const auto inside = permutationOf(m_nest, node);
        if (!inside)
            return bad(m_at + ".permutation", inside.error().message);
        order = {0, 1, 2, 3, 4, 5, 6};
        std::size_t at = 0;
        for (int l = 0; l < m_nest.loopCount; ++l)
            if (std::ranges::find(*inside, l) == inside->end())
                order[at++] = l;
        for (auto it = inside->rbegin(); it != inside->rend(); ++it)
            order[at++] = *it;
        return Unit{};
    }

    Status readBypass(const YAML::Node& directive, Storage target)
    {
        const YAML::Node names = directive["bypass"];
        if (!names || names.IsNull())
            return Unit{};
        if (!names.IsSequence())
            return bad(m_at + ".bypass", "expected a list of data spaces");
        for (const YAML::Node& item : names) {
            const std::string name = item.IsScalar() ? item.Scalar() : "?";
            const int op = operandNamed(m_nest, name);
            if (op < 0)
                return bad(m_at + ".bypass", "this layer has no data space \"" + name.substr(0, 40) + "\"");
            if (target != Storage::Spm)
                return bad(m_at + ".bypass", name + " bypasses " + (target == Storage::Rf ? "RF" : "DRAM") +
                                                 ": only the scratchpad can be bypassed");
            if (!m_architecture.options.bypassSpm[static_cast<std::size_t>(op)])
                return bad(m_at + ".bypass",
                           name + " bypasses SPM, which is off: turn it on with --bypass " +
                               std::string(m_nest.operands[static_cast<std::size_t>(op)].name));
        }
        return Unit{};
    }

    Status finish()
    {
        for (int l = 0; l < m_nest.loopCount; ++l) {
            std::vector<ResiduedFactor> factors;
            for (auto level = kInsideOut.rbegin(); level != kInsideOut.rend(); ++level) {
                const auto i = static_cast<std::size_t>(*level);
                factors.push_back({m_out.method.tiling[i][static_cast<std::size_t>(l)],
                                   m_residues[i][static_cast<std::size_t>(l)]});
            }
            if (const Status s = checkResidues(m_nest, l, factors); !s)
                return bad("mapping", s.error().message);
        }
        return Unit{};
    }

    std::string m_file;
    const LoopNest& m_nest;
    const Architecture& m_architecture;
    std::string m_at;
    ReadMapping m_out;
    std::array<Factors, kLevels> m_residues{};
    std::array<bool, kLevels> m_seen{};
};

} // namespace

bool isYamlName(std::string_view path)
{
    const auto ends = [&](std::string_view suffix) {
        return path.size() >= suffix.size() && path.substr(path.size() - suffix.size()) == suffix;
    };
    return ends(".yaml") || ends(".yml");
}

Result<ReadMapping> readMapping(std::string_view text, const std::string& file, const LoopNest& nest,
                                const Architecture& architecture)
{
    const auto root = loadDocument(text, file);
    if (!root)
        return root.error();
    return Reader(file, nest, architecture).read(*root);
}

} // namespace tilewright::timeloop
