// SPDX-License-Identifier: GPL-3.0-or-later
// The chart vocabulary: plots and heat grids as values, without a lens.
#include "chart/axis.h"
#include "chart/heat_grid.h"
#include "chart/plot_model.h"
#include "chart/plot_paint.h"
#include "test_main.h"
#include "theme/theme.h"

#include <QPainter>
#include <QtTest>

namespace test_plot {

using namespace tilewright::ui;

namespace {

PlotModel decades(double beyond = 0)
{
    PlotModel p;
    p.title = QStringLiteral("title");
    p.x = {QStringLiteral("x"), Scale::Log, 1, 1e4, beyond};
    p.y = {QStringLiteral("y"), Scale::Linear, 0, 10, beyond};
    p.keys = {{QStringLiteral("a key")}};
    for (int i = 0; i < 5; ++i) {
        PlotMark m;
        m.x = std::pow(10, i);
        m.y = 2 * i + 1;
        m.id = i;
        p.marks.push_back(m);
    }
    return p;
}

const QRectF kArea(100, 40, 700, 400);

QImage painted(const PlotModel& model, const PlotFrame& frame)
{
    QImage image(900, 500, QImage::Format_RGB32);
    image.fill(Theme::light().canvas);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    paintPlot(painter, model, frame, Theme::light());
    return image;
}

} // namespace

class TestPlot : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everythingIsInsideTheArea()
    {
        const PlotFrame f = plotFrame(decades(), kArea);
        QVERIFY(kArea.contains(f.plot) && kArea.contains(f.title) && kArea.contains(f.keys));
        QVERIFY(!f.plot.intersects(f.title) && !f.plot.intersects(f.keys));
        QVERIFY((f.toPixel(1, 0) - f.plot.bottomLeft()).manhattanLength() < 1e-9);
        QVERIFY((f.toPixel(100, 5) - f.plot.center()).manhattanLength() < 1e-9);
    }
    void everyTickThatIsAskedForHasItsText()
    {
        PlotModel model = decades();
        model.x.title = QStringLiteral("size");
        QVERIFY(plotFrame(model, kArea).xTextsEnd < kArea.right()); // round values leave room for it
        model.x.ticks = {1, 10, 100, 1e3, 1e4};
        const PlotFrame f = plotFrame(model, kArea);
        QVERIFY(f.xTextsEnd >= f.plot.right());
        QVERIFY(f.xTitle.y() > f.plot.bottom() + 20); // on a row of its own
        QVERIFY(kArea.contains(f.xTitle));
        // The last one has its text though those before it leave no room; nothing else is right of it there.
        model.x = {QStringLiteral("size"), Scale::Linear, 0, 1.05e7};
        model.marks.clear();
        for (int i = 0; i <= 20; ++i)
            model.x.ticks.push_back(i * 5e5);
        model.x.text = [](double v) { return QString::number(v, 'f', 0); };
        const PlotFrame many = plotFrame(model, kArea);
        const QImage image = painted(model, many);
        int dark = 0;
        const int last = qRound(many.toPixel(1e7, 0).x());
        for (int x = last - 20; x < last + 20; ++x)
            for (int y = qRound(many.plot.bottom()) + 5; y < qRound(many.plot.bottom()) + 18; ++y)
                dark += qGray(image.pixel(x, y)) < 160;
        QVERIFY2(dark > 40, qPrintable(QString::number(dark)));
    }
    /// The flag of a cursor stands in the row of the texts, on none of them.
    void noTickHasItsTextWhereSomethingElseIs()
    {
        const QRectF plot(60, 20, 600, 200);
        const Axis axis{0, 1e5, plot.left(), plot.right()};
        const auto row = [&](const QRectF& taken) {
            QImage image(720, 260, QImage::Format_RGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            paintXAxis(painter, axis, plot, {}, Theme::light(), taken);
            return image.copy(0, qRound(plot.bottom()) + 2, 720, 20);
        };
        const QImage all = row({});
        // Over the left half of a text: the other half goes too, its neighbours stay.
        const double tick = axis.toPixel(axis.ticks(90)[2]);
        const QImage flagged = row({tick - 40, plot.bottom(), 40, 18});
        const auto inked = [](const QImage& image, double from, double to) {
            int dark = 0;
            for (int x = qRound(from); x < qRound(to); ++x)
                for (int y = 0; y < image.height(); ++y)
                    dark += qGray(image.pixel(x, y)) < 200;
            return dark;
        };
        QVERIFY(inked(all, tick - 30, tick + 30) > 0);
        QCOMPARE(inked(flagged, tick - 30, tick + 30), 0);
        const double next = axis.toPixel(axis.ticks(90)[3]);
        QCOMPARE(inked(flagged, next - 30, next + 30), inked(all, next - 30, next + 30));
        QVERIFY(inked(all, next - 30, next + 30) > 0);
    }
    /// What the mouse means is where QCustomPlot has drawn it.
    void marksArePaintedWhereTheyAreHit()
    {
        PlotModel p = decades();
        for (PlotMark& m : p.marks)
            m.brush = Qt::magenta;
        for (const QRectF& part : {QRectF(), QRectF(0.9, 2, 2.3, 6)}) {
            const PlotFrame f = plotFrame(p, kArea, part);
            const QImage image = painted(p, f);
            for (const PlotMark& m : p.marks) {
                const QPointF at = f.toPixel(m.x, m.y);
                if (!f.plot.adjusted(5, 5, -5, -5).contains(at))
                    continue;
                QCOMPARE(image.pixelColor(at.toPoint()), QColor(Qt::magenta));
                QCOMPARE(plotMarkAt(p, f, at + QPointF(2, -2))->id, m.id);
            }
        }
    }
    void rasterCellsArePaintedWhereTheyAre()
    {
        PlotModel p = decades();
        p.marks.clear();
        p.y = {QStringLiteral("y"), Scale::Log, 1, 100};
        p.raster = PlotRaster{4, 2, {1, 1}, {1e4, 100}, {0, 1, -1, 0, 1, 0, 1, -1}};
        const PlotFrame f = plotFrame(p, kArea);
        const QImage image = painted(p, f);
        for (int row = 0; row < 2; ++row)
            for (int column = 0; column < 4; ++column) {
                const double share = p.raster->shares[static_cast<std::size_t>(4 * row + column)];
                const QPoint at = f.toPixel(std::pow(10, column + 0.4), std::pow(10, row + 0.45)).toPoint();
                QCOMPARE(image.pixelColor(at),
                         share < 0 ? Theme::light().canvas : Theme::light().ramp(share));
            }
    }
    void zoomKeepsThePlaceAndEndsSomewhere()
    {
        for (const double beyond : {0.0, 1.0}) {
            const PlotModel p = decades(beyond);
            QRectF part;
            PlotFrame f = plotFrame(p, kArea, part);
            const QPointF at = f.toPixel(100, 5) + QPointF(30, 20);
            const double x = f.x.toValue(at.x());
            part = zoomedPlotPart(p, f, 2, at);
            f = plotFrame(p, kArea, part);
            QVERIFY(std::abs(f.x.toPixel(x) - at.x()) < 1e-6);
            const QPointF mark = f.toPixel(100, 5);
            part = pannedPlotPart(p, f, {12, -7});
            QVERIFY((plotFrame(p, kArea, part).toPixel(100, 5) - mark - QPointF(12, -7)).manhattanLength() <
                    1e-6);
            for (int i = 0; i < 80; ++i) {
                f = plotFrame(p, kArea, part);
                part = i % 2 ? zoomedPlotPart(p, f, i % 3 ? 0.4 : 1.6, {0, 0})
                             : pannedPlotPart(p, f, {400, -300});
            }
            f = plotFrame(p, kArea, part);
            QVERIFY(f.x.v0 >= p.x.farLow() * (1 - 1e-9) && f.x.v1 <= p.x.farHigh() * (1 + 1e-9));
            // Something of what there is stays in sight.
            QVERIFY(f.x.v0 <= p.x.high * (1 + 1e-9) && f.x.v1 >= p.x.low * (1 - 1e-9));
            QVERIFY(f.y.v0 <= p.y.high + 1e-9 && f.y.v1 >= p.y.low - 1e-9);
        }
    }
    void curvesAreHitByColumn()
    {
        PlotModel p = decades();
        const PlotFrame f = plotFrame(p, kArea);
        const QPointF high(f.x.toPixel(90), f.plot.top() + 3);
        QVERIFY(!plotMarkAt(p, f, high));
        p.pick = PlotPick::Column;
        QCOMPARE(plotMarkAt(p, f, high)->id, 2);
        QVERIFY(!plotMarkAt(p, f, f.plot.topLeft() - QPointF(40, 0)));
        // A click means the mark under the mouse only.
        QVERIFY(!plotMarkAt(p, f, high, PlotPick::Point));
        QCOMPARE(plotMarkAt(p, f, f.toPixel(p.marks[2].x, p.marks[2].y), PlotPick::Point)->id, p.marks[2].id);
    }
    void rangesAreTold()
    {
        const PlotModel p = decades();
        QCOMPARE(plotRangeText(p.x, 2, 8), QStringLiteral("2 to 8 (4×)"));
        QCOMPARE(plotRangeText(p.y, 2, 8), QStringLiteral("2 to 8 (6)"));
    }
    void platesShareAndStayInside()
    {
        PlotModel p = decades();
        const auto plate = [&](const char* text, const PlotMark& m) {
            p.labels.push_back({{QLatin1String(text)}, {m.x, m.y}, {m.x, m.y}, Qt::black, false, true});
        };
        plate("current", p.marks[4]);
        plate("best", p.marks[4]);
        plate("other", p.marks[0]);
        const PlotFrame f = plotFrame(p, kArea);
        const auto labels = placePlotLabels(p, f, QFontMetricsF(uiFont(0.85)), Qt::black);
        QCOMPARE(labels.size(), std::size_t(2));
        QCOMPARE(labels[0].text, QStringLiteral("current = best"));
        for (const PlacedLabel& l : labels)
            for (const QPointF corner : l.corners())
                QVERIFY(f.plot.contains(corner));
    }
    /// Points of one pixel that differ are not said to be equal.
    void platesOfNearlyTheSamePoint()
    {
        PlotModel p = decades();
        const PlotFrame f = plotFrame(p, kArea);
        const QPointF at = f.plot.center();
        const auto plate = [&](const char* text, QPointF pixel) {
            const QPointF value(f.x.toValue(pixel.x()), f.y.toValue(pixel.y()));
            p.labels.push_back({{QLatin1String(text)}, value, value, Qt::black, false, true});
        };
        plate("current", at);
        plate("best", at + QPointF(2, 0));
        const auto labels = placePlotLabels(p, f, QFontMetricsF(uiFont(0.85)), Qt::black);
        QCOMPARE(labels.size(), std::size_t(1));
        QCOMPARE(labels[0].text, QStringLiteral("current ≈ best"));
    }
    /// Where marks leave no room beside a point, its plate goes onto marks, not onto another plate.
    void platesAmongManyMarks()
    {
        PlotModel p = decades();
        const PlotFrame f = plotFrame(p, kArea);
        for (double x = f.plot.left(); x < f.plot.right(); x += 12)
            for (double y = f.plot.top(); y < f.plot.bottom(); y += 12)
                p.marks.push_back({f.x.toValue(x), f.y.toValue(y)});
        const auto plate = [&](const char* text, QPointF at) {
            const QPointF value(f.x.toValue(at.x()), f.y.toValue(at.y()));
            p.labels.push_back({{QLatin1String(text)}, value, value, Qt::black, false, true});
        };
        for (int i = 0; i < 4; ++i)
            plate("a plate of its own", f.plot.center() + QPointF(10 * i, 0));
        const auto labels = placePlotLabels(p, f, QFontMetricsF(uiFont(0.85)), Qt::black);
        QCOMPARE(labels.size(), std::size_t(4));
        for (std::size_t i = 1; i < labels.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                QVERIFY(!labels[i].overlaps(labels[j]));
    }
    /// A name of a level stands clear of the steps of a curve, left or right of where it falls.
    void namesOfLevelsKeepOffCurves()
    {
        PlotModel p = decades();
        p.marks.clear();
        p.lines.push_back({{}, {{1, 8.9}, {300, 5}, {1e4, 5}}, QPen(Qt::black), true});
        p.labels.push_back(
            {{QStringLiteral("the value before the search")}, {1, 9}, {1e4, 9}, Qt::black, true});
        for (const QRectF& area : {kArea, QRectF(0, 0, 500, 120), QRectF(0, 0, 420, 300)}) {
            const PlotFrame f = plotFrame(p, area);
            const auto labels = placePlotLabels(p, f, QFontMetricsF(uiFont(0.85)), Qt::black);
            QCOMPARE(labels.size(), std::size_t(1));
            for (double y = f.y.toPixel(9); y < f.y.toPixel(5); y += 1)
                QVERIFY(!labels[0].overlaps(QPointF(f.x.toPixel(300), y), 0.5));
        }
    }
    void rowsOfNamedSeries()
    {
        PlotModel p = decades();
        p.lines.push_back({QStringLiteral("curve"), {{1, 2}, {10, 3.5}}});
        QCOMPARE(plotAsText(p), QStringLiteral("series\tx\ty\ncurve\t1\t2\ncurve\t10\t3.5\n"));
    }

    void cellsAreWhereTheyAreHit()
    {
        for (const bool downwards : {false, true}) {
            const HeatFrame f{{10, 20, 90, 60}, 9, 4, downwards};
            for (std::size_t i = 0; i < 36; ++i) {
                QCOMPARE(f.cellAt(f.cell(i).center()), std::optional(i));
                QVERIFY(f.map.adjusted(-1, -1, 1, 1).contains(f.cell(i)));
            }
            QVERIFY(!f.cellAt({5, 30}));
            QCOMPARE(f.cell(0).top() < f.cell(9).top(), downwards);
            // Up is up, whichever row is on top; the border stops.
            QVERIFY(f.cell(f.beside(13, {0, -1})).top() < f.cell(13).top());
            QCOMPARE(f.beside(13, {1, 0}), std::size_t(14));
            QCOMPARE(f.beside(0, {-1, 0}), std::size_t(0));
        }
    }
    void signsAreToldApartWithoutColour()
    {
        HeatGrid grid;
        grid.columns = 4;
        for (const HeatSign sign : {HeatSign::None, HeatSign::Hatch, HeatSign::Dots, HeatSign::Cross})
            grid.cells.push_back({Theme::light().ramp(0.5), sign});
        const HeatFrame f{{20, 30, 160, 40}, 4, 1};
        QImage image(200, 100, QImage::Format_RGB32);
        image.fill(Theme::light().canvas);
        QPainter painter(&image);
        paintHeatGrid(painter, grid, f, std::nullopt, Theme::light());
        painter.end();
        std::vector<QImage> cells;
        for (std::size_t i = 0; i < 4; ++i)
            cells.push_back(image.copy(f.cell(i).toRect().adjusted(2, 2, -3, -3))
                                .convertToFormat(QImage::Format_Grayscale8));
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < i; ++j)
                QVERIFY(cells[i] != cells[j]);
    }
};

TILEWRIGHT_TEST(TestPlot)

} // namespace test_plot
#include "test_plot.moc"
