// SPDX-License-Identifier: GPL-3.0-or-later
// Plans of random graphs, good and less good ones.
#pragma once

#include "solve/search/annealer.h"
#include "workload/generate.h"

namespace tilewright::test {

/// A random graph in layers whose tensors hardly fit.
inline ProblemPtr layered(int seed, int ops)
{
    GenerateOptions options;
    options.kind = WorkloadKind::Random;
    options.seed = static_cast<std::uint64_t>(seed);
    options.ops = ops;
    options.native = 64;
    options.capacity = 60000;
    options.bandwidth = 12;
    return generateWorkload(options).value();
}

/// Each op alone with its best tiling.
inline Plan singles(SubgraphPool& pool)
{
    PlanRepair repair(pool);
    Plan plan = repair.singles();
    if (!repair.makeValid(plan))
        return {};
    return plan;
}

/// The best plan after some changes of the current one.
inline Plan changed(SubgraphPool& pool, const Plan& from, std::uint64_t seed, int steps)
{
    Annealer annealer(pool, seed);
    annealer.setCurrent(from);
    for (int i = 0; i < steps; ++i)
        (void)annealer.step(0);
    return annealer.best();
}

} // namespace tilewright::test
