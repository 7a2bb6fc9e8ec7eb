// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of what is given: about, sources, tensors, ops.
#include "base/version.h"
#include "eval/explain.h"
#include "figures/schedule_figures.h"
#include "lower/floor.h"
#include "model/machine_text.h"
#include "report/evaluation_json.h"
#include "tables/table_of.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tilewright::tables {

namespace {

using enum ColumnType;

struct AboutRow
{
    std::string_view name, unit;
    TableValue value; ///< a text or a number
};

const TableOf<AboutRow>& aboutTable()
{
    static const TableOf<AboutRow> table{
        "about",
        "one value of the whole",
        {{"name", Text, "what it is: workload, machine, total_latency, lower_bound, ...", &AboutRow::name},
         {"text", Text, "the value, if it is a text",
          [](const AboutRow& r) {
              return std::holds_alternative<std::string>(r.value) ? r.value : TableValue();
          }},
         {"number", Real, "the value, if it is a number",
          [](const AboutRow& r) {
              return std::holds_alternative<std::string>(r.value) ? TableValue() : r.value;
          }},
         {"unit", Text, "unit of the number", &AboutRow::unit}}};
    return table;
}

struct SourceRow
{
    std::string field, part, label, value;
    std::optional<double> number;
    std::string_view unit;
    std::string origin, source;
    std::optional<std::int64_t> year;
    std::string note, formula, usedBy;
};

const TableOf<SourceRow>& sourceTable()
{
    static const TableOf<SourceRow> table{
        "sources",
        "a value of the machine, and where it comes from",
        {{"field", Text, "its place in the machine file: levels.external.gb_per_s", &SourceRow::field},
         {"part", Text, "the part of the machine that has it", &SourceRow::part},
         {"label", Text, "its name for people", &SourceRow::label},
         {"value", Text, "the value as in the file", &SourceRow::value},
         {"number", Real, "the value, if it is a number, in this unit", &SourceRow::number},
         {"unit", Text, "unit of the number", &SourceRow::unit},
         {"origin", Text,
          "measured, datasheet, paper, assumed, fitted; given without source; default; derived",
          &SourceRow::origin},
         {"source", Text, "title or document that states it", &SourceRow::source},
         {"year", Integer, "year of the source", &SourceRow::year},
         {"note", Text, "reason of an assumption", &SourceRow::note},
         {"formula", Text, "formula of a derived value", &SourceRow::formula},
         {"used_by", Text, "lenses that model the value", &SourceRow::usedBy}}};
    return table;
}

struct TensorRow
{
    const Problem& problem;
    TensorId id;
    [[nodiscard]] const Tensor& tensor() const { return problem.tensor(id); }
};

std::string_view roleOf(const Problem& problem, TensorId t)
{
    return problem.isView(t)          ? "view"
           : problem.isGraphInput(t)  ? "input"
           : problem.isGraphOutput(t) ? "output"
           : problem.producer(t)      ? "intermediate"
                                      : "unused";
}

const TableOf<TensorRow>& tensorTable()
{
    static const TableOf<TensorRow> table{
        "tensors",
        "a tensor of the problem",
        {{"tensor", Integer, "its number in the problem", [](const TensorRow& r) { return r.id.value; }},
         {"name", Text, "its name", [](const TensorRow& r) { return r.problem.tensorName(r.id); }},
         {"role", Text, "input, intermediate, output, view or unused",
          [](const TensorRow& r) { return roleOf(r.problem, r.id); }},
         {"width_elements", Integer, "its columns", [](const TensorRow& r) { return r.tensor().width; }},
         {"height_elements", Integer, "its rows", [](const TensorRow& r) { return r.tensor().height; }},
         {"size_elements", Real, "its size in elements that the capacity counts (R1.9)",
          [](const TensorRow& r) { return r.problem.elementsOf(r.problem.sizeUnits(r.id)); }},
         {"producer_op", Integer, "the op that writes it",
          [](const TensorRow& r) {
              const auto op = r.problem.producer(r.id);
              return op ? TableValue(op->value) : TableValue();
          }},
         {"readers_count", Integer, "ops that read it, directly or through a view",
          [](const TensorRow& r) { return r.problem.readers(r.id).size(); }}}};
    return table;
}

struct OpRow
{
    const Subject& subject;
    OpId id;
    std::int64_t subgraphs = 0;
    std::optional<std::size_t> first; ///< index of the first subgraph
    std::optional<double> latency;
    std::optional<ArrayUse> use;

    [[nodiscard]] const Problem& problem() const { return *subject.snapshot->problem; }
    [[nodiscard]] const Op& op() const { return problem().op(id); }
    [[nodiscard]] const Tensor& output() const { return problem().tensor(op().output); }
    [[nodiscard]] const model::Operator* operatorOf() const
    {
        return subject.model ? &subject.model->model().operators[subject.model->operatorOf(id)] : nullptr;
    }
};

const TableOf<OpRow>& opTable()
{
    static const TableOf<OpRow> table{
        "ops",
        "an op of the problem",
        {{"op", Integer, "its number in the problem", [](const OpRow& r) { return r.id.value; }},
         {"name", Text, "its name", [](const OpRow& r) { return r.problem().opName(r.id); }},
         {"kind", Text, "MatMul or Pointwise",
          [](const OpRow& r) { return r.op().type == OpType::MatMul ? "MatMul" : "Pointwise"; }},
         {"operator", Text, "the operator of the model that it is a part of",
          [](const OpRow& r) { return r.operatorOf() ? TableValue(r.operatorOf()->name) : TableValue(); }},
         {"operator_type", Text, "type of that operator",
          [](const OpRow& r) {
              return r.operatorOf() ? TableValue(r.operatorOf()->typeName()) : TableValue();
          }},
         {"operator_macs", Integer, "multiply-accumulates of that operator, all its ops together",
          [](const OpRow& r) {
              return r.operatorOf() ? TableValue(model::macsOf(r.subject.model->model(), *r.operatorOf()))
                                    : TableValue();
          }},
         {"output_tensor", Integer, "the tensor that it writes",
          [](const OpRow& r) { return r.op().output.value; }},
         {"width_elements", Integer, "columns of its output",
          [](const OpRow& r) { return r.output().width; }},
         {"height_elements", Integer, "rows of its output", [](const OpRow& r) { return r.output().height; }},
         {"reduction_elements", Integer, "length of the sum of a MatMul",
          [](const OpRow& r) {
              return r.op().type == OpType::MatMul ? TableValue(r.problem().reductionSize(r.id))
                                                   : TableValue();
          }},
         {"base_cost_time_units", Integer, "compute time of one native tile (R8)",
          [](const OpRow& r) { return r.op().baseCost; }},
         {"subgraphs_count", Integer, "subgraphs that compute it", &OpRow::subgraphs},
         {"first_subgraph", Integer, "the first of them", &OpRow::first},
         {"latency_time_units", Real, "latency of these subgraphs (figure ops.*.latency)", &OpRow::latency},
         {"array_cycles", Real, "cycles of the array for a MatMul (figure ops.*.cycles)",
          [](const OpRow& r) { return r.use ? TableValue(r.use->cycles) : TableValue(); }},
         {"array_utilisation_fraction", Real, "share of its PEs at work then (figure ops.*.utilisation)",
          [](const OpRow& r) {
              return r.use && r.use->cycles > 0 ? TableValue(r.use->utilisation) : TableValue();
          }}}};
    return table;
}

struct OpTensorRow
{
    OpId op;
    TensorId tensor;
    bool isOutput = false;
    std::size_t position = 0;
};

const TableOf<OpTensorRow>& opTensorTable()
{
    static const TableOf<OpTensorRow> table{
        "op_tensors",
        "a tensor that an op reads or writes",
        {{"op", Integer, "the op", [](const OpTensorRow& r) { return r.op.value; }},
         {"tensor", Integer, "the tensor; a view stands for itself",
          [](const OpTensorRow& r) { return r.tensor.value; }},
         {"role", Text, "input or output",
          [](const OpTensorRow& r) { return r.isOutput ? "output" : "input"; }},
         {"position", Integer, "index among the inputs: 0 and 1 are the two sides of a MatMul",
          &OpTensorRow::position}}};
    return table;
}

std::string_view unitOf(MachineUnit unit)
{
    switch (unit) {
    case MachineUnit::Bytes:
        return "bytes";
    case MachineUnit::GbPerSecond:
        return "GB/s";
    case MachineUnit::Ghz:
        return "GHz";
    case MachineUnit::Mhz:
        return "MHz";
    case MachineUnit::BytesPerCycle:
        return "bytes a cycle";
    case MachineUnit::Cycles:
        return "cycles";
    case MachineUnit::Pj:
        return "pJ";
    case MachineUnit::Micros:
        return "us";
    case MachineUnit::Count:
    case MachineUnit::Factor:
    case MachineUnit::Word:
    case MachineUnit::List:
        break;
    }
    return {};
}

std::optional<double> numberIn(const std::string& text)
{
    double out = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, out);
    return read.ec == std::errc() && read.ptr == end && std::isfinite(out) ? std::optional(out)
                                                                           : std::nullopt;
}

SourceRow rowOf(const MachineField& field)
{
    SourceRow out;
    out.field = field.path;
    out.part = field.group;
    out.label = field.label;
    out.value = field.value;
    out.number = numberIn(field.value);
    out.unit = unitOf(field.unit);
    out.origin = field.source                 ? std::string(toString(field.source->kind))
                 : field.given                ? "given"
                 : field.formula == "default" ? "default"
                                              : "derived";
    if (field.source) {
        out.source = field.source->source;
        if (field.source->year > 0)
            out.year = field.source->year;
        out.note = field.source->note;
    }
    if (!field.given && field.formula != "default")
        out.formula = field.formula;
    out.usedBy = usedBy(field);
    return out;
}

} // namespace

void writeAbout(const Writing& w)
{
    const Subject& s = w.subject;
    const Snapshot& snapshot = *s.snapshot;
    const Problem& problem = *snapshot.problem;
    const Evaluation& evaluation = snapshot.evaluation;
    const std::string time = figures::timeUnitOf(s.model);
    const auto tell = [&](std::string_view name, const TableValue& value, std::string_view unit = {}) {
        if (value.isKnown())
            aboutTable().write(w.sink, {name, unit, value});
    };
    tell("program_version", programVersion());
    tell("workload", s.workload.empty() ? problem.name() : s.workload);
    tell("schedule", s.schedule);
    tell("hardware", s.hardware);
    if (s.model) {
        tell("machine", s.model->machine.name);
        tell("clock", s.model->machine.clockGhz, "GHz");
        tell("time_unit", static_cast<double>(s.model->lowered.timeUnit), "cycles");
        tell("floor", lower::floorOf(*s.model, 1).cycles.value, "cycles");
    }
    tell("rules", ruleSetName(evaluation.rules));
    tell("rules_reason", s.rulesReason);
    tell("valid", evaluation.valid());
    if (const Issue* const issue = evaluation.verdict())
        tell("error", sentence(*issue));
    tell("fast_memory_capacity", problem.hardware().fastMemoryCapacity, "elements");
    tell("slow_memory_bandwidth", problem.hardware().slowMemoryBandwidth, "elements a unit of time");
    if (hasTotal(evaluation)) {
        tell("total_latency", evaluation.total, time);
        tell("array_total", snapshot.arrayTotal, time);
    }
    tell("lower_bound", snapshot.lowerBound, time);
    if (problem.hasEnergy() && hasTotal(evaluation)) {
        tell("energy", evaluation.energy, "pJ");
        tell("edp", evaluation.edp(), "pJ x " + time);
    }
    if (s.npu)
        tell("npu_makespan", s.npu->run->makespan, "cycles");
}

void writeSources(const Writing& w)
{
    if (w.subject.model) {
        for (const MachineField& field : machineFields(w.subject.model->machine))
            if (!field.summary)
                sourceTable().write(w.sink, rowOf(field));
        return;
    }
    const Hardware& hardware = w.subject.snapshot->problem->hardware();
    const auto given = [&](const char* field, const char* label, std::int64_t value, std::string_view unit) {
        SourceRow row;
        row.field = field;
        row.part = "problem";
        row.label = label;
        row.value = std::to_string(value);
        row.number = static_cast<double>(value);
        row.unit = unit;
        row.origin = "given";
        row.source = w.subject.workload;
        row.usedBy = toString(MachineLens::Schedule);
        sourceTable().write(w.sink, row);
    };
    given("fast_memory_capacity", "capacity of the fast memory", hardware.fastMemoryCapacity, "elements");
    given("slow_memory_bandwidth", "bandwidth of the slow memory", hardware.slowMemoryBandwidth,
          "elements a unit of time");
    given("native_granularity[0]", "native width", hardware.nativeWidth, "elements");
    given("native_granularity[1]", "native height", hardware.nativeHeight, "elements");
}

void writeTensors(const Writing& w)
{
    const Problem& problem = *w.subject.snapshot->problem;
    for (std::size_t t = 0; t < problem.tensorCount(); ++t)
        tensorTable().write(w.sink, {problem, TensorId(t)});
}

void writeOps(const Writing& w)
{
    const Snapshot& snapshot = *w.subject.snapshot;
    const Problem& problem = *snapshot.problem;
    std::vector<OpRow> rows;
    rows.reserve(problem.opCount());
    const std::vector<double> latencies = snapshot.latencyOfOps();
    for (std::size_t o = 0; o < problem.opCount(); ++o)
        rows.push_back({w.subject, OpId(o), 0, {}, {}, {}});
    for (std::size_t i = 0; i < snapshot.schedule.size() && !w.progress.stopRequested(); ++i) {
        const Subgraph& subgraph = snapshot.schedule[SubgraphId(i)];
        for (const OpId o : subgraph.ops) {
            OpRow& row = rows[o.index()];
            ++row.subgraphs;
            if (!row.first)
                row.first = i;
            if (i < snapshot.evaluation.subgraphs.size() &&
                snapshot.evaluation.subgraphs[i].structurallyValid)
                row.latency = latencies[o.index()];
        }
        for (const ArrayUse& use :
             arrayUses(problem, subgraph, snapshot.evaluation.rules, subgraph.ops.size()).uses)
            if (rows[use.op.index()].first == i)
                rows[use.op.index()].use = use;
    }
    for (const OpRow& row : rows)
        opTable().write(w.sink, row);
    for (std::size_t o = 0; o < problem.opCount(); ++o) {
        std::size_t position = 0;
        for (const TensorId t : problem.operands(OpId(o)))
            opTensorTable().write(w.sink, {OpId(o), t, false, position++});
        opTensorTable().write(w.sink, {OpId(o), problem.op(OpId(o)).output, true, 0});
    }
}

std::vector<const Schema*> schemasOfGraph()
{
    return {&aboutTable().schema(), &sourceTable().schema(), &tensorTable().schema(), &opTable().schema(),
            &opTensorTable().schema()};
}

} // namespace tilewright::tables
