// SPDX-License-Identifier: GPL-3.0-or-later
// A program in MLIR's text form: its functions and their statements. What a statement means is not known
// here.
#pragma once

#include "stablehlo/types.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilewright::stablehlo {

/// A range of tokens.
struct Range
{
    std::size_t begin = 0, end = 0;
};

struct Argument
{
    std::string_view id; ///< name of the argument: "%arg0"
    Type type;
    std::string name; ///< name of the argument's location; may be empty
    std::uint32_t line = 0;
};

struct Function
{
    std::string_view name;
    bool isPublic = true;
    std::vector<Argument> arguments;
    Range body; ///< tokens of the body; empty for a declaration
    std::uint32_t line = 0;
};

/// One operator, in the printed form of its dialect or in the generic form ("stablehlo.add"(%a, %b)).
struct Statement
{
    std::string_view name; ///< name of the operator: "stablehlo.add", "return"
    std::uint32_t line = 0;
    /// Names of the results, and the number of values of each ("%0:2" has two).
    std::vector<std::pair<std::string_view, std::size_t>> results;
    std::vector<std::string_view> operands;
    std::string_view symbol;   ///< first symbol of the statement: the callee or the target of a custom call
    std::string location;      ///< name of its location; may be empty
    bool hasSignature = false; ///< true if operandTypes are known
    std::vector<Type> operandTypes, resultTypes;
    Range header; ///< tokens between the name and the types: operands and attributes
    Range whole;

    [[nodiscard]] std::size_t resultCount() const noexcept;
};

class Program
{
public:
    /// `tokens` must exist as long as the program.
    explicit Program(std::span<const Token> tokens) : m_tokens(tokens) {}
    Status read();

    [[nodiscard]] std::string_view name() const noexcept { return m_name; }
    [[nodiscard]] const Function* find(std::string_view name) const;
    /// The function `main`; if there is none, the only public function. The Error says which functions exist
    /// instead.
    [[nodiscard]] Result<const Function*> entry() const;

    /// Reads the statement that begins at `at`, and sets `at` to the next one. Pre-condition: at < end.
    [[nodiscard]] Result<Statement> statementAt(std::size_t& at, std::size_t end) const;

    // Access to attributes by name, at any place in the header of a statement:

    /// Token index of the value of an attribute; empty if the statement does not have the attribute.
    [[nodiscard]] std::optional<std::size_t> attribute(const Statement& statement,
                                                       std::string_view name) const;
    /// Reads the integers of the value at `at`, and sets `at` to the token after it: "[1, 2]", "[[1, 1], [0,
    /// 0]]", "array<i64: 1, 2>", "dense<1> : tensor<2xi64>", "3".
    [[nodiscard]] Result<std::vector<std::int64_t>> integersAt(std::size_t& at) const;
    /// Like integersAt(), for the value of an attribute; empty if the statement does not have the attribute.
    [[nodiscard]] Result<std::optional<std::vector<std::int64_t>>> integers(const Statement& statement,
                                                                            std::string_view name) const;
    /// True if the word or symbol occurs in the statement, including its regions.
    [[nodiscard]] bool mentions(const Statement& statement, std::string_view word) const;
    [[nodiscard]] const Token& token(std::size_t i) const noexcept
    {
        return m_tokens[std::min(i, m_tokens.size() - 1)];
    }

private:
    [[nodiscard]] std::size_t endOf(std::size_t begin, std::size_t end) const;
    [[nodiscard]] std::size_t after(std::size_t i) const noexcept;
    Status readAll(Range range, int depth);
    Status readFunction(Range statement, bool generic);
    Result<std::vector<Argument>> argumentsIn(Range range) const;
    [[nodiscard]] std::optional<Range> bodyIn(Range statement) const;
    Status readTypes(Statement& out, std::size_t colon) const;
    [[nodiscard]] std::string locationIn(Range range) const;
    /// Returns the name in a location. `left`: number of tokens that may still be visited.
    [[nodiscard]] std::string locationName(Range range, int& left) const;

    std::span<const Token> m_tokens;
    std::string_view m_name;
    std::vector<Function> m_functions;
    std::unordered_map<std::string_view, std::size_t> m_byName;
    std::unordered_map<std::string_view, Range> m_aliases; ///< definitions of locations
};

} // namespace tilewright::stablehlo
