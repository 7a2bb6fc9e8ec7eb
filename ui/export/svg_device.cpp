// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/svg_device.h"

#include "export/svg_markup.h"

#include <QBuffer>
#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPainterPathStroker>
#include <QSvgGenerator>

#include <algorithm>
#include <cmath>
#include <optional>

namespace tilewright::ui {

namespace {

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
                return; // the generator writes no text without a pen
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
        // Split large pixels into several: SVG viewers blur enlarged images, and the clip may cut through a
        // pixel.
        const auto parts = [](double enlarged) {
            return enlarged > 1.5 ? std::clamp(static_cast<int>(std::ceil(2 * enlarged)), 1, 64) : 1;
        };
        const int across = parts(target.width() / source.width());
        const int down = parts(target.height() / source.height());
        const double x = source.width() * across / target.width(); // image pixels per unit
        const double y = source.height() * down / target.height();
        const QRectF from(source.left() * across + (to.left() - target.left()) * x,
                          source.top() * down + (to.top() - target.top()) * y, to.width() * x,
                          to.height() * y);
        const QImage pixels =
            across * down == 1 ? image : image.scaled(image.width() * across, image.height() * down);
        const QRect cut =
            from.toAlignedRect() & pixels.rect(); // whole pixels; the target is adjusted to them
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
        // Grow the box a little: a point or an axis-parallel line has no area, but must be drawn.
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
