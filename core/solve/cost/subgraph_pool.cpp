// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/cost/subgraph_pool.h"

#include "eval/trace.h"
#include "solve/cost/op_lists.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace tilewright {

std::optional<Tiling> TilingMemo::find(const Digest& key) const
{
    const Shard& shard = m_shards[key.a % m_shards.size()];
    const std::scoped_lock lock(shard.mutex);
    const auto it = shard.map.find(key);
    return it == shard.map.end() ? std::nullopt : std::optional(it->second);
}

void TilingMemo::store(const Digest& key, const Tiling& tiling)
{
    Shard& shard = m_shards[key.a % m_shards.size()];
    const std::scoped_lock lock(shard.mutex);
    shard.map.emplace(key, tiling);
}

std::size_t TilingMemo::size() const
{
    std::size_t n = 0;
    for (const Shard& shard : m_shards) {
        const std::scoped_lock lock(shard.mutex);
        n += shard.map.size();
    }
    return n;
}

SubgraphPool::SubgraphPool(const Problem& problem, const Rules& rules, TilingMemo& memo,
                           std::vector<LockedSubgraph> locked, ScheduleConstraints constraints)
    : m_problem(problem), m_rules(rules), m_memo(memo), m_locked(std::move(locked)),
      m_constraints(std::move(constraints)), m_model(problem, rules, memo.price()), m_search(m_model),
      m_rank(problem.opCount(), 0), m_retains(1), m_local(problem.tensorCount()),
      m_localStamp(problem.tensorCount())
{
    m_retainIndex.emplace(std::vector<TensorId>{}, 0);
    for (const ScheduleConstraints::Retention& r : m_constraints.retain)
        if (!r.always)
            m_neverRetained.push_back(r.tensor);
    std::uint32_t next = 0;
    for (const OpId o : problem.topologicalOrder())
        m_rank[o] = next++;
}

void SubgraphPool::components(const std::vector<OpId>& ops, std::vector<std::vector<OpId>>& out)
{
    out.clear();
    m_parent.resize(ops.size());
    for (std::uint32_t i = 0; i < ops.size(); ++i)
        m_parent[i] = i;
    const auto root = [&](std::uint32_t i) {
        while (m_parent[i] != i)
            i = m_parent[i] = m_parent[m_parent[i]];
        return i;
    };
    ++m_stamp;
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
        const Op& op = m_problem.op(ops[i]);
        const auto touch = [&](TensorId t) {
            if (m_localStamp[t.index()] != m_stamp) {
                m_localStamp[t.index()] = m_stamp;
                m_local[t.index()] = i;
                return;
            }
            const std::uint32_t a = root(i);
            const std::uint32_t b = root(m_local[t.index()]);
            m_parent[std::max(a, b)] = std::min(a, b);
        };
        for (const TensorId t : op.inputs)
            touch(t);
        touch(op.output);
    }
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
        if (root(i) != i)
            continue;
        out.emplace_back();
        for (std::uint32_t j = i; j < ops.size(); ++j)
            if (root(j) == i)
                out.back().push_back(ops[j]);
        std::ranges::sort(out.back(), {}, [&](OpId o) { return m_rank[o]; });
    }
}

SetId SubgraphPool::intern(std::vector<OpId> ops, std::int32_t lock)
{
    if (lock >= 0) {
        if (const auto it = m_lockIndex.find(lock); it != m_lockIndex.end())
            return it->second;
    } else {
        std::ranges::sort(ops, {}, [&](OpId o) { return m_rank[o]; });
        if (const auto it = m_setIndex.find(ops); it != m_setIndex.end())
            return it->second;
    }
    OpSet set;
    set.ops = ops;
    set.lock = lock;
    Boundary boundary = boundaryOf(m_problem, ops);
    set.allInputs = boundary.inputs;
    for (const TensorId t : boundary.inputs) {
        if (m_problem.producer(t))
            set.inputs.push_back(t);
        for (const TensorId base : m_problem.bases(t))
            if (m_problem.producer(base))
                set.bases.push_back(base);
    }
    std::ranges::sort(set.bases);
    set.bases.erase(std::unique(set.bases.begin(), set.bases.end()), set.bases.end());
    set.sinks = boundary.sinks;
    set.produced = std::move(boundary.sinks);
    set.produced.insert(set.produced.end(), boundary.interior.begin(), boundary.interior.end());
    std::ranges::sort(set.produced);
    std::vector<std::vector<OpId>> parts;
    components(ops, parts);
    set.connected = parts.size() == 1;
    if (m_constraints.any()) {
        set.allowed = m_constraints.allowsOps(ops);
        set.tiles = m_constraints.tilesOf(ops);
        for (const ScheduleConstraints::Retention& r : m_constraints.retain)
            if (r.always && isIn(r.tensor, set.sinks))
                set.kept.push_back(r.tensor);
    }
    const auto id = static_cast<SetId>(m_sets.size());
    m_sets.push_back(std::move(set));
    m_plain.push_back(std::numeric_limits<double>::quiet_NaN());
    if (lock >= 0)
        m_lockIndex.emplace(lock, id);
    else
        m_setIndex.emplace(std::move(ops), id);
    return id;
}

RetainId SubgraphPool::internRetain(std::vector<TensorId> tensors)
{
    if (tensors.empty())
        return 0;
    std::ranges::sort(tensors);
    const auto next = static_cast<RetainId>(m_retains.size());
    const auto [it, isNew] = m_retainIndex.emplace(tensors, next);
    if (isNew)
        m_retains.push_back(std::move(tensors));
    return it->second;
}

PlannedSet SubgraphPool::intern(const PortableSet& s)
{
    return {intern(s.ops, s.lock), internRetain(s.resident), internRetain(s.retain)};
}

PortableSet SubgraphPool::portable(const PlannedSet& p) const
{
    const OpSet& set = m_sets[p.set];
    return {set.ops, m_retains[p.resident], m_retains[p.retain], set.lock};
}

bool SubgraphPool::allows(const PlannedSet& p) const
{
    const OpSet& set = m_sets[p.set];
    const std::vector<TensorId>& retained = m_retains[p.retain];
    return set.allowed && std::ranges::all_of(set.kept, [&](TensorId t) { return isIn(t, retained); }) &&
           std::ranges::all_of(retained, [&](TensorId t) { return mayRetain(t); });
}

RetainId SubgraphPool::lockedRetain(SetId id)
{
    const OpSet& set = m_sets[id];
    std::vector<TensorId> kept;
    for (const TensorId t : m_locked[static_cast<std::size_t>(set.lock)].subgraph.retain)
        if (std::ranges::binary_search(set.produced, t) || m_rules.keepsInputs())
            kept.push_back(t);
    return internRetain(std::move(kept));
}

/// Key of a TilingSearch result: equal digests mean equal searches. Tensors are numbered by first appearance.
Digest SubgraphPool::structure(const PlannedSet& p, TilingEffort effort)
{
    const std::vector<TensorId>& resident = m_retains[p.resident];
    const std::vector<TensorId>& retain = m_retains[p.retain];
    ++m_stamp;
    std::uint32_t next = 1;
    const auto number = [&](TensorId t) {
        const bool isNew = m_localStamp[t.index()] != m_stamp;
        if (isNew) {
            m_localStamp[t.index()] = m_stamp;
            m_local[t.index()] = next++;
        }
        return std::pair(m_local[t.index()], isNew);
    };
    Digest d = structureOf(m_problem, m_sets[p.set].ops, number, [&](Digest& of, TensorId t) {
        of.add((std::ranges::find(resident, t) != resident.end() ? 1U : 0U) |
               (std::ranges::find(retain, t) != retain.end() ? 2U : 0U));
    });
    d.add(static_cast<std::uint64_t>(effort));
    if (const TileRange& tiles = m_sets[p.set].tiles; tiles.any())
        for (const ExtentRange& range : {tiles.w, tiles.h, tiles.k}) {
            d.add(static_cast<std::uint64_t>(range.least));
            d.add(static_cast<std::uint64_t>(range.most));
        }
    if (!m_model.price().isLatency())
        for (const OpId o : m_sets[p.set].ops)
            d.add(std::bit_cast<std::uint64_t>(m_problem.energyOf(o)));
    std::int64_t others = 0;
    for (const TensorId t : resident)
        if (m_localStamp[t.index()] != m_stamp)
            others += m_problem.sizeUnits(t);
    d.add(static_cast<std::uint64_t>(others));
    return d;
}

bool SubgraphPool::compile(const PlannedSet& p)
{
    if (m_compiled == p)
        return true;
    m_compiled.reset();
    if (m_model.compile(m_sets[p.set].ops, {m_retains[p.resident], m_retains[p.retain]}))
        m_compiled = p;
    m_search.setRange(m_sets[p.set].tiles);
    return m_compiled.has_value();
}

Tiling SubgraphPool::search(const PlannedSet& p, TilingEffort effort, double cutoff)
{
    if (!compile(p))
        return {};
    const OpSet& set = m_sets[p.set];
    if (set.lock < 0) {
        ++m_searches;
        return m_search.search(effort, cutoff);
    }
    if (!m_search.isInRange(m_locked[static_cast<std::size_t>(set.lock)].subgraph.granularity))
        return {};
    const Subgraph& pinned = m_locked[static_cast<std::size_t>(set.lock)].subgraph;
    if (pinned.traversal.kind() != TraversalKind::Custom && pinned.traversal.kind() != TraversalKind::Spiral)
        return m_search.fixed(pinned.granularity);
    Subgraph subgraph = pinned;
    subgraph.retain = m_retains[p.retain];
    Tiling tiling{pinned.granularity, pinned.traversal.kind(), 0};
    bool stepped = false;
    traceSubgraph(m_problem, subgraph, m_retains[p.resident], m_rules, [&](const Step& step) {
        stepped = true;
        tiling.latency += m_model.price().of(step.latency, step.energy);
        if (step.workingSet > m_problem.capacityUnits())
            tiling.latency = std::numeric_limits<double>::infinity();
        return tiling.feasible();
    });
    return stepped ? tiling : Tiling{};
}

Tiling SubgraphPool::tiling(const PlannedSet& p, TilingEffort effort, double cutoff)
{
    const OpSet& set = m_sets[p.set];
    if ((!set.connected && set.lock < 0) || !allows(p))
        return {};
    if (set.lock >= 0)
        return search(p, effort, cutoff);
    const Digest key = structure(p, effort);
    if (const auto known = m_memo.find(key))
        return *known;
    const std::int64_t searches = m_searches;
    const Tiling found = search(p, effort, cutoff);
    if (m_searches > searches && m_search.isCut())
        m_notBelow[p] = cutoff;
    else if (!m_search.interrupted())
        m_memo.store(key, found);
    return found;
}

void SubgraphPool::addHint(SetId set, const Granularity& granularity)
{
    m_hints[set].push_back(granularity);
    m_hintList.emplace_back(m_sets[set].ops, granularity);
}

void SubgraphPool::clear()
{
    m_sets.clear();
    m_compiled.reset();
    m_setIndex.clear();
    m_lockIndex.clear();
    m_retains.assign(1, {});
    m_retainIndex.clear();
    m_retainIndex.emplace(std::vector<TensorId>{}, 0);
    m_hints.clear();
    m_plain.clear();
    m_costs.clear();
    m_least.clear();
    m_refined.clear();
    m_floors.clear();
    m_notBelow.clear();
    for (const auto& [ops, granularity] : m_hintList)
        m_hints[intern(ops)].push_back(granularity);
}

Tiling SubgraphPool::hinted(const PlannedSet& p)
{
    Tiling best;
    const auto it = m_hints.find(p.set);
    if (it == m_hints.end() || m_sets[p.set].lock >= 0 || !m_sets[p.set].connected || !allows(p) ||
        !compile(p))
        return best;
    for (const Granularity& g : it->second)
        if (const Tiling t = m_search.fixed(g); t.latency < best.latency)
            best = t;
    return best;
}

Tiling SubgraphPool::bestTiling(const PlannedSet& p, TilingEffort effort)
{
    Tiling best = tiling(p, TilingEffort::Quick);
    if (effort != TilingEffort::Quick) {
        if (const Tiling t = tiling(p, effort); t.latency < best.latency)
            best = t;
    } else if (best.feasible() && m_sets[p.set].lock < 0) {
        // The result of an earlier thorough search for this or an equal subgraph is reused.
        const Digest key = structure(p, TilingEffort::Thorough);
        if (const auto known = m_memo.find(key); known && known->latency < best.latency)
            best = *known;
    }
    if (const Tiling t = hinted(p); t.latency < best.latency)
        best = t;
    if (m_memo.hasProofs() && m_sets[p.set].lock < 0 && allows(p)) {
        const Digest key = structure(p, TilingEffort::Exhaustive);
        if (const auto proven = m_memo.find(key); proven && proven->latency < best.latency)
            best = *proven;
    }
    return best;
}

namespace {

/// Returns 0 for a power of two, 1 for a multiple of eight, 2 for other sizes.
int roughness(std::int64_t size)
{
    return std::has_single_bit(static_cast<std::uint64_t>(size)) ? 0 : size % 8 == 0 ? 1 : 2;
}

} // namespace

Tiling SubgraphPool::preferRoundSizes(const PlannedSet& p, const Tiling& tiling)
{
    const OpSet& set = m_sets[p.set];
    if (set.lock >= 0 || !tiling.feasible() || !compile(p))
        return tiling;
    // a tile size that covers the whole extent counts as round
    Granularity whole{1, 1, std::numeric_limits<std::int64_t>::max()};
    for (const OpId o : set.ops) {
        const Tensor& out = m_problem.tensor(m_problem.op(o).output);
        whole.w = std::max(whole.w, out.width);
        whole.h = std::max(whole.h, out.height);
        if (m_problem.op(o).type == OpType::MatMul)
            whole.k = std::min(whole.k, m_problem.reductionSize(o));
    }
    constexpr std::int64_t Granularity::*kAxes[] = {&Granularity::w, &Granularity::h, &Granularity::k};
    std::vector<Granularity> candidates{tiling.granularity};
    for (const auto axis : kAxes) {
        const std::int64_t now = tiling.granularity.*axis;
        const std::size_t known = now < whole.*axis ? candidates.size() : 0;
        for (const auto size : {static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(now))),
                                static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(now))),
                                now / 8 * 8, (now + 7) / 8 * 8})
            if (size > 0 && size < whole.*axis && roughness(size) < roughness(now))
                for (std::size_t i = 0; i < known; ++i) {
                    candidates.push_back(candidates[i]);
                    candidates.back().*axis = size;
                }
    }
    // With squared values, two multiples of eight are rounder than a power of two combined with an arbitrary
    // size.
    std::ranges::stable_sort(candidates, {}, [&](const Granularity& g) {
        int sum = 0;
        for (const auto axis : kAxes)
            sum += roughness(g.*axis) * roughness(g.*axis);
        return sum;
    });
    for (const Granularity& g : candidates) {
        if (g == tiling.granularity)
            break;
        if (const Tiling other = m_search.fixed(g); other.latency <= tiling.latency)
            return other;
    }
    return tiling;
}

double SubgraphPool::refine(const PlannedSet& p)
{
    const auto [it, isNew] = m_refined.try_emplace(p, 0);
    if (!isNew)
        return it->second;
    const double value = bestTiling(p, TilingEffort::Thorough).latency;
    it->second = value;
    if (p.resident == 0 && p.retain == 0)
        m_plain[p.set] = value;
    else
        m_costs[p] = value;
    return value;
}

std::optional<double> SubgraphPool::provenLatency(const PlannedSet& p, double cutoff,
                                                  const std::function<bool()>& keepGoing)
{
    if (!allows(p))
        return std::numeric_limits<double>::infinity();
    const Digest key = structure(p, TilingEffort::Exhaustive);
    if (const auto known = m_memo.find(key))
        return known->latency;
    if (const auto it = m_floors.find(p); it != m_floors.end() && cutoff <= it->second)
        return it->second;
    const Tiling hint = bestTiling(p, TilingEffort::Quick);
    if (!compile(p))
        return std::nullopt;
    ++m_searches;
    const Tiling found = m_search.searchAll(hint, cutoff, keepGoing);
    if (m_search.incomplete())
        return std::nullopt;
    if (found.latency >= cutoff) {
        m_floors[p] = cutoff;
        return cutoff;
    }
    m_memo.store(key, found);
    m_memo.noteProof();
    return found.latency;
}

double SubgraphPool::latencyBound(const PlannedSet& p)
{
    const auto [it, isNew] = m_least.try_emplace(p, 0);
    if (isNew) {
        it->second = std::numeric_limits<double>::infinity();
        if (compile(p))
            it->second = m_model.latencyBound();
    }
    return it->second;
}

double SubgraphPool::latencyFloor(const PlannedSet& p)
{
    if (m_sets[p.set].lock >= 0)
        return 0;
    if (const double known = knownLatency(p); known > 0)
        return known;
    const auto it = m_notBelow.find(p);
    return it != m_notBelow.end() ? it->second : latencyBound(p);
}

double SubgraphPool::latencyBelow(double cutoff, const PlannedSet& p)
{
    const OpSet& set = m_sets[p.set];
    if (set.lock >= 0 || !set.connected || m_hints.contains(p.set) || knownLatency(p) > 0)
        return latency(p);
    const auto isCut = [&] {
        const auto it = m_notBelow.find(p);
        return it != m_notBelow.end() && cutoff <= it->second;
    };
    if (!allows(p))
        return std::numeric_limits<double>::infinity();
    if (!isCut() && !m_memo.find(structure(p, TilingEffort::Thorough)))
        (void)tiling(p, TilingEffort::Quick, cutoff);
    if (!isCut())
        return latency(p);
    ++m_lookups;
    return std::numeric_limits<double>::infinity();
}

double SubgraphPool::knownLatency(const PlannedSet& p) const
{
    if (p.resident == 0 && p.retain == 0)
        return std::isnan(m_plain[p.set]) ? 0 : m_plain[p.set];
    const auto it = m_costs.find(p);
    return it == m_costs.end() ? 0 : it->second;
}

double SubgraphPool::latency(const PlannedSet& p)
{
    ++m_lookups;
    if (p.resident == 0 && p.retain == 0) {
        if (std::isnan(m_plain[p.set]))
            m_plain[p.set] = bestTiling(p, TilingEffort::Quick).latency;
        return m_plain[p.set];
    }
    if (const auto it = m_costs.find(p); it != m_costs.end())
        return it->second;
    const double value = bestTiling(p, TilingEffort::Quick).latency;
    m_costs.emplace(p, value);
    return value;
}

} // namespace tilewright
