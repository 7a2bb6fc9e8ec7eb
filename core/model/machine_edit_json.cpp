// SPDX-License-Identifier: GPL-3.0-or-later
// Machines with one field changed.
#include "model/machine_json.h"

#include <algorithm>
#include <sstream>

namespace tilewright {

namespace {

std::vector<std::string> wordsOf(std::string_view text)
{
    std::istringstream in{std::string(text)};
    std::vector<std::string> out;
    for (std::string word; in >> word;)
        out.push_back(word);
    return out;
}

/// Converts the text of a field to its JSON value.
Json fieldValue(std::string_view path, std::string_view text)
{
    Json parsed = parsedJson(text);
    if (path.ends_with("_loops") && !parsed.is_array()) // a list of loops such as "Fx M"
        return wordsOf(text);
    if (path.ends_with("array.rates") && !parsed.is_object()) { // rates such as "16:1 8x4:2.5"
        Json rates = Json::object();
        for (const std::string& word : wordsOf(text)) {
            const std::size_t colon = std::min(word.find(':'), word.size());
            Json rate = parsedJson(std::string_view(word).substr(std::min(colon + 1, word.size())));
            rates[word.substr(0, colon)] = rate.is_number() ? std::move(rate) : Json(word);
        }
        return rates;
    }
    const bool isText = path == "name" || !(parsed.is_number() || parsed.is_boolean() || parsed.is_array());
    return isText ? Json(std::string(text)) : std::move(parsed);
}

/// Gives the object `parent` separate memories of equal size (member `parts`), or one memory (member
/// `whole`).
void splitMemory(Json& parent, const char* whole, const char* parts, bool separate, std::int64_t bytes)
{
    if (separate == parent.contains(parts))
        return;
    parent.erase(separate ? whole : parts);
    if (separate)
        for (const MachineOperand operand : kMachineOperands)
            parent[parts][std::string(toString(operand))] = std::max<std::int64_t>(1, bytes / 3);
    else
        parent[whole] = bytes;
}

/// Changes the kind of an array: drops the fields of other kinds. A spatial array starts with channels on
/// both axes.
void changeKind(Json& array, std::string_view kind)
{
    const auto keep = [&](const char* field, std::string_view of) {
        if (kind != of)
            array.erase(field);
    };
    keep("dataflow", "systolic");
    keep("row_granule", "dot_product");
    keep("col_granule", "dot_product");
    keep("row_loops", "spatial");
    keep("col_loops", "spatial");
    if (kind == "spatial" && !array.contains("row_loops"))
        array["row_loops"] = {"C"};
    if (kind == "spatial" && !array.contains("col_loops"))
        array["col_loops"] = {"M"};
}

/// Sets the other kinds of cores to those named: adds missing ones as copies of the first kind, and drops all
/// others.
void nameOtherCores(Json& machine, std::string_view names)
{
    const Json old = machine.contains("other_cores") ? machine["other_cores"] : Json::object();
    machine.erase("other_cores");
    for (const std::string& name : wordsOf(names))
        machine["other_cores"][name] =
            old.contains(name) ? old[name] : Json{{"cores", 1}, {"array", machine["array"]}};
}

} // namespace

Result<Machine> withMachineField(const Machine& machine, std::string_view path, std::string_view value)
{
    Machine before = machine; // a changed value loses its source
    before.sources.erase(std::string(path));
    Json json = givenFields(before);
    if (path == "other_cores") {
        nameOtherCores(json, value);
        return machineOf(std::move(json), machine.name);
    }
    const bool ofLevel = path.starts_with("levels.") && path.ends_with(".memories");
    if ((ofLevel || path == "register_files") && value != "one" && value != "separate")
        return Error{ErrorCode::Field, "expected \"one\" or \"separate\", got \"" + std::string(value) + "\"",
                     std::string(path), machine.name};
    if (path == "register_files") {
        splitMemory(json, "register_file_bytes", "register_files", value == "separate",
                    machine.registerFileBytes);
        return machineOf(std::move(json), machine.name);
    }
    Json *at = &json, *parent = nullptr;
    for (std::size_t start = 0; start < path.size();) {
        const std::size_t dot = std::min(path.find('.', start), path.size());
        if (!at->is_object() && !at->is_null())
            return Error{ErrorCode::Field, "there is no such field", std::string(path), machine.name};
        parent = at;
        at = &(*at)[std::string(path.substr(start, dot - start))];
        start = dot + 1;
    }
    if (ofLevel) {
        const std::string level(path.substr(7, path.size() - 7 - std::string_view(".memories").size()));
        if (at->is_null())
            parent->erase("memories");
        for (const MachineLevel l : kMachineLevels)
            if (toString(l) == level)
                splitMemory(*parent, "bytes", "memories", value == "separate", machine.at(l).bytes);
        return machineOf(std::move(json), machine.name);
    }
    *at = fieldValue(path, value);
    if (path.ends_with("array.kind"))
        changeKind(*parent, value);
    return machineOf(std::move(json), machine.name);
}

Result<Machine> withMachineSource(const Machine& machine, std::string_view path, const Provenance& source)
{
    if (!machine.has(path))
        return Error{ErrorCode::Field, "only a value that the machine file gives has an origin",
                     std::string(path), machine.name};
    Machine changed = machine;
    changed.sources.insert_or_assign(std::string(path), source);
    return machineOf(givenFields(changed), machine.name);
}

Result<Machine> withoutMachineField(const Machine& machine, std::string_view path)
{
    Machine less = machine;
    const std::string below = std::string(path) + ".";
    const auto isBelow = [&](const std::string& field) { return field == path || field.starts_with(below); };
    std::erase_if(less.given, isBelow);
    std::erase_if(less.sources, [&](const auto& source) { return isBelow(source.first); });
    return completeMachine(less, machine.name);
}

std::string machineFieldsJson(const Machine& machine)
{
    Json out{
        {"kind", "machine"}, {"name", machine.name}, {"fields", Json::array()}, {"notes", machine.notes}};
    for (const MachineField& f : machineFields(machine)) {
        if (f.summary)
            continue;
        Json lenses = Json::array();
        for (const MachineLens lens : f.lenses)
            lenses.push_back(toString(lens));
        Json row{{"path", f.path}, {"value", f.value}, {"given", f.given}, {"lenses", std::move(lenses)}};
        if (!f.given)
            row["formula"] = f.formula;
        if (f.source)
            row["origin"] = Json{{"kind", toString(f.source->kind)},
                                 {"source", f.source->source},
                                 {"year", f.source->year},
                                 {"note", f.source->note}};
        out["fields"].push_back(std::move(row));
    }
    return jsonText(out, 2) + "\n";
}

} // namespace tilewright
