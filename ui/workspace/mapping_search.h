// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/density.h"
#include "mapping/padding.h"
#include "verbs/map.h"
#include "workspace/latest_job.h"

#include <QObject>

#include <memory>
#include <optional>

namespace tilewright::ui {

enum class SearchMode { Proven, Quick, Custom };

/// Settings of the search. `reductions` is used in Custom mode only.
struct SearchSettings
{
    SearchMode mode = SearchMode::Proven;
    double seconds = verbs::kLayerSeconds;
    mapping::Reductions reductions = mapping::quickReductions();

    bool operator==(const SearchSettings&) const = default;
};

using SearchResultPtr = std::shared_ptr<const mapping::SearchResult>;
using DensityPtr = std::shared_ptr<const mapping::Density>;

/// Background search of one space of execution methods, with the density of its costs and a padding hint.
class MappingSearch : public QObject
{
    Q_OBJECT
public:
    MappingSearch();

    [[nodiscard]] const SearchSettings& settings() const { return m_settings; }
    void setSettings(const SearchSettings& settings);

    /// Starts the search of another space. Cancels a running search and drops its result. `asked`: tiling
    /// factors that must be kept.
    void start(const mapping::LoopNest& nest, const mapping::Architecture& architecture,
               const mapping::Constraints& asked = {});
    void stop() { m_job->finishEarly(); } ///< stops the search and keeps the best method so far
    [[nodiscard]] bool isRunning() const { return m_job->isBusy(); }
    void settle();        ///< waits for the search
    void settleDensity(); ///< waits for density and padding hint too

    /// Result; null until a search of this space has ended.
    [[nodiscard]] const SearchResultPtr& result() const { return m_result; }
    /// Latest status of the running search or of the one that ended.
    [[nodiscard]] const std::optional<mapping::SearchStatus>& status() const { return m_status; }
    [[nodiscard]] const DensityPtr& density() const { return m_density; }
    /// Hint that padding the layer would lower its cost; nothing if it would not.
    [[nodiscard]] const std::optional<mapping::PaddingHint>& padding() const { return m_padding; }

Q_SIGNALS:
    void changed();  ///< status(), density() or padding() has changed
    void finished(); ///< result() is available

private:
    SearchSettings m_settings;
    std::unique_ptr<LatestJob<SearchResultPtr>> m_job;
    std::unique_ptr<LatestJob<DensityPtr>> m_densityJob;
    std::unique_ptr<LatestJob<std::optional<mapping::PaddingHint>>> m_paddingJob;
    mapping::LoopNest m_nest;
    mapping::Architecture m_architecture;
    SearchResultPtr m_result;
    std::optional<mapping::SearchStatus> m_status;
    DensityPtr m_density;
    std::optional<mapping::PaddingHint> m_padding;
};

} // namespace tilewright::ui
