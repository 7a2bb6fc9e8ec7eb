// SPDX-License-Identifier: GPL-3.0-or-later
// The one checker: every verdict that can be told without running a step, one sentence a fault. What the
// evaluation reports, why an edit is refused and what the Problems list says come from here.
#pragma once

#include "rules/rules.h"
#include "schedule/grid.h"
#include "schedule/issue.h"

#include <span>
#include <string>
#include <vector>

namespace tilewright {

/// How texts name a subgraph: by its place, or by its ops where the schedule is one that nobody sees (what a
/// refused edit would have led to).
enum class SubgraphNames : std::uint8_t { Places, Ops };

/// R2.2 (FORMAT, GRANULARITY, RETAIN), in its order; at most one Issue per code.
[[nodiscard]] std::vector<Issue> checkFormat(const Problem& problem, const Subgraph& subgraph, SubgraphId id);

/// Every fault against R4.1 to R4.7 and R5.3 in their order; the subgraph passes checkFormat().
[[nodiscard]] std::vector<Issue> checkStructure(const Problem& problem, const Subgraph& subgraph,
                                                SubgraphId id, const Rules& rules);

/// checkStructure() of every subgraph and DEPENDENCY (R3.2) in the order of R10.4, then COVERAGE (R3.5) and
/// OUTPUT (R3.6): what edits compare before and after. The subgraphs pass checkFormat().
[[nodiscard]] std::vector<Issue> checkSchedule(const Problem& problem, const Schedule& schedule,
                                               const Rules& rules,
                                               SubgraphNames names = SubgraphNames::Places);

/// R5.3: why an explicit order is no permutation of the tiles of a grid; empty when it is one.
[[nodiscard]] std::string orderFault(std::span<const std::int64_t> order, const TileGrid& grid);

/// The state of R3 while the subgraphs of a schedule are executed one after the other: SLOW, RES and, to say
/// why a tensor is missing, where it was last seen. Ops and tensors that do not exist (R2.2) are passed over.
class MemoryState
{
public:
    MemoryState(const Problem& problem, const Schedule& schedule, const Rules& rules,
                SubgraphNames names = SubgraphNames::Places);

    /// RES before the subgraph that is executed next, ascending.
    [[nodiscard]] std::span<const TensorId> resident() const noexcept { return m_resident; }
    /// Whether a subgraph executed next would find the tensor (R3.2).
    [[nodiscard]] bool has(TensorId t) const;
    /// Executes the next subgraph (R3.3, R3.4); what it misses is added to `issues` first (R3.2).
    void execute(std::vector<Issue>& issues);
    /// After the last subgraph: COVERAGE and OUTPUT.
    void finish(std::vector<Issue>& issues) const;

private:
    /// Where a tensor was last seen.
    struct Fate
    {
        enum class Kind : std::uint8_t { Nowhere, Interior, Retained } kind = Kind::Nowhere;
        std::size_t subgraph = 0;
    };
    enum Touch : std::uint8_t { kProduced = 1, kConsumed = 2 };

    void touchTensors(const Subgraph& s);
    [[nodiscard]] std::optional<TensorId> missingOf(TensorId t) const;
    [[nodiscard]] Issue missing(const Subgraph& s, TensorId read, TensorId t) const;
    [[nodiscard]] Fate later(TensorId t) const;
    [[nodiscard]] std::string nameOf(std::size_t i) const;

    const Problem& m_problem;
    const Schedule& m_schedule;
    const Rules& m_rules;
    const SubgraphNames m_names;
    std::size_t m_next = 0;
    IdVector<TensorId, char> m_slow;
    std::vector<TensorId> m_resident;
    IdVector<TensorId, Fate> m_fate;
    std::vector<bool> m_covered;
    IdVector<TensorId, std::uint8_t> m_touched; ///< by the subgraph that is executed
    std::vector<TensorId> m_touchedList;        ///< ascending
};

/// RES before a subgraph (R3.3): what the previous one retains, as far as it can be retained at all.
/// Ascending.
[[nodiscard]] std::vector<TensorId> residentBefore(const Problem& problem, const Schedule& schedule,
                                                   const Rules& rules, SubgraphId subgraph);

} // namespace tilewright
