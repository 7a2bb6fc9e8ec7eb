// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "canvas/view.h"
#include "npu/bounds.h"
#include "npu/compare.h"
#include "npu/run.h"
#include "npu/verify.h"
#include "workspace/latest_job.h"

#include <QObject>
#include <QString>

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace tilewright::ui {

struct RateCurve;

/// What a run is made of; the model itself is NpuState::model().
struct NpuSettings
{
    npu::NpuHardware hardware;
    npu::RunOptions options;
    std::vector<npu::OpTiling> tiling; ///< per operator of the model
    bool operator==(const NpuSettings& other) const;
};

/// One finished run with everything the views draw. Immutable.
struct NpuResult
{
    NpuSettings settings;
    std::shared_ptr<const npu::NpuModel> model;
    std::shared_ptr<const npu::NpuGraph> graph;
    std::shared_ptr<const npu::NpuRun> run;
    npu::Bounds bounds;
    QString sentence;                          ///< what binds
    std::vector<npu::Cycle> cp;                ///< per node: cycles from its start to the end, at best
    std::vector<std::uint32_t> critical;       ///< nodes of one longest path
    std::vector<bool> isCritical;              ///< per node
    std::vector<npu::Cycle> chosenAt, startAt; ///< per node
    std::vector<std::int64_t> spmPeaks;        ///< per core
    std::int64_t readyPeak = 0;
    std::shared_ptr<const RateCurve> noc;          ///< bytes a cycle of all cores
    std::array<npu::Cycle, npu::kCoreStates> sums; ///< per state, over all cores
};
using NpuResultPtr = std::shared_ptr<const NpuResult>;

/// Both schedulers on 1 to N cores, and what each waited for on the cores of the settings.
struct NpuComparison
{
    NpuSettings settings;
    std::shared_ptr<const npu::NpuModel> model;
    std::vector<npu::ScalingPoint> points;
    int cores = 0;
    npu::Cycle staticMakespan = 0, dynamicMakespan = 0;
    std::array<npu::Cycle, npu::kCoreStates> staticSums{}, dynamicSums{};
    QString error;
};

/// What the NPU views share: model, settings, the run made in the background, the run before it, cursor and
/// selected node. A child of the Document, made by the first view that asks for it.
class NpuState : public QObject
{
    Q_OBJECT
public:
    static NpuState& of(const ViewContext& context);
    ~NpuState() override;

    [[nodiscard]] const NpuSettings& settings() const { return m_settings; }
    [[nodiscard]] const std::shared_ptr<const npu::NpuModel>& model() const { return m_model; }
    [[nodiscard]] const QString& modelPath() const { return m_path; }
    /// Re-simulates in the background when something differs.
    void setSettings(const NpuSettings& settings);
    /// Opens a model file; its own hardware, when it has one, becomes the settings'.
    Status openModel(const QString& path);
    /// Writes the model with the tiles and the hardware that are set. False: the document says why not.
    bool saveModel(const QString& path);

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
    void checksChanged();
    void comparisonChanged();

private:
    NpuState(Document* document, Selection& selection);
    void request();
    Document& m_document;
    struct Delivery
    {
        NpuResultPtr result;
        QString error;
    };
    void deliver(Delivery delivery);

    std::shared_ptr<const npu::NpuModel> m_model;
    QString m_path;
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
    std::unique_ptr<LatestJob<Delivery>> m_job;
    std::unique_ptr<LatestJob<std::pair<NpuResultPtr, std::vector<npu::RuleCheck>>>> m_verifyJob;
    std::unique_ptr<LatestJob<std::shared_ptr<const NpuComparison>>> m_compareJob;
};

/// Graph, run and everything derived from it; for the background and for tests.
[[nodiscard]] Result<NpuResultPtr> makeNpuResult(std::shared_ptr<const npu::NpuModel> model,
                                                 const NpuSettings& settings, const NpuResultPtr& previous,
                                                 const Progress& progress = {});

} // namespace tilewright::ui
