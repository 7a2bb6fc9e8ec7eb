// SPDX-License-Identifier: GPL-3.0-or-later
// The data of a report as JSON: names, steps, tables.
#include "base/json_document.h"
#include "eval/trace.h"
#include "report/html_report.h"

#include <algorithm>

namespace tilewright {

namespace {

/// Number of steps per subgraph that are written, so that their total is at most kReportSteps.
std::int64_t stepsOfEach(const Snapshot& snapshot)
{
    const auto sum = [&](std::int64_t most) {
        std::int64_t steps = 0;
        for (const SubgraphEvaluation& e : snapshot.evaluation.subgraphs)
            if (e.structurallyValid)
                steps += std::min(e.steps, most);
        return steps;
    };
    std::int64_t most = kReportSteps;
    while (most > 1 && sum(most) > kReportSteps)
        most /= 2;
    return most;
}

Json stepRows(const Snapshot& snapshot)
{
    const std::int64_t most = stepsOfEach(snapshot);
    Json rows = Json::array();
    double begin = 0;
    for (std::size_t i = 0; i < snapshot.schedule.size(); ++i) {
        const SubgraphEvaluation& e = snapshot.evaluation.subgraphs[i];
        if (!e.structurallyValid)
            continue;
        const auto resident = snapshot.residentBefore(SubgraphId(i));
        traceSubgraph(*snapshot.problem, snapshot.schedule[SubgraphId(i)], resident,
                      snapshot.evaluation.rules, [&](const Step& s) {
                          if (s.index >= most)
                              return false;
                          rows.push_back({i, s.index, s.row, s.col, s.kStep, jsonNumber(begin + s.start),
                                          jsonNumber(s.compute), jsonNumber(s.memory), jsonNumber(s.latency),
                                          jsonNumber(snapshot.problem->elementsOf(s.loadElements)),
                                          jsonNumber(snapshot.problem->elementsOf(s.storeElements)),
                                          jsonNumber(snapshot.problem->elementsOf(s.workingSet))});
                          return true;
                      });
        begin += e.latency;
    }
    return rows;
}

} // namespace

std::string reportData(const Snapshot& snapshot)
{
    const Problem& problem = *snapshot.problem;
    Json ops = Json::array(), tensors = Json::array(), subgraphs = Json::array();
    Json opSubgraphs = Json(std::vector<std::vector<std::size_t>>(problem.opCount()));
    for (std::size_t i = 0; i < problem.opCount(); ++i)
        ops.push_back(problem.opName(OpId(i)));
    for (std::size_t i = 0; i < problem.tensorCount(); ++i)
        tensors.push_back(problem.tensorName(TensorId(i)));
    std::int64_t steps = 0;
    for (std::size_t i = 0; i < snapshot.schedule.size(); ++i) {
        std::string names;
        for (const OpId op : snapshot.schedule[SubgraphId(i)].ops) {
            names += (names.empty() ? "" : ", ") + problem.opName(op);
            opSubgraphs[op.index()].push_back(i);
        }
        subgraphs.push_back(names);
        if (snapshot.evaluation.subgraphs[i].structurallyValid)
            steps += snapshot.evaluation.subgraphs[i].steps;
    }
    const Json out{{"ops", std::move(ops)},
                   {"opSubgraphs", std::move(opSubgraphs)},
                   {"tensors", std::move(tensors)},
                   {"subgraphs", std::move(subgraphs)},
                   {"stepColumns",
                    {"subgraph", "step", "tile row", "tile column", "k step", "start", "compute", "memory",
                     "latency", "loads", "stores", "working set", "bound"}},
                   {"steps", stepRows(snapshot)},
                   {"stepCount", steps}};
    return jsonText(out);
}

std::string tablesJson(const std::string& title, const std::vector<ReportTable>& tables)
{
    Json all = Json::array();
    for (const ReportTable& table : tables) {
        const std::vector<std::vector<std::string>> rows = rowsOf(table);
        if (rows.empty())
            continue;
        all.push_back({{"title", table.title},
                       {"columns", rows.front()},
                       {"rows", std::vector<std::vector<std::string>>(rows.begin() + 1, rows.end())}});
    }
    return dumpByField({{"title", title}, {"tables", std::move(all)}});
}

} // namespace tilewright
