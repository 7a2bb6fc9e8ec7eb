// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/systolic_state.h"

#include "canvas/view.h"

#include <QFileInfo>

#include <algorithm>

namespace tilewright::ui {

systolic::TileQuery SystolicSettings::tileQuery() const
{
    systolic::TileQuery q;
    q.gemm = gemm;
    q.array = hierarchy.array;
    q.elementBytes = hierarchy.elementBytes;
    const systolic::MemoryLevel& level = hierarchy.at(tileLevel);
    q.capacityBytes = wholeLevel ? level.totalBytes() : level.bytes;
    q.buffering = buffering;
    q.footprint = footprint;
    return q;
}

std::int64_t SystolicSettings::banks() const
{
    return std::max<std::int64_t>(2, hierarchy.at(systolic::Level::L2).buffers);
}

bool sameArrayRun(const SystolicSettings& a, const SystolicSettings& b)
{
    return a.gemm == b.gemm && a.timing == b.timing && a.hierarchy.array == b.hierarchy.array &&
           a.supply == b.supply;
}

bool samePrograms(const SystolicSettings& a, const SystolicSettings& b)
{
    return a.gemm == b.gemm && a.hierarchy == b.hierarchy && a.unlimitedBandwidth == b.unlimitedBandwidth &&
           a.layout == b.layout && a.depth == b.depth;
}

Status checkSettings(const SystolicSettings& s)
{
    for (const Status& ok : {systolic::checkGemm(s.gemm), systolic::checkArray(s.hierarchy.array),
                             systolic::checkHierarchy(s.hierarchy), systolic::checkSupply(s.supply),
                             systolic::checkTileQuery(s.tileQuery())})
        if (!ok)
            return ok.error();
    if (s.ownTile)
        return systolic::checkTile(s.gemm, *s.ownTile);
    return Unit{};
}

namespace {

/// Half-way into the filling of the array: the first thing seen is a wave, not an empty grid.
std::int64_t openingCycle(const systolic::FoldPlan& plan)
{
    return plan.start(0) + (std::min(plan.array().rows, plan.gemm().m) + plan.array().cols) / 2;
}

} // namespace

SystolicState::SystolicState(QObject* parent)
    : QObject(parent), m_plan(m_settings.gemm, m_settings.hierarchy.array, m_settings.timing)
{
    setObjectName(QStringLiteral("systolic.state"));
    m_pipelineJob = std::make_unique<LatestJob<std::shared_ptr<const PipelineResult>>>(
        [this](std::shared_ptr<const PipelineResult> r) {
            m_pipeline = std::move(r);
            setCycle(m_cycle); // links the pipeline's cursor
            Q_EMIT pipelineChanged();
        });
    m_tilesJob = std::make_unique<LatestJob<std::shared_ptr<const TileResult>>>(
        [this](std::shared_ptr<const TileResult> r) {
            m_tiles = std::move(r);
            Q_EMIT tilesChanged();
        });
    m_levelsJob = std::make_unique<LatestJob<std::shared_ptr<const LevelsResult>>>(
        [this](std::shared_ptr<const LevelsResult> r) {
            m_levels = std::move(r);
            Q_EMIT levelsChanged();
        });
    m_simulationJob = std::make_unique<LatestJob<std::shared_ptr<Simulation>>>(
        [this](std::shared_ptr<Simulation> r) {
            if (!r)
                return;
            m_simulation = std::move(r);
            setCycle(m_cycle);
            Q_EMIT simulationChanged();
        },
        true);
    refreshTiming();
    m_cycle = std::clamp<std::int64_t>(openingCycle(m_plan), 0, cycles() - 1);
}

SystolicState::~SystolicState() = default;

SystolicState* SystolicState::of(const ViewContext& context)
{
    if (auto* state = context.document.findChild<SystolicState*>(QStringLiteral("systolic.state"),
                                                                 Qt::FindDirectChildrenOnly))
        return state;
    auto* state = new SystolicState(&context.document);
    connect(&context.selection, &Selection::gemmRequested, state,
            [state](qint64 m, qint64 n, qint64 k, const QString& origin) {
                state->setGemm({m, n, k}, origin);
            });
    connect(&context.selection, &Selection::lensFileRequested, state,
            [state, document = &context.document](const QString& lens, const QString& path) {
                if (lens != QLatin1String("systolic"))
                    return;
                const auto read = systolic::readHierarchy(path.toStdString());
                if (!read) {
                    const QString why = QString::fromStdString(read.error().text());
                    Q_EMIT state->refused(why);
                    Q_EMIT document->refused(why);
                    return;
                }
                SystolicSettings next = state->settings();
                next.hierarchy = *read;
                state->set(next);
            });
    return state;
}

bool SystolicState::set(const SystolicSettings& settings)
{
    const Status ok = checkSettings(settings);
    const QString error = ok ? QString() : QString::fromStdString(ok.error().text());
    if (!ok) {
        m_error = error;
        Q_EMIT refused(error);
        return false;
    }
    m_error.clear();
    if (settings == m_settings) {
        Q_EMIT refused({});
        return true;
    }
    const bool other = !sameArrayRun(settings, m_settings);
    m_settings = settings;
    refreshTiming();
    if (other)
        m_cycle = openingCycle(m_plan);
    setCycle(m_cycle);
    Q_EMIT changed();
    return true;
}

void SystolicState::setGemm(const systolic::Gemm& gemm, const QString& origin)
{
    SystolicSettings next = m_settings;
    next.gemm = gemm;
    next.origin = origin;
    next.ownTile.reset();
    set(next);
}

void SystolicState::chooseTile(std::optional<systolic::TileShape> tile,
                               std::optional<systolic::TileMethod> method)
{
    SystolicSettings next = m_settings;
    next.ownTile = tile;
    if (method)
        next.method = *method;
    set(next);
}

void SystolicState::refreshTiming()
{
    const systolic::ArrayShape& array = m_settings.hierarchy.array;
    m_plan = systolic::FoldPlan(m_settings.gemm, array, m_settings.timing);
    m_timing = systolic::arrayTiming(m_settings.gemm, array, m_settings.timing);
    constexpr std::int64_t kPhasesSide = 1 << 12;
    m_phases.reset();
    if (std::max(array.rows, array.cols) <= kPhasesSide)
        m_phases = m_plan.phases();
}

Simulation* SystolicState::simulation() const
{
    return m_simulation && sameArrayRun(m_simulation->of, m_settings) ? m_simulation.get() : nullptr;
}

const systolic::PipelineComparison* SystolicState::comparison() const
{
    return m_pipeline && m_pipeline->comparison && samePrograms(m_pipeline->of, m_settings)
               ? &*m_pipeline->comparison
               : nullptr;
}

std::int64_t SystolicState::cycles() const
{
    const Simulation* s = simulation();
    return std::max<std::int64_t>(1, s && s->clock ? s->clock->cycles() : m_plan.cycles());
}

bool SystolicState::cursorsLinked() const
{
    // Fold f, operand k of the array's timetable is k step k / depth of output tile f in the program.
    return comparison() && !m_pipeline->computes.empty() &&
           m_settings.timing.dataflow == systolic::Dataflow::Os &&
           m_settings.timing.readout == systolic::Readout::Shadow && m_settings.supply.unlimited();
}

void SystolicState::setCycle(std::int64_t cycle)
{
    m_cycle = std::clamp<std::int64_t>(cycle, 0, cycles() - 1);
    if (cursorsLinked()) {
        const systolic::PipelineComparison& p = *comparison();
        const std::int64_t fold = m_plan.foldStartedAt(m_cycle);
        const std::int64_t since = m_cycle - m_plan.start(fold);
        const std::int64_t k = std::min(since, m_settings.gemm.k - 1);
        const auto n = static_cast<std::size_t>(fold * p.pipelined.nK + k / m_settings.depth);
        // After the last operand has entered, the wave still runs out of the array.
        m_pipelineTime =
            p.pipelinedRun.events[m_pipeline->computes[n]].start + k % m_settings.depth + since - k;
    }
    Q_EMIT cycleChanged();
}

void SystolicState::setPipelineTime(std::int64_t time)
{
    const systolic::PipelineComparison* p = comparison();
    if (!p)
        return;
    m_pipelineTime =
        std::clamp<std::int64_t>(time, 0, std::max(p->barrieredRun.cycles, p->pipelinedRun.cycles));
    if (cursorsLinked()) {
        const auto& computes = m_pipeline->computes;
        const auto startOf = [&](std::uint32_t c) { return p->pipelinedRun.events[c].start; };
        const auto after = std::partition_point(
            computes.begin(), computes.end(), [&](std::uint32_t c) { return startOf(c) <= m_pipelineTime; });
        m_cycle = 0;
        if (after != computes.begin()) {
            const std::uint32_t command = *(after - 1);
            const auto n = static_cast<std::int64_t>(after - computes.begin()) - 1;
            std::int64_t into = m_pipelineTime - startOf(command);
            if (after != computes.end()) // the array waits for the next step
                into = std::min(into, p->pipelined.commands[command].cycles - 1);
            m_cycle = m_plan.start(n / p->pipelined.nK) + n % p->pipelined.nK * m_settings.depth + into;
        }
        m_cycle = std::clamp<std::int64_t>(m_cycle, 0, cycles() - 1);
    }
    Q_EMIT cycleChanged();
}

void SystolicState::needPipeline()
{
    if (m_askedPipeline && samePrograms(*m_askedPipeline, m_settings))
        return;
    m_askedPipeline = m_settings;
    m_pipelineJob->request([s = m_settings](std::stop_token) { return computePipeline(s); });
}

void SystolicState::needTiles()
{
    if (m_askedTiles == m_settings)
        return;
    m_askedTiles = m_settings;
    m_tilesJob->request([s = m_settings](std::stop_token) { return computeTiles(s); });
}

void SystolicState::needLevels()
{
    if (m_askedLevels == m_settings)
        return;
    m_askedLevels = m_settings;
    m_levelsJob->request([s = m_settings](std::stop_token stop) { return computeLevels(s, {stop, {}}); });
}

void SystolicState::needSimulation()
{
    if (m_askedSimulation && sameArrayRun(*m_askedSimulation, m_settings))
        return;
    m_askedSimulation = m_settings;
    m_simulationJob->request([s = m_settings](std::stop_token stop) {
        return computeSimulation(s, {stop, {}});
    });
}

void SystolicState::waitIdle()
{
    m_pipelineJob->waitIdle();
    m_tilesJob->waitIdle();
    m_levelsJob->waitIdle();
    m_simulationJob->waitIdle();
}

} // namespace tilewright::ui
