// SPDX-License-Identifier: GPL-3.0-or-later
// --explain beside a verb: the explanation of a figure of its answer, as the verb explain has it.
#pragma once

#include "figures/figure.h"
#include "verbs/options.h"

#include <functional>
#include <optional>
#include <string>

namespace tilewright::cli {

/// What --explain asks for without a value.
inline constexpr const char* kHeadline = "headline";

/// Adds --explain. `headline` is the figure that it explains without a value: "total_latency".
template <typename... Properties>
void addExplain(verbs::OptionList& o, std::string& asked, const std::string& headline,
                const Properties&... properties)
{
    o.add("--explain", asked, "FIGURE",
          "Explain a figure of the answer: " + headline + ", or with --explain=FIGURE another one",
          o.implies(kHeadline), properties...);
}

/// Returns the figure of an answer that --explain asks for; nothing if it asks for none, and then `figures`
/// is not called. `headline` is the figure of the answer that kHeadline stands for. The Error names the
/// figures that there are.
[[nodiscard]] Result<std::optional<figures::Figure>>
explained(const std::string& asked, const std::string& headline,
          const std::function<figures::Figures()>& figures);

/// Returns a JSON document with the figure as its field `explain`; unchanged without a figure.
[[nodiscard]] std::string withExplanation(const std::string& document,
                                          const std::optional<figures::Figure>& figure);
/// Prints the figure below an answer.
void printExplanation(const std::optional<figures::Figure>& figure);

} // namespace tilewright::cli
