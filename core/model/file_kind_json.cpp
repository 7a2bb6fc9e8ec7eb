// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/file_kind.h"

#include "base/file.h"
#include "base/json_comments.h"
#include "base/json_reader.h"
#include "model/mlir.h"
#include "model/topology.h"

#include <algorithm>
#include <vector>

namespace tilewright {

Result<FileKind> fileKind(const std::string& path)
{
    const auto text = readFile(path);
    if (!text)
        return text.error();
    return fileKindOf(*text, path);
}

namespace {

struct Mark
{
    const char* field;
    FileKind kind;
};

/// Marks of the kinds, in the order in which they are tried. A schedule is recognised before a problem,
/// because other tools may add fields; a generated model may have "layers".
constexpr Mark kMarks[] = {
    {"generate", FileKind::NpuModel},
    {"subgraphs", FileKind::Schedule},
    {"op_types", FileKind::Problem},
    {"widths", FileKind::Problem},
    {"base_costs", FileKind::Problem},
    {"architecture", FileKind::MappingSetup},
    {"tiling", FileKind::MappingMethod},
    {"layers", FileKind::MappingModel},
    {"CONV", FileKind::MappingModel},
    {"GEMM", FileKind::MappingModel},
    {"DW_CONV", FileKind::MappingModel},
    {"method", FileKind::MappingMethod},
    {"arch_basic", FileKind::MappingArchitecture},
    {"arch_details", FileKind::MappingArchitecture},
    {"rf_bytes", FileKind::MappingArchitecture},
    {"spm_banks", FileKind::MappingArchitecture},
    {"energy_pj", FileKind::MappingArchitecture},
    {"dma_mhz", FileKind::MappingArchitecture},
    {"accumulator_bits", FileKind::MappingArchitecture},
    {"hierarchy", FileKind::SystolicSettings},
    {"engine_rows", FileKind::Machine},
    {"spm_bytes", FileKind::Machine},
    {"frequency_ghz", FileKind::SystolicHierarchy},
    {"levels", FileKind::SystolicHierarchy},
    {"kind", FileKind::MappingLayer},
    {"hardware", FileKind::NpuModel},
    {"run", FileKind::NpuModel},
    {"ops", FileKind::Model},
};

/// Calls isEnough(name) for the names of members inside `level` brackets (1: the outermost object), until it
/// returns true. This tells the kind of a file before its reader parses it, so that nothing is parsed twice.
/// The text need not be valid JSON. Names with escapes are skipped, since no known field has any.
template <typename F> void forEachName(std::string_view text, int level, const F& isEnough)
{
    int depth = 0;
    std::string_view last; // last string read at this level
    for (std::size_t i = 0; i < text.size(); ++i)
        switch (text[i]) {
        case '"': {
            const std::size_t start = ++i;
            while (i < text.size() && text[i] != '"')
                i += text[i] == '\\' ? 2 : 1;
            if (depth == level)
                last = text.substr(start, std::min(i, text.size()) - start);
            break;
        }
        case ':':
            if (depth == level && isEnough(last))
                return;
            break;
        case '{':
        case '[':
            ++depth;
            break;
        case '}':
        case ']':
            --depth;
            break;
        default:
            break;
        }
}

std::vector<std::string_view> topLevelNames(std::string_view text)
{
    std::vector<std::string_view> names;
    constexpr std::size_t kMost = 4096; // maximum number of fields; the reader refuses an object with more
    forEachName(text, 1, [&](std::string_view name) {
        names.push_back(name);
        return names.size() == kMost;
    });
    return names;
}

/// True if an operator of a model has a field that only the NPU lens reads: {"ops": [{"tile": ...}]}.
bool hasFieldsOfNpu(std::string_view text)
{
    bool found = false;
    forEachName(text, 3, [&](std::string_view name) { return found = name == "tile" || name == "variant"; });
    return found;
}

/// True if a level has loops, as in a mapping of docs/rules/hierarchy.md 2.
bool hasLoopsInLevels(std::string_view text)
{
    bool found = false;
    forEachName(text, 3,
                [&](std::string_view name) { return found = name == "temporal" || name == "spatial"; });
    return found;
}

/// Describes a text that is neither JSON nor a topology, judging by its beginning; empty if unknown.
std::string otherText(std::string_view text)
{
    const std::size_t start = std::min(text.find_first_not_of("\xef\xbb\xbf \t\r\n"), text.size());
    constexpr std::size_t kLongest = 4096;
    const std::string_view line =
        text.substr(start, std::min(text.find('\n', start), start + kLongest) - start);
    if (line.starts_with('<'))
        return "is XML or HTML, which is not read: export the model to ONNX";
    if (line.empty() || line.find_first_of("{[\"") == 0 || line.find('\0') != std::string_view::npos)
        return {}; // empty: the JSON parser has a better message
    const std::size_t word =
        line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    const bool isKey = word != 0 && word < line.size() && line[word] == ':';
    if (line.starts_with("---") || line.starts_with("%YAML") || line.starts_with("- ") || isKey)
        return "is YAML; of YAML files only Timeloop's are read, mappings (map --method) and constraints "
               "(map --constraints)";
    if (std::ranges::count_if(line, [](char c) { return c == ',' || c == ';' || c == '\t'; }) >= 2)
        return std::string("is a table without the head of a topology: expected ")
            .append(model::kTopologyColumns);
    return {};
}

} // namespace

bool isLanguageModel(std::string_view text)
{
    std::string plain;
    if (firstJsonComment(text))
        plain = withoutJsonComments(text);
    bool found = false;
    forEachName(plain.empty() ? text : plain, 1,
                [&](std::string_view name) { return found = name == "model_type"; });
    return found;
}

Result<FileKind> fileKindOf(std::string_view text, const std::string& file)
{
    if (model::isTopology(text) || model::isMlir(text) || isLanguageModel(text))
        return FileKind::Model;
    std::string plain;
    if (firstJsonComment(text))
        plain = withoutJsonComments(text);
    const std::string_view json = plain.empty() ? text : plain;
    const std::vector<std::string_view> names = topLevelNames(json);
    const auto has = [&](std::string_view field) {
        return std::find(names.begin(), names.end(), field) != names.end();
    };
    // The memory hierarchy of the Systolic lens has levels, too, but not the fields "name" and
    // "element_bytes" that a machine needs.
    if (has("levels") && has("name") && has("element_bytes") && !has("frequency_ghz"))
        return FileKind::Machine;
    if (has("levels") && hasLoopsInLevels(json))
        return FileKind::MappingMethod;
    for (const Mark& mark : kMarks)
        if (has(mark.field))
            return mark.kind == FileKind::Model && hasFieldsOfNpu(json) ? FileKind::NpuModel : mark.kind;
    if (text.find("((") != std::string_view::npos && text.find_first_of("{\"") == std::string_view::npos)
        // Nested tuples of factors, the form in which the source document prints a method.
        return FileKind::MappingMethod;
    std::string other = foreignFormat(text);
    if (other.empty())
        other = otherText(json);
    if (!other.empty())
        return Error{ErrorCode::Syntax, std::move(other), {}, file};
    const auto document = parseJson(text, file);
    if (!document)
        return document.error();
    const JsonCursor root(*document, file);
    if (const Status object = root.object(); !object)
        return object.error();
    if (has("quantization") && has("producer"))
        return root.error("is the quantisation of a language model: open the config.json beside it");
    return root.error("is not a file of Tilewright: it has no field that identifies a problem, schedule, "
                      "model, machine, layer, "
                      "method, architecture or hierarchy");
}

} // namespace tilewright
