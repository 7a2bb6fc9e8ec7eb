// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/files.h"

#include <cstdlib>

using namespace tilewright::mapping;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto layers = readLayers({reinterpret_cast<const char*>(data), size}, "fuzz.json");
    if (!layers)
        return 0;
    const auto again = readLayers(writeModel(layers->model), "again.json");
    if (!again || !(again->model == layers->model))
        std::abort();
    return 0;
}
