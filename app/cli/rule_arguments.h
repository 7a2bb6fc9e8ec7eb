// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tilewright::cli {

/// `--rules` and `--set`: a rule set and switches on top of it.
struct RuleArguments
{
    std::string set = "final";
    std::vector<std::string> switches; ///< name=value

    /// With `byFile`, `auto` is a rule set too, and the default: what it means is the caller's.
    void addTo(CLI::App& verb, bool byFile = false);
    [[nodiscard]] Status apply(Rules& rules) const; ///< the switches
    [[nodiscard]] Result<Rules> rules() const;      ///< rule set and switches; not for `auto`
};

} // namespace tilewright::cli
