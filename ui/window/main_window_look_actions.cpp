// SPDX-License-Identifier: GPL-3.0-or-later
// Actions of the View menu for the view that was used last: zoom, fit, back and forward, tooltips by
// keyboard.
#include "canvas/canvas.h"
#include "window/main_window.h"
#include "window/view_catalog.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QDockWidget>
#include <QInputDialog>
#include <QToolTip>

namespace tilewright::ui {

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
        "view.lowerPanes", menu, tr("Hide or show lo&wer views"), "", {QKeySequence(Qt::Key_F11)},
        tr("Hide the views below the graph to enlarge it, or show them again."),
        [this] { return Availability(m_state->document.hasProblem(), tr("Open a problem first.")); },
        [this] { m_panes->toggleLower(); });
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
    // Keys without a modifier only work in views: fields and lists need the letters for typing.
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
        // The click has toggled the check mark, but a view behind others is only brought to the front.
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

} // namespace tilewright::ui
