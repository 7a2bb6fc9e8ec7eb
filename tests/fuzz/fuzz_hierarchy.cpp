// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/hierarchy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    (void)tilewright::systolic::parseHierarchy({reinterpret_cast<const char*>(data), size}, "fuzz.json");
    return 0;
}
