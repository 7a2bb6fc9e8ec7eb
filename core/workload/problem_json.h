// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <string>
#include <string_view>

namespace tilewright {

/// Reads a problem file (R1.1). `file` is the name of the source in error messages. Besides the published
/// format, the reader supports `views` (R1.7) and the names `name`, `op_names` and `tensor_names`. Other
/// fields are kept in Problem::Data::extra. An Error contains the file, the field and the reason.
[[nodiscard]] Result<ProblemPtr> readProblem(std::string_view text, const std::string& file);

/// Reads a problem from a file.
[[nodiscard]] Result<ProblemPtr> loadProblem(const std::string& path);

/// Returns the problem as the text of a problem file, one field per line. readProblem() of this text returns
/// an equal problem.
[[nodiscard]] std::string writeProblem(const Problem& problem);

} // namespace tilewright
