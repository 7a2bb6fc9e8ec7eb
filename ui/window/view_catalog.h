// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "workspace/lens_document.h"

#include <QString>

#include <vector>

namespace tilewright::ui {

enum class DockArea { Centre, Left, Right, Bottom };

/// One view of the product: how it is called, where it stands by default, how it is made. The main window and
/// `tilewright render` both read this list.
struct ViewEntry
{
    QString name;  ///< `render --view NAME`
    QString title; ///< dock title
    QString iconName;
    DockArea area = DockArea::Bottom;
    QString perspectives; ///< names of the perspectives that show it, comma-separated ("Edit,Tiles")
    View* (*create)(const ViewContext& context);
    QString keys{};             ///< show the dock, or hide it when it is in front
    Lens lens = Lens::Schedule; ///< whose document it shows
};

[[nodiscard]] const std::vector<ViewEntry>& viewCatalog();

} // namespace tilewright::ui
