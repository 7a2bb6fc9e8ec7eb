// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/hash.h"
#include "solve/cost/constraints.h"
#include "solve/cost/op_lists.h"
#include "solve/cost/tiling_search.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace tilewright {

/// Cache of the best tilings, by the structure of a subgraph (shapes, op types, costs, resident and retained
/// tensors), so that equal blocks of a model need only one search. All threads share the cache. A value
/// depends only on its key, so results do not depend on timing.
class TilingMemo
{
public:
    /// `price` is the quantity that is minimised by all tilings in the cache and by all pools that share the
    /// cache.
    explicit TilingMemo(const Price& price = {}) : m_price(price) {}
    [[nodiscard]] const Price& price() const noexcept { return m_price; }
    [[nodiscard]] std::optional<Tiling> find(const Digest& key) const;
    void store(const Digest& key, const Tiling& tiling);
    [[nodiscard]] std::size_t size() const;
    /// True if the cache holds results of exhaustive searches.
    [[nodiscard]] bool hasProofs() const noexcept { return m_proofs.load(std::memory_order_relaxed); }
    void noteProof() noexcept { m_proofs.store(true, std::memory_order_relaxed); }

private:
    Price m_price;
    std::atomic<bool> m_proofs{false};
    struct Shard
    {
        mutable std::mutex mutex;
        std::unordered_map<Digest, Tiling, DigestHash> map;
    };
    std::array<Shard, 16> m_shards;
};

/// A set of ops in the form of the solver, with its boundary tensors.
struct OpSet
{
    std::vector<OpId> ops;           ///< ops in topological order
    std::vector<TensorId> inputs;    ///< boundary inputs that are not graph inputs
    std::vector<TensorId> allInputs; ///< all boundary inputs, ascending
    std::vector<TensorId> bases;     ///< op results that the set reads through views (R1.7), ascending
    std::vector<TensorId> sinks;
    std::vector<TensorId> produced; ///< sinks and interior tensors, ascending
    std::int32_t lock = -1;         ///< index into the pool's locked subgraphs; -1: not locked
    bool connected = false;         ///< true if the set is connected (R4.5)
    bool allowed = true;            ///< false if the pool's constraints allow no subgraph of these ops
    TileRange tiles;                ///< the tiles that the constraints allow
    std::vector<TensorId> kept;     ///< sinks that the constraints require to be retained
};

using SetId = std::uint32_t;
using RetainId = std::uint32_t; ///< id of a list of retained tensors; 0 = empty list

/// Everything that the latency of a subgraph depends on: its ops, the tensors in fast memory before it, and
/// the tensors that it retains. The ids belong to one SubgraphPool.
struct PlannedSet
{
    SetId set = 0;
    RetainId resident = 0;
    RetainId retain = 0;
    bool operator==(const PlannedSet&) const = default;
    struct Hash
    {
        std::size_t operator()(const PlannedSet& p) const noexcept
        {
            return hashOf(p.set, p.resident, p.retain);
        }
    };
};

/// A PlannedSet without ids of a pool, for the exchange between pools.
struct PortableSet
{
    std::vector<OpId> ops;
    std::vector<TensorId> resident, retain;
    std::int32_t lock = -1; ///< index of the locked subgraph that the set belongs to; -1: not locked
};

/// A subgraph that the user has locked. The search keeps its ops, granularity and retained tensors, and also
/// its traversal if that is not a preset.
struct LockedSubgraph
{
    Subgraph subgraph;
};

/// Assigns small ids to op sets and lists of retained tensors, and caches the latencies of subgraphs. Each
/// thread has its own pool. If the TilingMemo has a Price other than the latency, that price takes the place
/// of all latencies here and in plans.
class SubgraphPool
{
public:
    SubgraphPool(const Problem& problem, const Rules& rules, TilingMemo& memo,
                 std::vector<LockedSubgraph> locked, ScheduleConstraints constraints = {});

    /// Returns the id of a set of distinct ops, in any order. With `lock` >= 0, the set belongs to that
    /// locked subgraph.
    [[nodiscard]] SetId intern(std::vector<OpId> ops, std::int32_t lock = -1);
    [[nodiscard]] const OpSet& set(SetId id) const { return m_sets[id]; }
    [[nodiscard]] RetainId internRetain(std::vector<TensorId> tensors);
    [[nodiscard]] const std::vector<TensorId>& retain(RetainId id) const { return m_retains[id]; }
    [[nodiscard]] PlannedSet intern(const PortableSet& s);
    [[nodiscard]] PortableSet portable(const PlannedSet& p) const;
    /// True if the constraints allow this subgraph at some granularity. If they do not, its latency is
    /// infinite.
    [[nodiscard]] bool allows(const PlannedSet& p) const;
    /// False if a constraint forbids to retain the tensor.
    [[nodiscard]] bool mayRetain(TensorId t) const
    {
        return m_neverRetained.empty() || !isIn(t, m_neverRetained);
    }
    /// Returns the list of tensors that the locked subgraph of this set retains.
    [[nodiscard]] RetainId lockedRetain(SetId set);

    /// Sets a callback, which is polled by searches for tilings. When it returns false, they end; the best
    /// tiling found so far is used from then on.
    void setKeepGoing(std::function<bool()> keepGoing) { m_search.setKeepGoing(std::move(keepGoing)); }
    /// Latency of the best known tiling for these ops, resident and retained tensors; infinite if none fits.
    /// Searches if no tiling is known.
    [[nodiscard]] double latency(const PlannedSet& p);
    /// Returns latency() if it is below `cutoff`; otherwise returns either latency() or infinity. Much
    /// cheaper than latency() if the cutoff is low.
    [[nodiscard]] double latencyBelow(double cutoff, const PlannedSet& p);
    /// Returns latency() if it is cached, else 0.
    [[nodiscard]] double knownLatency(const PlannedSet& p) const;
    /// Returns the best tiling of a search with this effort. With `cutoff`, only a faster tiling is returned.
    [[nodiscard]] Tiling tiling(const PlannedSet& p, TilingEffort effort,
                                double cutoff = std::numeric_limits<double>::infinity());

    /// Returns the best of three kinds of tilings: the quick one, the one found with `effort`, and the hints
    /// (addHint()).
    [[nodiscard]] Tiling bestTiling(const PlannedSet& p, TilingEffort effort);
    /// Searches for a tiling with the latency of `tiling` and rounder sizes: powers of two, or at least
    /// multiples of eight. Returns `tiling` if there is none.
    [[nodiscard]] Tiling preferRoundSizes(const PlannedSet& p, const Tiling& tiling);
    /// Adds a granularity that searches for this set evaluate in addition, such as that of the given schedule
    /// (SolveOptions::start).
    void addHint(SetId set, const Granularity& granularity);
    /// Returns the latency of bestTiling() with thorough effort; latency() returns it from then on. Only the
    /// first call for a subgraph searches.
    double refine(const PlannedSet& p);

    /// For proofs: the minimum latency over all tilings, or a lower bound that is at least `cutoff`. Returns
    /// nothing if `keepGoing` ended the search or some tiling could not be evaluated.
    [[nodiscard]] std::optional<double> provenLatency(const PlannedSet& p, double cutoff,
                                                      const std::function<bool()>& keepGoing);
    /// Lower bound of the latency over all tilings: CostModel::latencyBound().
    [[nodiscard]] double latencyBound(const PlannedSet& p);
    /// Returns latency() if it is cached, else the best known lower bound of it; 0 for a locked subgraph.
    [[nodiscard]] double latencyFloor(const PlannedSet& p);

    [[nodiscard]] const Problem& problem() const noexcept { return m_problem; }
    [[nodiscard]] const Rules& rules() const noexcept { return m_rules; }
    [[nodiscard]] const CostModel& model() const noexcept { return m_model; }
    [[nodiscard]] const std::vector<LockedSubgraph>& locked() const noexcept { return m_locked; }
    [[nodiscard]] const ScheduleConstraints& constraints() const noexcept { return m_constraints; }
    [[nodiscard]] std::int64_t evaluations() const noexcept { return m_model.evaluations(); }
    [[nodiscard]] std::int64_t lookups() const noexcept { return m_lookups; }
    [[nodiscard]] std::int64_t searches() const noexcept { return m_searches; }
    [[nodiscard]] std::size_t size() const noexcept { return m_sets.size(); }
    /// Removes all sets and lists of retained tensors; their ids become invalid. The tiling memo is kept.
    void clear();
    [[nodiscard]] std::uint32_t rank(OpId o) const { return m_rank[o]; }
    /// Returns in `out` the connected components of a list of ops (R4.5), each in topological order.
    void components(const std::vector<OpId>& ops, std::vector<std::vector<OpId>>& out);

private:
    [[nodiscard]] Digest structure(const PlannedSet& p, TilingEffort effort);
    [[nodiscard]] Tiling hinted(const PlannedSet& p);
    /// Compiles m_model for the set; returns false if this fails.
    [[nodiscard]] bool compile(const PlannedSet& p);
    [[nodiscard]] Tiling search(const PlannedSet& p, TilingEffort effort, double cutoff);

    const Problem& m_problem;
    Rules m_rules;
    TilingMemo& m_memo;
    std::vector<LockedSubgraph> m_locked;
    ScheduleConstraints m_constraints;
    std::vector<TensorId> m_neverRetained;
    CostModel m_model;
    std::optional<PlannedSet> m_compiled; ///< set for which m_model is compiled
    TilingSearch m_search;
    IdVector<OpId, std::uint32_t> m_rank;
    std::vector<OpSet> m_sets;
    std::unordered_map<std::vector<OpId>, SetId, ListHash> m_setIndex;
    std::unordered_map<std::int32_t, SetId> m_lockIndex;
    std::vector<std::vector<TensorId>> m_retains;
    std::unordered_map<std::vector<TensorId>, RetainId, ListHash> m_retainIndex;
    std::unordered_map<SetId, std::vector<Granularity>> m_hints;
    /// The ops and granularity of every entry of m_hints; unlike set ids, the ops stay valid after clear().
    std::vector<std::pair<std::vector<OpId>, Granularity>> m_hintList;
    /// for each set, its latency without resident and retained tensors; NaN = unknown
    std::vector<double> m_plain;
    std::unordered_map<PlannedSet, double, PlannedSet::Hash> m_costs;
    std::unordered_map<PlannedSet, double, PlannedSet::Hash> m_least, m_refined;
    /// Proven lower bounds of the latency, over all tilings.
    std::unordered_map<PlannedSet, double, PlannedSet::Hash> m_floors;
    /// Lower bounds of latency(), known from searches that ended at a cutoff.
    std::unordered_map<PlannedSet, double, PlannedSet::Hash> m_notBelow;
    std::int64_t m_lookups = 0;
    std::int64_t m_searches = 0;
    /// Scratch memory of components() and structure(): a number for each tensor, valid if its m_localStamp
    /// equals m_stamp.
    std::vector<std::uint32_t> m_local;
    std::vector<std::uint32_t> m_localStamp;
    std::uint32_t m_stamp = 0;
    std::vector<std::uint32_t> m_parent; ///< scratch memory of components()
};

} // namespace tilewright
