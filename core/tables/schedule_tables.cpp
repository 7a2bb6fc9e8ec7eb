// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of an evaluated schedule: subgraphs, their ops, their traffic.
#include "eval/memory_use.h"
#include "figures/schedule_figures.h"
#include "rules/check.h"
#include "tables/table_of.h"

#include <algorithm>

namespace tilewright::tables {

namespace {

using enum ColumnType;

struct SubgraphRow
{
    const Subject& subject;
    const figures::Figures& figures;
    std::size_t index = 0;
    double start = 0;

    [[nodiscard]] const Problem& problem() const { return *subject.snapshot->problem; }
    [[nodiscard]] const Subgraph& subgraph() const { return subject.snapshot->schedule[SubgraphId(index)]; }
    [[nodiscard]] const SubgraphEvaluation& evaluation() const
    {
        return subject.snapshot->evaluation.subgraphs[index];
    }
    /// A value of a subgraph's evaluation; missing if the subgraph breaks a rule.
    template <typename T> [[nodiscard]] TableValue ifValid(T SubgraphEvaluation::*member) const
    {
        return evaluation().structurallyValid ? TableValue(evaluation().*member) : TableValue();
    }
    [[nodiscard]] TableValue figure(std::string_view name) const
    {
        std::string address = "subgraphs.";
        address.append(std::to_string(index)).append(".").append(name);
        const auto found = figures.find(address);
        return found ? TableValue(found->value.value) : TableValue();
    }
};

/// A column with a value of a subgraph's evaluation.
template <typename T>
ColumnOf<SubgraphRow> evaluated(std::string_view name, ColumnType type, std::string_view meaning,
                                T SubgraphEvaluation::*member)
{
    return {name, type, meaning, [member](const SubgraphRow& r) { return r.ifValid(member); }};
}

std::string namesOf(const Problem& problem, const std::vector<OpId>& ops)
{
    std::string out;
    for (const OpId o : ops)
        out.append(out.empty() ? "" : " ").append(problem.opName(o));
    return out;
}

const TableOf<SubgraphRow>& subgraphTable()
{
    using E = SubgraphEvaluation;
    static const TableOf<SubgraphRow> table{
        "subgraphs",
        "a subgraph of the schedule; one that breaks a rule has no figures",
        {{"subgraph", Integer, "its place in the order of execution", &SubgraphRow::index},
         {"ops_count", Integer, "ops that it computes",
          [](const SubgraphRow& r) { return r.subgraph().ops.size(); }},
         {"op_names", Text, "their names, with spaces",
          [](const SubgraphRow& r) { return namesOf(r.problem(), r.subgraph().ops); }},
         {"tile_width_elements", Integer, "columns of a tile (w)",
          [](const SubgraphRow& r) { return r.subgraph().granularity.w; }},
         {"tile_height_elements", Integer, "rows of a tile (h)",
          [](const SubgraphRow& r) { return r.subgraph().granularity.h; }},
         {"tile_depth_elements", Integer, "reduction of a step (k)",
          [](const SubgraphRow& r) { return r.subgraph().granularity.k; }},
         {"traversal", Text, "order of the tiles",
          [](const SubgraphRow& r) { return traversalName(r.subgraph().traversal.kind()); }},
         {"locked", Integer, "1: the search does not change it",
          [](const SubgraphRow& r) { return r.subgraph().locked; }},
         {"start_time_units", Real, "sum of the latencies before it", &SubgraphRow::start},
         evaluated("latency_time_units", Real, "its latency (R10.1)", &E::latency),
         evaluated("compute_time_units", Real, "its compute time (R8)", &E::compute),
         evaluated("memory_time_units", Real, "its memory time (R10.1)", &E::memory),
         {"bound", Text, "compute, memory or balanced: the longer of the two",
          [](const SubgraphRow& r) {
              return r.evaluation().structurallyValid ? TableValue(boundName(r.evaluation().bound))
                                                      : TableValue();
          }},
         evaluated("load_elements", Real, "elements loaded from slow memory", &E::loadElements),
         evaluated("store_elements", Real, "elements stored to slow memory", &E::storeElements),
         evaluated("peak_working_set_elements", Real, "room of its largest step (R9)", &E::peakWorkingSet),
         evaluated("reserved_elements", Real, "room of resident and retained tensors (R9.1a)", &E::reserved),
         evaluated("fits", Integer, "1: the largest step fits into the capacity", &E::fits),
         evaluated("steps_count", Integer, "steps, one for each tile and part of the reduction", &E::steps),
         evaluated("tile_rows_count", Integer, "rows of the tile grid", &E::rows),
         evaluated("tile_columns_count", Integer, "columns of the tile grid", &E::cols),
         evaluated("compute_bound_steps_count", Integer,
                   "steps whose compute time is at least their memory time", &E::computeBoundSteps),
         {"energy_pj", Real, "its energy (R17), if the problem states energies",
          [](const SubgraphRow& r) {
              return r.problem().hasEnergy() ? r.ifValid(&E::energy) : TableValue();
          }},
         {"padding_ratio", Real, "compute time for each unit of work (figure subgraphs.*.padding)",
          [](const SubgraphRow& r) { return r.figure("padding"); }},
         {"reload_ratio", Real, "loads for each element of its inputs (figure subgraphs.*.reload)",
          [](const SubgraphRow& r) { return r.figure("reload"); }},
         {"padding_time_units", Real, "compute time of padding and repetition (R8.5)",
          [](const SubgraphRow& r) { return r.figure("padding_time"); }},
         {"reloaded_elements", Real, "elements loaded more than once, halos included (R7.6)",
          [](const SubgraphRow& r) { return r.figure("reloaded_elements"); }},
         {"halo_elements", Real, "elements of halos that are read twice (R7.6)",
          [](const SubgraphRow& r) { return r.figure("halo_elements"); }}}};
    return table;
}

struct SubgraphOpRow
{
    std::size_t subgraph = 0, position = 0;
    OpId op;
};

const TableOf<SubgraphOpRow>& subgraphOpTable()
{
    static const TableOf<SubgraphOpRow> table{
        "subgraph_ops",
        "an op that a subgraph computes",
        {{"subgraph", Integer, "the subgraph", &SubgraphOpRow::subgraph},
         {"op", Integer, "the op", [](const SubgraphOpRow& r) { return r.op.value; }},
         {"position", Integer, "index in the subgraph's list of ops", &SubgraphOpRow::position}}};
    return table;
}

struct TrafficRow
{
    std::size_t subgraph = 0;
    TensorId tensor;
    double load = 0, store = 0, reloaded = 0, halo = 0;
    bool resident = false, retained = false;
};

const TableOf<TrafficRow>& trafficTable()
{
    static const TableOf<TrafficRow> table{
        "traffic",
        "a tensor that a subgraph loads, stores, finds resident or retains",
        {{"subgraph", Integer, "the subgraph", &TrafficRow::subgraph},
         {"tensor", Integer, "the tensor", [](const TrafficRow& r) { return r.tensor.value; }},
         {"load_elements", Real, "elements of it loaded over all steps, each time counted",
          &TrafficRow::load},
         {"store_elements", Real, "elements of it stored", &TrafficRow::store},
         {"reloaded_elements", Real, "elements of it loaded more than once (R7.6)", &TrafficRow::reloaded},
         {"halo_elements", Real, "elements of its halos that are read twice (R7.6)", &TrafficRow::halo},
         {"resident", Integer, "1: it is in fast memory before the subgraph", &TrafficRow::resident},
         {"retained", Integer, "1: it stays in fast memory after the subgraph", &TrafficRow::retained}}};
    return table;
}

/// Returns the row of a tensor; adds one if there is none.
TrafficRow& rowOf(std::vector<TrafficRow>& rows, std::size_t subgraph, TensorId t)
{
    const auto at = std::ranges::find(rows, t, &TrafficRow::tensor);
    if (at != rows.end())
        return *at;
    rows.push_back({subgraph, t});
    return rows.back();
}

} // namespace

void writeSubgraphs(const Writing& w)
{
    const Snapshot& snapshot = *w.subject.snapshot;
    const figures::Figures figures = figures::scheduleFigures(w.subject.snapshot, w.subject.model);
    double start = 0;
    for (std::size_t i = 0; i < snapshot.evaluation.subgraphs.size() && !w.progress.stopRequested(); ++i) {
        subgraphTable().write(w.sink, {w.subject, figures, i, start});
        start += snapshot.evaluation.subgraphs[i].latency;
    }
    for (std::size_t i = 0; i < snapshot.schedule.size(); ++i)
        for (std::size_t position = 0; const OpId o : snapshot.schedule[SubgraphId(i)].ops)
            subgraphOpTable().write(w.sink, {i, position++, o});
}

void writeTraffic(const Writing& w)
{
    const Snapshot& snapshot = *w.subject.snapshot;
    const Problem& problem = *snapshot.problem;
    for (std::size_t i = 0; i < snapshot.evaluation.subgraphs.size() && !w.progress.stopRequested(); ++i) {
        const Subgraph& subgraph = snapshot.schedule[SubgraphId(i)];
        const auto resident =
            residentBefore(problem, snapshot.schedule, snapshot.evaluation.rules, SubgraphId(i));
        const auto traffic = tensorTraffic(problem, subgraph, resident, snapshot.evaluation.rules,
                                           kMostWalked, w.progress.stop);
        if (!traffic) {
            w.leftOut.push_back(
                {"traffic", "subgraph " + std::to_string(i) + " has more steps than are walked"});
            continue;
        }
        std::vector<TrafficRow> rows;
        rows.reserve(traffic->size());
        for (const TensorTraffic& t : *traffic)
            rows.push_back({i, t.tensor, problem.elementsOf(t.load), problem.elementsOf(t.store),
                            problem.elementsOf(t.load - t.once), problem.elementsOf(t.halo)});
        for (const TensorId t : resident)
            rowOf(rows, i, t).resident = true;
        for (const TensorId t : subgraph.retain)
            rowOf(rows, i, t).retained = true;
        for (const TrafficRow& row : rows)
            trafficTable().write(w.sink, row);
    }
}

std::vector<const Schema*> schemasOfSchedule()
{
    return {&subgraphTable().schema(), &subgraphOpTable().schema(), &trafficTable().schema()};
}

} // namespace tilewright::tables
