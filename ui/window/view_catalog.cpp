// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/view_catalog.h"

#include "panels/bound/bound_view.h"
#include "panels/history/history_view.h"
#include "panels/import/import_view.h"
#include "panels/inspector/inspector_view.h"
#include "panels/machine/machine_view.h"
#include "panels/problems/problems_view.h"
#include "panels/rules/rules_view.h"
#include "panels/solver/solver_view.h"
#include "panels/subgraphs/subgraphs_view.h"
#include "theme/text.h"
#include "views/compare/compare_view.h"
#include "views/granularity/granularity_view.h"
#include "views/graph/graph_view.h"
#include "views/latency/latency_view.h"
#include "views/mapping/mapping_model_view.h"
#include "views/mapping/mapping_view.h"
#include "views/mapping/search_map_view.h"
#include "views/memory/memory_view.h"
#include "views/npu/npu_graph_view.h"
#include "views/npu/npu_scaling_view.h"
#include "views/npu/npu_tiles_view.h"
#include "views/npu/npu_view.h"
#include "views/roofline/roofline_view.h"
#include "views/sweep/sweep_view.h"
#include "views/systolic/gantt_canvas.h"
#include "views/systolic/levels_canvas.h"
#include "views/systolic/systolic_view.h"
#include "views/systolic/tile_map_canvas.h"
#include "views/tiles/tiles_view.h"

namespace tilewright::ui {

namespace {

template <typename V> View* make(const ViewContext& context)
{
    return new V(context);
}

} // namespace

const std::vector<ViewEntry>& viewCatalog()
{
    // In the order of the tabs.
    static const std::vector<ViewEntry> entries{
        {QStringLiteral("graph"), tr("Graph"), QStringLiteral("layout"), DockArea::Centre,
         QStringLiteral("Edit,Tiles"), &make<GraphView>},
        {QStringLiteral("compare"), tr("Compare"), QStringLiteral("compare"), DockArea::Centre,
         QStringLiteral("Compare"), &make<CompareView>},
        {QStringLiteral("subgraphs"), tr("Subgraphs"), QStringLiteral("bars"), DockArea::Left,
         QStringLiteral("Edit,Tiles"), &make<SubgraphsView>, QStringLiteral("Alt+1")},
        {QStringLiteral("inspector"), tr("Inspector"), QStringLiteral("settings"), DockArea::Right,
         QStringLiteral("Edit,Tiles"), &make<InspectorView>, QStringLiteral("Alt+2")},
        {QStringLiteral("machine"), tr("Machine"), QStringLiteral("settings"), DockArea::Right,
         QStringLiteral("Edit,Hardware"), &make<MachineView>, QStringLiteral("Alt+M")},
        {QStringLiteral("memory"), tr("Memory timeline"), QStringLiteral("memory"), DockArea::Bottom,
         QStringLiteral("Edit,Tiles,Compare"), &make<MemoryView>, QStringLiteral("Alt+3")},
        {QStringLiteral("tiles"), tr("Tile grid"), QStringLiteral("grid"), DockArea::Bottom,
         QStringLiteral("Edit,Tiles"), &make<TilesView>, QStringLiteral("Alt+4")},
        {QStringLiteral("solver"), tr("Solver"), QStringLiteral("solve"), DockArea::Bottom,
         QStringLiteral("Edit"), &make<SolverView>, QStringLiteral("Alt+5")},
        {QStringLiteral("latency"), tr("Latency"), QStringLiteral("bars"), DockArea::Bottom,
         QStringLiteral("Edit,Compare"), &make<LatencyView>, QStringLiteral("Alt+6")},
        {QStringLiteral("roofline"), tr("Roofline"), QStringLiteral("roofline"), DockArea::Bottom,
         QStringLiteral("Edit,Compare"), &make<RooflineView>, QStringLiteral("Alt+7")},
        {QStringLiteral("granularity"), tr("Granularity map"), QStringLiteral("grid"), DockArea::Bottom,
         QStringLiteral("Edit,Tiles"), &make<GranularityView>, QStringLiteral("Alt+8")},
        {QStringLiteral("import"), tr("Import"), QStringLiteral("down"), DockArea::Bottom,
         QStringLiteral("Edit,Hardware"), &make<ImportView>, QStringLiteral("Alt+Shift+M")},
        {QStringLiteral("systolic"), tr("Systolic"), QStringLiteral("systolic"), DockArea::Bottom,
         QStringLiteral("Hardware"), &make<SystolicView>, QStringLiteral("Alt+Shift+1"), Lens::Systolic},
        {QStringLiteral("mapping"), tr("Mapping"), QStringLiteral("loops"), DockArea::Bottom,
         QStringLiteral("Hardware"), &make<MappingView>, QStringLiteral("Alt+Shift+2"), Lens::Mapping},
        {QStringLiteral("mapping-search"), tr("Mapping search"), QStringLiteral("search"), DockArea::Bottom,
         QStringLiteral("Hardware"), &make<SearchMapView>, QStringLiteral("Alt+Shift+3"), Lens::Mapping},
        {QStringLiteral("mapping-model"), tr("Mapping of a model"), QStringLiteral("grid"), DockArea::Bottom,
         QStringLiteral("Hardware"), &make<MappingModelView>, QStringLiteral("Alt+Shift+4"), Lens::Mapping},
        {QStringLiteral("npu"), tr("NPU run"), QStringLiteral("cores"), DockArea::Bottom,
         QStringLiteral("Hardware"), &make<NpuView>, QStringLiteral("Alt+Shift+5"), Lens::Npu},
        {QStringLiteral("npu-graph"), tr("NPU tile graph"), QStringLiteral("layout"), DockArea::Bottom,
         QStringLiteral("Hardware"), &make<NpuGraphView>, QStringLiteral("Alt+Shift+6"), Lens::Npu},
        {QStringLiteral("npu-scaling"), tr("NPU scaling"), QStringLiteral("bars"), DockArea::Bottom,
         QStringLiteral("Hardware"), &make<NpuScalingView>, QStringLiteral("Alt+Shift+7"), Lens::Npu},
        {QStringLiteral("npu-tiles"),
         tr("NPU tiles"),
         QStringLiteral("grid"),
         DockArea::Bottom,
         QStringLiteral(""),
         &make<NpuTilesView>,
         {},
         Lens::Npu},
        {QStringLiteral("systolic-pipeline"),
         tr("Systolic pipeline"),
         QStringLiteral("systolic"),
         DockArea::Bottom,
         QStringLiteral(""),
         &make<GanttCanvas>,
         {},
         Lens::Systolic},
        {QStringLiteral("systolic-tiles"),
         tr("Systolic tile search"),
         QStringLiteral("grid"),
         DockArea::Bottom,
         QStringLiteral(""),
         &make<TileMapCanvas>,
         {},
         Lens::Systolic},
        {QStringLiteral("systolic-memory"),
         tr("Systolic memories"),
         QStringLiteral("memory"),
         DockArea::Bottom,
         QStringLiteral(""),
         &make<LevelsCanvas>,
         {},
         Lens::Systolic},
        {QStringLiteral("problems"), tr("Problems"), QStringLiteral("problem"), DockArea::Bottom,
         QStringLiteral("Edit,Tiles"), &make<ProblemsView>, QStringLiteral("Alt+9")},
        {QStringLiteral("history"), tr("History"), QStringLiteral("clock"), DockArea::Bottom,
         QStringLiteral("Edit"), &make<HistoryView>, QStringLiteral("Alt+0")},
        {QStringLiteral("sweep"), tr("Sweep"), QStringLiteral("bars"), DockArea::Bottom,
         QStringLiteral("Edit,Hardware"), &make<SweepView>, QStringLiteral("Alt+Shift+8")},
        {QStringLiteral("bound"), tr("Lower bound"), QStringLiteral("roofline"), DockArea::Bottom,
         QStringLiteral(""), &make<BoundView>, QStringLiteral("Alt+Shift+9")},
        {QStringLiteral("rules"), tr("Rules"), QStringLiteral("settings"), DockArea::Bottom,
         QStringLiteral(""), &make<RulesView>, QStringLiteral("Alt+Shift+0")},
    };
    return entries;
}

} // namespace tilewright::ui
