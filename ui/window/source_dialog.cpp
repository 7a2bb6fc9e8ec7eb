// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/source_dialog.h"

#include "base/file.h"
#include "theme/text.h"
#include "theme/theme.h"
#include "workspace/lens_document.h"

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFontDatabase>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTextBlock>
#include <QVBoxLayout>

#include <algorithm>
#include <string_view>

namespace tilewright::ui {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
const QString kCrLf = QStringLiteral("\r\n");

/// Returns the text in the form in which the editor shows it.
QString shown(std::string_view text)
{
    if (text.starts_with(kByteOrderMark))
        text.remove_prefix(kByteOrderMark.size());
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()))
        .replace(kCrLf, QStringLiteral("\n"));
}

/// Converts a byte offset into a position in UTF-16 code units, as QString counts them.
int positionOf(const std::string& text, std::size_t byte)
{
    return static_cast<int>(shown(std::string_view(text).substr(0, byte)).size());
}

} // namespace

SourceDialog::SourceDialog(const QString& path, const std::string& text, const Error& error,
                           const TextPlace& place, const Theme& theme, QWidget* parent)
    : QDialog(parent), m_path(path), m_read(digestOf(text)), m_editor(new QPlainTextEdit(this))
{
    setWindowTitle(QFileInfo(path).fileName());
    auto* column = new QVBoxLayout(this);
    auto* what = new QLabel(this);
    what->setWordWrap(true);
    what->setTextFormat(Qt::PlainText);
    what->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(what);

    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPointSizeF(uiFont(1.0).pointSizeF());
    m_editor->setFont(font);
    // Wraps lines, because some files have a single long line.
    m_editor->setLineWrapMode(QPlainTextEdit::WidgetWidth);
    m_editor->setAccessibleName(tr("Text of the file"));
    m_editor->setPlainText(shown(text));
    column->addWidget(m_editor, 1);

    QTextCursor cursor = m_editor->textCursor();
    cursor.setPosition(positionOf(text, place.begin));
    const int line = cursor.blockNumber() + 1;
    const int columnNumber = cursor.positionInBlock() + 1;
    QTextEdit::ExtraSelection whole;
    whole.cursor = cursor;
    whole.format.setBackground(Theme::mix(theme.panel, theme.error, 0.12));
    whole.format.setProperty(QTextFormat::FullWidthSelection, true);
    QTextEdit::ExtraSelection exact;
    exact.cursor = cursor;
    exact.cursor.setPosition(positionOf(text, std::max(place.end, place.begin)), QTextCursor::KeepAnchor);
    exact.format.setBackground(Theme::mix(theme.panel, theme.error, 0.4));
    m_editor->setExtraSelections({whole, exact});
    m_editor->setTextCursor(cursor);
    // The message of a syntax error already contains its position.
    what->setText(error.path.empty() ? sentence(error.message)
                                     : tr("Line %1, column %2, %3: %4")
                                           .arg(line)
                                           .arg(columnNumber)
                                           .arg(QString::fromStdString(error.path), sentence(error.message)));

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_save = buttons->addButton(tr("&Save and open"), QDialogButtonBox::ApplyRole);
    m_save->setEnabled(false);
    m_save->setToolTip(tr("Save the corrected text to the file and open it again."));
    if (text.starts_with(kByteOrderMark))
        m_mark = kByteOrderMark;
    m_lineEnd = text.find("\r\n") != std::string::npos ? kCrLf : QStringLiteral("\n");
    if (editedText() == text) {
        connect(m_editor->document(), &QTextDocument::modificationChanged, m_save, &QWidget::setEnabled);
    } else {
        m_editor->setReadOnly(true);
        what->setText(
            what->text() + QStringLiteral("\n\n") +
            tr("The file cannot be corrected here: it has bytes that are not UTF-8 text, or mixed line "
               "ends, and saving would change these as well."));
    }
    connect(m_save, &QPushButton::clicked, this, &SourceDialog::save);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(buttons);
    resize(fontMetrics().averageCharWidth() * 100, fontMetrics().height() * 32);
    m_editor->setFocus();
}

void SourceDialog::showEvent(QShowEvent* event)
{
    QDialog::showEvent(event);
    m_editor->centerCursor(); // scroll to the error now that the height of the editor is known
}

std::string SourceDialog::editedText() const
{
    // toRawText() and not toPlainText(), which replaces no-break spaces.
    QString text = m_editor->document()->toRawText();
    return m_mark + text.replace(QChar::ParagraphSeparator, m_lineEnd).toStdString();
}

void SourceDialog::save()
{
    const Status written = digestOfFile(m_path) == m_read
                               ? writeFileAtomically(m_path.toStdString(), editedText())
                               : Error{ErrorCode::Io,
                                       "has changed on disk; close this and open the file again",
                                       {},
                                       m_path.toStdString()};
    if (!written) {
        m_save->setText(tr("Cannot be saved"));
        m_save->setToolTip(QString::fromStdString(written.error().text()));
        return;
    }
    accept();
    Q_EMIT savedFile(m_path);
}

} // namespace tilewright::ui
