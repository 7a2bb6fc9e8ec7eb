// SPDX-License-Identifier: GPL-3.0-or-later
// The preview of a run, as a person sees it: the graph follows it, the document knows nothing of it.
#include "panels/subgraphs/subgraphs_view.h"
#include "schedule/schedule_json.h"
#include "solver_bench.h"
#include "test_main.h"
#include "views/graph/graph_bars.h"
#include "window/status_strip.h"

#include "edit/edits.h"
#include "eval/evaluation.h"

#include <QCheckBox>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QTableView>
#include <QTimer>

namespace test_solver_preview {

using namespace tilewright;
using namespace tilewright::ui;

class TestSolverPreview : public QObject, SolverBench
{
    Q_OBJECT
    /// Announcements of another preview among all announcements of a document.
    static qsizetype previewsIn(const QSignalSpy& changes)
    {
        return std::count_if(changes.begin(), changes.end(), [](const QList<QVariant>& arguments) {
            return arguments[0].value<Parts>().testFlag(Part::Preview);
        });
    }
    static qsizetype previewsBefore(Opened& o, const QSignalSpy& changes)
    {
        const qsizetype known = previewsIn(changes);
        const Schedule own = o.document().schedule();
        o.document().showPreview(own);
        if (!QTest::qWaitFor(
                [&] { return o.document().preview() && o.document().preview()->schedule == own; }, 20'000))
            return -1;
        const qsizetype asked = previewsIn(changes) - known - 1;
        o.document().dropPreview();
        return asked;
    }
    static QString statusText(Opened& o)
    {
        QString all;
        for (const QLabel* l : o.window.findChild<StatusStrip*>()->findChildren<QLabel*>())
            all += l->text() + QLatin1Char('\n');
        return all;
    }

private Q_SLOTS:
    void initTestCase() { QVERIFY(written()); }
    void init() { QSettings().clear(); }

    void theGraphFollowsTheRunAndNothingElseDoes()
    {
        const auto o = open();
        const Schedule before = o->document().schedule();
        const auto snapshot = o->document().snapshot();
        runToPreview(*o);
        QVERIFY(o->document().preview()->evaluation.valid());
        QVERIFY(o->document().preview()->evaluation.total < snapshot->evaluation.total);
        QVERIFY(statusText(*o).contains(QStringLiteral("Preview")));
        QTRY_VERIFY_WITH_TIMEOUT(o->graph->model()->hulls.size() < before.size(), 20'000); // ops regroup
        // The document knows nothing of it.
        QVERIFY(o->document().schedule() == before);
        QVERIFY(o->document().snapshot() == snapshot);
        QVERIFY(!o->document().isModified());
        QCOMPARE(o->document().undoStack().count(), 0);
        const auto copy = o->document().recoveryCopy();
        QVERIFY(copy.hasValue());
        const auto saved = readSchedule(*o->document().problem(),
                                        (*copy)[QStringLiteral("text")].toString().toStdString(), "copy");
        QVERIFY(saved && saved->schedule.size() == before.size());
        // It ends with the run.
        stop(*o);
        QVERIFY(!o->document().preview());
        QVERIFY(o->graph->model()->snapshot == snapshot);
        QVERIFY(!statusText(*o).contains(QStringLiteral("Preview")));
        QVERIFY(o->solver->card().isVisible());
    }
    void previewsComeAtMostFourTimesASecond()
    {
        const auto o = open();
        int previews = 0;
        o->document().whenChanged(this, Part::Preview,
                                  [&] { previews += o->document().preview() != nullptr; });
        QElapsedTimer clock;
        clock.start();
        run(*o, 1.2);
        QVERIFY2(previews >= 1 && previews <= 2 + clock.elapsed() / 250,
                 qPrintable(QString::number(previews)));
    }
    void theSwitchTurnsItOffAndOnAndIsRemembered()
    {
        {
            const auto o = open();
            runToPreview(*o);
            QCheckBox* box = o->solver->options().preview();
            QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
            QVERIFY(!box->isChecked());
            QVERIFY(!o->document().preview());
            QVERIFY(o->graph->model()->snapshot == o->document().snapshot());
            QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
            QTRY_VERIFY(o->document().preview());
            QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
            stop(*o);
        }
        const auto again = open();
        QVERIFY(!again->solver->options().preview()->isChecked());
        again->solver->budget()->setValue(60);
        click(again->solver->options().run());
        const QSignalSpy previews(&again->document(), &Document::changed);
        QTRY_VERIFY_WITH_TIMEOUT(again->solver->curve().points.size() > 1, 20'000); // it has found something
        QVERIFY(!again->document().preview());
        QCOMPARE(previewsBefore(*again, previews), 0);
        stop(*again);
    }
    void anEditDropsThePreviewAndTheRunGoesOn()
    {
        const auto o = open();
        runToPreview(*o);
        auto* list = qobject_cast<SubgraphsView*>(o->window.view(QStringLiteral("subgraphs")));
        QTest::mouseClick(list->table()->viewport(), Qt::LeftButton, {},
                          list->table()->visualRect(list->table()->model()->index(0, 1)).center());
        QVERIFY(o->document().preview());                                   // looking is no edit
        QTest::keySequence(&o->window, QKeySequence(Qt::CTRL | Qt::Key_D)); // duplicate
        QVERIFY(!o->document().preview());
        QCOMPARE(o->document().undoStack().count(), 1);
        o->document().waitForSnapshot();
        QVERIFY(o->graph->model()->snapshot == o->document().snapshot());
        QVERIFY(o->solver->job().isRunning());
        QVERIFY(!o->solver->options().preview()->isChecked()); // for this run
        // The next improvement, after the pause between two previews.
        const QSignalSpy previews(&o->document(), &Document::changed);
        auto* pause = o->solver->findChild<QTimer*>(QStringLiteral("pauseOfPreviews"));
        QVERIFY(pause);
        Q_EMIT o->solver->job().improved(1, 1, std::make_shared<const Schedule>(o->document().schedule()));
        QTRY_VERIFY(!pause->isActive());
        Q_EMIT o->solver->job().improved(2, 0.5, std::make_shared<const Schedule>(o->document().schedule()));
        QVERIFY(!o->document().preview());
        QCOMPARE(previewsBefore(*o, previews), 0);
        stop(*o);
        QVERIFY(o->solver->card().note()->text().contains(QStringLiteral("changed since")));
        QVERIFY(o->solver->options().preview()->isChecked());
        // The next run previews again.
        runToPreview(*o);
        QVERIFY(o->solver->options().preview()->isChecked());
        QTest::keySequence(&o->window, QKeySequence(QKeySequence::Undo));
        QVERIFY(!o->document().preview());
        stop(*o);
    }
    void escapeAndTheBannerShowTheOwnScheduleAgain()
    {
        const auto o = open();
        runToPreview(*o);
        o->graph->setFocus();
        QTest::keyClick(o->graph, Qt::Key_Escape);
        QVERIFY(!o->document().preview());
        QVERIFY(o->solver->job().isRunning()); // Esc in the graph is not the solver's
        QCheckBox* box = o->solver->options().preview();
        QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
        QTRY_VERIFY(o->document().preview());
        QTRY_VERIFY(o->graph->model()->snapshot == o->document().preview());
        const int below = o->graph->fontMetrics().height() / 2 + 4;
        QTest::mouseClick(o->graph, Qt::LeftButton, {},
                          QPoint(o->graph->width() / 2, o->graph->toolbar().height() + below));
        QVERIFY(!o->document().preview());
        stop(*o);
    }
    void draggingInAPreviewEditsTheOwnSchedule()
    {
        const auto o = open();
        o->graph->settle();
        runToPreview(*o);
        o->graph->settle();
        const OpId op(std::size_t(0));
        const QPoint from = o->graph->positionOf(op).toPoint();
        QVERIFY(o->graph->rect().contains(from));
        QTest::mousePress(o->graph, Qt::LeftButton, {}, from);
        QTest::mouseMove(o->graph, from + QPoint(8, 8));
        QTest::mouseMove(o->graph, from + QPoint(14, 14));
        QVERIFY(!o->document().preview()); // the edit has begun
        QVERIFY(o->graph->model()->snapshot == o->document().snapshot());
        QCOMPARE(o->graph->drag().drop().ops, std::vector<OpId>{op});
        QCOMPARE(o->graph->drag().drop().from,
                 std::optional(subgraphsWith(o->document().schedule(), op).front()));
        QTest::keyClick(o->graph, Qt::Key_Escape);
        QTest::mouseRelease(o->graph, Qt::LeftButton, {}, from);
        QCOMPARE(o->document().undoStack().count(), 0);
        stop(*o);
    }
    void selectingInAPreviewMeansTheOwnSubgraphs()
    {
        const auto o = open();
        runToPreview(*o);
        o->graph->settle();
        const OpId op(o->document().problem()->opCount() - 1);
        QTest::mouseClick(o->graph, Qt::LeftButton, {}, o->graph->positionOf(op).toPoint());
        const SelectionState& s = o->window.state().selection.state();
        QCOMPARE(s.ops, std::set<OpId>{op});
        QCOMPARE(s.subgraph, std::optional(subgraphsWith(o->document().schedule(), op).front()));
        QVERIFY(o->document().preview());
        stop(*o);
    }
};

TILEWRIGHT_TEST(TestSolverPreview)

} // namespace test_solver_preview
#include "test_solver_preview.moc"
