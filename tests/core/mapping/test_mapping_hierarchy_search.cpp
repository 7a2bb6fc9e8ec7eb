// SPDX-License-Identifier: GPL-3.0-or-later
// The search of docs/rules/hierarchy.md 7 against all mappings of small layers.
#include "drawn_cases.h"
#include "hierarchy/search.h"
#include "hierarchy_by_hand.h"
#include "hierarchy_cases.h"
#include "test_main.h"

#include <QTest>

#include <limits>

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
    void rule_7_noMapping();
    void rule_7_stopped();
};

void TestMappingHierarchySearch::rule_7_bruteForce()
{
    HierarchyDraw draw(7);
    int found = 0, several = 0;
    for (int i = 0; i < test::drawnCases(100); ++i) {
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
    QVERIFY(found >= test::drawnAtLeast(60));
    QVERIFY(several >= test::drawnAtLeast(15));
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
