// SPDX-License-Identifier: GPL-3.0-or-later
// The number texts of core/base/text.h, and that nobody writes numbers for people in another way.
#include "base/text.h"
#include "test_main.h"

#include <QDir>
#include <QDirIterator>
#include <QRegularExpression>
#include <QtTest>

#include <random>

namespace test_text {

using namespace tilewright;

namespace {

const QString kRoot = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/");

QString content(const QString& path)
{
    QFile file(kRoot + path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// Where a number is made into a text by other means than the two homes.
QStringList straysIn(const QString& path, const QString& code)
{
    static const QRegularExpression kStray(QStringLiteral(
        "\\b\\w*printf\\s*\\(|\\bo?stringstream\\b|\\bsetprecision\\b|\\bsetNum\\(|\\bQLocale\\b(?!>)|"
        "\\bstd::(?:fixed|scientific|format|to_chars)\\b|"
        "\\bQString::number\\([^;]*?,\\s*'[efgEFG]'|\\.arg\\([^;\"]*?,\\s*'[efgEFG]'"));
    QStringList out;
    for (auto it = kStray.globalMatch(code); it.hasNext();) {
        const auto match = it.next();
        out << QStringLiteral("%1:%2: %3")
                   .arg(path)
                   .arg(code.left(match.capturedStart()).count(QLatin1Char('\n')) + 1)
                   .arg(match.captured().simplified());
    }
    return out;
}

} // namespace

class TestText : public QObject
{
    Q_OBJECT

private slots:
    void forms_data()
    {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::string>("expected");
        const auto row = [](const char* expected, const std::string& text) {
            QTest::addRow("%s", expected) << text << std::string(expected);
        };
        row("0", formatGrouped(0.0));
        row("0.0", fixedNumber(-0.04, 1));
        row("999.9", formatGrouped(999.94));
        row("1\u202f000", formatGrouped(999.96));
        row("6\u202f796.6", formatGrouped(6796.55));
        row("\u22121\u202f234\u202f567.2", formatGrouped(-1234567.25));
        row("1.234 × 10¹⁷", formatGrouped(1.2340001e17));
        row("–", formatGrouped(std::numeric_limits<double>::infinity()));
        row("\u22129\u202f223\u202f372\u202f036\u202f854\u202f775\u202f808",
            formatGrouped(std::numeric_limits<std::int64_t>::min()));
        row("100", formatGrouped(std::size_t{100}));
        row("1\u202f234.50", fixedNumber(1234.5, 2));
        row("0.00", fixedNumber(-0.001, 2));
        row("0.0123", significantNumber(0.01234));
        row("1.23", significantNumber(1.2345));
        row("1\u202f000", significantNumber(999.7));
        row("12\u202f345", significantNumber(12345.4));
        row("\u221212.3k", shortNumber(-12345));
        row("1k", shortNumber(999.7));
        row("9.865 × 10¹⁴", scientific(9.8654e14));
        row("1.000 × 10⁻³", scientific(0.00099999));
        row("12.4\u00a0%", percent(0.12399));
        row("\u221212.40\u00a0%", percent(-0.124, 2));
        row("+0.004", signedNumber(0.004));
        row("±0\u00a0%", signedPercent(0));
        row("+0.03\u00a0%", signedPercent(0.0003));
        row("512\u00a0B", bytesText(512));
        row("1.5\u00a0KiB", bytesText(1536));
        row("11.7\u00a0µs", secondsText(0.0000117));
        row("0.523\u00a0ms", secondsText(0.000523));
        row("99.9\u00a0ms", secondsText(0.0999));
        row("0.1\u00a0s", secondsText(0.1));
        row("1\u202f234\u00a0s", secondsText(1234.4));
    }
    void forms()
    {
        QFETCH(std::string, text);
        QTEST(text, "expected");
    }

    /// Without the spaces and with an ASCII minus it is the number, to the digits that are shown.
    void groupedNumbersReadBack()
    {
        std::mt19937_64 random(7);
        for (int i = 0; i < 1000; ++i) {
            const double magnitude = std::pow(10, std::uniform_real_distribution(-3.0, 14.0)(random));
            const double value = i % 2 ? magnitude : -magnitude;
            QString text = QString::fromStdString(formatGrouped(value));
            static const QRegularExpression kForm(
                QStringLiteral("^\u2212?\\d{1,3}(\u202f\\d{3})*(\\.[1-9])?$"));
            QVERIFY2(kForm.match(text).hasMatch(), qPrintable(text));
            text.remove(QChar(0x202F)).replace(QChar(0x2212), QLatin1Char('-'));
            QVERIFY2(std::abs(text.toDouble() - value) <= 0.05 + std::abs(value) * 1e-15, qPrintable(text));
        }
    }

    void nobodyElseWritesNumbers()
    {
        // Not for people, or not numbers.
        static const QMap<QString, QString> kAllowed{
            {QStringLiteral("core/base/text.cpp"), QStringLiteral("the home")},
            {QStringLiteral("ui/workspace/texts.cpp"), QStringLiteral("separators, to read numbers")},
            {QStringLiteral("app/manual/program.cpp"), QStringLiteral("messages of the parser")},
            {QStringLiteral("app/cli/command_line.cpp"), QStringLiteral("keeps what a verb prints")},
            {QStringLiteral("ui/window/session_store.cpp"), QStringLiteral("a date")},
            {QStringLiteral("ui/export/export_report.cpp"), QStringLiteral("a date")},
            {QStringLiteral("ui/export/svg_device.cpp"), QStringLiteral("coordinates of a file")},
            {QStringLiteral("ui/chart/plot_paint.cpp"), QStringLiteral("set for the library's own use")},
        };
        QStringList strays;
        int files = 0;
        for (const char* layer : {"core", "ui", "app"}) {
            QDirIterator it(kRoot + QLatin1String(layer), {QStringLiteral("*.cpp"), QStringLiteral("*.h")},
                            QDir::Files, QDirIterator::Subdirectories);
            for (; it.hasNext(); ++files) {
                const QString path = QDir(kRoot).relativeFilePath(it.next());
                const QStringList found = straysIn(path, content(path));
                QVERIFY2(!kAllowed.contains(path) || !found.isEmpty(), qPrintable(path + " needs no leave"));
                if (!kAllowed.contains(path))
                    strays += found;
            }
        }
        QVERIFY2(files > 300, "the sources were not found");
        QVERIFY2(strays.isEmpty(), qPrintable(strays.join(QLatin1Char('\n'))));
    }

    /// The test itself: strays are found.
    void straysAreFound_data()
    {
        QTest::addColumn<bool>("stray");
        QTest::newRow("std::snprintf(text, sizeof text, \"%.2f\", value);") << true;
        QTest::newRow("std::ostringstream out;") << true;
        QTest::newRow("out << std::setprecision(4) << ratio;") << true;
        QTest::newRow("QString::number(std::abs(v) * 100, 'g', 3)") << true;
        QTest::newRow("QString::number(\n    v,\n    'f', 1)") << true;
        QTest::newRow("tr(\"%1 s\").arg(r.seconds, 0, 'f', 2)") << true;
        QTest::newRow("QLocale().toString(v)") << true;
        QTest::newRow("QString::number(index)") << false;
        QTest::newRow("QString::number(address, 16)") << false;
        QTest::newRow("tr(\"%1\").arg(name, number(v))") << false;
        QTest::newRow("std::to_string(i)") << false;
    }
    void straysAreFound()
    {
        QTEST(!straysIn(QStringLiteral("x.cpp"), QString::fromUtf8(QTest::currentDataTag())).isEmpty(),
              "stray");
    }
};

TILEWRIGHT_TEST(TestText)

} // namespace test_text
#include "test_text.moc"
