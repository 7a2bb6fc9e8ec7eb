// SPDX-License-Identifier: GPL-3.0-or-later
// The reason why no solution exists: a smallest set of limits that together exclude every solution. All
// lenses state it in this form (docs/rules/README.md, "When no solution exists").
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// A limit that is part of the reason why no solution exists.
struct ExcludingLimit
{
    std::string name;  ///< the setting: "capacity", "lock of subgraph 2", "prologue", "RF.C"
    std::string value; ///< "10 elements", "always", ">= 64"; empty if the name says all
    /// Values of this limit that would be sufficient: with each of them alone, all other limits unchanged, a
    /// solution exists. Example: "a capacity of 12 elements".
    std::vector<std::string> enough;
    bool operator==(const ExcludingLimit&) const = default;
};

/// A smallest set of limits that together exclude every solution: if any one of them is dropped, solutions
/// exist.
struct Exclusion
{
    std::vector<ExcludingLimit> limits;
    /// The requirement that the limits do not meet, with the numbers; without a full stop.
    std::string because;
    bool proven = true; ///< false: no solution was found, but the search was not exhaustive

    /// One sentence without a full stop: "capacity 10 elements: the thinnest slices of op add need
    /// 12 elements; a capacity of 12 elements would do".
    [[nodiscard]] std::string text() const;
    /// Returns `text()` after "no WHAT exists: ", or after "no WHAT was found: " if it is not proven.
    [[nodiscard]] std::string sentence(std::string_view what) const;
    bool operator==(const Exclusion&) const = default;
};

/// Text "; a capacity of 12 elements would do" with all sufficient values of all limits; empty if none is
/// known.
[[nodiscard]] std::string wouldDoText(const std::vector<ExcludingLimit>& limits);

/// The JSON document of a verb that found nothing. `valid` is false, and `error` has the code NONE and the
/// message. If the reason is known, `error` also has `limits` (each with `limit`, `value` and `would_do`),
/// `because` and `proven`.
[[nodiscard]] std::string noneReport(const std::string& message, const std::optional<Exclusion>& why);

/// Joins texts: "a", "a and b", "a, b and c".
[[nodiscard]] std::string listedWith(const std::vector<std::string>& parts, std::string_view word);

/// Returns a small set of limits, as indices from 0 to count - 1, that excludes every solution: a single
/// limit if one suffices, else a pair, else a set from which no limit can be dropped. `excludes` gets a list
/// of indices and returns true if these limits exclude every solution; it must return true for the list of
/// all limits. Pairs are only tried among the first limits, so the most likely limits should come first.
template <typename Excludes>
[[nodiscard]] std::vector<std::size_t> smallestExcluding(std::size_t count, Excludes&& excludes)
{
    constexpr std::size_t kMostPaired = 48;
    using Set = std::vector<std::size_t>;
    for (std::size_t i = 0; i < count; ++i)
        if (excludes(Set{i}))
            return {i};
    const std::size_t most = count < kMostPaired ? count : kMostPaired;
    for (std::size_t i = 0; i < most; ++i)
        for (std::size_t j = i + 1; j < most; ++j)
            if (excludes(Set{i, j}))
                return {i, j};
    Set out(count);
    for (std::size_t i = 0; i < count; ++i)
        out[i] = i;
    for (std::size_t i = count; i-- > 0;) {
        Set fewer = out;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (excludes(fewer))
            out = std::move(fewer);
    }
    return out;
}

} // namespace tilewright
