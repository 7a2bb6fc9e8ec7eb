// SPDX-License-Identifier: GPL-3.0-or-later
// Interactive pages: pictures in both themes with their tooltips.
#pragma once

#include "canvas/view.h"
#include "report/html_report.h"

#include <QByteArray>
#include <QHash>
#include <QJsonArray>
#include <QString>

#include <functional>
#include <utility>
#include <vector>

namespace tilewright::ui {

/// CSS variables of a page: one for each pair of a light and a dark colour.
class ThemePalette
{
public:
    /// Returns the CSS reference to the variable of a pair of colours: "var(--p3)".
    [[nodiscard]] QString variable(const QString& light, const QString& dark);
    /// Returns the CSS declarations of all variables for one theme: "--p0: #fff; --p1: ...".
    [[nodiscard]] QByteArray declarations(bool dark) const;

private:
    std::vector<std::pair<QString, QString>> m_pairs;
    QHash<std::pair<QString, QString>, qsizetype> m_index;
};

/// Draws one <svg> element for both themes, with variables as colours. Images appear twice, with the classes
/// in-light and in-dark. If the themes differ in more than colours, the whole picture appears twice. `paint`
/// returns the element of one theme with an id prefix.
[[nodiscard]] QByteArray
inBothThemes(const std::function<QByteArray(bool dark, const QString& idPrefix)>& paint,
             const QString& idPrefix, ThemePalette& palette);

/// Collects the pictures of views for an interactive HTML page: SVG in both themes, and JSON data of the
/// parts that have tooltips.
class LivePage
{
public:
    void add(View& view);
    [[nodiscard]] ReportCharts charts() const;

private:
    [[nodiscard]] QByteArray element(const LivePicture& picture, const QString& name);
    [[nodiscard]] QJsonArray linesOf(const QStringList& lines);
    [[nodiscard]] QJsonObject data(const LivePicture& picture);

    std::vector<ReportPicture> m_pictures;
    ThemePalette m_palette;
    QJsonArray m_charts;
    QJsonArray m_lines; ///< all distinct lines of tooltips
    QHash<QString, int> m_lineIndex;
    qsizetype m_lineBytes = 0;
};

/// Converts rich text of a tooltip into lines of plain text, with tabs between table cells.
[[nodiscard]] QStringList plainLines(QString richText);

} // namespace tilewright::ui
