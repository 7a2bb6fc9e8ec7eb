// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule_table.h"

#include "base/text.h"
#include "table.h"

#include <algorithm>
#include <iostream>
#include <numeric>

namespace tilewright::cli {

namespace {

std::string granularity(const Granularity& g)
{
    return formatGrouped(g.w) + " x " + formatGrouped(g.h) + " x " + formatGrouped(g.k);
}

std::string opList(const std::vector<OpId>& ops)
{
    constexpr std::size_t kShown = 6;
    std::string out;
    for (std::size_t i = 0; i < ops.size() && i < kShown; ++i)
        out += (i > 0 ? "," : "") + std::to_string(ops[i].value);
    return ops.size() > kShown ? out + ",... (" + std::to_string(ops.size()) + ")" : out;
}

/// The `most` subgraphs with the highest latency, in the order of the schedule; all if there are no more.
std::vector<std::size_t> shownOf(const Evaluation& evaluation, std::size_t most)
{
    std::vector<std::size_t> out(evaluation.subgraphs.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
    if (out.size() <= most)
        return out;
    std::ranges::stable_sort(out, std::greater{},
                             [&](std::size_t i) { return evaluation.subgraphs[i].latency; });
    out.resize(most);
    std::ranges::sort(out);
    return out;
}

} // namespace

std::string opNames(const Problem& problem, const std::vector<OpId>& ops)
{
    constexpr std::size_t kRoom = 60; // characters
    std::string out;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const std::string& name = problem.op(ops[i]).name;
        if (name.empty())
            continue;
        if (!out.empty() && out.size() + name.size() > kRoom)
            return out + " and " + std::to_string(ops.size() - i) + " more";
        out += (out.empty() ? "" : ", ") + name;
    }
    return out;
}

void printSubgraphs(const Problem& problem, const Schedule& schedule, const Evaluation& evaluation,
                    std::size_t most)
{
    const std::int64_t capacity = problem.hardware().fastMemoryCapacity;
    const bool named = std::ranges::any_of(problem.ops(), [](const Op& op) { return !op.name.empty(); });
    std::vector<TableText> header{"#",       "ops",    "w x h x k", "order", "tiles",       "steps",
                                  "compute", "memory", "latency",   "bound", "working set", "of capacity"};
    const std::size_t figures = header.size();
    if (named)
        header.emplace_back("names");
    Table table(header);
    const std::vector<std::size_t> shown = shownOf(evaluation, most);
    for (const std::size_t i : shown) {
        const Subgraph& s = schedule[SubgraphId(i)];
        const SubgraphEvaluation& e = evaluation.subgraphs[i];
        std::vector<TableCell> row{std::to_string(i), opList(s.ops), granularity(s.granularity),
                                   traversalName(s.traversal.kind())};
        if (e.structurallyValid)
            row.insert(row.end(),
                       {formatGrouped(e.rows) + " x " + formatGrouped(e.cols), e.steps, e.compute, e.memory,
                        e.latency, boundName(e.bound), e.peakWorkingSet,
                        percent(static_cast<double>(e.peakWorkingSet) / static_cast<double>(capacity))});
        row.resize(figures, "-");
        if (named)
            row.emplace_back(opNames(problem, s.ops));
        table.add(std::move(row));
    }
    print(table);
    if (const std::size_t rest = evaluation.subgraphs.size() - shown.size(); rest > 0)
        std::cout << "and " << formatGrouped(rest) << " more, none of which takes longer\n";
}

} // namespace tilewright::cli
