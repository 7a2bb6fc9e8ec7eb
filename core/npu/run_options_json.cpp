// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/run.h"

#include "base/json_fields.h"

namespace tilewright::npu {

namespace {

constexpr std::array kSchedulers{Scheduler::Static, Scheduler::Dynamic};
constexpr std::array kAssignments{Assignment::RoundRobin, Assignment::CostAware, Assignment::HeadParallel};
constexpr Numbers kWeight{-1e9, 1e9};

} // namespace

static void bindFields(JsonFields& f, RunOptions& o)
{
    f.optional("scheduler", o.scheduler, Words<Scheduler>{kSchedulers, toString});
    f.optional("assignment", o.assignment, Words<Assignment>{kAssignments, toString});
    f.optional("weights", [&](JsonFields& weights) {
        weights.optional("critical_path", o.weights.criticalPath, kWeight);
        weights.optional("intensity", o.weights.intensity, kWeight);
        weights.optional("dram_stall", o.weights.dramStall, kWeight);
    });
    f.optional("memory_bound_first", o.memoryBoundFirst);
}

Result<std::optional<SavedRunOptions>> runOptionsOf(std::string_view modelText, const std::string& file)
{
    const auto document = parseJson(modelText, file);
    if (!document)
        return document.error();
    std::optional<SavedRunOptions> out;
    if (const auto run = JsonCursor(*document, file).find("run")) {
        if (Status s = readJson(*run, out.emplace().options); !s)
            return s.error();
        out->isBest = !run->find("scheduler");
    }
    return out;
}

std::string withRunOptions(const std::string& modelText, const SavedRunOptions& saved)
{
    Json out = parsedJson(modelText);
    out["run"] = writeJson(saved.options);
    if (saved.isBest)
        out["run"].erase("scheduler");
    return jsonText(out, 2) + "\n";
}

} // namespace tilewright::npu
