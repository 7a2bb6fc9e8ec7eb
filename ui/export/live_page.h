// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "export/svg_themes.h"
#include "report/html_report.h"

#include <QHash>
#include <QJsonArray>

namespace tilewright::ui {

/// What of views goes into a page that can be explored: their pictures in both themes, and as data what can
/// be pointed at in them.
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
    QJsonArray m_lines; ///< of tooltips, each once
    QHash<QString, int> m_lineIndex;
    qsizetype m_lineBytes = 0;
};

/// Rich text of a tooltip as lines of plain text; cells are parted by tabs.
[[nodiscard]] QStringList plainLines(QString richText);

} // namespace tilewright::ui
