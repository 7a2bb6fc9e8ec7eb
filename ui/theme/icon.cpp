// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/icon.h"

#include <QFile>
#include <QGuiApplication>
#include <QHash>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <QSvgRenderer>

#include <map>
#include <tuple>

// Registers the Qt resources, which a static library does not do by itself. The macro must be outside
// namespaces.
static void loadResources()
{
    Q_INIT_RESOURCE(resources);
}

namespace tilewright::ui {

namespace {

QByteArray readIcon(const QString& name)
{
    static const bool loaded = (loadResources(), true);
    Q_UNUSED(loaded)
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QByteArray inColour(QByteArray svg, const QColor& colour)
{
    return svg.replace("currentColor", colour.name().toLatin1());
}

class StrokeIconEngine : public QIconEngine
{
public:
    explicit StrokeIconEngine(QByteArray svg) : m_svg(std::move(svg)) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override
    {
        QSvgRenderer(inColour(m_svg, colourFor(mode, state))).render(painter, rect);
    }
    /// Caches pixmaps: buttons request them at every repaint, and rendering an SVG is slow.
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap& known = m_pixmaps[{size.width(), size.height(), colourFor(mode, state).rgba()}];
        if (known.isNull()) {
            known = QPixmap(size);
            known.fill(Qt::transparent);
            QPainter painter(&known);
            paint(&painter, QRect(QPoint(0, 0), size), mode, state);
        }
        return known;
    }
    QIconEngine* clone() const override { return new StrokeIconEngine(m_svg); }

private:
    static QColor colourFor(QIcon::Mode mode, QIcon::State state)
    {
        const QPalette palette = QGuiApplication::palette();
        return mode == QIcon::Disabled   ? palette.color(QPalette::Disabled, QPalette::ButtonText)
               : mode == QIcon::Selected ? palette.color(QPalette::HighlightedText)
               : state == QIcon::On      ? palette.color(QPalette::Active, QPalette::Link)
                                         : palette.color(QPalette::Active, QPalette::ButtonText);
    }

    QByteArray m_svg;
    std::map<std::tuple<int, int, QRgb>, QPixmap> m_pixmaps; ///< pixmaps by width, height and colour
};

} // namespace

QIcon icon(const QString& name)
{
    // One shared QIcon per name, so that its pixmaps are rendered once.
    static QHash<QString, QIcon> known;
    static const bool once = [] {
        qAddPostRoutine([] { known.clear(); }); // pixmaps must not outlive the application
        return true;
    }();
    Q_UNUSED(once)
    QIcon& icon = known[name];
    if (icon.isNull())
        if (QByteArray svg = readIcon(name); !svg.isEmpty())
            icon = QIcon(new StrokeIconEngine(std::move(svg)));
    return icon;
}

void paintIcon(QPainter& painter, const QString& name, const QRectF& rect, const QColor& colour)
{
    QSvgRenderer(inColour(readIcon(name), colour)).render(&painter, rect);
}

QIcon applicationIcon()
{
    return icon(QStringLiteral("app"));
}

} // namespace tilewright::ui
