// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_place.h"

#include <QDialog>

class QPlainTextEdit;
class QPushButton;

namespace tilewright::ui {

struct Theme;

/// Editor for the text of a file that cannot be opened. It marks the position of the error. After a
/// correction the file can be saved and opened again. Saving keeps a byte order mark and CRLF line ends. A
/// file with bytes that the editor cannot show cannot be saved, because saving would replace these bytes.
class SourceDialog : public QDialog
{
    Q_OBJECT
public:
    /// `text`: content of the file. `place`: range of bytes to which the error refers.
    SourceDialog(const QString& path, const std::string& text, const Error& error, const TextPlace& place,
                 const Theme& theme, QWidget* parent);

    [[nodiscard]] QPlainTextEdit* editor() const { return m_editor; }

Q_SIGNALS:
    /// Emitted after the corrected file was saved, so that it can be opened.
    void savedFile(const QString& path);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void save();
    [[nodiscard]] std::string editedText() const; ///< the edited text in the encoding of the file

    QString m_path;
    QByteArray m_read;  ///< digest of the file when it was read
    std::string m_mark; ///< byte order mark at the start of the file; may be empty
    QString m_lineEnd;  ///< "\n" or "\r\n"
    QPlainTextEdit* m_editor;
    QPushButton* m_save;
};

} // namespace tilewright::ui
