// SPDX-License-Identifier: GPL-3.0-or-later
// Traces beside one another (docs/rules/validation.md 6). The foreign trace is written by hand in the form of
// PyTorch's profiler.
#include "base/file.h"
#include "overlay/trace.h"
#include "test_main.h"

#include <QTest>

#include <algorithm>

namespace test_traces {

using namespace tilewright;
using namespace tilewright::overlay;

namespace {

Trace read(std::string_view text)
{
    auto trace = readTrace(text, "t.json");
    if (!trace)
        qFatal("%s", trace.error().text().c_str());
    return std::move(*trace);
}

Trace foreign()
{
    const auto text = readFile(TILEWRIGHT_SOURCE_DIR "/tests/fuzz/verbs/seeds/profile.trace.json");
    if (!text)
        qFatal("%s", text.error().text().c_str());
    return read(*text);
}

std::string refusal(std::string_view text)
{
    const auto trace = readTrace(text, "t");
    return trace ? std::string("accepted") : trace.error().text();
}

const Slice& named(const Trace& trace, const char* name)
{
    return *std::ranges::find(trace.slices, name, &Slice::name);
}

} // namespace

class TestTraces : public QObject
{
    Q_OBJECT
private slots:
    void eventsOfAProfiler_6_1();
    void pairsLieInsideEachOther_6_1();
    void theListForm_6_1();
    void matchedByTrackThenByName_6_2();
    void theOffsetIsTheMean_6_3();
    void whatDiffersMostComesFirst_6_4();
    void aTraceBesideItself_6_4();
    void placedElsewhere_6_3();
    void slicesInsideOthersAreInRowsOfTheirOwn();
    void slicesKnowTheirPartners();
    void badTracesAreOneSentence();
};

void TestTraces::eventsOfAProfiler_6_1()
{
    const Trace t = foreign();
    QCOMPARE(t.slices.size(), std::size_t{5});
    QCOMPARE(t.otherEvents, 3);
    QCOMPARE(t.openEvents, 0);
    const Slice& gemm = named(t, "gemm_64x64");
    QCOMPARE(t.tracks[gemm.track], std::string("GPU 0 / stream 3"));
    QCOMPARE(gemm.start, 118.0);
    QCOMPARE(gemm.end, 148.0);
    QCOMPARE(t.tracks[named(t, "forward").track], std::string("python / 8"));
    QCOMPARE(named(t, "forward").length(), 71.0);
    QVERIFY(std::ranges::is_sorted(t.slices, {}, &Slice::start));
}

void TestTraces::pairsLieInsideEachOther_6_1()
{
    const Trace t = read(R"({"traceEvents": [
        {"ph": "B", "name": "outer", "ts": 0}, {"ph": "B", "name": "inner", "ts": 2},
        {"ph": "E", "ts": 3}, {"ph": "E", "ts": 9}, {"ph": "E", "ts": 10}, {"ph": "B", "name": "open", "ts": 11},
        {"ph": "b", "cat": "c", "id": 1, "name": "x", "ts": 1}, {"ph": "b", "cat": "c", "id": 2, "name": "y", "ts": 2},
        {"ph": "e", "cat": "c", "id": 1, "ts": 5}, {"ph": "e", "cat": "c", "id": 2, "ts": 6}]})");
    QCOMPARE(named(t, "outer").end, 9.0);
    QCOMPARE(named(t, "inner").end, 3.0);
    QCOMPARE(named(t, "x").end, 5.0);
    QCOMPARE(named(t, "y").end, 6.0);
    QCOMPARE(t.slices.size(), std::size_t{4});
    QCOMPARE(t.openEvents, 2);
}

void TestTraces::theListForm_6_1()
{
    const char* const list = R"([{"ph": "X", "name": "a", "pid": "p", "tid": "t", "ts": 1, "dur": 2}])";
    QVERIFY(isTrace(list));
    QVERIFY(isTrace("{\"traceEvents\": []}"));
    QVERIFY(!isTrace("[{\"name\": \"a\", \"us\": 1}]"));
    QVERIFY(!isTrace("name,us\n"));
    QCOMPARE(read(list).tracks[0], std::string("p / t"));
}

void TestTraces::matchedByTrackThenByName_6_2()
{
    const auto trace = [](const char* first, const char* second) {
        return read(std::string(R"([{"ph": "X", "name": "a", "tid": ")") + first +
                    R"(", "ts": 0, "dur": 1}, {"ph": "X", "name": "a", "tid": ")" + second +
                    R"(", "ts": 5, "dur": 2}, {"ph": "X", "name": ")" + first + R"(", "ts": 9, "dur": 2}])");
    };
    const TraceComparison c = compareTraces(trace("one", "two"), trace("two", "three"), 1, 0.0);
    QCOMPARE(c.pairs.size(), std::size_t{2});
    for (const SlicePair& pair : c.pairs) // "two" with "two", and the other "a" with the other one
        QCOMPARE(c.a.tracks[c.a.slices[pair.a].track] == "0 / two",
                 c.b.tracks[c.b.slices[pair.b].track] == "0 / two");
    QCOMPARE(c.onlyA.size(), std::size_t{1});
    QCOMPARE(c.a.slices[c.onlyA[0]].name, std::string("one"));
    QCOMPARE(c.b.slices[c.onlyB[0]].name, std::string("two"));
}

void TestTraces::theOffsetIsTheMean_6_3()
{
    const Trace a = read(
        R"([{"ph": "X", "name": "a", "ts": 100, "dur": 10}, {"ph": "X", "name": "b", "ts": 200, "dur": 10}])");
    const Trace b = read(
        R"([{"ph": "X", "name": "a", "ts": 10, "dur": 5}, {"ph": "X", "name": "b", "ts": 62, "dur": 6}])");
    const TraceComparison c = compareTraces(a, b, 2);
    QVERIFY(c.fitted);
    QCOMPARE(c.offset, (80.0 + 76.0) / 2);
    // no other offset has a smaller sum of squares
    const auto squares = [&](double offset) {
        const TraceComparison at = compareTraces(a, b, 2, offset);
        double sum = 0;
        for (const SlicePair& pair : at.pairs)
            sum += at.startDifference(pair) * at.startDifference(pair);
        return sum;
    };
    QVERIFY(squares(c.offset) < squares(c.offset + 0.5));
    QVERIFY(squares(c.offset) < squares(c.offset - 0.5));
    QVERIFY(!compareTraces(a, b, 1, 7.0).fitted);
    QCOMPARE(compareTraces(a, b, 1, 7.0).offset, 7.0);
}

void TestTraces::whatDiffersMostComesFirst_6_4()
{
    Trace a = foreign(), b = foreign();
    for (Slice& slice : b.slices)
        if (slice.name == "gemm_64x64")
            slice.end += 50;
    const TraceComparison c = compareTraces(a, b, 1, 0.0);
    QCOMPARE(c.a.slices[c.pairs.front().a].name, std::string("gemm_64x64"));
    QCOMPARE(c.lengthDifference(c.pairs.front()), 50.0);
    QCOMPARE(c.lengthDifference(c.pairs.back()), 0.0);
    QCOMPARE(tracesTable(c).rows.size(), std::size_t{5});
}

void TestTraces::aTraceBesideItself_6_4()
{
    const TraceComparison c = compareTraces(foreign(), foreign());
    QCOMPARE(c.offset, 0.0);
    QCOMPARE(c.pairs.size(), c.a.slices.size());
    QVERIFY(c.onlyA.empty() && c.onlyB.empty());
    for (const SlicePair& pair : c.pairs) {
        QCOMPARE(c.startDifference(pair), 0.0);
        QCOMPARE(c.lengthDifference(pair), 0.0);
    }
}

void TestTraces::placedElsewhere_6_3()
{
    const Trace a = read(R"([{"ph": "X", "name": "p", "ts": 10, "dur": 4},
                             {"ph": "X", "name": "q", "ts": 20, "dur": 8}])");
    const Trace b = read(R"([{"ph": "X", "name": "p", "ts": 1, "dur": 2},
                             {"ph": "X", "name": "q", "ts": 5, "dur": 3.5}])");
    TraceComparison c = compareTraces(a, b);
    QCOMPARE(c.offset, 12.0); // (9 + 15) / 2
    place(c, 2, 10.0);
    QVERIFY(!c.fitted);
    QCOMPARE(c.startOf(c.pairs.front().b), 12.0); // p starts 2 later, q is 1 shorter
    QCOMPARE(c.startDifference(c.pairs.back()), 0.0);
    QCOMPARE(c.lengthDifference(c.pairs.back()), -1.0);
    place(c, 1, std::nullopt);
    QCOMPARE(c.offset, 12.0);
    QVERIFY(c.fitted);
    // Without a pair both begin together.
    const TraceComparison alone = compareTraces(a, read(R"([{"ph": "X", "name": "r", "ts": 3, "dur": 2}])"));
    QCOMPARE(alone.offset, 7.0);
    QVERIFY(alone.pairs.empty());
}

void TestTraces::slicesInsideOthersAreInRowsOfTheirOwn()
{
    const Trace t = read(R"([{"ph": "X", "name": "outer", "ts": 0, "dur": 10, "tid": 1},
                             {"ph": "X", "name": "other", "ts": 1, "dur": 2, "tid": 2},
                             {"ph": "X", "name": "first", "ts": 2, "dur": 3, "tid": 1},
                             {"ph": "X", "name": "second", "ts": 5, "dur": 5, "tid": 1},
                             {"ph": "X", "name": "last", "ts": 10, "dur": 1, "tid": 1}])");
    const std::vector<TrackRows> tracks = trackRows(t);
    QCOMPARE(tracks.size(), std::size_t{2});
    const auto names = [&](const std::vector<std::size_t>& row) {
        std::string out;
        for (const std::size_t slice : row)
            out.append(t.slices[slice].name).append(" ");
        return out;
    };
    QCOMPARE(tracks[0].rows.size(), std::size_t{2});
    QCOMPARE(names(tracks[0].rows[0]), std::string("outer last "));
    QCOMPARE(names(tracks[0].rows[1]), std::string("first second "));
    QCOMPARE(names(tracks[1].rows[0]), std::string("other "));
}

void TestTraces::slicesKnowTheirPartners()
{
    const Trace a =
        read(R"([{"ph": "X", "name": "p", "ts": 0, "dur": 4}, {"ph": "X", "name": "q", "ts": 4, "dur": 4},
                             {"ph": "X", "name": "r", "ts": 8, "dur": 4}])");
    const Trace b =
        read(R"([{"ph": "X", "name": "p", "ts": 0, "dur": 5}, {"ph": "X", "name": "q", "ts": 5, "dur": 3},
                             {"ph": "X", "name": "r", "ts": 8, "dur": 4}, {"ph": "X", "name": "s", "ts": 12, "dur": 1}])");
    const TraceComparison c = compareTraces(a, b);
    const std::vector<SlicePartner> partners = partnersOf(c);
    QCOMPARE(partners.size(), std::size_t{4});
    QVERIFY(partners[0].length == SliceLength::Longer && partners[1].length == SliceLength::Shorter);
    QVERIFY(partners[2].length == SliceLength::Equal && partners[3].length == SliceLength::Alone);
    QVERIFY(!partners[3].pair);
    for (std::size_t slice = 0; slice < 3; ++slice)
        QCOMPARE(c.pairs[*partners[slice].pair].b, slice);
}

void TestTraces::badTracesAreOneSentence()
{
    QCOMPARE(refusal("{}"), std::string("t: the field \"traceEvents\" is missing"));
    QCOMPARE(refusal("[3]"), std::string("t: [0]: expected an object, got 3"));
    QVERIFY(
        refusal(R"([{"ph": "X", "ts": 1, "dur": -2}])").starts_with("t: [0].dur: expected a number from 0"));
    QVERIFY(refusal(R"([{"ph": "X", "ts": "1"}])").starts_with("t: [0].ts: expected a number"));
    QVERIFY(refusal(R"([{"ph": "X", "ts": 1e300}])").starts_with("t: [0].ts: expected a number"));
    QVERIFY(refusal(R"([{"ph": "X"}])").starts_with("t: [0]: "));
    QVERIFY(refusal(R"([{"ph": "B", "name": "a", "ts": 5}, {"ph": "E", "ts": 4}])")
                .starts_with("t: [1]: ends before it begins"));
    QVERIFY(refusal("[{\"ph\": NaN}]").starts_with("t: not valid JSON at line 1"));
}

TILEWRIGHT_TEST(TestTraces)

} // namespace test_traces
#include "test_traces.moc"
