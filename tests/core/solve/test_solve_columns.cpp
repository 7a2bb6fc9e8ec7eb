// SPDX-License-Identifier: GPL-3.0-or-later
// Column generation: dual prices that fit every known plan, pricing walks, plans put together from columns.
#include "layered_plans.h"
#include "solve/columns/column_generation.h"
#include "solve/columns/combine_columns.h"
#include "solve/columns/op_mirror.h"
#include "solve/columns/pricing_walk.h"
#include "solve/plan/check_schedule.h"
#include "solve/plan/plan.h"
#include "solve/search/solver.h"
#include "test_main.h"

#include <QtTest>

#include <optional>

namespace test_solve_columns {

using namespace tilewright;
using namespace tilewright::test;

namespace {

/// A graph with two plans of it and their columns.
struct Columns
{
    explicit Columns(int seed, int ops = 30, MasterProblem::Repeats repeats = MasterProblem::Repeats::Likely,
                     const Rules& rules = Rules::final())
        : problem(layered(seed, ops)), pool(*problem, rules, memo, {}), start(singles(pool)),
          good(changed(pool, start, 1, 1500)), other(changed(pool, start, 2, 1500)), columns(pool, repeats)
    {
        columns.addPlan(start.entries);
        columns.addPlan(good.entries);
        columns.addPlan(other.entries);
    }

    ProblemPtr problem;
    TilingMemo memo;
    SubgraphPool pool;
    Plan start, good, other;
    MasterProblem columns;
};

PlanState::OpFlags runBy(const SubgraphPool& pool, std::span<const CostedSet> entries)
{
    PlanState::OpFlags out;
    for (const CostedSet& e : entries)
        out |= runBy(pool, e);
    return out;
}

bool always()
{
    return true;
}

} // namespace

class TestSolveColumns : public QObject
{
    Q_OBJECT
private slots:
    void aProgramGrowsAndItsRowsChange();
    void noKnownPlanIsBelowTheRelaxation();
    void aPlanThatRunsAnOpTwiceIsKnownToo();
    void whatIsStoredOnceIsNotWorthItTwice();
    void aFrameStaysAsItIs();
    void equalLayersMirrorEachOther();
    void walksFindWhatCostsLessThanItIsWorth();
    void walksMirrorInputsThatStay();
    void combinedPlansAreValid();
    void combinedPlansBeginAsTheyAreTold();
    void theSearchIsBetterThanBothPlans();
    void largeProblemsAreSearchedInWindowsToo();
    void theSearchDoesTheSameAgain();
    void largeAndLockedProblemsDoWithoutIt();
};

void TestSolveColumns::aProgramGrowsAndItsRowsChange()
{
    IncrementalLp program(std::vector<double>{1, 1});
    using Entries = std::vector<IncrementalLp::Entry>;
    (void)program.add(3, Entries{{0, 1}});
    (void)program.add(4, Entries{{1, 1}});
    QCOMPARE(program.solve(1).value, 7.0);
    (void)program.add(5, Entries{{0, 1}, {1, 1}});
    const IncrementalLp::Solution both = program.solve(1);
    QCOMPARE(both.value, 5.0);
    QCOMPARE(both.prices[0] + both.prices[1], 5.0);
    const std::size_t row = program.addRow(0);
    (void)program.add(1, Entries{{0, 1}, {1, 1}, {row, -1}}); // needs what nothing gives
    QCOMPARE(program.solve(1).value, 5.0);
    program.setAtLeast(row, -1);
    QCOMPARE(program.solve(1).value, 1.0);
    program.setAtLeast(row, 0);
    program.setAtLeast(1, 0);
    QCOMPARE(program.solve(1).value, 3.0);
    const IncrementalLp::RowEntry shares[] = {{0, 1}}; // more of the first column
    (void)program.addRow(2, shares);
    QCOMPARE(program.solve(1).value, 6.0);
    QVERIFY(!program.solve(1, 0).prices.empty());
}

void TestSolveColumns::noKnownPlanIsBelowTheRelaxation()
{
    for (int seed = 1; seed <= 12; ++seed) {
        Columns c(seed, 30,
                  seed % 2 == 0 ? MasterProblem::Repeats::Likely : MasterProblem::Repeats::Unlikely);
        QVERIFY(c.columns.solve());
        for (const Plan* plan : {&c.start, &c.good, &c.other}) {
            QVERIFY(c.columns.value() <= plan->total * (1 + 1e-9));
            // Prices and what is left of them fit together along the plan.
            PlanPrefix prefix;
            double least = c.columns.value();
            for (const CostedSet& column : plan->entries) {
                QVERIFY(c.columns.knows(column));
                QVERIFY(c.columns.price(column) <= column.latency + 1e-6 * plan->total);
                prefix = extended(c.pool, std::move(prefix), column);
                const double now = prefix.latency + c.columns.priceOfRest(prefix);
                QVERIFY(now >= least - 1e-6 * plan->total);
                least = now;
            }
            QVERIFY(prefix.run.count() == c.problem->opCount());
            QVERIFY(std::abs(prefix.latency - plan->total) <= 1e-9 * plan->total);
            QVERIFY(least <= plan->total * (1 + 1e-6));
        }
    }
}

/// Two subgraphs that run the same op read the same tensor twice, though it is stored once.
void TestSolveColumns::aPlanThatRunsAnOpTwiceIsKnownToo()
{
    int twice = 0;
    for (int seed = 1; seed <= 30; ++seed) {
        const ProblemPtr problem = layered(seed, 20);
        TilingMemo memo;
        SubgraphPool pool(*problem, Rules::final(), memo, {});
        PlanRepair repair(pool);
        const Plan start = singles(pool);
        for (std::size_t i = 0; i < start.entries.size(); ++i) {
            // An op that reads what another one makes, copied to where it is read.
            const OpId o = pool.set(start.entries[i].set).ops.front();
            const auto readers = problem->consumers(problem->op(o).output);
            if (readers.size() < 2 || pool.set(start.entries[i].set).inputs.empty())
                continue;
            Plan plan = start;
            for (CostedSet& e : plan.entries)
                if (pool.set(e.set).ops.front() == readers[0])
                    e = {{pool.intern({o, readers[0]})}};
            if (!repair.makeValid(plan))
                continue;
            for (const auto repeats : {MasterProblem::Repeats::Likely, MasterProblem::Repeats::Unlikely}) {
                MasterProblem columns(pool, repeats);
                columns.addPlan(plan.entries);
                QVERIFY(columns.solve());
                QVERIFY2(columns.value() <= plan.total * (1 + 1e-9), qPrintable(QString::number(seed)));
            }
            ++twice;
        }
    }
    QVERIFY(twice >= 30);
}

/// Of columns that hand a list over, and of those that take it, no tensor is stored by both.
void TestSolveColumns::whatIsStoredOnceIsNotWorthItTwice()
{
    int lists = 0;
    for (int seed = 1; seed <= 8; ++seed) {
        Columns c(seed, 30,
                  seed % 2 == 0 ? MasterProblem::Repeats::Likely : MasterProblem::Repeats::Unlikely);
        PricingWalk walk(c.columns, 3);
        for (int round = 0; round < 10; ++round) {
            QVERIFY(c.columns.solve());
            (void)walk.round(60, always);
        }
        for (int round = 0; round < 20; ++round)
            QVERIFY(c.columns.solve()); // each time some of what is missing is added
        const std::vector<MasterProblem::Column>& all = c.columns.columns();
        for (const RetainId list : c.columns.lists())
            for (std::size_t op = 0; op < c.problem->opCount(); ++op) {
                double storing = 0; // less those that hand the list over and do not store it
                for (std::size_t i = 0; i < all.size(); ++i) {
                    const bool stores = storedBy(c.pool, all[i])[op];
                    storing += all[i].resident == list && stores ? c.columns.valueOf(i) : 0;
                    storing -= all[i].retain == list && !stores ? c.columns.valueOf(i) : 0;
                }
                QVERIFY(storing < 0.02);
                ++lists;
            }
    }
    QVERIFY(lists > 0);
}

void TestSolveColumns::aFrameStaysAsItIs()
{
    int better = 0;
    for (int seed = 1; seed <= 12; ++seed) {
        Columns c(seed);
        const std::size_t first = c.good.entries.size() / 4;
        const std::size_t count = (c.good.entries.size() + 1) / 2;
        const FixedParts fixed = fixedAround(c.pool, c.good, {first, count});
        const std::span<const CostedSet> inside = std::span(c.good.entries).subspan(first, count);
        const std::span<const CostedSet> after = std::span(c.good.entries).subspan(first + count);
        QCOMPARE(fixed.before.columns.size(), first);
        QCOMPARE((fixed.before.run | fixed.runAfter | runBy(c.pool, inside)).count(), c.problem->opCount());
        double latency = 0;
        for (const CostedSet& e : inside)
            latency += e.latency;
        MasterProblem columns(
            c.pool, seed % 2 == 0 ? MasterProblem::Repeats::Likely : MasterProblem::Repeats::Unlikely, fixed);
        for (const CostedSet& e : inside)
            for (const OpId o : c.pool.set(e.set).ops)
                (void)columns.add({c.pool.intern({o})});
        columns.addPlan(inside);
        QVERIFY(columns.solve());
        QVERIFY(columns.value() <= latency * (1 + 1e-9));
        PricingWalk walk(columns, 3);
        for (int round = 0; round < 15; ++round) {
            (void)walk.round(60, always);
            QVERIFY(columns.solve());
        }
        const double limit = fixed.before.latency + latency * 1.0001;
        const auto found = combineColumns(columns, {10000, limit, 1, nullptr, {}, always});
        QCOMPARE(found.plans.size(), std::size_t{1}); // what is inside already, at least
        Plan plan = found.plans[0];
        for (std::size_t i = 0; i < first; ++i)
            QCOMPARE(plan.entries[i].set, c.good.entries[i].set);
        QCOMPARE(plan.entries.back().retain, fixed.residentAfter);
        plan.entries.insert(plan.entries.end(), after.begin(), after.end());
        QVERIFY(PlanRepair(c.pool).makeValid(plan));
        QVERIFY(plan.total <= c.good.total * 1.0001);
        better += plan.total < c.good.total * (1 - 1e-9);
    }
    QVERIFY(better >= 4);
}

/// Of a chain of equal layers, each two branches that meet again.
void TestSolveColumns::equalLayersMirrorEachOther()
{
    constexpr std::uint32_t kLayers = 6;
    constexpr std::uint32_t kInLayer = 4; // ops: begin, left, right, end
    Problem::Data data;
    for (std::uint32_t i = 0; i <= kLayers * kInLayer; ++i)
        data.tensors.push_back(Tensor{64, 64, {}});
    data.hardware.fastMemoryCapacity = 100000;
    data.hardware.nativeWidth = data.hardware.nativeHeight = 64;
    const auto op = [&](const std::vector<std::uint32_t>& inputs) {
        Op out;
        for (const std::uint32_t t : inputs)
            out.inputs.emplace_back(t);
        out.output = TensorId(static_cast<std::uint32_t>(data.ops.size() + 1));
        out.baseCost = 100;
        data.ops.push_back(std::move(out));
    };
    for (std::uint32_t i = 0; i < kLayers; ++i) {
        const std::uint32_t start = i * kInLayer; // the tensor a layer reads
        op({start});
        op({start + 1});
        op({start + 1});
        op({start + 2, start + 3});
    }
    const ProblemPtr problem = Problem::build(std::move(data)).value();
    const OpMirror mirror(*problem);
    const OpId left(2 * kInLayer + 1);
    QVERIFY(mirror.alike(left).size() >= 2 * (kLayers - 4)); // left and right look the same
    const std::vector<OpId> branch{OpId(2 * kInLayer), left, OpId(2 * kInLayer + 3)};
    const auto image = mirror.image(branch, left, OpId(3 * kInLayer + 1));
    QVERIFY(image.has_value());
    QCOMPARE((*image)[2 * kInLayer], std::optional(OpId(3 * kInLayer)));
    QCOMPARE((*image)[2 * kInLayer + 1], std::optional(OpId(3 * kInLayer + 1)));
    QCOMPARE((*image)[2 * kInLayer + 3], std::optional(OpId(3 * kInLayer + 3)));
    QVERIFY(!(*image)[2 * kInLayer + 2].has_value());
    // Tensors correspond by their producers, and what no op of the branch produces by its readers.
    const auto tensorOf = [&](std::uint32_t layer, std::uint32_t at) {
        return TensorId(layer * kInLayer + at);
    };
    QCOMPARE(mirror.image(*image, tensorOf(2, 2)), std::optional(tensorOf(3, 2)));
    QCOMPARE(mirror.image(*image, tensorOf(2, 0)), std::optional(tensorOf(3, 0)));
    QCOMPARE(mirror.image(*image, tensorOf(2, 3)), std::optional(tensorOf(3, 3)));
    QVERIFY(!mirror.image(*image, tensorOf(1, 1)).has_value());
    QVERIFY(!mirror.image(branch, left, OpId(3 * kInLayer)).has_value());     // begins are no branches
    QVERIFY(!mirror.image(branch, left, OpId(3 * kInLayer + 2)).has_value()); // the end reads it second
}

void TestSolveColumns::walksFindWhatCostsLessThanItIsWorth()
{
    int lower = 0;
    for (int seed = 1; seed <= 8; ++seed) {
        Columns c(seed);
        PricingWalk walk(c.columns, 3);
        QVERIFY(c.columns.solve());
        const double before = c.columns.value();
        std::size_t known = c.columns.columns().size();
        for (int round = 0; round < 10; ++round) {
            const double value = c.columns.value();
            const std::size_t added = walk.round(100, always);
            QCOMPARE(c.columns.columns().size(), known + added);
            known += added;
            QVERIFY(c.columns.solve());
            QVERIFY(c.columns.value() <= value * (1 + 1e-9));
        }
        lower += c.columns.value() < before * (1 - 1e-6);
        for (const MasterProblem::Column& column : c.columns.columns())
            QCOMPARE(column.latency, c.pool.latency(column));
    }
    QVERIFY(lower >= 6);
}

/// An input of the graph that stays in fast memory has no producer whose image could be taken. It once ended
/// `solve` of a model on a machine with a signal.
void TestSolveColumns::walksMirrorInputsThatStay()
{
    Rules rules = Rules::machine();
    rules.retainInputs = Rules::RetainInputs::Carry;
    std::size_t staying = 0;
    for (int seed = 1; seed <= 8; ++seed) {
        Columns c(seed, 30, MasterProblem::Repeats::Likely, rules);
        for (const Plan* plan : {&c.good, &c.other})
            for (const CostedSet& e : plan->entries)
                staying += static_cast<std::size_t>(std::ranges::count_if(
                    c.pool.retain(e.resident), [&](TensorId t) { return !c.problem->producer(t); }));
        PricingWalk walk(c.columns, 3);
        for (int round = 0; round < 6; ++round) {
            QVERIFY(c.columns.solve());
            (void)walk.round(100, always);
        }
        for (const MasterProblem::Column& column : c.columns.columns())
            QCOMPARE(column.latency, c.pool.latency(column));
    }
    QVERIFY(staying > 0);
}

void TestSolveColumns::combinedPlansAreValid()
{
    int better = 0;
    int asFound = 0;
    for (int seed = 1; seed <= 12; ++seed) {
        Columns c(seed);
        PricingWalk walk(c.columns, 3);
        for (int round = 0; round < 10; ++round) {
            QVERIFY(c.columns.solve());
            (void)walk.round(60, always);
        }
        QVERIFY(c.columns.solve());
        const double limit = 1.2 * c.good.total;
        const auto plans = combineColumns(c.columns, {300, limit, 4, nullptr, c.good.entries, always}).plans;
        QVERIFY(plans.size() <= 4);
        PlanRepair repair(c.pool);
        double last = 0;
        for (Plan plan : plans) {
            double sum = 0;
            for (const CostedSet& column : plan.entries)
                sum += c.pool.latency(column);
            QVERIFY(last <= sum * (1 + 1e-12) && sum < limit);
            last = sum;
            const std::vector<CostedSet> found = plan.entries;
            QVERIFY(repair.makeValid(plan));
            // Settling leaves out what runs for nobody; there is another tiling to be found then.
            const bool isAsFound =
                std::ranges::equal(plan.entries, found, {}, &PlannedSet::set, &PlannedSet::set);
            QVERIFY(!isAsFound || plan.total <= sum * (1 + 1e-9));
            asFound += isAsFound;
            better += plan.total < std::min(c.good.total, c.other.total) * (1 - 1e-9);
            const Schedule schedule = toSchedule(c.pool, plan, [] { return true; });
            const auto checked = verifySchedule(*c.problem, schedule, Rules::final());
            QVERIFY(checked.has_value());
            QVERIFY(checked->total <= plan.total * (1 + 1e-9));
        }
    }
    QVERIFY(better >= 3);
    QVERIFY(asFound >= 10);
}

void TestSolveColumns::combinedPlansBeginAsTheyAreTold()
{
    for (int seed = 1; seed <= 6; ++seed) {
        Columns c(seed, 30,
                  seed % 2 == 0 ? MasterProblem::Repeats::Likely : MasterProblem::Repeats::Unlikely);
        QVERIFY(c.columns.solve());
        const double least = c.columns.value();
        PlanPrefix prefix;
        const std::vector<CostedSet> all = c.good.entries;
        for (std::size_t i = 0; i < all.size() / 2; ++i)
            prefix = extended(c.pool, std::move(prefix), all[i]);
        c.columns.startFrom(prefix);
        QVERIFY(c.columns.solve());
        QVERIFY(prefix.latency + c.columns.value() >= least * (1 - 1e-9));
        QVERIFY(prefix.latency + c.columns.value() <= c.good.total * (1 + 1e-9));
        const auto found = combineColumns(c.columns, {1000, c.good.total * 1.001, 1, &prefix, {}, always});
        QCOMPARE(found.plans.size(), std::size_t{1}); // the good plan's own second half at least
        for (std::size_t i = 0; i < prefix.columns.size(); ++i) {
            QCOMPARE(found.plans[0].entries[i].set, prefix.columns[i].set);
            QCOMPARE(found.plans[0].entries[i].retain, prefix.columns[i].retain);
        }
        // Where nothing can go on there is no start to go on from either.
        const CombineOptions hopeless{100, prefix.latency, 1, &prefix, {}, always};
        QVERIFY(combineColumns(c.columns, hopeless).extensions.empty());
        c.columns.startFrom({});
        QVERIFY(c.columns.solve());
        QVERIFY(std::abs(c.columns.value() - least) <= 1e-6 * least);
    }
}

void TestSolveColumns::theSearchIsBetterThanBothPlans()
{
    int better = 0;
    for (int seed = 1; seed <= 8; ++seed) {
        Columns c(seed, 40);
        ColumnGeneration search(*c.problem, Rules::final(), c.memo, 1, always);
        search.addColumns(portable(c.pool, c.other));
        const auto plans =
            search.plansNear(c.pool, c.good, [](std::int64_t rounds) { return rounds / 60.0; });
        QVERIFY(!search.known().empty());
        for (const Plan& plan : plans)
            better += plan.total < std::min(c.good.total, c.other.total) * (1 - 1e-9);
    }
    QVERIFY(better >= 8);
}

void TestSolveColumns::largeProblemsAreSearchedInWindowsToo()
{
    Columns c(5, 130);
    const auto search = [&](double rounds) {
        TilingMemo memo;
        ColumnGeneration columns(*c.problem, Rules::final(), memo, 1, always);
        return columns.plansNear(c.pool, c.good,
                                 [=](std::int64_t done) { return static_cast<double>(done) / rounds; });
    };
    const std::vector<Plan> plans = search(60);
    QVERIFY(!plans.empty());
    for (const Plan& plan : plans) {
        const Schedule schedule = toSchedule(c.pool, plan, [] { return true; });
        const auto checked = verifySchedule(*c.problem, schedule, Rules::final());
        QVERIFY(checked.has_value());
        QVERIFY(checked->total <= plan.total * (1 + 1e-9));
        QVERIFY(plan.total < c.good.total);
    }
    const std::vector<Plan> again = search(60);
    QCOMPARE(again.front().total, plans.front().total);
}

void TestSolveColumns::theSearchDoesTheSameAgain()
{
    const ProblemPtr problem = layered(5, 40);
    std::optional<double> first;
    for (int i = 0; i < 2; ++i) {
        SolveOptions options;
        options.seconds = 0;
        options.iterations = 60000;
        options.threads = 1;
        const auto result = solve(*problem, options);
        QVERIFY(result.hasValue());
        if (first)
            QCOMPARE(result->total, *first);
        first = result->total;
    }
}

void TestSolveColumns::largeAndLockedProblemsDoWithoutIt()
{
    SolveOptions options;
    options.seconds = 0;
    options.iterations = 20000;
    options.threads = 1;
    const ProblemPtr large = layered(3, static_cast<int>(MasterProblem::kMostOps) + 4);
    QVERIFY(large->opCount() > MasterProblem::kMostOps);
    options.iterations = 600;
    QVERIFY(solve(*large, options).hasValue());

    options.iterations = 20000;
    const ProblemPtr problem = layered(3, 20);
    const auto free = solve(*problem, options);
    QVERIFY(free.hasValue());
    Schedule start = free->schedule;
    Subgraph pinned = *start.subgraphs.front();
    pinned.locked = true;
    start.subgraphs.front() = std::make_shared<const Subgraph>(pinned);
    options.start = start;
    const auto kept = solve(*problem, options);
    QVERIFY(kept.hasValue());
    QVERIFY(kept->total <= free->total * (1 + 1e-9));
    QVERIFY(
        std::ranges::any_of(kept->schedule.subgraphs, [&](const auto& s) { return s->ops == pinned.ops; }));
}

TILEWRIGHT_TEST(TestSolveColumns)

} // namespace test_solve_columns
#include "test_solve_columns.moc"
