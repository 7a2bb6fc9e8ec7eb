// SPDX-License-Identifier: GPL-3.0-or-later
// The breakdown of energy and cycles: the parts of the bars, and their painting.
#pragma once

#include "workspace/mapping_document.h"

#include <QRectF>
#include <QString>

#include <array>
#include <optional>
#include <vector>

class QPainter;

namespace tilewright::ui {

/// What a part of a bar stands for; decides its colour and letter.
enum class PartKind {
    Operand0,
    Operand1,
    Operand2,
    Other,
    Compute,
    Distribution, ///< distribution to the PEs; on an architecture with levels, reads
    Reduction,
    Drain, ///< draining of results; on an architecture with levels, writes
    Dma    ///< DMA; on an architecture with levels, waiting
};

struct BarPart
{
    PartKind kind = PartKind::Other;
    QString name;
    double value = 0;
};

/// A stacked bar with the baseline's bar below it.
struct BreakdownBar
{
    QString label;
    std::vector<BarPart> parts;
    double total = 0;
    std::optional<double> capacity; ///< capacity of a memory; empty for other bars
    std::vector<BarPart> before;    ///< parts of the baseline's bar; empty without a baseline
    std::optional<double> beforeTotal;
    QString value;       ///< text to the right of the bar
    QString unit;        ///< unit of the values of the parts
    bool limits = false; ///< true for the bar that decides the sum of its section
};

struct BreakdownSection
{
    QString title;
    QString unit;
    std::vector<BreakdownBar> bars;
    double scale = 1; ///< value at which a bar has full width; if perBarScale, each bar has its own
    bool perBarScale = false;
    std::vector<BarPart> legend; ///< kinds and names of the parts, with the sum of each over all bars
    bool legendShares = true;    ///< true if the legend shows each part's share of the sum
    QString note = {};           ///< assumptions behind the numbers, for tooltips
};

/// Breakdown of a mapping: memory fill, energy by component and operand, and parts of the cycles.
struct BreakdownModel
{
    std::vector<BreakdownSection> sections;
};

/// Builds the breakdown under the cost model of the setup. Cycles are shown as their parts for an
/// architecture of four levels, or as times of all resources for an architecture with any number of levels.
[[nodiscard]] BreakdownModel buildBreakdown(const MappingDocument& state);

/// Returns every part of every bar as tab-separated rows, with full precision.
[[nodiscard]] QString breakdownAsText(const BreakdownModel& model);

struct Theme;

/// Position of a bar, for tooltips.
struct BreakdownPlace
{
    std::size_t section = 0;
    std::size_t bar = 0;
    QRectF row;
    QRectF track; ///< area of a bar of full width
};

struct BreakdownPlaces
{
    std::vector<QRectF> heads; ///< areas of title and legend of each section
    std::vector<BreakdownPlace> bars;
    double height = 0;
};

[[nodiscard]] BreakdownPlaces breakdownPlaces(const QRectF& area, const BreakdownModel& model);
void paintBreakdown(QPainter& painter, const BreakdownModel& model, const BreakdownPlaces& places,
                    const Theme& theme);
/// Tooltip as rich text: all parts of a bar with exact values.
[[nodiscard]] QString breakdownTooltip(const BreakdownModel& model, const BreakdownPlace& place);

} // namespace tilewright::ui
