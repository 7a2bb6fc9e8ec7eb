// SPDX-License-Identifier: GPL-3.0-or-later
// A figure together with the values and rules from which it follows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// How the value of an explanation is computed from the values of its parts.
enum class Operation : std::uint8_t {
    Leaf, ///< a given value: from a file or a machine, or counted or simulated by an engine
    Sum,
    Product,
    Quotient, ///< the first part divided by the product of all others
    Largest,
    Smallest,
    Ceil,  ///< the quotient, rounded up to a whole number
    Floor, ///< the quotient, rounded down to a whole number
};
/// Returns the name of the operation: "leaf", "sum" ...
[[nodiscard]] std::string_view toString(Operation operation) noexcept;

/// A named value with its explanation as a tree: its parts, the rule that combines them, and the source of
/// each leaf.
struct ExplainedValue
{
    std::string name; ///< name of the value, a noun: "cycles of the array"
    std::string unit; ///< unit of the value: "cycles", "pJ"; empty for a plain number
    double value = 0;
    Operation operation = Operation::Leaf;
    std::vector<ExplainedValue> parts; ///< the values from which this value is computed; empty for a leaf
    std::string rule;                  ///< citation of the rule: "R19", "docs/rules/npu.md 5"; may be empty
    /// Source of a leaf: file, field of a machine, or engine that computed the value; may be empty.
    std::string source;
    bool operator==(const ExplainedValue&) const = default;

    /// Computes the value again from the leaves.
    [[nodiscard]] double evaluate() const;
    /// Number of values in the tree, including this one.
    [[nodiscard]] std::size_t size() const noexcept;
};

/// Returns a leaf: a given value without parts.
[[nodiscard]] ExplainedValue leaf(std::string name, std::string unit, double value, std::string source,
                                  std::string rule = {});
/// Returns a value that is computed from parts. A quotient whose divisor is 0 has the value 0.
[[nodiscard]] ExplainedValue combined(Operation operation, std::string name, std::string unit,
                                      std::vector<ExplainedValue> parts, std::string rule = {});
/// Returns `whole` without `part`, as the sum of both with -1 as factor of the part.
[[nodiscard]] ExplainedValue difference(std::string name, std::string unit, ExplainedValue whole,
                                        ExplainedValue part, std::string rule = {});

/// Text of the value for people: whole and large numbers in full, others with four digits.
[[nodiscard]] std::string valueText(const ExplainedValue& explanation);
/// Text that says how the value was obtained, in one line: "largest of", "sum of", or the source of a leaf;
/// followed by the rule.
[[nodiscard]] std::string originText(const ExplainedValue& explanation);
/// Returns the tree as lines of text for people. Each part is below its whole and indented.
[[nodiscard]] std::string explanationText(const ExplainedValue& explanation, std::size_t indent = 0);
/// Returns the tree as one JSON object: {"name", "unit", "value", "operation", "rule", "source", "parts"}.
/// Empty texts are left out.
[[nodiscard]] std::string explanationJson(const ExplainedValue& explanation);

} // namespace tilewright
