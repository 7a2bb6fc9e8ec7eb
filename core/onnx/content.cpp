// SPDX-License-Identifier: GPL-3.0-or-later
// Detection of ONNX files by content, available without the ONNX library.
#include "onnx/import.h"

#include <algorithm>

namespace tilewright::onnx {

bool isOnnx(std::string_view content)
{
    if (content.size() < 2 || !foreignFormat(content.substr(0, 256)).empty())
        return false;
    // A ModelProto usually begins with its version, a small integer. Some programs write another field first.
    // A text file never begins with the tag of such a field and also contains control characters.
    constexpr unsigned char kVersion = 0x08;
    constexpr std::string_view kOthers("\x12\x1a\x22\x28\x32\x3a\x42\x72");
    if (static_cast<unsigned char>(content[0]) == kVersion)
        return true;
    const std::string_view head = content.substr(0, 256);
    return kOthers.find(content[0]) != std::string_view::npos &&
           std::any_of(head.begin(), head.end(), [](char c) {
               const auto u = static_cast<unsigned char>(c);
               return u < ' ' && c != '\n' && c != '\t' && c != '\r';
           });
}

} // namespace tilewright::onnx
