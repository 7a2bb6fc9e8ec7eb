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
    return fileKindOf(*text, path);
}

Result<FileKind> fileKindOf(std::string_view text, const std::string& file)
{
    const auto document = parseJson(text, file);
    if (!document) {
        if (text.find("((") != std::string_view::npos && text.find_first_of("{\"") == std::string_view::npos)
            return FileKind::MappingMethod; // nested tuples of factors, as the source document prints a
                                            // method
        return document.error();
    }
    const JsonCursor root(*document, file);
    struct Mark
    {
        const char* field;
        FileKind kind;
    };
    // Ordered: a schedule is recognised before a problem, because tools like to add fields.
    for (const Mark& mark : {Mark{"subgraphs", FileKind::Schedule},
                             Mark{"op_types", FileKind::Problem},
                             Mark{"widths", FileKind::Problem},
                             Mark{"base_costs", FileKind::Problem},
                             Mark{"tiling", FileKind::MappingMethod},
                             Mark{"layers", FileKind::MappingModel},
                             Mark{"CONV", FileKind::MappingModel},
                             Mark{"GEMM", FileKind::MappingModel},
                             Mark{"DW_CONV", FileKind::MappingModel},
                             Mark{"method", FileKind::MappingMethod},
                             Mark{"arch_basic", FileKind::MappingArchitecture},
                             Mark{"arch_details", FileKind::MappingArchitecture},
                             Mark{"rf_bytes", FileKind::MappingArchitecture},
                             Mark{"spm_banks", FileKind::MappingArchitecture},
                             Mark{"energy_pj", FileKind::MappingArchitecture},
                             Mark{"dma_mhz", FileKind::MappingArchitecture},
                             Mark{"levels", FileKind::SystolicHierarchy},
                             Mark{"kind", FileKind::MappingLayer},
                             Mark{"generate", FileKind::NpuModel},
                             Mark{"ops", FileKind::NpuModel}})
        if (root.has(mark.field))
            return mark.kind;
    return root.error("is no problem, schedule, layer, model, method, architecture or hierarchy: none of the "
                      "fields that tell them apart is there");
}

} // namespace tilewright
