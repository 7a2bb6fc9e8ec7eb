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
    /// What the lens cannot follow, as one sentence; empty when it does.
    [[nodiscard]] const QString& why(Lens lens) const { return m_why[index(lens)]; }

    /// The product that Systolic and Mapping look at: the selected one, else the largest of the selected
    /// subgraph, else that of the slowest.
    struct Product
    {
        OpId op;
        SubgraphId subgraph;
    };
    [[nodiscard]] std::optional<Product> product() const;
    [[nodiscard]] std::optional<SubgraphId> slowest() const; ///< the subgraph that takes the longest

    // -- what was found, taken back
    /// The granularity that the Mapping lens' method has at a level; nothing while that lens shows something
    /// else.
    [[nodiscard]] std::optional<Granularity> foundTile(mapping::Level level) const;
    /// Gives the subgraph of product() the legal granularity that is closest to it.
    void takeTile(mapping::Level level);
    /// Cycles of the NPU's run of this very schedule on this machine.
    [[nodiscard]] std::optional<std::int64_t> makespan() const;
    [[nodiscard]] const lower::ScheduledTiling& npuTiling() const { return m_tiling; }

    // -- one operator in all lenses
    /// The operators of the NPU's model that the selected ops belong to.
    [[nodiscard]] std::vector<std::size_t> selectedNpuOps() const;
    void selectFromNpu(std::size_t npuOp);
    /// Selects the ops that a layer of the Mapping lens' model stands for; false when it is of another model.
    bool selectLayer(const std::string& name);
    /// The name of the layer that the selected op stands for; empty when it is none.
    [[nodiscard]] std::string selectedLayer() const;

Q_SIGNALS:
    void outdated(tilewright::ui::Lens lens); ///< catchUp() has something to do
    void followingChanged(tilewright::ui::Lens lens);
    void makespanChanged();

private:
    [[nodiscard]] static constexpr std::size_t index(Lens lens) { return static_cast<std::size_t>(lens); }
    void workloadChanged(bool anotherProblem);
    void followSystolic();
    void followMapping();
    void followNpu();
    void showInNpu();
    void tellMakespan();
    void selectOperators(const std::vector<OpId>& operators);

    Workspace& m_workspace;
    std::array<bool, 4> m_following{true, true, true, true};
    std::array<bool, 4> m_outdated{};
    std::array<bool, 4> m_given{}; ///< it has shown the open workload before
    std::array<QString, 4> m_why;
    std::vector<lower::NamedLayer> m_layers; ///< of m_layersOf
    bool m_giving = false;                   ///< a document changes because this object changes it

    // what was given last
    std::optional<systolic::Settings> m_systolic;
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
