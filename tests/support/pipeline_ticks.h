// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/pipeline.h"

#include <algorithm>
#include <vector>

namespace tilewright::test {

/// The event semantics of pipeline.h applied tick by tick, scanning every command at every tick.
inline std::vector<systolic::PipelineEvent> tickByTick(const systolic::Program& p,
                                                       const systolic::PipelineMachine& machine)
{
    using namespace systolic;
    const std::size_t n = p.commands.size();
    std::vector<PipelineEvent> ev(n, PipelineEvent{-1, -1, -1, -1});
    const auto started = [&](std::size_t c) { return ev[c].start >= 0; };
    std::size_t left = n;
    for (std::int64_t now = 0; left > 0 && now < 1'000'000; ++now) {
        for (bool again = true; again;) {
            again = false;
            for (std::size_t c = 0; c < n; ++c) {
                if (started(c))
                    continue;
                const Command& command = p.commands[c];
                const auto resource = resourceOf(command.kind);
                bool may = true;
                bool barrierSeen = false;
                for (std::size_t before = c; before-- > 0 && may;) {
                    if (!resourceOf(p.commands[before].kind)) {
                        may = started(before);
                        barrierSeen = true;
                        if (may)
                            break; // all before that barrier are ready
                        continue;
                    }
                    if (!resource)
                        may = started(before) && ev[before].ready <= now;
                    else if (!barrierSeen && resourceOf(p.commands[before].kind) == resource)
                        may = started(before);
                }
                if (!may)
                    continue;
                if (!resource) {
                    ev[c] = {now, now, now, -1};
                    again = true;
                    --left;
                    continue;
                }
                for (const std::uint32_t w : command.waits)
                    may = may && started(w) && ev[w].ready <= now;
                // In use: units of running commands, slots whose readers have not all ended.
                std::vector<bool> busy(static_cast<std::size_t>(machine.at(*resource).units), false);
                for (std::size_t o = 0; o < n; ++o) {
                    if (!started(o) || o == c)
                        continue;
                    if (resourceOf(p.commands[o].kind) == resource && ev[o].end > now)
                        busy[static_cast<std::size_t>(ev[o].unit)] = true;
                    if (command.pool && p.commands[o].pool == command.pool &&
                        p.commands[o].slot == command.slot)
                        for (std::size_t reader = 0; reader < n; ++reader)
                            for (const std::uint32_t r : p.commands[reader].reads)
                                if (r == o && (!started(reader) || ev[reader].end > now))
                                    may = false;
                }
                const auto unit = std::find(busy.begin(), busy.end(), false);
                if (!may || unit == busy.end())
                    continue;
                const std::int64_t end = now + commandCycles(command, machine);
                ev[c] = {now, end, end + command.tail, static_cast<std::int32_t>(unit - busy.begin())};
                again = true;
                --left;
            }
        }
    }
    return ev;
}

} // namespace tilewright::test
