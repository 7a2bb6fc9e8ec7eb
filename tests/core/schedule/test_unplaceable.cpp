// SPDX-License-Identifier: GPL-3.0-or-later
// Where buffers cannot be placed, the smallest set of them that does not fit is named.
#include "place/unplaceable.h"
#include "place_cases.h"
#include "test_main.h"

#include <QTest>

#include <algorithm>

namespace test_unplaceable {

using namespace tilewright;

class TestUnplaceable : public QObject
{
    Q_OBJECT

private slots:
    void rule_3_4_theSetIsSmallest();
};

void TestUnplaceable::rule_3_4_theSetIsSmallest()
{
    place_cases::Engine rnd(34);
    int explained = 0, gaps = 0;
    while (explained < 200 || gaps < 3) {
        Buffers buffers;
        buffers.items = place_cases::small(rnd);
        for (std::size_t i = 0; i < buffers.items.size(); ++i)
            buffers.ids.push_back("b" + std::to_string(i));
        const auto least = [&](const place_cases::Items& items) {
            return items.empty() ? 0 : place_cases::EveryOrder(items).height();
        };
        const std::int64_t height = least(buffers.items);
        const Placement all = findPlacement(buffers.items, height);
        // Mostly below the peak, and where there is a gap, in it.
        const std::int64_t capacity =
            height > all.peak ? height - 1 : 1 + place_cases::below(rnd, std::max<std::int64_t>(1, height));
        if (height == all.peak && explained >= 200)
            continue;
        const Placement placement = findPlacement(buffers.items, capacity);
        const auto why = whyUnplaceable(buffers, capacity, placement);
        QCOMPARE(height > capacity, why.has_value());
        if (!why)
            continue;
        ++explained;
        gaps += capacity >= all.peak ? 1 : 0;
        QCOMPARE(why->limits.front().name, std::string("capacity"));
        QCOMPARE(why->limits.front().enough,
                 std::vector<std::string>{"a capacity of " + std::to_string(height)});
        std::vector<std::size_t> named;
        for (const ExcludingLimit& limit : why->limits)
            if (limit.name.starts_with("buffer b"))
                named.push_back(std::stoull(limit.name.substr(8)));
        QCOMPARE(named.size() + 1, why->limits.size());
        const auto leastOf = [&](std::size_t without) {
            place_cases::Items items;
            for (const std::size_t i : named)
                if (i != without)
                    items.push_back(buffers.items[i]);
            return least(items);
        };
        QVERIFY2(leastOf(buffers.items.size()) > capacity, why->text().c_str());
        for (const std::size_t i : named)
            QVERIFY2(leastOf(i) <= capacity, (why->text() + ", without " + std::to_string(i)).c_str());
    }
    qInfo("%d of them between the peak and the least height", gaps);
}

TILEWRIGHT_TEST(TestUnplaceable)

} // namespace test_unplaceable
#include "test_unplaceable.moc"
