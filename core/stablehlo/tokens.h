// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::stablehlo {

/// A token of the text form of MLIR. Its text points into the file's text.
struct Token
{
    enum class Kind : std::uint8_t {
        Word,   ///< "stablehlo.add", "1x128xf32", "-1"
        Value,  ///< "%arg0", "%3#1"
        Symbol, ///< "@main"
        Block,  ///< "^bb0"
        Alias,  ///< "#loc1", "!quant.uniform"
        String, ///< text in quotes, without the quotes
        Dense,  ///< literal "dense<…>"; the text between the angle brackets
        Arrow,  ///< "->"
        Sign,   ///< any other character
        End,
    };
    Kind kind = Kind::End;
    std::string_view text;
    std::uint32_t line = 0;
    std::uint32_t match = 0; ///< for "(", "[" and "{": index of the closing bracket's token

    [[nodiscard]] bool isSign(char c) const noexcept { return kind == Kind::Sign && text[0] == c; }
    [[nodiscard]] bool isWord(std::string_view word) const noexcept
    {
        return kind == Kind::Word && text == word;
    }
};

/// Text of a line number for Error::path: "line 12".
[[nodiscard]] std::string lineText(std::uint32_t line);

/// Splits a text into tokens, without comments; the last token is End. Returns an Error for brackets that do
/// not match or are nested more than kMaxNesting levels deep.
[[nodiscard]] Result<std::vector<Token>> tokensOf(std::string_view text);

} // namespace tilewright::stablehlo
