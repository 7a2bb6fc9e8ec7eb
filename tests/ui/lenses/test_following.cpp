// SPDX-License-Identifier: GPL-3.0-or-later
// What an edit costs on screen: views that nobody sees do nothing until they come into sight, and are up to
// date then.
#include "edit/fit.h"
#include "test_main.h"
#include "views/graph/graph_view.h"
#include "window/main_window.h"
#include "window/view_catalog.h"
#include "workload/generate.h"
#include "workspace/schedule_edits.h"

#include <QApplication>
#include <QDockWidget>
#include <QSettings>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>

#include <array>

namespace test_following {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

/// Counts how often it is brought up to date.
class Probe : public View
{
public:
    explicit Probe(const ViewContext& context, QWidget* parent = nullptr)
        : View(context, QStringLiteral("probe"), QStringLiteral("Probe"), parent)
    {
        document().whenChanged(this, Part::Snapshot, &Probe::outdate);
    }
    int count = 0;

protected:
    void bringUpToDate() override { ++count; }
};

ProblemPtr someProblem()
{
    GenerateOptions options;
    options.kind = WorkloadKind::Random;
    options.ops = 20;
    return *generateWorkload(options);
}

/// A subgraph whose traffic depends on its tiles.
SubgraphId matMul(const Document& document)
{
    for (std::size_t i = 0; i < document.schedule().size(); ++i)
        if (document.problem()->op(document.schedule().subgraphs[i]->ops.front()).type == OpType::MatMul)
            return SubgraphId(i);
    return SubgraphId(0);
}

Result<Schedule> retiled(const Document& document, std::int64_t size)
{
    const SubgraphId s = matMul(document);
    return edit::setGranularity(*document.problem(), document.schedule(), std::array{s},
                                {size, size, document.schedule()[s].granularity.k},
                                editOptions(document.rules(), true));
}

/// Makes its tiles smaller, or large again.
void retile(Document& document)
{
    const auto next = retiled(document, document.schedule()[matMul(document)].granularity.w == 16 ? 32 : 16);
    QVERIFY(document.apply(next, QStringLiteral("tile")));
    document.waitForSnapshot();
}

} // namespace

class TestFollowing : public QObject
{
    Q_OBJECT
    QTemporaryDir m_settings;

private Q_SLOTS:
    void initTestCase()
    {
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_settings.path());
        qApp->setProperty("tilewrightNoPrompts", true);
    }

    void unseenViewsWait()
    {
        AppState state;
        QWidget window;
        window.resize(400, 300);
        auto* probe = new Probe(state.context(), &window);
        const ProblemPtr problem = someProblem();
        state.document.setProblem(problem, oneOpPerSubgraph(*problem));
        QCOMPARE(probe->count, 1); // without a window on screen everything is done at once: pictures
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        retile(state.document);
        QCOMPARE(probe->count, 2);

        // As a dock behind another tab: visible as far as Qt knows, but out of sight.
        probe->move(-1000, 0);
        QVERIFY(probe->isVisible());
        QVERIFY(!probe->isSeen());
        retile(state.document);
        retile(state.document);
        QCOMPARE(probe->count, 2);
        QVERIFY(!probe->isFollowing());
        probe->move(0, 0);
        QTRY_COMPARE(probe->count, 3); // once for both
        QVERIFY(probe->isFollowing());

        probe->hide();
        retile(state.document);
        QCOMPARE(probe->count, 3);
        probe->catchUp(); // for an export
        probe->show();
        QApplication::processEvents();
        QCOMPARE(probe->count, 4);
    }

    void everyPaneCatchesUp()
    {
        MainWindow window;
        window.resize(1440, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        Document& document = window.state().document;
        const ProblemPtr problem = someProblem();
        document.setProblem(problem, oneOpPerSubgraph(*problem));
        window.state().selection.selectSubgraph(SubgraphId(3));
        for (const ViewEntry& entry : viewCatalog()) // every pane exists and has been seen once
            window.showView(entry.name);
        window.applyPerspective(QStringLiteral("Edit"));
        QApplication::processEvents();

        for (const ViewEntry& entry : viewCatalog()) {
            View* view = window.view(entry.name);
            retile(document);
            if (auto* dock = window.findChild<QDockWidget*>(QStringLiteral("dock.") + entry.name)) {
                dock->show(); // as by its tab or the menu of panes
                dock->raise();
            } else {
                window.showView(entry.name);
            }
            QTRY_VERIFY2(view->isFollowing(), qPrintable(entry.name));
        }
    }

    /// The lines keep their figures through an edit, but for those that the edit may have changed.
    void labelsFollow()
    {
        AppState state;
        const ProblemPtr problem = someProblem();
        state.document.setProblem(problem, oneOpPerSubgraph(*problem));
        GraphView view(state.context());
        view.resize(1200, 900);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        view.settle();
        const auto labels = [&] {
            std::vector<std::pair<QString, QRectF>> out;
            for (const GraphEdge& edge : view.model()->edges)
                out.emplace_back(edge.label, edge.labelRect);
            return out;
        };
        const auto first = labels();
        retile(state.document);
        view.settle();
        const auto second = labels();
        QVERIFY(second != first);
        // As if everything had been counted and placed anew.
        TrafficMemory memory;
        GraphModel fresh = *view.model();
        labelEdges(fresh, memory.count(*fresh.snapshot));
        for (std::size_t e = 0; e < fresh.edges.size(); ++e) {
            QCOMPARE(fresh.edges[e].label, second[e].first);
            if (!second[e].first.isEmpty())
                QCOMPARE(fresh.edges[e].labelRect, second[e].second);
        }
        // At once after an edit: the figures of what it did not touch, none of what it did.
        GraphModel next = fresh;
        const SubgraphId s = matMul(state.document);
        const auto edited = retiled(state.document, 8);
        QVERIFY(edited);
        next.snapshot = takeSnapshot(problem, *edited, state.document.rules(), 0, 7);
        for (GraphEdge& edge : next.edges)
            edge.label.clear();
        keepLabels(next, fresh);
        int kept = 0;
        for (std::size_t e = 0; e < next.edges.size(); ++e) {
            const auto touches = [&](std::size_t v) {
                const auto& badges = next.nodes[v].badges;
                return !badges.empty() && badges.front().subgraph == s;
            };
            const bool touched = touches(next.edges[e].from) || touches(next.edges[e].to);
            QCOMPARE(next.edges[e].label, touched ? QString() : fresh.edges[e].label);
            kept += next.edges[e].label.isEmpty() ? 0 : 1;
        }
        QVERIFY(kept > 5);
        // And only what the edit touched is counted.
        const std::size_t counted = memory.counted();
        (void)memory.count(*next.snapshot);
        QCOMPARE(memory.counted(), counted + 1);
    }

    /// A large graph is arranged in the background; who belongs together and what it costs is shown at once.
    void newAreasAreShownBeforeTheyAreArranged()
    {
        AppState state;
        GenerateOptions options;
        options.kind = WorkloadKind::Random;
        options.ops = 450;
        const ProblemPtr problem = *generateWorkload(options);
        state.document.setProblem(problem, oneOpPerSubgraph(*problem));
        GraphView view(state.context());
        view.resize(1200, 900);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        view.settle();
        QVERIFY(!view.model()->geometry->provisional);
        const auto before = view.model()->geometry;

        Result<Schedule> fused = Error{};
        SubgraphId s(100);
        for (; !fused; ++s.value)
            fused = edit::mergeWithNext(*problem, state.document.schedule(), s,
                                        editOptions(state.document.rules()));
        --s.value;
        QVERIFY(state.document.apply(fused, QStringLiteral("fuse")));
        state.document.waitForSnapshot();
        const GraphModel& model = *view.model();
        QCOMPARE(model.snapshot, state.document.snapshot());
        QVERIFY(model.geometry->provisional);
        QCOMPARE(model.hulls.size(), fused->size());
        // Nobody moved; every area holds its nodes, and those that were there before are as they were.
        for (std::size_t v = 0; v < model.nodes.size(); ++v)
            QCOMPARE(model.geometry->layout.nodes[v], before->layout.nodes[v]);
        for (const GraphHull& hull : model.hulls)
            for (std::size_t v : hull.nodes)
                QVERIFY(hull.path.contains(model.nodes[v].rect.center()));
        QCOMPARE(model.geometry->layout.groups[0].outlines, before->layout.groups[0].outlines);
        QCOMPARE(model.geometry->layout.groups.back().outlines, before->layout.groups.back().outlines);
        QCOMPARE(model.geometry->layout.groups[s.index()].outlines.size(), std::size_t(2));

        // And back, after another edit elsewhere: each op has an area of its own again.
        view.settle();
        QVERIFY(!view.model()->geometry->provisional);
        QCOMPARE(view.model()->geometry->members[s.index()], (*fused)[s].ops);
        Result<Schedule> elsewhere = Error{};
        for (SubgraphId other(s.value + 50); !elsewhere; ++other.value)
            elsewhere = edit::mergeWithNext(*problem, state.document.schedule(), other,
                                            editOptions(state.document.rules()));
        QVERIFY(state.document.apply(elsewhere, QStringLiteral("fuse")));
        state.document.waitForSnapshot();
        view.settle();
        const Schedule now = state.document.schedule();
        const auto parted = edit::splitApart(*problem, now, s, editOptions(state.document.rules()));
        QVERIFY(state.document.apply(parted, QStringLiteral("split")));
        state.document.waitForSnapshot();
        QVERIFY(view.model()->geometry->provisional);
        for (const GraphHull& hull : view.model()->hulls)
            for (std::size_t v : hull.nodes)
                QVERIFY(hull.path.contains(view.model()->nodes[v].rect.center()));
        view.settle();
        QVERIFY(!view.model()->geometry->provisional);

        // What was shown before is shown again at once.
        for (int edits = 0; edits < 3; ++edits)
            state.document.undoStack().undo();
        state.document.waitForSnapshot();
        QVERIFY(!view.model()->geometry->provisional);
        QCOMPARE(view.model()->geometry, before);
    }

    /// By the tab, without showView(): the latency chart behind the memory timeline.
    void aClickOnTheTabIsEnough()
    {
        MainWindow window;
        window.resize(1440, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        Document& document = window.state().document;
        const ProblemPtr problem = someProblem();
        document.setProblem(problem, oneOpPerSubgraph(*problem));
        QApplication::processEvents();
        View* latency = window.view(QStringLiteral("latency"));
        QVERIFY(!latency->isSeen());
        const QString before = latency->accessibleDescription();
        retile(document);
        QCOMPARE(latency->accessibleDescription(), before);
        for (QTabBar* tabs : window.findChildren<QTabBar*>())
            for (int i = 0; i < tabs->count(); ++i)
                if (tabs->tabText(i) == latency->title())
                    QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(i).center());
        QTRY_VERIFY(latency->isFollowing());
        QVERIFY(latency->accessibleDescription() != before);
    }
};

TILEWRIGHT_TEST(TestFollowing)

} // namespace test_following
#include "test_following.moc"
