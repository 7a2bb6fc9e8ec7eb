// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "edit/suggestions.h"

class QPushButton;

namespace tilewright::ui {

/// Offers one change of a schedule: what it does to the total in front, what it is behind; a click applies it
/// as one undo step. `best` marks the first of several; `named` says which subgraph the words are about,
/// where the page does not.
[[nodiscard]] QPushButton* changeButton(const ViewContext& context, const Snapshot& snapshot,
                                        SubgraphId subgraph, const Suggestion& change, bool best, bool named,
                                        QWidget* parent);

} // namespace tilewright::ui
