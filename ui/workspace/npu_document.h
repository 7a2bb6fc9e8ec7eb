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
/// earlier run as a ghost, the time cursor and the selected node.
class NpuDocument : public LensDocument
{
    Q_OBJECT
public:
    NpuDocument();
    ~NpuDocument() override;

    [[nodiscard]] const NpuSettings& settings() const { return m_settings; }
    [[nodiscard]] const std::shared_ptr<const npu::NpuModel>& model() const { return m_model; }
    [[nodiscard]] const QString& modelPath() const { return path(); }
    /// Changes the settings as one undo step. If they differ, simulates in the background.
    void setSettings(const NpuSettings& settings);
    /// Sets the model and settings of the open workload, without an undo step.
    void follow(const std::shared_ptr<const npu::NpuModel>& model, const NpuSettings& settings);
    /// Opens a model file. Hardware in the file replaces that of the settings.
    [[nodiscard]] Status open(const LensFile& file) override;
    Status openModel(const QString& path);
    [[nodiscard]] bool hasContent() const override { return m_model != nullptr; }
    /// Returns the text of a file with the model, its tiles, the hardware and the scheduling options.
    [[nodiscard]] Result<std::string> fileText() const override;
    [[nodiscard]] QString suggestedName() const override;

    /// Starts a simulation if there was none yet. Views call it when they become visible.
    void start();
    void settle(); ///< waits for all background work
    [[nodiscard]] bool isBusy() const;
    [[nodiscard]] const NpuResultPtr& result() const { return m_result; }
    /// The earlier run of the same model that is drawn as a ghost; null if there is none.
    [[nodiscard]] const NpuResultPtr& ghost() const { return m_ghost; }
    /// Reason why the last change or file was refused, as one sentence; empty if it was not.
    [[nodiscard]] const QString& error() const { return m_error; }
    /// True if the current settings cannot be simulated, so that result() belongs to other settings.
    [[nodiscard]] bool isRefused() const;
    /// True if result() belongs to another model or to other settings than the current ones.
    [[nodiscard]] bool isOutdated() const;
    /// Completed share of the current simulation, 0 to 1.
    [[nodiscard]] double progress() const { return m_progress; }
    /// Text of progress() with the remaining time; empty at the start.
    [[nodiscard]] QString progressText() const;
    /// true: keeps the current run as ghost for all further runs. false: the ghost is the run before the last
    /// change.
    void setGhostKept(bool kept);
    [[nodiscard]] bool isGhostKept() const { return m_ghostKept; }
    void clearGhost();

    [[nodiscard]] std::optional<npu::Cycle> cursor() const { return m_cursor; }
    void setCursor(std::optional<npu::Cycle> cursor);
    [[nodiscard]] std::optional<std::uint32_t> node() const { return m_node; }
    void selectNode(std::optional<std::uint32_t> node);
    [[nodiscard]] std::optional<std::uint32_t> hoverNode() const { return m_hoverNode; }
    void setHoverNode(std::optional<std::uint32_t> node);

    void verify(); ///< checks in the background whether result() satisfies all rules of docs/rules/npu.md 7
    [[nodiscard]] const std::vector<npu::RuleCheck>& checks() const { return m_checks; }
    [[nodiscard]] bool isVerifying() const;

    /// Searches tiles for all operators in the background, then applies them as one undo step. If model or
    /// settings have changed meanwhile, nothing is applied.
    void searchTiles();
    void stopTileSearch();
    /// Completed share of a running tile search, 0 to 1.
    [[nodiscard]] double tileSearchProgress() const { return m_searched; }
    [[nodiscard]] QString tileSearchText() const; ///< text of tileSearchProgress() with the remaining time
    [[nodiscard]] const std::shared_ptr<const NpuTileSearch>& tileSearch() const { return m_tileSearch; }
    [[nodiscard]] bool isSearchingTiles() const;
    /// True if tileSearch() belongs to the current model and hardware.
    [[nodiscard]] bool isTileSearchCurrent() const;
    /// Number of operators whose tiles were not set by the user, the schedule or a search. They have default
    /// tiles.
    [[nodiscard]] std::int64_t openOperators() const;
    /// Sets the tiles of these operators as one undo step.
    void setTile(std::span<const std::uint32_t> ops, const npu::TileSizes& tile);

    void compare(int maxCores); ///< computes comparison() in the background, unless it is current
    [[nodiscard]] const std::shared_ptr<const NpuComparison>& comparison() const { return m_comparison; }
    [[nodiscard]] bool isComparing() const;
    [[nodiscard]] bool isComparisonCurrent(int maxCores) const;

Q_SIGNALS:
    void settingsChanged(); ///< emitted when settings() or model() has changed
    void resultChanged();   ///< emitted when result(), ghost() or error() has changed
    void busyChanged();
    void cursorChanged();
    void nodeChanged(); ///< emitted when node() or hoverNode() has changed
    void nodeChosen();  ///< emitted when node() has changed
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
    double m_searched = 0;    ///< value of tileSearchProgress()
    double m_runStart = 0;    ///< wallClock() at the start of the simulation
    double m_searchStart = 0; ///< wallClock() at the start of the tile search
    std::unique_ptr<LatestJob<std::shared_ptr<const NpuTileSearch>>> m_searchJob;
};

} // namespace tilewright::ui
