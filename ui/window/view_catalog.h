// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "workspace/lens_document.h"

#include <QString>

#include <vector>

namespace tilewright::ui {

/// Default place of a view. Charts is also the place of the views of the lenses.
enum class DockArea { Centre, Left, Charts, Table, Properties };

/// Describes one view: name, title, default place and constructor. The main window and `tilewright render`
/// use these entries.
struct ViewEntry
{
    QString name;  ///< identifier, also for `render --view NAME`
    QString title; ///< title of the dock
    QString iconName;
    DockArea area = DockArea::Charts;
    QString perspectives; ///< names of the perspectives that show it, comma-separated ("Edit,Tiles"); empty:
                          ///< the view is shown on request, or when it has content
    View* (*create)(const ViewContext& context);
    QString keys{};             ///< shortcut that shows the dock; if it is in front already, hides it
    Lens lens = Lens::Schedule; ///< lens whose document the view shows
    QString menu{}; ///< submenu of View > Panes that lists the view; for views of the Schedule lens
};

[[nodiscard]] const std::vector<ViewEntry>& viewCatalog();

/// A kind of work with its arrangement of the window: a task of the Schedule lens, or one of the other
/// lenses.
struct Perspective
{
    QString name; ///< identifier, also for `render --perspective NAME`
    Lens lens = Lens::Schedule;
    bool hasCentre = true; ///< false: the views of the lens take the place of the graph
    QString tip;
};

/// Returns all perspectives: first the tasks of the Schedule lens, then the other lenses.
[[nodiscard]] const std::vector<Perspective>& perspectives();
/// Returns the perspective of this name, or the first one if there is none.
[[nodiscard]] const Perspective& perspective(const QString& name);
/// Returns the perspective of a lens; for the Schedule lens the first one.
[[nodiscard]] const Perspective& perspective(Lens lens);

} // namespace tilewright::ui
