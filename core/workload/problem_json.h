// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <string>
#include <string_view>

namespace tilewright {

/// Reads a problem file (R1.1). `file` only names the source in messages. Beyond the published format it
/// understands `views` (R1.7) and the labels `name`, `op_names` and `tensor_names`; every other unknown field
/// is kept in Problem::Data::extra. The Error names the file, the field and the reason.
[[nodiscard]] Result<ProblemPtr> readProblem(std::string_view text, const std::string& file);

/// readProblem() of the file's content.
[[nodiscard]] Result<ProblemPtr> loadProblem(const std::string& path);

/// The problem as the text of a problem file, one field a line; readProblem() gives an equal problem back.
[[nodiscard]] std::string writeProblem(const Problem& problem);

} // namespace tilewright
