// SPDX-License-Identifier: GPL-3.0-or-later
// Replacement of the ONNX reader in builds without the ONNX library (TILEWRIGHT_ONNX).
#include "onnx/import.h"

namespace tilewright::onnx {

namespace {

Error notBuilt(const std::string& file)
{
    return {ErrorCode::Refused,
            "is an ONNX model, which this build does not read: install libonnx-dev, libprotobuf-dev and "
            "protobuf-compiler and configure again with -DTILEWRIGHT_ONNX=ON",
            {},
            file};
}

} // namespace

Result<FileContent> readFile(const std::string& path)
{
    // The message lacks only the name of the file, which readContent() adds.
    return readContent(path, {isOnnx, [](ByteSource&) -> Result<std::string> { return notBuilt({}); }});
}

Result<Imported> importModel(std::string_view, const std::string& file, const Dimensions&)
{
    return notBuilt(file);
}

Result<std::vector<FreeDimension>> freeDimensions(std::string_view, const std::string& file)
{
    return notBuilt(file);
}

} // namespace tilewright::onnx
