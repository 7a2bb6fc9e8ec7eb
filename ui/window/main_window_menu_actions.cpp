// SPDX-License-Identifier: GPL-3.0-or-later
// Actions of the menus Edit, View and Lens.
#include "canvas/canvas.h"
#include "edit/fit.h"
#include "theme/text.h"
#include "views/systolic/systolic_view.h"
#include "window/main_window.h"
#include "window/panes.h"
#include "window/start_page.h"
#include "window/tour_player.h"
#include "window/view_catalog.h"
#include "workspace/constraint_edits.h"
#include "workspace/installed_files.h"
#include "workspace/lens_links.h"
#include "workspace/schedule_edits.h"

#include <QAbstractItemView>
#include <QActionGroup>
#include <QApplication>
#include <QDockWidget>
#include <QInputDialog>
#include <QStackedWidget>
#include <QToolTip>

namespace tilewright::ui {

// Actions that edit the selected part of the schedule: fuse, split, move, recompute, retain, …

void MainWindow::createEditActions()
{
    Actions& a = m_state->actions;
    Document& d = m_state->document;
    Selection& s = m_state->selection;
    const QString menu = tr("Schedule");
    // Returns the availability of an edit that needs an open problem and a selection for which has() is true.
    const auto needs = [&d, &s](bool (*has)(const SelectionState&), const QString& why) {
        return [&d, &s, has, why] {
            return d.hasProblem() ? Availability(has(s.state()), why)
                                  : Availability(false, tr("Open a problem first."));
        };
    };
    using Available = std::function<Availability()>;
    const Available nothing = needs([](const SelectionState&) { return true; }, {});
    const Available subgraph =
        needs([](const SelectionState& now) { return now.hasSubgraph(); }, tr("Select a subgraph first."));
    const Available something =
        needs([](const SelectionState& now) { return now.hasSubgraph() || !now.ops.empty(); },
              tr("Select ops or a subgraph first."));
    const Available several =
        needs([](const SelectionState& now) { return now.ops.size() > 1 || now.subgraphs.size() > 1; },
              tr("Select two or more ops or subgraphs first."));
    const Available tensor = needs([](const SelectionState& now) { return now.tensor.has_value(); },
                                   tr("Select a tensor first (an edge of the graph)."));
    const auto add = [&](const char* id, const QString& text, const char* iconName,
                         const QList<QKeySequence>& keys, const QString& tip, const Available& available,
                         bool (*edit)(Document&, Selection&)) {
        addAction(a.add(id, menu, text, iconName, keys, tip, available, [&d, &s, edit] { edit(d, s); }));
    };
    add("schedule.fuse", tr("&Fuse selection"), "fuse",
        {QKeySequence(Qt::Key_G), QKeySequence(Qt::CTRL | Qt::Key_J)},
        tr("Put the selected ops or subgraphs into one subgraph."), several, fuseSelection);
    add("schedule.split", tr("&Split"), "split", {QKeySequence(Qt::SHIFT | Qt::Key_G)},
        tr("Move the selected ops into a new subgraph. If no ops are selected, split the whole subgraph."),
        something, splitSelection);
    add("schedule.splitApart", tr("Split into single ops"), "", {},
        tr("Replace the subgraph by one subgraph per op."), subgraph, splitApartSelection);
    add("schedule.mergePrevious", tr("Merge with &previous"), "up",
        {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_Up)}, tr("Fuse the subgraph with the previous one."),
        subgraph, [](Document& doc, Selection& sel) { return mergeSelectionWith(doc, sel, -1); });
    add("schedule.mergeNext", tr("Merge with &next"), "down",
        {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_Down)}, tr("Fuse the subgraph with the next one."),
        subgraph, [](Document& doc, Selection& sel) { return mergeSelectionWith(doc, sel, 1); });
    add("schedule.opsToPrevious", tr("Move ops to previous subgraph"), "",
        {QKeySequence(Qt::ALT | Qt::Key_PageUp)}, tr("Move the selected ops into the previous subgraph."),
        something, [](Document& doc, Selection& sel) { return moveSelectionTo(doc, sel, -1); });
    add("schedule.opsToNext", tr("Move ops to next subgraph"), "", {QKeySequence(Qt::ALT | Qt::Key_PageDown)},
        tr("Move the selected ops into the next subgraph."), something,
        [](Document& doc, Selection& sel) { return moveSelectionTo(doc, sel, 1); });
    add("schedule.moveUp", tr("Execute &earlier"), "", {QKeySequence(Qt::ALT | Qt::Key_Up)},
        tr("Execute the selected subgraphs one place earlier."), subgraph,
        [](Document& doc, Selection& sel) { return shiftSelection(doc, sel, -1); });
    add("schedule.moveDown", tr("Execute &later"), "", {QKeySequence(Qt::ALT | Qt::Key_Down)},
        tr("Execute the selected subgraphs one place later."), subgraph,
        [](Document& doc, Selection& sel) { return shiftSelection(doc, sel, 1); });
    add("schedule.duplicate", tr("D&uplicate subgraph"), "duplicate", {QKeySequence(Qt::CTRL | Qt::Key_D)},
        tr("Execute the subgraph a second time (recomputation)."), subgraph, duplicateSelection);
    add("schedule.delete", tr("&Remove"), "delete", {QKeySequence::Delete},
        tr("Remove the selected ops from their subgraph, or the selected subgraphs."), something,
        deleteSelection);
    add("schedule.retain", tr("Retain or release &tensor"), "retain", {QKeySequence(Qt::Key_R)},
        tr("Retain the selected tensor in fast memory after the selected subgraph, or the one that computes "
           "it; or "
           "release it."),
        tensor, toggleRetainOfSelection);
    add("schedule.lock", tr("&Lock for the solver"), "lock", {QKeySequence(Qt::Key_L)},
        tr("The solver does not change ops, granularity, retained tensors and drawn tile order of locked "
           "subgraphs."),
        subgraph, toggleLock);
    const Available ops = [&d, &s] {
        return d.hasProblem() ? Availability(selectedOps(d, s).size() > 1,
                                             tr("Select two or more ops or a subgraph with several first."))
                              : Availability(false, tr("Open a problem first."));
    };
    add("schedule.constrain.together", tr("Keep &together"), "", {},
        tr("A constraint of the solver: a subgraph that runs one of the selected ops runs all of them."), ops,
        keepTogether);
    add("schedule.constrain.apart", tr("Keep &apart"), "", {},
        tr("A constraint of the solver: no subgraph runs two of the selected ops."), ops, keepApart);
    add("schedule.constrain.tile", tr("&Keep this tile"), "", {},
        tr("A constraint of the solver: subgraphs with an op of the selected one have its granularity."),
        subgraph, keepTile);
    add("schedule.constrain.always", tr("Al&ways retain"), "", {},
        tr("A constraint of the solver: no subgraph stores the selected tensor in slow memory."), tensor,
        alwaysRetain);
    add("schedule.constrain.never", tr("&Never retain"), "", {},
        tr("A constraint of the solver: no subgraph retains the selected tensor."), tensor, neverRetain);
    for (const TraversalKind kind : {TraversalKind::Raster, TraversalKind::Snake, TraversalKind::Column,
                                     TraversalKind::ColumnSnake, TraversalKind::Spiral}) {
        const auto name = traversalName(kind);
        const QString text = word(name);
        a.add(QStringLiteral("schedule.traversal.") + text, menu, tr("Traversal: %1").arg(text),
              kind == TraversalKind::Snake ? QStringLiteral("snake") : QString(), {},
              tr("Visit the tiles of the selected subgraphs in this order."), subgraph,
              [&d, &s, kind] { setTraversalOfSelection(d, s, kind); });
    }
    a.add("schedule.normalise", menu, tr("&Normalise"), "", {},
          tr("Repair the schedule: add missing ops, reorder subgraphs, make granularities legal, remove "
             "useless "
             "retained tensors."),
          nothing, [&d] {
              if (d.hasProblem())
                  d.apply(retiled(*d.problem(), d.schedule(),
                                  edit::normalise(*d.problem(), d.schedule(), editOptions(d.rules()).rules),
                                  d.rules()),
                          tr("Normalise"));
          });
    for (const auto& [id, text, rules] :
         {std::tuple{"schedule.rules.final", tr("Rules: fi&nal statement"), Rules::final()},
          std::tuple{"schedule.rules.seed", tr("Rules: earlier statemen&t"), Rules::seed()},
          std::tuple{"schedule.rules.machine", tr("Rules: machi&ne"), Rules::machine()}})
        a.add({QString::fromLatin1(id),
               menu,
               text,
               {},
               {},
               tr("Evaluate by this rule set: a statement of the contest, or a model on a machine. The Rules "
                  "view "
                  "explains the differences."),
               true,
               {},
               nothing,
               [&d, rules = rules] { return d.rules() == rules; }},
              [&d, rules = rules](bool) { d.setRules(rules); });
}

// Actions of the View menu, which act on the view that was used last: zoom, fit, back and forward, tooltips
// by keyboard.

void MainWindow::createLookActions()
{
    const QString menu = tr("View");
    const auto add = [&](const char* id, const QString& text, const char* iconName,
                         const QList<QKeySequence>& keys, const QString& tip, void (*run)(Canvas&),
                         const std::function<Availability()>& available) {
        return m_state->actions.add(id, menu, text, iconName, keys, tip, available, [this, run] {
            if (Canvas* canvas = currentCanvas())
                run(*canvas);
        });
    };
    const auto somewhere = [this] {
        return Availability(currentCanvas() != nullptr, tr("No view can be zoomed."));
    };
    const auto movable = [this] {
        const Canvas* canvas = currentCanvas();
        return canvas && canvas->shownPart() ? canvas : nullptr;
    };
    QAction* fit = add(
        "view.fit", tr("&Fit all"), "fit", {QKeySequence(Qt::SHIFT | Qt::Key_F)},
        tr("Show everything in the view you last used (also {canvas.fitAll|Home})."),
        [](Canvas& c) { c.look([&] { c.fitAll(); }, ZoomHistory::Gesture::Command); }, somewhere);
    QAction* selection = add(
        "view.fitSelection", tr("Go to &selection"), "", {QKeySequence(Qt::Key_F)},
        tr("Centre the selection. Press again to zoom to it."),
        [](Canvas& c) { c.look([&] { c.goToSelection(); }, ZoomHistory::Gesture::Command); }, somewhere);
    add(
        "view.actualSize", tr("&100 %"), "", {QKeySequence(Qt::CTRL | Qt::Key_0)},
        tr("Show graphs in their natural size; other views show everything."),
        [](Canvas& c) { c.look([&] { c.actualSize(); }, ZoomHistory::Gesture::Command); }, somewhere);
    add(
        "view.zoomIn", tr("Zoom &in"), "zoom-in", {QKeySequence::ZoomIn}, tr("Enlarge the view."),
        [](Canvas& c) {
            c.look([&] { c.zoomBy(1.25, QRectF(c.rect()).center()); }, ZoomHistory::Gesture::Keys);
        },
        somewhere);
    add(
        "view.zoomOut", tr("Zoom &out"), "zoom-out", {QKeySequence::ZoomOut},
        tr("Show more of the view at a smaller scale."),
        [](Canvas& c) {
            c.look([&] { c.zoomBy(0.8, QRectF(c.rect()).center()); }, ZoomHistory::Gesture::Keys);
        },
        somewhere);
    add(
        "view.back", tr("View &back"), "", {QKeySequence(Qt::ALT | Qt::Key_Left)},
        tr("Return to the previous zoom and position of this view."), [](Canvas& c) { c.goBack(); },
        [movable] {
            const Canvas* canvas = movable();
            return Availability(canvas && canvas->history().canGoBack(),
                                tr("This view has not been zoomed or scrolled."));
        });
    add(
        "view.forward", tr("View for&ward"), "", {QKeySequence(Qt::ALT | Qt::Key_Right)},
        tr("Undo View back."), [](Canvas& c) { c.goForward(); },
        [movable] {
            const Canvas* canvas = movable();
            return Availability(canvas && canvas->history().canGoForward(),
                                tr("You have not gone back in this view."));
        });
    m_state->actions.add(
        {QStringLiteral("view.maximise"),
         menu,
         tr("Ma&ximise this pane"),
         QStringLiteral("maximise"),
         {QKeySequence(Qt::Key_F11)},
         tr("Show only the view you last used, or all views again (also a double-click on its title)."),
         true,
         {},
         [this] {
             return Availability(m_panes && (m_panes->maximised() || currentView()),
                                 tr("Open a problem first."));
         },
         [this] { return m_panes && m_panes->maximised(); }},
        [this](bool) { m_panes->toggleMaximised(currentView()); });
    m_state->actions.add({QStringLiteral("view.fullScreen"),
                          menu,
                          tr("F&ull screen"),
                          {},
                          {QKeySequence(Qt::SHIFT | Qt::Key_F11)},
                          tr("Show the window on the whole screen, or as before."),
                          true,
                          {},
                          {},
                          [this] { return isFullScreen(); }},
                         [this](bool) {
                             setWindowState(windowState() ^ Qt::WindowFullScreen);
                             m_state->actions.refresh();
                         });
    m_state->actions.add(
        "view.lowerPanes", menu, tr("Hide or sho&w the other panes"), "",
        {QKeySequence(Qt::CTRL | Qt::Key_F11)}, tr("Show only the graph, or all panes again."),
        [this] { return Availability(m_state->document.hasProblem(), tr("Open a problem first.")); },
        [this] { m_panes->toggleMaximised(view(QStringLiteral("graph"))); });
    m_state->actions.add(
        "view.note", menu, tr("&Note on this view…"), "", {},
        tr("Write a note about the view you last used. Notes are saved with the session and included in "
           "reports."),
        [this] {
            return Availability(m_state->document.hasProblem() && currentView(), tr("Open a problem first."));
        },
        [this] {
            const View* view = currentView();
            const QString key = Document::viewNote(view->viewName());
            bool ok = false;
            const QString text = QInputDialog::getMultiLineText(this, tr("Note on this view"), view->title(),
                                                                m_state->document.notes().value(key), &ok);
            if (ok)
                m_state->document.setNote(key, text);
        });
    // Keys without a modifier work in views only, because fields and lists need the letters for typing.
    for (QAction* action : {fit, selection})
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
}

QList<QAction*> MainWindow::createDockActions()
{
    QList<QAction*> made;
    for (const ViewEntry& entry : viewCatalog()) {
        QDockWidget* dock = m_panes->dock(entry.name);
        if (!dock)
            continue;
        QAction* action = m_state->actions.add(
            {QStringLiteral("view.dock.") + entry.name, tr("Docks"), entry.title, entry.iconName,
             entry.keys.isEmpty() ? QList<QKeySequence>{} : QList<QKeySequence>{QKeySequence(entry.keys)},
             tr("Show this view, or hide it if it is in front."), true},
            [this, name = entry.name](bool) { m_panes->toggle(name); });
        addAction(action);
        const QAction* shown = dock->toggleViewAction();
        const auto follow = [action, shown] { action->setChecked(shown->isChecked()); };
        connect(shown, &QAction::toggled, action, follow);
        // A click toggles the check mark. If the view was behind others it is only brought to the front, so
        // the check mark is corrected.
        connect(action, &QAction::triggered, action, follow);
        follow();
        made << action;
    }
    return made;
}

void MainWindow::showTooltipOfFocus()
{
    QWidget* focus = QApplication::focusWidget();
    if (auto* canvas = qobject_cast<Canvas*>(focus)) {
        canvas->showTooltipOfFocus();
        return;
    }
    QString text;
    QPoint at;
    if (auto* list = qobject_cast<QAbstractItemView*>(focus)) {
        const QModelIndex current = list->currentIndex();
        text = current.data(Qt::ToolTipRole).toString();
        at = list->viewport()->mapToGlobal(list->visualRect(current).center());
    }
    // A control without a tooltip shows that of the nearest parent that has one.
    for (QWidget* w = focus; w && text.isEmpty(); w = w->parentWidget()) {
        text = w->toolTip().isEmpty() ? w->accessibleDescription() : w->toolTip();
        at = w->mapToGlobal(w->rect().center());
    }
    if (text.isEmpty())
        text = tr("There is no tooltip here.");
    QToolTip::showText(focus ? at : mapToGlobal(rect().center()), text, focus ? focus : this, {}, 60'000);
}

// Actions that switch between the lenses, and the guided tours.

namespace {

/// Returns the name of the main view of a lens.
QString viewOf(Lens lens)
{
    return lens == Lens::Schedule   ? QStringLiteral("graph")
           : lens == Lens::Systolic ? QStringLiteral("systolic")
           : lens == Lens::Npu      ? QStringLiteral("npu")
                                    : QStringLiteral("mapping");
}

} // namespace

void MainWindow::createLensActions()
{
    Actions& a = m_state->actions;
    Workspace& workspace = m_state->workspace;
    const QString menu = tr("Lens");
    const auto whenOpen = [&workspace] {
        return Availability(workspace.schedule().hasProblem(), tr("Open a model or a problem first."));
    };
    const auto whenProduct = [&workspace] {
        if (!workspace.schedule().hasProblem())
            return Availability(false, tr("Open a model or a problem first."));
        return Availability(workspace.links().product().has_value(),
                            tr("The selected subgraph has no MatMul."));
    };
    // One checkable action per lens. A lens is shown as it was left.
    auto* places = new QActionGroup(this);
    for (const auto& [lens, id, icon, tip] :
         {std::tuple{Lens::Schedule, "schedule", "layout",
                     tr("The graph and its schedule: subgraphs, tiles and latency.")},
          {Lens::Systolic, "systolic", "systolic", perspective(Lens::Systolic).tip},
          {Lens::Mapping, "mapping", "loops", perspective(Lens::Mapping).tip},
          {Lens::Npu, "npu", "cores", perspective(Lens::Npu).tip}}) {
        QAction* action = a.add({QStringLiteral("lens.show.") + QLatin1String(id),
                                 menu,
                                 lensTitle(lens),
                                 QLatin1String(icon),
                                 {},
                                 tip,
                                 true,
                                 {},
                                 {},
                                 [this, shown = lens] { return m_panes && m_panes->lens() == shown; }},
                                [this, shown = lens](bool) { showLens(shown); });
        places->addAction(action);
        addAction(action);
    }
    const auto key = [](const char* keys) { return QList{QKeySequence(QString::fromLatin1(keys))}; };
    a.add("lens.slowest", menu, tr("Select the slowest su&bgraph"), "search", key("Ctrl+Shift+L"),
          tr("Select the subgraph that takes the longest."), whenOpen, [&workspace] {
              if (const auto slowest = workspace.links().slowest())
                  workspace.selection().selectSubgraph(*slowest);
          });
    a.add("lens.systolic", menu, tr("&Wavefront of the product"), "systolic", key("Ctrl+Shift+1"),
          tr("Show the selected product on the machine's array, cycle by cycle."), whenProduct,
          [this, &workspace] {
              workspace.goTo(Lens::Systolic);
              if (auto* lens = qobject_cast<SystolicView*>(view(viewOf(Lens::Systolic))))
                  lens->showPane(
                      QStringLiteral("systolic-wavefront")); // this pane, even if another one was open last
          });
    a.add("lens.network", menu, tr("Products on the arra&y"), "bars", {},
          tr("Show every product of the workload on the machine's array: cycles, utilisation, what binds."),
          whenOpen, [this] {
              showView(viewOf(Lens::Systolic));
              if (auto* lens = qobject_cast<SystolicView*>(view(viewOf(Lens::Systolic))))
                  lens->showPane(QStringLiteral("systolic-network"));
          });
    a.add(
        "lens.mapping", menu, tr("&Map the product"), "loops", key("Ctrl+Shift+2"),
        tr("Map the selected op, or the largest product of the selected subgraph, onto the machine's "
           "memories."),
        [&workspace, whenProduct] {
            return workspace.links().mappable() ? Availability(true, {}) : whenProduct();
        },
        [&workspace] { workspace.goTo(Lens::Mapping); });
    a.add("lens.npu", menu, tr("&Run on the NPU"), "cores", key("Ctrl+Shift+3"),
          tr("Simulate the whole model on the machine's cores, tile by tile."), whenOpen,
          [&workspace] { workspace.goTo(Lens::Npu); });
    a.add("solve.sweep", tr("Solve"), tr("S&weep a value of the machine…"), "bars", {},
          tr("Show how total and schedule change with fast memory, bandwidth, array, …"), whenOpen,
          [this] { showView(QStringLiteral("sweep")); });
    a.add("lens.machine", menu, tr("M&achine"), "settings", {},
          tr("Show the machine that all lenses share: presets, values and their sources."), {},
          [this] { showView(QStringLiteral("machine")); });
    connect(&workspace, &Workspace::lensWanted, this, [this](Lens lens) { showView(viewOf(lens)); });
    connect(&workspace, &Workspace::runWanted, this, [this] { showView(QStringLiteral("run")); });
}

void MainWindow::createTourActions()
{
    m_tour = new TourGuide(*this);
    auto* player = new TourPlayer(*this, *m_tour);
    const auto samplesThere = [isThere = !samplesFolder().isEmpty()] {
        return Availability(isThere, tr("The samples are not installed."));
    };
    const std::vector<Tour> tours = guidedTours(*this);
    for (const Tour& tour : tours)
        addAction(m_state->actions.add(QStringLiteral("help.tour.") + tour.id, tr("Help"),
                                       tr("Tour: %1").arg(tour.title), "play", {}, tour.tip, samplesThere,
                                       [this, tour] { m_tour->start(tour); }));
    addAction(m_state->actions.add("help.demo", tr("Help"), tr("&Demo: plays the first tour"), "play", {},
                                   tr("Watch the first tour. Press Esc or click to continue it yourself."),
                                   samplesThere, [player, tour = tours.front()] { player->play(tour); }));
}

void MainWindow::showLens(Lens lens)
{
    // The view that was in front stays in front. The main view of the lens is shown if there is none, or if
    // the lens is chosen again.
    const bool asLeft = m_panes->showLens(lens);
    if (!asLeft && (lens != Lens::Schedule || m_state->document.hasProblem()))
        showView(viewOf(lens));
    m_state->actions.refresh();
}

} // namespace tilewright::ui
