// SPDX-License-Identifier: GPL-3.0-or-later
// Repeating blocks: found from structure alone, and never said of what differs.
#include "lower/lowered.h"
#include "model/networks.h"
#include "test_main.h"
#include "workload/generate.h"
#include "workload/repetition.h"

#include <QElapsedTimer>
#include <QtTest>

#include <map>
#include <numeric>
#include <random>
#include <set>

namespace test_repetition {

using namespace tilewright;

namespace {

ProblemPtr network(const char* kind, std::int64_t layers = 0)
{
    const model::Model net = *model::generateNetwork({.kind = *model::networkKindOf(kind), .layers = layers});
    return *lower::problemOf(*lower::lowerToProblem(net, *machinePreset("edge")));
}

/// The same problem with ops and tensors in another order and without names.
struct Shuffled
{
    ProblemPtr problem;
    std::vector<OpId> opBefore; ///< per op, the one it was

    Shuffled(const Problem& from, unsigned seed)
    {
        std::mt19937 random(seed);
        const auto permutation = [&](std::size_t n) {
            std::vector<std::size_t> out(n);
            std::iota(out.begin(), out.end(), 0);
            std::shuffle(out.begin(), out.end(), random);
            return out;
        };
        const auto ops = permutation(from.opCount()), tensors = permutation(from.tensorCount()); // new -> old
        std::vector<std::size_t> newTensor(tensors.size());
        for (std::size_t i = 0; i < tensors.size(); ++i)
            newTensor[tensors[i]] = i;
        Problem::Data data;
        data.hardware = from.hardware();
        data.elementBits = from.data().elementBits;
        data.accumulatorBits = from.data().accumulatorBits;
        for (const std::size_t t : tensors) {
            data.tensors.push_back(from.tensor(TensorId(t)));
            data.tensors[TensorId(data.tensors.size() - 1)].name.clear();
        }
        for (const std::size_t o : ops) {
            Op op = from.data().ops[OpId(o)]; // as in the file: views with maps as they are
            op.name.clear();
            op.output = TensorId(newTensor[op.output.index()]);
            for (TensorId& t : op.inputs)
                t = TensorId(newTensor[t.index()]);
            data.ops.push_back(op);
            opBefore.emplace_back(o);
        }
        for (TensorView view : from.data().views) {
            view.tensor = TensorId(newTensor[view.tensor.index()]);
            for (TensorId& t : view.bases)
                t = TensorId(newTensor[t.index()]);
            data.views.push_back(view);
        }
        problem = *Problem::build(data);
    }
};

/// What block b reads, in words that are equal for equal blocks; empty for what comes from blocks before the
/// first one.
std::vector<std::vector<std::string>> readsOf(const Problem& problem, const Repetition& r, std::size_t b,
                                              bool first)
{
    std::map<OpId, std::pair<std::size_t, std::size_t>> place;
    for (std::size_t k = 0; k < r.count(); ++k)
        for (std::size_t i = 0; i < r.period(); ++i)
            place[r.blocks[k][i]] = {k, i};
    std::map<TensorId, std::size_t> own;
    std::vector<std::vector<std::string>> out;
    for (const OpId op : r.blocks[b])
        for (const TensorId input : problem.op(op).inputs) {
            const Tensor& shape = problem.tensor(input);
            std::vector<std::string> words{std::to_string(shape.width) + "x" + std::to_string(shape.height)};
            std::vector<TensorId> parts(problem.bases(input).begin(), problem.bases(input).end());
            words.push_back("view of " + std::to_string(parts.size()));
            if (parts.empty())
                parts = {input};
            bool fromBefore = false;
            for (const TensorId t : parts) {
                const auto producer = problem.producer(t);
                if (!producer) {
                    // Read by all blocks, or by this one.
                    words.push_back("input " + std::to_string(own.emplace(t, own.size()).first->second));
                } else if (const auto at = place.find(*producer); at == place.end()) {
                    words.push_back("outside " + (first ? "" : std::to_string(producer->value)));
                    fromBefore = fromBefore || first;
                } else {
                    words.push_back(std::to_string(b - at->second.first) + " before: op " +
                                    std::to_string(at->second.second));
                    fromBefore = fromBefore || at->second.first != b;
                }
            }
            out.push_back(words);
        }
    return out;
}

/// Checks a repetition word by word, without looking at how it was found.
void checkExact(const Problem& problem, const Repetition& r)
{
    QVERIFY(r.count() >= 2);
    QVERIFY(r.period() >= 2);
    QCOMPARE(r.numbers.size(), r.count());
    std::set<OpId> all;
    for (const auto& block : r.blocks) {
        QCOMPARE(block.size(), r.period());
        all.insert(block.begin(), block.end());
    }
    QCOMPARE(all.size(), r.count() * r.period());
    for (std::size_t i = 0; i < r.period(); ++i)
        for (const auto& block : r.blocks) {
            const Op &a = problem.op(r.blocks.front()[i]), &b = problem.op(block[i]);
            QCOMPARE(a.type, b.type);
            QCOMPARE(a.baseCost, b.baseCost);
            QCOMPARE(a.inputs.size(), b.inputs.size());
            QCOMPARE(problem.tensor(a.output).width, problem.tensor(b.output).width);
            QCOMPARE(problem.tensor(a.output).height, problem.tensor(b.output).height);
        }
    const auto last = readsOf(problem, r, r.count() - 1, false);
    for (std::size_t b = 1; b + 1 < r.count(); ++b)
        QCOMPARE(readsOf(problem, r, b, false), last);
    // The first one differs at most in what the others read from the one before.
    const auto first = readsOf(problem, r, 0, true);
    for (std::size_t i = 0; i < first.size(); ++i) {
        QCOMPARE(first[i][0], last[i][0]);
        for (std::size_t k = 2; k < last[i].size(); ++k)
            if (last[i][k].starts_with("0 before"))
                QCOMPARE(first[i][k], last[i][k]);
    }
    // No way leads out of a block and back.
    for (const auto& block : r.blocks) {
        const std::set<OpId> inside(block.begin(), block.end());
        std::set<OpId> behind;
        for (const OpId op : problem.topologicalOrder())
            for (const TensorId input : problem.op(op).inputs)
                for (const OpId source : problem.sources(input)) {
                    if (behind.contains(source)) {
                        QVERIFY(!inside.contains(op));
                        behind.insert(op);
                    } else if (inside.contains(source) && !inside.contains(op)) {
                        behind.insert(op);
                    }
                }
    }
}

struct Expected
{
    std::string name;
    std::size_t count, period;
};

/// Random ops on equal tensors; what is appended reads what is there.
struct RandomNet
{
    explicit RandomNet(unsigned seed) : random(seed) { data.tensors.push_back({64, 64, {}}); }
    TensorId add(std::vector<TensorId> inputs, std::int64_t cost = 50)
    {
        Op op;
        op.inputs = std::move(inputs);
        op.output = TensorId(data.tensors.size());
        op.baseCost = cost;
        data.tensors.push_back({64, 64, {}});
        data.ops.push_back(op);
        return data.ops[OpId(data.ops.size() - 1)].output;
    }
    /// Each reads one or two of the last four results.
    TensorId grow(int ops, std::vector<TensorId>& recent)
    {
        for (int i = 0; i < ops; ++i) {
            std::set<TensorId> inputs;
            for (unsigned k = 0, n = 1 + random() % 2; k < n; ++k)
                inputs.insert(recent[recent.size() - 1 - random() % std::min<std::size_t>(4, recent.size())]);
            recent.push_back(add({inputs.begin(), inputs.end()}, 50 + static_cast<int>(random() % 3)));
        }
        return recent.back();
    }
    ProblemPtr build()
    {
        data.hardware = {400000, 10, 64, 64, {}};
        return *Problem::build(data);
    }
    Problem::Data data;
    std::mt19937 random;
};

} // namespace

class TestRepetition : public QObject
{
    Q_OBJECT
private slots:
    void networks_data();
    void networks();
    void withoutNamesInAnyOrder_data() { networks_data(); }
    void withoutNamesInAnyOrder();
    void outerBlocksWin();
    void namesChooseTheCut();
    void aLayerThatDiffersEndsTheRun_data();
    void aLayerThatDiffersEndsTheRun();
    void stateCarriedOver();
    void resultsThatNobodyReads();
    void randomGraphsRepeatNothing();
    void plantedInARandomGraph();
    void aChainOfSingleOpsIsNone();
    void tenThousandOps();
};

void TestRepetition::networks_data()
{
    QTest::addColumn<ProblemPtr>("problem");
    QTest::addColumn<std::vector<Expected>>("expected");
    const auto row = [](const char* kind, std::int64_t layers, std::vector<Expected> expected) {
        QTest::newRow(kind) << network(kind, layers) << std::move(expected);
    };
    row("llama", 32, {{"layer", 32, 110}});
    row("llama-decode", 8, {{"layer", 8, 110}});
    row("gpt-2", 0, {{"layer", 12, 45}});
    row("bert", 0, {{"layer", 12, 47}});
    row("mixture-of-experts", 4, {{"layer", 4, 143}});
    row("resnet-18", 0, {{"layer1", 2, 5}});
    row("resnet-50", 0, {{"layer1", 2, 7}, {"layer2", 3, 7}, {"layer3", 5, 7}, {"layer4", 2, 7}});
    const auto generated = [](WorkloadKind kind, const char* name, std::vector<Expected> expected) {
        QTest::newRow(name) << *generateWorkload({.kind = kind, .layers = 6}) << std::move(expected);
    };
    generated(WorkloadKind::Transformer, "transformer", {{"layer", 6, 31}});
    generated(WorkloadKind::Mlp, "mlp", {{"layer", 6, 4}});
    generated(WorkloadKind::ConvNet, "conv-net", {{"block", 6, 10}});
    generated(WorkloadKind::Diamond, "diamond", {{"diamond", 6, 5}});
}

void TestRepetition::networks()
{
    QFETCH(ProblemPtr, problem);
    QFETCH(std::vector<Expected>, expected);
    const auto found = findRepetitions(*problem);
    QCOMPARE(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        QCOMPARE(found[i].name, expected[i].name);
        QCOMPARE(found[i].count(), expected[i].count);
        QCOMPARE(found[i].period(), expected[i].period);
        checkExact(*problem, found[i]);
        // The blocks are those that the names tell.
        for (std::size_t b = 0; b < found[i].count(); ++b)
            for (const OpId op : found[i].blocks[b]) {
                const std::string &name = problem->opName(op), other = problem->opName(found[i].blocks[b][0]);
                QCOMPARE(name.substr(0, name.find('.')), other.substr(0, other.find('.')));
            }
    }
}

void TestRepetition::withoutNamesInAnyOrder()
{
    QFETCH(ProblemPtr, problem);
    QFETCH(std::vector<Expected>, expected);
    for (unsigned seed = 1; seed <= 3; ++seed) {
        const Shuffled shuffled(*problem, seed);
        const auto found = findRepetitions(*shuffled.problem);
        QCOMPARE(found.size(), expected.size());
        std::multiset<std::pair<std::size_t, std::size_t>> sizes, wanted;
        for (std::size_t i = 0; i < found.size(); ++i) {
            checkExact(*shuffled.problem, found[i]);
            QCOMPARE(found[i].name, std::string("block"));
            QCOMPARE(found[i].label(1), std::string("block 1"));
            sizes.emplace(found[i].count(), found[i].period());
            wanted.emplace(expected[i].count, expected[i].period);
        }
        QCOMPARE(sizes, wanted);
    }
}

void TestRepetition::outerBlocksWin()
{
    // Three equal steps, then another op, ten times: thirty steps, but ten blocks.
    RandomNet net(1);
    TensorId x(0);
    for (int block = 0; block < 10; ++block) {
        for (int step = 0; step < 3; ++step) {
            const TensorId a = net.add({x}, 10), b = net.add({x, a}, 20);
            x = net.add({a, b}, 30);
        }
        x = net.add({x}, 99);
    }
    const ProblemPtr problem = net.build();
    const auto found = findRepetitions(*problem);
    QCOMPARE(found.size(), std::size_t{1});
    QCOMPARE(found[0].count(), std::size_t{10});
    QCOMPARE(found[0].period(), std::size_t{10});
    checkExact(*problem, found[0]);
}

void TestRepetition::namesChooseTheCut()
{
    // A ring of four steps: any of them may begin a block, the names say which.
    for (int shift = 0; shift < 4; ++shift) {
        RandomNet net(1);
        TensorId x(0);
        for (int i = 0; i < 40; ++i) {
            x = net.add({x}, 10 + i % 4);
            net.data.ops[OpId(static_cast<std::size_t>(i))].name =
                "stack.blocks." + std::to_string((i + shift) / 4) + ".op" + std::to_string((i + shift) % 4);
        }
        const ProblemPtr problem = net.build();
        const auto found = findRepetitions(*problem);
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].period(), std::size_t{4});
        // Covering one block more counts for more than names.
        QCOMPARE(found[0].count(), std::size_t{10});
        if (shift == 0) {
            QCOMPARE(found[0].name, std::string("stack.blocks"));
            QCOMPARE(found[0].label(3), std::string("stack.blocks 3"));
        } else {
            QCOMPARE(found[0].name, std::string("block"));
        }
        checkExact(*problem, found[0]);
    }
}

void TestRepetition::aLayerThatDiffersEndsTheRun_data()
{
    QTest::addColumn<int>("what");
    QTest::newRow("base cost") << 0;
    QTest::newRow("wiring") << 1;
    QTest::newRow("shared input") << 2;
}

void TestRepetition::aLayerThatDiffersEndsTheRun()
{
    QFETCH(int, what);
    const ProblemPtr whole = *generateWorkload({.kind = WorkloadKind::Transformer, .layers = 12});
    const auto before = findRepetitions(*whole);
    QCOMPARE(before.front().count(), std::size_t{12});
    Problem::Data data = whole->data();
    std::optional<OpId> changed;
    for (const OpId op : before.front().blocks[7]) {
        Op& o = data.ops[op];
        if (changed)
            break;
        if (what == 0) {
            ++o.baseCost;
            changed = op;
        } else if (what == 1 && o.inputs.size() == 2 && o.inputs[0] != o.inputs[1] &&
                   o.type == OpType::Pointwise) {
            std::swap(o.inputs[0], o.inputs[1]);
            changed = op;
        } else if (what == 2) {
            // The weight of the layer before.
            for (std::size_t i = 0; i < o.inputs.size(); ++i)
                if (whole->isGraphInput(o.inputs[i]) && !changed) {
                    const auto& there = before.front().blocks[6];
                    const auto at =
                        std::find(before.front().blocks[7].begin(), before.front().blocks[7].end(), op) -
                        before.front().blocks[7].begin();
                    o.inputs[i] = whole->op(there[static_cast<std::size_t>(at)]).inputs[i];
                    changed = op;
                }
        }
    }
    QVERIFY(changed);
    const ProblemPtr problem = *Problem::build(data);
    for (const Repetition& r : findRepetitions(*problem)) {
        checkExact(*problem, r);
        QVERIFY(r.count() < 12);
    }
    QVERIFY(!findRepetitions(*problem).empty());
    QVERIFY(findRepetitions(*problem).front().count() >= 5);
}

void TestRepetition::stateCarriedOver()
{
    // Two results go from step to step, and a table computed once is read by all.
    RandomNet net(1);
    const TensorId table = net.add({TensorId(0)}, 7);
    TensorId h(0), c(0);
    for (int step = 0; step < 9; ++step) {
        const TensorId gate = net.add({h, table}, 11), input = net.add({h, c}, 12);
        c = net.add({gate, input, c}, 13);
        h = net.add({c, gate}, 14);
    }
    const ProblemPtr problem = net.build();
    const auto found = findRepetitions(*problem);
    QCOMPARE(found.size(), std::size_t{1});
    QVERIFY(found[0].count() >= 8);
    QCOMPARE(found[0].period(), std::size_t{4});
    checkExact(*problem, found[0]);
}

void TestRepetition::resultsThatNobodyReads()
{
    RandomNet net(1);
    TensorId x(0);
    for (int layer = 0; layer < 7; ++layer) {
        const TensorId key = net.add({x}, 11);
        net.add({net.add({key}, 12)}, 13); // the cache for later
        x = net.add({x, net.add({key}, 14)}, 15);
    }
    const ProblemPtr problem = net.build();
    const auto found = findRepetitions(*problem);
    QCOMPARE(found.size(), std::size_t{1});
    QCOMPARE(found[0].count(), std::size_t{7});
    QCOMPARE(found[0].period(), std::size_t{5});
    checkExact(*problem, found[0]);
}

void TestRepetition::randomGraphsRepeatNothing()
{
    for (unsigned seed = 1; seed <= 20; ++seed) {
        RandomNet net(seed);
        std::vector<TensorId> recent{TensorId(0)};
        net.grow(seed % 2 == 0 ? 600 : 4000, recent);
        QCOMPARE(findRepetitions(*net.build()).size(), std::size_t{0});
        QCOMPARE(findRepetitions(**generateWorkload({.kind = WorkloadKind::Random, .ops = 150, .seed = seed}))
                     .size(),
                 std::size_t{0});
    }
}

void TestRepetition::plantedInARandomGraph()
{
    for (unsigned seed = 1; seed <= 20; ++seed) {
        RandomNet net(seed);
        std::vector<TensorId> recent{TensorId(0)};
        net.grow(150, recent);
        const int size = 6 + static_cast<int>(seed % 15), count = 3 + static_cast<int>(seed % 7);
        const std::mt19937 same = net.random;
        const std::size_t begin = net.data.ops.size();
        for (int block = 0; block < count; ++block) {
            net.random = same;
            std::vector<TensorId> inside{recent.back()};
            const TensorId result = net.grow(size - 1, inside);
            // All that is left over goes into the last op.
            std::set<TensorId> open(inside.begin() + 1, inside.end());
            for (std::size_t i = net.data.ops.size() - static_cast<std::size_t>(size) + 1;
                 i < net.data.ops.size(); ++i)
                for (const TensorId t : net.data.ops[OpId(i)].inputs)
                    open.erase(t);
            open.insert(result);
            recent.push_back(net.add({open.begin(), open.end()}, 77));
        }
        const std::size_t end = net.data.ops.size();
        std::vector<TensorId> after{recent.back()};
        net.grow(150, after);
        const Shuffled shuffled(*net.build(), seed);
        const auto found = findRepetitions(*shuffled.problem);
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].period(), static_cast<std::size_t>(size));
        QVERIFY(found[0].count() >= static_cast<std::size_t>(count) - 1);
        std::size_t planted = 0;
        for (const auto& block : found[0].blocks)
            for (const OpId op : block) {
                const std::size_t was = shuffled.opBefore[op.index()].index();
                planted += was >= begin && was < end ? 1 : 0;
            }
        QVERIFY(planted >= static_cast<std::size_t>(size * (count - 1)));
        checkExact(*shuffled.problem, found[0]);
    }
}

void TestRepetition::aChainOfSingleOpsIsNone()
{
    RandomNet net(1);
    TensorId x(0);
    for (int i = 0; i < 300; ++i)
        x = net.add({x});
    QCOMPARE(findRepetitions(*net.build()).size(), std::size_t{0});
}

void TestRepetition::tenThousandOps()
{
    const ProblemPtr problem = network("llama", 96);
    QVERIFY(problem->opCount() > 10'000);
    QElapsedTimer timer;
    timer.start();
    const auto found = findRepetitions(*problem);
    QCOMPARE(found.front().count(), std::size_t{96});
    QVERIFY2(timer.elapsed() < 500, "about 10 ms on an idle machine");
    // Where nothing repeats, the search ends as soon.
    RandomNet net(5);
    std::vector<TensorId> recent{TensorId(0)};
    net.grow(10'000, recent);
    const ProblemPtr random = net.build();
    timer.restart();
    for (const Repetition& r : findRepetitions(*random))
        checkExact(*random, r);
    QVERIFY(timer.elapsed() < 1500);
}

TILEWRIGHT_TEST(TestRepetition)

} // namespace test_repetition
#include "test_repetition.moc"
