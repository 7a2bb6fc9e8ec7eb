// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/format_issue.h"

namespace tilewright {

Issue toIssue(const FormatIssue& issue)
{
    Issue out;
    switch (issue.code) {
    case FormatIssue::Code::Format:
        out.code = IssueCode::Format;
        break;
    case FormatIssue::Code::Granularity:
        out.code = IssueCode::Granularity;
        break;
    case FormatIssue::Code::Retain:
        out.code = IssueCode::Retain;
        break;
    }
    out.subgraph = issue.subgraph;
    out.text = issue.text;
    return out;
}

void prependFormatIssues(Evaluation& evaluation, std::span<const FormatIssue> issues)
{
    std::vector<Issue> all;
    for (const FormatIssue& issue : issues)
        all.push_back(toIssue(issue));
    evaluation.issues.insert(evaluation.issues.begin(), all.begin(), all.end());
}

} // namespace tilewright
