// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/utf8.h"

#include "base/notice.h"

#include <algorithm>
#include <array>

namespace tilewright {

namespace {

/// Code points of the bytes 0x80 to 0x9f in Windows-1252. The five bytes without a character become the code
/// points of equal value, as in browsers.
constexpr std::array<char32_t, 32> kWindows1252 = {
    0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021, 0x2c6,  0x2030, 0x160,
    0x2039, 0x152,  0x8d,   0x17d,  0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178};

char32_t ofWindows1252(char byte)
{
    const auto code = static_cast<unsigned char>(byte);
    return code >= 0x80 && code < 0xa0 ? kWindows1252[code - 0x80U] : code;
}

bool isPlain(char c)
{
    const auto code = static_cast<unsigned char>(c);
    return code >= 0x20 && code < 0x7f;
}

/// Appends the character, or its name in brackets if it cannot be shown.
void appendShown(std::string& out, char32_t code)
{
    constexpr char32_t kPictures = 0x2400, kDelete = 0x2421; // signs for the control characters of ASCII
    if (isShown(code))
        return appendUtf8(out, code);
    if (code < 0x20 || code == 0x7f)
        return appendUtf8(out, code == 0x7f ? kDelete : kPictures + code);
    out += "[U+";
    int digits = 4;
    while (digits < 6 && code >> (4 * digits) != 0)
        ++digits;
    while (digits-- > 0)
        out += "0123456789ABCDEF"[code >> (4 * digits) & 0xf];
    out += ']';
}

/// Length in bytes of the longest valid UTF-8 text at the beginning.
std::size_t validLength(std::string_view text)
{
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t length =
            static_cast<unsigned char>(text[at]) < 0x80 ? 1 : firstCharacter(text.substr(at)).length;
        if (length == 0)
            break;
        at += length;
    }
    return at;
}

} // namespace

Utf8Character firstCharacter(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80)
        return {byte(0), 1};
    const std::size_t length = byte(0) >= 0xc2 && byte(0) < 0xe0   ? 2
                               : (byte(0) & 0xf0) == 0xe0          ? 3
                               : byte(0) >= 0xf0 && byte(0) < 0xf5 ? 4
                                                                   : 0;
    if (length == 0 || length > text.size())
        return {};
    char32_t code = byte(0) & (0xffU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80)
            return {};
        code = code << 6 | (byte(i) & 0x3fU);
    }
    const bool overlong = code < (length == 3 ? 0x800U : length == 4 ? 0x10000U : 0x80U);
    if (overlong || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
        return {};
    return {code, length};
}

void appendUtf8(std::string& out, char32_t code)
{
    const auto add = [&](char32_t byte) { out += static_cast<char>(byte); };
    if (code < 0x80)
        return add(code);
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    add((0xff00U >> (more + 1) & 0xffU) |
        code >> (6 * more)); // 0xc0, 0xe0 or 0xf0, plus the highest bits of the code
    for (int i = more - 1; i >= 0; --i)
        add(0x80U | (code >> (6 * i) & 0x3fU));
}

bool isUtf8(std::string_view bytes)
{
    return validLength(bytes) == bytes.size();
}

bool isShown(char32_t code)
{
    const auto within = [&](char32_t first, char32_t last) { return code >= first && code <= last; };
    return code >= 0x20 && !within(0x7f, 0x9f) && code != 0x61c && !within(0x200e, 0x200f) &&
           !within(0x2028, 0x202e) && !within(0x2066, 0x2069) && code != 0xfeff && !within(0xfff9, 0xfffb) &&
           !within(0xfdd0, 0xfdef) && (code & 0xfffe) != 0xfffe && !within(0xd800, 0xdfff) &&
           !within(0xe0000, 0xe0fff);
}

std::string textOfBytes(std::string_view bytes, const std::string& file)
{
    std::size_t valid = validLength(bytes);
    std::string out(bytes.substr(0, valid));
    if (valid == bytes.size())
        return out;
    notice({ErrorCode::Syntax, "bytes that are not UTF-8 are read as Windows-1252",
            "line " + std::to_string(1 + std::ranges::count(out, '\n')), file});
    for (bytes.remove_prefix(valid); !bytes.empty(); bytes.remove_prefix(valid)) {
        appendUtf8(out, ofWindows1252(bytes.front()));
        bytes.remove_prefix(1);
        valid = validLength(bytes);
        out += bytes.substr(0, valid);
    }
    return out;
}

std::string printable(std::string_view bytes)
{
    if (std::ranges::all_of(bytes, isPlain))
        return std::string(bytes);
    std::string out;
    while (!bytes.empty()) {
        const Utf8Character c = firstCharacter(bytes);
        appendShown(out, c.length > 0 ? c.code : ofWindows1252(bytes.front()));
        bytes.remove_prefix(std::max<std::size_t>(1, c.length));
    }
    return out;
}

std::string printableLines(std::string_view bytes)
{
    std::string out;
    while (true) {
        const std::size_t end = bytes.find('\n');
        out += printable(bytes.substr(0, end));
        if (end == std::string_view::npos)
            return out;
        out += '\n';
        bytes.remove_prefix(end + 1);
    }
}

} // namespace tilewright
