// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/memory/timeline.h"

#include <QString>

namespace tilewright::ui {

/// An item in fast memory at one time.
struct ContentItem
{
    enum class Kind { Resident, Retained, Input, Accumulator, Output, Donated };
    Kind kind = Kind::Input;
    TensorId tensor;
    QString name;
    QString detail;
    std::int64_t elements = 0; ///< negative for donated memory
};

/// All items in fast memory during one step.
struct MemoryContents
{
    std::size_t part = 0;
    std::int64_t step = 0;
    double start = 0, end = 0;      ///< of the step, since the start of the schedule
    std::int64_t total = 0;         ///< the working set, which is the sum of the items
    std::vector<ContentItem> items; ///< by kind, then by size
};
[[nodiscard]] MemoryContents contentsOf(const Timeline& timeline, std::size_t part, std::int64_t step);
/// nullopt if it is not known.
[[nodiscard]] std::optional<MemoryContents> contentsAt(const Timeline& timeline, double time);

[[nodiscard]] QString contentKindText(ContentItem::Kind kind);
[[nodiscard]] QString contentsTooltip(const MemoryContents& contents, const Timeline& timeline,
                                      std::int64_t capacity);
/// Tab-separated, one line per item.
[[nodiscard]] QString contentsAsText(const MemoryContents& contents);

} // namespace tilewright::ui
