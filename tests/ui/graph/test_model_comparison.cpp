// SPDX-License-Identifier: GPL-3.0-or-later
// Two models in the window: File ▸ Compare with…, the table of operators, the marks in the graphs, and the
// ways out of it.
#include "base/file.h"
#include "model/model.h"
#include "model/model_json.h"
#include "test_main.h"
#include "theme/text.h"
#include "views/compare/compare_panes.h"
#include "views/compare/compare_view.h"
#include "views/compare/difference_list.h"
#include "views/graph/graph_view.h"
#include "window/file_actions.h"
#include "window/message_bar.h"
#include "window_fixture.h"
#include "workspace/model_file.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDropEvent>
#include <QLabel>
#include <QMimeData>

namespace test_model_comparison {

using namespace tilewright;
using namespace tilewright::ui;
using model::OperatorChange;

namespace {

const QString kModels = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/");

QString plain(QString text)
{
    return text.replace(QChar(0xa0), QLatin1Char(' ')).replace(QChar(0x202f), QLatin1Char(' '));
}

/// Products a, b, c in a chain. The longer one has `rows` behind a, a of another width and no c.
std::string chain(bool longer)
{
    model::ModelBuilder b(longer ? "longer" : "chain");
    ModelTensorId x = b.input("x", {64, 128});
    x = b.elementwise("relu", "a.relu", {b.linear("a", x, longer ? 512 : 256)});
    if (longer)
        x = b.add(model::OperatorKind::Softmax, "rows", {x});
    x = b.elementwise("relu", "b.relu", {b.linear("b", x, 128)});
    if (!longer)
        x = b.linear("c", x, 32);
    auto built = std::move(b).build();
    return built ? writeModel(*built) : std::string();
}

} // namespace

class TestModelComparison : public QObject
{
    Q_OBJECT

    PrivateSettings m_settings;
    std::unique_ptr<MainWindow> m_window;
    CompareView* m_view = nullptr;

    Document& document() { return m_window->state().document; }
    ComparedModel& compared() { return m_window->state().workspace.compared(); }
    QAction* action(const char* id) { return m_window->state().actions.find(QLatin1String(id)); }
    QString written(const char* name, bool longer)
    {
        const QString path = m_settings.filePath(name);
        return writeFileAtomically(path.toStdString(), chain(longer)) ? path : QString();
    }
    /// The longer one is open, the other one beside it.
    void compare()
    {
        QVERIFY(openIn(*m_window, {written("longer.json", true)}));
        QVERIFY(m_window->files().compareWith(written("chain.json", false)));
        m_view->settle();
        QVERIFY(m_view->data() && m_view->data()->models);
    }
    QModelIndex row(const QString& name)
    {
        const QAbstractItemModel& rows = *m_view->list()->model();
        const auto found = rows.match(rows.index(0, 1), Qt::DisplayRole, name, -1, Qt::MatchExactly);
        return found.size() == 1 ? found.front() : QModelIndex();
    }
    QString text(const QModelIndex& row, int column) { return row.siblingAtColumn(column).data().toString(); }
    bool isHidden(const QModelIndex& row) { return m_view->list()->isRowHidden(row.row(), {}); }
    std::set<OpId> opsNamed(const std::string& name)
    {
        std::set<OpId> out;
        for (std::size_t i = 0; i < document().problem()->opCount(); ++i)
            if (document().problem()->opName(OpId(i)) == name)
                out.insert(OpId(i));
        return out;
    }
    OperatorChange marked(const std::string& name)
    {
        const GraphModel& graph = *viewOf<GraphView>(*m_window, "graph")->model();
        return graph.nodes[*graph.geometry->nodeOf(*opsNamed(name).begin())].change;
    }

private Q_SLOTS:
    void init()
    {
        m_settings.fresh();
        m_window = std::make_unique<MainWindow>();
        m_window->resize(1440, 900);
        m_view = viewOf<CompareView>(*m_window, "compare");
    }
    void cleanup() { m_window.reset(); }

    void theTableSaysWhatIsNewGoneAndChanged()
    {
        QVERIFY(!action("file.compare")->isEnabled());
        QCOMPARE(Actions::menuOf(action("file.compare")), QStringLiteral("File"));
        compare();
        QVERIFY(action("file.compare")->isEnabled());
        QVERIFY(m_view->isVisible());
        const lower::ModelsOnMachine& models = *m_view->data()->models;
        QCOMPARE(models.comparison.added, 1u);
        QCOMPARE(models.comparison.gone, 1u);
        QCOMPARE(text(row(QStringLiteral("rows")), 0), QStringLiteral("new"));
        QCOMPARE(text(row(QStringLiteral("c")), 0), QStringLiteral("gone"));
        QCOMPARE(text(row(QStringLiteral("a")), 0), QStringLiteral("changed"));
        QCOMPARE(text(row(QStringLiteral("b.relu")), 0), QStringLiteral("unchanged"));
        QCOMPARE(text(row(QStringLiteral("a")), 3), QStringLiteral("64×256 → 64×512"));
        QCOMPARE(plain(text(row(QStringLiteral("a")), 4)), QStringLiteral("4 194 304"));
        QCOMPARE(plain(text(row(QStringLiteral("a")), 5)), QStringLiteral("+2 097 152"));
        QCOMPARE(plain(text(row(QStringLiteral("c")), 5)), QStringLiteral("−262 144"));
        // Operands and result, of two bytes an element.
        QCOMPARE(plain(text(row(QStringLiteral("c")), 6)),
                 plain(number(2 * (64 * 128 + 128 * 32 + 64 * 32))));
        // The rows with everything there is, and in all: MACs, bytes, cycles.
        const QStringList lines = m_view->copyText().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), m_view->list()->model()->rowCount() + 1);
        double before = 0, after = 0;
        for (const QString& line : lines.mid(1)) {
            before += line.section(QLatin1Char('\t'), 8, 8).toDouble();
            after += line.section(QLatin1Char('\t'), 9, 9).toDouble();
        }
        QVERIFY(before > 0 && after > before);
        QVERIFY(std::abs(before - models.totalCycles[0]) < 1e-6 * before);
        QVERIFY(std::abs(after - models.totalCycles[1]) < 1e-6 * after);
    }

    /// What stands in the window is what the Schedule lens says of the model as it was opened.
    void latencyIsThatOfTheStartSchedule()
    {
        compare();
        const double unit = static_cast<double>(document().model()->lowered.timeUnit);
        const double open = document().snapshot()->evaluation.total * unit;
        QVERIFY(std::abs(m_view->data()->totals[1] - open) < 1e-9 * open);
        // An edit of the schedule is no change of the model.
        document().apply(Schedule{}, QStringLiteral("nothing left"));
        m_view->settle();
        QVERIFY(std::abs(m_view->data()->totals[1] - open) < 1e-9 * open);
    }

    void aRowSelectsItsOpsAndBack()
    {
        compare();
        m_view->list()->setCurrentIndex(row(QStringLiteral("rows")));
        QCOMPARE(m_window->state().selection.state().ops, opsNamed("rows"));
        QCOMPARE(m_view->panes()->highlight(1), opsNamed("rows"));
        QVERIFY(m_view->panes()->highlight(0).empty());
        m_view->list()->setCurrentIndex(row(QStringLiteral("c")));
        QVERIFY(m_window->state().selection.state().ops.empty());
        QCOMPARE(m_view->panes()->highlight(0).size(), 1u);
        // A click in A selects the counterpart in B and its row.
        const OpId b = *opsNamed("b").begin();
        const std::set<OpId> inA = m_view->data()->across(1, {b});
        QCOMPARE(inA.size(), 1u);
        m_view->panes()->fitAll();
        QTest::mouseClick(m_view->panes(), Qt::LeftButton, {},
                          m_view->panes()->positionOf(0, *inA.begin()).toPoint());
        QCOMPARE(m_window->state().selection.state().ops, std::set<OpId>{b});
        QCOMPARE(text(m_view->list()->currentIndex(), 1), QStringLiteral("b"));
    }

    void onlyWhatDiffersIsListedUntilAskedFor()
    {
        compare();
        QVERIFY(isHidden(row(QStringLiteral("b.relu"))));
        QVERIFY(!isHidden(row(QStringLiteral("c"))));
        auto* box = m_view->findChild<QCheckBox*>();
        QVERIFY(box->isVisible());
        QTest::keyClick(box, Qt::Key_Space);
        QVERIFY(!isHidden(row(QStringLiteral("b.relu"))));
        // The keys go from difference to difference all the same.
        const int differences =
            static_cast<int>(std::ranges::count_if(m_view->data()->table.rows, &DifferenceRow::differs));
        QSet<QString> seen;
        for (int i = 0; i < differences; ++i) {
            action("compare.next")->trigger();
            seen << text(m_view->list()->currentIndex(), 1);
        }
        QCOMPARE(seen.size(), differences);
        QVERIFY(!seen.contains(QStringLiteral("b.relu")));
    }

    void theGraphMarksWhatIsNewOrChangedUntilLeft()
    {
        compare();
        m_window->showView(QStringLiteral("graph"));
        auto* graph = viewOf<GraphView>(*m_window, "graph");
        QVERIFY(marked("rows") == OperatorChange::New);
        QVERIFY(marked("a") == OperatorChange::Changed);
        QVERIFY(marked("b.relu") == OperatorChange::Same);
        QVERIFY(graph->note().isVisible());
        QVERIFY(graph->note().text().contains(QStringLiteral("Compared with chain.json")));
        Q_EMIT graph->note().linkActivated(QStringLiteral("leave"));
        QVERIFY(!compared().isOpen());
        QVERIFY(!graph->note().isVisible());
        QVERIFY(marked("rows") == OperatorChange::Same);
        QVERIFY(!action("compare.leave")->isEnabled());
    }

    void waysOut()
    {
        compare();
        QVERIFY(action("compare.leave")->isEnabled());
        auto* baselines = m_view->findChild<QComboBox*>();
        QCOMPARE(baselines->currentText(), QStringLiteral("A: model chain.json"));
        baselines->setCurrentIndex(0);
        Q_EMIT baselines->activated(0);
        QVERIFY(!compared().isOpen());
        QVERIFY(!m_view->data());
        QVERIFY(m_window->files().compareWith(written("chain.json", false)));
        action("compare.leave")->trigger();
        QVERIFY(!compared().isOpen());
        // Another file is another question; the same again is not.
        QVERIFY(m_window->files().compareWith(written("chain.json", false)));
        action("file.reload")->trigger();
        QVERIFY(compared().isOpen());
        QVERIFY(m_window->openPaths({written("chain.json", false)}));
        QVERIFY(!compared().isOpen());
    }

    void bothStandOnTheMachineInForce()
    {
        compare();
        const auto before = m_view->data()->totals;
        QVERIFY(document().setMachine(*machinePreset("server"), QStringLiteral("server")));
        m_view->settle();
        const auto after = m_view->data()->totals;
        QCOMPARE(m_view->data()->models->models[0]->machine.name, std::string("server"));
        QVERIFY(after[0] != before[0] && after[1] != before[1]);
        document().undoStack().undo();
        m_view->settle();
        QCOMPARE(m_view->data()->totals, before);
    }

    /// A size that both files leave free is the same in both.
    void freeSizesGoTogether()
    {
        QVERIFY(openIn(*m_window, {kModels + QStringLiteral("gpt2-block.onnx")}));
        QVERIFY(m_window->files().compareWith(kModels + QStringLiteral("gpt2-block.onnx")));
        m_view->settle();
        onnx::Dimensions sizes = document().dimensions();
        sizes["sequence"] = 64;
        QVERIFY(document().setDimensions(sizes));
        m_view->settle();
        const model::ModelComparison& c = m_view->data()->models->comparison;
        QCOMPARE(c.changed + c.added + c.gone, 0u);
        QCOMPARE(c.macs[0], c.macs[1]);
        QVERIFY(!m_view->list()->isVisible());
    }

    void severalModelsAtOnceAreCompared()
    {
        QVERIFY(openIn(*m_window, {written("chain.json", false), written("longer.json", true)}));
        m_view->settle();
        QVERIFY(document().problemPath().endsWith(QStringLiteral("longer.json")));
        QCOMPARE(compared().name(), QStringLiteral("chain.json"));
        QVERIFY(m_view->isVisible());
        QCOMPARE(text(row(QStringLiteral("rows")), 0), QStringLiteral("new"));
    }

    void aModelDroppedOnTheViewIsCompared()
    {
        QVERIFY(openIn(*m_window, {written("longer.json", true)}));
        m_window->showView(QStringLiteral("compare"));
        QMimeData files;
        files.setUrls({QUrl::fromLocalFile(written("chain.json", false))});
        QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &files, Qt::LeftButton, {});
        QCoreApplication::sendEvent(m_view, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &files, Qt::LeftButton, {});
        QCoreApplication::sendEvent(m_view, &drop);
        QCOMPARE(compared().name(), QStringLiteral("chain.json"));
        QVERIFY(document().problemPath().endsWith(QStringLiteral("longer.json")));
    }

    void whatIsNoModelIsRefusedWithASentence()
    {
        QVERIFY(openIn(*m_window, {written("longer.json", true)}));
        const QString broken = m_settings.filePath("broken.onnx");
        QVERIFY(writeFileAtomically(broken.toStdString(), "no model at all"));
        QVERIFY(!m_window->files().compareWith(broken));
        QVERIFY(!compared().isOpen());
        QVERIFY(m_window->findChild<MessageBar*>()->isVisible());
        QVERIFY(!m_window->files().compareWith(m_settings.filePath("not there.onnx")));
    }

    /// Real ones: every operator stands in the table once, and the totals are the models' own.
    void twoNetworks()
    {
        QVERIFY(openIn(*m_window, {kModels + QStringLiteral("mobilenet-v2.onnx")}));
        QVERIFY(m_window->files().compareWith(kModels + QStringLiteral("resnet-18.onnx")));
        m_view->settle();
        const model::ModelComparison& c = m_view->data()->models->comparison;
        QCOMPARE(c.macs[0], 1'814'073'344);
        QCOMPARE(c.macs[1], 300'774'272);
        QCOMPARE(m_view->data()->table.rows.size(), c.same + c.changed + c.added + c.gone);
    }
};

TILEWRIGHT_TEST(TestModelComparison)

} // namespace test_model_comparison
#include "test_model_comparison.moc"
