// SPDX-License-Identifier: GPL-3.0-or-later
// The one door for JSON: its limits, its time, and that there is no other.
#include "base/json_reader.h"
#include "base/text.h"
#include "lower/machine_lenses.h"
#include "lower/workload.h"
#include "schedule/schedule_json.h"
#include "test_main.h"

#include <QDirIterator>
#include <QElapsedTimer>
#include <QRegularExpression>
#include <QtTest>

#include <sys/resource.h>

namespace test_json_reader {

using namespace tilewright;

namespace {

std::string repeated(std::string_view part, std::size_t count)
{
    std::string out;
    out.reserve(part.size() * count);
    for (std::size_t i = 0; i < count; ++i)
        out += part;
    return out;
}

std::string fault(std::string_view text)
{
    const auto read = parseJson(text, "f");
    return read ? "accepted" : read.error().text();
}

/// Largest memory of the process so far, in MiB.
long peakMemory()
{
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

} // namespace

class TestJsonReader : public QObject
{
    Q_OBJECT

private slots:
    void valuesAreThoseOfTheText()
    {
        const std::string text =
            R"({"a":[1,-2,2.5,"x",true,false,null,[],{}],"":{"deep":[[{"b":18446744073709551615}]]},"c":"ä\n"})";
        QCOMPARE(QString::fromStdString(parseJson(text, "f")->dump()),
                 QString::fromStdString(R"({"a":[1,-2,2.5,"x",true,false,null,[],{}],"":{"deep":)"
                                        R"([[{"b":18446744073709551615}]]},"c":"ä\n"})"));
        QVERIFY(parseJson("7", "f")->get<int>() == 7);
        QVERIFY(parsedJson("[1").is_discarded());
    }

    void faultsHaveAPlace_data()
    {
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* text, const char* sentence) {
            QTest::newRow(text) << QString::fromUtf8(sentence);
        };
        row("{\"a\": 1,\n \"b\": tru}",
            "f: not valid JSON at line 2, column 10 (unexpected character; last read: '\"b\": tru}')");
        row("{\"a\": 1, \"b\": {\"a\": 2, \"c\": 3, \"a\": 4}}",
            "f: the key \"a\" occurs twice in one object");
        row("[1, 2", "f: not valid JSON at line 1, column 6 (the text ends too early; expected ']')");
        row("[1e999]", "f: not valid JSON (a number is too large: '1e999')");
        row("[1] 2", "f: not valid JSON at line 1, column 5 (unexpected number; expected nothing more)");
    }
    void faultsHaveAPlace()
    {
        QFETCH(QString, sentence);
        const std::string told = fault(QTest::currentDataTag());
        QVERIFY2(told.starts_with("f: not valid JSON") || told == sentence.toStdString(), told.c_str());
        const QString place = sentence.section(QLatin1Char('('), 0, 0);
        QVERIFY2(QString::fromStdString(told).startsWith(place), told.c_str());
    }

    /// 80,000 objects took 8 s, 200,000 would have taken 50 s.
    void timeIsLinearInTheObjectsOfAList()
    {
        const std::string text = "[" + repeated(R"({"":0},)", 400'000) + "0]";
        QElapsedTimer timer;
        timer.start();
        QVERIFY(parseJson(text, "f").hasValue());
        QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
    }

    /// Each object has as many fields as it may have.
    void timeIsLinearInTheFields()
    {
        std::string object = "{";
        for (int i = 0; i < 2000; ++i)
            object += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":0";
        const std::string text = "[" + repeated(object + "},", 300) + "0]";
        QElapsedTimer timer;
        timer.start();
        QVERIFY(parseJson(text, "f").hasValue());
        QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(fault(object + ",\"x\":0}"), std::string("f: one object has more than 2000 fields"));
    }

    void memoryIsBoundedBeforeItIsUsed()
    {
        const std::string text = "[" + repeated("[],", 22'000'000) + "0]";
        const long before = peakMemory();
        QCOMPARE(fault(text),
                 std::string("f: more than 4000000 lists and objects at line 1, column 11999999"));
        QVERIFY2(peakMemory() - before < 64, qPrintable(QString::number(peakMemory() - before)));
        QVERIFY(
            fault("[" + repeated("0,", 16'000'000) + "0]").starts_with("f: more than 16000000 values at "));
    }

    /// Readers that looked into a schedule or a machine before the door ended with a full stack.
    void aHundredThousandLevelsAreRefusedByEveryReader()
    {
        const std::string deep = repeated("[", 100'000) + repeated("]", 100'000);
        const std::string wanted = "f: brackets are nested more than 64 levels deep at line 1, column ";
        const auto told = [&](const auto& result) { return result ? "accepted" : result.error().text(); };
        for (const char* field : {"machine", "dimensions", "hardware", "subgraphs", "levels", "ops", "layers",
                                  "op_types", "generate", "tiling"}) {
            const std::string text = std::string("{\"") + field + "\": " + deep + "}";
            const auto target =
                lower::targetOfSchedule(text, "f"); // the reader of schedules has the sentence
            QVERIFY(target.hasValue() && !target->machine);
            const lower::MachineText machine{text, "f"};
            QVERIFY2(told(lower::readMachines(std::span(&machine, 1))).starts_with(wanted), field);
            const auto workload = told(lower::readWorkload(text, "f"));
            QVERIFY2(workload.starts_with(wanted) || workload.starts_with("f: is not a workload"),
                     workload.c_str());
            auto problem = Problem::build({});
            if (problem)
                QVERIFY2(told(readSchedule(**problem, text, "f")).starts_with(wanted), field);
        }
    }

    void similarWords_data()
    {
        QTest::addColumn<QString>("meant");
        const auto row = [](const char* word, const char* meant) {
            QTest::newRow(word) << QString::fromLatin1(meant);
        };
        row("traversal_order", "traversal_orders");
        row("traversal-orders", "traversal_orders");
        row("traversalOrders", "traversal_orders");
        row("travresal_orders", "traversal_orders");
        row("viewz", "views");
        row("Views", "views");
        row("view", "views");
        row("op_name", "op_names");
        row("nmae", "name");
        row("wmh", "");
        row("note", "");
        row("author", "");
        row("scores", "");
        row("", "");
        row("k", "");
    }
    void similarWords()
    {
        QFETCH(QString, meant);
        constexpr std::array<std::string_view, 6> kKnown{
            "traversal_orders", "views", "op_names", "name", "w", "h"};
        const std::string_view found = similarWord(QTest::currentDataTag(), kKnown);
        QCOMPARE(QString::fromUtf8(found.data(), static_cast<qsizetype>(found.size())), meant);
    }

    void thereIsNoOtherDoor()
    {
        static const QRegularExpression kDoor(
            QStringLiteral("\\b[Jj]son::(?:parse|accept|sax_parse)\\b\\s*\\(|\\bfrom_json\\s*\\("));
        const QString root = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/");
        QStringList found;
        for (const char* folder : {"core", "ui", "app", "python"}) {
            QDirIterator it(root + QLatin1String(folder), {QStringLiteral("*.cpp"), QStringLiteral("*.h")},
                            QDir::Files, QDirIterator::Subdirectories);
            while (it.hasNext()) {
                QFile file(it.next());
                QVERIFY(file.open(QIODevice::ReadOnly));
                if (QString::fromUtf8(file.readAll()).contains(kDoor))
                    found << file.fileName().mid(root.size());
            }
        }
        QCOMPARE(found, QStringList{QStringLiteral("core/base/json_reader.cpp")});
    }
};

TILEWRIGHT_TEST(TestJsonReader)

} // namespace test_json_reader
#include "test_json_reader.moc"
