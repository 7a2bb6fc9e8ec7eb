// SPDX-License-Identifier: GPL-3.0-or-later
// Actions that edit the selected part of the schedule: fuse, split, move, recompute, retain, …
#include "edit/retile.h"
#include "theme/text_row.h"
#include "window/main_window.h"
#include "workspace/schedule_edits.h"

namespace tilewright::ui {

void MainWindow::createEditActions()
{
    Actions& a = m_state->actions;
    Document& d = m_state->document;
    Selection& s = m_state->selection;
    const QString menu = tr("Schedule");
    // Availability of an edit that needs an open problem and a selection for which has() is true.
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
    const Available tensor = needs([](const SelectionState& now) { return now.hasSubgraph() && now.tensor; },
                                   tr("Select a subgraph, then a tensor (an edge of the graph)."));
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
        tr("Retain the selected tensor in fast memory for the next subgraph, or release it."), tensor,
        toggleRetainOfSelection);
    add("schedule.lock", tr("&Lock for the solver"), "lock", {QKeySequence(Qt::Key_L)},
        tr("The solver does not change ops, granularity, retained tensors and drawn tile order of locked "
           "subgraphs."),
        subgraph, toggleLock);
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
          std::tuple{"schedule.rules.seed", tr("Rules: earlier statemen&t"), Rules::seed()}})
        a.add({QString::fromLatin1(id),
               menu,
               text,
               {},
               {},
               tr("Evaluate by the rules of this statement of the contest. The Rules view explains the "
                  "differences."),
               true,
               {},
               nothing,
               [&d, rules = rules] { return d.rules() == rules; }},
              [&d, rules = rules](bool) { d.setRules(rules); });
}

} // namespace tilewright::ui
