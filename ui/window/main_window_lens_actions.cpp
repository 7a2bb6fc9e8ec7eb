// SPDX-License-Identifier: GPL-3.0-or-later
// From the schedule to the other lenses.
#include "window/main_window.h"
#include "window/panes.h"

#include "workspace/lens_links.h"

namespace tilewright::ui {

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
                            tr("The selected subgraph multiplies no matrices."));
    };
    const auto key = [](const char* keys) { return QList{QKeySequence(QString::fromLatin1(keys))}; };
    a.add("lens.slowest", menu, tr("Select the slowest su&bgraph"), "search", key("Ctrl+Shift+L"),
          tr("Select the subgraph that takes the longest."), whenOpen, [&workspace] {
              if (const auto slowest = workspace.links().slowest())
                  workspace.selection().selectSubgraph(*slowest);
          });
    a.add("lens.systolic", menu, tr("&Wavefront of the tile"), "systolic", key("Ctrl+Shift+1"),
          tr("Look at the tile of the selected subgraph cycle by cycle, on the machine's array."),
          whenProduct, [&workspace] { workspace.goTo(Lens::Systolic); });
    a.add(
        "lens.mapping", menu, tr("&Map the product"), "loops", key("Ctrl+Shift+2"),
        tr("Map the selected op, or the largest product of the selected subgraph, onto the machine's "
           "memories."),
        [&workspace, whenProduct] {
            return workspace.links().mappable() ? Availability(true, {}) : whenProduct();
        },
        [&workspace] { workspace.goTo(Lens::Mapping); });
    a.add("lens.npu", menu, tr("&Run on the NPU"), "cores", key("Ctrl+Shift+3"),
          tr("Run the whole model on the machine's cores, cut into the tiles of this schedule."), whenOpen,
          [&workspace] { workspace.goTo(Lens::Npu); });
    a.add("lens.machine", menu, tr("M&achine"), "settings", {},
          tr("The machine that all lenses share: presets, values, where they come from."), {},
          [this] { showView(QStringLiteral("machine")); });
    connect(&workspace, &Workspace::lensWanted, this, [this](Lens lens) {
        const QString name = lens == Lens::Systolic ? QStringLiteral("systolic")
                             : lens == Lens::Npu    ? QStringLiteral("npu")
                                                    : QStringLiteral("mapping");
        showView(name);
        m_panes->giveRoom(name);
    });
}

} // namespace tilewright::ui
