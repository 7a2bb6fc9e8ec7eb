// SPDX-License-Identifier: GPL-3.0-or-later
#include "edit/edits.h"
#include "eval/evaluation.h"
#include "schedule/schedule.h"
#include "schedule/schedule_json.h"
#include "workload/problem_json.h"

#include <cstdlib>

using namespace tilewright;

namespace {

ProblemPtr problem()
{
    auto p = loadProblem(TILEWRIGHT_SOURCE_DIR "/tests/data/valid/chain.problem.json");
    if (!p)
        std::abort();
    return *p;
}

} // namespace

/// Whatever is accepted survives a round trip, and both evaluators and the quick fixes cope with it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const ProblemPtr p = problem();
    const auto loaded = readSchedule(*p, {reinterpret_cast<const char*>(data), size}, "fuzz.json");
    if (!loaded)
        return 0;
    if (loaded->formatIssues.empty()) {
        const auto text = writeSchedule(*p, loaded->schedule);
        const auto again =
            text ? readSchedule(*p, *text, "again.json") : Result<LoadedSchedule>(text.error());
        if (!again || !(again->schedule == loaded->schedule))
            std::abort();
    }
    for (const Rules& rules : {Rules::final(), Rules::seed()}) {
        const Evaluation fast = evaluate(*p, loaded->schedule, rules);
        const Evaluation slow = evaluateByTrace(*p, loaded->schedule, rules);
        if (fast.issues != slow.issues)
            std::abort();
    }
    (void)edit::normalise(*p, loaded->schedule);
    return 0;
}
