// SPDX-License-Identifier: GPL-3.0-or-later
// Points of the lens mapping, for both cost models.
#include "hierarchy/files.h"
#include "hierarchy/model_search.h"
#include "hierarchy/report.h"
#include "lower/machine_lenses.h"
#include "lower/machine_levels.h"
#include "lower/workload.h"
#include "mapping/model_search.h"
#include "mapping/no_method.h"
#include "sweep/points.h"

#include <array>
#include <utility>

namespace tilewright::sweep {

namespace {

/// The layers of the workload for a point.
Result<mapping::Model> layersAt(const Sweep& sweep, const Point& point, const Machine& machine)
{
    const auto read = workloadAt(sweep, point);
    if (!read)
        return read.error();
    const lower::Workload& workload = **read;
    if (workload.layers)
        return *workload.layers;
    const auto lowered = lower::lowerToProblem(workload.model, machine);
    if (!lowered)
        return lowered.error();
    return lower::layerModel(workload.model, *lowered);
}

/// The architecture with levels for a point: that of the plan, else that of the machine.
Result<hierarchy::Architecture> levelsAt(const Sweep& sweep, const Point& point, const Machine& machine)
{
    if (!sweep.architecture) {
        auto levels = lower::levelsOf(machine);
        return levels ? Result<hierarchy::Architecture>(std::move(levels->architecture)) : levels.error();
    }
    hierarchy::Architecture out = *sweep.architecture;
    for (std::size_t a = 0; a < point.values.size(); ++a) {
        const std::string& name = sweep.plan().axes[a].name;
        if (!dimensionOf(name).empty())
            continue;
        auto changed = hierarchy::withField(out, name, point.values[a].text);
        if (!changed)
            return changed.error();
        out = std::move(*changed);
    }
    return out;
}

/// Computes a point with the cost model of levels. Every objective is searched separately, for a third of the
/// time.
MaybeResult hierarchyPoint(const Sweep& sweep, const mapping::Model& layers,
                           const hierarchy::Architecture& architecture, const std::stop_token& stop)
{
    PointResult out;
    bool proven = true;
    for (std::size_t o = 0; o < hierarchy::kObjectives; ++o) {
        hierarchy::SearchOptions options;
        options.objective = static_cast<hierarchy::Objective>(o);
        options.threads = 1;
        options.seconds = sweep.plan().budget.seconds / hierarchy::kObjectives;
        options.stop = stop;
        const auto found = hierarchy::searchModel(layers, architecture, options);
        if (stop.stop_requested())
            return std::nullopt;
        if (!found)
            return failedPoint(found.error());
        for (const hierarchy::LayerResult& layer : found->layers)
            if (!layer.search.of(found->objective))
                return failedPoint(layer.layer.name + ": " + noMappingText(layer.search));
        out.metrics.push_back(std::array{found->energy, found->cycles, found->edp}[o]);
        proven = proven && found->proven;
    }
    out.metrics.push_back(proven ? 1.0 : 0.0);
    return out;
}

} // namespace

MaybeResult mappingPoint(const Sweep& sweep, const Point& point, const std::stop_token& stop)
{
    const auto machine = sweep.architecture ? Result<Machine>(*sweep.machine) : machineAt(sweep, point);
    if (!machine)
        return failedPoint(machine.error());
    const auto layers = layersAt(sweep, point, *machine);
    if (!layers)
        return failedPoint(layers.error());
    if (layers->layers.empty())
        return failedPoint("the workload has no convolution and no product");
    if (sweep.architecture || sweep.plan().costModel == CostModel::Hierarchy) {
        const auto architecture = levelsAt(sweep, point, *machine);
        return architecture ? hierarchyPoint(sweep, *layers, *architecture, stop)
                            : failedPoint(architecture.error());
    }
    mapping::SearchOptions options;
    options.threads = 1;
    options.seconds = sweep.plan().budget.seconds;
    options.seed = sweep.plan().seed;
    options.stop = stop;
    const auto found = mapping::searchModel(*layers, lower::architectureOf(*machine), options, false);
    if (stop.stop_requested())
        return std::nullopt;
    if (!found)
        return failedPoint(found.error());
    for (const mapping::LayerResult& layer : found->layers) {
        if (!layer.search.proven && options.seconds <= 0)
            return failedPoint(layer.layer.name +
                               " has too many tilings to prove an optimum: a budget in seconds samples them");
        if (!layer.search.best[0])
            return failedPoint(layer.layer.name + ": " +
                               mapping::noMethodText(layer.nest, found->architecture, layer.search));
    }
    constexpr auto index = [](mapping::Objective o) { return static_cast<std::size_t>(o); };
    PointResult out;
    out.metrics = {found->totals[index(mapping::Objective::Energy)].energy,
                   found->totals[index(mapping::Objective::Cycles)].cycles,
                   found->totals[index(mapping::Objective::Edp)].edp, found->proven ? 1.0 : 0.0};
    return out;
}

} // namespace tilewright::sweep
