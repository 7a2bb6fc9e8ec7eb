// SPDX-License-Identifier: GPL-3.0-or-later
// Two traces on one axis (docs/rules/validation.md 6).
#pragma once

#include "overlay/trace.h"
#include "verbs/options.h"

namespace tilewright::verbs {

/// The options of `traces`.
struct TracesCall
{
    std::string file, other;      ///< files of JSON trace events
    double scale = 1;             ///< length of a time unit of the other file, in time units of the first one
    std::optional<double> offset; ///< offset of the other file; nullopt: the offset is fitted

    std::string text, otherText; ///< texts of the files; readFiles() fills them
};
void bindOptions(OptionList& o, TracesCall& call);
[[nodiscard]] Status readFiles(TracesCall& call);

/// Compares the two traces of a call. The Error names file, event and field.
[[nodiscard]] Result<overlay::TraceComparison> tracesOf(const TracesCall& call);

} // namespace tilewright::verbs
