// SPDX-License-Identifier: GPL-3.0-or-later
// Where no tile of a product fits, the smallest set of limits that excludes all of them is named.
#include "random_cases.h"
#include "systolic/no_tile.h"
#include "test_main.h"

#include <QTest>

#include <algorithm>
#include <map>

namespace test_no_tile {

using namespace tilewright;
using namespace tilewright::systolic;

namespace {

constexpr std::int64_t kAmple = std::int64_t{1} << 40;

/// By trying every candidate of docs/rules/systolic.md 6.1.
bool exists(const TileQuery& q)
{
    const auto candidates = [](std::int64_t size, std::int64_t step) {
        std::vector<std::int64_t> out{size};
        for (std::int64_t n = step; n < size; n += step)
            out.push_back(n);
        return out;
    };
    for (const std::int64_t ti : candidates(q.gemm.m, q.array.rows))
        for (const std::int64_t tj : candidates(q.gemm.n, q.array.cols))
            for (const std::int64_t tk : candidates(q.gemm.k, 16)) {
                const bool hasC = q.footprint == Footprint::Conservative;
                const std::int64_t elements = ti * tk + tk * tj + (hasC ? ti * tj : 0);
                const auto folds = [](std::int64_t size, std::int64_t side) {
                    return (size + side - 1) / side;
                };
                const bool inPes = hasC || folds(ti, q.array.rows) * folds(tj, q.array.cols) <= q.sumsPerPe;
                if (elements * q.elementBytes * q.buffering <= q.capacityBytes && inPes)
                    return true;
            }
    return false;
}

TileQuery with(TileQuery q, const std::vector<std::string>& names)
{
    const auto isNamed = [&](const char* name) { return std::ranges::count(names, name) > 0; };
    q.capacityBytes = isNamed("capacity") ? q.capacityBytes : kAmple;
    q.buffering = isNamed("buffering") ? q.buffering : 1;
    q.footprint = isNamed("footprint") ? q.footprint : Footprint::Aggressive;
    return q;
}

} // namespace

class TestNoTile : public QObject
{
    Q_OBJECT

private slots:
    void rule_6_1_theSetIsSmallest();
    void theSearchSaysIt();
};

void TestNoTile::rule_6_1_theSetIsSmallest()
{
    random_cases::Source rnd(61);
    int explained = 0;
    std::map<std::size_t, int> sizes;
    while (explained < 200) {
        TileQuery q;
        q.gemm = {rnd.between(1, 40), rnd.between(1, 40), rnd.between(1, 40)};
        q.array = {rnd.between(1, 8), rnd.between(1, 8)};
        q.elementBytes = rnd.between(1, 4);
        q.buffering = rnd.between(1, 3);
        q.capacityBytes = rnd.between(8, 1500);
        q.footprint = rnd.chance(60) ? Footprint::Conservative : Footprint::Aggressive;
        const auto why = whyNoTile(q, q.footprint);
        QCOMPARE(exists(q), !why);
        if (!why)
            continue;
        ++explained;
        std::vector<std::string> names;
        for (const ExcludingLimit& limit : why->limits)
            names.push_back(limit.name);
        ++sizes[names.size()];
        QVERIFY2(!exists(with(q, names)), why->text().c_str());
        for (const std::string& name : names) {
            std::vector<std::string> fewer = names;
            std::erase(fewer, name);
            QVERIFY2(exists(with(q, fewer)), (why->text() + ", without " + name).c_str());
        }
        // The capacity that would do is the least one.
        QString value = QString::fromStdString(why->limits.front().enough.front());
        const auto bytes = value.remove(QChar(0x202F)).remove("a capacity of ").remove(" bytes").toLongLong();
        TileQuery other = q;
        other.capacityBytes = bytes;
        QVERIFY2(exists(other), why->text().c_str());
        other.capacityBytes = bytes - 1;
        QVERIFY2(!exists(other), why->text().c_str());
    }
    QVERIFY(sizes[1] > 20 && sizes[2] > 20 && sizes[3] > 0);
}

void TestNoTile::theSearchSaysIt()
{
    TileQuery q;
    q.gemm = {64, 64, 64};
    q.array = {16, 16};
    q.capacityBytes = 4096;
    q.buffering = 2;
    const auto chosen = chooseTile(q, TileMethod::Exhaustive);
    QVERIFY(!chosen);
    QCOMPARE(QString::fromStdString(chosen.error().message).replace(QChar(0x202F), QLatin1Char(' ')),
             QString("no tile fits into 4 096 bytes; capacity 4 096 bytes, buffering 2 and footprint "
                     "conservative: the smallest tile 16x16x16 takes 6 144 bytes; a capacity of 6 144 bytes, "
                     "buffering 1 or footprint aggressive would do"));
}

TILEWRIGHT_TEST(TestNoTile)

} // namespace test_no_tile
#include "test_no_tile.moc"
