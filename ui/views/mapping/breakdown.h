// SPDX-License-Identifier: GPL-3.0-or-later
// The breakdown of energy and cycles: parts of the bars, and their painting.
#pragma once

#include "workspace/mapping_document.h"

#include <QRectF>
#include <QString>

#include <array>
#include <optional>
#include <vector>

class QPainter;

namespace tilewright::ui {

/// The subject of a part of a bar; decides its colour and letter.
enum class PartKind {
    Operand0,
    Operand1,
    Operand2,
    Other,
    Compute,
    Distribution, ///< or reads
    Reduction,
    Drain, ///< or writes
    Dma    ///< or waiting
};

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
    QString value;       ///< the text behind the bar
    QString unit;        ///< of the values of its parts
    bool limits = false; ///< the one that decides the sum of its section
};

struct BreakdownSection
{
    QString title;
    QString unit;
    std::vector<BreakdownBar> bars;
    double scale = 1; ///< the value of a full bar; each memory has its own
    bool perBarScale = false;
    std::vector<BarPart> legend; ///< kinds and names, with their sums
    bool legendShares = true;    ///< the legend tells each part's share of the sum
    QString note = {};           ///< assumptions behind the numbers, for tooltips
};

/// Memory fill, energy by component and operand, parts of the cycles.
struct BreakdownModel
{
    std::vector<BreakdownSection> sections;
};

/// Under the cost model of the setup: the parts of the cycles of four levels, or the times of all resources
/// of an architecture with levels.
[[nodiscard]] BreakdownModel buildBreakdown(const MappingDocument& state);

/// The parts of all bars that are not 0 as tab-separated rows, with full precision and the unit; also their
/// values in the baseline if there is one.
[[nodiscard]] QString breakdownAsText(const BreakdownModel& model);

struct Theme;

/// Position of a bar, for tooltips.
struct BreakdownPlace
{
    std::size_t section = 0;
    std::size_t bar = 0;
    QRectF row;
    QRectF track; ///< the full width of the bar
};

struct BreakdownPlaces
{
    std::vector<QRectF> heads; ///< title and legend of each section
    std::vector<BreakdownPlace> bars;
    double height = 0;
};

[[nodiscard]] BreakdownPlaces breakdownPlaces(const QRectF& area, const BreakdownModel& model);
void paintBreakdown(QPainter& painter, const BreakdownModel& model, const BreakdownPlaces& places,
                    const Theme& theme);
/// All parts of a bar with exact values, as rich text.
[[nodiscard]] QString breakdownTooltip(const BreakdownModel& model, const BreakdownPlace& place);

} // namespace tilewright::ui
