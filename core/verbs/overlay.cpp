// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/overlay.h"

#include "base/file.h"
#include "base/utf8.h"
#include "edit/fit.h"
#include "npu/hardware.h"

#include <algorithm>
#include <map>

namespace tilewright::verbs {

namespace {

constexpr std::array kRepeated{std::string_view("refuse"), std::string_view("sum"), std::string_view("mean")};

std::optional<overlay::Figure> figureNamed(const std::string& name)
{
    const auto* const it =
        std::ranges::find(overlay::kFigures, name, [](overlay::Figure f) { return toString(f); });
    return it == overlay::kFigures.end() ? std::nullopt : std::optional(*it);
}

/// Number of occurrences of each product of an operator, in the order of gemmsOf(). The Systolic lens states
/// the figures of one occurrence.
std::map<OperatorId, std::vector<double>> productCounts(const lower::ModelOnMachine& model)
{
    const std::vector<lower::GemmLayer> layers = lower::gemmsOf(model.lowered);
    std::vector<std::map<OperatorId, double>> counts(layers.size());
    for (std::size_t i = 0; i < model.lowered.source.size(); ++i)
        if (const auto gemm = lower::gemmOf(model.lowered, OpId(i)))
            if (const auto layer = std::ranges::find(layers, *gemm, &lower::GemmLayer::gemm);
                layer != layers.end())
                ++counts[static_cast<std::size_t>(layer - layers.begin())][model.lowered.source[i]];
    std::map<OperatorId, std::vector<double>> out;
    for (const auto& layer : counts)
        for (const auto& [op, count] : layer)
            out[op].push_back(count);
    return out;
}

} // namespace

std::vector<SummaryKind> overlayLenses()
{
    return {SummaryKind::Schedule, SummaryKind::Npu, SummaryKind::NpuSearched, SummaryKind::Systolic,
            SummaryKind::Mapping};
}

overlay::ReadOptions OverlayCall::readOptions() const
{
    const auto at = std::ranges::find(kRepeated, repeated) - kRepeated.begin();
    return {column, names, unit, where, static_cast<overlay::Repeated>(at)};
}

void bindOptions(OptionList& o, OverlayCall& call)
{
    std::string lenses, figures, units;
    for (const SummaryKind kind : overlayLenses())
        lenses.append(lenses.empty() ? "" : "|").append(toString(kind));
    for (const overlay::Figure figure : overlay::kFigures)
        figures.append(figures.empty() ? "" : "|").append(toString(figure));
    o.add("MODEL", call.workload.file, "FILE", "Model, or any workload to lower", o.required());
    o.add("values", call.files, "FILE",
          "Values by the names of operators: CSV, JSON, a report of SCALE-Sim, statistics of Timeloop; "
          "several, one after another",
          o.required());
    bindOptions(o, call.workload);
    o.add("--schedule", call.schedule, "FILE", "Schedule of the model",
          o.needs(call.lens == toString(SummaryKind::Schedule), "--lens schedule"),
          o.otherwise("the start schedule"));
    bindOptions(o, call.rules);
    o.add("--lens", call.lens, lenses, "What states the figures of ours: a row of the verb summary");
    o.add("--figure", call.figure, figures, "The figure that the values are compared with",
          o.otherwise("the one that is measured in the unit of the values, else the latency"));
    o.add("--column", call.column, "COLUMN", "Column of the values",
          o.otherwise("the column with a time or cycles"));
    o.add("--names", call.names, "COLUMN", "Column of the names",
          o.otherwise("name, layer, operator, op, node, kernel or LayerID, else the first one"));
    o.add("--unit", call.unit, "ns|us|ms|s|cycles|kb|bytes|pj|nj|uj", "Unit of the values",
          o.otherwise("a word of the name of their column"));
    o.add("--where", call.where, "CONDITION",
          "Take only rows that meet it: COLUMN=VALUE, or with !=, < or >; may be repeated", o.oneByOne());
    o.add("--repeated", call.repeated, "refuse|sum|mean", "What becomes of rows with the same name");
    o.add("--cores", call.cores, Range{1, npu::kMaxCores}, "Number of cores of the NPU lens",
          o.needs(call.lens.starts_with(toString(SummaryKind::Npu)), "--lens npu or npu_searched"),
          o.otherwise("that of the machine"));
}

Status readFiles(OverlayCall& call)
{
    if (Status s = readFiles(static_cast<SummaryCall&>(call)); !s)
        return s;
    if (!call.texts.empty())
        return Unit{};
    for (const std::string& file : call.files) {
        auto text = readFile(file);
        if (!text)
            return text.error();
        call.texts.push_back(textOfBytes(*text, file));
    }
    return Unit{};
}

Result<std::vector<overlay::OurFigures>> operatorFigures(const SummarySubject& subject, SummaryKind kind,
                                                         const Progress& progress)
{
    const Problem& problem = *subject.model->problem;
    if (kind == SummaryKind::Schedule) {
        const Schedule schedule =
            subject.schedule ? *subject.schedule : oneOpPerSubgraph(problem, subject.rules);
        const Evaluation evaluation = evaluate(problem, schedule, subject.rules);
        if (!evaluation.valid())
            return Error{ErrorCode::Refused, sentence(*evaluation.verdict()), {}, {}};
        return overlay::figuresOf(*subject.model, schedule, evaluation);
    }
    const SummaryRow row = summaryRow(subject, kind, progress);
    if (row.state == SummaryRow::State::Failed)
        return Error{ErrorCode::Refused, row.error, {}, {}};
    return operatorFigures(*subject.model, row);
}

std::vector<overlay::OurFigures> operatorFigures(const lower::ModelOnMachine& model, const SummaryRow& row)
{
    std::vector<overlay::OurFigures> out;
    const auto add = [](std::optional<double>& sum, const std::optional<double>& value, double times) {
        if (value)
            sum = sum.value_or(0) + times * *value;
    };
    std::map<OperatorId, std::vector<double>> counts;
    if (row.kind == SummaryKind::Systolic)
        counts = productCounts(model);
    std::size_t product = 0;                         // index of the product within the operator
    for (const OperatorFigures& f : row.operators) { // the order is that of the model
        if (out.empty() || out.back().operators.front() != f.op) {
            out.push_back({{f.op}, {}, {}, {}});
            product = 0;
        }
        const auto of = counts.find(f.op);
        const double times = of != counts.end() && product < of->second.size() ? of->second[product] : 1;
        ++product;
        add(out.back().cycles, f.shared.value_or(f.cycles.value), times);
        add(out.back().dramBytes, f.dramBytes, times);
        add(out.back().energyPj, f.energyPj, times);
    }
    return out;
}

Result<std::vector<overlay::Overlay>> overlaysOf(const OverlayCall& call, const Progress& progress)
{
    const overlay::ReadOptions options = call.readOptions();
    std::vector<overlay::NamedValues> values;
    for (std::size_t i = 0; i < call.files.size(); ++i) {
        auto read = overlay::readNamedValues(call.texts[i], call.files[i], options);
        if (!read)
            return read.error();
        values.push_back(std::move(*read));
    }
    const auto subjects = subjectsOf(call);
    if (!subjects)
        return subjects.error();
    const auto lenses = overlayLenses();
    const auto kind = std::ranges::find(lenses, call.lens, [](SummaryKind k) { return toString(k); });
    std::vector<overlay::Overlay> out;
    for (const SummarySubject& subject : *subjects) {
        const auto ours = operatorFigures(subject, *kind, progress);
        if (!ours)
            return Error{ours.error().code, ours.error().message, "--lens " + call.lens,
                         subject.workload.file};
        for (const overlay::NamedValues& of : values) {
            auto compared =
                overlay::overlayOf(of, *subject.model, *ours, call.lens, figureNamed(call.figure));
            if (!compared)
                return compared.error();
            out.push_back(std::move(*compared));
        }
    }
    return out;
}

Result<FitAnswer> fitOverlay(const overlay::NamedValues& values, const SummarySubject& subject,
                             SummaryKind kind, const Progress& progress)
{
    using validation::Quantity;
    const Quantity quantity = values.column.quantity;
    if (quantity != Quantity::Milliseconds && quantity != Quantity::Cycles)
        return Error{ErrorCode::Field,
                     "the column " + validation::quotedText(values.column.name) +
                         " has no times, to which values of the machine could be fitted",
                     {},
                     values.file};
    const Machine& machine = subject.model->machine;
    std::vector<std::string> paths{"array.rates." + std::to_string(8 * machine.elementBytes),
                                   "levels.external.gb_per_s"};
    if (quantity == Quantity::Milliseconds)
        paths.emplace_back("launch_us.product");
    const FitRows rows{values.file, std::string(toString(kind)), quantity,
                       [&](const Machine& on) -> Result<std::vector<validation::ComparedRow>> {
                           SummarySubject next = subject;
                           next.workload.machine = on;
                           auto model = lower::putOnMachine(subject.model->workload, on);
                           if (!model)
                               return model.error();
                           next.model = std::move(*model);
                           const auto ours = operatorFigures(next, kind, {progress.stop, {}});
                           if (!ours)
                               return ours.error();
                           auto compared =
                               overlay::overlayOf(values, *next.model, *ours, std::string(toString(kind)),
                                                  overlay::Figure::Latency);
                           if (!compared)
                               return compared.error();
                           return std::move(compared->comparison.rows);
                       }};
    return fitRows(machine, rows, paths, progress);
}

} // namespace tilewright::verbs
