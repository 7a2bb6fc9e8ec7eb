// SPDX-License-Identifier: GPL-3.0-or-later
// What is looked at in the picture that was used last: zoom, fit, back and forward, tooltips by keyboard.
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
        return Availability(currentCanvas() != nullptr, tr("There is no picture that can be moved."));
    };
    const auto movable = [this] {
        const Canvas* canvas = currentCanvas();
        return canvas && canvas->shownPart() ? canvas : nullptr;
    };
    QAction* fit = add(
        "view.fit", tr("&Fit all"), "fit", {QKeySequence(Qt::SHIFT | Qt::Key_F)},
        tr("Show all of the picture you last used ({canvas.fitAll|Home} does it too)."),
        [](Canvas& c) { c.look([&] { c.fitAll(); }, ZoomHistory::Gesture::Command); }, somewhere);
    QAction* selection = add(
        "view.fitSelection", tr("Go to &selection"), "", {QKeySequence(Qt::Key_F)},
        tr("Bring what is selected to the middle; again: as large as it goes."),
        [](Canvas& c) { c.look([&] { c.goToSelection(); }, ZoomHistory::Gesture::Command); }, somewhere);
    add(
        "view.actualSize", tr("&100 %"), "", {QKeySequence(Qt::CTRL | Qt::Key_0)},
        tr("The natural size of graphs; other pictures show all."),
        [](Canvas& c) { c.look([&] { c.actualSize(); }, ZoomHistory::Gesture::Command); }, somewhere);
    add(
        "view.zoomIn", tr("Zoom &in"), "zoom-in", {QKeySequence::ZoomIn}, tr("Enlarge."),
        [](Canvas& c) {
            c.look([&] { c.zoomBy(1.25, QRectF(c.rect()).center()); }, ZoomHistory::Gesture::Keys);
        },
        somewhere);
    add(
        "view.zoomOut", tr("Zoom &out"), "zoom-out", {QKeySequence::ZoomOut}, tr("Make smaller."),
        [](Canvas& c) {
            c.look([&] { c.zoomBy(0.8, QRectF(c.rect()).center()); }, ZoomHistory::Gesture::Keys);
        },
        somewhere);
    add(
        "view.back", tr("Look &back"), "", {QKeySequence(Qt::ALT | Qt::Key_Left)},
        tr("Show again what this picture showed before you zoomed, scrolled or fitted."),
        [](Canvas& c) { c.goBack(); },
        [movable] {
            const Canvas* canvas = movable();
            return Availability(canvas && canvas->history().canGoBack(),
                                tr("This picture has not been zoomed or scrolled."));
        });
    add(
        "view.forward", tr("Look for&ward"), "", {QKeySequence(Qt::ALT | Qt::Key_Right)},
        tr("Undo going back."), [](Canvas& c) { c.goForward(); },
        [movable] {
            const Canvas* canvas = movable();
            return Availability(canvas && canvas->history().canGoForward(),
                                tr("You have not gone back in this picture."));
        });
    m_state->actions.add(
        "view.lowerPanes", menu, tr("Lo&wer panes"), "", {QKeySequence(Qt::Key_F11)},
        tr("Hide the panes below the picture, which gets their room, or bring them back."),
        [this] { return Availability(m_state->document.hasProblem(), tr("Open a problem first.")); },
        [this] { m_panes->toggleLower(); });
    m_state->actions.add(
        "view.note", menu, tr("&Note on this view…"), "", {},
        tr("What you want to remember of the view you last used: kept with the session, told in reports."),
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
    // Letters belong to the pictures: fields and lists need them for typing.
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
             tr("Show the pane and go to it, or hide it when it is in front."), true},
            [this, name = entry.name](bool) { m_panes->toggle(name); });
        addAction(action);
        const QAction* shown = dock->toggleViewAction();
        const auto follow = [action, shown] { action->setChecked(shown->isChecked()); };
        connect(shown, &QAction::toggled, action, follow);
        connect(action, &QAction::triggered, action, follow); // one that came to the front stays checked
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
    // A control without a tooltip of its own is explained by what it stands in.
    for (QWidget* w = focus; w && text.isEmpty(); w = w->parentWidget()) {
        text = w->toolTip().isEmpty() ? w->accessibleDescription() : w->toolTip();
        at = w->mapToGlobal(w->rect().center());
    }
    if (text.isEmpty())
        text = tr("Nothing here has an explanation.");
    QToolTip::showText(focus ? at : mapToGlobal(rect().center()), text, focus ? focus : this, {}, 60'000);
}

} // namespace tilewright::ui
