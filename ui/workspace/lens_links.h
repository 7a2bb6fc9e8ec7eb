// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/on_machine.h"
#include "mapping/setup.h"
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

/// Keeps the Systolic, NPU and Mapping lens at the open workload: the tile of the selected subgraph on the
/// machine's array, the whole model with the schedule's tiles, the selected op as a layer. A lens follows
/// until a person edits in it what it follows, or opens a file in it.
class LensLinks : public QObject
{
    Q_OBJECT
public:
    explicit LensLinks(Workspace& workspace);
    // the documents as they are made
    void attach(SystolicDocument& document);
    void attach(NpuDocument& document);
    void attach(MappingDocument& document);
    void opened(Lens lens); ///< a file of its own

    [[nodiscard]] bool isFollowing(Lens lens) const { return m_following[index(lens)]; }
    void setFollowing(Lens lens, bool following);
    /// Brings the lens to where the workload stands now. Systolic is always there; the others, which search
    /// and simulate, when a view of theirs comes into sight.
    void catchUp(Lens lens);
    /// Whether it follows and stands at the open workload; the NPU when that has been run.
    [[nodiscard]] bool showsWorkload(Lens lens) const;
    /// It follows, and nothing of the open workload can be shown in it: what it holds is of something else.
    [[nodiscard]] bool isAside(Lens lens) const;
    /// What the lens cannot follow, as one sentence; empty when it does.
    [[nodiscard]] const QString& why(Lens lens) const { return m_why[index(lens)]; }

    /// Shows product() as a whole in Systolic, which ends following: the tile alone says nothing of how the
    /// product is cut.
    void showWholeProduct();
    /// The product that Systolic and Mapping look at: the selected one, else the largest of the selected
    /// subgraph, else that of the slowest.
    struct Product
    {
        OpId op;
        SubgraphId subgraph;
    };
    [[nodiscard]] std::optional<Product> product() const;
    /// What Mapping looks at: like product(), and a selected depthwise convolution.
    [[nodiscard]] std::optional<Product> mappable() const;
    [[nodiscard]] std::optional<SubgraphId> slowest() const; ///< the subgraph that takes the longest
    [[nodiscard]] std::optional<Product> slowestProduct() const;

    // -- what was found, taken back
    /// The granularity that the Mapping lens' method has at a level; nothing while that lens shows something
    /// else.
    [[nodiscard]] std::optional<Granularity> foundTile(mapping::Level level) const;
    /// What takeTile() would do.
    struct TileToTake
    {
        SubgraphId subgraph;
        Granularity found, legal, now; ///< of the level; the closest legal one; what the subgraph has
    };
    [[nodiscard]] std::optional<TileToTake> tileToTake(mapping::Level level) const;
    /// Gives the subgraph of product() the legal granularity that is closest to it.
    void takeTile(mapping::Level level);
    /// Cycles of the NPU's run of this very schedule on this machine.
    [[nodiscard]] std::optional<std::int64_t> makespan() const;
    [[nodiscard]] const lower::ScheduledTiling& npuTiling() const { return m_tiling; }

    // -- one operator in all lenses: also a node that is chosen in the NPU selects its op, and the other way
    /// Selects the ops that a layer of the Mapping lens' model stands for; false when it is of another model.
    bool selectLayer(const std::string& name);
    /// The name of the layer that the selected op stands for; empty when it is none.
    [[nodiscard]] std::string selectedLayer() const;

Q_SIGNALS:
    void outdated(tilewright::ui::Lens lens); ///< catchUp() has something to do
    void followingChanged(tilewright::ui::Lens lens);
    void whyChanged(tilewright::ui::Lens lens); ///< why()
    void makespanChanged();

private:
    [[nodiscard]] static constexpr std::size_t index(Lens lens) { return static_cast<std::size_t>(lens); }
    void workloadChanged(bool anotherProblem);
    void followSystolic();
    void followMapping();
    void followNpu();
    void showInNpu();
    void tellMakespan();
    /// What to show; without anything selected that can be, the slowest in a lens that shows nothing yet.
    [[nodiscard]] std::optional<Product> productFor(Lens lens, std::optional<Product> selected,
                                                    const QString& otherwise);
    void selectOperators(const lower::ModelOnMachine& model, const std::vector<OperatorId>& operators);
    void followAgain(Lens lens);

    Workspace& m_workspace;
    std::array<bool, 4> m_following{true, true, true, true};
    std::array<bool, 4> m_outdated{};
    std::array<bool, 4> m_given{}; ///< it has shown an open workload before
    std::array<bool, 4> m_shown{}; ///< it shows something of the one that is open
    std::array<QString, 4> m_why;
    std::vector<lower::NamedLayer> m_layers; ///< of m_layersOf
    bool m_asked = false;                    ///< a person lets the lens follow
    bool m_giving = false;                   ///< a document changes because this object changes it

    // what was given last
    std::optional<systolic::Settings> m_systolic;
    std::set<std::string> m_origins; ///< of the tiles so far
    std::optional<ArrayDataflow> m_dataflow;
    std::optional<mapping::Layer> m_layer;
    std::optional<Product> m_mapped;
    lower::ModelOnMachinePtr m_npuOf, m_layersOf;
    std::shared_ptr<const npu::NpuModel> m_npuModel;
    lower::LoweredNpu m_npu; ///< of m_npuOf
    lower::ScheduledTiling m_tiling;
    npu::NpuHardware m_hardware;
    Schedule m_npuSchedule;
    std::optional<std::int64_t> m_told; ///< makespan() that was announced last
};

} // namespace tilewright::ui
