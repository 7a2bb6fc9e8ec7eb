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
    /// True: applies the edit even if it breaks a rule (the user holds Alt). Only meaningless edits are
    /// refused.
    bool force = false;
};

/// Edits without side effects. Each returns a new schedule, or an Error with the reason for the refusal.
/// Rules for all edits:
/// - An edit is refused if it adds a violation of a rule (checkSchedule()). It is not refused for a lack of
///   fast memory, which the evaluator reports, nor for ops in no subgraph and their consequences.
/// - A subgraph that gains or loses ops keeps its ops in topological order, and its granularity as far as it
///   is legal. A new subgraph gets a legal granularity that should fit into fast memory (fit.h). A custom
///   order that does not fit the new grid becomes raster. Retained tensors that no subgraph uses are
///   released.
/// - If the edit breaks a dependency, the subgraphs are reordered as little as possible. A retained tensor
///   that is needed later than in the next subgraph is released.
/// - Unchanged subgraphs keep their pointers.
namespace edit {

/// Fuses several subgraphs into one, at the position of the first one.
[[nodiscard]] Result<Schedule> fuse(const Problem& problem, const Schedule& schedule,
                                    std::span<const SubgraphId> subgraphs, const EditOptions& options = {});
/// Creates one subgraph of exactly these ops and removes them from all other subgraphs.
[[nodiscard]] Result<Schedule> fuseOps(const Problem& problem, const Schedule& schedule,
                                       std::span<const OpId> ops, const EditOptions& options = {});
[[nodiscard]] Result<Schedule> mergeWithPrevious(const Problem& problem, const Schedule& schedule,
                                                 SubgraphId subgraph, const EditOptions& options = {});
[[nodiscard]] Result<Schedule> mergeWithNext(const Problem& problem, const Schedule& schedule,
                                             SubgraphId subgraph, const EditOptions& options = {});

/// Moves the ops to a new subgraph next to the old one. If the remaining ops are no longer connected, the old
/// subgraph is split.
[[nodiscard]] Result<Schedule> split(const Problem& problem, const Schedule& schedule, SubgraphId subgraph,
                                     std::span<const OpId> ops, const EditOptions& options = {});
/// Creates one subgraph for each op of the subgraph.
[[nodiscard]] Result<Schedule> splitApart(const Problem& problem, const Schedule& schedule,
                                          SubgraphId subgraph, const EditOptions& options = {});

/// Moves the ops from subgraph `from` to subgraph `to`. If `from` is empty, removes them from all other
/// subgraphs.
[[nodiscard]] Result<Schedule> moveOps(const Problem& problem, const Schedule& schedule,
                                       std::span<const OpId> ops, std::optional<SubgraphId> from,
                                       SubgraphId to, const EditOptions& options = {});
/// Moves the ops from subgraph `from` to a new subgraph. If `from` is empty, removes them from all subgraphs.
[[nodiscard]] Result<Schedule> moveOpsToNew(const Problem& problem, const Schedule& schedule,
                                            std::span<const OpId> ops, std::optional<SubgraphId> from,
                                            const EditOptions& options = {});
[[nodiscard]] Result<Schedule> moveToPrevious(const Problem& problem, const Schedule& schedule,
                                              std::span<const OpId> ops, SubgraphId from,
                                              const EditOptions& options = {});
[[nodiscard]] Result<Schedule> moveToNext(const Problem& problem, const Schedule& schedule,
                                          std::span<const OpId> ops, SubgraphId from,
                                          const EditOptions& options = {});

/// Adds the ops to subgraph `to`, although other subgraphs still compute them.
[[nodiscard]] Result<Schedule> recompute(const Problem& problem, const Schedule& schedule,
                                         std::span<const OpId> ops, SubgraphId to,
                                         const EditOptions& options = {});
/// Adds a subgraph that computes the ops, at a position where their inputs are available. Other subgraphs
/// keep their ops.
[[nodiscard]] Result<Schedule> addSubgraph(const Problem& problem, const Schedule& schedule,
                                           std::span<const OpId> ops, const EditOptions& options = {});
/// Removes the ops from the subgraph. An empty subgraph is deleted.
[[nodiscard]] Result<Schedule> removeOps(const Problem& problem, const Schedule& schedule,
                                         std::span<const OpId> ops, SubgraphId from,
                                         const EditOptions& options = {});
[[nodiscard]] Result<Schedule> erase(const Problem& problem, const Schedule& schedule,
                                     std::span<const SubgraphId> subgraphs, const EditOptions& options = {});
[[nodiscard]] Result<Schedule> duplicate(const Problem& problem, const Schedule& schedule,
                                         SubgraphId subgraph, const EditOptions& options = {});

/// Moves the subgraphs, in their order, to a contiguous block that starts at `position` of the result. Other
/// subgraphs keep their order. An edit that breaks a dependency is refused.
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

/// Copies the locks, the constraints and other fields of the file (Schedule::extra) from `current` to a
/// schedule from another source, for example the solver. Refused if that schedule splits a locked subgraph or
/// has another tiling for it.
[[nodiscard]] Result<Schedule> withLocksOf(Schedule found, const Schedule& current);

/// Quick fix that never adds a violation: creates a subgraph for each op that is in no subgraph.
[[nodiscard]] Schedule coverMissing(const Problem& problem, const Schedule& schedule,
                                    const Rules& rules = {});
/// Quick fix: reorders the subgraphs as little as possible, so that inputs come before their readers wherever
/// that can be achieved.
[[nodiscard]] Schedule repairOrder(const Problem& problem, const Schedule& schedule, const Rules& rules = {});
/// Quick fix: applies coverMissing() and repairOrder(), sorts ops in topological order, makes granularities
/// legal, and removes impossible or useless retained tensors.
[[nodiscard]] Schedule normalise(const Problem& problem, const Schedule& schedule, const Rules& rules = {});

} // namespace edit

/// A tensor that a subgraph can retain, for a list in the inspector.
struct RetainCandidate
{
    TensorId tensor;
    bool retained = false; ///< true if the subgraph retains it now
    bool useful = false;   ///< true if the next subgraph reads it as a boundary input
    std::string refusal;   ///< reason why it cannot be toggled; empty if it can
};
[[nodiscard]] std::vector<RetainCandidate> retainCandidates(const Problem& problem, const Schedule& schedule,
                                                            SubgraphId subgraph,
                                                            const EditOptions& options = {});

/// Positions of the subgraphs in `after` that are not in `before`, compared by pointer.
[[nodiscard]] std::vector<SubgraphId> changedSubgraphs(const Schedule& before, const Schedule& after);

/// Returns the subgraphs that compute the op, ascending.
[[nodiscard]] std::vector<SubgraphId> subgraphsWith(const Schedule& schedule, OpId op);

} // namespace tilewright
