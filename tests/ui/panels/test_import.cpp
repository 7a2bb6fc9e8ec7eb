// SPDX-License-Identifier: GPL-3.0-or-later
// The Import dock: what was understood of a model, and the way from there to the graph and back.
#include "panels/import/import_view.h"
#include "test_main.h"
#include "theme/text.h"
#include "window/message_bar.h"
#include "window/missing_banner.h"
#include "window_fixture.h"
#include "workspace/model_file.h"

#include "base/file.h"

#include <set>
#include <tuple>

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>

namespace test_import {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

const QString kModels = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/");

/// With spaces that break.
QString plain(QString text)
{
    return text.replace(QChar(0xa0), QLatin1Char(' ')).replace(QChar(0x202f), QLatin1Char(' '));
}

int rowOf(const QTableView& table, const QString& name)
{
    for (int row = 0; row < table.model()->rowCount(); ++row)
        if (table.model()->index(row, 0).data().toString() == name)
            return row;
    return -1;
}

} // namespace

class TestImport : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_settings.fresh();
        m_window = std::make_unique<MainWindow>();
        m_window->resize(1440, 900);
        m_view = viewOf<ImportView>(*m_window, "import");
    }
    void cleanup() { m_window.reset(); }

    void coverageAndRowsAreThoseOfTheReport();
    void aRowSelectsItsOpsAndBack();
    void rowsAreFilteredAndSorted();
    void aTypeListsItsOperators();
    void aProblemSaysThatNothingWasLowered();
    void inALowPaneTheTableHasTheRoom();
    void whatIsDroppedIsToldOnOpening();
    void freeDimensionsAreAFormAndAnUndoStep();
    void aLanguageModelHasItsPhaseInAForm();
    void optionsThatNoLongerFitAreTold();
    void nodesOfAnOnnxFileSelectWhatTheyBecame();

private:
    [[nodiscard]] Document& document() { return m_window->state().document; }
    void open(const QString& path)
    {
        QVERIFY(openIn(*m_window, {path}));
        m_window->showView(QStringLiteral("import"));
    }

    PrivateSettings m_settings;
    std::unique_ptr<MainWindow> m_window;
    ImportView* m_view = nullptr;
};

void TestImport::coverageAndRowsAreThoseOfTheReport()
{
    open(kModels + QStringLiteral("llama-block.json"));
    const lower::LoweringReport& report = document().model()->lowered.report;
    QCOMPARE(m_view->operators()->model()->rowCount(), static_cast<int>(report.nodes.size()));
    std::int64_t macs = 0;
    for (const lower::TypeReport& t : lower::typesOf(report))
        macs += t.macs;
    QCOMPARE(macs, report.macs);
    const auto* bar = m_view->findChild<CoverageBar*>();
    QVERIFY(bar->accessibleDescription().contains(QStringLiteral("mapped")));
    const auto* summary = m_view->findChild<QLabel*>(QStringLiteral("import.summary"));
    QVERIFY2(summary->text().contains(QStringLiteral("llama")), qPrintable(summary->text()));
    QVERIFY(plain(summary->text()).contains(QStringLiteral("18 operators")));
    QVERIFY(!m_view->copyText().isEmpty());
}

void TestImport::aRowSelectsItsOpsAndBack()
{
    open(kModels + QStringLiteral("llama-block.json"));
    QTableView* table = m_view->operators();
    const int attention = rowOf(*table, QStringLiteral("layer0.attention"));
    QVERIFY(attention >= 0);
    const QModelIndex index = table->model()->index(attention, 0);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(index).center());
    QVERIFY(m_window->state().selection.state().ops.size() > 8); // scores, softmax, context of 8 heads
    for (const OpId op : m_window->state().selection.state().ops)
        QVERIFY(document().problem()->opName(op).starts_with("layer0.attention"));
    // An op selected elsewhere brings its row.
    for (std::size_t i = 0; i < document().problem()->opCount(); ++i)
        if (document().problem()->opName(OpId(i)) == "layer0.up")
            m_window->state().selection.selectOps({OpId(i)});
    QCOMPARE(table->currentIndex().siblingAtColumn(0).data().toString(), QStringLiteral("layer0.up"));
    QCOMPARE(m_window->state().selection.state().ops.size(), std::size_t{1}); // and only that
}

void TestImport::rowsAreFilteredAndSorted()
{
    open(kModels + QStringLiteral("llama-block.json"));
    const auto shown = [&] { return m_view->operators()->model()->rowCount(); };
    const int all = shown();
    QTest::keyClicks(m_view->search(), QStringLiteral("rope"));
    QCOMPARE(shown(), 2);
    m_view->search()->clear();
    QCOMPARE(shown(), all);
    m_view->filter()->setCurrentIndex(1);
    int notQuite = 0;
    for (const lower::NodeReport& n : document().model()->lowered.report.nodes)
        notQuite += n.status == lower::NodeStatus::Approximated || n.status == lower::NodeStatus::Dropped;
    QVERIFY(notQuite > 0 && notQuite < all);
    QCOMPARE(shown(), notQuite);
    m_view->filter()->setCurrentIndex(0);
    m_view->operators()->sortByColumn(OperatorTable::Macs, Qt::DescendingOrder);
    const QAbstractItemModel* rows = m_view->operators()->model();
    for (int row = 1; row < rows->rowCount(); ++row)
        QVERIFY(rows->index(row - 1, OperatorTable::Macs).data(TableModel::SortRole).toLongLong() >=
                rows->index(row, OperatorTable::Macs).data(TableModel::SortRole).toLongLong());
}

void TestImport::aTypeListsItsOperators()
{
    open(kModels + QStringLiteral("llama-block.json"));
    QTableView* types = m_view->types();
    const int row = rowOf(*types, QStringLiteral("rms_norm"));
    QVERIFY(row >= 0);
    QCOMPARE(types->model()->index(row, TypeTable::Nodes).data().toString(), QStringLiteral("3"));
    Q_EMIT types->activated(types->model()->index(row, 0));
    QVERIFY(m_view->operators()->isVisible());
    QCOMPARE(m_view->operators()->model()->rowCount(), 3);
}

void TestImport::inALowPaneTheTableHasTheRoom()
{
    QVERIFY(openIn(*m_window, {kModels + QStringLiteral("llama-block.onnx")}));
    ImportView low(m_window->state().context());
    const auto* notes = low.findChild<QLabel*>(QStringLiteral("import.notes"));
    QVERIFY(notes);
    const auto lines = [notes] { return notes->text().count(QLatin1Char('\n')) + 1; };
    low.resize(900, 700);
    low.show();
    QVERIFY(QTest::qWaitForWindowExposed(&low));
    const qsizetype all = lines();
    QVERIFY(all > 1);
    low.resize(900, 250);
    QTRY_COMPARE(lines(), 1);
    QCOMPARE(notes->toolTip().count(QLatin1Char('\n')) + 1, all); // nothing is lost
    low.resize(900, 700);
    QTRY_COMPARE(lines(), all);
}

void TestImport::aProblemSaysThatNothingWasLowered()
{
    const auto* summary = m_view->findChild<QLabel*>(QStringLiteral("import.summary"));
    QVERIFY(summary->text().contains(QStringLiteral("Open a model")));
    open(example("ex3.problem.json"));
    QVERIFY(summary->text().contains(QStringLiteral("nothing was lowered")));
    QVERIFY(m_view->operators()->isHidden() || !m_view->operators()->isVisible());
}

void TestImport::whatIsDroppedIsToldOnOpening()
{
    const QString path = m_settings.filePath("odd.json");
    QVERIFY(writeFileAtomically(path.toStdString(), R"({"name": "odd", "tensors": [
        {"name": "x", "shape": [64, 64]}, {"name": "w", "shape": [64, 64]}, {"name": "y", "shape": [64, 64]},
        {"name": "z", "shape": [64, 64]}], "constants": ["w"], "ops": [
        {"type": "matmul", "name": "known", "inputs": ["x", "w"], "outputs": ["y"]},
        {"type": "unknown", "name": "riddle", "inputs": ["y"], "outputs": ["z"]}]})"));
    open(path);
    auto* bar = m_window->findChild<MessageBar*>();
    QVERIFY(bar);
    bool told = false;
    for (const QLabel* text : bar->findChildren<QLabel*>())
        told |= plain(text->text()).contains(QStringLiteral("1 operator is not supported"));
    QVERIFY(told);
    m_view->filter()->setCurrentIndex(2);
    QCOMPARE(m_view->operators()->model()->rowCount(), 1);
    QCOMPARE(m_view->operators()->model()->index(0, 0).data().toString(), QStringLiteral("riddle"));
    // Nobody knows its multiply-accumulates, so their share is not 0 %.
    const auto* coverage = m_view->findChild<CoverageBar*>();
    QVERIFY2(coverage->accessibleDescription().endsWith(QStringLiteral("unknown dropped")),
             qPrintable(coverage->accessibleDescription()));
    // A red row stays as long as the model is open.
    auto* banner = m_window->findChild<MissingBanner*>();
    QVERIFY(banner && banner->isVisible());
    QVERIFY2(banner->text().contains(QStringLiteral("unknown \"riddle\"")), qPrintable(banner->text()));
    bar->dismiss();
    const QImage row = banner->grab().toImage();
    QCOMPARE(row.pixelColor(2, row.height() / 2), m_window->state().themes.theme().error);
    open(example("ex3.problem.json"));
    QVERIFY(!banner->isVisible());
}

void TestImport::freeDimensionsAreAFormAndAnUndoStep()
{
    const QString path = kModels + QStringLiteral("gpt2-block.onnx");
    if (!lower::loadWorkload(path.toStdString(), {{"batch", 1}, {"sequence", 8}}))
        QSKIP("built without ONNX");
    open(path);
    QVERIFY(document().model());
    QSpinBox* sequence = nullptr;
    for (QSpinBox* box : m_view->findChildren<QSpinBox*>())
        if (box->accessibleName().contains(QStringLiteral("sequence")))
            sequence = box;
    QVERIFY(sequence);
    QTRY_VERIFY(sequence->isVisible());
    const std::int64_t macs = document().model()->lowered.report.macs;
    const int before = sequence->value();
    m_window->state().selection.selectSubgraph(SubgraphId(2));
    sequence->setFocus();
    sequence->selectAll();
    QTest::keyClicks(sequence, QStringLiteral("64"));
    QTest::keyClick(sequence, Qt::Key_Return);
    QCOMPARE(document().dimensions().at("sequence"), std::int64_t{64});
    QVERIFY(document().model()->lowered.report.macs < macs);
    QVERIFY(document().snapshot()->problem == document().problem());
    QVERIFY(document().snapshot()->evaluation.valid());
    QCOMPARE(document().undoStack().count(), 1);
    document().undoStack().undo();
    QCOMPARE(document().model()->lowered.report.macs, macs);
    QCOMPARE(sequence->value(), before);
    // The next time the file is opened it is as it was left.
    document().undoStack().redo();
    document().undoStack().setClean();
    QVERIFY(m_window->openPaths({path}));
    QCOMPARE(document().dimensions().at("sequence"), std::int64_t{64});
    QVERIFY(!document().isModified());
}

/// The form of a config.json: the options of the command line, with the same defaults and the same model.
void TestImport::aLanguageModelHasItsPhaseInAForm()
{
    QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("config.json"));
    QVERIFY(QFile::copy(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/llm/qwen3-8b.config.json"), path));
    open(path);
    auto* form = m_view->findChild<QWidget*>(QStringLiteral("import.language"));
    QVERIFY(form && form->isVisible());
    const auto box = [&](const char* name) {
        return form->findChild<QAbstractSpinBox*>(QStringLiteral("language.") + QLatin1String(name));
    };
    const auto type = [&](const char* name, const QString& text) {
        QAbstractSpinBox* field = box(name);
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, text);
        QTest::keyClick(field, Qt::Key_Return);
    };
    const auto equals = [&](const onnx::Dimensions& options) {
        const auto direct = lower::loadWorkload(path.toStdString(), options);
        if (!direct)
            return false;
        const auto tensors = [](const model::Model& m) {
            std::vector<std::tuple<std::string, model::Shape, std::int64_t>> out;
            for (std::size_t t = 0; t < m.tensors.size(); ++t)
                out.emplace_back(m.tensors[ModelTensorId(t)].name, m.shape(ModelTensorId(t)),
                                 m.bytes(ModelTensorId(t)));
            return out;
        };
        return tensors(document().model()->workload->model) == tensors(direct->model);
    };
    QVERIFY(document().dimensions().empty() && equals({}));
    QCOMPARE(box("prompt")->text(), number(2048) + QStringLiteral(" by default"));
    QVERIFY(!box("cached")->isEnabled() && !box("tokens")->isEnabled());

    auto* phase = form->findChild<QComboBox*>(QStringLiteral("language.phase"));
    phase->setFocus();
    QTest::keyClick(phase, Qt::Key_Down); // decode
    QVERIFY(equals({{"phase", 2}}));
    QVERIFY(box("cached")->isEnabled() && box("tokens")->isEnabled() && !box("prompt")->isEnabled());
    type("cached", QStringLiteral("4k"));
    type("batch", QStringLiteral("8"));
    type("kv", QStringLiteral("4.5"));
    const onnx::Dimensions asked{
        {"phase", 2}, {"cached", 4000}, {"batch", 8}, {"kv_bits", 4}, {"kv_1024ths", 512}};
    QCOMPARE(document().dimensions(), asked);
    QVERIFY(equals(asked));
    // One undo step each; the fields follow.
    for (int i = 0; i < 3; ++i)
        document().undoStack().undo();
    QCOMPARE(document().dimensions(), (onnx::Dimensions{{"phase", 2}}));
    QTRY_COMPARE(box("kv")->text(), QStringLiteral("as in the file"));
    // What the model does not allow is refused, and the field shows what holds.
    type("layers", QStringLiteral("400"));
    QCOMPARE(document().dimensions(), (onnx::Dimensions{{"phase", 2}}));
    auto* why = m_view->findChild<QLabel*>(QStringLiteral("import.refused"));
    QVERIFY2(why->isVisible() && why->text().contains(QStringLiteral("36")), qPrintable(why->text()));
    QCOMPARE(box("layers")->text(), QStringLiteral("one of each kind"));
    // Several chips need a machine with links.
    type("chips", QStringLiteral("4"));
    QCOMPARE(document().dimensions(), (onnx::Dimensions{{"phase", 2}}));
    QVERIFY2(why->isVisible() && why->text().contains(QStringLiteral("rate of its links")),
             qPrintable(why->text()));
    QVERIFY(document().setMachine(*machinePreset("h100"), QStringLiteral("test")));
    type("chips", QStringLiteral("4"));
    type("stages", QStringLiteral("2"));
    QCOMPARE(document().dimensions(), (onnx::Dimensions{{"phase", 2}, {"chips", 4}, {"stages", 2}}));
    QCOMPARE(document().model()->workload->language->config.heads, 8); // of 32
    document().undoStack().undo();
    QTRY_COMPARE(box("stages")->text(), QStringLiteral("1"));
    // Experts need a model that has some.
    QVERIFY(!box("expertChips")->isEnabled());
    QVERIFY(openIn(*m_window,
                   {QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/language/mixtral-8x7b.config.json")}));
    QTRY_VERIFY(box("expertChips")->isEnabled());
    QVERIFY(document().setMachine(*machinePreset("h100"), QStringLiteral("test")));
    type("expertChips", QStringLiteral("4"));
    auto* skew = form->findChild<QDoubleSpinBox*>(QStringLiteral("language.expertSkew"));
    skew->setFocus();
    skew->selectAll();
    QTest::keyClicks(skew, QStringLiteral("1"));
    QTest::keyClick(skew, Qt::Key_Return);
    QCOMPARE(document().dimensions(), (onnx::Dimensions{{"expert_chips", 4}, {"expert_skew_1000ths", 1000}}));
    // Other models have no such form.
    QVERIFY(openIn(*m_window, {kModels + QStringLiteral("llama-block.json")}));
    QTRY_VERIFY(form->isHidden());
}

void TestImport::optionsThatNoLongerFitAreTold()
{
    QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("config.json"));
    QVERIFY(QFile::copy(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/llm/qwen3-8b.config.json"), path));
    rememberDimensions(path, {{"phase", 1}, {"layers", 400}}); // of a longer model
    open(path);
    QVERIFY(document().dimensions().empty() && document().model()->workload->language);
    const auto* bar = m_window->findChild<MessageBar*>();
    QVERIFY2(bar->isVisible() && bar->text().contains(QStringLiteral("36 layers")), qPrintable(bar->text()));
    QVERIFY(bar->text().contains(QStringLiteral("defaults")));
    // Another file has nothing to tell.
    QVERIFY(openIn(*m_window, {kModels + QStringLiteral("llama-block.json")}));
    QVERIFY(!document().forgottenOptions());
}

void TestImport::nodesOfAnOnnxFileSelectWhatTheyBecame()
{
    const QString path = kModels + QStringLiteral("quantised-cnn.onnx");
    if (!lower::loadWorkload(path.toStdString()))
        QSKIP("built without ONNX");
    open(path);
    QTableView* table = m_view->operators();
    const int conv = rowOf(*table, QStringLiteral("conv2"));
    QVERIFY(conv >= 0);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                      table->visualRect(table->model()->index(conv, 0)).center());
    // The product, and the Pointwise that makes its weights wide (R18).
    std::set<std::string> names;
    for (const OpId o : m_window->state().selection.state().ops)
        names.insert(document().problem()->opName(o));
    QCOMPARE(names, (std::set<std::string>{"conv2", "conv2/dequantize[0]"}));
    const int folded = rowOf(*table, QStringLiteral("conv2.weight.from"));
    QVERIFY(folded >= 0);
    QCOMPARE(table->model()->index(folded, OperatorTable::Status).data().toString(),
             QStringLiteral("folded"));
}

TILEWRIGHT_TEST(TestImport)

} // namespace test_import
#include "test_import.moc"
