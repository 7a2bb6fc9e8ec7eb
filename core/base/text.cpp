// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

namespace tilewright {

namespace {

constexpr std::string_view kThinSpace = "\u202f";
constexpr std::string_view kSpace = "\u00a0"; // between number and unit
constexpr std::string_view kMinus = "\u2212";
constexpr std::string_view kNone = "\u2013";

template <typename... Form> std::string digits(double value, Form... form)
{
    char buffer[400]; // the largest double has 309 digits before the decimal point
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, form...);
    return {buffer, end.ptr};
}

/// Inserts spaces between groups of three digits. `plain` has no sign.
std::string grouped(std::string plain, bool negative)
{
    std::size_t point = plain.find_first_not_of("0123456789");
    if (point == std::string::npos)
        point = plain.size();
    for (std::size_t i = point; i > 3; i -= 3)
        plain.insert(i - 3, kThinSpace);
    if (negative && plain.find_first_of("123456789") != std::string::npos)
        plain.insert(0, kMinus);
    return plain;
}

/// Text of a non-negative change. It is that of `usual`, except that values which would round to 0 get two
/// significant digits.
std::string magnitude(double value, std::string (*usual)(double))
{
    return value < 0.05 ? significantNumber(value, 2) : usual(value);
}

} // namespace

std::string formatNumber(double value)
{
    // Numbers below 1e15 are written without exponent: 11468800 is easier to read than 1.14688e+07.
    const bool plain = value > -1e15 && value < 1e15;
    return plain ? digits(value, std::chars_format::fixed) : digits(value);
}

std::string formatNumber(std::int64_t value)
{
    return std::to_string(value);
}

void appendNumber(std::string& out, std::int64_t value)
{
    char buffer[24];
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

std::string csvField(std::string_view text)
{
    double number = 0;
    const std::string_view digits = text.substr(text.starts_with('+') ? 1 : 0);
    const bool isFormula = !text.empty() &&
                           std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos &&
                           std::from_chars(digits.data(), digits.data() + digits.size(), number).ptr !=
                               digits.data() + digits.size();
    const std::string_view guard = isFormula ? "'" : "";
    if (text.find_first_of(",\"\r\n") == std::string_view::npos)
        return std::string(guard).append(text);
    std::string out = "\"";
    out += guard;
    for (const char c : text) {
        if (c == '"')
            out += '"';
        out += c;
    }
    return out + '"';
}

std::string shellQuoted(std::string_view text)
{
    std::string out = "'";
    for (const char c : text)
        if (c == '\'')
            out += "'\\''";
        else
            out += c;
    return out + "'";
}

std::string shellWord(std::string_view text)
{
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
    return text.empty() || text.find_first_not_of(kPlain) != std::string_view::npos ? shellQuoted(text)
                                                                                    : std::string(text);
}

std::string formatGrouped(double value)
{
    if (std::abs(value) >= 1e15)
        return scientific(value);
    std::string text = fixedNumber(value, 1);
    if (text.ends_with(".0"))
        text.resize(text.size() - 2);
    return text;
}

std::string formatGrouped(std::int64_t value)
{
    const std::string text = std::to_string(value);
    return value < 0 ? grouped(text.substr(1), true) : grouped(text, false);
}

std::string fixedNumber(double value, int decimals)
{
    if (!std::isfinite(value))
        return std::string(kNone);
    return grouped(digits(std::abs(value), std::chars_format::fixed, decimals), value < 0);
}

std::string significantNumber(double value, int digitCount)
{
    if (!std::isfinite(value))
        return std::string(kNone);
    if (std::abs(value) >= std::pow(10, digitCount) - 0.5)
        return std::abs(value) < 1e15 ? fixedNumber(value, 0) : scientific(value, digitCount - 1);
    return grouped(digits(std::abs(value), std::chars_format::general, digitCount), value < 0);
}

std::string shortNumber(double value)
{
    constexpr std::array<std::string_view, 6> kSuffix{"", "k", "M", "G", "T", "P"};
    double scaled = value;
    std::size_t step = 0;
    while (std::abs(scaled) >= 999.5 && step + 1 < kSuffix.size()) {
        scaled /= 1000;
        ++step;
    }
    return significantNumber(scaled, std::abs(scaled) < 1e-3 ? 2 : 3).append(kSuffix[step]);
}

std::string superscript(int value)
{
    constexpr std::array<std::string_view, 10> kDigits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string out;
    for (const char c : std::to_string(value))
        out += c == '-' ? "⁻" : kDigits[static_cast<std::size_t>(c - '0')];
    return out;
}

std::string scientific(double value, int decimals)
{
    if (!std::isfinite(value))
        return std::string(kNone);
    if (value == 0)
        return "0";
    const std::string text = digits(std::abs(value), std::chars_format::scientific, decimals);
    const std::size_t e = text.find('e');
    return grouped(text.substr(0, e), value < 0) + " × 10" + superscript(std::stoi(text.substr(e + 1)));
}

std::string percent(double fraction, int decimals)
{
    return fixedNumber(fraction * 100, decimals).append(kSpace) + '%';
}

std::string signedNumber(double value)
{
    if (value == 0)
        return "±0";
    return std::string(value > 0 ? "+" : kMinus) + magnitude(std::abs(value), formatGrouped);
}

std::string signedPercent(double fraction)
{
    const auto oneDecimal = [](double v) { return fixedNumber(v, 1); };
    std::string out = fraction == 0 ? "±0"
                                    : std::string(fraction > 0 ? "+" : kMinus) +
                                          magnitude(std::abs(fraction) * 100, oneDecimal);
    return out.append(kSpace) + '%';
}

std::string bytesText(std::int64_t bytes)
{
    constexpr std::array<std::string_view, 6> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double scaled = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; scaled >= 1024 && unit + 1 < kUnits.size(); ++unit)
        scaled /= 1024;
    return formatGrouped(scaled).append(kSpace).append(kUnits[unit]);
}

std::string secondsText(double seconds)
{
    const double size = std::abs(seconds);
    const auto in = [&](double perSecond, const char* unit) {
        return significantNumber(seconds * perSecond).append(kSpace) + unit;
    };
    return size >= 0.09995 || size == 0 ? in(1, "s") : size >= 0.00009995 ? in(1e3, "ms") : in(1e6, "µs");
}

namespace {

/// Lower-case letters and digits of the word, so that "traversalOrders" and "Traversal-Orders" become equal.
std::string plainWord(std::string_view word)
{
    std::string out;
    for (const char c : word)
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            out += c;
        else if (c >= 'A' && c <= 'Z')
            out += static_cast<char>(c - 'A' + 'a');
    return out;
}

/// Number of edits (changes of one character, or swaps of two neighbours) that turn one word into the other;
/// `most` + 1 if there are more.
std::size_t distance(std::string_view a, std::string_view b, std::size_t most)
{
    if (std::max(a.size(), b.size()) > std::min(a.size(), b.size()) + most)
        return most + 1;
    std::array<std::vector<std::size_t>, 3> rows; // the current row and the two rows before it
    for (std::vector<std::size_t>& row : rows)
        row.resize(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        rows[2][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::rotate(rows.begin(), rows.begin() + 1, rows.end());
        rows[2][0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            rows[2][j] = std::min(
                {rows[1][j] + 1, rows[2][j - 1] + 1, rows[1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                rows[2][j] = std::min(rows[2][j], rows[0][j - 2] + 1);
        }
    }
    return rows[2].back();
}

} // namespace

std::string_view similarWord(std::string_view word, std::span<const std::string_view> known)
{
    constexpr std::size_t kLongest = 64; // all words of the file formats are shorter
    std::string_view best;
    if (word.size() > kLongest)
        return best;
    const std::string plain = plainWord(word);
    std::size_t least = plain.size() < 3 ? 0 : plain.size() < 6 ? 1 : 2;
    for (const std::string_view candidate : known)
        if (const std::size_t d = distance(plain, plainWord(candidate), least);
            d < least || (d == least && best.empty())) {
            best = candidate;
            least = d;
        }
    return best;
}

} // namespace tilewright
