// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/npu_result.h"

#include "npu/generate.h"
#include "theme/text.h"

#include <QFileInfo>

#include <algorithm>
#include <set>

namespace tilewright::ui {

namespace {

/// Maximum number of DRAM events that are kept for zooming to single bursts, at 40 bytes each. Larger runs
/// have a series of time bins.
constexpr std::int64_t kKeptDramEvents = 3'000'000;

bool sameOptions(const npu::RunOptions& a, const npu::RunOptions& b)
{
    return a.scheduler == b.scheduler && a.assignment == b.assignment && a.weights == b.weights &&
           a.memoryBoundFirst == b.memoryBoundFirst;
}

/// True if both machines give the same tile graph, so that the graph can be reused.
bool sameTiling(npu::NpuHardware a, const npu::NpuHardware& b)
{
    a.name = b.name;
    a.dram.arbiter = b.dram.arbiter;
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
    return hardware == other.hardware && best == other.best && sameOptions(options, other.options) &&
           tiling == other.tiling;
}

npu::FittedModel fittedModel(const npu::NpuModel& model, const NpuSettings& settings)
{
    const std::vector<npu::OpTiling> ofFile = npu::tilingOf(model);
    std::vector<bool> byHand;
    byHand.reserve(ofFile.size());
    for (std::size_t op = 0; op < ofFile.size(); ++op)
        byHand.push_back(!(ofFile[op].tile == settings.tiling[op].tile));
    return npu::fitTiles(npu::withTiling(model, settings.tiling), settings.hardware, byHand);
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
        out->cutAnew = previous->cutAnew;
    } else {
        const npu::FittedModel fitted = fittedModel(*model, settings);
        out->cutAnew = QString::fromStdString(fitted.text(settings.hardware));
        auto graph = npu::buildGraph(fitted.model, settings.hardware);
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
    if (settings.best) {
        auto best = npu::simulateBest(graph, settings.hardware, options, progress);
        if (!best)
            return best.error();
        out->run = std::make_shared<const npu::NpuRun>(std::move(best->run));
        out->schedulers = std::move(best->compared);
    } else {
        auto run = npu::simulate(graph, settings.hardware, options, progress);
        if (!run)
            return run.error();
        out->run = std::make_shared<const npu::NpuRun>(std::move(*run));
    }
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
    out->startAt = out->chosenAt; // KV nodes compute nothing, so they start when they are chosen
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
    if (settings.hardware.shared.bytes > 0)
        out->shared = std::make_shared<const RateCurve>(sharedCurve(*out));
    return NpuResultPtr(std::move(out));
}

QString refusalText(const Error& error)
{
    QString text = QString::fromStdString(error.message);
    // A message about "ops[3]" already names the operator; other paths are fields of the hardware.
    if (!error.path.empty() && !error.path.starts_with("ops["))
        text = QString::fromStdString(error.path)
                   .replace(QLatin1Char('.'), QLatin1Char(' '))
                   .replace(QLatin1Char('_'), QLatin1Char(' ')) +
               QStringLiteral(": ") + text;
    if (!error.file.empty())
        return tr("%1 cannot be opened: %2.")
            .arg(QFileInfo(QString::fromStdString(error.file)).fileName(), text);
    return tr("This cannot run: %1.").arg(text);
}

double RateCurve::integralAt(double time) const
{
    const auto it = std::upper_bound(points.begin(), points.end(), time,
                                     [](double t, const Point& p) { return t < p.time; });
    if (it == points.begin())
        return 0;
    const Point& p = *std::prev(it);
    return p.integral + (time - p.time) * p.rate;
}

double RateCurve::rateAt(double time) const
{
    const auto it = std::upper_bound(points.begin(), points.end(), time,
                                     [](double t, const Point& p) { return t < p.time; });
    return it == points.begin() ? 0 : std::prev(it)->rate;
}

double RateCurve::mean(double from, double to) const
{
    return to > from ? std::max(0.0, (integralAt(to) - integralAt(from)) / (to - from)) : 0;
}

namespace {

/// Bytes per cycle of the transfers of a core (core < 0: of all cores). Each transfer moves bytesOf(transfer)
/// at its mean rate.
template <typename F> RateCurve curveOf(const NpuResult& result, int core, F&& bytesOf)
{
    std::vector<std::pair<npu::Cycle, double>> changes;
    for (std::size_t c = 0; c < result.run->cores.size(); ++c) {
        if (core >= 0 && static_cast<std::size_t>(core) != c)
            continue;
        for (const auto* spans : {&result.run->cores[c].loads, &result.run->cores[c].stores})
            for (const npu::TransferSpan& s : *spans) {
                const std::int64_t bytes = bytesOf(s);
                if (s.end <= s.start || bytes == 0)
                    continue;
                const double rate = static_cast<double>(bytes) / static_cast<double>(s.end - s.start);
                changes.emplace_back(s.start, rate);
                changes.emplace_back(s.end, -rate);
            }
    }
    std::sort(changes.begin(), changes.end());
    RateCurve curve;
    double rate = 0;
    for (std::size_t i = 0; i < changes.size();) {
        const npu::Cycle time = changes[i].first;
        const double before = rate;
        for (; i < changes.size() && changes[i].first == time; ++i)
            rate += changes[i].second;
        if (rate < 1e-9)
            rate = 0;
        const double integral = curve.points.empty()
                                    ? 0
                                    : curve.points.back().integral +
                                          before * (static_cast<double>(time) - curve.points.back().time);
        curve.points.push_back({static_cast<double>(time), rate, integral});
        curve.peak = std::max(curve.peak, rate);
    }
    return curve;
}

} // namespace

RateCurve nocCurve(const NpuResult& result, int core)
{
    return curveOf(result, core,
                   [&](const npu::TransferSpan& s) { return npu::bytesMoved(*result.graph, s); });
}

RateCurve sharedCurve(const NpuResult& result)
{
    return curveOf(result, -1, [](const npu::TransferSpan& s) { return s.shared; });
}

std::shared_ptr<const NpuComparison> compareSchedulers(const NpuResult& result, int maxCores,
                                                       const Progress& progress)
{
    auto out = std::make_shared<NpuComparison>();
    out->settings = result.settings;
    out->model = result.model;
    const npu::NpuHardware& hw = result.settings.hardware;
    // All numbers of cores for a small graph, powers of two for a large one.
    std::set<int> cores{hw.cores};
    const bool big = result.graph->nodes.size() > 20'000;
    for (int n = 1; n <= maxCores; n = big ? 2 * n : n + 1)
        cores.insert(n);
    out->schedulers = npu::bestOfBoth(result.settings.options, result.schedulers);
    auto points = npu::scaling(*result.graph, hw, out->schedulers,
                               std::vector<int>(cores.begin(), cores.end()), progress);
    if (!points) {
        out->error = QString::fromStdString(points.error().text());
        return out;
    }
    out->points = std::move(*points);
    out->cores = hw.cores;
    for (const npu::RunOptions& options : {out->schedulers.fixed, out->schedulers.dynamic}) {
        const auto run = npu::simulate(*result.graph, hw, options, progress);
        if (!run)
            continue;
        const bool isStatic = options.scheduler == npu::Scheduler::Static;
        (isStatic ? out->staticMakespan : out->dynamicMakespan) = run->makespan;
        (isStatic ? out->staticSums : out->dynamicSums) = stateSums(*run);
    }
    return out;
}

} // namespace tilewright::ui
