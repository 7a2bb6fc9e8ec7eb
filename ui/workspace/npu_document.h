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

/// The document of the NPU lens: model and settings; with the run made in the background, the run before it,
/// cursor and selected node, which its views share.
class NpuDocument : public LensDocument
{
    Q_OBJECT
public:
    NpuDocument();
    ~NpuDocument() override;

    [[nodiscard]] const NpuSettings& settings() const { return m_settings; }
    [[nodiscard]] const std::shared_ptr<const npu::NpuModel>& model() const { return m_model; }
    [[nodiscard]] const QString& modelPath() const { return path(); }
    /// Re-simulates in the background when something differs.
    /// One undo step.
    void setSettings(const NpuSettings& settings);
    /// Takes a model and settings without an undo step: those of the workload that is open elsewhere.
    void follow(const std::shared_ptr<const npu::NpuModel>& model, const NpuSettings& settings);
    /// Opens a model file; its own hardware, when it has one, becomes the settings'.
    [[nodiscard]] Status open(const LensFile& file) override;
    Status openModel(const QString& path);
    /// The model with the tiles, the hardware and the scheduling that are set.
    [[nodiscard]] bool hasContent() const override { return m_model != nullptr; }
    [[nodiscard]] Result<std::string> fileText() const override;
    [[nodiscard]] QString suggestedName() const override;

    /// Simulates when nothing was simulated yet: views call it when they are first shown.
    void start();
    void settle(); ///< waits for what runs
    [[nodiscard]] bool isBusy() const;
    [[nodiscard]] const NpuResultPtr& result() const { return m_result; }
    /// The run before the last change of the same model; null for none.
    [[nodiscard]] const NpuResultPtr& ghost() const { return m_ghost; }
    /// Why the last change or file was not taken, as one sentence.
    [[nodiscard]] const QString& error() const { return m_error; }
    /// The result is of other settings, and these could not be run.
    [[nodiscard]] bool isRefused() const;
    /// Keeps the present run as the ghost of all further ones.
    void setGhostKept(bool kept);
    [[nodiscard]] bool isGhostKept() const { return m_ghostKept; }
    void clearGhost();

    [[nodiscard]] std::optional<npu::Cycle> cursor() const { return m_cursor; }
    void setCursor(std::optional<npu::Cycle> cursor);
    [[nodiscard]] std::optional<std::uint32_t> node() const { return m_node; }
    void selectNode(std::optional<std::uint32_t> node);
    [[nodiscard]] std::optional<std::uint32_t> hoverNode() const { return m_hoverNode; }
    void setHoverNode(std::optional<std::uint32_t> node);

    void verify(); ///< checks every rule of docs/rules/npu.md 7 in the background
    [[nodiscard]] const std::vector<npu::RuleCheck>& checks() const { return m_checks; }
    [[nodiscard]] bool isVerifying() const;

    /// Searches the tiles of every operator in the background and takes them, unless something was changed
    /// meanwhile: one undo step.
    void searchTiles();
    [[nodiscard]] const std::shared_ptr<const NpuTileSearch>& tileSearch() const { return m_tileSearch; }
    [[nodiscard]] bool isSearchingTiles() const;
    /// What was found is of this model and this hardware.
    [[nodiscard]] bool isTileSearchCurrent() const;
    /// Operators that nobody has cut, nor a search: the specification's rule does, to compare with.
    [[nodiscard]] std::int64_t openOperators() const;
    /// Cuts operators so: one undo step.
    void setTile(std::span<const std::uint32_t> ops, const npu::TileSizes& tile);

    void compare(int maxCores); ///< in the background, unless it is there already
    [[nodiscard]] const std::shared_ptr<const NpuComparison>& comparison() const { return m_comparison; }
    [[nodiscard]] bool isComparing() const;
    [[nodiscard]] bool isComparisonCurrent(int maxCores) const;

Q_SIGNALS:
    void settingsChanged(); ///< or the model
    void resultChanged();   ///< result, ghost or error
    void busyChanged();
    void cursorChanged();
    void nodeChanged(); ///< selected or hovered
    void nodeChosen();  ///< another one is selected, or none
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
    std::unique_ptr<LatestJob<std::shared_ptr<const NpuTileSearch>>> m_searchJob;
};

} // namespace tilewright::ui
