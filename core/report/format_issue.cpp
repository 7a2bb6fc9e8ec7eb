// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/format_issue.h"

namespace tilewright {

void prependFormatIssues(Evaluation& evaluation, std::span<const Issue> issues)
{
    evaluation.issues.insert(evaluation.issues.begin(), issues.begin(), issues.end());
}

std::string sentence(const Issue& issue)
{
    std::string out(issueCodeName(issue.code));
    if (issue.subgraph)
        out += " in subgraph " + std::to_string(issue.subgraph->value);
    return out + ": " + issue.text;
}

} // namespace tilewright
