// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workspace/npu_document.h"

#include "canvas/view.h"

#include <QBrush>

namespace tilewright::ui {

/// Name of a core state: "Tensor", "Wait DRAM" and so on.
[[nodiscard]] QString stateName(npu::CoreState state);
/// Fill of a core state; waits also have a pattern.
[[nodiscard]] QColor stateColour(npu::CoreState state, const Theme& theme);
[[nodiscard]] Qt::BrushStyle statePattern(npu::CoreState state);
/// Fills a rectangle with colour and pattern of a state, without antialiasing. The pattern is fixed to the
/// painter's coordinates.
void fillState(QPainter& painter, const QRectF& rect, npu::CoreState state, const Theme& theme);

/// Name of a tile: "q[0:64, 128:256]".
[[nodiscard]] QString tileText(const npu::NpuGraph& graph, std::uint32_t tile);
/// Key of a node in pictures: the letter n and the number of the node.
[[nodiscard]] inline QString nodeKey(std::uint32_t node)
{
    return QStringLiteral("n%1").arg(node);
}
/// Name of a node: "q: MATMUL 17".
[[nodiscard]] QString nodeText(const npu::NpuGraph& graph, std::uint32_t node);
/// The reason why a core waits for a dependency: the node that it could run next, the unfinished node that
/// this one needs, and a tile between them. Each of them may be kNone.
struct NpuBlocker
{
    std::uint32_t node = npu::kNone, blocker = npu::kNone, tile = npu::kNone;
};
[[nodiscard]] NpuBlocker blockerOf(const NpuResult& result, std::size_t core, const npu::StateSpan& span);

/// Describes the state of a core in a span of cycles in one line, with the reason of a wait.
[[nodiscard]] QString spanText(const NpuResult& result, std::size_t core, const npu::StateSpan& span);
/// Describes the state of a core in a span of cycles as rich text with exact cycles.
[[nodiscard]] QString spanTooltip(const NpuResult& result, std::size_t core, const npu::StateSpan& span);
/// All facts on a node as rich text: shape, cycles, bytes, time, core, dependencies, tiles.
[[nodiscard]] QString nodeTooltip(const NpuResult& result, std::uint32_t node);
/// The text of nodeTooltip() plus the place of each tile of the node in DRAM and SPM.
[[nodiscard]] QString nodeCard(const NpuResult& result, std::uint32_t node);
/// Facts on a tile: its number, address and bytes, its bursts with channels and banks, its bytes in SPM.
[[nodiscard]] QString tileFacts(const NpuResult& result, std::uint32_t tile);

/// State of a node at a moment.
enum class NodeState { Blocked, Ready, Loading, Running, Done };
[[nodiscard]] NodeState nodeStateAt(const NpuResult& result, std::uint32_t node, npu::Cycle time);
[[nodiscard]] QString nodeStateName(NodeState state);

/// True if the Systolic lens can show the node.
[[nodiscard]] bool isGemm(const npu::NpuGraph& graph, std::uint32_t node);
/// Opens the node's MatMul in the Systolic lens.
void openInSystolic(Workspace& workspace, const npu::NpuGraph& graph, std::uint32_t node);

} // namespace tilewright::ui
