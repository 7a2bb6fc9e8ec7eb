// SPDX-License-Identifier: GPL-3.0-or-later
// The loop nest as the editor shows it: any number of levels and axes, filled from either cost model.
#pragma once

#include "mapping/factors.h"
#include "workspace/mapping_document.h"

#include <QString>
#include <QStringList>

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace tilewright::ui {

/// One loop at one place, with a factor above 1.
struct NestBar
{
    int loop = 0;
    QString name;
    std::int64_t factor = 1;
    std::vector<mapping::PrimePower> primes; ///< the factors that can be dragged
    int reuseOf = -1;                        ///< the operand that is reused along this loop
    int nth = 0;                             ///< number of outer bars of the same loop in the column
    bool fixed = false;                      ///< the search keeps this factor (architecture with levels)
    std::size_t index = 0; ///< position among the loops of its place, with those of factor 1
};

/// A place of loops: the loops of a level, or those on an axis of it.
struct NestColumn
{
    QString title;
    QString place;  ///< name of the place in sentences: "SPM", "rows of cluster"
    QString note;   ///< "outermost first", "in parallel"
    QString detail; ///< number of passes, or fill of the memory
    QString detailShort;
    QString about;          ///< description for the tooltip; may be empty
    std::vector<int> holds; ///< the operands that the level stores, of an architecture with levels
    bool isAxis = false;    ///< drawn below the column before it, in the same card
    bool isOrdered = true;  ///< the order of its loops matters
    bool over = false;
    std::vector<NestBar> bars; ///< outermost first
    QString folded;            ///< names of the loops with factor 1
    QString foldedMeaning;     ///< those names with their meanings
};

struct NestOperand
{
    QString name;
    bool written = false;
    bool kept = false;
    QStringList reuse; ///< wordings of its reuse, longest first
    QStringList data;  ///< wordings of the sizes of its tiles, longest first
    QString tip;
};

/// Energy, cycles or EDP, compared with the baseline and the best mapping found.
struct NestMetric
{
    QString name;
    QString value;
    QString exact;
    std::optional<double> change;       ///< relative to the baseline: after / before - 1
    std::optional<double> aboveOptimum; ///< value / best - 1
    bool optimumProven = false;
};

struct NestModel
{
    QString title;
    QString subtitle;
    QString fits;      ///< sentence if it is valid
    QString violation; ///< empty if valid
    QString code;      ///< code of the violation
    std::array<NestMetric, mapping::kObjectives> metrics;
    bool optimumProven = false;
    std::array<NestOperand, mapping::kOperands> operands;
    std::vector<NestColumn> columns; ///< columns from the outermost level inwards
    int operand = -1;                ///< the selected operand
};

[[nodiscard]] NestModel buildNest(const MappingDocument& state);

/// Index of the column of one of the four levels.
[[nodiscard]] constexpr std::size_t columnOf(mapping::Level level)
{
    return static_cast<std::size_t>(level);
}

/// The dragged or focused item: a prime factor of a loop, or the loop with all its factors.
struct NestItem
{
    std::size_t column = 0;
    int loop = 0;
    std::int64_t factor = 0; ///< 0: the whole loop
    int nth = 0;             ///< number of the loop, as in NestBar

    bool operator==(const NestItem&) const = default;
};

/// The bar of an item; null if there is none.
[[nodiscard]] const NestBar* barOf(const NestModel& model, const NestItem& item);

/// The state after a drop, compared with the present one.
struct NestPreview
{
    AnyMapping mapping;
    MappingFigures after;
    double energyChange = 0; ///< after minus before
    double cyclesChange = 0;
    double edpChange = 0;
};

/// The effect of a drop, computed in advance.
struct NestDrop
{
    QString what; ///< "2 of M: DRAM → SPM"
    NestPreview preview;
    QString broken;       ///< the rule that would be broken; empty if it fits
    QString brokenShort;  ///< "RF 394 of 256"
    bool allowed = false; ///< allowed without forcing: it fits, or the present state does not fit either
};

/// Returns the mapping after moving `item` to another column; nullopt if it is already there.
[[nodiscard]] std::optional<NestDrop> dropOnColumn(const MappingDocument& state, const NestItem& item,
                                                   std::size_t to);
/// Moves the loop before the `slot`-th bar of its column (bars.size(): innermost); nullopt if nothing changes
/// or the column has no order.
[[nodiscard]] std::optional<NestDrop> dropInOrder(const MappingDocument& state, const NestItem& item,
                                                  std::size_t slot);

/// Model options that differ from the default, and constraints on factors: "imperfect factors", "W bypasses
/// the SPM".
[[nodiscard]] QStringList modelWords(const MappingSetup& setup, const mapping::LoopNest& nest);
[[nodiscard]] QString levelText(mapping::Level level);
/// The meaning of a loop: "output channels".
[[nodiscard]] QString loopMeaning(std::string_view loop);
/// "2⁵"
[[nodiscard]] QString powerText(const mapping::PrimePower& power);

} // namespace tilewright::ui
