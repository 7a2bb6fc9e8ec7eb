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

/// Sections made of equal blocks: one per block, in order. Index of `blocks` = section.
struct BlockSections
{
    std::vector<std::uint32_t> ofOp; ///< kNoSection outside of blocks; empty without blocks
    std::vector<GraphBlocks> blocks;
};
[[nodiscard]] BlockSections blockSections(const Problem& problem, const std::vector<Repetition>& repetitions);

/// Tensors that pass through a run of equal blocks as a whole. A card leaves out graph inputs and outputs of
/// the single blocks, mainly weights, but not these tensors.
struct BlockPassage
{
    std::set<std::pair<TensorId, OpId>>
        enters;                ///< tensors that the first block reads where the others read the block before
    std::set<TensorId> leaves; ///< tensors that only the last block has as graph outputs
};
[[nodiscard]] BlockPassage passageOf(const Problem& problem, const std::vector<Repetition>& repetitions);

/// Cuts the ops into about a hundred runs of the topological order, preferably where a part of the names
/// changes
/// ("layer3." after "layer2."). Ops in `blocks` keep their section, the others get the next ones. Ops that
/// depend on a block are in other sections than ops that do not. The result depends on the problem only, so
/// that cards stay the same during edits. Index = op.
[[nodiscard]] std::vector<std::uint32_t> sectionsOf(const Problem& problem, const BlockSections& blocks = {});

} // namespace tilewright::ui
