// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_reader.h"
#include "base/text.h"
#include "overlay/value_rows.h"

#include <algorithm>

namespace tilewright::overlay {

namespace {

/// The list in a document: the document itself, or its only member that is a list of objects; null if there
/// is none.
const Json* listOf(const Json& document)
{
    if (document.is_array())
        return &document;
    const Json* out = nullptr;
    for (const auto& [key, value] : document.items())
        if (value.is_array() && !value.empty() && value.front().is_object()) {
            if (out)
                return nullptr;
            out = &value;
        }
    return out;
}

bool allNumbers(const Json& object)
{
    return object.is_object() && !object.empty() &&
           std::ranges::all_of(object, [](const Json& value) { return value.is_number(); });
}

std::string cellOf(const Json& value)
{
    return value.is_null()           ? std::string()
           : value.is_number_float() ? formatNumber(value.get<double>())
           : value.is_string()       ? value.get<std::string>()
                                     : jsonText(value);
}

} // namespace

bool isNamedValuesJson(std::string_view text)
{
    const auto document = parseJson(text, {});
    if (!document)
        return false;
    if (allNumbers(*document))
        return true;
    const Json* list = listOf(*document);
    if (!list || list->empty() || !list->front().is_object() || document->contains("traceEvents"))
        return false;
    const Json& first = list->front();
    return first.contains("name") && !first.contains("ph") && first["name"].is_string() &&
           std::ranges::any_of(first, [](const Json& value) { return value.is_number(); }) &&
           std::ranges::none_of(first, [](const Json& value) { return value.is_structured(); });
}

Result<NamedValues> readNamedValuesJson(std::string_view text, const std::string& file,
                                        const ReadOptions& options)
{
    const auto document = parseJson(text, file);
    if (!document)
        return document.error();
    ValueRows rows(file, Form::Document, options);
    const JsonCursor root(*document, file);
    if (allNumbers(*document)) {
        if (Status s = rows.header({"name", "value"}, 1); !s)
            return s.error();
        std::size_t number = 0;
        for (const auto& [key, value] : document->items()) {
            const std::string cell = cellOf(value);
            ++number;
            if (const Status s = rows.row({key, cell}, number); !s)
                return Error{s.error().code, s.error().message, placeOf(Form::Document, number), file};
        }
        return std::move(rows).finish();
    }
    const Json* list = listOf(*document);
    if (!list || list->empty())
        return root.error("expected numbers by name, or one list of objects with a name and numbers");
    const JsonCursor entries(*list, file);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < list->size(); ++i) {
        if (const Status s = entries.at(i).object(); !s)
            return s.error();
        if (i > 0)
            continue;
        for (const auto& [key, value] : (*list)[i].items())
            if (!value.is_structured())
                names.push_back(key);
    }
    if (Status s = rows.header({names.begin(), names.end()}, 1); !s)
        return Error{s.error().code, s.error().message, "entry 1", file};
    std::vector<std::string> texts(names.size());
    for (std::size_t i = 0; i < list->size(); ++i) {
        const Json& entry = (*list)[i];
        for (std::size_t c = 0; c < names.size(); ++c) {
            const auto value = entry.find(names[c]);
            texts[c] = value == entry.end() ? std::string() : cellOf(*value);
        }
        if (Status s = rows.row({texts.begin(), texts.end()}, i + 1); !s)
            return Error{s.error().code, s.error().message, placeOf(Form::Document, i + 1), file};
    }
    return std::move(rows).finish();
}

} // namespace tilewright::overlay
