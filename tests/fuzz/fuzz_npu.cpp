// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/hardware.h"
#include "npu/model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    (void)tilewright::npu::parseModel(text, "fuzz.json");
    (void)tilewright::npu::parseHardware(text, "fuzz.json");
    return 0;
}
