// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/export_view.h"

#include "base/file.h"
#include "canvas/number_box.h"
#include "export/svg_device.h"

#include <QApplication>
#include <QBuffer>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFont>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPdfWriter>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>

namespace tilewright::ui {

namespace {

using Paint = std::function<void(QPainter&)>;

constexpr int kMaxPixels = 20000;

/// Sets the font size of the application while an export is painted, because the layouts of views depend on
/// it.
class FontOfExport
{
public:
    FontOfExport(View& view, int points) : m_before(QApplication::font())
    {
        if (points > 0 && points != m_before.pointSize()) {
            QFont font = m_before;
            font.setPointSize(points);
            QApplication::setFont(font);
        }
        view.catchUp();
        view.settle();
    }
    ~FontOfExport()
    {
        if (QApplication::font() != m_before)
            QApplication::setFont(m_before);
    }
    FontOfExport(const FontOfExport&) = delete;
    FontOfExport& operator=(const FontOfExport&) = delete;

private:
    QFont m_before;
};

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
    const FontOfExport font(view, options.fontSize);
    const QSize size = sizeFor(view, options);
    return imageOf(size, options,
                   [&](QPainter& painter) { view.paintExport(painter, size, *options.theme); });
}

Status exportView(View& view, const QString& path, const ExportOptions& options)
{
    const FontOfExport font(view, options.fontSize);
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

ExportDialog::ExportDialog(const View& view, const QString& folder, const Theme& current, QWidget* parent)
    : QDialog(parent)
{
    setWindowTitle(tr("Export %1").arg(view.title()));
    auto* form = new QFormLayout(this);
    m_path = new QLineEdit(QDir(folder).filePath(view.viewName() + QStringLiteral(".png")), this);
    auto* browse = new QToolButton(this);
    browse->setText(tr("…"));
    browse->setAccessibleName(tr("Choose a file"));
    connect(browse, &QToolButton::clicked, this, [this] {
        const QString chosen = QFileDialog::getSaveFileName(this, windowTitle(), m_path->text(),
                                                            tr("PNG (*.png);;SVG (*.svg);;PDF (*.pdf)"));
        if (!chosen.isEmpty())
            m_path->setText(chosen);
    });
    auto* fileRow = new QHBoxLayout;
    fileRow->addWidget(m_path, 1);
    fileRow->addWidget(browse);
    auto* fileLabel = new QLabel(tr("&File (.png, .svg, .pdf)"), this);
    fileLabel->setBuddy(m_path);
    m_path->setMinimumWidth(40 * fontMetrics().averageCharWidth());
    form->addRow(fileLabel, fileRow);
    const auto spin = [this](int value, int max) {
        auto* box = new NumberBox(this);
        box->setRange(1, max);
        box->setValue(value);
        return box;
    };
    // An exported picture is at least as large as exportSize(), so that it shows texts that a small view
    // omits.
    const QSize size = view.size().expandedTo(view.exportSize());
    m_width = spin(size.width(), 10000);
    m_height = spin(size.height(), 10000);
    m_scale = spin(2, 4);
    form->addRow(tr("&Width"), m_width);
    form->addRow(tr("&Height"), m_height);
    form->addRow(tr("&Scale (PNG)"), m_scale);
    m_font = spin(QApplication::font().pointSize(), 48);
    m_font->setMinimum(6);
    m_font->setSuffix(tr(" pt"));
    form->addRow(tr("F&ont size"), m_font);
    m_theme = new QComboBox(this);
    m_theme->addItems({tr("Light (for print)"), tr("Dark")});
    m_theme->setCurrentIndex(0);
    m_theme->setToolTip(tr("The theme of the window is %1.").arg(current.dark ? tr("dark") : tr("light")));
    form->addRow(tr("&Theme"), m_theme);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    form->addRow(buttons);
}

QString ExportDialog::path() const
{
    return m_path->text();
}

ExportOptions ExportDialog::options() const
{
    ExportOptions options;
    options.size = {m_width->value(), m_height->value()};
    options.scale = m_scale->value();
    options.fontSize = m_font->value();
    options.theme = m_theme->currentIndex() == 1 ? &Theme::darkTheme() : &Theme::light();
    return options;
}

} // namespace tilewright::ui
