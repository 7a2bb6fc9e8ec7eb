// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of the guided tours.
#include "panels/inspector/controls.h"
#include "panels/solver/solver_view.h"
#include "panels/subgraphs/subgraphs_view.h"
#include "theme/text.h"
#include "views/tiles/tiles_view.h"
#include "window/main_window.h"
#include "window/tour.h"
#include "workspace/lens_links.h"

#include <QPushButton>
#include <QTabBar>
#include <QTableView>
#include <QToolBar>

#include <algorithm>

namespace tilewright::ui {

namespace {

/// Spin box with this accessible name in a view; null if there is none.
QWidget* controlCalled(const MainWindow& window, const QString& view, const QString& name)
{
    const View* place = window.view(view);
    for (auto* box : place->findChildren<ChoiceSpinBox*>())
        if (box->accessibleName() == name)
            return box;
    return nullptr;
}

/// Button of an action in the toolbar.
QWidget* buttonOf(MainWindow& window, const char* action)
{
    const auto* bar = window.findChild<QToolBar*>(QStringLiteral("toolbar"));
    return bar ? bar->widgetForAction(window.state().actions.find(QLatin1String(action))) : nullptr;
}

Spot middleOf(QWidget* control)
{
    return {control, control ? control->rect().center() : QPoint()};
}

std::function<Spot()> rowOf(MainWindow& window, int row)
{
    return [&window, row]() -> Spot {
        const auto* view = qobject_cast<SubgraphsView*>(window.view(QStringLiteral("subgraphs")));
        const QTableView* table = view->table();
        return {table->viewport(), table->visualRect(table->model()->index(row, 1)).center()};
    };
}

/// Tab of a view; the view itself if it has no tab.
std::function<Spot()> tabOf(MainWindow& window, const QString& view)
{
    return [&window, view]() -> Spot {
        View* pane = window.view(view);
        for (auto* tabs : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
            for (int i = 0; i < tabs->count(); ++i)
                if (tabs->isVisible() && tabs->tabText(i) == pane->title())
                    return {tabs, tabs->tabRect(i).center()};
        return middleOf(pane);
    };
}

std::function<Spot()> tileAt(MainWindow& window, std::int64_t tile)
{
    return [&window, tile]() -> Spot {
        auto* view = qobject_cast<TilesView*>(window.view(QStringLiteral("tiles")));
        if (!view->isVisible())
            return {};
        view->catchUp();
        view->settle(); // now it shows the tiles of the present subgraph
        return {view, view->tileCentre(tile).toPoint()};
    };
}

std::optional<double> totalOf(const Document& document)
{
    const SnapshotPtr& snapshot = document.snapshot();
    return snapshot && snapshot->evaluation.valid() ? std::optional(snapshot->evaluation.total)
                                                    : std::nullopt;
}

/// Granularity of subgraph 0.
Granularity tileOf(const Document& document)
{
    return document.schedule().size() > 0 ? document.schedule()[SubgraphId(0)].granularity : Granularity{};
}

/// Total of the present schedule; nothing if it is invalid or not evaluated yet.
std::optional<double> settledTotal(const Document& document)
{
    const SnapshotPtr& snapshot = document.snapshot();
    return snapshot && snapshot->schedule == document.schedule() ? totalOf(document) : std::nullopt;
}

Tour fuseAndTile(MainWindow& window)
{
    Document& d = window.state().document;
    Selection& s = window.state().selection;
    const auto view = [&window](const char* name) {
        return [&window, name] { return static_cast<QWidget*>(window.view(QLatin1String(name))); };
    };
    const auto field = [&window](const char* name) {
        return [&window, name] {
            return controlCalled(window, QStringLiteral("inspector"), QLatin1String(name));
        };
    };
    // The field in the Inspector, or the list of subgraphs while nothing is selected.
    const auto box = [&window, &s, field](const char* name) {
        return [&window, &s, control = field(name)] {
            return s.state().subgraphs.empty() ? window.view(QStringLiteral("subgraphs")) : control();
        };
    };
    const auto type = [&field](const char* name, const char* letter, const char* value) {
        return typeInto(
            tr("%1: type %2, Enter").arg(QLatin1String(letter), QLatin1String(value)),
            [control = field(name)] { return middleOf(control()); }, QLatin1String(value));
    };
    const auto selected = [&s] {
        return s.state().subgraphs.empty() ? tr("Nothing is selected. Click row 0 in Subgraphs.") : QString();
    };
    std::vector<Gesture> order{clickOn(tr("Open the Tile grid"), tabOf(window, QStringLiteral("tiles")))};
    for (Gesture& gesture : dragAlong(tr("Drag across the tiles, down and then right"),
                                      {tileAt(window, 0), tileAt(window, 2), tileAt(window, 3)}))
        order.push_back(std::move(gesture));
    const QString subgraphs = QStringLiteral("subgraphs"), inspector = QStringLiteral("inspector");
    struct Totals
    {
        std::optional<double> large, rows; ///< with one large tile; with four small tiles in raster order
    };
    const auto totals = std::make_shared<Totals>();
    return {QStringLiteral("fuse"),
            tr("Fuse and tile"),
            tr("Fuse two MatMul ops, choose tiles that fit, draw their order."),
            QStringLiteral("schedule/example-5.json"),
            {{tr("This problem has two MatMul ops. The tensor between them goes through slow memory. "
                 "Click row 0 in Subgraphs, then Shift+click row 1."),
              view("subgraphs"),
              [&s] { return s.state().subgraphs.size() == 2; },
              subgraphs,
              {},
              {},
              {clickOn(tr("Click row 0"), rowOf(window, 0)),
               clickOn(tr("Shift+click row 1"), rowOf(window, 1), Qt::ShiftModifier)}},
             {tr("Press {schedule.fuse} or this button: both ops become one subgraph, and the tensor between "
                 "them "
                 "never enters slow memory."),
              [&window] { return buttonOf(window, "schedule.fuse"); },
              [&d] { return d.schedule().size() == 1; },
              subgraphs,
              [&s] {
                  return s.state().subgraphs.size() == 2
                             ? QString()
                             : tr("Select both subgraphs: click row 0 in Subgraphs, then Shift+click "
                                  "row 1.");
              },
              {subgraphs, QStringLiteral("graph")},
              {clickOn(tr("Fuse"), [&window] { return middleOf(buttonOf(window, "schedule.fuse")); })}},
             {tr("Click the subgraph. The Inspector shows its granularity: a tile is w × h, and each step "
                 "computes k of "
                 "the reduction. Set k to 128 and watch the headline at the top: it turns red."),
              box("Reduction depth"),
              [&d] { return tileOf(d).k == 128 && !totalOf(d); },
              inspector,
              selected,
              {subgraphs, inspector},
              {clickOn(tr("Click the subgraph"), rowOf(window, 0)), type("Reduction depth", "k", "128")}},
             {tr("The working set exceeds fast memory; Problems shows by how much. A smaller k needs less "
                 "memory: set k to "
                 "32."),
              box("Reduction depth"),
              [&d, totals] {
                  if (tileOf(d).k == 32 && tileOf(d).w == 128)
                      totals->large = settledTotal(d);
                  return tileOf(d).k == 32 && settledTotal(d);
              },
              inspector,
              selected,
              {inspector},
              {type("Reduction depth", "k", "32")}},
             {tr("It fits, and the total is close to the best. Now try smaller tiles: set w and h to "
                 "64. There are four tiles, and each loads its own slices."),
              box("Tile width"),
              [&d, totals] {
                  const bool done = tileOf(d).w == 64 && tileOf(d).h == 64 && settledTotal(d);
                  if (done && d.schedule()[SubgraphId(0)].traversal.kind() == TraversalKind::Raster)
                      totals->rows = settledTotal(d);
                  return done;
              },
              inspector,
              selected,
              {inspector},
              {type("Tile width", "w", "64"), type("Tile height", "h", "64")}},
             {tr("Drag across the tiles in the Tile grid, down and then right. Slices that two consecutive "
                 "tiles share "
                 "are loaded once. The total shows whether this order shares more or less."),
              view("tiles"),
              [&d] {
                  return d.schedule().size() == 1 && settledTotal(d) &&
                         d.schedule()[SubgraphId(0)].traversal.kind() != TraversalKind::Raster;
              },
              QStringLiteral("tiles"),
              {},
              {inspector},
              order}},
            tr("A schedule consists of subgraphs, their tiles, the order of the tiles, and the tensors "
               "retained between "
               "subgraphs. {edit.undo} undoes your edits one by one."),
            [&d, totals] {
                const auto now = settledTotal(d);
                if (!now || !totals->rows || !totals->large)
                    return QString();
                const QString summary =
                    tr("Totals: %1 with your order, %2 with the four tiles in raster order, %3 with "
                       "one large tile.")
                        .arg(number(*now), number(*totals->rows), number(*totals->large));
                return *totals->large < std::min(*now, *totals->rows)
                           ? summary + tr(" The large tile is best here because it loads the least.")
                           : summary;
            }};
}

Tour beatAutoSolve(MainWindow& window)
{
    Document& d = window.state().document;
    auto* solver = qobject_cast<SolverView*>(window.view(QStringLiteral("solver")));
    const auto outcome = [solver] { return solver->card().outcome(); };
    const auto applied = [solver] {
        return solver->card().outcome() && solver->card().state() == SolverCard::State::Applied;
    };
    const auto kept = [&d, outcome] {
        return outcome() && std::ranges::any_of(d.baselines(), [&](const Baseline& b) {
                   return b.snapshot == outcome()->after;
               });
    };
    const auto takeBack = [applied] {
        return applied() ? tr("You have applied the solver's schedule. {edit.undo} undoes that.") : QString();
    };
    const QString pane = QStringLiteral("solver");
    return {QStringLiteral("beat"),
            tr("Beat Auto-solve"),
            tr("Let the solver find a schedule, then try to reach its total by hand."),
            QStringLiteral("schedule/attention-block.json"),
            {{tr("Press {solve.auto} or this button and wait until the solver has finished."),
              [&window] { return buttonOf(window, "solve.auto"); },
              [outcome, solver] { return outcome() && !solver->job().isRunning(); },
              {},
              {},
              {pane}},
             {tr("The card shows what the solver has gained. Do not apply it: press “Keep as baseline”, and "
                 "every view "
                 "draws it as a ghost."),
              [solver]() -> QWidget* {
                  for (auto* button : solver->card().findChildren<QPushButton*>())
                      if (button->text().contains(tr("baseline")) && button->isVisible())
                          return button;
                  return solver;
              },
              kept,
              pane,
              takeBack,
              {pane}},
             {tr("Now improve your own schedule until its total is at most 5 % above the solver's. Drag ops "
                 "onto one "
                 "another, or clear the selection and use the changes that the Inspector offers."),
              [&window] { return static_cast<QWidget*>(window.view(QStringLiteral("graph"))); },
              [&d, kept, applied, outcome] {
                  const auto total = settledTotal(d);
                  return kept() && !applied() && total && *total <= 1.05 * outcome()->after->evaluation.total;
              },
              QStringLiteral("graph"),
              [&d, outcome, takeBack, kept] {
                  if (QString undo = takeBack(); !undo.isEmpty())
                      return undo;
                  const auto total = settledTotal(d);
                  if (!total || !kept())
                      return QString();
                  return tr("Your total is %1 above the solver's. If you are stuck, Compare "
                            "({view.perspective.Compare}) shows what the solver fuses, recomputes and "
                            "retains.")
                      .arg(percent(*total / outcome()->after->evaluation.total - 1));
              },
              {QStringLiteral("inspector")}}},
            tr("Done: your schedule is within 5 % of the solver's. Compare ({view.perspective.Compare}) "
               "shows where they "
               "differ.")};
}

Tour fromModelToArray(MainWindow& window)
{
    Document& d = window.state().document;
    Selection& s = window.state().selection;
    LensLinks& links = window.state().workspace.links();
    const auto before =
        std::make_shared<Schedule>(); // schedule before the fourth step, which the fifth step restores
    const auto seen = [&window](const char* name) {
        return [&window, name] { return window.view(QLatin1String(name))->isSeen(); };
    };
    const auto button = [&window](const char* action) {
        return [&window, action] { return buttonOf(window, action); };
    };
    return {QStringLiteral("array"),
            tr("From model to array"),
            tr("See one LLaMA block in all four lenses."),
            QStringLiteral("models/llama-block.json"),
            {{tr("This is a LLaMA block on the machine “edge”. Press {solve.auto}, wait, and press Apply in "
                 "the Solver "
                 "view."),
              [&window, button]() -> QWidget* {
                  const auto* solver = qobject_cast<SolverView*>(window.view(QStringLiteral("solver")));
                  return solver->card().outcome() ? solver->applyButton() : button("solve.auto")();
              },
              [&d] { return d.hasProblem() && d.schedule().size() < d.problem()->opCount(); },
              {},
              {},
              {QStringLiteral("solver")}},
             {tr("Press {lens.slowest} to select the slowest subgraph. {view.graph} returns to the graph."),
              [&window] { return static_cast<QWidget*>(window.view(QStringLiteral("subgraphs"))); },
              [&s, &links, &d, before] {
                  const bool done = s.state().subgraph && s.state().subgraph == links.slowest();
                  if (done)
                      *before = d.schedule();
                  return done;
              },
              QStringLiteral("subgraphs")},
             {tr("Press {lens.systolic} to see its tile on the machine's array, cycle by cycle."),
              button("lens.show.systolic"), seen("systolic")},
             {tr("Click into the field h and turn the mouse wheel: wavefront, cycles and total change."),
              [&window] {
                  return controlCalled(window, QStringLiteral("inspector"), QStringLiteral("Tile height"));
              },
              [&d, before] { return d.schedule() != *before && settledTotal(d); },
              QStringLiteral("inspector"),
              [&s] {
                  return s.state().subgraph
                             ? QString()
                             : tr("Nothing is selected. {lens.slowest} selects the slowest subgraph again.");
              },
              {QStringLiteral("systolic"), QStringLiteral("inspector")}},
             {tr("Restore the solver's tile: press {edit.undo} or this button until your change is undone."),
              button("edit.undo"),
              [&d, before] { return d.schedule() == *before; },
              {},
              {},
              {QStringLiteral("systolic"), QStringLiteral("inspector")}},
             {tr("Press {lens.mapping} to map its largest product onto the memories of the machine."),
              button("lens.show.mapping"), seen("mapping")},
             {tr("Each column is a memory with its loops. The bars compare energy and cycles with the proven "
                 "optimum. "
                 "Then press {lens.npu} to simulate the whole model on the machine's "
                 "cores."),
              button("lens.show.npu"), seen("npu")},
             {tr("Each row is a core: it shows when the core computes and what it waits for. {view.graph} "
                 "returns to the "
                 "graph."),
              button("lens.show.schedule"),
              [&window] {
                  const View* now = window.currentView();
                  return now && now->viewName() == QLatin1String("graph");
              }}},
            tr("A selection in one lens applies to all lenses. The Machine view changes the hardware of all "
               "lenses.")};
}

} // namespace

std::vector<Tour> guidedTours(MainWindow& window)
{
    return {fuseAndTile(window), beatAutoSolve(window), fromModelToArray(window)};
}

} // namespace tilewright::ui
