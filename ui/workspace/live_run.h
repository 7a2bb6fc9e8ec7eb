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

/// A finished run with the state that it belongs to. Immutable.
struct LiveRunResult
{
    SnapshotPtr of;
    lower::ModelOnMachinePtr model; ///< model that the problem was lowered from; null for a plain problem
    RunOptions options;
    ScheduleRun run;
    RunIndex index;
    std::optional<double> ofFloor; ///< the run as a multiple of the floor of one core (R19); only for a model

    [[nodiscard]] const Problem& problem() const { return *of->problem; }
};
using LiveRunPtr = std::shared_ptr<const LiveRunResult>;

/// Keeps the run of the document's schedule up to date for the views that show it. Nothing is computed before
/// a visible view asks with need(). The newest request wins; until it is answered the earlier run stays, and
/// isCurrent() is false.
class LiveRun : public QObject
{
    Q_OBJECT
public:
    explicit LiveRun(Document& document);
    ~LiveRun() override;

    [[nodiscard]] const RunOptions& options() const { return m_options; }
    void setOptions(const RunOptions& options);
    /// Runs on so many cores, at most those of the machine, with its network between them. What the machine
    /// lacks is still wanted on the next one.
    void setCores(std::int64_t cores);
    [[nodiscard]] std::int64_t wantedCores() const { return m_wantedCores; }
    [[nodiscard]] std::int64_t mostCores() const; ///< those of the machine

    /// Requests the run of the present snapshot, unless it is there or under way. Waits a few milliseconds
    /// for a short one, so that an edit is painted once.
    void need();
    /// The last run; null if there is none of the open problem.
    [[nodiscard]] const LiveRunPtr& result() const { return m_result; }
    /// True if result() is the run of the document's schedule under its rules and with options().
    [[nodiscard]] bool isCurrent() const;
    [[nodiscard]] bool isBusy() const { return m_job.isBusy(); }
    /// Why the present schedule does not run, as one sentence; empty if it does or is not run yet.
    [[nodiscard]] QString refusal() const;
    void settle(); ///< requests the run of the present schedule and waits for it

Q_SIGNALS:
    void changed(); ///< result(), refusal() or options() has changed

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
    double m_lastMs = 0; ///< time of the last run, which says whether a newer request stops a running one
    LatestJob<Delivery> m_job;
};

/// Why the length of a run differs from R10's latency, in words: "overlap −120, start-up +40"; empty if it
/// does not.
[[nodiscard]] QString differenceText(const RunDifference& difference);
/// The largest reason in a word: "overlap"; empty if there is no difference.
[[nodiscard]] QString reasonText(RunReason reason);

} // namespace tilewright::ui
