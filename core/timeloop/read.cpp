// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/integer.h"
#include "timeloop/timeloop.h"
#include "timeloop/yaml.h"

#include <algorithm>
#include <array>

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
        // In an unquoted flow mapping, the comma of a residue starts a field of its own.
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
        Factors factors;
        Factors residues;
        factors.fill(1);
        residues.fill(0);
        if (const YAML::Node node = directive["factors"])
            if (Status s = readFactors(node, factors, residues); !s)
                return s;
        if (spatial && *target != Storage::Spm) {
            if (std::any_of(factors.begin(), factors.end(), [](std::int64_t f) { return f != 1; }))
                return bad(m_at, *target == Storage::Dram
                                     ? "spatial factors at DRAM: there is one scratchpad below it"
                                     : "spatial factors at RF: a PE has one multiplier");
            return Unit{};
        }
        const auto i = static_cast<std::size_t>(level);
        if (m_seen[i])
            return bad(m_at, "a second " + type + " directive for this level");
        m_seen[i] = true;
        m_out.method.tiling[i] = factors;
        m_residues[i] = residues;
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

    Status readFactors(const YAML::Node& node, Factors& factors, Factors& residues)
    {
        const auto written = splitFactors(node);
        if (!written)
            return bad(m_at + ".factors", written.error().message);
        unsigned seen = 0;
        for (const FactorText& f : *written) {
            const int loop = loopNamed(m_nest, f.name);
            if (loop < 0)
                return bad(m_at + ".factors", "this layer has no dimension \"" + f.name + "\"");
            if ((seen >> loop & 1u) != 0)
                return bad(m_at + ".factors", "dimension " + f.name + " is named twice");
            seen |= 1u << loop;
            if (f.sign != "=")
                return bad(m_at + ".factors", "expected a whole number after " + f.name);
            const auto l = static_cast<std::size_t>(loop);
            factors[l] = f.value == 0 ? m_nest.trips[l] : f.value;
            if (!f.residue)
                continue;
            if (*f.residue < 1 || *f.residue > factors[l])
                return bad(m_at + ".factors", "the residue of " + f.name + " must be from 1 to its factor");
            if (!m_architecture.options.imperfect)
                return bad(m_at + ".factors", "dimension " + f.name +
                                                  " has a residue: the last tile is smaller only with "
                                                  "imperfect factors (--imperfect)");
            residues[l] = *f.residue;
        }
        return Unit{};
    }

    /// Reads a permutation, innermost dimension first. Dimensions that are not listed go outside.
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

    /// Checks the residues, which follow from the trip count: trip = (((r3 - 1) f2 + r2 - 1) f1 + r1 - 1) f0
    /// + r0.
    Status finish()
    {
        for (std::size_t l = 0; l < static_cast<std::size_t>(m_nest.loopCount); ++l) {
            std::int64_t value = 0;
            bool any = false;
            for (auto level = kInsideOut.rbegin(); level != kInsideOut.rend(); ++level) {
                const auto i = static_cast<std::size_t>(*level);
                const std::int64_t residue = m_residues[i][l];
                const std::int64_t factor = m_out.method.tiling[i][l];
                any = any || residue > 0;
                value = saturatingAdd(saturatingMul(value, factor), (residue > 0 ? residue : factor) - 1);
            }
            if (any && value != m_nest.trips[l] - 1)
                return bad("mapping", "dimension " + std::string(dimensionOf(m_nest, static_cast<int>(l))) +
                                          ": factors and residues make " + std::to_string(value + 1) +
                                          ", the layer has " + std::to_string(m_nest.trips[l]));
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
