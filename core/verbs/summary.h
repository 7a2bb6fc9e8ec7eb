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
/// Name of a row in files: "schedule", "schedule_run", "schedule_solved", "npu", "npu_searched", "systolic",
/// "mapping".
[[nodiscard]] std::string_view toString(SummaryKind kind) noexcept;
/// Title of a row for people: "NPU, default tiles".
[[nodiscard]] std::string_view titleOf(SummaryKind kind) noexcept;
/// True if the row is the result of a search, which runs only on request.
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
/// True if the row is computed in almost no time. The window and reports compute such rows without a request.
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
    OfPeak, ///< share of the peak rate of the arrays, 0 to 1
    DramBytes,
    OfLeastBytes, ///< DRAM bytes as a multiple of the least bytes that must move
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
/// Text of a figure for people: "442 889", "1.61", "12.4 %".
[[nodiscard]] std::string figureText(SummaryFigure figure, double value);

/// Figures of one operator of the model in a row of the Summary.
struct OperatorFigures
{
    OperatorId op;
    ExplainedValue cycles;
    std::optional<double> dramBytes, energyPj; ///< empty: the lens does not state them per operator
    std::string how;                           ///< subgraph, tile or product to which the figures belong
    /// For operators that overlap or run together: the operator's part of the cycles in which any of them
    /// runs (sharedCycles()).
    std::optional<double> shared = {};
};

/// The figures of a row, indexed by SummaryFigure. A figure is empty if the lens does not model it or the row
/// has not been run.
using SummaryFigures = std::array<std::optional<ExplainedValue>, kSummaryFigures>;

struct SummaryRow
{
    enum class State : std::uint8_t { NotRun, Done, Failed };

    SummaryKind kind = SummaryKind::Schedule;
    State state = State::NotRun;
    std::string error; ///< why the row has no figures, if the state is Failed
    SummaryFigures figures;
    std::string how;                        ///< schedule, tiles or rule from which the figures follow
    std::string binds;                      ///< what limits the row: a resource
    std::vector<std::string> leftOut;       ///< sentences on what the figures do not include
    std::vector<OperatorFigures> operators; ///< in the order of the model
    std::shared_ptr<const Schedule> solved; ///< ScheduleSolved: the schedule that the search found
    bool interrupted = false; ///< true if the search was stopped; the row is then its best result so far
    /// For a language model: cycles of all its layers, and these as a multiple of their floor. With several
    /// chips, both are for one chip of the last stage, with its collectives.
    std::optional<ExplainedValue> wholeCycles, wholeOfFloor;
    double wholeLaunches =
        0; ///< launches of the operators of all layers, in ms; 0 if the machine states none

    [[nodiscard]] const std::optional<ExplainedValue>& of(SummaryFigure figure) const
    {
        return figures[static_cast<std::size_t>(figure)];
    }
    /// Text of a figure for people; if there is no value, a word: "not run", "not modelled".
    [[nodiscard]] std::string text(SummaryFigure figure) const;
    [[nodiscard]] std::string bindsInShort() const; ///< short text of what limits the row: "DRAM", "compute"
};

/// Options of a summary, as tilewright-cli, Python and the window set them.
struct SummaryCall
{
    WorkloadCall workload; ///< each of its machines gives a summary of its own
    std::string beside;    ///< file of another model, which gets a summary of its own
    std::string schedule;  ///< file of the schedule that is evaluated
    RulesCall rules = RulesCall::ofFile();
    /// Number of cores for the NPU lens and the run; 0: all cores of the machine for the NPU lens, 1 for the
    /// run.
    int cores = 0;
    double solve = 0;     ///< seconds of the search for a schedule; 0: no search
    bool search = false;  ///< true: the other searches run, too
    bool explain = false; ///< true: the answer contains the explanations of all figures

    // Filled in by readFiles():
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
    std::optional<Schedule> schedule; ///< current schedule; empty: the start schedule
    /// Number of cores for the NPU lens and the run; 0: all cores of the machine for the NPU lens, 1 for the
    /// run.
    int cores = 0;
    double solve = 0;    ///< seconds of the search for a schedule; 0: suggestedSeconds() of the problem
    npu::TileSizes tile; ///< NpuCall::tile

    [[nodiscard]] std::int64_t coresOf(SummaryKind kind) const;
};

/// Computes a row with the same calls and the same defaults as the lens itself. Never fails: a row that
/// cannot be computed has a sentence in `error`.
[[nodiscard]] SummaryRow summaryRow(const SummarySubject& subject, SummaryKind kind,
                                    const Progress& progress = {});
/// Returns the figures of a floor in the form of a row.
[[nodiscard]] SummaryFigures floorFigures(const lower::Floor& floor, const lower::ModelOnMachine& model);
/// Returns an empty row for a lens that has not been run.
[[nodiscard]] SummaryRow rowNotRun(SummaryKind kind);

/// The Summary of one model on one machine.
struct Summary
{
    std::string model, machine;
    double clockGhz = 1;
    std::vector<lower::Floor> floors; ///< floors for each number of cores that occurs in the rows, ascending
    std::vector<SummaryFigures> floorFigures; ///< per floor: its figures
    std::vector<std::string> notes;           ///< what the lowering does not model
    std::string launchNote;       ///< note on launches for the window; empty if there are no launches
    std::vector<SummaryRow> rows; ///< in the order of kSummaryKinds
    std::optional<LanguageFigures> language; ///< figures of a language model
};
/// A line with a figure of a language model, for people.
struct LanguageLine
{
    std::string name, text;
    /// Points into the figures from which the lines were made; may be null.
    const ExplainedValue* explained = nullptr;
};
/// Returns lines with the figures of a language model that do not depend on a lens: the step, the key
/// figures, the shares of its parts. The lines are valid as long as `figures` exists.
[[nodiscard]] std::vector<LanguageLine> languageLines(const LanguageFigures& figures);
/// Returns the lines of the figures, and the time that each row needs for the whole model. Empty if the model
/// is no language model. The lines are valid as long as `summary` exists.
[[nodiscard]] std::vector<LanguageLine> languageLines(const Summary& summary);
/// Returns the time in ms of a step of the whole model in a row; nullopt if it is not known.
[[nodiscard]] std::optional<double> wholeMilliseconds(const Summary& summary, const SummaryRow& row);
/// Returns the summary of a subject with rows that have not been run.
[[nodiscard]] Summary emptySummary(const SummarySubject& subject);

/// Returns the summary of a subject with the rows that take no time (isQuick()).
[[nodiscard]] Summary quickSummary(const SummarySubject& subject);
/// Returns the subject of an evaluated schedule, which must have a model.
[[nodiscard]] SummarySubject subjectOf(const EvaluatedFiles& evaluated, const WorkloadCall& workload);
/// Returns names and values for a report of a schedule: machine, cycles and time at its clock, MACs, how the
/// operators were lowered, and the figures of a language model.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
reportFigures(const lower::ModelOnMachine& model, const Evaluation& evaluation);

struct SummaryAnswer
{
    std::vector<Summary> summaries; ///< the model on each machine, then the other model
    bool explained = false;
    bool interrupted = false;
    [[nodiscard]] bool failed() const; ///< true if a row has an error
};
/// Returns every model of the call on every machine of the call.
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
/// Returns the lines of the table. For each summary: its heading (if there are several), its floors, its
/// rows.
[[nodiscard]] std::vector<SummaryLine> summaryLines(std::span<const Summary> summaries);
/// Returns the figures of a line; a heading has none.
[[nodiscard]] const SummaryFigures& figuresOf(std::span<const Summary> summaries, const SummaryLine& line);
/// Returns a figure as a multiple of the same figure of the first summary. Empty for the first summary, and
/// if one of the two is missing or 0.
[[nodiscard]] std::optional<double> ratioOf(std::span<const Summary> summaries, const SummaryLine& line,
                                            SummaryFigure figure);
/// Returns the text of a figure, followed by its ratio: "290 779 (× 0.13)"; empty for a heading.
[[nodiscard]] std::string shownFigure(std::span<const Summary> summaries, const SummaryLine& line,
                                      SummaryFigure figure);
/// Returns in a word or two what limits the line; empty for a heading.
[[nodiscard]] std::string bindsInShort(std::span<const Summary> summaries, const SummaryLine& line);
/// Returns the table for people with a row per line: lens, figures, what limits it, what the figures leave
/// out.
[[nodiscard]] Table summaryTable(std::span<const Summary> summaries);
/// Returns the table as tab-separated lines with the titles first, as a report shows it; empty if there are
/// no rows.
[[nodiscard]] std::string summaryText(std::span<const Summary> summaries);

/// The document of `summary --json` (docs/design.md 3.2).
[[nodiscard]] std::string summaryJson(std::span<const Summary> summaries, bool explained);
/// Returns the table as CSV: one row per lens, with exact values, model and machine.
[[nodiscard]] std::string summaryCsv(std::span<const Summary> summaries);

} // namespace tilewright::verbs
