// SPDX-License-Identifier: GPL-3.0-or-later
// The run of the open schedule (R20), computed in the background after every edit.
#pragma once

#include "run/run_lookup.h"
#include "workspace/document.h"
#include "workspace/latest_job.h"

#include <QString>

#include <memory>
#include <optional>

namespace tilewright::ui {

/// A finished run with the state to which it belongs. Immutable.
struct LiveRunResult
{
    SnapshotPtr of;
    lower::ModelOnMachinePtr model; ///< model from which the problem was lowered; null for a plain problem
    RunOptions options;
    ScheduleRun run;
    RunIndex index;
    /// Length of the run as a multiple of the floor of one core (R19); only for a model.
    std::optional<double> ofFloor;

    [[nodiscard]] const Problem& problem() const { return *of->problem; }
};
using LiveRunPtr = std::shared_ptr<const LiveRunResult>;

/// Keeps the run of the document's schedule up to date for the views that show it. Nothing is computed until
/// a visible view calls need(). Only the newest request is answered; until then the earlier run stays and
/// isCurrent() is false.
class LiveRun : public QObject
{
    Q_OBJECT
public:
    explicit LiveRun(Document& document);
    ~LiveRun() override;

    [[nodiscard]] const RunOptions& options() const { return m_options; }
    void setOptions(const RunOptions& options);
    /// Sets the number of cores that the run uses. At most as many as the machine has are used; the number is
    /// kept for the next machine.
    void setCores(std::int64_t cores);
    [[nodiscard]] std::int64_t wantedCores() const { return m_wantedCores; }
    [[nodiscard]] std::int64_t mostCores() const; ///< number of cores of the machine

    /// Requests the run of the current snapshot, unless it is available or being computed. Waits a few
    /// milliseconds for a short run, so that an edit is painted once.
    void need();
    /// The last run of the open problem; null if there is none.
    [[nodiscard]] const LiveRunPtr& result() const { return m_result; }
    /// True if result() is the run of the document's schedule under its rules and with options().
    [[nodiscard]] bool isCurrent() const;
    [[nodiscard]] bool isBusy() const { return m_job.isBusy(); }
    /// Reason why the current schedule cannot run, as one sentence; empty if it can or was not run yet.
    [[nodiscard]] QString refusal() const;
    void settle(); ///< requests the run of the current schedule and waits for it

Q_SIGNALS:
    void changed(); ///< emitted when result(), refusal() or options() has changed

private:
    /// The inputs to which a run belongs.
    struct Request
    {
        SnapshotPtr of;
        RunOptions options;
    };
    struct Delivery
    {
        Request request;
        LiveRunPtr result;
        QString refusal;
        double milliseconds = 0;
    };
    [[nodiscard]] bool isPresent(const Request& request) const;
    void deliver(Delivery delivery);

    Document& m_document;
    RunOptions m_options;
    std::int64_t m_wantedCores = 1;
    Request m_asked;   ///< the newest request
    Request m_refused; ///< the request that m_refusal answers
    QString m_refusal;
    LiveRunPtr m_result;
    /// Duration of the last run in ms, which decides whether a newer request stops a running one.
    double m_lastMs = 0;
    LatestJob<Delivery> m_job;
};

/// Text on the difference between the length of a run and the latency (R10): "overlap −120, start-up +40";
/// empty if there is none.
[[nodiscard]] QString differenceText(const RunDifference& difference);
/// Name of a reason for the difference: "overlap"; empty if there is no difference.
[[nodiscard]] QString reasonText(RunReason reason);

} // namespace tilewright::ui
