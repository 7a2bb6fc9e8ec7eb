// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_fields.h"
#include "mapping/constraints.h"
#include "mapping/files.h"
#include "mapping/setup.h"

namespace tilewright::mapping {

namespace {

/// Reads a member as if it were a file of its own. Its error messages contain the name of the member.
template <typename Read>
auto readPart(const JsonCursor& root, const char* key, const Read& read) -> decltype(read(std::string()))
{
    const auto member = root.member(key);
    if (!member)
        return member.error();
    auto part = read(jsonText(member->node()));
    if (part)
        return part;
    Error error = part.error();
    error.path = error.path.empty() ? key : std::string(key) + "." + error.path;
    return error;
}

} // namespace

Result<Setup> readSetup(std::string_view text, const std::string& file)
{
    const auto document = parseJson(text, file);
    if (!document)
        return document.error();
    const JsonCursor root(*document, file);
    Setup out;
    JsonFields fields(root); // each part has its own reader
    for (const char* part : {"layer", "architecture", "method"})
        fields.ignored(part);
    fields.optional("factors", out.factors);
    if (const Status known = fields.close(); !known)
        return known.error();
    const auto layers = readPart(root, "layer", [&](const std::string& t) { return readLayers(t, file); });
    if (!layers)
        return layers.error();
    out.layer = layers->model.layers.front();
    auto architecture =
        readPart(root, "architecture", [&](const std::string& t) { return readArchitecture(t, file); });
    if (!architecture)
        return architecture.error();
    out.architecture = std::move(*architecture);
    const auto nest = makeNest(out.layer);
    if (!nest)
        return nest.error();
    auto method = readPart(root, "method", [&](const std::string& t) { return readMethod(t, file, *nest); });
    if (!method)
        return method.error();
    out.method = *method;
    if (const auto asked = parseConstraints(*nest, out.factors); !asked) {
        Error error = asked.error();
        error.path = "factors";
        error.file = file;
        return error;
    }
    return out;
}

std::string writeSetup(const Setup& setup)
{
    Json out = Json::object();
    out["layer"] = parsedJson(writeLayer(setup.layer));
    out["architecture"] = parsedJson(writeArchitecture(setup.architecture));
    out["method"] = parsedJson(writeMethod(*makeNest(setup.layer), setup.method));
    if (!setup.factors.empty())
        out["factors"] = setup.factors;
    return jsonText(out, 2) + "\n";
}

} // namespace tilewright::mapping
