// SPDX-License-Identifier: GPL-3.0-or-later
// What the guided tours consist of.
#include "panels/inspector/choice_spin_box.h"
#include "panels/solver/solver_view.h"
#include "theme/number.h"
#include "theme/words.h"
#include "window/main_window.h"
#include "window/tour.h"
#include "workspace/lens_links.h"

#include <QPushButton>
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
    // The field, or while nothing is selected the list to click in.
    const auto box = [&window, &s](const char* name) {
        return [&window, &s, name] {
            return s.state().subgraphs.empty()
                       ? window.view(QStringLiteral("subgraphs"))
                       : controlCalled(window, QStringLiteral("inspector"), QLatin1String(name));
        };
    };
    const auto selected = [&s] {
        return s.state().subgraphs.empty() ? tr("Nothing is selected: click row 0 of Subgraphs.") : QString();
    };
    const QString subgraphs = QStringLiteral("subgraphs"), inspector = QStringLiteral("inspector");
    const auto cut = std::make_shared<double>(0); // the total in rows, from left to right
    return {
        QStringLiteral("fuse"),
        tr("Fuse and tile"),
        tr("Run two products together, make them fit, draw the order of their tiles."),
        QStringLiteral("schedule/example-5.json"),
        {{tr("Two matrix products, one after the other; what lies between them goes through slow memory. "
             "Click row 0 of Subgraphs, then Shift+click row 1."),
          view("subgraphs"), [&s] { return s.state().subgraphs.size() == 2; }, subgraphs},
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
          {subgraphs, QStringLiteral("graph")}},
         {tr("Click the subgraph. The Inspector has its tile: w × h, computed in steps of depth k. Set k to "
             "128 and watch the status bar at the bottom: it turns red."),
          box("Reduction depth"),
          [&d] { return tileOf(d).k == 128 && !totalOf(d); },
          inspector,
          selected,
          {subgraphs, inspector}},
         {tr("Too much for fast memory; Problems says by how much. Less depth needs less of it: set k to "
             "32."),
          box("Reduction depth"),
          [&d] { return tileOf(d).k == 32 && totalOf(d); },
          inspector,
          selected,
          {inspector}},
         {tr("It fits, and the total is close to the best. Now see what smaller tiles cost: set w and h to "
             "64. Each of the four loads its own slices, and the total doubles."),
          box("Tile width"),
          [&d, cut] {
              const bool done = tileOf(d).w == 64 && tileOf(d).h == 64 && settledTotal(d) &&
                                d.schedule()[SubgraphId(0)].traversal.kind() == TraversalKind::Raster;
              if (done)
                  *cut = *settledTotal(d);
              return done;
          },
          inspector,
          selected,
          {inspector}},
         {tr("The order wins a part of it back: in the Tile grid drag from the first tile down, then to the "
             "right. What two tiles share that follow one another is loaded once."),
          view("tiles"),
          [&d, cut] {
              const auto total = settledTotal(d);
              return d.schedule().size() == 1 && total && *total < *cut;
          },
          QStringLiteral("tiles"),
          [&d, cut] {
              const auto total = settledTotal(d);
              return total && *cut > 0 && *total > *cut
                         ? tr("This order takes %1, row by row it was %2: too few neighbours follow one "
                              "another. Drag again: down, right, and all four.")
                               .arg(number(*total), number(*cut))
                         : QString();
          },
          {inspector}}},
        tr("Fuse, tile, order: these three, and what is kept between subgraphs, are all there is. The large "
           "tile was the best of them; {edit.undo} leads back to it, step by step.")};
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
              if (const QString undo = takeBack(); !undo.isEmpty())
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
    const auto height = std::make_shared<std::int64_t>(-1);
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
          [&s, &links, &d, height] {
              const bool done = s.state().subgraph && s.state().subgraph == links.slowest();
              if (done)
                  *height = d.schedule()[*s.state().subgraph].granularity.h;
              return done;
          },
          QStringLiteral("subgraphs")},
         {tr("{lens.systolic}: the wavefront of its tile on the machine's array, cycle by cycle."),
          button("lens.show.systolic"), seen("systolic")},
         {tr("Click into h and turn the wheel: wavefront, cycles and total move with it."),
          [&window] {
              return controlCalled(window, QStringLiteral("inspector"), QStringLiteral("Tile height"));
          },
          [&s, &d, height] {
              const auto now = s.state().subgraph;
              return now && now->index() < d.schedule().size() && d.schedule()[*now].granularity.h != *height;
          },
          QStringLiteral("inspector"),
          [&s] {
              return s.state().subgraph
                         ? QString()
                         : tr("Nothing is selected: {lens.slowest} selects the slowest again.");
          },
          {QStringLiteral("systolic"), QStringLiteral("inspector")}},
         {tr("{lens.mapping}: its largest product on the memories of the machine, every tiling searched."),
          button("lens.show.mapping"), seen("mapping")},
         {tr("{lens.npu}: the whole model on the machine's cores."), button("lens.show.npu"), seen("npu")},
         {tr("{view.graph} leads back to the graph."), button("lens.show.schedule"),
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
