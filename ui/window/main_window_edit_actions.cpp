// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of the schedule on what is selected: fuse, split, move, recompute, retain ...
#include "edit/retile.h"
#include "window/main_window.h"
#include "workspace/schedule_edits.h"

namespace tilewright::ui {

void MainWindow::createEditActions()
{
    Actions& a = m_state->actions;
    Document& d = m_state->document;
    Selection& s = m_state->selection;
    const QString menu = tr("Schedule");
    const auto add = [&](const char* id, const QString& text, const char* iconName, QList<QKeySequence> keys,
                         const QString& tip, bool (*edit)(Document&, Selection&)) {
        addAction(
            a.add({QString::fromLatin1(id), menu, text, QString::fromLatin1(iconName), std::move(keys), tip},
                  [&d, &s, edit](bool) { edit(d, s); }));
    };
    add("schedule.fuse", tr("&Fuse selection"), "fuse",
        {QKeySequence(Qt::Key_G), QKeySequence(Qt::CTRL | Qt::Key_J)},
        tr("Execute the selected ops, or the selected subgraphs, together in one subgraph."), fuseSelection);
    add("schedule.split", tr("&Split"), "split", {QKeySequence(Qt::SHIFT | Qt::Key_G)},
        tr("Give the selected ops a subgraph of their own; without ops, split the whole subgraph."),
        splitSelection);
    add("schedule.splitApart", tr("Split into single ops"), "", {},
        tr("Give every op of the subgraph a subgraph of its own."), splitApartSelection);
    add("schedule.mergePrevious", tr("Merge with &previous"), "up",
        {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_Up)}, tr("Fuse the subgraph with the one before it."),
        [](Document& doc, Selection& sel) { return mergeSelectionWith(doc, sel, -1); });
    add("schedule.mergeNext", tr("Merge with &next"), "down",
        {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_Down)}, tr("Fuse the subgraph with the one after it."),
        [](Document& doc, Selection& sel) { return mergeSelectionWith(doc, sel, 1); });
    add("schedule.opsToPrevious", tr("Move ops to previous subgraph"), "",
        {QKeySequence(Qt::ALT | Qt::Key_PageUp)},
        tr("Move the selected ops into the subgraph before theirs."),
        [](Document& doc, Selection& sel) { return moveSelectionTo(doc, sel, -1); });
    add("schedule.opsToNext", tr("Move ops to next subgraph"), "", {QKeySequence(Qt::ALT | Qt::Key_PageDown)},
        tr("Move the selected ops into the subgraph after theirs."),
        [](Document& doc, Selection& sel) { return moveSelectionTo(doc, sel, 1); });
    add("schedule.moveUp", tr("Execute &earlier"), "", {QKeySequence(Qt::ALT | Qt::Key_Up)},
        tr("Move the selected subgraphs one place up in the order of execution."),
        [](Document& doc, Selection& sel) { return shiftSelection(doc, sel, -1); });
    add("schedule.moveDown", tr("Execute &later"), "", {QKeySequence(Qt::ALT | Qt::Key_Down)},
        tr("Move the selected subgraphs one place down in the order of execution."),
        [](Document& doc, Selection& sel) { return shiftSelection(doc, sel, 1); });
    add("schedule.duplicate", tr("D&uplicate subgraph"), "duplicate", {QKeySequence(Qt::CTRL | Qt::Key_D)},
        tr("Execute the subgraph a second time (recomputation)."), duplicateSelection);
    add("schedule.delete", tr("&Remove"), "delete", {QKeySequence::Delete},
        tr("Remove the selected ops from their subgraph, or the selected subgraphs."), deleteSelection);
    add("schedule.retain", tr("Retain or release &tensor"), "retain", {QKeySequence(Qt::Key_R)},
        tr("Keep the selected tensor in fast memory for the next subgraph, or let it go."),
        toggleRetainOfSelection);
    add("schedule.lock", tr("&Lock for the solver"), "lock", {QKeySequence(Qt::Key_L)},
        tr("The solver keeps the ops, granularity, retained tensors and drawn order of locked subgraphs."),
        toggleLock);
    for (const TraversalKind kind : {TraversalKind::Raster, TraversalKind::Snake, TraversalKind::Column,
                                     TraversalKind::ColumnSnake, TraversalKind::Spiral}) {
        const auto name = traversalName(kind);
        const QString text = QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size()));
        a.add({QStringLiteral("schedule.traversal.") + text,
               menu,
               tr("Traversal: %1").arg(text),
               kind == TraversalKind::Snake ? QStringLiteral("snake") : QString(),
               {},
               tr("Visit the tiles of the selected subgraphs in this order.")},
              [&d, &s, kind](bool) { setTraversalOfSelection(d, s, kind); });
    }
    a.add({QStringLiteral("schedule.normalise"),
           menu,
           tr("&Normalise"),
           {},
           {},
           tr("Repair what can be repaired: cover missing ops, order of subgraphs, legal granularities, "
              "useless "
              "retains.")},
          [&d](bool) {
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
               tr("Evaluate by the rules of this statement of the contest; the page Rules explains the "
                  "differences."),
               true},
              [&d, rules = rules](bool) { d.setRules(rules); });
}

void MainWindow::refreshEditActions()
{
    const Document& d = m_state->document;
    const SelectionState& s = m_state->selection.state();
    const bool open = d.hasProblem();
    const bool subgraphs = open && (!s.subgraphs.empty() || s.subgraph);
    for (QAction* action : m_state->actions.all()) {
        const QString id = action->objectName();
        if (!id.startsWith(QLatin1String("schedule.")))
            continue;
        bool on = subgraphs;
        QString why = tr("Select a subgraph first.");
        if (id == QLatin1String("schedule.fuse")) {
            on = open && (s.ops.size() > 1 || s.subgraphs.size() > 1);
            why = tr("Select two or more ops or subgraphs first.");
        } else if (id.startsWith(QLatin1String("schedule.ops")) || id == QLatin1String("schedule.delete") ||
                   id == QLatin1String("schedule.split")) {
            on = subgraphs || (open && !s.ops.empty());
            why = tr("Select ops or a subgraph first.");
        } else if (id == QLatin1String("schedule.normalise") ||
                   id.startsWith(QLatin1String("schedule.rules."))) {
            on = open;
        } else if (id == QLatin1String("schedule.retain")) {
            on = subgraphs && s.tensor;
            why = tr("Select a subgraph, then a tensor (a line of the graph).");
        }
        Actions::setAvailable(action, on, open ? why : tr("Open a problem first."));
    }
    const auto check = [this](const char* id, bool on) {
        m_state->actions.find(QLatin1String(id))->setChecked(on);
    };
    check("schedule.rules.final", d.rules() == Rules::final());
    check("schedule.rules.seed", d.rules() == Rules::seed());
}

} // namespace tilewright::ui
