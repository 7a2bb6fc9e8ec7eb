// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_state.h"

#include "base/file.h"
#include "npu/generate.h"
#include "views/npu/npu_columns.h"
#include "views/npu/npu_text.h"
#include "workspace/samples.h"

#include <QFileInfo>

#include <algorithm>
#include <set>

namespace tilewright::ui {

namespace {

constexpr const char* kObjectName = "npu.state";
/// DRAM events kept for the zoom to single bursts (40 bytes each); bigger runs show the binned series.
constexpr std::int64_t kKeptDramEvents = 3'000'000;

bool sameOptions(const npu::RunOptions& a, const npu::RunOptions& b)
{
    return a.scheduler == b.scheduler && a.assignment == b.assignment && a.weights == b.weights &&
           a.memoryBoundFirst == b.memoryBoundFirst;
}

/// A graph can be used again when only what its tiles do not depend on differs.
bool sameTiling(npu::NpuHardware a, const npu::NpuHardware& b)
{
    a.cores = b.cores;
    a.name = b.name;
    a.linkBytesPerCycle = b.linkBytesPerCycle;
    a.trunkBytesPerCycle = b.trunkBytesPerCycle;
    a.dram.arbiter = b.dram.arbiter;
    a.dram.rowHitCycles = b.dram.rowHitCycles;
    a.dram.rowMissCycles = b.dram.rowMissCycles;
    return a == b;
}

std::array<npu::Cycle, npu::kCoreStates> stateSums(const npu::NpuRun& run)
{
    std::array<npu::Cycle, npu::kCoreStates> sums{};
    for (const npu::CoreRun& core : run.cores)
        for (std::size_t s = 0; s < npu::kCoreStates; ++s)
            sums[s] += core.cycles[s];
    return sums;
}

} // namespace

bool NpuSettings::operator==(const NpuSettings& other) const
{
    return hardware == other.hardware && sameOptions(options, other.options) && tiling == other.tiling;
}

Result<NpuResultPtr> makeNpuResult(std::shared_ptr<const npu::NpuModel> model, const NpuSettings& settings,
                                   const NpuResultPtr& previous, const Progress& progress)
{
    if (auto checked = npu::checkHardware(settings.hardware); !checked)
        return checked.error();
    auto out = std::make_shared<NpuResult>();
    out->settings = settings;
    out->model = model;
    if (previous && previous->model == model && previous->settings.tiling == settings.tiling &&
        sameTiling(previous->graph->hardware, settings.hardware)) {
        out->graph = previous->graph;
    } else {
        auto graph = npu::buildGraph(npu::withTiling(*model, settings.tiling), settings.hardware);
        if (!graph)
            return graph.error();
        out->graph = std::make_shared<const npu::NpuGraph>(std::move(*graph));
    }
    const npu::NpuGraph& graph = *out->graph;
    std::int64_t bytes = 0;
    for (const npu::TileNode& n : graph.nodes)
        bytes += n.memBytes;
    npu::RunOptions options = settings.options;
    options.recordDram = bytes / settings.hardware.dram.interleaveBytes <= kKeptDramEvents;
    auto run = npu::simulate(graph, settings.hardware, options, progress);
    if (!run)
        return run.error();
    out->run = std::make_shared<const npu::NpuRun>(std::move(*run));
    out->bounds = npu::lowerBounds(graph, settings.hardware);
    out->sentence = QString::fromStdString(npu::explainRun(graph, *out->run, out->bounds));
    out->cp = npu::criticalPaths(graph, settings.hardware);
    out->critical = npu::longestPath(graph, out->cp);
    out->isCritical.assign(graph.nodes.size(), false);
    for (const std::uint32_t n : out->critical)
        out->isCritical[n] = true;
    out->chosenAt.assign(graph.nodes.size(), 0);
    for (const npu::CoreRun& core : out->run->cores)
        for (const npu::Choice& c : core.choices)
            out->chosenAt[c.node] = c.time;
    out->startAt = out->chosenAt; // KV nodes compute nothing: they start when they are taken up
    for (const npu::CoreRun& core : out->run->cores)
        for (const auto* spans : {&core.tensor, &core.vector})
            for (const npu::ComputeSpan& s : *spans)
                out->startAt[s.node] = s.start;
    out->sums = stateSums(*out->run);
    const auto peak = [](const std::vector<npu::TimedValue>& steps) {
        std::int64_t most = 0;
        for (const npu::TimedValue& s : steps)
            most = std::max(most, s.value);
        return most;
    };
    for (const npu::CoreRun& core : out->run->cores)
        out->spmPeaks.push_back(peak(core.spm));
    out->readyPeak = peak(out->run->readySet);
    out->noc = std::make_shared<const RateCurve>(nocCurve(*out, -1));
    return NpuResultPtr(std::move(out));
}

NpuState& NpuState::of(const ViewContext& context)
{
    if (auto* found = context.document.findChild<NpuState*>(QLatin1String(kObjectName)))
        return *found;
    return *new NpuState(&context.document, context.selection);
}

NpuState::NpuState(Document* document, Selection& selection) : QObject(document), m_document(*document)
{
    setObjectName(QLatin1String(kObjectName));
    // Only one run at a time, and a newer one stops the older: it would be outdated anyway.
    m_job = std::make_unique<LatestJob<Delivery>>([this](Delivery d) { deliver(std::move(d)); }, true);
    m_verifyJob = std::make_unique<LatestJob<std::pair<NpuResultPtr, std::vector<npu::RuleCheck>>>>(
        [this](std::pair<NpuResultPtr, std::vector<npu::RuleCheck>> found) {
            if (found.first == m_result)
                m_checks = std::move(found.second);
            Q_EMIT checksChanged();
        });
    m_compareJob = std::make_unique<LatestJob<std::shared_ptr<const NpuComparison>>>(
        [this](std::shared_ptr<const NpuComparison> comparison) {
            m_comparison = std::move(comparison);
            Q_EMIT comparisonChanged();
        },
        true);
    connect(&selection, &Selection::lensFileRequested, this,
            [this](const QString& lens, const QString& path) {
                if (lens == QLatin1String("npu") && !openModel(path))
                    Q_EMIT m_document.refused(m_error);
            });
    // Something to look at from the start: a small sample, or the same model made here.
    const QString sample = samplesFolder() + QStringLiteral("/npu/bert_block.json");
    if (QFileInfo::exists(sample) && openModel(sample))
        return;
    if (auto model = npu::generateBertBlock({})) {
        m_settings.tiling = npu::tilingOf(*model);
        m_model = std::make_shared<const npu::NpuModel>(std::move(*model));
    }
}

NpuState::~NpuState() = default;

void NpuState::setSettings(const NpuSettings& settings)
{
    if (m_settings == settings)
        return;
    m_settings = settings;
    Q_EMIT settingsChanged();
    if (m_started)
        request();
}

Status NpuState::openModel(const QString& path)
{
    auto model = npu::loadModel(path.toStdString());
    if (!model) {
        m_error = refusalText(model.error());
        Q_EMIT resultChanged();
        return model.error();
    }
    if (model->hardware)
        m_settings.hardware = *model->hardware;
    m_settings.tiling = npu::tilingOf(*model);
    m_model = std::make_shared<const npu::NpuModel>(std::move(*model));
    m_path = path;
    m_error.clear();
    Q_EMIT settingsChanged();
    if (m_started)
        request();
    return Unit{};
}

bool NpuState::saveModel(const QString& path)
{
    npu::NpuModel model = npu::withTiling(*m_model, m_settings.tiling);
    if (model.hardware || !(m_settings.hardware == npu::NpuHardware{}))
        model.hardware = m_settings.hardware;
    const Status saved = writeFileAtomically(path.toStdString(), npu::modelToJson(model));
    if (!saved)
        Q_EMIT m_document.refused(QString::fromStdString(saved.error().text()));
    return saved.hasValue();
}

void NpuState::start()
{
    if (m_started)
        return;
    m_started = true;
    request();
}

void NpuState::settle()
{
    start();
    m_job->waitIdle();
    m_verifyJob->waitIdle();
    m_compareJob->waitIdle();
}

bool NpuState::isRefused() const
{
    return !m_error.isEmpty() && m_result && !isBusy() &&
           !(m_result->model == m_model && m_result->settings == m_settings);
}

bool NpuState::isBusy() const
{
    return m_job->isBusy();
}

void NpuState::request()
{
    if (!m_model)
        return;
    m_job->request([model = m_model, settings = m_settings, previous = m_result](std::stop_token stop) {
        auto made = makeNpuResult(model, settings, previous, Progress{stop, {}});
        if (made)
            return Delivery{*made, {}};
        Error error = made.error();
        error.file.clear(); // the file is as good as before
        return Delivery{nullptr, refusalText(error)};
    });
    Q_EMIT busyChanged();
}

void NpuState::deliver(Delivery delivery)
{
    if (!delivery.result) {
        m_error = delivery.error;
        Q_EMIT busyChanged();
        Q_EMIT resultChanged();
        return;
    }
    m_error.clear();
    const bool sameModel = m_result && m_result->model == delivery.result->model;
    if (!sameModel) {
        m_ghost = nullptr;
        m_ghostKept = false;
    } else if (!m_ghostKept) {
        m_ghost = m_result;
    }
    const bool sameGraph = m_result && m_result->graph == delivery.result->graph;
    m_result = std::move(delivery.result);
    m_checks.clear();
    if (!sameGraph) {
        m_node.reset();
        m_hoverNode.reset();
    }
    if (!sameModel || (m_cursor && *m_cursor > m_result->run->makespan))
        m_cursor.reset();
    Q_EMIT busyChanged();
    Q_EMIT resultChanged();
    Q_EMIT checksChanged();
    Q_EMIT nodeChanged();
    Q_EMIT cursorChanged();
}

void NpuState::setGhostKept(bool kept)
{
    if (m_ghostKept == kept)
        return;
    m_ghostKept = kept;
    if (kept)
        m_ghost = m_result;
    Q_EMIT resultChanged();
}

void NpuState::clearGhost()
{
    m_ghost = nullptr;
    m_ghostKept = false;
    Q_EMIT resultChanged();
}

void NpuState::setCursor(std::optional<npu::Cycle> cursor)
{
    if (cursor && m_result)
        cursor = std::clamp<npu::Cycle>(*cursor, 0, m_result->run->makespan);
    if (m_cursor == cursor)
        return;
    m_cursor = cursor;
    Q_EMIT cursorChanged();
}

void NpuState::selectNode(std::optional<std::uint32_t> node)
{
    if (node && (!m_result || *node >= m_result->graph->nodes.size()))
        node.reset();
    if (m_node == node)
        return;
    m_node = node;
    Q_EMIT nodeChanged();
}

void NpuState::setHoverNode(std::optional<std::uint32_t> node)
{
    if (m_hoverNode == node)
        return;
    m_hoverNode = node;
    Q_EMIT nodeChanged();
}

void NpuState::verify()
{
    if (!m_result)
        return;
    m_checks.clear();
    m_verifyJob->request([result = m_result](std::stop_token) {
        std::vector<npu::RuleCheck> checks = npu::verifyGraph(*result->graph);
        for (npu::RuleCheck& check : npu::verifyRun(*result->graph, *result->run))
            checks.push_back(std::move(check));
        return std::pair(result, std::move(checks));
    });
    Q_EMIT checksChanged();
}

bool NpuState::isVerifying() const
{
    return m_verifyJob->isBusy();
}

bool NpuState::isComparing() const
{
    return m_compareJob->isBusy();
}

bool NpuState::isComparisonCurrent(int maxCores) const
{
    return m_comparison && m_result && m_comparison->model == m_result->model &&
           m_comparison->settings == m_result->settings && m_comparisonCores == maxCores;
}

void NpuState::compare(int maxCores)
{
    if (!m_result || isComparisonCurrent(maxCores))
        return;
    m_comparisonCores = maxCores;
    m_compareJob->request([result = m_result, maxCores](std::stop_token stop) {
        auto out = std::make_shared<NpuComparison>();
        out->settings = result->settings;
        out->model = result->model;
        const Progress progress{stop, {}};
        const npu::NpuHardware& hw = result->settings.hardware;
        // Every number of cores for small graphs, doublings for big ones.
        std::set<int> cores{hw.cores};
        const bool big = result->graph->nodes.size() > 20'000;
        for (int n = 1; n <= maxCores; n = big ? 2 * n : n + 1)
            cores.insert(n);
        auto points = npu::scaling(*result->graph, hw, result->settings.options,
                                   std::vector<int>(cores.begin(), cores.end()), progress);
        if (!points) {
            out->error = QString::fromStdString(points.error().text());
            return std::shared_ptr<const NpuComparison>(std::move(out));
        }
        out->points = std::move(*points);
        out->cores = hw.cores;
        for (const npu::Scheduler scheduler : {npu::Scheduler::Static, npu::Scheduler::Dynamic}) {
            npu::RunOptions options = result->settings.options;
            options.scheduler = scheduler;
            const auto run = npu::simulate(*result->graph, hw, options, progress);
            if (!run)
                continue;
            const bool isStatic = scheduler == npu::Scheduler::Static;
            (isStatic ? out->staticMakespan : out->dynamicMakespan) = run->makespan;
            (isStatic ? out->staticSums : out->dynamicSums) = stateSums(*run);
        }
        return std::shared_ptr<const NpuComparison>(std::move(out));
    });
    Q_EMIT comparisonChanged();
}

} // namespace tilewright::ui
