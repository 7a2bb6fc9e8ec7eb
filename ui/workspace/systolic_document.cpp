// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/systolic_document.h"

#include "base/integer.h"
#include "theme/text.h"

#include <QElapsedTimer>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilewright::ui {

namespace {

/// Returns the initial cycle of the cursor: half-way through filling the array, so that a wavefront is
/// visible.
std::int64_t openingCycle(const systolic::FoldPlan& plan)
{
    return plan.start(0) + (std::min(plan.array().rows, plan.gemm().m) + plan.array().cols) / 2;
}

} // namespace

SystolicDocument::SystolicDocument()
    : LensDocument(Lens::Systolic), m_plan(m_settings.gemm, m_settings.hierarchy.array, m_settings.timing)
{
    m_pipelineJob = std::make_unique<LatestJob<std::shared_ptr<const PipelineResult>>>(
        [this](std::shared_ptr<const PipelineResult> r) {
            m_pipeline = std::move(r);
            setCycle(m_cycle); // also updates the linked cursor of the pipeline
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

SystolicDocument::~SystolicDocument() = default;

Status SystolicDocument::open(const LensFile& file)
{
    const auto refuse = [this](const Error& error) {
        m_error = QString::fromStdString(error.text());
        Q_EMIT errorChanged();
        return error;
    };
    if (file.kind == FileKind::SystolicSettings) {
        const auto read = systolic::parseSettings(file.text(), file.name());
        if (!read)
            return refuse(read.error());
        fileOpened(file.path, file.text());
        assign(*read);
        return Unit{};
    }
    const auto hierarchy = systolic::parseHierarchy(file.text(), file.name());
    if (!hierarchy)
        return refuse(hierarchy.error());
    SystolicSettings next = m_settings;
    next.hierarchy = *hierarchy;
    if (!set(next))
        return Error{ErrorCode::Problem, m_error.toStdString(), {}, file.name()};
    return Unit{};
}

Result<std::string> SystolicDocument::fileText() const
{
    return settingsJson(m_settings);
}

QString SystolicDocument::suggestedName() const
{
    const systolic::Gemm& g = m_settings.gemm;
    return QStringLiteral("gemm-%1x%2x%3.systolic.json").arg(g.m).arg(g.n).arg(g.k);
}

namespace {

QString editText(const SystolicSettings& before, const SystolicSettings& after)
{
    if (!(after.gemm == before.gemm))
        return tr("Change the GEMM");
    if (!(after.hierarchy.array == before.hierarchy.array))
        return tr("Change the array");
    if (!(after.hierarchy == before.hierarchy))
        return tr("Change the memories");
    if (after.ownTile != before.ownTile || after.method != before.method ||
        after.searchedTile != before.searchedTile)
        return tr("Choose a tile");
    if (after.schedule != before.schedule || after.passes != before.passes)
        return tr("Choose a schedule of L2");
    return tr("Change the settings");
}

} // namespace

bool SystolicDocument::set(const SystolicSettings& settings)
{
    const Status ok = checkSettings(settings);
    m_error = ok ? QString() : QString::fromStdString(ok.error().text());
    Q_EMIT errorChanged();
    if (!ok)
        return false;
    if (!(settings == m_settings))
        undoStack().push(new ValueCommand<SystolicSettings>(
            m_settings, settings, [this](const SystolicSettings& s) { assign(s); },
            editText(m_settings, settings)));
    return true;
}

void SystolicDocument::follow(const SystolicSettings& settings)
{
    if (const Status ok = checkSettings(settings); !ok) {
        m_error = sentence(ok.error().message);
        Q_EMIT errorChanged();
        return;
    }
    if (settings == m_settings)
        return;
    // The settings do not belong to the file any more, because they have another GEMM or hierarchy.
    if (!path().isEmpty() &&
        !(settings.gemm == m_settings.gemm && settings.hierarchy == m_settings.hierarchy))
        fileOpened({}, {});
    assign(settings);
}

void SystolicDocument::assign(const SystolicSettings& settings)
{
    const bool other = !sameArrayRun(settings, m_settings);
    m_settings = settings;
    m_error.clear();
    refreshTiming();
    if (other)
        m_cycle = openingCycle(m_plan);
    setCycle(m_cycle);
    Q_EMIT changed();
}

void SystolicDocument::setEnergyTable(const Machine::Energy& table)
{
    if (table == m_energyTable)
        return;
    m_energyTable = table;
    Q_EMIT levelsChanged();
}

void SystolicDocument::setGemm(const systolic::Gemm& gemm, const QString& origin)
{
    SystolicSettings next = m_settings;
    next.gemm = gemm;
    next.origin = origin.toStdString();
    next.ownTile.reset();
    set(next);
}

void SystolicDocument::chooseTile(std::optional<systolic::TileShape> tile,
                                  std::optional<systolic::TileMethod> method)
{
    SystolicSettings next = m_settings;
    next.ownTile = tile;
    if (method) {
        next.method = *method;
        next.searchedTile = true;
    }
    set(next);
}

void SystolicDocument::refreshTiming()
{
    const systolic::ArrayShape& array = m_settings.hierarchy.array;
    m_plan = systolic::FoldPlan(m_settings.gemm, array, m_settings.timing);
    m_timing = systolic::arrayTiming(m_settings.gemm, array, m_settings.timing);
    m_phases.reset();
    if (std::max(array.rows, array.cols) <= verbs::kMaxPhasesSide)
        m_phases = m_plan.phases();
}

Simulation* SystolicDocument::simulation() const
{
    return m_simulation && sameArrayRun(m_simulation->of, m_settings) ? m_simulation.get() : nullptr;
}

const systolic::PipelineComparison* SystolicDocument::comparison() const
{
    return m_pipeline && m_pipeline->comparison && samePrograms(m_pipeline->of, m_settings)
               ? &*m_pipeline->comparison
               : nullptr;
}

std::int64_t SystolicDocument::cycles() const
{
    const Simulation* s = simulation();
    return std::max<std::int64_t>(1, s && s->clock ? s->clock->cycles() : m_plan.cycles());
}

bool SystolicDocument::cursorsLinked() const
{
    // The cursors are linked if the program uses the tiles of the array: then operand k of fold f belongs to
    // k step k / depth of output tile f. If the user has chosen a tile, or the memory is too small, the tiles
    // are different.
    const systolic::PipelineComparison* p = comparison();
    return p && p->has(systolic::ProgramStyle::Pipelined) &&
           m_settings.timing.dataflow == systolic::Dataflow::Os &&
           m_settings.timing.readout == systolic::Readout::Shadow && m_settings.supply.unlimited() &&
           p->pipelined.nK == ceilDiv(m_settings.gemm.k, m_settings.depth) &&
           std::ssize(m_pipeline->computes) == m_plan.folds() * p->pipelined.nK;
}

void SystolicDocument::setCycle(std::int64_t cycle)
{
    m_cycle = std::clamp<std::int64_t>(cycle, 0, cycles() - 1);
    if (cursorsLinked()) {
        const systolic::PipelineComparison& p = *comparison();
        const std::int64_t fold = m_plan.foldStartedAt(m_cycle);
        const std::int64_t since = m_cycle - m_plan.start(fold);
        const std::int64_t k = std::min(since, m_settings.gemm.k - 1);
        const auto n = static_cast<std::size_t>(fold * p.pipelined.nK + k / m_settings.depth);
        // After the last operand has entered, the array drains.
        m_pipelineTime =
            p.pipelinedRun.events[m_pipeline->computes[n]].start + k % m_settings.depth + since - k;
    }
    Q_EMIT cycleChanged();
}

void SystolicDocument::setPipelineTime(std::int64_t time)
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

void SystolicDocument::setPinned(bool pinned)
{
    m_pinned = pinned && comparison() ? m_pipeline : nullptr;
    Q_EMIT pipelineChanged();
}

void SystolicDocument::needPipeline()
{
    if (m_askedPipeline && samePrograms(*m_askedPipeline, m_settings))
        return;
    m_askedPipeline = m_settings;
    if (std::exchange(m_longPipeline, false))
        m_pipelineJob->cancel();
    m_pipelineJob->request([s = m_settings](std::stop_token stop) {
        return computePipeline(s, false, {stop, {}});
    });
}

void SystolicDocument::runPipeline()
{
    m_askedPipeline = m_settings;
    m_longPipeline = true;
    m_pipelineJob->request([s = m_settings](std::stop_token stop) {
        return computePipeline(s, true, {stop, {}});
    });
}

void SystolicDocument::needTiles()
{
    if (m_askedTiles == m_settings)
        return;
    m_askedTiles = m_settings;
    m_tilesJob->request([s = m_settings](std::stop_token) { return computeTiles(s); });
}

void SystolicDocument::needLevels()
{
    if (m_askedLevels == m_settings)
        return;
    m_askedLevels = m_settings;
    m_levelsJob->request([s = m_settings](std::stop_token stop) { return computeLevels(s, {stop, {}}); });
}

void SystolicDocument::needSimulation()
{
    if (m_askedSimulation && sameArrayRun(*m_askedSimulation, m_settings))
        return;
    m_askedSimulation = m_settings;
    m_simulationJob->request([s = m_settings](std::stop_token stop) {
        return computeSimulation(s, {stop, {}});
    });
}

void SystolicDocument::waitIdle()
{
    m_pipelineJob->waitIdle();
    m_tilesJob->waitIdle();
    m_levelsJob->waitIdle();
    m_simulationJob->waitIdle();
}

// Computation of the results of the Systolic lens: pure functions of the settings, run on a pool thread.

namespace {

constexpr std::size_t kListedConflicts = 200;
// Maximum number of steps for the simulation of Belady replacement.
constexpr std::int64_t kSimulatedSteps = std::int64_t{1} << 18;

/// Returns the message of an error without its path, because the path refers to a field of a file.
QString sentence(const Error& error)
{
    return ui::sentence(error.message);
}

} // namespace

std::vector<PipelineLane> pipelineLanes(const systolic::Program& program, const systolic::PipelineRun& run,
                                        const systolic::PipelineMachine& machine)
{
    std::vector<PipelineLane> lanes;
    std::array<std::size_t, 5> first{};
    for (const systolic::Resource r : systolic::kResources) {
        first[static_cast<std::size_t>(r)] = lanes.size();
        for (std::int64_t u = 0; u < machine.at(r).units; ++u)
            lanes.push_back({r, static_cast<std::int32_t>(u), {}});
    }
    if (run.overview) {
        for (std::size_t unit = 0; unit < lanes.size(); ++unit)
            for (const systolic::RunOverview::Piece& p : run.overview->pieces(unit))
                lanes[unit].bars.push_back({p.from, p.to, static_cast<std::uint32_t>(p.kind)});
        return lanes;
    }
    for (std::uint32_t c = 0; c < program.commands.size(); ++c)
        if (const auto r = systolic::resourceOf(program.commands[c].kind)) {
            const systolic::PipelineEvent& e = run.events[c];
            lanes[first[static_cast<std::size_t>(*r)] + static_cast<std::size_t>(e.unit)].bars.push_back(
                {e.start, e.end, c});
        }
    return lanes;
}

std::shared_ptr<const PipelineResult> computePipeline(const SystolicSettings& s, bool anyLength,
                                                      const Progress& progress)
{
    auto out = std::make_shared<PipelineResult>();
    out->of = s;
    const verbs::SystolicRequest request = verbs::requestOf(s);
    out->machine = verbs::pipelineMachine(request);
    systolic::ProgramOptions options = verbs::programOptions(request, s.timing.dataflow);
    std::int64_t commands = 0;
    for (const auto style : {systolic::ProgramStyle::Barriered, systolic::ProgramStyle::Pipelined}) {
        options.style = style;
        if (systolic::checkLength(options, 0)) // programs that are too long are refused at once
            commands = saturatingAdd(commands, systolic::commandsOf(options).value_or(0));
    }
    if (!anyLength && commands > systolic::kMaxCommandsUnasked) {
        out->waiting = commands;
        out->error = tr("%1 commands, about %2 s: press Simulate")
                         .arg(number(commands), number(std::ceil(systolic::secondsOf(commands))));
        return out;
    }
    auto compared = systolic::comparePipelines(options, out->machine, progress);
    if (!compared) {
        out->error = sentence(compared.error());
        return out;
    }
    out->comparison = std::move(*compared);
    using systolic::ProgramStyle;
    if (out->comparison->has(ProgramStyle::Barriered))
        out->lanes[0] =
            pipelineLanes(out->comparison->barriered, out->comparison->barrieredRun, out->machine);
    if (out->comparison->has(ProgramStyle::Pipelined))
        out->lanes[1] =
            pipelineLanes(out->comparison->pipelined, out->comparison->pipelinedRun, out->machine);
    const auto& pipelined = out->comparison->pipelined.commands;
    for (std::uint32_t c = 0; c < pipelined.size(); ++c)
        if (pipelined[c].kind == systolic::CommandKind::Compute)
            out->computes.push_back(c);
    return out;
}

std::shared_ptr<const TileResult> computeTiles(const SystolicSettings& s)
{
    auto out = std::make_shared<TileResult>();
    out->of = s;
    const systolic::TileQuery query = s.tileQuery();
    auto landscape = systolic::tileLandscape(query);
    if (!landscape) {
        out->error = sentence(landscape.error());
        return out;
    }
    out->landscape = std::move(*landscape);
    for (const systolic::TileMethod m :
         {systolic::TileMethod::Analytic, systolic::TileMethod::Exhaustive, systolic::TileMethod::Learned}) {
        const auto i = static_cast<std::size_t>(m);
        // First call without timing, because it includes a one-time setup.
        (void)systolic::chooseTile(query, m);
        QElapsedTimer timer;
        timer.start();
        const auto pick = systolic::chooseTile(query, m);
        out->microseconds[i] = static_cast<double>(timer.nsecsElapsed()) / 1000;
        if (pick)
            out->picks[i] = *pick;
        else if (out->error.isEmpty())
            out->error = sentence(pick.error());
    }
    if (auto current = verbs::tileOfProduct(verbs::tileRequestOf(s)))
        out->current = std::move(*current);
    return out;
}

std::shared_ptr<const LevelsResult> computeLevels(const SystolicSettings& s, const Progress& progress)
{
    auto out = std::make_shared<LevelsResult>();
    out->of = s;
    out->corrections = systolic::seedCorrections();
    const auto refuse = [&](const Error& error) {
        if (out->error.isEmpty())
            out->error = sentence(error);
    };
    const verbs::SystolicRequest request = verbs::requestOf(s);
    if (auto l2 = verbs::l2Figures(request))
        out->l2 = std::move(*l2);
    else
        refuse(l2.error());
    for (const systolic::BankLayout layout : {systolic::BankLayout::Seed, systolic::BankLayout::Split})
        if (auto conflicts = out->l2.conflicts(layout, kListedConflicts))
            out->conflicts[static_cast<std::size_t>(layout)] = std::move(*conflicts);
    // The tile of the programs, chosen as in the verb `systolic`: that of the array, unless the settings have
    // another one.
    verbs::TileRequest asked = verbs::tileRequestOf(s);
    asked.given = request.tile.value_or(systolic::arrayTile(s.gemm, s.hierarchy.array, s.timing.dataflow));
    auto tile = verbs::tileOfProduct(asked);
    if (!tile) {
        refuse(tile.error());
        return out;
    }
    if (auto roofline = verbs::rooflineOf(request))
        out->roofline = std::move(*roofline);
    else
        refuse(roofline.error());
    if (auto compared = verbs::dataflowsOf(request))
        out->dataflows = *compared;
    const systolic::ReuseFactors reuse = tile->reuse();
    const bool simulated = saturatingMul(saturatingMul(reuse.nM, reuse.nN), reuse.nK) <= kSimulatedSteps;
    out->orders = verbs::dramOfOrders(*tile, simulated, progress);
    if (simulated)
        verbs::addAdaptive(*tile, progress);
    out->tile = std::move(*tile);
    return out;
}

std::shared_ptr<Simulation> computeSimulation(const SystolicSettings& s, const Progress& progress)
{
    auto out = std::make_shared<Simulation>();
    out->of = s;
    const systolic::FoldPlan plan(s.gemm, s.hierarchy.array, s.timing);
    const systolic::ArrayShape& array = s.hierarchy.array;
    if (!s.supply.unlimited()) {
        if (systolic::checkClockWork(plan, s.supply)) {
            out->clock.emplace(plan, s.supply);
        } else {
            out->note = tr("Too many cycles to simulate the edge FIFOs; they are shown as never empty.");
            return out;
        }
    }
    const double peCycles = static_cast<double>(plan.cycles()) * static_cast<double>(array.rows) *
                            static_cast<double>(array.cols);
    const double elements = static_cast<double>(systolic::compulsoryElements(s.gemm));
    if (peCycles > static_cast<double>(kSimulatedPeCycles) ||
        elements > static_cast<double>(systolic::kMaxSimulatedElements)) {
        out->note = tr("Too large to simulate every register. The MAC that each PE computes is still exact.");
        return out;
    }
    auto simulator = systolic::PeSimulator::createRandom(s.gemm, array, s.timing, 1, s.supply);
    if (!simulator) {
        out->note = sentence(simulator.error());
        return out;
    }
    if (!simulator->run(progress)) // the run stores checkpoints, so that seeking is fast
        return nullptr;
    simulator->seek(0);
    out->simulator.emplace(std::move(*simulator));
    return out;
}

} // namespace tilewright::ui
