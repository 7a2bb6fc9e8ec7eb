// SPDX-License-Identifier: GPL-3.0-or-later
// Another machine under an open schedule: a start schedule is made anew, an edited one is asked about.
#include "button_named.h"
#include "edit/edits.h"
#include "lens_window.h"
#include "lower/on_machine.h"
#include "test_main.h"
#include "window/app_state.h"
#include "window/message_bar.h"

#include <QTest>

namespace test_machine_change {

using namespace tilewright;
using namespace tilewright::ui;

class TestMachineChange : public QObject, LensWindow
{
    Q_OBJECT
private Q_SLOTS:
    void init() { makeWindow(); }
    void cleanup() { m_window.reset(); }

    void aStartScheduleIsMadeAnew()
    {
        open("llama-block.json");
        const Schedule onEdge = document().schedule();
        QVERIFY(document().isStartSchedule());
        QVERIFY(document().setMachine(*machinePreset("server"), QStringLiteral("server")));
        QVERIFY(document().schedule() == oneOpPerSubgraph(*document().problem(), document().rules()));
        QVERIFY(!(document().schedule() == onEdge));
        QVERIFY(document().isStartSchedule());
        QVERIFY2(bar().text().isEmpty(), qPrintable(bar().text()));
        // One undo step has both.
        QCOMPARE(document().undoStack().count(), 1);
        document().undoStack().undo();
        QVERIFY(document().schedule() == onEdge);
        QCOMPARE(document().machine()->name, std::string("edge"));
    }

    /// Every change has the total that a fresh start on that machine has, and no problem.
    void everyPresetHasTheTotalOfAFreshStart()
    {
        open("mobilenet-v2-96.json");
        for (const char* name : {"server", "edge", "kpu", "edge"}) {
            const Machine machine = *machinePreset(name);
            QVERIFY(document().setMachine(machine, QString::fromLatin1(name)));
            document().waitForSnapshot();
            const auto fresh = lower::putOnMachine(document().model()->workload, machine);
            QVERIFY(fresh);
            const Evaluation expected =
                evaluate(*(*fresh)->problem, oneOpPerSubgraph(*(*fresh)->problem), document().rules());
            for (const Issue& issue : document().snapshot()->evaluation.issues)
                qInfo("%s: %s", name, issue.text.c_str());
            QCOMPARE(document().snapshot()->evaluation.issues.size(), expected.issues.size());
            QCOMPARE(document().snapshot()->evaluation.total, expected.total);
        }
    }

    void lessScratchpadCutsTilesAnew()
    {
        open("llama-block.json");
        const auto small = withMachineField(*document().machine(), "levels.l3.bytes", "16384");
        QVERIFY2(small, small ? "" : small.error().text().c_str());
        QVERIFY(document().setMachine(*small, QStringLiteral("64 KiB")));
        document().waitForSnapshot();
        QVERIFY(document().snapshot()->evaluation.issues.empty());
    }

    void anEditedScheduleIsAskedAbout()
    {
        open("llama-block.json");
        const Schedule edited = edit();
        QVERIFY(document().setMachine(*machinePreset("server"), QStringLiteral("server")));
        QVERIFY(document().schedule() == edited);
        document().waitForSnapshot();
        const double kept = document().snapshot()->evaluation.total;
        QVERIFY2(bar().text().contains(QStringLiteral("machine before")), qPrintable(bar().text()));
        QAbstractButton* retile = buttonNamed(bar(), QStringLiteral("Re-tile for the new machine"));
        QVERIFY(retile && buttonNamed(bar(), QStringLiteral("Keep the tiles")));
        QTest::mouseClick(retile, Qt::LeftButton);
        document().waitForSnapshot();
        QVERIFY(document().snapshot()->evaluation.valid());
        QVERIFY(document().snapshot()->evaluation.total < kept);
        QVERIFY(!bar().isVisible());
        // Machine and tiles are one step.
        QCOMPARE(document().undoStack().count(), 2);
        document().undoStack().undo();
        QVERIFY(document().schedule() == edited);
        QCOMPARE(document().machine()->name, std::string("edge"));
    }

    void keptTilesStay()
    {
        open("llama-block.json");
        const Schedule edited = edit();
        QVERIFY(document().setMachine(*machinePreset("server"), QStringLiteral("server")));
        QTest::mouseClick(buttonNamed(bar(), QStringLiteral("Keep the tiles")), Qt::LeftButton);
        QVERIFY(document().schedule() == edited);
        QVERIFY(!bar().isVisible());
    }

    /// The question is about the last step: an undo or an edit ends it, a change of other values asks
    /// nothing.
    void theQuestionEndsWithTheNextStep()
    {
        open("llama-block.json");
        (void)edit();
        QVERIFY(document().setMachine(*machinePreset("server"), QStringLiteral("server")));
        QVERIFY(document().canRetile());
        document().undoStack().undo();
        QVERIFY(!document().canRetile());
        QVERIFY(!bar().isVisible());
        QVERIFY(document().setMachine(*withMachineField(*document().machine(), "clock_ghz", "2"),
                                      QStringLiteral("clock")));
        QVERIFY(!document().canRetile());
    }

private:
    [[nodiscard]] MessageBar& bar() { return *m_window->findChild<MessageBar*>(); }
    Schedule edit()
    {
        const SubgraphId gate(subgraphOf(document(), "layer0.gate"));
        document().apply(edit::setGranularity(*document().problem(), document().schedule(), std::array{gate},
                                              {32, 32, 64}),
                         QStringLiteral("smaller"));
        return document().schedule();
    }
};

TILEWRIGHT_TEST(TestMachineChange)

} // namespace test_machine_change
#include "test_machine_change.moc"
