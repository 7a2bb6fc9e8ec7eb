// SPDX-License-Identifier: GPL-3.0-or-later
// The compact trace gives back exactly the steps that were traced.
#include "eval/step_table.h"
#include "oracle_reader.h"
#include "test_main.h"

#include <QtTest>

#include <random>

namespace test_step_table {

using namespace tilewright;

namespace {

bool same(const StepBuffer& a, const StepBuffer& b)
{
    return a.tensor == b.tensor && a.role == b.role && a.rect == b.rect && a.full == b.full &&
           a.loaded == b.loaded;
}
bool same(const StepRun& a, const StepRun& b)
{
    return a.op == b.op && a.rect == b.rect && a.k0 == b.k0 && a.k1 == b.k1 && a.cost == b.cost &&
           a.repeated == b.repeated;
}
bool same(const StepSink& a, const StepSink& b)
{
    return a.tensor == b.tensor && a.tile == b.tile && a.completes == b.completes && a.stored == b.stored &&
           a.accumulators == b.accumulators && a.outputElements == b.outputElements &&
           a.takesOver == b.takesOver;
}
template <typename T> bool same(const std::vector<T>& a, const std::vector<T>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const T& x, const T& y) { return same(x, y); });
}

/// Empty when both are the same, otherwise the field that differs.
std::string difference(const Step& a, const Step& b)
{
    if (a.index != b.index || a.tile != b.tile || a.row != b.row || a.col != b.col || a.kStep != b.kStep ||
        a.kSteps != b.kSteps)
        return "position";
    if (!same(a.runs, b.runs))
        return "runs";
    if (!same(a.buffers, b.buffers) || !same(a.keptLoads, b.keptLoads))
        return "buffers";
    if (!same(a.sinks, b.sinks))
        return "sinks";
    if (a.residentReads != b.residentReads)
        return "residentReads";
    if (a.loadElements != b.loadElements || a.storeElements != b.storeElements)
        return "traffic";
    if (a.workingSet != b.workingSet || a.reserved != b.reserved || a.inputElements != b.inputElements ||
        a.outputElements != b.outputElements || a.accumulatorElements != b.accumulatorElements ||
        a.donatedElements != b.donatedElements)
        return "working set";
    if (a.compute != b.compute || a.memory != b.memory || a.latency != b.latency || a.start != b.start)
        return "times";
    return {};
}

} // namespace

class TestStepTable : public QObject
{
    Q_OBJECT

    std::size_t m_steps = 0;
    std::size_t m_shapes = 0;

    void check(const Problem& problem, const Schedule& schedule, const Rules& rules)
    {
        for (std::size_t i = 0; i < schedule.size(); ++i) {
            const std::span<const TensorId> resident =
                i == 0 ? std::span<const TensorId>() : schedule.subgraphs[i - 1]->retain;
            const Subgraph& s = *schedule.subgraphs[i];
            const bool ids = std::all_of(resident.begin(), resident.end(),
                                         [&](TensorId t) { return t.index() < problem.tensorCount(); });
            if (!ids)
                continue;
            const auto table = StepTable::build(problem, s, resident, rules);
            std::int64_t n = 0;
            traceSubgraph(problem, s, resident, rules, [&](const Step& step) {
                const std::string field = difference(table->step(step.index), step);
                [&] { QVERIFY2(field.empty(), field.c_str()); }();
                if (table->sums(step.index).workingSet != step.workingSet ||
                    table->sums(step.index).bound() != step.bound())
                    QTest::qFail("sums differ", __FILE__, __LINE__);
                ++n;
                return !QTest::currentTestFailed();
            });
            QCOMPARE(table->size(), n);
            QCOMPARE(table->end(), n == 0 ? StepTable::End::Invalid : StepTable::End::Complete);
            m_steps += static_cast<std::size_t>(n);
            m_shapes += table->shapeCount();
        }
    }

private slots:
    void oracleCases()
    {
        for (const auto& [problem, schedule] : oracle::cases())
            for (const Rules& rules : {Rules::final(), Rules::seed()}) {
                check(*problem, schedule, rules);
                if (QTest::currentTestFailed())
                    return;
            }
        QVERIFY(m_steps > 5000);
        QVERIFY2(m_shapes < m_steps, "shapes are shared");
    }

    /// A MatMul of 512 x 512 x 512 in tiles of 32 with k = 16: 256 tiles, 8192 steps.
    void randomAccessOfALongTrace()
    {
        Problem::Data data;
        for (int i = 0; i < 3; ++i)
            data.tensors.push_back({512, 512, {}});
        data.ops.push_back({OpType::MatMul, {TensorId(0), TensorId(1)}, TensorId(2), 1000, {}});
        data.hardware = {100000, 10, 128, 128, {}};
        const ProblemPtr problem = *Problem::build(std::move(data));
        const Subgraph s{{OpId(0)}, {32, 32, 16}, {}, TraversalKind::Snake, {}, false};
        double progress = 0;
        const Progress tell{{}, [&](double f, std::string_view) { progress = f; }};
        const auto table = StepTable::build(*problem, s, {}, {}, tell, 8192);
        QCOMPARE(table->size(), 8192);
        QCOMPARE(std::ssize(table->visits()), 256);
        QVERIFY(progress > 0.8 && progress <= 1);
        QVERIFY(table->shapeCount() < 40);

        std::vector<std::int64_t> peaks;
        std::vector<double> starts;
        traceSubgraph(*problem, s, {}, {}, [&](const Step& step) {
            peaks.push_back(step.workingSet);
            starts.push_back(step.start);
            return true;
        });
        std::mt19937 random(7);
        for (int n = 0; n < 500; ++n) {
            const auto first = static_cast<std::int64_t>(random() % 8192);
            const auto last =
                first + 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(8192 - first));
            const auto e = table->extremes(first, last);
            const auto high = std::max_element(peaks.begin() + first, peaks.begin() + last) - peaks.begin();
            const auto low = std::min_element(peaks.begin() + first, peaks.begin() + last) - peaks.begin();
            QCOMPARE(e.largest, high);
            QCOMPARE(e.smallest, low);
            const double middle = (table->start(first) + table->start(first + 1)) / 2;
            QCOMPARE(table->stepAt(middle), first);
            QCOMPARE(table->start(first), starts[static_cast<std::size_t>(first)]);
            const std::int64_t visit = table->visitOf(first);
            QVERIFY(table->visits()[static_cast<std::size_t>(visit)].firstStep <= first);
            QVERIFY(table->visitEnd(visit) > first);
        }
        QCOMPARE(table->start(8192), table->duration());
        QCOMPARE(table->stepAt(-1), 0);
        QCOMPARE(table->stepAt(table->duration() * 2), 8191);
    }

    void limitsAndStops()
    {
        Problem::Data data;
        data.tensors.push_back({4096, 4096, {}});
        data.tensors.push_back({4096, 4096, {}});
        data.ops.push_back({OpType::Pointwise, {TensorId(0)}, TensorId(1), 10, {}});
        data.hardware = {100000, 10, 128, 128, {}};
        const ProblemPtr problem = *Problem::build(std::move(data));
        const Subgraph s{{OpId(0)}, {16, 16, 1}, {}, {}, {}, false}; // 65536 tiles
        const auto cut = StepTable::build(*problem, s, {}, {}, {}, 0, 1000);
        QCOMPARE(cut->end(), StepTable::End::TooLong);
        QCOMPARE(cut->size(), 1000);
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(StepTable::build(*problem, s, {}, {}, {stop.get_token(), {}})->end(),
                 StepTable::End::Stopped);
        const Subgraph bad{{OpId(0)}, {256, 16, 1}, {}, {}, {}, false};
        const auto none = StepTable::build(*problem, bad, {}, {});
        QCOMPARE(none->end(), StepTable::End::Invalid);
        QCOMPARE(none->size(), 0);
        QCOMPARE(none->stepAt(3), 0);
        const auto all = StepTable::build(*problem, s, {}, {});
        QCOMPARE(all->size(), 65536);
        QVERIFY(all->shapeCount() <= 4);
    }
};

TILEWRIGHT_TEST(TestStepTable)

} // namespace test_step_table
#include "test_step_table.moc"
