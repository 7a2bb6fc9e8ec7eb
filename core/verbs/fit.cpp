// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/fit.h"

#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string_view>

namespace tilewright::verbs {

namespace {

/// Largest factor by which a fitted rate may be above or below its original value.
constexpr double kFactor = 20;

/// Of a value that the rows are predicted as well without.
constexpr std::string_view kNotDetermined = "not determined by these rows";

/// A value of the machine that is fitted to measurements.
struct Fitted
{
    std::string path, label;
    validation::FitRange range;
};

Error cannotFit(const std::string& path, const std::string& why)
{
    return {ErrorCode::Field, path + " " + why, "--value", {}};
}

/// Returns the value to fit at a path of the machine. The rate of a width that the machine does not list
/// starts from 1. The launch of an operator may start from 0.
Result<Fitted> fittedOf(const Machine& machine, const std::string& path, double leastMilliseconds)
{
    Fitted out{path, path, {}};
    double value = 0;
    MachineUnit unit = MachineUnit::Factor;
    const std::vector<MachineField> fields = machineFields(machine);
    if (const auto field = std::ranges::find(fields, path, &MachineField::path); field != fields.end()) {
        out.label = field->group.empty() ? field->label : field->group + ", " + field->label;
        unit = field->unit;
        if (field->summary || !field->editable)
            return cannotFit(path, "stands for several values or follows from others");
        value = std::atof(field->value.c_str());
    } else if (path.starts_with("array.rates.")) {
        if (const auto could = withMachineField(machine, path, "1"); !could)
            return cannotFit(path, "cannot be set: " + could.error().message);
        value = 1;
        out.label = "array, rate at " + path.substr(std::string_view("array.rates.").size()) + " bits";
    } else {
        return cannotFit(path, "is not a field of the machine; `info MACHINE` lists them");
    }
    if (unit == MachineUnit::Micros) {
        const double most = leastMilliseconds * 1e3;
        out.range = {std::min(value, most), 0, most, false};
    } else if (unit == MachineUnit::Factor || unit == MachineUnit::GbPerSecond || unit == MachineUnit::Ghz ||
               unit == MachineUnit::Mhz) {
        if (value <= 0)
            return cannotFit(path, "is 0: there is no value to begin with");
        out.range = {value, value / kFactor, value * kFactor, true};
    } else {
        return cannotFit(path, "is neither a rate nor a time; only these are fitted");
    }
    return out;
}

/// Values that are fitted by default: the launch of the measured kind of operator, and a rate. For products
/// and convolutions it is the rate of the arrays, for vector operators the rate of the external memory.
std::vector<std::string> usualValues(const FitCall& call, const validation::MeasuredSet& set)
{
    std::vector<std::string> out;
    const model::Model& first = set.rows.front().model;
    if (first.operators.empty()) // rows are steps of a language model
        return {"levels.external.gb_per_s"};
    const model::OperatorKind kind = first.operators[OperatorId(first.operators.size() - 1)].kind;
    const bool isProduct = kind == model::OperatorKind::MatMul || kind == model::OperatorKind::Conv2d;
    if (isProduct) {
        const double bits =
            call.bits > 0 ? call.bits : 8 * static_cast<double>(call.workload.machine->elementBytes);
        out.push_back("array.rates." + std::to_string(static_cast<std::int64_t>(std::ceil(bits))));
    } else {
        out.emplace_back("levels.external.gb_per_s");
    }
    const std::string_view launch = isProduct                                ? "product"
                                    : kind == model::OperatorKind::Attention ? "elementwise"
                                                                             : toString(kind);
    if (set.column.quantity == validation::Quantity::Milliseconds && !call.noLaunch)
        out.push_back("launch_us." + std::string(launch));
    return out;
}

Result<Machine> withValues(Machine machine, const std::vector<Fitted>& fitted,
                           const std::vector<double>& values)
{
    for (std::size_t i = 0; i < fitted.size(); ++i) {
        auto next = withMachineField(machine, fitted[i].path, formatNumber(values[i]));
        if (!next)
            return next.error();
        machine = std::move(*next);
    }
    return machine;
}

} // namespace

void bindOptions(OptionList& o, FitCall& call)
{
    bindOptions(o, static_cast<ValidateCall&>(call));
    o.add("--value", call.values, "FIELD",
          "Fit this rate or time of the machine (a path of `info MACHINE`); may be repeated", o.oneByOne(),
          o.otherwise("the rate of the arrays, or of the external memory for vectors, and the launch"));
}

Result<FitAnswer> fitRows(const Machine& machine, const FitRows& rows, const std::vector<std::string>& paths,
                          const Progress& progress)
{
    const auto before = rows.on(machine);
    if (!before)
        return before.error();
    std::vector<double> measured;
    double least = std::numeric_limits<double>::infinity();
    for (const validation::ComparedRow& row : *before) {
        measured.push_back(row.measured);
        if (row.measured > 0)
            least = std::min(least, row.measured);
    }
    const validation::Agreement agreement = validation::agreementOf(*before);
    if (agreement.rows < 2)
        return Error{ErrorCode::Field,
                     before->empty() || before->front().error.empty()
                         ? "a fit needs two rows with a prediction"
                         : "a fit needs two rows with a prediction: " + before->front().error,
                     {},
                     rows.file};
    const double leastMilliseconds =
        rows.quantity == validation::Quantity::Milliseconds ? least : least / (machine.clockGhz * 1e6);
    std::vector<Fitted> fitted;
    for (const std::string& path : paths) {
        auto value = fittedOf(machine, path, leastMilliseconds);
        if (!value)
            return value.error();
        fitted.push_back(std::move(*value));
    }
    std::vector<validation::FitRange> ranges;
    ranges.reserve(fitted.size());
    for (const Fitted& f : fitted)
        ranges.push_back(f.range);
    const auto predict = [&](const std::vector<double>& values) {
        std::vector<double> out(measured.size(), 0);
        const auto next = withValues(machine, fitted, values);
        if (!next) // skips values with which the machine is impossible
            return out;
        const auto compared = rows.on(*next);
        for (std::size_t i = 0; compared && i < compared->size() && i < out.size(); ++i)
            out[i] = (*compared)[i].error.empty() ? (*compared)[i].predicted : 0;
        return out;
    };
    FitAnswer out{machine, {}, validation::fit(measured, ranges, predict, progress), {}, {}};
    auto changed = withValues(machine, fitted, out.fit.values);
    if (!changed)
        return changed.error();
    constexpr std::string_view kFitted = "-fitted";
    if (!changed->name.ends_with(kFitted))
        changed = withMachineField(*changed, "name", changed->name + std::string(kFitted));
    if (!changed)
        return changed.error();
    const auto after = rows.on(*changed);
    if (!after)
        return after.error();
    out.before = agreement;
    out.after = validation::agreementOf(*after);
    Provenance source{SourceKind::Fitted, std::filesystem::path(rows.file).filename().string(), 0, {}};
    source.note = "to " + std::to_string(out.after.rows) + " rows by the lens " + rows.lens + ": error " +
                  percent(out.before.error) + " before, " + percent(out.after.error) + " after" +
                  (out.fit.interrupted ? std::string(", interrupted")
                                       : ", " + percent(out.fit.errorLeftOut) + " on rows left out");
    for (std::size_t i = 0; i < fitted.size(); ++i) {
        out.values.push_back({fitted[i].path, fitted[i].label, fitted[i].range.start, out.fit.values[i],
                              out.fit.isDetermined[i]});
        if (!out.fit.isDetermined[i])
            continue;
        auto named = withMachineSource(*changed, fitted[i].path, source);
        if (!named)
            return named.error();
        changed = std::move(named);
    }
    out.machine = std::move(*changed);
    return out;
}

Result<FitAnswer> fitMachine(const FitCall& call, const Progress& progress)
{
    const auto set = validation::readMeasuredSet(call.text, call.measurements,
                                                 {call.measured, call.operatorKind, call.where, 0});
    if (!set)
        return set.error();
    const FitRows rows{call.measurements, call.lens, set->column.quantity, [&](const Machine& machine) {
                           FitCall next = call;
                           next.workload.machine = machine;
                           auto compared = validate(next, {progress.stop, {}});
                           return compared ? Result(std::move(compared->rows))
                                           : Result<std::vector<validation::ComparedRow>>(compared.error());
                       }};
    return fitRows(*call.workload.machine, rows, call.values.empty() ? usualValues(call, *set) : call.values,
                   progress);
}

Table FitAnswer::table() const
{
    Table out({"value", "field", "before", "after"});
    for (const FittedValue& v : values)
        out.add(
            v.label, v.path, TableCell(v.before, significantNumber(v.before)),
            TableCell(v.after, v.isDetermined ? significantNumber(v.after) : std::string(kNotDetermined)));
    return out;
}

std::vector<std::pair<std::string, std::string>> FitAnswer::lines() const
{
    std::vector<std::pair<std::string, std::string>> out;
    for (const FittedValue& v : values)
        out.emplace_back((v.isDetermined ? "fitted: " : "kept: ") + v.label,
                         significantNumber(v.after) + (v.isDetermined
                                                           ? " instead of " + significantNumber(v.before)
                                                           : ", " + std::string(kNotDetermined)));
    out.emplace_back("error with the fitted machine", percent(after.error));
    if (!fit.interrupted)
        out.emplace_back("on rows left out of a fit", percent(fit.errorLeftOut));
    return out;
}

Table FitAnswer::errors() const
{
    Table out({"error, geometric mean", "value"});
    out.add("before", TableCell(before.error, percent(before.error)));
    out.add("after", TableCell(after.error, percent(after.error)));
    if (!fit.interrupted)
        out.add("on rows left out of a fit", TableCell(fit.errorLeftOut, percent(fit.errorLeftOut)));
    out.add("Spearman after", TableCell(after.spearman, fixedNumber(after.spearman, 3)));
    return out;
}

} // namespace tilewright::verbs
