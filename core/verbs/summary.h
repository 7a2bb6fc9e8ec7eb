// SPDX-License-Identifier: GPL-3.0-or-later
// The Summary: the figures of every lens for a model on a machine, each with its explanation and as a
// multiple of the floor (docs/rules/real.md R19).
#pragma once

#include "base/table.h"
#include "lower/floor.h"
#include "verbs/language.h"
#include "verbs/npu.h"
#include "verbs/schedule.h"

#include <array>
#include <span>

namespace tilewright::verbs {

enum class SummaryKind : std::uint8_t {
    Schedule,
    ScheduleRun,
    ScheduleSolved,
    Npu,
    NpuSearched,
    Systolic,
    Mapping
};
inline constexpr std::array kSummaryKinds{
    SummaryKind::Schedule,    SummaryKind::ScheduleRun, SummaryKind::ScheduleSolved, SummaryKind::Npu,
    SummaryKind::NpuSearched, SummaryKind::Systolic,    SummaryKind::Mapping};
/// Name for files: "schedule", "schedule_run", "schedule_solved", "npu", "npu_searched", "systolic",
/// "mapping".
[[nodiscard]] std::string_view toString(SummaryKind kind) noexcept;
/// Title for people: "NPU, default tiles".
[[nodiscard]] std::string_view titleOf(SummaryKind kind) noexcept;
/// True if the row is the result of a search: it is not run until somebody asks for it.
[[nodiscard]] constexpr bool isSearched(SummaryKind kind) noexcept
{
    return kind == SummaryKind::ScheduleSolved || kind == SummaryKind::NpuSearched ||
           kind == SummaryKind::Mapping;
}
/// True if the row changes with every edit of the schedule.
[[nodiscard]] constexpr bool followsSchedule(SummaryKind kind) noexcept
{
    return kind == SummaryKind::Schedule || kind == SummaryKind::ScheduleRun;
}
/// True if the row takes no time: the window and a report compute it without being asked.
[[nodiscard]] constexpr bool isQuick(SummaryKind kind) noexcept
{
    return followsSchedule(kind) || kind == SummaryKind::Systolic;
}
[[nodiscard]] constexpr MachineLens lensOf(SummaryKind kind) noexcept
{
    return kind == SummaryKind::Systolic                                  ? MachineLens::Systolic
           : kind == SummaryKind::Mapping                                 ? MachineLens::Mapping
           : kind == SummaryKind::Npu || kind == SummaryKind::NpuSearched ? MachineLens::Npu
                                                                          : MachineLens::Schedule;
}

enum class SummaryFigure : std::uint8_t {
    Cycles,
    Milliseconds,
    OfFloor, ///< cycles as a multiple of the floor for the cores of the row
    Tops,
    OfPeak, ///< share of the largest rate of the arrays, 0 to 1
    DramBytes,
    OfLeastBytes, ///< DRAM bytes as a multiple of those that must move
    Energy,       ///< pJ
    Cores,
};
inline constexpr std::size_t kSummaryFigures = 9;
/// A column: its name in files ("of_floor"), its title for people, and its unit.
struct SummaryColumn
{
    SummaryFigure figure;
    std::string_view name, title, unit;
};
[[nodiscard]] std::span<const SummaryColumn, kSummaryFigures> summaryColumns() noexcept;
/// Returns the value of a figure for people: "442 889", "1.61", "12.4 %".
[[nodiscard]] std::string figureText(SummaryFigure figure, double value);

/// Figures of one operator of the model in a row.
struct OperatorFigures
{
    OperatorId op;
    ExplainedValue cycles;
    std::optional<double> dramBytes, energyPj; ///< empty: the lens does not state them for an operator
    std::string how;                           ///< the subgraph, tile or product to which they belong
    /// Of operators that overlap or run together: its part of the cycles in which one is under way
    /// (sharedCycles()).
    std::optional<double> shared = {};
};

/// By SummaryFigure; empty: not modelled, or not run.
using SummaryFigures = std::array<std::optional<ExplainedValue>, kSummaryFigures>;

struct SummaryRow
{
    enum class State : std::uint8_t { NotRun, Done, Failed };

    SummaryKind kind = SummaryKind::Schedule;
    State state = State::NotRun;
    std::string error; ///< sentence, if the state is Failed
    SummaryFigures figures;
    std::string how;                        ///< schedule, tiles or rule behind the figures
    std::string binds;                      ///< what limits the row
    std::vector<std::string> leftOut;       ///< sentences on what the figures leave out
    std::vector<OperatorFigures> operators; ///< in the order of the model
    std::shared_ptr<const Schedule> solved; ///< ScheduleSolved: the schedule that was found
    bool interrupted = false;               ///< the search was stopped: the best so far
    /// Of a language model: cycles of all its layers, and as a multiple of their floor. Of several chips both
    /// are those of one chip of the last stage with its collectives.
    std::optional<ExplainedValue> wholeCycles, wholeOfFloor;
    double wholeLaunches =
        0; ///< launches of the operators of all layers, in ms; 0 if the machine states none

    [[nodiscard]] const std::optional<ExplainedValue>& of(SummaryFigure figure) const
    {
        return figures[static_cast<std::size_t>(figure)];
    }
    /// Text of a figure for people; a word where there is none: "not run", "not modelled".
    [[nodiscard]] std::string text(SummaryFigure figure) const;
    [[nodiscard]] std::string bindsInShort() const; ///< "DRAM", "compute"
};

/// Options of a summary, as tilewright-cli, Python and the window set them.
struct SummaryCall
{
    WorkloadCall workload; ///< each of its machines stands for itself
    std::string beside;    ///< file of another model, side by side
    std::string schedule;  ///< file of the schedule as it stands
    RulesCall rules = RulesCall::ofFile();
    int cores = 0;        ///< cores of the NPU lens and of the run; 0: those of the machine, and 1
    double solve = 0;     ///< seconds of the search for a schedule; 0: not run
    bool search = false;  ///< run the other searches
    bool explain = false; ///< state the explanations of all figures

    // readFiles() fills these.
    std::vector<Machine> machines;
    WorkloadCall other;
    std::string scheduleText;
};
void bindOptions(OptionList& o, SummaryCall& call);
[[nodiscard]] Status readFiles(SummaryCall& call);

/// One model on one machine, from which each row is computed.
struct SummarySubject
{
    lower::ModelOnMachinePtr model;
    WorkloadCall workload;
    Rules rules;
    std::string rulesReason;
    std::optional<Schedule> schedule; ///< as it stands; empty: the start schedule
    int cores = 0;       ///< cores of the NPU lens and of the run; 0: those of the machine, and 1
    double solve = 0;    ///< seconds of the search; 0: suggestedSeconds() of the problem
    npu::TileSizes tile; ///< NpuCall::tile

    [[nodiscard]] std::int64_t coresOf(SummaryKind kind) const;
};

/// Computes a row with the same calls and the same defaults as the lens itself has. Never fails: a row with
/// an error has its sentence.
[[nodiscard]] SummaryRow summaryRow(const SummarySubject& subject, SummaryKind kind,
                                    const Progress& progress = {});
/// Returns the figures of a floor, as those of a row.
[[nodiscard]] SummaryFigures floorFigures(const lower::Floor& floor, const lower::ModelOnMachine& model);
/// Returns a row that has not been run.
[[nodiscard]] SummaryRow rowNotRun(SummaryKind kind);

/// The table of one model on one machine.
struct Summary
{
    std::string model, machine;
    double clockGhz = 1;
    std::vector<lower::Floor> floors;         ///< for each number of cores of the rows, ascending
    std::vector<SummaryFigures> floorFigures; ///< figures of each floor
    std::vector<std::string> notes;           ///< what the lowering leaves out
    std::string launchNote;       ///< the note on launches, which a window shows; empty without launches
    std::vector<SummaryRow> rows; ///< in the order of kSummaryKinds
    std::optional<LanguageFigures> language; ///< figures of a language model
};
/// A figure of a language model for people.
struct LanguageLine
{
    std::string name, text;
    const ExplainedValue* explained = nullptr; ///< of the figures that the lines were made of; may be null
};
/// Returns the figures of a language model that no lens changes: what runs, the key figures, the shares of
/// its parts. Valid as long as `figures`.
[[nodiscard]] std::vector<LanguageLine> languageLines(const LanguageFigures& figures);
/// Returns these, and the time that each row needs for the whole model; empty for other models. Valid as long
/// as `summary`.
[[nodiscard]] std::vector<LanguageLine> languageLines(const Summary& summary);
/// Returns the time of a step of the whole model in a row in ms; nullopt: it is not known.
[[nodiscard]] std::optional<double> wholeMilliseconds(const Summary& summary, const SummaryRow& row);
/// Returns the summary of a subject with rows that have not been run.
[[nodiscard]] Summary emptySummary(const SummarySubject& subject);

/// Returns the summary of a subject with the rows that take no time (isQuick()).
[[nodiscard]] Summary quickSummary(const SummarySubject& subject);
/// Returns the subject of an evaluated schedule, which must have a model.
[[nodiscard]] SummarySubject subjectOf(const EvaluatedFiles& evaluated, const WorkloadCall& workload);
/// Returns names and values for a report of a schedule: machine, cycles and time at its clock, MACs, what the
/// lowering made of the operators, and the figures of a language model.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
reportFigures(const lower::ModelOnMachine& model, const Evaluation& evaluation);

struct SummaryAnswer
{
    std::vector<Summary> summaries; ///< a model on each machine, then the other model
    bool explained = false;
    bool interrupted = false;
    [[nodiscard]] bool failed() const; ///< true if a row has an error
};
/// Returns every model of the call on every machine.
[[nodiscard]] Result<std::vector<SummarySubject>> subjectsOf(const SummaryCall& call);
/// Computes the rows that the call asks for.
[[nodiscard]] Result<SummaryAnswer> summaryOf(const SummaryCall& call, const Progress& progress = {});

/// A line of the table for people: a floor, a row, or the heading of one of several summaries.
struct SummaryLine
{
    std::size_t summary = 0;
    std::optional<std::size_t> floor; ///< index in Summary::floors
    std::optional<SummaryKind> kind;  ///< kind of a row
};
/// Returns the lines of the table: of each summary its heading, if there are several, its floors, its rows.
[[nodiscard]] std::vector<SummaryLine> summaryLines(std::span<const Summary> summaries);
/// Returns the figures of a line; a heading has none.
[[nodiscard]] const SummaryFigures& figuresOf(std::span<const Summary> summaries, const SummaryLine& line);
/// Returns a figure as a multiple of the same figure of the first summary. Empty for the first summary, and
/// if one of the two is missing or 0.
[[nodiscard]] std::optional<double> ratioOf(std::span<const Summary> summaries, const SummaryLine& line,
                                            SummaryFigure figure);
/// Returns the text of a figure, with its ratio behind it: "290 779 (× 0.13)"; empty for a heading.
[[nodiscard]] std::string shownFigure(std::span<const Summary> summaries, const SummaryLine& line,
                                      SummaryFigure figure);
/// Returns what binds in a word or two; empty for a heading.
[[nodiscard]] std::string bindsInShort(std::span<const Summary> summaries, const SummaryLine& line);
/// Returns the table for people, a row for each line: lens, figures, what binds, what the figures leave out.
[[nodiscard]] Table summaryTable(std::span<const Summary> summaries);
/// Returns this table as tab-separated lines, the titles first, as a report shows it; empty without rows.
[[nodiscard]] std::string summaryText(std::span<const Summary> summaries);

/// The document of `summary --json` (docs/design.md 3.2).
[[nodiscard]] std::string summaryJson(std::span<const Summary> summaries, bool explained);
/// Returns the table as CSV: a row a lens, exact values, with model and machine.
[[nodiscard]] std::string summaryCsv(std::span<const Summary> summaries);

} // namespace tilewright::verbs
