// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "place/placement_json.h"
#include "verbs/deadline.h"
#include "verbs/evaluate.h"

namespace tilewright::verbs {

/// The options of `place`, for a schedule of a problem or for a CSV file of buffers (the file of `workload`;
/// there is no schedule then).
struct PlaceCall : ScheduleCall
{
    std::int64_t capacity = 0; ///< capacity of fast memory, for a file of buffers
    double seconds = 10;       ///< 0: no limit, the search ends with a proof
};
void bindOptions(OptionList& o, PlaceCall& call);

struct PlaceAnswer
{
    Placement placement;
    Buffers buffers;
    std::int64_t capacity = 0;
    std::string json; ///< the document of `place --json`
};
/// Reads the buffers in a file. The Error is one of the file, or that no capacity is given.
[[nodiscard]] Result<Buffers> readBuffers(const PlaceCall& call);
/// Places buffers.
[[nodiscard]] Result<PlaceAnswer> placeBuffers(Buffers buffers, std::int64_t capacity,
                                               const Progress& progress);
/// Places the buffers of a schedule, which must be valid (whyNotPlaced()). There is an Error if it is
/// interrupted or if there are too many buffers.
[[nodiscard]] Result<PlaceAnswer> placeItems(const EvaluatedSchedule& evaluated, const Progress& progress);

} // namespace tilewright::verbs
