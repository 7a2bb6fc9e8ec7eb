// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/file_kind.h"

#include "base/file.h"
#include "base/json_reader.h"

namespace tilewright {

Result<FileKind> fileKind(const std::string& path)
{
    const auto text = readFile(path);
    if (!text)
        return text.error();
    const auto document = parseJson(*text, path);
    if (!document)
        return document.error();
    const JsonCursor root(*document, path);
    struct Mark
    {
        const char* field;
        FileKind kind;
    };
    // Ordered: a schedule is recognised before a problem, because tools like to add fields.
    for (const Mark& mark : {Mark{"subgraphs", FileKind::Schedule}, Mark{"op_types", FileKind::Problem},
                             Mark{"widths", FileKind::Problem}, Mark{"base_costs", FileKind::Problem},
                             Mark{"tiling", FileKind::MappingMethod}, Mark{"layers", FileKind::MappingModel},
                             Mark{"CONV", FileKind::MappingModel}, Mark{"GEMM", FileKind::MappingModel},
                             Mark{"kind", FileKind::MappingLayer}, Mark{"generate", FileKind::NpuModel},
                             Mark{"ops", FileKind::NpuModel}})
        if (root.has(mark.field))
            return mark.kind;
    return root.error("is no problem, schedule, layer or model: none of the fields that tell them apart is there");
}

} // namespace tilewright
