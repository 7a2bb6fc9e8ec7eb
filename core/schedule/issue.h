// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/ids.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright {

/// A rule that a schedule breaks (R2.2, R3, R4, R5.3, R9). It is not an input error.
enum class IssueCode : std::uint8_t {
    Format,       // "FORMAT": R2.2
    Granularity,  // "GRANULARITY": R2.2
    Retain,       // "RETAIN": R2.2, R4.6
    SuperNative,  // "SUPERNATIVE": R4.1, R4.2
    KTooLarge,    // "K_TOO_LARGE": R4.3
    OpOrder,      // "OP_ORDER": R4.4
    Disconnected, // "DISCONNECTED": R4.5
    Prologue,     // "PROLOGUE": R4.7
    Traversal,    // "TRAVERSAL": R5.3
    Dependency,   // "DEPENDENCY": R3.2
    OutOfMemory,  // "OOM": R9.1
    Coverage,     // "COVERAGE": R3.5
    Output,       // "OUTPUT": R3.6
};
[[nodiscard]] std::string_view issueCodeName(IssueCode code);

struct Issue
{
    IssueCode code = IssueCode::Format;
    std::optional<SubgraphId> subgraph; ///< empty for COVERAGE, OUTPUT and lists of unequal length
    std::string text;                   ///< one sentence, with the numbers
    std::optional<OpId> op;             ///< the affected op, if any
    std::optional<TensorId> tensor;     ///< the affected tensor, if any
    std::int64_t need = 0;              ///< OOM: working set; SUPERNATIVE, K_TOO_LARGE, PROLOGUE: the value
    std::int64_t have = 0;              ///< the limit that `need` violates
    /// JSON path of the field, if the issue was found while reading a file.
    std::string path;
    bool operator==(const Issue&) const = default;
};

} // namespace tilewright
