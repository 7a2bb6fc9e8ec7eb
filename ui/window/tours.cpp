// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of the guided tours.
#include "panels/inspector/controls.h"
#include "panels/solver/solver_view.h"
#include "panels/subgraphs/subgraphs_view.h"
#include "theme/text.h"
#include "window/main_window.h"
#include "window/tour.h"
#include "workspace/installed_files.h"
#include "workspace/lens_links.h"

#include <QCheckBox>
#include <QPushButton>
#include <QTableView>
#include <QToolBar>

#include <algorithm>
#include <optional>
#include <set>

namespace tilewright::ui {

namespace {

/// Returns the spin box with this accessible name in a view; null if there is none.
QWidget* controlCalled(const MainWindow& window, const QString& view, const QString& name)
{
    const View* place = window.view(view);
    for (auto* box : place->findChildren<ChoiceSpinBox*>())
        if (box->accessibleName() == name)
            return box;
    return nullptr;
}

/// Returns the button of an action in the toolbar.
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

std::optional<double> totalOf(const Document& document)
{
    const SnapshotPtr& snapshot = document.snapshot();
    return snapshot && snapshot->evaluation.valid() ? std::optional(snapshot->evaluation.total)
                                                    : std::nullopt;
}

/// Returns the subgraph that computes both ops; nothing if there is none.
std::optional<SubgraphId> subgraphOfBoth(const Document& document, OpId first, OpId second)
{
    const Schedule& schedule = document.schedule();
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const std::vector<OpId>& ops = schedule.subgraphs[i]->ops;
        if (std::ranges::find(ops, first) != ops.end() && std::ranges::find(ops, second) != ops.end())
            return SubgraphId(i);
    }
    return std::nullopt;
}

/// Returns the total of the current schedule; nothing if it is invalid or not evaluated yet.
std::optional<double> settledTotal(const Document& document)
{
    const SnapshotPtr& snapshot = document.snapshot();
    return snapshot && snapshot->schedule == document.schedule() ? totalOf(document) : std::nullopt;
}

/// Returns the visible button with this text; null if there is none.
QWidget* buttonCalled(const QWidget& place, const QString& text)
{
    for (QPushButton* button : place.findChildren<QPushButton*>())
        if (button->text() == text && button->isVisibleTo(&place))
            return button;
    return nullptr;
}

/// Returns the check box of a tensor in the Inspector's list of tensors to retain.
QWidget* retainBox(const MainWindow& window, const QString& tensor)
{
    for (QCheckBox* box : window.view(QStringLiteral("inspector"))->findChildren<QCheckBox*>())
        if (box->text().contains(tensor))
            return box;
    return nullptr;
}

/// Totals after the steps of the first tour. Each total is better than the one before.
struct TotalsOfTour
{
    std::optional<double> start, fused, ordered, retained, solved, modelStart, model;
};

QString tellTotals(const TotalsOfTour& totals)
{
    QStringList block, model;
    const auto add = [](QStringList& to, const QString& what, const std::optional<double>& total) {
        if (total)
            to << QStringLiteral("%1 (%2)").arg(number(*total), what);
    };
    add(block, TourGuide::tr("start"), totals.start);
    add(block, TourGuide::tr("fused"), totals.fused);
    add(block, TourGuide::tr("ordered"), totals.ordered);
    add(block, TourGuide::tr("retained"), totals.retained);
    add(block, TourGuide::tr("Auto-solve"), totals.solved);
    add(model, TourGuide::tr("start"), totals.modelStart);
    add(model, TourGuide::tr("Auto-solve"), totals.model);
    QStringList out;
    if (block.size() > 1)
        out << TourGuide::tr("The block: %1.").arg(block.join(QStringLiteral(" → ")));
    if (model.size() > 1)
        out << TourGuide::tr("ResNet-18: %1 cycles.").arg(model.join(QStringLiteral(" → ")));
    return out.join(QLatin1Char('\n'));
}

Tour fuseAndSolve(MainWindow& window)
{
    Document& d = window.state().document;
    Selection& s = window.state().selection;
    auto* solver = qobject_cast<SolverView*>(window.view(QStringLiteral("solver")));
    const OpId expand(8), add(9); // ids of two ops of the sample
    const auto view = [&window](const char* name) {
        return [&window, name] { return static_cast<QWidget*>(window.view(QLatin1String(name))); };
    };
    const auto button = [&window](const char* action) {
        return [&window, action] { return buttonOf(window, action); };
    };
    const auto fused = [&d, expand, add] { return subgraphOfBoth(d, expand, add); };
    const auto isFile = [&d](const char* name) { return d.problemPath().endsWith(QLatin1String(name)); };
    const auto solved = [solver] { return solver->card().outcome() && !solver->job().isRunning(); };
    const auto applied = [solver] {
        return solver->card().outcome() && solver->card().state() == SolverCard::State::Applied;
    };
    const auto selectFused = [&s, fused] {
        return fused() && s.state().subgraph != fused()
                   ? tr("Click row %1 in Subgraphs.").arg(fused()->index())
                   : QString();
    };
    const auto totals = std::make_shared<TotalsOfTour>();
    // Stores the total when a step is done.
    const auto reached = [&d](bool done, std::optional<double>& total) {
        if (done && !total)
            total = settledTotal(d);
        return done && total;
    };
    const auto bestFound = [&window] {
        return buttonCalled(*window.view(QStringLiteral("inspector")), TourGuide::tr("Best found"));
    };
    const auto compare = [solver] { return buttonCalled(solver->card(), TourGuide::tr("Compare")); };
    const auto openModel = [&window, &d] {
        d.undoStack().setClean(); // the edits of a sample need not be saved
        window.openPaths({samplesFolder() + QStringLiteral("/models/resnet-18.onnx")});
    };
    const QString subgraphs = QStringLiteral("subgraphs"), inspector = QStringLiteral("inspector"),
                  graph = QStringLiteral("graph"), pane = QStringLiteral("solver");
    const Gesture press =
        clickOn(tr("Auto-solve"), [&window] { return middleOf(buttonOf(window, "solve.auto")); });
    const Gesture apply = clickOn(tr("Apply"), [solver] { return middleOf(solver->applyButton()); });
    return {
        QStringLiteral("fuse"),
        tr("First schedule"),
        tr("Fuse two ops, order their tiles, retain a tensor, then let Auto-solve find more: on a block, and "
           "on a real model."),
        QStringLiteral("schedule/resnet-block.json"),
        {{tr("Ten ops, each in its own subgraph: every result goes through slow memory. Click row 8 in "
             "Subgraphs, then Shift+click row 9."),
          view("subgraphs"),
          [&s, &d, totals, reached] {
              if (s.state().subgraphs.empty() && d.undoStack().index() == 0)
                  *totals = {}; // forgets the totals, because the tour begins again
              reached(d.schedule().size() == d.problem()->opCount(), totals->start);
              return s.state().subgraphs == std::set{SubgraphId(8), SubgraphId(9)};
          },
          subgraphs,
          {},
          {graph, inspector},
          {clickOn(tr("Click row 8"), rowOf(window, 8)),
           clickOn(tr("Shift+click row 9"), rowOf(window, 9), Qt::ShiftModifier)}},
         {tr("Press {schedule.fuse} or this button: both ops become one subgraph, and the tensor between "
             "them "
             "stays in fast memory."),
          button("schedule.fuse"),
          [fused, totals, reached] { return reached(fused().has_value(), totals->fused); },
          subgraphs,
          [&s, fused] {
              return fused() || s.state().subgraphs.size() == 2
                         ? QString()
                         : tr("Select both subgraphs: click row 8 in Subgraphs, then Shift+click row 9.");
          },
          {subgraphs, graph},
          {clickOn(tr("Fuse"), [&window] { return middleOf(buttonOf(window, "schedule.fuse")); })}},
         {tr("The subgraph runs tile by tile. Press Best found beside Traversal: in a snake, tiles that "
             "follow "
             "each other share what they load."),
          bestFound,
          [&d, fused, totals, reached] {
              return reached(fused() && d.schedule()[*fused()].traversal.kind() != TraversalKind::Raster,
                             totals->ordered);
          },
          inspector,
          selectFused,
          {graph, subgraphs, inspector},
          {clickOn(tr("Best found"), [bestFound] { return middleOf(bestFound()); })}},
         {tr("Row 0 writes a tensor that row 1 reads at once. Click row 0 and tick the tensor in the "
             "Inspector: it stays in fast memory."),
          [&window, &s]() -> QWidget* {
              QWidget* box = retainBox(window, QStringLiteral("reduce.out"));
              return s.state().subgraph == SubgraphId(0) && box ? box
                                                                : window.view(QStringLiteral("subgraphs"));
          },
          [&d, totals, reached] {
              return reached(!d.schedule()[SubgraphId(0)].retain.empty(), totals->retained);
          },
          inspector,
          {},
          {graph, subgraphs, inspector},
          {clickOn(tr("Click row 0"), rowOf(window, 0)),
           clickOn(tr("Retain"),
                   [&window] {
                       QWidget* box = retainBox(window, QStringLiteral("reduce.out"));
                       return Spot{box, box ? QPoint(8, box->height() / 2) : QPoint()};
                   })}},
         {tr("Auto-solve makes all these choices together. Press {solve.auto} or this button."),
          button("solve.auto"),
          solved,
          {},
          {},
          {graph, pane},
          {press}},
         {tr("The card lists what each change gains, and whether the result is proven. Press Apply: one undo "
             "step."),
          [solver]() -> QWidget* { return solver->applyButton(); },
          [applied, totals, reached] { return reached(applied(), totals->solved); },
          pane,
          {},
          {pane},
          {apply}},
         {tr("Now a real model: ResNet-18, an ONNX file, on the machine “edge”."),
          button("file.open"),
          [&d, isFile, totals, reached] {
              return reached(isFile("resnet-18.onnx") && d.schedule().size() == d.problem()->opCount(),
                             totals->modelStart);
          },
          {},
          {},
          {graph},
          {clickOn(tr("Open ResNet-18"),
                   [&window] { return middleOf(window.findChild<TourGuide*>()->offerButton()); })},
          tr("Open ResNet-18"),
          openModel},
         {tr("Press {solve.auto} or this button: the graph shows the best schedule so far."),
          button("solve.auto"),
          [isFile, solved] { return isFile("resnet-18.onnx") && solved(); },
          {},
          {},
          {graph, pane},
          {press}},
         {tr("Press Apply."),
          [solver]() -> QWidget* { return solver->applyButton(); },
          [isFile, applied, totals, reached] {
              return reached(isFile("resnet-18.onnx") && applied(), totals->model);
          },
          pane,
          {},
          {pane},
          {apply}},
         {tr("Press Compare: your schedule before at the left, the solver's at the right, and what each "
             "difference is worth."),
          compare,
          [&window] { return window.view(QStringLiteral("compare"))->isSeen(); },
          pane,
          {},
          {pane},
          {clickOn(tr("Compare"), [compare] { return middleOf(compare()); })}}},
        tr("A schedule is: which ops run together, in which tiles and order, and what stays in fast memory. "
           "{edit.undo} undoes edits one by one; {view.graph} returns to the graph."),
        [totals] { return tellTotals(*totals); }};
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
        std::make_shared<Schedule>(); // the schedule before the fourth step; the fifth step restores it
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
    return {fuseAndSolve(window), beatAutoSolve(window), fromModelToArray(window)};
}

} // namespace tilewright::ui
