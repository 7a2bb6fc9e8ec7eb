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

/// A small table painted like the rest of a view (screen, PNG, SVG, PDF). Long text wraps, numbers are
/// right-aligned.
struct PaintedTable
{
    QString title;
    QStringList head;
    std::vector<QStringList> rows;
    std::vector<bool> numeric; ///< true for columns of numbers
    int marked = -1;           ///< highlighted row with a pointer in front of it; -1 = none
    QString note;              ///< below the table, in a muted colour
    /// Draws the colour sample of a row into a small box at its left; empty by default.
    std::function<void(QPainter&, const QRectF&, int row)> key;

    [[nodiscard]] double height(double width) const;
    /// The smallest width at which no column is left out.
    [[nodiscard]] double smallestWidth() const;
    void paint(QPainter& painter, const QRectF& area, const Theme& theme) const;
    /// Index of the row at `y` below the top of a table of this width; -1 for none.
    [[nodiscard]] int rowAt(double y, double width) const;
    /// Tab-separated, for Copy.
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
    [[nodiscard]] std::vector<double> naturalColumns() const; ///< widths at which no text wraps
    /// Widths at which no word of a text column is cut.
    [[nodiscard]] std::vector<double> leastColumns(const std::vector<double>& natural) const;
    /// Widths of the columns that a table of this width shows.
    [[nodiscard]] std::vector<double> shownColumns(std::vector<double> natural, double width) const;
};

} // namespace tilewright::ui
