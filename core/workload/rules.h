// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// Settings of all rule switches (docs/rules/schedule.md 11 and 12, docs/rules/real.md R18). The defaults are
/// rule set `final`.
struct Rules
{
    enum class SuperNative : std::uint8_t { Error, Ceil };
    enum class KAboveK : std::uint8_t { Error, Clamp };
    enum class RetainInputs : std::uint8_t { Error, Allow, Carry };
    enum class Prologue : std::uint8_t { Always, SplitOnly, Off };
    enum class OpOrder : std::uint8_t { Error, Ignore };
    enum class KScaling : std::uint8_t { Full, Native };
    enum class Ephemeral : std::uint8_t { Neutral, Strict };
    enum class KLimit : std::uint8_t { Native, Reduction };
    enum class Compute : std::uint8_t { Base, Array };
    enum class Vector : std::uint8_t { Tile, Elements };
    enum class Interior : std::uint8_t { Free, Held };

    bool nullOrderReuse = true;
    bool donation = false;
    SuperNative superNative = SuperNative::Error;
    KAboveK kAboveK = KAboveK::Error;
    RetainInputs retainInputs = RetainInputs::Error;
    Prologue prologue = Prologue::Always;
    OpOrder opOrder = OpOrder::Error;
    KScaling kScaling = KScaling::Full;
    Ephemeral ephemeral = Ephemeral::Neutral;
    KLimit kLimit = KLimit::Native;
    Compute compute = Compute::Base;
    Vector vector = Vector::Tile;
    Interior interior = Interior::Free;

    [[nodiscard]] static constexpr Rules final() { return {}; }
    [[nodiscard]] static constexpr Rules seed()
    {
        return {.nullOrderReuse = false,
                .donation = true,
                .superNative = SuperNative::Ceil,
                .kAboveK = KAboveK::Clamp,
                .retainInputs = RetainInputs::Allow,
                .prologue = Prologue::Off,
                .opOrder = OpOrder::Ignore};
    }
    /// Rules for a model on a machine (R18).
    [[nodiscard]] static constexpr Rules machine()
    {
        return {.superNative = SuperNative::Ceil,
                .retainInputs = RetainInputs::Carry,
                .prologue = Prologue::Off,
                .opOrder = OpOrder::Ignore,
                .ephemeral = Ephemeral::Strict,
                .kLimit = KLimit::Reduction,
                .compute = Compute::Array,
                .vector = Vector::Elements,
                .interior = Interior::Held};
    }
    /// True if inputs of a subgraph may be retained (R9.7).
    [[nodiscard]] constexpr bool keepsInputs() const noexcept { return retainInputs != RetainInputs::Error; }
    /// Returns these rules with compute=array (R8.2). They give the latency of a schedule on the systolic
    /// array.
    [[nodiscard]] constexpr Rules onArray() const
    {
        Rules out = *this;
        out.compute = Compute::Array;
        return out;
    }
    bool operator==(const Rules&) const = default;
};

/// Name and legal values of one rule switch, as on the command line (`--set prologue=off`). The first value
/// is that of rule set `final`. `meaning` is a description for the user.
struct RuleSwitch
{
    static constexpr std::size_t kMaxValues = 3;
    std::string_view name;
    std::array<std::string_view, kMaxValues> names; ///< names of the values; values() returns those in use
    std::size_t count = 0;
    std::string_view seedValue, machineValue; ///< values in the rule sets `seed` and `machine`
    /// Text of what the value with index `ticked` allows or assumes: "tiles larger than the array".
    std::string_view words;
    std::size_t ticked = 0;
    std::string_view meaning;
    std::size_t (*get)(const Rules& rules); ///< index in values()
    void (*set)(Rules& rules, std::size_t value);

    [[nodiscard]] std::span<const std::string_view> values() const noexcept { return {names.data(), count}; }
    /// Index of a value other than `ticked`, the first such one.
    [[nodiscard]] std::size_t unticked() const noexcept { return ticked == 0 ? 1 : 0; }
    [[nodiscard]] std::string_view finalValue() const noexcept { return names[0]; }
    /// Joins the values with a separator, for example "always | split_only | off".
    [[nodiscard]] std::string valueList(std::string_view between) const;
};
[[nodiscard]] std::span<const RuleSwitch> ruleSwitches();

/// Sets one switch by name. Returns an error that names the switch or lists the legal values.
[[nodiscard]] Status setRule(Rules& rules, std::string_view name, std::string_view value);
/// Sets one switch from a text "name=value".
[[nodiscard]] Status setRule(Rules& rules, std::string_view setting);
[[nodiscard]] std::string_view ruleValue(const Rules& rules, std::string_view name);
/// Names of the rule sets: "final", "seed" and "machine".
[[nodiscard]] std::span<const std::string_view> ruleSetNames();
/// Returns the rule set with this name; nothing if there is none.
[[nodiscard]] std::optional<Rules> ruleSetNamed(std::string_view name);
/// Text with the names of the rule sets: "final, seed or machine".
[[nodiscard]] std::string ruleSetList();

/// Rules as texts: a named rule set, and the switches that differ from it ("name=value"), as few as possible.
struct RulesInWords
{
    std::string_view set;
    std::vector<std::string> switches;
};
[[nodiscard]] RulesInWords inWords(const Rules& rules);

/// Name of the rules in files and options: "final", "seed", "machine" or "custom".
[[nodiscard]] std::string_view ruleSetName(const Rules& rules);
/// Title of the rules for the user, for example "contest final", "machine" or "own choice of switches".
[[nodiscard]] std::string_view ruleSetTitle(const Rules& rules);

} // namespace tilewright
