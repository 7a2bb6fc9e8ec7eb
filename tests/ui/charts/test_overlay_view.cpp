// SPDX-License-Identifier: GPL-3.0-or-later
// The view Measured: values of files beside the figures of the open workload, equal to the verb's; points,
// rows and ops are one choice; the graph takes the colour.
#include "base/file.h"
#include "button_named.h"
#include "panels/layers/layers_view.h"
#include "panels/subgraphs/subgraph_model.h"
#include "panels/summary/summary_view.h"
#include "test_main.h"
#include "theme/text.h"
#include "verbs/overlay.h"
#include "views/graph/graph_view.h"
#include "views/overlay/overlay_view.h"
#include "window/message_bar.h"
#include "window_fixture.h"

#include <QComboBox>
#include <QListWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QUndoGroup>

namespace test_overlay_view {

using namespace tilewright;
using namespace tilewright::ui;

const QString kSeeds = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/fuzz/verbs/seeds/");

OverlayView& shownView(MainWindow& window, const QStringList& files)
{
    window.resize(1440, 1000);
    window.show();
    window.activateWindow();
    if (!QTest::qWaitForWindowActive(&window))
        qFatal("the window is not active");
    if (!window.openPaths(files))
        qFatal("the files do not open");
    auto& view = *viewOf<OverlayView>(window, "overlay");
    view.settle();
    QCoreApplication::processEvents();
    return view;
}

QListWidget& listOf(const OverlayView& view)
{
    return *view.findChild<QListWidget*>(QStringLiteral("overlay.files"));
}

void clickCheckBox(QListWidget& list, int row)
{
    const QRect item = list.visualItemRect(list.item(row));
    QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, QPoint(item.left() + 10, item.center().y()));
}

class TestOverlayView : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_settings.fresh(); }

    void figuresAreThoseOfTheVerb()
    {
        MainWindow window;
        auto& view =
            shownView(window, {kSeeds + QLatin1String("topology.csv"), kSeeds + QLatin1String("values.csv")});
        QVERIFY(view.isSeen()); // the kind of the file is told by its content
        Overlays& overlays = Overlays::of(window.state().workspace);
        QCOMPARE(overlays.files().size(), std::size_t{1});
        verbs::OverlayCall call;
        call.workload.file = (kSeeds + QLatin1String("topology.csv")).toStdString();
        call.machines = {*window.state().document.machine()};
        call.files = {(kSeeds + QLatin1String("values.csv")).toStdString()};
        for (const verbs::SummaryKind lens : {verbs::SummaryKind::Schedule, verbs::SummaryKind::Systolic}) {
            auto* choice = view.findChild<QComboBox*>(QStringLiteral("overlay.lens"));
            choice->setFocus();
            const auto lenses = verbs::overlayLenses();
            while (choice->currentIndex() < std::ranges::find(lenses, lens) - lenses.begin())
                QTest::keyClick(choice, Qt::Key_Down);
            view.settle();
            call.lens = toString(lens);
            call.machines = {*window.state().document.machine()};
            QVERIFY(readFiles(call));
            const auto expected = verbs::overlaysOf(call);
            QVERIFY(expected);
            QVERIFY(overlays.files()[0].compared);
            QCOMPARE(overlay::overlaysJson({&*overlays.files()[0].compared, 1}),
                     overlay::overlaysJson(*expected));
        }
        QCoreApplication::processEvents();
        const auto* table = view.findChild<QTableView*>(QStringLiteral("overlay.table"));
        QVERIFY(table->isVisible());
        QCOMPARE(table->model()->rowCount(), 2);
        const auto* strangers = view.findChild<QTableView*>(QStringLiteral("overlay.unmatched"));
        QVERIFY(strangers->isVisible());
        QCOMPARE(strangers->model()->index(0, 1).data().toString(), QStringLiteral("third"));
        QVERIFY(view.accessibleDescription().contains(QStringLiteral("1 name without an operator")));
    }

    /// The Summary says of each lens how far its operators are from the measured values: as the verb does.
    void theSummaryStandsBesideThem()
    {
        MainWindow window;
        auto& view =
            shownView(window, {kSeeds + QLatin1String("topology.csv"), kSeeds + QLatin1String("values.csv")});
        auto& summary = *viewOf<SummaryView>(window, "summary");
        const auto settle = [&] {
            summary.catchUp();
            summary.settle();
        };
        settle();
        const QTableView& table = *summary.table();
        QVERIFY(!table.isColumnHidden(SummaryMeasured));
        verbs::OverlayCall call;
        call.workload.file = (kSeeds + QLatin1String("topology.csv")).toStdString();
        call.machines = {*window.state().document.machine()};
        call.files = {(kSeeds + QLatin1String("values.csv")).toStdString()};
        QVERIFY(readFiles(call));
        const OpId second(1);
        window.state().selection.selectOps({second});
        settle();
        for (const verbs::SummaryKind lens : {verbs::SummaryKind::Schedule, verbs::SummaryKind::Systolic}) {
            call.lens = toString(lens);
            const auto expected = verbs::overlaysOf(call);
            QVERIFY(expected);
            const overlay::Overlay& of = expected->front();
            const QModelIndex cell = table.model()->index(summary.tableRow(lens), SummaryMeasured);
            QCOMPARE(cell.data().toString(), shownText(of.comparison.agreement.ratio, overlay::Shown::Ratio));
            QVERIFY(cell.data(Qt::BackgroundRole).value<QColor>().isValid());
            QVERIFY(
                cell.data(Qt::ToolTipRole).toString().contains(QStringLiteral("1 name without an operator")));
            // The selected operator in every lens.
            const QAbstractItemModel& layer = *summary.layer()->model();
            const QString ratio = shownText(
                *overlay::shownValue(of.comparison.rows[*of.rowOf(OperatorId(1))], overlay::Shown::Ratio),
                overlay::Shown::Ratio);
            bool found = false;
            QStringList lenses;
            for (int row = 0; row < layer.rowCount(); ++row) {
                lenses << layer.index(row, 0).data().toString();
                if (layer.index(row, 0).data().toString() == word(verbs::titleOf(lens))) {
                    QCOMPARE(layer.index(row, layer.columnCount() - 1).data().toString(), ratio);
                    found = true;
                }
            }
            QVERIFY2(found, qPrintable(lenses.join(QLatin1Char(';'))));
            const int last = layer.rowCount() - 1;
            QCOMPARE(layer.index(last, 0).data().toString(), QStringLiteral("Measured"));
            QVERIFY(
                layer.index(last, 4).data().toString().contains(QStringLiteral("1 in the column us of ")));
        }
        // Rows that were not run, and the floor, say nothing.
        QVERIFY(table.model()
                    ->index(summary.tableRow(verbs::SummaryKind::Mapping), SummaryMeasured)
                    .data()
                    .toString()
                    .isEmpty());
        clickCheckBox(listOf(view), 0);
        settle();
        QVERIFY(table.isColumnHidden(SummaryMeasured));
    }

    void aPointSelectsItsOp()
    {
        MainWindow window;
        auto& view =
            shownView(window, {kSeeds + QLatin1String("topology.csv"), kSeeds + QLatin1String("values.csv")});
        window.state().selection.selectOps({});
        QTest::mouseClick(&view, Qt::LeftButton, {}, view.pointOf(0, 1).toPoint());
        const std::set<OpId> ops = window.state().selection.state().ops;
        QVERIFY(!ops.empty());
        for (const OpId op : ops)
            QVERIFY(window.state().document.problem()->opName(op).starts_with("second"));
        QVERIFY(view.plots().front().mark(1)->radius > view.plots().front().mark(0)->radius);
        // a row of the table does the same
        auto* table = view.findChild<QTableView*>(QStringLiteral("overlay.table"));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualRect(table->model()->index(0, 0)).center());
        QVERIFY(window.state().selection.state().ops != ops);
    }

    void severalFilesAndTheirSwitches()
    {
        MainWindow window;
        auto& view =
            shownView(window, {kSeeds + QLatin1String("topology.csv"), kSeeds + QLatin1String("values.json"),
                               kSeeds + QLatin1String("compute_report.csv")});
        QListWidget& list = listOf(view);
        QCOMPARE(list.count(), 2);
        QCOMPARE(view.plots().front().marks.size(), std::size_t{4});
        // a file in another unit has axes of its own
        QVERIFY(window.openPaths({kSeeds + QLatin1String("values.csv")}));
        QCoreApplication::processEvents();
        QCOMPARE(view.plots().front().marks.size(), std::size_t{2});
        list.setCurrentRow(2);
        QTest::mouseClick(buttonNamed(view, QStringLiteral("Close overlay")), Qt::LeftButton);
        QCoreApplication::processEvents();
        QCOMPARE(view.plots().front().marks.size(), std::size_t{4});
        clickCheckBox(list, 0);
        QCoreApplication::processEvents();
        QCOMPARE(list.item(0)->checkState(), Qt::Unchecked);
        QCOMPARE(view.plots().front().marks.size(), std::size_t{2});
        // closing: nothing of it is an undo step
        QVERIFY(!window.state().workspace.undoGroup().canUndo());
        list.setCurrentRow(1);
        QTest::mouseClick(buttonNamed(view, QStringLiteral("Close overlay")), Qt::LeftButton);
        QCoreApplication::processEvents();
        QCOMPARE(list.count(), 1);
        QTest::mouseClick(buttonNamed(view, QStringLiteral("Close overlay")), Qt::LeftButton);
        QCoreApplication::processEvents();
        QCOMPARE(list.count(), 0);
        QVERIFY(!window.state().workspace.undoGroup().canUndo());
    }

    void theGraphTakesTheColour()
    {
        MainWindow window;
        auto& view =
            shownView(window, {kSeeds + QLatin1String("topology.csv"), kSeeds + QLatin1String("values.csv")});
        Overlays& overlays = Overlays::of(window.state().workspace);
        window.showView(QStringLiteral("graph"));
        auto& graph = *viewOf<GraphView>(window, "graph");
        graph.setColouring(GraphColouring::Measured);
        graph.settle();
        const auto& c = overlays.files()[0].compared->comparison;
        const auto extraOf = [&](const char* name) {
            for (const GraphNode& node : graph.model()->nodes)
                if (node.title == QLatin1String(name))
                    return node.extra;
            return QString();
        };
        QCOMPARE(graph.model()->legend.title, QStringLiteral("Ours ÷ measured"));
        QCOMPARE(extraOf("first"), QStringLiteral("× ") + ui::significantNumber(c.rows[0].ratio()));
        auto* shown = view.findChild<QComboBox*>(QStringLiteral("overlay.shown"));
        window.showView(QStringLiteral("overlay"));
        shown->setFocus();
        QTest::keyClick(shown, Qt::Key_Up); // the difference
        window.showView(QStringLiteral("graph"));
        graph.settle();
        QCOMPARE(graph.model()->legend.title, QStringLiteral("Ours less measured"));
        QCOMPARE(extraOf("second"), ui::significantNumber(c.rows[1].difference()));
        overlays.close(0);
        graph.settle();
        QCOMPARE(extraOf("first"), QStringLiteral("not measured"));
    }

    void theTablesHaveAColumn()
    {
        MainWindow window;
        (void)shownView(window,
                        {kSeeds + QLatin1String("topology.csv"), kSeeds + QLatin1String("values.csv")});
        Overlays& overlays = Overlays::of(window.state().workspace);
        const auto& c = overlays.files()[0].compared->comparison;
        auto* subgraphs = viewOf<View>(window, "subgraphs")->findChild<QTableView*>();
        QVERIFY(!subgraphs->isColumnHidden(SubgraphModel::Measured));
        QCOMPARE(subgraphs->model()->index(0, SubgraphModel::Measured).data().toString(),
                 shownText(c.rows[0].ratio(), overlay::Shown::Ratio));
        auto& layers = *viewOf<LayersView>(window, "layers");
        window.showView(QStringLiteral("layers"));
        QCoreApplication::processEvents();
        QCOMPARE(layers.table()->model()->index(1, 3).data().toString(),
                 shownText(c.rows[1].ratio(), overlay::Shown::Ratio));
        overlays.close(0);
        QVERIFY(subgraphs->isColumnHidden(SubgraphModel::Measured));
    }

    void theyComeBackWithTheSession()
    {
        {
            MainWindow window;
            (void)shownView(window,
                            {kSeeds + QLatin1String("topology.csv"), kSeeds + QLatin1String("values.csv")});
            Overlays::of(window.state().workspace).setShown(overlay::Shown::Value);
            window.close();
        }
        MainWindow window;
        auto& view = shownView(window, {kSeeds + QLatin1String("topology.csv")});
        const Overlays& overlays = Overlays::of(window.state().workspace);
        QCOMPARE(overlays.files().size(), std::size_t{1});
        QCOMPARE(overlays.files()[0].path, kSeeds + QLatin1String("values.csv"));
        QVERIFY(overlays.shown() == overlay::Shown::Value);
        view.settle();
        QVERIFY(overlays.files()[0].compared);
    }

    void anotherWorkloadClosesThem()
    {
        MainWindow window;
        (void)shownView(window,
                        {kSeeds + QLatin1String("topology.csv"), kSeeds + QLatin1String("values.csv")});
        QVERIFY(window.openPaths({kSeeds + QLatin1String("gemms.csv")}));
        QVERIFY(Overlays::of(window.state().workspace).files().empty());
        QVERIFY(window.openPaths({kSeeds + QLatin1String("topology.csv")}));
        QCOMPARE(Overlays::of(window.state().workspace).files().size(), std::size_t{1});
    }

    void anEditIsFollowed()
    {
        MainWindow window;
        (void)shownView(window,
                        {kSeeds + QLatin1String("topology.csv"), kSeeds + QLatin1String("values.csv")});
        Overlays& overlays = Overlays::of(window.state().workspace);
        const double before = overlays.files()[0].compared->comparison.rows[0].predicted;
        QVERIFY(window.state().document.setMachine(*machinePreset("kpu"), {}));
        overlays.settle();
        QVERIFY(overlays.files()[0].compared->comparison.machine == "kpu");
        QVERIFY(overlays.files()[0].compared->comparison.rows[0].predicted != before);
    }

    void theMachineIsFittedAndNothingIsSilent()
    {
        MainWindow window;
        auto& view =
            shownView(window, {kSeeds + QLatin1String("topology.csv"), kSeeds + QLatin1String("values.csv")});
        Document& document = window.state().document;
        const Machine before = *document.machine();
        const int steps = document.undoStack().index();
        QTest::mouseClick(buttonNamed(view, QStringLiteral("Fit the machine")), Qt::LeftButton);
        view.settle();
        QVERIFY(view.fitted());
        QVERIFY(*document.machine() == before);
        QCOMPARE(document.undoStack().index(), steps);
        QVERIFY(view.fitted()->after.error < view.fitted()->before.error);
        QVERIFY(view.accessibleDescription().contains(QStringLiteral("error with the fitted machine")));
        // into a file, with the source
        const QString path = m_settings.filePath("fitted.json");
        view.saveFitted(path);
        const auto written = readFile(path.toStdString());
        QVERIFY(written);
        QCOMPARE(*written, writeMachine(view.fitted()->machine));
        QVERIFY(written->find("\"fitted\"") != std::string::npos);
        QVERIFY(written->find("values.csv") != std::string::npos);
        // into the window, as one step
        const Machine fitted = view.fitted()->machine;
        QTest::mouseClick(buttonNamed(view, QStringLiteral("Use the fitted machine")), Qt::LeftButton);
        QVERIFY(*document.machine() == fitted);
        QCOMPARE(document.undoStack().index(), steps + 1);
        document.undoStack().undo();
        QVERIFY(*document.machine() == before);
    }

    void badFilesAreSaid()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("v.csv"));
        QVERIFY(writeFileAtomically(path.toStdString(), "name,us\na,1\na,2\n"));
        MainWindow window;
        (void)shownView(window, {kSeeds + QLatin1String("topology.csv")});
        QVERIFY(!window.openPaths({path}));
        QVERIFY(Overlays::of(window.state().workspace).files().empty());
        const QString said = window.findChild<MessageBar*>()->text();
        QVERIFY2(said.contains(QStringLiteral("is also the name of line 2")), qPrintable(said));
    }

private:
    PrivateSettings m_settings;
};

TILEWRIGHT_TEST(TestOverlayView)

} // namespace test_overlay_view
#include "test_overlay_view.moc"
