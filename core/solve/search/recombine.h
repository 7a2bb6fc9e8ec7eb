// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/plan/plan.h"

namespace tilewright {

/// Recombination of two settled plans of one pool: gives `best` the places in which `other` is better, one by
/// one, as far as its total falls. A place is the smallest set of subgraphs that run the same ops in both
/// plans. True when `best` improved.
bool recombine(SubgraphPool& pool, PlanSettler& settler, Plan& best, const Plan& other);

} // namespace tilewright
