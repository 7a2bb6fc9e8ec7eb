// SPDX-License-Identifier: GPL-3.0-or-later
// The files of a run, as the verb npu writes them (docs/rules/npu.md 6.1).
#pragma once

#include "workspace/npu_result.h"

namespace tilewright::ui {

enum class NpuFile { Graph, Trace, Operators };

/// Name that is suggested for the file: "llama-decode.graph.json".
[[nodiscard]] QString npuFileName(const NpuResult& result, NpuFile what);
/// Writes the tile graph with its static schedule (JSON), the Chrome trace, or the operators (CSV).
[[nodiscard]] Status writeNpuFile(const NpuResult& result, NpuFile what, const QString& path);

} // namespace tilewright::ui
