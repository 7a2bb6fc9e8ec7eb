// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "place/placement_json.h"
#include "verbs/deadline.h"
#include "verbs/evaluate.h"

namespace tilewright::verbs {

/// What `place` is asked: a schedule of a problem, or a CSV file of buffers (the file of `workload`, without
/// a schedule).
struct PlaceCall : ScheduleCall
{
    std::int64_t capacity = 0; ///< of a file of buffers
    double seconds = 10;       ///< 0: until it is proven
};
void bindOptions(OptionList& o, PlaceCall& call);

struct PlaceAnswer
{
    Placement placement;
    Buffers buffers;
    std::int64_t capacity = 0;
    std::string json; ///< the document of `place --json`
};
/// The Error is one of the file, or that there is no capacity.
[[nodiscard]] Result<Buffers> readBuffers(const PlaceCall& call);
[[nodiscard]] Result<PlaceAnswer> placeBuffers(Buffers buffers, std::int64_t capacity,
                                               const Progress& progress);
/// Of a valid schedule (whyNotPlaced()). The Error: it was interrupted, or has too many items.
[[nodiscard]] Result<PlaceAnswer> placeItems(const EvaluatedSchedule& evaluated, const Progress& progress);

} // namespace tilewright::verbs
