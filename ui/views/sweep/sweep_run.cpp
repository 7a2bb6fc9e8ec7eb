// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/sweep/sweep_run.h"

#include <algorithm>
#include <mutex>

namespace tilewright::ui {

SweepRun::SweepRun(QObject* parent) : QObject(parent)
{
    m_job = std::make_unique<LatestJob<std::monostate>>(
        [this](std::monostate) {
            m_secondsLeft.reset();
            Q_EMIT changed();
        },
        true, &m_pool);
}

SweepRun::~SweepRun() = default;

void SweepRun::start(std::vector<SweepResults> sweeps)
{
    m_results = std::move(sweeps);
    m_secondsLeft.reset();
    std::vector<std::shared_ptr<const sweep::Sweep>> all;
    std::vector<std::vector<bool>> there;
    for (const SweepResults& r : m_results) {
        all.push_back(r.sweep);
        auto& done = there.emplace_back();
        for (const sweep::Row& row : r.rows)
            done.push_back(row.state != sweep::RowState::ToDo);
    }
    const auto tell = m_job->reporter();
    m_job->request([this, all, there, tell](const std::stop_token& stop) {
        standBack();
        for (std::size_t of = 0; of < all.size() && !stop.stop_requested(); ++of) {
            std::mutex mutex;
            Batch pending{{}, of};
            sweep::Sink sink;
            sink.has = [&](std::size_t i) { return there[of][i]; };
            sink.put = [&](std::size_t i, const sweep::PointResult& result, double) -> Status {
                const std::scoped_lock lock(mutex);
                pending.points.emplace_back(i, result);
                return Unit{};
            };
            sweep::RunOptions options;
            options.stop = stop;
            options.onState = [&](const sweep::RunState& state) {
                Batch batch{{}, of};
                {
                    const std::scoped_lock lock(mutex);
                    std::swap(batch, pending);
                }
                tell([this, batch = std::move(batch), left = state.secondsLeft()]() mutable {
                    take(batch, left);
                });
            };
            // The sink accepts every row.
            [[maybe_unused]] const auto state = sweep::runSweep(*all[of], sink, options);
        }
        return std::monostate();
    });
    Q_EMIT changed();
}

void SweepRun::forget()
{
    m_job->cancel();
    m_secondsLeft.reset();
    if (!m_results.empty()) {
        m_results.clear();
        Q_EMIT changed();
    }
}

void SweepRun::take(Batch& batch, std::optional<double> secondsLeft)
{
    m_secondsLeft = secondsLeft;
    SweepResults& results = m_results.at(batch.of);
    for (auto& [index, result] : batch.points) {
        if (!result.schedule.empty())
            results.schedules[index] = std::move(result.schedule);
        results.rows[index] = sweep::rowOf(index, std::move(result));
    }
    Q_EMIT changed();
}

std::size_t SweepRun::points() const
{
    std::size_t out = 0;
    for (const SweepResults& r : m_results)
        out += r.rows.size();
    return out;
}

std::size_t SweepRun::done() const
{
    std::ptrdiff_t out = 0;
    for (const SweepResults& r : m_results)
        out += std::ranges::count_if(
            r.rows, [](const sweep::Row& row) { return row.state != sweep::RowState::ToDo; });
    return static_cast<std::size_t>(out);
}

SweepResults emptyResults(sweep::Sweep sweep)
{
    SweepResults out{std::make_shared<const sweep::Sweep>(std::move(sweep)), {}, {}};
    out.rows.resize(out.sweep->plan().pointCount());
    for (std::size_t i = 0; i < out.rows.size(); ++i)
        out.rows[i].point = i;
    return out;
}

} // namespace tilewright::ui
