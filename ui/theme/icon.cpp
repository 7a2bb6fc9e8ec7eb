// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/icon.h"

#include <QFile>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <QSvgRenderer>

// A static library's resources are linked only when asked for; the macro must stand outside namespaces.
static void loadResources()
{
    Q_INIT_RESOURCE(resources);
}

namespace tilewright::ui {

namespace {

class StrokeIconEngine : public QIconEngine
{
public:
    explicit StrokeIconEngine(QByteArray svg) : m_svg(std::move(svg)) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override
    {
        const QPalette palette = QGuiApplication::palette();
        const QColor colour = mode == QIcon::Disabled
                                  ? palette.color(QPalette::Disabled, QPalette::ButtonText)
                              : mode == QIcon::Selected ? palette.color(QPalette::HighlightedText)
                              : state == QIcon::On      ? palette.color(QPalette::Active, QPalette::Link)
                                                   : palette.color(QPalette::Active, QPalette::ButtonText);
        QByteArray svg = m_svg;
        svg.replace("currentColor", colour.name().toLatin1());
        QSvgRenderer(svg).render(painter, rect);
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(0, 0), size), mode, state);
        return pixmap;
    }
    QIconEngine* clone() const override { return new StrokeIconEngine(m_svg); }

private:
    QByteArray m_svg;
};

} // namespace

QIcon icon(const QString& name)
{
    static const bool loaded = (loadResources(), true);
    Q_UNUSED(loaded)
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return QIcon(new StrokeIconEngine(file.readAll()));
}

QIcon applicationIcon()
{
    return icon(QStringLiteral("app"));
}

} // namespace tilewright::ui
