// SPDX-License-Identifier: GPL-3.0-or-later
// The Summary pane: figures of every lens beside the floor, rows on demand, and what a figure is made of.
#include "base/file.h"
#include "base/text.h"
#include "export/export_report.h"
#include "panels/summary/summary_view.h"
#include "test_main.h"
#include "theme/text.h"
#include "window/status_strip.h"
#include "window_fixture.h"

#include <nlohmann/json.hpp>

#include <QClipboard>
#include <QLabel>
#include <QMenu>
#include <QProcess>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>

namespace test_summary_view {

using namespace tilewright;
using namespace tilewright::ui;
using verbs::SummaryFigure;
using verbs::SummaryKind;
using State = verbs::SummaryRow::State;

namespace {

const QString kModels = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/");

constexpr int kFirstFigure = 2; ///< after the name and the button

} // namespace

class TestSummaryView : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_settings.fresh();
        m_window = std::make_unique<MainWindow>();
        m_window->resize(1600, 1000);
        m_view = viewOf<SummaryView>(*m_window, "summary");
    }
    void cleanup() { m_window.reset(); }

    void isATabForModelsOnly();
    void figuresAreThoseOfTheDocument();
    void aClickExplainsAFigure();
    void rowsRunOnAButtonAndEnter();
    void aRunCanBeCancelled();
    void theSolvedScheduleIsOneUndoStep();
    void anEditAndAMachineChangeRows();
    void oneLayerInFourLenses();
    void keyFiguresOfALanguageModel();
    void theMenuHelpLeadsToOneLayer();
    void tableIsCopiedAndExported();
    void reportBeginsWithIt();
    void theStatusBarLeadsToIt();
    void twoMachinesSideBySide();
    void anotherModelBesideTheFirst();
    void theComparisonFollowsTheDocument();
    void runsOfTheComparisonAreCancelled();
    void windowVerbAndPythonCompareAlike_data();
    void windowVerbAndPythonCompareAlike();

private:
    [[nodiscard]] Document& document() { return m_window->state().document; }
    void open(const char* model = "llama-decode-block.json")
    {
        QVERIFY(openIn(*m_window, {kModels + QLatin1String(model)}));
        m_window->showView(QStringLiteral("summary"));
        m_view->settle();
        QTRY_COMPARE(row(SummaryKind::Schedule).state, State::Done);
        QTRY_COMPARE(row(SummaryKind::Systolic).state, State::Done);
    }
    void halveTheTiles() ///< an edit of the schedule
    {
        Schedule changed = document().schedule();
        for (SubgraphPtr& s : changed.subgraphs) {
            Subgraph other = *s;
            other.granularity.w = std::max<std::int64_t>(1, other.granularity.w / 2);
            s = std::make_shared<const Subgraph>(std::move(other));
        }
        document().apply(changed, QStringLiteral("Halves"));
        document().waitForSnapshot();
    }
    [[nodiscard]] const verbs::SummaryRow& row(SummaryKind kind, std::size_t block = 0) const
    {
        return m_view->summary(block).rows[static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] QAction* entry(const QString& text) const ///< of the menu "Compare with…"
    {
        auto* menu = m_view->findChild<QMenu*>(QStringLiteral("summary.compare"));
        Q_EMIT menu->aboutToShow();
        for (QAction* action : menu->actions())
            if (action->text() == text)
                return action;
        return nullptr;
    }
    [[nodiscard]] QString otherCell(SummaryKind kind, int column) const
    {
        return m_view->table()->model()->index(m_view->tableRow(kind, 1), column).data().toString();
    }
    [[nodiscard]] QPoint placeOf(SummaryKind kind, int column) const
    {
        QTableView* table = m_view->table();
        const QModelIndex cell = table->model()->index(m_view->tableRow(kind), column);
        table->scrollTo(cell);
        return table->visualRect(cell).center();
    }
    [[nodiscard]] QString cell(SummaryKind kind, int column) const
    {
        return m_view->table()->model()->index(m_view->tableRow(kind), column).data().toString();
    }
    void click(SummaryKind kind, int column) const
    {
        QTest::mouseClick(m_view->table()->viewport(), Qt::LeftButton, {}, placeOf(kind, column));
    }
    void press(SummaryKind kind) const
    {
        static_cast<void>(placeOf(kind, 1));
        QTest::mouseClick(m_view->button(kind), Qt::LeftButton);
    }

    PrivateSettings m_settings;
    std::unique_ptr<MainWindow> m_window;
    SummaryView* m_view = nullptr;
};

void TestSummaryView::isATabForModelsOnly()
{
    const auto hasTab = [](const MainWindow& window) {
        for (const QTabBar* bar : window.findChildren<QTabBar*>())
            for (int i = 0; bar->isVisible() && i < bar->count(); ++i)
                if (bar->tabText(i) == QLatin1String("Summary"))
                    return true;
        return false;
    };
    QVERIFY(openIn(*m_window, {kModels + QStringLiteral("llama-decode-block.json")}));
    QTRY_VERIFY(hasTab(*m_window));
    MainWindow other;
    QVERIFY(openIn(other, {sample("diamond.json")}));
    QVERIFY(!hasTab(other));
}

void TestSummaryView::figuresAreThoseOfTheDocument()
{
    open();
    const double unit = static_cast<double>(document().model()->lowered.timeUnit);
    QCOMPARE(row(SummaryKind::Schedule).of(SummaryFigure::Cycles)->value,
             document().snapshot()->evaluation.total * unit);
    QCOMPARE(cell(SummaryKind::Npu, kFirstFigure), QStringLiteral("not run"));
    QCOMPARE(cell(SummaryKind::Mapping, kFirstFigure), QStringLiteral("not run"));
    QVERIFY(m_view->findChild<QLabel*>(QStringLiteral("summary.headline"))
                ->text()
                .contains(QLatin1String("edge")));
    QVERIFY(!m_view->button(SummaryKind::Schedule)); // always current
    QVERIFY(m_view->button(SummaryKind::Npu));
}

void TestSummaryView::aClickExplainsAFigure()
{
    open();
    // The floor is explained at first.
    QVERIFY(m_view->explanation()->model()->index(0, 0).data().toString() == QLatin1String("floor"));
    click(SummaryKind::Schedule, kFirstFigure + 2);
    const QAbstractItemModel* tree = m_view->explanation()->model();
    const QModelIndex root = tree->index(0, 0);
    QCOMPARE(root.data().toString(), QStringLiteral("multiple of the floor"));
    QCOMPARE(tree->rowCount(root), 2);
    QVERIFY(m_view->explanation()->isExpanded(root));
    QVERIFY(tree->index(0, 3).data().toString().contains(QLatin1String("R19")));
    QCOMPARE(tree->index(1, 0, root).data().toString(), QStringLiteral("floor"));
    QCOMPARE(tree->parent(tree->index(1, 0, root)), root);
    QVERIFY(m_view->findChild<QLabel*>(QStringLiteral("summary.about"))
                ->text()
                .contains(QLatin1String("rules machine")));
    // Keys move from figure to figure.
    QTest::keyClick(m_view->table(), Qt::Key_Right);
    QCOMPARE(tree->index(0, 0).data().toString(), QStringLiteral("rate"));
    // A row without a figure has no tree, and says why.
    click(SummaryKind::Mapping, kFirstFigure);
    QCOMPARE(tree->rowCount(), 0);
    QVERIFY(m_view->findChild<QLabel*>(QStringLiteral("summary.about"))
                ->text()
                .contains(QLatin1String("has not been run")));
}

void TestSummaryView::rowsRunOnAButtonAndEnter()
{
    open();
    press(SummaryKind::Npu);
    QTRY_COMPARE(row(SummaryKind::Npu).state, State::Done);
    QCOMPARE(row(SummaryKind::Npu).of(SummaryFigure::Cores)->value, 4.0);
    QCOMPARE(m_view->button(SummaryKind::Npu)->text(), QStringLiteral("Run again"));
    click(SummaryKind::Mapping, kFirstFigure);
    QTest::keyClick(m_view->table(), Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(row(SummaryKind::Mapping).state, State::Done, 60'000);
    QVERIFY(row(SummaryKind::Mapping).of(SummaryFigure::OfFloor)->value >= 1);
    QCOMPARE(row(SummaryKind::NpuSearched).state, State::NotRun);
}

void TestSummaryView::aRunCanBeCancelled()
{
    open("llama-block.json");
    m_view->findChild<QDoubleSpinBox*>(QStringLiteral("summary.seconds"))->setValue(60);
    press(SummaryKind::ScheduleSolved);
    QTRY_COMPARE(m_view->button(SummaryKind::ScheduleSolved)->text(), QStringLiteral("Cancel"));
    QTRY_VERIFY(cell(SummaryKind::ScheduleSolved, kFirstFigure).startsWith(QLatin1String("running")));
    QTest::qWait(300);
    press(SummaryKind::ScheduleSolved);
    QTRY_VERIFY_WITH_TIMEOUT(row(SummaryKind::ScheduleSolved).state == State::Done,
                             10'000); // the best so far
    QVERIFY(row(SummaryKind::ScheduleSolved).interrupted);
    QVERIFY(row(SummaryKind::ScheduleSolved).of(SummaryFigure::Cycles)->value <=
            row(SummaryKind::Schedule).of(SummaryFigure::Cycles)->value);
}

void TestSummaryView::theSolvedScheduleIsOneUndoStep()
{
    open();
    QAction* apply = m_window->state().actions.find(QStringLiteral("summary.apply"));
    QVERIFY(apply && !apply->isEnabled());
    m_view->findChild<QDoubleSpinBox*>(QStringLiteral("summary.seconds"))->setValue(0.3);
    press(SummaryKind::ScheduleSolved);
    QTRY_COMPARE_WITH_TIMEOUT(row(SummaryKind::ScheduleSolved).state, State::Done, 20'000);
    const Schedule before = document().schedule();
    QTRY_VERIFY(apply->isEnabled());
    apply->trigger();
    document().waitForSnapshot();
    QVERIFY(document().schedule().subgraphs != before.subgraphs);
    QCOMPARE(document().snapshot()->evaluation.total *
                 static_cast<double>(document().model()->lowered.timeUnit),
             row(SummaryKind::ScheduleSolved).of(SummaryFigure::Cycles)->value);
    document().undoStack().undo();
    QCOMPARE(document().schedule().subgraphs, before.subgraphs);
}

void TestSummaryView::anEditAndAMachineChangeRows()
{
    open();
    press(SummaryKind::Npu);
    QTRY_COMPARE(row(SummaryKind::Npu).state, State::Done);
    const double before = row(SummaryKind::Schedule).of(SummaryFigure::Cycles)->value;
    halveTheTiles();
    QTRY_VERIFY(row(SummaryKind::Schedule).of(SummaryFigure::Cycles)->value > before);
    QCOMPARE(row(SummaryKind::Npu).state, State::Done); // no edit of the schedule changes it
    QVERIFY(document().setMachine(*machinePreset("server"), QStringLiteral("server")));
    QTRY_COMPARE(QString::fromStdString(m_view->summary().machine), QStringLiteral("server"));
    QTRY_COMPARE(row(SummaryKind::Systolic).state, State::Done);
    QCOMPARE(row(SummaryKind::Npu).state, State::NotRun);
}

void TestSummaryView::oneLayerInFourLenses()
{
    open();
    QTest::mouseClick(m_view->pages()->tabBar(), Qt::LeftButton, {},
                      m_view->pages()->tabBar()->tabRect(1).center());
    const auto* name = m_view->findChild<QLabel*>(QStringLiteral("summary.layer"));
    QVERIFY(name->text().contains(QLatin1String("Select an operator")));
    press(SummaryKind::Npu);
    QTRY_COMPARE(row(SummaryKind::Npu).state, State::Done);
    // A product: every lens that has been run knows it.
    const Problem& problem = *document().problem();
    OpId product(0);
    while (problem.op(product).type != OpType::MatMul)
        product = OpId(product.value + 1);
    m_window->state().selection.selectOps({product});
    const OperatorId op = document().model()->operatorOf(product);
    QVERIFY(name->text().contains(
        QString::fromStdString(document().model()->model().operators[op].name).toHtmlEscaped()));
    const QAbstractItemModel* rows = m_view->layer()->model();
    QStringList text;
    for (int r = 0; r < rows->rowCount(); ++r)
        text << rows->index(r, 0).data().toString() + QLatin1Char('|') + rows->index(r, 1).data().toString();
    QCOMPARE(text.filter(QStringLiteral("not run")).size(), 3); // solved, searched, mapping
    QVERIFY(text.filter(QStringLiteral("none")).isEmpty());
    QVERIFY(rows->index(0, 4).data().toString().contains(QLatin1String("of the schedule")));
}

void TestSummaryView::keyFiguresOfALanguageModel()
{
    open();
    const int page = m_view->pages()->count() - 1;
    QVERIFY(!m_view->pages()->isTabVisible(page)); // a block has none
    QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("config.json"));
    QVERIFY(QFile::copy(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/llm/qwen3-8b.config.json"), path));
    QVERIFY(openIn(*m_window, {path}));
    m_view->catchUp();
    m_view->settle();
    QVERIFY(m_view->pages()->isTabVisible(page));
    QCOMPARE(m_view->pages()->currentIndex(), page);         // first of all
    QVERIFY(m_view->explanation()->model()->rowCount() > 0); // of the floor, without a click
    QWidget* shown = m_view->pages()->currentWidget();
    auto* table = shown->findChild<QTableView*>();
    QStringList window, verb;
    for (int r = 0; r < table->model()->rowCount(); ++r)
        window << table->model()->index(r, 0).data().toString() + QLatin1Char('|') +
                      table->model()->index(r, 1).data().toString();
    for (const verbs::LanguageLine& line : verbs::languageLines(m_view->summary()))
        verb << QString::fromStdString(line.name + "|" + line.text);
    QCOMPARE(window, verb);
    QVERIFY2(!window.filter(number(8'190'735'360)).isEmpty(), qPrintable(window.join(u'\n')));
    QCOMPARE(window.filter(QStringLiteral("whole model, ")).size(), 3); // schedule, its run, systolic
    // A figure shows what it is made of.
    const auto rowNamed = [&](const char* name) {
        return static_cast<int>(
            std::ranges::find_if(window,
                                 [&](const QString& line) { return line.startsWith(QLatin1String(name)); }) -
            window.begin());
    };
    const QModelIndex weights = table->model()->index(rowNamed("bytes of weights"), 1);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(weights).center());
    const auto* tree = shown->findChild<QTreeView*>();
    QVERIFY(tree->model()->rowCount() == 1);
    QCOMPARE(tree->model()->index(0, 1).data().toString(), number(16'381'470'720));
}

void TestSummaryView::theMenuHelpLeadsToOneLayer()
{
    QAction* action = m_window->state().actions.find(QStringLiteral("summary.layer"));
    QVERIFY(action && Actions::menuOf(action) == QLatin1String("Help"));
    open();
    m_window->showView(QStringLiteral("latency"));
    QVERIFY(m_view->pages()->currentIndex() == 0);
    m_window->state().actions.refresh();
    QVERIFY(action->isEnabled());
    action->trigger();
    QCOMPARE(m_view->pages()->currentIndex(), 1);
    QTRY_VERIFY(m_view->isSeen());
    // The page leads to that of the handbook where this is installed.
    QCOMPARE(m_view->findChild<QLabel*>(QStringLiteral("summary.layer"))
                 ->text()
                 .contains(QLatin1String("href=\"help.four\"")),
             m_window->state().actions.find(QStringLiteral("help.four"))->isEnabled());
}

void TestSummaryView::tableIsCopiedAndExported()
{
    open();
    const QTemporaryDir folder;
    const QString csv = folder.filePath(QStringLiteral("s.csv")),
                  json = folder.filePath(QStringLiteral("s.json"));
    QVERIFY(m_view->exportTable(csv));
    QVERIFY(m_view->exportTable(json));
    QVERIFY(
        QString::fromStdString(*readFile(csv.toStdString())).startsWith(QLatin1String("model,machine,row")));
    QVERIFY(QString::fromStdString(*readFile(json.toStdString())).contains(QLatin1String("explanations")));
    QVERIFY(!m_view->exportTable(folder.filePath(QStringLiteral("missing/s.csv"))));
    const QStringList lines = m_view->copyText().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 1 + 2 + 7);
    QVERIFY(lines.front().startsWith(QLatin1String("Lens\tCycles")));
    // The context menu copies one figure.
    const double cycles = row(SummaryKind::Systolic).of(SummaryFigure::Cycles)->value;
    QTimer::singleShot(0, m_view, [this] {
        auto* menu = m_view->findChild<QMenu*>(QStringLiteral("summary.menu"));
        QVERIFY(menu);
        menu->actions().front()->trigger();
        menu->close();
    });
    Q_EMIT m_view->table()->customContextMenuRequested(placeOf(SummaryKind::Systolic, kFirstFigure));
    QCOMPARE(QApplication::clipboard()->text().toDouble(), cycles);
}

void TestSummaryView::reportBeginsWithIt()
{
    open();
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("report.html"));
    std::vector<View*> views;
    for (const QString& name : reportViews(document()))
        views.push_back(m_window->view(name));
    QCOMPARE(views.front(), static_cast<View*>(m_view));
    QVERIFY(exportReport(document(), views, path));
    const QString page = QString::fromStdString(*readFile(path.toStdString()));
    const auto at = page.indexOf(QLatin1String("id=\"summary\""));
    QVERIFY(at > 0 && at < page.indexOf(QLatin1String("class=\"figures\"")));
    QVERIFY(page.contains(QLatin1String("Systolic, layer by layer")));
    // Machine, time at its clock and what the import made of the operators stand beside the totals.
    for (const char* part : {"<li>machine<b>edge: array of 64", "<li>time at the clock<b>", "<li>cycles<b>",
                             "<li>multiply-accumulates<b>", "<li>import, operators<b>"})
        QVERIFY2(page.contains(QLatin1String(part)), part);
    // What is compared is in it as well.
    m_view->compareWith(*machinePreset("server"));
    QVERIFY(exportReport(document(), views, path));
    QVERIFY(QString::fromStdString(*readFile(path.toStdString()))
                .contains(QLatin1String("Compared with llama-decode on server")));
}

void TestSummaryView::theStatusBarLeadsToIt()
{
    QVERIFY(openIn(*m_window, {kModels + QStringLiteral("llama-decode-block.json")}));
    auto* strip = m_window->findChild<StatusStrip*>();
    QToolButton* floor = nullptr;
    for (QToolButton* b : strip->findChildren<QToolButton*>())
        if (b->accessibleName() == QLatin1String("Multiple of the floor"))
            floor = b;
    QVERIFY(floor);
    QTRY_VERIFY(floor->text().endsWith(QString::fromUtf8(" × floor")));
    QVERIFY(floor->toolTip().contains(QLatin1String("R19")));
    QTest::mouseClick(floor, Qt::LeftButton);
    QTRY_VERIFY(m_view->isFollowing());
    QTRY_COMPARE(row(SummaryKind::Schedule).state, State::Done);
    const QString text = cell(SummaryKind::Schedule, kFirstFigure + 2);
    QCOMPARE(floor->text(), text + QString::fromUtf8(" × floor"));
    // Rate and share of the peak are those of the Summary.
    QString rate;
    for (const QLabel* l : strip->findChildren<QLabel*>())
        if (l->accessibleName() == QLatin1String("Rate and share of the peak"))
            rate = l->text();
    QCOMPARE(rate, QStringLiteral("%1 TOPS, %2 of peak")
                       .arg(cell(SummaryKind::Schedule, kFirstFigure + 3),
                            cell(SummaryKind::Schedule, kFirstFigure + 4)));
}

void TestSummaryView::twoMachinesSideBySide()
{
    open();
    QVERIFY(!m_view->isComparing());
    QAction* end = m_window->state().actions.find(QStringLiteral("summary.compareEnd"));
    QVERIFY(end && !end->isEnabled());
    QVERIFY(entry(QStringLiteral("Machine server")));
    entry(QStringLiteral("Machine server"))->trigger();
    QVERIFY(m_view->isComparing());
    QCOMPARE(m_view->summary(1).machine, std::string("server"));
    m_view->settle();
    QTRY_COMPARE(row(SummaryKind::Schedule, 1).state, State::Done);
    QTRY_COMPARE(row(SummaryKind::Systolic, 1).state, State::Done);
    QCOMPARE(row(SummaryKind::Npu, 1).state, State::NotRun);
    // Each figure of the second block has its ratio behind it.
    const double first = row(SummaryKind::Systolic).of(SummaryFigure::Cycles)->value,
                 second = row(SummaryKind::Systolic, 1).of(SummaryFigure::Cycles)->value;
    QVERIFY(first != second);
    QCOMPARE(otherCell(SummaryKind::Systolic, kFirstFigure),
             QString::fromStdString(formatGrouped(second) + " (× " +
                                    tilewright::significantNumber(second / first) + ")"));
    QVERIFY(!cell(SummaryKind::Systolic, kFirstFigure).contains(QLatin1Char('(')));
    // Copies and files hold both; a copy has the exact figures.
    const QStringList lines = m_view->copyText().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 1 + 2 * (1 + 2 + 7));
    QVERIFY(lines[1].startsWith(QLatin1String("llama-decode on edge")));
    QVERIFY(lines[11].startsWith(QLatin1String("Compared with llama-decode on server")));
    QVERIFY(!m_view->copyText().contains(QStringLiteral("(× ")));
    QVERIFY(m_view->tableText().contains(QStringLiteral("(× ")));
    const QTemporaryDir folder;
    const QString csv = folder.filePath(QStringLiteral("s.csv")),
                  json = folder.filePath(QStringLiteral("s.json"));
    QVERIFY(m_view->exportTable(csv) && m_view->exportTable(json));
    const QByteArray rows = QByteArray::fromStdString(*readFile(csv.toStdString()));
    QCOMPARE(rows.count(",edge,"), 9);
    QCOMPARE(rows.count(",server,"), 9);
    QCOMPARE(nlohmann::json::parse(*readFile(json.toStdString()))["summaries"].size(), std::size_t{2});
    // The selected operator has a row for each lens on each machine.
    m_window->state().selection.selectOps({OpId(0)});
    QCOMPARE(m_view->layer()->model()->rowCount() % 2, 0);
    QVERIFY(m_view->layer()->model()->index(0, 0).data().toString().endsWith(QLatin1String("on edge")));
    QVERIFY(end->isEnabled());
    end->trigger();
    QVERIFY(!m_view->isComparing());
    QCOMPARE(m_view->copyText().split(QLatin1Char('\n'), Qt::SkipEmptyParts).size(), 1 + 2 + 7);
    QVERIFY(!end->isEnabled());
}

void TestSummaryView::anotherModelBesideTheFirst()
{
    open();
    QVERIFY(m_view->compareWithFile(kModels + QLatin1String("llama-block.json")));
    QCOMPARE(m_view->summary(1).model, std::string("llama"));
    QCOMPARE(m_view->summary(1).machine, std::string("edge"));
    m_view->settle();
    QTRY_COMPARE(row(SummaryKind::Schedule, 1).state, State::Done);
    QVERIFY(row(SummaryKind::Schedule, 1).how.starts_with("start schedule"));
    // The operators of another model are others.
    m_window->state().selection.selectOps({OpId(0)});
    for (int r = 0; r < m_view->layer()->model()->rowCount(); ++r)
        QVERIFY(!m_view->layer()->model()->index(r, 0).data().toString().contains(QLatin1String(" on ")));
    // A machine file is one, too; what is neither is refused with its name, and the comparison stays.
    const auto refused = m_view->compareWithFile(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/README.md"));
    QVERIFY(!refused);
    QVERIFY(QString::fromStdString(refused.error().text()).contains(QLatin1String("README.md")));
    QCOMPARE(m_view->summary(1).model, std::string("llama"));
    QVERIFY(m_view->compareWithFile(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/resources/machines/server.json")));
    QCOMPARE(m_view->summary(1).model, std::string("llama-decode"));
    QCOMPARE(m_view->summary(1).machine, std::string("server"));
}

void TestSummaryView::theComparisonFollowsTheDocument()
{
    open();
    m_view->compareWith(*machinePreset("server"));
    m_view->settle();
    QTRY_COMPARE(row(SummaryKind::Schedule, 1).state, State::Done);
    const double before = row(SummaryKind::Schedule, 1).of(SummaryFigure::Cycles)->value;
    // An edited schedule is that of both machines.
    halveTheTiles();
    QTRY_VERIFY(row(SummaryKind::Schedule, 1).how.starts_with("the schedule as it stands"));
    QVERIFY(row(SummaryKind::Schedule, 1).state != State::Done ||
            row(SummaryKind::Schedule, 1).of(SummaryFigure::Cycles)->value != before);
    document().undoStack().undo();
    document().waitForSnapshot();
    QTRY_VERIFY(row(SummaryKind::Schedule, 1).of(SummaryFigure::Cycles) &&
                row(SummaryKind::Schedule, 1).of(SummaryFigure::Cycles)->value == before);
    // Another machine of the document leaves the other one; another model is on both.
    QVERIFY(document().setMachine(*machinePreset("server"), QStringLiteral("server")));
    QTRY_COMPARE(m_view->summary().machine, std::string("server"));
    m_view->settle();
    QTRY_COMPARE(row(SummaryKind::Schedule).state, State::Done);
    QTRY_COMPARE(row(SummaryKind::Schedule, 1).state, State::Done);
    QCOMPARE(row(SummaryKind::Schedule).of(SummaryFigure::Cycles)->value, before);
    QVERIFY(otherCell(SummaryKind::Schedule, kFirstFigure).endsWith(QStringLiteral("(× 1)")));
    QVERIFY(openIn(*m_window, {kModels + QStringLiteral("llama-block.json")}));
    QTRY_COMPARE(m_view->summary(1).model, std::string("llama"));
    QCOMPARE(m_view->summary(1).machine, std::string("server"));
}

void TestSummaryView::runsOfTheComparisonAreCancelled()
{
    open("llama-block.json");
    m_view->compareWith(*machinePreset("server"));
    m_view->findChild<QDoubleSpinBox*>(QStringLiteral("summary.seconds"))->setValue(60);
    const auto pressOther = [&] {
        QTableView* table = m_view->table();
        table->scrollTo(table->model()->index(m_view->tableRow(SummaryKind::ScheduleSolved, 1), 1));
        QTest::mouseClick(m_view->button(SummaryKind::ScheduleSolved, 1), Qt::LeftButton);
    };
    pressOther();
    QTRY_COMPARE(m_view->button(SummaryKind::ScheduleSolved, 1)->text(), QStringLiteral("Cancel"));
    QCOMPARE(m_view->button(SummaryKind::ScheduleSolved)->text(), QStringLiteral("Run"));
    QTRY_VERIFY(otherCell(SummaryKind::ScheduleSolved, kFirstFigure).startsWith(QLatin1String("running")));
    QTest::qWait(300);
    pressOther();
    QTRY_VERIFY_WITH_TIMEOUT(row(SummaryKind::ScheduleSolved, 1).state == State::Done, 10'000);
    QVERIFY(row(SummaryKind::ScheduleSolved, 1).interrupted);
    QCOMPARE(row(SummaryKind::ScheduleSolved).state, State::NotRun);
    // Its schedule is none of the open document.
    QVERIFY(!m_window->state().actions.find(QStringLiteral("summary.apply"))->isEnabled());
    pressOther();
    // A view that is told of the end finds no row of what is gone.
    bool isTold = false;
    bool isStale = false;
    connect(m_view->table()->selectionModel(), &QItemSelectionModel::currentChanged, this, [&] {
        isTold = isTold || !m_view->isComparing();
        isStale =
            isStale || (!m_view->isComparing() && m_view->tableRow(SummaryKind::ScheduleSolved, 1) >= 0);
    });
    m_view->endComparison(); // a run that goes on has nowhere to go
    QVERIFY(isTold);
    QVERIFY(!isStale);
    QTest::qWait(100);
    QVERIFY(!m_view->isComparing());
}

void TestSummaryView::windowVerbAndPythonCompareAlike_data()
{
    QTest::addColumn<QStringList>("options"); // of the verb
    QTest::addColumn<QString>("python");
    QTest::newRow("machines") << QStringLiteral("--machine edge --machine server").split(QLatin1Char(' '))
                              << QStringLiteral("machine=['edge', 'server']");
    const QString block = kModels + QLatin1String("llama-block.json");
    QTest::newRow("models") << (QStringLiteral("--machine edge --beside").split(QLatin1Char(' ')) << block)
                            << QStringLiteral("machine='edge', beside='%1'").arg(block);
}

void TestSummaryView::windowVerbAndPythonCompareAlike()
{
    QFETCH(QStringList, options);
    QFETCH(const QString, python); // unused without the module
    const QString model = kModels + QLatin1String("llama-decode-block.json");
    open();
    if (options.contains(QLatin1String("--beside")))
        QVERIFY(m_view->compareWithFile(options.back()));
    else
        m_view->compareWith(*machinePreset("server"));
    m_view->settle();
    for (const std::size_t block : {std::size_t{0}, std::size_t{1}}) {
        m_view->button(SummaryKind::Npu, block)->click();
        QTRY_COMPARE_WITH_TIMEOUT(row(SummaryKind::Npu, block).state, State::Done, 60'000);
        QTRY_COMPARE(row(SummaryKind::Schedule, block).state, State::Done);
        QTRY_COMPARE(row(SummaryKind::Systolic, block).state, State::Done);
    }
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("s.json"));
    QVERIFY(m_view->exportTable(file));
    const auto ofWindow = nlohmann::json::parse(*readFile(file.toStdString()));
    const auto outputOf = [](const QString& program, const QStringList& arguments) {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("PYTHONPATH"), QStringLiteral(TILEWRIGHT_BINARY_DIR "/python"));
        process.setProcessEnvironment(environment);
        process.start(program, arguments);
        if (!process.waitForFinished(120'000) || process.exitCode() != 0)
            qFatal("%s: %s", qPrintable(program), process.readAllStandardError().constData());
        return nlohmann::json::parse(process.readAllStandardOutput().toStdString());
    };
    QCOMPARE(ofWindow,
             outputOf(QStringLiteral(TILEWRIGHT_BINARY_DIR "/app/cli/tilewright-cli"),
                      (QStringList(QStringLiteral("summary"))
                       << model << options << QStringLiteral("--json") << QStringLiteral("--explain"))));
#ifdef TILEWRIGHT_PYTHON_PROGRAM
    QCOMPARE(ofWindow,
             outputOf(QStringLiteral(TILEWRIGHT_PYTHON_PROGRAM),
                      {QStringLiteral("-c"),
                       QStringLiteral("import json, tilewright; print(json.dumps(tilewright.summary('%1', "
                                      "explain=True, %2)))")
                           .arg(model, python)}));
#endif
}

TILEWRIGHT_TEST(TestSummaryView)

} // namespace test_summary_view
#include "test_summary_view.moc"
