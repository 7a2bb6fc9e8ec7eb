// SPDX-License-Identifier: GPL-3.0-or-later
// The views of the mapping lens: models against core, and the views driven as a person does.
#include "base/file.h"
#include "export/export_view.h"
#include "mapping/edits.h"
#include "mapping_bench.h"
#include "model/file_kind.h"
#include "test_main.h"
#include "views/mapping/mapping_form.h"
#include "views/mapping/mapping_model_view.h"
#include "views/mapping/mapping_view.h"
#include "views/mapping/search_map_view.h"

#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QScrollBar>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QWheelEvent>
#include <QtTest>

namespace test_mapping_views {

using namespace tilewright;
using namespace tilewright::ui;
using mapping::Level;

namespace {

std::int64_t factor(const MappingDocument& state, Level level, const char* loop)
{
    return state.setup().method.at(level)[static_cast<std::size_t>(state.nest().loopByName(loop))];
}

} // namespace

class TestMappingViews : public MappingBench
{
    Q_OBJECT

    void press(QWidget& w, QPointF at) { QTest::mousePress(&w, Qt::LeftButton, {}, at.toPoint()); }
    void move(QWidget& w, QPointF at, Qt::KeyboardModifiers modifiers = {})
    {
        QMouseEvent event(QEvent::MouseMove, at, w.mapToGlobal(at), Qt::NoButton, Qt::LeftButton, modifiers);
        QCoreApplication::sendEvent(&w, &event);
    }
    void release(QWidget& w, QPointF at, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mouseRelease(&w, Qt::LeftButton, modifiers, at.toPoint());
    }
    static QPointF chip(const MappingView& view, Level level, const char* loop, std::int64_t prime,
                        const MappingDocument& state)
    {
        const NestBarPlace* bar = view.places().bar(columnOf(level), state.nest().loopByName(loop));
        if (bar)
            for (const auto& [p, rect] : bar->chips)
                if (p == prime)
                    return rect.center();
        return {-1, -1};
    }
    static QPointF grip(const MappingView& view, Level level, const char* loop, const MappingDocument& state)
    {
        const NestBarPlace* bar = view.places().bar(columnOf(level), state.nest().loopByName(loop));
        return bar ? QPointF(bar->rect.left() + 10, bar->rect.center().y()) : QPointF(-1, -1);
    }
    static QPointF column(const MappingView& view, Level level)
    {
        return view.places().columns[static_cast<std::size_t>(level)].center();
    }

private Q_SLOTS:
    void cleanup() { close(); }

    void theSeedsMethodIsThereFromTheStart()
    {
        const auto& view = open<MappingView>();
        QCOMPARE(state().evaluation().cycles, 1659832);
        QVERIFY(std::abs(state().evaluation().energy - 594358312.96) < 1e-3);
        QVERIFY(view.model().violation.isEmpty());
        QVERIFY(view.model().operands[2].kept);
        QCOMPARE(view.model().columns[3].bars.size(), std::size_t(1));
        QCOMPARE(view.model().columns[3].bars[0].factor, 256);
        // The search of the whole space ran in the background.
        QVERIFY(view.model().optimumProven);
        const auto best = state().search().result()->of(mapping::Objective::Edp);
        QVERIFY(std::abs(*view.model().metrics[2].aboveOptimum - (state().evaluation().edp / best->edp - 1)) <
                1e-12);
    }

    void dragOfAFactorTellsTheChangeBeforeTheDrop()
    {
        auto& view = open<MappingView>();
        const MappingSetup before = state().setup();
        const QPointF from = chip(view, Level::Spm, "C", 2, state());
        QVERIFY(from.x() > 0);
        press(view, from);
        move(view, from + QPointF(12, 0));
        move(view, column(view, Level::Dram));
        QVERIFY(view.overlay().drop.has_value());
        const NestDrop promised = *view.overlay().drop;
        QVERIFY(promised.allowed);
        QCOMPARE(state().setup(), before); // nothing has happened yet
        release(view, column(view, Level::Dram));
        QCOMPARE(factor(state(), Level::Dram, "C"), 32);
        QCOMPARE(factor(state(), Level::Spm, "C"), 4);
        QCOMPARE(state().setup().method, std::get<mapping::Method>(promised.preview.mapping));
        QCOMPARE(state().figures().cycles, promised.preview.after.cycles);
        const mapping::MappingCost was =
            mapping::evaluate(state().nest(), before.architecture, before.method);
        QCOMPARE(state().evaluation().energy - was.energy, promised.preview.energyChange);
        // Undo and redo with the keys belong to this lens.
        view.setFocus();
        QTest::keyClick(&view, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(state().setup(), before);
        QTest::keyClick(&view, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(factor(state(), Level::Spm, "C"), 4);
    }

    void shiftDragMovesAllOfAPrime()
    {
        auto& view = open<MappingView>();
        const QPointF from = chip(view, Level::Dram, "C", 2, state());
        QTest::mousePress(&view, Qt::LeftButton, Qt::ShiftModifier, from.toPoint());
        move(view, from + QPointF(12, 0), Qt::ShiftModifier);
        move(view, column(view, Level::Spm), Qt::ShiftModifier);
        QVERIFY(view.overlay().drop.has_value());
        QCOMPARE(std::get<mapping::Method>(view.overlay().drop->preview.mapping).at(Level::Spm)[2], 128);
    }

    void anInvalidMoveNamesTheCapacityAndIsRefusedUnlessForced()
    {
        auto& view = open<MappingView>();
        const MappingSetup before = state().setup();
        const auto drag = [&](Qt::KeyboardModifiers modifiers) {
            const QPointF from = chip(view, Level::Dram, "M", 2, state());
            press(view, from);
            move(view, from + QPointF(12, 0));
            move(view, column(view, Level::Spatial));
            QVERIFY(view.overlay().drop.has_value());
            QVERIFY2(view.overlay().drop->broken.contains(QStringLiteral("512")),
                     qPrintable(view.overlay().drop->broken));
            QVERIFY(!view.overlay().drop->allowed);
            release(view, column(view, Level::Spatial), modifiers);
        };
        drag({});
        QCOMPARE(state().setup(), before);
        drag(Qt::AltModifier);
        QCOMPARE(factor(state(), Level::Spatial, "M"), 512);
        QCOMPARE(view.model().code, QStringLiteral("PES"));
        QVERIFY(view.model().columns[3].over);
        // Its numbers stay, so that a person sees how far off it is.
        QVERIFY(state().evaluation().hasNumbers);
    }

    void dragReordersTheLoopsOfALevel()
    {
        auto& view = open<MappingView>();
        QCOMPARE(view.model().columns[0].bars[0].name, QStringLiteral("M"));
        const QPointF from = grip(view, Level::Dram, "M", state());
        const QPointF to = grip(view, Level::Dram, "C", state()) + QPointF(0, 12);
        press(view, from);
        move(view, from + QPointF(0, 8));
        move(view, to);
        QVERIFY(view.overlay().drop.has_value());
        const double promised = view.overlay().drop->preview.after.cycles;
        release(view, to);
        QCOMPARE(view.model().columns[0].bars[0].name, QStringLiteral("C"));
        QCOMPARE(view.model().columns[0].bars[1].name, QStringLiteral("M"));
        QCOMPARE(state().figures().cycles, promised);
        // M does not index the input, which is now reused along it.
        QCOMPARE(view.model().columns[0].bars[1].reuseOf, 0);
    }

    void keysMoveFactorsAndLoops()
    {
        auto& view = open<MappingView>();
        view.setFocus();
        QCOMPARE(view.overlay().focus, (NestItem{columnOf(Level::Dram), 1, 0})); // the outermost: M
        QTest::keyClick(&view, Qt::Key_Down);
        QCOMPARE(view.overlay().focus->loop, 2);
        QTest::keyClick(&view, Qt::Key_Up, Qt::ControlModifier); // C outside M
        QCOMPARE(view.model().columns[0].bars[0].name, QStringLiteral("C"));
        QTest::keyClick(&view, Qt::Key_Right); // its prime
        QCOMPARE(view.overlay().focus, (NestItem{columnOf(Level::Dram), 2, 2}));
        // The effect on every level is told for what has the focus.
        QVERIFY(view.overlay().drops[1].has_value());
        QVERIFY(!view.overlay().drops[1]->allowed); // 33 of 32 banks
        QTest::keyClick(&view, Qt::Key_Right, Qt::ControlModifier);
        QCOMPARE(factor(state(), Level::Dram, "C"), 16);
        QTest::keyClick(&view, Qt::Key_Right, Qt::ControlModifier | Qt::ShiftModifier); // all the same
        QCOMPARE(factor(state(), Level::Dram, "C"), 8);
        QCOMPARE(factor(state(), Level::Spm, "C"), 16);
        QCOMPARE(view.model().code, QStringLiteral("SPM"));
        QCOMPARE(view.overlay().focus, (NestItem{columnOf(Level::Spm), 2, 2}));
        QTest::keyClick(&view, Qt::Key_Left, Qt::ControlModifier);
        QCOMPARE(factor(state(), Level::Spm, "C"), 8);
        QVERIFY(view.model().violation.isEmpty());
    }

    void reuseOfTheSelectedOperandIsLit()
    {
        auto& view = open<MappingView>();
        QTest::mouseClick(&view, Qt::LeftButton, {}, view.places().operands[2].center().toPoint());
        QCOMPARE(state().operand(), 2);
        QCOMPARE(view.model().operand, 2);
        for (std::size_t l = 0; l < 2; ++l)
            for (const NestBar& bar : view.model().columns[l].bars)
                QCOMPARE(bar.reuseOf == 2, (mapping::reuseLoops(state().nest(), state().setup().method,
                                                                static_cast<Level>(l), 2) >>
                                                bar.loop &
                                            1u) != 0);
        QTest::keyClick(&view, Qt::Key_1);
        QCOMPARE(state().operand(), 0);
        QTest::keyClick(&view, Qt::Key_Escape);
        QCOMPARE(state().operand(), -1);
    }

    void breakdownsAddUpAndShowTheBaseline()
    {
        auto& view = open<MappingView>();
        state().pinBaseline();
        const double before = state().evaluation().energy;
        state().applyMapping(state().search().result()->of(mapping::Objective::Edp)->method,
                             QStringLiteral("load"));
        const BreakdownModel& model = view.breakdown();
        QCOMPARE(model.sections.size(), std::size_t(3));
        double energy = 0;
        double ghost = 0;
        for (const BreakdownBar& bar : model.sections[1].bars) {
            energy += bar.total;
            ghost += *bar.beforeTotal;
        }
        QVERIFY(std::abs(energy / state().evaluation().energy - 1) < 1e-12);
        QVERIFY(std::abs(ghost / before - 1) < 1e-12);
        QCOMPARE(model.sections[2].bars[0].total, static_cast<double>(state().evaluation().cycles));
        QCOMPARE(model.sections[0].bars[0].capacity, std::optional(32.0));
        QVERIFY(*view.model().metrics[2].change < 0);
        QVERIFY(view.copyText().contains(QStringLiteral("DRAM")));
        state().clearBaseline();
        QVERIFY(!view.model().metrics[2].change);
    }

    void theCodeIsCopied()
    {
        auto& view = open<MappingView>();
        QAction* copy = m_app->actions.find(QStringLiteral("mapping.copyCode"));
        QVERIFY(copy);
        copy->trigger();
        QCOMPARE(QApplication::clipboard()->text().toStdString(),
                 mapping::pseudoCode(state().nest(), state().setup().method));
        const QImage before = view.grab().toImage();
        m_app->actions.find(QStringLiteral("mapping.code"))->trigger();
        QVERIFY2(view.grab().toImage() != before, "the code instead of the breakdowns");
    }

    void filesOfEveryKindAreOpened()
    {
        auto& view = open<MappingView>("layers/conv-3x3-64.json");
        QCOMPARE(state().nest().trips[1], 64);
        // A layer starts from its best method.
        QCOMPARE(state().evaluation().edp, state().search().result()->of(mapping::Objective::Edp)->edp);
        QVERIFY(!state().undoStack().canUndo());
        (void)m_app->workspace.open(mappingSample("architectures/edge-64.json"));
        QCOMPARE(state().setup().architecture.pes, 64);
        QVERIFY(m_app->workspace.open(mappingSample("seed-method.txt")));
        QCOMPARE(view.model().code, QStringLiteral("TILING")); // it belongs to another layer
        QCOMPARE(view.model().metrics[0].value, QStringLiteral("–"));
        (void)m_app->workspace.open(mappingSample("models/bert-base.json"));
        QCOMPARE(QString::fromStdString(state().model().name).left(9), QStringLiteral("BERT-base"));
        QCOMPARE(state().nest().loopCount, 3);
        state().settle();
        const auto refused = m_app->workspace.open(mappingSample("README.md"));
        QVERIFY(!refused);
        QVERIFY(refused.error().text().find("README.md") != std::string::npos);
    }

    void aPrintedMethodIsPasted()
    {
        auto& view = open<MappingView>();
        const MappingSetup before = state().setup();
        state().applyMapping(mapping::trivialMethod(state().nest()), QStringLiteral("all at DRAM"));
        QApplication::clipboard()->setText(
            QString::fromStdString(mapping::printMethod(state().nest(), before.method)));
        view.setFocus();
        QTest::keyClick(&view, Qt::Key_V, Qt::ControlModifier);
        QCOMPARE(state().setup(), before);
    }

    void fileKindKnowsTheLensesFiles()
    {
        const auto kindOf = [](const char* file) { return *fileKind(mappingSample(file).toStdString()); };
        QCOMPARE(kindOf("architectures/default-256.json"), FileKind::MappingArchitecture);
        QCOMPARE(kindOf("layers/gemm-1000.json"), FileKind::MappingLayer);
        QCOMPARE(kindOf("models/vgg-16.json"), FileKind::MappingModel);
        const QTemporaryDir dir;
        const std::string path = dir.filePath(QStringLiteral("m.txt")).toStdString();
        QVERIFY(writeFileAtomically(path, "((1,8,16,1,1,1,1), (1,1,8,1,1,1,1))"));
        QCOMPARE(*fileKind(path), FileKind::MappingMethod);
        QVERIFY(writeFileAtomically(path, "{\"arch_basic\": {}}"));
        QCOMPARE(*fileKind(path), FileKind::MappingArchitecture);
        QVERIFY(writeFileAtomically(path, "no JSON at all"));
        QVERIFY(!fileKind(path));
    }

    void theWheelScrollsTheForm()
    {
        auto& view = open<MappingView>(nullptr, {1400, 300});
        auto* form = view.findChild<MappingForm*>();
        QVERIFY(form && form->verticalScrollBar()->maximum() > 0);
        auto* box = form->findChild<QSpinBox*>(QStringLiteral("out_channels"));
        const int before = box->value();
        const QPointF middle = box->rect().center();
        QWheelEvent wheel(middle, box->mapToGlobal(middle), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(box, &wheel);
        QCOMPARE(box->value(), before);
        QVERIFY(form->verticalScrollBar()->value() > 0);
    }

    /// In a pane of the default height the columns go on below it; what a factor would do there stays in
    /// sight.
    void verdictsStayInSight()
    {
        auto& view = open<MappingView>(nullptr, {1250, 250});
        auto* bar = view.findChild<QScrollBar*>(QString(), Qt::FindDirectChildrenOnly);
        QVERIFY(bar && !bar->isHidden() && bar->maximum() > 0);
        const QRectF column = view.places().columns[0];
        QVERIFY(column.bottom() > view.height());
        const QRect foot(QPoint(static_cast<int>(column.left()) + 4, view.height() - 22),
                         QSize(static_cast<int>(column.width()) - 8, 18));
        const QImage before = view.grab(foot).toImage();
        view.setFocus();
        // Over a prime factor every column says what it would do there.
        const QPointF at = chip(view, Level::Rf, "C", 2, state());
        QVERIFY(at.x() > 0);
        QMouseEvent event(QEvent::MouseMove, at, view.mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                          Qt::NoModifier);
        QCoreApplication::sendEvent(&view, &event);
        QVERIFY(view.overlay().drops[0].has_value());
        QVERIFY(view.grab(foot).toImage() != before);
        // The bar and the wheel scroll to the rest.
        bar->setValue(bar->maximum());
        QVERIFY(view.places().columns[0].bottom() < column.bottom());
    }

    void fieldsEditLayerAndHardware()
    {
        auto& view = open<MappingView>();
        const auto* form = view.findChild<MappingForm*>();
        QVERIFY(form);
        const auto spin = [&](const char* name) { return form->findChild<QSpinBox*>(QLatin1String(name)); };
        spin("out_channels")->setValue(1024);
        QCOMPARE(state().nest().trips[1], 1024);
        QVERIFY(state().evaluation().hasNumbers); // the method was refitted
        QCOMPARE(factor(state(), Level::Spatial, "M"), 256);
        spin("pes")->setValue(128);
        QCOMPARE(state().setup().architecture.pes, 128);
        QCOMPARE(view.model().code, QStringLiteral("PES"));
        state().undoStack().undo();
        state().undoStack().undo();
        QCOMPARE(state().nest().trips[1], 2048);
        QCOMPARE(spin("out_channels")->value(), 2048);
        // A kernel larger than the input is refused with the reason.
        spin("kernel0")->setValue(9);
        QCOMPARE(state().setup().layer.kernel[0], 1);
        bool told = false;
        for (const QLabel* label : form->findChildren<QLabel*>())
            told = told || (!label->isHidden() && label->text().contains(QStringLiteral("kernel")) &&
                            label->text().contains(QLatin1Char('9')));
        QVERIFY(told);
        auto* kind = form->findChild<QComboBox*>(QStringLiteral("kind"));
        kind->setCurrentIndex(2);
        Q_EMIT kind->activated(2);
        QCOMPARE(state().nest().loopCount, 3);
        QVERIFY(spin("m")->isVisibleTo(form));
        QVERIFY(!spin("batch")->isVisibleTo(form));
    }

    void whatWouldNotFitIsNoError()
    {
        auto& view = open<MappingView>("layers/conv-1x1-2048.json");
        view.setFocus();
        QTRY_VERIFY(view.hasFocus());
        QVERIFY(!state().evaluation().violation);
        QVERIFY(std::ranges::any_of(view.overlay().drops,
                                    [](const auto& drop) { return drop && !drop->broken.isEmpty(); }));
        const QImage picture = view.grab().toImage();
        const QRgb error = Theme::light().error.rgb();
        for (int y = 0; y < picture.height(); ++y)
            for (int x = 0; x < picture.width(); ++x)
                QVERIFY2(picture.pixel(x, y) != error, qPrintable(QStringLiteral("%1, %2").arg(x).arg(y)));
    }

    void picturesInBothThemesAndAllSizes()
    {
        open<MappingView>();
        state().pinBaseline();
        for (const QSize size : {QSize(1280, 640), QSize(420, 500), QSize(900, 260)})
            for (const Theme* theme : {&Theme::light(), &Theme::darkTheme()})
                for (int which = 0; which < 3; ++which) {
                    std::unique_ptr<View> view;
                    if (which == 0)
                        view = std::make_unique<MappingView>(m_app->context());
                    else if (which == 1)
                        view = std::make_unique<SearchMapView>(m_app->context());
                    else
                        view = std::make_unique<MappingModelView>(m_app->context());
                    const QImage image = renderToImage(*view, {size, 2, theme});
                    QCOMPARE(image.size(), size * 2);
                    std::set<QRgb> colours;
                    for (int y = 0; y < image.height(); y += 3)
                        for (int x = 0; x < image.width(); x += 3)
                            colours.insert(image.pixel(x, y));
                    QVERIFY(colours.size() > 12);
                }
    }
};

TILEWRIGHT_TEST(TestMappingViews)

} // namespace test_mapping_views
#include "test_mapping_views.moc"
