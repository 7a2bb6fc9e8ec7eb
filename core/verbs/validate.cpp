// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/validate.h"

#include "base/file.h"
#include "base/text.h"
#include "lower/launch.h"
#include "lower/step_floor.h"
#include "verbs/systolic.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string_view>

namespace tilewright::verbs {

namespace {

using validation::ComparedRow;
using validation::Quantity;

constexpr std::string_view kFloor = "floor", kArray = "array";

/// The row of the Summary for the name of a lens; `array` stands for the row of the Systolic lens.
SummaryKind kindOf(const std::string& lens)
{
    const auto* const kind =
        std::ranges::find(kSummaryKinds, lens, [](SummaryKind k) { return toString(k); });
    return kind == kSummaryKinds.end() ? SummaryKind::Systolic : *kind;
}

/// The prediction of a lens for one operator.
struct Prediction
{
    /// Figures of an operator, or of all layers of a language model; empty if the lens does not state them.
    std::optional<double> cycles, milliseconds, bytes, picojoules;
    std::string error;
    std::vector<std::string> leftOut;
};

double millisecondsOf(double cycles, const Machine& machine)
{
    return cycles / (machine.clockGhz * 1e6);
}

Prediction arrayPrediction(const SummarySubject& subject)
{
    Prediction out;
    SystolicCall call;
    call.workload = subject.workload;
    const auto answer = systolicNetwork(call);
    if (!answer) {
        out.error = answer.error().text();
        return out;
    }
    out.cycles = static_cast<double>(answer->table.total.timing.cycles);
    out.milliseconds =
        millisecondsOf(*out.cycles, subject.model->machine) + lower::launchOf(*subject.model).value;
    return out;
}

Prediction predictionOf(const SummarySubject& subject, const std::string& lens, const Progress& progress)
{
    if (lens == kArray)
        return arrayPrediction(subject);
    Prediction out;
    SummaryFigures figures;
    const Machine& machine = subject.model->machine;
    const auto& language = subject.model->workload->language;
    if (lens == kFloor && language) { // communication between the chips is left out
        const auto step =
            lower::stepFloor(language->config, language->options, machine, subject.coresOf(SummaryKind::Npu));
        out.cycles = step.cycles.value;
        out.milliseconds = millisecondsOf(*out.cycles, machine);
        return out;
    }
    if (lens == kFloor) {
        figures =
            floorFigures(lower::floorOf(*subject.model, subject.coresOf(SummaryKind::Npu)), *subject.model);
    } else {
        SummaryRow row = summaryRow(subject, kindOf(lens), progress);
        figures = std::move(row.figures);
        out.error = std::move(row.error);
        out.leftOut = std::move(row.leftOut);
        if (language && row.wholeCycles) {
            out.cycles = row.wholeCycles->value;
            out.milliseconds = millisecondsOf(*out.cycles, machine);
            return out;
        }
    }
    const auto value = [&](SummaryFigure figure) -> std::optional<double> {
        const auto& found = figures[static_cast<std::size_t>(figure)];
        return found ? std::optional(found->value) : std::nullopt;
    };
    out.cycles = value(SummaryFigure::Cycles);
    out.milliseconds = value(SummaryFigure::Milliseconds);
    out.bytes = value(SummaryFigure::DramBytes);
    out.picojoules = value(SummaryFigure::Energy);
    return out;
}

/// Converts a prediction to the quantity and unit of a set. `tokens` is the number of tokens of the row.
std::optional<double> figureOf(const Prediction& p, Quantity quantity, std::int64_t tokens)
{
    switch (quantity) {
    case Quantity::Bytes:
        return p.bytes;
    case Quantity::Cycles:
    case Quantity::Plain:
        return p.cycles;
    case Quantity::Picojoules:
        return p.picojoules;
    case Quantity::TokensPerSecond:
        if (p.milliseconds && *p.milliseconds > 0)
            return 1000 * static_cast<double>(tokens) / *p.milliseconds;
        return std::nullopt;
    case Quantity::Milliseconds:
        break;
    }
    return p.milliseconds;
}

/// Options for reading the table of a call.
validation::ReadOptions readOptionsOf(const ValidateCall& call)
{
    return {call.measured, call.operatorKind, call.where,
            static_cast<std::int64_t>(std::round(call.bits * static_cast<double>(kPartsOfBit)))};
}

Result<SummarySubject> subjectOf(const ValidateCall& call, const validation::MeasuredRow& row)
{
    SummarySubject out;
    out.workload = call.workload;
    if (call.noLaunch)
        out.workload.machine->launch = {};
    if (const auto step = call.steps.find(row.line); step != call.steps.end()) {
        out.workload.workload = step->second;
    } else if (!row.config.empty()) {
        return Error{ErrorCode::Io, "the configuration " + row.config + " was not read", {}, {}};
    } else {
        auto workload = std::make_shared<lower::Workload>();
        workload->model = row.model;
        out.workload.workload = std::move(workload);
    }
    out.workload.file = row.name;
    out.cores = call.cores;
    if (!call.defaultTiles)
        out.tile = row.tile;
    auto model = putOnMachine(out.workload);
    if (!model)
        return model.error();
    out.model = std::move(*model);
    const auto rules = RulesCall::ofFile().rules(*out.model->problem);
    if (!rules)
        return rules.error();
    out.rules = *rules;
    return out;
}

/// Reads the configurations of language models that rows name; their paths are relative to the table.
Status readSteps(ValidateCall& call)
{
    const auto set = validation::readMeasuredSet(call.text, call.measurements, readOptionsOf(call));
    if (!set)
        return Unit{}; // validate() reports the reason
    const std::filesystem::path folder = std::filesystem::path(call.measurements).parent_path();
    for (const validation::MeasuredRow& row : set->rows) {
        if (row.config.empty())
            continue;
        WorkloadCall step;
        step.file = (folder / row.config).string();
        step.machine = call.workload.machine;
        if (Status s = readFiles(step, row.dimensions); !s)
            return s;
        if (!step.workload->language)
            return Error{ErrorCode::Field, "is no configuration of a language model", {}, step.file};
        call.steps[row.line] = step.workload;
    }
    return Unit{};
}

} // namespace

std::vector<std::string_view> validationLenses()
{
    std::vector<std::string_view> out{kFloor, kArray};
    for (const SummaryKind kind : kSummaryKinds)
        out.push_back(toString(kind));
    return out;
}

void bindOptions(OptionList& o, ValidateCall& call)
{
    std::string lenses;
    for (const std::string_view lens : validationLenses())
        lenses.append(lenses.empty() ? "" : "|").append(lens);
    constexpr double kMostBits = 64;
    o.add("measurements", call.measurements, "FILE", "Table of measured operators (CSV)", o.required());
    bindMachine(o, call.workload);
    o.add("--lens", call.lens, lenses,
          "What predicts: a row of the verb summary, its floor, or the arrays alone");
    o.add("--measured", call.measured, "COLUMN", "Column of the measurements, with a unit in its name",
          o.otherwise("the column with a time or cycles"));
    o.add("--where", call.where, "CONDITION",
          "Take only rows that meet it: COLUMN=VALUE, or with !=, < or >; may be repeated", o.oneByOne());
    o.add("--operator", call.operatorKind, "softmax|layer_norm|rms_norm|elementwise",
          "Operator of a table of vectors");
    o.add("--bits", call.bits, Range{0, kMostBits, true}, "Bits of an element of the operands",
          o.otherwise("those of the machine"));
    o.flag("--no-launch", call.noLaunch, "Leave the launch of an operator out: times of the device alone");
    o.flag("--default-tiles", call.defaultTiles, "Leave the tiles that the table names out of the NPU lens");
    o.add("--cores", call.cores, Range{1, npu::kMaxCores}, "Number of cores of the NPU lens and of the floor",
          o.otherwise("that of the machine"));
}

Status readFiles(ValidateCall& call)
{
    if (Status s = readFiles(call.workload); !s)
        return s;
    if (!call.workload.machine)
        call.workload.machine = call.workload.machineOrEdge();
    if (call.text.empty()) {
        auto text = readFile(call.measurements);
        if (!text)
            return text.error();
        call.text = std::move(*text);
    }
    return readSteps(call);
}

Result<validation::Comparison> validate(const ValidateCall& call, const Progress& progress)
{
    auto set = validation::readMeasuredSet(call.text, call.measurements, readOptionsOf(call));
    if (!set)
        return set.error();
    validation::Comparison out;
    out.file = std::move(set->file);
    out.head = std::move(set->head);
    out.column = set->column.name;
    out.quantity = set->column.quantity;
    out.machine = call.workload.machine->name;
    out.lens = call.lens;
    out.leftOut = set->leftOut;
    if (out.quantity == Quantity::Bytes && call.lens == kArray)
        return Error{
            ErrorCode::Field, "the arrays alone move no bytes; systolic, npu and others do", "--lens", {}};
    if (out.quantity == Quantity::TokensPerSecond && call.lens == kArray)
        return Error{ErrorCode::Field,
                     "the arrays alone do not state a whole model; floor and others do",
                     "--lens",
                     {}};
    std::set<std::string> leftOut;
    for (std::size_t i = 0; i < set->rows.size() && !out.interrupted; ++i) {
        const validation::MeasuredRow& row = set->rows[i];
        ComparedRow& compared = out.rows.emplace_back();
        compared.name = row.name;
        compared.line = row.line;
        compared.measured = row.measured;
        const auto subject = subjectOf(call, row);
        Prediction p;
        if (subject)
            p = predictionOf(*subject, call.lens, {progress.stop, {}});
        else
            p.error = subject.error().text();
        const std::optional<double> figure = figureOf(p, out.quantity, row.tokens);
        out.interrupted = progress.stopRequested();
        if (out.interrupted) {
            out.rows.pop_back();
            break;
        }
        if (figure)
            compared.predicted = *figure;
        else
            compared.error = p.error.empty() ? "the lens does not state it" : p.error;
        for (std::string& sentence : p.leftOut)
            if (leftOut.insert(sentence).second)
                out.notModelled.push_back(std::move(sentence));
        progress.tell(static_cast<double>(i + 1) / static_cast<double>(set->rows.size()), row.name);
    }
    out.agreement = validation::agreementOf(out.rows);
    return out;
}

} // namespace tilewright::verbs
