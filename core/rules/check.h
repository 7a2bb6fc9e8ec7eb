// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of schedule rules that need no execution of steps. Each fault is one sentence. The evaluation,
// refused edits and the Problems list all use these checks.
#pragma once

#include "schedule/schedule.h"
#include "workload/rules.h"

#include <span>
#include <string>
#include <vector>

namespace tilewright {

/// How texts name a subgraph: by its position; or by its ops if the user does not see the schedule (the
/// result of a refused edit).
enum class SubgraphNames : std::uint8_t { Places, Ops };

/// Checks R2.2 (FORMAT, GRANULARITY, RETAIN) in the order of the rule, and returns at most one issue for each
/// code.
[[nodiscard]] std::vector<Issue> checkFormat(const Problem& problem, const Subgraph& subgraph, SubgraphId id);

/// Checks R4.1 to R4.7 and R5.3, in this order, and returns all violations. The subgraph must pass
/// checkFormat(). `resident`: tensors that are resident before it (RES, R3), needed only with
/// retain_inputs=carry.
[[nodiscard]] std::vector<Issue> checkStructure(const Problem& problem, const Subgraph& subgraph,
                                                SubgraphId id, const Rules& rules,
                                                std::span<const TensorId> resident = {});

/// R4.6: true if a subgraph may retain a tensor that it does not produce. `isInput` is true if an op of the
/// subgraph reads t.
[[nodiscard]] bool mayRetainInput(const Problem& problem, const Rules& rules, TensorId t, bool isInput,
                                  std::span<const TensorId> resident);

/// Checks a schedule: checkStructure() of every subgraph and DEPENDENCY (R3.2) in the order of R10.4, then
/// COVERAGE (R3.5) and OUTPUT (R3.6). Edits compare the issues before and after. The subgraphs must pass
/// checkFormat().
[[nodiscard]] std::vector<Issue> checkSchedule(const Problem& problem, const Schedule& schedule,
                                               const Rules& rules,
                                               SubgraphNames names = SubgraphNames::Places);

/// Returns the reason why an explicit order is not a permutation of the tiles of a grid (R5.3); empty if it
/// is one.
[[nodiscard]] std::string orderFault(std::span<const std::int64_t> order, const TileGrid& grid);

/// State of the memories (R3) while the subgraphs of a schedule are executed in order: the tensors in slow
/// memory, the resident tensors and, for texts of issues, the last place of each tensor. Ops and tensors that
/// do not exist (R2.2) are ignored.
class MemoryState
{
public:
    MemoryState(const Problem& problem, const Schedule& schedule, const Rules& rules,
                SubgraphNames names = SubgraphNames::Places);

    /// Tensors that are resident before the next subgraph, ascending.
    [[nodiscard]] std::span<const TensorId> resident() const noexcept { return m_resident; }
    /// True if the next subgraph can read the tensor (R3.2).
    [[nodiscard]] bool has(TensorId t) const;
    /// Executes the next subgraph (R3.3, R3.4). First adds an issue for each missing input (R3.2).
    void execute(std::vector<Issue>& issues);
    /// Adds the issues COVERAGE and OUTPUT after the last subgraph.
    void finish(std::vector<Issue>& issues) const;

private:
    /// Last known place of a tensor that is not in slow memory.
    struct LastPlace
    {
        enum class Kind : std::uint8_t { Nowhere, Interior, Retained } kind = Kind::Nowhere;
        std::size_t subgraph = 0;
    };
    enum Touch : std::uint8_t { kProduced = 1, kConsumed = 2 };

    void touchTensors(const Subgraph& s);
    [[nodiscard]] std::optional<TensorId> missingTensor(TensorId t) const;
    [[nodiscard]] Issue dependencyIssue(const Subgraph& s, TensorId read, TensorId t) const;
    [[nodiscard]] LastPlace findLaterProducer(TensorId t) const;
    [[nodiscard]] std::string nameOf(std::size_t i) const;

    const Problem& m_problem;
    const Schedule& m_schedule;
    const Rules& m_rules;
    const SubgraphNames m_names;
    std::size_t m_next = 0;
    IdVector<TensorId, char> m_slow;
    std::vector<TensorId> m_resident;
    IdVector<TensorId, LastPlace> m_lastPlace;
    std::vector<bool> m_covered;
    IdVector<TensorId, std::uint8_t> m_touched; ///< per tensor: Touch flags for the current subgraph
    std::vector<TensorId> m_touchedList;        ///< tensors with flags in m_touched, ascending
};

/// Tensors that are resident before a subgraph (R3.3): those that the previous subgraph retains and that R4.6
/// allows. Ascending.
[[nodiscard]] std::vector<TensorId> residentBefore(const Problem& problem, const Schedule& schedule,
                                                   const Rules& rules, SubgraphId subgraph);

} // namespace tilewright
