// SPDX-License-Identifier: GPL-3.0-or-later
// Computation of the results of the Systolic lens: pure functions of the settings, run on a pool thread.
#include "theme/words.h"
#include "workspace/systolic_document.h"

#include <QElapsedTimer>

#include <algorithm>

namespace tilewright::ui {

namespace {

constexpr std::size_t kListedConflicts = 200;
constexpr std::int64_t kSimulatedSteps = std::int64_t{1} << 18; // limit for the Belady simulation

/// Message of an error without its path, which refers to a field of a file.
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
    const verbs::SystolicRequest request = verbs::requestOf(s);
    out->machine = verbs::pipelineMachine(request);
    auto compared =
        systolic::comparePipelines(verbs::programOptions(request, s.timing.dataflow), out->machine);
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
    verbs::SystolicRequest request = verbs::requestOf(s);
    if (auto l2 = verbs::l2Figures(request))
        out->l2 = std::move(*l2);
    else
        refuse(l2.error());
    for (const systolic::BankLayout layout : {systolic::BankLayout::Seed, systolic::BankLayout::Split})
        if (auto conflicts = out->l2.conflicts(layout, kListedConflicts))
            out->conflicts[static_cast<std::size_t>(layout)] = std::move(*conflicts);
    auto tile = verbs::tileOfProduct(verbs::tileRequestOf(s));
    if (!tile) {
        refuse(tile.error());
        return out;
    }
    request.tile = tile->choice.tile;
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
    if (!simulator->run(progress)) // fills the checkpoints, so that seeking is fast
        return nullptr;
    simulator->seek(0);
    out->simulator.emplace(std::move(*simulator));
    return out;
}

} // namespace tilewright::ui
