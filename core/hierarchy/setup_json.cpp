// SPDX-License-Identifier: GPL-3.0-or-later
#include "hierarchy/setup.h"

#include "base/json_fields.h"
#include "hierarchy/files.h"
#include "hierarchy/mapping_json.h"
#include "mapping/files.h"
#include "mapping/part_json.h"

namespace tilewright::hierarchy {

bool isSetup(std::string_view text)
{
    const auto document = parseJson(text, {});
    if (!document)
        return false;
    const auto architecture = JsonCursor(*document, {}).member("architecture");
    return architecture && architecture->has("levels");
}

Result<Constraints> constraintsOf(const LoopNest& nest, const Architecture& architecture,
                                  const ConstraintTexts& asked, const std::string& file)
{
    auto out = parseConstraints(nest, architecture, asked.factors, asked.orders);
    if (out)
        return out;
    Error error = out.error();
    error.path = error.file == "--order" ? "orders" : "factors";
    error.file = file;
    return error;
}

Result<Setup> readSetup(std::string_view text, const std::string& file)
{
    const auto document = parseJson(text, file);
    if (!document)
        return document.error();
    const JsonCursor root(*document, file);
    Setup out;
    JsonFields fields(root); // each part has its own reader, which checks its fields
    for (const char* part : {"layer", "architecture", "mapping"})
        fields.ignored(part);
    fields.defaulted("factors", out.asked.factors, {});
    fields.defaulted("orders", out.asked.orders, {});
    if (const Status known = fields.close(); !known)
        return known.error();
    const auto layers = mapping::readPart(
        root, "layer", [&](const std::string& part) { return mapping::readLayers(part, file); });
    if (!layers)
        return layers.error();
    out.layer = layers->model.layers.front();
    auto architecture = mapping::readPart(
        root, "architecture", [&](const std::string& part) { return readArchitecture(part, file); });
    if (!architecture)
        return architecture.error();
    out.architecture = std::move(*architecture);
    const auto nest = mapping::makeNest(out.layer);
    if (!nest)
        return nest.error();
    auto read = mapping::readPart(root, "mapping", [&](const std::string& part) {
        return readMapping(part, file, *nest, out.architecture);
    });
    if (!read)
        return read.error();
    out.mapping = std::move(*read);
    const auto constraints = constraintsOf(*nest, out.architecture, out.asked, file);
    return constraints ? Result<Setup>(std::move(out)) : constraints.error();
}

std::string writeSetup(const Setup& setup)
{
    Json out = Json::object();
    out["layer"] = parsedJson(mapping::writeLayer(setup.layer));
    out["architecture"] = parsedJson(writeArchitecture(setup.architecture));
    out["mapping"] = mappingJson(*mapping::makeNest(setup.layer), setup.architecture, setup.mapping);
    if (!setup.asked.factors.empty())
        out["factors"] = setup.asked.factors;
    if (!setup.asked.orders.empty())
        out["orders"] = setup.asked.orders;
    return jsonText(out, 2) + "\n";
}

} // namespace tilewright::hierarchy
