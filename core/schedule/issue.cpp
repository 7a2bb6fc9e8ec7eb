// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/issue.h"

namespace tilewright {

std::string_view issueCodeName(IssueCode code)
{
    switch (code) {
    case IssueCode::Format:
        return "FORMAT";
    case IssueCode::Granularity:
        return "GRANULARITY";
    case IssueCode::Retain:
        return "RETAIN";
    case IssueCode::SuperNative:
        return "SUPERNATIVE";
    case IssueCode::KTooLarge:
        return "K_TOO_LARGE";
    case IssueCode::OpOrder:
        return "OP_ORDER";
    case IssueCode::Disconnected:
        return "DISCONNECTED";
    case IssueCode::Prologue:
        return "PROLOGUE";
    case IssueCode::Traversal:
        return "TRAVERSAL";
    case IssueCode::Dependency:
        return "DEPENDENCY";
    case IssueCode::OutOfMemory:
        return "OOM";
    case IssueCode::Coverage:
        return "COVERAGE";
    case IssueCode::Output:
        return "OUTPUT";
    }
    return "";
}

} // namespace tilewright
