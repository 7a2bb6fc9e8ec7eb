// SPDX-License-Identifier: GPL-3.0-or-later
// Export of a view to a file, and its dialog.
#pragma once

#include "base/result.h"
#include "canvas/view.h"

#include <QDialog>
#include <QImage>

#include <functional>

class QComboBox;
class QLineEdit;
class QSpinBox;

namespace tilewright::ui {

struct ExportOptions
{
    QSize size;       ///< logical pixels; empty = View::exportSize()
    double scale = 1; ///< PNG: device pixels per logical pixel
    const Theme* theme = &Theme::light();
    int fontSize = 0; ///< font size in points; 0 = as in the window
};

[[nodiscard]] QImage renderToImage(View& view, const ExportOptions& options);

/// Writes a view as PNG, SVG or PDF, depending on the ending of the file.
[[nodiscard]] Status exportView(View& view, const QString& path, const ExportOptions& options);

/// Writes what `paint` draws into (0, 0, size) as PNG, SVG or PDF. Ignores options.size.
[[nodiscard]] Status exportPicture(const QString& path, const QString& title, const QSize& size,
                                   const ExportOptions& options, const std::function<void(QPainter&)>& paint);

/// Dialog that asks for file, size, scale, font size and theme of an exported view.
class ExportDialog : public QDialog
{
    Q_OBJECT
public:
    ExportDialog(const View& view, const QString& folder, const Theme& current, QWidget* parent = nullptr);
    [[nodiscard]] QString path() const;
    [[nodiscard]] ExportOptions options() const;

private:
    QLineEdit* m_path;
    QSpinBox* m_width;
    QSpinBox* m_height;
    QSpinBox* m_scale;
    QSpinBox* m_font;
    QComboBox* m_theme;
};

} // namespace tilewright::ui
