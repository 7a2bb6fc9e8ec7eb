// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_place.h"

#include <QDialog>

class QPlainTextEdit;
class QPushButton;

namespace tilewright::ui {

struct Theme;

/// The text of a file that cannot be opened, at the place its error speaks of; to be corrected and opened
/// again.
class SourceDialog : public QDialog
{
    Q_OBJECT
public:
    /// `place`: bytes of `text`, which is what the file holds.
    SourceDialog(const QString& path, const std::string& text, const Error& error, const TextPlace& place,
                 const Theme& theme, QWidget* parent);

    [[nodiscard]] QPlainTextEdit* editor() const { return m_editor; }

Q_SIGNALS:
    void savedFile(const QString& path); ///< to be opened again

protected:
    void showEvent(QShowEvent* event) override;

private:
    void save();

    QString m_path;
    QPlainTextEdit* m_editor;
    QPushButton* m_save;
};

} // namespace tilewright::ui
