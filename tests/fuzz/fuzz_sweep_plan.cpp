// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/sweep.h"

#include <cstdlib>

using namespace tilewright;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto plan = sweep::readPlan(text, "fuzz.json")) {
        const auto again = sweep::readPlan(sweep::writePlan(*plan), "again.json");
        if (!again || !(*again == *plan))
            std::abort();
        for (const std::size_t i : {std::size_t{0}, plan->pointCount() - 1})
            if (sweep::pointAt(*plan, i).values.size() != plan->axes.size())
                std::abort();
    } else if (plan.error().file.empty()) {
        std::abort();
    }
    (void)sweep::readManifest(text, "fuzz.json");
    return 0;
}
