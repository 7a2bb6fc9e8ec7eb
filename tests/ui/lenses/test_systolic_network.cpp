// SPDX-License-Identifier: GPL-3.0-or-later
// The pane Network of the Systolic lens: the table of the verb, and the way from a row to its layer.
#include "lens_window.h"
#include "test_main.h"
#include "views/systolic/network_pane.h"
#include "workspace/lens_links.h"
#include "workspace/mapping_document.h"

#include <QHeaderView>
#include <QTableView>

namespace test_systolic_network {

using namespace tilewright;
using namespace tilewright::ui;

class TestSystolicNetwork : public QObject, protected LensWindow
{
    Q_OBJECT

private Q_SLOTS:
    void init() { makeWindow(); }
    void cleanup() { m_window.reset(); }

    void theTableIsThatOfTheVerb();
    void aRowSelectsItsLayerInEveryLens();
    void anActivatedRowShowsTheWholeProduct();
    void layersThatUseTheArrayBadlyAreFoundBySorting();
    void itFollowsTheMachineAndTheArrayWhileItIsSeen();
    void theMenuLeadsToIt();
    void withoutAModelItSaysWhatToDo();

private:
    NetworkPane* showPane()
    {
        m_window->show();
        run("lens.show.systolic");
        auto* lens = viewOf<SystolicView>(*m_window, "systolic");
        lens->showPane(QStringLiteral("systolic-network"));
        auto* pane = qobject_cast<NetworkPane*>(lens->pane(QStringLiteral("systolic-network")));
        pane->settle();
        return pane;
    }
    /// Index of the row of a column in the shown order.
    static int rowOf(const NetworkPane& pane, const std::string& layer)
    {
        for (int row = 0; row < pane.table()->model()->rowCount(); ++row)
            if (pane.table()
                    ->model()
                    ->index(row, verbs::NetworkLayer)
                    .data()
                    .toString()
                    .startsWith(QString::fromStdString(layer)))
                return row;
        return -1;
    }
    static void click(const NetworkPane& pane, int row)
    {
        QTableView* table = pane.table();
        table->scrollTo(table->model()->index(row, verbs::NetworkLayer));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualRect(table->model()->index(row, verbs::NetworkLayer)).center());
    }
    std::string selectedName()
    {
        const auto product = workspace().links().product();
        return product ? document().problem()->opName(product->op) : std::string();
    }
};

void TestSystolicNetwork::theTableIsThatOfTheVerb()
{
    for (const char* file : {"llama-block.json", "small-conv.csv"}) {
        open(file);
        const NetworkPane* pane = showPane();
        verbs::SystolicCall call;
        call.workload.file = (kModels + QLatin1String(file)).toStdString();
        call.workload.machine = *document().machine();
        QVERIFY(verbs::readFiles(call));
        const auto answer = verbs::systolicNetwork(call);
        QVERIFY2(answer.hasValue(), answer ? "" : answer.error().text().c_str());
        const Table expected = verbs::networkRows(*answer);
        QVERIFY(pane->answer());
        QCOMPARE(csvOf(verbs::networkRows(*pane->answer())), csvOf(expected));
        QVERIFY(expected.rowCount() > 3);
        QCOMPARE(pane->table()->model()->rowCount(), static_cast<int>(expected.rowCount()));
        // Copies have every row and column with exact values.
        const QStringList lines = pane->copyText().trimmed().split(QLatin1Char('\n'));
        QCOMPARE(lines.size(), static_cast<qsizetype>(expected.rowCount() + 1));
        for (const QString& line : lines)
            QCOMPARE(line.count(QLatin1Char('\t')), static_cast<qsizetype>(expected.columns.size() - 1));
        const lower::NetworkRow& first = answer->dataflows[1].rows.front();
        QVERIFY(lines[1].contains(QString::number(first.boundCycles)));
    }
}

void TestSystolicNetwork::aRowSelectsItsLayerInEveryLens()
{
    open("llama-block.json");
    const NetworkPane* pane = showPane();
    for (const char* name : {"layer0.down", "layer0.gate"}) {
        click(*pane, rowOf(*pane, name));
        QCOMPARE(selectedName(), std::string(name));
        QVERIFY(workspace().systolic().settings().origin.starts_with(name));
        QVERIFY(pane->table()->selectionModel()->isRowSelected(rowOf(*pane, name)));
    }
    // A selection elsewhere selects the row.
    selection().selectSubgraph(SubgraphId(subgraphOf(document(), "layer0.down")));
    QVERIFY(pane->table()->selectionModel()->isRowSelected(rowOf(*pane, "layer0.down")));
    // An operator with products of two sizes has two rows.
    std::vector<int> attention;
    for (int row = 0; row < pane->table()->model()->rowCount(); ++row)
        if (pane->table()->model()->index(row, 0).data().toString() == QStringLiteral("layer0.attention"))
            attention.push_back(row);
    QCOMPARE(attention.size(), std::size_t{2});
    for (const int row : attention) {
        click(*pane, row);
        QVERIFY(pane->table()->selectionModel()->isRowSelected(row));
        QCOMPARE(selection().state().ops.size(), std::size_t{8}); // a head each
    }
    click(*pane, rowOf(*pane, "layer0.down"));
    // The total is no layer.
    click(*pane, pane->table()->model()->rowCount() - 1);
    QCOMPARE(selectedName(), std::string("layer0.down"));
    run("lens.show.mapping");
    const std::string layer = workspace().links().selectedLayer();
    QVERIFY2(layer.starts_with("layer0.down"), layer.c_str());
}

void TestSystolicNetwork::anActivatedRowShowsTheWholeProduct()
{
    open("llama-block.json");
    const NetworkPane* pane = showPane();
    const int row = rowOf(*pane, "layer0.down");
    click(*pane, row);
    Q_EMIT pane->table()->activated(pane->table()->model()->index(row, 0));
    const lower::NetworkTable& table = pane->answer()->table;
    const auto down = std::ranges::find_if(
        table.rows, [](const auto& r) { return r.layer.operators.front() == "layer0.down"; });
    QVERIFY(down != table.rows.end());
    QCOMPARE(workspace().systolic().settings().gemm, down->layer.gemm);
}

void TestSystolicNetwork::layersThatUseTheArrayBadlyAreFoundBySorting()
{
    open("mobilenet-v2-96.json");
    const NetworkPane* pane = showPane();
    QHeaderView* header = pane->table()->horizontalHeader();
    const auto sort = [&] {
        const int x = header->sectionViewportPosition(verbs::NetworkUtilization) +
                      header->sectionSize(verbs::NetworkUtilization) / 2;
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, QPoint(x, header->height() / 2));
    };
    sort();
    sort(); // ascending
    const QAbstractItemModel& rows = *pane->table()->model();
    std::vector<double> shown;
    for (int row = 0; row < rows.rowCount(); ++row)
        shown.push_back(rows.index(row, verbs::NetworkUtilization).data(TableModel::SortRole).toDouble());
    const double total = shown.back();
    shown.pop_back();
    QVERIFY(std::ranges::is_sorted(shown));
    QVERIFY(shown.front() < shown.back());
    QCOMPARE(total, pane->answer()->table.total.timing.utilization); // stays at the end
    QVERIFY(rows.index(rows.rowCount() - 1, 0).data().toString() == QStringLiteral("total"));
}

void TestSystolicNetwork::itFollowsTheMachineAndTheArrayWhileItIsSeen()
{
    open("llama-block.json");
    auto* lens = viewOf<SystolicView>(*m_window, "systolic");
    auto* pane = qobject_cast<NetworkPane*>(lens->pane(QStringLiteral("systolic-network")));
    m_window->show();
    run("lens.show.systolic");
    lens->showPane(QStringLiteral("systolic-wavefront"));
    QCoreApplication::processEvents();
    QVERIFY(!pane->answer() && !pane->isComputing()); // nobody has seen it
    lens->showPane(QStringLiteral("systolic-network"));
    pane->settle();
    const std::int64_t before = pane->answer()->table.total.timing.cycles;
    Machine machine = *document().machine();
    machine.rows *= 2;
    QVERIFY(document().setMachine(machine, QStringLiteral("more rows"), {}));
    pane->settle();
    QCOMPARE(pane->answer()->request.hierarchy.array.rows, machine.rows);
    QVERIFY(pane->answer()->table.total.timing.cycles < before);
    // Not while another pane is shown.
    lens->showPane(QStringLiteral("systolic-wavefront"));
    machine.rows *= 2;
    QVERIFY(document().setMachine(machine, QStringLiteral("more rows"), {}));
    QCOMPARE(pane->answer()->request.hierarchy.array.rows * 2, machine.rows);
    lens->showPane(QStringLiteral("systolic-network"));
    pane->settle();
    QCOMPARE(pane->answer()->request.hierarchy.array.rows, machine.rows);
    open("mobilenet-v2-96.json");
    pane->settle();
    QCOMPARE(pane->answer()->name, document().lensModel()->model().name);
}

void TestSystolicNetwork::theMenuLeadsToIt()
{
    open("llama-block.json");
    m_window->show();
    run("lens.network");
    const auto* lens = viewOf<SystolicView>(*m_window, "systolic");
    QTRY_VERIFY(lens->pane(QStringLiteral("systolic-network"))->isVisible());
}

void TestSystolicNetwork::withoutAModelItSaysWhatToDo()
{
    const NetworkPane* pane = showPane();
    QVERIFY(!pane->answer());
    QVERIFY(pane->accessibleDescription().startsWith(QStringLiteral("Open a model")));
    QVERIFY(pane->copyText().trimmed().isEmpty());
}

TILEWRIGHT_TEST(TestSystolicNetwork)

} // namespace test_systolic_network
#include "test_systolic_network.moc"
