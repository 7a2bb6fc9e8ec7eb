// SPDX-License-Identifier: GPL-3.0-or-later
// Document: reading and writing of files, edits as undo steps, and the difference that the last step made.
#include "base/file.h"
#include "edit/fit.h"
#include "eval/rule_choice.h"
#include "schedule/schedule_json.h"
#include "workload/problem_json.h"
#include "workspace/document.h"
#include "workspace/lens_document.h"
#include "workspace/model_file.h"

#include <QFileInfo>

#include <utility>

namespace tilewright::ui {

Status Document::open(const LensFile& file)
{
    switch (file.kind) {
    case FileKind::Schedule:
        return takeSchedule(file.text(), file.path);
    case FileKind::Model:
        return takeModel(file.text(), file.path);
    case FileKind::Machine:
        return takeMachine(file.text(), file.path);
    default:
        return takeProblem(file.text(), file.path);
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
    if (!file)
        return file.error();
    // A file that is not a problem was opened as a model for all lenses.
    return file->kind == FileKind::Problem ? takeProblem(file->text(), path) : takeModel(file->text(), path);
}

Status Document::openSchedule(const QString& path)
{
    const auto text = readFile(path.toStdString());
    return text ? takeSchedule(*text, path) : text.error();
}

Status Document::takeProblem(std::string_view text, const QString& path)
{
    auto problem = readProblem(text, path.toStdString());
    if (!problem)
        return problem.error();
    setProblem(*problem, oneOpPerSubgraph(**problem), path);
    return Unit{};
}

Status Document::takeModel(std::string_view text, const QString& path)
{
    auto file = readModelFile(text, path);
    if (!file)
        return file.error();
    auto model = lower::putOnMachine(std::move(file->workload), m_nextMachine);
    if (!model) {
        Error error = model.error();
        error.file = path.toStdString();
        return error;
    }
    Schedule schedule = oneOpPerSubgraph(*(*model)->problem);
    m_freeDimensions = std::move(file->free);
    m_dimensions = std::move(file->dimensions);
    setModel(std::move(*model), std::move(schedule), path);
    m_forgottenOptions = std::move(file->forgotten);
    return Unit{};
}

Status Document::takeMachine(std::string_view text, const QString& path)
{
    const lower::MachineText source{std::string(text), path.toStdString()};
    const auto machine = lower::readMachines(std::span(&source, 1));
    if (!machine)
        return machine.error();
    // True if nothing has been edited or saved yet, so that the machine was opened with the model or right
    // after it.
    return m_model && undoStack().count() == 0 && !isModified() && schedulePath().isEmpty()
               ? setInitialMachine(*machine)
               : setMachine(*machine, tr("Open machine %1").arg(QFileInfo(path).fileName()));
}

Status Document::takeSchedule(std::string_view text, const QString& path)
{
    if (!m_problem)
        return Error{ErrorCode::Refused, "is a schedule; open its problem first", {}, path.toStdString()};
    auto loaded = readSchedule(*m_problem, text, path.toStdString());
    if (!loaded)
        return loaded.error();
    if (!loaded->formatIssues.empty())
        return Error{ErrorCode::Field, loaded->formatIssues.front().text, {}, path.toStdString()};
    const auto moved = baseOf(loaded->schedule.extra, path);
    if (!moved)
        return moved.error();
    const auto& [problem, model, dimensions] = *moved;
    if (!lower::sameGraph(*problem, *m_problem))
        return Error{
            ErrorCode::Problem,
            "is a schedule of this model with other sizes of its free dimensions, where it has other ops",
            {},
            path.toStdString()};
    const ChangeBatch batch(*this);
    dropPreview();
    if (problem != m_problem) {
        takeBase(problem, model);
        m_dimensions = dimensions;
        announce(Part::Machine);
    }
    const RulesChoice choice = chooseRules(*m_problem, loaded->schedule);
    setFile(path, text);
    m_scheduleDigest = knownDigest();
    m_rules = choice.rules;
    renewTaker();
    m_rulesReason = QString::fromStdString(choice.reason);
    announce(Part::RuleSet);
    m_lastStep = {};
    m_lastValid = nullptr;
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

std::vector<LatencyDeviation> Document::latencyDeviations()
{
    const bool isAsOpened = m_snapshot && !m_scheduleDigest.isEmpty() && knownDigest() == m_scheduleDigest &&
                            undoStack().index() == 0 && !m_rulesReason.isEmpty();
    return isAsOpened ? tilewright::latencyDeviations(m_snapshot->schedule, m_snapshot->evaluation)
                      : std::vector<LatencyDeviation>();
}

Result<Document::Base> Document::baseOf(const std::string& extra, const QString& path) const
{
    const auto machine = lower::machineField(extra, path.toStdString());
    if (!machine)
        return machine.error();
    if (!*machine) { // the file was saved for a plain problem, or by another program
        if (m_model && !m_model->workload->problem)
            return Base{m_problem, m_model, m_dimensions};
        return onOwnHardware(m_model ? m_model->workload->problem : m_problem, extra, path);
    }
    onnx::Dimensions dimensions = lower::dimensionsField(extra);
    if (dimensions.empty())
        dimensions = m_dimensions;
    if (m_model && m_model->machine == **machine && dimensions == m_dimensions)
        return Base{m_problem, m_model, m_dimensions};
    auto model = dimensions == m_dimensions ? onMachine(**machine) : withDimensions(dimensions, **machine);
    if (!model)
        return model.error();
    ProblemPtr problem = (*model)->problem;
    return Base{std::move(problem), std::move(*model), std::move(dimensions)};
}

/// Returns the plain problem on the hardware that its schedule file names, or else on that of the problem
/// file.
Result<Document::Base> Document::onOwnHardware(const ProblemPtr& problem, const std::string& extra,
                                               const QString& path) const
{
    const auto named = lower::hardwareField(extra, path.toStdString());
    if (!named)
        return named.error();
    const Hardware hardware = named->value_or(m_fileHardware.value_or(problem->hardware()));
    if (hardware == problem->hardware())
        return Base{problem, nullptr, {}};
    auto other = lower::withHardware(*problem, hardware);
    if (!other) {
        Error error = other.error();
        error.file = path.toStdString();
        return error;
    }
    return Base{std::move(*other), nullptr, {}};
}

Status Document::openReadablePart(const QString& path)
{
    if (!m_problem)
        return Error{ErrorCode::Refused, "no problem is open", {}, {}};
    auto loaded = loadSchedule(*m_problem, path.toStdString());
    if (!loaded)
        return loaded.error();
    // Use the machine and the dimensions of the file if they are readable and give the same ops.
    const auto moved = baseOf(loaded->schedule.extra, path);
    Base base = moved && lower::sameGraph(*moved->problem, *m_problem)
                    ? *moved
                    : Base{m_problem, m_model, m_dimensions};
    push({std::move(base.problem), std::move(base.model), std::move(loaded->schedule),
          std::move(base.dimensions)},
         tr("Open the readable part of %1").arg(QFileInfo(path).fileName()), {});
    evaluateNow();
    return Unit{};
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
    out.rules = statedRules(*m_problem, m_rules);
    if (m_model)
        out.extra = lower::withMachineField(out.extra, m_model->machine, m_dimensions);
    // Hardware of a plain problem, if it differs from the hardware of the problem file.
    std::optional<Hardware> own;
    if (!m_model && m_problem->hardware() != m_fileHardware)
        own = m_problem->hardware();
    out.extra = lower::withHardwareField(out.extra, own);
    return out;
}

QString Document::suggestedName() const
{
    return QFileInfo(m_problemPath).completeBaseName() + QStringLiteral(".schedule.json");
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
    QJsonObject copy = fileForRecovery();
    copy[QStringLiteral("problemPath")] = m_problemPath;
    copy[QStringLiteral("dimensions")] = dimensions;
    copy[QStringLiteral("problem")] = QString::fromStdString(writeProblem(*m_problem));
    copy[QStringLiteral("text")] = QString::fromStdString(*text);
    writeMarks(marks(), copy);
    return copy;
}

Status Document::recover(const QJsonObject& copy)
{
    const QString problemPath = copy[QStringLiteral("problemPath")].toString();
    // Problem and schedule are read before anything is replaced, so that the open files stay open after an
    // error.
    const auto problem =
        readProblem(copy[QStringLiteral("problem")].toString().toStdString(), problemPath.toStdString());
    if (!problem)
        return problem.error();
    auto loaded =
        readSchedule(**problem, copy[QStringLiteral("text")].toString().toStdString(), "recovery copy");
    if (!loaded)
        return loaded.error();
    // A problem alone has no operators to show, so the model is restored, too, provided that its file still
    // gives the ops of the problem.
    lower::ModelOnMachinePtr model;
    std::vector<onnx::FreeDimension> free;
    onnx::Dimensions dimensions;
    const QJsonObject sizes = copy[QStringLiteral("dimensions")].toObject();
    for (auto it = sizes.begin(); it != sizes.end(); ++it)
        dimensions[it.key().toStdString()] = it.value().toInteger();
    const auto machine = lower::machineField(loaded->schedule.extra, "recovery copy");
    if (machine && *machine)
        if (const auto content = onnx::readFile(problemPath.toStdString()))
            if (auto file = readModelFile(content->view(), problemPath, dimensions))
                if (auto put = lower::putOnMachine(std::move(file->workload), **machine);
                    put && (*put)->problem->data().ops == (*problem)->data().ops) {
                    model = std::move(*put);
                    free = std::move(file->free);
                }
    const ChangeBatch batch(*this);
    if (model) {
        m_dimensions = dimensions;
        if (!dimensions.empty())
            m_freeDimensions = std::move(free);
        setModel(std::move(model), std::move(loaded->schedule), problemPath);
    } else {
        setProblem(*problem, std::move(loaded->schedule), problemPath);
    }
    if (const auto hardware = lower::hardwareField(m_schedule.extra, "recovery copy"); hardware && *hardware)
        m_fileHardware.reset(); // the hardware differs from that of the problem file
    setFileOf(copy);
    addMarks(readMarks(copy));
    undoStack().resetClean(); // the state differs from the file
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

class Document::EditCommand final : public ValueCommand<State>
{
public:
    EditCommand(Document& document, State next, const QString& text, const QString& mergeKey)
        : ValueCommand(
              document.state(), std::move(next), [&document](const State& s) { document.assign(s); }, text,
              mergeKey),
          m_document(document)
    {
    }
    void undo() override
    {
        m_document.beginStep(LastStep::Way::Undo);
        ValueCommand::undo();
    }
    void redo() override
    {
        m_document.beginStep(std::exchange(m_done, true) ? LastStep::Way::Redo : LastStep::Way::Edit);
        ValueCommand::redo();
    }

private:
    Document& m_document;
    bool m_done = false;
};

void Document::push(State next, const QString& text, const QString& mergeKey)
{
    undoStack().push(new EditCommand(*this, std::move(next), text, mergeKey));
}

namespace {

double secondsOfUnitOf(const lower::ModelOnMachine* model)
{
    return model && model->machine.clockGhz > 0
               ? static_cast<double>(model->lowered.timeUnit) * 1e-9 / model->machine.clockGhz
               : 0;
}

} // namespace

double Document::secondsOfUnit() const
{
    return secondsOfUnitOf(m_model.get());
}

double Document::unitOfBaseline() const
{
    if (m_baselineIndex < 0)
        return 1;
    const double own = secondsOfUnit();
    const double its = secondsOfUnitOf(m_baselines[static_cast<std::size_t>(m_baselineIndex)].model.get());
    return own > 0 && its > 0 ? its / own : 1;
}

void Document::beginStep(LastStep::Way way)
{
    if (std::exchange(m_stepping, true))
        return;
    ++m_openBatches; // the batch ends in endStep()
    // If the last edit has not been evaluated yet, it is evaluated here, because this edit is compared with
    // it.
    m_lastStep = {way, !m_taker || isEvaluated() ? m_snapshot : m_taker->take(m_schedule, m_revision),
                  secondsOfUnit()};
}

/// Must be called after the undo stack has counted the step, so that isModified() is valid for the receivers
/// of the signals. Waits up to 8 ms for the evaluation, which is enough for most edits. Then one signal
/// announces the edit with its evaluation, and views are built and painted once instead of twice
/// (docs/design.md 5.1).
void Document::endStep()
{
    constexpr std::chrono::milliseconds kBeforePainting(8);
    if (undoStack().index() != m_retileAt)
        m_retileAt = -1; // another step follows, so retile() is no longer possible
    if (!std::exchange(m_stepping, false))
        return;
    if (!isEvaluated())
        m_evaluation->deliverWithin(kBeforePainting);
    --m_openBatches;
    announce({});
}

void Document::apply(const SnapshotPtr& judged, const QString& text)
{
    m_judged = judged;
    apply(judged->schedule, text);
    m_judged = nullptr;
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

void Document::assign(const State& state)
{
    const ChangeBatch batch(*this);
    dropPreview();
    m_schedule = state.schedule;
    ++m_revision;
    announce(Part::Steps);
    if (state.dimensions != m_dimensions)
        rememberDimensions(m_problemPath, state.dimensions);
    m_dimensions = state.dimensions;
    if (state.problem != m_problem) {
        m_trial->cancel();
        const bool another = !lower::sameGraph(*state.problem, *m_problem);
        takeBase(state.problem, state.model);
        m_lastValid = nullptr; // the last valid total belongs to another machine
        if (another) {
            m_colours = {};
            m_baselines.clear();
            m_baselineIndex = -1;
            m_lastStep.before = nullptr;
            announce(Part::Problem | Part::Baseline);
        }
        refreshColours();
        renewTaker();
        announce(Part::Machine);
        // Evaluates at once, so that views never combine the costs of one machine with the steps for another.
        evaluateNow();
        return;
    }
    refreshColours();
    if (m_judged && m_judged->problem == m_problem && m_judged->evaluation.rules == m_rules) {
        m_evaluation->cancel();
        auto judged = std::make_shared<Snapshot>(*m_judged);
        judged->revision = m_revision;
        publish(std::move(judged));
        return;
    }
    requestEvaluation();
}

} // namespace tilewright::ui
