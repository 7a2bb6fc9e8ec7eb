// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/verify.h"
#include "workspace/latest_job.h"
#include "workspace/lens_document.h"
#include "workspace/npu_result.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tilewright::ui {

/// Document of the NPU lens, shared by its views: model and settings, the simulation in the background, the
/// earlier run as a ghost, time cursor and selected node.
class NpuDocument : public LensDocument
{
    Q_OBJECT
public:
    NpuDocument();
    ~NpuDocument() override;

    [[nodiscard]] const NpuSettings& settings() const { return m_settings; }
    [[nodiscard]] const std::shared_ptr<const npu::NpuModel>& model() const { return m_model; }
    [[nodiscard]] const QString& modelPath() const { return path(); }
    /// Changes the settings as one undo step and simulates in the background if they differ.
    void setSettings(const NpuSettings& settings);
    /// Sets model and settings of the open workload, without an undo step.
    void follow(const std::shared_ptr<const npu::NpuModel>& model, const NpuSettings& settings);
    /// Opens a model file. Hardware in the file replaces that of the settings.
    [[nodiscard]] Status open(const LensFile& file) override;
    Status openModel(const QString& path);
    [[nodiscard]] bool hasContent() const override { return m_model != nullptr; }
    /// The model with its tiles, hardware and scheduling options.
    [[nodiscard]] Result<std::string> fileText() const override;
    [[nodiscard]] QString suggestedName() const override;

    /// Simulates if nothing was simulated yet. Views call it when they become visible.
    void start();
    void settle(); ///< waits for all background work
    [[nodiscard]] bool isBusy() const;
    [[nodiscard]] const NpuResultPtr& result() const { return m_result; }
    /// Earlier run of the same model, drawn as a ghost; null for none.
    [[nodiscard]] const NpuResultPtr& ghost() const { return m_ghost; }
    /// Reason why the last change or file was refused, as one sentence; empty if it was not.
    [[nodiscard]] const QString& error() const { return m_error; }
    /// True if the present settings cannot be simulated: result() belongs to other settings.
    [[nodiscard]] bool isRefused() const;
    /// True if result() belongs to another model or other settings than the present ones.
    [[nodiscard]] bool isOutdated() const;
    /// Share of the present simulation that is done, 0 to 1.
    [[nodiscard]] double progress() const { return m_progress; }
    /// progress() with the time left; empty at the start.
    [[nodiscard]] QString progressText() const;
    /// Keeps the present run as ghost for all further runs (true), or uses the run before the last change
    /// (false).
    void setGhostKept(bool kept);
    [[nodiscard]] bool isGhostKept() const { return m_ghostKept; }
    void clearGhost();

    [[nodiscard]] std::optional<npu::Cycle> cursor() const { return m_cursor; }
    void setCursor(std::optional<npu::Cycle> cursor);
    [[nodiscard]] std::optional<std::uint32_t> node() const { return m_node; }
    void selectNode(std::optional<std::uint32_t> node);
    [[nodiscard]] std::optional<std::uint32_t> hoverNode() const { return m_hoverNode; }
    void setHoverNode(std::optional<std::uint32_t> node);

    void verify(); ///< checks all rules of docs/rules/npu.md 7 for result() in the background
    [[nodiscard]] const std::vector<npu::RuleCheck>& checks() const { return m_checks; }
    [[nodiscard]] bool isVerifying() const;

    /// Searches tiles for all operators in the background, then applies them as one undo step, unless the
    /// model or the settings have changed meanwhile.
    void searchTiles();
    void stopTileSearch();
    [[nodiscard]] double tileSearchProgress() const { return m_searched; } ///< of a running search, 0 to 1
    [[nodiscard]] QString tileSearchText() const; ///< tileSearchProgress() with the time left
    [[nodiscard]] const std::shared_ptr<const NpuTileSearch>& tileSearch() const { return m_tileSearch; }
    [[nodiscard]] bool isSearchingTiles() const;
    /// True if tileSearch() belongs to the present model and hardware.
    [[nodiscard]] bool isTileSearchCurrent() const;
    /// Number of operators without tiles of the user, the schedule or a search. They have default tiles.
    [[nodiscard]] std::int64_t openOperators() const;
    /// Sets the tiles of these operators as one undo step.
    void setTile(std::span<const std::uint32_t> ops, const npu::TileSizes& tile);

    void compare(int maxCores); ///< computes comparison() in the background, unless it is current
    [[nodiscard]] const std::shared_ptr<const NpuComparison>& comparison() const { return m_comparison; }
    [[nodiscard]] bool isComparing() const;
    [[nodiscard]] bool isComparisonCurrent(int maxCores) const;

Q_SIGNALS:
    void settingsChanged(); ///< settings() or model() has changed
    void resultChanged();   ///< result(), ghost() or error() has changed
    void busyChanged();
    void cursorChanged();
    void nodeChanged(); ///< node() or hoverNode() has changed
    void nodeChosen();  ///< node() has changed
    void checksChanged();
    void comparisonChanged();
    void tileSearchChanged();

private:
    Status takeModel(std::string_view text, const QString& path);
    void assign(const NpuSettings& settings);
    void request();
    struct Delivery
    {
        NpuResultPtr result;
        QString error;
    };
    void deliver(Delivery delivery);

    std::shared_ptr<const npu::NpuModel> m_model;
    NpuSettings m_settings;
    bool m_started = false;
    NpuResultPtr m_result, m_ghost;
    bool m_ghostKept = false;
    QString m_error;
    std::optional<npu::Cycle> m_cursor;
    std::optional<std::uint32_t> m_node, m_hoverNode;
    std::vector<npu::RuleCheck> m_checks;
    std::shared_ptr<const NpuComparison> m_comparison;
    int m_comparisonCores = 0;
    std::shared_ptr<const NpuTileSearch> m_tileSearch;
    std::unique_ptr<LatestJob<Delivery>> m_job;
    std::unique_ptr<LatestJob<std::pair<NpuResultPtr, std::vector<npu::RuleCheck>>>> m_verifyJob;
    std::unique_ptr<LatestJob<std::shared_ptr<const NpuComparison>>> m_compareJob;
    double m_progress = 0;
    double m_searched = 0;    ///< tileSearchProgress()
    double m_runStart = 0;    ///< wallClock() at the start of the simulation
    double m_searchStart = 0; ///< ... of the search of tiles
    std::unique_ptr<LatestJob<std::shared_ptr<const NpuTileSearch>>> m_searchJob;
};

} // namespace tilewright::ui
