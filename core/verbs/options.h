// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "base/text.h"
#include "base/typed_number.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tilewright::verbs {

/// Range of the numbers that an option accepts. If `above` is true, `min` itself is excluded.
struct Range
{
    double min = 0;
    double max = std::numeric_limits<double>::infinity();
    bool above = false;
    /// Unit of the number. With "s", readNumber() also accepts "2 min".
    std::string_view unit = {};
};
/// One option of a verb. The command line, its manual and Python are derived from it.
struct Option
{
    std::string name;      ///< name on the command line: "--depth", or "workload" for a positional argument
    std::string shortForm; ///< short name on the command line: "-o"
    std::string help;      ///< description, a clause without full stop
    std::string value;     ///< placeholder of the value: "N", "FILE", "os|ws|is"; empty: a flag
    std::string standard;  ///< text of the default value; empty: none
    /// Value of an option that is given without one ("--explain" for "--explain=headline"); empty: the option
    /// needs a value.
    std::string implied;
    std::string otherwise; ///< what happens without the option, if no value of the option has this effect
    /// Type of each value: "bool", "int", "float", "str", "path" or "sizes" ("64x64x64").
    std::string type;
    bool required = false;
    bool isList = false;
    bool isOutput = false;           ///< true if its (last) value names a file or folder that is written
    std::vector<std::string> inside; ///< if this is a folder: names of the files that are written into it
    bool manyAtOnce = true;          ///< for a list: true if several values may follow one name
    std::size_t count = 0;           ///< for a list: required number of values; 0: any number
    std::vector<std::string> limits; ///< conditions under which the option has an effect: "needs --pipeline"
    /// The first of `limits` that the present options do not meet; empty if all are met.
    std::string refusal;
    /// True if, with the present options, no options have an effect except this one and those in `company`.
    bool isAlone = false;
    /// Names of the options that have an effect beside one with `isAlone`.
    std::vector<std::string> company;
    /// Reads the values from their texts. The Error may have no path.
    std::function<Status(std::span<const std::string>)> read;

    [[nodiscard]] bool isPositional() const noexcept { return name.front() != '-'; }
    [[nodiscard]] bool isNumber() const noexcept { return type == "int" || type == "float"; }
    /// Name in Python and in tools: dram_gb_per_s for "--dram-gb-per-s". The workload of a verb always has
    /// the same name.
    [[nodiscard]] std::string identifier() const;
    /// Help with the conditions and the default: "Passes over k. Needs --schedule b. Without it: 2".
    [[nodiscard]] std::string description() const;
};
/// Function that sets a property of an option.
using Property = std::function<void(Option&)>;

/// The options of a verb. Their values are members of a struct. Each option is named once, in the function
/// bindOptions() of this struct:
///
///     void bindOptions(OptionList& o, SolveCall& call)
///     {
///         o.add("--threads", call.threads, Range{0, 1024}, "Threads; 0: all");
///         o.add("--method", call.method, "analytic|exhaustive", "How the tile is chosen");
///         o.flag("--compare", call.compare, "Each dataflow beside the others", o.needs(program,
///         "--pipeline"));
///     }
///
/// bindOptions() is called to describe the options and read their values into the struct. It is called again
/// afterwards, because only the values decide which options can have an effect (checkEffects()).
class OptionList
{
public:
    OptionList() = default;
    OptionList(const OptionList&) = delete;
    OptionList& operator=(const OptionList&) = delete;

    /// Adds an option. `name`: "--depth", "-o,--output" or "workload". `rule`: a Range, a choice
    /// ("os|ws|is"), or a placeholder for any text ("FILE", "NAME=VALUE"). If the option is not given,
    /// `value` does not change. If it is given, a list is replaced, not extended.
    template <typename T, typename Rule, typename... Properties>
    void add(const std::string& name, T& value, const Rule& rule, const std::string& help,
             const Properties&... properties);
    template <typename... Properties>
    void flag(const std::string& name, bool& value, const std::string& help, const Properties&... properties)
    {
        Option& out = begin(name, help, "bool");
        out.read = [&value](std::span<const std::string>) { return value = true, Status(Unit{}); };
        (Property(properties)(out), ...);
    }

    /// Property: the option has an effect only if `holds` is true. `what` names the options that it needs:
    /// "--pipeline".
    [[nodiscard]] static Property needs(bool holds, const std::string& what)
    {
        return limit(holds, "needs " + what);
    }
    /// Property: the option has no effect if `holds` is true. `what` names the options that exclude it.
    [[nodiscard]] static Property notWith(bool holds, const std::string& what)
    {
        return limit(!holds, "not with " + what);
    }
    /// Property: if `holds` is true, no options have an effect except this one and those in `with`. `what` is
    /// the text for this: "alone".
    [[nodiscard]] static Property alone(bool holds, const std::string& what,
                                        const std::vector<std::string>& with = {});
    [[nodiscard]] static Property otherwise(const std::string& what);
    /// The value may be left out; it is then `text`. A value follows a "=": "--explain=total_latency".
    [[nodiscard]] static Property implies(const std::string& text)
    {
        return [=](Option& o) { o.implied = text; };
    }
    [[nodiscard]] static Property required()
    {
        return [](Option& o) { o.required = true; };
    }
    /// Property: the option names a file that is written, or a folder with the files `inside` that are
    /// written into it.
    [[nodiscard]] static Property writes(const std::vector<std::string>& inside = {})
    {
        return [=](Option& o) {
            o.isOutput = true;
            o.inside = inside;
        };
    }
    /// Adds the flag --in-place. With it, checkOutputs() allows --output to be a file that the call reads.
    void inPlace(bool& value)
    {
        flag("--in-place", value, "Replace a file that the call reads by the one that it writes");
    }
    /// Property of a list: exactly one value follows each name.
    [[nodiscard]] static Property oneByOne()
    {
        return [](Option& o) { o.manyAtOnce = false; };
    }
    /// Property of a list: it must have exactly `number` values. `which` names them in the Error: "three
    /// numbers, of L3, L2 and L1".
    [[nodiscard]] static Property exactly(std::size_t number, const std::string& which);

    [[nodiscard]] const std::vector<Option>& all() const noexcept { return m_options; }
    /// Returns the option with this name, which must exist.
    [[nodiscard]] Option& operator[](std::string_view name);
    /// Reads the values of an option. The Error names the option.
    [[nodiscard]] Status read(const std::string& name, std::span<const std::string> values);
    /// Marks an option as given although its value was not read from text.
    void markGiven(const std::string& name) { m_given.insert(name); }
    [[nodiscard]] const std::set<std::string>& given() const noexcept { return m_given; }
    /// Returns an Error if one of the given options can have no effect.
    [[nodiscard]] Status check(const std::set<std::string>& given) const;
    /// Returns an Error if a file that the call writes cannot be written, or is also read or written through
    /// another option.
    [[nodiscard]] Status checkOutputs() const;

private:
    static Property limit(bool holds, const std::string& sentence);
    Option& begin(const std::string& name, const std::string& help, const std::string& type);

    std::vector<Option> m_options;
    std::set<std::string> m_given;
    /// Key: option that names files; value: the names.
    std::map<std::string, std::vector<std::string>> m_files;
};

/// Returns an Error if a given option can have no effect. The Error names the options that it needs or
/// excludes.
template <typename Call> [[nodiscard]] Status checkEffects(const OptionList& read, Call& call)
{
    OptionList now;
    bindOptions(now, call);
    return now.check(read.given());
}

// Functions that read one value from a text. They write `out` only if the value is legal.

/// Error for a text that is none of the words: `expected os, ws or is, got "rs"`.
[[nodiscard]] Error notOneOf(std::string_view words, const std::string& text);
[[nodiscard]] Error notInRange(const Range& range, bool isInteger, const std::string& text);
[[nodiscard]] Status readValue(const std::string& text, std::string& out, std::string_view words);
template <typename T>
requires std::is_arithmetic_v<T>
[[nodiscard]] Status readValue(const std::string& text, T& out, const Range& range)
{
    T value{};
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end) { // texts such as "64Ki", "1e6", "2 min"
        const auto typed = readNumber(text, range.unit);
        using Limits = std::numeric_limits<T>;
        if (!typed || *typed < static_cast<double>(Limits::lowest()) ||
            *typed >= static_cast<double>(Limits::max()) ||
            static_cast<double>(static_cast<T>(*typed)) != *typed)
            return notInRange(range, std::is_integral_v<T>, text);
        value = static_cast<T>(*typed);
    }
    const auto number = static_cast<double>(value);
    if (!std::isfinite(number) || number < range.min || number > range.max ||
        (range.above && number == range.min))
        return notInRange(range, std::is_integral_v<T>, text);
    out = value;
    return Unit{};
}
/// If `areNumbers` is true, splits each value at its commas ("1,2,3" becomes three values); else returns the
/// values unchanged.
[[nodiscard]] std::vector<std::string> partsOf(std::span<const std::string> values, bool areNumbers);
/// Type of an option whose value is any text: "path", "sizes" or "str", derived from the placeholder `value`.
[[nodiscard]] std::string typeOfText(std::string_view value);

template <typename T> struct ElementOf
{
    using Type = T;
};
template <typename T> struct ElementOf<std::optional<T>>
{
    using Type = T;
};
template <typename T> struct ElementOf<std::vector<T>>
{
    using Type = T;
};

template <typename T, typename Rule, typename... Properties>
void OptionList::add(const std::string& name, T& value, const Rule& given, const std::string& help,
                     const Properties&... properties)
{
    using Element = typename ElementOf<T>::Type;
    Option& out = begin(name, help, std::is_integral_v<Element> ? "int" : "float");
    const auto rule = [&] {
        if constexpr (std::is_convertible_v<Rule, std::string>)
            return std::string(given);
        else
            return given;
    }();
    if constexpr (std::is_same_v<Rule, Range>) {
        out.value = "N";
        if constexpr (std::is_arithmetic_v<T>)
            out.standard = formatNumber(static_cast<double>(value));
    } else {
        out.value = rule;
        out.type = typeOfText(out.value);
        if constexpr (std::is_same_v<T, std::string>)
            out.standard = value;
    }
    out.isList = std::is_same_v<T, std::vector<Element>>;
    out.read = [&value, rule](std::span<const std::string> texts) -> Status {
        constexpr bool isList = std::is_same_v<T, std::vector<Element>>;
        std::vector<Element> read;
        for (const std::string& part : partsOf(texts, isList && std::is_arithmetic_v<Element>))
            if (Status s = readValue(part, read.emplace_back(), rule); !s)
                return s;
        if constexpr (isList)
            value = std::move(read);
        else
            value = std::move(read.back());
        return Unit{};
    };
    (Property(properties)(out), ...);
}

} // namespace tilewright::verbs
