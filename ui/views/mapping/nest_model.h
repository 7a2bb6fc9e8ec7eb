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
    std::vector<mapping::PrimePower> primes; ///< what can be dragged
    int reuseOf = -1;                        ///< the operand that finds its data in place along this loop
};

struct NestColumn
{
    mapping::Level level = mapping::Level::Dram;
    QString title;
    QString detail; ///< passes, or how full the memory is
    QString detailShort;
    bool over = false;
    std::vector<NestBar> bars; ///< outermost first
    QString folded;            ///< names of the loops with factor 1
    QString foldedMeaning;     ///< the same with what they count
};

struct NestOperand
{
    QString name;
    bool written = false;
    std::array<std::int64_t, 3> data{}; ///< RF, array, SPM elements
    std::int64_t banks = 0;
    std::int64_t reuseSpm = 1;
    std::int64_t reuseDram = 1;
    bool kept = false;
};

/// Energy, cycles or their product, against the baseline and the best that the search has found.
struct NestMetric
{
    QString name;
    QString value;
    QString exact;
    std::optional<double> change;       ///< against the baseline: after / before - 1
    std::optional<double> aboveOptimum; ///< value / best - 1
};

struct NestModel
{
    QString title;
    QString subtitle;
    QString violation; ///< empty when valid
    QString code;      ///< of the violation
    std::array<NestMetric, mapping::kObjectives> metrics;
    bool optimumProven = false;
    std::array<NestOperand, mapping::kOperands> operands;
    std::array<NestColumn, mapping::kLevels> columns;
    int operand = -1; ///< the selected one
};

[[nodiscard]] NestModel buildNest(const MappingSetup& setup, const mapping::LoopNest& nest,
                                  const mapping::MappingCost& evaluation,
                                  const std::optional<MappingBaseline>& baseline,
                                  const mapping::SearchResult* found, int operand);

/// What a drag or the keyboard holds: a prime factor of a loop, or the loop with all its factors.
struct NestItem
{
    mapping::Level level = mapping::Level::Dram;
    int loop = 0;
    std::int64_t factor = 0; ///< 0: the whole loop

    bool operator==(const NestItem&) const = default;
};

/// What dropping it somewhere would do, known before the drop.
struct NestDrop
{
    QString what;                 ///< "2 of M: DRAM → SPM"
    mapping::MovePreview preview; ///< of the dropped state
    QString broken;               ///< the capacity that it breaks; empty when it fits
    QString brokenShort;          ///< "RF 394 of 256"
    bool allowed = false;         ///< without forcing: it fits, or what is there does not fit either
};

/// Moves `item` to a level; nothing when it is there already.
[[nodiscard]] std::optional<NestDrop> dropOnLevel(const MappingSetup& setup, const mapping::LoopNest& nest,
                                                  const mapping::MappingCost& now, const NestItem& item,
                                                  mapping::Level to);
/// Places the loop before the `slot`-th bar of its level (bars.size(): innermost); nothing when that changes
/// nothing or the level has no order.
[[nodiscard]] std::optional<NestDrop> dropInOrder(const MappingSetup& setup, const mapping::LoopNest& nest,
                                                  const mapping::MappingCost& now, const NestColumn& column,
                                                  int loop, std::size_t slot);

/// What the model is told beyond its base, and the factors asked for: "imperfect factors", "W past the SPM".
[[nodiscard]] QStringList modelWords(const MappingSetup& setup, const mapping::LoopNest& nest);
[[nodiscard]] QString levelText(mapping::Level level);
/// "2⁵"
/// What a loop counts: "output channels".
[[nodiscard]] QString loopMeaning(std::string_view loop);
[[nodiscard]] QString powerText(const mapping::PrimePower& power);

} // namespace tilewright::ui
