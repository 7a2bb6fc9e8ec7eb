// SPDX-License-Identifier: GPL-3.0-or-later
// Documents, fields and constraints of the Mapping lens on architectures with levels.
#include "base/file.h"
#include "hierarchy/files.h"
#include "lower/machine_levels.h"
#include "mapping_levels_bench.h"
#include "test_main.h"
#include "views/mapping/mapping_form.h"
#include "views/mapping/search_map_view.h"
#include "workspace/lens_links.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QSpinBox>
#include <QTemporaryDir>

namespace test_mapping_levels_form {

using namespace tilewright;
using namespace tilewright::ui;

class TestMappingLevelsForm : public MappingLevelsBench
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { close(); }

    void mappingFilesAreSavedAndOpened()
    {
        openSmall();
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("mapping.json"));
        QVERIFY(state().saveMapping(path));
        // In the form that `map -o` writes and `map --method` reads.
        QCOMPARE(*readFile(path.toStdString()),
                 hierarchy::writeMapping(state().nest(), levels(), state().setup().mapping));
        const MappingSetup before = state().setup();
        state().applyMapping(hierarchy::trivialMapping(state().nest(), levels()),
                             QStringLiteral("all outside"));
        QVERIFY(!(state().setup() == before));
        QVERIFY(m_app->workspace.open(path));
        QCOMPARE(state().setup(), before);
        // Not on four levels, and theirs not here: one sentence names the file and the reason.
        const auto method = m_app->workspace.open(mappingSample("seed-method.txt"));
        QVERIFY(!method);
        openSample("architectures/edge-64.json");
        const auto refused = m_app->workspace.open(path);
        QVERIFY(!refused && refused.error().text().find("open its architecture first") != std::string::npos);
        QVERIFY(refused.error().text().find("mapping.json") != std::string::npos);
    }

    void theDocumentSurvivesSavingAndRecovery()
    {
        openSmall();
        QVERIFY(state().isModified());
        const std::string text = *state().fileText();
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("small.mapping.json"));
        QVERIFY(state().save(path));
        const MappingSetup saved = state().setup();
        state().undoStack().setIndex(0);
        QVERIFY(!state().setup().levels);
        QVERIFY(m_app->workspace.open(path));
        QCOMPARE(state().setup().levels, saved.levels);
        QCOMPARE(state().setup().mapping, saved.mapping);
        QCOMPARE(state().setup().layer, saved.layer);
        QVERIFY(!state().isModified());
        // After a crash.
        state().applyMapping(hierarchy::trivialMapping(state().nest(), levels()),
                             QStringLiteral("all outside"));
        const auto copy = state().recoveryCopy();
        QVERIFY(copy);
        MappingDocument again;
        QVERIFY(again.recover(*copy));
        QCOMPARE(again.setup().levels, saved.levels);
        QCOMPARE(again.setup().mapping, state().setup().mapping);
        QVERIFY(again.isModified());
        QCOMPARE(again.path(), path);
    }

    void aLayerOpenedLaterStaysOnTheLevels()
    {
        auto& view = openSmall();
        openSample("layers/conv-3x3-64.json");
        QVERIFY(state().setup().levels);
        QCOMPARE(state().nest().loopCount, 7);
        QVERIFY(state().figures().hasNumbers);
        state().search().stop();
        view.settle();
        QVERIFY(state().figures().valid()); // the search has a first mapping before it looks at its time
    }

    void theFormChoosesAndEditsLevels()
    {
        auto& view = open<MappingView>(nullptr, {1500, 800});
        openLayer(R"({"name": "small", "kind": "gemm", "m": 64, "n": 48, "k": 32})");
        view.settle();
        auto* form = view.findChild<MappingForm*>();
        auto* choice = form->findChild<QComboBox*>(QStringLiteral("architecture"));
        const auto choose = [&](const QString& text) {
            choice->setFocus();
            choice->setCurrentIndex(choice->findText(text));
            Q_EMIT choice->activated(choice->currentIndex());
        };
        auto* hardware = form->findChild<QWidget*>(QStringLiteral("mapping.group.hardware"));
        QVERIFY(hardware && hardware->isVisibleTo(form));
        choose(QStringLiteral("five-levels"));
        QVERIFY(state().setup().levels);
        QCOMPARE(choice->currentText(), QStringLiteral("five levels, 256 MACs (made up)"));
        QVERIFY(!hardware->isVisibleTo(form));
        view.settle();
        // A field of a level: typed, one step, undone.
        auto* box = form->findChild<QSpinBox*>(QStringLiteral("levels.1.bytes"));
        QVERIFY(box);
        QCOMPARE(box->value(), 262144);
        const double before = state().search().found()->of(mapping::Objective::Edp)->edp;
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, QStringLiteral("512"));
        QTest::keyClick(box, Qt::Key_Return);
        QCOMPARE(levels().levels[1].bytes, std::optional<std::int64_t>(512));
        view.settle();
        QVERIFY(state().search().found()->of(mapping::Objective::Edp)->edp >= before);
        state().undoStack().undo();
        QCOMPARE(box->value(), 262144);
        // The layer's fields adapt the mapping.
        form->findChild<QSpinBox*>(QStringLiteral("m"))->setValue(128);
        QCOMPARE(state().nest().trips[0], 128);
        QVERIFY(state().figures().hasNumbers);
        const QString back = choice->itemText(choice->count() - 2);
        QVERIFY2(back.startsWith(QStringLiteral("the four levels of before")), qPrintable(back));
        choose(back);
        QVERIFY(!state().setup().levels);
        QVERIFY(state().figures().hasNumbers);
    }

    void aFollowedWorkloadStaysOnTheLevels()
    {
        auto& view = open<MappingView>();
        const QString model = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/schedule/example-5.json");
        QVERIFY(m_app->workspace.open(model));
        QTRY_VERIFY(!view.model().title.isEmpty());
        openSample(kFiveLevels);
        QVERIFY(state().setup().levels);
        QVERIFY(m_app->workspace.links().isFollowing(Lens::Mapping));
        QVERIFY(!state().isModified());
        m_app->workspace.links().catchUp(Lens::Mapping);
        QVERIFY(state().setup().levels);
        QVERIFY(!m_app->workspace.links().foundTile(mapping::Level::Rf));
        QVERIFY(!m_app->workspace.links().machineOfLens(Lens::Mapping));
    }

    void constraintsAreTypedKeptAndTakenBack()
    {
        auto& view = openSmall();
        auto* form = view.findChild<MappingForm*>();
        const auto field = [&](const char* name) {
            auto* box = form->findChild<QLineEdit*>(QStringLiteral("levels.") + QLatin1String(name));
            return box;
        };
        const auto type = [&](const char* name, const char* text) {
            QLineEdit* const box = field(name);
            box->setFocus();
            box->selectAll();
            QTest::keyClicks(box, QLatin1String(text));
            QTest::keyClick(box, Qt::Key_Return);
        };
        const auto bestOf = [&] { return state().search().found()->of(mapping::Objective::Edp); };
        const double before = bestOf()->edp;
        const int steps = state().undoStack().count();
        type("factors", "SRAM.K=2, SRAM.clusters.M<=2");
        QCOMPARE(state().undoStack().count(), steps); // this layer has no loop M
        type("factors", "SRAM.K=2, SRAM.clusters.X<=2");
        QCOMPARE(state().undoStack().count(), steps + 1);
        type("orders", "SRAM=K,X");
        QCOMPARE(state().undoStack().count(), steps + 2);
        QCOMPARE(state().setup().asked.factors, (std::vector<std::string>{"SRAM.K=2", "SRAM.clusters.X<=2"}));
        QCOMPARE(state().setup().asked.orders, (std::vector<std::string>{"SRAM=K,X"}));
        QVERIFY(view.model().subtitle.contains(QStringLiteral("SRAM.K=2")));
        view.settle();
        // The search keeps them, as `map --factor --order` does.
        verbs::MapCall call;
        call.hierarchy = levels();
        verbs::MapSubject subject{state().setup().layer, state().nest(), {}};
        subject.constraints =
            hierarchy::constraintsOf(state().nest(), levels(), state().setup().asked).value();
        const auto verb = verbs::mapLayerOnHierarchy(subject, call, {});
        QVERIFY(verb.proven);
        QCOMPARE(bestOf()->edp, verb.of(mapping::Objective::Edp)->edp());
        QVERIFY(bestOf()->edp >= before);
        QVERIFY(subject.constraints.allows(levels(), std::get<hierarchy::Mapping>(bestOf()->mapping)));
        // Saved, and read again.
        const auto read = readMappingSetup(*state().fileText(), "saved.mapping.json");
        QVERIFY(read);
        QCOMPARE(read->asked, state().setup().asked);
        state().undoStack().undo();
        QVERIFY(state().setup().asked.orders.empty());
        QVERIFY(field("orders")->text().isEmpty());
        // Other levels have other constraints.
        openSample("hierarchies/five-levels.json");
        openLayer(
            R"({"name": "row", "kind": "conv", "batch": 1, "in_channels": 2, "out_channels": 2, "height": 9, "width": 9, "kernel": [3, 3], "stride": 1, "padding": 0})");
        QVERIFY(state().setup().asked.factors.empty());
    }

    void keysFixFactorsAndOrders()
    {
        auto& view = openByHand();
        view.setFocus();
        // The buffer has X 2 and Y 2, and X 2 on its rows.
        QTest::mouseClick(&view, Qt::LeftButton, {}, grip(view, {1, {}}, "X").toPoint());
        QTest::keyClick(&view, Qt::Key_X);
        QCOMPARE(state().setup().asked.factors, (std::vector<std::string>{"buffer.X=2"}));
        const auto barAt = [&](const Place& place, const char* loop) {
            for (const NestBar& bar : view.model().columns[columnOfPlace(place)].bars)
                if (bar.loop == state().nest().loopByName(loop))
                    return bar;
            return NestBar();
        };
        QVERIFY(barAt({1, {}}, "X").fixed);
        QVERIFY(!barAt({1, {}}, "Y").fixed);
        QTest::mouseClick(&view, Qt::LeftButton, {}, grip(view, {1, "rows"}, "X").toPoint());
        QTest::keyClick(&view, Qt::Key_X);
        QCOMPARE(state().setup().asked.factors, (std::vector<std::string>{"buffer.X=2", "buffer.rows.X=2"}));
        QTest::mouseClick(&view, Qt::LeftButton, {}, grip(view, {1, {}}, "X").toPoint());
        QTest::keyClick(&view, Qt::Key_O);
        QCOMPARE(state().setup().asked.orders, (std::vector<std::string>{"buffer=X,Y"}));
        QCOMPARE(view.model().columns[columnOfPlace({1, {}})].note, QStringLiteral("order fixed"));
        QTest::keyClick(&view, Qt::Key_X);
        QTest::keyClick(&view, Qt::Key_O);
        QCOMPARE(state().setup().asked.factors, (std::vector<std::string>{"buffer.rows.X=2"}));
        QVERIFY(state().setup().asked.orders.empty());
        state().undoStack().undo(); // one step each
        QCOMPARE(state().setup().asked.orders, (std::vector<std::string>{"buffer=X,Y"}));
    }

    void theReasonForWhichThereIsNoMappingIsShown()
    {
        openByHand();
        auto& map = open<SearchMapView>();
        QVERIFY(state().applyAsked({{"buffer.K=4", "regs.K=2"}, {}}));
        map.settle();
        const auto& found = *state().search().found();
        QVERIFY(found.proven && !found.wanted());
        QCOMPARE(
            QString::fromStdString(found.reason),
            QStringLiteral("with buffer.K=4 and regs.K=2 no factors of loop K multiply to its trip count 4"));
        QVERIFY2(map.model().headline.contains(QString::fromStdString(found.reason)),
                 qPrintable(map.model().headline));
    }

    void operandsBitsAndAxesAreFields()
    {
        auto& view = openByHand();
        auto* form = view.findChild<MappingForm*>();
        const auto find = [&](auto* type, const char* name) {
            using Box = std::remove_pointer_t<decltype(type)>;
            Box* out = nullptr; // the fields are made anew for other operands
            for (Box* box : form->findChildren<Box*>(QStringLiteral("levels.") + QLatin1String(name)))
                out = box;
            return out;
        };
        const double before = state().figures().energy;
        auto* bits = find(static_cast<QSpinBox*>(nullptr), "bits0");
        QCOMPARE(bits->value(), 8);
        bits->setFocus();
        bits->selectAll();
        QTest::keyClicks(bits, QStringLiteral("16"));
        QTest::keyClick(bits, Qt::Key_Return);
        QCOMPARE(levels().bits[0], 16);
        QVERIFY(state().figures().energy > before);
        state().undoStack().undo();
        auto* mac = find(static_cast<QDoubleSpinBox*>(nullptr), "mac_pj");
        QCOMPARE(mac->value(), 0.5);
        mac->setFocus();
        mac->selectAll();
        QTest::keyClicks(mac, QStringLiteral("2"));
        QTest::keyClick(mac, Qt::Key_Return);
        QCOMPARE(levels().macPj, 2.0);
        QCOMPARE(state().levelsCost().macEnergy, 2.0 * 32);
        // B skips the buffer: it moves between DRAM and the MACs.
        auto* holds = find(static_cast<QCheckBox*>(nullptr), "1.holds1");
        QVERIFY(holds && holds->isChecked());
        QVERIFY(!find(static_cast<QCheckBox*>(nullptr), "0.holds1")); // the outermost level holds all
        const int steps = state().undoStack().count();
        QTest::mouseClick(holds, Qt::LeftButton, {}, {6, holds->height() / 2});
        QVERIFY(!levels().levels[1].holds[1]);
        QCOMPARE(state().undoStack().count(), steps + 1);
        QCOMPARE(state().levelsCost().levels[1].operands[1].traffic, hierarchy::Traffic());
        state().undoStack().undo();
        QVERIFY(levels().levels[1].holds[1]);
        QVERIFY(find(static_cast<QCheckBox*>(nullptr), "1.holds1")->isChecked());
        // The axis takes only Y: X on it is told.
        auto* loops = find(static_cast<QLineEdit*>(nullptr), "1.axis0.loops");
        QCOMPARE(loops->text(), QStringLiteral("X, Y, K"));
        const auto type = [&](const char* text) {
            auto* box = find(static_cast<QLineEdit*>(nullptr), "1.axis0.loops");
            box->setFocus();
            box->selectAll();
            QTest::keyClicks(box, QLatin1String(text));
            QTest::keyClick(box, Qt::Key_Return);
        };
        type("Z");
        QVERIFY(state().figures().valid());
        type("Y");
        QCOMPARE(levels().levels[1].axes[0].gemmLoops & 7u, 2u);
        QCOMPARE(QString::fromStdString(state().figures().code), QStringLiteral("SPATIAL"));
        // Factors that need not divide.
        state().undoStack().undo();
        openLayer(R"({"name": "odd", "kind": "gemm", "m": 5, "n": 2, "k": 4})");
        auto* imperfect = find(static_cast<QCheckBox*>(nullptr), "imperfect");
        QTest::mouseClick(imperfect, Qt::LeftButton, {}, {6, imperfect->height() / 2});
        QVERIFY(levels().imperfect);
        QVERIFY(view.model().subtitle.contains(QStringLiteral("imperfect factors")));
        view.settle();
        const double best = state().search().found()->of(mapping::Objective::Edp)->edp;
        QTest::mouseClick(imperfect, Qt::LeftButton, {}, {6, imperfect->height() / 2});
        QVERIFY(!levels().imperfect && state().figures().hasNumbers);
        view.settle();
        QVERIFY(best <= state().search().found()->of(mapping::Objective::Edp)->edp);
    }

    void theLevelsOfTheMachineAreACommand()
    {
        auto& view = open<MappingView>();
        QVERIFY(
            m_app->workspace.open(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json")));
        const auto& machine = m_app->document.machine();
        QVERIFY(machine);
        m_app->workspace.links().catchUp(Lens::Mapping);
        QVERIFY(!state().setup().levels);
        m_app->actions.find(QStringLiteral("mapping.machineLevels"))->trigger();
        QVERIFY(state().setup().levels);
        QCOMPARE(levels(), lower::levelsOf(*machine).value().architecture);
        view.settle();
        QVERIFY(state().figures().valid());
    }
};

TILEWRIGHT_TEST(TestMappingLevelsForm)

} // namespace test_mapping_levels_form
#include "test_mapping_levels_form.moc"
