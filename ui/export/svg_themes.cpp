// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/svg_themes.h"

#include <QXmlStreamReader>
#include <QXmlStreamWriter>

#include <algorithm>
#include <array>
#include <optional>

namespace tilewright::ui {

namespace {

/// Attributes that may differ between the themes, with the default values that svg_markup.cpp omits.
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

/// Merges the documents of both themes into one. Fails if they differ in more than colours and images.
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

    /// Writes an image of both themes. The end element of the second one is written by merged().
    bool writeBothImages(const QXmlStreamAttributes& light, const QXmlStreamAttributes& dark)
    {
        for (const bool isDark : {false, true}) {
            m_out.writeStartElement(QStringLiteral("image"));
            m_out.writeAttributes(isDark ? dark : light);
            m_out.writeAttribute(QStringLiteral("class"),
                                 isDark ? QStringLiteral("in-dark") : QStringLiteral("in-light"));
            if (!isDark)
                m_out.writeEndElement(); // the end of the dark image is written by merged()
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

} // namespace tilewright::ui
