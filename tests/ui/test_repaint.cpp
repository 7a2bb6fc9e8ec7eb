// SPDX-License-Identifier: GPL-3.0-or-later
// What is painted after an edit: at once, once, in place, and the same as if it were painted anew.
#include "document/background.h"
#include "document/latest_job.h"
#include "document/schedule_edits.h"
#include "panels/inspector/inspector_view.h"
#include "panels/inspector/retain_list.h"
#include "window_fixture.h"

#include <QCheckBox>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QSemaphore>

#include <array>
#include <future>
#include <thread>

using namespace tilewright;
using namespace tilewright::ui;

namespace {

/// Counts the paint events of a widget.
class Paints : public QObject
{
public:
    explicit Paints(QWidget* widget) { widget->installEventFilter(this); }
    bool eventFilter(QObject*, QEvent* event) override
    {
        count += event->type() == QEvent::Paint;
        return false;
    }
    int count = 0;
};

void tile(Document& document, SubgraphId s, const Granularity& g)
{
    QVERIFY(document.apply(edit::setGranularity(*document.problem(), document.schedule(), std::array{s}, g,
                                                editOptions(document.rules(), true)),
                           QStringLiteral("tile")));
}

} // namespace

class TestRepaint : public QObject
{
    Q_OBJECT
    PrivateSettings m_settings;

private Q_SLOTS:
    void init() { m_settings.fresh(); }

    void picturesDoNotWaitForBackgroundWork()
    {
        // Every thread of the background is busy for as long as this holds.
        QSemaphore hold;
        std::vector<std::unique_ptr<LatestJob<int>>> jobs;
        const int threads = backgroundPool()->maxThreadCount();
        for (int i = 0; i < threads; ++i) {
            jobs.push_back(std::make_unique<LatestJob<int>>([](int) {}));
            jobs.back()->request([&hold](std::stop_token) {
                hold.acquire();
                return 0;
            });
        }
        std::promise<void> painted;
        std::thread release([&, done = painted.get_future()] {
            done.wait_for(std::chrono::seconds(5));
            hold.release(threads);
        });
        QElapsedTimer timer;
        timer.start();
        QImage image(1600, 1200, QImage::Format_ARGB32_Premultiplied);
        {
            QPainter painter(&image); // a large translucent area: Qt paints it on several threads
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setBrush(QColor(10, 20, 200, 120));
            painter.drawRoundedRect(QRectF(image.rect()).adjusted(3, 3, -3, -3), 40, 40);
        }
        const qint64 took = timer.elapsed();
        painted.set_value();
        release.join();
        for (const auto& job : jobs)
            job->waitIdle();
        QVERIFY2(took < 4000, qPrintable(QString::number(took)));
    }
    void factsStepBackAndStayInPlace()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        Document& document = window.state().document;
        auto* inspector = viewOf<InspectorView>(window, "inspector");
        const SubgraphId s(0);
        window.state().selection.selectSubgraph(s);
        inspector->settle();
        const QLabel* arithmetic = inspector->arithmeticLabel();
        const QString before = arithmetic->text();
        const QRect place = arithmetic->geometry();
        QVERIFY(arithmetic->isEnabled() && !before.contains(QLatin1String("Counting")));

        Granularity g = document.schedule()[s].granularity;
        g.w = g.w == 32 ? 64 : 32;
        tile(document, s, g);
        document.waitForSnapshot();
        QCOMPARE(arithmetic->text(), before); // of before the edit, and it looks like that
        QVERIFY(!arithmetic->isEnabled());
        QCOMPARE(arithmetic->height(), place.height());
        for (const QPushButton* b : inspector->suggestionButtons())
            QVERIFY(!b->isEnabled());
        inspector->settle();
        QVERIFY(arithmetic->isEnabled());
        QVERIFY(arithmetic->text() != before);
        for (const QPushButton* b : inspector->suggestionButtons())
            QVERIFY(b->isEnabled());

        // Nothing of another subgraph stays, nor of another problem.
        window.state().selection.selectSubgraph(SubgraphId(1));
        QVERIFY(arithmetic->text().contains(QLatin1String("Counting")));
        inspector->settle();
        QVERIFY(window.openPaths({sample("attention-block.json")}));
        window.state().selection.selectSubgraph(SubgraphId(1));
        QVERIFY(arithmetic->text().contains(QLatin1String("Counting")));
    }
    void boxesOfRetainFollowTheSubgraph()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        Document& document = window.state().document;
        auto* inspector = viewOf<InspectorView>(window, "inspector");
        RetainList* list = inspector->retainList();
        const Problem& problem = *document.problem();
        for (int round = 0; round < 2; ++round)
            for (std::size_t i = 0; i < document.schedule().size(); ++i) {
                window.state().selection.selectSubgraph(SubgraphId(i));
                inspector->settle();
                const bool last = i + 1 == document.schedule().size();
                auto candidates = retainCandidates(problem, document.schedule(), SubgraphId(i),
                                                   editOptions(document.rules()));
                std::erase_if(candidates, [last](const RetainCandidate& c) {
                    return !c.retained && !c.useful && (c.refusal.empty() || last);
                });
                QCOMPARE(list->boxes().size(), candidates.size());
                for (std::size_t c = 0; c < candidates.size(); ++c) {
                    QCheckBox* box = list->boxes()[c];
                    QCOMPARE(box->isChecked(), candidates[c].retained);
                    QCOMPARE(box->isEnabled(), candidates[c].refusal.empty());
                    QVERIFY(box->toolTip().contains(
                        QString::fromStdString(problem.tensorName(candidates[c].tensor)).toHtmlEscaped()));
                    if (!box->isEnabled() || round > 0)
                        continue;
                    QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
                    document.waitForSnapshot();
                    const auto& kept = document.schedule()[SubgraphId(i)].retain;
                    QCOMPARE(std::find(kept.begin(), kept.end(), candidates[c].tensor) != kept.end(),
                             !candidates[c].retained);
                    QCOMPARE(box->isChecked(), !candidates[c].retained);
                }
            }
    }
    void anEditPaintsThePanelsOnce()
    {
        MainWindow window;
        window.resize(1440, 900);
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        Document& document = window.state().document;
        auto* inspector = viewOf<InspectorView>(window, "inspector");
        const SubgraphId s(0);
        window.state().selection.selectSubgraph(s);
        inspector->settle();
        QTest::qWait(50);
        QCoreApplication::sendPostedEvents();
        Paints paints(inspector->arithmeticLabel());
        Granularity g = document.schedule()[s].granularity;
        g.h = g.h == 32 ? 64 : 32;
        tile(document, s, g);
        document.evaluateNow();
        for (int i = 0; i < 8; ++i)
            QCoreApplication::sendPostedEvents();
        QCOMPARE(paints.count, 1);
    }
};

QTEST_MAIN(TestRepaint)
#include "test_repaint.moc"
