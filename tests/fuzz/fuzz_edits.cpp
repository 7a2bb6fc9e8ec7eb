// SPDX-License-Identifier: GPL-3.0-or-later
#include "edit/edits.h"
#include "eval/evaluation.h"
#include "report/compare.h"
#include "workload/generate.h"

#include <cstdlib>

using namespace tilewright;

namespace {

ProblemPtr problem()
{
    GenerateOptions o;
    o.kind = WorkloadKind::Random;
    o.ops = 10;
    o.rows = 24;
    o.width = 20;
    o.native = 8;
    o.capacity = 2000;
    return *generateWorkload(o);
}

} // namespace

/// Each four bytes are an edit. From a valid start every edit that is not forced leaves a structurally valid
/// schedule, and the differences between start and end add up.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const ProblemPtr p = problem();
    static const Schedule start = edit::coverMissing(*p, Schedule{});
    Schedule s = start;
    for (std::size_t i = 0; i + 4 <= size && i < 400; i += 4) {
        const SubgraphId a(data[i + 1] % s.size());
        const std::array two{a, SubgraphId(data[i + 2] % s.size())};
        const std::array ops{OpId(data[i + 2] % p->opCount()), OpId(data[i + 3] % p->opCount())};
        const std::span<const OpId> one(ops.data(), 1);
        Result<Schedule> next = s;
        switch (data[i] % 16) {
        case 0:
            next = edit::fuse(*p, s, two);
            break;
        case 1:
            next = edit::fuseOps(*p, s, ops);
            break;
        case 2:
            next = edit::split(*p, s, a, one);
            break;
        case 3:
            next = edit::splitApart(*p, s, a);
            break;
        case 4:
            next = edit::moveOps(*p, s, ops, std::nullopt, a);
            break;
        case 5:
            next = edit::moveOpsToNew(*p, s, one, std::nullopt);
            break;
        case 6:
            next = edit::moveToPrevious(*p, s, one, a);
            break;
        case 7:
            next = edit::recompute(*p, s, ops, a);
            break;
        case 8:
            next = edit::addSubgraph(*p, s, one);
            break;
        case 9:
            next = edit::duplicate(*p, s, a);
            break;
        case 10:
            next = edit::reorder(*p, s, two, data[i + 3] % s.size());
            break;
        case 11:
            next = edit::setGranularity(*p, s, two,
                                        {1 + data[i + 2] % 9, 1 + data[i + 3] % 9, 1 + data[i + 3] % 7});
            break;
        case 12:
            next = edit::toggleRetain(*p, s, a, p->op(ops[0]).output);
            break;
        case 13:
            next = edit::setTraversal(*p, s, two, static_cast<TraversalKind>(data[i + 3] % 5));
            break;
        case 14:
            next = edit::normalise(*p, s);
            break;
        case 15:
            next = edit::mergeWithNext(*p, s, a);
            break;
        }
        if (next && next->size() < 40)
            s = *next;
    }
    const Evaluation e = evaluate(*p, s, Rules::final());
    for (const Issue& issue : e.issues)
        if (issue.code != IssueCode::OutOfMemory)
            std::abort();
    const Comparison c = compareSchedules(p, start, s, Rules::final());
    if (c.after != e.total)
        std::abort();
    return 0;
}
