// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/traces.h"

#include "base/file.h"

namespace tilewright::verbs {

void bindOptions(OptionList& o, TracesCall& call)
{
    constexpr double kMost = 1e18;
    o.add("trace", call.file, "FILE",
          "Trace: JSON trace events of Chrome, Perfetto, a profiler or Tilewright", o.required());
    o.add("other", call.other, "FILE", "Another trace, which is put on the axis of the first one",
          o.required());
    o.add("--scale", call.scale, Range{0, kMost, true},
          "A unit of time of the other trace in units of the first one, which is a cycle in traces of "
          "Tilewright "
          "and a microsecond in others");
    o.add("--offset", call.offset, Range{-kMost, kMost},
          "Where the other trace begins on the axis of the first one, in units of the first one",
          o.otherwise("least squares of the starts of all slices that both have"));
}

Status readFiles(TracesCall& call)
{
    for (const auto& [file, text] :
         {std::pair{&call.file, &call.text}, std::pair{&call.other, &call.otherText}}) {
        if (!text->empty())
            continue;
        auto read = readFile(*file);
        if (!read)
            return read.error();
        *text = std::move(*read);
    }
    return Unit{};
}

Result<overlay::TraceComparison> tracesOf(const TracesCall& call)
{
    auto a = overlay::readTrace(call.text, call.file);
    if (!a)
        return a.error();
    auto b = overlay::readTrace(call.otherText, call.other);
    if (!b)
        return b.error();
    return overlay::compareTraces(std::move(*a), std::move(*b), call.scale, call.offset);
}

} // namespace tilewright::verbs
