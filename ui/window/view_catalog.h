// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "workspace/lens_document.h"

#include <QString>

#include <vector>

namespace tilewright::ui {

enum class DockArea { Centre, Left, Right, Bottom };

/// Describes one view: name, title, default place and constructor. The main window and `tilewright render`
/// use these entries.
struct ViewEntry
{
    QString name;  ///< identifier, also of `render --view NAME`
    QString title; ///< title of the dock
    QString iconName;
    DockArea area = DockArea::Bottom;
    QString perspectives; ///< names of the perspectives that show it, comma-separated ("Edit,Tiles")
    View* (*create)(const ViewContext& context);
    QString keys{};             ///< shortcut that shows the dock, or hides it if it is in front
    Lens lens = Lens::Schedule; ///< lens whose document the view shows
};

[[nodiscard]] const std::vector<ViewEntry>& viewCatalog();

} // namespace tilewright::ui
