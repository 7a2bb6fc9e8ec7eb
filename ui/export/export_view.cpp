// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/export_view.h"

#include <QBuffer>
#include <QFileInfo>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

namespace tilewright::ui {

namespace {

constexpr double kLogicalDpi = 96;
constexpr int kMaxPixels = 20000;

QSize sizeFor(const View& view, const ExportOptions& options)
{
    return options.size.isEmpty() ? view.exportSize() : options.size;
}

QByteArray png(View& view, const ExportOptions& options)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    renderToImage(view, options).save(&buffer, "PNG");
    return bytes;
}

QByteArray svg(View& view, const ExportOptions& options)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    const QSize size = sizeFor(view, options);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    generator.setResolution(static_cast<int>(kLogicalDpi));
    generator.setTitle(view.title());
    QPainter painter(&generator);
    view.paintExport(painter, size, *options.theme);
    painter.end();
    return bytes;
}

QByteArray pdf(View& view, const ExportOptions& options)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    const QSize size = sizeFor(view, options);
    QPdfWriter writer(&buffer);
    writer.setTitle(view.title());
    writer.setResolution(static_cast<int>(kLogicalDpi));
    writer.setPageSize(
        QPageSize(QSizeF(size) / kLogicalDpi, QPageSize::Inch, QString(), QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    QPainter painter(&writer);
    view.paintExport(painter, size, *options.theme);
    painter.end();
    return bytes;
}

} // namespace

QImage renderToImage(View& view, const ExportOptions& options)
{
    view.catchUp();
    view.settle();
    const QSize size = sizeFor(view, options);
    QImage image((QSizeF(size) * options.scale).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(options.scale);
    // Fonts are in points: while painting, a logical inch has the logical resolution, and the ratio of pixels
    // does the scaling. The file then says its true resolution.
    const auto setDpi = [&image](double dpi) {
        image.setDotsPerMeterX(qRound(dpi / 0.0254));
        image.setDotsPerMeterY(qRound(dpi / 0.0254));
    };
    setDpi(kLogicalDpi);
    image.fill(options.theme->canvas);
    {
        QPainter painter(&image);
        view.paintExport(painter, size, *options.theme);
    }
    setDpi(kLogicalDpi * options.scale);
    return image;
}

Status exportView(View& view, const QString& path, const ExportOptions& options)
{
    const auto failed = [&](const QString& why) {
        return Error{ErrorCode::Io, why.toStdString(), {}, path.toStdString()};
    };
    const QSizeF pixels = QSizeF(sizeFor(view, options)) * options.scale;
    if (pixels.width() < 1 || pixels.height() < 1 || pixels.width() > kMaxPixels ||
        pixels.height() > kMaxPixels)
        return failed(QObject::tr("pictures may have 1 to %1 pixels a side").arg(kMaxPixels));
    view.catchUp();
    view.settle();
    const QString ending = QFileInfo(path).suffix().toLower();
    QByteArray bytes;
    if (ending == QLatin1String("png"))
        bytes = png(view, options);
    else if (ending == QLatin1String("svg"))
        bytes = svg(view, options);
    else if (ending == QLatin1String("pdf"))
        bytes = pdf(view, options);
    else
        return failed(QObject::tr("the ending must be .png, .svg or .pdf"));
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return failed(QObject::tr("cannot be written (%1)").arg(file.errorString()));
    return Unit{};
}

} // namespace tilewright::ui
