// SPDX-License-Identifier: GPL-3.0-or-later
// docs/design.md 4.11: names, tables for pictures, keyboard path, announcements, focus rings.
#include "base/file.h"
#include "canvas/canvas.h"
#include "test_main.h"
#include "views/sweep/sweep_view.h"
#include "views/validation/validation_view.h"
#include "window/message_bar.h"
#include "window/view_catalog.h"
#include "window_fixture.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QAccessible>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QScrollBar>
#include <QTabBar>
#include <QToolButton>
#include <QToolTip>

namespace test_accessibility {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

QString nameOf(QWidget* widget)
{
    QAccessibleInterface* i = QAccessible::queryAccessibleInterface(widget);
    return i ? i->text(QAccessible::Name) : QString();
}

/// Parts of composed widgets: they are reached through what they are part of.
bool isPart(const QWidget* w)
{
    const QWidget* parent = w->parentWidget();
    return qobject_cast<const QHeaderView*>(w) || qobject_cast<const QScrollBar*>(w) ||
           qobject_cast<const QTabBar*>(w) || (parent && parent->inherits("QAbstractSpinBox")) ||
           (parent && parent->inherits("QComboBox")) || w->objectName().startsWith(QLatin1String("qt_")) ||
           w->inherits("QComboBoxPrivateContainer") ||
           (parent && parent->inherits("QComboBoxPrivateContainer")) ||
           (parent && parent->inherits("QLineEdit")) || w->inherits("QMenu") || w->inherits("QMenuBar") ||
           (parent && parent->inherits("QToolBar") && w->inherits("QToolBarExtension")) ||
           (parent && parent->inherits("QAbstractScrollArea") && !w->inherits("QAbstractScrollArea"));
}

} // namespace

class TestAccessibility : public QObject
{
    Q_OBJECT
    PrivateSettings m_settings;

private Q_SLOTS:
    void init() { m_settings.fresh(); }

    void everythingThatTakesTheFocusHasAName()
    {
        MainWindow window;
        QVERIFY(
            openIn(window, {sample("attention-block.json"), sample("attention-block.fused.schedule.json")}));
        window.state().selection.selectSubgraph(SubgraphId(3));
        for (const ViewEntry& entry : viewCatalog())
            window.showView(entry.name);
        QApplication::processEvents();
        QStringList nameless;
        for (QWidget* w : window.findChildren<QWidget*>())
            if (auto* label = qobject_cast<QLabel*>(w); w->isHidden() || (label && label->text().isEmpty()))
                continue; // says nothing now
            else if (w->focusPolicy() != Qt::NoFocus && !isPart(w) && nameOf(w).isEmpty()) {
                QString path;
                for (const QWidget* p = w; p && p != &window; p = p->parentWidget())
                    path += QLatin1String(p->metaObject()->className()) + QLatin1Char(':') + p->objectName() +
                            QLatin1Char(' ');
                nameless << path;
            }
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QLatin1Char('\n'))));
        for (QToolButton* b : window.findChildren<QToolButton*>())
            if (!isPart(b) && b->isVisible())
                QVERIFY2(!nameOf(b).isEmpty(), qPrintable(b->objectName() + b->toolTip()));
        for (const QAction* a : window.state().actions.all())
            QVERIFY2(!a->text().isEmpty() && !a->whatsThis().isEmpty(), qPrintable(a->objectName()));
    }
    void picturesAreTables_data()
    {
        QTest::addColumn<QString>("name");
        for (const ViewEntry& entry : viewCatalog())
            QTest::newRow(qPrintable(entry.name)) << entry.name;
    }
    void picturesAreTables()
    {
        QFETCH(QString, name);
        MainWindow window;
        QVERIFY(
            openIn(window, {sample("attention-block.json"), sample("attention-block.fused.schedule.json")}));
        window.state().document.pinBaseline();
        window.state().selection.selectSubgraph(SubgraphId(7));
        window.showView(name);
        if (auto* sweep = qobject_cast<SweepView*>(window.view(name))) {
            sweep->findChild<QComboBox*>(QStringLiteral("sweep.task"))
                ->setCurrentIndex(static_cast<int>(SweepTask::Evaluate));
            sweep->run();
        }
        if (auto* validation = qobject_cast<ValidationView*>(window.view(name))) {
            validation->openMeasurements(
                QStringLiteral(TILEWRIGHT_SOURCE_DIR "/validation/eyeriss_alexnet.csv"));
            validation->predict();
        }
        if (name == QLatin1String("overlay")) {
            std::string values = "name,us\n";
            for (std::size_t op = 0; op < window.state().document.problem()->opCount(); ++op)
                values += window.state().document.problem()->opName(OpId(op)) + ",1\n";
            const QString path = m_settings.filePath("values.csv");
            QVERIFY(writeFileAtomically(path.toStdString(), values));
            QVERIFY(window.openPaths({path}));
        }
        window.view(name)->settle();
        QApplication::processEvents();
        auto* canvas = qobject_cast<Canvas*>(window.view(name));
        if (!canvas)
            return;
        QAccessibleInterface* i = QAccessible::queryAccessibleInterface(canvas);
        QVERIFY(i && i->isValid());
        QCOMPARE(i->role(), QAccessible::Table);
        QCOMPARE(i->text(QAccessible::Name), canvas->title());
        QAccessibleTableInterface* table = i->tableInterface();
        QVERIFY(table);
        const QStringList lines = canvas->tableText().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        if (name == QLatin1String("mapping-search") && lines.isEmpty())
            return; // nothing has been searched
        QVERIFY2(lines.size() >= 2, qPrintable(canvas->tableText()));
        QCOMPARE(table->rowCount(), int(lines.size()) - 1);
        QCOMPARE(table->columnCount(), int(lines.front().split(QLatin1Char('\t')).size()));
        QCOMPARE(table->columnDescription(0), lines.front().split(QLatin1Char('\t')).front());
        QAccessibleInterface* cell = table->cellAt(0, table->columnCount() - 1);
        QVERIFY(cell && cell->isValid());
        QCOMPARE(cell->role(), QAccessible::Cell);
        QCOMPARE(cell->text(QAccessible::Name),
                 lines[1].split(QLatin1Char('\t')).value(table->columnCount() - 1));
        QCOMPARE(cell->parent(), i);
        QCOMPARE(i->child(i->indexOfChild(cell)), cell);
        QCOMPARE(cell->tableCellInterface()->rowIndex(), 0);
        QVERIFY(!table->cellAt(table->rowCount(), 0));
    }
    void theGraphReadsTheSubgraphsAsTheyAre()
    {
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json"), example("ex3C.solution.json")}));
        QAccessibleInterface* i = QAccessible::queryAccessibleInterface(window.view(QStringLiteral("graph")));
        QAccessibleTableInterface* table = i->tableInterface();
        QCOMPARE(table->rowCount(), 2);
        QAccessibleInterface* cell = table->cellAt(0, 2);
        QCOMPARE(cell->text(QAccessible::Name), QStringLiteral("128×128×1"));
        window.state().selection.selectSubgraph(SubgraphId(1));
        window.state().actions.find(QStringLiteral("schedule.splitApart"))->trigger();
        window.state().document.waitForSnapshot();
        QApplication::processEvents();
        QCOMPARE(table->rowCount(), 3);
        QCOMPARE(cell->text(QAccessible::Name), QStringLiteral("128×128×1")); // still the same place
    }
    /// What a screen reader says when the alert arrives is the name: the sentence, with its weight.
    void errorsAreAnnouncedByTheirSentence()
    {
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json")}));
        QVERIFY(!window.openPaths({m_settings.filePath("there-is-none.json")}));
        const QString name = nameOf(window.findChild<MessageBar*>());
        QVERIFY2(name.startsWith(QStringLiteral("Error: ")), qPrintable(name));
        QVERIFY(name.contains(QStringLiteral("there-is-none.json")));
    }
    void tooltipsByKeyboard()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        window.state().selection.selectSubgraph(SubgraphId(2));
        for (const char* name : {"graph", "memory", "latency", "roofline", "tiles"}) {
            window.showView(QLatin1String(name));
            View* view = window.view(QLatin1String(name));
            view->settle();
            QApplication::processEvents();
            view->setFocus();
            QToolTip::hideText();
            QTest::keyClick(view, Qt::Key_F1, Qt::ShiftModifier);
            QVERIFY2(QToolTip::isVisible() && QToolTip::text().size() > 20, name);
        }
        QToolTip::hideText();
    }
    void picturesShowTheFocus()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        window.activateWindow();
        for (const char* name : {"graph", "memory", "tiles", "latency", "roofline", "granularity"}) {
            window.showView(QLatin1String(name));
            auto* canvas = qobject_cast<Canvas*>(window.view(QLatin1String(name)));
            QTRY_VERIFY2(canvas->hasFocus(), name);
            const QImage image = canvas->grab().toImage();
            const QColor accent = window.state().themes.theme().accent;
            for (const QPoint at : {QPoint(0, image.height() / 2), QPoint(1, image.height() / 2),
                                    QPoint(image.width() - 1, image.height() - 20)})
                QVERIFY2(image.pixelColor(at) == accent, qPrintable(QStringLiteral("%1 at %2, %3 of %4")
                                                                        .arg(QLatin1String(name))
                                                                        .arg(at.x())
                                                                        .arg(at.y())
                                                                        .arg(image.width())));
        }
    }
    /// Tab goes through every control of a pane, in the order in which they stand.
    void tabGoesThroughEveryPane()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        window.activateWindow();
        window.state().selection.selectSubgraph(SubgraphId(2));
        for (const ViewEntry& entry : viewCatalog()) {
            window.showView(entry.name);
            View* view = window.view(entry.name);
            QApplication::processEvents();
            QSet<QWidget*> expected;
            QList<QWidget*> all = view->findChildren<QWidget*>();
            all << view;
            for (QWidget* w : all)
                if (w->isVisible() && w->isEnabled() && (w->focusPolicy() & Qt::TabFocus) &&
                    !w->focusProxy() && !isPart(w))
                    expected.insert(w);
            if (expected.isEmpty())
                continue;
            // Follow the chain from the first one; all of them come before the chain is round.
            QSet<QWidget*> reached;
            QWidget* w = *expected.begin();
            const QWidget* const first = w;
            do {
                if (expected.contains(w))
                    reached.insert(w);
                w = w->nextInFocusChain();
            } while (w != first);
            QVERIFY2(reached == expected, qPrintable(entry.name));
        }
    }
};

TILEWRIGHT_TEST(TestAccessibility)

} // namespace test_accessibility
#include "test_accessibility.moc"
