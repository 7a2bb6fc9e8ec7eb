// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/repetition.h"

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace tilewright::ui {

/// Visible ops above which subgraphs are drawn as cards without being asked (docs/design.md 4.5), and cards
/// above which neighbouring subgraphs share one.
inline constexpr std::size_t kCardsAbove = 600;
inline constexpr std::size_t kSectionsAbove = 150;

inline constexpr std::uint32_t kNoSection = 0xFFFFFFFF;

/// Blocks that follow one another, by where their repetition stands in a list.
struct GraphBlocks
{
    std::size_t repetition = 0;
    std::size_t first = 0;
    std::size_t count = 1;
    bool operator==(const GraphBlocks&) const = default;
};

/// The sections that equal blocks are: one a block, in order. Index of `blocks` = section.
struct BlockSections
{
    std::vector<std::uint32_t> ofOp; ///< kNoSection outside; empty without blocks
    std::vector<GraphBlocks> blocks;
};
[[nodiscard]] BlockSections blockSections(const Problem& problem, const std::vector<Repetition>& repetitions);

/// What passes through a run of equal blocks as a whole: a card leaves out the inputs and outputs of the
/// graph that each block has of its own, weights above all, but not these.
struct BlockPassage
{
    std::set<std::pair<TensorId, OpId>> enters; ///< what the first reads where the others read the one before
    std::set<TensorId> leaves;                  ///< what of the last alone is an output
};
[[nodiscard]] BlockPassage passageOf(const Problem& problem, const std::vector<Repetition>& repetitions);

/// Cuts the ops into runs of the topological order, about a hundred, where the names begin with another part
/// ("layer3." after "layer2.") if such a place is near. Ops in `blocks` keep their section, the others get
/// the next ones; what depends on a block is in another section than what does not. Depends on the problem
/// alone, so that a card stays what it is while the schedule is edited. Index = op.
[[nodiscard]] std::vector<std::uint32_t> sectionsOf(const Problem& problem, const BlockSections& blocks = {});

} // namespace tilewright::ui
