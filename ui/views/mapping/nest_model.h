// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/edits.h"
#include "mapping/factors.h"
#include "mapping/search.h"
#include "workspace/mapping_document.h"

#include <QString>
#include <QStringList>

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace tilewright::ui {

/// One loop at one level, with a factor above 1.
struct NestBar
{
    int loop = 0;
    QString name;
    std::int64_t factor = 1;
    std::vector<mapping::PrimePower> primes; ///< the factors that can be dragged
    int reuseOf = -1;                        ///< the operand that is reused along this loop
};

struct NestColumn
{
    mapping::Level level = mapping::Level::Dram;
    QString title;
    QString detail; ///< number of passes, or fill of the memory
    QString detailShort;
    bool over = false;
    std::vector<NestBar> bars; ///< outermost first
    QString folded;            ///< names of the loops with factor 1
    QString foldedMeaning;     ///< those names with their meanings
};

struct NestOperand
{
    QString name;
    bool written = false;
    std::array<std::int64_t, 3> data{}; ///< elements in RF, array, SPM
    std::int64_t banks = 0;
    std::int64_t reuseSpm = 1;
    std::int64_t reuseDram = 1;
    bool kept = false;
};

/// Energy, cycles or EDP, compared with the baseline and the best method found.
struct NestMetric
{
    QString name;
    QString value;
    QString exact;
    std::optional<double> change;       ///< relative to the baseline: after / before - 1
    std::optional<double> aboveOptimum; ///< value / best - 1
};

struct NestModel
{
    QString title;
    QString subtitle;
    QString violation; ///< empty if valid
    QString code;      ///< code of the violation
    std::array<NestMetric, mapping::kObjectives> metrics;
    bool optimumProven = false;
    std::array<NestOperand, mapping::kOperands> operands;
    std::array<NestColumn, mapping::kLevels> columns;
    int operand = -1; ///< the selected operand
};

[[nodiscard]] NestModel buildNest(const MappingSetup& setup, const mapping::LoopNest& nest,
                                  const mapping::MappingCost& evaluation,
                                  const std::optional<MappingBaseline>& baseline,
                                  const mapping::SearchResult* found, int operand);

/// The dragged or focused item: a prime factor of a loop, or the loop with all its factors.
struct NestItem
{
    mapping::Level level = mapping::Level::Dram;
    int loop = 0;
    std::int64_t factor = 0; ///< 0: the whole loop

    bool operator==(const NestItem&) const = default;
};

/// The effect of a drop, computed in advance.
struct NestDrop
{
    QString what;                 ///< "2 of M: DRAM → SPM"
    mapping::MovePreview preview; ///< of the state after the drop
    QString broken;               ///< the capacity that would be exceeded; empty if it fits
    QString brokenShort;          ///< "RF 394 of 256"
    bool allowed = false; ///< allowed without forcing: it fits, or the present state does not fit either
};

/// Moves `item` to a level; nullopt if it is there already.
[[nodiscard]] std::optional<NestDrop> dropOnLevel(const MappingSetup& setup, const mapping::LoopNest& nest,
                                                  const mapping::MappingCost& now, const NestItem& item,
                                                  mapping::Level to);
/// Moves the loop before the `slot`-th bar of its level (bars.size(): innermost); nullopt if nothing changes
/// or the level has no order.
[[nodiscard]] std::optional<NestDrop> dropInOrder(const MappingSetup& setup, const mapping::LoopNest& nest,
                                                  const mapping::MappingCost& now, const NestColumn& column,
                                                  int loop, std::size_t slot);

/// Model options that differ from the default, and constraints on factors: "imperfect factors", "W bypasses
/// the SPM".
[[nodiscard]] QStringList modelWords(const MappingSetup& setup, const mapping::LoopNest& nest);
[[nodiscard]] QString levelText(mapping::Level level);
/// The meaning of a loop: "output channels".
[[nodiscard]] QString loopMeaning(std::string_view loop);
/// "2⁵"
[[nodiscard]] QString powerText(const mapping::PrimePower& power);

} // namespace tilewright::ui
