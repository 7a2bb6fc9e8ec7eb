// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/search/shared_search.h"

namespace tilewright {

/// Runs one thread of a search: first plans, then rounds of column generation and annealing with exact
/// replanning and recombination until the time is over. The first thread (0) of a small problem also tries an
/// exact proof.
void runSearchThread(SharedSearch& shared, int number);

} // namespace tilewright
