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

/// A pinned state that every view draws as a ghost.
struct Baseline
{
    QString name;
    SnapshotPtr snapshot;
    lower::ModelOnMachinePtr model; ///< on the machine that it is for; null for a plain problem
};

namespace parts { // own namespace, so that operator| does not hide that of keys and modifiers

/// The parts of a Document that can change.
enum class Part {
    Problem = 1,   ///< another problem (or none): views rebuild everything
    Steps = 2,     ///< schedule(); without Snapshot in the same signal, the evaluation follows later
    Snapshot = 4,  ///< snapshot()
    RuleSet = 8,   ///< rules()
    Baseline = 16, ///< baselines() or baselineIndex()
    Preview = 32,  ///< preview()
    Proof = 128,   ///< proof()
    Nudges = 256,  ///< nudges()
    Notes = 512,   ///< notes(), by setNote()
    Machine = 64   ///< machine(), and costs and hardware of problem(); ops and tensors are the same
};
Q_DECLARE_FLAGS(Parts, Part)
[[nodiscard]] constexpr Parts operator|(Part a, Part b) noexcept
{
    return Parts(a) | b;
}

} // namespace parts
using parts::Part;
using parts::Parts;

/// The open workload with its schedule: a model that is lowered to a problem on a machine, or a plain problem
/// (a problem file). Holds schedule with undo, rules, files, evaluation of the current state, baselines.
/// Every edit is a pure function of core/edit whose result goes through apply(). Undo assigns the earlier
/// value.
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
    /// Model that problem() was lowered from; null for a plain problem.
    [[nodiscard]] const lower::ModelOnMachinePtr& model() const { return m_model; }
    /// Machine of the model, or derived from the hardware of a plain problem; nothing if no array fits that.
    [[nodiscard]] const std::optional<Machine>& machine() const { return m_machine; }
    /// Workload of the other lenses: model(), or a model that is derived from the plain problem and
    /// machine(). Null without a problem, or if a plain problem cannot be converted.
    [[nodiscard]] const lower::ModelOnMachinePtr& lensModel();
    /// Colour of every subgraph of schedule(), as index into Theme::categorical.
    [[nodiscard]] const std::vector<std::size_t>& colours() const { return m_colours.colours(); }
    [[nodiscard]] const SubgraphColours& subgraphColours() const { return m_colours; }
    [[nodiscard]] const Rules& rules() const { return m_rules; }
    /// Reason why the program chose these rules for the loaded schedule; empty if the user chose them.
    [[nodiscard]] const QString& rulesReason() const { return m_rulesReason; }
    /// R10.2: latencies that the opened schedule file reports wrongly or not at all; none once the schedule,
    /// its rules or its file have changed.
    [[nodiscard]] std::vector<LatencyDeviation> latencyDeviations();
    /// Latest published evaluation; null without a problem. May be one edit behind schedule().
    [[nodiscard]] const SnapshotPtr& snapshot() const { return m_snapshot; }
    /// True if snapshot() is the evaluation of schedule() under rules().
    [[nodiscard]] bool isEvaluated() const { return m_snapshot && m_snapshot->revision == m_revision; }
    /// True while changed() is being emitted or still to be emitted with the snapshot of the last edit. Views
    /// then show a change of the selection together with the edit.
    [[nodiscard]] bool isChanging() const { return m_announcing || (m_problem && !isEvaluated()); }
    /// Last valid snapshot; may be null. The status bar shows its total in grey while the schedule is
    /// invalid.
    [[nodiscard]] const SnapshotPtr& lastValid() const { return m_lastValid; }
    /// Last edit, undo or redo, and the state before it. The status bar shows the difference.
    struct LastStep
    {
        enum class Way { Edit, Undo, Redo };
        Way way = Way::Edit;
        SnapshotPtr before;       ///< snapshot before the step; null if there is none
        double secondsOfUnit = 0; ///< unit of time before the step; 0 without a machine
    };
    [[nodiscard]] const LastStep& lastStep() const { return m_lastStep; }
    /// Unit of time of the schedule in seconds; 0 without a machine or its clock.
    [[nodiscard]] double secondsOfUnit() const;
    [[nodiscard]] const QString& problemPath() const { return m_problemPath; }
    [[nodiscard]] const QString& schedulePath() const { return path(); }

    // -- files (the Error's text names file, field and reason)
    /// Opens a model or a problem (with one op per subgraph), a schedule of the open problem, or a machine
    /// for the open model.
    [[nodiscard]] Status open(const LensFile& file) override;
    [[nodiscard]] Status openFile(const QString& path);
    [[nodiscard]] Status openProblem(const QString& path);
    [[nodiscard]] Status openSchedule(const QString& path);
    /// Opens the readable part of a schedule file that openSchedule() refuses, as one edit. The file itself
    /// is not changed before the user saves.
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
    /// Replaces the schedule as one undo step. Consecutive steps with the same non-empty mergeKey are merged
    /// if there is no pause between them (dragging, spin boxes).
    void apply(Schedule next, const QString& text, const QString& mergeKey = {});
    /// Applies the schedule of a trial and publishes its evaluation without evaluating it again.
    void apply(const SnapshotPtr& judged, const QString& text);
    /// Applies the result of an edit. On an Error emits refused() and returns false.
    bool apply(const Result<Schedule>& next, const QString& text, const QString& mergeKey = {});
    void setRules(const Rules& rules);
    /// Puts the model on another machine as one undo step. A start schedule is made anew for the machine; the
    /// tiles of another schedule are kept, and retileOffered() asks about them where the array or the fast
    /// memory has another size. A plain problem gets the hardware and costs of the machine. Without an open
    /// problem: sets nextMachine().
    [[nodiscard]] Status setMachine(const Machine& machine, const QString& text,
                                    const QString& mergeKey = {});
    /// True if the schedule is the one that the problem starts with: nobody has edited it.
    [[nodiscard]] bool isStartSchedule() const;
    /// True if the last step is a change of the machine that kept the tiles of an edited schedule.
    [[nodiscard]] bool canRetile();
    /// Chooses the tiles of all subgraphs that are not locked anew, as part of the undo step of the machine.
    void retile();
    /// Applies another machine and a schedule for it, as one undo step.
    [[nodiscard]] Status adopt(const Machine& machine, Schedule schedule, const QString& text);
    /// Applies other hardware and a schedule for it to a plain problem, as one undo step. Its costs are kept.
    [[nodiscard]] Status adopt(const Hardware& hardware, Schedule schedule, const QString& text);
    /// Puts the model on another machine as part of opening it, without an undo step.
    [[nodiscard]] Status setInitialMachine(const Machine& machine);
    /// Free dimensions of the open ONNX model and the sizes chosen for them.
    [[nodiscard]] const std::vector<onnx::FreeDimension>& freeDimensions() const { return m_freeDimensions; }
    [[nodiscard]] const onnx::Dimensions& dimensions() const { return m_dimensions; }
    /// Why the options that the user chose last for the open language model were forgotten; empty: they were
    /// not.
    [[nodiscard]] const std::optional<Error>& forgottenOptions() const { return m_forgottenOptions; }
    /// Sets the sizes of the free dimensions as one undo step. The schedule is kept if the ops are the same,
    /// otherwise it is replaced by one op per subgraph.
    [[nodiscard]] Status setDimensions(const onnx::Dimensions& dimensions);
    /// Sets these sizes and the machine as one undo step; nothing changes if either is refused or both are as
    /// they were. Precondition: a model is open.
    [[nodiscard]] Status setSizes(const onnx::Dimensions& dimensions, const Machine& machine,
                                  const QString& text);
    /// Machine on which the next model is opened.
    [[nodiscard]] const Machine& nextMachine() const { return m_nextMachine; }

    // -- evaluation
    /// Evaluates in this thread and publishes the snapshot. For tests, exports and the first paint of a new
    /// file.
    void evaluateNow();
    /// Makes sure that snapshot() is the evaluation of schedule(). Blocks instead of running an event loop,
    /// in which the user could close the problem.
    void waitForSnapshot();
    /// Evaluates a trial schedule in the background. At most one request runs; of further requests only the
    /// latest is kept. `deliver` is called with the snapshot on the GUI thread.
    void requestTrial(Schedule trial, std::function<void(SnapshotPtr)> deliver);
    /// Like requestTrial() above, but also makes the edit in the background. `deliver` gets its Error, if
    /// any.
    void requestTrial(std::function<Result<Schedule>()> edit,
                      std::function<void(Result<SnapshotPtr>)> deliver);
    void cancelTrial();

    // -- preview
    /// Snapshot that views show instead of the document's own: the best schedule of a running solver. It is
    /// never undone, saved or recovered, and every edit drops it. Null if there is none.
    [[nodiscard]] const SnapshotPtr& preview() const { return m_preview; }
    [[nodiscard]] const std::vector<std::size_t>& previewColours() const
    {
        return m_previewColours.colours();
    }
    /// Evaluates the schedule in the background, then shows it. `compared`: Compare shows it as well, after
    /// the present schedule.
    void showPreview(Schedule schedule, bool compared = false);
    [[nodiscard]] SnapshotPtr comparedPreview() const { return m_previewIsCompared ? m_preview : nullptr; }
    void dropPreview();

    // -- notes
    /// Notes of the user by subject: subgraphNote() or viewNote(). They are saved with the session and
    /// included in reports, but are not part of the schedule and have no undo.
    using Notes = QMap<QString, QString>;
    [[nodiscard]] const Notes& notes() const { return m_notes; }
    void setNote(const QString& about, const QString& text); ///< an empty text removes the note
    /// Key of the note on a subgraph: its ops. The note is kept when granularity or position change.
    [[nodiscard]] static QString subgraphNote(const Subgraph& subgraph);
    [[nodiscard]] static QString viewNote(const QString& view);

    // -- nudges
    /// Offsets of graph nodes that the user moved, by the node's key in the graph view. Changes are undo
    /// steps; the offsets are saved with the session, not in the schedule file.
    using Nudges = QMap<QString, QPointF>;
    [[nodiscard]] const Nudges& nudges() const { return m_nudges; }
    /// Sets the offsets as one undo step. Consecutive steps with the same non-empty mergeKey are merged.
    void nudge(const Nudges& next, const QString& text, const QString& mergeKey = {});
    void setNudges(const Nudges& nudges); ///< restores the offsets of a session, without an undo step
    using NudgeCommand = ValueCommand<Nudges, 2>;

    // -- bounds and proofs
    /// Lower bound of the open problem under the present rules: the quick bound, or the highest one given to
    /// raiseBound(). Null without a problem.
    [[nodiscard]] const LowerBoundPtr& bound() const { return m_bound; }
    /// Sets a higher lower bound. Ignored if it belongs to another problem or to other rules.
    void raiseBound(const ProblemPtr& problem, const Rules& rules, const LowerBoundPtr& bound);
    /// Proof of a solver that no schedule of `problem` under `rules` is faster than `total`.
    struct Proof
    {
        ProblemPtr problem;
        Rules rules;
        double total = 0;
        QString space; ///< description of the schedules that the proof covers
    };
    void addProof(Proof proof);
    /// Proof that the present schedule is optimal; null if there is none.
    [[nodiscard]] const Proof* proof() const;

    // -- baselines
    [[nodiscard]] const std::vector<Baseline>& baselines() const { return m_baselines; }
    /// Baseline that is drawn as a ghost; null for none.
    [[nodiscard]] SnapshotPtr baseline() const;
    /// Its unit of time in those of the present schedule: latencies under two clocks are compared as times. 1
    /// with one clock, or without a machine.
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
    void setBaselineIndex(int index); ///< -1 for none
    void clearBaselines();

    /// Notes, nudges and baselines, as they are saved with a session and a recovery copy.
    [[nodiscard]] DocumentMarks marks() const;
    /// Restores those of which the document has none. There is no undo step.
    void addMarks(const DocumentMarks& marks);

    // -- change notification
    /// Calls `then` once per change that affects any of `parts`. `then` is a member function of the receiver,
    /// or a callable that takes Parts or nothing.
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
    /// A change of the machine has kept the tiles of an edited schedule: retile() would choose others.
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
    class EditCommand; ///< undo command that also records whether the last step was an edit, undo or redo
    void beginStep(LastStep::Way way);
    void endStep();
    void assign(const State& state); ///< called by undo commands
    [[nodiscard]] Schedule
    savedSchedule() const; ///< schedule with machine, dimensions or hardware, as saved in files
    /// Problem and model that a schedule file belongs to.
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
    [[nodiscard]] Schedule startOf(const Problem& problem) const; ///< under rules()
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
    void renewTaker(); ///< creates m_taker for the present problem and rules

    Parts m_unannounced;
    int m_openBatches = 0;
    bool m_announcing = false;
    ProblemPtr m_problem;
    lower::ModelOnMachinePtr m_model;
    lower::ModelOnMachinePtr m_lifted; ///< lensModel() of a plain problem
    std::optional<Machine> m_machine;
    Machine m_nextMachine;
    std::optional<Hardware>
        m_fileHardware; ///< hardware in the problem file; a schedule file may name another one
    std::vector<onnx::FreeDimension> m_freeDimensions;
    onnx::Dimensions m_dimensions;
    std::optional<Error> m_forgottenOptions;
    Schedule m_schedule;
    SubgraphColours m_colours;
    Rules m_rules;
    QString m_rulesReason;
    QByteArray m_scheduleDigest; ///< digest of the schedule file that was opened
    QString m_problemPath;
    std::shared_ptr<SnapshotTaker> m_taker; ///< shared with the worker threads; null without a problem
    LowerBoundPtr m_bound;
    std::uint64_t m_revision = 0;
    SnapshotPtr m_snapshot;
    SnapshotPtr m_lastValid;
    SnapshotPtr m_judged; ///< evaluation of the schedule that apply() is just setting; otherwise null
    LastStep m_lastStep;
    int m_retileAt = -1; ///< index of the undo stack after the step that retile() changes
    /// True from the first undo command of a step until the undo stack has counted it. One click in the
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
    QThreadPool m_pool; ///< own pool, so that evaluation does not wait for long background jobs of views
    std::unique_ptr<LatestJob<SnapshotPtr>> m_evaluation;
    std::unique_ptr<LatestJob<std::function<void()>>>
        m_trial; ///< its result is the call that delivers the trial
    std::unique_ptr<LatestJob<SnapshotPtr>> m_previewing;
};

} // namespace tilewright::ui
