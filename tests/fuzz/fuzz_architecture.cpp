// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/files.h"

#include <cstdlib>

using namespace tilewright::mapping;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto architecture = readArchitecture({reinterpret_cast<const char*>(data), size}, "fuzz.json");
    if (!architecture)
        return 0;
    const auto again = readArchitecture(writeArchitecture(*architecture), "again.json");
    if (!again || !(*again == *architecture))
        std::abort();
    return 0;
}
