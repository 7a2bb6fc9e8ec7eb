// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/place.h"

#include "base/file.h"

namespace tilewright::verbs {

Result<Buffers> readBuffers(const PlaceCall& call)
{
    const std::string& file = call.workload.file;
    if (call.capacity <= 0)
        return Error{ErrorCode::Field, "a file of buffers needs --capacity N", {}, file};
    const auto text = readFile(file);
    if (!text)
        return text.error();
    auto buffers = tilewright::readBuffers(*text);
    if (buffers)
        return buffers;
    Error error = buffers.error();
    error.file = file;
    return error;
}

Result<PlaceAnswer> placeBuffers(Buffers buffers, std::int64_t capacity, const Progress& progress)
{
    PlaceAnswer out{findPlacement(buffers.items, capacity, progress), std::move(buffers), capacity, {}};
    out.json = placementJson(out.buffers, out.placement, out.capacity);
    return out;
}

Result<PlaceAnswer> placeItems(const EvaluatedSchedule& evaluated, const Progress& progress)
{
    const Problem& problem = *evaluated.problem;
    auto placed = placeSchedule(problem, evaluated.loaded.schedule, evaluated.rules.rules, progress);
    if (!placed)
        return placed.error();
    return PlaceAnswer{placed->placement, buffersOf(problem, placed->items),
                       problem.hardware().fastMemoryCapacity, placementJson(problem, *placed)};
}

} // namespace tilewright::verbs
