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

/// The part of the selected product that Systolic shows.
enum class SystolicPart { Layer, Tile };

/// Makes the other lenses follow the open workload. Systolic shows the selected product, or its tile in the
/// schedule, on the array of the machine, NPU the whole model, Mapping the selected op as a layer. A lens
/// stops following when the user edits the followed values in it or opens a file in it.
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
    /// Updates the lens to the present workload. Systolic is updated at once; NPU and Mapping, which simulate
    /// and search, only when one of their views becomes visible.
    void catchUp(Lens lens);
    /// True if the lens follows and shows the open workload. For NPU, only after its simulation has finished.
    [[nodiscard]] bool showsWorkload(Lens lens) const;
    /// True if the NPU model is the open workload, whatever tiles and hardware it runs with.
    [[nodiscard]] bool isOfWorkload(const npu::NpuModel& model) const;
    /// True if the lens follows but can show nothing of the open workload: its content is from something
    /// else.
    [[nodiscard]] bool cannotShowWorkload(Lens lens) const;
    /// Reason why the lens cannot follow, as one sentence; empty if it can.
    [[nodiscard]] const QString& why(Lens lens) const { return m_why[index(lens)]; }

    /// The part of product() that Systolic shows: the whole product, or its largest tile in the schedule.
    [[nodiscard]] SystolicPart systolicPart() const { return m_part; }
    void setSystolicPart(SystolicPart part);
    /// Chooses the part and lets Systolic follow.
    void showInSystolic(SystolicPart part);
    /// Product (MatMul) that Systolic and Mapping show: the selected one, otherwise the largest of the
    /// selected subgraph, otherwise the largest of the slowest subgraph with a product.
    struct Product
    {
        OpId op;
        SubgraphId subgraph;
    };
    [[nodiscard]] std::optional<Product> product() const;
    /// Op that Mapping shows: like product(), but also a selected depthwise convolution.
    [[nodiscard]] std::optional<Product> mappable() const;
    [[nodiscard]] std::optional<SubgraphId> slowest() const; ///< subgraph with the highest latency
    [[nodiscard]] std::optional<Product> slowestProduct() const;

    // -- hardware of the lenses and the machine
    /// The machine with the hardware that the lens shows now. The Error says why there is none.
    [[nodiscard]] Result<Machine> machineOfLens(Lens lens) const;
    /// Makes the hardware that the lens shows the machine of the open workload, as one undo step.
    [[nodiscard]] Status useInMachine(Lens lens);

    // -- results of other lenses for the schedule
    /// Granularity that corresponds to the tiling factors of the Mapping lens at a level; nothing while that
    /// lens shows another workload.
    [[nodiscard]] std::optional<Granularity> foundTile(mapping::Level level) const;
    /// The change that takeTile() would make.
    struct TileToTake
    {
        SubgraphId subgraph;
        Granularity found, legal, now; ///< foundTile(); the closest legal granularity; the present one
    };
    [[nodiscard]] std::optional<TileToTake> tileToTake(mapping::Level level) const;
    /// Sets the granularity of the subgraph to the legal one that is closest to foundTile().
    void takeTile(mapping::Level level);
    /// Makespan of the NPU lens in cycles; nothing if it has not simulated the open model on its machine.
    [[nodiscard]] std::optional<std::int64_t> makespan() const;
    /// makespan() as a multiple of the floor of the model on the cores of the run (R19).
    [[nodiscard]] std::optional<double> makespanOfFloor();

    // -- linked selection of operators; an op and its NPU nodes are also selected together
    /// Selects the ops of a layer of the Mapping lens. False if the layer belongs to another model.
    bool selectLayer(const std::string& name);
    /// Name of the layer of the selected op; empty if there is none.
    [[nodiscard]] std::string selectedLayer() const;
    /// Selects the ops of a product of the open workload. False if it has none of them.
    bool selectProduct(const lower::GemmLayer& layer);
    /// True if product() is one of these.
    [[nodiscard]] bool isProductOf(const lower::GemmLayer& layer) const;

Q_SIGNALS:
    void outdated(tilewright::ui::Lens lens); ///< catchUp() is needed to update the lens
    void followingChanged(tilewright::ui::Lens lens);
    void whyChanged(tilewright::ui::Lens lens); ///< why() has changed
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
    /// Product to show: `selected`, otherwise the slowest one if the lens shows nothing of the workload yet.
    /// Sets why() to `otherwise` if `selected` is empty.
    [[nodiscard]] std::optional<Product> productFor(Lens lens, std::optional<Product> selected,
                                                    const QString& otherwise);
    void selectOperators(const lower::ModelOnMachine& model, const std::vector<OperatorId>& operators);
    void followAgain(Lens lens);

    Workspace& m_workspace;
    std::array<bool, 4> m_following{true, true, true, true};
    std::array<bool, 4> m_outdated{};
    std::array<bool, 4> m_hasFollowed{}; ///< the lens has followed a workload before
    std::array<bool, 4> m_shown{};       ///< the lens shows something of the open workload
    std::array<QString, 4> m_why;
    std::vector<lower::NamedLayer> m_layers; ///< layers of m_layersOf
    bool m_followRequested = false;          ///< true while the user's command to follow is executed
    SystolicPart m_part = SystolicPart::Layer;
    bool m_updating = false; ///< true while this object changes a document

    // content that was set last in the documents of the lenses
    std::optional<systolic::Settings> m_systolic;
    std::set<std::string> m_origins; ///< Settings::origin of all tiles set so far
    std::optional<ArrayDataflow> m_dataflow;
    std::optional<mapping::Layer> m_layer;
    std::optional<Product> m_mapped;
    lower::ModelOnMachinePtr m_npuOf, m_layersOf;
    std::shared_ptr<const npu::NpuModel> m_npuModel;
    lower::LoweredNpu m_npu; ///< m_npuOf lowered to the NPU lens
    std::vector<npu::OpTiling> m_tiling;
    npu::NpuHardware m_hardware;
    std::pair<lower::ModelOnMachinePtr, std::optional<lower::Floor>> m_floor; ///< for makespanOfFloor()
    bool m_npuLeft = false; ///< an edit in the NPU lens has ended the following; its undo resumes it
    std::optional<std::int64_t> m_announcedMakespan; ///< makespan() at the last makespanChanged()
};

} // namespace tilewright::ui
