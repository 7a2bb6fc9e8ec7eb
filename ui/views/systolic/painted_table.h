// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

class QPainter;

namespace tilewright::ui {

struct Theme;

/// A small table that is painted in the style of the view (screen, PNG, SVG, PDF). Long texts wrap; numbers
/// are right-aligned.
struct PaintedTable
{
    QString title;
    QStringList head;
    std::vector<QStringList> rows;
    std::vector<bool> numeric; ///< for each column, true if it has numbers
    int marked = -1;           ///< index of the row that is highlighted with a pointer; -1 = none
    QString note;              ///< text below the table in a muted colour
    /// Draws the colour sample of a row into a small box at its left; optional.
    std::function<void(QPainter&, const QRectF&, int row)> key;

    [[nodiscard]] double height(double width) const;
    /// Returns the smallest width at which all columns are shown.
    [[nodiscard]] double smallestWidth() const;
    void paint(QPainter& painter, const QRectF& area, const Theme& theme) const;
    /// Returns the index of the row at `y` below the top of a table of this width; -1 if there is none.
    [[nodiscard]] int rowAt(double y, double width) const;
    /// Returns the table as tab-separated text for Copy.
    [[nodiscard]] QString asText() const;

private:
    struct Geometry
    {
        std::vector<double> columns; ///< widths of the columns
        std::vector<double> rows;    ///< heights of the rows; the first is the header
        double titleHeight = 0;
        double noteHeight = 0;
    };
    [[nodiscard]] Geometry geometry(double width) const;
    /// Returns the widths of columns at which no text wraps.
    [[nodiscard]] std::vector<double> naturalColumns() const;
    /// Returns the widths of columns at which no word of a text column is cut.
    [[nodiscard]] std::vector<double> leastColumns(const std::vector<double>& natural) const;
    /// Returns the widths of those columns that are shown in a table of this width.
    [[nodiscard]] std::vector<double> shownColumns(std::vector<double> natural, double width) const;
};

} // namespace tilewright::ui
