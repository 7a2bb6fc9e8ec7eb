// SPDX-License-Identifier: GPL-3.0-or-later
// Where no valid schedule exists, the smallest set of limits that excludes all of them is named.
#include "random_cases.h"
#include "schedule_exists.h"
#include "solve/search/no_schedule.h"
#include "solve/search/solver.h"
#include "test_main.h"

#include <QTest>

#include <algorithm>
#include <map>

namespace test_no_schedule {

using namespace tilewright;

namespace {

constexpr std::int64_t kAmple = 100'000; ///< elements: no limit for problems of this size

ProblemPtr withCapacity(const Problem& problem, std::int64_t capacity)
{
    Problem::Data data = problem.data();
    data.hardware.fastMemoryCapacity = capacity;
    return Problem::build(std::move(data)).value();
}

/// One or two ops on tensors of at most 3 x 3 elements.
ProblemPtr drawProblem(random_cases::Source& rnd)
{
    Problem::Data data;
    const auto tensor = [&](std::int64_t height, std::int64_t width) {
        data.tensors.push_back({width, height, {}, 0});
        return TensorId(data.tensors.size() - 1);
    };
    const auto ops = rnd.between(1, 2);
    std::vector<TensorId> made{tensor(rnd.between(1, 3), rnd.between(1, 3))};
    for (std::int64_t i = 0; i < ops; ++i) {
        const TensorId in = rnd.chance(70) ? made.back() : rnd.pick(made);
        const Tensor shape = data.tensors[in];
        Op op;
        op.baseCost = 1;
        op.inputs = {in};
        if (rnd.chance(50)) {
            op.type = OpType::MatMul;
            const std::int64_t width = rnd.between(1, 3);
            op.inputs.push_back(tensor(shape.width, width));
            op.output = tensor(shape.height, width);
        } else {
            for (std::int64_t more = rnd.between(0, 1); more > 0; --more) {
                const auto alike = std::ranges::find_if(made, [&](TensorId t) {
                    return t != in && data.tensors[t].width == shape.width &&
                           data.tensors[t].height == shape.height;
                });
                op.inputs.push_back(
                    alike != made.end() && rnd.chance(50) ? *alike : tensor(shape.height, shape.width));
            }
            op.output = tensor(shape.height, shape.width);
        }
        made.push_back(op.output);
        data.ops.push_back(op);
    }
    data.hardware = {rnd.between(1, 24), 1, rnd.between(1, 3), rnd.between(1, 3), std::nullopt, {}};
    if (rnd.chance(30)) { // R1.9
        const std::vector<std::int64_t> widths{4 * kPartsOfBit, 8 * kPartsOfBit, 16 * kPartsOfBit};
        data.elementBits = widths[1];
        for (std::size_t t = 0; t < data.tensors.size(); ++t)
            data.tensors[TensorId(t)].bits = rnd.pick(widths);
        data.accumulatorBits = rnd.pick(widths);
    }
    return Problem::build(std::move(data)).value();
}

/// Up to two locked subgraphs, some of which no rule allows.
std::vector<Subgraph> drawLocks(random_cases::Source& rnd, const Problem& problem)
{
    std::vector<Subgraph> out;
    for (auto count = rnd.between(0, 2); count > 0; --count) {
        Subgraph s{random_cases::connectedOps(rnd, problem, 3), {}, {}, {}, {}, true};
        s.granularity = {rnd.between(1, 3), rnd.between(1, 3), rnd.between(1, 3)};
        if (rnd.chance(25))
            s.retain = {problem.op(s.ops.back()).output};
        out.push_back(std::move(s));
    }
    return out;
}

/// With plain spaces.
QString inAscii(const Exclusion& why)
{
    return QString::fromStdString(why.text()).replace(QChar(0x202F), QLatin1Char(' '));
}

/// The limits of a case, each of which can be left out.
struct Case
{
    ProblemPtr problem;
    Rules rules;
    std::vector<Subgraph> locks;

    [[nodiscard]] SolveOptions options() const
    {
        SolveOptions out;
        out.rules = rules;
        Schedule start;
        for (const Subgraph& s : locks)
            start.subgraphs.push_back(std::make_shared<const Subgraph>(s));
        if (!locks.empty())
            out.start = start;
        return out;
    }
    [[nodiscard]] bool exists() const { return testing::ScheduleExists(*problem, rules, locks).find(); }
    /// Without the limits that are not named.
    [[nodiscard]] Case with(const std::vector<std::string>& names) const
    {
        const auto isNamed = [&](const std::string& name) { return std::ranges::count(names, name) > 0; };
        Case out = *this;
        if (!isNamed("capacity"))
            out.problem = withCapacity(*problem, kAmple);
        out.locks.clear();
        for (std::size_t i = 0; i < locks.size(); ++i)
            if (isNamed("the lock of subgraph " + std::to_string(i)))
                out.locks.push_back(locks[i]);
        out.rules = testing::loosened(rules, names);
        return out;
    }
};

Case drawCase(random_cases::Source& rnd)
{
    Case out;
    out.problem = drawProblem(rnd);
    out.rules = rnd.chance(15) ? Rules::machine() : rnd.chance(20) ? Rules::seed() : Rules::final();
    if (rnd.chance(20))
        out.rules.interior = Rules::Interior::Held;
    out.locks = drawLocks(rnd, *out.problem);
    return out;
}

} // namespace

class TestNoSchedule : public QObject
{
    Q_OBJECT

private slots:
    void rule_R10_5_theSetIsSmallest();
    void theThinnestSlicesAreNamed();
    void noFusionHelps();
    void aLockedTileIsNamed();
    void aRuleThatForbidsALockIsNamed();
    void theSolverSaysIt();
};

void TestNoSchedule::rule_R10_5_theSetIsSmallest()
{
    random_cases::Source rnd(41);
    int explained = 0, unknown = 0, feasible = 0;
    std::map<std::size_t, int> sizes;
    while (explained < 200) {
        const Case c = drawCase(rnd);
        const auto why = whyNoSchedule(*c.problem, c.options());
        const bool exists = c.exists();
        feasible += exists ? 1 : 0;
        QVERIFY2(!(exists && why), why ? why->text().c_str() : "");
        if (exists)
            continue;
        if (!why) {
            ++unknown;
            continue;
        }
        ++explained;
        QVERIFY(why->proven);
        std::vector<std::string> names;
        for (const ExcludingLimit& limit : why->limits)
            names.push_back(limit.name);
        ++sizes[names.size()];
        QVERIFY2(!c.with(names).exists(), why->text().c_str());
        for (const std::string& name : names) {
            std::vector<std::string> fewer = names;
            std::erase(fewer, name);
            QVERIFY2(c.with(fewer).exists(), (why->text() + ", without " + name).c_str());
        }
        for (const ExcludingLimit& limit : why->limits)
            if (limit.name == "capacity" && !limit.enough.empty()) {
                const auto value = std::stoll(limit.enough.front().substr(14));
                Case other = c;
                other.problem = withCapacity(*c.problem, value);
                QVERIFY2(other.exists(), why->text().c_str());
                other.problem = withCapacity(*c.problem, value - 1);
                QVERIFY2(!other.exists(), why->text().c_str());
            }
    }
    qInfo("%d feasible, %d explained, %d not settled; sets of 1: %d, 2: %d, 3: %d", feasible, explained,
          unknown, sizes[1], sizes[2], sizes[3]);
    QVERIFY(unknown <= 10);
    QVERIFY(sizes[1] > 20 && sizes[2] > 20);
}

namespace {

/// One product of 64 x 64 x 64; with a tile, in a locked subgraph.
Case productCase(std::int64_t capacity, std::int64_t native, std::optional<Granularity> locked)
{
    Problem::Data data;
    for (int i = 0; i < 3; ++i)
        data.tensors.push_back({64, 64, {}, 0});
    data.ops.push_back({OpType::MatMul, {TensorId(0), TensorId(1)}, TensorId(2), 10, "qk"});
    data.hardware = {capacity, 1, native, native, std::nullopt, {}};
    Case out;
    out.problem = Problem::build(std::move(data)).value();
    if (locked)
        out.locks = {Subgraph{{OpId(0)}, *locked, {}, {}, {}, true}};
    return out;
}

constexpr Granularity kWide{64, 64, 16};

} // namespace

void TestNoSchedule::theThinnestSlicesAreNamed()
{
    const Case c = productCase(2, 64, std::nullopt);
    const auto why = whyNoSchedule(*c.problem, c.options());
    QVERIFY(why);
    QCOMPARE(inAscii(*why), QString("capacity 2 elements: the thinnest slices of op qk need 3 elements; a "
                                    "capacity of 3 elements would do"));
}

/// A chain too long to be searched: each op reads a graph input and what the one before makes.
void TestNoSchedule::noFusionHelps()
{
    Problem::Data data;
    data.tensors.push_back({8, 8, {}, 0});
    for (std::size_t i = 0; i < 12; ++i) {
        const TensorId before(data.tensors.size() - 1);
        data.tensors.push_back({8, 8, {}, 0});
        data.tensors.push_back({8, 8, {}, 0});
        data.ops.push_back({OpType::Pointwise, {before, TensorId(2 * i + 1)}, TensorId(2 * i + 2), 1, {}});
    }
    data.hardware = {2, 1, 8, 8, std::nullopt, {}};
    const auto problem = Problem::build(std::move(data)).value();
    for (const Rules& rules : {Rules::final(), Rules::machine()}) {
        SolveOptions options;
        options.rules = rules;
        const auto why = whyNoSchedule(*problem, options);
        QVERIFY(why && why->limits.size() == 1);
        QCOMPARE(why->limits[0].enough, std::vector<std::string>{"a capacity of 3 elements"});
    }
    QVERIFY(!whyNoSchedule(*withCapacity(*problem, 3), {}));
}

void TestNoSchedule::aLockedTileIsNamed()
{
    const Case c = productCase(4096, 64, kWide);
    const auto why = whyNoSchedule(*c.problem, c.options());
    QVERIFY(why);
    QCOMPARE(inAscii(*why),
             QString("capacity 4 096 elements and the lock of subgraph 0: subgraph 0 needs 6 144 elements "
                     "with its tile w 64, h 64, k 16; a capacity of 6 144 elements, h = 38 in subgraph 0, "
                     "w = 38 in subgraph 0 or subgraph 0 without its lock would do"));
}

void TestNoSchedule::aRuleThatForbidsALockIsNamed()
{
    const Case c = productCase(kAmple, 32, kWide);
    const auto why = whyNoSchedule(*c.problem, c.options());
    QVERIFY(why);
    QCOMPARE(why->limits.size(), std::size_t(2));
    QCOMPARE(why->limits[1].name, std::string("rule supernative"));
    QCOMPARE(why->limits[1].enough, std::vector<std::string>{"rule supernative=ceil"});
}

void TestNoSchedule::theSolverSaysIt()
{
    const Case c = productCase(4096, 64, kWide);
    SolveOptions options = c.options();
    options.seconds = 0.2;
    const auto result = solve(*c.problem, options);
    QVERIFY(!result);
    QVERIFY(result.error().message.starts_with("no valid schedule exists: capacity 4"));
}

TILEWRIGHT_TEST(TestNoSchedule)

} // namespace test_no_schedule
#include "test_no_schedule.moc"
