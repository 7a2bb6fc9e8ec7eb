// SPDX-License-Identifier: GPL-3.0-or-later
// Where no mapping of any number of levels is valid, the smallest set of limits that excludes all is named.
#include "hierarchy/evaluate.h"
#include "hierarchy/excluding.h"
#include "hierarchy_cases.h"
#include "test_main.h"

#include <QTest>

#include <algorithm>
#include <map>

namespace test_mapping_excluding {

using namespace tilewright;
using namespace tilewright::hierarchy;

namespace {

/// Whether a mapping is valid, by every factor in every place.
class Exists
{
public:
    Exists(const LoopNest& nest, const Architecture& architecture, const Constraints& constraints)
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
        found = place(0);
    }

    bool found = false;

private:
    bool place(std::size_t factor)
    {
        if (factor == m_factors.size())
            return !checkMapping(m_nest, m_architecture, m_mapping) &&
                   m_constraints.allows(m_architecture, m_mapping);
        for (LevelLoops& level : m_mapping.levels) {
            level.temporal.push_back(m_factors[factor]);
            const bool isTemporal = place(factor + 1);
            level.temporal.pop_back();
            if (isTemporal)
                return true;
            for (AxisLoops& axis : level.spatial) {
                axis.loops.push_back(m_factors[factor]);
                const bool isSpatial = place(factor + 1);
                axis.loops.pop_back();
                if (isSpatial)
                    return true;
            }
        }
        return false;
    }

    const LoopNest& m_nest;
    const Architecture& m_architecture;
    const Constraints& m_constraints;
    Mapping m_mapping;
    std::vector<TiledLoop> m_factors;
};

bool existsWith(const LoopNest& nest, const Architecture& architecture, const Constraints& constraints,
                const std::vector<ExcludingLimit>& limits)
{
    const auto isNamed = [&](const std::string& name) {
        return std::ranges::any_of(limits, [&](const ExcludingLimit& l) { return l.name == name; });
    };
    Architecture a = architecture;
    for (Level& level : a.levels) {
        if (!isNamed(level.name + ".bytes")) {
            level.bytes.reset();
            level.memories.reset();
        }
        for (Axis& axis : level.axes)
            axis.size = isNamed(level.name + "." + axis.name) ? axis.size : std::int64_t{1} << 20;
    }
    Constraints c = constraints;
    std::erase_if(c.factors, [&](const FactorLimit& limit) {
        return !isNamed(listedWith(limitTexts(nest, architecture, limit), "and"));
    });
    return Exists(nest, a, c).found;
}

} // namespace

class TestMappingExcluding : public QObject
{
    Q_OBJECT

private slots:
    void rule_8_5_theSetIsSmallest();
};

void TestMappingExcluding::rule_8_5_theSetIsSmallest()
{
    HierarchyDraw draw(85);
    int explained = 0, checked = 0;
    std::map<std::size_t, int> sizes;
    while (explained < 200) {
        const auto nest = makeNest(draw.layer(16)).value();
        Architecture architecture = draw.architecture(3, draw.chance(2));
        draw.limit(architecture);
        Constraints constraints = draw.constraints(nest, architecture);
        constraints.orders.clear(); // they never exclude a mapping
        const auto limits = excludingLimits(nest, architecture, constraints);
        QCOMPARE(Exists(nest, architecture, constraints).found, limits.empty());
        if (limits.empty())
            continue;
        ++explained;
        ++sizes[limits.size()];
        const std::string name =
            "case " + std::to_string(explained) + ": " + Exclusion{limits, "", true}.text();
        QVERIFY2(!existsWith(nest, architecture, constraints, limits), name.c_str());
        for (std::size_t i = 0; i < limits.size(); ++i) {
            std::vector<ExcludingLimit> fewer = limits;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            QVERIFY2(existsWith(nest, architecture, constraints, fewer), name.c_str());
            if (limits[i].enough.empty())
                continue;
            // The least value that would do, with all other limits as they are.
            const auto value = std::stoll(limits[i].enough.front().substr(limits[i].name.size() + 1));
            for (const std::int64_t v : {value, value - 1}) {
                Architecture other = architecture;
                for (Level& level : other.levels) {
                    if (limits[i].name == level.name + ".bytes")
                        level.bytes = v;
                    for (Axis& axis : level.axes)
                        if (limits[i].name == level.name + "." + axis.name)
                            axis.size = v;
                }
                QVERIFY2(Exists(nest, other, constraints).found == (v == value), name.c_str());
            }
            ++checked;
        }
    }
    qInfo("sets of 1: %d, 2: %d; %d values checked", sizes[1], sizes[2], checked);
    QVERIFY(sizes[1] > 20 && sizes[2] > 10 && checked > 20);
}

TILEWRIGHT_TEST(TestMappingExcluding)

} // namespace test_mapping_excluding
#include "test_mapping_excluding.moc"
