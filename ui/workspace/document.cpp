// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/document.h"

#include "edit/edits.h"
#include "edit/fit.h"
#include "eval/lower_bound.h"
#include "solve/proof/set_cover.h"

#include <QScopedValueRollback>

#include <algorithm>

namespace tilewright::ui {

Document::Document(QObject* parent)
    : LensDocument(Lens::Schedule, parent), m_nextMachine(*machinePreset("edge"))
{
    connect(&undoStack(), &QUndoStack::indexChanged, this, &Document::endStep);
    m_evaluation = std::make_unique<LatestJob<SnapshotPtr>>([this](SnapshotPtr s) { publish(std::move(s)); },
                                                            false, &m_pool);
    m_trial = std::make_unique<LatestJob<std::function<void()>>>(
        [](std::function<void()> deliver) { deliver(); }, false, &m_pool);
    m_previewing = std::make_unique<LatestJob<SnapshotPtr>>(
        [this](SnapshotPtr snapshot) {
            m_preview = std::move(snapshot);
            m_previewColours.update(*m_preview->problem, m_preview->schedule);
            announce(Part::Preview);
        },
        false, &m_pool);
}

Document::~Document() = default;

void Document::announce(Parts parts)
{
    m_unannounced |= parts;
    if (m_openBatches > 0 || !m_unannounced)
        return;
    const QScopedValueRollback announcing(m_announcing, true);
    Q_EMIT changed(std::exchange(m_unannounced, {}));
}

Status Document::setDimensions(const onnx::Dimensions& dimensions)
{
    return m_model ? setSizes(dimensions, *m_machine, tr("Change free dimensions")) : Status(Unit{});
}

Status Document::setSizes(const onnx::Dimensions& dimensions, const Machine& machine, const QString& text)
{
    if (dimensions == m_dimensions && machine == *m_machine)
        return Unit{};
    auto model = withDimensions(dimensions, machine);
    if (!model)
        return model.error();
    ProblemPtr problem = (*model)->problem;
    Schedule schedule = lower::sameGraph(*problem, *m_problem) && !isStartSchedule()
                            ? edit::normalise(*problem, m_schedule, m_rules)
                            : startOf(*problem);
    push({std::move(problem), std::move(*model), std::move(schedule), dimensions}, text, {});
    return Unit{};
}

Status Document::setInitialMachine(const Machine& machine)
{
    if (Status set = setMachine(machine, {}); !set)
        return set;
    undoStack().clear();
    undoStack().setClean();
    Q_EMIT fileChanged();
    return Unit{};
}

Result<lower::ModelOnMachinePtr> Document::onMachine(const Machine& machine) const
{
    std::shared_ptr<const lower::Workload> workload;
    if (m_model) {
        workload = m_model->workload;
    } else {
        lower::Workload lifted;
        lifted.problem = m_problem;
        auto model = lower::modelOf(*m_problem);
        if (!model)
            return model.error();
        lifted.model = std::move(*model);
        workload = std::make_shared<const lower::Workload>(std::move(lifted));
    }
    return lower::putOnMachine(std::move(workload), machine);
}

const lower::ModelOnMachinePtr& Document::lensModel()
{
    if (m_model || !m_problem || !m_machine)
        return m_model;
    if (!m_lifted)
        if (auto lifted = onMachine(*m_machine))
            m_lifted = std::move(*lifted);
    return m_lifted;
}

Status Document::setMachine(const Machine& machine, const QString& text, const QString& mergeKey)
{
    if (!m_problem) {
        m_nextMachine = machine;
        announce(Part::Machine);
        return Unit{};
    }
    if (m_model && m_model->machine == machine)
        return Unit{};
    auto model = onMachine(machine);
    if (!model)
        return model.error();
    ProblemPtr problem = (*model)->problem;
    const bool isStart = isStartSchedule();
    const Hardware before = m_problem->hardware();
    const Hardware& now = problem->hardware();
    const bool otherTiles = before.fastMemoryCapacity != now.fastMemoryCapacity ||
                            before.nativeWidth != now.nativeWidth ||
                            before.nativeHeight != now.nativeHeight || before.nativeK() != now.nativeK();
    Schedule schedule = isStart ? startOf(*problem) : m_schedule;
    push({std::move(problem), std::move(*model), std::move(schedule), m_dimensions}, text, mergeKey);
    if (!isStart && otherTiles) {
        m_retileAt = undoStack().index();
        Q_EMIT retileOffered();
    }
    return Unit{};
}

Schedule Document::startOf(const Problem& problem) const
{
    Schedule out = oneOpPerSubgraph(problem, m_rules);
    out.extra = m_schedule.extra;
    return out;
}

bool Document::isStartSchedule() const
{
    return m_problem && tilewright::isStartSchedule(*m_problem, m_schedule, m_rules);
}

bool Document::canRetile()
{
    return m_retileAt >= 0 && undoStack().index() == m_retileAt && undoStack().canUndo();
}

void Document::retile()
{
    if (!canRetile())
        return;
    m_retileAt = -1;
    State next = state();
    next.schedule = retiled(*m_problem, {}, m_schedule, m_rules);
    const QString text = undoStack().undoText();
    const ChangeBatch batch(*this);
    undoStack().undo();
    push(std::move(next), text, {});
}

Status Document::adopt(const Machine& machine, Schedule schedule, const QString& text)
{
    if (!m_problem)
        return Error{ErrorCode::Refused, "no problem is open", {}, {}};
    State next = state();
    if (!m_model || m_model->machine != machine) {
        auto model = onMachine(machine);
        if (!model)
            return model.error();
        next.problem = (*model)->problem;
        next.model = std::move(*model);
    }
    next.schedule = std::move(schedule);
    if (next != state())
        push(std::move(next), text, {});
    return Unit{};
}

Status Document::adopt(const Hardware& hardware, Schedule schedule, const QString& text)
{
    if (!m_problem || m_model)
        return Error{ErrorCode::Refused, "no problem file is open", {}, {}};
    State next = state();
    if (m_problem->hardware() != hardware) {
        Problem::Data data = m_problem->data();
        data.hardware = hardware;
        auto problem = Problem::build(std::move(data));
        if (!problem)
            return problem.error();
        next.problem = std::move(*problem);
    }
    next.schedule = std::move(schedule);
    if (next != state())
        push(std::move(next), text, {});
    return Unit{};
}

Result<lower::ModelOnMachinePtr> Document::withDimensions(const onnx::Dimensions& dimensions,
                                                          const Machine& machine) const
{
    auto workload = lower::loadWorkload(m_problemPath.toStdString(), dimensions);
    if (!workload)
        return workload.error();
    return lower::putOnMachine(std::make_shared<const lower::Workload>(std::move(*workload)), machine);
}

void Document::setProblem(ProblemPtr problem, Schedule schedule, const QString& path)
{
    m_freeDimensions.clear();
    m_dimensions.clear();
    startWith(std::move(problem), nullptr, std::move(schedule), path);
}

void Document::setModel(lower::ModelOnMachinePtr model, Schedule schedule, const QString& path)
{
    ProblemPtr problem = model->problem;
    startWith(std::move(problem), std::move(model), std::move(schedule), path);
}

void Document::takeBase(ProblemPtr problem, lower::ModelOnMachinePtr model)
{
    m_problem = std::move(problem);
    m_model = std::move(model);
    m_lifted = nullptr;
    m_machine.reset();
    if (m_model)
        m_machine = m_nextMachine = m_model->machine;
    else if (m_problem)
        if (auto own = lower::machineOf(*m_problem))
            m_machine = std::move(*own);
}

void Document::startWith(ProblemPtr problem, lower::ModelOnMachinePtr model, Schedule schedule,
                         const QString& path)
{
    const ChangeBatch batch(*this);
    dropPreview();
    m_evaluation->cancel();
    m_trial->cancel();
    undoStack().clear();
    undoStack().setClean();
    m_notes.clear();
    m_forgottenOptions.reset();
    m_nudges.clear();
    m_baselines.clear();
    m_baselineIndex = -1;
    m_snapshot = m_lastValid = nullptr;
    m_lastStep = {};
    takeBase(std::move(problem), std::move(model));
    m_fileHardware.reset();
    if (m_problem)
        m_fileHardware = m_problem->hardware();
    ++m_revision;
    m_schedule = std::move(schedule);
    m_colours = {};
    refreshColours();
    m_problemPath = path;
    setFile({}, {});
    m_rules = m_problem ? m_problem->rules() : Rules::final();
    m_rulesReason.clear();
    m_scheduleDigest.clear();
    renewTaker();
    if (m_taker)
        m_snapshot = m_taker->take(m_schedule, m_revision);
    if (m_snapshot && m_snapshot->evaluation.valid())
        m_lastValid = m_snapshot;
    announce(Part::Problem | Part::Machine | Part::RuleSet | Part::Steps | Part::Snapshot | Part::Baseline);
    Q_EMIT fileChanged();
}

void Document::newSchedule()
{
    if (m_problem)
        apply(oneOpPerSubgraph(*m_problem, m_rules), tr("New schedule"));
}

void Document::close()
{
    setProblem(nullptr, {}, {});
    // The edited machine was discarded with the document.
    if (const auto preset = machinePreset(m_nextMachine.name))
        m_nextMachine = *preset;
}

void Document::setRules(const Rules& rules)
{
    if (rules == m_rules)
        return;
    dropPreview();
    m_rules = rules;
    renewTaker();
    m_rulesReason.clear();
    m_lastStep = {};
    ++m_revision;
    announce(Part::RuleSet);
    requestEvaluation();
}

void Document::refreshColours()
{
    if (m_problem)
        m_colours.update(*m_problem, m_schedule);
}

void Document::renewTaker()
{
    m_bound = m_problem ? std::make_shared<const LowerBound>(lowerBound(*m_problem, m_rules)) : nullptr;
    m_taker = m_problem ? std::make_shared<SnapshotTaker>(m_problem, m_rules, m_bound->value) : nullptr;
}

void Document::raiseBound(const ProblemPtr& problem, const Rules& rules, const LowerBoundPtr& bound)
{
    if (problem != m_problem || !m_bound || rules != m_rules || bound->value < m_bound->value)
        return;
    m_bound = bound;
    m_taker->setLowerBound(bound->value);
    if (m_snapshot)
        publish(m_snapshot);
}

void Document::requestEvaluation()
{
    if (!m_problem)
        return;
    m_evaluation->request([taker = m_taker, schedule = m_schedule, revision = m_revision](std::stop_token) {
        return taker->take(schedule, revision);
    });
}

void Document::publish(SnapshotPtr snapshot)
{
    if (!snapshot || snapshot->problem != m_problem)
        return;
    if (snapshot->lowerBound < m_bound->value && snapshot->evaluation.rules == m_rules) {
        // The snapshot was taken before the bound was raised, so its bound is corrected.
        auto raised = std::make_shared<Snapshot>(*snapshot);
        raised->lowerBound = m_bound->value;
        snapshot = std::move(raised);
    }
    m_snapshot = std::move(snapshot);
    if (m_snapshot->evaluation.valid()) {
        m_lastValid = m_snapshot;
        const double total = m_snapshot->evaluation.total;
        if (m_snapshot->evaluation.rules == m_rules && meetsBound(total, m_bound->value) && !proof())
            addProof({m_problem, m_rules, total, QString::fromStdString(provenByBound())});
    }
    announce(Part::Snapshot);
}

void Document::evaluateNow()
{
    if (!m_problem)
        return;
    m_evaluation->cancel();
    publish(m_taker->take(m_schedule, m_revision));
}

void Document::waitForSnapshot()
{
    if (!isEvaluated())
        evaluateNow();
}

void Document::requestTrial(Schedule trial, std::function<void(SnapshotPtr)> deliver)
{
    requestTrial([trial = std::move(trial)]() -> Result<Schedule> { return trial; },
                 [deliver = std::move(deliver)](Result<SnapshotPtr> snapshot) { deliver(*snapshot); });
}

void Document::requestTrial(std::function<Result<Schedule>()> edit,
                            std::function<void(Result<SnapshotPtr>)> deliver)
{
    if (!m_problem)
        return;
    m_trial->request([taker = m_taker, edit = std::move(edit),
                      deliver = std::move(deliver)](std::stop_token) -> std::function<void()> {
        const Result<Schedule> trial = edit();
        Result<SnapshotPtr> result = trial ? Result<SnapshotPtr>(taker->take(*trial, 0)) : trial.error();
        return [deliver, result = std::move(result)] { deliver(result); };
    });
}

void Document::cancelTrial()
{
    m_trial->cancel();
}

void Document::showPreview(Schedule schedule, bool compared)
{
    if (!m_problem)
        return;
    m_previewIsCompared = compared;
    if (!m_preview)
        m_previewColours = m_colours; // subgraphs that both schedules have keep their colours
    m_previewing->request([taker = m_taker, schedule = std::move(schedule)](std::stop_token) {
        return taker->take(schedule, 0);
    });
}

void Document::dropPreview()
{
    m_previewing->cancel();
    if (std::exchange(m_preview, nullptr))
        announce(Part::Preview);
}

void Document::setNote(const QString& about, const QString& text)
{
    if (text.trimmed().isEmpty())
        m_notes.remove(about);
    else
        m_notes.insert(about, text);
    announce(Part::Notes);
}

QString Document::subgraphNote(const Subgraph& subgraph)
{
    std::vector<OpId> ops = subgraph.ops;
    std::ranges::sort(ops);
    QStringList numbers;
    for (const OpId op : ops)
        numbers << QString::number(op.index());
    return QStringLiteral("ops ") + numbers.join(QLatin1Char(','));
}

QString Document::viewNote(const QString& view)
{
    return QStringLiteral("view ") + view;
}

void Document::nudge(const Nudges& next, const QString& text, const QString& mergeKey)
{
    if (next != m_nudges)
        undoStack().push(new NudgeCommand(
            m_nudges, next, [this](const Nudges& nudges) { setNudges(nudges); }, text, mergeKey));
}

void Document::setNudges(const Nudges& nudges)
{
    if (nudges == m_nudges)
        return;
    m_nudges = nudges;
    announce(Part::Nudges);
}

bool Document::changesFile(const QUndoCommand& step) const
{
    return !dynamic_cast<const NudgeCommand*>(&step);
}

void Document::addProof(Proof proof)
{
    m_proof = std::move(proof);
    announce(Part::Proof);
}

const Document::Proof* Document::proof() const
{
    const bool holds =
        m_proof && m_snapshot && m_snapshot->evaluation.valid() && m_proof->problem == m_snapshot->problem &&
        m_proof->rules == m_snapshot->evaluation.rules && m_snapshot->evaluation.total <= m_proof->total;
    return holds ? &*m_proof : nullptr;
}

SnapshotPtr Document::baseline() const
{
    if (m_baselineIndex < 0)
        return nullptr;
    return m_baselines[static_cast<std::size_t>(m_baselineIndex)].snapshot;
}

void Document::pinBaseline(const QString& name)
{
    if (!m_snapshot)
        return;
    waitForSnapshot();
    if (!m_snapshot->evaluation.valid()) {
        Q_EMIT refused(tr("An invalid schedule cannot be a baseline. Fix the problems first."));
        return;
    }
    addBaseline(name.isEmpty()
                    ? tr("Baseline %1").arg(QChar(u'A' + static_cast<int>(m_baselines.size() % 26)))
                    : name,
                m_snapshot);
}

void Document::addBaseline(const QString& name, SnapshotPtr snapshot)
{
    takeBaseline({name, std::move(snapshot), m_model});
}

void Document::takeBaseline(Baseline baseline)
{
    m_baselines.push_back(std::move(baseline));
    m_baselineIndex = static_cast<int>(m_baselines.size()) - 1;
    announce(Part::Baseline);
}

void Document::replaceBaseline(const QString& name, SnapshotPtr snapshot)
{
    if (m_baselineIndex < 0)
        return;
    m_baselines[static_cast<std::size_t>(m_baselineIndex)] = {name, std::move(snapshot), m_model};
    announce(Part::Baseline);
}

QString Document::otherMachineOf(const Baseline& baseline) const
{
    if (baseline.model == m_model ||
        (baseline.model && m_model && baseline.model->machine == m_model->machine))
        return {};
    if (!baseline.model)
        return tr("the hardware of the file");
    const QString name = QString::fromStdString(baseline.model->machine.name);
    return m_model && m_model->machine.name == baseline.model->machine.name ? tr("%1 as it was").arg(name)
                                                                            : name;
}

QString Document::nameOf(const Baseline& baseline) const
{
    const QString machine = otherMachineOf(baseline);
    return machine.isEmpty() ? baseline.name : tr("%1, on %2").arg(baseline.name, machine);
}

void Document::setBaselineIndex(int index)
{
    if (index == m_baselineIndex || index >= static_cast<int>(m_baselines.size()))
        return;
    m_baselineIndex = std::max(-1, index);
    announce(Part::Baseline);
}

void Document::clearBaselines()
{
    m_baselines.clear();
    m_baselineIndex = -1;
    announce(Part::Baseline);
}

} // namespace tilewright::ui
