// SPDX-License-Identifier: GPL-3.0-or-later
// Files of a run in the formats of the verb `npu` (docs/rules/npu.md 6.1).
#pragma once

#include "workspace/npu_result.h"

namespace tilewright::ui {

enum class NpuFile { Graph, Trace, Operators };

/// Suggested file name, for example "llama-decode.graph.json".
[[nodiscard]] QString npuFileName(const NpuResult& result, NpuFile what);
/// Writes one of the files: the tile graph with its static schedule (JSON), the Chrome trace, or the
/// operators (CSV).
[[nodiscard]] Status writeNpuFile(const NpuResult& result, NpuFile what, const QString& path);

} // namespace tilewright::ui
