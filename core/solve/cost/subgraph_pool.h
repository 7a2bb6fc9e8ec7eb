// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/digest.h"
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

/// Best tilings by the structure of a subgraph (shapes, op types, costs, what is resident and retained), so
/// that equal blocks of a model share their search. Shared by all threads; a value depends on its key alone,
/// so sharing does not make results depend on timing.
class TilingMemo
{
public:
    [[nodiscard]] std::optional<Tiling> find(const Digest& key) const;
    void store(const Digest& key, const Tiling& tiling);
    [[nodiscard]] std::size_t size() const;
    /// Whether results of exhaustive searches are among the values.
    [[nodiscard]] bool hasProofs() const noexcept { return m_proofs.load(std::memory_order_relaxed); }
    void noteProof() noexcept { m_proofs.store(true, std::memory_order_relaxed); }

private:
    std::atomic<bool> m_proofs{false};
    struct Shard
    {
        mutable std::mutex mutex;
        std::unordered_map<Digest, Tiling, DigestHash> map;
    };
    std::array<Shard, 16> m_shards;
};

/// A subgraph as the search sees it: an op set and what follows from it.
struct OpSet
{
    std::vector<OpId> ops;        ///< topological order
    std::vector<TensorId> inputs; ///< boundary inputs that some op produces (graph inputs are always there)
    std::vector<TensorId> allInputs; ///< all boundary inputs, ascending
    std::vector<TensorId> bases;     ///< what some op produces and a view reads here (R1.7), ascending
    std::vector<TensorId> sinks;
    std::vector<TensorId> produced; ///< sinks and interior, ascending
    std::int32_t lock = -1;         ///< index into the pool's locked subgraphs
    bool connected = false;         ///< R4.5
};

using SetId = std::uint32_t;
using RetainId = std::uint32_t; ///< 0 = nothing

/// What the latency of a subgraph depends on: its ops, the tensors in fast memory before it, and those it
/// retains. The ids are those of one SubgraphPool.
struct PlannedSet
{
    SetId set = 0;
    RetainId resident = 0;
    RetainId retain = 0;
    bool operator==(const PlannedSet&) const = default;
    struct Hash
    {
        std::size_t operator()(const PlannedSet& k) const noexcept
        {
            std::uint64_t h = (std::uint64_t{k.set} << 32 | k.resident) * 0x9e3779b97f4a7c15ULL;
            h = (h ^ (h >> 29) ^ k.retain) * 0xbf58476d1ce4e5b9ULL;
            return h ^ (h >> 31);
        }
    };
};

/// A PlannedSet that does not refer to a pool, to be carried from one pool to another.
struct PortableSet
{
    std::vector<OpId> ops;
    std::vector<TensorId> resident, retain;
    std::int32_t lock = -1; ///< as OpSet::lock
};

/// A person's pinned subgraph: ops, granularity and retained tensors stay; the traversal too when it is not a
/// preset.
struct LockedSubgraph
{
    Subgraph subgraph;
};

/// Interns op sets and retain lists and remembers what they cost. One per thread.
class SubgraphPool
{
public:
    SubgraphPool(const Problem& problem, const Rules& rules, TilingMemo& memo,
                 std::vector<LockedSubgraph> locked);

    /// `ops` in any order, each once; a set with `lock` >= 0 is the locked subgraph itself.
    [[nodiscard]] SetId intern(std::vector<OpId> ops, std::int32_t lock = -1);
    [[nodiscard]] const OpSet& set(SetId id) const { return m_sets[id]; }
    [[nodiscard]] RetainId internRetain(std::vector<TensorId> tensors);
    [[nodiscard]] const std::vector<TensorId>& retain(RetainId id) const { return m_retains[id]; }
    [[nodiscard]] PlannedSet intern(const PortableSet& s);
    [[nodiscard]] PortableSet portable(const PlannedSet& p) const;
    /// What the locked subgraph of a set retains, as far as it produces it.
    [[nodiscard]] RetainId pinnedRetain(SetId set);

    /// Asked during searches for tilings: when it says no, what they have found so far counts from then on.
    void setKeepGoing(std::function<bool()> keepGoing) { m_search.setKeepGoing(std::move(keepGoing)); }
    /// Latency of the best tiling found for the set between its resident and retained tensors; infinite when
    /// nothing fits.
    [[nodiscard]] double latency(const PlannedSet& p);
    /// latency() where that is less than `cutoff`, else infinite, which takes a fraction of the time.
    [[nodiscard]] double latencyBelow(double cutoff, const PlannedSet& p);
    /// latency() if it is remembered, else 0.
    [[nodiscard]] double knownLatency(const PlannedSet& p) const;
    /// With a `cutoff` only one that is faster.
    [[nodiscard]] Tiling tiling(const PlannedSet& p, TilingEffort effort,
                                double cutoff = std::numeric_limits<double>::infinity());

    /// The better of the best Quick, the best `effort` and the hinted tiling.
    [[nodiscard]] Tiling bestTiling(const PlannedSet& p, TilingEffort effort);
    /// One that is as fast, with sizes that are powers of two or at least multiples of eight, where there is
    /// such a one; else `tiling`, which is of this set between these tensors.
    [[nodiscard]] Tiling rounder(const PlannedSet& p, const Tiling& tiling);
    /// A granularity to be tried for this set besides the search's own, e.g. of the schedule one starts from.
    void addHint(SetId set, const Granularity& granularity);
    /// Finds the bestTiling() and lets latency() use it from now on.
    /// Remembered, so that only the first call costs something.
    double refine(const PlannedSet& p);

    /// For proofs: the least latency over all tilings, or `cutoff` or more when that is certain; then it
    /// need not be known exactly. Nothing when `keepGoing` ended the search or a tiling could not be
    /// evaluated.
    [[nodiscard]] std::optional<double> provenLatency(const PlannedSet& p, double cutoff,
                                                      const std::function<bool()>& keepGoing);
    /// No tiling is faster than this.
    [[nodiscard]] double leastLatency(const PlannedSet& p);
    /// latency() if it is remembered, else the most that it is known to be at least; 0 for a locked subgraph.
    [[nodiscard]] double floor(const PlannedSet& p);

    [[nodiscard]] const Problem& problem() const noexcept { return m_problem; }
    [[nodiscard]] const Rules& rules() const noexcept { return m_rules; }
    [[nodiscard]] const std::vector<LockedSubgraph>& locked() const noexcept { return m_locked; }
    [[nodiscard]] std::int64_t evaluations() const noexcept { return m_model.evaluations(); }
    [[nodiscard]] std::int64_t lookups() const noexcept { return m_lookups; }
    [[nodiscard]] std::int64_t searches() const noexcept { return m_searches; }
    [[nodiscard]] std::size_t size() const noexcept { return m_sets.size(); }
    /// Forgets all sets and retain lists (their ids become invalid); what tilings cost stays in the memo.
    void clear();
    [[nodiscard]] std::uint32_t rank(OpId o) const { return m_rank[o]; }
    /// Connected parts of an op list (R4.5), each in topological order.
    void components(const std::vector<OpId>& ops, std::vector<std::vector<OpId>>& out);

private:
    [[nodiscard]] Digest structure(const PlannedSet& p, TilingEffort effort);
    [[nodiscard]] Tiling hinted(const PlannedSet& p);
    /// Makes m_model that of the set; false when it cannot be.
    [[nodiscard]] bool compile(const PlannedSet& p);
    [[nodiscard]] Tiling search(const PlannedSet& p, TilingEffort effort, double cutoff);

    struct ListHash
    {
        // Not noexcept: the standard library then keeps hashes, which is much faster than hashing each list
        // of a bucket.
        template <typename Tag> std::size_t operator()(const std::vector<Id<Tag>>& list) const
        {
            Digest d;
            for (const auto id : list)
                d.add(id.value + 1);
            return d.a ^ d.b;
        }
    };
    const Problem& m_problem;
    Rules m_rules;
    TilingMemo& m_memo;
    std::vector<LockedSubgraph> m_locked;
    CostModel m_model;
    std::optional<PlannedSet> m_compiled; ///< what m_model is of
    TilingSearch m_search;
    IdVector<OpId, std::uint32_t> m_rank;
    std::vector<OpSet> m_sets;
    std::unordered_map<std::vector<OpId>, SetId, ListHash> m_setIndex;
    std::unordered_map<std::int32_t, SetId> m_lockIndex;
    std::vector<std::vector<TensorId>> m_retains;
    std::unordered_map<std::vector<TensorId>, RetainId, ListHash> m_retainIndex;
    std::unordered_map<SetId, std::vector<Granularity>> m_hints;
    std::vector<std::pair<std::vector<OpId>, Granularity>> m_hintList; ///< the same, by ops
    std::vector<double> m_plain; ///< by set: latency without residents and retained tensors; NaN = unknown
    std::unordered_map<PlannedSet, double, PlannedSet::Hash> m_costs;
    std::unordered_map<PlannedSet, double, PlannedSet::Hash> m_least, m_refined;
    std::unordered_map<PlannedSet, double, PlannedSet::Hash> m_floors; ///< no tiling is faster: proven
    /// latency() is not below it, as searches with a cutoff have shown.
    std::unordered_map<PlannedSet, double, PlannedSet::Hash> m_notBelow;
    std::int64_t m_lookups = 0;
    std::int64_t m_searches = 0;
    std::vector<std::uint32_t> m_local; ///< scratch by tensor
    std::vector<std::uint32_t> m_localStamp;
    std::uint32_t m_stamp = 0;
    std::vector<std::uint32_t> m_parent; ///< scratch of components()
};

} // namespace tilewright
