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

/// How to search; the reductions count in Custom mode only.
struct SearchSettings
{
    SearchMode mode = SearchMode::Proven;
    double seconds = verbs::kLayerSeconds;
    mapping::Reductions reductions = mapping::quickReductions();

    bool operator==(const SearchSettings&) const = default;
};

using SearchResultPtr = std::shared_ptr<const mapping::SearchResult>;
using DensityPtr = std::shared_ptr<const mapping::Density>;

/// The search of one space in the background, and the picture of where its methods lie.
class MappingSearch : public QObject
{
    Q_OBJECT
public:
    MappingSearch();

    [[nodiscard]] const SearchSettings& settings() const { return m_settings; }
    void setSettings(const SearchSettings& settings);

    /// Forgets what was found elsewhere and searches this space; a running search is given up.
    void start(const mapping::LoopNest& nest, const mapping::Architecture& architecture,
               const mapping::Constraints& asked = {});
    void stop() { m_job->finishEarly(); } ///< ends the search and keeps the best so far
    [[nodiscard]] bool isRunning() const { return m_job->isBusy(); }
    void settle();        ///< waits for the search
    void settleDensity(); ///< and for the picture of the space and the hint

    /// Null until a search of this space has ended.
    [[nodiscard]] const SearchResultPtr& result() const { return m_result; }
    /// Of the running search, or the last of the one that ended.
    [[nodiscard]] const std::optional<mapping::SearchStatus>& status() const { return m_status; }
    [[nodiscard]] const DensityPtr& density() const { return m_density; }
    /// What padding the layer would give, where it helps.
    [[nodiscard]] const std::optional<mapping::PaddingHint>& padding() const { return m_padding; }

Q_SIGNALS:
    void changed();  ///< status, density, hint
    void finished(); ///< result() is there

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
