// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/program_replay.h"

#include "systolic/pipeline_engine.h"

#include <algorithm>

namespace tilewright::systolic {

ProgramReplay::ProgramReplay() = default;
ProgramReplay::~ProgramReplay() = default;

void ProgramReplay::pass(const PipelineEngine& engine)
{
    if (!m_places.empty() && engine.commands() - m_places.back()->commands() < m_spacing)
        return;
    m_places.push_back(engine.place());
    m_held += m_places.back()->held();
    while (m_places.size() > kMostPlaces || (m_held > kMostHeld && m_places.size() > 2)) {
        m_spacing *= 2;
        std::size_t kept = 0;
        for (std::size_t n = 0; n < m_places.size(); n += 2)
            m_places[kept++] = std::move(m_places[n]);
        m_places.resize(kept);
        m_held = 0;
        for (const auto& place : m_places)
            m_held += place->held();
    }
}

std::vector<TimedCommand> ProgramReplay::commands(std::int64_t first, std::int64_t count,
                                                  const Progress& progress) const
{
    const auto after = std::partition_point(m_places.begin(), m_places.end(),
                                            [&](const auto& place) { return place->firstHeld() <= first; });
    if (after == m_places.begin() || count <= 0)
        return {};
    return (*(after - 1))->place()->stretch(first, first + count, progress);
}

std::vector<std::uint32_t> ProgramReplay::runningAt(std::int64_t time, const Progress& progress) const
{
    const auto after = std::partition_point(m_places.begin(), m_places.end(),
                                            [&](const auto& place) { return place->time() <= time; });
    if (after == m_places.begin())
        return {};
    return (*(after - 1))->place()->runningAt(time, progress);
}

} // namespace tilewright::systolic
