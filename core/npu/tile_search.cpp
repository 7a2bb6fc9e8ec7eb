// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/tile_search.h"

#include "base/workers.h"
#include "npu/graph.h"
#include "npu/tile_candidates.h"
#include "npu/tile_graph_builder.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <numeric>
#include <thread>

namespace tilewright::npu {

namespace {

/// The KV loads whose results an attention operator reads. They get the tile sizes of the attention; with
/// other sizes their tiles would be loaded twice.
std::vector<std::size_t> kvLoadsOf(const NpuModel& model, std::size_t op)
{
    std::vector<std::size_t> out;
    if (model.ops[op].type == OpType::Attention)
        for (std::size_t i = 0; i < model.ops.size(); ++i)
            if (const ModelOp& other = model.ops[i]; other.type == OpType::KvLoad)
                for (const std::size_t in : {model.ops[op].inputs[1], model.ops[op].inputs[2]})
                    if (in == other.outputs[0] && (out.empty() || out.back() != i))
                        out.push_back(i);
    return out;
}

TileSizes feederTile(const TileSizes& tile)
{
    TileSizes out;
    out.heads = tile.heads;
    out.tokens = tile.tokens;
    out.dims = tile.dims;
    return out;
}

/// Key of a search. Operators with equal keys take equal time.
std::string signature(const NpuModel& alone)
{
    NpuModel nameless = alone;
    nameless.name.clear();
    for (std::size_t i = 0; i < nameless.tensors.size(); ++i)
        nameless.tensors[i].name = std::to_string(i);
    for (std::size_t i = 0; i < nameless.ops.size(); ++i)
        nameless.ops[i].name = std::to_string(i);
    return modelToJson(nameless);
}

/// Calls work(item, isCallersThread) for every item, with one thread per processor core. Each thread takes
/// the next item.
template <typename F> void onAllCores(std::size_t items, F&& work)
{
    std::atomic<std::size_t> next = 0;
    const auto take = [&](bool isCaller) {
        for (std::size_t i = next++; i < items; i = next++)
            work(i, isCaller);
    };
    Workers workers([&] { next = items; });
    for (unsigned i = 1; i < std::thread::hardware_concurrency() && i < items; ++i)
        workers.start([&take] { take(false); });
    workers.run([&take] { take(true); });
    workers.join();
}

class TileSearcher
{
public:
    TileSearcher(const NpuModel& model, const NpuHardware& hw, const RunOptions& options,
                 const TileSearchOptions& limits, const Progress& progress)
        : m_model(model), m_hw(hw), m_options(options), m_limits(limits), m_progress(progress)
    {
        m_options.recordDram = false;
    }

    Result<TileSearch> run()
    {
        const auto graph = buildGraph(m_model, m_hw);
        if (!graph)
            return graph.error();
        m_out.tiling = tilingOf(m_model);
        std::int64_t steps = 0;
        auto before = simulated(*graph, kNever, steps);
        if (!before)
            return before.error();
        m_out.before = before->makespan;
        m_out.bytesBefore = before->dramBytes;
        group(graph->tileSizes);
        searchOperators();
        if (m_limits.keepsBest || !m_progress.stopRequested())
            decide(steps);
        if (!m_limits.keepsBest && m_progress.stopRequested())
            return Error{ErrorCode::Refused, "stopped", {}, {}};
        for (const OperatorTiles& o : m_out.operators)
            applyCandidate(m_out.tiling, o, o.chosen);
        m_out.runs = m_runs;
        return std::move(m_out);
    }

private:
    /// Simulates a graph. `steps` gets the cost of this in simulated event times, including the cost of
    /// building the graph.
    Result<NpuRun> simulated(const NpuGraph& graph, Cycle giveUpAfter, std::int64_t& steps)
    {
        constexpr std::int64_t kStepsPerNode = 8;
        RunOptions options = m_options;
        options.giveUpAfter = giveUpAfter;
        ++m_runs;
        auto run = simulate(graph, m_hw, options, {m_progress.stop, {}}, &steps);
        steps += kStepsPerNode * static_cast<std::int64_t>(graph.nodes.size());
        return run;
    }

    /// Applies a candidate to its operators. Candidate 0 is the current tile and changes nothing.
    void applyCandidate(std::vector<OpTiling>& tiling, const OperatorTiles& o, std::size_t candidate) const
    {
        if (candidate != 0)
            tiling = withTile(m_model, std::move(tiling), o.ops, o.candidates[candidate].tile);
    }

    void group(const std::vector<TileSizes>& current)
    {
        std::map<std::string, std::size_t> groups;
        for (std::size_t op = 0; op < m_model.ops.size(); ++op) {
            if (m_model.ops[op].type == OpType::KvLoad)
                continue;
            const auto [it, isNew] = groups.try_emplace(signature(operatorAlone(m_model, op, current[op])),
                                                        m_out.operators.size());
            if (isNew) {
                OperatorTiles& o = m_out.operators.emplace_back();
                for (const TileSizes& tile : tileCandidates(m_model, m_hw, op, current[op]))
                    o.candidates.push_back({tile, boundAlone(m_model, m_hw, op, tile), std::nullopt, 0});
            }
            m_out.operators[it->second].ops.push_back(static_cast<std::uint32_t>(op));
        }
    }

    /// Searches each operator on its own. Half of the step budget is shared equally, the other half in
    /// proportion to the time of the operators.
    void searchOperators()
    {
        const auto& all = m_out.operators;
        m_shortlists.resize(all.size());
        std::vector<double> takes;
        takes.reserve(all.size());
        for (const OperatorTiles& o : all)
            takes.push_back(
                static_cast<double>(o.ops.size()) *
                static_cast<double>(estimatedAlone(m_model, m_hw, o.ops.front(), o.candidates.front().tile)));
        const double sum = std::accumulate(takes.begin(), takes.end(), 1.0);
        onAllCores(all.size(), [&](std::size_t i, bool isCaller) {
            if (isCaller)
                m_progress.tell(static_cast<double>(i) / static_cast<double>(all.size() + 1),
                                "searching tiles");
            const double share = 0.5 / static_cast<double>(all.size()) + 0.5 * takes[i] / sum;
            searchOperator(i,
                           static_cast<std::int64_t>(share * static_cast<double>(m_limits.stepsOfOperators)));
        });
    }

    /// Simulates one operator alone with its candidates, in order of estimated time.
    void searchOperator(std::size_t at, std::int64_t budget)
    {
        OperatorTiles& o = m_out.operators[at];
        const std::size_t op = o.ops.front();
        std::vector<Cycle> likely;
        likely.reserve(o.candidates.size());
        for (const TileCandidate& c : o.candidates)
            likely.push_back(estimatedAlone(m_model, m_hw, op, c.tile));
        std::vector<std::size_t> order(o.candidates.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin() + 1, order.end(),
                         [&](std::size_t a, std::size_t b) { return likely[a] < likely[b]; });
        o.proven = runCandidates(o, order, 1, budget);
        m_shortlists[at] = shortlist(o);
        if (m_limits.patience > 1) // simulates slower candidates, too, for display
            runCandidates(o, order, m_limits.patience, budget);
    }

    /// Simulates the candidates that may take less than `patience` times the best time so far. Returns true
    /// if no other candidate can be faster.
    bool runCandidates(OperatorTiles& o, const std::vector<std::size_t>& order, double patience,
                       std::int64_t budget)
    {
        bool allSimulated = true;
        Cycle best = o.candidates[o.fastest].cycles.value_or(kNever);
        for (const std::size_t i : order) {
            TileCandidate& c = o.candidates[i];
            const Cycle limit =
                best == kNever ? kNever : static_cast<Cycle>(static_cast<double>(best) * patience);
            if (c.cycles || c.bound >= limit)
                continue;
            if (budget <= 0 || m_progress.stopRequested())
                return false;
            const auto graph = buildGraph(operatorAlone(m_model, o.ops.front(), c.tile), m_hw,
                                          m_limits.mostNodes, SpmCheck::Refuses);
            budget -= 500; // assumed cost of a candidate that does not fit
            if (!graph) {  // the node is too large for SPM, or the graph has too many nodes to simulate
                allSimulated = allSimulated && graph.error().code != ErrorCode::Refused;
                continue;
            }
            std::int64_t steps = 0;
            const auto run = simulated(*graph, limit, steps);
            budget -= steps;
            if (!run)
                continue;
            c.cycles = run->makespan;
            c.dramBytes = run->dramBytes;
            if (run->makespan < best) {
                best = run->makespan;
                o.fastest = i;
            }
        }
        return allSimulated;
    }

    /// Candidates to try in the whole model: those that were fastest when run alone, and the current tile.
    static std::vector<std::size_t> shortlist(const OperatorTiles& o)
    {
        constexpr std::size_t kMaxTried = 8;
        std::vector<std::size_t> list;
        for (std::size_t i = 0; i < o.candidates.size(); ++i)
            if (o.candidates[i].cycles)
                list.push_back(i);
        std::stable_sort(list.begin(), list.end(), [&](std::size_t a, std::size_t b) {
            return *o.candidates[a].cycles < *o.candidates[b].cycles;
        });
        const auto first = std::find(list.begin(), list.end(), o.fastest);
        // Among equally fast candidates, `fastest` is first.
        std::rotate(list.begin(), first, first + (first != list.end()));
        if (list.size() > kMaxTried)
            list.resize(kMaxTried);
        if (std::find(list.begin(), list.end(), std::size_t{0}) == list.end())
            list.push_back(0);
        return list;
    }

    /// Makespan in cycles and DRAM bytes of the whole model with a choice of candidates.
    struct Outcome
    {
        Cycle makespan = kNever;
        std::int64_t bytes = 0;
        auto operator<=>(const Outcome&) const = default;
    };
    Outcome whole(const std::vector<std::size_t>& choice, Cycle giveUpAfter, std::int64_t& steps)
    {
        std::vector<OpTiling> tiling = m_out.tiling;
        for (std::size_t i = 0; i < choice.size(); ++i)
            applyCandidate(tiling, m_out.operators[i], choice[i]);
        const auto graph = buildGraph(withTiling(m_model, tiling), m_hw);
        if (!graph)
            return {};
        const auto run = simulated(*graph, giveUpAfter, steps);
        return run ? Outcome{run->makespan, run->dramBytes} : Outcome{};
    }

    /// Chooses candidates by runs of the whole model, because an operator in the model takes another time
    /// than alone.
    void decide(std::int64_t stepsOfARun)
    {
        std::vector<std::size_t> choice(m_out.operators.size(), 0), fastest;
        fastest.reserve(choice.size());
        for (const auto& list : m_shortlists)
            fastest.push_back(list.front());
        Outcome best{m_out.before, m_out.bytesBefore};
        std::int64_t budget = m_limits.stepsOfRuns - stepsOfARun, taken = 0;
        if (const Outcome all = whole(fastest, best.makespan, taken); all < best) {
            best = all;
            choice = fastest;
        }
        budget -= taken;
        // Tries several candidates of one operator in parallel, as many as the budget allows.
        for (bool better = true; better && budget > 0;) {
            better = false;
            for (std::size_t i = 0; i < choice.size() && budget > 0; ++i) {
                std::vector<std::size_t> others = m_shortlists[i];
                std::erase(others, choice[i]);
                const auto most =
                    static_cast<std::size_t>(1 + budget / std::max<std::int64_t>(1, stepsOfARun));
                others.resize(std::min(others.size(), most));
                std::vector<Outcome> outcomes(others.size());
                std::vector<std::int64_t> steps(others.size(), 0);
                onAllCores(others.size(), [&](std::size_t at, bool) {
                    std::vector<std::size_t> tried = choice;
                    tried[i] = others[at];
                    if (!m_progress.stopRequested())
                        outcomes[at] = whole(tried, best.makespan, steps[at]);
                });
                budget -= std::accumulate(steps.begin(), steps.end(), std::int64_t{0});
                const auto least = std::min_element(outcomes.begin(), outcomes.end());
                if (least != outcomes.end() && *least < best) {
                    best = *least;
                    choice[i] = others[static_cast<std::size_t>(least - outcomes.begin())];
                    better = true;
                }
            }
        }
        for (std::size_t i = 0; i < choice.size(); ++i)
            m_out.operators[i].chosen = choice[i];
        m_out.after = best.makespan;
        m_out.bytesAfter = best.bytes;
    }

    const NpuModel& m_model;
    const NpuHardware& m_hw;
    RunOptions m_options;
    TileSearchOptions m_limits;
    const Progress& m_progress;
    std::atomic<std::int64_t> m_runs = 0;
    TileSearch m_out;
    std::vector<std::vector<std::size_t>> m_shortlists; ///< per entry of m_out.operators
};

} // namespace

const OperatorTiles* TileSearch::of(std::size_t op) const noexcept
{
    for (const OperatorTiles& o : operators)
        if (std::binary_search(o.ops.begin(), o.ops.end(), op))
            return &o;
    return nullptr;
}

std::vector<OpTiling> withTile(const NpuModel& model, std::vector<OpTiling> tiling,
                               std::span<const std::uint32_t> ops, const TileSizes& tile)
{
    for (const std::uint32_t op : ops) {
        tiling[op].tile = tile;
        for (const std::size_t f : kvLoadsOf(model, op))
            tiling[f].tile = feederTile(tile);
    }
    return tiling;
}

NpuModel operatorAlone(const NpuModel& model, std::size_t op, const TileSizes& tile)
{
    NpuModel out;
    out.name = model.ops[op].name;
    out.dtypeBytes = model.dtypeBytes;
    std::map<std::size_t, std::size_t> tensors;
    const auto add = [&](std::size_t index, const TileSizes& sizes) {
        ModelOp copy = model.ops[index];
        copy.tile = sizes;
        for (auto* list : {&copy.inputs, &copy.outputs})
            for (std::size_t& t : *list) {
                const auto [it, isNew] = tensors.try_emplace(t, out.tensors.size());
                if (isNew)
                    out.tensors.push_back(model.tensors[t]);
                t = it->second;
            }
        out.ops.push_back(std::move(copy));
    };
    for (const std::size_t f : kvLoadsOf(model, op))
        add(f, feederTile(tile));
    add(op, tile);
    return out;
}

Result<TileSearch> searchTiles(const NpuModel& model, const NpuHardware& hardware, const RunOptions& options,
                               const TileSearchOptions& limits, const Progress& progress)
{
    if (auto s = checkHardware(hardware); !s)
        return s.error();
    return TileSearcher(model, hardware, options, limits, progress).run();
}

} // namespace tilewright::npu
