// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/live_run.h"

#include "lower/floor.h"
#include "theme/text.h"
#include "verbs/run.h"

#include <QStringList>

#include <algorithm>
#include <chrono>

namespace tilewright::ui {

namespace {

// Duration in ms above which a running request is stopped by a newer one (docs/design.md 5.1).
constexpr double kLong = 100;
constexpr std::chrono::milliseconds kAtOnce(8); // time that an edit waits for its run

/// True if both snapshots have the same state of a problem under the same rules. They may differ in the lower
/// bound.
bool isSameState(const SnapshotPtr& a, const SnapshotPtr& b)
{
    return a == b || (a && b && a->problem == b->problem && a->evaluation.rules == b->evaluation.rules &&
                      a->schedule == b->schedule);
}

} // namespace

LiveRun::LiveRun(Document& document)
    : m_document(document), m_job([this](Delivery delivery) { deliver(std::move(delivery)); })
{
    // A run of another problem is not shown as an earlier run of this one.
    document.whenChanged(this, Part::Problem, [this] {
        m_job.cancel();
        m_asked = m_refused = {};
        m_refusal.clear();
        m_result = nullptr;
        setCores(m_wantedCores);
        Q_EMIT changed();
    });
}

LiveRun::~LiveRun() = default;

void LiveRun::setOptions(const RunOptions& options)
{
    if (m_options == options)
        return;
    m_options = options;
    Q_EMIT changed();
}

void LiveRun::setCores(std::int64_t cores)
{
    const verbs::RunCores on = verbs::runCoresOf(m_document.model().get());
    m_wantedCores = std::max<std::int64_t>(1, cores);
    RunOptions options = m_options;
    options.cores = std::min(m_wantedCores, on.most);
    options.network = options.cores > 1 ? on.network : RunNetwork();
    setOptions(options);
}

std::int64_t LiveRun::mostCores() const
{
    return verbs::runCoresOf(m_document.model().get()).most;
}

bool LiveRun::isPresent(const Request& request) const
{
    return request.of && request.options == m_options && isSameState(request.of, m_document.snapshot());
}

bool LiveRun::isCurrent() const
{
    return m_result && m_document.isEvaluated() && isPresent({m_result->of, m_result->options});
}

QString LiveRun::refusal() const
{
    return isPresent(m_refused) ? m_refusal : QString();
}

void LiveRun::need()
{
    const SnapshotPtr& snapshot = m_document.snapshot();
    if (!snapshot || isPresent(m_asked))
        return;
    m_asked = {snapshot, m_options};
    // The edit was undone before its run began, so the last run is current again.
    if (m_result && isPresent({m_result->of, m_result->options})) {
        m_job.cancel();
        Q_EMIT changed();
        return;
    }
    if (m_job.isBusy() && m_lastMs >= kLong)
        m_job.cancel();
    m_job.request([request = m_asked, model = m_document.model()](std::stop_token stop) {
        const auto start = std::chrono::steady_clock::now();
        Delivery out{request, nullptr, {}, 0};
        const Snapshot& of = *request.of;
        auto run = runSchedule(*of.problem, of.schedule, of.evaluation, request.options, {stop, {}});
        if (run) {
            auto result = std::make_shared<LiveRunResult>();
            result->of = request.of;
            result->model = model;
            result->options = request.options;
            result->run = std::move(*run);
            result->index = indexOf(result->run);
            if (model)
                result->ofFloor = lower::multipleOfFloor(
                    *model, lower::floorOf(*model, request.options.cores), result->run.end);
            out.result = std::move(result);
        } else {
            out.refusal = wholeSentence(run.error().message);
        }
        out.milliseconds =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        return out;
    });
    // Waiting for longer runs would only delay the edit.
    if (m_lastMs < 2 * static_cast<double>(kAtOnce.count()))
        m_job.deliverWithin(kAtOnce);
}

void LiveRun::deliver(Delivery delivery)
{
    m_lastMs = delivery.milliseconds;
    if (delivery.request.of->problem != m_document.problem())
        return;
    if (delivery.result) {
        m_result = std::move(delivery.result);
        m_refused = {};
    } else {
        m_refused = delivery.request;
        m_refusal = delivery.refusal;
    }
    Q_EMIT changed();
}

void LiveRun::settle()
{
    m_document.waitForSnapshot();
    need();
    m_job.waitIdle();
}

QString reasonText(RunReason reason)
{
    switch (reason) {
    case RunReason::StartUp:
        return tr("start-up");
    case RunReason::Drain:
        return tr("drain");
    case RunReason::Overlap:
        return tr("overlap");
    case RunReason::Stalls:
        return tr("stalls");
    case RunReason::None:
        break;
    }
    return {};
}

QString differenceText(const RunDifference& d)
{
    QStringList parts;
    const auto add = [&](const QString& name, double value) {
        if (change(d.latency, d.latency + value) != 0) // ignore differences that are rounding errors
            parts << QStringLiteral("%1 %2").arg(name, signedNumber(value));
    };
    add(reasonText(RunReason::StartUp), d.startUp);
    add(reasonText(RunReason::Drain), d.drain);
    add(reasonText(d.overlap >= 0 ? RunReason::Overlap : RunReason::Stalls), -d.overlap);
    return parts.join(QStringLiteral(", "));
}

} // namespace tilewright::ui
