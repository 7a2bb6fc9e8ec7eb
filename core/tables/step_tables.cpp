// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the steps of a schedule: steps, runs, buffers. All are bounded.
#include "base/text.h"
#include "eval/trace.h"
#include "place/placement_json.h"
#include "rules/check.h"
#include "tables/table_of.h"

#include <algorithm>

namespace tilewright::tables {

namespace {

using enum ColumnType;

struct StepRow
{
    const Problem& problem;
    std::size_t subgraph = 0;
    double start = 0; ///< start of the subgraph in units of time
    const Step& step;
};

/// A column with a size, converted from units (R1.9).
ColumnOf<StepRow> sized(std::string_view name, std::string_view meaning, std::int64_t Step::*member)
{
    return {name, Real, meaning, [member](const StepRow& r) { return r.problem.elementsOf(r.step.*member); }};
}
template <typename T>
ColumnOf<StepRow> member(std::string_view name, ColumnType type, std::string_view meaning, T Step::*member)
{
    return {name, type, meaning, [member](const StepRow& r) { return r.step.*member; }};
}

const TableOf<StepRow>& stepTable()
{
    static const TableOf<StepRow> table{
        "steps",
        "a step of a subgraph: one tile and one part of the reduction",
        {{"subgraph", Integer, "the subgraph", &StepRow::subgraph},
         member("step", Integer, "its place in the subgraph", &Step::index),
         member("tile", Integer, "the tile: row times columns of the grid, plus column", &Step::tile),
         member("tile_row", Integer, "row in the tile grid", &Step::row),
         member("tile_column", Integer, "column in the tile grid", &Step::col),
         member("k_step", Integer, "part of the reduction", &Step::kStep),
         member("k_steps_count", Integer, "parts of the reduction", &Step::kSteps),
         {"start_time_units", Real, "time since the start of the schedule",
          [](const StepRow& r) { return r.start + r.step.start; }},
         member("latency_time_units", Real, "the longer one of compute and memory time", &Step::latency),
         member("compute_time_units", Real, "compute time", &Step::compute),
         member("memory_time_units", Real, "memory time", &Step::memory),
         {"bound", Text, "compute, memory or balanced",
          [](const StepRow& r) { return boundName(r.step.bound()); }},
         sized("load_elements", "elements loaded", &Step::loadElements),
         sized("store_elements", "elements stored", &Step::storeElements),
         sized("working_set_elements", "room in fast memory (R9)", &Step::workingSet),
         sized("reserved_elements", "of it resident and retained tensors", &Step::reserved),
         sized("input_elements", "of it input buffers", &Step::inputElements),
         sized("output_elements", "of it output tiles", &Step::outputElements),
         sized("accumulator_elements", "of it accumulators", &Step::accumulatorElements),
         sized("interior_elements", "of it slices between the ops of the subgraph", &Step::interiorElements),
         {"energy_pj", Real, "its energy (R17), if the problem states energies", [](const StepRow& r) {
              return r.problem.hasEnergy() ? TableValue(r.step.energy) : TableValue();
          }}}};
    return table;
}

struct RunRow
{
    const Problem& problem;
    std::size_t subgraph = 0;
    std::int64_t step = 0;
    const StepRun& run;
};

const TableOf<RunRow>& runTable()
{
    static const TableOf<RunRow> table{
        "runs",
        "a run of an op in a step (R6): the part of its output that it computes",
        {{"subgraph", Integer, "the subgraph", &RunRow::subgraph},
         {"step", Integer, "the step of the subgraph", &RunRow::step},
         {"op", Integer, "the op", [](const RunRow& r) { return r.run.op.value; }},
         {"first_row", Integer, "first row of its output", [](const RunRow& r) { return r.run.rect.r0; }},
         {"end_row", Integer, "row after the last one", [](const RunRow& r) { return r.run.rect.r1; }},
         {"first_column", Integer, "first column", [](const RunRow& r) { return r.run.rect.c0; }},
         {"end_column", Integer, "column after the last one", [](const RunRow& r) { return r.run.rect.c1; }},
         {"first_k", Integer, "start of its part of the reduction", [](const RunRow& r) { return r.run.k0; }},
         {"end_k", Integer, "end of its part of the reduction", [](const RunRow& r) { return r.run.k1; }},
         {"compute_time_units", Real, "compute time that is charged; 0 if repeated (R8.1)",
          [](const RunRow& r) { return r.run.cost; }},
         {"energy_pj", Real, "energy that is charged (R17), if the problem states energies",
          [](const RunRow& r) { return r.problem.hasEnergy() ? TableValue(r.run.energy) : TableValue(); }},
         {"repeated", Integer, "1: the same run as in an earlier step",
          [](const RunRow& r) { return r.run.repeated; }}}};
    return table;
}

struct BufferRow
{
    const Problem& problem;
    const StepItem& item;
    std::size_t index = 0;
    std::optional<std::int64_t> offset;
};

const TableOf<BufferRow>& bufferTable()
{
    static const TableOf<BufferRow> table{
        "buffers",
        "a range of fast memory that keeps its place for its whole life (see the verb place)",
        {{"buffer", Integer, "its number", &BufferRow::index},
         {"kind", Text, "input, output, accumulator, interior or retained",
          [](const BufferRow& r) { return itemKindName(r.item.what.kind); }},
         {"tensor", Integer, "the tensor that it holds, or a part of it",
          [](const BufferRow& r) { return r.item.what.tensor.value; }},
         {"first_subgraph", Integer, "subgraph in which its life begins",
          [](const BufferRow& r) { return r.item.subgraph.value; }},
         {"first_step", Integer, "step of that subgraph",
          [](const BufferRow& r) { return r.item.firstStep; }},
         {"last_subgraph", Integer, "subgraph in which it ends",
          [](const BufferRow& r) { return r.item.lastSubgraph.value; }},
         {"last_step", Integer, "last step of that subgraph",
          [](const BufferRow& r) { return r.item.lastStep; }},
         {"life_steps", Integer, "steps of its life, over all subgraphs",
          [](const BufferRow& r) { return r.item.upper - r.item.lower; }},
         {"size_elements", Real, "its size",
          [](const BufferRow& r) { return r.problem.elementsOf(r.item.what.elements); }},
         {"offset_elements", Real, "its address in fast memory, with --place", [](const BufferRow& r) {
              return r.offset ? TableValue(r.problem.elementsOf(*r.offset)) : TableValue();
          }}}};
    return table;
}

/// Reports that a subgraph has more steps than are listed.
void tellMore(const Writing& w, std::size_t subgraph, std::int64_t steps)
{
    for (const std::string_view table : {"steps", "runs"})
        w.leftOut.push_back({table, "of the " + formatGrouped(steps) + " steps of subgraph " +
                                        std::to_string(subgraph) + " the first " +
                                        formatGrouped(kMostStepsOfSubgraph) + " are listed"});
}

void tellFull(const Writing& w, std::string_view table)
{
    w.leftOut.push_back({table, "the first " + formatGrouped(kMostRows) + " rows are listed"});
}

void writeItems(const Writing& w, const StepItems& items, const Placement* placement)
{
    for (std::size_t i = 0; i < items.items.size(); ++i) {
        if (static_cast<std::int64_t>(i) == kMostRows)
            return tellFull(w, "buffers");
        const auto offset = placement != nullptr ? std::optional(placement->offsets[i]) : std::nullopt;
        bufferTable().write(w.sink, {*w.subject.snapshot->problem, items.items[i], i, offset});
    }
}

} // namespace

void writeSteps(const Writing& w)
{
    const Snapshot& snapshot = *w.subject.snapshot;
    const Problem& problem = *snapshot.problem;
    const Rules& rules = snapshot.evaluation.rules;
    std::int64_t steps = 0, runs = 0;
    double start = 0;
    for (std::size_t i = 0; i < snapshot.evaluation.subgraphs.size() && !w.progress.stopRequested(); ++i) {
        const SubgraphEvaluation& evaluation = snapshot.evaluation.subgraphs[i];
        if (!evaluation.structurallyValid)
            continue;
        if (steps >= kMostRows && runs >= kMostRows)
            break;
        const auto visit = [&](const Step& step) {
            if (w.progress.stopRequested() || step.index >= kMostStepsOfSubgraph)
                return false;
            if (steps++ < kMostRows)
                stepTable().write(w.sink, {problem, i, start, step});
            for (const StepRun& run : step.runs)
                if (runs++ < kMostRows)
                    runTable().write(w.sink, {problem, i, step.index, run});
            return steps < kMostRows || runs < kMostRows;
        };
        traceSubgraph(problem, snapshot.schedule[SubgraphId(i)],
                      residentBefore(problem, snapshot.schedule, rules, SubgraphId(i)), rules, visit);
        if (evaluation.steps > kMostStepsOfSubgraph)
            tellMore(w, i, evaluation.steps);
        start += evaluation.latency;
    }
    if (steps >= kMostRows)
        tellFull(w, "steps");
    if (runs >= kMostRows)
        tellFull(w, "runs");
}

void writeBuffers(const Writing& w)
{
    const Snapshot& snapshot = *w.subject.snapshot;
    if (w.subject.placed)
        return writeItems(w, w.subject.placed->items, &w.subject.placed->placement);
    if (!snapshot.evaluation.valid()) {
        w.leftOut.push_back({"buffers", "only a valid schedule has buffers"});
        return;
    }
    std::int64_t steps = 0;
    for (const SubgraphEvaluation& e : snapshot.evaluation.subgraphs)
        steps += e.steps;
    if (steps > kMostWalked) {
        w.leftOut.push_back({"buffers", "the schedule has " + formatGrouped(steps) + " steps, more than " +
                                            formatGrouped(kMostWalked)});
        return;
    }
    const auto items = stepItems(*snapshot.problem, snapshot.schedule, snapshot.evaluation.rules, w.progress);
    if (items)
        writeItems(w, *items, nullptr);
    else if (!w.progress.stopRequested())
        w.leftOut.push_back({"buffers", items.error().message});
}

std::vector<const Schema*> schemasOfSteps()
{
    return {&stepTable().schema(), &runTable().schema(), &bufferTable().schema()};
}

} // namespace tilewright::tables
