// SPDX-License-Identifier: GPL-3.0-or-later
// A config.json with the quantisation that it or the file beside it describes.
#include "base/text.h"
#include "llm/families.h"
#include "llm/quantisation_json.h"

#include <filesystem>

namespace tilewright::llm {

namespace {

std::string bitsText(std::int64_t bits)
{
    return formatNumber(static_cast<double>(bits) / static_cast<double>(kBit));
}

/// Returns the quantisation that the two files state. If both state one, they must agree.
Result<std::optional<LlmQuantisation>>
quantisationOfFiles(const JsonCursor& root, std::optional<std::string_view> text, const std::string& file)
{
    std::optional<LlmQuantisation> out;
    const auto nested = fieldOf(root, "text_config");
    for (const auto& at : {std::optional(root), nested})
        if (const auto field = at ? fieldOf(*at, "quantization_config") : std::nullopt) {
            auto read = quantisationOf(*field);
            if (!read)
                return read.error();
            out = std::move(*read);
        }
    if (!text)
        return out;
    auto beside = readQuantisation(*text, file);
    if (!beside)
        return beside.error();
    const auto contradiction = [&](const char* what, std::int64_t here, std::int64_t there) {
        return Error{ErrorCode::Field,
                     std::string(what) + ": " + bitsText(there) + " bits, but config.json says " +
                         bitsText(here),
                     "quantization", file};
    };
    if (out && out->format.bits != beside->format.bits)
        return contradiction("weights", out->format.bits, beside->format.bits);
    if (out && out->kvBits && beside->kvBits && *out->kvBits != *beside->kvBits)
        return contradiction("cache of keys and values", *out->kvBits, *beside->kvBits);
    if (out && out->kvBits && !beside->kvBits)
        beside->kvBits = out->kvBits;
    return std::optional(std::move(*beside));
}

/// Sets the widths of all weights.
void applyQuantisation(LlmConfig& c, const std::optional<LlmQuantisation>& q)
{
    if (q) {
        if (!c.hasType) // docs/rules/llm.md 5: what is not quantised has 16 bits then
            c.elementBits = c.embeddingBits = c.headBits = c.activationBits = 16 * kBit;
        c.quantisation = q->method;
        c.kvBits = q->kvBits.value_or(c.kvBits);
        const std::int64_t activations = q->format.bits > 0 || q->own.empty()
                                             ? q->format.activationBits
                                             : q->own.front().second.activationBits;
        if (activations > 0)
            c.activationBits = activations;
    }
    const std::optional<ModuleFormats> formats =
        q ? std::optional<ModuleFormats>(std::in_place, *q) : std::nullopt;
    const auto bitsOf = [&](const std::string& module, const LlmMatrix& m) {
        const LlmFormat* format = formats && !m.router ? formats->of(module, m.count > 1) : nullptr;
        return format ? format->weightBits(m.rows, m.columns) : c.elementBits;
    };
    for (std::size_t i = 0; i < c.layers.size(); ++i)
        for (const LlmMatrix& m : matricesOf(c, c.layers[i]))
            c.layers[i].bits.push_back(bitsOf("model.layers." + std::to_string(i) + "." + m.module, m));
    if (q && q->headToo && !c.tied) {
        LlmMatrix head;
        head.rows = c.hidden;
        head.columns = c.vocabulary;
        c.headBits = bitsOf("lm_head", head);
    }
}

/// Name of the model from a path: the file name without "config.json", or if that is empty, the folder's
/// name.
std::string nameOf(const std::string& file)
{
    const std::filesystem::path path(file);
    std::string name = path.filename().string();
    for (const std::string_view end : {".config.json", ".json"})
        if (name.ends_with(end) && name != "config.json") {
            name.resize(name.size() - end.size());
            return name;
        }
    const std::string folder = path.parent_path().filename().string();
    return name == "config.json" && !folder.empty() ? folder : name;
}

/// The word after "model_type" in a text that is not JSON.
std::string_view familyIn(std::string_view text)
{
    constexpr std::string_view kKey = "\"model_type\"";
    const std::size_t key = text.find(kKey);
    const std::size_t begin = key == std::string_view::npos ? key : text.find('"', key + kKey.size());
    const std::size_t end = begin == std::string_view::npos ? begin : text.find('"', begin + 1);
    return end == std::string_view::npos ? std::string_view() : text.substr(begin + 1, end - begin - 1);
}

} // namespace

Result<LlmConfig> readLlmConfig(std::string_view text, const std::string& file,
                                std::optional<std::string_view> quantText, const std::string& quantFile)
{
    const auto document = parseJson(text, file);
    if (!document) {
        // Files of families that are not supported may contain Infinity, which Python writes and JSON does
        // not allow.
        const std::string_view type = familyIn(text), missing = missingOf(type);
        if (missing.empty())
            return document.error();
        return Error{ErrorCode::Field,
                     "\"" + std::string(type) + "\" is not covered: it needs " + std::string(missing),
                     "model_type", file};
    }
    const JsonCursor root(*document, file);
    if (const Status s = root.object(); !s)
        return s.error();
    auto out = configOf(root, file);
    if (!out)
        return out;
    const auto quantisation = quantisationOfFiles(root, quantText, quantFile);
    if (!quantisation)
        return quantisation.error();
    applyQuantisation(*out, *quantisation);
    if (!out->hasType && !*quantisation)
        out->notes.emplace_back("the file names no type (torch_dtype): its values have 32 bits");
    out->name = nameOf(file);
    return out;
}

} // namespace tilewright::llm
