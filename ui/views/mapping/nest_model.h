// SPDX-License-Identifier: GPL-3.0-or-later
// The loop nest as the editor shows it: any number of levels and axes, filled from the data of either cost
// model.
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

/// The bar of a loop with a factor above 1 at one place.
struct NestBar
{
    int loop = 0;
    QString name;
    std::int64_t factor = 1;
    std::vector<mapping::PrimePower> primes; ///< prime factors of the loop; each can be dragged
    int reuseOf = -1;   ///< index of the operand that is reused along this loop; -1 if none
    int nth = 0;        ///< number of bars of the same loop that are further out in the same column
    bool fixed = false; ///< true if a constraint fixes this factor in the search (architecture with levels)
    std::size_t index = 0; ///< position among the loops of its place, including those with factor 1
};

/// A place for loops: the temporal loops of a level, or the spatial loops on an axis of it.
struct NestColumn
{
    QString title;
    QString place;  ///< name of the place in sentences: "SPM", "rows of cluster"
    QString note;   ///< "outermost first", "in parallel"
    QString detail; ///< text on the number of passes or on the fill of the memory
    QString detailShort;
    QString about;          ///< description for the tooltip; may be empty
    std::vector<int> holds; ///< indices of the operands that the level stores (architecture with levels)
    bool isAxis = false;    ///< true for an axis: it is drawn below the previous column, in the same card
    bool isOrdered = true;  ///< true if the order of the loops matters
    bool over = false;
    std::vector<NestBar> bars; ///< bars, outermost loop first
    QString folded;            ///< names of the loops with factor 1
    QString foldedMeaning;     ///< names of the loops with factor 1 and their meanings
};

struct NestOperand
{
    QString name;
    bool written = false;
    bool kept = false;
    QStringList reuse; ///< texts on the reuse of the operand, longest first
    QStringList data;  ///< texts on the sizes of the operand's tiles, longest first
    QString tip;
};

/// A metric (energy, cycles or EDP), compared with the baseline and with the best mapping found.
struct NestMetric
{
    QString name;
    QString value;
    QString exact;
    std::optional<double> change;       ///< change relative to the baseline: after / before - 1
    std::optional<double> aboveOptimum; ///< distance from the best mapping: value / best - 1
    bool optimumProven = false;
};

struct NestModel
{
    QString title;
    QString subtitle;
    QString fits;      ///< sentence that says that the mapping is valid
    QString violation; ///< sentence on the violation; empty if the mapping is valid
    QString code;      ///< code of the violation
    std::array<NestMetric, mapping::kObjectives> metrics;
    bool optimumProven = false;
    std::array<NestOperand, mapping::kOperands> operands;
    std::vector<NestColumn> columns; ///< columns from the outermost level inwards
    int operand = -1;                ///< index of the selected operand; -1 if none
};

[[nodiscard]] NestModel buildNest(const MappingDocument& state);

/// Returns the index of the column of one of the four levels.
[[nodiscard]] constexpr std::size_t columnOf(mapping::Level level)
{
    return static_cast<std::size_t>(level);
}

/// The dragged or focused item: a prime factor of a loop, or the whole loop.
struct NestItem
{
    std::size_t column = 0;
    int loop = 0;
    std::int64_t factor = 0; ///< the prime factor; 0: the whole loop
    int nth = 0;             ///< number of the loop (NestBar::nth)

    bool operator==(const NestItem&) const = default;
};

/// Returns the bar of an item; null if there is none.
[[nodiscard]] const NestBar* barOf(const NestModel& model, const NestItem& item);

/// The mapping after a drop, compared with the current mapping.
struct NestPreview
{
    AnyMapping mapping;
    MappingFigures after;
    double energyChange = 0; ///< energy after the drop minus energy before
    double cyclesChange = 0;
    double edpChange = 0;
};

/// The effect of a drop, computed in advance.
struct NestDrop
{
    QString what; ///< "2 of M: DRAM → SPM"
    NestPreview preview;
    QString broken;      ///< sentence on the rule that would be broken; empty if the mapping fits
    QString brokenShort; ///< "RF 394 of 256"
    /// true if the drop needs no forcing: the result fits, or the current mapping does not fit either
    bool allowed = false;
};

/// Returns the effect of moving `item` to another column; nullopt if it is already there.
[[nodiscard]] std::optional<NestDrop> dropOnColumn(const MappingDocument& state, const NestItem& item,
                                                   std::size_t to);
/// Returns the effect of moving the loop before bar number `slot` of its column (bars.size(): innermost).
/// nullopt if nothing changes or the order of the column does not matter.
[[nodiscard]] std::optional<NestDrop> dropInOrder(const MappingDocument& state, const NestItem& item,
                                                  std::size_t slot);

/// Describes the options of the model that differ from the defaults, and constraints on factors: "imperfect
/// factors", "W bypasses the SPM".
[[nodiscard]] QStringList modelWords(const MappingSetup& setup, const mapping::LoopNest& nest);
[[nodiscard]] QString levelText(mapping::Level level);
/// Returns the meaning of a loop, for example "output channels".
[[nodiscard]] QString loopMeaning(std::string_view loop);
/// Text of a power of a prime: "2⁵".
[[nodiscard]] QString powerText(const mapping::PrimePower& power);

} // namespace tilewright::ui
