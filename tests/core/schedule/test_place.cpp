// SPDX-License-Identifier: GPL-3.0-or-later
// docs/rules/place.md: the search against every order, full memories, the items of schedules against the
// working sets of the trace, files.
#include "base/file.h"
#include "drawn_cases.h"
#include "eval/rule_choice.h"
#include "eval/trace.h"
#include "place/placement.h"
#include "place/search.h"
#include "place/step_items.h"
#include "place_cases.h"
#include "random_cases.h"
#include "rules/check.h"
#include "schedule/schedule_json.h"
#include "solve/plan/check_schedule.h"
#include "solve/search/solver.h"
#include "test_main.h"
#include "unplaceable.h"
#include "workload/problem_json.h"

#include <QtTest>

#include <chrono>
#include <filesystem>
#include <map>
#include <numeric>
#include <stop_token>
#include <thread>

namespace test_place {

using namespace tilewright;

namespace {

constexpr std::int64_t kMebi = std::int64_t{1} << 20;

std::string text(const place_cases::Items& items)
{
    std::string out;
    for (const PlacementItem& i : items) {
        out += " [" + std::to_string(i.lower) + "," + std::to_string(i.upper) + ") " + std::to_string(i.size);
        if (i.narrows())
            out += " (" + std::to_string(i.narrowSize) + " before " + std::to_string(i.narrowUntil) + ")";
    }
    return out;
}

Progress atMost(const std::stop_source& source)
{
    return {source.get_token(), {}};
}

/// The sum of the shapes in each step, beside what the trace says.
struct Sums
{
    std::vector<std::int64_t> shapes;
    std::vector<std::int64_t> workingSets;
    std::vector<char> donates; ///< the trace counts a donation
    std::vector<char> stays;   ///< a tile completes that takes nothing over
};

Sums sumsOf(const Problem& problem, const Schedule& schedule, const Rules& rules, const StepItems& items)
{
    Sums out;
    out.shapes.assign(static_cast<std::size_t>(items.steps), 0);
    for (const PlacementItem& shape : shapesOf(items).shapes)
        for (std::int64_t t = shape.lower; t < shape.upper; ++t)
            out.shapes[static_cast<std::size_t>(t)] += shape.sizeAt(t);
    for (std::size_t i = 0; i < schedule.size(); ++i)
        traceSubgraph(problem, *schedule.subgraphs[i],
                      residentBefore(problem, schedule, rules, SubgraphId(i)), rules, [&](const Step& step) {
                          out.workingSets.push_back(step.workingSet);
                          out.donates.push_back(step.donatedElements > 0);
                          return true;
                      });
    out.stays.assign(out.shapes.size(), 0);
    for (const StepItem& item : items.items)
        if (item.what.kind == Resident::Kind::Output && !item.takesOver)
            out.stays[static_cast<std::size_t>(item.upper - 1)] = 1;
    return out;
}

} // namespace

class TestPlace : public QObject
{
    Q_OBJECT

private slots:
    /// docs/rules/place.md 4.1
    void everyOrderOfAThousandSmallProblems()
    {
        place_cases::Engine rnd(18);
        int aboveThePeak = 0;
        int narrow = 0;
        for (int i = 0; i < 1000; ++i) {
            const place_cases::Items items = place_cases::small(rnd);
            const std::int64_t best = place_cases::EveryOrder(items).height();
            const Placement p = findPlacement(items, 1 + place_cases::below(rnd, 30));
            const std::string here = "case " + std::to_string(i) + text(items);
            QVERIFY2(p.height == best && p.proven(),
                     (std::to_string(p.height) + ", least " + std::to_string(p.leastHeight) + ", is " +
                      std::to_string(best) + here)
                         .c_str());
            QVERIFY2(!placementFault(items, p.offsets, p.height), here.c_str());
            aboveThePeak += p.height > p.peak ? 1 : 0;
            narrow +=
                std::any_of(items.begin(), items.end(), [](const auto& x) { return x.narrows(); }) ? 1 : 0;
        }
        QVERIFY2(aboveThePeak > 0 && narrow > 100, qPrintable(QString::number(aboveThePeak)));
    }

    /// The search alone, without a placement to start from: each height that it excludes is too low, and the
    /// next one it names is not above the least.
    void theSearchClimbsToTheLeastHeight()
    {
        place_cases::Engine rnd(4);
        for (int i = 0; i < 500; ++i) {
            const place_cases::Items items = place_cases::small(rnd);
            const std::int64_t best = place_cases::EveryOrder(items).height();
            std::int64_t height = 0;
            for (const Component& c : reduce(items).components) {
                const Overlaps overlaps(c);
                std::int64_t limit = 1;
                for (bool fits = false; !fits;) {
                    FitSearch search(c, overlaps, limit);
                    auto outcome = FitSearch::Outcome::OutOfNodes;
                    // A little at a time, in ever different orders.
                    for (int turn = i; outcome == FitSearch::Outcome::OutOfNodes; ++turn)
                        outcome = search.run(turn, 5 + turn % 40, {});
                    fits = outcome == FitSearch::Outcome::Fits;
                    QVERIFY(fits || search.nextHeight() > limit);
                    limit = fits ? limit : search.nextHeight();
                }
                height = std::max(height, limit);
            }
            QVERIFY2(height == best,
                     (std::to_string(height) + ", is " + std::to_string(best) + text(items)).c_str());
        }
    }

    /// Hundreds of buffers that fill 1 MiB to the last byte at every moment.
    void fullMemoriesAreFilledInSeconds_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("count");
        QTest::addColumn<int>("seed");
        const std::array kinds = {"cut at KiB", "cut at bytes", "cut in few moments", "refilled"};
        for (int kind = 0; kind < 4; ++kind)
            for (const int count : test::kSanitized ? std::vector{150} : std::vector{150, 250, 400})
                for (int seed = 0; seed < 3; ++seed)
                    QTest::addRow("%s, %d buffers, %d", kinds[static_cast<std::size_t>(kind)], count, seed)
                        << kind << count << seed;
    }
    void fullMemoriesAreFilledInSeconds()
    {
        QFETCH(int, kind);
        QFETCH(int, count);
        QFETCH(int, seed);
        place_cases::Engine rnd(static_cast<std::uint64_t>(count * 10 + seed));
        const auto n = static_cast<std::size_t>(count);
        const place_cases::Items items = kind == 0   ? place_cases::cutUp(rnd, n, kMebi, kMebi, 1024)
                                         : kind == 1 ? place_cases::cutUp(rnd, n, kMebi, kMebi, 1)
                                         : kind == 2 ? place_cases::cutUp(rnd, n, 4096, kMebi, 1024)
                                                     : place_cases::refilled(rnd, n, kMebi, 1024);
        PlacementOptions options;
        options.maxNodes = 20'000'000; // minutes: then it is a failure, not a slow machine
        const Placement p = findPlacement(items, kMebi, {}, options);
        QCOMPARE(p.peak, kMebi);
        QCOMPARE(p.height, kMebi);
        QVERIFY(p.proven());
        QVERIFY(!placementFault(items, p.offsets, kMebi));
    }

    /// docs/rules/place.md 3.1: small problems whose least height is above the peak.
    void whatCannotBePlacedIsProven()
    {
        place_cases::Engine rnd(7);
        int found = 0;
        for (int i = 0; i < 20'000 && found < 20; ++i) {
            const place_cases::Items items = place_cases::small(rnd);
            const Placement p = findPlacement(items, 1);
            if (p.height == p.peak)
                continue;
            ++found;
            PlacementOptions only;
            only.onlyWhetherItFits = true;
            const Placement tight = findPlacement(items, p.peak, {}, only);
            QVERIFY(tight.leastHeight > p.peak);
            QVERIFY(placementText(p, p.height - 1).starts_with("cannot be placed in"));
            QVERIFY(placementText(p, p.height).starts_with("placed in"));
            QCOMPARE(p.fragmentation(), static_cast<double>(p.height - p.peak) / static_cast<double>(p.peak));
        }
        QCOMPARE(found, 20);
    }

    /// The same answer again, and with a stop the best so far.
    void deterministicAndAnytime()
    {
        place_cases::Engine rnd(2500);
        const place_cases::Items items = place_cases::refilled(rnd, 250, kMebi, 1024);
        PlacementOptions some;
        some.maxNodes = 3000;
        const Placement a = findPlacement(items, kMebi, {}, some);
        const Placement b = findPlacement(items, kMebi, {}, some);
        QCOMPARE(a.offsets, b.offsets);
        QCOMPARE(a.nodes, b.nodes);
        QVERIFY(a.nodes <= 3000);
        std::stop_source stop;
        stop.request_stop();
        const Placement c = findPlacement(items, kMebi, atMost(stop));
        QVERIFY(!placementFault(items, c.offsets, c.height));
        QCOMPARE(c.leastHeight, kMebi);
    }

    /// docs/rules/place.md 4.8: with no time at all, and of more items than there is time for.
    /// Of a million buffers, the search for equal stretches took longer than the whole time limit.
    void stoppedEarlyItFindsNoRepetition()
    {
        std::vector<PlacementItem> items;
        for (std::int64_t i = 0; i < 100; ++i)
            for (const std::int64_t size : {3, 5})
                items.push_back({3 * i, 3 * i + 2, size, 3 * i, 0});
        std::vector<std::size_t> each(items.size());
        std::iota(each.begin(), each.end(), std::size_t{0});
        const Reduced whole = reduce(items);
        QVERIFY(whole.representative != each && whole.components.size() == 1);
        std::stop_source stop;
        stop.request_stop();
        const Reduced stopped = reduce(items, stop.get_token());
        QCOMPARE(stopped.representative, each);
        QCOMPARE(stopped.components.size(), std::size_t{100});
        QCOMPARE(stopped.peak, whole.peak);
        QCOMPARE(findPlacement(items, 8, atMost(stop)).height, 8);
    }

    void stoppedEarlyItIsStillAPlacement()
    {
        std::stop_source stop;
        stop.request_stop();
        place_cases::Engine rnd(5);
        for (int i = 0; i < 2000; ++i) {
            const place_cases::Items items = place_cases::small(rnd);
            const Placement p = findPlacement(items, 1, atMost(stop));
            QVERIFY2(!placementFault(items, p.offsets, p.height), text(items).c_str());
            QVERIFY(p.height >= p.peak && p.leastHeight == p.peak);
        }
        place_cases::Items nested, together; // one inside the other: as deep as there are items
        for (std::int64_t i = 0; i < 200'000; ++i)
            nested.push_back({i, 1'000'000 - i, 1 + i % 7, 0, 0});
        for (std::int64_t i = 0; i < 1'000'000; ++i)
            together.push_back({i % 1000, 1000 + i % 997, 1 + i % 911, 0, 0});
        for (const auto* items : {&nested, &together}) {
            QElapsedTimer timer;
            timer.start();
            std::stop_source later;
            const std::jthread soon([&later] {
                std::this_thread::sleep_for(std::chrono::milliseconds(300));
                later.request_stop();
            });
            const Placement p = findPlacement(*items, 1, atMost(later));
            QVERIFY(!placementFault(*items, p.offsets, p.height));
            QVERIFY2(timer.elapsed() < 20'000, qPrintable(QString::number(timer.elapsed())));
        }
    }

    /// docs/rules/place.md 2: a stretch that repeats between the same items is searched once.
    void repeatedStretchesAreSearchedOnce()
    {
        place_cases::Items items{{0, 4000, 7, 0, 0}};
        for (std::int64_t row = 0; row < 40; ++row) {
            items.push_back({row * 100, row * 100 + 100, 5, 0, 0});
            for (std::int64_t t = 0; t < 100; t += 2) {
                items.push_back({row * 100 + t, row * 100 + t + 1, 3, 0, 0});
                items.push_back({row * 100 + t, row * 100 + t + 2, 2, 0, 0});
            }
        }
        const Placement p = findPlacement(items, 17);
        QCOMPARE(p.height, 17);
        QVERIFY(p.proven());
        // The long one; of the rows the first, one of those between and the last; of each of these the row
        // itself and three pairs in the same way.
        QCOMPARE(p.searched, 1 + 3 * (1 + 3 * 2));
        QVERIFY(!placementFault(items, p.offsets, 17));
    }

    /// docs/rules/place.md 1: the items of a step add up to its working set (R9.1), under every rule.
    void itemsAddUpToTheWorkingSet()
    {
        random_cases::Source rnd(180);
        std::int64_t steps = 0;
        int kept = 0;
        int donated = 0;
        int accumulators = 0;
        for (int i = 0; i < test::drawnCases(4000); ++i) {
            const ProblemPtr problem = random_cases::problem(rnd, 7, 10);
            const Schedule schedule = random_cases::schedule(rnd, *problem);
            const Rules rules = random_cases::rules(rnd);
            const Evaluation e = evaluate(*problem, schedule, rules);
            if (!std::all_of(e.subgraphs.begin(), e.subgraphs.end(), [](const SubgraphEvaluation& s) {
                    return s.structurallyValid && s.steps < 2000;
                }))
                continue;
            const auto items = stepItems(*problem, schedule, rules);
            QVERIFY(items.hasValue());
            const Sums sums = sumsOf(*problem, schedule, rules, *items);
            QCOMPARE(sums.shapes.size(), sums.workingSets.size());
            for (std::size_t s = 0; s < sums.shapes.size(); ++s)
                if (sums.shapes[s] != sums.workingSets[s] &&
                    !(sums.stays[s] && sums.donates[s] && sums.shapes[s] > sums.workingSets[s]))
                    QFAIL(qPrintable(QStringLiteral("case %1, step %2: %3 of %4")
                                         .arg(i)
                                         .arg(s)
                                         .arg(sums.shapes[s])
                                         .arg(sums.workingSets[s])));
            steps += items->steps;
            for (const StepItem& item : items->items) {
                kept += item.what.kind == Resident::Kind::Retained && item.lastSubgraph != item.subgraph;
                donated += item.takesOver.has_value();
                accumulators += item.what.kind == Resident::Kind::Accumulator;
                if (item.takesOver)
                    QCOMPARE(items->items[*item.takesOver].upper, item.upper);
            }
        }
        QVERIFY2(
            steps > test::drawnAtLeast(10'000) && kept > test::drawnAtLeast(50) &&
                donated > test::drawnAtLeast(50) && accumulators > test::drawnAtLeast(50),
            qPrintable(QStringLiteral("%1 %2 %3 %4").arg(steps).arg(kept).arg(donated).arg(accumulators)));
    }

    /// Every sample's schedules: placed or proven impossible, and the tie of R9.6 held.
    void everySampleIsPlaced()
    {
        const std::string folder = TILEWRIGHT_SOURCE_DIR "/samples/schedule/";
        int placed = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            const std::string name = entry.path().filename().string();
            if (!name.ends_with(".schedule.json"))
                continue;
            const auto problem = loadProblem(folder + name.substr(0, name.find('.')) + ".json");
            QVERIFY2(problem.hasValue(), name.c_str());
            const auto loaded = loadSchedule(**problem, folder + name);
            QVERIFY2(loaded.hasValue(), name.c_str());
            const Rules rules = chooseRules(**problem, loaded->schedule).rules;
            if (!evaluate(**problem, loaded->schedule, rules).valid())
                continue;
            PlacementOptions options;
            options.maxNodes = 2'000'000;
            const auto p = placeSchedule(**problem, loaded->schedule, rules, {}, options);
            QVERIFY2(p.hasValue(), name.c_str());
            const std::int64_t capacity = (*problem)->hardware().fastMemoryCapacity;
            QVERIFY2(p->placement.proven(), (name + ": " + placementText(p->placement, capacity)).c_str());
            const PlacementOfItems shapes = shapesOf(p->items);
            std::vector<std::int64_t> offsets(shapes.shapes.size());
            for (std::size_t i = 0; i < shapes.shapeOf.size(); ++i)
                offsets[shapes.shapeOf[i]] = p->placement.offsets[i];
            QVERIFY2(!placementFault(shapes.shapes, offsets, p->placement.height), name.c_str());
            ++placed;
        }
        QVERIFY2(placed >= 20, qPrintable(QString::number(placed)));
    }

    /// docs/rules/place.md 5.2
    void aValidScheduleThatCannotBePlaced()
    {
        QCOMPARE(place_cases::EveryOrder(place_cases::kEightWithAGap).height(),
                 place_cases::kPeakOfEight + 1);
        for (const std::int64_t scale : {50, 100, 1000}) {
            const place_cases::Unplaceable u = place_cases::unplaceable(scale);
            const Evaluation e = evaluate(*u.problem, u.schedule, u.rules);
            QVERIFY2(e.valid(), e.valid() ? "" : e.verdict()->text.c_str());
            PlacementOptions options;
            options.maxNodes = 1'000'000;
            const auto p = placeSchedule(*u.problem, u.schedule, u.rules, {}, options);
            QVERIFY(p.hasValue());
            const std::int64_t capacity = u.problem->hardware().fastMemoryCapacity;
            QVERIFY(p->placement.peak <= capacity && p->placement.leastHeight > capacity);
            QVERIFY2(p->placement.proven(), placementText(p->placement, capacity).c_str());
            QCOMPARE(p->placement.height, (place_cases::kPeakOfEight + 1) * scale);
            const auto conflict = placementConflict(*u.problem, *p);
            QVERIFY(conflict.has_value());
            QVERIFY(conflict->items.size() > 1);
            QVERIFY(
                conflict->text.starts_with("every working set fits, but the buffers cannot be placed in "));
            std::int64_t alive = 0;
            const std::int64_t step = p->items.firstStep[conflict->subgraph.index()] + conflict->step;
            for (const std::size_t i : conflict->items) {
                const StepItem& item = p->items.items[i];
                QVERIFY(item.lower <= step && step < item.upper);
                alive += item.what.elements;
            }
            QVERIFY(alive <= capacity);
        }
    }

    /// docs/rules/place.md 5.3
    void theSolverKeepsToWhatCanBePlaced()
    {
        const place_cases::Unplaceable u = place_cases::unplaceable();
        SolveOptions options;
        options.rules = u.rules;
        options.start = u.schedule;
        options.seconds = 0;
        options.iterations = 200;
        options.threads = 1;
        options.prove = false;
        options.placeable = true;
        const auto r = solve(*u.problem, options);
        QVERIFY2(r.hasValue(), r ? "" : r.error().text().c_str());
        QVERIFY(evaluate(*u.problem, r->schedule, u.rules).valid());
        const auto p = placeSchedule(*u.problem, r->schedule, u.rules);
        QVERIFY(p.hasValue() && p->placement.height <= u.problem->hardware().fastMemoryCapacity);
        // The schedule itself, made to have addresses: still valid, and not by dropping everything.
        Schedule less = u.schedule;
        const auto checked = verifySchedule(*u.problem, less, options);
        QVERIFY(checked.has_value());
        QVERIFY(less != u.schedule);
        QVERIFY(std::any_of(less.subgraphs.begin(), less.subgraphs.end(),
                            [](const SubgraphPtr& s) { return !s->retain.empty(); }));
    }

    /// docs/rules/place.md 3.2
    void bufferFiles()
    {
        const auto b =
            readBuffers("id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\r\n\nb3,0,9,4\nb4,9,21,4\nb5,0,21,4\n");
        QVERIFY(b.hasValue());
        const Placement p = findPlacement(b->items, 12);
        QCOMPARE(p.height, 12);
        QVERIFY(p.proven());
        const std::string written = writeBuffers(*b, p.offsets);
        QVERIFY(written.starts_with("id,lower,upper,size,offset\nb1,0,3,4,"));
        const auto again = readBuffers(written); // what was written can be placed again
        QVERIFY(again.hasValue());
        QCOMPARE(again->ids, b->ids);
        const auto older = readBuffers("size,end,start,buffer\n4,3,0,x\n");
        QVERIFY(older.hasValue());
        QCOMPARE(older->items.front().upper, 4); // 3 is the last moment, as MiniMalloc reads it
        const auto newer = readBuffers("size,upper,begin,buffer_id\n4,3,0,x\n");
        QVERIFY(newer.hasValue());
        QCOMPARE(newer->items.front().upper, 3);
        QCOMPARE(readBuffers("id,start,end,size\nx,2,2,1\n")->items.front().upper, 3); // one moment
        QCOMPARE(readBuffers("id,start,end,size\nx,2,1,1\n").error().text(),
                 std::string("line 2, end: must not be less than start, which is 2"));
        QVERIFY(!readBuffers("id,start,end,size\nx,9223372036854775807,9223372036854775807,1\n"));
    }

    void malformedBufferFiles_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* name, const char* file, const char* sentence) {
            QTest::newRow(name) << QByteArray(file) << QString::fromUtf8(sentence);
        };
        row("empty", "", "the header line with the column names id, lower, upper, size is missing");
        row("only a head", "id,lower,upper,size\n", "has no buffers");
        row("no head", "b1,0,3,4\n",
            "line 1: 'b1' is not a column of a buffer file (id, lower, upper, size, offset)");
        row("a column is missing", "id,lower,size\n", "line 1, upper: the column is missing");
        row("a column twice", "id,lower,upper,size,lower\n", "line 1, lower: the column occurs twice");
        row("alignment", "id,lower,upper,size,alignment\n",
            "line 1: 'alignment' is not a column of a buffer file (id, lower, upper, size, offset)");
        row("too few fields", "id,lower,upper,size\nb1,0,3\n", "line 2: has 3 fields, the columns are 4");
        row("no number", "id,lower,upper,size\nb1,0,x,4\n", "line 2, upper: 'x' is not a whole number");
        row("a fraction", "id,lower,upper,size\nb1,0,3,4.5\n", "line 2, size: '4.5' is not a whole number");
        row("beyond 64 bits", "id,lower,upper,size\nb1,0,3,99999999999999999999\n",
            "line 2, size: '99999999999999999999' is not a whole number");
        row("empty life", "id,lower,upper,size\nb1,3,3,4\n",
            "line 2, upper: must be greater than lower, which is 3");
        row("negative", "id,lower,upper,size\nb1,-1,3,4\n", "line 2, lower: must not be negative");
        row("no size", "id,lower,upper,size\nb1,0,3,0\n", "line 2, size: must be positive");
        row("no id", "id,lower,upper,size\n,0,3,4\n", "line 2, id: is empty");
        row("same id", "id,lower,upper,size\nb,0,3,4\n\nb,3,4,4\n",
            "line 4, id: 'b' is the buffer of line 2 too");
        row("too much", "id,lower,upper,size\na,0,3,1152921504606846976\nb,0,3,1\n",
            "line 3, size: the sizes add up to more than 1152921504606846976");
    }
    void malformedBufferFiles()
    {
        QFETCH(QByteArray, file);
        QFETCH(QString, sentence);
        const auto b = readBuffers(file.toStdString());
        QVERIFY(!b.hasValue());
        QCOMPARE(QString::fromStdString(b.error().text()), sentence);
    }
};

TILEWRIGHT_TEST(TestPlace)

} // namespace test_place
#include "test_place.moc"
