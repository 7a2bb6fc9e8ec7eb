// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::stablehlo {

/// A token of MLIR's text form. It points into the text.
struct Token
{
    enum class Kind : std::uint8_t {
        Word,   ///< "stablehlo.add", "1x128xf32", "-1"
        Value,  ///< "%arg0", "%3#1"
        Symbol, ///< "@main"
        Block,  ///< "^bb0"
        Alias,  ///< "#loc1", "!quant.uniform"
        String, ///< without its quotes
        Dense,  ///< a literal "dense<…>": what stands between the brackets
        Arrow,  ///< "->"
        Sign,   ///< any other character
        End,
    };
    Kind kind = Kind::End;
    std::string_view text;
    std::uint32_t line = 0;
    std::uint32_t match = 0; ///< of "(", "[" and "{": the index of the closing bracket

    [[nodiscard]] bool isSign(char c) const noexcept { return kind == Kind::Sign && text[0] == c; }
    [[nodiscard]] bool isWord(std::string_view word) const noexcept
    {
        return kind == Kind::Word && text == word;
    }
};

/// "line 12", for Error::path.
[[nodiscard]] std::string lineText(std::uint32_t line);

/// Splits a text, without comments; the last token is End. Refuses brackets that do not match or are nested
/// more than kMaxNesting levels deep.
[[nodiscard]] Result<std::vector<Token>> tokensOf(std::string_view text);

} // namespace tilewright::stablehlo
