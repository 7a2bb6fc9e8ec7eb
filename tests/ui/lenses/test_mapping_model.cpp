// SPDX-License-Identifier: GPL-3.0-or-later
// The options of the mapping model in its form (docs/rules/mapping.md 9 and 10), set as a person sets them.
#include "control_named.h"
#include "export/export_view.h"
#include "test_main.h"
#include "views/mapping/breakdown.h"
#include "views/mapping/mapping_form.h"
#include "views/mapping/mapping_view.h"
#include "views/mapping/search_map_view.h"
#include "window/app_state.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTimer>
#include <QtTest>

#include <fstream>

namespace test_mapping_model {

using namespace tilewright;
using namespace tilewright::ui;
using mapping::Level;

class TestMappingModel : public QObject
{
    Q_OBJECT

    std::unique_ptr<AppState> m_app;
    std::unique_ptr<MappingView> m_view;

    MappingDocument& state() { return m_app->workspace.mapping(); }
    const MappingForm& form() { return *m_view->findChild<MappingForm*>(); }
    template <typename Control> Control* control(const char* name)
    {
        return form().findChild<Control*>(QLatin1String(name));
    }
    void click(const char* name)
    {
        auto* box = control<QCheckBox>(name);
        QVERIFY2(box, name);
        m_view->findChild<MappingForm*>()->ensureWidgetVisible(box);
        QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
    }
    void type(const char* name, const char* text)
    {
        auto* box = control<QWidget>(name);
        QVERIFY2(box, name);
        m_view->findChild<MappingForm*>()->ensureWidgetVisible(box);
        box->setFocus();
        if (auto* spin = qobject_cast<QAbstractSpinBox*>(box))
            spin->selectAll();
        else
            qobject_cast<QLineEdit*>(box)->selectAll();
        QTest::keyClicks(box, QLatin1String(text));
        QTest::keyClick(box, Qt::Key_Return);
    }
    void open(const char* layer)
    {
        const auto read = mapping::readLayers(layer, "layer.json");
        QVERIFY(read);
        state().openLayers(*read);
        m_view->settle();
        state().undoStack().clear();
    }
    [[nodiscard]] QString complaint()
    {
        for (const QLabel* label : form().findChildren<QLabel*>())
            if (!label->isHidden() && label->foregroundRole() == QPalette::BrightText)
                return label->text();
        return {};
    }
    [[nodiscard]] const BreakdownBar* bar(const QString& name)
    {
        for (const BreakdownSection& section : m_view->breakdown().sections)
            for (const BreakdownBar& one : section.bars)
                if (one.label == name)
                    return &one;
        return nullptr;
    }

private Q_SLOTS:
    void init()
    {
        m_app = std::make_unique<AppState>();
        m_view = std::make_unique<MappingView>(m_app->context());
        m_view->resize(1400, 800);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        m_view->settle();
        open(R"({"name": "g", "kind": "gemm", "m": 60, "n": 24, "k": 40})");
    }
    void cleanup()
    {
        m_view.reset();
        m_app.reset();
    }

    /// The rule of docs/rules/mapping.md 4 knows no bandwidth: its cycles are not to be taken for the
    /// schedule's.
    void theCyclesSayWhatTheyCount()
    {
        const BreakdownModel& breakdown = m_view->breakdown();
        const BreakdownSection& cycles = breakdown.sections.back();
        QCOMPARE(cycles.unit, QStringLiteral("1 element per cycle per network"));
        // Every element of the result passes its network at least once, 60 x 24 of them, one a cycle.
        QVERIFY(state().evaluation().cycles >= 60 * 24);
        const BreakdownPlaces places = breakdownPlaces({0, 0, 400, 0}, breakdown);
        QVERIFY(breakdownTooltip(breakdown, places.bars.back()).contains(QStringLiteral("its own network")));
        const NestModel nest = m_view->model();
        bool any = false;
        for (const NestColumn& column : nest.columns)
            any = any || column.foldedMeaning.contains(QStringLiteral("of the result)"));
        QVERIFY(any);
        QCOMPARE(loopMeaning("Fy"), QStringLiteral("kernel columns"));
    }

    void switchesAreStepsThatUndo_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("words");
        QTest::newRow("imperfect") << "imperfect"
                                   << "imperfect factors";
        QTest::newRow("tree") << "reduction_tree"
                              << "reduction tree";
        QTest::newRow("overlapped") << "overlapped"
                                    << "overlapped cycles";
        QTest::newRow("bypass") << "bypass1"
                                << "B bypasses the SPM";
    }
    void switchesAreStepsThatUndo()
    {
        QFETCH(QString, name);
        QFETCH(QString, words);
        const std::string before = *state().fileText();
        QVERIFY(!m_view->model().subtitle.contains(words));
        click(qPrintable(name));
        QVERIFY(state().setup().architecture.options != mapping::ModelOptions{});
        QVERIFY2(m_view->model().subtitle.contains(words), qPrintable(m_view->model().subtitle));
        QVERIFY(m_view->copyText().contains(words)); // which the report shows, too
        QCOMPARE(state().undoStack().count(), 1);
        // It is in the file and comes back from it.
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("g.mapping.json"));
        QVERIFY(state().save(path));
        const auto options = state().setup().architecture.options;
        state().undoStack().undo();
        QCOMPARE(*state().fileText(), before);
        QVERIFY(!control<QCheckBox>(qPrintable(name))->isChecked());
        QVERIFY(m_app->workspace.open(path));
        QCOMPARE(state().setup().architecture.options, options);
        QVERIFY(control<QCheckBox>(qPrintable(name))->isChecked());
    }

    void imperfectFactorsAreSearchedAndTakenBack()
    {
        open(R"({"name": "g", "kind": "gemm", "m": 263, "n": 3, "k": 7})");
        const double prime = state().search().result()->of(mapping::Objective::Edp)->edp;
        click("imperfect");
        m_view->settle();
        const auto& best = state().search().result()->of(mapping::Objective::Edp);
        QVERIFY(best->edp < 0.8 * prime);
        state().applyMapping(best->method, QStringLiteral("load"));
        QVERIFY(state().evaluation().valid());
        // Off again: the factors are made to divide.
        click("imperfect");
        QVERIFY(state().evaluation().hasNumbers);
    }

    void theBypassedOperandTakesNoBanks()
    {
        state().applyMapping(mapping::trivialMethod(state().nest()), QStringLiteral("load"));
        QVERIFY(state().evaluation().operands[0].spmBanks > 0);
        QCOMPARE(control<QCheckBox>("bypass0")->text(), QStringLiteral("A bypasses the SPM"));
        click("bypass0");
        QCOMPARE(state().evaluation().operands[0].spmBanks, 0);
        QCOMPARE(state().evaluation().operands[0].energy.spm, 0.0);
    }

    void energiesOfWritesFollowTheReadsUntilTheyAreGiven()
    {
        auto* box = control<QDoubleSpinBox>("energy_dram_write");
        QCOMPARE(box->text(), QStringLiteral("as a read"));
        const double before = state().evaluation().energyParts.dram;
        type("energy_dram_write", "300");
        QCOMPARE(state().setup().architecture.energyPj.dramWrite, std::optional(300.0));
        QVERIFY(state().evaluation().energyParts.dram > before);
        state().undoStack().undo();
        QVERIFY(!state().setup().architecture.energyPj.dramWrite);
        QCOMPARE(box->text(), QStringLiteral("as a read"));
    }

    void leakageHasItsBar()
    {
        QVERIFY(!bar(QStringLiteral("Leakage")));
        type("energy_leakage", "50");
        const BreakdownBar* leakage = bar(QStringLiteral("Leakage"));
        QVERIFY(leakage);
        QCOMPARE(leakage->total, 50.0 * static_cast<double>(state().evaluation().cycles));
        double sum = 0;
        for (const BreakdownBar& one : m_view->breakdown().sections[1].bars)
            sum += one.total;
        QVERIFY(std::abs(sum / state().evaluation().energy - 1) < 1e-12);
        QVERIFY(m_view->copyText().contains(QStringLiteral("Leakage")));
    }

    void constraintsOfTimeloopAreLoaded()
    {
        QTemporaryDir dir;
        const QString file = dir.filePath(QStringLiteral("c.yaml"));
        auto* button = m_view->findChild<QPushButton*>(QStringLiteral("mapping.constraints"));
        QVERIFY(button);
        const auto load = [&](const char* text) {
            std::ofstream(file.toStdString()) << text;
            QTimer::singleShot(0, button, [&file] {
                auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
                dialog->findChild<QLineEdit*>()->setText(file);
                QTest::keyClick(dialog, Qt::Key_Return);
            });
            button->click();
        };
        const auto before = state().setup();
        load("constraints:\n"
             "  - {target: SPM, type: spatial, factors: M=4}\n"
             "  - {target: SPM, type: bypass, bypass: [B]}\n");
        QCOMPARE(state().setup().factors, std::vector<std::string>{"SPATIAL.X=4"});
        QCOMPARE(control<QLineEdit>("factors")->text(), QStringLiteral("SPATIAL.X=4"));
        QVERIFY(state().setup().architecture.options.bypassSpm[1]);
        state().undoStack().undo();
        QVERIFY(state().setup() == before);
        // What the lens does not know is refused by name, and nothing changes.
        load("constraints: [{target: DRAM, type: temporal, permutation: MNK}]");
        QVERIFY(state().setup() == before);
        QVERIFY2(complaint().contains(QStringLiteral("c.yaml: constraints[0].permutation")),
                 qPrintable(complaint()));
    }

    void factorsAskedForAreKeptByTheSearch()
    {
        type("factors", "SPATIAL.X=4, RF.K<=2");
        QCOMPARE(state().setup().factors.size(), std::size_t(2));
        m_view->settle();
        const auto& result = *state().search().result();
        QVERIFY(result.proven && result.reductions.any());
        for (const mapping::MethodCost& m : result.front) {
            QCOMPARE(m.method.at(Level::Spatial)[0], 4);
            QVERIFY(m.method.at(Level::Rf)[2] <= 2);
        }
        QVERIFY(m_view->model().subtitle.contains(QStringLiteral("SPATIAL.X=4")));
        QVERIFY(QString::fromStdString(*state().fileText()).contains(QStringLiteral("RF.K<=2")));
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("g.mapping.json"));
        QVERIFY(state().save(path));
        state().undoStack().undo();
        QVERIFY(state().setup().factors.empty());
        QVERIFY(control<QLineEdit>("factors")->text().isEmpty());
        QVERIFY(m_app->workspace.open(path));
        QCOMPARE(control<QLineEdit>("factors")->text(), QStringLiteral("SPATIAL.X=4, RF.K<=2"));
        // What makes no sense is told and stays in the field.
        type("factors", "RF.M=2");
        QVERIFY2(complaint().contains(QStringLiteral("no such loop")), qPrintable(complaint()));
        QCOMPARE(state().setup().factors.size(), std::size_t(2));
        QCOMPARE(control<QLineEdit>("factors")->text(), QStringLiteral("RF.M=2"));
    }

    void theReasonForWhichThereIsNoMethodIsShown()
    {
        SearchMapView map(m_app->context());
        type("factors", "RF.X=60, RF.K=40");
        m_view->settle();
        map.settle();
        const auto& found = *state().search().found();
        QVERIFY(found.proven && !found.wanted());
        const QString reason = QString::fromStdString(found.reason);
        QVERIFY2(reason.startsWith(QStringLiteral("rf 256 elements, RF.X >= 60 and RF.K >= 40: ")),
                 qPrintable(reason));
        QVERIFY2(map.model().headline.contains(reason), qPrintable(map.model().headline));
    }

    void paddingIsHintedAtWhereItHelps()
    {
        SearchMapView map(m_app->context());
        const auto hint = [&] {
            map.settle();
            QString out;
            for (const auto& [name, value] : map.model().facts)
                if (name.contains(QStringLiteral("padding")) || !out.isEmpty())
                    out += name + QLatin1Char(' ') + value + QLatin1Char(' ');
            return out;
        };
        open(R"({"name": "g", "kind": "gemm", "m": 64, "n": 64, "k": 64})");
        QCOMPARE(hint(), QString());
        open(R"({"name": "g", "kind": "gemm", "m": 127, "n": 64, "k": 64})");
        QVERIFY2(hint().contains(QStringLiteral("padding X 127 to 128")), qPrintable(hint()));
        QVERIFY(hint().contains(QStringLiteral("less EDP")));
    }

    void dragsKeepImperfectFactorsTight()
    {
        open(R"({"name": "g", "kind": "gemm", "m": 7, "n": 6, "k": 5})");
        click("imperfect");
        mapping::Method m = mapping::trivialMethod(state().nest());
        m.at(Level::Rf)[0] = 4; // 4, then 3
        m.at(Level::Dram)[0] = 2;
        state().applyMapping(m, QStringLiteral("load"));
        QVERIFY(state().evaluation().valid());
        for (const auto& item :
             {NestItem{columnOf(Level::Rf), 0, 2}, NestItem{columnOf(Level::Rf), 0, 0},
              NestItem{columnOf(Level::Dram), 0, 2}, NestItem{columnOf(Level::Dram), 1, 3}})
            for (const Level to : {Level::Dram, Level::Spm, Level::Rf, Level::Spatial})
                if (const auto drop = dropOnColumn(state(), item, columnOf(to)))
                    QVERIFY(drop->preview.after.hasNumbers);
    }
};

TILEWRIGHT_TEST(TestMappingModel)

} // namespace test_mapping_model
#include "test_mapping_model.moc"
