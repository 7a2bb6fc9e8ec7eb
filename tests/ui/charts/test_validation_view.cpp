// SPDX-License-Identifier: GPL-3.0-or-later
// The Validation view: measurements beside predictions, equal to the verb's; points and rows are one choice.
#include "test_main.h"
#include "views/validation/validation_view.h"
#include "window_fixture.h"

#include <QComboBox>
#include <QLineEdit>
#include <QTableView>
#include <QToolButton>

namespace test_validation_view {

using namespace tilewright;
using namespace tilewright::ui;

QString measured(const char* file)
{
    return QStringLiteral(TILEWRIGHT_SOURCE_DIR "/validation/") + QLatin1String(file);
}

ValidationView& shownView(MainWindow& window)
{
    window.resize(1440, 1000);
    window.show();
    window.showView(QStringLiteral("validation"));
    window.activateWindow();
    if (!QTest::qWaitForWindowActive(&window))
        qFatal("the window is not active");
    return *viewOf<ValidationView>(window, "validation");
}

/// Chooses the machine of the window and a lens, and presses Predict.
void predict(MainWindow& window, ValidationView& v, const char* machine, const char* lens, const char* file)
{
    QVERIFY(window.state().document.setMachine(*machinePreset(machine), {}));
    v.openMeasurements(measured(file));
    v.findChild<QComboBox*>(QStringLiteral("validation.lens"))->setCurrentText(QLatin1String(lens));
    v.setFocus();
    QTest::keyClick(&v, Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(v.isRunning());
    v.settle();
}

class TestValidationView : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_settings.fresh(); }

    void figuresAreThoseOfTheVerb()
    {
        MainWindow window;
        auto& v = shownView(window);
        predict(window, v, "eyeriss", "array", "eyeriss_alexnet.csv");
        QVERIFY(v.comparison());
        verbs::ValidateCall call;
        call.measurements = measured("eyeriss_alexnet.csv").toStdString();
        call.workload.machines = {"eyeriss"};
        call.lens = "array";
        QVERIFY(verbs::readFiles(call));
        const auto expected = verbs::validate(call);
        QVERIFY(expected);
        QCOMPARE(validation::comparisonJson(*v.comparison()), validation::comparisonJson(*expected));
        const auto* table = v.findChild<QTableView*>(QStringLiteral("validation.table"));
        QVERIFY(table->isVisible());
        QCOMPARE(table->model()->rowCount(), 3);
        QVERIFY2(v.copyText().startsWith(
                     QStringLiteral("row\tline\tmeasured, ms\tpredicted, ms\tratio\nconv1, 3 to 96")),
                 qPrintable(v.copyText()));
        QVERIFY(v.accessibleDescription().contains(QStringLiteral("Spearman 1")));

        // A click on a point chooses its row; the chosen row is drawn with a ring.
        QTest::mouseClick(&v, Qt::LeftButton, {}, v.pointOf(1).toPoint());
        QVERIFY(table->currentIndex().data().toString().startsWith(QStringLiteral("conv3")));
        QVERIFY(v.plots().front().mark(1)->radius > v.plots().front().mark(0)->radius);

        // The file is opened like any other; the choices stay.
        window.showView(QStringLiteral("graph"));
        QVERIFY(window.openPaths({measured("eyeriss_alexnet.csv")}));
        QVERIFY(v.isSeen());
        v.settle();
        QCOMPARE(validation::comparisonJson(*v.comparison()), validation::comparisonJson(*expected));

        // A preset instead of the machine of the window.
        auto* machine = v.findChild<QComboBox*>(QStringLiteral("validation.machine"));
        machine->setCurrentText(QStringLiteral("gemmini-16"));
        QVERIFY(!v.comparison());
        v.predict();
        v.settle();
        QCOMPARE(v.comparison()->machine, std::string("gemmini-16"));
        machine->setCurrentIndex(0);
        v.predict();
        v.settle();
        QCOMPARE(v.comparison()->machine, std::string("eyeriss"));

        // Another machine: what is shown was of the one before.
        QVERIFY(window.state().document.setMachine(*machinePreset("edge"), {}));
        QVERIFY(!v.comparison());
        QVERIFY(!table->isVisible());
    }

    void whatCannotBeComparedIsSaid()
    {
        MainWindow window;
        auto& v = shownView(window);
        auto* column = v.findChild<QLineEdit*>(QStringLiteral("validation.measured"));
        QTest::keyClicks(column, QStringLiteral("latency_s"));
        predict(window, v, "eyeriss", "array", "eyeriss_alexnet.csv");
        QVERIFY(!v.comparison());
        const QString why = v.accessibleDescription();
        QVERIFY2(why.contains(QStringLiteral("latency_s")) &&
                     why.contains(QStringLiteral("eyeriss_alexnet.csv")),
                 qPrintable(why));
        // The right column, and a condition that leaves one row.
        column->clear();
        auto* where = v.findChild<QLineEdit*>(QStringLiteral("validation.where"));
        QTest::keyClicks(where, QStringLiteral("groups=1, R=3"));
        predict(window, v, "eyeriss", "array", "eyeriss_alexnet.csv");
        QVERIFY2(v.comparison(), qPrintable(v.accessibleDescription()));
        QCOMPARE(v.comparison()->rows.size(), std::size_t{1});
        QCOMPARE(v.comparison()->leftOut, std::int64_t{2});

        // The choices come back with the session; the figures are computed when they are asked for.
        const QJsonObject kept = v.settings();
        MainWindow again;
        auto& other = *viewOf<ValidationView>(again, "validation");
        other.restoreSettings(kept);
        QCOMPARE(other.settings(), kept);
        QVERIFY(!other.comparison());
    }

    void theFittedMachineCanBeUsed()
    {
        MainWindow window;
        QVERIFY(window.openPaths({QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json")}));
        auto& v = shownView(window);
        predict(window, v, "a100", "floor", "a100_gemm.csv");
        Document& document = window.state().document;
        const double before = v.comparison()->agreement.error;
        QVERIFY(!v.fitted());
        auto* fit = window.state().actions.find(QStringLiteral("validation.fit"));
        auto* use = window.state().actions.find(QStringLiteral("validation.use"));
        QVERIFY(fit->isEnabled() && !use->isEnabled());
        fit->trigger();
        v.settle();
        QVERIFY2(v.fitted(), qPrintable(v.accessibleDescription()));
        QCOMPARE(v.comparison()->agreement.error, before); // shown beside it, not instead of it
        QVERIFY(v.accessibleDescription().contains(QStringLiteral("error with the fitted machine")));
        QCOMPARE(document.machine()->name, std::string("a100"));
        const double promised = v.fitted()->after.error;
        QVERIFY(promised < before);
        QVERIFY(use->isEnabled());
        const int steps = document.undoStack().index();
        use->trigger();
        v.settle();
        QCOMPARE(document.machine()->name, std::string("a100-fitted"));
        QCOMPARE(document.undoStack().index(), steps + 1);
        QCOMPARE(v.comparison()->agreement.error, promised);
        document.undoStack().undo();
        QCOMPARE(document.machine()->name, std::string("a100"));
    }

    void aRunCanBeStopped()
    {
        MainWindow window;
        auto& v = shownView(window);
        QVERIFY(window.state().document.setMachine(*machinePreset("gemmini-16"), {}));
        v.openMeasurements(measured("gemmini_firesim.csv"));
        v.findChild<QComboBox*>(QStringLiteral("validation.lens"))->setCurrentText(QStringLiteral("npu"));
        v.predict();
        v.setFocus();
        QTest::keyClick(&v, Qt::Key_Return, Qt::ControlModifier); // Stop
        v.settle();
        QVERIFY(v.comparison());
        QVERIFY(v.comparison()->interrupted);
        QVERIFY(v.comparison()->rows.size() < 36);
    }

private:
    PrivateSettings m_settings;
};

TILEWRIGHT_TEST(TestValidationView)

} // namespace test_validation_view
#include "test_validation_view.moc"
