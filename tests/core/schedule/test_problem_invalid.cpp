// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "schedule/schedule_json.h"
#include "test_main.h"
#include "workload/problem_json.h"

#include <QtTest>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

namespace test_problem_invalid {

using namespace tilewright;
using Json = nlohmann::json;

namespace {

const std::string kData = TILEWRIGHT_SOURCE_DIR "/tests/data/";

std::string problemText()
{
    return *readFile(kData + "valid/chain.problem.json");
}

ProblemPtr problem()
{
    return *readProblem(problemText(), "chain");
}

/// Adds one row per line of FOLDER/expected.jsonl, and checks that every file of the folder has one.
void addRows(const std::string& folder)
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("reason");
    std::ifstream in(kData + folder + "/expected.jsonl");
    std::string line;
    std::ptrdiff_t rows = 0;
    while (std::getline(in, line)) {
        const Json row = Json::parse(line);
        const auto text = [&](const char* key) {
            return QString::fromStdString(row[key].get<std::string>());
        };
        QTest::newRow(row["file"].get<std::string>().c_str())
            << text("file") << text("path") << text("reason");
        ++rows;
    }
    const auto files = std::filesystem::directory_iterator(kData + folder);
    QCOMPARE(std::count_if(begin(files), end(files),
                           [](const auto& e) { return e.path().extension() == ".json"; }),
             rows);
}

void compare(const Error& error, const std::string& file)
{
    QFETCH(QString, path);
    QFETCH(QString, reason);
    QCOMPARE(QString::fromStdString(error.path), path);
    QCOMPARE(QString::fromStdString(error.message), reason);
    QCOMPARE(error.file, file);
    QCOMPARE(QString::fromStdString(error.text()),
             QString::fromStdString(file) + ": " + (path.isEmpty() ? QString() : path + ": ") + reason);
}

std::string replaced(std::string text, const std::string& what, const std::string& with)
{
    return text.replace(text.find(what), what.size(), with);
}

} // namespace

/// Every malformed input gives one sentence with file, JSON path and reason; nothing crashes or hangs.
class TestProblemInvalid : public QObject
{
    Q_OBJECT

private slots:
    void problemFiles_data() { addRows("invalid"); }
    void problemFiles()
    {
        QFETCH(QString, file);
        const std::string path = kData + "invalid/" + file.toStdString();
        const auto result = loadProblem(path);
        QVERIFY(!result);
        compare(result.error(), path);
    }

    void scheduleFiles_data() { addRows("invalid_schedule"); }
    void scheduleFiles()
    {
        QFETCH(QString, file);
        const std::string path = kData + "invalid_schedule/" + file.toStdString();
        const auto result = loadSchedule(*problem(), path);
        QVERIFY(!result);
        compare(result.error(), path);
    }

    void filesThatCannotBeRead()
    {
        const auto missing = loadProblem("/nowhere/at/all.json");
        QVERIFY(!missing && missing.error().code == ErrorCode::Io);
        QVERIFY(missing.error().text().starts_with("/nowhere/at/all.json: "));
        const auto folder = loadProblem(kData);
        QVERIFY(!folder && folder.error().code == ErrorCode::Io);
    }

    void hundredMegabytesOfBrackets()
    {
        QTemporaryDir dir;
        const std::string path = dir.filePath("brackets.json").toStdString();
        {
            std::ofstream out(path, std::ios::binary);
            const std::string block(1 << 20, '[');
            for (int i = 0; i < 100; ++i)
                out << block;
        }
        const auto result = loadProblem(path);
        QVERIFY(!result && result.error().code == ErrorCode::Io);
        QVERIFY2(result.error().message.find("larger than") != std::string::npos,
                 result.error().text().c_str());
    }

    /// Texts too large to keep in the tree; all are below the limit of a file, so that the parser sees them.
    void largeTexts_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const std::string& text, const char* reason) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << QString(reason);
        };
        constexpr std::size_t kMany = 4'000'000;
        row("opening brackets", std::string(kMany, '['), "nested more than 64 levels deep");
        row(
            "opening braces",
            [] {
                std::string text;
                for (int i = 0; i < 1'000'000; ++i)
                    text += "{\"a\":";
                return text;
            }(),
            "nested more than 64 levels deep");
        row("closing brackets", std::string(kMany, ']'), "not valid JSON at line 1, column 1");
        row("a long number", "[" + std::string(kMany, '9') + "]", "a number is too large");
        row("a long text", "[\"" + std::string(kMany, 'x') + "\"]", "expected an object, got a list of 1");
        row("an unclosed long text", "[\"" + std::string(kMany, 'x'), "missing closing quote");
        row("blanks", std::string(kMany, ' '), "the file is empty");
        row("zero bytes", std::string(kMany, '\0'), "there is a zero byte at line 1, column 1");
        row("invalid UTF-8", "[\"" + std::string(1000, '\xff') + "\"]", "ill-formed UTF-8 byte");
        row("overlong UTF-8", "[\"\xc0\xaf\"]", "ill-formed UTF-8 byte");
        row("a long line", std::string(kMany, '\n') + "?", "not valid JSON at line 4000001, column 1");
        row(
            "many fields",
            [] {
                std::string text = "{";
                for (int i = 0; i < 500'000; ++i)
                    text += "\"field" + std::to_string(i) + "\":0,";
                return text + "\"last\":0}";
            }(),
            "one object has more than 2000 fields");
        std::string zeros = "0";
        for (int i = 0; i < 400'000; ++i)
            zeros += ",0";
        row("many widths", "{\"widths\": [" + zeros + "]}",
            "widths[0]: expected an integer from 1 to 2^31, got 0");
    }
    void largeTexts()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, reason);
        const auto p = readProblem(text.toStdString(), "large.json");
        QVERIFY(!p);
        QVERIFY2(QString::fromStdString(p.error().text()).contains(reason), p.error().text().c_str());
        QVERIFY(p.error().text().size() < 400);
        QVERIFY(!readSchedule(*problem(), text.toStdString(), "large.json"));
    }

    void manyViolationsAreCapped()
    {
        std::string ops = "9";
        for (int i = 0; i < 300'000; ++i)
            ops += ",9";
        const auto loaded = readSchedule(*problem(),
                                         "{\"subgraphs\": [[" + ops +
                                             "]], \"granularities\": [[1,1,1]], \"tensors_to_retain\": [[]]}",
                                         "many.json");
        QVERIFY(loaded.hasValue());
        QCOMPARE(loaded->formatIssues.size(), 1000u);
    }

    void messagesStayOnOneLine()
    {
        const auto result = readProblem(
            replaced(problemText(), "\"MatMul\"", "\"Mat\\nMul\\u0007" + std::string(100, 'x') + "\""),
            "p.json");
        QVERIFY(!result);
        const std::string text = result.error().text();
        QVERIFY2(text.find('\n') == std::string::npos && text.find('\a') == std::string::npos &&
                     text.size() < 150,
                 text.c_str());
    }

    /// Every prefix of good files: an error, never a crash.
    void everyTruncation()
    {
        const std::string p = problemText();
        const std::string s = *readFile(kData + "valid/chain.schedule.json");
        QVERIFY(readProblem(p, "p").hasValue());
        const ProblemPtr good = problem();
        QVERIFY(readSchedule(*good, s, "s").hasValue());
        for (std::size_t n = 0; n < p.find_last_of('}'); ++n)
            QVERIFY(!readProblem(p.substr(0, n), "p"));
        for (std::size_t n = 0; n < s.find_last_of('}'); ++n)
            QVERIFY(!readSchedule(*good, s.substr(0, n), "s"));
    }

    /// Random bytes changed in good files: anything but a crash; what is accepted can be written and read
    /// again.
    void randomDamage()
    {
        const std::string p = problemText();
        const std::string s = *readFile(kData + "valid/chain.schedule.json");
        const ProblemPtr good = problem();
        std::uint64_t state = 1;
        const auto random = [&](std::size_t n) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            return static_cast<std::size_t>(state >> 33) % n;
        };
        const std::string alphabet = "0123456789-+.eE[]{},:\" \\nulltrue\xff\x01";
        int accepted = 0;
        for (int i = 0; i < 60'000; ++i) {
            const bool schedule = i % 2 == 1;
            std::string text = schedule ? s : p;
            for (std::size_t changes = 1 + random(3); changes > 0; --changes)
                text[random(text.size())] = alphabet[random(alphabet.size())];
            if (schedule) {
                const auto loaded = readSchedule(*good, text, "s");
                if (!loaded || !loaded->formatIssues.empty())
                    continue;
                const auto again = readSchedule(*good, *writeSchedule(*good, loaded->schedule), "again");
                QVERIFY2(again && again->schedule == loaded->schedule, text.c_str());
            } else {
                const auto loaded = readProblem(text, "p");
                if (!loaded)
                    continue;
                const auto again = readProblem(writeProblem(**loaded), "again");
                QVERIFY2(again.hasValue(), text.c_str());
                QVERIFY((*again)->data().ops == (*loaded)->data().ops);
            }
            ++accepted;
        }
        QVERIFY2(accepted > 500 && accepted < 57'000, qPrintable(QString::number(accepted)));
    }
};

TILEWRIGHT_TEST(TestProblemInvalid)

} // namespace test_problem_invalid
#include "test_problem_invalid.moc"
