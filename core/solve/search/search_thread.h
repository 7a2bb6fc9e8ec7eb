// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/search/shared_search.h"

namespace tilewright {

/// Runs one search thread: first plans, then rounds of column generation and annealing with exact replanning
/// and recombination until the time limit. Thread 0 also tries an exact proof if the problem is small.
void runSearchThread(SharedSearch& shared, int number);

} // namespace tilewright
