// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace tilewright {

/// The readings in which rule sets differ (docs/rules/schedule.md 11) and two more in which programs differ.
/// A value that is passed everywhere; the defaults are rule set `final`.
struct Rules
{
    enum class SuperNative : std::uint8_t { Error, Ceil };
    enum class KAboveK : std::uint8_t { Error, Clamp };
    enum class RetainInputs : std::uint8_t { Error, Allow };
    enum class Prologue : std::uint8_t { Always, Off };
    enum class OpOrder : std::uint8_t { Error, Ignore };
    enum class KScaling : std::uint8_t { Full, Native };
    enum class Ephemeral : std::uint8_t { Neutral, Strict };

    bool nullOrderReuse = true;
    bool donation = false;
    SuperNative superNative = SuperNative::Error;
    KAboveK kAboveK = KAboveK::Error;
    RetainInputs retainInputs = RetainInputs::Error;
    Prologue prologue = Prologue::Always;
    OpOrder opOrder = OpOrder::Error;
    KScaling kScaling = KScaling::Full;
    Ephemeral ephemeral = Ephemeral::Neutral;

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
    bool operator==(const Rules&) const = default;
};

/// Name and legal values of one switch, as on the command line (`--set prologue=off`); the first value is
/// `final`'s. `meaning` is a sentence for people.
struct RuleSwitch
{
    std::string_view name;
    std::string_view finalValue;
    std::string_view otherValue;
    std::string_view seedValue;
    std::string_view meaning;
    bool (*isOther)(const Rules& rules); ///< has its second value
    void (*set)(Rules& rules, bool other);
};
[[nodiscard]] std::span<const RuleSwitch> ruleSwitches();

/// Sets one switch by name; errors naming the switch or the legal values.
[[nodiscard]] Status setRule(Rules& rules, std::string_view name, std::string_view value);
[[nodiscard]] std::string_view ruleValue(const Rules& rules, std::string_view name);
/// "final", "seed" or "custom": for files and options.
[[nodiscard]] std::string_view ruleSetName(const Rules& rules);
/// For people, who know neither name: "final statement", "earlier statement" or "own choice of switches".
[[nodiscard]] std::string_view ruleSetTitle(const Rules& rules);

} // namespace tilewright
