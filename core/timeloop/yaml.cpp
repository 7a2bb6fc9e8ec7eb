// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeloop/yaml.h"

#include "base/text.h"

#include "base/integer.h"
#include "base/utf8.h"
#include "timeloop/timeloop.h"

#include <yaml-cpp/depthguard.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <utility>

namespace tilewright::timeloop {

namespace {

/// Returns an Error for a key that occurs twice in one map. The library would use either of them.
Status checkKeys(const YAML::Node& node, const std::string& file, std::size_t& visited, int depth = 0)
{
    // Limit of nodes: aliases can make a small text large, and an anchor can contain itself.
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

} // namespace

Result<YAML::Node> loadDocument(std::string_view text, const std::string& file)
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
        return root;
    } catch (const YAML::DeepRecursion&) {
        return Error{ErrorCode::Syntax, "is nested too deep", {}, file};
    } catch (const YAML::Exception& e) {
        const std::string where =
            e.mark.is_null() ? std::string() : "line " + std::to_string(e.mark.line + 1);
        return Error{ErrorCode::Syntax, e.msg, where, file};
    }
}

std::optional<Storage> storageNamed(const std::string& name)
{
    std::string known = name;
    std::transform(known.begin(), known.end(), known.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (known == "dram" || known == "mainmemory" || known == "2")
        return Storage::Dram;
    if (known == "spm" || known == "globalbuffer" || known == "shared_glb" || known == "1")
        return Storage::Spm;
    if (known == "rf" || known == "registerfile" || known == "regfile" || known == "0")
        return Storage::Rf;
    return std::nullopt;
}

Result<std::vector<FactorText>> splitFactors(const YAML::Node& node)
{
    const auto bad = [](std::string why) { return Error{ErrorCode::Field, std::move(why), {}, {}}; };
    std::string text;
    if (node.IsSequence()) {
        for (const YAML::Node& item : node)
            text += (item.IsScalar() ? item.Scalar() : "?") + " ";
    } else if (node.IsScalar()) {
        text = node.Scalar();
    } else if (!node.IsNull()) {
        return bad("expected a text such as \"M=20 N=3\"");
    }
    std::size_t i = 0;
    const auto skip = [&](const char* what) { i = std::min(text.find_first_not_of(what, i), text.size()); };
    const auto number = [&]() -> std::optional<std::int64_t> {
        std::int64_t value = 0;
        const auto [end, code] = std::from_chars(text.data() + i, text.data() + text.size(), value);
        if (code != std::errc{} || value < 0 || value > kMaxDimension)
            return std::nullopt;
        i = static_cast<std::size_t>(end - text.data());
        return value;
    };
    std::vector<FactorText> out;
    for (skip(" \t,"); i < text.size(); skip(" \t,")) {
        const std::size_t begin = i;
        while (i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) != 0)
            ++i;
        FactorText f;
        f.name = text.substr(begin, std::min<std::size_t>(i - begin, 40));
        if (f.name.empty())
            return bad("this layer has no dimension \"" + text.substr(begin, 20) + "\"");
        skip(" \t");
        const std::string sign = text.substr(i, 2);
        if (sign == "<=" || sign == ">=") {
            f.sign = sign;
            i += 2;
        }
        skip(f.sign == "=" ? " \t=" : " \t");
        const auto value = number();
        if (!value)
            return bad("expected a whole number after " + f.name);
        f.value = *value;
        if (i + 1 < text.size() && text[i] == ',' &&
            std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0) {
            ++i;
            f.residue = number();
            if (!f.residue)
                return bad("the residue of " + f.name + " must be from 1 to its factor");
        }
        out.push_back(std::move(f));
    }
    return out;
}

Result<std::vector<int>> permutationOf(const mapping::LoopNest& nest, const YAML::Node& node)
{
    const auto bad = [](std::string why) { return Error{ErrorCode::Field, std::move(why), {}, {}}; };
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
        return bad("expected a text such as \"KNM\", the innermost first");
    }
    std::vector<int> out;
    for (const std::string& name : names) {
        const int loop = loopNamed(nest, name);
        if (loop < 0)
            return bad("this layer has no dimension \"" + name.substr(0, 40) + "\"");
        if (std::ranges::find(out, loop) != out.end())
            return bad("dimension " + name + " is named twice");
        out.push_back(loop);
    }
    return out;
}

int loopNamed(const mapping::LoopNest& nest, std::string_view name)
{
    for (int l = 0; l < nest.loopCount; ++l)
        if (dimensionOf(nest, l) == name)
            return l;
    return nest.loopByName(name);
}

int operandNamed(const mapping::LoopNest& nest, std::string_view name)
{
    for (int op = 0; op < mapping::kOperands; ++op)
        if (dataSpaceOf(nest, op) == name || nest.operands[static_cast<std::size_t>(op)].name == name)
            return op;
    return -1;
}

std::string scalarOf(const YAML::Node& map, const char* key)
{
    const YAML::Node node = map[key];
    return node && node.IsScalar() ? node.Scalar() : std::string();
}

std::string energyTablesText(const std::vector<ComponentEnergies>& components)
{
    YAML::Emitter out;
    out << YAML::BeginMap << YAML::Key << "ERT" << YAML::Value << YAML::BeginMap << YAML::Key << "version"
        << YAML::Value << "0.3" << YAML::Key << "tables" << YAML::Value << YAML::BeginSeq;
    for (const ComponentEnergies& component : components) {
        out << YAML::BeginMap << YAML::Key << "name" << YAML::Value << component.name << YAML::Key
            << "actions" << YAML::Value << YAML::BeginSeq;
        for (const auto& [action, energy] : component.actions)
            out << YAML::Flow << YAML::BeginMap << YAML::Key << "name" << YAML::Value << action << YAML::Key
                << "arguments" << YAML::Value << YAML::BeginMap << YAML::EndMap << YAML::Key << "energy"
                << YAML::Value << formatNumber(energy) << YAML::EndMap;
        out << YAML::EndSeq << YAML::EndMap;
    }
    out << YAML::EndSeq << YAML::EndMap << YAML::EndMap;
    return std::string(out.c_str()) + "\n";
}

} // namespace tilewright::timeloop
