// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tilewright::npu {

/// Part of an input tile that one result of a node contains.
struct TilePart
{
    std::uint32_t writer = 0; ///< node whose result it is
    std::uint32_t result = 0; ///< tile of that result
    std::int64_t bytes = 0;   ///< bytes of the elements without rounding up to DRAM bursts
};

/// Determines which tiles may come from the scratchpad of another core instead of DRAM, and which nodes have
/// yet to read a result (docs/rules/npu.md 5.8).
class Forwarding
{
public:
    /// If `hardware` has no core-to-core transfers, no result is passed on.
    Forwarding(const NpuGraph& graph, const NpuHardware& hardware);
    [[nodiscard]] bool isThere() const noexcept { return !m_readers.empty(); }

    /// The results that together contain an input tile, by id of their nodes; empty if no node produces some
    /// part of it.
    [[nodiscard]] std::span<const TilePart> partsOf(std::uint32_t tile) const noexcept
    {
        if (!isThere())
            return {};
        return {m_parts.data() + m_partsBegin[tile], m_parts.data() + m_partsBegin[tile + 1]};
    }
    /// True if every reader of the node's results can load them from a scratchpad, so that they need not be
    /// stored first.
    [[nodiscard]] bool passesOn(std::uint32_t node) const noexcept { return isThere() && m_passesOn[node]; }
    /// True if a result is stored as soon as it is made.
    [[nodiscard]] bool mustStore(std::uint32_t result) const noexcept
    {
        return !isThere() || m_mustStore[result];
    }
    /// To be called when a node has all its inputs. Calls unneeded(part) for each result that no other node
    /// has yet to read.
    template <typename F> void start(const NpuGraph& graph, std::uint32_t node, F&& unneeded)
    {
        for (const std::uint32_t t : graph.inputs(node))
            for (const TilePart& part : partsOf(t))
                if (--m_readers[part.result] == 0)
                    unneeded(part);
    }

private:
    std::vector<TilePart> m_parts;
    std::vector<std::uint32_t> m_partsBegin; ///< for each tile, index of its first part
    /// For each result, the number of reads by nodes that have not started.
    std::vector<std::uint32_t> m_readers;
    std::vector<bool> m_passesOn, m_mustStore;
};

} // namespace tilewright::npu
