// SPDX-License-Identifier: GPL-3.0-or-later
// What the guided tours consist of.
#include "panels/inspector/choice_spin_box.h"
#include "panels/solver/solver_view.h"
#include "panels/subgraphs/subgraphs_view.h"
#include "theme/number.h"
#include "theme/words.h"
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

QWidget* controlCalled(const MainWindow& window, const QString& view, const QString& name)
{
    const View* place = window.view(view);
    for (auto* box : place->findChildren<ChoiceSpinBox*>())
        if (box->accessibleName() == name)
            return box;
    return nullptr;
}

/// The button of the toolbar that runs the action.
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

/// The tab that brings a pane to the front; the pane where it stands alone.
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
        view->settle(); // its tiles are those of the subgraph as it is now
        return {view, view->tileCentre(tile).toPoint()};
    };
}

std::optional<double> totalOf(const Document& document)
{
    const SnapshotPtr& snapshot = document.snapshot();
    return snapshot && snapshot->evaluation.valid() ? std::optional(snapshot->evaluation.total)
                                                    : std::nullopt;
}

Granularity tileOf(const Document& document)
{
    return document.schedule().size() > 0 ? document.schedule()[SubgraphId(0)].granularity : Granularity{};
}

/// The evaluation is of the schedule as it stands.
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
    // The field, or while nothing is selected the list to click in.
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
        return s.state().subgraphs.empty() ? tr("Nothing is selected: click row 0 of Subgraphs.") : QString();
    };
    std::vector<Gesture> order{clickOn(tr("Open the Tile grid"), tabOf(window, QStringLiteral("tiles")))};
    for (Gesture& gesture : dragAlong(tr("Drag across the tiles, down and then right"),
                                      {tileAt(window, 0), tileAt(window, 2), tileAt(window, 3)}))
        order.push_back(std::move(gesture));
    const QString subgraphs = QStringLiteral("subgraphs"), inspector = QStringLiteral("inspector");
    struct Totals
    {
        std::optional<double> large, rows; ///< of the large tile, and of the small ones row by row
    };
    const auto totals = std::make_shared<Totals>();
    return {
        QStringLiteral("fuse"),
        tr("Fuse and tile"),
        tr("Run two products together, make them fit, draw the order of their tiles."),
        QStringLiteral("schedule/example-5.json"),
        {{tr("Two matrix products, one after the other; what lies between them goes through slow memory. "
             "Click row 0 of Subgraphs, then Shift+click row 1."),
          view("subgraphs"),
          [&s] { return s.state().subgraphs.size() == 2; },
          subgraphs,
          {},
          {},
          {clickOn(tr("Click row 0"), rowOf(window, 0)),
           clickOn(tr("Shift+click row 1"), rowOf(window, 1), Qt::ShiftModifier)}},
         {tr("Press {schedule.fuse}, or this button: both run as one subgraph, and what lies between them "
             "stays inside."),
          [&window] { return buttonOf(window, "schedule.fuse"); },
          [&d] { return d.schedule().size() == 1; },
          subgraphs,
          [&s] {
              return s.state().subgraphs.size() == 2
                         ? QString()
                         : tr("Only both together can be fused: click row 0 of Subgraphs, then Shift+click "
                              "row 1.");
          },
          {subgraphs, QStringLiteral("graph")},
          {clickOn(tr("Fuse"), [&window] { return middleOf(buttonOf(window, "schedule.fuse")); })}},
         {tr("Click the subgraph. The Inspector has its tile: w × h, computed in steps of depth k. Set k to "
             "128 and watch the status bar at the bottom: it turns red."),
          box("Reduction depth"),
          [&d] { return tileOf(d).k == 128 && !totalOf(d); },
          inspector,
          selected,
          {subgraphs, inspector},
          {clickOn(tr("Click the subgraph"), rowOf(window, 0)), type("Reduction depth", "k", "128")}},
         {tr("Too much for fast memory; Problems says by how much. Less depth needs less of it: set k to "
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
         {tr("It fits, and the total is close to the best. What would smaller tiles cost? Set w and h to "
             "64: four tiles, each loading its own slices."),
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
         {tr("In the Tile grid drag across the tiles, down and then right. What two tiles share that follow "
             "one another is loaded once; the total says whether this order shares more or less."),
          view("tiles"),
          [&d] {
              return d.schedule().size() == 1 && settledTotal(d) &&
                     d.schedule()[SubgraphId(0)].traversal.kind() != TraversalKind::Raster;
          },
          QStringLiteral("tiles"),
          {},
          {inspector},
          order}},
        tr("Fuse, tile, order: these three, and what is kept between subgraphs, are all there is. "
           "{edit.undo} takes everything back."),
        [&d, totals] {
            const auto now = settledTotal(d);
            if (!now || !totals->rows || !totals->large)
                return QString();
            const QString told = tr("Your order takes %1, row by row the four tiles took %2, and the large "
                                    "tile before took %3.")
                                     .arg(number(*now), number(*totals->rows), number(*totals->large));
            return *totals->large < std::min(*now, *totals->rows)
                       ? told + tr(" Here the large tile is best: it shares most.")
                       : told;
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
        return applied() ? tr("You have applied it. {edit.undo} takes it back.") : QString();
    };
    const QString pane = QStringLiteral("solver");
    return {
        QStringLiteral("beat"),
        tr("Beat Auto-solve"),
        tr("Let the solver show what is possible, then get there by hand."),
        QStringLiteral("schedule/attention-block.json"),
        {{tr("Press {solve.auto}, or this button, and wait: the solver looks for the best schedule it can "
             "find."),
          [&window] { return buttonOf(window, "solve.auto"); },
          [outcome, solver] { return outcome() && !solver->job().isRunning(); },
          {},
          {},
          {pane}},
         {tr("This is what there is to gain. Do not apply it: press “Keep as baseline”, and every view "
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
         {tr("Now you: drag ops onto one another, or take the changes that the inspector offers while "
             "nothing is selected, until your total is at most 5 % above the solver's."),
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
              return tr("You are %1 above. Where nothing helps any more, Compare "
                        "({view.perspective.Compare}) shows what the solver runs together, recomputes and "
                        "keeps.")
                  .arg(percent(*total / outcome()->after->evaluation.total - 1));
          },
          {QStringLiteral("inspector")}}},
        tr("Within 5 % of the solver, by hand. Compare ({view.perspective.Compare}) says where the two still "
           "differ.")};
}

Tour fromModelToArray(MainWindow& window)
{
    Document& d = window.state().document;
    Selection& s = window.state().selection;
    LensLinks& links = window.state().workspace.links();
    const auto before = std::make_shared<Schedule>(); // what the fourth step changes and the fifth restores
    const auto seen = [&window](const char* name) {
        return [&window, name] { return window.view(QLatin1String(name))->isSeen(); };
    };
    const auto button = [&window](const char* action) {
        return [&window, action] { return buttonOf(window, action); };
    };
    return {
        QStringLiteral("array"),
        tr("From model to array"),
        tr("One LLaMA block in four lenses: schedule, wavefront, loops, cores."),
        QStringLiteral("models/llama-block.json"),
        {{tr("A LLaMA block on the machine “edge”. Press {solve.auto}, wait, and press Apply in the Solver "
             "pane."),
          [&window, button]() -> QWidget* {
              const auto* solver = qobject_cast<SolverView*>(window.view(QStringLiteral("solver")));
              return solver->card().outcome() ? solver->applyButton() : button("solve.auto")();
          },
          [&d] { return d.hasProblem() && d.schedule().size() < d.problem()->opCount(); },
          {},
          {},
          {QStringLiteral("solver")}},
         {tr("{lens.slowest} selects the subgraph that takes the longest. Back in the graph: {view.graph}."),
          [&window] { return static_cast<QWidget*>(window.view(QStringLiteral("subgraphs"))); },
          [&s, &links, &d, before] {
              const bool done = s.state().subgraph && s.state().subgraph == links.slowest();
              if (done)
                  *before = d.schedule();
              return done;
          },
          QStringLiteral("subgraphs")},
         {tr("{lens.systolic}: the wavefront of its tile on the machine's array, cycle by cycle."),
          button("lens.show.systolic"), seen("systolic")},
         {tr("Click into h and turn the wheel: wavefront, cycles and total move with it."),
          [&window] {
              return controlCalled(window, QStringLiteral("inspector"), QStringLiteral("Tile height"));
          },
          [&d, before] { return d.schedule() != *before && settledTotal(d); },
          QStringLiteral("inspector"),
          [&s] {
              return s.state().subgraph
                         ? QString()
                         : tr("Nothing is selected: {lens.slowest} selects the slowest again.");
          },
          {QStringLiteral("systolic"), QStringLiteral("inspector")}},
         {tr("That was the solver's tile: whatever you set, take it back with {edit.undo}, or this button."),
          button("edit.undo"),
          [&d, before] { return d.schedule() == *before; },
          {},
          {},
          {QStringLiteral("systolic"), QStringLiteral("inspector")}},
         {tr("{lens.mapping}: its largest product on the memories of the machine, every tiling searched."),
          button("lens.show.mapping"), seen("mapping")},
         {tr("A column a memory, with the loops that run there; the bars say how far energy and cycles are "
             "from the proven best. When you have seen it, {lens.npu}: the whole model on the machine's "
             "cores."),
          button("lens.show.npu"), seen("npu")},
         {tr("A row a core: when it computes, and what it waits for. {view.graph} leads back to the graph."),
          button("lens.show.schedule"),
          [&window] {
              const View* now = window.currentView();
              return now && now->viewName() == QLatin1String("graph");
          }}},
        tr("What is selected in one lens is selected in all. The Machine pane changes the hardware of all "
           "of them.")};
}

} // namespace

std::vector<Tour> guidedTours(MainWindow& window)
{
    return {fuseAndTile(window), beatAutoSolve(window), fromModelToArray(window)};
}

} // namespace tilewright::ui
