// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/plan/check_schedule.h"

#include "base/integer.h"
#include "eval/evaluation.h"
#include "place/step_items.h"
#include "schedule/schedule.h"
#include "schedule/schedule_json.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

namespace tilewright {

namespace {

/// Number of steps that the explaining evaluator would list for a schedule.
double stepCount(const Problem& problem, const Schedule& schedule)
{
    double steps = 0;
    for (const SubgraphPtr& s : schedule.subgraphs) {
        double tiles = 1;
        double depth = 1;
        for (const OpId o : s->ops) {
            const Tensor& out = problem.tensor(problem.op(o).output);
            const auto count = [](std::int64_t extent, std::int64_t part) {
                return static_cast<double>(ceilDiv(extent, std::max<std::int64_t>(part, 1)));
            };
            tiles = std::max(tiles, count(out.height, s->granularity.h) * count(out.width, s->granularity.w));
            depth = std::max(depth, count(problem.reductionSize(o), s->granularity.k));
        }
        steps += tiles * depth;
    }
    return steps;
}

/// Maximum number of nodes of the search that places buffers; this many take about a tenth of a second. If a
/// schedule needs more, its buffers count as not placeable.
constexpr std::int64_t kMostNodes = 20'000;
/// Maximum number of retained tensors that may be removed so that all buffers get addresses.
constexpr int kMostRemoved = 16;

/// Returns the schedule without retaining the tensor in subgraphs `first` to `last`. Locked subgraphs stay
/// unchanged.
Schedule withoutRetaining(const Schedule& schedule, TensorId tensor, SubgraphId first, SubgraphId last)
{
    Schedule out = schedule;
    for (std::size_t i = first.index(); i <= last.index(); ++i) {
        const Subgraph& s = *schedule.subgraphs[i];
        if (s.locked || std::find(s.retain.begin(), s.retain.end(), tensor) == s.retain.end())
            continue;
        Subgraph less = s;
        std::erase(less.retain, tensor);
        out.subgraphs[i] = std::make_shared<const Subgraph>(std::move(less));
    }
    return out;
}

} // namespace

void keepWritable(const Problem& problem, Schedule& schedule)
{
    std::vector<std::pair<double, std::size_t>> listed; // number of tiles of a subgraph, and its index
    double sum = 0;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const Subgraph& s = schedule[SubgraphId(i)];
        if (s.traversal.kind() == TraversalKind::Raster || s.traversal.kind() == TraversalKind::Custom)
            continue;
        const TileGrid grid = tileGrid(problem, s.ops, s.granularity);
        const double tiles = static_cast<double>(grid.rows) * static_cast<double>(grid.cols);
        sum += tiles;
        if (!s.locked)
            listed.emplace_back(tiles, i);
    }
    std::ranges::sort(listed, std::greater());
    for (std::size_t i = 0; sum > static_cast<double>(kMaxListedTiles) && i < listed.size(); ++i) {
        SubgraphPtr& subgraph = schedule.subgraphs[listed[i].second];
        Subgraph raster = *subgraph;
        raster.traversal = TraversalKind::Raster;
        subgraph = std::make_shared<const Subgraph>(std::move(raster));
        sum -= listed[i].first;
    }
}

std::optional<Checked> verifySchedule(const Problem& problem, const Schedule& schedule, const Rules& rules,
                                      double maxExplainedSteps)
{
    const Evaluation evaluation = stepCount(problem, schedule) <= maxExplainedSteps
                                      ? evaluateByTrace(problem, schedule, rules)
                                      : evaluate(problem, schedule, rules);
    if (!evaluation.valid())
        return std::nullopt;
    Checked checked{evaluation.total, {}, evaluation.energy};
    for (const SubgraphEvaluation& s : evaluation.subgraphs)
        checked.latencies.push_back(s.latency);
    return checked;
}

std::optional<Checked> verifySchedule(const Problem& problem, Schedule& schedule, const SolveOptions& options,
                                      double maxExplainedSteps)
{
    keepWritable(problem, schedule);
    const auto verified = [&](const Schedule& s) {
        return violations(problem, options.rules, s, options.constraints).empty()
                   ? verifySchedule(problem, s, options.rules, maxExplainedSteps)
                   : std::nullopt;
    };
    std::optional<Checked> checked = verified(schedule);
    if (!options.placeable)
        return checked;
    PlacementOptions quick;
    quick.maxNodes = kMostNodes;
    quick.onlyWhetherItFits = true;
    for (int removed = 0; checked; ++removed) {
        const auto placed = placeSchedule(problem, schedule, options.rules, {options.stop, {}}, quick);
        if (!placed)
            return std::nullopt;
        if (placed->placement.height <= problem.capacityUnits())
            return checked;
        const auto conflict = placementConflict(problem, *placed);
        if (!conflict || removed == kMostRemoved)
            return std::nullopt;
        // Among the retained tensors that take part in the placement conflict, find the one whose removal
        // costs least latency.
        std::optional<Checked> best;
        Schedule bestSchedule;
        for (const std::size_t i : conflict->items) {
            const StepItem& item = placed->items.items[i];
            if (item.what.kind != Resident::Kind::Retained)
                continue;
            Schedule less = withoutRetaining(schedule, item.what.tensor, item.subgraph, item.lastSubgraph);
            auto lessChecked = verified(less);
            if (!lessChecked || less == schedule || (best && best->total <= lessChecked->total))
                continue;
            best = std::move(lessChecked);
            bestSchedule = std::move(less);
        }
        checked = std::move(best);
        if (checked)
            schedule = std::move(bestSchedule);
    }
    return checked;
}

} // namespace tilewright
