// SPDX-License-Identifier: GPL-3.0-or-later
// Op sets that prices exceed, found without listing the others, and the bound that is made of them.
#include "drawn_cases.h"
#include "eval/lower_bound.h"
#include "random_cases.h"
#include "rules/op_sets.h"
#include "solve/cost/cost_model.h"
#include "solve/cost/subgraph_pool.h"
#include "solve/proof/set_cover.h"
#include "solve/proof/set_cover_master.h"
#include "solve/proof/set_pricing.h"
#include "solve/search/solver.h"
#include "solve_brute_force.h"
#include "solve_support.h"
#include "test_main.h"
#include "workload/generate.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace test_set_pricing {

using namespace tilewright;
using random_cases::Source;

namespace {

constexpr double kAbove = 1 + 1e-9;
const FrontierGraph::Limits kExactDepths{.arcs = 1'000'000, .arcsWithExactDepth = 1'000'000};
const FrontierGraph::Limits kLargestDepths{.arcs = 1'000'000, .arcsWithExactDepth = 0};

/// A component of a problem, and the master problem of its cover.
struct Case
{
    ProblemPtr problem;
    Rules rules;
    std::vector<OpId> ops;
    std::vector<CostModel> models;
    std::unique_ptr<SetCoverMaster> master;

    Case(ProblemPtr p, const Rules& r, std::vector<OpId> component)
        : problem(std::move(p)), rules(r), ops(std::move(component)), models(1, CostModel(*problem, rules)),
          master(std::make_unique<SetCoverMaster>(*problem, rules, ops, std::vector<std::uint32_t>(), models,
                                                  [] { return 1.0; }))
    {
    }

    /// Calls visit(set) for every set of so many ops, whatever stays.
    template <class Visit> void forEach(const SetPricing& pricing, std::size_t mostOps, Visit&& visit) const
    {
        for (const SetPricing::Set& small : pricing.smallSets(std::numeric_limits<std::size_t>::max() / 2)) {
            if (small.ops.size() > mostOps)
                return;
            const Boundary boundary = boundaryOf(*problem, small.ops);
            std::vector<TensorId> in, out;
            std::ranges::copy_if(boundary.inputs, std::back_inserter(in),
                                 [&](TensorId t) { return master->rows().mayBeResident(t); });
            for (const OpId o : small.ops)
                if (const TensorId t = problem->op(o).output; master->rows().mayBeResident(t))
                    out.push_back(t);
            std::ranges::sort(in);
            std::ranges::sort(out);
            for (std::size_t way = 0; way < std::size_t{1} << (in.size() + out.size()); ++way) {
                SetPricing::Set set = small;
                for (std::size_t i = 0; i < in.size(); ++i)
                    if ((way >> i & 1) != 0)
                        set.resident.push_back(in[i]);
                for (std::size_t i = 0; i < out.size(); ++i)
                    if ((way >> (in.size() + i) & 1) != 0)
                        set.retained.push_back(out[i]);
                visit(set);
            }
        }
    }
    [[nodiscard]] SetPricing::Set inOrder(SetPricing::Set set) const
    {
        std::vector<OpId> ops;
        std::ranges::copy_if(problem->topologicalOrder(), std::back_inserter(ops),
                             [&](OpId o) { return std::ranges::binary_search(set.ops, o); });
        set.ops = ops;
        return set;
    }
};

/// The pricing problem of a component, and the lower bound that its boxes give for one set.
class BoundedPricing : public SetPricing
{
public:
    BoundedPricing(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
                   const FrontierGraph& graph)
        : SetPricing(problem, rules, ops, graph), m_problem(problem), m_graph(graph),
          m_costs(problem, rules, ops, graph)
    {
    }

    /// Halves the box of least cost, a few hundred times.
    [[nodiscard]] double leastOf(const Set& set) const
    {
        std::vector<Path> paths; // several: the depths of sinks are guessed
        follow(set, 0, FrontierGraph::kBefore, {}, paths);
        std::erase_if(paths, [&](const Path& path) {
            return static_cast<std::size_t>(std::ranges::count_if(
                       path, [](const Step& s) { return s.first->runs; })) != set.ops.size();
        });
        using Open = std::pair<double, TileBox>;
        const auto later = [](const Open& a, const Open& b) { return a.first > b.first; };
        std::vector<Open> open;
        const auto push = [&](const TileBox& box) {
            double least = kNever;
            for (const Path& path : paths)
                least = std::min(least, leastOfPath(path, box));
            if (least < kNever) {
                open.emplace_back(least, box);
                std::ranges::push_heap(open, later);
            }
        };
        push(m_costs.all());
        constexpr int kBoxes = 300;
        for (int looked = 0; !open.empty(); ++looked) {
            std::ranges::pop_heap(open, later);
            const auto [least, box] = open.back();
            open.pop_back();
            TileBox low{}, high{};
            if (looked == kBoxes || !m_costs.split(box, low, high))
                return least;
            push(low);
            push(high);
        }
        return kNever;
    }

private:
    using Step = std::pair<const FrontierChoice*, OpId>;
    using Path = std::vector<Step>;
    static constexpr double kNever = std::numeric_limits<double>::infinity();

    /// All paths of the set from a state on.
    void follow(const Set& set, std::size_t at, FrontierGraph::State state, const Path& before,
                std::vector<Path>& out) const
    {
        if (at == m_graph.layers().size())
            return;
        const FrontierGraph::Layer& layer = m_graph.layers()[at];
        for (std::uint32_t a = layer.first[state]; a < layer.first[state + 1]; ++a) {
            const FrontierChoice& what = layer.choices[layer.arcs[a].choice];
            const bool fits =
                what.runs == std::ranges::binary_search(set.ops, layer.op) &&
                what.retained == std::ranges::binary_search(set.retained, m_problem.op(layer.op).output) &&
                std::ranges::all_of(what.loads, [&](const FrontierChoice::Load& load) {
                    return load.resident == std::ranges::binary_search(set.resident, load.tensor);
                });
            if (!fits)
                continue;
            Path path = before;
            path.emplace_back(&what, layer.op);
            if (layer.arcs[a].to == FrontierGraph::kAfter)
                out.push_back(std::move(path));
            else
                follow(set, at + 1, layer.arcs[a].to, path, out);
        }
    }
    [[nodiscard]] double leastOfPath(const Path& path, const TileBox& box) const
    {
        BoxCosts::Terms sum;
        for (const auto& [choice, op] : path) {
            const BoxCosts::Terms t = m_costs.of(*choice, op, box);
            if (!t.possible)
                return kNever;
            sum.compute += t.compute;
            sum.memory += t.memory;
            for (std::size_t m = 0; m < BoxCosts::kMoments; ++m)
                sum.fastMemory[m] += t.fastMemory[m];
        }
        const bool fits = *std::ranges::max_element(sum.fastMemory) <=
                          static_cast<double>(m_problem.hardware().fastMemoryCapacity);
        return fits ? std::max(sum.compute, sum.memory) : kNever;
    }

    const Problem& m_problem;
    const FrontierGraph& m_graph;
    BoxCosts m_costs;
};

std::pair<ProblemPtr, Rules> drawn(std::uint64_t seed)
{
    testing::Random rng(seed);
    Source rnd(seed);
    const Rules rules = seed % 2 == 0 ? Rules::final() : random_cases::rules(rnd);
    if (seed % 5 == 0) {
        constexpr int kMostOps = 4, kViewPercent = 40;
        return {random_cases::problem(rnd, kMostOps, kViewPercent), rules};
    }
    if (seed % 3 != 0)
        return {testing::smallProblem(rng), rules};
    const Hardware hw{testing::pick(rng, 300, 6000), testing::pick(rng, 1, 8), 32, 32, {}};
    return {testing::randomProblem(rng, static_cast<int>(testing::pick(rng, 2, 5)), {8, 16, 48, 64, 80}, hw),
            rules};
}

/// Calls visit(seed, case, pricing) for what can be drawn, with and without exact depths.
template <class Visit> void forEachPricing(std::uint64_t cases, Visit&& visit)
{
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        const auto [problem, rules] = drawn(seed);
        if (!CostModel::supports(rules))
            continue;
        for (const std::vector<OpId>& ops : componentsOf(*problem, rules)) {
            const Case c(problem, rules, ops);
            const auto graph = FrontierGraph::build(*problem, rules, c.ops, c.master->rows(),
                                                    seed % 2 == 0 ? kExactDepths : kLargestDepths);
            QVERIFY(graph);
            visit(seed, c, BoundedPricing(*problem, rules, c.ops, *graph));
        }
    }
}

} // namespace

class TestSetPricing : public QObject
{
    Q_OBJECT

private slots:
    /// Every set is a path, and costs no less by the best tiling.
    void noSetIsAboveItsBestTiling()
    {
        int sets = 0;
        double ratio = 0;
        forEachPricing(test::drawnCases(120U), [&](std::uint64_t seed, const Case& c,
                                                   const BoundedPricing& pricing) {
            TilingMemo memo;
            SubgraphPool pool(*c.problem, c.rules, memo, {});
            c.forEach(pricing, 3, [&](const SetPricing::Set& set) {
                constexpr double kNone = 1e300;
                const auto exact =
                    pool.provenLatency(pool.intern(PortableSet{set.ops, set.resident, set.retained}), kNone,
                                       [] { return true; });
                if (!exact || *exact >= kNone)
                    return;
                const double least = pricing.leastOf(set);
                QVERIFY2(least <= *exact * kAbove,
                         qPrintable(QStringLiteral("seed %1: %2 above %3").arg(seed).arg(least).arg(*exact)));
                ++sets;
                ratio += *exact > 0 ? least / *exact : 1;
            });
        });
        qInfo("%d sets, %.1f %% of the best tiling on average", sets, 100 * ratio / sets);
        QVERIFY(sets > test::drawnAtLeast(1000) && ratio > 0.8 * sets);
    }

    /// Against a list of all.
    void findsEverySetThatPricesExceed()
    {
        int exceeded = 0, others = 0;
        forEachPricing(test::drawnCases(150U), [&](std::uint64_t seed, const Case& c,
                                                   const BoundedPricing& pricing) {
            testing::Random rng(seed);
            std::vector<double> prices(c.master->rows().demands().size());
            double alone = 0; // what ops take by themselves
            int count = 0;
            for (const SetPricing::Set& s : pricing.smallSets(1))
                if (const auto column = c.master->columnOf(s, 0); column && std::isfinite(column->cost)) {
                    alone += column->cost;
                    ++count;
                }
            for (double& price : prices)
                price = rng() % 3 == 0 ? 0
                                       : 0.8 * alone / std::max(1, count) *
                                             static_cast<double>(testing::pick(rng, 0, 100)) / 100;
            const SetPricing::KeyOf keyOf = [&](const SetPricing::Set& set) { return c.master->keyOf(set); };
            const SetPricing::Found found = pricing.find(
                prices, keyOf, {},
                {.sets = 100'000, .unit = alone / std::max(1, count), .secondsLeft = [] { return 1.0; }});
            QVERIFY(found.all);
            SetPricing::Keys known;
            for (const SetPricing::Set& set : found.sets)
                QVERIFY(known.insert(keyOf(set)).second);
            c.forEach(pricing, 64, [&](const SetPricing::Set& set) {
                const auto column = c.master->columnOf(c.inOrder(set), 0);
                if (!column)
                    return;
                double price = 0;
                for (const DualPricer::Entry& e : column->achieves)
                    price += e.coefficient * prices[e.row];
                if (price <= column->cost * kAbove) {
                    ++others;
                    return;
                }
                // What costs more by the boxes than by the column may be left out.
                if (pricing.leastOf(set) > price)
                    return;
                QVERIFY2(known.contains(keyOf(set)), qPrintable(QStringLiteral("seed %1: %2 ops, %3 above %4")
                                                                    .arg(seed)
                                                                    .arg(set.ops.size())
                                                                    .arg(price)
                                                                    .arg(column->cost)));
                ++exceeded;
            });
        });
        qInfo("%d sets that prices exceed, %d others", exceeded, others);
        QVERIFY(exceeded > test::drawnAtLeast(500) && others > test::drawnAtLeast(500));
    }

    void neverAboveTheOptimumOfBruteForce()
    {
        int cases = 0, best = 0;
        for (std::uint64_t seed = 1000; seed < 1000 + test::drawnCases(150U); ++seed) {
            testing::Random rng(seed);
            const ProblemPtr p = testing::smallProblem(rng);
            Source rnd(seed);
            const Rules rules = seed % 3 == 0 ? random_cases::rules(rnd) : Rules::final();
            const double optimum = testing::BruteForce(*p, rules).optimum();
            if (optimum >= 1e300)
                continue;
            SetCoverLimits limits;
            limits.seconds = 1e3;
            const SetCoverBound b = setCoverBound(*p, rules, limits);
            QVERIFY2(b.value <= optimum * kAbove,
                     qPrintable(QStringLiteral("seed %1: %2 above %3").arg(seed).arg(b.value).arg(optimum)));
            ++cases;
            best += b.best ? 1 : 0;
        }
        QVERIFY(cases > test::drawnAtLeast(100) && best > cases / 2);
    }

    /// Too many sets to list; their best schedules are known.
    void sayMuchOfNetworks_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<double>("atLeast");
        QTest::newRow("conv-net") << static_cast<int>(WorkloadKind::ConvNet) << 146848 / 1.15;
        QTest::newRow("random") << static_cast<int>(WorkloadKind::Random) << 567131.2 / 1.06;
    }
    void sayMuchOfNetworks()
    {
        QFETCH(int, kind);
        QFETCH(double, atLeast);
        GenerateOptions options{.kind = WorkloadKind::ConvNet,
                                .layers = 5,
                                .rows = 2048,
                                .width = 128,
                                .hidden = 64,
                                .branches = 4,
                                .capacity = 60000,
                                .bandwidth = 40};
        if (kind == static_cast<int>(WorkloadKind::Random))
            options = {.kind = WorkloadKind::Random,
                       .rows = 1024,
                       .width = 512,
                       .ops = 60,
                       .seed = 5,
                       .capacity = 150000,
                       .bandwidth = 20};
        const ProblemPtr p = generateWorkload(options).value();
        SetCoverLimits limits;
        limits.seconds = 1e3;
        limits.threads = 2;
        const SetCoverBound b = setCoverBound(*p, Rules::final(), limits);
        QVERIFY(b.best);
        QVERIFY2(b.value >= atLeast, qPrintable(QString::number(b.value)));
        double sum = 0;
        for (const double price : b.prices)
            sum += price;
        QVERIFY(std::abs(sum - b.value) <= 1e-9 * sum);
        QVERIFY(!b.groups.empty());
    }
};

TILEWRIGHT_TEST(TestSetPricing)

} // namespace test_set_pricing
#include "test_set_pricing.moc"
