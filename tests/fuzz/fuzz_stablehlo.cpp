// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/utf8.h"
#include "model/mlir.h"
#include "stablehlo/import.h"

#include <cstdlib>

using namespace tilewright;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    (void)model::isMlir(text);
    const auto read = stablehlo::importModel(text, "fuzz");
    if (!read) {
        if (!isUtf8(read.error().text()) || read.error().message.empty())
            std::abort(); // every refusal is a sentence
        return 0;
    }
    for (const onnx::ImportedNode& node : read->report.nodes)
        if (!isUtf8(node.name) || (node.op && node.op->index() >= read->model.operators.size()))
            std::abort();
    return 0;
}
