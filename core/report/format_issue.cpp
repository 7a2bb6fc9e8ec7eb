// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/format_issue.h"

namespace tilewright {

void prependFormatIssues(Evaluation& evaluation, std::span<const Issue> issues)
{
    evaluation.issues.insert(evaluation.issues.begin(), issues.begin(), issues.end());
}

} // namespace tilewright
