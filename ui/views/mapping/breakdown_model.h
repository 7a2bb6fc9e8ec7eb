// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workspace/mapping_document.h"

#include <QString>

#include <array>
#include <optional>
#include <vector>

namespace tilewright::ui {

/// The subject of a part of a bar; decides its colour and letter.
enum class PartKind { Operand0, Operand1, Operand2, Other, Compute, Distribution, Reduction, Drain, Dma };

struct BarPart
{
    PartKind kind = PartKind::Other;
    QString name;
    double value = 0;
};

/// One stacked bar, with the baseline's bar below it.
struct BreakdownBar
{
    QString label;
    std::vector<BarPart> parts;
    double total = 0;
    std::optional<double> capacity; ///< capacity of a memory; empty for other bars
    std::vector<BarPart> before;    ///< empty without a baseline
    std::optional<double> beforeTotal;
    QString value; ///< the text behind the bar
};

struct BreakdownSection
{
    QString title;
    QString unit;
    std::vector<BreakdownBar> bars;
    double scale = 1; ///< the value of a full bar; each memory has its own
    bool perBarScale = false;
    std::vector<BarPart> legend; ///< kinds and names, with their sums
    QString note = {};           ///< assumptions behind the numbers, for tooltips
};

/// Memory fill, energy by component and operand, parts of the cycles.
struct BreakdownModel
{
    std::vector<BreakdownSection> sections;
};

[[nodiscard]] BreakdownModel buildBreakdown(const MappingSetup& setup, const mapping::LoopNest& nest,
                                            const mapping::MappingCost& evaluation,
                                            const std::optional<MappingBaseline>& baseline);

/// Every part of every bar as tab-separated rows, with full precision.
[[nodiscard]] QString breakdownAsText(const BreakdownModel& model);

} // namespace tilewright::ui
