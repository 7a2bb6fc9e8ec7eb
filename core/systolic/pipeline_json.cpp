// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_reader.h"
#include "systolic/pipeline.h"

namespace tilewright::systolic {

std::string pipelineTrace(const Program& program, const PipelineRun& run, const PipelineMachine& machine)
{
    Json events = Json::array();
    const auto threadOf = [&](Resource r, std::int64_t unit) {
        std::int64_t thread = 1;
        for (const Resource other : kResources) {
            if (other == r)
                break;
            thread += machine.at(other).units;
        }
        return thread + unit;
    };
    for (const Resource r : kResources)
        for (std::int64_t unit = 0; unit < machine.at(r).units; ++unit) {
            std::string name(resourceName(r));
            if (machine.at(r).units > 1)
                name += " " + std::to_string(unit);
            events.push_back({{"name", "thread_name"},
                              {"ph", "M"},
                              {"pid", 1},
                              {"tid", threadOf(r, unit)},
                              {"args", {{"name", name}}}});
        }
    const std::int64_t bubbleRow = threadOf(Resource::Drain, machine.at(Resource::Drain).units);
    events.push_back({{"name", "thread_name"},
                      {"ph", "M"},
                      {"pid", 1},
                      {"tid", bubbleRow},
                      {"args", {{"name", "array waits for"}}}});
    for (std::size_t c = 0; c < run.events.size(); ++c) {
        const PipelineEvent& e = run.events[c];
        const Command& command = program.commands[c];
        const auto r = resourceOf(command.kind);
        if (!r)
            continue;
        events.push_back({{"name", commandTitle(command)},
                          {"cat", resourceName(*r)},
                          {"ph", "X"},
                          {"ts", e.start},
                          {"dur", e.end - e.start},
                          {"pid", 1},
                          {"tid", threadOf(*r, e.unit)},
                          {"args", {{"bytes", command.bytes}, {"ready", e.ready}}}});
    }
    for (const ArrayBubble& b : run.bubbles)
        events.push_back({{"name", b.reason},
                          {"cat", "stall"},
                          {"ph", "X"},
                          {"ts", b.start},
                          {"dur", b.length},
                          {"pid", 1},
                          {"tid", bubbleRow}});
    constexpr std::array<const char*, 3> levels{"L3 bytes", "L2 bytes", "L1 bytes"};
    for (std::size_t level = 0; level < 3; ++level)
        for (const OccupancyPoint& p : run.occupancy[level])
            events.push_back({{"name", levels[level]},
                              {"ph", "C"},
                              {"ts", p.time},
                              {"pid", 1},
                              {"args", {{"bytes", p.bytes}}}});
    const Json out = {{"displayTimeUnit", "ms"}, {"traceEvents", events}};
    return jsonText(out) + "\n";
}

} // namespace tilewright::systolic
