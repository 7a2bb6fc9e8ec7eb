// SPDX-License-Identifier: GPL-3.0-or-later
// What people type into a field of numbers (core/base/typed_number.h), in the separators of four locales: the
// number that is meant, or a refusal in words; never silently another number.
#include "base/text.h"
#include "base/typed_number.h"
#include "test_main.h"

#include <QDirIterator>
#include <QLocale>
#include <QRegularExpression>
#include <QtTest>

#include <clocale>
#include <random>

namespace test_typed_number {

using namespace tilewright;

namespace {

constexpr double kRefused = -1e300, kBoth = -2e300; ///< refused; refused with both readings

struct Row
{
    const char *text, *unit; ///< unit of the field
    double c, de, fr;        ///< tr_TR is written as de_DE
};

// clang-format off
constexpr Row kRows[] = {
    {"0", "", 0, 0, 0},
    {"1", "", 1, 1, 1},
    {"007", "", 7, 7, 7},
    {"64", "", 64, 64, 64},
    {"  64  ", "", 64, 64, 64},
    {"+5", "", 5, 5, 5},
    {"-5", "", -5, -5, -5},
    {"\u22125", "", -5, -5, -5},
    {"", "", kRefused, kRefused, kRefused},
    {"   ", "", kRefused, kRefused, kRefused},
    {"many", "", kRefused, kRefused, kRefused},
    {"nan", "", kRefused, kRefused, kRefused},
    {"inf", "", kRefused, kRefused, kRefused},
    {"-inf", "", kRefused, kRefused, kRefused},
    {"0x10", "", kRefused, kRefused, kRefused},
    {"--5", "", kRefused, kRefused, kRefused},
    {"5-", "", kRefused, kRefused, kRefused},
    {"1+1", "", kRefused, kRefused, kRefused},
    {"½½", "", kRefused, kRefused, kRefused},
    {"1/2", "", kRefused, kRefused, kRefused},
    {"1.5", "", 1.5, 1.5, 1.5},
    {"1,5", "", kRefused, 1.5, 1.5},
    {"2,5", "", kRefused, 2.5, 2.5},
    {"0.5", "", 0.5, 0.5, 0.5},
    {"0,5", "", kRefused, 0.5, 0.5},
    {".5", "", 0.5, 0.5, 0.5},
    {",5", "", kRefused, 0.5, 0.5},
    {"5.", "", 5, 5, 5},
    {"5,", "", kRefused, 5, 5},
    {".", "", kRefused, kRefused, kRefused},
    {",", "", kRefused, kRefused, kRefused},
    {"1.25", "", 1.25, 1.25, 1.25},
    {"1,25", "", kRefused, 1.25, 1.25},
    {"1.125", "", 1.125, kBoth, 1.125},
    {"1,125", "", 1125, kBoth, kBoth},
    {"0.125", "", 0.125, 0.125, 0.125},
    {"0,125", "", kRefused, 0.125, 0.125},
    {"1.1250", "", 1.125, 1.125, 1.125},
    {"1,1250", "", kRefused, 1.125, 1.125},
    {"1.500", "", 1.5, kBoth, 1.5},
    {"1,500", "", 1500, kBoth, kBoth},
    {"12.345", "", 12.345, kBoth, 12.345},
    {"12,345", "", 12345, kBoth, kBoth},
    {"1234.567", "", 1234.567, 1234.567, 1234.567},
    {"1234,567", "", kRefused, 1234.567, 1234.567},
    {"1.000", "", 1, kBoth, 1},
    {"1,000", "", 1000, kBoth, kBoth},
    {"0.000", "", 0, 0, 0},
    {"1.234.567", "", kRefused, 1234567, kRefused},
    {"1,234,567", "", 1234567, 1234567, 1234567},
    {"1.234,5", "", kRefused, 1234.5, kRefused},
    {"1,234.5", "", 1234.5, 1234.5, 1234.5},
    {"1.234.567,89", "", kRefused, 1234567.89, kRefused},
    {"1,234,567.89", "", 1234567.89, 1234567.89, 1234567.89},
    {"1 234", "", 1234, 1234, 1234},
    {"1\u202f234", "", 1234, 1234, 1234},
    {"1\u00a0234", "", 1234, 1234, 1234},
    {"1\u2009234", "", 1234, 1234, 1234},
    {"12 345 678", "", 12345678, 12345678, 12345678},
    {"1 234,5", "", kRefused, 1234.5, 1234.5},
    {"1\u202f234,5", "", kRefused, 1234.5, 1234.5},
    {"1\u00a0234,5", "", kRefused, 1234.5, 1234.5},
    {"1 234.5", "", 1234.5, 1234.5, 1234.5},
    {"1\u202f234.5", "", 1234.5, 1234.5, 1234.5},
    {"1'234", "", 1234, 1234, 1234},
    {"1’234’567", "", 1234567, 1234567, 1234567},
    {"1_000_000", "", 1000000, 1000000, 1000000},
    {"1'234.5", "", 1234.5, 1234.5, 1234.5},
    {"1'234,5", "", kRefused, 1234.5, 1234.5},
    {"1 2", "", kRefused, kRefused, kRefused},
    {"12 34", "", kRefused, kRefused, kRefused},
    {"1 2345", "", kRefused, kRefused, kRefused},
    {"1234 567", "", kRefused, kRefused, kRefused},
    {"1,23,456", "", kRefused, kRefused, kRefused},
    {"1.23.456", "", kRefused, kRefused, kRefused},
    {"1,234.567.8", "", kRefused, kRefused, kRefused},
    {"1.2.3", "", kRefused, kRefused, kRefused},
    {"1,2,3", "", kRefused, kRefused, kRefused},
    {"1..5", "", kRefused, kRefused, kRefused},
    {"1,,5", "", kRefused, kRefused, kRefused},
    {"1 234'567", "", kRefused, kRefused, kRefused},
    {"0 123", "", kRefused, kRefused, kRefused},
    {"1 234.567", "", 1234.567, 1234.567, 1234.567},
    {"1e3", "", 1000, 1000, 1000},
    {"1E3", "", 1000, 1000, 1000},
    {"1e+3", "", 1000, 1000, 1000},
    {"1e-3", "", 0.001, 0.001, 0.001},
    {"1.5e3", "", 1500, 1500, 1500},
    {"1,5e3", "", kRefused, 1500, 1500},
    {"1e\u22123", "", 0.001, 0.001, 0.001},
    {"2 × 10⁶", "", 2000000, 2000000, 2000000},
    {"1.5×10³", "", 1500, 1500, 1500},
    {"1,5 × 10³", "", kRefused, 1500, 1500},
    {"3x10^2", "", 300, 300, 300},
    {"3*10^-2", "", 0.03, 0.03, 0.03},
    {"1.234 × 10⁻²", "", 0.01234, kBoth, 0.01234},
    {"1e400", "", kRefused, kRefused, kRefused},
    {"1e99999", "", kRefused, kRefused, kRefused},
    {"1e-400", "", 0, 0, 0},
    {"e3", "", kRefused, kRefused, kRefused},
    {"1e", "", kRefused, kRefused, kRefused},
    {"½", "", 0.5, 0.5, 0.5},
    {"1½", "", 1.5, 1.5, 1.5},
    {"1 ½", "", 1.5, 1.5, 1.5},
    {"¼", "", 0.25, 0.25, 0.25},
    {"2¾", "", 2.75, 2.75, 2.75},
    {"⅛", "", 0.125, 0.125, 0.125},
    {"-½", "", -0.5, -0.5, -0.5},
    {"1.5½", "", kRefused, kRefused, kRefused},
    {"4k", "", 4000, 4000, 4000},
    {"4K", "", 4000, 4000, 4000},
    {"4 k", "", 4000, 4000, 4000},
    {"4Ki", "", 4096, 4096, 4096},
    {"4ki", "", 4096, 4096, 4096},
    {"1.5k", "", 1500, 1500, 1500},
    {"1,5k", "", kRefused, 1500, 1500},
    {"2M", "", 2000000, 2000000, 2000000},
    {"2Mi", "", 2097152, 2097152, 2097152},
    {"1G", "", 1000000000, 1000000000, 1000000000},
    {"1Gi", "", 1073741824.0, 1073741824.0, 1073741824.0},
    {"½k", "", 500, 500, 500},
    {"4m", "", kRefused, kRefused, kRefused},
    {"4kk", "", kRefused, kRefused, kRefused},
    {"4 MHz", "", kRefused, kRefused, kRefused},
    {"4 B", "", kRefused, kRefused, kRefused},
    {"1e3k", "", 1000000, 1000000, 1000000},
    {"64 KiB", "B", 65536, 65536, 65536},
    {"64KiB", "B", 65536, 65536, 65536},
    {"64 kib", "B", 65536, 65536, 65536},
    {"64 kB", "B", 64000, 64000, 64000},
    {"64 KB", "B", 64000, 64000, 64000},
    {"64k", "B", 64000, 64000, 64000},
    {"64Ki", "B", 65536, 65536, 65536},
    {"1.5 MiB", "B", 1572864, 1572864, 1572864},
    {"1,5 MiB", "B", kRefused, 1572864, 1572864},
    {"½ MiB", "B", 524288, 524288, 524288},
    {"1 MB", "B", 1000000, 1000000, 1000000},
    {"8 bit", "B", 1, 1, 1},
    {"16 Mbit", "B", 2000000, 2000000, 2000000},
    {"16 Mb", "B", 2000000, 2000000, 2000000},
    {"16 mb", "B", kRefused, kRefused, kRefused},
    {"16 mB", "B", kRefused, kRefused, kRefused},
    {"1 GHz", "B", kRefused, kRefused, kRefused},
    {"512", "B", 512, 512, 512},
    {"512 bytes", "B", 512, 512, 512},
    {"64", "KiB", 64, 64, 64},
    {"64 KiB", "KiB", 64, 64, 64},
    {"1 MiB", "KiB", 1024, 1024, 1024},
    {"2048 B", "KiB", 2, 2, 2},
    {"64k", "KiB", kRefused, kRefused, kRefused},
    {"128 kB", "KiB", 125, 125, 125},
    {"500 MHz", "GHz", 0.5, 0.5, 0.5},
    {"500MHz", "GHz", 0.5, 0.5, 0.5},
    {"500 mhz", "GHz", 0.5, 0.5, 0.5},
    {"500 mHz", "GHz", kRefused, kRefused, kRefused},
    {"1.5", "GHz", 1.5, 1.5, 1.5},
    {"1,5", "GHz", kRefused, 1.5, 1.5},
    {"1,5 GHz", "GHz", kRefused, 1.5, 1.5},
    {"1e9 Hz", "GHz", 1, 1, 1},
    {"0.1 GHz", "MHz", 100, 100, 100},
    {"0.3 GHz", "MHz", 300, 300, 300},
    {"1.1 GHz", "MHz", 1100, 1100, 1100},
    {"700 MHz", "MHz", 700, 700, 700},
    {"1,2 GHz", "MHz", kRefused, 1200, 1200},
    {"3 GB/s", "GHz", kRefused, kRefused, kRefused},
    {"500 M", "GHz", kRefused, kRefused, kRefused},
    {"64 GB/s", "GB/s", 64, 64, 64},
    {"0.5 TB/s", "GB/s", 500, 500, 500},
    {"800 MB/s", "GB/s", 0.8, 0.8, 0.8},
    {"100 Gb/s", "GB/s", 12.5, 12.5, 12.5},
    {"100 Gbit/s", "GB/s", 12.5, 12.5, 12.5},
    {"100 gb/s", "GB/s", kRefused, kRefused, kRefused},
    {"100 Gbps", "GB/s", 12.5, 12.5, 12.5},
    {"1 GiB/s", "GB/s", 1.073741824, 1.073741824, 1.073741824},
    {"64 B/cycle", "B/cycle", 64, 64, 64},
    {"512 bit/cycle", "B/cycle", 64, 64, 64},
    {"64", "B/cycle", 64, 64, 64},
    {"500 ms", "s", 0.5, 0.5, 0.5},
    {"2 min", "s", 120, 120, 120},
    {"1.5 h", "s", 5400, 5400, 5400},
    {"1,5 h", "s", kRefused, 5400, 5400},
    {"250 µs", "s", 0.00025, 0.00025, 0.00025},
    {"250 us", "s", 0.00025, 0.00025, 0.00025},
    {"10 s", "s", 10, 10, 10},
    {"10s", "s", 10, 10, 10},
    {"10 m", "s", kRefused, kRefused, kRefused},
    {"1 S", "s", 1, 1, 1},
    {"½ min", "s", 30, 30, 30},
    {"0.5 nJ", "pJ", 500, 500, 500},
    {"200 fJ", "pJ", 0.2, 0.2, 0.2},
    {"5 pJ", "pJ", 5, 5, 5},
    {"5", "pJ", 5, 5, 5},
    {"12 cycles", "cycles", 12, 12, 12},
    {"2 kcycles", "cycles", 2000, 2000, 2000},
    {"5 %", "%", 5, 5, 5},
    {"5%", "%", 5, 5, 5},
    {"5", "%", 5, 5, 5},
    {"11 pt", "pt", 11, 11, 11},
    {"5 %", "", kRefused, kRefused, kRefused},
    {"1.2", "cycles/byte", 1.2, 1.2, 1.2},
    {"12 345.6", "", 12345.6, 12345.6, 12345.6},
    {"1\u202f234.50", "", 1234.5, 1234.5, 1234.5},};
// clang-format on

NumberStyle styleOf(const QLocale& locale)
{
    return {locale.decimalPoint().toStdString(), locale.groupSeparator().toStdString()};
}

} // namespace

class TestTypedNumber : public QObject
{
    Q_OBJECT

private slots:
    void table_data()
    {
        QTest::addColumn<NumberStyle>("style");
        QTest::addColumn<double Row::*>("column");
        const auto row = [](const char* name, const NumberStyle& style, double Row::*column) {
            QTest::newRow(name) << style << column;
        };
        row("C", {}, &Row::c);
        row("C by Qt", styleOf(QLocale::c()), &Row::c);
        row("en_US", styleOf(QLocale(QStringLiteral("en_US"))), &Row::c);
        row("de_DE", styleOf(QLocale(QStringLiteral("de_DE"))), &Row::de);
        row("tr_TR", styleOf(QLocale(QStringLiteral("tr_TR"))), &Row::de);
        row("fr_FR", styleOf(QLocale(QStringLiteral("fr_FR"))), &Row::fr);
        row("fr_FR with no-break spaces", {",", "\u00a0"}, &Row::fr);
    }
    void table()
    {
        QFETCH(NumberStyle, style);
        QFETCH(double Row::*, column);
        static_assert(std::size(kRows) >= 200);
        for (const Row& row : kRows) {
            const auto read = readNumber(row.text, row.unit, style);
            const double expected = row.*column;
            const QByteArray what = QByteArray(row.text) + " [" + row.unit +
                                    "]: " + (read ? formatNumber(*read) : read.error().text()).c_str();
            if (expected == kRefused || expected == kBoth) {
                QVERIFY2(!read, what.constData());
                QCOMPARE(read.error().message.find("can be read as") != std::string::npos, expected == kBoth);
                QVERIFY2(read.error().message.size() < 400, what.constData());
            } else {
                QVERIFY2(read && std::abs(*read - expected) <= 1e-15 * std::abs(expected), what.constData());
            }
        }
    }

    /// With the locale of the C library set, too: nothing depends on it.
    void theLocaleOfTheProcessDoesNotMatter()
    {
        const std::string before = std::setlocale(LC_ALL, nullptr);
        for (const char* name : {"tr_TR.UTF-8", "de_DE.UTF-8", "fr_FR.UTF-8", "C"})
            if (std::setlocale(LC_ALL, name))
                for (const Row& row : kRows)
                    if (row.c > kRefused)
                        QVERIFY2(readNumber(row.text, row.unit).hasValue(), row.text);
        std::setlocale(LC_ALL, before.c_str());
    }

    void refusalsAreSentences()
    {
        const auto why = [](const char* text, const char* unit, const NumberStyle& style) {
            return readNumber(text, unit, style).error().message;
        };
        const NumberStyle de{",", "."};
        QCOMPARE(why("1,5", "GHz", {}),
                 std::string("\"1,5\" is not clear: the decimal separator is \".\"; write 1.5"));
        QCOMPARE(why("1,500", "", de),
                 std::string("\"1,500\" can be read as 1.5000 or as 1500; write one of these"));
        QCOMPARE(why("1.125", "", de),
                 std::string("\"1.125\" can be read as 1125 or as 1.1250; write one of these"));
        QCOMPARE(why("many", "", {}), std::string("expected a number, got \"many\""));
        QCOMPARE(why("5 gb/s", "GB/s", {}),
                 std::string("\"5 gb/s\": the unit \"gb/s\" can mean GB/s or Gb/s"));
        QCOMPARE(why("5 furlongs", "GHz", {}),
                 std::string("\"5 furlongs\": unknown unit \"furlongs\"; known are Hz, kHz, MHz, GHz, THz"));
        QCOMPARE(why("1e400", "", {}), std::string("\"1e400\" is too large"));
        // What a refusal proposes is accepted.
        QCOMPARE(*readNumber("1.5000", {}, de), 1.5);
        QCOMPARE(*readNumber("1.1250", {}, de), 1.125);
    }

    void longTextsAreCut()
    {
        const std::string message = readNumber(std::string(309, '9') + "x").error().message;
        QVERIFY2(message.size() < 300, message.c_str());
        QCOMPARE(quotedExcerpt("a\x1b[31m\n"), std::string("\"a␛[31m␊\""));
        QCOMPARE(quotedExcerpt(std::string(41, 'x')), '"' + std::string(40, 'x') + "...\"");
    }

    void wholeNumbers()
    {
        QCOMPARE(*readInteger("4Ki"), std::int64_t{4096});
        QCOMPARE(*readInteger("1e3"), std::int64_t{1000});
        QCOMPARE(*readInteger("1.5k"), std::int64_t{1500});
        QVERIFY(!readInteger("2.5"));
        QVERIFY(!readInteger("1e17"));
        QCOMPARE(*readInteger("-9007199254740992"), -(std::int64_t{1} << 53));
    }

    /// What the program shows can be typed back, in every locale.
    void shownNumbersReadBack()
    {
        std::mt19937_64 random(3);
        for (const NumberStyle& style : {NumberStyle{}, NumberStyle{",", "."}, NumberStyle{",", "\u202f"}})
            for (int i = 0; i < 2000; ++i) {
                const auto bytes = static_cast<std::int64_t>(random() >> (1 + random() % 62));
                const double value = static_cast<double>(bytes % 100'000'000) / 10;
                QCOMPARE(*readNumber(formatGrouped(value), {}, style), value);
                QVERIFY(readNumber(bytesText(bytes), "B", style).hasValue());
                QVERIFY(readNumber(secondsText(value), "s", style).hasValue() || style.group == ".");
                QVERIFY(readNumber(scientific(value, 4), {}, style).hasValue());
            }
    }

    /// Qt's own spin boxes read "2,5" as 25; NumberBox and DecimalBox are the fields of the window.
    void theWindowHasNoOtherSpinBoxes()
    {
        static const QRegularExpression kOther(QStringLiteral("\\b(?:new|public) Q(?:Double)?SpinBox\\b"));
        const QString root = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/");
        QDirIterator it(root + QLatin1String("ui"), {QStringLiteral("*.cpp"), QStringLiteral("*.h")},
                        QDir::Files, QDirIterator::Subdirectories);
        int files = 0;
        for (; it.hasNext(); ++files) {
            QFile file(it.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            QVERIFY2(!kOther.match(QString::fromUtf8(file.readAll())).hasMatch(),
                     qPrintable(file.fileName()));
        }
        QVERIFY2(files > 200, "the sources were not found");
    }

    /// No bytes crash it, and no answer is infinite.
    void anyText()
    {
        std::mt19937 random(4);
        const std::string letters = "0123456789.,' eEx+-kKMGiBbHz/s\u00bd\u202f\u00b2\xff\n%";
        for (int i = 0; i < 100'000; ++i) {
            std::string text;
            for (unsigned n = random() % 12; n > 0; --n)
                text += letters[random() % letters.size()];
            for (const char* unit : {"", "B", "GHz", "s"})
                if (const auto read = readNumber(text, unit, {",", "."}))
                    QVERIFY(std::isfinite(*read));
                else
                    QVERIFY(!read.error().message.empty());
        }
    }
};

TILEWRIGHT_TEST(TestTypedNumber)

} // namespace test_typed_number
#include "test_typed_number.moc"
