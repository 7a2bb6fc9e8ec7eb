// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workspace/latest_job.h"

#include <QThreadPool>

#include <chrono>
#include <future>
#include <memory>
#include <vector>

namespace tilewright::ui {

/// Every thread of the background is busy until release(), or until this ends.
class HeldBackground
{
public:
    HeldBackground()
    {
        for (int i = 0, n = backgroundPool()->maxThreadCount(); i < n; ++i) {
            m_jobs.push_back(std::make_unique<LatestJob<int>>([](int) {}));
            m_jobs.back()->request([held = m_released](std::stop_token) {
                held.wait();
                return 0;
            });
        }
    }
    ~HeldBackground()
    {
        release();
        for (const auto& job : m_jobs)
            job->waitIdle();
    }
    HeldBackground(const HeldBackground&) = delete;
    HeldBackground& operator=(const HeldBackground&) = delete;

    void release()
    {
        if (m_released.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
            m_release.set_value();
    }

private:
    std::promise<void> m_release;
    std::shared_future<void> m_released = m_release.get_future().share();
    std::vector<std::unique_ptr<LatestJob<int>>> m_jobs;
};

} // namespace tilewright::ui
