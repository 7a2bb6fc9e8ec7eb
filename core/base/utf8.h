// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// Conversion of bytes from outside (files, arguments), which may have any encoding, to text. All texts inside
// the program are valid UTF-8.

/// A character at the start of a text: its code point and its length in bytes.
struct Utf8Character
{
    char32_t code = 0;
    std::size_t length = 0; ///< 0: the bytes are not UTF-8
};
/// Decodes the first character of a text that is not empty. Strict: no overlong forms, no surrogates.
[[nodiscard]] Utf8Character firstCharacter(std::string_view text);
void appendUtf8(std::string& out, char32_t code);
[[nodiscard]] bool isUtf8(std::string_view bytes);

/// False for characters that terminals, XML parsers or text layouts execute instead of showing: control
/// characters, line separators, marks that reverse the direction of text, and code points that are not
/// characters.
[[nodiscard]] bool isShown(char32_t code);

/// Converts the content of a file that may be in another encoding. Bytes that are not UTF-8 are read as
/// Windows-1252, and a notice() names the file and the first such line.
[[nodiscard]] std::string textOfBytes(std::string_view bytes, const std::string& file);

/// Converts bytes to one line that can be shown anywhere. Bytes that are not UTF-8 are read as Windows-1252.
/// A character that cannot be shown (isShown()) is replaced: "␛" for Escape, "␊" for the end of a line,
/// "[U+202E]" for others. A text without such characters is unchanged.
[[nodiscard]] std::string printable(std::string_view bytes);
/// Applies printable() to each line of a text.
[[nodiscard]] std::string printableLines(std::string_view bytes);

} // namespace tilewright
