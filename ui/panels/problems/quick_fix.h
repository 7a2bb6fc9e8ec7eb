// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "report/snapshot.h"

#include <QString>

#include <optional>

namespace tilewright::ui {

/// A repair of one problem: what the button says and the schedule it leads to.
struct QuickFix
{
    QString text;
    Schedule schedule;
};

/// The repair for this issue, when there is one: shrink to fit, cover the op, drop the impossible retain,
/// reorder, make the granularity legal.
[[nodiscard]] std::optional<QuickFix> quickFix(const Snapshot& snapshot, const Issue& issue);

} // namespace tilewright::ui
