// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/document.h"

#include "base/file.h"
#include "edit/fit.h"
#include "eval/lower_bound.h"
#include "report/choose_rules.h"
#include "report/file_kind.h"
#include "report/take_snapshot.h"
#include "schedule/schedule_json.h"
#include "workload/problem_json.h"
#include "workspace/schedule_command.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>

namespace tilewright::ui {

namespace {
constexpr QLatin1String kRecoverySchedule("/schedule.json");
constexpr QLatin1String kRecoveryProblem("/problem.path");
} // namespace

Document::Document(QObject* parent) : QObject(parent)
{
    m_evaluation = std::make_unique<LatestJob<SnapshotPtr>>([this](SnapshotPtr s) { publish(std::move(s)); },
                                                            false, &m_pool);
    m_trial = std::make_unique<LatestJob<std::function<void()>>>(
        [](std::function<void()> deliver) { deliver(); }, false, &m_pool);
    m_previewing = std::make_unique<LatestJob<SnapshotPtr>>(
        [this](SnapshotPtr snapshot) {
            m_preview = std::move(snapshot);
            m_previewColours.update(*m_preview->problem, m_preview->schedule);
            Q_EMIT previewChanged();
        },
        false, &m_pool);
    connect(&m_undo, &QUndoStack::cleanChanged, this, &Document::fileChanged);
}

Document::~Document()
{
    disconnect(&m_undo, nullptr, this, nullptr); // a stack says it is clean while it goes
}

Status Document::openFile(const QString& path)
{
    const auto kind = fileKind(path.toStdString());
    if (!kind)
        return kind.error();
    return *kind == FileKind::Schedule ? openSchedule(path) : openProblem(path);
}

Status Document::openProblem(const QString& path)
{
    auto problem = loadProblem(path.toStdString());
    if (!problem)
        return problem.error();
    setProblem(*problem, oneOpPerSubgraph(**problem), path);
    return Unit{};
}

Status Document::openSchedule(const QString& path)
{
    if (!m_problem)
        return Error{ErrorCode::Refused,
                     "is a schedule; open the problem it belongs to first",
                     {},
                     path.toStdString()};
    const auto text = readFile(path.toStdString());
    if (!text)
        return text.error();
    auto loaded = readSchedule(*m_problem, *text, path.toStdString());
    if (!loaded)
        return loaded.error();
    if (!loaded->formatIssues.empty())
        return Error{ErrorCode::Field, loaded->formatIssues.front().text, {}, path.toStdString()};
    dropPreview();
    const RulesChoice choice = chooseRules(*m_problem, loaded->schedule);
    m_schedulePath = path;
    m_rules = choice.rules;
    renewTaker();
    m_rulesReason = QString::fromStdString(choice.reason);
    Q_EMIT rulesChanged();
    m_beforeLastEdit = nullptr;
    m_undo.clear();
    ++m_revision;
    m_schedule = std::move(loaded->schedule);
    refreshColours();
    Q_EMIT scheduleChanged();
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
    dropPreview();
    m_evaluation->cancel();
    m_trial->cancel();
    m_undo.clear();
    m_baselines.clear();
    m_baselineIndex = -1;
    m_snapshot = m_lastValid = m_beforeLastEdit = nullptr;
    m_problem = std::move(problem);
    ++m_revision;
    m_schedule = std::move(schedule);
    m_colours = {};
    refreshColours();
    m_problemPath = path;
    m_schedulePath.clear();
    m_rules = Rules::final();
    m_rulesReason.clear();
    renewTaker();
    if (m_taker)
        m_snapshot = m_taker->take(m_schedule, m_revision);
    if (m_snapshot && m_snapshot->evaluation.valid())
        m_lastValid = m_snapshot;
    Q_EMIT problemChanged();
    Q_EMIT rulesChanged();
    Q_EMIT scheduleChanged();
    Q_EMIT snapshotChanged();
    Q_EMIT baselineChanged();
    Q_EMIT fileChanged();
}

Status Document::saveSchedule(const QString& path)
{
    if (!m_problem)
        return Error{
            ErrorCode::Refused, "there is nothing to save: no problem is open", {}, path.toStdString()};
    if (!m_snapshot || m_snapshot->revision != m_revision)
        evaluateNow();
    std::vector<double> latencies;
    for (const SubgraphEvaluation& s : m_snapshot->evaluation.subgraphs)
        latencies.push_back(s.latency);
    const auto text = writeSchedule(*m_problem, m_schedule, latencies);
    if (!text)
        return text.error();
    Status written = writeFileAtomically(path.toStdString(), *text);
    if (!written)
        return written;
    m_schedulePath = path;
    m_undo.setClean();
    Q_EMIT fileChanged();
    return Unit{};
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

void Document::saveRecovery(const QString& folder) const
{
    if (!m_problem || m_problemPath.isEmpty())
        return;
    const auto text = writeSchedule(*m_problem, m_schedule);
    if (!text)
        return;
    // The schedule first: a note without a schedule would promise what is not there.
    if (writeFileAtomically((folder + kRecoverySchedule).toStdString(), *text))
        (void)writeFileAtomically((folder + kRecoveryProblem).toStdString(), m_problemPath.toStdString());
}

bool Document::hasRecovery(const QString& folder)
{
    return QFileInfo::exists(folder + kRecoverySchedule) && QFileInfo::exists(folder + kRecoveryProblem);
}

Status Document::restoreRecovery(const QString& folder)
{
    const auto problemPath = readFile((folder + kRecoveryProblem).toStdString());
    if (!problemPath)
        return problemPath.error();
    // Both are read before anything is replaced: what cannot be restored must not cost what is open.
    const auto problem = loadProblem(*problemPath);
    if (!problem)
        return problem.error();
    auto loaded = loadSchedule(**problem, (folder + kRecoverySchedule).toStdString());
    if (!loaded)
        return loaded.error();
    if (Status opened = openProblem(QString::fromStdString(*problemPath)); !opened)
        return opened;
    apply(std::move(loaded->schedule), tr("Restore the last session"));
    evaluateNow();
    return Unit{};
}

void Document::discardRecovery(const QString& folder)
{
    QFile::remove(folder + kRecoveryProblem);
    QFile::remove(folder + kRecoverySchedule);
}

void Document::apply(Schedule next, const QString& text, const QString& mergeKey)
{
    if (next == m_schedule)
        return;
    m_beforeLastEdit = m_snapshot;
    m_undo.push(new ScheduleCommand(*this, m_schedule, std::move(next), text, mergeKey));
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
    Q_EMIT rulesChanged();
    requestEvaluation();
}

void Document::setScheduleFromCommand(const Schedule& schedule)
{
    dropPreview();
    m_schedule = schedule;
    refreshColours();
    ++m_revision;
    Q_EMIT scheduleChanged();
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
    Q_EMIT snapshotChanged();
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
        Q_EMIT previewChanged();
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
    Q_EMIT baselineChanged();
}

void Document::replaceBaseline(const QString& name, SnapshotPtr snapshot)
{
    if (m_baselineIndex < 0)
        return;
    m_baselines[static_cast<std::size_t>(m_baselineIndex)] = {name, std::move(snapshot)};
    Q_EMIT baselineChanged();
}

void Document::setBaselineIndex(int index)
{
    if (index == m_baselineIndex || index >= static_cast<int>(m_baselines.size()))
        return;
    m_baselineIndex = std::max(-1, index);
    Q_EMIT baselineChanged();
}

void Document::clearBaselines()
{
    m_baselines.clear();
    m_baselineIndex = -1;
    Q_EMIT baselineChanged();
}

} // namespace tilewright::ui
