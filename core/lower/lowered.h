// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/arrangement.h"
#include "model/machine.h"

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tilewright::lower {

/// Outcome of the lowering of an operator (docs/rules/workload.md 3.4).
enum class NodeStatus : std::uint8_t { Mapped, Folded, Approximated, Dropped };
[[nodiscard]] std::string_view toString(NodeStatus status) noexcept;

struct NodeReport
{
    std::string name, type;
    NodeStatus status = NodeStatus::Mapped;
    std::int64_t macs = 0;  ///< number of multiply-accumulates of the operator in the model
    std::int64_t bytes = 0; ///< bytes of operands and results, without operands that are left out
    std::string note;       ///< explanation for the user; may be empty if the status is Mapped
    double dependents = 0;  ///< for a dropped operator: share of the known MACs that depend on it
    bool macsKnown = true;  ///< false: a dropped operator that may have MACs, whose number is not known
    bool needed = false;    ///< for a dropped operator: true if something reads its results
};

/// Status of the operators of a model in one lens.
struct Coverage
{
    /// Shares of the known MACs; only `folded` is a share of the operators. Without MACs, `mapped` is 1.
    double mapped = 1, folded = 0, approximated = 0, dropped = 0;
    std::array<std::size_t, 4> operators{}; ///< number of operators for each NodeStatus
    std::array<std::int64_t, 4> macs{};     ///< known MACs of the operators with each status
    std::size_t unknown = 0;                ///< number of dropped operators whose MACs are not known
    std::size_t missing = 0;                ///< number of dropped operators whose results are needed

    [[nodiscard]] std::size_t count(NodeStatus status) const noexcept
    {
        return operators[static_cast<std::size_t>(status)];
    }
};
[[nodiscard]] Coverage coverageOf(std::span<const NodeReport> nodes);
/// Text of the share of the MACs that is dropped: "2.5 %", or that it is not known.
[[nodiscard]] std::string droppedText(const Coverage& coverage);
/// Returns a sentence without full stop about the operators without which the model gives another result;
/// empty if there are none.
[[nodiscard]] std::string missingText(std::span<const NodeReport> nodes);

/// Report of the lowering of a model (docs/rules/workload.md 6.4).
struct LoweringReport
{
    std::string name;
    std::int64_t opset = 0;
    std::size_t operators = 0, tensors = 0;
    std::int64_t macs = 0;
    std::int64_t vectorMacs = 0;  ///< MACs that run on the vector unit
    std::int64_t droppedMacs = 0; ///< known MACs of dropped operators
    std::map<std::string, std::int64_t> byType;
    std::vector<NodeReport> nodes; ///< a report for each operator, in the order of the model
    std::int64_t leftOutBytes = 0; ///< bytes of broadcast constants, which the problem does not contain
    Coverage coverage;
    /// Notes on the whole model, such as the bytes of an element and the rounding of times.
    std::vector<std::string> notes;
};

/// All operators of one type in a report.
struct TypeReport
{
    std::string type;
    std::size_t nodes = 0;
    std::int64_t macs = 0, bytes = 0;
    std::array<std::size_t, 4> became{}; ///< number of operators for each NodeStatus
};
/// Returns the reports of all types, in alphabetical order.
[[nodiscard]] std::vector<TypeReport> typesOf(const LoweringReport& report);

/// Returns the end of the note on a dropped operator: the share of the MACs that depend on it. `allKnown`:
/// the numbers of MACs of all operators are known.
[[nodiscard]] std::string dependentsText(double share, const NodeReport& node, bool allKnown);

/// Computes the totals of the report from its nodes: MACs, operators by type, dropped MACs, coverage.
void tellTotals(LoweringReport& report);

/// A model as a problem of the Schedule lens (docs/rules/workload.md 3).
struct LoweredProblem
{
    Problem::Data data;             ///< tensors, ops, hardware and views (R1.7)
    std::vector<OperatorId> source; ///< for each op, the operator of the model to which it belongs
    /// Per op: true if its MACs are not work of the model (helper MatMul).
    std::vector<char> helper;
    std::int64_t timeUnit = 1; ///< length of a unit of time in cycles
    double rounding = 0;       ///< largest relative error of a rounded cost or of the bandwidth
    LoweringReport report;
};

/// Lowers a model to a problem. The Error names the operator that cannot be lowered.
[[nodiscard]] Result<LoweredProblem> lowerToProblem(const model::Model& model, const Machine& machine);

/// Returns the sum of H * W * K over all MatMuls except helper MatMuls.
[[nodiscard]] std::int64_t matMulMacs(const LoweredProblem& lowered);

/// Validates the lowered problem and returns it.
[[nodiscard]] Result<ProblemPtr> problemOf(LoweredProblem lowered);

} // namespace tilewright::lower
