// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/bound_job.h"

#include "verbs/bound.h"

#include <algorithm>
#include <thread>

namespace tilewright::ui {

namespace {

/// Number of worker threads: all processors but one, which is left to the window.
int threadsBehindTheWindow()
{
    return static_cast<int>(std::max(2U, std::thread::hardware_concurrency())) - 1;
}

} // namespace

BoundJob::BoundJob(QObject* parent)
    : QObject(parent), m_job(
                           [this](bool) {
                               if (!m_isStopped)
                                   end();
                           },
                           true)
{
}

void BoundJob::end()
{
    m_lasted = seconds();
    m_clock.invalidate();
    Q_EMIT finished();
}

void BoundJob::start(const ProofRequest& request)
{
    m_clock.start();
    m_isStopped = false;
    const auto tell = m_job.reporter();
    m_job.request([this, tell, request](std::stop_token stop) {
        ProofRunLimits limits = verbs::proofLimits(
            {.seconds = request.seconds, .threads = threadsBehindTheWindow()}, std::move(stop));
        limits.total = request.total;
        limits.reportsEarly = true;
        (void)runProof(
            *request.problem, request.rules, limits,
            {[tell, this, request](const LowerBound& bound) {
                 tell([this, request, bound = std::make_shared<const LowerBound>(bound)] {
                     Q_EMIT raised(request.problem, request.rules, bound);
                 });
             },
             [tell, this](const ProofState& state) { tell([this, state] { Q_EMIT advanced(state); }); }});
        return true;
    });
}

void BoundJob::stop()
{
    m_job.finishEarly();
    if (!isRunning())
        return;
    m_isStopped = true;
    end();
}

double BoundJob::seconds() const
{
    return m_clock.isValid() ? static_cast<double>(m_clock.elapsed()) / 1000 : m_lasted;
}

} // namespace tilewright::ui
