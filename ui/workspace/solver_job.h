// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/solver.h"
#include "workload/problem.h"

#include <QObject>

#include <memory>
#include <optional>
#include <thread>

namespace tilewright::ui {

/// One run of the solver in its own thread. Signals arrive on the thread of this object; after stop() the
/// best so far still comes with finished().
class SolverJob : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;
    ~SolverJob() override;

    void start(ProblemPtr problem, SolveOptions options);
    void stop();
    /// Stops and forgets: no signal of the run arrives any more.
    void abandon();
    [[nodiscard]] bool isRunning() const { return m_running; }

Q_SIGNALS:
    void improved(double seconds, double total, std::shared_ptr<const tilewright::Schedule> schedule);
    void status(tilewright::SolveStatus status);
    void finished(std::shared_ptr<const tilewright::SolveResult> result);
    void failed(QString why);

private:
    std::jthread m_thread;
    bool m_running = false;
    std::uint64_t m_run = 0; ///< signals of an abandoned run are dropped
};

} // namespace tilewright::ui
