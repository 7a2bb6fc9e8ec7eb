// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/view_catalog.h"

#include "panels/bound/bound_view.h"
#include "panels/history/history_view.h"
#include "panels/import/import_view.h"
#include "panels/inspector/inspector_view.h"
#include "panels/layers/layers_view.h"
#include "panels/machine/machine_view.h"
#include "panels/problems/problems_view.h"
#include "panels/query/query_view.h"
#include "panels/rules/rules_view.h"
#include "panels/solver/solver_view.h"
#include "panels/subgraphs/subgraphs_view.h"
#include "panels/summary/summary_view.h"
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
#include "views/overlay/overlay_view.h"
#include "views/roofline/roofline_view.h"
#include "views/run/run_view.h"
#include "views/sweep/sweep_view.h"
#include "views/systolic/gantt_canvas.h"
#include "views/systolic/levels_canvas.h"
#include "views/systolic/listing_pane.h"
#include "views/systolic/network_pane.h"
#include "views/systolic/systolic_view.h"
#include "views/systolic/tile_map_canvas.h"
#include "views/tiles/tiles_view.h"
#include "views/validation/validation_view.h"

#include <algorithm>

namespace tilewright::ui {

namespace {

template <typename V> View* make(const ViewContext& context)
{
    return new V(context);
}

} // namespace

const std::vector<ViewEntry>& viewCatalog()
{
    // The views in the order of their tabs.
    static const std::vector<ViewEntry> entries{
        {QStringLiteral("graph"), tr("Graph"), QStringLiteral("layout"), DockArea::Centre,
         QStringLiteral("Edit,Tiles,Hardware"), &make<GraphView>},
        {QStringLiteral("compare"), tr("Compare"), QStringLiteral("compare"), DockArea::Centre,
         QStringLiteral("Compare"), &make<CompareView>},
        {QStringLiteral("subgraphs"), tr("Subgraphs"), QStringLiteral("bars"), DockArea::Table,
         QStringLiteral("Edit,Tiles"), &make<SubgraphsView>, QStringLiteral("Alt+1"), Lens::Schedule,
         tr("&Lists")},
        {QStringLiteral("layers"), tr("Layers"), QStringLiteral("bars"), DockArea::Left,
         QStringLiteral("Systolic,Mapping,NPU"), &make<LayersView>, QStringLiteral("Alt+Shift+L"),
         Lens::Schedule, tr("&Lists")},
        {QStringLiteral("inspector"), tr("Inspector"), QStringLiteral("settings"), DockArea::Properties,
         QStringLiteral("Edit,Tiles"), &make<InspectorView>, QStringLiteral("Alt+2"), Lens::Schedule,
         tr("&Lists")},
        {QStringLiteral("machine"), tr("Machine"), QStringLiteral("settings"), DockArea::Properties,
         QStringLiteral("Hardware"), &make<MachineView>, QStringLiteral("Alt+M"), Lens::Schedule,
         tr("&Set-up")},
        {QStringLiteral("memory"), tr("Timeline"), QStringLiteral("memory"), DockArea::Charts,
         QStringLiteral("Edit,Tiles,Compare"), &make<MemoryView>, QStringLiteral("Alt+3"), Lens::Schedule,
         tr("&Charts")},
        {QStringLiteral("tiles"), tr("Tile grid"), QStringLiteral("grid"), DockArea::Charts,
         QStringLiteral("Edit,Tiles"), &make<TilesView>, QStringLiteral("Alt+4"), Lens::Schedule,
         tr("&Charts")},
        {QStringLiteral("run"), tr("Run"), QStringLiteral("play"), DockArea::Charts,
         QStringLiteral("Edit,Tiles"), &make<RunView>, QStringLiteral("Alt+Shift+R"), Lens::Schedule,
         tr("&Charts")},
        {QStringLiteral("solver"), tr("Solver"), QStringLiteral("solve"), DockArea::Charts,
         QStringLiteral(""), &make<SolverView>, QStringLiteral("Alt+5"), Lens::Schedule, tr("&Set-up")},
        {QStringLiteral("latency"), tr("Latency"), QStringLiteral("bars"), DockArea::Charts,
         QStringLiteral("Edit,Compare"), &make<LatencyView>, QStringLiteral("Alt+6"), Lens::Schedule,
         tr("&Charts")},
        {QStringLiteral("roofline"), tr("Roofline"), QStringLiteral("roofline"), DockArea::Charts,
         QStringLiteral("Edit,Compare"), &make<RooflineView>, QStringLiteral("Alt+7"), Lens::Schedule,
         tr("&Charts")},
        {QStringLiteral("granularity"), tr("Granularity map"), QStringLiteral("grid"), DockArea::Charts,
         QStringLiteral(""), &make<GranularityView>, QStringLiteral("Alt+8"), Lens::Schedule, tr("&Charts")},
        {QStringLiteral("import"), tr("Import"), QStringLiteral("down"), DockArea::Charts,
         QStringLiteral("Hardware"), &make<ImportView>, QStringLiteral("Alt+Shift+M"), Lens::Schedule,
         tr("&Set-up")},
        {QStringLiteral("summary"), tr("Summary"), QStringLiteral("bars"), DockArea::Charts,
         QStringLiteral("Edit,Hardware"), &make<SummaryView>, QStringLiteral("Alt+Shift+S"), Lens::Schedule,
         tr("&Charts")},
        {QStringLiteral("systolic"), tr("Systolic"), QStringLiteral("systolic"), DockArea::Charts,
         QStringLiteral("Systolic"), &make<SystolicView>, QStringLiteral("Alt+Shift+1"), Lens::Systolic},
        {QStringLiteral("mapping"), tr("Mapping"), QStringLiteral("loops"), DockArea::Charts,
         QStringLiteral("Mapping"), &make<MappingView>, QStringLiteral("Alt+Shift+2"), Lens::Mapping},
        {QStringLiteral("mapping-search"), tr("Mapping search"), QStringLiteral("search"), DockArea::Charts,
         QStringLiteral("Mapping"), &make<SearchMapView>, QStringLiteral("Alt+Shift+3"), Lens::Mapping},
        {QStringLiteral("mapping-model"), tr("Mapping of a model"), QStringLiteral("grid"), DockArea::Charts,
         QStringLiteral("Mapping"), &make<MappingModelView>, QStringLiteral("Alt+Shift+4"), Lens::Mapping},
        {QStringLiteral("npu"), tr("NPU run"), QStringLiteral("cores"), DockArea::Charts,
         QStringLiteral("NPU"), &make<NpuView>, QStringLiteral("Alt+Shift+5"), Lens::Npu},
        {QStringLiteral("npu-graph"), tr("NPU tile graph"), QStringLiteral("layout"), DockArea::Charts,
         QStringLiteral("NPU"), &make<NpuGraphView>, QStringLiteral("Alt+Shift+6"), Lens::Npu},
        {QStringLiteral("npu-scaling"), tr("NPU scaling"), QStringLiteral("bars"), DockArea::Charts,
         QStringLiteral("NPU"), &make<NpuScalingView>, QStringLiteral("Alt+Shift+7"), Lens::Npu},
        {QStringLiteral("npu-tiles"),
         tr("NPU tiles"),
         QStringLiteral("grid"),
         DockArea::Charts,
         QStringLiteral("NPU"),
         &make<NpuTilesView>,
         {},
         Lens::Npu},
        {QStringLiteral("systolic-pipeline"),
         tr("Systolic pipeline"),
         QStringLiteral("systolic"),
         DockArea::Charts,
         QStringLiteral(""),
         &make<GanttCanvas>,
         {},
         Lens::Systolic},
        {QStringLiteral("systolic-tiles"),
         tr("Systolic tile search"),
         QStringLiteral("grid"),
         DockArea::Charts,
         QStringLiteral(""),
         &make<TileMapCanvas>,
         {},
         Lens::Systolic},
        {QStringLiteral("systolic-memory"),
         tr("Systolic memories"),
         QStringLiteral("memory"),
         DockArea::Charts,
         QStringLiteral(""),
         &make<LevelsCanvas>,
         {},
         Lens::Systolic},
        {QStringLiteral("systolic-listing"),
         tr("Systolic listing"),
         QStringLiteral("bars"),
         DockArea::Charts,
         QStringLiteral(""),
         &make<ListingPane>,
         {},
         Lens::Systolic},
        {QStringLiteral("systolic-network"),
         tr("Systolic network"),
         QStringLiteral("bars"),
         DockArea::Charts,
         QStringLiteral(""),
         &make<NetworkPane>,
         {},
         Lens::Systolic},
        {QStringLiteral("problems"), tr("Problems"), QStringLiteral("problem"), DockArea::Charts,
         QStringLiteral(""), &make<ProblemsView>, QStringLiteral("Alt+9"), Lens::Schedule, tr("&Lists")},
        {QStringLiteral("history"), tr("History"), QStringLiteral("clock"), DockArea::Charts,
         QStringLiteral(""), &make<HistoryView>, QStringLiteral("Alt+0"), Lens::Schedule, tr("&Lists")},
        {QStringLiteral("sweep"), tr("Sweep"), QStringLiteral("bars"), DockArea::Charts,
         QStringLiteral("Hardware"), &make<SweepView>, QStringLiteral("Alt+Shift+8"), Lens::Schedule,
         tr("&Charts")},
        {QStringLiteral("validation"),
         tr("Validation"),
         QStringLiteral("roofline"),
         DockArea::Charts,
         QStringLiteral(""),
         &make<ValidationView>,
         {},
         Lens::Schedule,
         tr("&Charts")},
        {QStringLiteral("query"), tr("Query"), QStringLiteral("search"), DockArea::Charts, QStringLiteral(""),
         &make<QueryView>, QStringLiteral("Alt+Shift+Q"), Lens::Schedule, tr("&Lists")},
        {QStringLiteral("overlay"),
         tr("Measured"),
         QStringLiteral("compare"),
         DockArea::Charts,
         QStringLiteral(""),
         &make<OverlayView>,
         {},
         Lens::Schedule,
         tr("&Charts")},
        {QStringLiteral("bound"), tr("Lower bound"), QStringLiteral("roofline"), DockArea::Charts,
         QStringLiteral(""), &make<BoundView>, QStringLiteral("Alt+Shift+9"), Lens::Schedule, tr("&Set-up")},
        {QStringLiteral("rules"), tr("Rules"), QStringLiteral("settings"), DockArea::Charts,
         QStringLiteral(""), &make<RulesView>, QStringLiteral("Alt+Shift+0"), Lens::Schedule, tr("&Set-up")},
    };
    return entries;
}

const std::vector<Perspective>& perspectives()
{
    static const std::vector<Perspective> all{
        {QStringLiteral("Edit"), Lens::Schedule, true, tr("Group ops, and see what each edit changes.")},
        {QStringLiteral("Tiles"), Lens::Schedule, true, tr("Choose tile sizes and the order of the tiles.")},
        {QStringLiteral("Compare"), Lens::Schedule, true, tr("Compare the schedule with a baseline.")},
        {QStringLiteral("Hardware"), Lens::Schedule, true, tr("Change the machine, and sweep its values.")},
        {QStringLiteral("Systolic"), Lens::Systolic, false, tr("One tile on the array, cycle by cycle.")},
        {QStringLiteral("Mapping"), Lens::Mapping, false,
         tr("The loops of one layer on the memories of the machine.")},
        {QStringLiteral("NPU"), Lens::Npu, false, tr("The whole model on several cores.")},
    };
    return all;
}

const Perspective& perspective(const QString& name)
{
    const auto at = std::ranges::find(perspectives(), name, &Perspective::name);
    return at == perspectives().end() ? perspectives().front() : *at;
}

const Perspective& perspective(Lens lens)
{
    return *std::ranges::find(perspectives(), lens, &Perspective::lens);
}

} // namespace tilewright::ui
