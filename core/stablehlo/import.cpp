// SPDX-License-Identifier: GPL-3.0-or-later
#include "stablehlo/import.h"

#include "base/utf8.h"
#include "stablehlo/translation.h"

namespace tilewright::stablehlo {

Result<onnx::Imported> importModel(std::string_view content, const std::string& file)
{
    const auto inFile = [&](Error error) {
        error.file = file;
        return error;
    };
    const std::string text = textOfBytes(content, file);
    const auto tokens = tokensOf(text);
    if (!tokens)
        return inFile(tokens.error());
    Program program(*tokens);
    if (Status s = program.read(); !s)
        return inFile(s.error());
    const auto function = program.entry();
    if (!function)
        return inFile(function.error());
    Translation translation(program);
    if (Status s = translation.run(**function); !s)
        return inFile(s.error());
    onnx::Imported out = std::move(translation).take();
    model::chooseElementBytes(out.model);
    out.model.name = model::nameOfModel(printable(program.name()), file);
    out.model.file = file;
    if (out.model.operators.empty())
        return inFile(problemError({}, "computes nothing: every operator is constant or not supported"));
    if (Status s = model::checkModel(out.model); !s)
        return inFile(s.error());
    return out;
}

} // namespace tilewright::stablehlo
