// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/svg_device.h"

#include "base/utf8.h"

#include <QBuffer>
#include <QFont>
#include <QFontInfo>
#include <QHash>
#include <QList>
#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPainterPathStroker>
#include <QSvgGenerator>
#include <QXmlStreamReader>
#include <QXmlStreamWriter>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
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
                           QLatin1String("font-")) // fonts are attributes of text elements, not of groups
                 : among(kMarkDefaults);
}

/// Font family with fallbacks. Names such as "Sans Serif" exist on this machine only, and browsers would
/// replace an unknown family by a serif font.
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
            // The group is written only if an element follows inside it.
            m_waiting.push_back({name, in.attributes()});
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

/// Rewrites the output of QSvgGenerator into an <svg> element that looks the same on other machines and can
/// be used several times in one page: size in pixels, fallback fonts, fixed text widths (`textWidths`, in the
/// order of the texts), ids with `idPrefix`, no attributes with default values.
QByteArray portableSvg(const QByteArray& generated, const QString& title, const QSize& size,
                       const QList<double>& textWidths, const QString& idPrefix)
{
    const QString plainTitle = QString::fromStdString(printable(title.toStdString()));
    // Qt writes control characters unescaped, and XML parsers stop at such a character.
    return Rewriter(plainTitle, size, textWidths, idPrefix)
        .rewritten(QByteArray::fromStdString(
            printableLines(std::string_view(generated.data(), static_cast<std::size_t>(generated.size())))));
}

/// Paint engine that clips everything and passes it to a painter on the generator.
class CuttingEngine : public QPaintEngine
{
public:
    CuttingEngine(QPainter& out, QList<double>& textWidths)
        : QPaintEngine(AllFeatures), m_out(out), m_textWidths(textWidths)
    {
    }

    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    [[nodiscard]] Type type() const override { return User; }

    void updateState(const QPaintEngineState& state) override
    {
        const DirtyFlags changed = state.state();
        if (changed & DirtyTransform)
            m_out.setTransform(state.transform());
        if (changed & DirtyPen)
            m_out.setPen(state.pen());
        if (changed & DirtyBrush)
            m_out.setBrush(state.brush());
        if (changed & DirtyBrushOrigin)
            m_out.setBrushOrigin(state.brushOrigin());
        if (changed & DirtyFont)
            m_out.setFont(state.font());
        if (changed & DirtyOpacity)
            m_out.setOpacity(state.opacity());
        if (changed & DirtyClipEnabled)
            m_clipping = state.isClipEnabled();
        if (changed & (DirtyClipPath | DirtyClipRegion)) {
            QPainterPath path = state.clipPath();
            if (changed & DirtyClipRegion) {
                path = {};
                path.addRegion(state.clipRegion());
            }
            clip(state.transform().map(path), state.clipOperation());
        }
    }

    void drawPath(const QPainterPath& path) override
    {
        const QPen pen = m_out.pen();
        const bool stroked = pen.style() != Qt::NoPen;
        const double reach = stroked ? std::max(1.0, pen.widthF()) * std::max(1.0, pen.miterLimit()) : 0;
        const QRectF box = path.controlPointRect().adjusted(-reach, -reach, reach, reach);
        switch (place(box)) {
        case Place::Inside:
            m_out.drawPath(path);
            return;
        case Place::Outside:
            return;
        case Place::Across:
            break;
        }
        const QPainterPath clip = clipHere();
        if (m_out.brush().style() != Qt::NoBrush)
            m_out.fillPath(path & clip, m_out.brush());
        if (!stroked)
            return;
        QPainterPathStroker stroker(pen);
        if (pen.widthF() == 0 || pen.isCosmetic())
            stroker.setWidth(std::max(1.0, pen.widthF()) / std::max(1e-9, scaleHere()));
        m_out.fillPath(stroker.createStroke(path) & clip, pen.brush());
    }
    void drawPolygon(const QPointF* points, int count, PolygonDrawMode mode) override
    {
        QPainterPath path;
        path.addPolygon(QPolygonF(QList<QPointF>(points, points + count)));
        path.setFillRule(mode == WindingMode ? Qt::WindingFill : Qt::OddEvenFill);
        if (mode != PolylineMode) {
            path.closeSubpath();
            drawPath(path);
            return;
        }
        const QBrush brush = m_out.brush();
        m_out.setBrush(Qt::NoBrush);
        drawPath(path);
        m_out.setBrush(brush);
    }
    void drawEllipse(const QRectF& rect) override
    {
        QPainterPath path;
        path.addEllipse(rect);
        drawPath(path);
    }
    void drawTextItem(const QPointF& at, const QTextItem& item) override
    {
        const QRectF box(at.x(), at.y() - item.ascent(), item.width(), item.ascent() + item.descent());
        const Place where = place(box);
        if (where == Place::Inside) {
            if (m_out.pen().style() == Qt::NoPen)
                return; // the generator writes no text if the painter has no pen
            m_textWidths.push_back(item.width());
            m_out.drawTextItem(at, item);
        } else if (where == Place::Across) {
            QPainterPath glyphs;
            glyphs.addText(at, item.font(), item.text());
            m_out.fillPath(glyphs & clipHere(), m_out.pen().brush());
        }
    }
    void drawPixmap(const QRectF& target, const QPixmap& pixmap, const QRectF& source) override
    {
        drawImage(target, pixmap.toImage(), source, Qt::AutoColor);
    }
    void drawImage(const QRectF& target, const QImage& image, const QRectF& source,
                   Qt::ImageConversionFlags) override
    {
        const Place where = place(target);
        if (where == Place::Outside || target.isEmpty() || source.isEmpty())
            return;
        const QRectF to = where == Place::Across ? target & clipHere().boundingRect() : target;
        // Large pixels of an image are split into several: SVG viewers blur enlarged images, and the clip may
        // cut through a pixel.
        const auto parts = [](double enlarged) {
            return enlarged > 1.5 ? std::clamp(static_cast<int>(std::ceil(2 * enlarged)), 1, 64) : 1;
        };
        const int across = parts(target.width() / source.width());
        const int down = parts(target.height() / source.height());
        const double x = source.width() * across / target.width(); // image pixels per unit of the target
        const double y = source.height() * down / target.height();
        const QRectF from(source.left() * across + (to.left() - target.left()) * x,
                          source.top() * down + (to.top() - target.top()) * y, to.width() * x,
                          to.height() * y);
        const QImage pixels =
            across * down == 1 ? image : image.scaled(image.width() * across, image.height() * down);
        const QRect cut =
            from.toAlignedRect() & pixels.rect(); // whole pixels of the image; the target is adjusted to them
        if (cut.isEmpty())
            return;
        m_out.drawImage(QRectF(to.left() + (cut.left() - from.left()) / x,
                               to.top() + (cut.top() - from.top()) / y, cut.width() / x, cut.height() / y),
                        pixels.copy(cut));
    }
    void drawTiledPixmap(const QRectF& rect, const QPixmap& pixmap, const QPointF& offset) override
    {
        QBrush brush(pixmap);
        brush.setTransform(QTransform::fromTranslate(rect.left() - offset.x(), rect.top() - offset.y()));
        const QPen pen = m_out.pen();
        const QBrush before = m_out.brush();
        m_out.setPen(Qt::NoPen);
        m_out.setBrush(brush);
        QPainterPath path;
        path.addRect(rect);
        drawPath(path);
        m_out.setPen(pen);
        m_out.setBrush(before);
    }

private:
    enum class Place { Inside, Across, Outside };

    void clip(const QPainterPath& path, Qt::ClipOperation operation)
    {
        if (operation == Qt::NoClip)
            m_clip.reset();
        else if (operation == Qt::IntersectClip && m_clip)
            m_clip = *m_clip & path;
        else
            m_clip = path;
        m_clipping = operation != Qt::NoClip;
    }
    [[nodiscard]] Place place(const QRectF& box) const
    {
        if (!m_clipping || !m_clip)
            return Place::Inside;
        const QRectF here = m_out.transform().mapRect(box);
        const QRectF clip = m_clip->boundingRect();
        // The box is grown a little: a point or an axis-parallel line has no area, but must be drawn.
        const QRectF grown = here.adjusted(-1e-6, -1e-6, 1e-6, 1e-6);
        if (!clip.intersects(grown))
            return Place::Outside;
        return m_clip->contains(grown) ? Place::Inside : Place::Across;
    }
    [[nodiscard]] QPainterPath clipHere() const { return m_out.transform().inverted().map(*m_clip); }
    [[nodiscard]] double scaleHere() const { return std::sqrt(std::abs(m_out.transform().determinant())); }

    QPainter& m_out;
    QList<double>& m_textWidths;
    std::optional<QPainterPath> m_clip; ///< clip path in device pixels
    bool m_clipping = false;
};

class CuttingDevice : public QPaintDevice
{
public:
    CuttingDevice(QPaintDevice& like, QPainter& out, QList<double>& textWidths)
        : m_like(like), m_engine(out, textWidths)
    {
    }
    [[nodiscard]] QPaintEngine* paintEngine() const override { return &m_engine; }

protected:
    [[nodiscard]] int metric(PaintDeviceMetric metric) const override
    {
        switch (metric) {
        case PdmWidth:
            return m_like.width();
        case PdmHeight:
            return m_like.height();
        case PdmWidthMM:
            return m_like.widthMM();
        case PdmHeightMM:
            return m_like.heightMM();
        case PdmNumColors:
            return m_like.colorCount();
        case PdmDepth:
            return m_like.depth();
        case PdmDpiX:
        case PdmPhysicalDpiX:
            return m_like.logicalDpiX();
        case PdmDpiY:
        case PdmPhysicalDpiY:
            return m_like.logicalDpiY();
        default:
            return metric == PdmDevicePixelRatioScaled ? static_cast<int>(devicePixelRatioFScale()) : 1;
        }
    }

private:
    QPaintDevice& m_like;
    mutable CuttingEngine m_engine;
};

} // namespace

QByteArray svgElement(const QString& title, const QSize& size, int dpi, const QString& idPrefix,
                      const std::function<void(QPainter&)>& paint)
{
    QByteArray bytes;
    QList<double> textWidths;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    generator.setResolution(dpi);
    {
        QPainter out(&generator);
        CuttingDevice device(generator, out, textWidths);
        QPainter painter(&device);
        paint(painter);
    }
    return portableSvg(bytes, title, size, textWidths, idPrefix);
}

QByteArray svgOf(const QString& title, const QSize& size, int dpi,
                 const std::function<void(QPainter&)>& paint)
{
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + svgElement(title, size, dpi, {}, paint);
}

} // namespace tilewright::ui
