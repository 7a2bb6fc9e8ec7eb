// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workspace/npu_document.h"

#include "canvas/view.h"

#include <QBrush>

namespace tilewright::ui {

/// "Tensor", "Wait DRAM", ...
[[nodiscard]] QString stateName(npu::CoreState state);
/// Fill of a core state; waits are told by their pattern as well.
[[nodiscard]] QColor stateColour(npu::CoreState state, const Theme& theme);
[[nodiscard]] Qt::BrushStyle statePattern(npu::CoreState state);
/// Fills the rectangle with colour and pattern, in painter coordinates with antialiasing off.
void fillState(QPainter& painter, const QRectF& rect, npu::CoreState state, const Theme& theme);

/// "q[0:64, 128:256]"
[[nodiscard]] QString tileText(const npu::NpuGraph& graph, std::uint32_t tile);
/// "q: MATMUL 17"
/// What the parts of pictures call it.
[[nodiscard]] inline QString nodeKey(std::uint32_t node)
{
    return QStringLiteral("n%1").arg(node);
}
[[nodiscard]] QString nodeText(const npu::NpuGraph& graph, std::uint32_t node);
/// Who holds up a core that waits for a dependency: the node it could run next, the node that one needs, and
/// a tile of it. Each may be kNone.
struct NpuBlocker
{
    std::uint32_t node = npu::kNone, blocker = npu::kNone, tile = npu::kNone;
};
[[nodiscard]] NpuBlocker blockerOf(const NpuResult& result, std::size_t core, const npu::StateSpan& span);

/// What a core does in this stretch of cycles and what it waits for, in one line.
[[nodiscard]] QString spanText(const NpuResult& result, std::size_t core, const npu::StateSpan& span);
/// The same as rich text with the exact cycles.
[[nodiscard]] QString spanTooltip(const NpuResult& result, std::size_t core, const npu::StateSpan& span);
/// Everything about a node: shape, cycles, bytes, when and where it ran, its dependencies. Rich text.
[[nodiscard]] QString nodeTooltip(const NpuResult& result, std::uint32_t node);

/// State of a node at a time.
enum class NodeState { Blocked, Ready, Loading, Running, Done };
[[nodiscard]] NodeState nodeStateAt(const NpuResult& result, std::uint32_t node, npu::Cycle time);
[[nodiscard]] QString nodeStateName(NodeState state);

/// True for a node that the Systolic lens can show.
[[nodiscard]] bool isGemm(const npu::NpuGraph& graph, std::uint32_t node);
/// Opens the node's MatMul in the Systolic lens.
void openInSystolic(Workspace& workspace, const npu::NpuGraph& graph, std::uint32_t node);

} // namespace tilewright::ui
