// SPDX-License-Identifier: GPL-3.0-or-later
#include "edit/edits.h"
#include "workload/problem_json.h"

#include <cstdlib>

using namespace tilewright;

/// Whatever is accepted survives a round trip and can be scheduled.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto problem = readProblem(text, "fuzz.json");
    if (!problem) {
        if (problem.error().message.empty() || problem.error().file != "fuzz.json")
            std::abort();
        return 0;
    }
    const auto again = readProblem(writeProblem(**problem), "again.json");
    if (!again || (*again)->data().ops != (*problem)->data().ops ||
        (*again)->data().tensors != (*problem)->data().tensors)
        std::abort();
    const Schedule schedule = edit::coverMissing(**problem, Schedule{});
    if (!checkSchedule(**problem, schedule, {}).empty())
        std::abort();
    return 0;
}
