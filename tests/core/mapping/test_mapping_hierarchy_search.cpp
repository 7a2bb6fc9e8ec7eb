// SPDX-License-Identifier: GPL-3.0-or-later
// The search of docs/rules/hierarchy.md 7 and 8 against all mappings of small layers.
#include "base/file.h"
#include "drawn_cases.h"
#include "hierarchy/constraint_costs.h"
#include "hierarchy/files.h"
#include "hierarchy/search.h"
#include "hierarchy/spatial.h"
#include "hierarchy_by_hand.h"
#include "hierarchy_cases.h"
#include "test_main.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <set>

namespace test_mapping_hierarchy_search {

using namespace tilewright;
using namespace tilewright::hierarchy;

namespace {

/// Energies and cycles that no other mapping is better than in both.
using Front = std::vector<std::pair<double, double>>;

/// Evaluates every mapping: every factor in every place, in every order.
class AllMappings
{
public:
    AllMappings(const LoopNest& nest, const Architecture& architecture, const Constraints& constraints = {})
        : m_nest(nest), m_architecture(architecture), m_constraints(constraints)
    {
        m_mapping.levels.resize(architecture.levels.size());
        for (std::size_t i = 0; i < architecture.levels.size(); ++i)
            for (const Axis& axis : architecture.levels[i].axes)
                m_mapping.levels[i].spatial.push_back({axis.name, {}});
        for (int l = 0; l < nest.loopCount; ++l)
            for (std::int64_t left = nest.trips[static_cast<std::size_t>(l)], p = 2; left > 1;) {
                if (left % p == 0) {
                    m_factors.push_back({l, p});
                    left /= p;
                } else {
                    ++p;
                }
            }
        place(0);
    }

    Front front;

private:
    void place(std::size_t factor)
    {
        if (factor == m_factors.size()) {
            if (!checkMapping(m_nest, m_architecture, m_mapping))
                order(0);
            return;
        }
        for (LevelLoops& level : m_mapping.levels) {
            level.temporal.push_back(m_factors[factor]);
            place(factor + 1);
            level.temporal.pop_back();
            for (AxisLoops& axis : level.spatial) {
                axis.loops.push_back(m_factors[factor]);
                place(factor + 1);
                axis.loops.pop_back();
            }
        }
    }

    void order(std::size_t level)
    {
        if (level == m_mapping.levels.size()) {
            if (!m_constraints.allows(m_architecture, m_mapping))
                return;
            const Cost cost = evaluate(m_nest, m_architecture, m_mapping);
            add(cost.energy, cost.cycles);
            return;
        }
        std::vector<TiledLoop>& loops = m_mapping.levels[level].temporal;
        const std::vector<TiledLoop> before = loops;
        const auto less = [](const TiledLoop& a, const TiledLoop& b) {
            return std::pair(a.loop, a.factor) < std::pair(b.loop, b.factor);
        };
        std::ranges::sort(loops, less);
        do
            order(level + 1);
        while (std::next_permutation(loops.begin(), loops.end(), less));
        loops = before;
    }

    void add(double energy, double cycles)
    {
        for (const auto& [e, c] : front)
            if (e <= energy && c <= cycles)
                return;
        std::erase_if(front, [&](const auto& p) { return p.first >= energy && p.second >= cycles; });
        front.emplace_back(energy, cycles);
        std::ranges::sort(front);
    }

    const LoopNest& m_nest;
    const Architecture& m_architecture;
    const Constraints& m_constraints;
    Mapping m_mapping;
    std::vector<TiledLoop> m_factors;
};

} // namespace

class TestMappingHierarchySearch : public QObject
{
    Q_OBJECT

private slots:
    void rule_7_bruteForce();
    void rule_7_1_branches();
    void rule_7_objectives();
    void rule_7_realLayers();
    void rule_7_noMapping();
    void rule_7_stopped();
    void rule_7_7_quick();
    void rule_8_bruteForce();
    void rule_8_6_costs();
    void rule_8_realLayer();
    void rule_8_whyThereIsNone_data();
    void rule_8_whyThereIsNone();
    void rule_8_texts_data();
    void rule_8_texts();
};

void TestMappingHierarchySearch::rule_7_bruteForce()
{
    HierarchyDraw draw(7);
    int found = 0, several = 0;
    for (int i = 0; i < test::drawnCases(300); ++i) {
        const auto nest = makeNest(draw.layer(16)).value();
        const Architecture architecture = draw.architecture(3, draw.chance(2));
        const AllMappings all(nest, architecture);
        const SearchResult result = search(nest, architecture, {});
        QVERIFY(result.proven);
        Front front;
        for (const MappingCost& point : result.front) {
            front.emplace_back(point.energy, point.cycles);
            const Cost cost = evaluate(nest, architecture, point.mapping);
            QVERIFY(cost.valid());
            QCOMPARE(cost.energy, point.energy);
            QCOMPARE(cost.cycles, point.cycles);
        }
        QVERIFY2(front == all.front, ("case " + std::to_string(i)).c_str());
        found += !front.empty();
        several += front.size() > 1;
        for (const Objective objective : {Objective::Energy, Objective::Cycles, Objective::Edp}) {
            const auto& best = result.best[static_cast<std::size_t>(objective)];
            QCOMPARE(best.has_value(), !front.empty());
            double least = std::numeric_limits<double>::infinity();
            for (const auto& [energy, cycles] : all.front)
                least = std::min(least, objective == Objective::Energy   ? energy
                                        : objective == Objective::Cycles ? cycles
                                                                         : energy * cycles);
            QVERIFY(!best || best->value(objective) == least);
        }
        QVERIFY(result.cut <= result.tilings);
    }
    QVERIFY(found >= test::drawnAtLeast(180));
    QVERIFY(several >= test::drawnAtLeast(45));
}

void TestMappingHierarchySearch::rule_7_1_branches()
{
    // 4 x 2 on axes of 2 and 4 of one level: 4, 2 or 1 of X times 2 or 1 of Y.
    Architecture architecture =
        machine({level("DRAM", {axis("rows", 2), axis("columns", 4)}), level("regs")});
    const LoopNest nest = gemm(4, 2, 1);
    const SpatialChoices all = listSpatial(nest, architecture, 100);
    QVERIFY(all.complete);
    std::set<Factors> seen;
    for (const SpatialChoice& choice : all.list) {
        const Factors factors = spatialByLevel(architecture, choice).front();
        QVERIFY(choice.size() == 2 && choice[0][X] * choice[0][Y] <= 2 && choice[1][X] * choice[1][Y] <= 4);
        QVERIFY(seen.insert(factors).second);
    }
    QCOMPARE(seen.size(), std::size_t{6});
    QCOMPARE(seen.count(Factors{4, 2, 1, 1, 1, 1, 1}), std::size_t{1});
    const SpatialChoices some = listSpatial(nest, architecture, 3);
    QVERIFY(!some.complete && some.list.size() == 3);
    architecture.levels[0].axes[1].gemmLoops = 1u << Y;
    for (const SpatialChoice& choice : listSpatial(nest, architecture, 100).list)
        QCOMPARE(choice[1][X], 1);
}

void TestMappingHierarchySearch::rule_7_objectives()
{
    HierarchyDraw draw(71);
    int found = 0;
    for (int i = 0; i < test::drawnCases(60); ++i) {
        const auto nest = makeNest(draw.layer(64)).value();
        const Architecture architecture = draw.architecture(4, draw.chance(2));
        const SearchResult all = search(nest, architecture, {});
        for (const Objective objective : {Objective::Energy, Objective::Cycles, Objective::Edp}) {
            SearchOptions options;
            options.objective = objective;
            options.threads = 1 + i % 3;
            const SearchResult one = search(nest, architecture, options);
            QVERIFY(one.proven);
            QCOMPARE(one.of(objective).has_value(), all.of(objective).has_value());
            if (!one.of(objective))
                continue;
            ++found;
            QCOMPARE(one.of(objective)->value(objective), all.of(objective)->value(objective));
            QVERIFY(one.isOptimal(objective) && one.gap(objective) == 0);
            for (std::size_t o = 0; o < kObjectives; ++o)
                QVERIFY(one.lowerBound[o] <= all.best[o]->value(static_cast<Objective>(o)) * (1 + 1e-12));
        }
    }
    QVERIFY(found >= test::drawnAtLeast(120));
}

/// Layers of the last stage of ResNet-18 and a product of LLaMA on the sample with five levels.
void TestMappingHierarchySearch::rule_7_realLayers()
{
    const std::string path = TILEWRIGHT_SOURCE_DIR "/samples/mapping/hierarchies/five-levels.json";
    const Architecture architecture = readArchitecture(readFile(path).value(), path).value();
    mapping::Layer conv;
    conv.inChannels = conv.outChannels = 512;
    conv.height = conv.width = 9;
    conv.kernel = {3, 3};
    for (const LoopNest& nest : {makeNest(conv).value(), gemm(128, 4096, 4096)}) {
        SearchOptions options;
        options.objective = Objective::Edp;
        const SearchResult whole = search(nest, architecture, options);
        QVERIFY(whole.proven);
        const MappingCost& best = *whole.of(Objective::Edp);
        const Cost cost = evaluate(nest, architecture, best.mapping);
        QVERIFY(cost.valid());
        QCOMPARE(cost.edp, best.edp());
        QCOMPARE(best.cycles, static_cast<double>(nest.macs) / 256); // all MACs are busy in every cycle
        // However short the time, there is a mapping, and never a better one.
        options.seconds = 1e-9;
        const SearchResult first = search(nest, architecture, options);
        QVERIFY(!first.proven && first.of(Objective::Edp));
        QVERIFY(first.of(Objective::Edp)->edp() >= best.edp());
        const double gap = first.gap(Objective::Edp), bound = first.lowerBound[2];
        QVERIFY(gap > 0 && std::isfinite(gap));
        QVERIFY(bound > 0 && bound <= best.edp());
    }
}

void TestMappingHierarchySearch::rule_7_noMapping()
{
    ByHand c;
    c.architecture.levels[1].bytes = 1; // not even one element of each operand, twice
    const SearchResult result = search(c.nest, c.architecture, {});
    QVERIFY(result.proven);
    QVERIFY(result.front.empty());
    QVERIFY(!result.best[0]);
    QCOMPARE(result.tilings, 0);
}

void TestMappingHierarchySearch::rule_7_stopped()
{
    ByHand c;
    c.nest = gemm(64, 64, 64);
    std::stop_source source;
    source.request_stop();
    SearchOptions options;
    options.stop = source.get_token();
    QVERIFY(!search(c.nest, c.architecture, options).proven);
    options = {};
    options.seconds = 1e-9;
    QVERIFY(!search(c.nest, c.architecture, options).proven);
}

/// A quick search is never better than the optimum and says how far it can be above it.
void TestMappingHierarchySearch::rule_7_7_quick()
{
    HierarchyDraw draw(77);
    int found = 0, optimal = 0, open = 0;
    for (int i = 0; i < test::drawnCases(120); ++i) {
        const auto nest = makeNest(draw.layer(256)).value();
        const Architecture architecture = draw.architecture(4, draw.chance(2));
        SearchOptions options;
        options.objective = static_cast<Objective>(draw.below(kObjectives));
        options.threads = 1;
        const SearchResult whole = search(nest, architecture, options);
        options.quick = true;
        const SearchResult quick = search(nest, architecture, options);
        const auto& best = whole.of(*options.objective);
        QCOMPARE(quick.of(*options.objective).has_value(), best.has_value());
        if (!best)
            continue;
        const double least = best->value(*options.objective);
        const MappingCost& first = *quick.of(*options.objective);
        QVERIFY(evaluate(nest, architecture, first.mapping).valid());
        QVERIFY(first.value(*options.objective) >= least * (1 - 1e-12));
        QVERIFY(quick.lowerBound[static_cast<std::size_t>(*options.objective)] <= least * (1 + 1e-12));
        QVERIFY(quick.evaluations <= whole.evaluations);
        ++found;
        optimal += first.value(*options.objective) <= least * (1 + 1e-12);
        open += !quick.proven;
    }
    QVERIFY(found >= test::drawnAtLeast(60));
    QVERIFY(optimal >= test::drawnAtLeast(30));
    QVERIFY(open >= test::drawnAtLeast(10));
}

/// Bounds of factors, orders, operands that skip levels, loops of axes.
void TestMappingHierarchySearch::rule_8_bruteForce()
{
    HierarchyDraw draw(8);
    int found = 0, none = 0, dearer = 0;
    for (int i = 0; i < test::drawnCases(600); ++i) {
        const auto nest = makeNest(draw.layer(24)).value();
        Architecture architecture = draw.architecture(3, draw.chance(2));
        draw.limit(architecture);
        const Constraints constraints = draw.constraints(nest, architecture);
        const AllMappings all(nest, architecture, constraints);
        SearchOptions options;
        options.constraints = constraints;
        options.threads = 1;
        const SearchResult result = search(nest, architecture, options);
        const std::string which = "case " + std::to_string(i);
        QVERIFY2(result.proven, which.c_str());
        Front front;
        for (const MappingCost& point : result.front) {
            front.emplace_back(point.energy, point.cycles);
            const Cost cost = evaluate(nest, architecture, point.mapping);
            QVERIFY(cost.valid());
            QVERIFY2(constraints.allows(architecture, point.mapping), which.c_str());
            QCOMPARE(cost.energy, point.energy);
            QCOMPARE(cost.cycles, point.cycles);
        }
        QVERIFY2(front == all.front, which.c_str());
        QCOMPARE(result.none.has_value(), front.empty());
        found += !front.empty();
        none += front.empty();
        if (constraints.any() && !front.empty())
            dearer += search(nest, architecture, {}).best[0]->energy < front.front().first;
        options.objective = static_cast<Objective>(draw.below(kObjectives));
        const SearchResult one = search(nest, architecture, options);
        const auto& best = one.of(*options.objective);
        QVERIFY(one.proven && best.has_value() == !front.empty());
        QVERIFY(!best ||
                best->value(*options.objective) == result.of(*options.objective)->value(*options.objective));
    }
    QVERIFY(found >= test::drawnAtLeast(420));
    QVERIFY(none >= test::drawnAtLeast(60));
    QVERIFY(dearer >= test::drawnAtLeast(30));
}

/// What each constraint costs is the difference of two optima over all mappings.
void TestMappingHierarchySearch::rule_8_6_costs()
{
    HierarchyDraw draw(86);
    int costs = 0, dear = 0;
    for (int i = 0; i < test::drawnCases(150); ++i) {
        const auto nest = makeNest(draw.layer(20)).value();
        const Architecture architecture = draw.architecture(3, draw.chance(2));
        const Constraints constraints = draw.constraints(nest, architecture);
        const auto objective = static_cast<Objective>(draw.below(kObjectives));
        const auto least = [&](const Constraints& kept) {
            double out = std::numeric_limits<double>::infinity();
            for (const auto& [energy, cycles] : AllMappings(nest, architecture, kept).front)
                out = std::min(out, MappingCost{{}, energy, cycles}.value(objective));
            return out;
        };
        const double with = least(constraints);
        SearchOptions options;
        options.objective = objective;
        options.constraints = constraints;
        options.threads = 1;
        const auto releases = releasesOf(nest, architecture, constraints);
        const auto found =
            constraintCosts(nest, releases, search(nest, architecture, options), objective, options);
        if (std::isinf(with)) {
            QVERIFY(found.empty());
            continue;
        }
        QCOMPARE(found.size(), releases.size());
        for (std::size_t c = 0; c < found.size(); ++c) {
            const double without = least(releases[c].constraints);
            QVERIFY(releases[c].constraints != constraints);
            QVERIFY(std::abs(found[c].without - without) <= 1e-9 * without);
            QVERIFY(std::abs(found[c].cost - (with - without)) <= 1e-9 * with);
            QVERIFY2(found[c].isExact(), found[c].text.c_str());
            QCOMPARE(found[c].certainty(), std::string_view("exactly"));
            ++costs;
            dear += found[c].cost > 1e-9 * with ? 1 : 0;
        }
    }
    QVERIFY2(dear >= test::drawnAtLeast(10) && costs - dear >= test::drawnAtLeast(10),
             qPrintable(QString("%1 of %2").arg(dear).arg(costs)));
}

void TestMappingHierarchySearch::rule_8_realLayer()
{
    const std::string path = TILEWRIGHT_SOURCE_DIR "/samples/mapping/hierarchies/five-levels.json";
    const Architecture architecture = readArchitecture(readFile(path).value(), path).value();
    const LoopNest nest = gemm(128, 4096, 4096);
    SearchOptions options;
    options.objective = Objective::Edp;
    const double free = search(nest, architecture, options).of(Objective::Edp)->edp();
    options.constraints =
        parseConstraints(nest, architecture, {"cluster.rows.K=4", "SRAM.Y>=8", "DRAM.K<=16"},
                         {"DRAM=X,K", "SRAM=K,Y"})
            .value();
    const SearchResult result = search(nest, architecture, options);
    QVERIFY(result.proven && result.constraints == options.constraints);
    const MappingCost& best = *result.of(Objective::Edp);
    QVERIFY(evaluate(nest, architecture, best.mapping).valid());
    QVERIFY(options.constraints.allows(architecture, best.mapping));
    QVERIFY(best.edp() > free);
    // However short the time, there is a mapping.
    options.seconds = 1e-9;
    const SearchResult first = search(nest, architecture, options);
    QVERIFY(!first.proven && options.constraints.allows(architecture, first.of(Objective::Edp)->mapping));
    QVERIFY(first.of(Objective::Edp)->edp() >= best.edp());
}

void TestMappingHierarchySearch::rule_8_whyThereIsNone_data()
{
    // The machine of docs/rules/hierarchy.md 6: DRAM, a buffer of 56 bytes with two rows, registers for C.
    QTest::addColumn<QStringList>("factors");
    QTest::addColumn<QString>("axis");
    QTest::addColumn<int>("bytes");
    QTest::addColumn<QString>("sentence");
    QTest::addColumn<int>("loop");
    QTest::addColumn<int>("level");
    QTest::newRow("room") << QStringList() << "" << 7
                          << "level buffer needs 64 of 56 bits for A, B, C, twice for its double buffer, "
                             "however small the tiles"
                          << -1 << 1;
    QTest::newRow("no divisor") << QStringList{"buffer.K=3", "DRAM.X=2"} << "" << 56
                                << "with buffer.K=3 no factors of loop K multiply to its trip count 4" << K
                                << -1;
    QTest::newRow("two of one loop")
        << QStringList{"buffer.K=4", "DRAM.X=2", "DRAM.K=2"} << "" << 56
        << "with buffer.K=4 and DRAM.K=2 no factors of loop K multiply to its trip count 4" << K << -1;
    QTest::newRow("a range") << QStringList{"DRAM.K>=3", "DRAM.K<=3"} << "" << 56
                             << "with DRAM.K=3 no factors of loop K multiply to its trip count 4" << K << -1;
    QTest::newRow("axis too small")
        << QStringList{"buffer.rows.X=4"} << "" << 56
        << "with buffer.rows.X=4 axis \"rows\" of level buffer has only 2 instances" << X << 1;
    QTest::newRow("axis too small for two")
        << QStringList{"buffer.rows.X=2", "buffer.rows.K>=2"} << "" << 56
        << "with buffer.rows.X=2 and buffer.rows.K>=2 axis \"rows\" of level buffer has only 2 instances"
        << -1 << 1;
    QTest::newRow("loop not on the axis")
        << QStringList{"buffer.rows.X=2"} << "buffer.rows=K" << 56
        << "with buffer.rows.X=2 axis \"rows\" of level buffer does not take loop X" << X << -1;
    QTest::newRow("room for what is asked")
        << QStringList{"DRAM.K=1", "buffer.X=4", "regs.K<=2", "buffer.Y=2"} << "" << 56
        << "with DRAM.K=1, buffer.X=4 and buffer.Y=2 level buffer needs 640 of 448 bits for A, B, C, twice "
           "for "
           "its double buffer, however small the tiles"
        << -1 << 1;
}

void TestMappingHierarchySearch::rule_8_whyThereIsNone()
{
    QFETCH(QStringList, factors);
    QFETCH(QString, axis);
    QFETCH(int, bytes);
    QFETCH(QString, sentence);
    QFETCH(int, loop);
    QFETCH(int, level);
    ByHand c;
    c.architecture.levels[1].bytes = bytes;
    if (!axis.isEmpty())
        QVERIFY(limitAxis(c.architecture, axis.toStdString()));
    std::vector<std::string> texts;
    for (const QString& text : factors)
        texts.push_back(text.toStdString());
    SearchOptions options;
    options.constraints = parseConstraints(c.nest, c.architecture, texts, {}).value();
    const SearchResult result = search(c.nest, c.architecture, options);
    QVERIFY(result.proven && result.front.empty() && result.none);
    QCOMPARE(QString::fromStdString(result.none->message), sentence);
    QCOMPARE(result.none->loop, loop);
    QCOMPARE(result.none->level, level);
    // Without any one of the factors that the sentence names there is a mapping.
    for (std::size_t i = 0; i < texts.size(); ++i) {
        std::vector<std::string> fewer = texts;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        options.constraints = parseConstraints(c.nest, c.architecture, fewer, {}).value();
        const bool isNamed = sentence.contains(factors[static_cast<int>(i)]) || sentence.contains("DRAM.K=3");
        QCOMPARE(search(c.nest, c.architecture, options).none.has_value(), !isNamed);
    }
}

void TestMappingHierarchySearch::rule_8_texts_data()
{
    QTest::addColumn<QStringList>("given"); // factor, order, bypass, axis
    QTest::addColumn<QString>("sentence");
    const auto factor = [](const char* text, const char* sentence) {
        QTest::newRow(text) << QStringList{text, "", "", ""} << sentence;
    };
    factor("buffer.K",
           "--factor: \"buffer.K\": expected LEVEL.LOOP=N or LEVEL.AXIS.LOOP=N, with =, <= or >=");
    factor("buffer.K<4", "--factor: \"buffer.K<4\": expected =, <= or >=");
    factor("RF.K=4", "--factor: \"RF.K=4\": names no level; the levels are DRAM, buffer and regs");
    factor("buffer.M=4", "--factor: \"buffer.M=4\": this layer has no such loop");
    factor("buffer.cols.K=4", "--factor: \"buffer.cols.K=4\": level buffer has no such axis");
    factor("buffer.rows.K=0", "--factor: \"buffer.rows.K=0\": expected a whole number from 1 after the sign");
    factor("buffer.rows.K=2x",
           "--factor: \"buffer.rows.K=2x\": expected a whole number from 1 after the sign");
    factor("DRAM.K=8", "--factor: \"DRAM.K=8\": contradicts an earlier constraint"); // DRAM.K=2 is there
    factor("buffer.rows.K>=2", "");
    const auto other = [](int place, const char* text, const char* sentence) {
        QStringList given{"", "", "", ""};
        given[place] = text;
        QTest::newRow(text) << given << sentence;
    };
    other(1, "buffer",
          "--order: \"buffer\": expected LEVEL=LOOP,LOOP from the outermost of these loops inwards");
    other(1, "SPM=K", "--order: \"SPM=K\": names no level; the levels are DRAM, buffer and regs");
    other(1, "buffer=K,M", "--order: \"buffer=K,M\": this layer has no loop \"M\"");
    other(1, "buffer=K,X,K", "--order: \"buffer=K,X,K\": names loop K twice");
    other(1, "buffer=K,X", "");
    other(2, "A", "--bypass: \"A\": expected LEVEL.OPERAND; the levels are DRAM, buffer and regs");
    other(2, "buffer.Z", "--bypass: \"buffer.Z\": expected I, W or O (A, B or C) after the level");
    other(2, "DRAM.A",
          "--bypass: \"DRAM.A\": the outermost level cannot be skipped: operands are stored there");
    other(2, "regs.A", "--bypass: \"regs.A\": level regs does not hold this operand anyway");
    other(2, "buffer.W", "");
    other(3, "buffer.rows", "--axis: \"buffer.rows\": expected LEVEL.AXIS=LOOP,LOOP");
    other(3, "DRAM.rows=K", "--axis: \"DRAM.rows=K\": level DRAM has no axes");
    other(3, "buffer.x=K", "--axis: \"buffer.x=K\": level buffer has no such axis, but rows");
    other(3, "buffer.rows=Q", "--axis: \"buffer.rows=Q\": unknown loop \"Q\"");
    other(3, "buffer.rows=K,Ox", "");
}

void TestMappingHierarchySearch::rule_8_texts()
{
    QFETCH(QStringList, given);
    QFETCH(QString, sentence);
    ByHand c;
    std::vector<std::string> factors{"DRAM.K=2"}, orders;
    Status status = Unit{};
    if (!given[2].isEmpty())
        status = addBypass(c.architecture, given[2].toStdString());
    if (!given[3].isEmpty())
        status = limitAxis(c.architecture, given[3].toStdString());
    if (!given[0].isEmpty())
        factors.push_back(given[0].toStdString());
    if (!given[1].isEmpty())
        orders.push_back(given[1].toStdString());
    const auto read = parseConstraints(c.nest, c.architecture, factors, orders);
    const QString found = !status ? QString::fromStdString(status.error().text())
                          : !read ? QString::fromStdString(read.error().text())
                                  : QString();
    QCOMPARE(found, sentence);
    if (!found.isEmpty())
        return;
    std::vector<std::string> expected{"DRAM.K=2"};
    for (const int place : {0, 1})
        if (!given[place].isEmpty())
            expected.push_back(given[place].toStdString());
    QVERIFY(constraintTexts(c.nest, c.architecture, *read) == expected);
    QCOMPARE(c.architecture.levels[1].holds[1], given[2].isEmpty());
    QCOMPARE(c.architecture.levels[1].axes[0].allows(mapping::LayerKind::Gemm, X), given[3].isEmpty());
    QVERIFY(c.architecture.levels[1].axes[0].allows(mapping::LayerKind::Gemm, K));
}

TILEWRIGHT_TEST(TestMappingHierarchySearch)

} // namespace test_mapping_hierarchy_search
#include "test_mapping_hierarchy_search.moc"
