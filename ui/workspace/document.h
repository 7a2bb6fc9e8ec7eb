// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "lower/on_machine.h"
#include "rules/rules.h"
#include "schedule/schedule.h"
#include "snapshot/snapshot.h"
#include "snapshot/take_snapshot.h"
#include "workload/problem.h"
#include "workspace/bound_job.h"
#include "workspace/latest_job.h"
#include "workspace/lens_document.h"
#include "workspace/subgraph_colours.h"
#include "workspace/value_command.h"

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
};

namespace parts { // a namespace of its own: operator| must not hide that of keys and modifiers

/// What of a Document can change.
enum class Part {
    Problem = 1,   ///< another problem (or none): views rebuild from nothing
    Steps = 2,     ///< schedule() differs; unless Snapshot comes with it, that follows
    Snapshot = 4,  ///< snapshot() differs
    RuleSet = 8,   ///< rules()
    Baseline = 16, ///< the pinned states, or which of them is drawn
    Preview = 32,
    Proof = 128,  ///< proof()
    Nudges = 256, ///< nudges()
    Machine = 64 ///< machine(), and with it costs and hardware of problem(): the same ops on the same tensors
};
Q_DECLARE_FLAGS(Parts, Part)
[[nodiscard]] constexpr Parts operator|(Part a, Part b) noexcept
{
    return Parts(a) | b;
}

} // namespace parts
using parts::Part;
using parts::Parts;

/// The open workload: a model on a machine with the problem it is lowered to, or a problem that stands as it
/// is; schedule with undo, rules, files, evaluation of the current state, baselines. Every edit is a pure
/// function of core/edit whose result goes through apply(); undo is assignment, so it cannot drift.
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
    /// The model that problem() is lowered from; null for a problem that stands as it is.
    [[nodiscard]] const lower::ModelOnMachinePtr& model() const { return m_model; }
    /// That of the model, or what a problem says of its own; nothing when no array fits the problem.
    [[nodiscard]] const std::optional<Machine>& machine() const { return m_machine; }
    /// What the other lenses take their workload from: model(), or the problem lifted onto machine(). Null
    /// without a problem, and for one that is no model.
    [[nodiscard]] const lower::ModelOnMachinePtr& lensModel();
    /// Index into Theme::categorical of each subgraph of schedule().
    [[nodiscard]] const std::vector<std::size_t>& colours() const { return m_colours.colours(); }
    [[nodiscard]] const SubgraphColours& subgraphColours() const { return m_colours; }
    [[nodiscard]] const Rules& rules() const { return m_rules; }
    /// Why these rules were chosen for the loaded schedule; empty when the person chose them.
    [[nodiscard]] const QString& rulesReason() const { return m_rulesReason; }
    /// The latest published evaluation; null without a problem. May be one edit behind schedule().
    [[nodiscard]] const SnapshotPtr& snapshot() const { return m_snapshot; }
    /// Whether snapshot() is that of schedule() under rules().
    [[nodiscard]] bool isEvaluated() const { return m_snapshot && m_snapshot->revision == m_revision; }
    /// Whether changed() is being sent, or will be with the snapshot of the last edit. A selection that
    /// follows an edit is shown then, together with the edit.
    [[nodiscard]] bool isChanging() const { return m_announcing || (m_problem && !isEvaluated()); }
    /// The last snapshot that was valid (its total stays, greyed, while the state is illegal); may be null.
    [[nodiscard]] const SnapshotPtr& lastValid() const { return m_lastValid; }
    /// The last edit, undo or redo, and the state before it: what it changed stands in the status bar.
    struct LastStep
    {
        enum class Way { Edit, Undo, Redo };
        Way way = Way::Edit;
        SnapshotPtr before; ///< null when there is nothing to compare with
    };
    [[nodiscard]] const LastStep& lastStep() const { return m_lastStep; }
    [[nodiscard]] const QString& problemPath() const { return m_problemPath; }
    [[nodiscard]] const QString& schedulePath() const { return path(); }

    // -- files (the Error's text names file, field and reason)
    /// Opens a model or a problem (with one op a subgraph to start from), attaches a schedule to the open
    /// problem, or puts the open model on another machine.
    [[nodiscard]] Status open(const LensFile& file) override;
    [[nodiscard]] Status openFile(const QString& path);
    [[nodiscard]] Status openProblem(const QString& path);
    [[nodiscard]] Status openSchedule(const QString& path);
    /// What can be kept of a schedule file that openSchedule() refuses, as one edit: the file itself stays as
    /// it is until the person saves over it.
    [[nodiscard]] Status openReadablePart(const QString& path);
    void setProblem(ProblemPtr problem, Schedule schedule, const QString& path = {});
    void setModel(lower::ModelOnMachinePtr model, Schedule schedule, const QString& path = {});
    [[nodiscard]] bool hasContent() const override { return hasProblem(); }
    [[nodiscard]] Result<std::string> fileText() const override;
    [[nodiscard]] QString suggestedName() const override;
    void newSchedule(); ///< one op a subgraph; undoable
    void close();

    /// The schedule with its problem.
    [[nodiscard]] Result<QJsonObject> recoveryCopy() const override;
    [[nodiscard]] Status recover(const QJsonObject& copy) override;

    // -- editing
    /// One undo step. Steps with the same non-empty mergeKey that follow one another without a pause merge
    /// (drags, spins).
    void apply(Schedule next, const QString& text, const QString& mergeKey = {});
    /// The schedule of a trial with its evaluation, which is published instead of evaluating it again.
    void apply(const SnapshotPtr& judged, const QString& text);
    /// Applies an edit's result; a refusal is announced by refused() and returned as false.
    bool apply(const Result<Schedule>& next, const QString& text, const QString& mergeKey = {});
    void setRules(const Rules& rules);
    /// The model on another machine, as one undo step; the schedule stays. A problem that stood as it is gets
    /// the machine's hardware and costs. Without an open problem: the machine of the next model.
    [[nodiscard]] Status setMachine(const Machine& machine, const QString& text,
                                    const QString& mergeKey = {});
    /// Another machine and a schedule for it, as one undo step.
    [[nodiscard]] Status adopt(const Machine& machine, Schedule schedule, const QString& text);
    /// The same of a problem that stands as it is: its costs stay.
    [[nodiscard]] Status adopt(const Hardware& hardware, Schedule schedule, const QString& text);
    /// The same as part of opening: no step to undo.
    [[nodiscard]] Status startOn(const Machine& machine);
    /// The sizes that the file of the open ONNX model leaves free, and what they are taken to be.
    [[nodiscard]] const std::vector<onnx::FreeDimension>& freeDimensions() const { return m_freeDimensions; }
    [[nodiscard]] const onnx::Dimensions& dimensions() const { return m_dimensions; }
    /// The same model with other sizes, as one undo step. The schedule stays as far as the graph does; where
    /// other ops come of it, it starts again with one op a subgraph.
    [[nodiscard]] Status setDimensions(const onnx::Dimensions& dimensions);
    /// The machine that a model is put on when it is opened.
    [[nodiscard]] const Machine& nextMachine() const { return m_nextMachine; }

    // -- evaluation
    /// Evaluates here and now and publishes; for tests, exports and the first paint of a new file.
    void evaluateNow();
    /// The published snapshot is that of schedule() afterwards: it is not waited for with an event loop, in
    /// which a person could close the problem.
    void waitForSnapshot();
    /// Evaluation of a trial schedule in the background; at most one in flight, the latest wins. `deliver`
    /// gets the trial's snapshot on the GUI thread.
    void requestTrial(Schedule trial, std::function<void(SnapshotPtr)> deliver);
    /// The same with the edit itself made in the background; `deliver` gets the refusal when there is one.
    void requestTrial(std::function<Result<Schedule>()> edit,
                      std::function<void(Result<SnapshotPtr>)> deliver);
    void cancelTrial();

    // -- preview
    /// A schedule that is looked at without being the document's: the best of a running solver. No state of
    /// the document; never undone, saved or recovered, and dropped by every edit. Null while there is none.
    [[nodiscard]] const SnapshotPtr& preview() const { return m_preview; }
    [[nodiscard]] const std::vector<std::size_t>& previewColours() const
    {
        return m_previewColours.colours();
    }
    void showPreview(Schedule schedule); ///< evaluated in the background; the latest wins
    void dropPreview();

    // -- notes
    /// What a person has written, by what it is about: subgraphNote(), viewNote(). No part of the schedule:
    /// kept with the session, told in reports, never undone.
    using Notes = QMap<QString, QString>;
    [[nodiscard]] const Notes& notes() const { return m_notes; }
    void setNote(const QString& about, const QString& text); ///< an empty one forgets it
    void setNotes(Notes notes) { m_notes = std::move(notes); }
    /// A subgraph is known by what it runs: a note follows it through edits of its tile and its place.
    [[nodiscard]] static QString subgraphNote(const Subgraph& subgraph);
    [[nodiscard]] static QString viewNote(const QString& view);

    // -- nudges
    /// By how much nodes of the graph were moved by hand, by what the graph calls them. No part of the
    /// schedule: kept with the session. An undo step that changes nothing that is saved.
    using Nudges = QMap<QString, QPointF>;
    [[nodiscard]] const Nudges& nudges() const { return m_nudges; }
    /// Steps with the same non-empty mergeKey that follow one another merge.
    void nudge(const Nudges& next, const QString& text, const QString& mergeKey = {});
    void setNudges(const Nudges& nudges); ///< of the session: no step
    using NudgeCommand = ValueCommand<Nudges, 2>;

    // -- bounds and proofs
    /// What no schedule of the open problem beats by the rules in force: the quick bound, or the highest that
    /// raiseBound() has taken over. Null without a problem.
    [[nodiscard]] const LowerBoundPtr& bound() const { return m_bound; }
    /// Takes over a higher bound; one of another problem or of other rules changes nothing.
    void raiseBound(const ProblemPtr& problem, const Rules& rules, const LowerBoundPtr& bound);
    /// What no schedule of the open problem can beat by these rules, as a solver has proven.
    struct Proof
    {
        ProblemPtr problem;
        Rules rules;
        double total = 0;
        QString space; ///< what it covers, in words
    };
    void addProof(Proof proof);
    /// That the shown schedule is optimal; null when nobody has proven it.
    [[nodiscard]] const Proof* proof() const;

    // -- baselines
    [[nodiscard]] const std::vector<Baseline>& baselines() const { return m_baselines; }
    /// The one drawn as a ghost; null for none.
    [[nodiscard]] SnapshotPtr baseline() const;
    [[nodiscard]] int baselineIndex() const { return m_baselineIndex; }
    void pinBaseline(const QString& name = {});
    void addBaseline(const QString& name, SnapshotPtr snapshot);
    /// Another state in the place of the one that is drawn.
    void replaceBaseline(const QString& name, SnapshotPtr snapshot);
    void setBaselineIndex(int index); ///< -1 for none
    void clearBaselines();

    // -- what views follow
    /// Calls `then`, a member function of the receiver or anything that takes Parts or nothing, once for
    /// whatever has changed of these parts.
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
    /// Once for all that one operation has changed.
    void changed(tilewright::ui::Parts parts);

private:
    /// While one exists what changes is gathered, and announced when the last of them goes.
    class Together
    {
    public:
        explicit Together(Document& document) : m_document(document) { ++document.m_together; }
        ~Together()
        {
            --m_document.m_together;
            m_document.announce({});
        }
        Together(const Together&) = delete;
        Together& operator=(const Together&) = delete;

    private:
        Document& m_document;
    };
    /// What undo brings back.
    struct State
    {
        ProblemPtr problem;
        lower::ModelOnMachinePtr model;
        Schedule schedule;
        onnx::Dimensions dimensions;
        bool operator==(const State&) const = default;
    };
    [[nodiscard]] bool isOfTheFile(const QUndoCommand& step) const override;
    void announce(Parts parts);
    [[nodiscard]] State state() const { return {m_problem, m_model, m_schedule, m_dimensions}; }
    void push(State next, const QString& text, const QString& mergeKey);
    class EditCommand; ///< which also tells whether it is done, undone or redone
    void beginStep(LastStep::Way way);
    void assign(const State& state);              ///< of an undo command
    [[nodiscard]] Schedule savedSchedule() const; ///< with the machine that its latencies are of
    /// What a schedule file is of.
    struct Base
    {
        ProblemPtr problem;
        lower::ModelOnMachinePtr model;
        onnx::Dimensions dimensions;
    };
    [[nodiscard]] Result<Base> baseOf(const std::string& extra, const QString& path) const;
    [[nodiscard]] Result<Base> onOwnHardware(const ProblemPtr& problem, const std::string& extra,
                                             const QString& path) const;
    [[nodiscard]] Result<lower::ModelOnMachinePtr> withDimensions(const onnx::Dimensions& dimensions,
                                                                  const Machine& machine) const;
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
    void renewTaker(); ///< for the problem and rules in force

    Parts m_unannounced;
    int m_together = 0;
    bool m_announcing = false;
    ProblemPtr m_problem;
    lower::ModelOnMachinePtr m_model;
    lower::ModelOnMachinePtr m_lifted; ///< lensModel() of a problem that stands as it is
    std::optional<Machine> m_machine;
    Machine m_nextMachine;
    std::optional<Hardware> m_fileHardware; ///< of a problem file: a schedule on another has its own
    std::vector<onnx::FreeDimension> m_freeDimensions;
    onnx::Dimensions m_dimensions;
    Schedule m_schedule;
    SubgraphColours m_colours;
    Rules m_rules;
    QString m_rulesReason;
    QString m_problemPath;
    std::shared_ptr<SnapshotTaker> m_taker; ///< shared with the workers; null without a problem
    LowerBoundPtr m_bound;
    std::uint64_t m_revision = 0;
    SnapshotPtr m_snapshot;
    SnapshotPtr m_lastValid;
    SnapshotPtr m_judged; ///< while apply() makes its schedule the document's
    LastStep m_lastStep;
    bool m_stepping = false; ///< several commands that one click in the history undoes are one step
    SnapshotPtr m_preview;
    SubgraphColours m_previewColours;
    std::optional<Proof> m_proof;
    Notes m_notes;
    Nudges m_nudges;
    std::vector<Baseline> m_baselines;
    int m_baselineIndex = -1;
    QThreadPool m_pool; ///< evaluation does not queue behind the views' longer background work
    std::unique_ptr<LatestJob<SnapshotPtr>> m_evaluation;
    std::unique_ptr<LatestJob<std::function<void()>>> m_trial; // the result, ready to be delivered
    std::unique_ptr<LatestJob<SnapshotPtr>> m_previewing;
};

} // namespace tilewright::ui
