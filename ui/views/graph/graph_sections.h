// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/repetition.h"

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace tilewright::ui {

/// Number of visible ops above which subgraphs are drawn as cards automatically (docs/design.md 4.5), and
/// number of cards above which neighbouring subgraphs share a card.
inline constexpr std::size_t kCardsAbove = 600;
inline constexpr std::size_t kSectionsAbove = 150;

inline constexpr std::uint32_t kNoSection = 0xFFFFFFFF;

/// Consecutive blocks of a repetition. `repetition`: index in the list of repetitions.
struct GraphBlocks
{
    std::size_t repetition = 0;
    std::size_t first = 0;
    std::size_t count = 1;
    bool operator==(const GraphBlocks&) const = default;
};

/// Sections that consist of equal blocks: one section per block, in order. The index in `blocks` is the
/// number of the section.
struct BlockSections
{
    /// Section of each op; kNoSection outside of blocks; empty if there are no blocks.
    std::vector<std::uint32_t> ofOp;
    std::vector<GraphBlocks> blocks;
};
[[nodiscard]] BlockSections blockSections(const Problem& problem, const std::vector<Repetition>& repetitions);

/// Tensors that pass through a run of equal blocks. A card of blocks leaves out the graph inputs and outputs
/// of single blocks, which are mainly weights, but not the tensors in this struct.
struct BlockPassage
{
    std::set<std::pair<TensorId, OpId>>
        /// Tensors that only the first block reads, with the reading op; the other blocks read a result of
        /// the previous block instead.
        enters;
    std::set<TensorId> leaves; ///< graph outputs that only the last block produces
};
[[nodiscard]] BlockPassage passageOf(const Problem& problem, const std::vector<Repetition>& repetitions);

/// Cuts the ops into about a hundred runs of the topological order, preferably where a part of the names
/// changes ("layer3." after "layer2."). Returns the section of each op. Ops in `blocks` keep their section;
/// the others get the following numbers. An op that depends on a block is never in one section with an op
/// that does not. The result depends on the problem only, so that cards stay the same during edits.
[[nodiscard]] std::vector<std::uint32_t> sectionsOf(const Problem& problem, const BlockSections& blocks = {});

} // namespace tilewright::ui
