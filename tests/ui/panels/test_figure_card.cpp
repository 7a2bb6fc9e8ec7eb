// SPDX-License-Identifier: GPL-3.0-or-later
// Issue 41 a, in the window: a figure is asked by Alt and a click or by ?, and its card says what it is.
#include "canvas/table_model.h"
#include "eval/waste.h"
#include "panels/subgraphs/subgraphs_view.h"
#include "panels/summary/explanation_model.h"
#include "test_main.h"
#include "theme/text.h"
#include "window/figure_card.h"
#include "window_fixture.h"

#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QTreeView>
#include <QWindow>

namespace test_figure_card {

using namespace tilewright;
using namespace tilewright::ui;

class TestFigureCard : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_settings.fresh();
        m_window = std::make_unique<MainWindow>();
        m_window->resize(1600, 1000);
        m_window->show();
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QVERIFY(
            openIn(*m_window, {QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json")}));
        QVERIFY(
            QTest::qWaitFor([&] { return document().snapshot() && document().snapshot()->arrayTotal > 0; }));
    }
    void cleanup() { m_window.reset(); }

    void altAndAClickAskForACell();
    void altOverHeadingsAndScrollBarsAsksNothing();
    void itComesBackAfterEscapeInTheAddress();
    void theQuestionMarkAsksForTheFocus();
    void aPartLeadsToItsFigureAndBack();
    void moreOfEachValue();
    void aFigureIsTypedAndAWrongOneIsNamed();
    void theStatusBarAnswers();
    void wasteIsInTheListWhereThereIsRoom();

private:
    [[nodiscard]] Document& document() { return m_window->state().document; }
    [[nodiscard]] FigureCard& card() { return *m_window->findChild<FigureCard*>(); }
    [[nodiscard]] QTableView& rows()
    {
        return *viewOf<SubgraphsView>(*m_window, "subgraphs")->findChild<QTableView*>();
    }
    [[nodiscard]] QLabel& label(const char* name)
    {
        for (QLabel* l : card().findChildren<QLabel*>())
            if (l->accessibleName() == QLatin1String(name))
                return *l;
        qFatal("no label");
    }
    [[nodiscard]] QPushButton& button(const char* text)
    {
        for (QPushButton* b : card().findChildren<QPushButton*>())
            if (b->text() == QLatin1String(text))
                return *b;
        qFatal("no button");
    }
    [[nodiscard]] QPoint cell(int row, int column)
    {
        return rows().visualRect(rows().model()->index(row, column)).center();
    }

    PrivateSettings m_settings;
    std::unique_ptr<MainWindow> m_window;
};

void TestFigureCard::altAndAClickAskForACell()
{
    QTest::mouseClick(rows().viewport(), Qt::LeftButton, Qt::AltModifier, cell(3, SubgraphModel::Latency));
    QVERIFY(card().isVisible());
    QCOMPARE(card().shown(), QStringLiteral("schedule:subgraphs.3.latency"));
    QCOMPARE(label("Name of the figure").text(), QStringLiteral("Latency of a subgraph: subgraph 3"));
    const ExplainedValue* const tree = card().findChild<ExplanationModel*>()->explanation();
    QVERIFY(tree && tree->parts.size() == 1);
    QCOMPARE(tree->value, document().snapshot()->evaluation.subgraphs[3].latency);
    QVERIFY(label("What the figure is").text().contains(QLatin1String("Leaves out:")));

    // the next figure takes its place; the row was not selected by it
    QTest::mouseClick(rows().viewport(), Qt::LeftButton, Qt::AltModifier, cell(4, SubgraphModel::Memory));
    QCOMPARE(card().shown(), QStringLiteral("schedule:subgraphs.4.peak_working_set"));
    // without Alt a click selects as ever
    QTest::mouseClick(rows().viewport(), Qt::LeftButton, {}, cell(2, SubgraphModel::Latency));
    QCOMPARE(card().shown(), QStringLiteral("schedule:subgraphs.4.peak_working_set"));
    QCOMPARE(rows().currentIndex().row(), 2);
}

/// Headings and scroll bars are children of the list beside its rows.
void TestFigureCard::altOverHeadingsAndScrollBarsAsksNothing()
{
    QHeaderView* const headings = rows().horizontalHeader();
    headings->setVisible(true);
    QTest::mouseClick(headings->viewport(), Qt::LeftButton, Qt::AltModifier,
                      {headings->sectionPosition(SubgraphModel::Latency) + 4, 4});
    rows().setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    QTest::mouseClick(rows().verticalScrollBar(), Qt::LeftButton, Qt::AltModifier);
    QVERIFY(!card().isVisible());
}

/// The field of the address says that its text is chosen when it loses the focus.
void TestFigureCard::itComesBackAfterEscapeInTheAddress()
{
    for (int i = 0; i < 2; ++i) {
        QTest::mouseClick(rows().viewport(), Qt::LeftButton, Qt::AltModifier,
                          cell(3, SubgraphModel::Latency));
        QVERIFY(card().isVisible() && card().windowHandle() && card().windowHandle()->isVisible());
        QVERIFY(QTest::qWaitForWindowActive(&card()));
        auto* const address = card().findChild<QComboBox*>();
        address->setFocus();
        QTest::keyClick(address, Qt::Key_Escape);
        QTRY_VERIFY(!card().isVisible());
        QTest::qWait(20);
        QVERIFY(!card().isVisible());
        m_window->activateWindow();
    }
}

void TestFigureCard::theQuestionMarkAsksForTheFocus()
{
    rows().setFocus();
    rows().setCurrentIndex(rows().model()->index(5, SubgraphModel::Energy));
    QTest::keyClick(&rows(), Qt::Key_Question);
    QTRY_VERIFY(card().isVisible());
    QCOMPARE(card().shown(), QStringLiteral("schedule:subgraphs.5.energy_pj"));
    QTest::keyClick(&card(), Qt::Key_Escape);
    QVERIFY(!card().isVisible());
    // the shortcut sheet has its own key
    QVERIFY(m_window->state().actions.find(QStringLiteral("help.shortcuts"))->shortcut() ==
            QKeySequence(Qt::Key_F1));
}

void TestFigureCard::aPartLeadsToItsFigureAndBack()
{
    QVERIFY(card().ask(QStringLiteral("schedule:total_latency")));
    QVERIFY(!button("Back").isEnabled());
    auto* const tree = card().findChild<QTreeView*>();
    const QModelIndex root = tree->model()->index(0, 0), part = tree->model()->index(2, 0, root);
    tree->scrollTo(part);
    tree->setCurrentIndex(part);
    tree->setFocus();
    QTest::keyClick(tree, Qt::Key_Return);
    QVERIFY2(card().shown().startsWith(QLatin1String("schedule:subgraphs.")), qPrintable(card().shown()));
    QTest::mouseClick(&button("Back"), Qt::LeftButton);
    QCOMPARE(card().shown(), QStringLiteral("schedule:total_latency"));
    QVERIFY(!button("Back").isEnabled());
}

/// Of the machine of the model: those that the Schedule lens reads.
void TestFigureCard::moreOfEachValue()
{
    QVERIFY(card().ask(QStringLiteral("schedule:total_latency")));
    auto* const table = card().findChild<QTableView*>();
    QVERIFY(!table->isVisible());
    QTest::mouseClick(&button("10 % more of each value"), Qt::LeftButton);
    QTRY_VERIFY(table->isVisible());
    QVERIFY(table->model()->rowCount() > 3);
    // what changes most is first, and a faster memory makes no schedule slower
    bool hasBandwidth = false;
    for (int row = 0; row < table->model()->rowCount(); ++row)
        if (table->model()->index(row, 0).data().toString() == QLatin1String("levels.external.gb_per_s")) {
            hasBandwidth = true;
            QVERIFY(table->model()->index(row, 4).data(TableModel::ExactRole).toDouble() < 0);
        }
    QVERIFY(hasBandwidth);
}

void TestFigureCard::aFigureIsTypedAndAWrongOneIsNamed()
{
    QVERIFY(card().ask(QStringLiteral("schedule:total_latency")));
    auto* const address = card().findChild<QComboBox*>();
    QVERIFY(address->count() > 100);
    address->setFocus();
    address->lineEdit()->selectAll();
    QTest::keyClicks(address->lineEdit(), QStringLiteral("schedule:floor"));
    QTest::keyClick(address->lineEdit(), Qt::Key_Return);
    QCOMPARE(card().shown(), QStringLiteral("schedule:floor"));
    QVERIFY(!card().ask(QStringLiteral("schedule:colour")));
    QVERIFY(label("What the figure is").text().contains(QLatin1String("colour")));
    QVERIFY(!card().ask(QStringLiteral("nothing")));
}

void TestFigureCard::theStatusBarAnswers()
{
    for (QLabel* l : m_window->findChildren<QLabel*>())
        if (l->accessibleName() == QLatin1String("Total latency"))
            QTest::mouseClick(l, Qt::LeftButton, Qt::AltModifier);
    QCOMPARE(card().shown(), QStringLiteral("schedule:total_latency"));
    QCOMPARE(card().findChild<ExplanationModel*>()->explanation()->value,
             document().snapshot()->evaluation.total);
}

/// Padding and loads of the same elements: the figures of the command line, in a list that is wide enough.
void TestFigureCard::wasteIsInTheListWhereThereIsRoom()
{
    QDockWidget* dock = nullptr;
    for (QWidget* w = &rows(); w != nullptr && dock == nullptr; w = w->parentWidget())
        dock = qobject_cast<QDockWidget*>(w);
    QVERIFY(dock);
    dock->setFloating(true);
    dock->resize(1200, 800);
    QTRY_VERIFY(!rows().isColumnHidden(SubgraphModel::Again));
    QVERIFY(!rows().isColumnHidden(SubgraphModel::Padding));
    QVERIFY2(rows().isColumnHidden(SubgraphModel::Halo), "no images, no halos");
    QTRY_VERIFY(rows().columnViewportPosition(SubgraphModel::Again) +
                    rows().columnWidth(SubgraphModel::Again) <=
                rows().viewport()->width());
    const Snapshot& s = *document().snapshot();
    const std::vector<Waste> waste = wasteOf(*s.problem, s.schedule, s.evaluation);
    QVERIFY(sumOf(waste).padding > 0);
    const QAbstractItemModel& list = *rows().model();
    for (int row = 0; row < list.rowCount(); ++row) {
        const Waste& w = waste[static_cast<std::size_t>(row)];
        QCOMPARE(list.index(row, SubgraphModel::Padding).data().toString(), number(w.padding));
        QCOMPARE(list.index(row, SubgraphModel::Again).data().toString(), number(*w.again()));
    }
    for (const auto& [column, field] :
         {std::pair{SubgraphModel::Padding, "padding_time"}, {SubgraphModel::Again, "reloaded_elements"}}) {
        QTest::mouseClick(rows().viewport(), Qt::LeftButton, Qt::AltModifier, cell(3, column));
        QCOMPARE(card().shown(), QStringLiteral("schedule:subgraphs.3.%1").arg(QLatin1String(field)));
        const ExplainedValue* const tree = card().findChild<ExplanationModel*>()->explanation();
        QVERIFY(tree && !tree->parts.empty());
    }
    dock->resize(300, 800);
    QTRY_VERIFY(rows().isColumnHidden(SubgraphModel::Again));
}

TILEWRIGHT_TEST(TestFigureCard)

} // namespace test_figure_card
#include "test_figure_card.moc"
