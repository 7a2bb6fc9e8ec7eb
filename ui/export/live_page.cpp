// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/live_page.h"

#include "export/svg_device.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

#include <array>
#include <cmath>
#include <utility>

namespace tilewright::ui {

namespace {

constexpr qsizetype kFurtherPictures =
    750'000; // limit for all pictures of a view, in bytes, from the second on

/// HTML entities and their characters; &amp; must be last, so that its result is not replaced again.
constexpr std::array<std::pair<QLatin1String, QLatin1String>, 6> kEntities{{
    {QLatin1String("&nbsp;"), QLatin1String(" ")},
    {QLatin1String("&lt;"), QLatin1String("<")},
    {QLatin1String("&gt;"), QLatin1String(">")},
    {QLatin1String("&quot;"), QLatin1String("\"")},
    {QLatin1String("&#39;"), QLatin1String("'")},
    {QLatin1String("&amp;"), QLatin1String("&")},
}};

QJsonValue tenths(double value)
{
    return std::round(value * 10) / 10;
}

QJsonArray boxOf(const QRectF& rect)
{
    return {tenths(rect.left()), tenths(rect.top()), tenths(rect.width()), tenths(rect.height())};
}

} // namespace

QStringList plainLines(QString text)
{
    static const QRegularExpression lineEnds(QStringLiteral("<br\\s*/?>|</?(tr|p|div|table|hr)\\b[^>]*>"));
    static const QRegularExpression cellEnds(QStringLiteral("</t[dh]>\\s*<t[dh]\\b[^>]*>"));
    static const QRegularExpression tags(QStringLiteral("<[^>]*>"));
    text.replace(cellEnds, QStringLiteral("\t"));
    text.replace(lineEnds, QStringLiteral("\n"));
    text.remove(tags);
    for (const auto& [entity, letter] : kEntities)
        text.replace(entity, letter);
    QStringList lines;
    for (const QString& line : text.split(QLatin1Char('\n'))) {
        QStringList cells = line.split(QLatin1Char('\t'));
        for (QString& cell : cells)
            cell = cell.simplified();
        if (const QString joined = cells.join(QLatin1Char('\t')); !joined.trimmed().isEmpty())
            lines << joined;
    }
    return lines;
}

void LivePage::add(View& view)
{
    view.catchUp();
    view.settle();
    ReportPicture shown{view.title().toStdString(), view.viewName().toStdString(), {}};
    QJsonArray pictures;
    qsizetype bytes = 0;
    bool all = true;
    view.livePictures([&](const LivePicture& picture) {
        const QString name = QStringLiteral("%1-%2").arg(view.viewName()).arg(pictures.size());
        const QByteArray svg = element(picture, name);
        const qsizetype before = m_lineBytes;
        const QJsonObject facts = data(picture);
        const qsizetype size =
            svg.size() + QJsonDocument(facts).toJson(QJsonDocument::Compact).size() + m_lineBytes - before;
        if (!pictures.isEmpty() && bytes + size > kFurtherPictures)
            return all = false;
        bytes += size;
        shown.figures += "<figure data-picture=\"" + std::to_string(pictures.size()) + "\">" +
                         svg.toStdString() + "</figure>\n";
        pictures.push_back(facts);
        return true;
    });
    if (pictures.isEmpty())
        return;
    m_pictures.push_back(std::move(shown));
    m_charts.push_back(QJsonObject{{QStringLiteral("name"), view.viewName()},
                                   {QStringLiteral("title"), view.title()},
                                   {QStringLiteral("all"), all},
                                   {QStringLiteral("pictures"), pictures}});
}

QByteArray LivePage::element(const LivePicture& picture, const QString& name)
{
    return inBothThemes(
        [&](bool dark, const QString& prefix) {
            const Theme& theme = dark ? Theme::darkTheme() : Theme::light();
            return svgElement(picture.title, picture.size, kLogicalDpi, prefix,
                              [&](QPainter& painter) { picture.paint(painter, theme); });
        },
        name + QLatin1Char('-'), m_palette);
}

QJsonArray LivePage::linesOf(const QStringList& lines)
{
    QJsonArray out;
    for (const QString& line : lines) {
        auto it = m_lineIndex.constFind(line);
        if (it == m_lineIndex.constEnd()) {
            it = m_lineIndex.insert(line, static_cast<int>(m_lines.size()));
            m_lines.push_back(line);
            m_lineBytes += line.toUtf8().size() + 3;
        }
        out.push_back(*it);
    }
    return out;
}

QJsonObject LivePage::data(const LivePicture& picture)
{
    QHash<QString, QJsonArray> known; // many parts have the same tooltip
    QJsonArray parts;
    for (const PicturePart& part : picture.parts) {
        auto it = known.constFind(part.tooltip);
        if (it == known.constEnd())
            it = known.insert(part.tooltip, linesOf(plainLines(part.tooltip)));
        if (it->isEmpty())
            continue; // no tooltip
        QJsonArray entry = boxOf(part.rect);
        entry.push_back(part.keys.join(QLatin1Char(' ')));
        entry.push_back(*it);
        if (!part.outline.isEmpty()) {
            QJsonArray outline;
            for (const QPointF& p : part.outline) {
                outline.push_back(std::round(p.x()));
                outline.push_back(std::round(p.y()));
            }
            entry.push_back(outline);
        }
        parts.push_back(entry);
    }
    QJsonObject out{{QStringLiteral("title"), picture.title}, {QStringLiteral("parts"), parts}};
    if (!picture.key.isEmpty())
        out[QStringLiteral("key")] = picture.key;
    if (picture.frames.empty())
        return out;
    QJsonArray frames;
    for (const PictureFrame& frame : picture.frames) {
        QJsonArray entry = boxOf(frame.rect);
        entry.push_back(linesOf(frame.lines));
        frames.push_back(entry);
    }
    out[QStringLiteral("frames")] = frames;
    out[QStringLiteral("frameCount")] = static_cast<double>(picture.frameCount);
    return out;
}

ReportCharts LivePage::charts() const
{
    const QJsonObject all{{QStringLiteral("lines"), m_lines}, {QStringLiteral("charts"), m_charts}};
    return {m_pictures, m_palette.declarations(false).toStdString(),
            m_palette.declarations(true).toStdString(),
            QJsonDocument(all).toJson(QJsonDocument::Compact).toStdString()};
}

} // namespace tilewright::ui
