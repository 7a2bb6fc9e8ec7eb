// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/machine_lenses.h"

using namespace tilewright;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const lower::MachineText text{{reinterpret_cast<const char*>(data), size}, "fuzz.json"};
    if (const auto read = lower::readMachines(std::span(&text, 1))) {
        (void)readMachine(writeMachine(*read), "again.json");
        (void)lower::hierarchyOf(*read);
        (void)lower::npuHardwareOf(*read);
        (void)lower::architectureOf(*read);
    }
    return 0;
}
