// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/memory/timeline.h"

#include <QString>

namespace tilewright::ui {

/// Something that lies in fast memory at a time.
struct ContentItem
{
    enum class Kind { Resident, Retained, Input, Accumulator, Output, Donated };
    Kind kind = Kind::Input;
    TensorId tensor;
    QString name;
    QString detail;
    std::int64_t elements = 0; ///< negative for donated memory
};

/// Everything that lies in fast memory during one step.
struct MemoryContents
{
    std::size_t part = 0;
    std::int64_t step = 0;
    double start = 0, end = 0;      ///< of the step, since the start of the schedule
    std::int64_t total = 0;         ///< the working set; the items sum up to it
    std::vector<ContentItem> items; ///< by kind, then by size
};
[[nodiscard]] MemoryContents contentsOf(const Timeline& timeline, std::size_t part, std::int64_t step);
/// Nothing when it is not known.
[[nodiscard]] std::optional<MemoryContents> contentsAt(const Timeline& timeline, double time);

[[nodiscard]] QString contentKindText(ContentItem::Kind kind);
[[nodiscard]] QString contentsTooltip(const MemoryContents& contents, const Timeline& timeline,
                                      std::int64_t capacity);
/// Tab-separated, one line an item.
[[nodiscard]] QString contentsAsText(const MemoryContents& contents);

} // namespace tilewright::ui
