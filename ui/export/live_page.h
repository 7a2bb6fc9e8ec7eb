// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "export/svg_themes.h"
#include "report/html_report.h"

#include <QHash>
#include <QJsonArray>

namespace tilewright::ui {

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
