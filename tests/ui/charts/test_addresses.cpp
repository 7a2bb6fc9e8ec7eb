// SPDX-License-Identifier: GPL-3.0-or-later
// docs/rules/place.md 5: the memory timeline by address, and the warning in Problems.
#include "files.h"
#include "panels/problems/problems_view.h"
#include "test_main.h"
#include "unplaceable.h"
#include "views/memory/address_mode.h"
#include "views/memory/memory_view.h"
#include "window/app_state.h"

#include <QPushButton>
#include <QTreeView>
#include <QtTest>

#include <algorithm>

namespace test_addresses {

using namespace tilewright;
using namespace tilewright::ui;

class TestAddresses : public QObject
{
    Q_OBJECT

    std::unique_ptr<AppState> m_state;
    std::unique_ptr<MemoryView> m_view;

    void open(const char* problem, const char* schedule)
    {
        m_view.reset();
        m_state = std::make_unique<AppState>();
        QVERIFY(m_state->document.openProblem(sample(problem)).hasValue());
        QVERIFY(m_state->document.openSchedule(sample(schedule)).hasValue());
        m_state->document.evaluateNow();
        m_view = std::make_unique<MemoryView>(m_state->context());
        m_view->resize(1100, 420);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        m_view->settle();
    }
    [[nodiscard]] QPointF pointOf(std::size_t item) const
    {
        const AddressMap& map = *m_view->addresses().map();
        const LaneBox box = m_view->places().lanes[1];
        const double highest =
            static_cast<double>(std::max(map.capacity, map.placed.placement.height)) * 1.08;
        const double middle =
            static_cast<double>(map.offset(item)) + static_cast<double>(map.item(item).what.elements) / 2;
        return {m_view->pointIn(1, (map.start[item] + map.end[item]) / 2).x(),
                box.rect.bottom() - middle / highest * box.rect.height()};
    }

private Q_SLOTS:
    void init() { open("diamond.json", "diamond.fused.schedule.json"); }

    void aKeyShowsAddresses()
    {
        const QString uses = m_view->lanes().title;
        m_view->setFocus();
        const QImage before = m_view->grab().toImage();
        QTest::keyClick(m_view.get(), Qt::Key_O);
        m_view->settle();
        QVERIFY(m_view->addresses().isOn());
        QVERIFY2(m_view->lanes().title.startsWith(QStringLiteral("Placed in ")),
                 qPrintable(m_view->lanes().title));
        QVERIFY(m_view->lanes().title.contains(QStringLiteral("fragmentation 0 %")) ||
                m_view->lanes().title.contains(QStringLiteral("fragmentation 0.0")));
        QVERIFY(m_view->grab().toImage() != before);
        QTest::keyClick(m_view.get(), Qt::Key_O);
        QCOMPARE(m_view->lanes().title, uses);
        QCOMPARE(m_view->grab().toImage(), before);
    }

    void everyItemIsWhereItIsSaidToBe()
    {
        m_view->addresses().toggle();
        m_view->settle();
        const AddressMap& map = *m_view->addresses().map();
        QVERIFY(!map.order.empty());
        for (const std::size_t i : map.order) {
            const double time = (map.start[i] + map.end[i]) / 2;
            const double middle =
                static_cast<double>(map.offset(i)) + static_cast<double>(map.item(i).what.elements) / 2;
            const auto found = map.at(time, middle);
            QVERIFY(found && *found == i);
            QVERIFY(map.end[i] <= m_view->model().timeline->total * (1 + 1e-12));
        }
        QVERIFY(!map.at(m_view->model().timeline->total / 2, static_cast<double>(map.capacity) * 1.05));
    }

    void hoverAndSelectionAreLinked()
    {
        m_view->addresses().toggle();
        m_view->settle();
        const AddressMap& map = *m_view->addresses().map();
        // The longest-lived is the easiest to hit.
        const std::size_t item = *std::max_element(map.order.begin(), map.order.end(), [&](auto a, auto b) {
            return map.end[a] - map.start[a] < map.end[b] - map.start[b];
        });
        const TensorId tensor = map.item(item).what.tensor;
        const QPointF at = pointOf(item);
        QVERIFY2(static_cast<const LaneChart&>(*m_view).tooltipAt(at).contains(
                     QString::fromStdString(map.problem->tensorName(tensor)).toHtmlEscaped()),
                 qPrintable(static_cast<const LaneChart&>(*m_view).tooltipAt(at)));
        QTest::mouseMove(m_view.get(), at.toPoint());
        QTRY_COMPARE(m_state->selection.hover().tensor, std::optional(tensor));
        const QImage plain = m_view->grab().toImage();
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, at.toPoint());
        QCOMPARE(m_state->selection.state().tensor, std::optional(tensor));
        QVERIFY(m_state->selection.state().subgraph.has_value());
        QVERIFY(m_view->grab().toImage() != plain);
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, at.toPoint());
        QVERIFY(!m_state->selection.state().tensor);
        // Copying gives what lies there at the pinned time, by offset.
        QVERIFY(m_view->copyText().startsWith(QStringLiteral("offset\tsize\ttensor\tkind\n0\t")));
    }

    void anEditMovesTheAddresses()
    {
        m_view->addresses().toggle();
        m_view->settle();
        const auto before = m_view->addresses().map();
        QVERIFY(m_state->document.openSchedule(sample("diamond.one-by-one.schedule.json")).hasValue());
        m_state->document.evaluateNow();
        m_view->settle();
        QVERIFY(m_view->addresses().map() && m_view->addresses().map() != before);
        QVERIFY(m_view->addresses().map()->placed.items.items.size() != before->placed.items.items.size());
    }

    void problemsWarnsWhenThereAreNone()
    {
        ProblemsView problems(m_state->context());
        problems.settle();
        QCOMPARE(problems.list()->model()->rowCount(), 0);
        const place_cases::Unplaceable u = place_cases::unplaceable();
        m_state->document.setProblem(u.problem, u.schedule);
        m_state->document.setRules(u.rules);
        m_state->document.evaluateNow();
        QVERIFY(m_state->document.snapshot()->evaluation.valid());
        problems.settle();
        QCOMPARE(problems.list()->model()->rowCount(), 1);
        const QModelIndex row = problems.list()->model()->index(0, 0);
        const auto text = [&](int column) { return row.siblingAtColumn(column).data().toString(); };
        QCOMPARE(text(1), QStringLiteral("ADDRESSES"));
        QVERIFY2(text(2).contains(QStringLiteral("cannot be placed in ")), qPrintable(text(2)));
        QVERIFY(problems.fixButton()->isHidden());
        Q_EMIT problems.list()->doubleClicked(row);
        QCOMPARE(QStringLiteral("Subgraph %1").arg(m_state->selection.state().subgraph->index()), text(0));
        // The picture says so too.
        m_view->addresses().toggle();
        m_view->settle();
        QVERIFY2(m_view->lanes().title.startsWith(QStringLiteral("Cannot be placed in ")),
                 qPrintable(m_view->lanes().title));
        // Repaired by keeping less: the warning goes.
        Schedule less;
        for (const SubgraphPtr& s : u.schedule.subgraphs) {
            Subgraph copy = *s;
            copy.retain.clear();
            less.subgraphs.push_back(std::make_shared<const Subgraph>(std::move(copy)));
        }
        m_state->document.setProblem(u.problem, less);
        m_state->document.evaluateNow();
        problems.settle();
        QCOMPARE(problems.list()->model()->rowCount(), 0);
    }

    void anInvalidScheduleHasNone()
    {
        open("example-5.json", "example-5.a-out-of-memory.schedule.json");
        m_view->addresses().toggle();
        m_view->settle();
        QVERIFY2(m_view->lanes().hint.startsWith(QStringLiteral("Only a valid schedule has addresses")),
                 qPrintable(m_view->lanes().hint));
    }
};

TILEWRIGHT_TEST(TestAddresses)

} // namespace test_addresses
#include "test_addresses.moc"
