// SPDX-License-Identifier: GPL-3.0-or-later
// Issue 19, "First contact": the demo does the first tour by itself, with the tour's own steps, and hands
// over to the person at any point.
#include "panels/solver/solver_view.h"
#include "panels/subgraphs/subgraphs_view.h"
#include "test_main.h"
#include "theme/text.h"
#include "views/graph/graph_view.h"
#include "window/tour_player.h"
#include "window_fixture.h"

#include <QDoubleSpinBox>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTableView>
#include <QToolBar>

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

namespace test_demo {

using namespace tilewright;
using namespace tilewright::ui;

class TestDemo : public QObject
{
    Q_OBJECT
    PrivateSettings m_settings;

    static TourPlayer* begin(MainWindow& window, double pace)
    {
        window.resize(1440, 900);
        window.show();
        if (!QTest::qWaitForWindowExposed(&window))
            return nullptr;
        auto* player = window.findChild<TourPlayer*>();
        player->setPace(pace);
        window.state().actions.find(QStringLiteral("help.demo"))->trigger();
        return player->isPlaying() ? player : nullptr;
    }
    static QLabel* captionOf(const MainWindow& window)
    {
        return window.findChild<QLabel*>(QStringLiteral("handCaption"));
    }

private Q_SLOTS:
    void init() { m_settings.fresh(); }

    void everyStepOfTheFirstTourSaysHowItIsDone()
    {
        MainWindow window;
        const Tour first = guidedTours(window).front();
        QCOMPARE(first.id, QStringLiteral("fuse"));
        for (const TourStep& step : first.steps) {
            QVERIFY2(!step.how.empty(), qPrintable(step.text));
            for (const Gesture& gesture : step.how)
                QVERIFY(!gesture.caption.isEmpty());
        }
    }

    void theDemoEndsWhereTheTourEnds()
    {
        MainWindow window;
        QStringList captions;
        auto* player = window.findChild<TourPlayer*>();
        QSignalSpy stopped(player, &TourPlayer::stopped);
        connect(player, &TourPlayer::seen, this, [&] {
            const QLabel* caption = captionOf(window);
            if (caption->isVisible() && (captions.isEmpty() || captions.last() != caption->text()))
                captions << caption->text();
        });
        QVERIFY(begin(window, 0.1)); // a file that was opened has a moment to settle, as for a reader
        const auto* guide = window.findChild<TourGuide*>();
        viewOf<SolverView>(window, "solver")->options().budget()->setValue(0.5);
        QTRY_VERIFY_WITH_TIMEOUT(!player->isPlaying(), 60'000);
        QCOMPARE(stopped.count(), 1);
        QVERIFY2(stopped[0][0].toBool(), qPrintable(guide->text() + captions.join(QStringLiteral(" | "))));
        QCOMPARE(guide->step(), guidedTours(window).front().steps.size());
        QVERIFY(guide->text().startsWith(QStringLiteral("A schedule is:")));

        // Every step of the block is better than the one before; the end is a real model after Auto-solve.
        static const QRegularExpression kBlock(QStringLiteral("The block: ([^\n]*)\\."));
        static const QRegularExpression kTotal(QStringLiteral("([0-9.]+) \\("));
        const QString block = plainNumbers(kBlock.match(guide->text()).captured(1));
        std::vector<double> totals;
        for (auto it = kTotal.globalMatch(block); it.hasNext();)
            totals.push_back(it.next().captured(1).toDouble());
        QVERIFY2(totals.size() == 5, qPrintable(guide->text()));
        QVERIFY2(std::ranges::is_sorted(totals, std::greater_equal()), qPrintable(block));
        QCOMPARE(std::set(totals.begin(), totals.end()).size(), totals.size());
        QVERIFY(guide->text().contains(QStringLiteral("ResNet-18")));
        Document& document = window.state().document;
        document.waitForSnapshot();
        QVERIFY(document.problemPath().endsWith(QStringLiteral("resnet-18.onnx")));
        QVERIFY(document.snapshot()->evaluation.valid());
        QVERIFY(document.baseline());
        QVERIFY(document.snapshot()->evaluation.total < document.baseline()->evaluation.total);
        for (const char* caption : {"Click row 8", "Shift+click row 9", "Fuse", "Best found", "Retain",
                                    "Auto-solve", "Apply", "Open ResNet-18", "Compare"})
            QVERIFY2(captions.contains(QLatin1String(caption)), caption);
        QVERIFY(!captionOf(window)->isVisible());
    }

    void escapeHandsOverAndTheTourGoesOn()
    {
        MainWindow window;
        TourPlayer* player = begin(window, 0.02);
        QVERIFY(player);
        const auto* guide = window.findChild<TourGuide*>();
        QTRY_COMPARE(guide->step(), 1U);
        QVERIFY(player->isPlaying());
        QTest::keyClick(window.view(QStringLiteral("graph")), Qt::Key_Escape);
        QVERIFY(!player->isPlaying());
        QVERIFY(guide->isRunning());
        // The key stood for that alone; from here the person does it.
        QCOMPARE(window.state().selection.state().subgraphs.size(), 2U);
        QCOMPARE(window.state().document.schedule().size(), 10U);
        QTest::keyClick(viewOf<GraphView>(window, "graph"), Qt::Key_G);
        QTRY_COMPARE(guide->step(), 2U);
        QVERIFY(!captionOf(window)->isVisible());
    }

    void aClickHandsOverAndDoesNothingElse()
    {
        MainWindow window;
        TourPlayer* player = begin(window, 0.02);
        QVERIFY(player);
        const auto* guide = window.findChild<TourGuide*>();
        QTRY_COMPARE(guide->step(), 1U);
        auto* fuse = window.findChild<QToolBar*>(QStringLiteral("toolbar"))
                         ->widgetForAction(window.state().actions.find(QStringLiteral("schedule.fuse")));
        QTest::mouseClick(fuse, Qt::LeftButton);
        QVERIFY(!player->isPlaying());
        QVERIFY(guide->isRunning());
        QCOMPARE(window.state().document.schedule().size(), 10U);
        QTest::mouseClick(fuse, Qt::LeftButton); // now it is the person's
        QCOMPARE(window.state().document.schedule().size(), 9U);
    }

    void theCardsButtonLeavesAtOnce()
    {
        MainWindow window;
        const TourPlayer* player = begin(window, 1);
        QVERIFY(player);
        auto* guide = window.findChild<TourGuide*>();
        QTest::mouseClick(guide->leaveButton(), Qt::LeftButton);
        QVERIFY(!player->isPlaying());
        QVERIFY(!guide->isRunning());
    }

    /// `tilewright demo --frames`: what the moving picture of the README is made of.
    void theProgramDrawsItsFrames()
    {
        const QString program = QStringLiteral(TILEWRIGHT_BINARY_DIR "/app/gui/tilewright");
        if (!QFile::exists(program))
            QSKIP("the program is not built");
        const QTemporaryDir folder;
        QProcess process;
        process.start(program, {QStringLiteral("demo"), QStringLiteral("--frames"), folder.path()});
        QVERIFY(process.waitForFinished(120'000));
        QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
        const QStringList frames =
            QDir(folder.path()).entryList({QStringLiteral("*.png")}, QDir::Files, QDir::Name);
        QVERIFY(frames.size() > 20);
        const QImage first(folder.filePath(frames.first())), last(folder.filePath(frames.last()));
        QVERIFY(!first.isNull() && first.size() == last.size() && first != last);
        process.start(program,
                      {QStringLiteral("demo"), QStringLiteral("--frames"), QStringLiteral("/proc/none")});
        QVERIFY(process.waitForFinished(120'000));
        QCOMPARE(process.exitCode(), 2);
    }
};

TILEWRIGHT_TEST(TestDemo)

} // namespace test_demo
#include "test_demo.moc"
