// SPDX-License-Identifier: GPL-3.0-or-later
// Files that change on disk or are open in two windows: nothing is overwritten unasked.
#include "saving_bench.h"
#include "schedule/schedule_json.h"
#include "test_main.h"
#include "window/file_actions.h"
#include "workload/problem_json.h"
#include "workspace/recovery_store.h"

#include <QSignalSpy>

#include <sys/stat.h>

namespace test_saving {

using namespace tilewright;
using namespace tilewright::ui;

class TestSaving : public QObject, protected SavingBench
{
    Q_OBJECT

    void save(MainWindow& window) { window.state().actions.find(QStringLiteral("file.save"))->trigger(); }

private Q_SLOTS:
    void init() { prepare(); }
    void cleanup() { qApp->setProperty("tilewrightNoPrompts", true); }

    void aFileThatChangedOnDiskIsNotOverwrittenUnasked()
    {
        const QStringList opened = files();
        MainWindow window;
        QVERIFY(openIn(window, opened));
        edit(window);
        replaceByRename(opened[1], otherSchedule());
        QTRY_VERIFY(barWith(window, "has changed on disk"));

        QString asked;
        answerBox(QStringLiteral("Cancel"), &asked);
        save(window);
        QVERIFY2(asked.contains(QStringLiteral("p.schedule.json has changed")), qPrintable(asked));
        QCOMPARE(contentOf(opened[1]), otherSchedule());
        QVERIFY(window.isWindowModified());

        answerBox(QStringLiteral("Overwrite"));
        save(window);
        QCOMPARE(contentOf(opened[1]), *window.state().document.fileText());
        QVERIFY(!window.isWindowModified());
        QVERIFY2(!barWith(window, "on disk"), "it is dealt with");
        QTest::qWait(500);
        QVERIFY2(!barWith(window, "on disk"), "what this program writes is no change");

        window.state().document.newSchedule();
        save(window); // nothing else has written it: nobody is asked
        QVERIFY(!window.isWindowModified());
    }
    void aChangedFileIsReloadedOrTheEditsAreSavedElsewhere()
    {
        const QStringList opened = files();
        MainWindow window;
        QVERIFY(openIn(window, opened));
        edit(window);
        const std::string edited = *window.state().document.fileText();
        replaceByRename(opened[1], otherSchedule());
        const QString elsewhere = m_settings.filePath("mine.schedule.json");
        answerBox(QStringLiteral("Save as…"), nullptr, [&] { chooseFile(elsewhere); });
        save(window);
        QCOMPARE(contentOf(elsewhere), edited);
        QCOMPARE(contentOf(opened[1]), otherSchedule());
        QCOMPARE(window.state().document.schedulePath(), elsewhere);

        window.state().document.newSchedule();
        replaceByRename(elsewhere, otherSchedule());
        answerBox(QStringLiteral("Reload"));
        save(window);
        window.state().document.waitForSnapshot();
        QCOMPARE(window.state().document.snapshot()->evaluation.total, 4638.4);
        QVERIFY(!window.isWindowModified());
        QVERIFY(!barWith(window, "on disk"));
    }
    void everyReplacementIsNoticed()
    {
        const QStringList opened = files();
        const std::string first = contentOf(opened[1]);
        MainWindow window;
        QVERIFY(openIn(window, opened));
        for (int i = 0; i < 3; ++i) {
            replaceByRename(opened[1], i % 2 == 0 ? otherSchedule() : first);
            if (i % 2 == 1) { // as it was read
                QTRY_VERIFY(!barWith(window, "has changed on disk"));
                continue;
            }
            QTRY_VERIFY(barWith(window, "has changed on disk"));
        }
        QTest::mouseClick(buttonOf(barWith(window, "has changed on disk"), "Reload"), Qt::LeftButton);
        QVERIFY(!barWith(window, "on disk"));
        QVERIFY(QFile::remove(opened[1]));
        QTRY_VERIFY(barWith(window, "p.schedule.json was deleted or moved"));
        writeText(opened[1], otherSchedule()); // as it was read
        QTRY_VERIFY(!barWith(window, "was deleted"));
        // And in place after that, and its problem.
        writeText(opened[1], first);
        QTRY_VERIFY(barWith(window, "p.schedule.json has changed on disk"));
        replaceByRename(opened[0], contentOf(opened[0]) + " ");
        QTRY_VERIFY(barWith(window, "p.json has changed on disk"));
    }
    void aDeletedFileIsWrittenAgain()
    {
        const QStringList opened = files();
        MainWindow window;
        QVERIFY(openIn(window, opened));
        QVERIFY(QFile::remove(opened[1]));
        QTRY_VERIFY(barWith(window, "was deleted"));
        save(window);
        QVERIFY(QFile::exists(opened[1]));
        QVERIFY(!barWith(window, "was deleted"));
    }
    void closingAsksForAFileThatChangedOnDisk()
    {
        const QStringList opened = files();
        MainWindow window;
        QVERIFY(openIn(window, opened));
        edit(window);
        replaceByRename(opened[1], otherSchedule());
        answerBox(QStringLiteral("Save"), nullptr, [] { answerBox(QStringLiteral("Cancel")); });
        QVERIFY(!window.close());
        QVERIFY(window.isVisible());
        QCOMPARE(contentOf(opened[1]), otherSchedule());
        answerBox(QStringLiteral("Don't Save"));
        window.close();
    }
    void aSecondWindowSaysThatTheFileIsOpen()
    {
        const QStringList opened = files();
        auto first = std::make_unique<MainWindow>();
        QVERIFY(openIn(*first, opened));
        QVERIFY(!barWith(*first, "another window"));
        {
            MainWindow second;
            QVERIFY(openIn(second, opened));
            QVERIFY(barWith(second, "p.schedule.json is also open in another window"));
            // What the first one saves is a change on disk for the second.
            first->state().document.newSchedule();
            save(*first);
            QVERIFY(!first->isWindowModified());
            QTRY_VERIFY(barWith(second, "p.schedule.json has changed on disk"));
            edit(second);
            QString asked;
            answerBox(QStringLiteral("Cancel"), &asked);
            save(second);
            QVERIFY(asked.contains(QStringLiteral("has changed on disk")));
            second.state().document.undoStack().undo();
        }
        first.reset();
        MainWindow third;
        QVERIFY(openIn(third, opened));
        QVERIFY(!barWith(third, "another window"));
    }
    void aRestoredScheduleAsksIfItsFileChangedMeanwhile()
    {
        const QStringList opened = files();
        AppState before;
        QVERIFY(before.workspace.open(opened[0]) && before.workspace.open(opened[1]));
        before.document.newSchedule();
        const auto copy = before.document.recoveryCopy();
        QVERIFY(copy);
        AppState after;
        QVERIFY(after.document.recover(*copy));
        QVERIFY(after.document.isModified());
        QVERIFY(!after.document.isChangedOnDisk());
        replaceByRename(opened[1], otherSchedule());
        QVERIFY(after.document.isChangedOnDisk());
        QVERIFY(after.document.recover(*copy));
        QVERIFY(after.document.isChangedOnDisk());
    }
};

TILEWRIGHT_TEST(TestSaving)

} // namespace test_saving
#include "test_saving.moc"
