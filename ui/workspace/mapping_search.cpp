// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/mapping_search.h"

#include "hierarchy/excluding.h"
#include "mapping/method.h"
#include "mapping/no_method.h"

namespace tilewright::ui {

namespace {

/// Copies the members that the results of both cost models have. `taken`: converts a mapping of the cost
/// model.
template <typename Result, typename Taken> FoundMappings foundWith(const Result& result, const Taken& taken)
{
    FoundMappings out;
    for (std::size_t o = 0; o < mapping::kObjectives; ++o) {
        const auto objective = static_cast<mapping::Objective>(o);
        if (result.best[o])
            out.best[o] = taken(*result.best[o]);
        out.optimal[o] = result.isOptimal(objective);
        out.gap[o] = result.gap(objective);
    }
    out.front.reserve(result.front.size());
    for (const auto& m : result.front)
        out.front.push_back(taken(m));
    return out;
}

} // namespace

FoundMappings foundBy(const mapping::SearchResult& result)
{
    FoundMappings out = foundWith(result, [](const mapping::MethodCost& m) {
        return FoundMapping{m.method, m.energy, static_cast<double>(m.cycles), m.edp};
    });
    out.proven = result.proven;
    out.reduced = result.reductions.any();
    out.seconds = result.seconds;
    return out;
}

FoundMappings foundBy(const hierarchy::SearchResult& result, const std::optional<mapping::Objective>& asked)
{
    FoundMappings out = foundWith(result, [](const hierarchy::MappingCost& m) {
        return FoundMapping{m.mapping, m.energy, m.cycles, m.edp()};
    });
    out.asked = asked;
    out.proven = result.proven;
    out.constrained = result.constraints.any();
    if (result.none)
        out.reason = result.none->message;
    out.seconds = result.seconds;
    return out;
}

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
    m_job = std::make_unique<LatestJob<Outcome>>([this](Outcome outcome) { take(std::move(outcome)); }, true);
}

void MappingSearch::take(Outcome outcome)
{
    m_result = std::move(outcome.fourLevels);
    m_levelsResult = std::move(outcome.levels);
    m_found = std::move(outcome.found);
    if (m_result)
        requestHints();
    Q_EMIT finished();
    Q_EMIT changed();
}

void MappingSearch::requestHints()
{
    mapping::DensityOptions options;
    for (const mapping::MethodCost& c : m_result->front)
        options.include.push_back({c.energy, c.cycles});
    m_densityJob->request([nest = m_nest, architecture = m_architecture,
                           options](std::stop_token stop) mutable {
        options.stop = stop;
        return std::make_shared<const mapping::Density>(mapping::sampleDensity(nest, architecture, options));
    });
    m_paddingJob->request(
        [nest = m_nest, architecture = m_architecture, found = m_result](std::stop_token stop) {
            return mapping::paddingHint(nest, architecture, *found, mapping::Objective::Edp, stop);
        });
}

void MappingSearch::setSettings(const SearchSettings& settings)
{
    if (settings == m_settings)
        return;
    m_settings = settings;
    Q_EMIT changed();
}

/// Returns a function for a search thread. The function sets a status on the GUI thread, as long as its
/// search is the newest one.
template <typename Member> auto MappingSearch::statusTeller(Member member)
{
    return [this, member, tell = m_job->reporter()](const auto& status) {
        tell([this, member, status] {
            this->*member = status;
            Q_EMIT changed();
        });
    };
}

void MappingSearch::start(const mapping::LoopNest& nest, const MappingSetup& setup)
{
    m_nest = nest;
    m_architecture = setup.architecture;
    m_densityJob->cancel();
    m_paddingJob->cancel();
    m_padding.reset();
    m_density = nullptr;
    m_found = nullptr;
    m_result = nullptr;
    m_levelsResult = nullptr;
    m_status.reset();
    m_levelsStatus.reset();
    if (setup.levels) {
        hierarchy::SearchOptions options;
        options.objective = m_settings.objective;
        options.seconds = m_settings.seconds;
        options.status = statusTeller(&MappingSearch::m_levelsStatus);
        if (auto constraints = hierarchy::constraintsOf(nest, *setup.levels, setup.asked))
            options.constraints = std::move(*constraints);
        m_job->request([nest, architecture = *setup.levels, options](std::stop_token stop) mutable {
            options.stop = stop;
            const auto result = std::make_shared<const hierarchy::SearchResult>(
                hierarchy::search(nest, architecture, options));
            FoundMappings found = foundBy(*result, options.objective);
            if (result->none)
                found.reason +=
                    wouldDoText(hierarchy::excludingLimits(nest, architecture, result->constraints));
            return Outcome{nullptr, result, std::make_shared<const FoundMappings>(std::move(found))};
        });
    } else {
        verbs::LayerSearch search{m_settings.mode == SearchMode::Quick, m_settings.seconds, 0, {}};
        if (m_settings.mode == SearchMode::Custom)
            search.reductions = m_settings.reductions;
        search.reductions.constraints = *mapping::parseConstraints(nest, setup.factors);
        m_job->request([nest, architecture = setup.architecture, search,
                        tell = statusTeller(&MappingSearch::m_status)](std::stop_token stop) {
            const auto result = std::make_shared<const mapping::SearchResult>(
                verbs::searchLayer(nest, architecture, search, stop, tell));
            FoundMappings found = foundBy(*result);
            if (result->proven && !found.best[0])
                if (const auto why = mapping::whyNoMethod(nest, architecture, result->reductions))
                    found.reason = why->text();
            return Outcome{result, nullptr, std::make_shared<const FoundMappings>(std::move(found))};
        });
    }
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
