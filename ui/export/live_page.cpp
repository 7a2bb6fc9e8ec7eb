// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/live_page.h"

#include "export/svg_device.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QXmlStreamReader>
#include <QXmlStreamWriter>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace tilewright::ui {

namespace {

/// Attributes that may differ between the themes, with the default values that svg_device.cpp omits.
constexpr std::array<std::pair<QLatin1String, QLatin1String>, 6> kThemed{{
    {QLatin1String("fill"), QLatin1String("none")},
    {QLatin1String("stroke"), QLatin1String("none")},
    {QLatin1String("fill-opacity"), QLatin1String("1")},
    {QLatin1String("stroke-opacity"), QLatin1String("1")},
    {QLatin1String("stop-color"), QLatin1String("black")},
    {QLatin1String("stop-opacity"), QLatin1String("1")},
}};

bool isThemed(const QString& name)
{
    return std::any_of(kThemed.begin(), kThemed.end(), [&](const auto& t) { return t.first == name; });
}

QString valueOf(const QXmlStreamAttributes& attributes, const QString& name)
{
    if (attributes.hasAttribute(name))
        return attributes.value(name).toString();
    for (const auto& [themed, meant] : kThemed)
        if (themed == name)
            return meant;
    return {};
}

/// Merges the SVG documents of both themes into one. Fails if they differ in more than colours and images.
class Merge
{
public:
    Merge(const QByteArray& light, const QByteArray& dark, ThemePalette& palette)
        : m_light(light), m_dark(dark), m_out(&m_bytes), m_palette(palette)
    {
        m_light.setNamespaceProcessing(false);
        m_dark.setNamespaceProcessing(false);
    }

    std::optional<QByteArray> merged()
    {
        while (!m_light.atEnd()) {
            if (m_light.readNext() != m_dark.readNext())
                return std::nullopt;
            if (m_light.isStartElement()) {
                if (m_light.qualifiedName() != m_dark.qualifiedName() || !element())
                    return std::nullopt;
            } else if (m_light.isEndElement()) {
                m_out.writeEndElement();
            } else if (m_light.isCharacters()) {
                if (m_light.text() != m_dark.text())
                    return std::nullopt;
                m_out.writeCharacters(m_light.text().toString());
            }
        }
        return m_bytes;
    }

private:
    bool element()
    {
        const QXmlStreamAttributes light = m_light.attributes();
        const QXmlStreamAttributes dark = m_dark.attributes();
        if (light == dark) {
            m_out.writeStartElement(m_light.qualifiedName().toString());
            m_out.writeAttributes(light);
            return true;
        }
        QStringList names;
        for (const QXmlStreamAttributes& all : {light, dark})
            for (const QXmlStreamAttribute& attribute : all)
                if (const QString name = attribute.qualifiedName().toString(); !names.contains(name))
                    names << name;
        const bool image = m_light.name() == QLatin1String("image");
        for (const QString& name : names)
            if (!image && !isThemed(name) && valueOf(light, name) != valueOf(dark, name))
                return false;
        if (image)
            return writeBothImages(light, dark);
        m_out.writeStartElement(m_light.qualifiedName().toString());
        for (const QString& name : names) {
            const QString a = valueOf(light, name), b = valueOf(dark, name);
            m_out.writeAttribute(name, a == b ? a : m_palette.variable(a, b));
        }
        return true;
    }

    /// Writes an image of both themes. merged() writes the end element of the dark image.
    bool writeBothImages(const QXmlStreamAttributes& light, const QXmlStreamAttributes& dark)
    {
        for (const bool isDark : {false, true}) {
            m_out.writeStartElement(QStringLiteral("image"));
            m_out.writeAttributes(isDark ? dark : light);
            m_out.writeAttribute(QStringLiteral("class"),
                                 isDark ? QStringLiteral("in-dark") : QStringLiteral("in-light"));
            if (!isDark)
                m_out.writeEndElement(); // merged() writes the end element of the dark image
        }
        return true;
    }

    QXmlStreamReader m_light, m_dark;
    QByteArray m_bytes;
    QXmlStreamWriter m_out;
    ThemePalette& m_palette;
};

/// Content of the <svg> element.
QByteArray contentOf(const QByteArray& svg)
{
    const qsizetype from = svg.indexOf('>', svg.indexOf("<svg")) + 1;
    return svg.mid(from, svg.lastIndexOf("</svg>") - from);
}

} // namespace

QString ThemePalette::variable(const QString& light, const QString& dark)
{
    const auto pair = std::make_pair(light, dark);
    auto it = m_index.constFind(pair);
    if (it == m_index.constEnd()) {
        it = m_index.insert(pair, m_index.size());
        m_pairs.push_back(pair);
    }
    return QStringLiteral("var(--p%1)").arg(*it);
}

QByteArray ThemePalette::declarations(bool dark) const
{
    QByteArray out;
    for (std::size_t i = 0; i < m_pairs.size(); ++i)
        out += "--p" + QByteArray::number(static_cast<qulonglong>(i)) + ":" +
               (dark ? m_pairs[i].second : m_pairs[i].first).toUtf8() + ";";
    return out;
}

QByteArray inBothThemes(const std::function<QByteArray(bool dark, const QString& idPrefix)>& paint,
                        const QString& idPrefix, ThemePalette& palette)
{
    const QByteArray light = paint(false, idPrefix);
    if (auto merged = Merge(light, paint(true, idPrefix), palette).merged())
        return *merged;
    const QByteArray dark = paint(true, idPrefix + QStringLiteral("dark-"));
    const qsizetype head = light.indexOf('>', light.indexOf("<svg")) + 1;
    return light.left(head) + "\n<g class=\"in-light\">" + contentOf(light) + "</g>\n<g class=\"in-dark\">" +
           contentOf(dark) + "</g>\n</svg>\n";
}

namespace {

constexpr qsizetype kFurtherPictures =
    750'000; // maximum total size in bytes of the pictures of a view, not counting the first one

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
    QHash<QString, QJsonArray> known; // the distinct tooltips so far, because many parts have the same one
    QJsonArray parts;
    for (const PicturePart& part : picture.parts) {
        auto it = known.constFind(part.tooltip);
        if (it == known.constEnd())
            it = known.insert(part.tooltip, linesOf(plainLines(part.tooltip)));
        if (it->isEmpty())
            continue; // the part has no tooltip
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
