// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/summary.h"

#include "base/file.h"
#include "base/table.h"
#include "base/text.h"
#include "lower/launch.h"
#include "npu/hardware.h"

#include <algorithm>

namespace tilewright::verbs {

std::string_view toString(SummaryKind kind) noexcept
{
    static constexpr std::array<std::string_view, kSummaryKinds.size()> kNames{
        "schedule", "schedule_run", "schedule_solved", "npu", "npu_searched", "systolic", "mapping"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view titleOf(SummaryKind kind) noexcept
{
    static constexpr std::array<std::string_view, kSummaryKinds.size()> kTitles{
        "Schedule, as it stands", "Schedule, run",       "Schedule, solved",
        "NPU, default tiles",     "NPU, searched tiles", "Systolic, layer by layer",
        "Mapping, layer by layer"};
    return kTitles[static_cast<std::size_t>(kind)];
}

std::span<const SummaryColumn, kSummaryFigures> summaryColumns() noexcept
{
    using F = SummaryFigure;
    static constexpr std::array<SummaryColumn, kSummaryFigures> kColumns{
        {{F::Cycles, "cycles", "cycles", "cycles"},
         {F::Milliseconds, "ms", "ms", "ms"},
         {F::OfFloor, "of_floor", "× floor", ""},
         {F::Tops, "tops", "TOPS", "TOPS"},
         {F::OfPeak, "of_peak", "of peak", ""},
         {F::DramBytes, "dram_bytes", "DRAM bytes", "bytes"},
         {F::OfLeastBytes, "of_least_bytes", "× least bytes", ""},
         {F::Energy, "energy_pj", "energy µJ", "pJ"},
         {F::Cores, "cores", "cores", ""}}};
    return kColumns;
}

std::string figureText(SummaryFigure figure, double value)
{
    switch (figure) {
    case SummaryFigure::Cycles:
    case SummaryFigure::DramBytes:
    case SummaryFigure::Cores:
        return formatGrouped(value);
    case SummaryFigure::OfPeak:
        return percent(value);
    case SummaryFigure::Energy:
        return significantNumber(value / 1e6, 4);
    case SummaryFigure::OfFloor:
    case SummaryFigure::OfLeastBytes:
    case SummaryFigure::Milliseconds:
    case SummaryFigure::Tops:
        break;
    }
    return significantNumber(value);
}

std::string SummaryRow::text(SummaryFigure figure) const
{
    if (const auto& value = of(figure))
        return figureText(figure, value->value);
    return state == State::NotRun && figure == SummaryFigure::Cycles   ? "not run"
           : state == State::Failed && figure == SummaryFigure::Cycles ? "error"
           : state == State::Done                                      ? "not modelled"
                                                                       : "";
}

std::string SummaryRow::bindsInShort() const
{
    std::string out = binds.substr(0, binds.find(':'));
    for (const std::string_view verb : {" binds", " bind"})
        if (out.ends_with(verb))
            out.resize(out.size() - verb.size());
    return out;
}

void bindOptions(OptionList& o, SummaryCall& call)
{
    constexpr double kMostSeconds = 1e9;
    o.add("MODEL", call.workload.file, "FILE", "Model, or any workload to lower", o.required());
    bindOptions(o, call.workload);
    o["--machine"].help =
        "Machine file, or the name of a preset; several, one after another, stand side by side";
    o.add("--beside", call.beside, "FILE", "Another model, side by side with the first");
    o.add("--schedule", call.schedule, "FILE", "Schedule of the model, for the row \"as it stands\"",
          o.notWith(!call.beside.empty(), "--beside"), o.otherwise("the start schedule"));
    bindOptions(o, call.rules);
    o.add("--cores", call.cores, Range{1, npu::kMaxCores},
          "Number of cores of the NPU lens and of the run of the schedule",
          o.otherwise("that of the machine; 1 for the run of the schedule"));
    o.add("--solve", call.solve, Range{0, kMostSeconds, false, "s"},
          "Time of a search for a schedule; 0: the row is not run");
    o.flag("--search", call.search,
           "Search the tiles of the NPU lens and the mapping of every layer; without it, these rows are not "
           "run");
    o.flag("--explain", call.explain, "State what every figure is made of");
}

Status readFiles(SummaryCall& call)
{
    std::optional<Machine> ofSchedule;
    onnx::Dimensions dimensions;
    if (!call.schedule.empty() && call.scheduleText.empty()) {
        auto text = readFile(call.schedule);
        if (!text)
            return text.error();
        auto target = lower::targetOfSchedule(*text, call.schedule);
        if (!target)
            return target.error();
        ofSchedule = std::move(target->machine);
        dimensions = std::move(target->dimensions);
        call.scheduleText = std::move(*text);
    }
    if (call.machines.empty()) {
        for (const std::string& name : call.workload.machines) {
            auto machine = lower::loadMachine(std::span(&name, 1));
            if (!machine)
                return machine.error();
            call.machines.push_back(std::move(*machine));
        }
        if (call.machines.empty())
            call.machines.push_back(call.workload.machine ? *call.workload.machine
                                    : ofSchedule          ? *ofSchedule
                                                          : call.workload.machineOrEdge());
    }
    call.workload.machine = call.machines.front();
    if (Status s = readFiles(call.workload, dimensions); !s)
        return s;
    if (call.beside.empty() || call.other.workload)
        return Unit{};
    call.other = call.workload;
    call.other.workload = nullptr;
    call.other.file = call.beside;
    return readFiles(call.other);
}

std::int64_t SummarySubject::coresOf(SummaryKind kind) const
{
    if (kind == SummaryKind::ScheduleRun)
        return cores > 0 ? cores : 1;
    if (lensOf(kind) != MachineLens::Npu)
        return 1;
    return cores > 0 ? cores : model->machine.cores;
}

Result<std::vector<SummarySubject>> subjectsOf(const SummaryCall& call)
{
    std::vector<SummarySubject> out;
    for (const WorkloadCall* workload : {&call.workload, &call.other}) {
        if (!workload->workload)
            continue;
        for (const Machine& machine : call.machines) {
            SummarySubject& subject = out.emplace_back();
            subject.workload = *workload;
            subject.workload.machine = machine;
            auto model = putOnMachine(subject.workload);
            if (!model)
                return model.error();
            subject.model = std::move(*model);
            subject.cores = call.cores;
            subject.solve = call.solve;
            const Problem& problem = *subject.model->problem;
            if (call.scheduleText.empty()) {
                const auto rules = call.rules.rules(problem);
                if (!rules)
                    return rules.error();
                subject.rules = *rules;
                continue;
            }
            auto loaded = readSchedule(problem, call.scheduleText, call.schedule);
            if (!loaded)
                return loaded.error();
            auto rules =
                call.rules.set == "auto" ? rulesOfFile(problem, *loaded) : rulesNamed(call.rules.set);
            if (!rules)
                return rules.error();
            if (const Status s = call.rules.apply(rules->rules); !s)
                return s.error();
            subject.rules = call.rules.value.value_or(rules->rules);
            subject.rulesReason = rules->reason;
            auto schedule = startOf(std::move(*loaded), call.schedule);
            if (!schedule)
                return schedule.error();
            // The latencies in a file hold for the machine that the file names.
            if (const auto named = lower::machineField(schedule->extra, call.schedule);
                named && *named == machine)
                noticeDeviations(call.schedule,
                                 latencyDeviations(*schedule, evaluate(problem, *schedule, subject.rules)));
            subject.schedule = std::move(*schedule);
        }
    }
    return out;
}

Summary emptySummary(const SummarySubject& subject)
{
    Summary out;
    out.model = subject.model->model().name;
    out.machine = subject.model->machine.name;
    out.clockGhz = subject.model->machine.clockGhz;
    std::vector<std::int64_t> cores;
    for (const SummaryKind kind : kSummaryKinds) {
        cores.push_back(subject.coresOf(kind));
        out.rows.push_back(rowNotRun(kind));
    }
    std::ranges::sort(cores);
    cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
    for (const std::int64_t n : cores) {
        out.floors.push_back(lower::floorOf(*subject.model, n));
        out.floorFigures.push_back(floorFigures(out.floors.back(), *subject.model));
    }
    if (std::string missing = lower::missingText(*subject.model->workload); !missing.empty())
        out.notes.push_back(std::move(missing));
    for (const std::string& note : subject.model->lowered.report.notes)
        out.notes.push_back(note);
    if (const double launches = lower::launchOf(*subject.model).value; launches > 0) {
        out.launchNote =
            "ms contain " + significantNumber(launches) +
            " ms of launches (launch_us of the machine); cycles, x floor, TOPS and share of peak do not";
        out.notes.push_back(out.launchNote);
    }
    if (const auto& language = subject.model->workload->language) {
        out.language = languageFigures(*language, subject.model->machine);
        for (const std::string& note : language->config.notes)
            out.notes.push_back(note);
    }
    return out;
}

bool SummaryAnswer::failed() const
{
    return std::ranges::any_of(summaries, [](const Summary& s) {
        return std::ranges::any_of(s.rows,
                                   [](const SummaryRow& r) { return r.state == SummaryRow::State::Failed; });
    });
}

Result<SummaryAnswer> summaryOf(const SummaryCall& call, const Progress& progress)
{
    const auto subjects = subjectsOf(call);
    if (!subjects)
        return subjects.error();
    SummaryAnswer out;
    out.explained = call.explain;
    const double rows = static_cast<double>(subjects->size() * kSummaryKinds.size());
    double done = 0;
    for (const SummarySubject& subject : *subjects) {
        Summary& summary = out.summaries.emplace_back(emptySummary(subject));
        for (SummaryRow& row : summary.rows) {
            const bool asked = row.kind == SummaryKind::ScheduleSolved ? call.solve > 0
                                                                       : call.search || !isSearched(row.kind);
            if (asked && !progress.stopRequested())
                row = summaryRow(subject, row.kind, {progress.stop, [&](double fraction, std::string_view) {
                                                         progress.tell((done + fraction) / rows,
                                                                       titleOf(row.kind));
                                                     }});
            progress.tell(++done / rows, titleOf(row.kind));
        }
    }
    out.interrupted = progress.stopRequested();
    return out;
}

std::string summaryCsv(std::span<const Summary> summaries)
{
    std::vector<TableText> titles{"model", "machine", "row", "state"};
    for (const SummaryColumn& column : summaryColumns())
        titles.emplace_back(std::string(column.name));
    for (const char* title : {"binds", "how", "left_out", "error"})
        titles.emplace_back(title);
    Table table(titles);
    const auto add = [&](const Summary& s, std::string_view row, std::string_view state,
                         const SummaryFigures& figures, const std::array<std::string, 4>& texts) {
        std::vector<TableCell> cells{s.model, s.machine, row, state};
        for (const auto& figure : figures)
            cells.emplace_back(figure ? TableValue(figure->value) : TableValue());
        for (const std::string& text : texts)
            cells.emplace_back(TableValue(text));
        table.add(std::move(cells));
    };
    for (const Summary& s : summaries) {
        for (std::size_t i = 0; i < s.floors.size(); ++i)
            add(s, "floor", "done", s.floorFigures[i],
                {s.floors[i].boundByMemory() ? "memory" : "compute", "R19", "", ""});
        for (const SummaryRow& row : s.rows) {
            std::string leftOut;
            for (const std::string& text : row.leftOut)
                leftOut += (leftOut.empty() ? "" : "; ") + text;
            add(s, toString(row.kind),
                row.state == SummaryRow::State::NotRun ? "not run"
                : row.state == SummaryRow::State::Done ? "done"
                                                       : "failed",
                row.figures, {row.binds, row.how, leftOut, row.error});
        }
    }
    return csvOf(table);
}

} // namespace tilewright::verbs
