// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes become text at one door (core/base/utf8.h), JSON is written by one function, and shells and
// spreadsheets get words that they do not execute.
#include "base/json_reader.h"
#include "base/notice.h"
#include "base/text.h"
#include "base/utf8.h"
#include "lower/machine_lenses.h"
#include "model/topology.h"
#include "report/html_report.h"
#include "test_main.h"

#include <QDir>
#include <QDirIterator>
#include <QProcess>
#include <QRegularExpression>
#include <QStringDecoder>
#include <QtTest>

#include <random>

namespace test_foreign_text {

using namespace tilewright;

namespace {

const QString kRoot = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/");

/// Bytes of every kind: ASCII, other characters, parts of characters, and bytes that are in no UTF-8.
std::string randomBytes(std::mt19937& random)
{
    constexpr std::array<std::string_view, 12> kParts = {"a",
                                                         "\n",
                                                         "\x1b[31m",
                                                         "\xc3\xa4",
                                                         "\xe4",
                                                         "\xef\xbf\xbe",
                                                         "\xe2\x80",
                                                         "\xf0\x9f\x98\x80",
                                                         "\xed\xa0\x80",
                                                         "\xff",
                                                         "<b>",
                                                         "\xc2\x85"};
    std::string out;
    for (unsigned n = random() % 8; n > 0; --n)
        out += kParts[random() % kParts.size()];
    return out;
}

bool isShownText(const std::string& text)
{
    for (std::string_view rest = text; !rest.empty();) {
        const Utf8Character c = firstCharacter(rest);
        if (c.length == 0 || !isShown(c.code))
            return false;
        rest.remove_prefix(c.length);
    }
    return true;
}

} // namespace

class TestForeignText : public QObject
{
    Q_OBJECT

private slots:
    void everyCodePointReadsBack()
    {
        for (char32_t code = 0; code < 0x110000; ++code) {
            std::string text;
            appendUtf8(text, code);
            const Utf8Character c = firstCharacter(text);
            const bool isSurrogate = code >= 0xd800 && code < 0xe000;
            QCOMPARE(c.length, isSurrogate ? std::size_t{0} : text.size());
            QVERIFY(isSurrogate || c.code == code);
        }
        for (const char* bad : {"\x80", "\xc0\xaf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
                                "\xe4"
                                "a",
                                "\xc3"})
            QVERIFY(!isUtf8(bad));
    }

    /// Qt knows Windows-1252 through ICU or not at all, so the 27 characters stand here.
    void otherBytesAreWindows1252()
    {
        std::string bytes;
        for (int i = 0x80; i < 0x100; ++i)
            bytes += static_cast<char>(i);
        QString expected = QStringLiteral("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ");
        for (int i = 0xa0; i < 0x100; ++i)
            expected += QChar(i);
        QCOMPARE(QString::fromStdString(textOfBytes(bytes, "a")), expected);
        QCOMPARE(textOfBytes("Stra\xc3\x9f"
                             "e, Stra\xdf"
                             "e",
                             "b"),
                 std::string("Straße, Straße"));
    }

    void aFileIsToldOnceWithItsLine()
    {
        std::vector<std::string> told;
        setNoticeHandler([&](const Error& what) { told.push_back(what.text()); });
        QCOMPARE(textOfBytes("a\nb\nc\xe4\nd\xe4", "once.csv"), std::string("a\nb\ncä\ndä"));
        (void)textOfBytes("\xe4", "once.csv");
        (void)textOfBytes("ä", "none.csv");
        setNoticeHandler({});
        QCOMPARE(told, std::vector<std::string>{
                           "once.csv: line 3: bytes that are not UTF-8 are read as Windows-1252"});
    }

    void printableIsOneLineOfShownText()
    {
        QCOMPARE(printable("plain ä 😀"), std::string("plain ä 😀"));
        QCOMPARE(printable("a\x1b[31m\r\n\t\x7f"), std::string("a␛[31m␍␊␉␡"));
        QCOMPARE(printable(std::string_view("\0", 1)), std::string("␀"));
        QCOMPARE(printable("\u202eab\u0085\ufffe\U0001fffe"),
                 std::string("[U+202E]ab[U+0085][U+FFFE][U+1FFFE]"));
        QCOMPARE(printableLines("a\x1b\nb\n"), std::string("a␛\nb\n"));
        std::mt19937 random(1);
        for (int i = 0; i < 20'000; ++i) {
            const std::string bytes = randomBytes(random);
            const std::string text = printable(bytes);
            QVERIFY(isShownText(text));
            QCOMPARE(printable(text), text);
            QVERIFY(isUtf8(textOfBytes(bytes, {})));
            QVERIFY(isShownText(escapeMarkup(bytes)));
        }
    }

    void jsonIsWrittenFromAnyBytes()
    {
        std::mt19937 random(2);
        for (int i = 0; i < 20'000; ++i) {
            const std::string bytes = randomBytes(random);
            const std::string text = jsonText(Json{{bytes, {bytes, 1}}}, static_cast<int>(random() % 3) - 1);
            QVERIFY(isUtf8(text));
            QVERIFY(parseJson(text, "j").hasValue());
        }
    }

    /// dump() throws at bytes that are not UTF-8. That ended the window in its own autosave.
    void nobodyElseDumpsJson()
    {
        static const QRegularExpression kDump(QStringLiteral("(?:\\.|->)\\s*dump\\s*\\("));
        QStringList strays;
        int files = 0;
        for (const char* layer : {"core", "ui", "app", "python"}) {
            QDirIterator it(kRoot + QLatin1String(layer), {QStringLiteral("*.cpp"), QStringLiteral("*.h")},
                            QDir::Files, QDirIterator::Subdirectories);
            for (; it.hasNext(); ++files) {
                QFile file(it.next());
                QVERIFY(file.open(QIODevice::ReadOnly));
                if (kDump.match(QString::fromUtf8(file.readAll())).hasMatch())
                    strays << QDir(kRoot).relativeFilePath(file.fileName());
            }
        }
        QVERIFY2(files > 300, "the sources were not found");
        QCOMPARE(strays, QStringList{QStringLiteral("core/base/json_reader.cpp")});
    }

    void namesOfFilesArePrintable()
    {
        const auto model =
            model::readTopology("Layer, M, N, K,\nSchicht_\xe4\x1b[2J, 96, 640, 192,\n", "folder/l\xff.csv");
        QVERIFY2(model.hasValue(), model ? "" : model.error().text().c_str());
        QCOMPARE(model->operators.raw().front().name, std::string("Schicht_ä␛[2J"));
        QCOMPARE(model->name, std::string("lÿ"));
        const auto json = parseJson("{\"name\": \"a\\nb\\u001b\"}", "j");
        QVERIFY(json.hasValue());
        QCOMPARE(*JsonCursor(*json, "j").member("name")->string(), std::string("a␊b␛"));
    }

    /// Another tool may have a field of this name. It was indexed as an object, which throws.
    void aForeignFieldDimensionsIsReplaced()
    {
        const Machine machine = *machinePreset("edge");
        for (const char* extra : {"{\"dimensions\": \"rows=1\"}", "{\"dimensions\": [1]}", "{}", ""}) {
            const std::string text = lower::withMachineField(extra, machine, {{"rows", 1}});
            QCOMPARE(lower::dimensionsField(text), (onnx::Dimensions{{"rows", 1}}));
        }
    }

    void shellWords()
    {
        QCOMPARE(shellWord("rows=1"), std::string("rows=1"));
        QCOMPARE(shellWord("past_sequence_length + 1=128"), std::string("'past_sequence_length + 1=128'"));
        for (const char* text : {"", "$(touch x)", "it's", "a\nb", "*", "`x`", "\\", "~", "!x", "a;b", "-x"})
            for (const auto& word : {shellWord(text), shellQuoted(text)}) {
                QProcess shell;
                shell.start(QStringLiteral("sh"),
                            {QStringLiteral("-c"), QString::fromStdString("printf '[%s]' " + word)});
                QVERIFY(shell.waitForFinished());
                QCOMPARE(shell.readAllStandardOutput().toStdString(), "[" + std::string(text) + "]");
            }
    }

    void spreadsheetsGetNoFormulas_data()
    {
        QTest::addColumn<QString>("cell");
        QTest::addColumn<QString>("field");
        const auto row = [](const char* cell, const char* field) {
            QTest::addRow("%s", cell) << QString::fromUtf8(cell) << QString::fromUtf8(field);
        };
        row("=1+1", "'=1+1");
        row("@SUM(A1)", "'@SUM(A1)");
        row("+cmd", "'+cmd");
        row("-x,\"y\"", "\"'-x,\"\"y\"\"\"");
        row("-1.5", "-1.5");
        row("+2e3", "+2e3");
        row("a=b", "a=b");
        row("", "");
    }
    void spreadsheetsGetNoFormulas()
    {
        QFETCH(QString, cell);
        QFETCH(QString, field);
        QCOMPARE(QString::fromStdString(csvField(cell.toStdString())), field);
    }
};

TILEWRIGHT_TEST(TestForeignText)

} // namespace test_foreign_text
#include "test_foreign_text.moc"
