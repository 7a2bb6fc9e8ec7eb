// SPDX-License-Identifier: GPL-3.0-or-later
// What is read off a curve: docs/rules/sweep.md 6.
#include "sweep/curve.h"
#include "test_main.h"

#include <QtTest>

#include <cmath>
#include <random>

namespace test_sweep_curve {

using namespace tilewright;

namespace {

std::vector<sweep::CurvePoint> curve(std::initializer_list<double> values)
{
    std::vector<sweep::CurvePoint> out;
    double at = 1;
    for (const double v : values) {
        out.push_back({out.size(), at, v});
        at *= 2;
    }
    return out;
}

} // namespace

class TestSweepCurve : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void enoughIsWhereItStaysWithinTheShare()
    {
        QVERIFY(!sweep::smallestWithin({}, 0.05));
        const auto c = curve({1000, 500, 104, 106, 104, 100, 100});
        QCOMPARE(sweep::smallestWithin(c, 0.05), std::optional<std::size_t>(4)); // not 2: 3 is above
        QCOMPARE(sweep::smallestWithin(c, 0.06), std::optional<std::size_t>(2));
        QCOMPARE(sweep::smallestWithin(c, 0), std::optional<std::size_t>(5));
        QCOMPARE(sweep::smallestWithin(c, 100), std::optional<std::size_t>(0));
        QCOMPARE(sweep::smallestWithin(curve({0, 0}), 0.05), std::optional<std::size_t>(0));
        // A curve that ends above its best has no such end: then it is the best itself.
        QCOMPARE(sweep::smallestWithin(curve({100, 50, 100}), 0.05), std::optional<std::size_t>(1));
    }

    void enoughOfRandomCurvesIsTheDefinition()
    {
        std::mt19937 random(17);
        for (int round = 0; round < 200; ++round) {
            std::vector<sweep::CurvePoint> c;
            double value = 1e6;
            for (std::size_t i = 0; i < 20; ++i) {
                value *= std::uniform_real_distribution<double>(0.8, 1.0)(random);
                c.push_back({i, static_cast<double>(i + 1), value});
            }
            const std::size_t found = *sweep::smallestWithin(c, 0.1);
            for (std::size_t i = 0; i < c.size(); ++i)
                QCOMPARE(c[i].value <= 1.1 * c.back().value, i >= found);
        }
    }

    void kneesAreWhereItBends()
    {
        const auto bend = curve({1024, 256, 64, 16, 16, 16, 16});
        QCOMPARE(sweep::kneeOf(bend, true), std::optional<std::size_t>(3));
        // 1/sqrt(S) until it is flat: in logarithms a straight slope, so that only the end of it bends.
        std::vector<sweep::CurvePoint> slope;
        for (std::size_t i = 0; i < 12; ++i) {
            const double s = std::exp2(static_cast<double>(i));
            slope.push_back({i, s, std::max(1000 / std::sqrt(s), 1000 / std::sqrt(256.0))});
        }
        QCOMPARE(sweep::kneeOf(slope, true), std::optional<std::size_t>(8));
        // A straight line and a flat one have none.
        QVERIFY(!sweep::kneeOf(curve({64, 32, 16, 8, 4}), true));
        QVERIFY(!sweep::kneeOf(curve({5, 5, 5}), true));
        QVERIFY(!sweep::kneeOf(curve({5, 1}), true));
        QVERIFY(!sweep::kneeOf(curve({10, 9, 7, 0}), false)); // above the chord
    }
};

TILEWRIGHT_TEST(TestSweepCurve)

} // namespace test_sweep_curve
#include "test_sweep_curve.moc"
