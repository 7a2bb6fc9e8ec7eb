// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/typed_number.h"

#include "base/text.h"
#include "base/utf8.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

namespace tilewright {

namespace {

/// A unit, expressed as 10^ten * 2^two * times of the base unit of its quantity. The powers of ten are added
/// to the exponent of the number, so that "0.1 GHz" is exactly 100 MHz.
struct UnitName
{
    std::string_view name;
    int ten = 0, two = 0;
    double times = 1;
    [[nodiscard]] bool sameAs(const UnitName& other) const
    {
        return ten == other.ten && two == other.two && times == other.times;
    }
};

constexpr UnitName kPlain[] = {{""},          {"k", 3},      {"M", 6},      {"G", 9},     {"T", 12},
                               {"Ki", 0, 10}, {"Mi", 0, 20}, {"Gi", 0, 30}, {"Ti", 0, 40}};
constexpr UnitName kFrequency[] = {{"Hz"}, {"kHz", 3}, {"MHz", 6}, {"GHz", 9}, {"THz", 12}};
constexpr UnitName kBytes[] = {
    {"B"},           {"kB", 3},       {"MB", 6},      {"GB", 9},      {"TB", 12},     {"KiB", 0, 10},
    {"MiB", 0, 20},  {"GiB", 0, 30},  {"TiB", 0, 40}, {"PiB", 0, 50}, {"bit", 0, -3}, {"kbit", 3, -3},
    {"Mbit", 6, -3}, {"Gbit", 9, -3}, {"Mb", 6, -3},  {"Gb", 9, -3},  {"byte"},       {"bytes"},
};
constexpr UnitName kByteRate[] = {
    {"B/s"},           {"kB/s", 3},       {"MB/s", 6},        {"GB/s", 9},      {"TB/s", 12},
    {"KiB/s", 0, 10},  {"MiB/s", 0, 20},  {"GiB/s", 0, 30},   {"TiB/s", 0, 40}, {"bit/s", 0, -3},
    {"Mbit/s", 6, -3}, {"Gbit/s", 9, -3}, {"Tbit/s", 12, -3}, {"Mb/s", 6, -3},  {"Gb/s", 9, -3},
    {"Tb/s", 12, -3},  {"GBps", 9},       {"Gbps", 9, -3}};
constexpr UnitName kTime[] = {{"s"},      {"sec"},    {"ms", -3},        {"µs", -6},       {"μs", -6},
                              {"us", -6}, {"ns", -9}, {"min", 0, 0, 60}, {"h", 0, 0, 3600}};
constexpr UnitName kEnergy[] = {{"J"},      {"mJ", -3}, {"µJ", -6},  {"μJ", -6},
                                {"uJ", -6}, {"nJ", -9}, {"pJ", -12}, {"fJ", -15}};
constexpr UnitName kPerCycle[] = {{"B/cycle"}, {"kB/cycle", 3}, {"KiB/cycle", 0, 10}, {"bit/cycle", 0, -3}};
constexpr UnitName kCycles[] = {{"cycles"}, {"cycle"}, {"kcycles", 3}, {"Mcycles", 6}};
constexpr UnitName kPercent[] = {{"%"}};
constexpr UnitName kPoints[] = {{"pt"}};

std::span<const UnitName> quantityOf(std::string_view unit)
{
    for (const std::span<const UnitName> all :
         {std::span<const UnitName>(kPlain), std::span<const UnitName>(kFrequency),
          std::span<const UnitName>(kBytes), std::span<const UnitName>(kByteRate),
          std::span<const UnitName>(kTime), std::span<const UnitName>(kEnergy),
          std::span<const UnitName>(kPerCycle), std::span<const UnitName>(kCycles),
          std::span<const UnitName>(kPercent), std::span<const UnitName>(kPoints)})
        if (std::ranges::find(all, unit, &UnitName::name) != all.end())
            return all;
    return kPlain;
}

Error refusal(std::string message)
{
    return {ErrorCode::Field, std::move(message), {}, {}};
}

std::string folded(std::string_view text)
{
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a'); // not std::tolower(), which depends on the locale
    return out;
}

/// The unit with exactly this name; if there is none, the only one with this name in any case. "mHz" is not
/// MHz.
Result<UnitName> unitNamed(std::string_view name, std::string_view unit)
{
    std::vector<UnitName> known;
    const std::span<const UnitName> quantity = quantityOf(unit);
    known.assign(quantity.begin(), quantity.end());
    if (unit == "B" || unit == "cycles") // these are counts, as plain numbers are
        known.insert(known.end(), std::begin(kPlain) + 1, std::end(kPlain));
    if (const auto exact = std::ranges::find(known, name, &UnitName::name); exact != known.end())
        return *exact;
    const bool hasCapital = std::ranges::any_of(name, [](char c) { return c >= 'A' && c <= 'Z'; });
    std::optional<UnitName> found;
    for (const UnitName& one : known) {
        // "m" alone and in "mHz" means milli. In "mhz" it does not, because that was typed without regard to
        // case.
        const bool isMilli =
            name.front() == 'm' && one.name.starts_with('M') && (hasCapital || name.size() == 1);
        if (folded(name) != folded(one.name) || isMilli)
            continue;
        if (found && !found->sameAs(one))
            return refusal("the unit " + quotedExcerpt(name) + " can mean " + std::string(found->name) +
                           " or " + std::string(one.name));
        found = one;
    }
    if (found)
        return *found;
    std::string names;
    for (const UnitName& one : known)
        if (!one.name.empty())
            names += (names.empty() ? "" : ", ") + std::string(one.name);
    return refusal("unknown unit " + quotedExcerpt(name) + "; known are " + names);
}

struct Fraction
{
    std::string_view sign;
    double value;
};
constexpr std::array<Fraction, 11> kFractions = {{{"½", 0.5},
                                                  {"¼", 0.25},
                                                  {"¾", 0.75},
                                                  {"⅛", 0.125},
                                                  {"⅜", 0.375},
                                                  {"⅝", 0.625},
                                                  {"⅞", 0.875},
                                                  {"⅓", 1.0 / 3},
                                                  {"⅔", 2.0 / 3},
                                                  {"⅕", 0.2},
                                                  {"⅒", 0.1}}};
constexpr std::array<std::string_view, 7> kSpaces = {" ",      "\t",     "\u00a0", "\u202f",
                                                     "\u2009", "\u2007", "\u2002"};
/// Signs that separate groups of digits and are nowhere a decimal separator.
constexpr std::array<std::string_view, 4> kGroups = {" ", "'", "’", "_"};

/// Removes one of `words` from the start of the text and returns it; empty if the text begins with none of
/// them.
template <std::size_t N>
std::string_view take(std::string_view& text, const std::array<std::string_view, N>& words)
{
    for (const std::string_view word : words)
        if (text.starts_with(word)) {
            text.remove_prefix(word.size());
            return word;
        }
    return {};
}

std::string_view takeDigits(std::string_view& text)
{
    const std::size_t n = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view out = text.substr(0, n);
    text.remove_prefix(n);
    return out;
}

/// The parts of a typed text, before its separators are interpreted.
struct Parts
{
    std::string sign;     ///< "-" or empty
    std::string mantissa; ///< digits and separators
    std::optional<double> fraction;
    int exponent = 0;
    std::string unit;
};

/// Replaces all kinds of spaces by " ", so that "1 024" with a narrow no-break space is read like any other.
std::string plainSpaces(std::string_view text)
{
    std::string out;
    while (!text.empty())
        if (!take(text, kSpaces).empty()) {
            out += ' ';
        } else {
            out += text.front();
            text.remove_prefix(1);
        }
    const std::size_t first = out.find_first_not_of(' ');
    return first == std::string::npos ? std::string()
                                      : out.substr(first, out.find_last_not_of(' ') - first + 1);
}

void skipSpaces(std::string_view& text)
{
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
}

/// Removes an exponent such as "e3", "× 10⁶" or "x10^6" from the start of the text. Returns false if the
/// exponent is beyond any range.
bool takeExponent(std::string_view& text, int& exponent)
{
    constexpr std::array<std::string_view, 10> kRaised = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    constexpr std::array<std::string_view, 2> kMinus = {"-", "\u2212"};
    std::string_view rest = text;
    std::string digits;
    bool negative = false;
    if (rest.starts_with('e') || rest.starts_with('E')) {
        rest.remove_prefix(1);
        negative = !take(rest, kMinus).empty();
        if (!negative && rest.starts_with('+'))
            rest.remove_prefix(1);
        digits = takeDigits(rest);
    } else {
        skipSpaces(rest);
        if (take(rest, std::array<std::string_view, 4>{"×", "x", "*", "·"}).empty())
            return true;
        skipSpaces(rest);
        if (!rest.starts_with("10"))
            return true;
        rest.remove_prefix(2);
        if (rest.starts_with('^')) {
            rest.remove_prefix(1);
            negative = !take(rest, kMinus).empty();
            digits = takeDigits(rest);
        } else {
            negative = !take(rest, std::array<std::string_view, 1>{"⁻"}).empty();
            for (std::string_view sign; !(sign = take(rest, kRaised)).empty();)
                digits += static_cast<char>('0' + (std::ranges::find(kRaised, sign) - kRaised.begin()));
        }
    }
    if (digits.empty())
        return true; // the letter begins a unit
    text = rest;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (negative)
        exponent = -exponent;
    return read.ec == std::errc() && std::abs(exponent) < 10'000;
}

std::optional<Parts> partsOf(const std::string& typed)
{
    Parts out;
    std::string_view text = typed;
    if (!take(text, std::array<std::string_view, 2>{"-", "\u2212"}).empty())
        out.sign = "-";
    else if (text.starts_with('+'))
        text.remove_prefix(1);
    skipSpaces(text);
    while (!text.empty()) {
        out.mantissa += takeDigits(text);
        std::string_view rest = text;
        std::string_view sign = take(rest, kGroups);
        const bool isSpaceOrQuote = !sign.empty();
        if (sign.empty())
            sign = take(rest, std::array<std::string_view, 3>{".", ",", "٫"});
        // A space, an apostrophe or a "_" belongs to the number only between digits.
        if (sign.empty() || (isSpaceOrQuote && (rest.empty() || rest[0] < '0' || rest[0] > '9')))
            break;
        out.mantissa += sign;
        text = rest;
    }
    if (!takeExponent(text, out.exponent))
        return std::nullopt;
    skipSpaces(text);
    for (const Fraction& f : kFractions)
        if (text.starts_with(f.sign)) {
            text.remove_prefix(f.sign.size());
            out.fraction = f.value;
        }
    if (out.mantissa.find_first_of("0123456789") == std::string::npos &&
        (!out.fraction || !out.mantissa.empty()))
        return std::nullopt;
    skipSpaces(text);
    out.unit = text;
    return out;
}

/// Returns the mantissa as digits with a decimal point if it is written in this style, with groups of three
/// digits; else nullopt.
std::optional<std::string> plainMantissa(std::string_view text, const NumberStyle& style)
{
    std::string out(takeDigits(text));
    std::string_view separator;
    while (!text.empty()) {
        std::string_view rest = text;
        std::string_view sign = take(rest, kGroups);
        if (sign.empty() && !style.group.empty() && style.group != style.decimal &&
            text.starts_with(style.group)) {
            sign = style.group;
            rest.remove_prefix(sign.size());
        }
        if (sign.empty())
            break;
        const bool isFirst = separator.empty();
        if ((isFirst && (out.empty() || out.size() > 3 || out.front() == '0')) ||
            (!isFirst && sign != separator))
            return std::nullopt;
        separator = sign;
        const std::string_view group = takeDigits(rest);
        if (group.size() != 3)
            return std::nullopt;
        out += group;
        text = rest;
    }
    if (text.starts_with(style.decimal)) {
        text.remove_prefix(style.decimal.size());
        out += '.';
        out += takeDigits(text);
    }
    return text.empty() ? std::optional(out) : std::nullopt;
}

/// Returns digits * 10^ten, correctly rounded.
double scaled(const std::string& digits, int ten)
{
    const std::string text = (digits.empty() ? "0" : digits) + "e" + std::to_string(ten);
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    return read.ec == std::errc()                                 ? value
           : read.ec == std::errc::result_out_of_range && ten < 0 ? 0
                                                                  : INFINITY;
}

/// Writes a number so that no style reads it in another way: a number with three decimals gets a fourth.
std::string unambiguous(const std::string& digits)
{
    const std::size_t point = digits.find('.');
    return point != std::string::npos && digits.size() - point == 4 ? digits + '0' : digits;
}

} // namespace

std::string quotedExcerpt(std::string_view text)
{
    constexpr std::size_t kLongest = 40;
    std::string out;
    std::size_t shown = 0;
    const std::string all = printable(text);
    for (std::string_view rest = all; !rest.empty() && shown < kLongest; ++shown) {
        const std::size_t length = firstCharacter(rest).length;
        out += rest.substr(0, length);
        rest.remove_prefix(length);
    }
    return '"' + out + (out.size() < all.size() ? "...\"" : "\"");
}

Result<double> readNumber(std::string_view text, std::string_view unit, const NumberStyle& style)
{
    const std::string typed = plainSpaces(text);
    const NumberStyle c, own{style.decimal, plainSpaces(style.group)};
    const auto parts = partsOf(typed);
    if (!parts)
        return refusal("expected a number, got " + quotedExcerpt(typed));
    const std::span<const UnitName> quantity = quantityOf(unit);
    const UnitName field =
        *std::ranges::find(quantity, quantity.data() == kPlain ? std::string_view() : unit, &UnitName::name);
    UnitName typedUnit = field;
    if (!parts->unit.empty()) {
        const auto named = unitNamed(parts->unit, unit);
        if (!named)
            return refusal(quotedExcerpt(typed) + ": " + named.error().message);
        typedUnit = *named;
    }
    const auto here = plainMantissa(parts->mantissa, own), inC = plainMantissa(parts->mantissa, c);
    if (here && inC && scaled(*here, 0) != scaled(*inC, 0))
        return refusal(quotedExcerpt(typed) + " can be read as " + unambiguous(*here) + " or as " +
                       unambiguous(*inC) + "; write one of these");
    if (!here && !inC) {
        const auto other = plainMantissa(parts->mantissa, {",", "."});
        return refusal(
            quotedExcerpt(typed) +
            (other ? " is not clear: the decimal separator is \"" + own.decimal + "\"; write " + *other
                   : " is not a number: separators stand between groups of three digits"));
    }
    const std::string digits = here ? *here : *inC;
    if (parts->fraction && digits.find('.') != std::string::npos)
        return refusal("expected a number, got " + quotedExcerpt(typed));
    const int ten = parts->exponent + typedUnit.ten - field.ten;
    double value =
        parts->fraction ? (scaled(digits, 0) + *parts->fraction) * std::pow(10.0, ten) : scaled(digits, ten);
    value = std::ldexp(value, typedUnit.two - field.two) * (typedUnit.times / field.times);
    if (!std::isfinite(value))
        return refusal(quotedExcerpt(typed) + " is too large");
    return parts->sign.empty() ? value : -value;
}

Result<std::int64_t> readInteger(std::string_view text, std::string_view unit, const NumberStyle& style)
{
    constexpr double kLargest = 9007199254740992.0; // 2^53: up to this value every integer is a double
    const auto value = readNumber(text, unit, style);
    if (!value)
        return value.error();
    if (std::abs(*value) > kLargest)
        return refusal(quotedExcerpt(text) + " is too large");
    if (*value != std::floor(*value))
        return refusal("expected a whole number, got " + quotedExcerpt(text));
    return static_cast<std::int64_t>(*value);
}

} // namespace tilewright
