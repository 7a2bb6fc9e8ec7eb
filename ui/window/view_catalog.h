// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "workspace/lens_document.h"

#include <QString>

#include <vector>

namespace tilewright::ui {

/// Place of a view by default. Charts: also the views of the lenses.
enum class DockArea { Centre, Left, Charts, Table, Properties };

/// Describes one view: name, title, default place and constructor. The main window and `tilewright render`
/// use these entries.
struct ViewEntry
{
    QString name;  ///< identifier, also of `render --view NAME`
    QString title; ///< title of the dock
    QString iconName;
    DockArea area = DockArea::Charts;
    QString perspectives; ///< names of the perspectives that show it, comma-separated ("Edit,Tiles"); empty:
                          ///< shown when asked for, or when it has something to say
    View* (*create)(const ViewContext& context);
    QString keys{};             ///< shortcut that shows the dock, or hides it if it is in front
    Lens lens = Lens::Schedule; ///< lens whose document the view shows
    QString menu{};             ///< submenu of View > Panes, for views of the Schedule lens
};

[[nodiscard]] const std::vector<ViewEntry>& viewCatalog();

/// A kind of work, and the place of the window for it: a task of the Schedule lens, or one of the other
/// lenses.
struct Perspective
{
    QString name; ///< identifier, also of `render --perspective NAME`
    Lens lens = Lens::Schedule;
    bool hasCentre = true; ///< false: the views of the lens take the place of the graph
    QString tip;
};

/// The tasks of the Schedule lens, then the other lenses.
[[nodiscard]] const std::vector<Perspective>& perspectives();
/// The one of this name, else the first.
[[nodiscard]] const Perspective& perspective(const QString& name);
/// The perspective of a lens; of the Schedule lens the first.
[[nodiscard]] const Perspective& perspective(Lens lens);

} // namespace tilewright::ui
