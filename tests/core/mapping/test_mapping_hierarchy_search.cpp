// SPDX-License-Identifier: GPL-3.0-or-later
// The search of docs/rules/hierarchy.md 7 against all mappings of small layers.
#include "base/file.h"
#include "drawn_cases.h"
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
    AllMappings(const LoopNest& nest, const Architecture& architecture)
        : m_nest(nest), m_architecture(architecture)
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

TILEWRIGHT_TEST(TestMappingHierarchySearch)

} // namespace test_mapping_hierarchy_search
#include "test_mapping_hierarchy_search.moc"
