// SPDX-License-Identifier: GPL-3.0-or-later
// Energy and the energy-delay product: their bounds and the solver's objectives, against the optima of the
// whole space (docs/rules/bound.md 8).
#include "drawn_cases.h"
#include "eval/energy_bound.h"
#include "oracle_reader.h"
#include "random_cases.h"
#include "solve/search/solver.h"
#include "solve_brute_force.h"
#include "test_main.h"
#include "workload/problem_json.h"

#include <QtTest>

#include <algorithm>
#include <cmath>

namespace test_energy {

using namespace tilewright;

namespace {

using random_cases::Source;

constexpr double kAbove = 1 + 1e-9;

/// A problem of at most three ops over small extents, with energies, and rules for it.
struct Drawn
{
    ProblemPtr problem;
    Rules rules;
};

Drawn drawn(std::uint64_t seed)
{
    Source rnd(seed);
    for (;;) {
        Drawn out{random_cases::realProblem(rnd, rnd.chance(70) ? 2 : 3,
                                            {.maps = true, .bits = true, .energy = true, .most = 3}),
                  random_cases::realRules(rnd)};
        if (!out.problem->hasEnergy() || out.problem->tensorCount() > 7)
            continue;
        Problem::Data data = out.problem->data();
        Hardware& hw = data.hardware;
        hw.nativeWidth = rnd.between(1, 4);
        hw.nativeHeight = rnd.between(1, 4);
        if (hw.nativeDepth)
            hw.nativeDepth = rnd.between(1, 4);
        hw.fastMemoryCapacity = rnd.between(6, 40);
        if (auto built = Problem::build(std::move(data))) {
            out.problem = *built;
            return out;
        }
    }
}

double leastProduct(const testing::BruteForce::Costs& front)
{
    const auto of = [](const testing::BruteForce::Cost& c) { return c.latency * c.energy; };
    return of(*std::ranges::min_element(front, {}, of));
}

SolveOptions optionsFor(SolveObjective objective, const Rules& rules)
{
    SolveOptions out;
    out.objective = objective;
    out.rules = rules;
    out.seconds = 0;
    out.iterations = 600;
    out.threads = 1;
    return out;
}

} // namespace

class TestEnergy : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    /// docs/rules/bound.md 8: no schedule takes less energy, or has a smaller product, than the bounds say;
    /// the solver never finds less than brute force, and proves only what is.
    void boundsAreBelowTheOptimumOfBruteForce()
    {
        int cases = 0, tight = 0, proven = 0, found = 0;
        double worst = 1;
        for (std::uint64_t seed = 1; cases < test::drawnCases(320); ++seed) {
            const auto [problem, rules] = drawn(seed);
            const testing::BruteForce::Costs front = testing::BruteForce(*problem, rules).front();
            if (front.empty())
                continue;
            ++cases;
            const double energy = front.back().energy, latency = front.front().latency;
            const LowerBound time = lowerBound(*problem, rules);
            const EnergyBound bound = energyBound(*problem, rules);
            const auto about = [&](const char* what, double value) {
                return QStringLiteral("seed %1: %2 %3, brute force %4\n%5")
                    .arg(seed)
                    .arg(QLatin1String(what))
                    .arg(value, 0, 'g', 15)
                    .arg(energy, 0, 'g', 15)
                    .arg(QString::fromStdString(writeProblem(*problem)));
            };
            QVERIFY2(bound.value <= energy * kAbove, qPrintable(about("energy at least", bound.value)));
            QVERIFY2(time.value <= latency * kAbove, qPrintable(about("latency at least", time.value)));
            QVERIFY2(bound.value * time.value <= leastProduct(front) * kAbove,
                     qPrintable(about("product at least", bound.value * time.value)));
            tight += bound.value >= energy * (1 - 1e-9) ? 1 : 0;
            if (seed % 4 != 0)
                continue;
            for (const SolveObjective objective : {SolveObjective::Energy, SolveObjective::Edp}) {
                const auto result = solve(*problem, optionsFor(objective, rules));
                if (!result)
                    continue;
                ++found;
                const double best = objective == SolveObjective::Energy ? energy : leastProduct(front);
                QVERIFY2(result->value() >= best / kAbove, qPrintable(about("solver", result->value())));
                QVERIFY(result->bound() <= best * kAbove);
                const Evaluation e = evaluate(*problem, result->schedule, rules);
                QVERIFY(e.valid());
                QVERIFY(std::abs(e.energy - result->energy) <= 1e-9 * e.energy);
                QVERIFY(std::abs(e.total - result->total) <= 1e-9 * e.total);
                if (result->provenOptimal) {
                    ++proven;
                    QVERIFY2(result->value() <= best * (1 + 1e-7),
                             qPrintable(about("proven", result->value())));
                }
                if (best > 0)
                    worst = std::max(worst, result->value() / best);
            }
        }
        qInfo("%d cases, %d bounds of energy reached; %d searches, %d proven, worst %.4f times the optimum",
              cases, tight, found, proven, worst);
        QVERIFY(tight > cases / 5 && found > test::drawnAtLeast(100) && proven > 0);
    }

    /// Weighted sums reach the corners of the front of all schedules.
    void objectivesFindTheEndsOfTheFront()
    {
        int cases = 0, energies = 0, products = 0;
        for (std::uint64_t seed = 5000; cases < test::drawnCases(25); ++seed) {
            const auto [problem, rules] = drawn(seed);
            const testing::BruteForce::Costs front = testing::BruteForce(*problem, rules).front();
            if (front.size() < 2)
                continue;
            ++cases;
            const auto energy = solve(*problem, optionsFor(SolveObjective::Energy, rules));
            const auto product = solve(*problem, optionsFor(SolveObjective::Edp, rules));
            energies += energy && energy->energy <= front.back().energy * (1 + 1e-6) ? 1 : 0;
            products += product && product->value() <= leastProduct(front) * (1 + 1e-6) ? 1 : 0;
            if (product)
                for (const FrontPoint& p : product->front) {
                    const Evaluation e = evaluate(*problem, *p.schedule, rules);
                    QVERIFY(e.valid());
                    QVERIFY(std::abs(e.total - p.latency) <= 1e-9 * e.total &&
                            std::abs(e.energy - p.energy) <= 1e-9 * e.energy);
                }
        }
        qInfo("%d fronts: %d least energies and %d least products found", cases, energies, products);
        QVERIFY(energies >= cases * 7 / 10 && products >= cases * 7 / 10);
    }

    void realCasesAreAboveTheBound()
    {
        int valid = 0, stated = 0;
        for (const oracle::json& c : oracle::lines("real_cases.jsonl")) {
            const ProblemPtr p = oracle::problem(c["problem"]);
            for (const auto& [name, rules] :
                 {std::pair("final", Rules::final()), std::pair("machine", Rules::machine())}) {
                if (!c["expect"].contains(name) || !c["expect"][name]["valid"].get<bool>())
                    continue;
                ++valid;
                if (!p->hasEnergy()) {
                    QCOMPARE(energyBound(*p, rules).value, 0.0);
                    continue;
                }
                ++stated;
                const Schedule schedule = oracle::schedule(c["solution"]);
                const Evaluation e = evaluate(*p, schedule, rules);
                const double energy = energyBound(*p, rules).value;
                QVERIFY2(energy <= e.energy * kAbove,
                         qPrintable(QStringLiteral("%1 above %2").arg(energy).arg(e.energy)));
                QVERIFY(energy * lowerBound(*p, rules).value <= e.edp() * kAbove);
            }
        }
        qInfo("%d valid cases, %d with energies", valid, stated);
        QVERIFY(stated > 50);
    }

    /// One MatMul that fits: everything is loaded, computed and stored once.
    void partsOfOneProduct()
    {
        Problem::Data data;
        data.tensors = IdVector<TensorId, Tensor>({{8, 4, {}}, {6, 8, {}}, {6, 4, {}}});
        data.ops.push_back({OpType::MatMul, {TensorId(0), TensorId(1)}, TensorId(2), 1, {}});
        data.hardware = {1000, 10, 4, 4, {}};
        data.energy = EnergyCosts{2, 0.5, {3}, {7}};
        const ProblemPtr p = Problem::build(std::move(data)).value();
        const EnergyBound b = energyBound(*p, Rules::machine());
        const double traffic = 4 * 8 + 8 * 6 + 4 * 6;
        QCOMPARE(b.slow, 2 * traffic);
        // the LHS once for each of two native widths, the RHS once, the results once
        QCOMPARE(b.fast, 0.5 * (traffic + 4 * 8 * 2 + 8 * 6 + 4 * 6));
        QCOMPARE(b.mac, 3.0 * 4 * 8 * 6);
        QCOMPARE(b.vector, 0.0);
        const auto result = solve(*p, optionsFor(SolveObjective::Energy, Rules::machine()));
        QVERIFY(result && result->provenOptimal);
    }

    /// Default objective: nothing about energy changes what is found.
    void latencyIsTheDefault()
    {
        int cases = 0;
        for (std::uint64_t seed = 1; cases < 10; ++seed) {
            const auto [with, rules] = drawn(seed);
            Problem::Data data = with->data();
            data.energy.reset();
            const ProblemPtr without = Problem::build(std::move(data)).value();
            const SolveOptions options = optionsFor(SolveObjective::Latency, rules);
            const auto a = solve(*with, options), b = solve(*without, options);
            QCOMPARE(bool(a), bool(b));
            if (!a)
                continue;
            ++cases;
            QCOMPARE(a->total, b->total);
            QVERIFY(a->schedule == b->schedule);
            QVERIFY(!a->front.empty() && b->front.empty());
            QCOMPARE(b->energy, 0.0);
        }
    }

    /// The objectives of energy need energies.
    void objectivesNeedEnergies()
    {
        Problem::Data data;
        data.tensors = IdVector<TensorId, Tensor>({{4, 4, {}}, {4, 4, {}}});
        data.ops.push_back({OpType::Pointwise, {TensorId(0)}, TensorId(1), 1, {}});
        data.hardware = {100, 10, 4, 4, {}};
        const ProblemPtr p = Problem::build(std::move(data)).value();
        const auto result = solve(*p, optionsFor(SolveObjective::Edp, Rules::final()));
        QVERIFY(!result);
        QCOMPARE(result.error().text(),
                 std::string("the objective edp needs a problem that states energies"));
    }

    /// A front keeps what no other point beats, and the later one of equal points.
    void frontsKeepWhatNothingBeats()
    {
        const auto point = [](double latency, double energy) {
            return FrontPoint{latency, energy, std::make_shared<const Schedule>()};
        };
        Front front;
        addToFront(front, point(10, 5));
        addToFront(front, point(5, 10));
        addToFront(front, point(11, 6));
        QCOMPARE(front.size(), std::size_t(2));
        const FrontPoint same = point(10, 5);
        addToFront(front, same);
        QCOMPARE(front.size(), std::size_t(2));
        QVERIFY(front[1].schedule == same.schedule);
        addToFront(front, point(4, 4));
        QCOMPARE(front.size(), std::size_t(1));
    }
};

TILEWRIGHT_TEST(TestEnergy)

} // namespace test_energy
#include "test_energy.moc"
