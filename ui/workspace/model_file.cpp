// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/model_file.h"

#include "workspace/remembered_dimensions.h"

namespace tilewright::ui {

Result<ModelFile> readModelFile(const std::string& text, const QString& path, const onnx::Dimensions& first)
{
    ModelFile out;
    const std::string file = path.toStdString();
    const bool isOnnx = text.empty() && onnx::isOnnxFile(file);
    if (isOnnx) {
        auto found = onnx::freeDimensions(file);
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
    auto workload = isOnnx ? lower::loadWorkload(file, out.dimensions) : lower::readWorkload(text, file);
    if (!workload)
        return workload.error();
    out.workload = std::make_shared<const lower::Workload>(std::move(*workload));
    return out;
}

} // namespace tilewright::ui
