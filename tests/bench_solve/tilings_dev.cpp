// SPDX-License-Identifier: GPL-3.0-or-later
// dev only
#include "families.h"
#include "solve/exact.h"
#include "solve/subgraph_pool.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
using namespace tilewright;
static double cpu()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}
int main(int argc, char** argv)
{
    int from = argc > 1 ? atoi(argv[1]) : 0, count = argc > 2 ? atoi(argv[2]) : 40;
    double limit = argc > 3 ? atof(argv[3]) : 1.0;
    std::mt19937_64 rng(7);
    double sq = 0, st = 0;
    int n = 0, badq = 0, badt = 0;
    double tq = 0, tt = 0, te = 0;
    int unfinished = 0;
    for (int i = from; i < from + count; ++i) {
        auto f = bench::drawProblem(std::uint64_t(i), 14);
        if (!f.problem)
            continue;
        const Problem& p = *f.problem;
        TilingMemo memo;
        SubgraphPool pool(p, Rules::final(), memo, {});
        for (int j = 0; j < 6; ++j) {
            std::vector<OpId> ops{OpId(rng() % p.opCount())};
            std::size_t want = 1 + rng() % 5;
            for (int tries = 0; tries < 30 && ops.size() < want; ++tries) {
                OpId o = ops[rng() % ops.size()];
                const Op& op = p.op(o);
                std::uint64_t w = rng() % (op.inputs.size() + 1);
                TensorId t = w < op.inputs.size() ? op.inputs[w] : op.output;
                auto cs = p.consumers(t);
                std::uint64_t c = rng() % (cs.size() + 1);
                OpId x = c < cs.size() ? cs[c] : p.producer(t).value_or(o);
                if (std::ranges::find(ops, x) == ops.end())
                    ops.push_back(x);
            }
            SetId s = pool.intern(ops);
            double a = cpu();
            Tiling q = pool.tiling(s, 0, 0, TilingEffort::Quick);
            double b = cpu();
            Tiling t = pool.tiling(s, 0, 0, TilingEffort::Thorough);
            double c = cpu();
            auto el = pool.provenLatency(s, 0, 0, TilingEffort::Exhaustive, 1e300,
                                         [&] { return cpu() - c < limit; });
            std::optional<Tiling> e;
            if (el) {
                e = pool.bestTiling(s, 0, 0, TilingEffort::Quick);
            }
            double d = cpu();
            if (!e) {
                ++unfinished;
                if (q.feasible() && t.latency < q.latency * 0.99)
                    printf(
                        "  Q>T (no proof) %s-%d ops %zu q %.5g t %.5g  q(%lld,%lld,%lld) t(%lld,%lld,%lld)\n",
                        f.name.c_str(), i, pool.set(s).ops.size(), q.latency, t.latency,
                        (long long)q.granularity.w, (long long)q.granularity.h, (long long)q.granularity.k,
                        (long long)t.granularity.w, (long long)t.granularity.h, (long long)t.granularity.k);
                continue;
            }
            if (!e->feasible())
                continue;
            ++n;
            tq += b - a;
            tt += c - b;
            te += d - c;
            double rq = q.latency / e->latency - 1, rt = t.latency / e->latency - 1;
            sq += std::min(rq, 2.0);
            st += std::min(rt, 2.0);
            badq += rq > 0.01;
            badt += rt > 0.01;
            if (rq > 0.02 || rt > 0.005) {
                printf("%s-%d cap %lld bw %lld ops", f.name.c_str(), i,
                       (long long)p.hardware().fastMemoryCapacity,
                       (long long)p.hardware().slowMemoryBandwidth);
                for (OpId o : pool.set(s).ops) {
                    const Op& op = p.op(o);
                    printf(" %s%u[", op.type == OpType::MatMul ? "M" : "P", o.value);
                    for (TensorId x : op.inputs)
                        printf(" t%u %lldx%lld", x.value, (long long)p.tensor(x).height,
                               (long long)p.tensor(x).width);
                    printf(" -> t%u]", op.output.value);
                }
                auto g = [](const Tiling& x) {
                    printf(" (%lld,%lld,%lld,%d) %.5g", (long long)x.granularity.w,
                           (long long)x.granularity.h, (long long)x.granularity.k, int(x.traversal),
                           x.latency);
                };
                printf("\n   E");
                g(*e);
                printf(" Q");
                g(q);
                printf(" T");
                g(t);
                printf("  Q +%.1f%% T +%.1f%%\n", 100 * rq, 100 * rt);
            }
        }
    }
    printf("%d proven, %d unfinished: Quick mean +%.2f%% (%d above 1%%), Thorough +%.2f%% (%d above 1%%); ms "
           "each: Q %.2f T %.2f E %.2f\n",
           n, unfinished, 100 * sq / n, badq, 100 * st / n, badt, 1e3 * tq / n, 1e3 * tt / n, 1e3 * te / n);
}
