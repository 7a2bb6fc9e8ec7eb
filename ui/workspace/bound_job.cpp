// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/bound_job.h"

#include "eval/evaluation.h"
#include "solve/budget.h"
#include "solve/prove.h"
#include "solve/strong_bound.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tilewright::ui {

namespace {

constexpr double kFirst = 0.5;            // seconds of the first run of the bound by prices
constexpr double kNext = 3;               // times as long is the next one
constexpr double kPriceShare = 0.3;       // of all seconds, before branch and bound
constexpr double kSolveShare = 0.2;       // for a schedule that it starts from
constexpr double kBetter = 1e-9;          // relative; less is rounding
constexpr double kTellEvery = 0.1;        // seconds
constexpr std::size_t kMostBranched = 64; // ops: prove() says nothing of more

/// One proof, on a thread of the pool.
class ProofRun
{
public:
    struct Told
    {
        std::function<void(LowerBoundPtr)> bound;
        std::function<void(const ProofState&)> state;
    };
    ProofRun(const ProofRequest& request, std::stop_token stop, Told told)
        : m_request(request), m_stop(std::move(stop)), m_told(std::move(told))
    {
        m_clock.start();
        m_state.best = request.total;
    }
    void run()
    {
        bool isOver = price(kPriceShare * m_request.seconds);
        if (!isOver && goOn() && problem().opCount() <= kMostBranched)
            isOver = branch();
        if (!isOver)
            (void)price(m_request.seconds);
        if (meetsBound(m_state.best, m_bound.value)) {
            m_state.optimal = true;
            m_state.presetBound = m_state.best;
            m_state.space = QString::fromStdString(provenByBound());
        }
        m_told.state(m_state);
    }

private:
    [[nodiscard]] const Problem& problem() const { return *m_request.problem; }
    [[nodiscard]] double spent() const { return static_cast<double>(m_clock.elapsed()) / 1000; }
    [[nodiscard]] bool goOn() const { return !m_stop.stop_requested() && spent() < m_request.seconds; }

    /// Until so many seconds are over; true when the latency of the best schedule is met.
    bool price(double until);
    /// Whether the best schedule that is known was proven optimal.
    bool branch();
    void findStart();
    void take(Schedule schedule);
    void raise(double value);

    ProofRequest m_request;
    std::stop_token m_stop;
    Told m_told;
    QElapsedTimer m_clock;
    double m_run = kFirst; ///< seconds of the next run of the bound by prices
    LowerBound m_priced;   ///< the bound by prices
    LowerBound m_bound;    ///< with what branch and bound has added
    ProofState m_state;
};

bool ProofRun::price(double until)
{
    while (!m_stop.stop_requested() && spent() < until) {
        StrongBoundLimits limits;
        limits.seconds = std::min(m_run, until - spent());
        limits.keepGoing = [this] { return !m_stop.stop_requested(); };
        const double before = spent();
        LowerBound bound = strongBound(problem(), m_request.rules, limits);
        if (bound.value > m_bound.value) {
            m_bound = m_priced = std::move(bound);
            m_told.bound(std::make_shared<const LowerBound>(m_bound));
        }
        if (meetsBound(m_state.best, m_bound.value))
            return true;
        if (spent() - before < limits.seconds / 2) // it ended by itself
            return false;
        m_run *= kNext;
    }
    return false;
}

/// A schedule that is better than what was shown, checked by the evaluator.
void ProofRun::take(Schedule schedule)
{
    const Evaluation checked = evaluate(problem(), schedule, m_request.rules);
    if (!checked.valid() || checked.total >= m_state.best * (1 - kBetter))
        return;
    m_state.best = checked.total;
    m_state.schedule = std::make_shared<const Schedule>(std::move(schedule));
    m_told.state(m_state);
}

void ProofRun::findStart()
{
    SolveOptions options;
    options.rules = m_request.rules;
    options.seconds = std::min(kSolveShare * m_request.seconds, suggestedSeconds(problem().opCount()));
    options.threads = 1; // in the background
    options.stop = m_stop;
    auto found = solve(problem(), options);
    if (!found)
        return;
    const bool isBetter = found->total < m_state.best * (1 - kBetter);
    if (isBetter)
        take(std::move(found->schedule));
    if (found->provenOptimal && found->total <= m_state.best * (1 + kBetter)) {
        m_state.optimal = true;
        m_state.space = QString::fromStdString(found->provenSpace);
        m_state.presetBound = m_state.best;
    }
    raise(found->lowerBound);
}

void ProofRun::raise(double value)
{
    value = std::min(value, m_state.best);
    if (meetsBound(value, m_bound.value)) // no more than rounding
        return;
    m_bound = m_priced; // one part more, not one for each step
    raiseBound(m_bound, problem(), value);
    m_told.bound(std::make_shared<const LowerBound>(m_bound));
}

bool ProofRun::branch()
{
    findStart();
    if (!std::isfinite(m_state.best))
        return false;
    ProofLimits limits;
    limits.seconds = std::max(0.0, m_request.seconds - spent());
    limits.keepGoing = [this] { return !m_stop.stop_requested(); };
    double told = -kTellEvery;
    limits.onProgress = [&](const ProofProgress& p) {
        m_state.presetBound = std::max(m_state.presetBound, std::min(p.presetBound, m_state.best));
        if (p.seconds - told < kTellEvery)
            return;
        told = p.seconds;
        raise(p.lowerBound);
        m_told.state(m_state);
    };
    Proof proof = prove(problem(), m_request.rules, m_state.best, limits);
    if (proof.schedule)
        take(std::move(*proof.schedule));
    raise(proof.lowerBound);
    m_state.presetBound = std::max({m_state.presetBound, std::min(proof.presetBound, m_state.best),
                                    std::min(m_bound.value, m_state.best)});
    if (proof.optimal) {
        m_state.optimal = true;
        m_state.presetBound = m_state.best;
        m_state.space = QString::fromStdString(proof.space);
    }
    return m_state.optimal;
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
    const auto tell = m_job.teller();
    m_job.request([this, tell, request](std::stop_token stop) {
        ProofRun run(
            request, std::move(stop),
            {[this, tell, request](LowerBoundPtr bound) {
                 tell([this, request, bound = std::move(bound)] {
                     Q_EMIT raised(request.problem, request.rules, bound);
                 });
             },
             [this, tell](const ProofState& state) { tell([this, state] { Q_EMIT advanced(state); }); }});
        run.run();
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
