// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/model_json.h"
#include "model/topology.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    if (const auto read = tilewright::model::readModel(text, "fuzz.json"))
        (void)tilewright::model::readModel(tilewright::model::writeModel(*read), "again.json");
    (void)tilewright::model::readTopology(text, "fuzz.csv");
    return 0;
}
