// SPDX-License-Identifier: GPL-3.0-or-later
// Actions that switch between the lenses, and the guided tours.
#include "views/systolic/systolic_view.h"
#include "window/main_window.h"
#include "window/panes.h"

#include "window/start_page.h"
#include "window/tour_player.h"
#include "workspace/installed_files.h"
#include "workspace/lens_links.h"

#include <QActionGroup>
#include <QStackedWidget>

namespace tilewright::ui {

namespace {

/// The first view of a lens.
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
    // One checkable action per lens. The content of a lens stays as it was left.
    auto* places = new QActionGroup(this);
    for (const auto& [lens, id, icon, tip] :
         {std::tuple{Lens::Schedule, "schedule", "layout",
                     tr("The graph and its schedule: subgraphs, tiles and latency.")},
          {Lens::Systolic, "systolic", "systolic", tr("One tile on the array, cycle by cycle.")},
          {Lens::Mapping, "mapping", "loops", tr("The loops of one layer on the memories of the machine.")},
          {Lens::Npu, "npu", "cores", tr("The whole model on several cores.")}}) {
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
    a.add("lens.systolic", menu, tr("&Wavefront of the tile"), "systolic", key("Ctrl+Shift+1"),
          tr("Show the tile of the selected subgraph on the machine's array, cycle by cycle."), whenProduct,
          [this, &workspace] {
              workspace.goTo(Lens::Systolic);
              if (auto* lens = qobject_cast<SystolicView*>(view(viewOf(Lens::Systolic))))
                  lens->showPane(
                      QStringLiteral("systolic-wavefront")); // instead of the page that was open last
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
          tr("Simulate the whole model on the machine's cores, with the tiles of this schedule."), whenOpen,
          [&workspace] { workspace.goTo(Lens::Npu); });
    a.add("lens.machine", menu, tr("M&achine"), "settings", {},
          tr("Show the machine that all lenses share: presets, values and their sources."), {},
          [this] { showView(QStringLiteral("machine")); });
    connect(&workspace, &Workspace::lensWanted, this, [this](Lens lens) {
        const QString name = viewOf(lens);
        showView(name);
        m_panes->enlargeDock(name);
    });
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
    const QString name = viewOf(lens);
    if (lens == Lens::Schedule && !m_state->document.hasProblem())
        m_centre->setCurrentWidget(m_startPage);
    else
        showView(name);
    m_panes->enlargeDock(name);
    m_panes->makeRoom(name);
    m_state->actions.refresh();
}

} // namespace tilewright::ui
