// SPDX-License-Identifier: GPL-3.0-or-later
// R1.8: what a rectangle of a view touches, against a set of its elements.
#include "drawn_cases.h"
#include "random_cases.h"
#include "test_main.h"

#include "eval/fast_footprints.h"
#include "workload/index_map.h"

#include <QtTest>

#include <set>

namespace test_footprint {

using namespace tilewright;
using random_cases::Source;

namespace {

/// The definition: the different elements of the base, one after another.
MapFootprint counted(const IndexMap& map, const Rect& rect)
{
    std::set<std::pair<std::int64_t, std::int64_t>> touched;
    for (std::int64_t r = rect.r0; r < rect.r1; ++r)
        for (std::int64_t c = rect.c0; c < rect.c1; ++c)
            if (const auto element = mappedElement(map, r, c))
                touched.insert(*element);
    if (touched.empty())
        return {};
    MapFootprint out{static_cast<std::int64_t>(touched.size()),
                     {touched.begin()->first, touched.rbegin()->first + 1, touched.begin()->second, 0}};
    for (const auto& [row, col] : touched) {
        out.box.c0 = std::min(out.box.c0, col);
        out.box.c1 = std::max(out.box.c1, col + 1);
    }
    return out;
}

std::string text(const Rect& r)
{
    return std::to_string(r.r0) + ":" + std::to_string(r.r1) + " x " + std::to_string(r.c0) + ":" +
           std::to_string(r.c1);
}

} // namespace

class TestFootprint : public QObject
{
    Q_OBJECT

private slots:
    /// Every rectangle of small views under drawn maps: strides, dilations, padding and cropping, several
    /// images, some of the channels; broadcasts; slices and transpositions.
    void rule_1_8_everyRectangle()
    {
        std::array<int, 3> kinds{};
        int empty = 0;
        FastFootprints known;
        for (std::uint64_t seed = 0; seed < test::drawnCases(900U); ++seed) {
            Source rnd(seed);
            const std::int64_t height = rnd.between(1, 18), width = rnd.between(1, 4);
            const auto [map, size] = random_cases::indexMap(rnd, height, width, 12);
            QVERIFY(checkMap(map, size, {height, width}).hasValue());
            ++kinds.at(map.index());
            known.trim();
            const std::uint32_t number = known.number(map);
            Rect r;
            for (r.r0 = 0; r.r0 < size.first; ++r.r0)
                for (r.r1 = r.r0 + 1; r.r1 <= size.first; ++r.r1)
                    for (r.c0 = 0; r.c0 < size.second; ++r.c0)
                        for (r.c1 = r.c0 + 1; r.c1 <= size.second; ++r.c1) {
                            const MapFootprint expected = counted(map, r);
                            if (footprint(map, r) != expected || known.find(number, r) != expected)
                                QFAIL(("seed " + std::to_string(seed) + ": " + std::string(mapKind(map)) +
                                       " " + text(r) + " touches " + std::to_string(expected.volume) +
                                       " in " + text(expected.box) + ", not " +
                                       std::to_string(footprint(map, r).volume) + " in " +
                                       text(footprint(map, r).box) +
                                       "; remembered: " + std::to_string(known.find(number, r).volume) +
                                       " in " + text(known.find(number, r).box))
                                          .c_str());
                            empty += expected.empty();
                        }
        }
        for (const int n : kinds)
            QVERIFY(n > test::drawnAtLeast(100));
        QVERIFY(empty > test::drawnAtLeast(100));
    }

    /// A shift that FastFootprints states holds for every part of the rectangles.
    void rule_1_8_shiftedRectangles()
    {
        int shifted = 0, moved = 0;
        for (std::uint64_t seed = 0; seed < test::drawnCases(3000U); ++seed) {
            Source rnd(seed);
            const std::int64_t height = rnd.between(1, 36), width = rnd.between(1, 3);
            const auto [map, size] = random_cases::indexMap(rnd, height, width);
            FastFootprints known;
            const std::uint32_t number = known.number(map);
            for (int draw = 0; draw < 30; ++draw) {
                const std::int64_t rows = rnd.between(1, size.first), cols = rnd.between(1, size.second);
                const auto at = [&] {
                    const std::int64_t r = rnd.between(0, size.first - rows),
                                       c = rnd.between(0, size.second - cols);
                    return Rect{r, r + rows, c, c + cols};
                };
                const Rect from = at();
                Rect to = at();
                if (rnd.chance(70))
                    to = {to.r0, to.r1, from.c0, from.c1};
                const auto shift = known.shift(number, from, to);
                if (!shift)
                    continue;
                ++shifted;
                moved += *shift != FastFootprints::Shift{};
                for (int part = 0; part < 8; ++part) {
                    const std::int64_t r0 = rnd.between(0, rows - 1), r1 = rnd.between(r0 + 1, rows);
                    const std::int64_t c0 = rnd.between(0, cols - 1), c1 = rnd.between(c0 + 1, cols);
                    MapFootprint a = counted(map, {from.r0 + r0, from.r0 + r1, from.c0 + c0, from.c0 + c1});
                    const MapFootprint b = counted(map, {to.r0 + r0, to.r0 + r1, to.c0 + c0, to.c0 + c1});
                    if (!a.empty())
                        a.box = {a.box.r0 + shift->rows, a.box.r1 + shift->rows, a.box.c0 + shift->cols,
                                 a.box.c1 + shift->cols};
                    QVERIFY2(a == b, ("seed " + std::to_string(seed) + ": " + std::string(mapKind(map)) +
                                      " " + text(from) + " to " + text(to))
                                         .c_str());
                }
            }
        }
        QVERIFY(shifted > test::drawnAtLeast(10'000) && moved > test::drawnAtLeast(3000));
    }
};

TILEWRIGHT_TEST(TestFootprint)

} // namespace test_footprint
#include "test_footprint.moc"
