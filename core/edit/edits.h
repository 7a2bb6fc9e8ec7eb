// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "rules/check.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilewright {

struct EditOptions
{
    Rules rules;
    /// Do it although it breaks a rule (the person holds Alt); only what makes no sense at all is then
    /// refused.
    bool force = false;
};

/// Pure edits: each gives a new schedule, or an Error whose message says why not. Common to all of them:
/// - An edit is refused when the schedule breaks a rule (checkSchedule()) afterwards that it did not
/// have
///   before; out of memory never refuses, the evaluator shows it. Ops in no subgraph are a defect to be
///   listed, not a reason to refuse, and neither is what follows from it.
/// - Subgraphs that gain or lose ops keep their ops in topological order and their granularity as far as it
/// is
///   legal; new ones get a legal granularity that should fit into fast memory (fit.h). A custom order that no
///   longer fits the grid becomes raster; retained tensors that have become useless are released.
/// - Where the order of subgraphs no longer works out, it is changed as little as possible; a retained tensor
/// that
///   is now needed later than in the next subgraph is released.
/// - Untouched subgraphs keep their pointers.
namespace edit {

/// One subgraph out of several, at the place of the first.
[[nodiscard]] Result<Schedule> fuse(const Problem& problem, const Schedule& schedule,
                                    std::span<const SubgraphId> subgraphs, const EditOptions& options = {});
/// One subgraph of exactly these ops, taken out of every subgraph that has them.
[[nodiscard]] Result<Schedule> fuseOps(const Problem& problem, const Schedule& schedule,
                                       std::span<const OpId> ops, const EditOptions& options = {});
[[nodiscard]] Result<Schedule> mergeWithPrevious(const Problem& problem, const Schedule& schedule,
                                                 SubgraphId subgraph, const EditOptions& options = {});
[[nodiscard]] Result<Schedule> mergeWithNext(const Problem& problem, const Schedule& schedule,
                                             SubgraphId subgraph, const EditOptions& options = {});

/// The ops leave into a subgraph of their own, next to the old one. What stays is split further where it is
/// no longer connected.
[[nodiscard]] Result<Schedule> split(const Problem& problem, const Schedule& schedule, SubgraphId subgraph,
                                     std::span<const OpId> ops, const EditOptions& options = {});
/// Every op of the subgraph on its own.
[[nodiscard]] Result<Schedule> splitApart(const Problem& problem, const Schedule& schedule,
                                          SubgraphId subgraph, const EditOptions& options = {});

/// The ops go from subgraph `from` (from every other subgraph, when none is given) into `to`.
[[nodiscard]] Result<Schedule> moveOps(const Problem& problem, const Schedule& schedule,
                                       std::span<const OpId> ops, std::optional<SubgraphId> from,
                                       SubgraphId to, const EditOptions& options = {});
/// ... into a new subgraph.
[[nodiscard]] Result<Schedule> moveOpsToNew(const Problem& problem, const Schedule& schedule,
                                            std::span<const OpId> ops, std::optional<SubgraphId> from,
                                            const EditOptions& options = {});
[[nodiscard]] Result<Schedule> moveToPrevious(const Problem& problem, const Schedule& schedule,
                                              std::span<const OpId> ops, SubgraphId from,
                                              const EditOptions& options = {});
[[nodiscard]] Result<Schedule> moveToNext(const Problem& problem, const Schedule& schedule,
                                          std::span<const OpId> ops, SubgraphId from,
                                          const EditOptions& options = {});

/// Copies of the ops are computed in `to` as well.
[[nodiscard]] Result<Schedule> recompute(const Problem& problem, const Schedule& schedule,
                                         std::span<const OpId> ops, SubgraphId to,
                                         const EditOptions& options = {});
/// The ops are computed in a new subgraph as well (or at all), placed where its inputs are available.
[[nodiscard]] Result<Schedule> addSubgraph(const Problem& problem, const Schedule& schedule,
                                           std::span<const OpId> ops, const EditOptions& options = {});
/// The ops leave the subgraph; it goes when nothing stays.
[[nodiscard]] Result<Schedule> removeOps(const Problem& problem, const Schedule& schedule,
                                         std::span<const OpId> ops, SubgraphId from,
                                         const EditOptions& options = {});
[[nodiscard]] Result<Schedule> erase(const Problem& problem, const Schedule& schedule,
                                     std::span<const SubgraphId> subgraphs, const EditOptions& options = {});
[[nodiscard]] Result<Schedule> duplicate(const Problem& problem, const Schedule& schedule,
                                         SubgraphId subgraph, const EditOptions& options = {});

/// The subgraphs, in their order, become a block that starts at `position` of the result. Other subgraphs
/// keep their order: a place that breaks a dependency is refused.
[[nodiscard]] Result<Schedule> reorder(const Problem& problem, const Schedule& schedule,
                                       std::span<const SubgraphId> subgraphs, std::size_t position,
                                       const EditOptions& options = {});

[[nodiscard]] Result<Schedule> setGranularity(const Problem& problem, const Schedule& schedule,
                                              std::span<const SubgraphId> subgraphs,
                                              const Granularity& granularity,
                                              const EditOptions& options = {});
[[nodiscard]] Result<Schedule> setRetain(const Problem& problem, const Schedule& schedule,
                                         SubgraphId subgraph, std::vector<TensorId> retain,
                                         const EditOptions& options = {});
[[nodiscard]] Result<Schedule> toggleRetain(const Problem& problem, const Schedule& schedule,
                                            SubgraphId subgraph, TensorId tensor,
                                            const EditOptions& options = {});
[[nodiscard]] Result<Schedule> setTraversal(const Problem& problem, const Schedule& schedule,
                                            std::span<const SubgraphId> subgraphs, const Traversal& traversal,
                                            const EditOptions& options = {});
[[nodiscard]] Result<Schedule> setLocked(const Schedule& schedule, std::span<const SubgraphId> subgraphs,
                                         bool locked);

/// A schedule that was found elsewhere, with the locks that `current` has now. Refused when it takes apart or
/// tiles otherwise what is locked by now.
[[nodiscard]] Result<Schedule> withLocksOf(Schedule found, const Schedule& current);

/// Quick fixes, which never make anything worse. Each op in no subgraph gets one of its own:
[[nodiscard]] Schedule coverMissing(const Problem& problem, const Schedule& schedule,
                                    const Rules& rules = {});
/// The order of subgraphs changed as little as possible so that what can be available is available:
[[nodiscard]] Schedule repairOrder(const Problem& problem, const Schedule& schedule, const Rules& rules = {});
/// All of the above, ops in topological order, granularities legal, impossible and useless retains dropped:
[[nodiscard]] Schedule normalise(const Problem& problem, const Schedule& schedule, const Rules& rules = {});

} // namespace edit

/// A tensor that a subgraph produces (or may keep), for the list of the inspector.
struct RetainCandidate
{
    TensorId tensor;
    bool retained = false; ///< is listed now
    bool useful = false;   ///< the next subgraph reads it from outside
    std::string refusal;   ///< why it cannot be toggled; empty when it can
};
[[nodiscard]] std::vector<RetainCandidate> retainCandidates(const Problem& problem, const Schedule& schedule,
                                                            SubgraphId subgraph,
                                                            const EditOptions& options = {});

/// Positions in `after` of subgraphs that `before` does not have (by pointer): what an edit touched.
[[nodiscard]] std::vector<SubgraphId> changedSubgraphs(const Schedule& before, const Schedule& after);

/// The subgraphs that compute the op, ascending.
[[nodiscard]] std::vector<SubgraphId> subgraphsWith(const Schedule& schedule, OpId op);

} // namespace tilewright
