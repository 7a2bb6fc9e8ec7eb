// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/model_file.h"

#include "workspace/remembered_dimensions.h"

namespace tilewright::ui {

Result<ModelFile> readModelFile(std::string_view text, const QString& path, const onnx::Dimensions& first)
{
    ModelFile out;
    const std::string file = path.toStdString();
    if (onnx::isOnnx(text)) {
        auto found = onnx::freeDimensions(text, file);
        if (!found)
            return found.error();
        out.free = std::move(*found);
        const onnx::Dimensions before = rememberedDimensions(path);
        for (const onnx::FreeDimension& d : out.free) {
            out.dimensions[d.name] = d.example;
            for (const onnx::Dimensions* known : {&before, &first})
                if (const auto it = known->find(d.name); it != known->end())
                    out.dimensions[d.name] = it->second;
        }
    }
    auto workload = lower::readWorkload(text, file, out.dimensions);
    if (!workload)
        return workload.error();
    out.workload = std::make_shared<const lower::Workload>(std::move(*workload));
    return out;
}

} // namespace tilewright::ui
