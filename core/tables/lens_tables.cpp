// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the other lenses and of sweeps, and what is left out.
#include "base/text.h"
#include "mapping/evaluate.h"
#include "tables/table_of.h"

#include <algorithm>
#include <charconv>

namespace tilewright::tables {

namespace {

using enum ColumnType;
using npu::CoreState;

struct NpuOpRow
{
    std::size_t index = 0;
    const npu::OpReport& report;
};

ColumnOf<NpuOpRow> waits(std::string_view name, std::string_view meaning, CoreState state)
{
    return {name, Integer, meaning, [state](const NpuOpRow& r) { return r.report.stallsOf(state); }};
}
template <typename T>
ColumnOf<NpuOpRow> reported(std::string_view name, ColumnType type, std::string_view meaning,
                            T npu::OpReport::*member)
{
    return {name, type, meaning, [member](const NpuOpRow& r) { return r.report.*member; }};
}

const TableOf<NpuOpRow>& npuOpTable()
{
    using R = npu::OpReport;
    static const TableOf<NpuOpRow> table{
        "npu_ops",
        "an operator in the run of the NPU lens, with --npu; cycles are summed over the cores",
        {{"npu_op", Integer, "its number in the model of the lens", &NpuOpRow::index},
         {"operator", Text, "its name, as in the column operator of ops",
          [](const NpuOpRow& r) { return r.report.name; }},
         {"type", Text, "its type", [](const NpuOpRow& r) { return toString(r.report.type); }},
         reported("nodes_count", Integer, "tile operations that it is cut into", &R::nodes),
         reported("start_cycles", Integer, "cycle in which its first one starts", &R::start),
         reported("end_cycles", Integer, "cycle in which its last store ends", &R::end),
         reported("tensor_cycles", Integer, "cycles of tensor engines", &R::tensor),
         reported("vector_cycles", Integer, "cycles of vector engines", &R::vector),
         waits("wait_spm_cycles", "cores wait for room in their scratchpads", CoreState::WaitSpm),
         waits("wait_noc_cycles", "cores wait for the network", CoreState::WaitNoc),
         waits("wait_dram_cycles", "cores wait for DRAM", CoreState::WaitDram),
         waits("wait_dependency_cycles", "cores wait for another operation", CoreState::WaitDependency),
         reported("loaded_bytes", Integer, "moved into scratchpads", &R::loaded),
         reported("stored_bytes", Integer, "moved out of scratchpads", &R::stored),
         {"dram_bytes", Integer, "of both, moved over DRAM",
          [](const NpuOpRow& r) { return r.report.dramBytes(); }},
         {"cores_count", Integer, "cores that ran it",
          [](const NpuOpRow& r) { return r.report.cores.size(); }},
         {"energy_pj", Real, "its energy", [](const NpuOpRow& r) { return r.report.energyPj(); }}}};
    return table;
}

struct StallRow
{
    const npu::NpuGraph& graph;
    std::size_t core = 0;
    const npu::StateSpan& span;

    [[nodiscard]] TableValue operatorOf(std::uint32_t node) const
    {
        return node == npu::kNone ? TableValue() : TableValue(graph.opNames[graph.nodes[node].op]);
    }
};

const TableOf<StallRow>& stallTable()
{
    static const TableOf<StallRow> table{
        "stalls",
        "a time in which a core of the NPU run waits or is idle, with --npu",
        {{"core", Integer, "the core", &StallRow::core},
         {"state", Text, "wait_spm, wait_noc, wait_dram, wait_dependency or idle",
          [](const StallRow& r) { return toString(r.span.state); }},
         {"start_cycles", Integer, "its first cycle", [](const StallRow& r) { return r.span.start; }},
         {"length_cycles", Integer, "its length",
          [](const StallRow& r) { return r.span.end - r.span.start; }},
         {"operator", Text, "operator of the operation that waits",
          [](const StallRow& r) { return r.operatorOf(r.span.node); }},
         {"waits_for_operator", Text, "operator that it waits for, if known",
          [](const StallRow& r) { return r.operatorOf(r.span.blocker); }}}};
    return table;
}

struct MappingRow
{
    const MappingPart& part;
    std::size_t index = 0;
    mapping::Objective objective = mapping::Objective::Energy;

    [[nodiscard]] const mapping::LayerResult& layer() const { return part.layers[index]; }
    [[nodiscard]] const std::optional<mapping::MethodCost>& best() const
    {
        return layer().search.of(objective);
    }
    template <typename T> [[nodiscard]] TableValue of(T mapping::MethodCost::*member) const
    {
        return best() ? TableValue((*best()).*member) : TableValue();
    }
};

const TableOf<MappingRow>& mappingTable()
{
    using C = mapping::MethodCost;
    static const TableOf<MappingRow> table{
        "mappings",
        "the best method of a layer for an objective, with --map",
        {{"layer", Integer, "its number", &MappingRow::index},
         {"operator", Text, "its name", [](const MappingRow& r) { return r.layer().layer.name; }},
         {"runs_count", Integer, "times that the model runs it; the figures are those of one run",
          [](const MappingRow& r) { return r.layer().layer.runs(); }},
         {"objective", Text, "energy, cycles or edp",
          [](const MappingRow& r) { return objectiveName(r.objective); }},
         {"energy_pj", Real, "energy", [](const MappingRow& r) { return r.of(&C::energy); }},
         {"length_cycles", Integer, "time", [](const MappingRow& r) { return r.of(&C::cycles); }},
         {"edp_pj_cycles", Real, "energy times time", [](const MappingRow& r) { return r.of(&C::edp); }},
         {"pes_count", Integer, "processing elements that it uses",
          [](const MappingRow& r) {
              return r.best()
                         ? TableValue(evaluate(r.layer().nest, r.part.architecture, r.best()->method).pesUsed)
                         : TableValue();
          }},
         {"proven", Integer, "1: no method is better for this objective",
          [](const MappingRow& r) { return r.layer().search.isOptimal(r.objective); }}}};
    return table;
}

struct PointRow
{
    const sweep::Plan& plan;
    const sweep::Row& row;
};

const TableOf<PointRow>& pointTable()
{
    static const TableOf<PointRow> table{
        "sweep_points",
        "a point of a sweep, with --sweep",
        {{"point", Integer, "its number", [](const PointRow& r) { return r.row.point; }},
         {"workload", Text, "its workload",
          [](const PointRow& r) { return r.plan.workload[pointAt(r.plan, r.row.point).workload]; }},
         {"state", Text, "done, failed or to do", [](const PointRow& r) { return toString(r.row.state); }},
         {"from_point", Integer, "point whose schedule gives its metrics",
          [](const PointRow& r) { return r.row.metrics.empty() ? TableValue() : TableValue(r.row.from); }},
         {"on_front", Integer, "1: no point of its workload is better in all objectives",
          [](const PointRow& r) { return r.row.onFront; }},
         {"error", Text, "why it failed",
          [](const PointRow& r) { return r.row.error.empty() ? TableValue() : TableValue(r.row.error); }}}};
    return table;
}

struct ValueRow
{
    std::size_t point = 0;
    bool isMetric = false;
    std::string_view name;
    TableValue text, number;
};

const TableOf<ValueRow>& valueTable()
{
    static const TableOf<ValueRow> table{
        "sweep_values",
        "a value of an axis, or a metric, at a point of a sweep",
        {{"point", Integer, "the point", &ValueRow::point},
         {"kind", Text, "axis or metric", [](const ValueRow& r) { return r.isMetric ? "metric" : "axis"; }},
         {"name", Text, "name of the axis or metric, with its unit", &ValueRow::name},
         {"text", Text, "value of an axis as in the plan", &ValueRow::text},
         {"number", Real, "the value, if it is a number", &ValueRow::number}}};
    return table;
}

const TableOf<LeftOut>& leftOutTable()
{
    static const TableOf<LeftOut> table{"left_out",
                                        "what a table does not list",
                                        {{"table_name", Text, "the table", &LeftOut::table},
                                         {"reason", Text, "what is left out, and why", &LeftOut::reason}}};
    return table;
}

} // namespace

void writeNpu(const Writing& w)
{
    if (!w.subject.npu)
        return;
    const npu::NpuGraph& graph = *w.subject.npu->graph;
    const npu::NpuRun& run = *w.subject.npu->run;
    const std::vector<npu::OpReport> reports = npu::opReports(graph, run);
    for (std::size_t i = 0; i < reports.size(); ++i)
        npuOpTable().write(w.sink, {i, reports[i]});
    std::int64_t rows = 0;
    for (std::size_t core = 0; core < run.cores.size() && !w.progress.stopRequested(); ++core)
        for (const npu::StateSpan& span : run.cores[core].states)
            if (span.state != CoreState::Tensor && span.state != CoreState::Vector && rows++ < kMostRows)
                stallTable().write(w.sink, {graph, core, span});
    if (rows > kMostRows)
        w.leftOut.push_back({"stalls", "the first " + formatGrouped(kMostRows) + " rows are listed"});
}

void writeMappings(const Writing& w)
{
    if (!w.subject.mapping)
        return;
    for (std::size_t i = 0; i < w.subject.mapping->layers.size(); ++i)
        for (int objective = 0; objective < mapping::kObjectives; ++objective)
            mappingTable().write(w.sink, {*w.subject.mapping, i, static_cast<mapping::Objective>(objective)});
}

void writeSweep(const Writing& w)
{
    if (!w.subject.sweep)
        return;
    const sweep::Plan& plan = w.subject.sweep->manifest.plan;
    const std::vector<std::string_view> metrics = metricsOf(plan);
    for (const sweep::Row& row : w.subject.sweep->rows)
        pointTable().write(w.sink, {plan, row});
    for (const sweep::Row& row : w.subject.sweep->rows) {
        if (w.progress.stopRequested())
            return;
        const sweep::Point point = pointAt(plan, row.point);
        for (std::size_t a = 0; a < plan.axes.size(); ++a)
            valueTable().write(w.sink, {row.point, false, plan.axes[a].name, point.values[a].text,
                                        point.values[a].number()});
        for (std::size_t m = 0; m < row.metrics.size(); ++m)
            valueTable().write(w.sink, {row.point, true, metrics[m], {}, row.metrics[m]});
    }
}

void writeLeftOut(const Writing& w)
{
    for (const LeftOut& leftOut : w.leftOut)
        leftOutTable().write(w.sink, leftOut);
}

std::vector<const Schema*> schemasOfLenses()
{
    return {&npuOpTable().schema(), &stallTable().schema(), &mappingTable().schema(),
            &pointTable().schema(), &valueTable().schema(), &leftOutTable().schema()};
}

} // namespace tilewright::tables
