// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures as SVG and PDF have the content of the PNG: cut where it is cut, cells with hard edges; and what
// the menus copy and write.
#include "export/export_report.h"
#include "export/export_view.h"
#include "export/live_page.h"
#include "export/svg_device.h"
#include "panels/subgraphs/subgraphs_view.h"
#include "test_main.h"
#include "views/graph/graph_tooltip.h"
#include "views/graph/graph_view.h"
#include "views/memory/memory_view.h"
#include "views/roofline/roofline_view.h"
#include "window/view_catalog.h"
#include "window_fixture.h"

#include <QClipboard>
#include <QDockWidget>
#include <QFile>
#include <QFileDialog>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QPainter>
#include <QPainterPath>
#include <QRegularExpression>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTimer>
#include <QXmlStreamReader>

namespace test_export {

using namespace tilewright;
using namespace tilewright::ui;

class TestExport : public QObject
{
    Q_OBJECT
    PrivateSettings m_settings;

    static QImage drawn(const QByteArray& svg, const QSize& size)
    {
        QImage image(size, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        QSvgRenderer renderer(svg);
        renderer.render(&painter, QRectF(QPointF(0, 0), size));
        return image;
    }
    static int inked(const QImage& image, const QRect& area)
    {
        int n = 0;
        for (int y = area.top(); y <= area.bottom(); ++y)
            for (int x = area.left(); x <= area.right(); ++x)
                n += image.pixelColor(x, y).lightness() < 240 ? 1 : 0;
        return n;
    }

    /// What a reader of the report's page meets.
    struct Page
    {
        explicit Page(const QByteArray& html) : source(html)
        {
            QXmlStreamReader in(html);
            in.setNamespaceProcessing(false);
            bool inPicture = false;
            while (!in.atEnd()) {
                in.readNext();
                if (in.isStartElement())
                    visit(in.attributes());
                if (in.isStartElement() && in.name() == QLatin1String("svg")) {
                    inPicture = true;
                    pictures << in.attributes().value(QLatin1String("aria-label")).toString();
                    texts << QString();
                } else if (in.isEndElement() && in.name() == QLatin1String("svg")) {
                    inPicture = false;
                } else if (in.isCharacters() && inPicture) {
                    texts.back() += in.text();
                }
            }
            error = in.hasError() ? in.errorString() : QString();
        }
        void visit(const QXmlStreamAttributes& attributes)
        {
            for (const QXmlStreamAttribute& a : attributes) {
                const QString value = a.value().toString();
                if (a.qualifiedName() == QLatin1String("id")) {
                    if (ids.contains(value))
                        twice << value;
                    ids << value;
                } else if (value.startsWith(QLatin1String("url(#"))) {
                    references << value.mid(5).chopped(1);
                } else if (a.qualifiedName() == QLatin1String("font-family")) {
                    families << value;
                }
            }
        }
        QByteArray source;
        QStringList pictures; ///< names of the <svg> elements
        QStringList texts;    ///< of each of them
        QStringList ids;
        QStringList twice; ///< ids that stand in the page more than once
        QStringList references;
        QStringList families;
        QString error;
    };
    static Page reportOf(MainWindow& window)
    {
        std::vector<View*> views;
        for (const QString& name : reportViews())
            views.push_back(window.view(name));
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("report.html"));
        if (const Status written = exportReport(window.state().document, views, path); !written)
            qFatal("%s", written.error().text().c_str());
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? Page(file.readAll()) : Page({});
    }

private Q_SLOTS:
    void init() { m_settings.fresh(); }

    void nothingLeavesItsClip()
    {
        const QSize size(200, 100);
        const QByteArray svg = svgOf(QStringLiteral("clip"), size, 96, [](QPainter& p) {
            p.save();
            p.setClipRect(QRectF(50.5, 20, 100, 60));
            p.setPen(QPen(Qt::black, 2));
            p.drawLine(QPointF(0, 50), QPointF(200, 50)); // a stroke
            p.fillRect(QRectF(0, 60, 200, 5), Qt::black); // an area
            p.drawText(QPointF(30, 35), QStringLiteral("WWWWWWWWWWWWWWWWWWWWWW"));
            QImage stripes(4, 1, QImage::Format_RGB32);
            stripes.fill(Qt::black);
            p.drawImage(QRectF(0, 70, 200, 5), stripes);
            p.setClipRect(QRectF(60, 0, 10, 100), Qt::IntersectClip);
            p.fillRect(QRectF(0, 22, 200, 3), Qt::black);
            p.restore();
            p.fillRect(QRectF(0, 90, 200, 5), Qt::black); // no longer clipped
        });
        const QImage image = drawn(svg, size);
        QCOMPARE(inked(image, {0, 0, 50, 88}), 0);
        QCOMPARE(inked(image, {152, 0, 48, 88}), 0);
        for (const int y : {50, 62, 72})
            QCOMPARE(inked(image, {52, y, 97, 1}), 97);
        QVERIFY(inked(image, {52, 25, 97, 12}) > 100);
        QCOMPARE(inked(image, {0, 23, 200, 1}), 10);
        QCOMPARE(inked(image, {0, 92, 200, 1}), 200);
        // Inside, text is text.
        const QByteArray whole = svgOf(QStringLiteral("t"), size, 96, [](QPainter& p) {
            p.setClipRect(QRect(0, 0, 200, 100));
            p.drawText(QPointF(30, 35), QStringLiteral("find me"));
        });
        QVERIFY(whole.contains(">find me</text>"));
    }
    void svgIsAsLargeAsItSays()
    {
        const QByteArray svg = svgOf(QStringLiteral("x"), {1280, 721}, 96, [](QPainter&) {});
        QVERIFY(svg.contains("width=\"1280\" height=\"721\""));
        QCOMPARE(QSvgRenderer(svg).defaultSize(), QSize(1280, 721));
    }
    void partsOfImagesAndHardEdges()
    {
        QImage cells(2, 1, QImage::Format_RGB32);
        cells.setPixelColor(0, 0, Qt::white);
        cells.setPixelColor(1, 0, Qt::black);
        const QByteArray svg = svgOf(QStringLiteral("x"), {100, 20}, 96, [&](QPainter& p) {
            p.drawImage(QRectF(0, 0, 100, 20), cells, QRectF(1, 0, 1, 1));
        });
        // Readers blur enlarged images, so cells are many pixels.
        const QByteArray both = svgOf(QStringLiteral("x"), {100, 20}, 96,
                                      [&](QPainter& p) { p.drawImage(QRectF(0, 0, 100, 20), cells); });
        const QString coded =
            QString::fromLatin1(both).section(QStringLiteral("base64,"), 1).section(QLatin1Char('"'), 0, 0);
        const QImage inside = QImage::fromData(QByteArray::fromBase64(coded.toLatin1()));
        QVERIFY(inside.width() >= 100);
        QCOMPARE(inked(inside, inside.rect()), inside.width() * inside.height() / 2);
        QCOMPARE(inked(drawn(svg, {100, 20}), {1, 1, 98, 18}), 98 * 18); // only the black cell
    }
    void theRoofsOfTheRooflineStayInThePlot()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        auto* view = viewOf<RooflineView>(window, "roofline");
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("r.svg"));
        ExportOptions options;
        QVERIFY(exportView(*view, path, options));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QSize size = view->exportSize();
        const QImage svg = drawn(file.readAll(), size);
        const QImage png = renderToImage(*view, options);
        // The corner below and left of the plot has tick labels at most.
        const QRect corner(0, size.height() - 20, 40, 20);
        QCOMPARE(inked(svg, corner), inked(png, corner));
    }
    /// Issue 42: a chart is exported as a figure: no cursor, no overview with handles, no list of a moment;
    /// in the font size that is asked for.
    void figuresHaveNoCursorAndNoSlider()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("resnet-block.json")}));
        auto* view = viewOf<MemoryView>(window, "memory");
        ExportOptions options;
        options.size = {900, 500};
        view->pinPeak();
        const QImage peak = renderToImage(*view, options);
        Selection& selection = window.state().selection;
        const SelectionState chosen = selection.state();
        view->pin(0); // also selects the subgraph there, which a figure shows
        selection.set(chosen);
        QVERIFY(renderToImage(*view, options) == peak);
        const QRectF area(QPointF(0, 0), options.size);
        const LanePlaces figure = lanePlaces(area, view->lanes(), 0, true);
        QVERIFY(figure.overview.isEmpty());
        QVERIFY(!lanePlaces(area, view->lanes(), 0, false).overview.isEmpty());
        QVERIFY(figure.plot.right() > 850); // no panel beside it
        const QFont before = QApplication::font();
        options.fontSize = before.pointSize() + 6;
        QVERIFY(renderToImage(*view, options) != peak);
        QCOMPARE(QApplication::font(), before);
        options.fontSize = 0;
        QVERIFY(renderToImage(*view, options) == peak);
    }
    void everyViewIsCopiedFromTheMenu()
    {
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json"), example("ex3A.solution.json")}));
        const auto trigger = [&](const char* id) {
            window.state().actions.find(QLatin1String(id))->trigger();
        };
        QStringList withRows;
        for (const ViewEntry& entry : viewCatalog()) {
            if (QDockWidget* dock = window.findChild<QDockWidget*>(QStringLiteral("dock.") + entry.name)) {
                dock->show();
                dock->raise();
            }
            View* view = window.view(entry.name);
            view->setFocus();
            view->settle();
            QApplication::clipboard()->clear();
            trigger("edit.copyImage");
            const QImage image = QApplication::clipboard()->image();
            QVERIFY2(image.width() >= 100 && image.height() >= 100, qPrintable(entry.name));
            QApplication::clipboard()->clear();
            trigger("edit.copy");
            const QString rows = QApplication::clipboard()->text();
            if (rows.contains(QLatin1Char('\t')))
                withRows << entry.name;
            // Full precision in the C locale: no thin spaces, no commas within numbers.
            QVERIFY2(!rows.contains(QChar(0x2009)) && !rows.contains(QChar(0x202f)), qPrintable(entry.name));
        }
        for (const char* name : {"graph", "subgraphs", "memory", "tiles", "latency", "roofline",
                                 "granularity", "systolic", "mapping", "npu", "npu-scaling", "bound"})
            QVERIFY2(withRows.contains(QLatin1String(name)), name);
    }
    void tablesAreWrittenFromTheMenu_data()
    {
        QTest::addColumn<QByteArray>("first");
        QTest::newRow("subgraphs") << QByteArray("subgraph,");
        QTest::newRow("steps") << QByteArray("subgraph,");
        QTest::newRow("occupancy") << QByteArray("");
    }
    void tablesAreWrittenFromTheMenu()
    {
        QFETCH(QByteArray, first);
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json"), example("ex3A.solution.json")}));
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("table.csv"));
        QTimer::singleShot(0, &window, [&] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            dialog->findChild<QLineEdit*>()->setText(path);
            QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
        });
        window.state()
            .actions.find(QStringLiteral("file.csv.") + QLatin1String(QTest::currentDataTag()))
            ->trigger();
        QTRY_VERIFY(QFileInfo::exists(path)); // tables of steps are written in the background
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = file.readAll().trimmed().split('\n');
        QVERIFY2(lines.front().startsWith(first), lines.front());
        QVERIFY(lines.size() > 3);
        for (const QByteArray& line : lines)
            QCOMPARE(line.count(','), lines.front().count(','));
    }
    void theReportShowsWhatTheViewsPaint()
    {
        MainWindow window;
        QVERIFY(
            openIn(window, {sample("attention-block.json"), sample("attention-block.fused.schedule.json")}));
        window.state().document.pinBaseline();
        const Page page = reportOf(window);
        QCOMPARE(page.error, QString());
        QStringList charts;
        for (const QString& name : reportViews())
            if (name != QLatin1String("subgraphs")) // a table
                charts << window.view(name)->title();
        QVERIFY(charts.size() >= 6);
        // Each in one picture for both themes; the tile grids one a subgraph.
        QStringList shown = page.pictures;
        const QString grid = window.view(QStringLiteral("tiles"))->title();
        const auto grids = shown.filter(QRegularExpression(QStringLiteral("^Subgraph \\d+ · ")));
        QCOMPARE(grids.size(), qsizetype(window.state().document.schedule().size()));
        for (const QString& one : grids)
            shown.removeAll(one);
        charts.removeAll(grid);
        QCOMPARE(shown, charts);
        QVERIFY(page.source.contains("<h2>" + grid.toUtf8() + "</h2>"));
        QVERIFY2(page.twice.isEmpty(), qPrintable(page.twice.join(QLatin1Char(' '))));
        QVERIFY(!page.ids.isEmpty()); // the granularity map has a gradient
        for (const QString& reference : page.references)
            QVERIFY2(page.ids.contains(reference), qPrintable(reference));
        for (const QString& family : page.families)
            QVERIFY2(family.endsWith(QLatin1String(", system-ui, sans-serif")) ||
                         family.endsWith(QLatin1String(", ui-monospace, monospace")),
                     qPrintable(family));
        QVERIFY(page.texts[0].contains(QLatin1String("head0.scores")));
        QVERIFY(page.source.contains("var(--p0)") &&
                page.source.count("--p0:") == 4); // screen, paper, dark twice
        for (const char* part : {"attention-block.json · attention-block.fused.schedule.json · 20",
                                 "Compared with the baseline", "<li>rules<b>", "Lower bound"})
            QVERIFY2(page.source.contains(part), part);
        QVERIFY(!page.source.contains(" src=") && !page.source.contains("@import"));
    }
    /// What the page says is there is what the window says there.
    void thePartsOfTheReportAreThoseOfTheViews()
    {
        MainWindow window;
        QVERIFY(
            openIn(window, {sample("attention-block.json"), sample("attention-block.fused.schedule.json")}));
        const Page page = reportOf(window);
        const QByteArray json = page.source.mid(page.source.indexOf("id=\"charts\">") + 12);
        const QJsonObject data = QJsonDocument::fromJson(json.left(json.indexOf("</script>"))).object();
        const QJsonArray lines = data[QLatin1String("lines")].toArray();
        QStringList keys;
        for (const QJsonValue& chart : data[QLatin1String("charts")].toArray()) {
            const QString name = chart[QLatin1String("name")].toString();
            QVERIFY2(!chart[QLatin1String("pictures")].toArray().isEmpty(), qPrintable(name));
            for (const QJsonValue& picture : chart[QLatin1String("pictures")].toArray()) {
                QVERIFY2(!picture[QLatin1String("parts")].toArray().isEmpty(), qPrintable(name));
                for (const QJsonValue& part : picture[QLatin1String("parts")].toArray()) {
                    keys << part[4].toString().split(QLatin1Char(' '), Qt::SkipEmptyParts);
                    QVERIFY2(!part[5].toArray().isEmpty(), qPrintable(name)); // a tooltip
                    QVERIFY(part[2].toDouble() > 0 && part[3].toDouble() > 0);
                }
            }
        }
        const Document& document = window.state().document;
        keys.removeDuplicates();
        for (std::size_t i = 0; i < document.problem()->opCount(); ++i)
            QVERIFY2(keys.contains(keyOf(OpId(i))), qPrintable(keyOf(OpId(i))));
        for (std::size_t i = 0; i < document.schedule().size(); ++i)
            QVERIFY2(keys.contains(keyOf(SubgraphId(i))), qPrintable(keyOf(SubgraphId(i))));
        QVERIFY(keys.contains(keyOf(SubgraphId(0), 0)));
        const auto said = [&](const QString& name) {
            QStringList out;
            for (const QJsonValue& chart : data[QLatin1String("charts")].toArray())
                if (chart[QLatin1String("name")].toString() == name)
                    for (const QJsonValue& part :
                         chart[QLatin1String("pictures")][0][QLatin1String("parts")].toArray())
                        for (const QJsonValue& line : part[5].toArray())
                            out << lines[line.toInt()].toString();
            return out;
        };
        // The tooltips of the window, as plain text.
        const SnapshotPtr& snapshot = document.snapshot();
        for (const QString& line : plainLines(opTooltip(*snapshot, OpId(0))))
            QVERIFY2(said(QStringLiteral("graph")).contains(line), qPrintable(line));
        for (const QString& line : plainLines(subgraphTooltip(*snapshot, SubgraphId(1))))
            QVERIFY2(said(QStringLiteral("graph")).contains(line), qPrintable(line));
    }
    void tooltipsBecomePlainLines()
    {
        QCOMPARE(
            plainLines(QStringLiteral("<b>a &lt;b&gt;</b><table><tr><td>x&nbsp;&nbsp;</td><td>1</td></tr>"
                                      "<tr><td>y</td><td>&amp;lt;</td></tr></table>z<br>w")),
            (QStringList{QStringLiteral("a <b>"), QStringLiteral("x\t1"), QStringLiteral("y\t&lt;"),
                         QStringLiteral("z"), QStringLiteral("w")}));
    }
    /// Colours become variables; what differs in more stands there twice.
    void bothThemesAreOnePicture()
    {
        ThemePalette palette;
        const auto square = [](const char* fill) {
            return QByteArray("<svg viewBox=\"0 0 1 1\"><rect fill=\"") + fill + "\" width=\"1\"/></svg>";
        };
        const QByteArray same = inBothThemes(
            [&](bool dark, const QString&) { return square(dark ? "#000000" : "#ffffff"); }, {}, palette);
        QVERIFY2(same.contains("fill=\"var(--p0)\"") && same.count("<rect") == 1, same.constData());
        QCOMPARE(palette.declarations(false), QByteArray("--p0:#ffffff;"));
        QCOMPARE(palette.declarations(true), QByteArray("--p0:#000000;"));
        const QByteArray other = inBothThemes(
            [&](bool dark, const QString&) {
                return dark ? QByteArray("<svg viewBox=\"0 0 1 1\"><path d=\"M0,0\"/></svg>") : square("red");
            },
            {}, palette);
        QVERIFY2(other.contains("<g class=\"in-light\"><rect") &&
                     other.contains("<g class=\"in-dark\"><path"),
                 other.constData());
        QVERIFY(other.count("</svg>") == 1);
    }
    void theReportOfManyOpsIsOfReasonableSize()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("model-150-ops.json"), sample("model-150-ops.fused.schedule.json")}));
        const Page page = reportOf(window);
        QCOMPARE(page.error, QString());
        QVERIFY2(page.source.size() < 3'000'000, qPrintable(QString::number(page.source.size())));
    }
    void everySvgFallsBackToASansSerifFont()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        QTemporaryDir folder;
        for (const char* name : {"graph", "memory", "latency", "roofline", "subgraphs"}) {
            const QString path = folder.filePath(QStringLiteral("v.svg"));
            QVERIFY2(exportView(*window.view(QLatin1String(name)), path, ExportOptions()), name);
            QFile file(path);
            QVERIFY(file.open(QIODevice::ReadOnly));
            const Page page(file.readAll());
            QVERIFY2(!page.families.isEmpty(), name);
            for (const QString& family : page.families) // "DejaVu Sans" alone is Times elsewhere
                QVERIFY2(family.startsWith(QLatin1Char('\'')) &&
                             (family.endsWith(QLatin1String("sans-serif")) ||
                              family.endsWith(QLatin1String("monospace"))),
                         qPrintable(family));
        }
    }
    void picturesSayTheWidthOfTheirTexts()
    {
        double width = 0;
        const QByteArray svg = svgOf(QStringLiteral("x"), {200, 100}, 96, [&](QPainter& p) {
            width = QFontMetricsF(p.font(), p.device()).horizontalAdvance(QStringLiteral("right"));
            p.fillRect(QRectF(5, 5, 10, 10), Qt::red);
            p.drawText(QPointF(30, 35), QStringLiteral("right"));
        });
        const QString text = QString::fromUtf8(svg).section(QStringLiteral("<text"), 1);
        const double said =
            text.section(QStringLiteral("textLength=\""), 1).section(QLatin1Char('"'), 0, 0).toDouble();
        QVERIFY2(std::abs(said - width) < 0.2, qPrintable(text));
    }
    void theWindowIsWrittenInEveryFormat()
    {
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json"), example("ex3A.solution.json")}));
        QTemporaryDir folder;
        for (const char* name : {"w.png", "w.svg", "w.pdf"}) {
            const QString path = folder.filePath(QLatin1String(name));
            QVERIFY(exportPicture(path, window.windowTitle(), window.size(), {},
                                  [&](QPainter& p) { window.render(&p); }));
            QVERIFY2(QFileInfo(path).size() > 5000, name);
        }
    }
};

TILEWRIGHT_TEST(TestExport)

} // namespace test_export
#include "test_export.moc"
