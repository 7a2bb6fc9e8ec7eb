// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/integer.h"
#include "base/utf8.h"
#include "timeloop/timeloop.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

namespace tilewright::timeloop {

using namespace mapping;

namespace {

constexpr std::array kInsideOut{Level::Rf, Level::Spatial, Level::Spm, Level::Dram};

std::string lower(std::string s)
{
    std::transform(s.begin(), s.end(), s.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return s;
}

/// Refuses keys that occur twice in one map, of which the library would use any.
Status checkKeys(const YAML::Node& node, const std::string& file, std::size_t& visited, int depth = 0)
{
    // Aliases can make a small text large, and an anchor can contain itself.
    constexpr std::size_t kMost = 100'000;
    constexpr int kDeepest = 64;
    if (++visited > kMost || depth > kDeepest)
        return Error{ErrorCode::Syntax,
                     depth > kDeepest ? "is nested more than " + std::to_string(kDeepest) + " levels deep"
                                      : "more than " + std::to_string(kMost) + " values",
                     {},
                     file};
    const auto at = [&](const YAML::Node& n) { return "line " + std::to_string(n.Mark().line + 1); };
    std::set<std::string> keys;
    if (node.IsMap())
        for (const auto& field : node) {
            if (field.first.IsScalar() && !keys.insert(field.first.Scalar()).second)
                return Error{ErrorCode::Syntax,
                             "the key \"" + field.first.Scalar().substr(0, 40) + "\" occurs twice in one map",
                             at(field.first), file};
            if (Status s = checkKeys(field.second, file, visited, depth + 1); !s)
                return s;
        }
    else if (node.IsSequence())
        for (const YAML::Node& item : node)
            if (Status s = checkKeys(item, file, visited, depth + 1); !s)
                return s;
    return Unit{};
}

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
    enum class Storage { Rf, Spm, Dram };

    [[nodiscard]] Error bad(const std::string& where, const std::string& why) const
    {
        return {ErrorCode::Field, why, where, m_file};
    }

    Result<Storage> targetOf(const YAML::Node& directive) const
    {
        if (!directive["target"] || !directive["target"].IsScalar())
            return bad(m_at, "has no target");
        const std::string name = directive["target"].Scalar();
        const std::string known = lower(name);
        if (known == "dram" || known == "mainmemory" || known == "2")
            return Storage::Dram;
        if (known == "spm" || known == "globalbuffer" || known == "shared_glb" || known == "1")
            return Storage::Spm;
        if (known == "rf" || known == "registerfile" || known == "regfile" || known == "0")
            return Storage::Rf;
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

    [[nodiscard]] int loopOf(std::string_view name) const
    {
        for (int l = 0; l < m_nest.loopCount; ++l)
            if (dimensionOf(m_nest, l) == name)
                return l;
        return m_nest.loopByName(name);
    }

    /// Reads factors such as "M=20 N=3", "M20,N3" or "M=20,9" (with a residue): name, blanks or '=', number,
    /// optionally a comma and another number.
    Status readFactors(const YAML::Node& node, Factors& factors, Factors& residues)
    {
        std::string text;
        if (node.IsSequence()) {
            for (const YAML::Node& item : node)
                text += (item.IsScalar() ? item.Scalar() : "?") + " ";
        } else if (node.IsScalar()) {
            text = node.Scalar();
        } else if (!node.IsNull()) {
            return bad(m_at + ".factors", "expected a text such as \"M=20 N=3\"");
        }
        std::size_t i = 0;
        const auto skip = [&](const char* what) {
            i = std::min(text.find_first_not_of(what, i), text.size());
        };
        const auto number = [&]() -> std::optional<std::int64_t> {
            std::int64_t value = 0;
            const auto [end, code] = std::from_chars(text.data() + i, text.data() + text.size(), value);
            if (code != std::errc{} || value < 0 || value > kMaxDimension)
                return std::nullopt;
            i = static_cast<std::size_t>(end - text.data());
            return value;
        };
        unsigned seen = 0;
        for (skip(" \t,"); i < text.size(); skip(" \t,")) {
            const std::size_t begin = i;
            while (i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) != 0)
                ++i;
            const std::string name = text.substr(begin, i - begin);
            const int loop = loopOf(name);
            if (loop < 0)
                return bad(m_at + ".factors",
                           "this layer has no dimension \"" +
                               (name.empty() ? text.substr(begin, 20) : name.substr(0, 40)) + "\"");
            if ((seen >> loop & 1u) != 0)
                return bad(m_at + ".factors", "dimension " + name + " is named twice");
            seen |= 1u << loop;
            skip(" \t=");
            const auto value = number();
            if (!value)
                return bad(m_at + ".factors", "expected a whole number after " + name);
            const auto l = static_cast<std::size_t>(loop);
            factors[l] = *value == 0 ? m_nest.trips[l] : *value;
            if (i + 1 < text.size() && text[i] == ',' &&
                std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0) {
                ++i;
                const auto residue = number();
                if (!residue || *residue < 1 || *residue > factors[l])
                    return bad(m_at + ".factors", "the residue of " + name + " must be from 1 to its factor");
                if (!m_architecture.options.imperfect)
                    return bad(m_at + ".factors", "dimension " + name +
                                                      " has a residue: the last tile is smaller only with "
                                                      "imperfect factors (--imperfect)");
                residues[l] = *residue;
            }
        }
        return Unit{};
    }

    /// Reads a permutation, innermost dimension first. Dimensions that are not listed go outside.
    Status readPermutation(const YAML::Node& node, LoopOrder& order)
    {
        std::vector<std::string> names;
        if (node.IsSequence()) {
            for (const YAML::Node& item : node)
                names.push_back(item.IsScalar() ? item.Scalar() : "?");
        } else if (node.IsScalar()) {
            const std::string& text = node.Scalar();
            const bool listed = text.find_first_of(", ") != std::string::npos;
            std::string word;
            for (const char c : text + " ") {
                const bool gap = c == ',' || c == ' ';
                if (!gap)
                    word += c;
                if ((gap || !listed) && !word.empty())
                    names.push_back(std::exchange(word, {}));
            }
        } else if (!node.IsNull()) {
            return bad(m_at + ".permutation", "expected a text such as \"KNM\", the innermost first");
        }
        unsigned seen = 0;
        std::vector<int> inside;
        for (const std::string& name : names) {
            const int loop = loopOf(name);
            if (loop < 0)
                return bad(m_at + ".permutation",
                           "this layer has no dimension \"" + name.substr(0, 40) + "\"");
            if ((seen >> loop & 1u) != 0)
                return bad(m_at + ".permutation", "dimension " + name + " is named twice");
            seen |= 1u << loop;
            inside.push_back(loop);
        }
        order = {0, 1, 2, 3, 4, 5, 6};
        std::size_t at = 0;
        for (int l = 0; l < m_nest.loopCount; ++l)
            if ((seen >> l & 1u) == 0)
                order[at++] = l;
        for (auto it = inside.rbegin(); it != inside.rend(); ++it)
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
            int op = 0;
            while (op < kOperands && dataSpaceOf(m_nest, op) != name &&
                   m_nest.operands[static_cast<std::size_t>(op)].name != name)
                ++op;
            if (op == kOperands)
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
    try {
        const std::vector<YAML::Node> documents = YAML::LoadAll(textOfBytes(text, file));
        if (documents.size() > 1)
            return Error{ErrorCode::Syntax,
                         "expected one document, got " + std::to_string(documents.size()) +
                             " (separated by ---)",
                         "line " + std::to_string(documents[1].Mark().line + 1), file};
        const YAML::Node root = documents.empty() ? YAML::Node() : documents.front();
        std::size_t visited = 0;
        if (const Status s = checkKeys(root, file, visited); !s)
            return s.error();
        return Reader(file, nest, architecture).read(root);
    } catch (const YAML::DeepRecursion&) {
        return Error{ErrorCode::Syntax, "is nested too deep", {}, file};
    } catch (const YAML::Exception& e) {
        const std::string where =
            e.mark.is_null() ? std::string() : "line " + std::to_string(e.mark.line + 1);
        return Error{ErrorCode::Syntax, e.msg, where, file};
    }
}

} // namespace tilewright::timeloop
