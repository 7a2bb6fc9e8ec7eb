// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_reader.h"
#include "npu/run_options.h"

namespace tilewright::npu {

namespace {

template <typename T>
Status readWord(const JsonCursor& run, const char* key, std::initializer_list<T> words, T& out)
{
    const auto member = run.find(key);
    if (!member)
        return Unit{};
    const auto text = member->string();
    if (!text)
        return text.error();
    for (const T word : words)
        if (toString(word) == *text) {
            out = word;
            return Unit{};
        }
    return member->error("unknown word \"" + text->substr(0, 40) + "\"");
}

} // namespace

Result<std::optional<RunOptions>> runOptionsOf(std::string_view modelText, const std::string& file)
{
    const auto document = parseJson(modelText, file);
    if (!document)
        return document.error();
    const auto run = JsonCursor(*document, file).find("run");
    if (!run)
        return std::optional<RunOptions>();
    RunOptions out;
    if (Status s = run->object({"scheduler", "assignment", "weights", "memory_bound_first"}); !s)
        return s.error();
    if (Status s = readWord(*run, "scheduler", {Scheduler::Static, Scheduler::Dynamic}, out.scheduler); !s)
        return s.error();
    if (Status s = readWord(*run, "assignment",
                            {Assignment::CostAware, Assignment::RoundRobin, Assignment::HeadParallel},
                            out.assignment);
        !s)
        return s.error();
    if (const auto weights = run->find("weights")) {
        for (const auto& [key, into] : {std::pair{"critical_path", &out.weights.criticalPath},
                                        std::pair{"intensity", &out.weights.intensity},
                                        std::pair{"dram_stall", &out.weights.dramStall}})
            if (const auto member = weights->find(key)) {
                const auto value = member->number(-1e9, 1e9);
                if (!value)
                    return value.error();
                *into = *value;
            }
    }
    if (const auto first = run->find("memory_bound_first")) {
        const auto value = first->boolean();
        if (!value)
            return value.error();
        out.memoryBoundFirst = *value;
    }
    return std::optional(out);
}

std::string withRunOptions(const std::string& modelText, const RunOptions& options)
{
    Json out = Json::parse(modelText);
    out["run"] = {{"scheduler", toString(options.scheduler)},
                  {"assignment", toString(options.assignment)},
                  {"weights",
                   {{"critical_path", options.weights.criticalPath},
                    {"intensity", options.weights.intensity},
                    {"dram_stall", options.weights.dramStall}}},
                  {"memory_bound_first", options.memoryBoundFirst}};
    return out.dump(2) + "\n";
}

} // namespace tilewright::npu
