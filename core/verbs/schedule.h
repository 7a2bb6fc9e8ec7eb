// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs of the Schedule lens: evaluate, check, bound, place and solve.
#pragma once

#include "base/progress.h"
#include "eval/energy_bound.h"
#include "eval/rule_choice.h"
#include "place/placement_json.h"
#include "report/evaluation_json.h"
#include "run/finish.h"
#include "schedule/schedule_json.h"
#include "snapshot/snapshot.h"
#include "solve/cost/constraints.h"
#include "solve/search/proof_run.h"
#include "solve/search/solver.h"
#include "verbs/workload.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tilewright::verbs {

/// Requests a stop when `interrupt` requests one, or after `seconds` (0: no time limit).
class Deadline
{
public:
    Deadline(double seconds, const std::stop_token& interrupt)
        : m_forward(interrupt, [this] { m_source.request_stop(); })
    {
        if (seconds > 0)
            m_timer = std::jthread([this, seconds](const std::stop_token& done) {
                std::unique_lock lock(m_mutex);
                m_end.wait_for(lock, done, std::chrono::duration<double>(seconds), [] { return false; });
                m_source.request_stop();
            });
    }
    [[nodiscard]] Progress progress() const { return {m_source.get_token(), {}}; }

private:
    std::stop_source m_source;
    std::stop_callback<std::function<void()>> m_forward;
    std::mutex m_mutex;
    /// Allocated in advance, because nobody would catch an exception in the thread.
    std::condition_variable_any m_end;
    std::jthread m_timer;
};

/// The rules that the options --rules and --set choose: a rule set, and rule switches that differ from it.
struct RulesCall
{
    /// Name of the rule set; "auto": the one of the schedule file or of the problem (R18).
    std::string set = "auto";
    std::vector<std::string> switches; ///< "NAME=VALUE"
    bool byFile = false;               ///< true if a schedule file is read, which may state its own rules
    std::optional<Rules> value;        ///< rules that replace `set` and `switches`

    [[nodiscard]] static RulesCall ofFile() { return {"auto", {}, true, {}}; }
    [[nodiscard]] Status apply(Rules& rules) const; ///< applies `switches` to the rules
    /// The rules for a problem without a schedule file.
    [[nodiscard]] Result<Rules> rules(const Problem& problem) const;
};
/// Adds the options --rules and --set.
void bindOptions(OptionList& o, RulesCall& call);

/// A schedule of a problem, and the rules under which it is evaluated.
struct ScheduleCall
{
    WorkloadCall workload;
    std::string schedule; ///< schedule file
    RulesCall rules = RulesCall::ofFile();
};
void bindOptions(OptionList& o, ScheduleCall& call);

/// A schedule with its problem, evaluated.
struct EvaluatedSchedule
{
    ProblemPtr problem;
    LoadedSchedule loaded;
    RulesChoice rules;
    /// Incomplete if the file has a FORMAT, GRANULARITY or RETAIN issue: then it has only these issues.
    Evaluation evaluation;
};

/// The options of `evaluate`, which can compare a schedule with constraints.
struct EvaluateCall : ScheduleCall
{
    std::string constraintsFile;
};
void bindOptions(OptionList& o, EvaluateCall& call);
/// Constraints, and the ways in which a schedule breaks them.
struct ConstraintCheck
{
    ScheduleConstraints constraints;
    std::vector<ConstraintViolation> violations;
};
/// Compares the evaluated schedule of a call with the call's constraints. Empty if the call names none, or if
/// the schedule file has format errors.
[[nodiscard]] Result<std::optional<ConstraintCheck>> checkConstraints(const EvaluateCall& call,
                                                                      const EvaluatedSchedule& evaluated);

/// Returns the rules for "auto": the rule set that reproduces the latencies in the file.
[[nodiscard]] RulesChoice rulesOfFile(const Problem& problem, const LoadedSchedule& loaded);
/// Returns the rules of a named set; an Error for other names.
[[nodiscard]] Result<RulesChoice> rulesNamed(const std::string& set);

/// An evaluated schedule, with a description of the hardware for messages.
struct EvaluatedFiles : EvaluatedSchedule
{
    std::string hardware;                ///< description of the hardware of the evaluation
    bool onOwnHardware = true;           ///< true if this is the hardware in the problem's file
    lower::ModelOnMachinePtr model = {}; ///< ProblemOnHardware::model
    /// Deviations of latencies (R10.2); empty if the options name a machine.
    std::vector<LatencyDeviation> deviations = {};
};
/// Reads and evaluates a schedule file on the machine that the options name, else on the one that the file
/// names. A notice() reports deviations of latencies.
[[nodiscard]] Result<EvaluatedFiles> evaluateFiles(ScheduleCall& call);
/// Like evaluateFiles(). If the call names no schedule, evaluates the start schedule, which runs one op in
/// each subgraph.
[[nodiscard]] Result<EvaluatedFiles> evaluateFilesOrStart(ScheduleCall& call);

[[nodiscard]] EvaluatedSchedule evaluateLoaded(ProblemPtr problem, LoadedSchedule loaded, RulesChoice rules);
/// Returns a snapshot of the evaluation, with the lower bound and the total on the array.
[[nodiscard]] Snapshot snapshotOf(const EvaluatedSchedule& evaluated);

/// Returns the reason why the schedule's buffers cannot get addresses; empty if they can.
[[nodiscard]] std::string whyNotPlaced(const EvaluatedSchedule& evaluated);
/// Returns the loaded schedule for use as a start schedule. The Error is the first issue of the file.
[[nodiscard]] Result<Schedule> startOf(LoadedSchedule loaded, const std::string& file);

/// Options of a lower bound, as tilewright-cli, Python and the Lower bound pane of the window set them.
struct BoundCall
{
    WorkloadCall workload = {};
    RulesCall rules = {};
    double seconds = 0; ///< time limit in seconds of a proof; 0 = only the quick bound
    int threads = 0;    ///< number of threads of the proof; 0 = all hardware threads
};
void bindOptions(OptionList& o, BoundCall& call);

/// Default time limit of a proof in the window, in seconds. It differs from the default of BoundCall because
/// the window always shows the quick bound; its pane only runs proofs.
inline constexpr double kWindowProofSeconds = 10;

/// Returns the limits of the proof of a call. A stop request ends the proof.
[[nodiscard]] ProofRunLimits proofLimits(const BoundCall& call, std::stop_token stop);

struct BoundAnswer
{
    ProblemOnHardware on;
    LowerBound bound;
    EnergyBound energy;
    std::optional<BoundedBest> best; ///< the best known schedule; only after a proof
    [[nodiscard]] std::string json() const;
};
/// Reads the problem and computes its bound. If `interrupt` requests a stop, the result is the best bound so
/// far.
[[nodiscard]] Result<BoundAnswer> boundOf(BoundCall& call, const std::stop_token& interrupt);

/// The options of `place`. They name a schedule of a problem, or a CSV file of buffers in `workload` (then
/// there is no schedule).
struct PlaceCall : ScheduleCall
{
    std::int64_t capacity = 0; ///< for a file of buffers: capacity of fast memory
    double seconds = 10;       ///< time limit in seconds; 0: none, the search ends with a proof
};
void bindOptions(OptionList& o, PlaceCall& call);

struct PlaceAnswer
{
    Placement placement;
    Buffers buffers;
    std::int64_t capacity = 0;
    ProblemPtr problem = {};                     ///< problem of a schedule
    std::optional<PlacedSchedule> schedule = {}; ///< empty for a file of buffers
    [[nodiscard]] std::string json() const;      ///< the document of `place --json`
};
/// Reads the buffers of the file. The Error is one of the file, or says that no capacity is given.
[[nodiscard]] Result<Buffers> readBuffers(const PlaceCall& call);
/// Places buffers.
[[nodiscard]] Result<PlaceAnswer> placeBuffers(Buffers buffers, std::int64_t capacity,
                                               const Progress& progress);
/// Places the buffers of a schedule, which must be valid (whyNotPlaced()). Returns an Error if the search is
/// interrupted or if there are too many buffers.
[[nodiscard]] Result<PlaceAnswer> placeItems(const EvaluatedSchedule& evaluated, const Progress& progress);

/// Options of a search, as tilewright-cli, Python and the Solver pane of the window set them. The default
/// values are the same for all three.
struct SolveCall
{
    WorkloadCall workload;
    RulesCall rules;
    /// Time limit of the search in seconds; 0 = none; empty = suggestedSeconds() of the problem.
    std::optional<double> seconds;
    double patience = 0; ///< SolveOptions::stagnation
    double prove = 0;    ///< time limit in seconds of a proof after the search; 0 = no proof
    std::int64_t iterations = 0;
    int threads = 0; ///< number of threads of the search and of the proof; 0 = all hardware threads
    std::uint64_t seed = 1;
    bool placeable = false;
    std::string objective = "latency"; ///< SolveOptions::objective, one of kObjectiveNames
    /// "run": the result is the schedule that runs fastest (R20) among those found and variants of their
    /// tilings.
    std::string finish = "latency";
    std::string startFile;
    std::optional<Schedule> start; ///< start schedule; replaces `startFile`
    std::string constraintsFile;
    ScheduleConstraints constraints; ///< in addition to those of `constraintsFile`
    bool constraintCosts = false;    ///< true: findConstraintCosts() runs after the search
    std::vector<OpId> selection;     ///< SolveOptions::selection, used only by the window
};
void bindOptions(OptionList& o, SolveCall& call);

/// Returns the options of solve() for a call. The Error concerns the rules or the file of the start schedule.
[[nodiscard]] Result<SolveOptions> solveOptions(const SolveCall& call, const Problem& problem);
/// Runs the proof that SolveCall::prove asks for after a search. Copies its bounds, or a better schedule,
/// into the result. Calls `report` with the seconds since the start of the search and the bound.
void proveAfter(const SolveCall& call, const Problem& problem, const SolveOptions& options,
                SolveResult& result, const std::function<void(double, double)>& report = {});

/// Computes what the constraints cost (findConstraintCosts()) if the call asks for it.
void costsAfter(const SolveCall& call, const Problem& problem, const SolveOptions& options,
                SolveResult& result);

/// If SolveCall::finish asks for it, chooses the schedule that runs fastest and copies it into the result.
/// This takes at most as long as the search may take. Empty if the call does not ask for it. The Error is
/// that of runSchedule().
[[nodiscard]] Result<std::optional<RunFinish>> finishAfter(const SolveCall& call, const Problem& problem,
                                                           const SolveOptions& options, SolveResult& result);

} // namespace tilewright::verbs

namespace tilewright {

/// The document of `evaluate --json`, with the constraints with which the schedule was compared.
[[nodiscard]] std::string evaluationJson(const Snapshot& snapshot, std::string_view rulesReason,
                                         const verbs::ConstraintCheck& check);

/// The document of `solve --json`: the fields of `evaluate --json` for the result, and further ones
/// (docs/design.md 3.2).
[[nodiscard]] std::string solveResultJson(const ProblemPtr& problem, const SolveResult& result,
                                          const Rules& rules, const std::optional<RunFinish>& finish = {});

} // namespace tilewright
