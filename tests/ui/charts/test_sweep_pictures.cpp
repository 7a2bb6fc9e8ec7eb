// SPDX-License-Identifier: GPL-3.0-or-later
// What the Sweep view draws: every lens, curves of a problem, maps with contours, fronts, the table.
#include "base/file.h"
#include "picture.h"
#include "sweep_bench.h"
#include "sweep_support.h"
#include "test_main.h"
#include "theme/text.h"

#include <QClipboard>
#include <QComboBox>
#include <QSpinBox>
#include <QTableView>

namespace test_sweep_pictures {

using namespace tilewright;
using namespace tilewright::ui;

class TestSweepPictures : public SweepBench
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_settings.fresh(); }

    void everyLensIsSwept_data()
    {
        QTest::addColumn<int>("task");
        for (int i = 0; i <= static_cast<int>(kLastSweepTask); ++i)
            QTest::addRow("%d", i) << i;
    }
    void everyLensIsSwept()
    {
        QFETCH(int, task);
        const QString folder = m_settings.filePath("lens");
        QDir().mkpath(folder);
        const bool isLanguage = isOfLanguage(static_cast<SweepTask>(task));
        const QString file =
            folder + (isLanguage ? QStringLiteral("/config.json") : QStringLiteral("/small.csv"));
        QFile::remove(file);
        QVERIFY(QFile::copy(isLanguage
                                ? QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/llm/gpt2.config.json")
                                : modelFile("small-conv.csv"),
                            file));
        MainWindow window;
        QVERIFY(openIn(window, {file}));
        if (isLanguage)
            QVERIFY(window.state().document.setDimensions({{"prompt", 64}}));
        SweepView& v = view(window);
        choose(v, static_cast<SweepTask>(task));
        choose(v, "sweep.0.name", QStringLiteral("array.rows"));
        type(v, "sweep.0.from", QStringLiteral("64")); // below, the open schedule is not valid
        type(v, "sweep.0.to", QStringLiteral("256"));
        few(v, 3, 100);
        control<QSpinBox>(v, "sweep.seconds")->setValue(1);
        runAll(v);
        QVERIFY2(v.model().table.done == 3,
                 qPrintable(v.model().isEmpty() ? QStringLiteral("nothing")
                                                : QString::fromStdString(v.model().table.rows[0].error)));
        QVERIFY(!sweepAnswer(v.model()).isEmpty());
        QVERIFY(picture::colours(picture::of(v)) > 20);
        if (static_cast<SweepTask>(task) == SweepTask::Mapping)
            return; // of seconds
        // What is saved gives the same table on the command line's way.
        const QString plan = folder + QStringLiteral("/sweep.json");
        const Status saved = v.exportPlan(plan);
        QVERIFY2(saved, saved ? "" : saved.error().text().c_str());
        QVERIFY(QApplication::clipboard()->text().startsWith(
            QStringLiteral("tilewright-cli sweep '%1' -o ").arg(plan)));
        const auto loaded = sweep::loadSweep(plan.toStdString());
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        QCOMPARE(sweep::tableCsv(test::runAll(*loaded)), sweep::tableCsv(v.model().table));
    }

    void plansOfAProblemTakeItAsItIs()
    {
        MainWindow window;
        QVERIFY(
            openIn(window, {sample("attention-block.json"), sample("attention-block.fused.schedule.json")}));
        SweepView& v = view(window);
        choose(v, SweepTask::SolveHere);
        few(v, 4, 200);
        runAll(v);
        const QString plan = m_settings.filePath("p.json");
        QVERIFY(v.exportPlan(plan));
        const auto loaded = sweep::loadSweep(plan.toStdString());
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        QCOMPARE(sweep::tableCsv(test::runAll(*loaded)), sweep::tableCsv(v.model().table));
        const QString table = m_settings.filePath("t.csv");
        QVERIFY(v.exportTable(table));
        const auto written = readFile(table.toStdString());
        QVERIFY(written && *written == sweep::tableCsv(v.model().table));
        const Status refused = v.exportTable(QStringLiteral("/nowhere/t.csv"));
        QVERIFY(!refused && !refused.error().text().empty());
    }

    void twoAxesAreAMapWithContours()
    {
        MainWindow window;
        window.resize(1440, 1100);
        QVERIFY(openIn(window, {sample("diamond.json")}));
        SweepView& v = view(window);
        choose(v, "sweep.1.name", QStringLiteral("slow_memory_bandwidth"));
        few(v, 4, 100);
        control<QSpinBox>(v, "sweep.1.points")->setValue(3);
        QCOMPARE(v.form().setup().picture, SweepPicture::HeatMap);
        runAll(v);
        const SweepModel& m = v.model();
        QCOMPARE(m.table.rows.size(), std::size_t(12));
        const HeatGrid grid = sweepGrid(m, Theme::light());
        QCOMPARE(grid.columns, std::size_t(4));
        QCOMPARE(grid.rows, std::size_t(3));
        for (std::size_t cell = 0; cell < 12; ++cell) { // the axes of the cells are those of the labels
            const std::size_t row = sweepRowOfCell(m, cell);
            QCOMPARE(grid.x.labels[static_cast<qsizetype>(cell % 4)], m.axes[0].text(m.valueOf(row, 0)));
            QCOMPARE(grid.y.labels[static_cast<qsizetype>(cell / 4)], m.axes[1].text(m.valueOf(row, 1)));
        }
        // Hover, click, arrows.
        const QPointF at = v.pointOf(5);
        QVERIFY(!at.isNull());
        QTest::mouseMove(&v, at.toPoint());
        const Hardware before = window.state().document.problem()->hardware();
        QTest::mouseClick(&v, Qt::LeftButton, {}, at.toPoint());
        QCOMPARE(m.rowInForce(), std::optional<std::size_t>(5));
        QVERIFY(window.state().document.problem()->hardware() != before);
        QVERIFY(picture::pixels(picture::of(v), Theme::light().ok) > 10); // the contour
        // The same points as curves, one a value of the second axis.
        control<QComboBox>(v, "sweep.picture")->setCurrentIndex(static_cast<int>(SweepPicture::Curve));
        QCOMPARE(v.model().curves().size(), std::size_t(3));
        QCOMPARE(v.plots().size(), std::size_t(1));
        QCOMPARE(v.model().table.done, std::size_t(12));
    }

    void theFrontIsThatOfTheTable()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        SweepView& v = view(window);
        few(v, 9);
        runAll(v);
        control<QComboBox>(v, "sweep.picture")->setCurrentIndex(static_cast<int>(SweepPicture::Front));
        const SweepModel& m = v.model();
        std::size_t onFront = 0;
        for (std::size_t i = 0; i < 9; ++i) {
            bool beaten = false;
            for (std::size_t j = 0; j < 9; ++j) {
                const double dx = m.valueOf(j, 0) - m.valueOf(i, 0);
                const double dy = m.table.rows[j].metrics[0] - m.table.rows[i].metrics[0];
                beaten = beaten || (dx <= 0 && dy <= 0 && (dx < 0 || dy < 0));
            }
            QCOMPARE(m.table.rows[i].onFront, !beaten);
            onFront += beaten ? 0 : 1;
        }
        const PlotModel plot = v.plots().front();
        QCOMPARE(plot.lines.front().points.size(), onFront);
        // Against another column.
        choose(v, "sweep.against", QStringLiteral("traffic"));
        QCOMPARE(v.plots().front().x.title, QStringLiteral("traffic"));
    }

    void theTableHasEveryPoint()
    {
        MainWindow window;
        window.resize(1440, 1000);
        QVERIFY(openIn(window, {sample("diamond.json")}));
        SweepView& v = view(window);
        few(v, 4);
        runAll(v);
        control<QComboBox>(v, "sweep.picture")->setCurrentIndex(static_cast<int>(SweepPicture::Table));
        auto* table = control<QTableView>(v, "sweep.table");
        QVERIFY(table->isVisible());
        QCOMPARE(table->model()->rowCount(), 4);
        for (int row = 0; row < 4; ++row)
            QCOMPARE(table->model()->index(row, 2).data().toString(),
                     exactNumber(v.model().table.rows[static_cast<std::size_t>(row)].metrics[0]));
        const Hardware before = window.state().document.problem()->hardware();
        table->setCurrentIndex(table->model()->index(3, 0));
        table->setFocus();
        QTest::keyClick(table, Qt::Key_Return);
        QVERIFY(window.state().document.problem()->hardware() != before);
    }
};

TILEWRIGHT_TEST(TestSweepPictures)

} // namespace test_sweep_pictures
#include "test_sweep_pictures.moc"
