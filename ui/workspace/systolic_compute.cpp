// SPDX-License-Identifier: GPL-3.0-or-later
// Computation of the results of the Systolic lens: pure functions of the settings, run on a pool thread.
#include "theme/words.h"
#include "workspace/systolic_document.h"

#include <QElapsedTimer>

#include <algorithm>

namespace tilewright::ui {

namespace {

constexpr std::int64_t kListedSteps = std::int64_t{1} << 24;    // limit for counting bank conflicts
constexpr std::int64_t kSimulatedSteps = std::int64_t{1} << 18; // limit for the Belady simulation

/// Message of an error without its path, which refers to a field of a file.
QString sentence(const Error& error)
{
    return ui::sentence(error.message);
}

/// Tile in use: chosen by the user or by the method.
Result<systolic::TileChoice> currentTile(const SystolicSettings& s)
{
    return s.ownTile ? systolic::describeTile(s.tileQuery(), *s.ownTile)
                     : systolic::chooseTile(s.tileQuery(), s.method);
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
    for (std::uint32_t c = 0; c < program.commands.size(); ++c)
        if (const auto r = systolic::resourceOf(program.commands[c].kind)) {
            const systolic::PipelineEvent& e = run.events[c];
            lanes[first[static_cast<std::size_t>(*r)] + static_cast<std::size_t>(e.unit)].bars.push_back(
                {e.start, e.end, c});
        }
    return lanes;
}

std::shared_ptr<const PipelineResult> computePipeline(const SystolicSettings& s)
{
    auto out = std::make_shared<PipelineResult>();
    out->of = s;
    out->machine = s.unlimitedBandwidth ? systolic::PipelineMachine{} : systolic::machineOf(s.hierarchy);
    systolic::ProgramOptions options;
    options.gemm = s.gemm;
    options.array = s.hierarchy.array;
    options.dataflow = s.timing.dataflow;
    options.weightBuffers = s.timing.weightBuffers;
    options.depth = s.depth;
    if (s.ownTile) {
        options.tile = s.ownTile;
        options.depth = systolic::deepestStep(s.hierarchy, *s.ownTile, s.timing.dataflow);
    }
    options.elementBytes = s.hierarchy.elementBytes;
    options.layout = s.layout;
    options.banks = s.banks();
    options.l3Bytes = s.hierarchy.at(systolic::Level::L3).totalBytes();
    options.capacityBytes = systolic::capacitiesOf(s.hierarchy);
    auto compared = systolic::comparePipelines(options, out->machine);
    if (!compared) {
        out->error = sentence(compared.error());
        return out;
    }
    out->comparison = std::move(*compared);
    out->lanes = {pipelineLanes(out->comparison->barriered, out->comparison->barrieredRun, out->machine),
                  pipelineLanes(out->comparison->pipelined, out->comparison->pipelinedRun, out->machine)};
    const auto& commands = out->comparison->pipelined.commands;
    for (std::uint32_t c = 0; c < commands.size(); ++c)
        if (commands[c].kind == systolic::CommandKind::Compute)
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
        (void)systolic::chooseTile(query, m); // warm-up: exclude the one-time setup from the timing
        QElapsedTimer timer;
        timer.start();
        const auto pick = systolic::chooseTile(query, m);
        out->microseconds[i] = static_cast<double>(timer.nsecsElapsed()) / 1000;
        if (pick)
            out->picks[i] = *pick;
        else if (out->error.isEmpty())
            out->error = sentence(pick.error());
    }
    if (const auto current = currentTile(s))
        out->current = *current;
    return out;
}

std::shared_ptr<const LevelsResult> computeLevels(const SystolicSettings& s, const Progress& progress)
{
    auto out = std::make_shared<LevelsResult>();
    out->of = s;
    out->corrections = systolic::seedCorrections();
    const systolic::Hierarchy& h = s.hierarchy;
    const systolic::TileShape arrayTile{std::min(s.gemm.m, h.array.rows), std::min(s.gemm.n, h.array.cols),
                                        std::min(s.gemm.k, s.depth)};
    out->nM = ceilDiv(s.gemm.m, arrayTile.ti);
    out->nN = ceilDiv(s.gemm.n, arrayTile.tj);
    out->nK = ceilDiv(s.gemm.k, arrayTile.tk);
    const auto refuse = [&](const Error& error) {
        if (out->error.isEmpty())
            out->error = sentence(error);
    };
    auto plans =
        systolic::l2Schedules(s.gemm, arrayTile, h.elementBytes, h.at(systolic::Level::L2).totalBytes(),
                              std::min<std::int64_t>(2, out->nK));
    if (plans) {
        out->plans = std::move(*plans);
        out->bestPlan = systolic::bestL2Schedule(out->plans);
    } else {
        refuse(plans.error());
    }
    const bool countable =
        static_cast<double>(out->nM) * static_cast<double>(out->nN) * static_cast<double>(out->nK) <=
        static_cast<double>(kListedSteps);
    for (const systolic::BankLayout layout : {systolic::BankLayout::Seed, systolic::BankLayout::Split}) {
        const auto i = static_cast<std::size_t>(layout);
        out->banks[i] = {layout, s.banks(), out->nN, out->nK};
        if (!countable)
            continue;
        if (auto conflicts = systolic::bankConflicts(out->banks[i], out->nM, 200))
            out->conflicts[i] = std::move(*conflicts);
    }
    const auto tile = currentTile(s);
    if (!tile) {
        refuse(tile.error());
        return out;
    }
    out->tile = tile->tile;
    out->constraints =
        systolic::tileConstraints(h, s.gemm, out->tile, std::max<std::int64_t>(1, s.buffering));
    out->reuse = systolic::reuseFactors(s.gemm, out->tile);
    if (auto roofline = systolic::multiLevelRoofline(h, s.gemm, s.timing, out->tile))
        out->roofline = std::move(*roofline);
    else
        refuse(roofline.error());
    if (auto compared = systolic::compareDataflows(h, s.gemm, out->tile, s.timing, s.supply))
        out->dataflows = *compared;
    if (auto levels = systolic::threeLevelTiling(h, s.gemm, {.footprint = s.footprint}))
        out->levels = *levels;

    systolic::DramQuery q;
    q.gemm = s.gemm;
    q.tile = out->tile;
    q.elementBytes = h.elementBytes;
    q.l3Bytes = h.at(systolic::Level::L3).totalBytes();
    const double steps = static_cast<double>(out->reuse.nM) * static_cast<double>(out->reuse.nN) *
                         static_cast<double>(out->reuse.nK);
    const bool simulated = steps <= static_cast<double>(kSimulatedSteps);
    if (systolic::checkDramQuery(q)) {
        for (const systolic::LoopOrder order : systolic::kLoopOrders) {
            q.order = order;
            LevelsResult::Order row{order, systolic::dramClosedForm(q), {}};
            if (simulated) {
                q.replacement = systolic::Replacement::Belady;
                if (const auto belady = systolic::simulateDram(q, progress))
                    row.belady = *belady;
                q.replacement = systolic::Replacement::Lru;
            }
            out->orders.push_back(row);
        }
        if (simulated)
            if (auto adaptive = systolic::adaptiveStationary(q, progress))
                out->adaptive = std::move(*adaptive);
    }
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
    if (!simulator->run(progress)) // fills the checkpoints, so that seeking is fast
        return nullptr;
    simulator->seek(0);
    out->simulator.emplace(std::move(*simulator));
    return out;
}

} // namespace tilewright::ui
