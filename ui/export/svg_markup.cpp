// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/svg_markup.h"

#include "base/utf8.h"

#include <QFont>
#include <QFontInfo>
#include <QHash>
#include <QXmlStreamReader>
#include <QXmlStreamWriter>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace tilewright::ui {

namespace {

using Value = std::pair<QLatin1String, QLatin1String>;

/// Attributes that are written once in the outermost group and inherited.
constexpr std::array kInherited{
    Value{"fill", "none"},
    Value{"stroke", "none"},
    Value{"stroke-linecap", "square"},
    Value{"stroke-linejoin", "bevel"},
    Value{"fill-rule", "evenodd"},
};
/// Default values that are not written in groups (groups are not nested).
constexpr std::array kGroupDefaults{
    Value{"fill-opacity", "1"},
    Value{"stroke-opacity", "1"},
    Value{"stroke-width", "1"},
    Value{"opacity", "1"},
    Value{"transform", "matrix(1,0,0,1,0,0)"},
};
/// Default values that are not written in elements inside a group.
constexpr std::array kMarkDefaults{
    Value{"fill-rule", "evenodd"},
    Value{"vector-effect", "none"},
    Value{"font-weight", "400"},
    Value{"font-style", "normal"},
};

/// True if the attribute has its default or inherited value.
bool isDefault(const QXmlStreamAttribute& attribute, bool group)
{
    const auto among = [&](const auto& values) {
        return std::any_of(values.begin(), values.end(), [&](const Value& v) {
            return attribute.qualifiedName() == v.first && attribute.value() == v.second;
        });
    };
    return group ? among(kInherited) || among(kGroupDefaults) ||
                       attribute.qualifiedName().startsWith(
                           QLatin1String("font-")) // text elements have their own font
                 : among(kMarkDefaults);
}

/// Font family with fallbacks. Names such as "Sans Serif" exist on this machine only, and browsers replace an
/// unknown family by a serif font.
QString fontStack(const QString& family)
{
    static QHash<QString, QString> known;
    QString& stack = known[family];
    if (stack.isEmpty()) {
        const QFontInfo here{QFont(family)};
        const QString like = here.fixedPitch() ? QStringLiteral("ui-monospace, monospace")
                                               : QStringLiteral("system-ui, sans-serif");
        stack = QStringLiteral("'%1', %2").arg(here.family().remove(QLatin1Char('\'')), like);
    }
    return stack;
}

class Rewriter
{
public:
    Rewriter(const QString& title, const QSize& size, const QList<double>& textWidths,
             const QString& idPrefix)
        : m_out(&m_bytes), m_title(title), m_size(size), m_textWidths(textWidths), m_prefix(idPrefix)
    {
    }

    QByteArray rewritten(const QByteArray& generated)
    {
        QXmlStreamReader in(generated);
        in.setNamespaceProcessing(false);
        while (!in.atEnd()) {
            switch (in.readNext()) {
            case QXmlStreamReader::StartElement:
                start(in);
                break;
            case QXmlStreamReader::EndElement:
                end();
                break;
            case QXmlStreamReader::Characters:
                if (!in.isWhitespace() || m_inText)
                    m_out.writeCharacters(in.text().toString());
                break;
            default:
                break;
            }
        }
        return m_bytes;
    }

private:
    void start(QXmlStreamReader& in)
    {
        const QString name = in.name().toString();
        if (name == QLatin1String("title") || name == QLatin1String("desc")) {
            in.skipCurrentElement(); // the title is written by openSvg()
            return;
        }
        if (name == QLatin1String("g") || name == QLatin1String("defs")) {
            m_waiting.push_back({name, in.attributes()}); // written only if an element follows inside
            return;
        }
        for (const Waiting& group : m_waiting)
            open(group.name, group.attributes);
        m_waiting.clear();
        if (name == QLatin1String("svg"))
            openSvg();
        else
            open(name, in.attributes());
        m_inText = name == QLatin1String("text");
    }
    void end()
    {
        m_inText = false;
        if (!m_waiting.empty()) {
            m_waiting.pop_back();
            return;
        }
        m_out.writeEndElement();
        m_out.writeCharacters(QStringLiteral("\n"));
    }
    void openSvg()
    {
        const auto number = [](int n) { return QString::number(n); };
        m_out.writeStartElement(QStringLiteral("svg"));
        m_out.writeAttribute(QStringLiteral("xmlns"), QStringLiteral("http://www.w3.org/2000/svg"));
        m_out.writeAttribute(QStringLiteral("xmlns:xlink"), QStringLiteral("http://www.w3.org/1999/xlink"));
        m_out.writeAttribute(QStringLiteral("width"), number(m_size.width()));
        m_out.writeAttribute(QStringLiteral("height"), number(m_size.height()));
        m_out.writeAttribute(QStringLiteral("viewBox"),
                             QStringLiteral("0 0 %1 %2").arg(m_size.width()).arg(m_size.height()));
        m_out.writeAttribute(QStringLiteral("role"), QStringLiteral("img"));
        m_out.writeAttribute(QStringLiteral("aria-label"), m_title);
        m_out.writeCharacters(QStringLiteral("\n"));
    }
    void open(const QString& name, const QXmlStreamAttributes& attributes)
    {
        const bool group = name == QLatin1String("g");
        m_out.writeStartElement(name);
        if (group && !std::exchange(m_inOutermost, true)) {
            for (const auto& [attribute, value] : kInherited)
                m_out.writeAttribute(attribute, value);
            m_out.writeCharacters(QStringLiteral("\n"));
            return;
        }
        for (const QXmlStreamAttribute& attribute : attributes)
            if (!isDefault(attribute, group))
                m_out.writeAttribute(attribute.qualifiedName().toString(), ours(attribute));
        if (name != QLatin1String("text"))
            return;
        if (const double width = m_textWidths.value(m_texts++); width > 0)
            m_out.writeAttribute(QStringLiteral("textLength"), QString::number(width, 'f', 1));
    }
    [[nodiscard]] QString ours(const QXmlStreamAttribute& attribute) const
    {
        const QString name = attribute.qualifiedName().toString();
        QString value = attribute.value().toString();
        if (name == QLatin1String("id"))
            return m_prefix + value;
        if (name == QLatin1String("font-family"))
            return fontStack(value);
        for (const QLatin1String reference : {QLatin1String("url(#"), QLatin1String("#")})
            if (value.startsWith(reference) && (reference.size() > 1 || name == QLatin1String("xlink:href")))
                return reference + m_prefix + value.mid(reference.size());
        return value;
    }

    struct Waiting
    {
        QString name;
        QXmlStreamAttributes attributes;
    };

    QByteArray m_bytes;
    QXmlStreamWriter m_out;
    QString m_title;
    QSize m_size;
    QList<double> m_textWidths;
    QString m_prefix;
    std::vector<Waiting> m_waiting;
    qsizetype m_texts = 0;
    bool m_inText = false;
    bool m_inOutermost = false;
};

} // namespace

QByteArray portableSvg(const QByteArray& generated, const QString& title, const QSize& size,
                       const QList<double>& textWidths, const QString& idPrefix)
{
    const QString plainTitle = QString::fromStdString(printable(title.toStdString()));
    // Qt writes control characters as they are, and no XML parser reads on behind one.
    return Rewriter(plainTitle, size, textWidths, idPrefix)
        .rewritten(QByteArray::fromStdString(
            printableLines(std::string_view(generated.data(), static_cast<std::size_t>(generated.size())))));
}

} // namespace tilewright::ui
