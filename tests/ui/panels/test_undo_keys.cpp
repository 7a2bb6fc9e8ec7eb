// SPDX-License-Identifier: GPL-3.0-or-later
// Undo works where the hands are: after a click on a button that disables itself, and in a field whose text
// is taken.
#include "lens_window.h"
#include "lower/workload.h"
#include "panels/import/import_view.h"
#include "panels/solver/solver_view.h"
#include "test_main.h"
#include "window/app_state.h"
#include "workspace/mapping_document.h"

#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

namespace test_undo_keys {

using namespace tilewright;
using namespace tilewright::ui;

class TestUndoKeys : public QObject, LensWindow
{
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        makeWindow();
        m_window->show();
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }
    void cleanup() { m_window.reset(); }

    void afterAButtonThatDisablesItself()
    {
        open("llama-block.json");
        const Schedule before = document().schedule();
        selection().selectSubgraph(SubgraphId(subgraphOf(document(), "layer0.gate")));
        run("lens.mapping");
        workspace().mapping().settle();
        QWidget* view = m_window->view(QStringLiteral("mapping"));
        QToolButton* take = nullptr;
        for (QToolButton* button : view->findChildren<QToolButton*>())
            if (button->defaultAction() && button->defaultAction()->objectName() == u"mapping.takeRf")
                take = button;
        QVERIFY(take && take->isVisible());
        take->setFocusPolicy(Qt::StrongFocus);
        take->setFocus();
        QTest::keyClick(take, Qt::Key_Space);
        QVERIFY(!(document().schedule() == before));
        QVERIFY(!take->isEnabled());
        pressUndo();
        QVERIFY(document().schedule() == before);
    }

    void inAFieldWhoseTextIsTaken()
    {
        const QString path = kModels + QStringLiteral("gpt2-block.onnx");
        if (!lower::loadWorkload(path.toStdString(), {{"batch", 1}, {"sequence", 8}}))
            QSKIP("built without ONNX");
        open("gpt2-block.onnx");
        m_window->showView(QStringLiteral("import"));
        QSpinBox* sequence = nullptr;
        for (QSpinBox* box : viewOf<ImportView>(*m_window, "import")->findChildren<QSpinBox*>())
            if (box->accessibleName().contains(QStringLiteral("sequence")))
                sequence = box;
        QVERIFY(sequence);
        const int before = sequence->value();
        sequence->setFocus();
        sequence->selectAll();
        QTest::keyClicks(sequence, QStringLiteral("1024"));
        QTest::keyClick(sequence, Qt::Key_Z, Qt::ControlModifier); // still being typed
        QCOMPARE(document().undoStack().count(), 0);
        sequence->selectAll();
        QTest::keyClicks(sequence, QStringLiteral("1024"));
        QTest::keyClick(sequence, Qt::Key_Return);
        QCOMPARE(document().dimensions().at("sequence"), std::int64_t{1024});
        QCoreApplication::processEvents();
        pressUndo();
        QCOMPARE(document().undoStack().index(), 0);
        QCOMPARE(sequence->value(), before);
    }

    void afterAStoppedSearch()
    {
        QVERIFY(openIn(*m_window, {sample("random-40.json")}));
        m_window->showView(QStringLiteral("solver"));
        auto* solver = viewOf<SolverView>(*m_window, "solver");
        solver->options().budget()->setValue(30);
        QTest::mouseClick(solver->options().run(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!solver->curve().points.empty(), 8000);
        solver->options().stop()->setFocus();
        QTest::mouseClick(solver->options().stop(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!solver->job().isRunning(), 5000);
        QWidget* focus = QApplication::focusWidget();
        QVERIFY(focus && m_window->isAncestorOf(focus));
        QVERIFY2(!qobject_cast<QAbstractSpinBox*>(focus) && !qobject_cast<QLineEdit*>(focus),
                 focus->metaObject()->className());
        QVERIFY(solver == focus || solver->isAncestorOf(focus));
    }

private:
    static void pressUndo()
    {
        QWidget* focus = QApplication::focusWidget();
        QVERIFY(focus);
        QTest::keyClick(focus, Qt::Key_Z, Qt::ControlModifier);
    }
};

TILEWRIGHT_TEST(TestUndoKeys)

} // namespace test_undo_keys
#include "test_undo_keys.moc"
