// SPDX-License-Identifier: GPL-3.0-or-later
// The search with factors that need not divide (docs/rules/hierarchy.md 11.3) against all mappings of small
// layers.
#include "drawn_cases.h"
#include "hierarchy/search.h"
#include "hierarchy_by_hand.h"
#include "hierarchy_cases.h"
#include "test_main.h"

#include <QTest>

#include <cmath>
#include <limits>

namespace test_mapping_hierarchy_imperfect {

using namespace tilewright;
using namespace tilewright::hierarchy;

namespace {

/// Energies and cycles that no other mapping is better than in both.
using Front = std::vector<std::pair<double, double>>;

/// Evaluates every mapping: every factor that is not larger than needed in every place, in every order.
class AllMappings
{
public:
    AllMappings(const LoopNest& nest, const Architecture& architecture, const Constraints& constraints)
        : m_nest(nest), m_architecture(architecture), m_constraints(constraints)
    {
        m_mapping.levels.resize(architecture.levels.size());
        for (std::size_t i = 0; i < architecture.levels.size(); ++i)
            for (const Axis& axis : architecture.levels[i].axes)
                m_mapping.levels[i].spatial.push_back({axis.name, {}});
        choose(0);
    }

    Front front;

private:
    void choose(int loop)
    {
        if (loop < m_nest.loopCount)
            return place(loop, m_mapping.levels.size() - 1, m_mapping.levels.back().spatial.size(), 1);
        if (!checkMapping(m_nest, m_architecture, m_mapping))
            order(0);
    }

    /// The factors of a loop, from the innermost place outwards: the axes of a level, then its temporal
    /// loops.
    void place(int loop, std::size_t level, std::size_t axis, std::int64_t inside)
    {
        const std::int64_t trips = m_nest.trips[static_cast<std::size_t>(loop)];
        LevelLoops& at = m_mapping.levels[level];
        std::vector<TiledLoop>& loops = axis > 0 ? at.spatial[axis - 1].loops : at.temporal;
        std::int64_t most = trips;
        if (axis > 0) {
            const Axis& own = m_architecture.levels[level].axes[axis - 1];
            most = own.allows(m_nest.kind, loop) ? own.size : 1;
        }
        for (std::int64_t factor = 1; factor <= most && (factor - 1) * inside < trips; ++factor) {
            loops.push_back({loop, factor});
            if (axis > 0)
                place(loop, level, axis - 1, inside * factor);
            else if (level > 0)
                place(loop, level - 1, m_mapping.levels[level - 1].spatial.size(), inside * factor);
            else if (inside * factor >= trips)
                choose(loop + 1);
            loops.pop_back();
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
        std::erase_if(loops, [](const TiledLoop& tiled) { return tiled.factor == 1; });
        std::ranges::sort(loops, {}, &TiledLoop::loop);
        do
            order(level + 1);
        while (std::next_permutation(loops.begin(), loops.end(),
                                     [](const TiledLoop& a, const TiledLoop& b) { return a.loop < b.loop; }));
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
};

double leastOf(const Front& front, Objective objective)
{
    double out = std::numeric_limits<double>::infinity();
    for (const auto& [energy, cycles] : front)
        out = std::min(out, MappingCost{{}, energy, cycles}.value(objective));
    return out;
}

} // namespace

class TestMappingHierarchyImperfect : public QObject
{
    Q_OBJECT

private slots:
    void rule_11_3_bruteForce();
    void rule_11_3_constraints();
    void rule_11_3_neverWorseThanFactorsThatDivide();
    void rule_11_3_primes();
    void rule_11_3_stopped();
    void rule_11_3_whyThereIsNone();
};

void TestMappingHierarchyImperfect::rule_11_3_bruteForce()
{
    HierarchyDraw draw(113);
    int found = 0, better = 0;
    for (int i = 0; i < test::drawnCases(120); ++i) {
        const auto nest = makeNest(draw.layer(18)).value();
        Architecture architecture = draw.architecture(3, draw.chance(2));
        const double perfect = leastOf(AllMappings(nest, architecture, {}).front, Objective::Edp);
        architecture.imperfect = true;
        const Constraints none;
        const AllMappings all(nest, architecture, none);
        const SearchResult result = search(nest, architecture, {});
        QVERIFY2(result.proven, ("case " + std::to_string(i)).c_str());
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
        better += leastOf(all.front, Objective::Edp) < perfect * (1 - 1e-9);
        for (const Objective objective : {Objective::Energy, Objective::Cycles, Objective::Edp}) {
            SearchOptions options;
            options.objective = objective;
            options.threads = 1 + i % 2;
            const SearchResult one = search(nest, architecture, options);
            QVERIFY(one.proven);
            QCOMPARE(one.of(objective).has_value(), !front.empty());
            QVERIFY(!one.of(objective) || one.of(objective)->value(objective) == leastOf(front, objective));
            QVERIFY(!one.of(objective) || one.isOptimal(objective));
        }
    }
    QVERIFY(found >= test::drawnAtLeast(72));
    QVERIFY(better >= test::drawnAtLeast(12));
}

void TestMappingHierarchyImperfect::rule_11_3_constraints()
{
    HierarchyDraw draw(1138);
    int found = 0, none = 0;
    for (int i = 0; i < test::drawnCases(90); ++i) {
        const auto nest = makeNest(draw.layer(16)).value();
        Architecture architecture = draw.architecture(3, draw.chance(2));
        architecture.imperfect = true;
        draw.limit(architecture);
        SearchOptions options;
        options.constraints = draw.constraints(nest, architecture);
        const AllMappings all(nest, architecture, options.constraints);
        const SearchResult result = search(nest, architecture, options);
        Front front;
        for (const MappingCost& point : result.front) {
            front.emplace_back(point.energy, point.cycles);
            QVERIFY(options.constraints.allows(architecture, point.mapping));
        }
        QVERIFY2(front == all.front, ("case " + std::to_string(i)).c_str());
        QVERIFY(result.proven);
        QCOMPARE(result.none.has_value(), front.empty());
        ++(front.empty() ? none : found);
    }
    QVERIFY(found >= test::drawnAtLeast(36));
    QVERIFY(none >= test::drawnAtLeast(6));
}

void TestMappingHierarchyImperfect::rule_11_3_neverWorseThanFactorsThatDivide()
{
    HierarchyDraw draw(3);
    for (int i = 0; i < test::drawnCases(20); ++i) {
        const auto nest = makeNest(draw.layer(200)).value();
        Architecture architecture = draw.architecture(3, true);
        SearchOptions options;
        options.seconds = 0.2;
        options.objective = Objective::Edp;
        const SearchResult perfect = search(nest, architecture, options);
        architecture.imperfect = true;
        const SearchResult imperfect = search(nest, architecture, options);
        QVERIFY(imperfect.of(Objective::Edp)->edp() <= perfect.of(Objective::Edp)->edp() * (1 + 1e-12));
        QVERIFY(imperfect.lowerBound[2] <= imperfect.of(Objective::Edp)->edp());
    }
}

/// 31 x 37 on 16 x 16 instances: factors that divide leave all but one of them idle.
void TestMappingHierarchyImperfect::rule_11_3_primes()
{
    Architecture a =
        machine({level("DRAM"), level("buffer", {axis("rows", 16), axis("cols", 16)}), level("regs")});
    a.levels[0].readBytesPerCycle = a.levels[0].writeBytesPerCycle = 64;
    a.levels[1].bytes = 4096;
    for (Level& l : a.levels)
        l.readPj = l.writePj = 0.125;
    const LoopNest nest = gemm(31, 37, 41);
    SearchOptions options;
    options.seconds = 1;
    options.objective = Objective::Cycles;
    QCOMPARE(search(nest, a, options).of(Objective::Cycles)->cycles, 31.0 * 37 * 41);
    a.imperfect = true;
    // 2 x 3 steps of 16 x 16 instances, or K on an axis: 41 steps of each.
    const SearchResult result = search(nest, a, options);
    QVERIFY(result.of(Objective::Cycles)->cycles <= 2.0 * 3 * 41);
    QVERIFY(result.of(Objective::Cycles)->cycles >= 31.0 * 37 * 41 / 256);
}

void TestMappingHierarchyImperfect::rule_11_3_stopped()
{
    Architecture a = machine({level("DRAM"), level("buffer", {axis("rows", 16)}), level("regs")});
    a.imperfect = true;
    a.levels[0].readPj = 8;
    a.levels[1].readPj = a.levels[1].writePj = 1;
    a.levels[1].bytes = 4096;
    SearchOptions options;
    options.objective = Objective::Edp;
    options.seconds = 1e-9;
    const SearchResult first = search(gemm(509, 1021, 251), a, options);
    QVERIFY(!first.proven && first.of(Objective::Edp));
    QVERIFY(first.lowerBound[2] > 0 && std::isfinite(first.gap(Objective::Edp)));
}

void TestMappingHierarchyImperfect::rule_11_3_whyThereIsNone()
{
    Architecture a = machine({level("L0", {axis("rows", 2)}), level("L1")});
    a.imperfect = true;
    const LoopNest nest = gemm(7, 1, 1);
    const auto asked = [&](const std::vector<std::string>& factors) {
        SearchOptions options;
        options.constraints = parseConstraints(nest, a, factors, {}).value();
        const SearchResult result = search(nest, a, options);
        return result.none ? result.none->message : std::string();
    };
    QCOMPARE(asked({"L0.X=2", "L1.X=4"}), ""); // 2 x 4 cover 7
    QCOMPARE(asked({"L0.X=2", "L1.X=2", "L0.rows.X=1"}),
             "with L0.X=2, L1.X=2 and L0.rows.X=1 no factors of loop X cover its trip count 7");
    a.imperfect = false;
    QVERIFY(!asked({"L0.X=2"}).empty());
}

TILEWRIGHT_TEST(TestMappingHierarchyImperfect)

} // namespace test_mapping_hierarchy_imperfect
#include "test_mapping_hierarchy_imperfect.moc"
