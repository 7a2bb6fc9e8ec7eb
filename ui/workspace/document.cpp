// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/document.h"

#include "base/file.h"
#include "edit/edits.h"
#include "edit/fit.h"
#include "eval/lower_bound.h"
#include "report/choose_rules.h"
#include "schedule/schedule_json.h"
#include "workload/problem_json.h"
#include "workspace/value_command.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QSettings>

namespace tilewright::ui {

namespace {

QString dimensionsKey(const QString& path)
{
    return QStringLiteral("dimensions/") + QString::fromLatin1(path.toUtf8().toHex());
}

/// Values that a person gave a model's free dimensions before.
onnx::Dimensions rememberedDimensions(const QString& path)
{
    onnx::Dimensions out;
    const QVariantMap map = QSettings().value(dimensionsKey(path)).toMap();
    for (auto it = map.begin(); it != map.end(); ++it)
        out[it.key().toStdString()] = it.value().toLongLong();
    return out;
}

void rememberDimensions(const QString& path, const onnx::Dimensions& dimensions)
{
    QVariantMap map;
    for (const auto& [name, value] : dimensions)
        map.insert(QString::fromStdString(name), static_cast<qlonglong>(value));
    QSettings().setValue(dimensionsKey(path), map);
}

/// The same ops on the same tensors, of whatever size and cost.
bool sameGraph(const Problem& a, const Problem& b)
{
    if (a.opCount() != b.opCount() || a.tensorCount() != b.tensorCount())
        return false;
    for (std::size_t i = 0; i < a.opCount(); ++i) {
        const Op &x = a.op(OpId(i)), &y = b.op(OpId(i));
        if (x.type != y.type || x.inputs != y.inputs || x.output != y.output)
            return false;
    }
    return true;
}

} // namespace

Document::Document(QObject* parent)
    : LensDocument(Lens::Schedule, parent), m_nextMachine(*machinePreset("edge"))
{
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
    if (m_together == 0 && m_unannounced)
        Q_EMIT changed(std::exchange(m_unannounced, {}));
}

Status Document::open(const LensFile& file)
{
    switch (file.kind) {
    case FileKind::Schedule:
        return takeSchedule(file.text, file.path);
    case FileKind::Model:
        return takeModel(file.text, file.path);
    case FileKind::Machine:
        return takeMachine(file.text, file.path);
    default:
        return takeProblem(file.text, file.path);
    }
}

Status Document::openFile(const QString& path)
{
    const auto file = readLensFile(path);
    return file ? open(*file) : file.error();
}

Status Document::openProblem(const QString& path)
{
    const auto file = readLensFile(path);
    if (file && file->kind == FileKind::Model)
        return takeModel(file->text, path);
    const auto text = readFile(path.toStdString());
    return text ? takeProblem(*text, path) : text.error();
}

Status Document::openSchedule(const QString& path)
{
    const auto text = readFile(path.toStdString());
    return text ? takeSchedule(*text, path) : text.error();
}

Status Document::takeProblem(const std::string& text, const QString& path)
{
    auto problem = readProblem(text, path.toStdString());
    if (!problem)
        return problem.error();
    setProblem(*problem, oneOpPerSubgraph(**problem), path);
    return Unit{};
}

Status Document::takeModel(const std::string& text, const QString& path)
{
    std::vector<onnx::FreeDimension> free;
    onnx::Dimensions dimensions;
    const bool isOnnx = text.empty() && onnx::isOnnxFile(path.toStdString());
    if (isOnnx) {
        auto found = onnx::freeDimensions(path.toStdString());
        if (!found)
            return found.error();
        free = std::move(*found);
        const onnx::Dimensions before = rememberedDimensions(path);
        for (const onnx::FreeDimension& d : free) { // what it was last time, else what is usual
            const auto it = before.find(d.name);
            dimensions[d.name] = it != before.end() ? it->second : d.example;
        }
    }
    auto workload = isOnnx ? lower::loadWorkload(path.toStdString(), dimensions)
                           : lower::readWorkload(text, path.toStdString());
    if (!workload)
        return workload.error();
    auto model =
        lower::putOnMachine(std::make_shared<const lower::Workload>(std::move(*workload)), m_nextMachine);
    if (!model) {
        Error error = model.error();
        error.file = path.toStdString();
        return error;
    }
    Schedule schedule = oneOpPerSubgraph(*(*model)->problem);
    m_freeDimensions = std::move(free);
    m_dimensions = std::move(dimensions);
    setModel(std::move(*model), std::move(schedule), path);
    return Unit{};
}

Status Document::setDimensions(const onnx::Dimensions& dimensions)
{
    if (!m_model || dimensions == m_dimensions)
        return Unit{};
    auto workload = lower::loadWorkload(m_problemPath.toStdString(), dimensions);
    if (!workload)
        return workload.error();
    auto model =
        lower::putOnMachine(std::make_shared<const lower::Workload>(std::move(*workload)), *m_machine);
    if (!model)
        return model.error();
    rememberDimensions(m_problemPath, dimensions);
    ProblemPtr problem = (*model)->problem;
    Schedule schedule = sameGraph(*problem, *m_problem) ? edit::normalise(*problem, m_schedule, m_rules)
                                                        : oneOpPerSubgraph(*problem);
    push({std::move(problem), std::move(*model), std::move(schedule), dimensions},
         tr("Change free dimensions"), {});
    return Unit{};
}

Status Document::takeMachine(const std::string& text, const QString& path)
{
    const lower::MachineText source{text, path.toStdString()};
    const auto machine = lower::readMachines(std::span(&source, 1));
    if (!machine)
        return machine.error();
    // Together with the model, or right after it, nothing was edited.
    return undoStack().count() == 0
               ? startOn(*machine)
               : setMachine(*machine, tr("Open machine %1").arg(QFileInfo(path).fileName()));
}

Status Document::startOn(const Machine& machine)
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
    auto model = onMachine(machine);
    if (!model)
        return model.error();
    m_nextMachine = machine;
    ProblemPtr problem = (*model)->problem;
    push({std::move(problem), std::move(*model), m_schedule, m_dimensions}, text, mergeKey);
    return Unit{};
}

Status Document::takeSchedule(const std::string& text, const QString& path)
{
    if (!m_problem)
        return Error{ErrorCode::Refused,
                     "is a schedule; open the problem it belongs to first",
                     {},
                     path.toStdString()};
    auto loaded = readSchedule(*m_problem, text, path.toStdString());
    if (!loaded)
        return loaded.error();
    if (!loaded->formatIssues.empty())
        return Error{ErrorCode::Field, loaded->formatIssues.front().text, {}, path.toStdString()};
    const auto machine = lower::machineField(loaded->schedule.extra, path.toStdString());
    if (!machine)
        return machine.error();
    lower::ModelOnMachinePtr model;
    if (*machine && !(m_model && m_model->machine == **machine)) {
        auto moved = onMachine(**machine);
        if (!moved)
            return moved.error();
        model = std::move(*moved);
    }
    const Together together(*this);
    dropPreview();
    if (model) {
        ProblemPtr problem = model->problem;
        takeBase(std::move(problem), std::move(model));
        m_nextMachine = *m_machine;
        announce(Part::Machine);
    }
    const RulesChoice choice = chooseRules(*m_problem, loaded->schedule);
    setPath(path);
    m_rules = choice.rules;
    renewTaker();
    m_rulesReason = QString::fromStdString(choice.reason);
    announce(Part::RuleSet);
    m_beforeLastEdit = nullptr;
    undoStack().clear();
    undoStack().setClean();
    ++m_revision;
    m_schedule = std::move(loaded->schedule);
    refreshColours();
    announce(Part::Steps);
    evaluateNow();
    Q_EMIT fileChanged();
    return Unit{};
}

Status Document::openReadablePart(const QString& path)
{
    auto loaded = loadSchedule(*m_problem, path.toStdString());
    if (!loaded)
        return loaded.error();
    apply(std::move(loaded->schedule), tr("Open the readable part of %1").arg(QFileInfo(path).fileName()));
    evaluateNow();
    return Unit{};
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
        m_machine = m_model->machine;
    else if (m_problem)
        if (auto own = lower::machineOf(*m_problem))
            m_machine = std::move(*own);
}

void Document::startWith(ProblemPtr problem, lower::ModelOnMachinePtr model, Schedule schedule,
                         const QString& path)
{
    const Together together(*this);
    dropPreview();
    m_evaluation->cancel();
    m_trial->cancel();
    undoStack().clear();
    undoStack().setClean();
    m_baselines.clear();
    m_baselineIndex = -1;
    m_snapshot = m_lastValid = m_beforeLastEdit = nullptr;
    takeBase(std::move(problem), std::move(model));
    ++m_revision;
    m_schedule = std::move(schedule);
    m_colours = {};
    refreshColours();
    m_problemPath = path;
    setPath({});
    m_rules = Rules::final();
    m_rulesReason.clear();
    renewTaker();
    if (m_taker)
        m_snapshot = m_taker->take(m_schedule, m_revision);
    if (m_snapshot && m_snapshot->evaluation.valid())
        m_lastValid = m_snapshot;
    announce(Part::Problem | Part::Machine | Part::RuleSet | Part::Steps | Part::Snapshot | Part::Baseline);
    Q_EMIT fileChanged();
}

Result<std::string> Document::fileText() const
{
    if (!m_problem)
        return Error{ErrorCode::Refused, "there is nothing to save: no problem is open", {}, {}};
    const SnapshotPtr snapshot =
        m_snapshot && m_snapshot->revision == m_revision ? m_snapshot : m_taker->take(m_schedule, m_revision);
    std::vector<double> latencies;
    for (const SubgraphEvaluation& s : snapshot->evaluation.subgraphs)
        latencies.push_back(s.latency);
    return writeSchedule(*m_problem, savedSchedule(), latencies);
}

Schedule Document::savedSchedule() const
{
    Schedule out = m_schedule;
    if (m_model)
        out.extra = lower::withMachineField(out.extra, m_model->machine);
    return out;
}

QString Document::suggestedName() const
{
    return QFileInfo(m_problemPath).completeBaseName() + QStringLiteral(".schedule.json");
}

void Document::newSchedule()
{
    if (m_problem)
        apply(oneOpPerSubgraph(*m_problem), tr("New schedule"));
}

void Document::close()
{
    setProblem(nullptr, {}, {});
}

Result<QJsonObject> Document::recoveryCopy() const
{
    if (!m_problem)
        return Error{ErrorCode::Refused, "no problem is open", {}, {}};
    const auto text = writeSchedule(*m_problem, savedSchedule());
    if (!text)
        return text.error();
    QJsonObject dimensions;
    for (const auto& [name, value] : m_dimensions)
        dimensions.insert(QString::fromStdString(name), static_cast<qint64>(value));
    return QJsonObject{{QStringLiteral("problemPath"), m_problemPath},
                       {QStringLiteral("dimensions"), dimensions},
                       {QStringLiteral("problem"), QString::fromStdString(writeProblem(*m_problem))},
                       {QStringLiteral("path"), path()},
                       {QStringLiteral("text"), QString::fromStdString(*text)}};
}

Status Document::recover(const QJsonObject& copy)
{
    const QString problemPath = copy[QStringLiteral("problemPath")].toString();
    // Both are read before anything is replaced: what cannot be restored must not cost what is open.
    const auto problem =
        readProblem(copy[QStringLiteral("problem")].toString().toStdString(), problemPath.toStdString());
    if (!problem)
        return problem.error();
    auto loaded =
        readSchedule(**problem, copy[QStringLiteral("text")].toString().toStdString(), "recovery copy");
    if (!loaded)
        return loaded.error();
    // On its model where that is still the one it was: a problem alone has no operators to show.
    lower::ModelOnMachinePtr model;
    onnx::Dimensions dimensions;
    const QJsonObject sizes = copy[QStringLiteral("dimensions")].toObject();
    for (auto it = sizes.begin(); it != sizes.end(); ++it)
        dimensions[it.key().toStdString()] = it.value().toInteger();
    const auto machine = lower::machineField(loaded->schedule.extra, "recovery copy");
    if (machine && *machine)
        if (auto workload = lower::loadWorkload(problemPath.toStdString(), dimensions))
            if (auto put = lower::putOnMachine(std::make_shared<const lower::Workload>(std::move(*workload)),
                                               **machine);
                put && (*put)->problem->data().ops == (*problem)->data().ops)
                model = std::move(*put);
    const Together together(*this);
    if (model) {
        m_dimensions = dimensions;
        if (auto free = onnx::freeDimensions(problemPath.toStdString()); !dimensions.empty() && free)
            m_freeDimensions = std::move(*free);
        setModel(std::move(model), std::move(loaded->schedule), problemPath);
    } else {
        setProblem(*problem, std::move(loaded->schedule), problemPath);
    }
    setPath(copy[QStringLiteral("path")].toString());
    undoStack().resetClean(); // not what is in the file
    evaluateNow();
    Q_EMIT fileChanged();
    return Unit{};
}

void Document::apply(Schedule next, const QString& text, const QString& mergeKey)
{
    if (next == m_schedule)
        return;
    push({m_problem, m_model, std::move(next), m_dimensions}, text, mergeKey);
}

void Document::push(State next, const QString& text, const QString& mergeKey)
{
    m_beforeLastEdit = m_snapshot;
    undoStack().push(new ValueCommand<State>(
        state(), std::move(next), [this](const State& s) { assign(s); }, text, mergeKey));
}

bool Document::apply(const Result<Schedule>& next, const QString& text, const QString& mergeKey)
{
    if (!next) {
        Q_EMIT refused(QString::fromStdString(next.error().message));
        return false;
    }
    apply(*next, text, mergeKey);
    return true;
}

void Document::setRules(const Rules& rules)
{
    if (rules == m_rules)
        return;
    dropPreview();
    m_rules = rules;
    renewTaker();
    m_rulesReason.clear();
    m_beforeLastEdit = nullptr;
    ++m_revision;
    announce(Part::RuleSet);
    requestEvaluation();
}

void Document::assign(const State& state)
{
    const Together together(*this);
    dropPreview();
    m_schedule = state.schedule;
    ++m_revision;
    announce(Part::Steps);
    m_dimensions = state.dimensions;
    if (state.problem != m_problem) {
        m_trial->cancel();
        const bool another = !sameGraph(*state.problem, *m_problem);
        takeBase(state.problem, state.model);
        if (another) {
            m_colours = {};
            m_baselines.clear();
            m_baselineIndex = -1;
            m_lastValid = m_beforeLastEdit = nullptr;
            announce(Part::Problem | Part::Baseline);
        }
        refreshColours();
        renewTaker();
        announce(Part::Machine);
        evaluateNow(); // views never see costs of one machine beside the steps of another
        return;
    }
    refreshColours();
    requestEvaluation();
}

void Document::refreshColours()
{
    if (m_problem)
        m_colours.update(*m_problem, m_schedule);
}

void Document::renewTaker()
{
    m_taker = m_problem
                  ? std::make_shared<SnapshotTaker>(m_problem, m_rules, lowerBound(*m_problem, m_rules).value)
                  : nullptr;
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
    m_snapshot = std::move(snapshot);
    if (m_snapshot->evaluation.valid())
        m_lastValid = m_snapshot;
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
    while (m_problem && (!m_snapshot || m_snapshot->revision != m_revision))
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
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

void Document::showPreview(Schedule schedule)
{
    if (!m_problem)
        return;
    if (!m_preview)
        m_previewColours = m_colours; // what both have in common keeps its colour
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
    addBaseline(name.isEmpty()
                    ? tr("Baseline %1").arg(QChar(u'A' + static_cast<int>(m_baselines.size() % 26)))
                    : name,
                m_snapshot);
}

void Document::addBaseline(const QString& name, SnapshotPtr snapshot)
{
    m_baselines.push_back({name, std::move(snapshot)});
    m_baselineIndex = static_cast<int>(m_baselines.size()) - 1;
    announce(Part::Baseline);
}

void Document::replaceBaseline(const QString& name, SnapshotPtr snapshot)
{
    if (m_baselineIndex < 0)
        return;
    m_baselines[static_cast<std::size_t>(m_baselineIndex)] = {name, std::move(snapshot)};
    announce(Part::Baseline);
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
