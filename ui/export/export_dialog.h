// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "export/export_view.h"

#include <QDialog>

class QComboBox;
class QLineEdit;
class QSpinBox;

namespace tilewright::ui {

/// Dialog that asks for file, size, scale and theme of an exported view.
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
    QComboBox* m_theme;
};

} // namespace tilewright::ui
