// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "chart/axis.h"
#include "chart/lane.h"
#include "chart/plot_paint.h"
#include "test_main.h"
#include "theme/icon.h"
#include "theme/text.h"
#include "theme/theme.h"

#include <QApplication>
#include <QFontInfo>
#include <QGuiApplication>
#include <QPainter>
#include <QTest>
#include <QTextDocument>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace test_theme {

using namespace tilewright::ui;
using tilewright::formatGrouped;

namespace {

using Triple = std::array<double, 3>;
using Sight = std::array<Triple, 3>; ///< what becomes of linear red, green and blue

/// Normal sight, and none of one of the three kinds of cones (Machado, Oliveira, Fernandes 2009).
constexpr std::array<Sight, 4> kSights{
    {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
     {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
     {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
     {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}}};

double linear(double c)
{
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double row(const Triple& factors, const Triple& of)
{
    return factors[0] * of[0] + factors[1] * of[1] + factors[2] * of[2];
}

/// L*, a*, b* of a colour as it is seen.
Triple seen(const QColor& colour, const Sight& sight)
{
    const Triple own{linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF())};
    Triple rgb{};
    for (std::size_t i = 0; i < 3; ++i)
        rgb[i] = std::clamp(row(sight[i], own), 0.0, 1.0);
    const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
    const double x = f(row({0.4124, 0.3576, 0.1805}, rgb) / 0.95047);
    const double y = f(row({0.2126, 0.7152, 0.0722}, rgb));
    const double z = f(row({0.0193, 0.1192, 0.9505}, rgb) / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

} // namespace

class TestTheme : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    /// docs/design.md 4.8.
    void categoriesAreToldApartInEverySight()
    {
        for (const Theme* t : {&Theme::light(), &Theme::darkTheme()})
            for (const Sight& sight : kSights)
                for (std::size_t i = 0; i < t->categorical.size(); ++i)
                    for (std::size_t j = i + 1; j < t->categorical.size(); ++j) {
                        const Triple a = seen(t->category(i), sight), b = seen(t->category(j), sight);
                        const double apart = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
                        QVERIFY2(apart >= 24, qPrintable(t->category(i).name() + t->category(j).name()));
                    }
    }
    void textReadsOnItsBackground_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void textReadsOnItsBackground()
    {
        QFETCH(bool, dark);
        const Theme& t = dark ? Theme::darkTheme() : Theme::light();
        for (const QColor& text : {t.text, t.muted, t.accent, t.error, t.warning, t.ok}) {
            QVERIFY2(contrast(text, t.canvas) >= 4.5, qPrintable(text.name()));
            QVERIFY2(contrast(text, t.panel) >= 4.5, qPrintable(text.name()));
        }
        QVERIFY(contrast(t.text, t.selection) >= 4.5);
        for (std::size_t i = 0; i < t.categorical.size(); ++i) {
            QVERIFY2(contrast(t.ink, t.category(i)) >= 4.5, qPrintable(t.category(i).name()));
            QVERIFY2(contrast(t.categoryBorder(i), t.canvas) >= 3.0, qPrintable(t.category(i).name()));
        }
        for (const QColor& shape : {t.outline, t.memoryBound, t.computeBound, t.balanced})
            QVERIFY2(contrast(shape, t.canvas) >= 3.0, qPrintable(shape.name()));
    }
    void rampIsMonotoneInLightness()
    {
        for (const Theme* t : {&Theme::light(), &Theme::darkTheme()})
            for (int i = 1; i <= 40; ++i) {
                const double before = contrast(t->ramp((i - 1) / 40.0), t->canvas);
                const double now = contrast(t->ramp(i / 40.0), t->canvas);
                QVERIFY(now >= before - 1e-6);
            }
    }
    void wordsAgreeWithTheirNumber()
    {
        const auto ops = [](std::int64_t n) {
            return counted(n, QStringLiteral("op"), QStringLiteral("ops"));
        };
        QCOMPARE(ops(0), QStringLiteral("0\u00a0ops"));
        QCOMPARE(ops(1), QStringLiteral("1\u00a0op"));
        QCOMPARE(ops(12345), number(std::int64_t{12345}) + QStringLiteral("\u00a0ops"));
        QCOMPARE(tilesText(1, 1), QStringLiteral("1 tile"));
        QCOMPARE(tilesText(1, 2), QStringLiteral("1 × 2 tiles"));
    }
    void sentencesHaveTheNumbersOfTheScreen()
    {
        const auto n = [](std::int64_t v) { return number(v); };
        QCOMPARE(sentence(std::string("needs up to 49,152 elements, 1,024 more than 48,128")),
                 QStringLiteral("needs up to %1 elements, %2 more than %3").arg(n(49152), n(1024), n(48128)));
        QCOMPARE(sentence(std::string("granularity 64 x 1024 x 8")),
                 QStringLiteral("granularity 64 × %1 × 8").arg(n(1024)));
        QCOMPARE(sentence(std::string("total 6915.2 of [4096, 64, 1].")),
                 QStringLiteral("total %1.2 of [%2, 64, 1].").arg(n(6915), n(4096)));
        for (const char* same :
             {"op1024 and conv-2048 of a/4096.json", "12345.json", "1,2", "999", "v1.2345"})
            QCOMPARE(sentence(std::string(same)), QLatin1String(same));
    }
    void numbersKeepTheirThinSpaceInRichText()
    {
        QTextDocument plain, kept;
        const QString text = QStringLiteral("<b>%1</b> in").arg(number(std::int64_t{49152}));
        plain.setHtml(text);
        QVERIFY(plain.toPlainText() != number(std::int64_t{49152}) + QStringLiteral(" in")); // why rich() is
        kept.setHtml(rich(text));
        QCOMPARE(kept.toPlainText(), number(std::int64_t{49152}) + QStringLiteral(" in"));
    }
    void copiedNumbersArePlain()
    {
        QCOMPARE(plainNumbers(number(-12345.6) + QLatin1Char('\t') + percent(0.5)),
                 QStringLiteral("-12345.6\t50.0 %"));
    }
    void everyIconDraws()
    {
        QVERIFY(!icon(QStringLiteral("solve")).isNull());
        QVERIFY(icon(QStringLiteral("no such icon")).isNull());
        const QImage image = icon(QStringLiteral("undo")).pixmap(24, 24).toImage();
        int painted = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                painted += image.pixelColor(x, y).alpha() > 64;
        QVERIFY(painted > 20);
    }
    void fontsExist() { QVERIFY(!QFontInfo(QGuiApplication::font()).family().isEmpty()); }
    void numbers_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("shown");
        const QString thin(QChar(0x202F));
        const QString minus(QChar(0x2212));
        QTest::newRow("small") << 6.0 << QStringLiteral("6");
        QTest::newRow("decimal") << 6915.24 << QString(QStringLiteral("6") + thin + QStringLiteral("915.2"));
        QTest::newRow("million") << 1234567.0
                                 << QString(QStringLiteral("1") + thin + QStringLiteral("234") + thin +
                                            QStringLiteral("567"));
        QTest::newRow("negative") << -3276.8
                                  << QString(minus + QStringLiteral("3") + thin + QStringLiteral("276.8"));
        QTest::newRow("negative zero") << -0.01 << QStringLiteral("0");
    }
    void numbers()
    {
        QFETCH(double, value);
        QTEST(number(value), "shown");
    }
    /// The window has no rounding and no separators of its own.
    void windowAndCoreWriteAlike()
    {
        std::mt19937_64 random(11);
        const auto same = [](const QString& window, const std::string& core) {
            return window == QString::fromStdString(core);
        };
        for (int i = 0; i < 1000; ++i) {
            const double magnitude = std::pow(10, std::uniform_real_distribution(-6.0, 17.0)(random));
            // Every third one lies between two decimals.
            const double value = (i % 2 ? 1 : -1) * (i % 3 ? magnitude : std::floor(magnitude) + 0.25);
            const auto whole = static_cast<std::int64_t>(value);
            QVERIFY2(same(number(value), formatGrouped(value)) && same(number(whole), formatGrouped(whole)) &&
                         same(shortNumber(value), tilewright::shortNumber(value)) &&
                         same(significantNumber(value), tilewright::significantNumber(value)) &&
                         same(fixedNumber(value, 3), tilewright::fixedNumber(value, 3)) &&
                         same(scientific(value), tilewright::scientific(value)) &&
                         same(percent(value), tilewright::percent(value)) &&
                         same(signedNumber(value), tilewright::signedNumber(value)) &&
                         same(signedPercent(value), tilewright::signedPercent(value)) &&
                         same(bytesText(whole), tilewright::bytesText(whole)) &&
                         same(secondsText(value), tilewright::secondsText(value)),
                     qPrintable(exactNumber(value)));
        }
    }
    void tinyChangesAreNotShownAsNone()
    {
        QCOMPARE(signedNumber(0), QStringLiteral("±0"));
        QCOMPARE(signedNumber(0.004), QStringLiteral("+0.004"));
        QCOMPARE(signedPercent(-0.124), QString(QChar(0x2212)) + QStringLiteral("12.4\u00A0%"));
        QCOMPARE(shortNumber(12345), QStringLiteral("12.3k"));
        QCOMPARE(shortNumber(999.7), QStringLiteral("1k"));
    }
    /// A legend that is longer than its chart is wide has further rows, above the plot.
    void legendsOfLanesWrap()
    {
        LaneModel lanes;
        lanes.legends = [](const Theme& theme) {
            std::vector<ChartKey> keys;
            for (const char* word : {"resident", "retained", "input", "interior", "accumulator", "output"})
                keys.push_back(patchKey(QLatin1String(word), theme.input, theme));
            return std::vector<std::vector<ChartKey>>{keys};
        };
        const auto keys = lanes.legends(Theme::light()).front();
        const LanePlaces wide = lanePlaces({0, 0, 1200, 300}, lanes, 0, true);
        const LanePlaces narrow = lanePlaces({0, 0, 200, 300}, lanes, 0, true);
        QVERIFY(keysHeight(keys, narrow.legend.width()) > 1.5 * wide.legend.height());
        QVERIFY(narrow.legend.height() + 2 >= keysHeight(keys, narrow.legend.width()));
        QVERIFY(narrow.plot.top() >= narrow.legend.bottom());
    }
    void legendsGrowWithTheFont()
    {
        const std::vector<ChartKey> keys{
            patchKey(QStringLiteral("input"), Qt::red, Theme::light()),
            lineKey(QStringLiteral("baseline"), QPen(Qt::black, 1.4, Qt::DashLine))};
        const QFont before = QApplication::font();
        double swatches[2]{};
        for (int i = 0; i < 2; ++i) {
            QFont font = before;
            font.setPointSize(i == 0 ? 9 : 20);
            QApplication::setFont(font);
            QImage image(600, 60, QImage::Format_RGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            paintKeys(painter, keys, {10, 24, 590, 30}, Theme::light());
            for (int x = 0; x < image.width(); ++x)
                swatches[i] += image.pixelColor(x, 32) == QColor(Qt::red) ? 1 : 0;
            QVERIFY(keysWidth(keys) < 600);
            painter.fillRect(image.rect(), Qt::white);
            paintKeys(painter, keys, {10, 24, 10, 30}, Theme::light()); // what does not fit is left out
            QCOMPARE(image.pixelColor(12, 32), QColor(Qt::white));
        }
        QApplication::setFont(before);
        QVERIFY(swatches[0] >= 8);
        QVERIFY(swatches[1] >= 1.8 * swatches[0]);
    }

    void ticksAreRound()
    {
        QCOMPARE(roundStep(1), 1.0);
        QCOMPARE(roundStep(2.1), 5.0);
        QCOMPARE(roundStep(0.06), 0.1);
        QCOMPARE((Axis{0, 10, 0, 200}.ticks(40)), (std::vector<double>{0, 2, 4, 6, 8, 10}));
        QVERIFY((Axis{3, 3, 0, 200}.ticks().empty()));
        // Decades, then 2 and 5 between them, then finer; sparse when they are many.
        QCOMPARE(logTicks(1, 1000, 300, 60), (std::vector<double>{1, 10, 100, 1000}));
        QCOMPARE(logTicks(1, 10, 300, 60), (std::vector<double>{1, 2, 5, 10}));
        QVERIFY(logTicks(10, 20, 300, 20).size() > 4);
        QCOMPARE(logTicks(1, 1e6, 120, 40).size(), std::size_t{4});
        QVERIFY(logTicks(0, 10, 300, 60).empty());
        // no round number of the logarithmic steps is in it
        QCOMPARE(logTicks(6.1e6, 6.4e6, 300, 80), (std::vector<double>{6.1e6, 6.2e6, 6.3e6, 6.4e6}));
        // A logarithmic axis goes there and back.
        const Axis log{1, 10'000, 0, 400, Scale::Log};
        QCOMPARE(log.toPixel(100), 200.0);
        QVERIFY(std::abs(log.toValue(300) - 1000) < 1e-9);
    }
};

TILEWRIGHT_TEST(TestTheme)

} // namespace test_theme
#include "test_theme.moc"
