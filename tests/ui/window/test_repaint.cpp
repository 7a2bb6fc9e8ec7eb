// SPDX-License-Identifier: GPL-3.0-or-later
// What is painted after an edit: at once, once, in place, and the same as if it were painted anew.
#include "held_background.h"
#include "panels/inspector/inspector_view.h"
#include "panels/inspector/retain_list.h"
#include "panels/subgraphs/subgraphs_view.h"
#include "test_main.h"
#include "views/graph/graph_view.h"
#include "window/view_catalog.h"
#include "window_fixture.h"
#include "workspace/schedule_edits.h"

#include <QCheckBox>
#include <QDeadlineTimer>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScreen>
#include <QTableView>

#include <array>
#include <future>
#include <thread>

namespace test_repaint {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

/// Counts the paint events of a widget.
class Paints : public QObject
{
public:
    explicit Paints(QWidget* widget) { widget->installEventFilter(this); }
    bool eventFilter(QObject*, QEvent* event) override
    {
        count += event->type() == QEvent::Paint;
        return false;
    }
    int count = 0;
};

/// Counts what all widgets of the program are asked to paint or to lay out.
class Unrest : public QObject
{
public:
    Unrest() { qApp->installEventFilter(this); }
    bool eventFilter(QObject*, QEvent* event) override
    {
        count += event->type() == QEvent::Paint || event->type() == QEvent::LayoutRequest;
        return false;
    }
    int count = 0;
};

void tile(Document& document, SubgraphId s, const Granularity& g)
{
    QVERIFY(document.apply(edit::setGranularity(*document.problem(), document.schedule(), std::array{s}, g,
                                                editOptions(document.rules(), true)),
                           QStringLiteral("tile")));
}

} // namespace

class TestRepaint : public QObject
{
    Q_OBJECT
    PrivateSettings m_settings;
    GraphLegendPicture m_legend; ///< warm from one check to the next

private Q_SLOTS:
    void init() { m_settings.fresh(); }

    void picturesDoNotWaitForBackgroundWork()
    {
        HeldBackground background;
        std::promise<void> painted;
        bool inTime = false; // while the background was still held
        std::thread release([&, done = painted.get_future()] {
            inTime = done.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
            background.release();
        });
        QImage image(1600, 1200, QImage::Format_ARGB32_Premultiplied);
        {
            QPainter painter(&image); // a large translucent area: Qt paints it on several threads
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setBrush(QColor(10, 20, 200, 120));
            painter.drawRoundedRect(QRectF(image.rect()).adjusted(3, 3, -3, -3), 40, 40);
        }
        painted.set_value();
        release.join();
        QVERIFY(inTime);
    }
    void factsStepBackAndStayInPlace()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        Document& document = window.state().document;
        auto* inspector = viewOf<InspectorView>(window, "inspector");
        const SubgraphId s(0);
        window.state().selection.selectSubgraph(s);
        inspector->settle();
        const QLabel* arithmetic = inspector->arithmeticLabel();
        QTRY_VERIFY(arithmetic->height() >= arithmetic->heightForWidth(arithmetic->width())); // laid out
        const QString before = arithmetic->text();
        const QRect place = arithmetic->geometry();
        QVERIFY(arithmetic->isEnabled() && !before.contains(QLatin1String("Counting")));

        Granularity g = document.schedule()[s].granularity;
        g.w = g.w == 32 ? 64 : 32;
        // What the new figures find, before the facts behind them are counted again: that may be soon.
        int looked = 0;
        const auto connection = connect(&document, &Document::changed, this, [&](Parts parts) {
            if (!parts.testFlag(Part::Snapshot))
                return;
            ++looked;
            QCOMPARE(arithmetic->text(), before); // of before the edit, and it looks like that
            QVERIFY(!arithmetic->isEnabled());
            QCOMPARE(arithmetic->height(), place.height());
            for (const QPushButton* b : inspector->suggestionButtons())
                QVERIFY(!b->isEnabled());
        });
        tile(document, s, g);
        document.waitForSnapshot();
        disconnect(connection);
        QCOMPARE(looked, 1);
        inspector->settle();
        QVERIFY(arithmetic->isEnabled());
        QVERIFY(arithmetic->text() != before);
        for (const QPushButton* b : inspector->suggestionButtons())
            QVERIFY(b->isEnabled());

        // Nothing of another subgraph stays, nor of another problem.
        window.state().selection.selectSubgraph(SubgraphId(1));
        QVERIFY(arithmetic->text().contains(QLatin1String("Counting")));
        inspector->settle();
        QVERIFY(window.openPaths({sample("attention-block.json")}));
        window.state().selection.selectSubgraph(SubgraphId(1));
        QVERIFY(arithmetic->text().contains(QLatin1String("Counting")));
    }
    void boxesOfRetainFollowTheSubgraph()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        Document& document = window.state().document;
        auto* inspector = viewOf<InspectorView>(window, "inspector");
        RetainList* list = inspector->retainList();
        const Problem& problem = *document.problem();
        for (int round = 0; round < 2; ++round)
            for (std::size_t i = 0; i < document.schedule().size(); ++i) {
                window.state().selection.selectSubgraph(SubgraphId(i));
                inspector->settle();
                const bool last = i + 1 == document.schedule().size();
                auto candidates = retainCandidates(problem, document.schedule(), SubgraphId(i),
                                                   editOptions(document.rules()));
                std::erase_if(candidates, [last](const RetainCandidate& c) {
                    return !c.retained && !c.useful && (c.refusal.empty() || last);
                });
                QCOMPARE(list->boxes().size(), candidates.size());
                for (std::size_t c = 0; c < candidates.size(); ++c) {
                    QCheckBox* box = list->boxes()[c];
                    QCOMPARE(box->isChecked(), candidates[c].retained);
                    QCOMPARE(box->isEnabled(), candidates[c].refusal.empty());
                    QVERIFY(box->toolTip().contains(
                        QString::fromStdString(problem.tensorName(candidates[c].tensor)).toHtmlEscaped()));
                    if (!box->isEnabled() || round > 0)
                        continue;
                    QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
                    document.waitForSnapshot();
                    const auto& kept = document.schedule()[SubgraphId(i)].retain;
                    QCOMPARE(std::find(kept.begin(), kept.end(), candidates[c].tensor) != kept.end(),
                             !candidates[c].retained);
                    QCOMPARE(box->isChecked(), !candidates[c].retained);
                }
            }
    }
    void keptPicturesEqualFreshOnes()
    {
        const QFont font = QApplication::font();
        MainWindow window;
        window.resize(1440, 900);
        QVERIFY(
            openIn(window, {sample("attention-block.json"), sample("attention-block.fused.schedule.json")}));
        Document& document = window.state().document;
        auto* graph = viewOf<GraphView>(window, "graph");
        const auto check = [&](const char* after) {
            graph->settle();
            const QRectF area = graph->rect();
            const auto painted = [&](auto paint) {
                QImage image(graph->size(), QImage::Format_RGB32);
                image.fill(window.state().themes.theme().canvas);
                QPainter painter(&image);
                painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
                paint(painter);
                return image;
            };
            const Theme& theme = window.state().themes.theme();
            const QImage kept =
                painted([&](QPainter& p) { m_legend.paint(p, *graph->model(), area, theme); });
            const QImage fresh =
                painted([&](QPainter& p) { GraphLegendPicture().paint(p, *graph->model(), area, theme); });
            QVERIFY2(kept == fresh, after);
        };
        check("opening");
        tile(document, SubgraphId(2), {32, 32, 16});
        document.waitForSnapshot();
        check("a tile");
        graph->setColouring(GraphColouring::Latency);
        check("another colouring");
        tile(document, SubgraphId(1), {16, 32, 16});
        document.waitForSnapshot();
        check("a tile that moves the scale");
        window.state().themes.setTheme(Theme::darkTheme());
        check("the dark theme");
        graph->setColouring(GraphColouring::Subgraph);
        graph->zoomBy(2, graph->rect().center());
        check("zooming");
        window.resize(1100, 800);
        QCoreApplication::sendPostedEvents();
        check("another size");
        QFont large = font;
        large.setPointSizeF(20);
        QApplication::setFont(large);
        QCOMPARE(uiFont().pointSizeF(), 20.0);
        QVERIFY(QFontMetricsF(numberFont()).height() > QFontMetricsF(font).height());
        check("a large font");
        QApplication::setFont(font);
        QCOMPARE(uiFont().pointSizeF(), font.pointSizeF());
        check("the font as before");
        window.state().themes.setTheme(Theme::light());
        check("the light theme again");
    }
    void rowsThatAnEditChangesArePainted()
    {
        // What is on screen after partial updates equals the table painted anew.
        MainWindow window;
        window.resize(1440, 900);
        QVERIFY(
            openIn(window, {sample("attention-block.json"), sample("attention-block.fused.schedule.json")}));
        Document& document = window.state().document;
        QTableView* table = viewOf<SubgraphsView>(window, "subgraphs")->table();
        int rows = 0;
        connect(
            table->model(), &QAbstractItemModel::dataChanged, this,
            [&rows](const QModelIndex& from, const QModelIndex& to) { rows += to.row() - from.row() + 1; });
        const auto check = [&] {
            document.waitForSnapshot();
            for (int i = 0; i < 4; ++i)
                QCoreApplication::sendPostedEvents();
            const auto onScreen = [&] {
                const QPoint at = table->viewport()->mapTo(&window, QPoint());
                return window.screen()
                    ->grabWindow(window.winId(), at.x(), at.y(), table->viewport()->width(),
                                 table->viewport()->height())
                    .toImage()
                    .convertToFormat(QImage::Format_RGB32);
            };
            // Grabbing asks nothing to be painted; how soon the window is flushed is the platform's affair.
            QTRY_COMPARE(onScreen(),
                         table->viewport()->grab().toImage().convertToFormat(QImage::Format_RGB32));
        };
        QTest::qWait(50);
        check();
        rows = 0;
        tile(document, SubgraphId(0), {8, 64, 1});
        check();
        QVERIFY2(rows <= 2, qPrintable(QString::number(rows)));
        tile(document, SubgraphId(7), {4, 4, 16}); // the longest of all: every bar is drawn to its scale
        check();
        QVERIFY(rows > 4);
        tile(document, SubgraphId(7), {128, 128, 128}); // may not fit: its mark
        check();
        document.undoStack().undo();
        check();
        document.pinBaseline();
        tile(document, SubgraphId(1), {16, 16, 16});
        check();
    }
    void anEditPaintsThePanelsOnce()
    {
        MainWindow window;
        window.resize(1440, 1900); // the Inspector shows the label without scrolling
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        Document& document = window.state().document;
        auto* inspector = viewOf<InspectorView>(window, "inspector");
        const SubgraphId s(1);
        window.state().selection.selectSubgraph(s);
        inspector->settle();
        QTest::qWait(50);
        QCoreApplication::sendPostedEvents();
        Paints paints(inspector->arithmeticLabel());
        const int top = inspector->arithmeticLabel()->y();
        tile(document, s, {512, 512, 512}); // too large: lines above it say so, and it moves
        document.evaluateNow();
        for (int i = 0; i < 8; ++i)
            QCoreApplication::sendPostedEvents();
        QVERIFY(inspector->arithmeticLabel()->y() > top);
        QCOMPARE(paints.count, 1);
    }

    /// A scroll bar that was hidden and shown again at every layout, which asked for the next one, kept a
    /// processor busy for as long as the pane was there.
    void aWindowThatIsLeftAloneRests_data()
    {
        QTest::addColumn<QString>("name");
        for (const ViewEntry& d : viewCatalog())
            QTest::newRow(qPrintable(d.name)) << d.name;
    }
    void aWindowThatIsLeftAloneRests()
    {
        QFETCH(QString, name);
        MainWindow window;
        window.resize(1366, 740); // a pane has little room, and what it lists is scrolled
        QVERIFY(openIn(window, {QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json")}));
        window.showView(name);
        window.view(name)->settle();
        Unrest unrest;
        const auto rests = [&unrest] {
            unrest.count = 0;
            QTest::qWait(100);
            return unrest.count <= 5; // a cursor blinks
        };
        bool rested = false;
        for (const QDeadlineTimer end(20000); !rested && !end.hasExpired();)
            rested = rests();
        QVERIFY(rested);
    }
};

TILEWRIGHT_TEST(TestRepaint)

} // namespace test_repaint
#include "test_repaint.moc"
