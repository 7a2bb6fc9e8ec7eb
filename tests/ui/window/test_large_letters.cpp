// SPDX-License-Identifier: GPL-3.0-or-later
// The window at 1366 x 768, also with letters of 20 pt: every figure and every setting can be reached, and
// the panes keep their places.
#include "canvas/control_bar.h"
#include "chart/keys.h"
#include "control_named.h"
#include "lens_window.h"
#include "panels/layers/layers_view.h"
#include "test_main.h"
#include "theme/theme.h"
#include "views/mapping/mapping_view.h"
#include "views/mapping/nest_paint.h"
#include "window/preferences.h"
#include "window/status_strip.h"

#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>

namespace test_large_letters {

using namespace tilewright;
using namespace tilewright::ui;

class TestLargeLetters : public QObject, protected LensWindow
{
    Q_OBJECT

    View* view(const char* name) { return m_window->view(QLatin1String(name)); }
    template <typename Widget> Widget* child(const char* name)
    {
        return m_window->findChild<Widget*>(QLatin1String(name));
    }
    void setLetters(int points)
    {
        Preferences letters;
        letters.fontSize = points;
        m_window->setPreferences(letters);
        QApplication::processEvents();
    }
    void show(const char* file, int points)
    {
        m_window->resize(1366, 768);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        setLetters(points);
        open(file);
        QApplication::processEvents();
    }

private Q_SLOTS:
    void initTestCase() { QApplication::setStyle(makeStyle()); } // as the program does
    void init() { makeWindow(); }
    void cleanup()
    {
        m_window->setPreferences({});
        m_window.reset();
    }

    void theHeadlineKeepsTheName()
    {
        show("resnet-18.onnx", 20);
        auto* strip = m_window->findChild<StatusStrip*>();
        const auto* name = controlNamed<QLabel>(*strip, QStringLiteral("Workload"));
        QVERIFY(name->isVisible());
        QVERIFY(name->width() >= name->fontMetrics().horizontalAdvance(QStringLiteral("resnet")));
        auto* more = child<QToolButton>("status.more");
        QVERIFY(more->isVisible());
        // What has no room is in the menu: the peak is copied, the rules are shown.
        Q_EMIT more->menu()->aboutToShow();
        QAction* peak = nullptr;
        QAction* rules = nullptr;
        for (QAction* action : more->menu()->actions()) {
            peak = action->text().startsWith(QStringLiteral("Peak ")) ? action : peak;
            rules = action->text().startsWith(QStringLiteral("Rules:")) ? action : rules;
        }
        QVERIFY(peak && rules);
        QVERIFY(peak->text().contains(QStringLiteral("/")));
        peak->trigger();
        QCOMPARE(QApplication::clipboard()->text(), peak->text());
        rules->trigger();
        QTRY_VERIFY(view("rules")->isSeen());
        // Nothing overlaps, and nothing is beyond the edge.
        int right = 0;
        QList<QWidget*> fields = strip->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
        std::ranges::sort(fields, {}, &QWidget::x);
        for (const QWidget* field : fields)
            if (field->isVisible()) {
                QVERIFY2(field->x() >= right, qPrintable(field->accessibleName()));
                right = field->geometry().right();
            }
        QVERIFY(right <= strip->width());
        m_window->resize(2560, 768);
        setLetters(10);
        QVERIFY(!more->isVisible());
        QVERIFY(controlNamed<QLabel>(*strip, QStringLiteral("Peak working set"))
                    ->text()
                    .contains(QStringLiteral("/")));
    }

    void settingsLeaveTheChartItsRoom_data()
    {
        QTest::addColumn<QString>("lens");
        QTest::addColumn<QString>("toggle");
        QTest::addColumn<QString>("panel");
        QTest::newRow("Systolic") << "systolic"
                                  << "systolic.toggleSettings"
                                  << "systolic.settings";
        QTest::newRow("NPU") << "npu"
                             << "npu.toggleControls"
                             << "npu.controls";
    }
    void settingsLeaveTheChartItsRoom()
    {
        QFETCH(const QString, lens);
        QFETCH(const QString, toggle);
        QFETCH(const QString, panel);
        show("llama-block.json", 20);
        run(qPrintable(QStringLiteral("lens.show.") + lens));
        QApplication::processEvents();
        auto* button = m_window->findChild<QToolButton*>(toggle);
        auto* settings = m_window->findChild<QScrollArea*>(panel);
        QVERIFY(button && button->isVisible() && !button->isChecked());
        QVERIFY(!settings->isVisible());
        QTest::mouseClick(button, Qt::LeftButton);
        QApplication::processEvents();
        QVERIFY(settings->isVisible() && button->isChecked() && button->isVisible());
        // The fields are whole, or can be scrolled to.
        const int beyond = settings->widget()->width() - settings->viewport()->width();
        QVERIFY(beyond <= 0 || settings->horizontalScrollBar()->maximum() >= beyond);
        QTest::mouseClick(button, Qt::LeftButton);
        QApplication::processEvents();
        QVERIFY(!settings->isVisible());
        setLetters(10);
        m_window->resize(1600, 1000);
        QApplication::processEvents();
        QVERIFY(!settings->isVisible()); // the choice is kept
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(settings->isVisible());
    }

    void figuresOfAMappingAreWhole()
    {
        show("resnet-18.onnx", 20);
        run("lens.show.mapping");
        QApplication::processEvents();
        const auto* mapping = viewOf<MappingView>(*m_window, "mapping");
        for (const double width : {300.0, 500.0, 660.0, 900.0, 1400.0}) {
            const NestPlaces places = nestPlaces({0, 0, width, 600}, width, mapping->model());
            for (std::size_t i = 0; i < places.metrics.size(); ++i) {
                const double room = places.metrics[i].width() - 2 * kMetricMargin;
                QVERIFY(QFontMetricsF(metricFont()).horizontalAdvance(mapping->model().metrics[i].value) <=
                        room);
                QVERIFY(places.metrics[i].bottom() <= places.operands[0].top());
            }
        }
        // The kind of the layer and the numbers can be read in the form.
        const auto* kind = child<QComboBox>("kind");
        QVERIFY(kind->width() >= kind->fontMetrics().horizontalAdvance(QStringLiteral("convolut")));
        const auto* height = child<QSpinBox>("height");
        QVERIFY(height->width() >= height->fontMetrics().horizontalAdvance(QStringLiteral("000000")));
    }

    void theNumberOfDifferencesIsWhole()
    {
        m_window->resize(1366, 768);
        QVERIFY(openIn(*m_window, {sample("attention-block.json")}));
        setLetters(20);
        document().pinBaseline();
        selection().selectOps({OpId(2), OpId(3)}); // scores and softmax
        run("schedule.fuse");
        document().waitForSnapshot();
        QCOMPARE(document().schedule().size(), document().problem()->opCount() - 1);
        run("view.perspective.Compare");
        view("compare")->settle();
        QApplication::processEvents();
        const QLabel* summary = nullptr;
        QStringList texts;
        for (const QLabel* label : view("compare")->findChildren<QLabel*>()) {
            texts << label->text();
            if (label->isVisible() && label->text().contains(QStringLiteral("difference")))
                summary = label;
        }
        QVERIFY2(summary, qPrintable(texts.join(QLatin1Char('|'))));
        QVERIFY(summary->width() >= summary->sizeHint().width());
    }

    void allLettersAndIconsFollowTheFont()
    {
        show("resnet-18.onnx", 10);
        run("lens.show.mapping");
        setLetters(20);
        const auto* solve = child<QToolButton>("primary");
        QCOMPARE(QFontInfo(solve->font()).pixelSize(), QFontInfo(QApplication::font()).pixelSize());
        for (const auto* bar : view("mapping")->findChildren<ControlBar*>())
            for (const auto* button : bar->findChildren<QToolButton*>())
                QCOMPARE(button->iconSize().height(), toolIconSize());
        QCOMPARE(child<QToolButton>("systolic.toggleSettings")->iconSize().height(), toolIconSize());
        // The settings are as wide as the larger letters need.
        run("lens.show.systolic");
        QApplication::processEvents();
        QTest::mouseClick(child<QToolButton>("systolic.toggleSettings"), Qt::LeftButton);
        QApplication::processEvents();
        const auto* settings = child<QScrollArea>("systolic.settings");
        QVERIFY(settings->horizontalScrollBar()->maximum() == 0);
    }

    void latenciesOfLayersCanBeScrolledTo()
    {
        show("resnet-18.onnx", 10);
        run("lens.show.systolic");
        setLetters(20);
        const auto* layers = viewOf<LayersView>(*m_window, "layers");
        const QHeaderView* header = layers->table()->horizontalHeader();
        QVERIFY(header->length() <= layers->table()->viewport()->width() ||
                layers->table()->horizontalScrollBar()->maximum() > 0);
        QVERIFY(header->sectionSize(0) >= layers->fontMetrics().horizontalAdvance(QStringLiteral("layer1")));
        QVERIFY(header->sectionViewportPosition(1) < layers->table()->viewport()->width() / 2);
    }

    /// The count of matches once had an empty row of its own.
    void theSearchAddsNoEmptyRow()
    {
        show("resnet-18.onnx", 10);
        auto* toolbar = child<ControlBar>("graphToolbar");
        auto* search = toolbar->findChild<SearchField*>();
        for (int width = 240; width <= 700; width += 10) {
            int bottom = 0;
            toolbar->resize(width, toolbar->heightForWidth(width));
            for (const QWidget* control :
                 toolbar->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
                if (!control->isHidden() && (!qobject_cast<const QLabel*>(control) ||
                                             !qobject_cast<const QLabel*>(control)->text().isEmpty()))
                    bottom = std::max(bottom, control->geometry().bottom());
            QVERIFY2(toolbar->height() - bottom < 8, qPrintable(QString::number(width)));
        }
        search->setText(QStringLiteral("layer1"));
        const auto* hits = search->findChild<QLabel*>();
        QVERIFY(hits && hits->isVisible() && hits->text().contains(QLatin1Char('/')));
        QVERIFY(search->rect().contains(hits->geometry()));
        QVERIFY(search->textMargins().right() >= hits->width());
        search->clear();
        QVERIFY(!hits->isVisible());
    }

    void theGraphStaysFromTaskToTask()
    {
        show("resnet-18.onnx", 10);
        const int width = view("graph")->width();
        for (const char* task : {"Tiles", "Hardware", "Edit", "Hardware", "Tiles"}) {
            run(qPrintable(QStringLiteral("view.perspective.") + QLatin1String(task)));
            QApplication::processEvents();
            QVERIFY2(view("graph")->width() == width, task);
        }
    }

    /// Qt left the old handle in the title bar that had moved over it.
    void aTaskLeavesNoHandleOfAnother()
    {
        QVERIFY(openIn(*m_window, {sample("attention-block.json")}));
        m_window->resize(1366, 768);
        QApplication::processEvents();
        for (const char* task : {"Tiles", "Hardware", "Edit"}) {
            run(qPrintable(QStringLiteral("view.perspective.") + QLatin1String(task)));
            QTest::qWait(100);
            const QImage shown = m_window->screen()->grabWindow(m_window->winId()).toImage();
            const QImage anew = m_window->grab().toImage();
            QCOMPARE(shown.size(), anew.size());
            const QWidget* dock = view("graph"); // beside it are the docks
            for (int y = dock->y(); y < dock->geometry().bottom(); ++y)
                for (int x = dock->geometry().right() + 2; x < shown.width(); ++x)
                    if (shown.pixel(x, y) != anew.pixel(x, y))
                        QFAIL(
                            qPrintable(QStringLiteral("%1: %2, %3").arg(QLatin1String(task)).arg(x).arg(y)));
        }
    }

    /// An entry that is wider than the legend is elided, and "…" stands for entries without room.
    void aNarrowLegendHidesNothingSilently()
    {
        const Theme& theme = Theme::light();
        const std::vector<ChartKey> keys{
            patchKey(QStringLiteral("one"), Qt::red, theme),
            patchKey(QStringLiteral("subgraph, with its position in the order"), Qt::green, theme)};
        const auto ink = [&](double width, double height, const QColor& colour) {
            QImage image(400, 60, QImage::Format_RGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            paintKeys(painter, keys, {0, 0, width, height}, theme);
            painter.end();
            int count = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    count += colour.isValid() ? image.pixelColor(x, y) == colour
                                              : image.pixelColor(x, y) != QColor(Qt::white) && x > 55;
            return count;
        };
        const double row = keysHeight({keys[0]}, 400);
        QVERIFY(ink(150, 2 * row, Qt::green) > 20); // the sign, with an elided text
        QCOMPARE(ink(150, row, Qt::green), 0);      // no second row
        QVERIFY(ink(150, row, QColor()) > 0);       // "…"
    }
};

TILEWRIGHT_TEST(TestLargeLetters)

} // namespace test_large_letters
#include "test_large_letters.moc"
