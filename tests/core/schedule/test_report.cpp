// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "base/text.h"
#include "edit/edits.h"
#include "edit/fit.h"
#include "report/compare.h"
#include "report/evaluation_json.h"
#include "report/html_report.h"
#include "report/writers.h"
#include "schedule/schedule_json.h"
#include "snapshot/snapshot.h"
#include "test_main.h"
#include "workload/generate.h"
#include "workload/problem_json.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QXmlStreamReader>
#include <QtTest>

#include <nlohmann/json.hpp>

#include <array>

namespace test_report {

using namespace tilewright;
using Json = nlohmann::ordered_json;

namespace {

SnapshotPtr sample(const std::string& problemName, const std::string& scheduleName,
                   const Rules& rules = Rules::final())
{
    const std::string folder = TILEWRIGHT_SOURCE_DIR "/samples/schedule/";
    const auto problem = loadProblem(folder + problemName + ".json");
    if (!problem)
        qFatal("%s", problem.error().text().c_str());
    const auto loaded = loadSchedule(**problem, folder + problemName + "." + scheduleName + ".schedule.json");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return takeSnapshot(*problem, loaded->schedule, rules, 1000, 1);
}

std::vector<QStringList> rowsOf(const std::string& csv)
{
    std::vector<QStringList> out;
    for (const QString& line : QString::fromStdString(csv).split('\n', Qt::SkipEmptyParts)) {
        QStringList cells{QString()};
        bool quoted = false;
        for (const QChar c : line) {
            if (c == '"')
                quoted = !quoted;
            else if (c == ',' && !quoted)
                cells << QString();
            else
                cells.back() += c;
        }
        out.push_back(cells);
    }
    return out;
}

std::string collected(bool (*write)(const Problem&, const Schedule&, const Rules&, const TextSink&,
                                    const Progress&),
                      const Snapshot& s)
{
    std::string out;
    if (!write(*s.problem, s.schedule, s.evaluation.rules, [&](std::string_view text) { out += text; }, {}))
        qFatal("stopped");
    return out;
}

/// The first problem of the markup, or "".
QString wellFormed(const std::string& markup)
{
    QXmlStreamReader reader(QByteArray::fromStdString(markup));
    while (!reader.atEnd())
        reader.readNext();
    return reader.hasError() ? QString("line %1: %2").arg(reader.lineNumber()).arg(reader.errorString())
                             : QString();
}

} // namespace

class TestReport : public QObject
{
    Q_OBJECT

private slots:
    void snapshotCarriesTheEvaluation()
    {
        const SnapshotPtr s = sample("example-3", "c-keep");
        QVERIFY(s->evaluation.valid());
        QCOMPARE(s->evaluation.total, 4638.4);
        QVERIFY(std::abs(s->gap() - 3.6384) < 1e-12);
        QCOMPARE(s->residentBefore(SubgraphId(0)).size(), 0u);
        QCOMPARE(s->residentBefore(SubgraphId(1)).size(), 1u);
    }

    void theSharesOfTheBaseline()
    {
        const SnapshotPtr fine = sample("attention-block", "one-by-one");
        const SnapshotPtr fused = sample("attention-block", "fused");
        const auto sum = [](const std::vector<BaselineShare>& shares) {
            double out = 0;
            for (const BaselineShare& share : shares)
                out += share.share.value_or(0);
            return out;
        };
        // Whichever is cut finer: every subgraph has something to be compared with, and nothing is lost.
        for (const auto& [now, before] : {std::pair{fine, fused}, {fused, fine}}) {
            const auto shares = baselineShares(*now, *before);
            QCOMPARE(shares.size(), now->schedule.size());
            for (const BaselineShare& share : shares)
                QVERIFY(share.share && !share.subgraphs.empty());
            QVERIFY(std::abs(sum(shares) / before->evaluation.total - 1) < 1e-9);
        }
        // One that is as it was is compared with itself, also where another computes some of it again.
        const auto self = baselineShares(*fine, *fine);
        for (std::size_t i = 0; i < self.size(); ++i)
            QCOMPARE(self[i].latency, std::optional(fine->evaluation.subgraphs[i].latency));
        Schedule again = fine->schedule;
        Subgraph second = *again.subgraphs[1];
        second.ops.insert(second.ops.begin(), again.subgraphs[0]->ops.front()); // norm1 is recomputed
        again.subgraphs[1] = std::make_shared<const Subgraph>(second);
        const SnapshotPtr recomputed = takeSnapshot(fine->problem, again, fine->evaluation.rules, 0, 0);
        QCOMPARE(baselineShares(*recomputed, *fine)[0].latency,
                 std::optional(fine->evaluation.subgraphs[0].latency));
    }

    void anEditCostsTheSubgraphsItTouches()
    {
        GenerateOptions options;
        options.kind = WorkloadKind::Random;
        options.ops = 40;
        const auto problem = *generateWorkload(options);
        const Rules rules = Rules::final();
        SnapshotTaker taker(problem, rules, 7);
        Schedule schedule = oneOpPerSubgraph(*problem);
        const SnapshotPtr first = taker.take(schedule, 1);
        QCOMPARE(first->evaluation.total, evaluate(*problem, schedule, rules).total);
        QCOMPARE(first->lowerBound, 7.0);
        QCOMPARE(first->revision, std::uint64_t(1));
        QCOMPARE(taker.computed(), std::int64_t(schedule.size()));
        const auto retiled = edit::setGranularity(*problem, schedule, std::array{SubgraphId(5)}, {64, 32, 1},
                                                  {.rules = {}, .force = true});
        QVERIFY(retiled);
        const SnapshotPtr second = taker.take(*retiled, 2);
        QCOMPARE(taker.computed(), std::int64_t(schedule.size() + 1));
        QCOMPARE(second->evaluation.subgraphs, evaluate(*problem, *retiled, rules).subgraphs);
        const auto fused =
            edit::mergeWithNext(*problem, *retiled, SubgraphId(20), {.rules = {}, .force = true});
        QVERIFY(fused);
        (void)taker.take(*fused, 3);
        QCOMPARE(taker.computed(), std::int64_t(schedule.size() + 2));
        // Undo finds everything.
        QCOMPARE(taker.take(schedule, 4)->evaluation.subgraphs, first->evaluation.subgraphs);
        QCOMPARE(taker.computed(), std::int64_t(schedule.size() + 2));
    }
    void formatIssuesComeFirst()
    {
        Evaluation e;
        e.issues.push_back({IssueCode::Coverage, {}, "op1 is in no subgraph", {}, {}, 0, 0, {}});
        const std::array issues{Issue{IssueCode::Retain, SubgraphId(2), "text", {}, {}, 0, 0, "path"}};
        prependFormatIssues(e, issues);
        QCOMPARE(e.issues.size(), 2u);
        QCOMPARE(e.verdict()->code, IssueCode::Retain);
        QCOMPARE(e.verdict()->subgraph, std::optional(SubgraphId(2)));
    }

    void subgraphTable()
    {
        const SnapshotPtr s = sample("attention-block", "fused");
        const auto rows = rowsOf(subgraphsCsv(*s));
        QCOMPARE(rows.size(), s->schedule.size() + 1);
        const auto column = [&](const char* name) { return rows[0].indexOf(QLatin1String(name)); };
        double total = 0;
        for (std::size_t i = 1; i < rows.size(); ++i) {
            QCOMPARE(rows[i].size(), rows[0].size());
            total += rows[i][column("latency")].toDouble();
            QCOMPARE(rows[i][column("steps")].toLongLong(), qint64(s->evaluation.subgraphs[i - 1].steps));
            QCOMPARE(rows[i][column("fits")], QString("yes"));
        }
        QVERIFY(std::abs(total - s->evaluation.total) < 1e-6);
        QCOMPARE(rows[2][column("ops")],
                 QString("layer0.head0.query layer0.head0.scores layer0.head0.softmax"));
        QCOMPARE(rows[2][column("retained")], QString("layer0.head0.softmax.out"));
    }

    void subgraphsThatCannotBeEvaluatedHaveEmptyCells()
    {
        const SnapshotPtr valid = sample("example-4", "b-snake");
        const auto broken = edit::setGranularity(*valid->problem, valid->schedule, std::array{SubgraphId(0)},
                                                 {256, 256, 128}, {{}, true});
        const SnapshotPtr s = takeSnapshot(valid->problem, *broken, Rules::final(), 0, 2);
        const auto rows = rowsOf(subgraphsCsv(*s));
        QCOMPARE(rows[1].size(), rows[0].size());
        QCOMPARE(rows[1][rows[0].indexOf(QLatin1String("latency"))], QString());
        QVERIFY(wellFormed(htmlReport(*s)).isEmpty());
        const Json json = Json::parse(evaluationJson(*s, ""));
        QVERIFY(json["total_latency"].is_null());
        QVERIFY(json["array_total"].is_null());
    }

    void stepTable()
    {
        for (const char* strategy : {"one-by-one", "fused"}) {
            const SnapshotPtr s = sample("resnet-block", strategy);
            const auto rows = rowsOf(collected(writeStepsCsv, *s));
            const auto column = [&](const char* name) { return rows[0].indexOf(QLatin1String(name)); };
            std::int64_t steps = 0;
            double end = 0;
            std::vector<std::int64_t> peaks(s->schedule.size(), 0);
            std::vector<std::int64_t> loads(s->schedule.size(), 0);
            for (std::size_t i = 1; i < rows.size(); ++i) {
                QCOMPARE(rows[i].size(), rows[0].size());
                const auto subgraph = rows[i][0].toULong();
                peaks[subgraph] =
                    std::max<std::int64_t>(peaks[subgraph], rows[i][column("working_set")].toLongLong());
                loads[subgraph] += rows[i][column("load_elements")].toLongLong();
                QVERIFY(std::abs(rows[i][column("start")].toDouble() - end) < 1e-6);
                end += rows[i][column("latency")].toDouble();
            }
            for (std::size_t i = 0; i < peaks.size(); ++i) {
                const SubgraphEvaluation& e = s->evaluation.subgraphs[i];
                QCOMPARE(peaks[i], e.peakWorkingSet);
                QCOMPARE(loads[i], e.loadElements);
                steps += e.steps;
            }
            QCOMPARE(static_cast<std::int64_t>(rows.size()) - 1, steps);
            QVERIFY(std::abs(end - s->evaluation.total) < 1e-6);
        }
    }

    void occupancyTable()
    {
        const SnapshotPtr s = sample("example-3", "c-keep");
        const auto rows = rowsOf(collected(writeOccupancyCsv, *s));
        for (std::size_t i = 1; i < rows.size(); ++i) {
            const auto n = [&](const char* name) {
                return rows[i][rows[0].indexOf(QLatin1String(name))].toLongLong();
            };
            QCOMPARE(n("reserved") + n("input") + n("output") + n("accumulator") + n("interior") -
                         n("donated"),
                     n("working_set"));
            QVERIFY(n("working_set") <= n("capacity"));
        }
        QVERIFY(rows.size() > 2);
    }

    void traceEvents()
    {
        const SnapshotPtr s = sample("attention-block", "fused");
        const Json trace = Json::parse(collected(writeTraceEvents, *s));
        double subgraphs = 0;
        double steps = 0;
        for (const Json& e : trace["traceEvents"])
            if (e["ph"] == "X") {
                if (e["tid"] == 0)
                    subgraphs += e["dur"].get<double>();
                if (e["tid"] == 1)
                    steps += e["dur"].get<double>();
            }
        QVERIFY(std::abs(subgraphs - s->evaluation.total) < 1e-6);
        QVERIFY(std::abs(steps - s->evaluation.total) < 1e-6);
    }

    void writersStopWhenAsked()
    {
        const SnapshotPtr s = sample("example-1", "c-small-tiles");
        std::stop_source source;
        source.request_stop();
        std::string out;
        QVERIFY(!writeStepsCsv(*s->problem, s->schedule, Rules::final(),
                               [&](std::string_view t) { out += t; }, {source.get_token(), {}}));
        QCOMPARE(std::count(out.begin(), out.end(), '\n'), 1); // the header
    }

    void differencesTable()
    {
        const SnapshotPtr a = sample("example-3", "a-spill");
        const SnapshotPtr b = sample("example-3", "c-keep");
        const Comparison c = compareSchedules(a->problem, a->schedule, b->schedule, Rules::final());
        const auto rows = rowsOf(differencesCsv(*a->problem, c));
        QCOMPARE(rows.size(), c.contributions.size() + 1);
        double sum = a->evaluation.total;
        for (std::size_t i = 1; i < rows.size(); ++i)
            sum += rows[i][rows[0].indexOf(QLatin1String("delta"))].toDouble();
        QVERIFY(std::abs(sum - b->evaluation.total) < 1e-6);
    }

    void htmlReportIsOneWellFormedPage()
    {
        const SnapshotPtr a = sample("attention-block", "one-by-one");
        const SnapshotPtr b = sample("attention-block", "fused");
        const Comparison c = compareSchedules(a->problem, a->schedule, b->schedule, Rules::final());
        const ReportCharts charts{
            {{"Graph", "graph", "<figure data-picture=\"0\"><svg><g id=\"g-a\"/></svg></figure>\n"},
             {"Time & memory", "memory", "<figure data-picture=\"0\"><svg/></figure>\n"}},
            "--p0:#fff;",
            "--p0:#000;",
            R"({"lines":["</script><b>"],"charts":[]})"};
        const std::string html = htmlReport(
            *b, {.title = "A <title> & \"more\"", .note = "note", .comparison = &c, .charts = charts});
        QCOMPARE(wellFormed(html), QString());
        const QString page = QString::fromStdString(html);
        QCOMPARE(page.count("<svg"), 2);
        QCOMPARE(page.count("--p0:#fff;"), 2); // on the screen and on paper
        QVERIFY(page.contains("--p0:#000;") && page.contains("prefers-color-scheme:dark"));
        QVERIFY(page.contains(QString::fromStdString(charts.pictures.front().figures)));
        QVERIFY(page.contains("<section class=\"chart\" id=\"view-graph\"><h2>Graph</h2>") &&
                page.contains("<h2>Time &amp; memory</h2>"));
        QVERIFY(!page.contains("tilewright report"));
        QVERIFY(page.contains("<h1>A &lt;title&gt; &amp; &quot;more&quot;</h1>"));
        QVERIFY(page.contains(QString::fromStdString(formatGrouped(b->evaluation.total))));
        QVERIFY(page.contains("layer0.head1.softmax.out"));
        QVERIFY(page.contains("Compared with the baseline") && page.contains("fused"));
        // Nothing from elsewhere, and what is data does not end its element.
        QVERIFY(!page.contains(" src=") && !page.contains("<link") && !page.contains("@import"));
        QCOMPARE(page.count("http"), 1); // the name of SVG in the script
        QCOMPARE(page.count("</script>"), 3);
        QVERIFY(page.contains("\\u003c/script\\u003e\\u003cb\\u003e"));
        const QString plain = QString::fromStdString(htmlReport(*b));
        QVERIFY(plain.contains("<h1>Attention and feed-forward block, two heads</h1>"));
        QVERIFY(!plain.contains("Compared with"));
        QVERIFY(!plain.contains("<svg") && plain.contains("tilewright report PROBLEM SCHEDULE -o FILE.html"));
    }

    /// The contents of a page are its headings: each is there once.
    void chartAndItsTableHaveTwoHeadings()
    {
        const ReportCharts charts{{{"NPU", "npu", "<figure/>\n"}, {"NPU tiles", "npu-tiles", "<figure/>\n"}}};
        const QString page = QString::fromStdString(
            htmlPage("t", "n", charts, {{"NPU", "a\tb\n1\t2\n"}, {"NPU tiles", ""}, {"Layers", "a\n1\n"}}));
        for (const char* heading :
             {"<h2>NPU</h2>", "<h2>NPU: table</h2>", "<h2>NPU tiles</h2>", "<h2>Layers</h2>"})
            QCOMPARE(page.count(heading), 1);
        // a table without a chart, such as the Summary, is before the charts
        QVERIFY(page.indexOf("<h2>Layers</h2>") < page.indexOf("<h2>NPU</h2>"));
    }

    void tablesAreForReading()
    {
        const QString page = QString::fromStdString(htmlPage(
            "t", "n", {}, {{"T", "wait_dram\tname\n8670412.799999999\tinf\n-123456\t1000000000000000\n"}}));
        QVERIFY(page.contains("<th scope=\"col\">wait dram</th>"));
        for (const auto& [exact, shown] : {std::pair{"8670412.799999999", formatGrouped(8'670'413)},
                                           {"-123456", formatGrouped(-123'456)},
                                           {"1000000000000000", scientific(1e15)}})
            QVERIFY(page.contains(QStringLiteral("<td title=\"%1\">%2</td>")
                                      .arg(QLatin1String(exact), QString::fromStdString(shown))));
        QVERIFY(page.contains("<td>inf</td>"));
    }

    /// What the page searches and lists is what the trace says.
    void htmlReportHoldsNamesAndSteps()
    {
        const SnapshotPtr s = sample("attention-block", "fused");
        const QString page = QString::fromStdString(htmlReport(*s));
        const QString json =
            page.section(QStringLiteral("id=\"schedule\">"), 1).section(QStringLiteral("</script>"), 0, 0);
        const QJsonObject data = QJsonDocument::fromJson(json.toUtf8()).object();
        QCOMPARE(data["ops"].toArray().size(), qsizetype(s->problem->opCount()));
        QCOMPARE(data["tensors"].toArray().size(), qsizetype(s->problem->tensorCount()));
        QCOMPARE(data["subgraphs"].toArray().size(), qsizetype(s->schedule.size()));
        std::int64_t all = 0;
        double latency = 0;
        for (const SubgraphEvaluation& e : s->evaluation.subgraphs)
            all += e.steps;
        QCOMPARE(data["stepCount"].toDouble(), double(all));
        QVERIFY(all <= 6000);
        const QJsonArray steps = data["steps"].toArray();
        QCOMPARE(steps.size(), qsizetype(all));
        for (const QJsonValue& step : steps)
            latency += step[8].toDouble();
        QVERIFY(std::abs(latency - s->evaluation.total) < 1e-6 * latency);
        QCOMPARE(page.count("<tr data-k=\"s"), int(s->schedule.size()));
        // Every op says which subgraphs run it.
        for (std::size_t i = 0; i < s->schedule.size(); ++i)
            for (const OpId op : s->schedule[SubgraphId(i)].ops)
                QVERIFY(data["opSubgraphs"][qsizetype(op.index())].toArray().contains(int(i)));
    }
    void tablesOfALensAsJson()
    {
        const std::string json =
            tablesJson("a \"lens\"", {{"T", "x\ty\n1\t</script>\n2\t\n"}, {"empty", ""}});
        const QJsonObject data = QJsonDocument::fromJson(QByteArray::fromStdString(json)).object();
        QCOMPARE(data["title"].toString(), QStringLiteral("a \"lens\""));
        QCOMPARE(data["tables"].toArray().size(), 1);
        QCOMPARE(data["tables"][0]["columns"].toArray(), QJsonArray({"x", "y"}));
        QCOMPARE(data["tables"][0]["rows"].toArray(),
                 QJsonArray({QJsonArray{"1", "</script>"}, QJsonArray{"2", ""}}));
    }

    void htmlReportListsProblems()
    {
        const SnapshotPtr s = sample("example-5", "a-out-of-memory");
        const QString page = QString::fromStdString(htmlReport(*s));
        QCOMPARE(wellFormed(page.toStdString()), QString());
        QVERIFY(page.contains("OOM in subgraph 0: the working set needs up to 65\u202f536 elements"));
    }

    void reportsOfExtremes()
    {
        const SnapshotPtr some = sample("example-1", "a-one-by-one");
        const SnapshotPtr empty = takeSnapshot(some->problem, Schedule{}, Rules::final(), 0, 1);
        QCOMPARE(wellFormed(htmlReport(*empty)), QString());
        // Names that are not text, tiles without cost, a thousand subgraphs.
        Problem::Data data = some->problem->data();
        data.ops[OpId(0)].name = "a<b>&\"'\x01\xff\xc3\x28\xed\xa0\x80";
        data.ops[OpId(0)].baseCost = 0;
        data.ops[OpId(1)].baseCost = 0;
        data.hardware.slowMemoryBandwidth = std::int64_t{1} << 62;
        const ProblemPtr odd = *Problem::build(data);
        QCOMPARE(wellFormed(htmlReport(*takeSnapshot(odd, oneOpPerSubgraph(*odd), Rules::final(), 0, 1))),
                 QString());
        GenerateOptions o;
        o.kind = WorkloadKind::Random;
        o.ops = 1000;
        o.rows = 64;
        o.width = 64;
        o.native = 32;
        const ProblemPtr large = *generateWorkload(o);
        const std::string html =
            htmlReport(*takeSnapshot(large, edit::coverMissing(*large, Schedule{}), Rules::final(), 1, 1));
        QCOMPARE(wellFormed(html), QString());
        QVERIFY(html.size() < 2'000'000);
    }

    void markup()
    {
        QCOMPARE(escapeMarkup("a<b>\"c\"&'d'"), std::string("a&lt;b&gt;&quot;c&quot;&amp;&#39;d&#39;"));
        QCOMPARE(escapeMarkup("x\xffy\tz"), std::string("x\ufffdy z"));
        QCOMPARE(escapeMarkup("gr\u00fc\u00df"), std::string("gr\u00fc\u00df"));
        QCOMPARE(formatGrouped(1234567.25), std::string("1\u202f234\u202f567.2"));
        QCOMPARE(formatGrouped(-1234.0), std::string("\u22121\u202f234"));
        QCOMPARE(formatGrouped(std::int64_t{-123}), std::string("\u2212123"));
        QCOMPARE(formatGrouped(-0.001), std::string("0"));
    }
};

TILEWRIGHT_TEST(TestReport)

} // namespace test_report
#include "test_report.moc"
