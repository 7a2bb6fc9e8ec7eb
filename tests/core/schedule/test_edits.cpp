// SPDX-License-Identifier: GPL-3.0-or-later
#include "edit/edits.h"
#include "edit/fit.h"
#include "eval/evaluation.h"
#include "schedule/schedule_json.h"
#include "schedule_text.h"
#include "test_main.h"
#include "workload/problem_json.h"

#include <QtTest>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

namespace test_edits {

using namespace tilewright;
using tilewright::test::shape;
using Json = nlohmann::ordered_json;

namespace {

std::vector<OpId> ops(std::initializer_list<std::size_t> list)
{
    std::vector<OpId> out;
    for (const std::size_t i : list)
        out.emplace_back(i);
    return out;
}
std::vector<SubgraphId> at(std::initializer_list<std::size_t> list)
{
    std::vector<SubgraphId> out;
    for (const std::size_t i : list)
        out.emplace_back(i);
    return out;
}

/// Pointwise ops on 8 x 8 tensors, native 8 x 8; tensor 0 is the input and op i produces tensor i + 1.
ProblemPtr graph(const Json& inputs, std::int64_t capacity = 10000)
{
    Json p;
    const std::size_t n = inputs.size();
    p["widths"] = std::vector<int>(n + 1, 8);
    p["heights"] = std::vector<int>(n + 1, 8);
    p["inputs"] = inputs;
    p["outputs"] = Json::array();
    for (std::size_t i = 0; i < n; ++i)
        p["outputs"].push_back({i + 1});
    p["base_costs"] = std::vector<int>(n, 10);
    p["op_types"] = std::vector<std::string>(n, "Pointwise");
    p["fast_memory_capacity"] = capacity;
    p["slow_memory_bandwidth"] = 1;
    p["native_granularity"] = {8, 8};
    auto problem = readProblem(p.dump(), "graph.json");
    if (!problem)
        qFatal("%s", problem.error().text().c_str());
    return *problem;
}
/// 0 -> 1 -> 2 -> 3
ProblemPtr chain()
{
    return graph({{0}, {1}, {2}, {3}});
}
/// 0 -> {1, 2} -> 3
ProblemPtr diamond()
{
    return graph({{0}, {1}, {1}, {2, 3}});
}
/// X(16 x 32) W(32 x 8) -> MatMul 0 -> Pointwise 1 -> MatMul 2 with V(8 x 24) -> out 16 x 24; native 16 x 16.
ProblemPtr network(std::int64_t capacity = 100000)
{
    Json p = Json::parse(R"({"widths": [32, 8, 8, 8, 24, 24], "heights": [16, 32, 16, 16, 8, 16],
        "inputs": [[0, 1], [2], [3, 4]], "outputs": [[2], [3], [5]], "base_costs": [100, 10, 80],
        "op_types": ["MatMul", "Pointwise", "MatMul"], "slow_memory_bandwidth": 2, "native_granularity": [16, 16]})");
    p["fast_memory_capacity"] = capacity;
    return *readProblem(p.dump(), "network.json");
}

Schedule schedule(std::initializer_list<std::initializer_list<std::size_t>> subgraphs,
                  Granularity g = {8, 8, 1})
{
    Schedule s;
    for (const auto& list : subgraphs) {
        Subgraph x;
        x.ops = ops(list);
        x.granularity = g;
        s.subgraphs.push_back(std::make_shared<const Subgraph>(x));
    }
    return s;
}
Schedule retaining(Schedule s, std::size_t i, std::size_t tensor)
{
    Subgraph x = *s.subgraphs[i];
    x.retain.emplace_back(tensor);
    s.subgraphs[i] = std::make_shared<const Subgraph>(x);
    return s;
}

constexpr EditOptions kForce{{}, true};

} // namespace

class TestEdits : public QObject
{
    Q_OBJECT

private slots:
    void fuse()
    {
        const ProblemPtr p = chain();
        const Schedule s = oneOpPerSubgraph(*p);
        QCOMPARE(shape(edit::fuse(*p, s, at({1, 2}))), QString("0|1,2|3"));
        QCOMPARE(shape(edit::fuse(*p, s, at({2, 0, 1, 1}))), QString("0,1,2|3"));
        const auto fused = edit::fuse(*p, s, at({1, 2}));
        QCOMPARE(fused->subgraphs[0], s.subgraphs[0]); // pointers of the untouched
        QCOMPARE(fused->subgraphs[2], s.subgraphs[3]);
        QCOMPARE(changedSubgraphs(s, *fused), at({1}));
        QCOMPARE(shape(edit::fuse(*p, s, at({1}))), QString("refused: fusing needs at least two subgraphs"));
        QCOMPARE(shape(edit::fuse(*p, s, at({1, 9}))),
                 QString("refused: subgraph 9 does not exist, there are 4"));
        // 0 and 2 share no tensor, and 1 lies between them.
        QVERIFY(shape(edit::fuse(*p, s, at({0, 2}))).startsWith("refused: op2 shares no tensor with op0"));
        QCOMPARE(shape(edit::fuse(*p, s, at({0, 2}), kForce)), QString("0,2|1|3"));
    }

    void fuseMovesWhatIsInBetween()
    {
        const ProblemPtr p = diamond();
        const Schedule s = oneOpPerSubgraph(*p);
        // 2 must come before the fused subgraph of 1 and 3.
        QCOMPARE(shape(edit::fuse(*p, s, at({1, 3}))), QString("0|2|1,3"));
        // 1 would need the result of the fused subgraph and be needed by it.
        QVERIFY2(shape(edit::fuse(*p, s, at({0, 2, 3}))).startsWith("refused: "), "");
    }

    void fuseOps()
    {
        const ProblemPtr p = chain();
        const Schedule s = schedule({{0, 1}, {2, 3}});
        QCOMPARE(shape(edit::fuseOps(*p, s, ops({2, 1}))), QString("0|1,2|3"));
        QCOMPARE(shape(edit::fuseOps(*p, s, ops({1}))), QString("refused: fusing needs at least two ops"));
        QCOMPARE(shape(edit::fuseOps(*p, s, ops({0, 1}))),
                 QString("refused: the ops already are a subgraph of their own"));
        QCOMPARE(shape(edit::fuseOps(*p, s, ops({0, 17}))),
                 QString("refused: op 17 does not exist, there are 4"));
        QCOMPARE(shape(edit::fuseOps(*p, Schedule{}, ops({1, 0}))), QString("0,1")); // from nothing
    }

    void mergeWithNeighbour()
    {
        const ProblemPtr p = chain();
        const Schedule s = oneOpPerSubgraph(*p);
        QCOMPARE(shape(edit::mergeWithPrevious(*p, s, SubgraphId(1))), QString("0,1|2|3"));
        QCOMPARE(shape(edit::mergeWithNext(*p, s, SubgraphId(2))), QString("0|1|2,3"));
        QCOMPARE(shape(edit::mergeWithPrevious(*p, s, SubgraphId(0))),
                 QString("refused: there is no subgraph before the first"));
        QCOMPARE(shape(edit::mergeWithNext(*p, s, SubgraphId(3))),
                 QString("refused: there is no subgraph after the last"));
    }

    void split()
    {
        const ProblemPtr p = chain();
        const Schedule s = schedule({{0, 1, 2, 3}}, {4, 4, 1});
        QCOMPARE(shape(edit::split(*p, s, SubgraphId(0), ops({2, 3}))), QString("0,1|2,3"));
        QCOMPARE(shape(edit::split(*p, s, SubgraphId(0), ops({0}))), QString("0|1,2,3"));
        // What stays is no longer connected, so it becomes two.
        QCOMPARE(shape(edit::split(*p, s, SubgraphId(0), ops({1, 2}))), QString("0|1,2|3"));
        QCOMPARE(edit::split(*p, s, SubgraphId(0), ops({0}))->subgraphs[0]->granularity,
                 (Granularity{4, 4, 1}));
        QVERIFY(shape(edit::split(*p, s, SubgraphId(0), ops({0, 1, 2, 3})))
                    .contains("at least one op that stays"));
        QCOMPARE(shape(edit::splitApart(*p, s, SubgraphId(0))), QString("0|1|2|3"));
        QCOMPARE(shape(edit::splitApart(*p, oneOpPerSubgraph(*p), SubgraphId(1))),
                 QString("refused: subgraph 1 has only one op"));
        // 3 reads both 1 and 2, but 2 cannot leave without what it reads becoming unavailable.
        const Schedule whole = schedule({{0, 1, 2, 3}});
        QCOMPARE(
            shape(edit::split(*diamond(), whole, SubgraphId(0), ops({2}))),
            QString(
                "refused: op2 needs t1, which is computed and consumed only inside the subgraph of op0, op1 "
                "and op3 (move op2 there too, or recompute)"));
    }

    void moveOps()
    {
        const ProblemPtr p = chain();
        const Schedule s = schedule({{0, 1}, {2, 3}});
        QCOMPARE(shape(edit::moveOps(*p, s, ops({1}), SubgraphId(0), SubgraphId(1))), QString("0|1,2,3"));
        QCOMPARE(shape(edit::moveOps(*p, s, ops({2}), std::nullopt, SubgraphId(0))), QString("0,1,2|3"));
        QCOMPARE(shape(edit::moveOps(*p, s, ops({0, 1}), SubgraphId(0), SubgraphId(1))), QString("0,1,2,3"));
        QCOMPARE(shape(edit::moveOps(*p, s, ops({1}), SubgraphId(1), SubgraphId(0))),
                 QString("refused: op1 is not in subgraph 1"));
        QCOMPARE(shape(edit::moveOps(*p, s, ops({1}), std::nullopt, SubgraphId(0))),
                 QString("refused: the ops are already in subgraph 0 and nowhere else"));
        QVERIFY(shape(edit::moveOps(*p, s, ops({0}), SubgraphId(0), SubgraphId(1))).startsWith("refused: "));
        QCOMPARE(shape(edit::moveOpsToNew(*p, s, ops({1}), SubgraphId(0))), QString("0|1|2,3"));
        QCOMPARE(shape(edit::moveOpsToNew(*p, s, ops({1, 2}), std::nullopt)), QString("0|1,2|3"));
        QCOMPARE(shape(edit::moveToNext(*p, s, ops({1}), SubgraphId(0))), QString("0|1,2,3"));
        QCOMPARE(shape(edit::moveToPrevious(*p, s, ops({2}), SubgraphId(1))), QString("0,1,2|3"));
        QVERIFY(shape(edit::moveToPrevious(*p, s, ops({0}), SubgraphId(0))).contains("before the first"));
        QVERIFY(shape(edit::moveToNext(*p, s, ops({2}), SubgraphId(1))).contains("after the last"));
    }

    void refusalsNameOpsAndTheRealReason()
    {
        // op0 feeds op1 and op2. Moved to op2 its result is used up there; that op1 stands before is not the
        // reason, no order helps. And places of the schedule that is not to be mean nothing to anybody.
        const ProblemPtr p = diamond();
        QCOMPARE(
            shape(edit::moveOps(*p, oneOpPerSubgraph(*p), ops({0}), SubgraphId(0), SubgraphId(2))),
            QString(
                "refused: op1 needs t1, which is computed and consumed only inside the subgraph of op0 and "
                "op2 (move op1 there too, or recompute)"));
        // op1 is in the other subgraph already, too: op0 has to come along.
        QCOMPARE(shape(edit::recompute(*chain(), schedule({{0, 1}, {2, 3}}), ops({1}), SubgraphId(1))),
                 QString("refused: op1 needs t1, which is computed and consumed only inside the subgraph of "
                         "op0 and op1 (recompute op0 here too)"));
    }

    void opsStayInTopologicalOrder()
    {
        const ProblemPtr p = chain();
        const auto moved =
            edit::moveOps(*p, schedule({{0}, {1}, {2, 3}}), ops({1}), std::nullopt, SubgraphId(2));
        QCOMPARE(shape(moved), QString("0|1,2,3"));
        QCOMPARE(shape(edit::recompute(*p, schedule({{0, 1}, {2, 3}}), ops({0, 1}), SubgraphId(1))),
                 QString("0,1|0,1,2,3"));
    }

    void recompute()
    {
        const ProblemPtr p = diamond();
        const Schedule s = schedule({{0, 1}, {2, 3}});
        // As it stands 2 needs the interior result of 0: recomputing heals it.
        const auto healed = edit::recompute(*p, s, ops({0}), SubgraphId(1));
        QCOMPARE(shape(healed), QString("0,1|0,2,3"));
        QVERIFY(evaluate(*p, *healed, Rules::final()).valid());
        QCOMPARE(subgraphsWith(*healed, OpId(0)), at({0, 1}));
        QCOMPARE(shape(edit::recompute(*p, *healed, ops({0}), SubgraphId(1))),
                 QString("refused: the ops are already in subgraph 1"));
        // Taking the copy away again breaks what it healed.
        QVERIFY(shape(edit::removeOps(*p, *healed, ops({0}), SubgraphId(1)))
                    .contains("consumed only inside the subgraph of op0 and op1"));
    }

    void addRemoveErase()
    {
        const ProblemPtr p = chain();
        Schedule s;
        for (const std::size_t o : {2u, 0u, 3u, 1u}) { // in any order: each finds its place
            auto next = edit::addSubgraph(*p, s, ops({o}));
            QVERIFY(next.hasValue());
            s = *next;
        }
        QCOMPARE(shape(s), QString("0|1|2|3"));
        QVERIFY(evaluate(*p, s, Rules::final()).valid());
        QCOMPARE(shape(edit::erase(*p, s, at({1, 3}))), QString("0|2"));
        QCOMPARE(shape(edit::removeOps(*p, schedule({{0, 1, 2}, {3}}), ops({1}), SubgraphId(0))),
                 QString("0|2|3"));
        QCOMPARE(shape(edit::removeOps(*p, s, ops({2}), SubgraphId(2))), QString("0|1|3"));
        // A removed op must not be computed only later.
        const Schedule twice = schedule({{0}, {1}, {0}, {2, 3}});
        QCOMPARE(shape(edit::erase(*p, twice, at({0}))), QString("0|1|2,3")); // the order is repaired
    }

    void duplicate()
    {
        const ProblemPtr p = chain();
        const auto s = edit::duplicate(*p, oneOpPerSubgraph(*p), SubgraphId(1));
        QCOMPARE(shape(s), QString("0|1|1|2|3"));
        QVERIFY(s->subgraphs[1] != s->subgraphs[2]);
    }

    void reorder()
    {
        const ProblemPtr p = diamond();
        const Schedule s = oneOpPerSubgraph(*p);
        QCOMPARE(shape(edit::reorder(*p, s, at({2}), 1)), QString("0|2|1|3"));
        QCOMPARE(shape(edit::reorder(*p, s, at({0}), 0)), QString("0|1|2|3"));
        QCOMPARE(shape(edit::reorder(*p, s, at({3}), 1)),
                 QString("refused: op3 needs t2, which the subgraph of op1 computes only later"));
        QCOMPARE(shape(edit::reorder(*p, s, at({3}), 1, kForce)), QString("0|3|1|2"));
        QCOMPARE(shape(edit::reorder(*p, s, at({3}), 4)),
                 QString("refused: there is no position 4 to move to"));
        // Once broken, other edits are still possible, and the fix repairs it.
        const Schedule broken = *edit::reorder(*p, s, at({3}), 1, kForce);
        QCOMPARE(shape(edit::reorder(*p, broken, at({3}), 2)), QString("0|3|2|1"));
        QCOMPARE(shape(edit::repairOrder(*p, broken)), QString("0|1|2|3"));
    }

    void reorderReleasesWhatIsNeededLater()
    {
        const ProblemPtr p = diamond();
        // 2 retains its result for 3; with 1 in between it must be written.
        const Schedule s = retaining(schedule({{0}, {1}, {2}, {3}}), 2, 3);
        QVERIFY(evaluate(*p, s, Rules::final()).valid());
        const auto moved = edit::reorder(*p, s, at({1}), 2);
        QCOMPARE(shape(moved), QString("0|2|1|3"));
        QVERIFY((*moved)[SubgraphId(1)].retain.empty());
        QVERIFY(evaluate(*p, *moved, Rules::final()).valid());
    }

    void setGranularity()
    {
        const ProblemPtr p = network();
        const Schedule s = oneOpPerSubgraph(*p);
        QCOMPARE(edit::setGranularity(*p, s, at({0, 1}), {4, 2, 8})->subgraphs[1]->granularity,
                 (Granularity{4, 2, 8}));
        QCOMPARE(shape(edit::setGranularity(*p, s, at({0}), {32, 8, 8})),
                 QString("refused: w = 32 is above the native w of 16"));
        QCOMPARE(shape(edit::setGranularity(*p, s, at({2}), {16, 16, 9})),
                 QString("refused: k = 9 is above the reduction size 8 of op2"));
        QCOMPARE(shape(edit::setGranularity(*p, s, at({2}), {16, 0, 9})),
                 QString("refused: w, h and k must be from 1 to 2147483648, got 0"));
        EditOptions seed;
        seed.rules = Rules::seed();
        QVERIFY(edit::setGranularity(*p, s, at({2}), {32, 64, 9}, seed).hasValue());
        QVERIFY(edit::setGranularity(*p, s, at({2}), {16, 16, 9}, kForce).hasValue());
    }

    void aCustomOrderEndsWithItsGrid()
    {
        const ProblemPtr p = chain();
        Schedule s = schedule({{0}, {1}, {2}, {3}}, {4, 4, 1});
        s = *edit::setTraversal(*p, s, at({0}), Traversal::custom({3, 1, 0, 2}));
        QCOMPARE(s[SubgraphId(0)].traversal.kind(), TraversalKind::Custom);
        QCOMPARE((*edit::setGranularity(*p, s, at({0}), {4, 4, 5}))[SubgraphId(0)].traversal.kind(),
                 TraversalKind::Custom);
        QCOMPARE((*edit::setGranularity(*p, s, at({0}), {8, 4, 1}))[SubgraphId(0)].traversal.kind(),
                 TraversalKind::Raster);
        Schedule spiral = *edit::setTraversal(*p, s, at({0}), TraversalKind::Spiral);
        QCOMPARE((*edit::setGranularity(*p, spiral, at({0}), {8, 4, 1}))[SubgraphId(0)].traversal.kind(),
                 TraversalKind::Spiral);
    }

    void setTraversal()
    {
        const ProblemPtr p = chain();
        const Schedule s = schedule({{0}, {1}, {2}, {3}}, {4, 4, 1});
        QCOMPARE(shape(edit::setTraversal(*p, s, at({0}), Traversal::custom({0, 1, 2}))),
                 QString("refused: the order lists 3 tiles, but the grid has 2 x 2"));
        QCOMPARE(shape(edit::setTraversal(*p, s, at({0}), Traversal::custom({0, 1, 2, 4}))),
                 QString("refused: tile 4 does not exist"));
        QCOMPARE(shape(edit::setTraversal(*p, s, at({0}), Traversal::custom({0, 1, 2, 1}))),
                 QString("refused: tile 1 is visited twice"));
        QCOMPARE(
            (*edit::setTraversal(*p, s, at({0, 3}), TraversalKind::Snake))[SubgraphId(3)].traversal.kind(),
            TraversalKind::Snake);
    }

    void retain()
    {
        const ProblemPtr p = diamond();
        const Schedule s = schedule({{0}, {1}, {2}, {3}});
        const auto kept = edit::toggleRetain(*p, s, SubgraphId(2), TensorId(3));
        QCOMPARE((*kept)[SubgraphId(2)].retain, std::vector<TensorId>{TensorId(3)});
        QVERIFY(evaluate(*p, *kept, Rules::final()).valid());
        QVERIFY((*edit::toggleRetain(*p, *kept, SubgraphId(2), TensorId(3)))[SubgraphId(2)].retain.empty());
        QCOMPARE(
            shape(edit::toggleRetain(*p, s, SubgraphId(0), TensorId(1))),
            QString("refused: op2 needs t1, which the subgraph of op0 retains for the next subgraph only"));
        QCOMPARE(shape(edit::toggleRetain(*p, s, SubgraphId(1), TensorId(1))),
                 QString("refused: t1 cannot be retained: it is an input of the subgraph of op1; a subgraph "
                         "can retain only tensors that it produces"));
        QCOMPARE(
            shape(edit::toggleRetain(*p, s, SubgraphId(3), TensorId(4))),
            QString(
                "refused: t4 is an output of the graph and must reach slow memory, but the subgraph of op3 "
                "retains it"));
        QVERIFY(shape(edit::setRetain(*p, s, SubgraphId(0), {TensorId(99)})).contains("does not exist"));
        const auto candidates = retainCandidates(*p, s, SubgraphId(2));
        QCOMPARE(candidates.size(), 1u);
        QCOMPARE(candidates[0].tensor, TensorId(3));
        QVERIFY(candidates[0].useful && !candidates[0].retained && candidates[0].refusal.empty());
        QVERIFY(!retainCandidates(*p, s, SubgraphId(0))[0].refusal.empty());
    }

    void fusedSubgraphsGetLegalGranularities()
    {
        const ProblemPtr p = network();
        const Schedule s = oneOpPerSubgraph(*p);
        // An epilogue is valid at any size: k of the MatMul is kept, not the 1 of the Pointwise.
        const auto epilogue = edit::fuse(*p, s, at({0, 1}));
        QCOMPARE((*epilogue)[SubgraphId(0)].granularity, (Granularity{8, 16, 16}));
        // A prologue needs w >= K = 8.
        Schedule narrow = *edit::setGranularity(*p, s, at({1, 2}), {4, 4, 4});
        const auto prologue = edit::fuse(*p, narrow, at({1, 2}));
        QVERIFY2(prologue.hasValue(), qPrintable(shape(prologue)));
        QVERIFY((*prologue)[SubgraphId(1)].granularity.w >= 8);
        QVERIFY(evaluate(*p, *prologue, Rules::final()).valid());
        // ... and is impossible when K is above the native size.
        auto json = Json::parse(writeProblem(*p));
        json["native_granularity"] = {4, 16};
        const ProblemPtr small = *readProblem(json.dump(), "small.json");
        QCOMPARE(shape(edit::fuse(*small, oneOpPerSubgraph(*small), at({1, 2}))),
                 QString("refused: the Pointwise op1 feeds the LHS of op2, so w must be at least its "
                         "reduction size 8, "
                         "which is more than the native size"));
    }

    void newSubgraphsAreMadeToFit()
    {
        const ProblemPtr p = network(300);
        const Schedule s = edit::coverMissing(*p, Schedule{});
        QCOMPARE(shape(s), QString("0|1|2"));
        QVERIFY(evaluate(*p, s, Rules::final()).valid());
        const auto fused = edit::fuse(*p, s, at({0, 1}));
        QVERIFY(evaluate(*p, *fused, Rules::final()).valid());
    }

    void coverMissing()
    {
        const ProblemPtr p = diamond();
        QCOMPARE(shape(edit::coverMissing(*p, schedule({{1}, {3}}))), QString("0|1|2|3"));
        QCOMPARE(shape(edit::coverMissing(*p, Schedule{})), QString("0|1|2|3"));
        const Schedule whole = oneOpPerSubgraph(*p);
        QVERIFY(edit::coverMissing(*p, whole).subgraphs == whole.subgraphs);
    }

    void normalise()
    {
        const ProblemPtr p = diamond();
        Schedule s = retaining(schedule({{3}, {2, 0}}, {64, 8, 1}), 1, 3);
        const Schedule tidy = edit::normalise(*p, s);
        QCOMPARE(shape(tidy), QString("1|0,2|3"));
        QCOMPARE(tidy[SubgraphId(1)].granularity, (Granularity{8, 8, 1}));
        QCOMPARE(tidy[SubgraphId(1)].retain, std::vector<TensorId>{TensorId(3)});
        const Evaluation e = evaluate(*p, tidy, Rules::final());
        // 1 needs the result of 0, which is interior to the subgraph of 0 and 2: only that is left to the
        // person.
        QCOMPARE(e.issues.size(), 1u);
        QCOMPARE(e.issues[0].code, IssueCode::Dependency);
        const Schedule valid = oneOpPerSubgraph(*p);
        QVERIFY(edit::normalise(*p, valid).subgraphs == valid.subgraphs);
    }

    void locked()
    {
        const Schedule s = oneOpPerSubgraph(*chain());
        const auto on = edit::setLocked(s, at({1, 2}), true);
        QVERIFY((*on)[SubgraphId(1)].locked && (*on)[SubgraphId(2)].locked && !(*on)[SubgraphId(0)].locked);
        QVERIFY(*edit::setLocked(*on, at({1, 2}), false) == s);
    }

    /// Random edits of random problems from a valid start: what is not refused stays valid but for memory,
    /// and the estimate of memory is never below the exact peak. Refusals change nothing.
    void randomEditsKeepSchedulesValid_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("leastApplied");
        QTest::newRow("plain") << "fuzz_cases.jsonl" << 5000;
        QTest::newRow("with views") << "view_cases.jsonl" << 1500;
    }
    void randomEditsKeepSchedulesValid()
    {
        QFETCH(QString, file);
        QFETCH(int, leastApplied);
        std::ifstream in(TILEWRIGHT_SOURCE_DIR "/tests/data/oracles/schedule/" + file.toStdString());
        std::string line;
        std::mt19937 random(7);
        int applied = 0;
        int refused = 0;
        int fits = 0;
        int tooBig = 0;
        while (std::getline(in, line)) {
            const ProblemPtr p = *readProblem(Json::parse(line)["problem"].dump(), "fuzz");
            Schedule s = edit::coverMissing(*p, Schedule{});
            const auto pick = [&](std::size_t n) {
                return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
            };
            for (int step = 0; step < 30; ++step) {
                const std::size_t n = s.size();
                const SubgraphId i(pick(n));
                const OpId o(pick(p->opCount()));
                const OpId mine = s[i].ops[pick(s[i].ops.size())];
                const std::array two{i, SubgraphId(pick(n))};
                Result<Schedule> next = s;
                switch (pick(14)) {
                case 0:
                    next = edit::fuse(*p, s, two);
                    break;
                case 1:
                    next = edit::split(*p, s, i, {&mine, 1});
                    break;
                case 2:
                    next = edit::moveOps(*p, s, {&o, 1}, std::nullopt, i);
                    break;
                case 3:
                    next = edit::moveOpsToNew(*p, s, {&mine, 1}, i);
                    break;
                case 4:
                    next = edit::recompute(*p, s, {&o, 1}, i);
                    break;
                case 5:
                    next = edit::reorder(*p, s, {&i, 1}, pick(n));
                    break;
                case 6:
                    next = edit::toggleRetain(*p, s, i, p->op(mine).output);
                    break;
                case 7:
                    next = edit::duplicate(*p, s, i);
                    break;
                case 8:
                    next = edit::mergeWithNext(*p, s, i);
                    break;
                case 9:
                    next = edit::moveToNext(*p, s, {&mine, 1}, i);
                    break;
                case 10:
                    next = edit::splitApart(*p, s, i);
                    break;
                case 11:
                    next = edit::setGranularity(
                        *p, s, {&i, 1},
                        {std::int64_t(1 + pick(12)), std::int64_t(1 + pick(12)), std::int64_t(1 + pick(12))});
                    break;
                case 12:
                    next = edit::setTraversal(*p, s, {&i, 1}, static_cast<TraversalKind>(pick(5)));
                    break;
                case 13:
                    next = edit::fuseOps(*p, s, std::array{o, mine});
                    break;
                }
                if (!next) {
                    ++refused;
                    QVERIFY(next.error().code == ErrorCode::Refused && !next.error().message.empty());
                    continue;
                }
                ++applied;
                s = *next;
                const Evaluation e = evaluate(*p, s, Rules::final());
                for (const Issue& issue : e.issues)
                    QVERIFY2(issue.code == IssueCode::OutOfMemory, (issue.text + " in " + line).c_str());
                for (std::size_t g = 0; g < s.size(); ++g) {
                    const std::span<const TensorId> resident =
                        g > 0 ? std::span<const TensorId>(s[SubgraphId(g - 1)].retain)
                              : std::span<const TensorId>();
                    const Subgraph& x = s[SubgraphId(g)];
                    const SubgraphPlan plan(*p, x.ops, Rules::final());
                    const std::int64_t estimate = estimateWorkingSet(plan, x.granularity, resident, x.retain);
                    QVERIFY2(estimate >= e.subgraphs[g].peakWorkingSet, line.c_str());
                    ++(estimate == e.subgraphs[g].peakWorkingSet ? fits : tooBig);
                }
                QVERIFY(checkSchedule(*p, s, {}).empty());
            }
        }
        qInfo("%d edits applied, %d refused; estimate exact for %d of %d subgraphs", applied, refused, fits,
              fits + tooBig);
        QVERIFY(applied > leastApplied && refused > leastApplied / 5);
        QVERIFY(fits > 9 * tooBig);
    }
};

TILEWRIGHT_TEST(TestEdits)

} // namespace test_edits
#include "test_edits.moc"
