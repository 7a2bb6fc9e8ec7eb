// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workspace/npu_document.h"

#include "canvas/view.h"

#include <QBrush>

namespace tilewright::ui {

/// "Tensor", "Wait DRAM", ...
[[nodiscard]] QString stateName(npu::CoreState state);
/// Fill of a core state; waits also have a pattern.
[[nodiscard]] QColor stateColour(npu::CoreState state, const Theme& theme);
[[nodiscard]] Qt::BrushStyle statePattern(npu::CoreState state);
/// Fills the rectangle with colour and pattern, in painter coordinates without antialiasing.
void fillState(QPainter& painter, const QRectF& rect, npu::CoreState state, const Theme& theme);

/// "q[0:64, 128:256]"
[[nodiscard]] QString tileText(const npu::NpuGraph& graph, std::uint32_t tile);
/// Key of a node in pictures: the letter n and the node's number.
[[nodiscard]] inline QString nodeKey(std::uint32_t node)
{
    return QStringLiteral("n%1").arg(node);
}
/// "q: MATMUL 17"
[[nodiscard]] QString nodeText(const npu::NpuGraph& graph, std::uint32_t node);
/// The reason why a core waits for a dependency: the node it could run next, the node that this node needs,
/// and a tile of it. Each may be kNone.
struct NpuBlocker
{
    std::uint32_t node = npu::kNone, blocker = npu::kNone, tile = npu::kNone;
};
[[nodiscard]] NpuBlocker blockerOf(const NpuResult& result, std::size_t core, const npu::StateSpan& span);

/// The state of a core in this span of cycles, with the reason of a wait, in one line.
[[nodiscard]] QString spanText(const NpuResult& result, std::size_t core, const npu::StateSpan& span);
/// The state of a core in a span of cycles, as rich text with exact cycles.
[[nodiscard]] QString spanTooltip(const NpuResult& result, std::size_t core, const npu::StateSpan& span);
/// All facts on a node: shape, cycles, bytes, time, core, dependencies, tiles. Rich text.
[[nodiscard]] QString nodeTooltip(const NpuResult& result, std::uint32_t node);
/// Same as nodeTooltip(), with the place of each tile of the node in DRAM and SPM.
[[nodiscard]] QString nodeCard(const NpuResult& result, std::uint32_t node);
/// Number of a tile, its address and bytes, its bursts with channels and banks, its bytes in SPM.
[[nodiscard]] QString tileFacts(const NpuResult& result, std::uint32_t tile);

/// State of a node at a time.
enum class NodeState { Blocked, Ready, Loading, Running, Done };
[[nodiscard]] NodeState nodeStateAt(const NpuResult& result, std::uint32_t node, npu::Cycle time);
[[nodiscard]] QString nodeStateName(NodeState state);

/// True for a node that the Systolic lens can show.
[[nodiscard]] bool isGemm(const npu::NpuGraph& graph, std::uint32_t node);
/// Opens the node's MatMul in the Systolic lens.
void openInSystolic(Workspace& workspace, const npu::NpuGraph& graph, std::uint32_t node);

} // namespace tilewright::ui
