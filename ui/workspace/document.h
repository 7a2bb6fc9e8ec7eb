// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "eval/rule_choice.h"
#include "lower/on_machine.h"
#include "schedule/schedule.h"
#include "snapshot/snapshot.h"
#include "workload/problem.h"
#include "workload/rules.h"
#include "workspace/document_marks.h"
#include "workspace/latest_job.h"
#include "workspace/lens_document.h"
#include "workspace/solver_job.h"
#include "workspace/subgraph_colours.h"

#include <QMap>
#include <QPointF>
#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

namespace tilewright::ui {

/// A pinned state of the schedule that every view draws as a ghost.
struct Baseline
{
    QString name;
    SnapshotPtr snapshot;
    lower::ModelOnMachinePtr model; ///< the model on the machine of the baseline; null for a plain problem
};

// A namespace of its own, so that its operator| does not hide Qt's operator| for keys and modifiers.
namespace parts {

/// The parts of a Document that can change, as flags.
enum class Part {
    Problem = 1,   ///< another problem is open, or none: views rebuild everything
    Steps = 2,     ///< schedule() has changed; snapshot() may follow in a later signal
    Snapshot = 4,  ///< snapshot() has changed
    RuleSet = 8,   ///< rules() has changed
    Baseline = 16, ///< baselines() or baselineIndex() has changed
    Preview = 32,  ///< preview() has changed
    Proof = 128,   ///< proof() has changed
    Nudges = 256,  ///< nudges() has changed
    Notes = 512,   ///< notes() has changed by setNote()
    /// machine() has changed, and with it costs and hardware of problem(); ops and tensors are the same
    Machine = 64
};
Q_DECLARE_FLAGS(Parts, Part)
[[nodiscard]] constexpr Parts operator|(Part a, Part b) noexcept
{
    return Parts(a) | b;
}

} // namespace parts
using parts::Part;
using parts::Parts;

/// The open workload with its schedule. The workload is a model, which is lowered to a problem on a machine,
/// or a plain problem (a problem file). The document holds the schedule with undo, rules, files, evaluation
/// of the current state, and baselines. Every edit is a pure function of core/edit whose result is passed to
/// apply(). Undo assigns the earlier value.
class Document : public LensDocument
{
    Q_OBJECT
public:
    explicit Document(QObject* parent = nullptr);
    ~Document() override;

    // -- state
    [[nodiscard]] bool hasProblem() const { return m_problem != nullptr; }
    [[nodiscard]] const ProblemPtr& problem() const { return m_problem; }
    [[nodiscard]] const Schedule& schedule() const { return m_schedule; }
    /// The model from which problem() was lowered; null for a plain problem.
    [[nodiscard]] const lower::ModelOnMachinePtr& model() const { return m_model; }
    /// Machine of the model. For a plain problem, the machine derived from its hardware; nothing if no array
    /// matches that hardware.
    [[nodiscard]] const std::optional<Machine>& machine() const { return m_machine; }
    /// Workload for the other lenses: model(), or a model that is derived from the plain problem and
    /// machine(). Null without a problem, or if the plain problem cannot be converted.
    [[nodiscard]] const lower::ModelOnMachinePtr& lensModel();
    /// Colour of every subgraph of schedule(), as index into Theme::categorical.
    [[nodiscard]] const std::vector<std::size_t>& colours() const { return m_colours.colours(); }
    [[nodiscard]] const SubgraphColours& subgraphColours() const { return m_colours; }
    [[nodiscard]] const Rules& rules() const { return m_rules; }
    /// Reason why the program chose these rules for the loaded schedule; empty if the user chose them.
    [[nodiscard]] const QString& rulesReason() const { return m_rulesReason; }
    /// Latencies that the opened schedule file reports wrongly or not at all (R10.2). None after the
    /// schedule, its rules or its file have changed.
    [[nodiscard]] std::vector<LatencyDeviation> latencyDeviations();
    /// Latest published evaluation; null without a problem. It may be one edit behind schedule().
    [[nodiscard]] const SnapshotPtr& snapshot() const { return m_snapshot; }
    /// True if snapshot() is the evaluation of schedule() under rules().
    [[nodiscard]] bool isEvaluated() const { return m_snapshot && m_snapshot->revision == m_revision; }
    /// True while changed() is being emitted, or is still to be emitted, with the snapshot of the last edit.
    /// A change of the selection is then shown together with the edit.
    [[nodiscard]] bool isChanging() const { return m_announcing || (m_problem && !isEvaluated()); }
    /// Last valid snapshot; may be null. The status bar shows its total in grey while the schedule is
    /// invalid.
    [[nodiscard]] const SnapshotPtr& lastValid() const { return m_lastValid; }
    /// The last edit, undo or redo, and the state before it. The status bar shows the difference.
    struct LastStep
    {
        enum class Way { Edit, Undo, Redo };
        Way way = Way::Edit;
        SnapshotPtr before;       ///< snapshot before the step; null if there is none
        double secondsOfUnit = 0; ///< duration of a time unit before the step in seconds; 0 without a machine
    };
    [[nodiscard]] const LastStep& lastStep() const { return m_lastStep; }
    /// Duration of a time unit of the schedule in seconds; 0 without a machine or if its clock is not known.
    [[nodiscard]] double secondsOfUnit() const;
    [[nodiscard]] const QString& problemPath() const { return m_problemPath; }
    [[nodiscard]] const QString& schedulePath() const { return path(); }

    // -- files (the Error names file, field and reason)
    /// Opens one of these files: a model or a problem (with one op per subgraph), a schedule of the open
    /// problem, a machine for the open model.
    [[nodiscard]] Status open(const LensFile& file) override;
    [[nodiscard]] Status openFile(const QString& path);
    [[nodiscard]] Status openProblem(const QString& path);
    [[nodiscard]] Status openSchedule(const QString& path);
    /// Opens the readable part of a schedule file that openSchedule() has refused, as one edit. The file
    /// itself does not change until the user saves.
    [[nodiscard]] Status openReadablePart(const QString& path);
    void setProblem(ProblemPtr problem, Schedule schedule, const QString& path = {});
    void setModel(lower::ModelOnMachinePtr model, Schedule schedule, const QString& path = {});
    [[nodiscard]] bool hasContent() const override { return hasProblem(); }
    [[nodiscard]] Result<std::string> fileText() const override;
    [[nodiscard]] QString suggestedName() const override;
    void newSchedule(); ///< replaces the schedule by one op per subgraph, as one undo step
    void close();

    /// Copy of schedule and problem for recovery after a crash.
    [[nodiscard]] Result<QJsonObject> recoveryCopy() const override;
    [[nodiscard]] Status recover(const QJsonObject& copy) override;

    // -- editing
    /// Replaces the schedule as one undo step. Consecutive steps with the same non-empty mergeKey (from
    /// dragging or spin boxes) are merged if there is no pause between them.
    void apply(Schedule next, const QString& text, const QString& mergeKey = {});
    /// Applies the schedule of a trial. Publishes the trial's snapshot, so that the schedule is not evaluated
    /// again.
    void apply(const SnapshotPtr& judged, const QString& text);
    /// Applies the result of an edit. On an Error emits refused() and returns false.
    bool apply(const Result<Schedule>& next, const QString& text, const QString& mergeKey = {});
    void setRules(const Rules& rules);
    /// Puts the model on another machine, as one undo step. A start schedule is made anew for the machine.
    /// The tiles of another schedule are kept; if the size of the array or of the fast memory differs,
    /// retileOffered() asks the user about them. A plain problem gets the hardware and costs of the machine.
    /// Without an open problem, sets nextMachine().
    [[nodiscard]] Status setMachine(const Machine& machine, const QString& text,
                                    const QString& mergeKey = {});
    /// True if the schedule is the start schedule of the problem, i.e. nobody has edited it.
    [[nodiscard]] bool isStartSchedule() const;
    /// True if the last step was a change of the machine that kept the tiles of an edited schedule.
    [[nodiscard]] bool canRetile();
    /// Chooses new tiles for all subgraphs that are not locked. This becomes part of the undo step that
    /// changed the machine.
    void retile();
    /// Applies another machine and a schedule for it, as one undo step.
    [[nodiscard]] Status adopt(const Machine& machine, Schedule schedule, const QString& text);
    /// Applies other hardware and a schedule for it to a plain problem, as one undo step. The costs of the
    /// problem are kept.
    [[nodiscard]] Status adopt(const Hardware& hardware, Schedule schedule, const QString& text);
    /// Sets the machine while a model is being opened, without an undo step.
    [[nodiscard]] Status setInitialMachine(const Machine& machine);
    /// Returns the free dimensions of the open ONNX model with the sizes that are chosen for them.
    [[nodiscard]] const std::vector<onnx::FreeDimension>& freeDimensions() const { return m_freeDimensions; }
    [[nodiscard]] const onnx::Dimensions& dimensions() const { return m_dimensions; }
    /// Reason why the options that the user had chosen last for the open language model were discarded; empty
    /// if they were not.
    [[nodiscard]] const std::optional<Error>& forgottenOptions() const { return m_forgottenOptions; }
    /// Sets the sizes of the free dimensions as one undo step. The schedule is kept if the ops are the same,
    /// otherwise it is replaced by one op per subgraph.
    [[nodiscard]] Status setDimensions(const onnx::Dimensions& dimensions);
    /// Sets sizes and machine as one undo step. Nothing changes if either is refused, or if both are the
    /// current ones. Precondition: a model is open.
    [[nodiscard]] Status setSizes(const onnx::Dimensions& dimensions, const Machine& machine,
                                  const QString& text);
    /// The machine on which the next model will be opened.
    [[nodiscard]] const Machine& nextMachine() const { return m_nextMachine; }

    // -- evaluation
    /// Evaluates in this thread and publishes the snapshot. For tests, exports and the first paint of a new
    /// file.
    void evaluateNow();
    /// Waits until snapshot() is the evaluation of schedule(). It blocks and does not run an event loop, in
    /// which the user could close the problem.
    void waitForSnapshot();
    /// Evaluates a trial schedule in the background. At most one request runs, and only the latest of further
    /// requests is kept. `deliver` is called with the snapshot on the GUI thread.
    void requestTrial(Schedule trial, std::function<void(SnapshotPtr)> deliver);
    /// Makes an edit in the background and evaluates its result as requestTrial() above does. `deliver` gets
    /// the Error of the edit, if there is one.
    void requestTrial(std::function<Result<Schedule>()> edit,
                      std::function<void(Result<SnapshotPtr>)> deliver);
    void cancelTrial();

    // -- preview
    /// A snapshot that views show instead of the document's own: the best schedule of a running solver. It is
    /// never undone, saved or recovered, and every edit removes it. Null if there is none.
    [[nodiscard]] const SnapshotPtr& preview() const { return m_preview; }
    [[nodiscard]] const std::vector<std::size_t>& previewColours() const
    {
        return m_previewColours.colours();
    }
    /// Evaluates the schedule in the background, then shows it as preview. `compared`: Compare also shows it,
    /// beside the current schedule.
    void showPreview(Schedule schedule, bool compared = false);
    [[nodiscard]] SnapshotPtr comparedPreview() const { return m_previewIsCompared ? m_preview : nullptr; }
    void dropPreview();

    // -- notes
    /// Notes of the user by subject: subgraphNote() or viewNote(). They are saved with the session and
    /// included in reports. They are not part of the schedule and have no undo.
    using Notes = QMap<QString, QString>;
    [[nodiscard]] const Notes& notes() const { return m_notes; }
    void setNote(const QString& about, const QString& text); ///< an empty text removes the note
    /// Key of the note on a subgraph, made from its ops. The note is kept when granularity or position of the
    /// subgraph change.
    [[nodiscard]] static QString subgraphNote(const Subgraph& subgraph);
    [[nodiscard]] static QString viewNote(const QString& view);

    // -- nudges
    /// Offsets of graph nodes that the user has moved, by the node's key in the graph view. Changes are undo
    /// steps. Offsets are saved with the session, not in the schedule file.
    using Nudges = QMap<QString, QPointF>;
    [[nodiscard]] const Nudges& nudges() const { return m_nudges; }
    /// Sets the offsets as one undo step. Consecutive steps with the same non-empty mergeKey are merged.
    void nudge(const Nudges& next, const QString& text, const QString& mergeKey = {});
    void setNudges(const Nudges& nudges); ///< restores the offsets of a session, without an undo step
    using NudgeCommand = ValueCommand<Nudges, 2>;

    // -- bounds and proofs
    /// Lower bound of the open problem under the current rules: the quick bound, or the highest bound passed
    /// to raiseBound(). Null without a problem.
    [[nodiscard]] const LowerBoundPtr& bound() const { return m_bound; }
    /// Sets a higher lower bound. It is ignored if it belongs to another problem or to other rules.
    void raiseBound(const ProblemPtr& problem, const Rules& rules, const LowerBoundPtr& bound);
    /// Proof of a solver that no schedule of `problem` under `rules` has a latency below `total`.
    struct Proof
    {
        ProblemPtr problem;
        Rules rules;
        double total = 0;
        QString space; ///< description of the schedules that the proof covers
    };
    void addProof(Proof proof);
    /// Proof that the current schedule is optimal; null if there is none.
    [[nodiscard]] const Proof* proof() const;

    // -- baselines
    [[nodiscard]] const std::vector<Baseline>& baselines() const { return m_baselines; }
    /// The baseline that is drawn as a ghost; null if there is none.
    [[nodiscard]] SnapshotPtr baseline() const;
    /// Length of the baseline's time unit in time units of the current schedule. It is not 1 if the clocks
    /// differ; then latencies are compared as times. 1 without a machine.
    [[nodiscard]] double unitOfBaseline() const;
    [[nodiscard]] int baselineIndex() const { return m_baselineIndex; }
    /// The machine of a baseline if it is not that of the present schedule: "a100", "edge as it was"; empty
    /// if it is the same.
    [[nodiscard]] QString otherMachineOf(const Baseline& baseline) const;
    /// The name of a baseline, with otherMachineOf(): "Baseline A, on a100".
    [[nodiscard]] QString nameOf(const Baseline& baseline) const;
    void pinBaseline(const QString& name = {});
    void addBaseline(const QString& name, SnapshotPtr snapshot);
    /// Replaces the baseline that is drawn as a ghost.
    void replaceBaseline(const QString& name, SnapshotPtr snapshot);
    void setBaselineIndex(int index); ///< `index`: -1 for none
    void clearBaselines();

    /// Returns notes, nudges and baselines in the form in which sessions and recovery copies store them.
    [[nodiscard]] DocumentMarks marks() const;
    /// Restores marks of the kinds of which the document has none. There is no undo step.
    void addMarks(const DocumentMarks& marks);

    // -- change notification
    /// Calls `then` once per change that affects any of `parts`. `then` is a member function of the receiver,
    /// or a callable with the argument Parts or without arguments.
    template <typename Receiver, typename Then> void whenChanged(Receiver* receiver, Parts parts, Then then)
    {
        connect(this, &Document::changed, receiver, [receiver, parts, then](Parts what) {
            if (!(what & parts))
                return;
            if constexpr (std::is_invocable_v<Then, Parts>)
                then(what);
            else if constexpr (std::is_invocable_v<Then>)
                then();
            else
                std::invoke(then, receiver);
        });
    }

Q_SIGNALS:
    /// Emitted once per operation, with all parts that it changed, after the undo stack has counted it.
    void changed(tilewright::ui::Parts parts);
    /// Emitted after a change of the machine has kept the tiles of an edited schedule, if retile() would
    /// choose other tiles.
    void retileOffered();

private:
    /// Scope that collects changes: changed() is emitted once, when the outermost ChangeBatch ends.
    class ChangeBatch
    {
    public:
        explicit ChangeBatch(Document& document) : m_document(document) { ++document.m_openBatches; }
        ~ChangeBatch()
        {
            --m_document.m_openBatches;
            m_document.announce({});
        }
        ChangeBatch(const ChangeBatch&) = delete;
        ChangeBatch& operator=(const ChangeBatch&) = delete;

    private:
        Document& m_document;
    };
    /// State that undo and redo restore.
    struct State
    {
        ProblemPtr problem;
        lower::ModelOnMachinePtr model;
        Schedule schedule;
        onnx::Dimensions dimensions;
        bool operator==(const State&) const = default;
    };
    [[nodiscard]] bool changesFile(const QUndoCommand& step) const override;
    void announce(Parts parts);
    [[nodiscard]] State state() const { return {m_problem, m_model, m_schedule, m_dimensions}; }
    void push(State next, const QString& text, const QString& mergeKey);
    /// Undo command that also records whether the last step was an edit, an undo or a redo.
    class EditCommand;
    void beginStep(LastStep::Way way);
    void endStep();
    void assign(const State& state); ///< sets the state; called by undo commands
    [[nodiscard]] Schedule
    savedSchedule() const; ///< the schedule with machine, dimensions or hardware, as schedule files have it
    /// Problem and model to which a schedule file belongs.
    struct Base
    {
        ProblemPtr problem;
        lower::ModelOnMachinePtr model;
        onnx::Dimensions dimensions;
    };
    [[nodiscard]] Result<Base> baseOf(const std::string& extra, const QString& path) const;
    /// Of a baseline that is restored: its own machine, or the present one if it does not say.
    [[nodiscard]] Result<Base> baseOf(const DocumentMarks::Pinned& pinned) const;
    void takeBaseline(Baseline baseline);
    [[nodiscard]] Result<Base> onOwnHardware(const ProblemPtr& problem, const std::string& extra,
                                             const QString& path) const;
    [[nodiscard]] Result<lower::ModelOnMachinePtr> withDimensions(const onnx::Dimensions& dimensions,
                                                                  const Machine& machine) const;
    /// Returns the start schedule under rules().
    [[nodiscard]] Schedule startOf(const Problem& problem) const;
    void takeBase(ProblemPtr problem, lower::ModelOnMachinePtr model);
    [[nodiscard]] Result<lower::ModelOnMachinePtr> onMachine(const Machine& machine) const;
    [[nodiscard]] Status takeModel(std::string_view text, const QString& path);
    [[nodiscard]] Status takeMachine(std::string_view text, const QString& path);
    [[nodiscard]] Status takeProblem(std::string_view text, const QString& path);
    void startWith(ProblemPtr problem, lower::ModelOnMachinePtr model, Schedule schedule,
                   const QString& path);
    [[nodiscard]] Status takeSchedule(std::string_view text, const QString& path);
    void requestEvaluation();
    void refreshColours();
    void publish(SnapshotPtr snapshot);
    void renewTaker(); ///< creates m_taker for the current problem and rules

    Parts m_unannounced;
    int m_openBatches = 0;
    bool m_announcing = false;
    ProblemPtr m_problem;
    lower::ModelOnMachinePtr m_model;
    lower::ModelOnMachinePtr m_lifted; ///< the result of lensModel() for a plain problem
    std::optional<Machine> m_machine;
    Machine m_nextMachine;
    std::optional<Hardware>
        m_fileHardware; ///< hardware in the problem file; a schedule file may name other hardware
    std::vector<onnx::FreeDimension> m_freeDimensions;
    onnx::Dimensions m_dimensions;
    std::optional<Error> m_forgottenOptions;
    Schedule m_schedule;
    SubgraphColours m_colours;
    Rules m_rules;
    QString m_rulesReason;
    QByteArray m_scheduleDigest; ///< digest of the content of the opened schedule file
    QString m_problemPath;
    std::shared_ptr<SnapshotTaker> m_taker; ///< shared with the worker threads; null without a problem
    LowerBoundPtr m_bound;
    std::uint64_t m_revision = 0;
    SnapshotPtr m_snapshot;
    SnapshotPtr m_lastValid;
    /// Evaluation of the schedule that apply() is setting at the moment; otherwise null.
    SnapshotPtr m_judged;
    LastStep m_lastStep;
    /// Index of the undo stack after the step that retile() extends; -1 if there is none.
    int m_retileAt = -1;
    /// True from the first undo command of a step until the undo stack has counted the step. A click in the
    /// history undoes several commands in one step.
    bool m_stepping = false;
    SnapshotPtr m_preview;
    bool m_previewIsCompared = false;
    SubgraphColours m_previewColours;
    std::optional<Proof> m_proof;
    Notes m_notes;
    Nudges m_nudges;
    std::vector<Baseline> m_baselines;
    int m_baselineIndex = -1;
    /// A pool of its own, so that evaluation does not wait for long background jobs of views.
    QThreadPool m_pool;
    std::unique_ptr<LatestJob<SnapshotPtr>> m_evaluation;
    std::unique_ptr<LatestJob<std::function<void()>>>
        m_trial; ///< the job's result is the call that delivers the trial
    std::unique_ptr<LatestJob<SnapshotPtr>> m_previewing;
};

} // namespace tilewright::ui
