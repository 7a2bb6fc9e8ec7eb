// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/mapping_search.h"

namespace tilewright::ui {

MappingSearch::MappingSearch()
{
    m_densityJob = std::make_unique<LatestJob<DensityPtr>>(
        [this](DensityPtr density) {
            m_density = std::move(density);
            Q_EMIT changed();
        },
        true);
    m_paddingJob = std::make_unique<LatestJob<std::optional<mapping::PaddingHint>>>(
        [this](std::optional<mapping::PaddingHint> hint) {
            m_padding = hint;
            Q_EMIT changed();
        },
        true);
    m_job = std::make_unique<LatestJob<SearchResultPtr>>(
        [this](SearchResultPtr result) {
            m_result = std::move(result);
            mapping::DensityOptions options;
            for (const mapping::MethodCost& c : m_result->front)
                options.include.push_back({c.energy, c.cycles});
            m_densityJob->request(
                [nest = m_nest, architecture = m_architecture, options](std::stop_token stop) mutable {
                    options.stop = stop;
                    return std::make_shared<const mapping::Density>(
                        mapping::sampleDensity(nest, architecture, options));
                });
            m_paddingJob->request(
                [nest = m_nest, architecture = m_architecture, found = m_result](std::stop_token stop) {
                    return mapping::paddingHint(nest, architecture, *found, mapping::Objective::Edp, stop);
                });
            Q_EMIT finished();
            Q_EMIT changed();
        },
        true);
}

void MappingSearch::setSettings(const SearchSettings& settings)
{
    if (settings == m_settings)
        return;
    m_settings = settings;
    Q_EMIT changed();
}

void MappingSearch::start(const mapping::LoopNest& nest, const mapping::Architecture& architecture,
                          const mapping::Constraints& asked)
{
    m_nest = nest;
    m_architecture = architecture;
    m_densityJob->cancel();
    m_paddingJob->cancel();
    m_padding.reset();
    m_density = nullptr;
    m_result = nullptr;
    m_status.reset();
    m_job->request([this, nest, architecture, asked, settings = m_settings,
                    tell = m_job->reporter()](std::stop_token stop) {
        verbs::LayerSearch search{settings.mode == SearchMode::Quick, settings.seconds, 0, {}};
        if (settings.mode == SearchMode::Custom)
            search.reductions = settings.reductions;
        search.reductions.constraints = asked;
        return std::make_shared<const mapping::SearchResult>(
            verbs::searchLayer(nest, architecture, search, stop, [&](const mapping::SearchStatus& status) {
                tell([this, status] {
                    m_status = status;
                    Q_EMIT changed();
                });
            }));
    });
    Q_EMIT changed();
}

void MappingSearch::settle()
{
    m_job->waitIdle();
}

void MappingSearch::settleDensity()
{
    settle();
    m_densityJob->waitIdle();
    m_paddingJob->waitIdle();
}

} // namespace tilewright::ui
