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

/// Requests a stop when `interrupt` does, or after `seconds` (0: never).
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
    std::condition_variable_any m_end; ///< allocated here: nobody would catch an exception in the thread
    std::jthread m_timer;
};

/// The rules that the options --rules and --set choose: a rule set, and rule switches that differ from it.
struct RulesCall
{
    std::string set = "auto";          ///< "auto": those of the schedule file or of the problem (R18)
    std::vector<std::string> switches; ///< "NAME=VALUE"
    bool byFile = false;               ///< true if a schedule file is read, which may state its rules
    std::optional<Rules> value;        ///< used instead of `set` and `switches`

    [[nodiscard]] static RulesCall ofFile() { return {"auto", {}, true, {}}; }
    [[nodiscard]] Status apply(Rules& rules) const; ///< applies `switches` to the rules
    /// The rules for a problem without a schedule file.
    [[nodiscard]] Result<Rules> rules(const Problem& problem) const;
};
/// Adds the options --rules and --set.
void bindOptions(OptionList& o, RulesCall& call);

/// A schedule of a problem, and the rules that it is evaluated under.
struct ScheduleCall
{
    WorkloadCall workload;
    std::string schedule; ///< file
    RulesCall rules = RulesCall::ofFile();
};
void bindOptions(OptionList& o, ScheduleCall& call);

/// A schedule with its problem, evaluated.
struct EvaluatedSchedule
{
    ProblemPtr problem;
    LoadedSchedule loaded;
    RulesChoice rules;
    Evaluation evaluation; ///< has no other issues if the file has a FORMAT, GRANULARITY or RETAIN issue
};

/// The options of `evaluate` for a schedule that is compared with constraints.
struct EvaluateCall : ScheduleCall
{
    std::string constraintsFile;
};
void bindOptions(OptionList& o, EvaluateCall& call);
/// Constraints, and how a schedule breaks them.
struct ConstraintCheck
{
    ScheduleConstraints constraints;
    std::vector<ConstraintViolation> violations;
};
/// Compares the evaluated schedule of a call with its constraints; empty if it names none, or if the file of
/// the schedule has format errors.
[[nodiscard]] Result<std::optional<ConstraintCheck>> checkConstraints(const EvaluateCall& call,
                                                                      const EvaluatedSchedule& evaluated);

/// Returns the rule set for `auto`: the one that reproduces the latencies in the file.
[[nodiscard]] RulesChoice rulesOfFile(const Problem& problem, const LoadedSchedule& loaded);
/// Returns the rules of a named set; an Error for other names.
[[nodiscard]] Result<RulesChoice> rulesNamed(const std::string& set);

/// An evaluated schedule, with a description of the hardware for messages.
struct EvaluatedFiles : EvaluatedSchedule
{
    std::string hardware;                          ///< description of the hardware of the evaluation
    bool onOwnHardware = true;                     ///< true if this is the hardware in the problem's file
    lower::ModelOnMachinePtr model = {};           ///< ProblemOnHardware::model
    std::vector<LatencyDeviation> deviations = {}; ///< R10.2; none if the options name a machine
};
/// Reads and evaluates a schedule file, on the machine that the options name, else on the one that the file
/// names. A notice() tells the deviations.
[[nodiscard]] Result<EvaluatedFiles> evaluateFiles(ScheduleCall& call);
/// Same as evaluateFiles(), but a call that names no schedule evaluates the start schedule, which runs one op
/// in each subgraph.
[[nodiscard]] Result<EvaluatedFiles> evaluateFilesOrStart(ScheduleCall& call);

[[nodiscard]] EvaluatedSchedule evaluateLoaded(ProblemPtr problem, LoadedSchedule loaded, RulesChoice rules);
/// Returns a snapshot with the lower bound and the total on the array.
[[nodiscard]] Snapshot snapshotOf(const EvaluatedSchedule& evaluated);

/// Returns the reason why the schedule's buffers cannot get addresses; empty if they can.
[[nodiscard]] std::string whyNotPlaced(const EvaluatedSchedule& evaluated);
/// Returns the schedule as a start schedule. The Error is the file's first issue.
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

/// Time limit of a proof in the window, in seconds. The window differs from the default of BoundCall, since
/// it always shows the quick bound, and its pane only runs proofs.
inline constexpr double kWindowProofSeconds = 10;

/// Returns the limits of the proof of a call; a stop request ends the proof.
[[nodiscard]] ProofRunLimits proofLimits(const BoundCall& call, std::stop_token stop);

struct BoundAnswer
{
    ProblemOnHardware on;
    LowerBound bound;
    EnergyBound energy;
    std::optional<BoundedBest> best; ///< the best known schedule; only after a proof
    [[nodiscard]] std::string json() const;
};
/// Reads the problem and computes its bound. After `interrupt`, the result is the best bound so far.
[[nodiscard]] Result<BoundAnswer> boundOf(BoundCall& call, const std::stop_token& interrupt);

/// The options of `place`, for a schedule of a problem or for a CSV file of buffers (the file of `workload`;
/// there is no schedule then).
struct PlaceCall : ScheduleCall
{
    std::int64_t capacity = 0; ///< capacity of fast memory, for a file of buffers
    double seconds = 10;       ///< 0: no limit, the search ends with a proof
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
/// Reads the buffers in a file. The Error is one of the file, or that no capacity is given.
[[nodiscard]] Result<Buffers> readBuffers(const PlaceCall& call);
/// Places buffers.
[[nodiscard]] Result<PlaceAnswer> placeBuffers(Buffers buffers, std::int64_t capacity,
                                               const Progress& progress);
/// Places the buffers of a schedule, which must be valid (whyNotPlaced()). There is an Error if it is
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
    /// "run": the result is the schedule that runs fastest (R20) of those found and of variants of their
    /// tiles
    std::string finish = "latency";
    std::string startFile;
    std::optional<Schedule> start; ///< start schedule; replaces `startFile`
    std::string constraintsFile;
    ScheduleConstraints constraints; ///< in addition to those of `constraintsFile`
    bool constraintCosts = false;    ///< findConstraintCosts() after the search
    std::vector<OpId> selection;     ///< SolveOptions::selection; only the window has a selection
};
void bindOptions(OptionList& o, SolveCall& call);

/// Returns the options of solve() for a call. The Error is one of the rules or of the start file.
[[nodiscard]] Result<SolveOptions> solveOptions(const SolveCall& call, const Problem& problem);
/// Runs the proof of SolveCall::prove after a search, and copies its bounds, or a better schedule, into the
/// result. `report` is called with the seconds since the start of the search and the bound.
void proveAfter(const SolveCall& call, const Problem& problem, const SolveOptions& options,
                SolveResult& result, const std::function<void(double, double)>& report = {});

/// Finds what the constraints cost, if the call asks for it (findConstraintCosts()).
void costsAfter(const SolveCall& call, const Problem& problem, const SolveOptions& options,
                SolveResult& result);

/// Finishes a search on the run (SolveCall::finish), for at most as long as the search may take, and copies
/// the schedule into the result. Empty if it is not asked for. The Error is that of runSchedule().
[[nodiscard]] Result<std::optional<RunFinish>> finishAfter(const SolveCall& call, const Problem& problem,
                                                           const SolveOptions& options, SolveResult& result);

} // namespace tilewright::verbs

namespace tilewright {

/// The document of `evaluate --json` with the constraints that the schedule was compared with.
[[nodiscard]] std::string evaluationJson(const Snapshot& snapshot, std::string_view rulesReason,
                                         const verbs::ConstraintCheck& check);

/// The document of `solve --json`: the fields of `evaluate --json` for the result, and its own
/// (docs/design.md 3.2).
[[nodiscard]] std::string solveResultJson(const ProblemPtr& problem, const SolveResult& result,
                                          const Rules& rules, const std::optional<RunFinish>& finish = {});

} // namespace tilewright
