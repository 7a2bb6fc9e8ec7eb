// SPDX-License-Identifier: GPL-3.0-or-later
// R1.8: halos, what a tile reads through windows and the tiles around it read, too, against sets of elements.
#include "convolutions.h"
#include "drawn_cases.h"
#include "random_cases.h"
#include "test_main.h"

#include "eval/step_table.h"
#include "schedule/schedule.h"
#include "workload/halo.h"

#include <QtTest>

#include <set>

namespace test_halo {

using namespace tilewright;
using random_cases::Source;

namespace {

using Element = std::pair<std::int64_t, std::int64_t>;
using Elements = std::set<Element>;

bool isIn(const Rect& r, std::int64_t row, std::int64_t col)
{
    return row >= r.r0 && row < r.r1 && col >= r.c0 && col < r.c1;
}

Elements touchedBy(const IndexMap& map, const Rect& rect)
{
    Elements out;
    for (std::int64_t r = rect.r0; r < rect.r1; ++r)
        for (std::int64_t c = rect.c0; c < rect.c1; ++c)
            if (const auto element = mappedElement(map, r, c))
                out.insert(*element);
    return out;
}

Elements touchedAround(const IndexMap& map, const Rect& whole, const Rect& own)
{
    Elements out;
    for (std::int64_t r = whole.r0; r < whole.r1; ++r)
        for (std::int64_t c = whole.c0; c < whole.c1; ++c)
            if (!isIn(own, r, c))
                if (const auto element = mappedElement(map, r, c))
                    out.insert(*element);
    return out;
}

Elements common(const Elements& a, const Elements& b)
{
    Elements out;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(out, out.end()));
    return out;
}

struct Drawn
{
    WindowsMap map;
    Rect whole, own, tile, rect;
};

/// A tile of whole rows, of whole columns or of neither, and a part of it.
std::optional<Drawn> draw(Source& rnd)
{
    const auto [map, size] = random_cases::indexMap(rnd, rnd.between(1, 36), rnd.between(1, 3), 24);
    if (!std::holds_alternative<WindowsMap>(map))
        return std::nullopt;
    const auto part = [&rnd](std::int64_t from, std::int64_t to) {
        const std::int64_t begin = rnd.between(from, to - 1);
        return std::pair(begin, rnd.between(begin + 1, to));
    };
    Drawn out{
        std::get<WindowsMap>(map), {0, size.first, 0, size.second}, {}, {0, size.first, 0, size.second}, {}};
    if (!rnd.chance(15))
        std::tie(out.tile.r0, out.tile.r1) = part(0, size.first);
    if (rnd.chance(25))
        std::tie(out.tile.c0, out.tile.c1) = part(0, size.second);
    out.rect = out.own = out.tile;
    if (rnd.chance(30))
        std::tie(out.own.r0, out.own.r1) = part(out.tile.r0, out.tile.r1);
    if (rnd.chance(40))
        std::tie(out.rect.c0, out.rect.c1) = part(out.tile.c0, out.tile.c1);
    return out;
}

} // namespace

class TestHalo : public QObject
{
    Q_OBJECT

private slots:
    void rule_1_8_haloOfATile()
    {
        int halos = 0, none = 0;
        for (std::uint64_t seed = 0; seed < test::drawnCases(40'000U); ++seed) {
            Source rnd(seed);
            const auto d = draw(rnd);
            if (!d)
                continue;
            const auto expected = static_cast<std::int64_t>(
                common(touchedBy(d->map, d->rect), touchedAround(d->map, d->whole, d->own)).size());
            const std::int64_t halo = haloVolume(d->map, d->whole, d->own, d->rect);
            QVERIFY2(halo == expected, ("seed " + std::to_string(seed) + ": " + std::to_string(halo) +
                                        ", not " + std::to_string(expected))
                                           .c_str());
            ++(expected > 0 ? halos : none);
        }
        QVERIFY(halos > test::drawnAtLeast(500) && none > test::drawnAtLeast(100));
    }

    /// The runs of an image go from the first to the last element that the tile touches in a row; their halos
    /// hold all elements that are shared, and begin and end within the run.
    void rule_1_8_runsOfAnImage()
    {
        int runs = 0, halos = 0;
        for (std::uint64_t seed = 0; seed < test::drawnCases(20'000U); ++seed) {
            Source rnd(seed);
            const auto d = draw(rnd);
            if (!d)
                continue;
            const Elements touched = touchedBy(d->map, d->tile);
            const Elements shared = common(touched, touchedAround(d->map, d->whole, d->own));
            for (std::int64_t image = 0; image < d->map.n; ++image) {
                std::map<std::int64_t, std::set<std::int64_t>> expected, inHalo;
                const auto sort = [&](const Elements& from, auto& to) {
                    for (const auto& [row, col] : from)
                        if (row / (d->map.h * d->map.w) == image)
                            to[row / d->map.w % d->map.h].insert(row % d->map.w);
                };
                sort(touched, expected);
                sort(shared, inHalo);
                std::size_t rows = 0;
                const auto list = imageRuns(d->map, d->whole, d->own, d->tile, image);
                for (const ImageRun& run : list) {
                    const auto& cols = expected.at(run.row);
                    if (run.halo) {
                        ++halos;
                        QVERIFY(run.begin >= *cols.begin() && run.end <= *cols.rbegin() + 1);
                        for (std::int64_t c = run.begin; c < run.end; ++c)
                            inHalo[run.row].erase(c);
                    } else {
                        ++rows;
                        QCOMPARE(run.begin, *cols.begin());
                        QCOMPARE(run.end, *cols.rbegin() + 1);
                    }
                }
                QCOMPARE(rows, expected.size());
                runs += static_cast<int>(rows);
                for (const auto& [row, rest] : inHalo)
                    QVERIFY2(rest.empty(), ("seed " + std::to_string(seed)).c_str());
            }
        }
        QVERIFY(runs > test::drawnAtLeast(1000) && halos > test::drawnAtLeast(500));
    }

    /// The halos of every step of drawn schedules: in the buffers the shared elements, in interior slices the
    /// rows that the boxes around reach. The step table keeps them.
    void rule_1_8_halosOfSteps()
    {
        int inputs = 0, interiors = 0, tiles = 0;
        for (std::uint64_t seed = 0; seed < test::drawnCases(700U); ++seed) {
            Source rnd(seed);
            const ProblemPtr p = random_cases::realProblem(rnd, 4);
            Rules rules = Rules::machine();
            const Schedule s = random_cases::schedule(rnd, *p);
            for (std::size_t i = 0; i < s.size(); ++i) {
                const std::vector<TensorId> resident = residentBefore(*p, s, rules, SubgraphId(i));
                const auto table = StepTable::build(*p, *s.subgraphs[i], resident, rules);
                for (std::int64_t at = 0; at < std::min<std::int64_t>(table->size(), 40); ++at) {
                    const Step step = table->step(at);
                    const std::vector<MappedRead> reads = mappedReads(*p, step);
                    HaloVolume expected;
                    for (const StepBuffer& b : step.buffers)
                        if (const IndexMap* map = b.full ? nullptr : p->map(b.tensor);
                            map && std::holds_alternative<WindowsMap>(*map)) {
                            const auto found =
                                std::find_if(reads.begin(), reads.end(), [&](const MappedRead& r) {
                                    return r.view == b.tensor && r.role == b.role && r.rect == b.rect;
                                });
                            if (found == reads.end())
                                continue; // of a run that reads other rectangles, too
                            expected.input +=
                                p->units(b.tensor) * static_cast<std::int64_t>(
                                                         common(touchedBy(*map, b.rect),
                                                                touchedAround(*map, found->whole, found->own))
                                                             .size());
                        }
                    const StepSums& sums = table->sums(at);
                    QCOMPARE(sums.halo.input, expected.input);
                    QVERIFY(sums.halo.input <= sums.inputElements);
                    QVERIFY(sums.halo.interior >= 0 && sums.halo.interior <= sums.interiorElements);
                    inputs += sums.halo.input > 0;
                    interiors += sums.halo.interior > 0;
                    for (const MappedRead& read : reads) {
                        const IndexMap& map = *p->map(read.view);
                        QCOMPARE(read.touched.volume,
                                 static_cast<std::int64_t>(touchedBy(map, read.tile).size()));
                        QVERIFY(read.halo <= read.touched.volume);
                        ++tiles;
                    }
                }
            }
        }
        QVERIFY(inputs > test::drawnAtLeast(30) && interiors > test::drawnAtLeast(10) &&
                tiles > test::drawnAtLeast(300));
    }

    /// Convolution, Pointwise and convolution in one subgraph: the halo of a tile is what it reads and
    /// computes and some other tile does, too, element by element over all tiles.
    void rule_1_8_halosOfFusedConvolutions()
    {
        int halos = 0;
        for (std::uint64_t seed = 0; seed < test::drawnCases(150U); ++seed) {
            Source rnd(seed);
            const std::int64_t stride = rnd.between(1, 2), kernel = rnd.between(stride, 3);
            const std::int64_t size = kernel + stride * rnd.between(1, 4); // the windows reach every element
            const WindowsMap first{1, size, size, {0, 2}, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}};
            WindowsMap second{1, size, size, {0, 2}, {kernel, kernel}, {stride, stride}, {}, {1, 1}};
            const std::int64_t rows = size * size, outRows = second.outHeight() * second.outWidth();
            Problem::Data data;
            data.tensors.push_back({2, rows, "x"});
            data.tensors.push_back({18, rows, "x patches"});
            data.tensors.push_back({2, 18, "v"});
            data.tensors.push_back({2, rows, "y"});
            data.tensors.push_back({2, rows, "relu"});
            data.tensors.push_back({2 * kernel * kernel, outRows, "y patches"});
            data.tensors.push_back({2, 2 * kernel * kernel, "w"});
            data.tensors.push_back({2, outRows, "z"});
            data.views.push_back({TensorId(1), {TensorId(0)}, first});
            data.views.push_back({TensorId(5), {TensorId(4)}, second});
            data.ops.push_back({OpType::MatMul, {TensorId(1), TensorId(2)}, TensorId(3), 10, "first"});
            data.ops.push_back({OpType::Pointwise, {TensorId(3)}, TensorId(4), 10, "relu"});
            data.ops.push_back({OpType::MatMul, {TensorId(5), TensorId(6)}, TensorId(7), 10, "second"});
            data.hardware = {1'000'000, 10, 64, 64, {}};
            const ProblemPtr p = *Problem::build(std::move(data));
            Subgraph s;
            s.ops = {OpId(0), OpId(1), OpId(2)};
            // whole lines of the image, so that the box of a tile is what it touches
            s.granularity = {2, second.outWidth() * rnd.between(1, 3), 2 * kernel * kernel};
            const auto table = StepTable::build(*p, s, {}, Rules::machine());
            QVERIFY(table->size() > 0);
            std::vector<std::vector<MappedRead>> reads;
            for (std::int64_t i = 0; i < table->size(); ++i)
                reads.push_back(mappedReads(*p, table->step(i)));
            for (std::size_t i = 0; i < reads.size(); ++i) {
                std::int64_t input = 0;
                for (std::size_t r = 0; r < reads[i].size(); ++r) {
                    Elements others;
                    const IndexMap& map = *p->map(reads[i][r].view);
                    for (std::size_t other = 0; other < reads.size(); ++other)
                        if (other != i)
                            for (const MappedRead& read : reads[other])
                                if (read.op == reads[i][r].op)
                                    others.merge(touchedBy(map, read.tile));
                    const auto expected =
                        static_cast<std::int64_t>(common(touchedBy(map, reads[i][r].tile), others).size());
                    QVERIFY2(reads[i][r].halo == expected,
                             ("seed " + std::to_string(seed) + ", tile " + std::to_string(i) + ": " +
                              std::to_string(reads[i][r].halo) + ", not " + std::to_string(expected))
                                 .c_str());
                    halos += expected > 0;
                    if (reads[i][r].op == OpId(0))
                        input = expected;
                }
                const StepSums& sums = table->sums(static_cast<std::int64_t>(i));
                if (reads.size() > 1)
                    QCOMPARE(sums.halo.input, input);
            }
        }
        QVERIFY(halos > test::drawnAtLeast(200));
    }

    /// By hand: images of 8 x 8 with 2 channels, 4 rows of the image a tile. The first convolution computes 5
    /// rows for either tile, of which both compute 2, from 6 rows of the input, of which both read 4.
    void rule_1_8_halosByHand()
    {
        const ProblemPtr p = test::twoConvolutions();
        Subgraph s;
        s.ops = {OpId(0), OpId(1)};
        s.granularity = {2, 32, 18};
        const auto table = StepTable::build(*p, s, {}, Rules::machine());
        QCOMPARE(table->size(), 2);
        for (int tile = 0; tile < 2; ++tile) {
            const StepSums& sums = table->sums(tile);
            QCOMPARE(sums.interiorElements, 5 * 8 * 2);
            QCOMPARE(sums.halo.interior, 2 * 8 * 2);
            QCOMPARE(sums.halo.input, 4 * 8 * 2);
            const auto reads = mappedReads(*p, table->step(tile));
            QCOMPARE(reads.size(), 2u);
            for (const MappedRead& read : reads) {
                const bool first = read.op == OpId(0);
                QCOMPARE(read.touched.volume, (first ? 6 : 5) * 8 * 2);
                QCOMPARE(read.halo, (first ? 4 : 2) * 8 * 2);
            }
        }
        const auto largest = largestMappedRead(*p, s, {}, Rules::machine(), OpId(0), TensorId(1));
        QVERIFY(largest && largest->touched.volume == 6 * 8 * 2 && largest->halo == 4 * 8 * 2);
    }
};

TILEWRIGHT_TEST(TestHalo)

} // namespace test_halo
#include "test_halo.moc"
