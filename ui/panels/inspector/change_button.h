// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "edit/suggestions.h"

class QPushButton;

namespace tilewright::ui {

/// A button for one change of a schedule: effect on the total in front, description behind. A click applies
/// it as one undo step. `best` marks the first of several; `named` adds the subgraph's number where the page
/// does not show it.
[[nodiscard]] QPushButton* changeButton(const ViewContext& context, const Snapshot& snapshot,
                                        SubgraphId subgraph, const Suggestion& change, bool best, bool named,
                                        QWidget* parent);

} // namespace tilewright::ui
