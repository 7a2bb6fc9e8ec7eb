// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/export_view.h"

#include "base/file.h"
#include "export/svg_device.h"

#include <QBuffer>
#include <QFileInfo>
#include <QPainter>
#include <QPdfWriter>

namespace tilewright::ui {

namespace {

using Paint = std::function<void(QPainter&)>;

constexpr int kMaxPixels = 20000;

QSize sizeFor(const View& view, const ExportOptions& options)
{
    return options.size.isEmpty() ? view.exportSize() : options.size;
}

QImage imageOf(const QSize& size, const ExportOptions& options, const Paint& paint)
{
    QImage image((QSizeF(size) * options.scale).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(options.scale);
    // Font sizes are in points: paint with the logical resolution and let the device pixel ratio scale. Then
    // set the true resolution for the file.
    const auto setDpi = [&image](double dpi) {
        image.setDotsPerMeterX(qRound(dpi / 0.0254));
        image.setDotsPerMeterY(qRound(dpi / 0.0254));
    };
    setDpi(kLogicalDpi);
    image.fill(options.theme->canvas);
    {
        QPainter painter(&image);
        paint(painter);
    }
    setDpi(kLogicalDpi * options.scale);
    return image;
}

QByteArray png(const QSize& size, const ExportOptions& options, const Paint& paint)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    imageOf(size, options, paint).save(&buffer, "PNG");
    return bytes;
}

QByteArray pdf(const QString& title, const QSize& size, const Paint& paint)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setTitle(title);
    writer.setResolution(kLogicalDpi);
    writer.setPageSize(
        QPageSize(QSizeF(size) / kLogicalDpi, QPageSize::Inch, QString(), QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    QPainter painter(&writer);
    paint(painter);
    painter.end();
    return bytes;
}

} // namespace

QImage renderToImage(View& view, const ExportOptions& options)
{
    view.catchUp();
    view.settle();
    const QSize size = sizeFor(view, options);
    return imageOf(size, options,
                   [&](QPainter& painter) { view.paintExport(painter, size, *options.theme); });
}

Status exportView(View& view, const QString& path, const ExportOptions& options)
{
    view.catchUp();
    view.settle();
    const QSize size = sizeFor(view, options);
    return exportPicture(path, view.title(), size, options,
                         [&](QPainter& painter) { view.paintExport(painter, size, *options.theme); });
}

Status exportPicture(const QString& path, const QString& title, const QSize& size,
                     const ExportOptions& options, const Paint& paint)
{
    const auto failed = [&](const QString& why) {
        return Error{ErrorCode::Io, why.toStdString(), {}, path.toStdString()};
    };
    const QSizeF pixels = QSizeF(size) * options.scale;
    if (pixels.width() < 1 || pixels.height() < 1 || pixels.width() > kMaxPixels ||
        pixels.height() > kMaxPixels)
        return failed(QObject::tr("width and height must be 1 to %1 pixels").arg(kMaxPixels));
    const QString ending = QFileInfo(path).suffix().toLower();
    QByteArray bytes;
    if (ending == QLatin1String("png"))
        bytes = png(size, options, paint);
    else if (ending == QLatin1String("svg"))
        bytes = svgOf(title, size, kLogicalDpi, paint);
    else if (ending == QLatin1String("pdf"))
        bytes = pdf(title, size, paint);
    else
        return failed(QObject::tr("the ending must be .png, .svg or .pdf"));
    return writeFileAtomically(path.toStdString(),
                               {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

} // namespace tilewright::ui
