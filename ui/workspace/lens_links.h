// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/floor.h"
#include "lower/on_machine.h"
#include "mapping/files.h"
#include "npu/model.h"
#include "systolic/settings.h"
#include "workspace/lens_document.h"

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace tilewright::ui {

class MappingDocument;
class NpuDocument;
class SystolicDocument;
class Workspace;

/// The part of the selected product that the Systolic lens shows.
enum class SystolicPart { Layer, Tile };

/// Makes the other lenses follow the open workload. Systolic shows the selected product, or its tile in the
/// schedule, on the array of the machine. NPU shows the whole model. Mapping shows the selected op as a
/// layer. A lens stops following when the user edits the values that it follows, or opens a file in it.
class LensLinks : public QObject
{
    Q_OBJECT
public:
    explicit LensLinks(Workspace& workspace);
    // called when the document of a lens is created
    void attach(SystolicDocument& document);
    void attach(NpuDocument& document);
    void attach(MappingDocument& document);
    void opened(Lens lens); ///< called when the user has opened a file in the lens

    [[nodiscard]] bool isFollowing(Lens lens) const { return m_following[index(lens)]; }
    void setFollowing(Lens lens, bool following);
    /// Updates the lens to the current workload. Systolic is updated at once. NPU and Mapping, which simulate
    /// and search, are updated only when one of their views becomes visible.
    void catchUp(Lens lens);
    /// True if the lens follows the open workload and shows it. For NPU, only after its simulation has
    /// finished.
    [[nodiscard]] bool showsWorkload(Lens lens) const;
    /// True if the NPU model is that of the open workload, even with other tiles or hardware.
    [[nodiscard]] bool isOfWorkload(const npu::NpuModel& model) const;
    /// True if the lens follows but cannot show the open workload, so that its content has another source.
    [[nodiscard]] bool cannotShowWorkload(Lens lens) const;
    /// Reason why the lens cannot follow, as one sentence; empty if it can.
    [[nodiscard]] const QString& why(Lens lens) const { return m_why[index(lens)]; }

    /// The part of product() that Systolic shows: the whole product, or its largest tile in the schedule.
    [[nodiscard]] SystolicPart systolicPart() const { return m_part; }
    void setSystolicPart(SystolicPart part);
    /// Chooses the part of the product, and makes Systolic follow.
    void showInSystolic(SystolicPart part);
    /// The product (MatMul) that Systolic and Mapping show: the selected one, otherwise the largest one of
    /// the selected subgraph, otherwise the largest one of the slowest subgraph that has a product.
    struct Product
    {
        OpId op;
        SubgraphId subgraph;
    };
    [[nodiscard]] std::optional<Product> product() const;
    /// Returns the op that Mapping shows: product(), or a selected depthwise convolution.
    [[nodiscard]] std::optional<Product> mappable() const;
    /// Returns the subgraph with the highest latency.
    [[nodiscard]] std::optional<SubgraphId> slowest() const;
    [[nodiscard]] std::optional<Product> slowestProduct() const;

    // -- hardware of the lenses and the machine
    /// Returns a machine with the hardware that the lens shows now. The Error says why there is none.
    [[nodiscard]] Result<Machine> machineOfLens(Lens lens) const;
    /// Makes the hardware that the lens shows the machine of the open workload, as one undo step.
    [[nodiscard]] Status useInMachine(Lens lens);

    // -- results of other lenses for the schedule
    /// Returns the granularity that corresponds to the tiling factors of the Mapping lens at a level; nothing
    /// while that lens shows another workload.
    [[nodiscard]] std::optional<Granularity> foundTile(mapping::Level level) const;
    /// The change that takeTile() would make.
    struct TileToTake
    {
        SubgraphId subgraph;
        /// foundTile(); the legal granularity closest to it; the current granularity
        Granularity found, legal, now;
    };
    [[nodiscard]] std::optional<TileToTake> tileToTake(mapping::Level level) const;
    /// Sets the granularity of the subgraph to the legal one that is closest to foundTile().
    void takeTile(mapping::Level level);
    /// Makespan of the NPU lens in cycles; nothing if it has not simulated the open model on the model's
    /// machine.
    [[nodiscard]] std::optional<std::int64_t> makespan() const;
    /// makespan() as a multiple of the floor of the model on the number of cores of the run (R19).
    [[nodiscard]] std::optional<double> makespanOfFloor();

    // -- linked selection of operators; an op and its NPU nodes are also selected together
    /// Selects the ops of a layer of the Mapping lens. False if the layer belongs to another model.
    bool selectLayer(const std::string& name);
    /// Name of the layer that the selected op belongs to; empty if there is none.
    [[nodiscard]] std::string selectedLayer() const;
    /// Selects the ops of a product of the open workload. False if the workload does not have the product.
    bool selectProduct(const lower::GemmLayer& layer);
    /// True if product() is this product of the workload.
    [[nodiscard]] bool isProductOf(const lower::GemmLayer& layer) const;

Q_SIGNALS:
    void outdated(tilewright::ui::Lens lens); ///< emitted when catchUp() is needed to update the lens
    void followingChanged(tilewright::ui::Lens lens);
    void whyChanged(tilewright::ui::Lens lens); ///< emitted when why() has changed
    void makespanChanged();
    void systolicPartChanged();

private:
    [[nodiscard]] static constexpr std::size_t index(Lens lens) { return static_cast<std::size_t>(lens); }
    void workloadChanged(bool anotherProblem);
    void followSystolic();
    void followMapping();
    void followNpu();
    void showInNpu();
    void announceMakespan();
    /// Returns the product to show: `selected`; if that is empty and the lens shows nothing of the workload
    /// yet, the slowest product. Sets why() to `otherwise` if `selected` is empty.
    [[nodiscard]] std::optional<Product> productFor(Lens lens, std::optional<Product> selected,
                                                    const QString& otherwise);
    void selectOperators(const lower::ModelOnMachine& model, const std::vector<OperatorId>& operators);
    void followAgain(Lens lens);

    Workspace& m_workspace;
    std::array<bool, 4> m_following{true, true, true, true};
    std::array<bool, 4> m_outdated{};
    std::array<bool, 4> m_hasFollowed{}; ///< true if the lens has followed a workload before
    std::array<bool, 4> m_shown{};       ///< true if the lens shows something of the open workload
    std::array<QString, 4> m_why;
    std::vector<lower::NamedLayer> m_layers; ///< layers of the model in m_layersOf
    bool m_followRequested = false;          ///< true while a command of the user to follow is executed
    SystolicPart m_part = SystolicPart::Layer;
    bool m_updating = false; ///< true while this object changes a document

    // The content that this object has set last in the documents of the lenses.
    std::optional<systolic::Settings> m_systolic;
    std::set<std::string> m_origins; ///< Settings::origin of every tile that was set so far
    std::optional<ArrayDataflow> m_dataflow;
    std::optional<mapping::Layer> m_layer;
    std::optional<Product> m_mapped;
    lower::ModelOnMachinePtr m_npuOf, m_layersOf;
    std::shared_ptr<const npu::NpuModel> m_npuModel;
    lower::LoweredNpu m_npu; ///< the model m_npuOf, lowered to the NPU lens
    std::vector<npu::OpTiling> m_tiling;
    npu::NpuHardware m_hardware;
    /// Model and its floor, for makespanOfFloor().
    std::pair<lower::ModelOnMachinePtr, std::optional<lower::Floor>> m_floor;
    /// True if an edit in the NPU lens has ended the following; undoing the edit resumes it.
    bool m_npuLeft = false;
    std::optional<std::int64_t> m_announcedMakespan; ///< the makespan() that makespanChanged() announced last
};

} // namespace tilewright::ui
