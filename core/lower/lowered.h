// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/arrangement.h"
#include "model/machine.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace tilewright::lower {

/// What became of an operator (docs/rules/workload.md 3.4).
enum class NodeStatus : std::uint8_t { Mapped, Folded, Approximated, Dropped };
[[nodiscard]] std::string_view toString(NodeStatus status) noexcept;

struct NodeReport
{
    std::string name, type;
    NodeStatus status = NodeStatus::Mapped;
    std::int64_t macs = 0;  ///< the model's own
    std::int64_t bytes = 0; ///< of its operands and results, without what is left out
    std::string note;       ///< a sentence, but for what is mapped plainly
    double dependents = 0;  ///< of a dropped operator: share of the MACs that depend on it
};

/// Shares of a model's MACs; `folded` of its operators.
struct Coverage
{
    double mapped = 1, folded = 0, approximated = 0, dropped = 0;
};

/// What a lowering did to a model (docs/rules/workload.md 6.4).
struct LoweringReport
{
    std::string name;
    std::int64_t opset = 0;
    std::size_t operators = 0, tensors = 0;
    std::int64_t macs = 0;
    std::int64_t vectorMacs = 0;  ///< that run as vector work
    std::int64_t droppedMacs = 0; ///< of dropped operators
    std::map<std::string, std::int64_t> byType;
    std::vector<NodeReport> nodes; ///< one an operator, in the model's order
    std::int64_t leftOutBytes = 0; ///< of constants that are broadcast
    Coverage coverage;
    std::vector<std::string> notes; ///< of the whole: element bytes, rounding of time
};

/// All operators of one type.
struct TypeReport
{
    std::string type;
    std::size_t nodes = 0;
    std::int64_t macs = 0, bytes = 0;
    std::array<std::size_t, 4> became{}; ///< operators by NodeStatus
};
/// In the order of the alphabet.
[[nodiscard]] std::vector<TypeReport> typesOf(const LoweringReport& report);

/// Sums up the nodes: MACs, by type, dropped ones, coverage.
void tellTotals(LoweringReport& report);

/// A model as a problem of the Schedule lens (docs/rules/workload.md 3).
struct LoweredProblem
{
    Problem::Data data;             ///< with its views (R1.7)
    std::vector<OperatorId> source; ///< per op: the operator of the model it belongs to
    std::vector<char> helper;       ///< per op: no MACs of the model
    std::int64_t timeUnit = 1;      ///< cycles
    double rounding = 0;            ///< largest relative error of a rounded cost or of the bandwidth
    LoweringReport report;
};

/// The Error names the operator that cannot be lowered.
[[nodiscard]] Result<LoweredProblem> lowerToProblem(const model::Model& model, const Machine& machine);

/// Sum of H * W * K over the MatMuls that are no helpers.
[[nodiscard]] std::int64_t matMulMacs(const LoweredProblem& lowered);

/// The problem itself, checked.
[[nodiscard]] Result<ProblemPtr> problemOf(LoweredProblem lowered);
/// The report as one JSON document.
[[nodiscard]] std::string reportJson(const LoweringReport& report);

} // namespace tilewright::lower
