// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/lens_links.h"

#include "edit/edits.h"
#include "edit/fit.h"
#include "mapping/layer.h"
#include "rules/subgraph_plan.h"
#include "theme/text.h"
#include "workspace/mapping_document.h"
#include "workspace/npu_document.h"
#include "workspace/systolic_document.h"
#include "workspace/workspace.h"

#include <QScopedValueRollback>

#include <algorithm>

namespace tilewright::ui {

LensLinks::LensLinks(Workspace& workspace) : m_workspace(workspace)
{
    workspace.schedule().whenChanged(this, Part::Problem | Part::Machine | Part::Snapshot,
                                     [this](Parts parts) { workloadChanged(parts.testFlag(Part::Problem)); });
    connect(&workspace.selection(), &Selection::changed, this, [this] {
        for (const Lens lens : {Lens::Systolic, Lens::Mapping}) {
            m_outdated[index(lens)] = true;
            Q_EMIT outdated(lens);
        }
        if (!m_workspace.schedule().isChanging()) // during a change, workloadChanged() follows anyway
            catchUp(Lens::Systolic);
        showInNpu();
    });
}

void LensLinks::attach(SystolicDocument& document)
{
    connect(&document.undoStack(), &QUndoStack::indexChanged, this, [this, &document] {
        const SystolicSettings& s = document.settings();
        if (m_updating || !m_systolic ||
            (s.gemm == m_systolic->gemm && s.hierarchy == m_systolic->hierarchy &&
             s.origin == m_systolic->origin))
            return;
        // An undo that restores an earlier tile with its origin does not count as an edit of the settings by
        // the user.
        const bool isEarlierTile = document.undoStack().canRedo() && m_origins.contains(s.origin);
        isEarlierTile ? followAgain(Lens::Systolic) : setFollowing(Lens::Systolic, false);
    });
    catchUp(Lens::Systolic);
}

void LensLinks::attach(NpuDocument& document)
{
    connect(&document.undoStack(), &QUndoStack::indexChanged, this, [this, &document] {
        const NpuSettings& s = document.settings();
        if (m_updating || !m_npuModel)
            return;
        if (document.model() == m_npuModel && s.tiling == m_tiling && s.hardware == m_hardware) {
            // The edit that ended the following has been undone, so the lens follows again. Changes that
            // would discard the edits that can be redone wait until the user asks for them.
            if (m_npuLeft && document.undoStack().canRedo() && !m_outdated[index(Lens::Npu)]) {
                m_npuLeft = false;
                m_following[index(Lens::Npu)] = true;
                Q_EMIT followingChanged(Lens::Npu);
            }
        } else if (document.undoStack().canRedo()) {
            followAgain(Lens::Npu);
        } else if (isFollowing(Lens::Npu)) {
            setFollowing(Lens::Npu, false);
            m_npuLeft = true;
        }
    });
    connect(&document, &NpuDocument::resultChanged, this, &LensLinks::announceMakespan);
    connect(&document, &NpuDocument::resultChanged, this, &LensLinks::showInNpu);
    connect(&document, &NpuDocument::nodeChosen, this, [this, &document] {
        if (!m_updating && document.node() && showsWorkload(Lens::Npu) &&
            document.result()->model == m_npuModel)
            selectOperators(*m_npuOf, {m_npu.source[document.result()->graph->nodes[*document.node()].op]});
    });
}

void LensLinks::attach(MappingDocument& document)
{
    connect(&document, &MappingDocument::edited, this, [this] { setFollowing(Lens::Mapping, false); });
}

void LensLinks::opened(Lens lens)
{
    if (lens != Lens::Schedule && m_workspace.schedule().hasProblem())
        setFollowing(lens, false);
}

void LensLinks::followAgain(Lens lens)
{
    m_outdated[index(lens)] = true;
    // Queued, because the document is still emitting its signal.
    QMetaObject::invokeMethod(
        this, [this, lens] { catchUp(lens); }, Qt::QueuedConnection);
}

void LensLinks::setFollowing(Lens lens, bool following)
{
    if (m_following[index(lens)] == following)
        return;
    // The user is asked before NPU and Mapping lose their content. Systolic settings can be restored by undo,
    // so nobody is asked.
    if (following && lens != Lens::Systolic && !m_workspace.mayReplace(lens)) {
        Q_EMIT followingChanged(lens);
        return;
    }
    m_following[index(lens)] = following;
    if (lens == Lens::Npu)
        m_npuLeft = false;
    if (following) {
        const QScopedValueRollback requested(m_followRequested, true);
        m_hasFollowed[index(lens)] = true;
        m_outdated[index(lens)] = true;
        catchUp(lens);
    }
    Q_EMIT followingChanged(lens);
}

void LensLinks::workloadChanged(bool anotherProblem)
{
    if (anotherProblem)
        for (const Lens lens : {Lens::Systolic, Lens::Npu, Lens::Mapping})
            if (!isFollowing(lens) && !m_workspace.isModified(lens)) {
                m_following[index(lens)] = true;
                Q_EMIT followingChanged(lens);
            }
    if (anotherProblem)
        m_shown.fill(false);
    for (const Lens lens : {Lens::Systolic, Lens::Npu, Lens::Mapping})
        m_outdated[index(lens)] = true;
    catchUp(Lens::Systolic);
    for (const Lens lens : {Lens::Npu, Lens::Mapping})
        Q_EMIT outdated(lens);
    announceMakespan();
}

void LensLinks::announceMakespan()
{
    const auto now = makespan();
    if (now == m_announcedMakespan)
        return;
    m_announcedMakespan = now;
    Q_EMIT makespanChanged();
}

void LensLinks::catchUp(Lens lens)
{
    if (!isFollowing(lens) || !m_workspace.schedule().hasProblem() || !m_workspace.has(lens) ||
        !std::exchange(m_outdated[index(lens)], false))
        return;
    // Edits that the user made earlier are not replaced.
    if (!std::exchange(m_hasFollowed[index(lens)], true) && m_workspace.isModified(lens))
        return setFollowing(lens, false);
    const QString before = std::exchange(m_why[index(lens)], QString());
    {
        const QScopedValueRollback updating(m_updating, true);
        lens == Lens::Systolic ? followSystolic() : lens == Lens::Npu ? followNpu() : followMapping();
    }
    if (m_why[index(lens)] != before)
        Q_EMIT whyChanged(lens);
}

bool LensLinks::cannotShowWorkload(Lens lens) const
{
    return isFollowing(lens) && m_workspace.schedule().hasProblem() && m_workspace.has(lens) &&
           !m_shown[index(lens)] && !m_why[index(lens)].isEmpty();
}

bool LensLinks::showsWorkload(Lens lens) const
{
    if (!isFollowing(lens) || !m_workspace.has(lens) || !m_workspace.schedule().hasProblem())
        return false;
    if (lens != Lens::Npu)
        return true;
    return m_npuOf && m_npuOf == m_workspace.schedule().lensModel() &&
           m_workspace.npu().model() == m_npuModel && m_workspace.npu().result();
}

bool LensLinks::isOfWorkload(const npu::NpuModel& model) const
{
    return m_npuOf && m_npuModel.get() == &model && m_workspace.schedule().lensModel() &&
           m_npuOf->workload == m_workspace.schedule().lensModel()->workload;
}

std::optional<LensLinks::Product> LensLinks::product() const
{
    const SnapshotPtr& snapshot = m_workspace.schedule().snapshot();
    if (!snapshot)
        return std::nullopt;
    const Problem& problem = *snapshot->problem;
    const Schedule& schedule = snapshot->schedule;
    const SelectionState& selected = m_workspace.selection().state();
    const auto runs = [&](SubgraphId s, OpId op) {
        return std::ranges::find(schedule[s].ops, op) != schedule[s].ops.end();
    };
    const bool any = selected.subgraph && selected.subgraph->index() < schedule.size();
    const SubgraphId subgraph = any ? *selected.subgraph : SubgraphId(0);
    std::vector<OpId> ops(selected.ops.begin(), selected.ops.end());
    std::erase_if(ops, [&](OpId op) { return op.index() >= problem.opCount(); });
    std::vector<OpId> inside = ops; // the selected ops that belong to the current subgraph
    std::erase_if(inside, [&](OpId op) { return !any || !runs(subgraph, op); });
    if (const auto op = lower::largestProduct(problem, inside))
        return Product{*op, subgraph};
    if (const auto op = lower::largestProduct(problem, ops)) {
        for (std::size_t i = 0; i < schedule.size(); ++i)
            if (runs(SubgraphId(i), *op))
                return Product{*op, SubgraphId(i)};
    }
    if (any) {
        const auto op = lower::largestProduct(problem, schedule[subgraph].ops);
        return op ? std::optional(Product{*op, subgraph}) : std::nullopt;
    }
    return slowestProduct();
}

std::optional<LensLinks::Product> LensLinks::slowestProduct() const
{
    const SnapshotPtr& snapshot = m_workspace.schedule().snapshot();
    if (!snapshot)
        return std::nullopt;
    const Problem& problem = *snapshot->problem;
    const Schedule& schedule = snapshot->schedule;
    std::optional<Product> slowest;
    double most = -1;
    for (std::size_t i = 0; i < snapshot->evaluation.subgraphs.size(); ++i)
        if (const double latency = snapshot->evaluation.subgraphs[i].latency; latency > most)
            if (const auto op = lower::largestProduct(problem, schedule[SubgraphId(i)].ops)) {
                most = latency;
                slowest = Product{*op, SubgraphId(i)};
            }
    return slowest;
}

std::optional<LensLinks::Product> LensLinks::mappable() const
{
    // A depthwise convolution is not lowered to a MatMul, but the Mapping lens can show it as a layer.
    Document& document = m_workspace.schedule();
    constexpr std::size_t kLookedAt = 16;
    const auto& ops = m_workspace.selection().state().ops;
    const lower::ModelOnMachinePtr& model = document.lensModel();
    if (model && ops.size() <= kLookedAt)
        for (const OpId op : ops)
            if (op.index() < model->problem->opCount() && model->problem->op(op).type != OpType::MatMul &&
                lower::layerOf(*model, op))
                for (std::size_t i = 0; i < document.schedule().size(); ++i)
                    if (std::ranges::find(document.schedule()[SubgraphId(i)].ops, op) !=
                        document.schedule()[SubgraphId(i)].ops.end())
                        return Product{op, SubgraphId(i)};
    return product();
}

std::optional<SubgraphId> LensLinks::slowest() const
{
    const SnapshotPtr& snapshot = m_workspace.schedule().snapshot();
    if (!snapshot || snapshot->evaluation.subgraphs.empty())
        return std::nullopt;
    const auto& all = snapshot->evaluation.subgraphs;
    const auto most = std::ranges::max_element(all, {}, &SubgraphEvaluation::latency);
    return SubgraphId(static_cast<std::size_t>(most - all.begin()));
}

std::optional<LensLinks::Product> LensLinks::productFor(Lens lens, std::optional<Product> selected,
                                                        const QString& otherwise)
{
    if (selected)
        return selected;
    const std::optional<Product> slowest = m_shown[index(lens)] ? std::nullopt : slowestProduct();
    m_why[index(lens)] = m_shown[index(lens)] || slowest
                             ? otherwise
                             : tr("This workload has no MatMul, so this lens has nothing to "
                                  "show.");
    return slowest;
}

namespace {

/// Returns the GEMM of a whole product.
systolic::Gemm layerGemm(const Problem& problem, OpId op)
{
    const Tensor& out = problem.tensor(problem.op(op).output);
    return systolic::Gemm{out.height, out.width, problem.reductionSize(op)};
}

/// Returns the GEMM of the largest tile of a product in its subgraph.
std::optional<systolic::Gemm> tileGemm(const Snapshot& snapshot, const LensLinks::Product& at)
{
    const Subgraph& subgraph = snapshot.schedule[at.subgraph];
    const auto run = largestRun(SubgraphPlan(*snapshot.problem, subgraph.ops, snapshot.evaluation.rules),
                                subgraph.granularity, at.op);
    return run ? std::optional(systolic::Gemm{run->rows, run->cols, run->depth}) : std::nullopt;
}

} // namespace

void LensLinks::followSystolic()
{
    Document& document = m_workspace.schedule();
    SystolicDocument& systolic = m_workspace.systolic();
    SystolicSettings settings = systolic.settings();
    if (const auto& machine = document.machine()) {
        const systolic::Hierarchy hierarchy = lower::hierarchyOf(*machine);
        if (m_dataflow != machine->dataflow) {
            m_dataflow = machine->dataflow;
            settings.timing.dataflow = lower::dataflowOf(*machine);
        }
        settings.hierarchy = hierarchy;
    }
    systolic.setEnergyTable(document.machine() ? document.machine()->energy : Machine::Energy{});
    if (const auto at = productFor(Lens::Systolic, product(),
                                   tr("The selected subgraph has no MatMul. The lens still shows the "
                                      "previous one."))) {
        const SnapshotPtr& snapshot = document.snapshot();
        const Problem& problem = *snapshot->problem;
        const auto shown = m_part == SystolicPart::Layer ? std::optional(layerGemm(problem, at->op))
                                                         : tileGemm(*snapshot, *at);
        if (shown) {
            const QString name = QString::fromStdString(problem.opName(at->op));
            if (!(*shown == settings.gemm))
                settings.ownTile.reset();
            settings.gemm = *shown;
            settings.origin =
                (m_part == SystolicPart::Layer
                     ? tr("%1, the whole product").arg(name)
                     : tr("%1, a tile of subgraph %2").arg(name, QString::number(at->subgraph.index())))
                    .toStdString();
            m_origins.insert(settings.origin);
            m_shown[index(Lens::Systolic)] = true;
        }
    }
    m_systolic = settings;
    if (m_followRequested && systolic.isModified())
        systolic.set(settings); // with an undo step, so that the user's settings are not lost
    else
        systolic.follow(settings);
}

void LensLinks::followMapping()
{
    Document& document = m_workspace.schedule();
    MappingDocument& mapping = m_workspace.mapping();
    const lower::ModelOnMachinePtr& model = document.lensModel();
    if (!model) {
        m_why[index(Lens::Mapping)] = tr("This problem cannot be converted to a list of layers.");
        return;
    }
    if (model != m_layersOf) {
        m_layersOf = model;
        m_layers = lower::layersOf(model->model(), model->lowered);
        mapping::Model layers;
        layers.name = model->model().name;
        for (const lower::NamedLayer& layer : m_layers)
            layers.layers.push_back(layer.layer);
        if (!(layers == mapping.model()))
            mapping.openModel(layers);
    }
    m_mapped =
        productFor(Lens::Mapping, mappable(),
                   tr("The selected subgraph has no MatMul and no convolution. The lens still shows the "
                      "previous layer."));
    if (!m_mapped)
        return;
    auto layer = lower::layerOf(*model, m_mapped->op);
    if (!layer) {
        m_why[index(Lens::Mapping)] = sentence(layer.error().message);
        return;
    }
    m_layer = *layer;
    if (const Status followed = mapping.follow(*layer, lower::architectureOf(model->machine)); followed)
        m_shown[index(Lens::Mapping)] = true;
    else
        m_why[index(Lens::Mapping)] = sentence(followed.error().message);
}

void LensLinks::followNpu()
{
    Document& document = m_workspace.schedule();
    NpuDocument& npu = m_workspace.npu();
    const lower::ModelOnMachinePtr& model = document.lensModel();
    if (!model) {
        m_why[index(Lens::Npu)] = tr("This problem cannot be converted to an NPU model.");
        return;
    }
    if (model != m_npuOf) {
        auto lowered = lower::npuOf(*model);
        if (!lowered) {
            m_why[index(Lens::Npu)] = sentence(lowered.error().message);
            return;
        }
        // If only the machine differs, the model object is kept, so that the NPU lens keeps the earlier run
        // as a ghost.
        if (!m_npuOf || m_npuOf->workload != model->workload ||
            m_npuModel->dtypeBytes != lowered->model.dtypeBytes)
            m_npuModel = std::make_shared<const npu::NpuModel>(lowered->model);
        m_npuOf = model;
        m_npu = std::move(*lowered);
        m_hardware = lower::npuHardwareOf(model->machine);
        m_tiling = npu::tilingOf(*m_npuModel);
    }
    NpuSettings settings = npu.settings();
    settings.hardware = m_hardware;
    settings.tiling = m_tiling;
    npu.follow(m_npuModel, settings);
    m_shown[index(Lens::Npu)] = true;
}

Result<Machine> LensLinks::machineOfLens(Lens lens) const
{
    const std::optional<Machine>& machine = m_workspace.schedule().machine();
    if (!machine || !m_workspace.has(lens))
        return Error{ErrorCode::Refused, "no machine is open", {}, {}};
    switch (lens) {
    case Lens::Systolic: {
        const SystolicSettings& s = m_workspace.systolic().settings();
        auto out = lower::withHierarchy(*machine, s.hierarchy);
        if (out && s.timing.dataflow != lower::dataflowOf(*out))
            return withMachineField(*out, "array.dataflow", systolic::dataflowName(s.timing.dataflow));
        return out;
    }
    case Lens::Npu:
        return lower::withNpuHardware(*machine, m_workspace.npu().settings().hardware);
    case Lens::Mapping:
        if (m_workspace.mapping().setup().levels)
            return Error{
                ErrorCode::Refused, "a machine file cannot describe an architecture with levels", {}, {}};
        return lower::withArchitecture(*machine, m_workspace.mapping().setup().architecture);
    case Lens::Schedule:
        break;
    }
    return *machine;
}

Status LensLinks::useInMachine(Lens lens)
{
    const auto machine = machineOfLens(lens);
    if (!machine)
        return machine.error();
    return m_workspace.schedule().setMachine(*machine, tr("Use the hardware of %1").arg(lensName(lens)));
}

std::optional<Granularity> LensLinks::foundTile(mapping::Level level) const
{
    const Schedule& schedule = m_workspace.schedule().schedule();
    if (!showsWorkload(Lens::Mapping) || m_outdated[index(Lens::Mapping)] || !m_mapped || !m_layer ||
        m_mapped->subgraph.index() >= schedule.size() ||
        std::ranges::find(schedule[m_mapped->subgraph].ops, m_mapped->op) ==
            schedule[m_mapped->subgraph].ops.end())
        return std::nullopt;
    const MappingDocument& mapping = m_workspace.mapping();
    if (mapping.isSearchingFirst() || !(mapping.setup().layer == *m_layer) || mapping.setup().levels ||
        mapping.evaluation().violation)
        return std::nullopt;
    return lower::tileOf(mapping.nest(), mapping.setup().method, level);
}

std::optional<LensLinks::TileToTake> LensLinks::tileToTake(mapping::Level level) const
{
    const auto found = foundTile(level);
    if (!found)
        return std::nullopt;
    const Document& document = m_workspace.schedule();
    const Subgraph& subgraph = document.schedule()[m_mapped->subgraph];
    const SubgraphPlan plan(*document.problem(), subgraph.ops, document.rules());
    return TileToTake{m_mapped->subgraph, *found, legalGranularity(plan, *found), subgraph.granularity};
}

void LensLinks::takeTile(mapping::Level level)
{
    const auto tile = tileToTake(level);
    if (!tile)
        return;
    Document& document = m_workspace.schedule();
    m_workspace.selection().selectSubgraph(tile->subgraph);
    document.apply(edit::setGranularity(*document.problem(), document.schedule(), std::array{tile->subgraph},
                                        tile->legal, {document.rules(), false}),
                   tr("Use the tile of the mapping"));
}

void LensLinks::setSystolicPart(SystolicPart part)
{
    if (m_part == part)
        return;
    m_part = part;
    m_outdated[index(Lens::Systolic)] = true;
    catchUp(Lens::Systolic);
    Q_EMIT systolicPartChanged();
}

void LensLinks::showInSystolic(SystolicPart part)
{
    setSystolicPart(part);
    setFollowing(Lens::Systolic, true);
}

std::optional<std::int64_t> LensLinks::makespan() const
{
    Document& document = m_workspace.schedule();
    if (!m_workspace.has(Lens::Npu) || !m_npuModel || m_npuOf != document.lensModel())
        return std::nullopt;
    const NpuDocument& npu = m_workspace.npu();
    const NpuResultPtr& result = npu.result();
    if (!result || result->model != m_npuModel || !(result->settings == npu.settings()) ||
        !(result->settings.hardware == m_hardware))
        return std::nullopt;
    return result->run->makespan;
}

std::optional<double> LensLinks::makespanOfFloor()
{
    const auto cycles = makespan();
    if (!cycles)
        return std::nullopt;
    const std::int64_t cores = m_workspace.npu().settings().hardware.cores;
    if (m_floor.first != m_npuOf || m_floor.second->cores != cores)
        m_floor = {m_npuOf, lower::floorOf(*m_npuOf, cores)};
    return lower::multipleOfFloor(*m_npuOf, *m_floor.second,
                                  static_cast<double>(*cycles) /
                                      static_cast<double>(m_npuOf->lowered.timeUnit));
}

// -- selection -------------------------------------------------------------------------------------------

void LensLinks::showInNpu()
{
    if (!showsWorkload(Lens::Npu) || m_workspace.npu().result()->model != m_npuModel)
        return;
    const SelectionState& state = m_workspace.selection().state();
    std::set<OpId> ops = state.ops;
    const Schedule& schedule = m_workspace.schedule().schedule();
    if (ops.empty() && state.subgraph && state.subgraph->index() < schedule.size())
        ops.insert(schedule[*state.subgraph].ops.begin(), schedule[*state.subgraph].ops.end());
    if (ops.empty())
        return;
    NpuDocument& npu = m_workspace.npu();
    std::vector<char> selected(m_npuOf->model().operators.size(), 0);
    for (const OpId op : ops)
        if (op.index() < m_npuOf->lowered.source.size())
            selected[m_npuOf->operatorOf(op).index()] = 1;
    const auto wanted = [&](const npu::TileNode& n) { return selected[m_npu.source[n.op].index()] != 0; };
    const auto& nodes = npu.result()->graph->nodes;
    if (npu.node() && wanted(nodes[*npu.node()]))
        return;
    const QScopedValueRollback updating(m_updating, true);
    const auto first = std::ranges::find_if(nodes, wanted);
    if (first != nodes.end())
        npu.selectNode(static_cast<std::uint32_t>(first - nodes.begin()));
}

bool LensLinks::selectLayer(const std::string& name)
{
    const lower::ModelOnMachinePtr& model = m_workspace.schedule().lensModel();
    const auto layer = std::ranges::find(m_layers, name, [](const auto& l) { return l.layer.name; });
    if (!model || m_layersOf != model || layer == m_layers.end() || !isFollowing(Lens::Mapping))
        return false;
    std::vector<OperatorId> operators;
    for (std::size_t i = 0; i < model->lowered.report.nodes.size(); ++i)
        if (std::ranges::find(layer->operators, model->lowered.report.nodes[i].name) !=
            layer->operators.end())
            operators.emplace_back(i);
    selectOperators(*model, operators);
    return true;
}

std::string LensLinks::selectedLayer() const
{
    const auto& ops = m_workspace.selection().state().ops;
    if (!m_layersOf || m_layersOf != m_workspace.schedule().lensModel() || ops.empty() ||
        ops.begin()->index() >= m_layersOf->lowered.source.size())
        return {};
    const std::string& name =
        m_layersOf->lowered.report.nodes[m_layersOf->operatorOf(*ops.begin()).index()].name;
    for (const lower::NamedLayer& layer : m_layers)
        if (std::ranges::find(layer.operators, name) != layer.operators.end())
            return layer.layer.name;
    return {};
}

namespace {

bool isOf(const lower::ModelOnMachine& model, OpId op, const lower::GemmLayer& layer)
{
    return op.index() < model.lowered.source.size() && lower::gemmOf(model.lowered, op) == layer.gemm &&
           std::ranges::find(layer.operators,
                             model.lowered.report.nodes[model.operatorOf(op).index()].name) !=
               layer.operators.end();
}

} // namespace

bool LensLinks::selectProduct(const lower::GemmLayer& layer)
{
    const lower::ModelOnMachinePtr& model = m_workspace.schedule().lensModel();
    std::set<OpId> ops;
    for (std::size_t i = 0; model && i < model->lowered.source.size(); ++i)
        if (isOf(*model, OpId(i), layer))
            ops.insert(OpId(i));
    if (ops.empty())
        return false;
    m_workspace.selection().selectOps(std::move(ops));
    return true;
}

bool LensLinks::isProductOf(const lower::GemmLayer& layer) const
{
    const lower::ModelOnMachinePtr& model = m_workspace.schedule().lensModel();
    const auto at = product();
    return model && at && isOf(*model, at->op, layer);
}

void LensLinks::selectOperators(const lower::ModelOnMachine& model, const std::vector<OperatorId>& operators)
{
    std::set<OpId> ops;
    for (const OperatorId o : operators)
        for (const OpId op : model.opsOf(o))
            ops.insert(op);
    if (!ops.empty())
        m_workspace.selection().selectOps(std::move(ops));
}

} // namespace tilewright::ui
