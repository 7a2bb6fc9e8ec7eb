// SPDX-License-Identifier: GPL-3.0-or-later
// The search of the Mapping lens in the background, under either cost model.
#pragma once

#include "hierarchy/search.h"
#include "mapping/density.h"
#include "mapping/padding.h"
#include "verbs/map.h"
#include "workspace/latest_job.h"
#include "workspace/mapping_setup.h"

#include <QObject>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::ui {

enum class SearchMode { Proven, Quick, Custom };

/// Settings of the search. `mode` and `reductions` apply to four levels only, `reductions` in Custom mode
/// only.
struct SearchSettings
{
    SearchMode mode = SearchMode::Proven;
    double seconds = verbs::kLayerSeconds;
    mapping::Reductions reductions = mapping::quickReductions();
    /// Objective that the search on an architecture with levels settles; the default is that of `map`.
    /// nullopt: all three objectives and the front.
    std::optional<mapping::Objective> objective = mapping::Objective::Edp;

    bool operator==(const SearchSettings&) const = default;
};

/// A valid method or mapping that a search has found.
struct FoundMapping
{
    AnyMapping mapping;
    double energy = 0; ///< energy in pJ
    double cycles = 0;
    double edp = 0;

    [[nodiscard]] double value(mapping::Objective objective) const noexcept
    {
        return objective == mapping::Objective::Energy   ? energy
               : objective == mapping::Objective::Cycles ? cycles
                                                         : edp;
    }
};

/// The results that the searches of both cost models have.
struct FoundMappings
{
    std::array<std::optional<FoundMapping>, mapping::kObjectives> best;
    std::vector<FoundMapping> front; ///< Pareto front by ascending energy and descending cycles
    /// true if no valid mapping is better for this objective
    std::array<bool, mapping::kObjectives> optimal{};
    std::array<double, mapping::kObjectives> gap{}; ///< best value / lower bound - 1; infinite if not known
    /// Objective that the search had to settle; nullopt: all.
    std::optional<mapping::Objective> asked;
    bool proven = false;  ///< true if the whole space, possibly reduced, is settled for that objective
    bool reduced = false; ///< true if the proof holds in a reduced space only
    /// true if the proof holds within the constraints only (architecture with levels)
    bool constrained = false;
    /// Why no mapping exists: the smallest set of limits that excludes all mappings, if known.
    std::string reason;
    double seconds = 0;

    [[nodiscard]] const std::optional<FoundMapping>& of(mapping::Objective o) const
    {
        return best[static_cast<std::size_t>(o)];
    }
    /// The best mapping for the requested objective; if all were requested, for EDP.
    [[nodiscard]] const std::optional<FoundMapping>& wanted() const
    {
        return of(asked.value_or(mapping::Objective::Edp));
    }
};
[[nodiscard]] FoundMappings foundBy(const mapping::SearchResult& result);
[[nodiscard]] FoundMappings foundBy(const hierarchy::SearchResult& result,
                                    const std::optional<mapping::Objective>& asked);

using SearchResultPtr = std::shared_ptr<const mapping::SearchResult>;
using LevelsResultPtr = std::shared_ptr<const hierarchy::SearchResult>;
using FoundPtr = std::shared_ptr<const FoundMappings>;
using DensityPtr = std::shared_ptr<const mapping::Density>;

/// Background search of a space of mappings. For four levels it also computes the density of the costs and a
/// hint on padding.
class MappingSearch : public QObject
{
    Q_OBJECT
public:
    MappingSearch();

    [[nodiscard]] const SearchSettings& settings() const { return m_settings; }
    void setSettings(const SearchSettings& settings);

    /// Starts the search of another space. A running search is cancelled and its result dropped.
    void start(const mapping::LoopNest& nest, const MappingSetup& setup);
    void stop() { m_job->finishEarly(); } ///< stops the search and keeps the best mapping so far
    [[nodiscard]] bool isRunning() const { return m_job->isBusy(); }
    void settle();        ///< waits for the search
    void settleDensity(); ///< waits for the search, the density and the padding hint

    /// The results of the search; null until a search of this space has ended.
    [[nodiscard]] const FoundPtr& found() const { return m_found; }
    /// The results under each cost model; null for the cost model that is not in use.
    [[nodiscard]] const SearchResultPtr& result() const { return m_result; }
    [[nodiscard]] const LevelsResultPtr& levelsResult() const { return m_levelsResult; }
    /// Latest status of the running search, or the last status of a search that has ended.
    [[nodiscard]] const std::optional<mapping::SearchStatus>& status() const { return m_status; }
    [[nodiscard]] const std::optional<hierarchy::SearchStatus>& levelsStatus() const
    {
        return m_levelsStatus;
    }
    [[nodiscard]] const DensityPtr& density() const { return m_density; }
    /// Hint that padding the layer would lower its cost; nothing if padding has no such effect.
    [[nodiscard]] const std::optional<mapping::PaddingHint>& padding() const { return m_padding; }

Q_SIGNALS:
    void changed();  ///< emitted when status(), density() or padding() has changed
    void finished(); ///< emitted when found() is available

private:
    struct Outcome
    {
        SearchResultPtr fourLevels;
        LevelsResultPtr levels;
        FoundPtr found;
    };
    void take(Outcome outcome);
    void requestHints();
    template <typename Member> [[nodiscard]] auto statusTeller(Member member);

    SearchSettings m_settings;
    std::unique_ptr<LatestJob<Outcome>> m_job;
    std::unique_ptr<LatestJob<DensityPtr>> m_densityJob;
    std::unique_ptr<LatestJob<std::optional<mapping::PaddingHint>>> m_paddingJob;
    mapping::LoopNest m_nest;
    mapping::Architecture m_architecture;
    FoundPtr m_found;
    SearchResultPtr m_result;
    LevelsResultPtr m_levelsResult;
    std::optional<mapping::SearchStatus> m_status;
    std::optional<hierarchy::SearchStatus> m_levelsStatus;
    DensityPtr m_density;
    std::optional<mapping::PaddingHint> m_padding;
};

} // namespace tilewright::ui
