// SPDX-License-Identifier: GPL-3.0-or-later
#include "oracle_reader.h"

#include "workload/problem_json.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>

namespace tilewright::oracle {

json load(const std::string& path)
{
    std::ifstream in(path);
    if (!in)
        throw std::runtime_error("cannot open " + path);
    return json::parse(in);
}

std::string folder()
{
    return std::string(TILEWRIGHT_SOURCE_DIR) + "/tests/data/oracles/schedule/";
}

ProblemPtr problem(const json& j)
{
    auto built = readProblem(j.dump(), "oracle");
    if (!built)
        throw std::runtime_error(built.error().text());
    return *built;
}

Schedule schedule(const json& j)
{
    Schedule out;
    const std::size_t n = j.at("subgraphs").size();
    for (const char* key : {"granularities", "tensors_to_retain", "traversal_orders", "subgraph_latencies"})
        if (j.contains(key) && j[key].size() != n)
            throw std::runtime_error("unequal lengths");
    for (std::size_t i = 0; i < n; ++i) {
        Subgraph s;
        for (const auto& o : j["subgraphs"][i])
            s.ops.emplace_back(static_cast<std::size_t>(o.get<std::int64_t>()));
        const auto& g = j["granularities"][i];
        s.granularity = {g.at(0), g.at(1), g.at(2)};
        for (const auto& t : j["tensors_to_retain"][i])
            s.retain.emplace_back(static_cast<std::size_t>(t.get<std::int64_t>()));
        if (j.contains("traversal_orders") && !j["traversal_orders"][i].is_null())
            s.traversal = Traversal::custom(j["traversal_orders"][i].get<std::vector<std::int64_t>>());
        if (j.contains("subgraph_latencies"))
            s.reportedLatency = j["subgraph_latencies"][i].get<double>();
        out.subgraphs.push_back(std::make_shared<const Subgraph>(std::move(s)));
    }
    return out;
}

ProblemPtr exampleProblem(const std::string& name)
{
    return problem(load(folder() + "examples/" + name + ".problem.json"));
}

Schedule exampleSchedule(const std::string& name)
{
    return schedule(load(folder() + "examples/" + name + ".solution.json"));
}

std::vector<json> lines(const std::string& file)
{
    std::ifstream in(folder() + file);
    if (!in)
        throw std::runtime_error("cannot open " + file);
    std::vector<json> out;
    for (std::string line; std::getline(in, line);)
        out.push_back(json::parse(line));
    return out;
}

std::vector<Case> cases()
{
    std::vector<Case> out;
    for (const char* file : {"fuzz_cases.jsonl", "focus_cases.jsonl"})
        for (const json& c : lines(file)) {
            const ProblemPtr p = problem(c["problem"]);
            try {
                out.push_back({p, schedule(c["solution"])});
            } catch (const std::exception&) {
                // Cannot be held in memory at all: belongs to the schedule reader.
            }
        }
    return out;
}

} // namespace tilewright::oracle
