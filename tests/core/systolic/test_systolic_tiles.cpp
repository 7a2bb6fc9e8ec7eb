// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/dram_traffic.h"
#include "systolic/hierarchy.h"
#include "systolic/l2_schedule.h"
#include "systolic/learned_tile.h"
#include "systolic/tile_search.h"
#include "test_main.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <random>

namespace test_systolic_tiles {

using namespace tilewright;
using namespace tilewright::systolic;

namespace {

constexpr TileShape k16{16, 16, 16};

/// docs/rules/systolic.md 6.1 by trying every candidate.
std::optional<TileShape> everyCandidate(const TileQuery& q)
{
    std::optional<TileShape> best;
    std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t> bestKey;
    const Gemm& g = q.gemm;
    for (std::int64_t a = q.array.rows;; a += q.array.rows) {
        const std::int64_t ti = std::min(g.m, a);
        for (std::int64_t b = q.array.cols;; b += q.array.cols) {
            const std::int64_t tj = std::min(g.n, b);
            for (std::int64_t c = 16;; c += 16) {
                const std::int64_t tk = std::min(g.k, c);
                const bool inPes = q.footprint == Footprint::Conservative ||
                                   ceilDiv(ti, q.array.rows) * ceilDiv(tj, q.array.cols) <= q.sumsPerPe;
                if (inPes && tileFootprint({ti, tj, tk}, q.footprint) <= q.cap()) {
                    const auto key = std::tuple(tileTraffic(g, ti, tj), -tk, -ti, -tj);
                    if (!best || key < bestKey)
                        best = TileShape{ti, tj, tk}, bestKey = key;
                }
                if (tk == g.k)
                    break;
            }
            if (tj == g.n)
                break;
        }
        if (ti == g.m)
            break;
    }
    return best;
}

} // namespace

class TestSystolicTiles : public QObject
{
    Q_OBJECT
private slots:
    void rule_3_table();
    void rule_3_1_raggedBytes();
    void rule_3_2_fit();
    void rule_3_3_bankLayout();
    void rule_6_1_errorNamesSmallestCapacity();
    void rule_6_2_analytic();
    void rule_6_2_analyticAlwaysFits();
    void rule_6_3_oracle();
    void rule_6_3_exhaustiveEqualsUnbounded();
    void rule_6_1_aggressiveTilesStayInThePes();
    void rule_6_3_landscape();
    void rule_6_4_trainingSetIsRegenerated();
    void rule_6_4_heldOut();
    void rule_6_6_adaptive();
    void rule_7_closedFormEqualsLru();
    void rule_7_belady();
    void rule_7_example();
    void rule_7_partialSums();
};

void TestSystolicTiles::rule_3_table()
{
    const auto plans = l2Schedules({64, 64, 64}, k16, 4, 1 << 20);
    QVERIFY(plans.hasValue());
    const std::array<std::int64_t, 4> traffic{144, 96, 48, 176};
    const std::array<std::int64_t, 4> single{9, 9, 33, 5};
    const std::array<std::int64_t, 4> twice{17, 13, 33, 9};
    for (std::size_t i = 0; i < 4; ++i) {
        QCOMPARE((*plans)[i].trafficTiles, traffic[i]);
        QCOMPARE((*plans)[i].trafficBytes(), traffic[i] * 1024);
        QCOMPARE((*plans)[i].minTiles, single[i]);
        QCOMPARE((*plans)[i].doubleBytes, twice[i] * 1024);
    }
    QVERIFY(!l2Schedules({64, 64, 64}, k16, 4, 1 << 20, 5));
    QVERIFY(!l2Schedules({64, 64, 64}, {0, 16, 16}, 4, 1 << 20));
}

void TestSystolicTiles::rule_3_1_raggedBytes()
{
    // Tile by tile with true sizes.
    const Gemm g{50, 37, 70};
    std::array<std::int64_t, 4> bytes{};
    for (std::int64_t i = 0; i < 50; i += 16) {
        const std::int64_t r = std::min<std::int64_t>(16, 50 - i);
        for (std::int64_t j = 0; j < 37; j += 16) {
            const std::int64_t c = std::min<std::int64_t>(16, 37 - j);
            for (std::int64_t k = 0; k < 70; k += 16) {
                const std::int64_t d = std::min<std::int64_t>(16, 70 - k);
                bytes[0] += 4 * (r * d + d * c);
                bytes[1] += 4 * (d * c + (j == 0 ? r * d : 0));
                bytes[2] += 4 * ((i == 0 ? d * c : 0) + (j == 0 ? r * d : 0));
                bytes[3] += 4 * (r * d + d * c);
            }
            for (std::size_t s = 0; s < 3; ++s)
                bytes[s] += 4 * r * c;
            bytes[3] += 4 * r * c * (2 + 3); // three passes: two partial reads, three writes
        }
    }
    const auto plans = l2Schedules(g, k16, 4, 1 << 20, 3);
    QVERIFY(plans.hasValue());
    for (std::size_t i = 0; i < 4; ++i)
        QCOMPARE((*plans)[i].trafficBytes(), bytes[i]);
}

void TestSystolicTiles::rule_3_2_fit()
{
    const auto best = [](std::int64_t kb) {
        const auto plans = l2Schedules({64, 64, 64}, k16, 4, kb * 1024);
        return bestL2Schedule(*plans);
    };
    QVERIFY(!best(4));
    for (const auto& [kb, passes] : {std::pair{5, 4}, {8, 4}, {9, 2}}) {
        QCOMPARE(best(kb)->schedule, L2Schedule::PartialC);
        QCOMPARE(best(kb)->passes, passes);
    }
    QCOMPARE(best(12)->schedule, L2Schedule::PartialC);
    QCOMPARE(best(13)->schedule, L2Schedule::RowReuse);
    QCOMPARE(best(32)->schedule, L2Schedule::RowReuse);
    QCOMPARE(best(33)->schedule, L2Schedule::FullReuse);
}

void TestSystolicTiles::rule_3_3_bankLayout()
{
    const BankMap seed{BankLayout::Seed, 8, 4, 4};
    QVERIFY(seed.conflicts(0, 1, 1)); // A[0,1] with B[1,1]
    const auto found = bankConflicts(seed, 4);
    QVERIFY(found.hasValue());
    QCOMPARE(found->steps, 64);
    QCOMPARE(found->count, 8);
    QCOMPARE(found->listed.size(), std::size_t{8});
    QVERIFY(std::find(found->listed.begin(), found->listed.end(), BankConflict{0, 1, 1, 1}) !=
            found->listed.end());
    for (std::int64_t banks = 2; banks < 12; ++banks)
        for (std::int64_t n = 1; n < 6; ++n) {
            const BankMap split{BankLayout::Split, banks, n, 5};
            QCOMPARE(bankConflicts(split, 3)->count, 0);
            for (std::int64_t x = 0; x < 5; ++x) {
                QVERIFY(split.bankA(x, 1) < banks / 2);
                QVERIFY(split.bankB(x, 0) >= banks / 2 && split.bankB(x, 0) < banks);
            }
        }
    QVERIFY(!bankConflicts({BankLayout::Split, 1, 4, 4}, 4));
}

void TestSystolicTiles::rule_6_1_errorNamesSmallestCapacity()
{
    TileQuery q{{1024, 1024, 1024}, {16, 16}};
    q.capacityBytes = 3071;
    for (const TileMethod method : {TileMethod::Analytic, TileMethod::Exhaustive, TileMethod::Learned}) {
        q.capacityBytes = 3071;
        const auto refused = chooseTile(q, method);
        QVERIFY(!refused);
        QVERIFY(refused.error().text().find("3\u202f072 bytes") != std::string::npos);
        q.capacityBytes = 3072;
        QVERIFY(chooseTile(q, method).hasValue());
    }
    q.elementBytes = 0;
    QVERIFY(!exhaustiveTile(q));
}

void TestSystolicTiles::rule_6_2_analytic()
{
    const auto t = analyticTile({{1024, 1024, 1024}, {16, 16}});
    QVERIFY(t.hasValue());
    QVERIFY((t->tile == TileShape{64, 64, 96}));
    QVERIFY(t->fits);
    QCOMPARE(t->footprintElements, 16384);
    // Whole dimensions are kept though they are no multiples.
    const auto small = analyticTile({{5, 7, 9}, {16, 16}});
    QVERIFY((small->tile == TileShape{5, 7, 9}));
    const auto gemv = analyticTile({{1, 1000, 1000}, {16, 16}});
    QCOMPARE(gemv->tile.ti, 1);
}

void TestSystolicTiles::rule_6_2_analyticAlwaysFits()
{
    std::mt19937 rng(3);
    const auto pick = [&](int max) { return std::int64_t{1} + static_cast<std::int64_t>(rng() % max); };
    for (int i = 0; i < 5000; ++i) {
        TileQuery q{{pick(3000), pick(3000), pick(3000)}, {pick(64), pick(64)}};
        q.capacityBytes = pick(1 << 18);
        const auto analytic = analyticTile(q);
        const auto exhaustive = exhaustiveTile(q);
        QCOMPARE(analytic.hasValue(), exhaustive.hasValue());
        if (!analytic)
            continue;
        QVERIFY(analytic->fits);
        QVERIFY(analytic->elements >= exhaustive->elements);
        const TileShape& t = analytic->tile;
        QVERIFY(t.ti == q.gemm.m || t.ti % q.array.rows == 0);
        QVERIFY(t.tj == q.gemm.n || t.tj % q.array.cols == 0);
        QVERIFY(t.ti <= q.gemm.m && t.tj <= q.gemm.n && t.tk <= q.gemm.k);
    }
}

void TestSystolicTiles::rule_6_3_oracle()
{
    std::ifstream in(TILEWRIGHT_SOURCE_DIR "/tests/data/oracles/systolic/cases.jsonl");
    int cases = 0;
    for (std::string line; std::getline(in, line);) {
        const auto c = nlohmann::json::parse(line);
        for (const int kib : {64, 512})
            for (const Footprint f : {Footprint::Conservative, Footprint::Aggressive}) {
                TileQuery q{{c["M"], c["N"], c["K"]}, {c["rows"], c["cols"]}};
                q.capacityBytes = kib * 1024;
                q.footprint = f;
                q.sumsPerPe = kMaxArea; // the oracle has PEs without end
                const auto& want = c["tile"][std::to_string(kib) + "KiB_" + std::string(footprintName(f))];
                const auto got = exhaustiveTile(q);
                QCOMPARE(got.hasValue(), !want.is_null());
                if (!got)
                    continue;
                QCOMPARE(got->elements, want["elements"].get<std::int64_t>());
                QCOMPARE(got->tile.tk, want["Tk"].get<std::int64_t>());
                QCOMPARE(got->tile.ti, want["Ti"].get<std::int64_t>());
                QCOMPARE(got->tile.tj, want["Tj"].get<std::int64_t>());
                QVERIFY(got->fits && got->pointsVisited > 0);
            }
        ++cases;
    }
    QCOMPARE(cases, 150);
}

void TestSystolicTiles::rule_6_3_exhaustiveEqualsUnbounded()
{
    std::mt19937 rng(4);
    const auto pick = [&](int max) { return std::int64_t{1} + static_cast<std::int64_t>(rng() % max); };
    for (int i = 0; i < 1500; ++i) {
        TileQuery q{{pick(150), pick(150), pick(150)}, {pick(12), pick(12)}};
        q.elementBytes = 1;
        q.capacityBytes = pick(6000);
        q.footprint = i % 2 ? Footprint::Conservative : Footprint::Aggressive;
        q.sumsPerPe = i % 4 == 0 ? 1 : pick(40);
        const auto want = everyCandidate(q);
        const auto got = exhaustiveTile(q);
        QCOMPARE(got.hasValue(), want.has_value());
        if (want)
            QVERIFY(got->tile == *want);
    }
}

/// S0 3.2, constraint 4: an output tile that stays in the PEs has a sum for each of them.
void TestSystolicTiles::rule_6_1_aggressiveTilesStayInThePes()
{
    TileQuery q{{1024, 1024, 1024}, {16, 16}};
    q.footprint = Footprint::Aggressive;
    for (const TileMethod method : {TileMethod::Analytic, TileMethod::Exhaustive, TileMethod::Learned}) {
        const auto choice = chooseTile(q, method);
        QVERIFY(choice.hasValue() && choice->fits);
        QCOMPARE(choice->tile.ti, 16);
        QCOMPARE(choice->tile.tj, 16);
    }
    QCOMPARE(exhaustiveTile(q)->tile.tk, 512); // 2 x 16 x 512 = 16,384 elements
    const auto tooLarge = describeTile(q, {32, 16, 16});
    QVERIFY(tooLarge->footprintElements <= q.cap() && !tooLarge->fits);
    q.sumsPerPe = 4;
    QVERIFY(describeTile(q, {32, 32, 16})->fits);
    QCOMPARE(exhaustiveTile(q)->elements, tileTraffic(q.gemm, 32, 32));
    QCOMPARE(sumsPerPe({16, 16}, 8, 32), 2); // rows that the tile does not use hold no sums of others
    const Hierarchy h = kpuHierarchy();
    const auto constraints = tileConstraints(h, q.gemm, {512, 512, 16}, 2, Footprint::Aggressive);
    const auto inPes = std::ranges::find_if(
        constraints, [](const Constraint& c) { return c.name == "PEs, one sum each: the tile's C"; });
    QVERIFY(inPes != constraints.end() && !inPes->fits());
    QCOMPARE(inPes->used, 1024 * 1024);
    QCOMPARE(inPes->available, 1024);
    // A and B of that tile fit into L2, though A, B and C would not.
    QVERIFY(std::ranges::all_of(constraints, [](const Constraint& c) {
        return !c.name.starts_with("L2, all 8 buffers: the tile's A and B") || c.fits();
    }));
}

void TestSystolicTiles::rule_6_3_landscape()
{
    const TileQuery q{{1000, 300, 512}, {16, 16}};
    const auto land = tileLandscape(q, 40);
    QVERIFY(land.hasValue());
    QVERIFY(land->ti.size() <= 40 && land->ti.back() == 1000 && land->tj.back() == 300);
    QVERIFY(std::is_sorted(land->ti.begin(), land->ti.end()));
    const auto best = exhaustiveTile(q);
    bool anyInfeasible = false;
    for (std::size_t i = 0; i < land->ti.size(); ++i)
        for (std::size_t j = 0; j < land->tj.size(); ++j) {
            const LandscapeCell& cell = land->at(i, j);
            anyInfeasible = anyInfeasible || !cell.feasible;
            if (cell.feasible) {
                QVERIFY(cell.elements >= best->elements);
                QVERIFY(tileFootprint({land->ti[i], land->tj[j], cell.tk}, q.footprint) <= q.cap());
            }
        }
    QVERIFY(anyInfeasible);
}

void TestSystolicTiles::rule_6_4_trainingSetIsRegenerated()
{
    const auto again = generateTileTraining(kTrainingRows, kTrainingSeed);
    const auto builtIn = builtInTileTraining();
    QVERIFY(std::equal(again.begin(), again.end(), builtIn.begin(), builtIn.end()));
}

void TestSystolicTiles::rule_6_4_heldOut()
{
    const LearnedQuality q = measureLearned(1000, 77, {16, 16});
    qInfo("held-out, 16x16: %.1f %% within 10 %%, %.1f %% optimal, mean ratio %.4f, worst %.3f",
          100 * q.share(), 100.0 * double(q.optimal) / double(q.cases), q.meanRatio, q.worstRatio);
    QVERIFY(q.share() >= 0.9);
    for (const ArrayShape array : {ArrayShape{8, 8}, ArrayShape{32, 16}, ArrayShape{64, 64}}) {
        const LearnedQuality other = measureLearned(400, 78, array);
        qInfo("held-out, %dx%d: %.1f %%", int(array.rows), int(array.cols), 100 * other.share());
        QVERIFY(other.share() >= 0.9);
    }
}

void TestSystolicTiles::rule_6_6_adaptive()
{
    DramQuery q{{512, 384, 640}, {64, 64, 64}};
    q.l3Bytes = 256 * 1024;
    const auto r = adaptiveStationary(q);
    QVERIFY(r.hasValue());
    QCOMPARE(r->rows.size(), std::size_t{8});
    for (std::size_t d = 0; d < 3; ++d) {
        DramQuery fixed = q;
        fixed.order = loopOrderOf(std::array{Dataflow::Os, Dataflow::Ws, Dataflow::Is}[d]);
        QCOMPARE(r->fixedBytes[d], simulateDram(fixed)->bytes());
        QVERIFY(r->bytes <= r->fixedBytes[d]);
        QVERIFY(r->saving[d] >= 0 && r->saving[d] < 1);
    }
    QVERIFY(r->bytes >= compulsoryElements(q.gemm) * 4);
    QVERIFY(r->rowBytes >= compulsoryElements(q.gemm) * 4);
    // Row by row with everything OS is the same as fixed OS.
    if (std::all_of(r->rows.begin(), r->rows.end(), [](Dataflow d) { return d == Dataflow::Os; }))
        QCOMPARE(r->rowBytes, r->fixedBytes[0]);
}

void TestSystolicTiles::rule_7_closedFormEqualsLru()
{
    std::mt19937 rng(5);
    const auto pick = [&](std::int64_t max) {
        return std::int64_t{1} + static_cast<std::int64_t>(rng()) % max;
    };
    for (int i = 0; i < 4000; ++i) {
        DramQuery q;
        q.gemm = {pick(60), pick(60), pick(60)};
        q.tile = {pick(std::min<std::int64_t>(q.gemm.m, 20)), pick(std::min<std::int64_t>(q.gemm.n, 20)),
                  pick(std::min<std::int64_t>(q.gemm.k, 20))};
        q.l3Bytes = pick(30000);
        q.order = kLoopOrders[static_cast<std::size_t>(i) % 6];
        const auto sim = simulateDram(q);
        QVERIFY(sim.hasValue());
        const DramTraffic closed = dramClosedForm(q);
        if (!(closed == *sim))
            qWarning("M %d N %d K %d tile %d %d %d l3 %d order %s", int(q.gemm.m), int(q.gemm.n),
                     int(q.gemm.k), int(q.tile.ti), int(q.tile.tj), int(q.tile.tk), int(q.l3Bytes),
                     loopOrderName(q.order).data());
        QVERIFY(closed == *sim);
        QVERIFY(closed.bytes() >= closed.compulsoryBytes);
    }
}

void TestSystolicTiles::rule_7_belady()
{
    std::mt19937 rng(6);
    const auto pick = [&](std::int64_t max) {
        return std::int64_t{1} + static_cast<std::int64_t>(rng()) % max;
    };
    int lower = 0;
    for (int i = 0; i < 3000; ++i) {
        DramQuery q;
        q.gemm = {pick(60), pick(60), pick(60)};
        q.tile = {pick(std::min<std::int64_t>(q.gemm.m, 20)), pick(std::min<std::int64_t>(q.gemm.n, 20)),
                  pick(std::min<std::int64_t>(q.gemm.k, 20))};
        q.l3Bytes = pick(30000);
        q.order = kLoopOrders[static_cast<std::size_t>(i) % 6];
        const std::int64_t lru = simulateDram(q)->bytes();
        q.replacement = Replacement::Belady;
        const auto belady = simulateDram(q);
        QVERIFY(belady->bytes() <= lru);
        QVERIFY(belady->bytes() >= belady->compulsoryBytes);
        lower += belady->bytes() < lru;
    }
    QVERIFY(lower > 100);
}

void TestSystolicTiles::rule_7_example()
{
    DramQuery q{{1024, 1024, 1024}, {64, 64, 64}};
    const ReuseFactors f = reuseFactors(q.gemm, q.tile);
    QCOMPARE(f.nM * f.nN * f.nK, 4096);
    QCOMPARE(f.transfersFullReuse, 768);
    QCOMPARE(f.transfersNoReuse, 8448);
    QCOMPARE(f.transfersNoReuse / f.transfersFullReuse, 11);
    QCOMPARE(std::round(f.reductionOverUntiled), 683.0);
    QCOMPARE(f.a, 16);
    q.l3Bytes = std::int64_t{64} << 20;
    QCOMPARE(simulateDram(q)->transfers(), 768);
    q.l3Bytes = 0;
    QCOMPARE(simulateDram(q)->transfers(), 8448);
    // 512 KiB: an A row panel of 256 KiB does not fit 40 %.
    q.l3Bytes = 512 * 1024;
    QCOMPARE(dramClosedForm(q).transfers(), 8448);
    q.l3Bytes = 1024 * 1024;
    QCOMPARE(dramClosedForm(q).of(Matrix::A).loads, 256);
    QCOMPARE(dramClosedForm(q).of(Matrix::B).loads, 4096);
    // The seed's estimator is below what must move.
    QVERIFY(seedDramEstimateBytes(q.gemm, q.tile, 4, 4) < double(compulsoryElements(q.gemm) * 4));
}

void TestSystolicTiles::rule_7_partialSums()
{
    DramQuery q{{100, 90, 80}, {20, 30, 16}};
    q.l3Bytes = 0;
    for (const LoopOrder order : {LoopOrder::Kij, LoopOrder::Ikj, LoopOrder::Jki}) {
        q.order = order;
        const MatrixTraffic c = dramClosedForm(q).of(Matrix::C);
        QCOMPARE(c.loads + c.stores, 15 * (2 * 5 - 1));
    }
    q.shares = {0.5, 0.5, 0.2};
    QVERIFY(!simulateDram(q));
    q.shares = {0.5, -0.5, 0.2};
    QVERIFY(!simulateDram(q));
}

TILEWRIGHT_TEST(TestSystolicTiles)

} // namespace test_systolic_tiles
#include "test_systolic_tiles.moc"
