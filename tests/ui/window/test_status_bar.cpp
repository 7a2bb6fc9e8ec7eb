// SPDX-License-Identifier: GPL-3.0-or-later
// The line at the bottom: what the last step changed, in which unit and on which machine the total is, and
// that it stays on a small screen with large letters.
#include "control_named.h"
#include "lens_window.h"
#include "panels/machine/machine_view.h"
#include "test_main.h"
#include "theme/text.h"
#include "theme/theme.h"
#include "window/message_bar.h"
#include "window/preferences.h"
#include "window/status_strip.h"

#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QStatusBar>
#include <QToolButton>
#include <QTreeWidget>
#include <QUndoStack>

namespace test_status_bar {

using namespace tilewright;
using namespace tilewright::ui;

class TestStatusBar : public QObject, protected LensWindow
{
    Q_OBJECT

    template <typename Control> Control* control(const char* name)
    {
        return controlNamed<Control>(*m_window->findChild<StatusStrip*>(), QLatin1String(name));
    }
    QLabel* label(const char* name) { return control<QLabel>(name); }
    double total()
    {
        document().waitForSnapshot();
        return document().snapshot()->evaluation.total;
    }
    static QString told(const char* what, double before, double after)
    {
        return QStringLiteral("%1 %2 (%3)")
            .arg(QLatin1String(what), signedNumber(after - before), signedPercent(after / before - 1));
    }
    /// Half the height of a tile: every time it costs more than the time before.
    void halve(const char* text)
    {
        const std::size_t gate = subgraphOf(document(), "layer0.gate");
        Schedule next = document().schedule();
        Subgraph changed = *next.subgraphs[gate];
        changed.granularity.h /= 2;
        next.subgraphs[gate] = std::make_shared<const Subgraph>(changed);
        document().apply(std::move(next), QLatin1String(text));
    }
    /// Rows of the title of a dock that have ink.
    int titleInk(const char* view)
    {
        const auto* dock = qobject_cast<QDockWidget*>(m_window->view(QLatin1String(view))->parentWidget());
        const int height = dock->widget()->y();
        const QImage title = const_cast<QDockWidget*>(dock)->grab(QRect(0, 0, 60, height)).toImage();
        int rows = 0;
        for (int y = 2; y < title.height() - 2; ++y)
            for (int x = 4; x < title.width(); ++x)
                if (title.pixel(x, y) != title.pixel(title.width() - 1, 1)) {
                    ++rows;
                    break;
                }
        return rows;
    }

private Q_SLOTS:
    void initTestCase() { QApplication::setStyle(makeStyle()); } // as the program does
    void init() { makeWindow(); }
    void cleanup() { m_window.reset(); }

    void anUndoTellsItsOwnChange()
    {
        open("llama-block.json");
        QLabel* change = label("Change of the last edit");
        std::vector<double> totals{total()};
        for (const char* text : {"first", "second", "third"}) {
            halve(text);
            totals.push_back(total());
        }
        QVERIFY(totals[1] != totals[0] && totals[2] - totals[1] != totals[1] - totals[0]);
        QTRY_COMPARE(change->text(), told("Last edit", totals[2], totals[3]));
        QUndoStack& stack = document().undoStack();
        for (std::size_t i = 3; i > 0; --i) {
            stack.undo();
            QCOMPARE(total(), totals[i - 1]);
            QCOMPARE(change->text(), told("Undo", totals[i], totals[i - 1]));
        }
        stack.redo();
        total();
        QCOMPARE(change->text(), told("Redo", totals[0], totals[1]));
        // Faster than the evaluation.
        stack.redo();
        stack.redo();
        total();
        QCOMPARE(change->text(), told("Redo", totals[2], totals[3]));
        stack.setIndex(0); // a click in the history: one step
        total();
        QCOMPARE(change->text(), told("Undo", totals[3], totals[0]));
    }

    /// Fewer cycles of a slower clock are no gain.
    void anotherClockIsComparedInTime()
    {
        open("llama-block.json");
        total();
        const double unit = document().secondsOfUnit();
        const double before = total() * unit;
        QVERIFY(document().setMachine(*withMachineField(*document().machine(), "clock_ghz", "0.5"),
                                      QStringLiteral("clock")));
        const double after = total() * document().secondsOfUnit();
        QVERIFY(after > before && document().secondsOfUnit() == 2 * unit);
        QCOMPARE(label("Change of the last edit")->text(),
                 QStringLiteral("Last edit +%1 (%2)")
                     .arg(secondsText(after - before), signedPercent(after / before - 1)));
    }

    /// A schedule that is opened and breaks a rule shows no figure of another one.
    void aBrokenScheduleThatIsOpenedHasNoTotal()
    {
        const QString schedules = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/schedule/");
        QVERIFY(openIn(*m_window, {schedules + QLatin1String("example-5.json"),
                                   schedules + QLatin1String("example-5.a-out-of-memory.schedule.json")}));
        document().waitForSnapshot();
        QVERIFY(!document().snapshot()->evaluation.valid());
        bool hasTotal = false;
        for (const QLabel* l : m_window->findChild<StatusStrip*>()->findChildren<QLabel*>()) {
            hasTotal |= l->text() == QStringLiteral("Total –");
            QVERIFY2(!l->text().startsWith(QLatin1String("on the array")), qPrintable(l->text()));
        }
        QVERIFY(hasTotal);
        QTRY_VERIFY(!m_window->view(QStringLiteral("problems"))->parentWidget()->isHidden());
    }

    void anUndoOfTheMachineTellsItsChange()
    {
        open("llama-block.json");
        const double edge = total();
        QVERIFY(document().setMachine(*machinePreset("server"), QStringLiteral("server")));
        const double server = total();
        QLabel* change = label("Change of the last edit");
        QCOMPARE(change->text(), told("Last edit", edge, server));
        document().undoStack().undo();
        QCOMPARE(total(), edge);
        QCOMPARE(change->text(), told("Undo", server, edge));
    }

    /// A shorter k is free where cost is proportional; the array fills and drains more often.
    void anEditThatOnlyTheArrayFeelsSaysSo()
    {
        open("llama-block.json");
        document().setRules(Rules::final());
        document().newSchedule();
        total();
        const SnapshotPtr before = document().snapshot();
        const std::size_t gate = subgraphOf(document(), "layer0.gate");
        Schedule next = document().schedule();
        Subgraph changed = *next.subgraphs[gate];
        changed.granularity.k = 16;
        next.subgraphs[gate] = std::make_shared<const Subgraph>(changed);
        document().apply(std::move(next), QStringLiteral("k"));
        QCOMPARE(total(), before->evaluation.total);
        const double array = document().snapshot()->arrayTotal / before->arrayTotal - 1;
        QVERIFY(array > 0.01);
        QCOMPARE(label("Change of the last edit")->text(), told("Last edit", total(), total()) +
                                                               QStringLiteral(", on the array ") +
                                                               signedPercent(array));
    }

    void theTotalHasItsUnitAndItsMachine()
    {
        open("llama-block.json");
        QLabel* unit = label("Unit of the total");
        QCOMPARE(unit->text(), QStringLiteral("cycles on edge"));
        QVERIFY(unit->toolTip().contains(
            secondsText(document().snapshot()->evaluation.total * 1e-9 / document().machine()->clockGhz)));
        QVERIFY(document().setMachine(*withMachineField(*machinePreset("edge"), "cores", "2"), {}));
        QVERIFY2(unit->text().contains(QStringLiteral("edge (edited)")), qPrintable(unit->text()));
        QVERIFY(!control<QToolButton>("Rule set")->text().contains(QStringLiteral("contest")));
        QVERIFY(m_window->openPaths({example("ex5.problem.json")}));
        QCOMPARE(unit->text(), QStringLiteral("units of time"));
        QVERIFY(control<QToolButton>("Rule set")->text().contains(QStringLiteral("contest")));
    }

    void titlesOfDocksFollowTheFont()
    {
        open("llama-block.json");
        m_window->showView(QStringLiteral("machine"));
        QApplication::processEvents();
        const int before = titleInk("machine");
        Preferences large;
        large.fontSize = 20;
        m_window->setPreferences(large);
        QApplication::processEvents();
        const int after = titleInk("machine");
        m_window->setPreferences({});
        QVERIFY2(before > 3 && 2 * after >= 3 * before,
                 qPrintable(QStringLiteral("%1, %2").arg(before).arg(after)));
    }

    /// A notice with two buttons beside a narrow graph: the buttons go below the text, nothing is cut.
    void aNoticeFitsANarrowGraph()
    {
        open("llama-block.json");
        m_window->resize(1366, 700);
        QApplication::processEvents();
        auto* bar = m_window->statusBar()->findChild<MessageBar*>();
        Preferences large;
        large.fontSize = 20;
        m_window->setPreferences(large);
        bar->show(
            MessageBar::Kind::Info, QStringLiteral("2 schedules of it beside the file."),
            QStringLiteral("Choose…"), [] {}, QStringLiteral("Compare them"), [] {});
        QApplication::processEvents();
        for (const auto* button : bar->findChildren<QToolButton*>())
            if (button->isVisible()) {
                QVERIFY(button->width() >= button->sizeHint().width());
                QVERIFY(bar->rect().contains(button->geometry()));
            }
        m_window->setPreferences({});
    }

    void theOtherPanesGoAndComeBack()
    {
        open("llama-block.json");
        m_window->resize(1366, 700);
        m_window->showView(QStringLiteral("latency"));
        QApplication::processEvents();
        View* graph = m_window->view(QStringLiteral("graph"));
        const int before = graph->width();
        run("view.lowerPanes");
        QTRY_VERIFY(graph->width() > before + 150);
        QVERIFY(!m_window->view(QStringLiteral("latency"))->isVisible());
        run("view.lowerPanes");
        QTRY_VERIFY(m_window->view(QStringLiteral("latency"))->isSeen());
        QTRY_COMPARE(graph->width(), before);
    }

    /// 1366 x 768 with a title and a task bar.
    void withLargeLettersItStaysOnASmallScreen()
    {
        const QSize room(1366, 700);
        const Preferences usual;
        for (const int points : {14, 20}) {
            Preferences large;
            large.fontSize = points;
            m_window->setPreferences(large);
            m_window->resize(room);
            open("llama-block.json");
            QVERIFY(label("Total latency")->font().pointSizeF() > points); // a heading stays one
            for (const char* perspective : {"Edit", "Tiles", "Compare", "Hardware"}) {
                m_window->applyPerspective(QLatin1String(perspective));
                m_window->resize(room);
                QApplication::processEvents();
                QString most;
                for (const auto* dock : m_window->findChildren<QDockWidget*>())
                    if (dock->isVisible() && dock->minimumSizeHint().height() > room.height() / 3)
                        most += QStringLiteral(" %1 %2")
                                    .arg(dock->windowTitle())
                                    .arg(dock->minimumSizeHint().height());
                QVERIFY2(m_window->height() <= room.height(),
                         qPrintable(QStringLiteral("%1 pt, %2: %3 high;%4")
                                        .arg(points)
                                        .arg(QLatin1String(perspective))
                                        .arg(m_window->height())
                                        .arg(most)));
                const QRect bar = m_window->statusBar()->geometry();
                QVERIFY(m_window->rect().contains(bar));
            }
            m_window->showView(QStringLiteral("machine"));
            QApplication::processEvents();
            auto* machine = viewOf<MachineView>(*m_window, "machine");
            const QHeaderView* columns = machine->list()->header();
            const int left = columns->sectionViewportPosition(1);
            const int seen = machine->list()->viewport()->width() - left;
            QVERIFY2(seen >= machine->fontMetrics().horizontalAdvance(QStringLiteral("1 024 GB/s")),
                     qPrintable(QStringLiteral("%1 pt: %2 px").arg(points).arg(seen)));
        }
        m_window->setPreferences(usual);
    }
};

TILEWRIGHT_TEST(TestStatusBar)

} // namespace test_status_bar
#include "test_status_bar.moc"
