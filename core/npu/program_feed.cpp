// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/program_feed.h"

namespace tilewright::npu {

void ProgramFeed::add(std::size_t core, std::uint32_t node, bool sync)
{
    bool wake = false;
    {
        const std::lock_guard lock(m_mutex);
        m_written[core].nodes.push_back(node);
        m_written[core].sync.push_back(sync);
        wake = m_waiting;
    }
    if (wake)
        m_changed.notify_one();
}

void ProgramFeed::close()
{
    {
        const std::lock_guard lock(m_mutex);
        m_closed = true;
    }
    m_changed.notify_one();
}

bool ProgramFeed::waitFor(std::size_t core, std::size_t at)
{
    std::unique_lock lock(m_mutex);
    const auto take = [&] {
        for (std::size_t c = 0; c < m_read.size(); ++c) {
            CoreProgram &from = m_written[c], &to = m_read[c];
            to.nodes.insert(to.nodes.end(), from.nodes.begin(), from.nodes.end());
            to.sync.insert(to.sync.end(), from.sync.begin(), from.sync.end());
            from.nodes.clear();
            from.sync.clear();
        }
        return at < m_read[core].nodes.size();
    };
    m_waiting = true;
    m_changed.wait(lock, [&] { return take() || m_closed; });
    m_waiting = false;
    return at < m_read[core].nodes.size();
}

} // namespace tilewright::npu
