// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeloop/timeloop.h"
#include "timeloop/yaml.h"

#include <array>
#include <utility>

namespace tilewright::timeloop {

using namespace mapping;

namespace {

/// Visits the sections of a file.
class Sections
{
public:
    Sections(std::string file, const VisitTarget& visit) : m_file(std::move(file)), m_visit(visit) {}

    Status read(const YAML::Node& root)
    {
        constexpr std::array kSections{"architecture_constraints", "mapspace_constraints", "mapspace",
                                       "constraints"};
        if (root.IsSequence())
            return readList(root, "constraints");
        bool any = false;
        for (const char* section : kSections)
            if (root.IsMap() && root[section]) {
                any = true;
                if (Status s = readSection(root[section], section); !s)
                    return s;
            }
        if (!any)
            return bad({}, root.IsMap() && root["architecture"]
                               ? "constraints inside an architecture are not read: expected the section "
                                 "constraints, architecture_constraints, mapspace_constraints or mapspace"
                               : "expected the section constraints, architecture_constraints, "
                                 "mapspace_constraints or mapspace");
        return Unit{};
    }

private:
    [[nodiscard]] Error bad(const std::string& where, const std::string& why) const
    {
        return {ErrorCode::Field, why, where, m_file};
    }

    Status readSection(const YAML::Node& section, const std::string& name)
    {
        if (section.IsSequence())
            return readList(section, name);
        if (section.IsNull())
            return Unit{};
        for (const auto& field : section) {
            const std::string key = field.first.IsScalar() ? field.first.Scalar() : std::string("?");
            if (key == "targets" || key == "constraints") {
                if (Status s = readList(field.second, std::string(name).append(".").append(key)); !s)
                    return s;
            } else if (key != "version") {
                return bad(name, "\"" + key.substr(0, 40) + "\" has no counterpart in this lens");
            }
        }
        return section.IsMap() ? Status(Unit{}) : Status(bad(name, "expected a list of constraints"));
    }

    Status readList(const YAML::Node& list, const std::string& name)
    {
        if (list.IsNull())
            return Unit{};
        if (!list.IsSequence())
            return bad(name, "expected a list of constraints");
        for (std::size_t i = 0; i < list.size(); ++i) {
            const std::string at = name + "[" + std::to_string(i) + "]";
            if (!list[i].IsMap())
                return bad(at, "expected a constraint with target and type");
            if (Status s = m_visit(list[i], at); !s)
                return s;
        }
        return Unit{};
    }

    std::string m_file;
    const VisitTarget& m_visit;
};

class ConstraintReader
{
public:
    ConstraintReader(std::string file, const LoopNest& nest) : m_file(std::move(file)), m_nest(nest) {}

    Result<ReadConstraints> read(const YAML::Node& root)
    {
        const Status s = forEachTarget(root, m_file, [this](const YAML::Node& node, const std::string& at) {
            return readTarget(node, at);
        });
        return s ? Result<ReadConstraints>(std::move(m_out)) : s.error();
    }

private:
    [[nodiscard]] Error bad(const std::string& where, const std::string& why) const
    {
        return {ErrorCode::Field, why, where, m_file};
    }

    Status readTarget(const YAML::Node& node, const std::string& at)
    {
        const std::string target = scalarOf(node, "target");
        const auto storage = storageNamed(target);
        if (!storage)
            return bad(at + ".target", target.empty() ? "is missing"
                                                      : "unknown level \"" + target.substr(0, 40) +
                                                            "\": this machine has three, DRAM, SPM and RF");
        const std::string type = scalarOf(node, "type");
        const bool isBypass = type == "bypass" || type == "datatype" || type == "dataspace";
        if (!isBypass && type != "temporal" && type != "spatial")
            return bad(at + ".type", "a constraint of type \"" + type.substr(0, 40) +
                                         "\" has no counterpart in this lens: temporal, spatial and "
                                         "bypass have");
        for (const auto& field : node) {
            const std::string key = field.first.IsScalar() ? field.first.Scalar() : std::string("?");
            const bool isOwn =
                isBypass ? key == "bypass" || key == "keep" : key == "factors" || key == "permutation";
            if (!isOwn && key != "target" && key != "type" && key != "name")
                return bad(at, "\"" + key.substr(0, 40) + "\" has no counterpart in this lens");
        }
        if (isBypass)
            return readBypass(node, *storage, at);
        const bool isSpatial = type == "spatial";
        if (Status s = readFactors(node["factors"], *storage, isSpatial, at + ".factors"); !s)
            return s;
        return readPermutation(node["permutation"], *storage, isSpatial, at + ".permutation");
    }

    Status readFactors(const YAML::Node& node, Storage storage, bool isSpatial, const std::string& at)
    {
        if (!node)
            return Unit{};
        const auto written = splitFactors(node);
        if (!written)
            return bad(at, written.error().message);
        const Level level = isSpatial                  ? Level::Spatial
                            : storage == Storage::Dram ? Level::Dram
                            : storage == Storage::Spm  ? Level::Spm
                                                       : Level::Rf;
        for (const FactorText& f : *written) {
            const int loop = loopNamed(m_nest, f.name);
            if (loop < 0)
                return bad(at, "this layer has no dimension \"" + f.name + "\"");
            if (f.residue)
                return bad(at, "the residue of " + f.name +
                                   " has no counterpart in this lens: the search "
                                   "chooses the size of a last tile");
            const auto l = static_cast<std::size_t>(loop);
            const std::int64_t value = f.value == 0 ? m_nest.trips[l] : f.value;
            if (isSpatial && storage != Storage::Spm) {
                if (f.sign != ">=" ? value == 1 : false)
                    continue;
                return bad(at, storage == Storage::Dram
                                   ? "spatial factors at DRAM: there is one scratchpad below it"
                                   : "spatial factors at RF: a PE has one multiplier");
            }
            m_out.factors.push_back(std::string(levelName(level)) + "." + std::string(m_nest.loopNames[l]) +
                                    f.sign + std::to_string(value));
        }
        return Unit{};
    }

    Status readPermutation(const YAML::Node& node, Storage storage, bool isSpatial, const std::string& at)
    {
        if (!node || node.IsNull())
            return Unit{};
        if (!isSpatial && storage != Storage::Rf)
            return bad(at, "a fixed order of loops at " +
                               std::string(storage == Storage::Dram ? "DRAM" : "SPM") +
                               " has no counterpart in this lens: the search chooses it");
        m_out.notes.push_back("the permutation at " + std::string(isSpatial ? "SPATIAL" : "RF") +
                              " is ignored: it does not change the cost");
        return Unit{};
    }

    Status readBypass(const YAML::Node& node, Storage storage, const std::string& at)
    {
        for (const char* key : {"bypass", "keep"}) {
            const YAML::Node names = node[key];
            if (!names || names.IsNull())
                continue;
            const std::string where = at + "." + key;
            if (!names.IsSequence())
                return bad(where, "expected a list of data spaces");
            for (const YAML::Node& item : names) {
                const std::string name = item.IsScalar() ? item.Scalar() : "?";
                const int op = operandNamed(m_nest, name);
                if (op < 0)
                    return bad(where, "this layer has no data space \"" + name.substr(0, 40) + "\"");
                if (std::string_view(key) == "keep")
                    continue; // a level keeps every operand that does not bypass it
                if (storage != Storage::Spm)
                    return bad(where, name + " bypasses " + (storage == Storage::Rf ? "RF" : "DRAM") +
                                          ": only the scratchpad can be bypassed");
                m_out.bypassSpm[static_cast<std::size_t>(op)] = true;
            }
        }
        return Unit{};
    }

    std::string m_file;
    const LoopNest& m_nest;
    ReadConstraints m_out;
};

} // namespace

Status forEachTarget(const YAML::Node& root, const std::string& file, const VisitTarget& visit)
{
    return Sections(file, visit).read(root);
}

Result<ReadConstraints> readConstraints(std::string_view text, const std::string& file, const LoopNest& nest)
{
    const auto root = loadDocument(text, file);
    if (!root)
        return root.error();
    auto read = ConstraintReader(file, nest).read(*root);
    if (!read)
        return read.error();
    if (const auto checked = parseConstraints(nest, read->factors); !checked)
        return Error{ErrorCode::Field, checked.error().message, {}, file};
    return read;
}

} // namespace tilewright::timeloop
