// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/run.h"

#include <condition_variable>
#include <mutex>
#include <vector>

namespace tilewright::npu {

/// Programs that one run writes while another one, in a second thread, already executes them.
class ProgramFeed
{
public:
    explicit ProgramFeed(std::size_t cores) : m_written(cores), m_read(cores) {}

    // The writer's side:
    void add(std::size_t core, std::uint32_t node, bool sync);
    void close(); ///< nothing comes after this

    // The reader's side:
    [[nodiscard]] const CoreProgram& program(std::size_t core) const { return m_read[core]; }
    /// Whether the program has an entry at `at`; waits until it has or the feed is closed.
    [[nodiscard]] bool reaches(std::size_t core, std::size_t at)
    {
        return at < m_read[core].nodes.size() || waitFor(core, at);
    }

private:
    [[nodiscard]] bool waitFor(std::size_t core, std::size_t at);

    std::vector<CoreProgram> m_written; ///< since the reader last looked
    std::vector<CoreProgram> m_read;    ///< the reader's own
    std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_closed = false, m_waiting = false;
};

} // namespace tilewright::npu
