// SPDX-License-Identifier: GPL-3.0-or-later
// Constraints of schedules (docs/rules/constraints.md): what is found keeps them, the optimum within them and
// the cost of each equal brute force, files are read and refused.
#include "drawn_cases.h"
#include "eval/evaluation.h"
#include "rules/subgraph_plan.h"
#include "schedule_exists.h"
#include "solve/cost/constraints.h"
#include "solve/cost/extent_range_text.h"
#include "solve/search/constraint_costs.h"
#include "solve/search/no_schedule.h"
#include "solve/search/solver.h"
#include "solve_baselines.h"
#include "solve_brute_force.h"
#include "solve_support.h"
#include "test_main.h"
#include "workload/generate.h"

#include <QtTest>

namespace test_solve_constraints {

using namespace tilewright;
using namespace tilewright::testing;

namespace {

/// Up to 4 ops that can be scheduled at all, small enough to try every schedule.
ProblemPtr tiny(Random& rng, int i)
{
    Hardware hw;
    hw.nativeWidth = pick(rng, 1, 4);
    hw.nativeHeight = pick(rng, 1, 4);
    hw.nativeDepth = pick(rng, 1, 4);
    hw.slowMemoryBandwidth = pick(rng, 1, 6);
    hw.fastMemoryCapacity = 1;
    const std::vector<std::int64_t> extents =
        i % 2 == 0 ? std::vector<std::int64_t>{2, 4, 8} : std::vector<std::int64_t>{1, 3, 5, 6};
    const ProblemPtr any = randomProblem(rng, static_cast<int>(pick(rng, 2, 4)), extents, hw);
    Problem::Data data = any->data();
    data.hardware.fastMemoryCapacity = smallestCapacity(*any) + pick(rng, 0, i % 3 == 0 ? 12 : 80);
    return Problem::build(std::move(data)).value();
}

OpId anyOp(Random& rng, const Problem& problem)
{
    return OpId(static_cast<std::size_t>(rng() % problem.opCount()));
}

std::vector<OpId> twoOps(Random& rng, const Problem& problem)
{
    std::vector<OpId> out{anyOp(rng, problem), anyOp(rng, problem)};
    while (out[1] == out[0])
        out[1] = anyOp(rng, problem);
    return out;
}

void addDrawn(Random& rng, const Problem& problem, ScheduleConstraints& out)
{
    switch (rng() % 4) {
    case 0:
        out.together.push_back(twoOps(rng, problem));
        break;
    case 1:
        out.apart.push_back(twoOps(rng, problem));
        break;
    case 2: {
        ScheduleConstraints::Tiles t;
        if (rng() % 3 != 0)
            t.ops.push_back(anyOp(rng, problem));
        ExtentRange& range = rng() % 3 == 0 ? t.range.w : rng() % 2 == 0 ? t.range.h : t.range.k;
        range.least = pick(rng, 1, 3);
        if (rng() % 2 == 0 || range.least == 1)
            range.most = range.least + pick(rng, 0, 1);
        out.tiles.push_back(t);
        break;
    }
    default: {
        const TensorId t = problem.op(anyOp(rng, problem)).output;
        const bool isKnown = std::ranges::any_of(out.retain, [&](const auto& r) { return r.tensor == t; });
        if (!isKnown)
            out.retain.push_back({t, !problem.isGraphOutput(t) && rng() % 2 == 0});
    }
    }
}

ScheduleConstraints drawn(Random& rng, const Problem& problem)
{
    ScheduleConstraints out;
    const std::int64_t count = pick(rng, 1, 3);
    while (static_cast<std::int64_t>(out.size()) < count)
        addDrawn(rng, problem, out);
    return out;
}

/// Whether a subgraph keeps the constraints, as the rules page says it, written anew.
bool keeps(const Problem& problem, const Rules& rules, const ScheduleConstraints& c, const Subgraph& s)
{
    const auto in = [&](OpId o) { return std::ranges::count(s.ops, o) > 0; };
    for (const auto& group : c.together)
        if (std::ranges::any_of(group, in) && !std::ranges::all_of(group, in))
            return false;
    for (const auto& group : c.apart)
        if (std::ranges::count_if(group, in) > 1)
            return false;
    const Boundary boundary = boundaryOf(problem, s.ops);
    std::int64_t width = 1, height = 1;
    for (const TensorId t : boundary.sinks) {
        width = std::max(width, problem.tensor(t).width);
        height = std::max(height, problem.tensor(t).height);
    }
    const std::int64_t depth = SubgraphPlan(problem, s.ops, rules).largestDriverK();
    const auto fits = [](const ExtentRange& r, std::int64_t size, std::int64_t whole) {
        return (size >= r.least || size >= whole) && (std::min(size, whole) <= r.most);
    };
    for (const auto& t : c.tiles)
        if ((t.ops.empty() || std::ranges::any_of(t.ops, in)) &&
            !(fits(t.range.w, s.granularity.w, width) && fits(t.range.h, s.granularity.h, height) &&
              fits(t.range.k, s.granularity.k, depth)))
            return false;
    for (const auto& r : c.retain) {
        const bool retained = std::ranges::count(s.retain, r.tensor) > 0;
        if (r.always ? std::ranges::count(boundary.sinks, r.tensor) > 0 && !retained : retained)
            return false;
    }
    return true;
}

double optimumOf(const Problem& problem, const Rules& rules, const ScheduleConstraints& c)
{
    return BruteForce(problem, rules, [&](const Subgraph& s) { return keeps(problem, rules, c, s); })
        .optimum();
}

std::string textOf(const Problem& problem, const ScheduleConstraints& c)
{
    return writeConstraints(problem, c) + writeProblem(problem);
}

bool isNear(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

ProblemPtr chain()
{
    // a: x = p q; b: y = x r; c: z = relu y
    Problem::Data data;
    const auto add = [&](std::int64_t w, std::int64_t h, const char* name) {
        data.tensors.push_back({w, h, name});
        return TensorId(data.tensors.size() - 1);
    };
    const TensorId p = add(64, 64, "p"), q = add(64, 64, "q"), r = add(64, 64, "r"), x = add(64, 64, "x"),
                   y = add(64, 64, "y"), z = add(64, 64, "z");
    data.ops.push_back({OpType::MatMul, {p, q}, x, 100, "a"});
    data.ops.push_back({OpType::MatMul, {x, r}, y, 100, "b"});
    data.ops.push_back({OpType::Pointwise, {y}, z, 10, "c"});
    data.hardware = {20000, 10, 32, 32, {}};
    return Problem::build(std::move(data)).value();
}

} // namespace

class TestSolveConstraints : public QObject
{
    Q_OBJECT

private slots:
    void optimumAndCostsEqualBruteForce();
    void largeProblemsKeepWhatIsAsked();
    void violationsAreNamed();
    void costsOfLocks();
    void costsOfEnergy();
    void filesAreReadAndWritten();
    void rangesAreTyped();
    void filesAreRefused_data();
    void filesAreRefused();
    void whatIsImpossibleIsSaid();
    void rule_R10_5_constraintsAreLimits();
    void theConstraintsThatExcludeAreNamed();
};

/// docs/rules/constraints.md 1, 3 and 4: drawn problems with drawn constraints.
void TestSolveConstraints::optimumAndCostsEqualBruteForce()
{
    Random rng(41);
    int none = 0, costly = 0, costs = 0;
    for (int i = 0; i < test::drawnCases(80); ++i) {
        const ProblemPtr problem = tiny(rng, i);
        SolveOptions options;
        options.seconds = 20;
        options.threads = 1;
        if (i % 4 == 1)
            options.rules.superNative = Rules::SuperNative::Error;
        if (i % 4 == 3)
            options.rules.kLimit = Rules::KLimit::Native;
        options.constraints = drawn(rng, *problem);
        const std::string text = std::to_string(i) + " " + textOf(*problem, options.constraints);
        const double optimum = optimumOf(*problem, options.rules, options.constraints);
        auto result = solve(*problem, options);
        if (optimum >= 1e300) {
            ++none;
            QVERIFY2(!result, text.c_str());
            continue;
        }
        QVERIFY2(result, text.c_str());
        QVERIFY2(violations(*problem, options.rules, result->schedule, options.constraints).empty(),
                 text.c_str());
        if (!isNear(result->total, optimum))
            QFAIL(
                (std::to_string(result->total) + " is not " + std::to_string(optimum) + ": " + text).c_str());
        QVERIFY2(result->provenOptimal, text.c_str());
        QVERIFY(result->lowerBound <= optimum * (1 + 1e-9));
        findConstraintCosts(*problem, options, *result);
        QCOMPARE(result->constraintCosts.size(), options.constraints.size());
        for (std::size_t c = 0; c < options.constraints.size(); ++c) {
            const ConstraintCost& cost = result->constraintCosts[c];
            const double without = optimumOf(*problem, options.rules, options.constraints.without(c));
            QVERIFY2(isNear(cost.without, without), text.c_str());
            QVERIFY2(std::abs(cost.cost - (optimum - without)) <= 1e-9 * optimum, text.c_str());
            QVERIFY2(cost.isExact(), text.c_str());
            QCOMPARE(cost.text, constraintText(*problem, options.constraints, c));
            ++costs;
            costly += cost.cost > 1e-9 * optimum ? 1 : 0;
        }
    }
    // the draw is worth something: of each kind there are enough
    QVERIFY2(none > test::drawnAtLeast(4) && costly > test::drawnAtLeast(15) &&
                 costs - costly > test::drawnAtLeast(20),
             qPrintable(QString("%1 %2 %3").arg(none).arg(costly).arg(costs)));
}

/// Without a proof: a network of some layers, each kind of constraint.
void TestSolveConstraints::largeProblemsKeepWhatIsAsked()
{
    GenerateOptions generate;
    generate.kind = WorkloadKind::Transformer;
    generate.layers = 1;
    const ProblemPtr problem = generateWorkload(generate).value();
    SolveOptions options;
    options.seconds = 0;
    options.threads = 1;
    options.iterations = 600;
    int kept = 0;
    for (unsigned seed = 0; seed < 12; ++seed) {
        Random rng(seed);
        options.constraints = {};
        // ops that share a tensor, so that there is a plan that fuses them
        const OpId first = anyOp(rng, *problem);
        const auto readers = problem->consumers(problem->op(first).output);
        if (readers.empty())
            continue;
        options.constraints.together.push_back({first, readers.front()});
        options.constraints.apart.push_back(twoOps(rng, *problem));
        options.constraints.tiles.push_back({{anyOp(rng, *problem)}, {{1, 16}, {8, 64}, {}}});
        options.constraints.retain.push_back({problem->op(anyOp(rng, *problem)).output, false});
        const auto result = solve(*problem, options);
        if (!result)
            continue;
        ++kept;
        QVERIFY(violations(*problem, options.rules, result->schedule, options.constraints).empty());
        const Evaluation e = evaluateByTrace(*problem, result->schedule, options.rules);
        QVERIFY(e.valid());
        QVERIFY(isNear(e.total, result->total));
        for (const SubgraphPtr& s : result->schedule.subgraphs)
            QVERIFY(keeps(*problem, options.rules, options.constraints, *s));
        QVERIFY(result->lowerBound <= result->total * (1 + 1e-9));
    }
    QVERIFY2(kept >= 5, qPrintable(QString::number(kept)));
}

/// docs/rules/constraints.md 3: each subgraph that breaks a constraint, with what it does.
void TestSolveConstraints::violationsAreNamed()
{
    const ProblemPtr problem = chain();
    const OpId a(0), b(1), c(2);
    const TensorId x(3), y(4);
    Schedule schedule;
    schedule.subgraphs = {
        std::make_shared<const Subgraph>(Subgraph{{a}, {32, 32, 64}, {x}, {}, {}, false}),
        std::make_shared<const Subgraph>(Subgraph{{b, c}, {16, 32, 64}, {}, {}, {}, false})};
    ScheduleConstraints all;
    all.together = {{a, b}, {b, c}};
    all.apart = {{b, c}, {a, c}};
    all.tiles = {{{b}, {{32, 32}, {}, {}}}, {{}, {{}, {}, {64, ExtentRange().most}}}};
    all.retain = {{x, false}, {y, true}};
    const auto found = violations(*problem, Rules::final(), schedule, all);
    const std::vector<ConstraintViolation> expected{{0, SubgraphId(0), "runs a but not b"},
                                                    {0, SubgraphId(1), "runs b but not a"},
                                                    {2, SubgraphId(1), "runs b, c"},
                                                    {4, SubgraphId(1), "has w 16"},
                                                    {6, SubgraphId(0), "retains x"}};
    QCOMPARE(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        QVERIFY2(found[i] == expected[i], found[i].text.c_str());
    QCOMPARE(constraintText(*problem, all, 4), std::string("tiles of b: w 32"));
    QCOMPARE(constraintText(*problem, all, 5), std::string("tiles: k at least 64"));
    QCOMPARE(constraintText(*problem, all, 6), std::string("never retain x"));
    QVERIFY(all.without(4).tiles.size() == 1 && all.without(7).retain.size() == 1);
    // an extent that covers everything keeps each least
    all = {};
    all.tiles = {{{}, {{128, ExtentRange().most}, {}, {}}}};
    schedule.subgraphs[0] = std::make_shared<const Subgraph>(Subgraph{{a}, {64, 32, 64}, {x}, {}, {}, false});
    QCOMPARE(violations(*problem, Rules::final(), schedule, all).size(), std::size_t{1});
}

/// docs/rules/constraints.md 4: a lock is a constraint. The search with it has no proof, that without it has.
void TestSolveConstraints::costsOfLocks()
{
    const ProblemPtr problem = chain();
    SolveOptions options;
    options.seconds = 5;
    options.threads = 1;
    const auto best = solve(*problem, options);
    QVERIFY(best && best->provenOptimal);
    Schedule start;
    for (std::size_t i = 0; i < 3; ++i)
        start.subgraphs.push_back(
            std::make_shared<const Subgraph>(Subgraph{{OpId(i)}, {8, 8, 8}, {}, {}, {}, i == 0}));
    options.start = start;
    options.seconds = 0.5;
    auto result = solve(*problem, options);
    QVERIFY(result);
    std::vector<std::string> searched;
    findConstraintCosts(*problem, options, *result,
                        [&](std::size_t done, std::size_t all, const std::string& without) {
                            QVERIFY(done == searched.size() && all == 1);
                            searched.push_back(without);
                        });
    QCOMPARE(searched, std::vector<std::string>{"lock of subgraph 0 (a)"});
    QCOMPARE(result->constraintCosts.size(), std::size_t{1});
    const ConstraintCost& cost = result->constraintCosts.front();
    QCOMPARE(cost.text, std::string("lock of subgraph 0 (a)"));
    QVERIFY(isNear(cost.without, best->total));
    QVERIFY(cost.cost > 0 && isNear(cost.cost, result->total - best->total));
    QCOMPARE(cost.certainty(), std::string_view("at most"));
    QVERIFY(cost.least >= 0 && cost.least <= cost.cost);
}

/// The cost is one of the objective.
void TestSolveConstraints::costsOfEnergy()
{
    Problem::Data data = chain()->data();
    data.energy = EnergyCosts{10, 1, {1}, {1}};
    const ProblemPtr problem = Problem::build(std::move(data)).value();
    SolveOptions options;
    options.seconds = 0;
    options.iterations = 500;
    options.threads = 1;
    options.objective = SolveObjective::Energy;
    options.constraints.retain = {{TensorId(3), false}, {TensorId(4), false}};
    options.constraints.apart = {{OpId(0), OpId(1)}, {OpId(1), OpId(2)}};
    auto result = solve(*problem, options);
    QVERIFY(result);
    findConstraintCosts(*problem, options, *result);
    QCOMPARE(result->constraintCosts.size(), std::size_t{4});
    for (const ConstraintCost& c : result->constraintCosts) {
        QVERIFY(c.cost >= 0 && c.least <= c.cost * (1 + 1e-9) && c.cost <= c.most * (1 + 1e-9));
        QVERIFY(isNear(c.without + c.cost, result->energy));
    }
}

/// What the user types is read as it is written.
void TestSolveConstraints::rangesAreTyped()
{
    constexpr std::int64_t free = ExtentRange().most;
    for (const ExtentRange& range : {ExtentRange{64, 64}, {16, 2048}, {16, free}, {1, 128}}) {
        const auto read = readExtentRange(extentRangeText(range));
        QVERIFY2(read && *read == range, extentRangeText(range).c_str());
    }
    QVERIFY(readExtentRange("") && !readExtentRange("")->any());
    for (const char* bad : {"wide", "0", "64 to 16", "16 to", "at least ", "at most 3000000000", "2.5"})
        QVERIFY2(!readExtentRange(bad), bad);
    QVERIFY(readExtentRange("64 to 16").error().message.starts_with("\"64 to 16\""));
}

void TestSolveConstraints::filesAreReadAndWritten()
{
    const ProblemPtr problem = chain();
    const auto read = readConstraints(*problem, R"({
        "together": [["a", 1]],
        "apart": [["b", "c"]],
        "tiles": [{"ops": ["b"], "w": 32, "k": {"least": 8, "most": 64}}, {"h": {"most": 16}}],
        "retain": [{"tensor": "x", "when": "always"}, {"tensor": 4, "when": "never"}]})",
                                      "c.json");
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(read->size(), std::size_t{6});
    QVERIFY((read->together.front() == std::vector<OpId>{OpId(0), OpId(1)}));
    QVERIFY((read->tiles[0].range == TileRange{{32, 32}, {}, {8, 64}}));
    QVERIFY(read->tiles[1].ops.empty() && read->tiles[1].range.h.most == 16);
    QVERIFY(read->retain[0].always && !read->retain[1].always);
    const auto again = readConstraints(*problem, writeConstraints(*problem, *read), "again");
    QVERIFY2(again, again ? "" : again.error().text().c_str());
    QVERIFY(*again == *read);
    QVERIFY(!readConstraints(*problem, "{}", "empty")->any());
}

void TestSolveConstraints::filesAreRefused_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* text, const char* error) { QTest::newRow(text) << text << error; };
    row(R"([])", "c.json: expected an object, got a list of 0");
    row(R"({"togehter": []})", "c.json: unknown field \"togehter\"; did you mean \"together\"?");
    row(R"({"together": [["a"]]})", "c.json: together[0]: needs at least two ops");
    row(R"({"together": [["a", 0]]})", "c.json: together[0]: a is in the group twice");
    row(R"({"apart": [["a", "d"]]})", "c.json: apart[0][1]: no op has the name \"d\"");
    row(R"({"apart": [["a", 3]]})", "c.json: apart[0][1]: expected an integer from 0 to 2, got 3");
    row(R"({"apart": [["a", true]]})",
        "c.json: apart[0][1]: expected the name or the number of an op, got true");
    row(R"({"tiles": [{"ops": ["a"]}]})", "c.json: tiles[0]: needs w, h or k");
    row(R"({"tiles": [{"ops": [], "w": 3}]})",
        "c.json: tiles[0].ops: needs at least one op; without the field it means every subgraph");
    row(R"({"tiles": [{"w": {"least": 9, "most": 8}}]})",
        "c.json: tiles[0].w.least: must not be more than most");
    row(R"({"tiles": [{"w": {}}]})", "c.json: tiles[0].w: needs least or most");
    row(R"({"tiles": [{"w": 0}]})", "c.json: tiles[0].w: expected an integer from 1 to 2^31, got 0");
    row(R"({"tiles": [{"w": "wide"}]})",
        "c.json: tiles[0].w: expected an integer, or an object with least and most, got the text \"wide\"");
    row(R"({"retain": [{"tensor": "x", "when": "often"}]})",
        "c.json: retain[0].when: expected \"always\" or \"never\", got the text \"often\"");
    row(R"({"retain": [{"tensor": "z", "when": "always"}]})",
        "c.json: retain[0].tensor: z is an output of the graph, which has to be stored (R3.6)");
    row(R"({"retain": [{"tensor": "p", "when": "always"}]})",
        "c.json: retain[0].tensor: p is the result of no op, so that nothing stores it");
    row(R"({"retain": [{"tensor": "x", "when": "never"}, {"tensor": 3, "when": "always"}]})",
        "c.json: retain[1].tensor: x has an entry already");
}

/// Bad input is one sentence with file, field and reason.
void TestSolveConstraints::filesAreRefused()
{
    QFETCH(QString, text);
    QFETCH(QString, error);
    const auto read = readConstraints(*chain(), text.toStdString(), "c.json");
    QVERIFY(!read);
    QCOMPARE(QString::fromStdString(read.error().text()), error);
}

void TestSolveConstraints::whatIsImpossibleIsSaid()
{
    SolveOptions options;
    options.seconds = 1;
    options.threads = 1;
    options.constraints.together = {{OpId(0), OpId(1)}};
    options.constraints.apart = {{OpId(0), OpId(1)}};
    const auto result = solve(*chain(), options);
    QVERIFY(!result);
    QVERIFY(result.error().text().starts_with("no valid schedule exists: constraint together: a, b and "));
}

/// docs/rules/schedule.md R10.5 with constraints: what is named excludes everything, and nothing less does.
void TestSolveConstraints::rule_R10_5_constraintsAreLimits()
{
    constexpr std::int64_t kAmple = 100'000;
    Random rng(5);
    int explained = 0, unknown = 0, withCapacity = 0;
    while (explained < test::drawnCases(60)) {
        const Hardware hw{pick(rng, 2, 14), pick(rng, 1, 6), pick(rng, 1, 3), pick(rng, 1, 3), {}, {}};
        const ProblemPtr problem = randomProblem(rng, pick(rng, 1, 12) == 1 ? 3 : 2, {1, 2, 3}, hw);
        Problem::Data data = problem->data();
        data.hardware.fastMemoryCapacity = kAmple;
        const ProblemPtr ample = Problem::build(std::move(data)).value();
        SolveOptions options;
        options.constraints = drawn(rng, *problem);
        const auto why = whyNoSchedule(*problem, options);
        const bool exists = optimumOf(*problem, options.rules, options.constraints) < 1e300;
        QVERIFY2(!(exists && why), why ? why->text().c_str() : "");
        if (exists)
            continue;
        if (!why) {
            ++unknown;
            continue;
        }
        std::vector<std::string> names;
        for (const ExcludingLimit& limit : why->limits)
            names.push_back(limit.name);
        const Rules rules = loosened(options.rules, names);
        const auto named = [&](std::size_t number) {
            return std::ranges::any_of(why->limits, [&](const ExcludingLimit& l) {
                return l.value == constraintText(*problem, options.constraints, number);
            });
        };
        /// Without the limits that are not named, and without one of those that are.
        const auto existsWithout = [&](std::string_view left) {
            ScheduleConstraints kept = options.constraints;
            for (std::size_t c = options.constraints.size(); c-- > 0;)
                if (!named(c) || constraintText(*problem, options.constraints, c) == left)
                    kept = kept.without(c);
            const bool isLimited = left != "capacity" && why->limits.front().name == "capacity";
            return optimumOf(isLimited ? *problem : *ample, rules, kept) < 1e300;
        };
        QVERIFY2(!existsWithout({}), why->text().c_str());
        for (const ExcludingLimit& limit : why->limits) {
            const bool isCapacity = limit.name == "capacity";
            withCapacity += isCapacity ? 1 : 0;
            if (!limit.name.starts_with("rule "))
                QVERIFY2(existsWithout(isCapacity ? "capacity" : limit.value),
                         (why->text() + ", without " + limit.name + limit.value + ": " +
                          textOf(*problem, options.constraints))
                             .c_str());
        }
        ++explained;
    }
    qInfo("%d explained, %d not settled, %d with the capacity", explained, unknown, withCapacity);
    QVERIFY(unknown <= explained / 10 && withCapacity > explained / 10);
}

void TestSolveConstraints::theConstraintsThatExcludeAreNamed()
{
    SolveOptions options;
    options.constraints.together = {{OpId(0), OpId(1)}};
    options.constraints.apart = {{OpId(0), OpId(1)}, {OpId(1), OpId(2)}};
    const auto both = whyNoSchedule(*chain(), options);
    QVERIFY(both);
    QCOMPARE(both->text(), std::string("constraint together: a, b and constraint apart: a, b: none of all "
                                       "schedules keeps them; leaving out together: a, b or leaving out "
                                       "apart: a, b would do"));
    // also of ops whose schedules are too many to be searched
    GenerateOptions generate;
    generate.kind = WorkloadKind::Transformer;
    generate.layers = 1;
    options.constraints.apart.pop_back();
    const auto large = whyNoSchedule(*generateWorkload(generate).value(), options);
    QVERIFY(large && large->limits.size() == 2);
    Problem::Data data = chain()->data();
    data.hardware.fastMemoryCapacity = 4096; // that of x, which has to be kept whole beside other slices
    options.constraints = {};
    options.constraints.apart = {{OpId(0), OpId(1)}};
    options.constraints.retain = {{TensorId(3), true}};
    const auto why = whyNoSchedule(*Problem::build(std::move(data)).value(), options);
    QVERIFY(why);
    QCOMPARE(why->limits.size(), std::size_t{3});
    QCOMPARE(why->limits.front().name, std::string("capacity"));
}

TILEWRIGHT_TEST(TestSolveConstraints)

} // namespace test_solve_constraints
#include "test_solve_constraints.moc"
