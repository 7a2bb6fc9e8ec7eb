// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/source_dialog.h"

#include "base/file.h"
#include "theme/theme.h"
#include "theme/words.h"

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFontDatabase>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTextBlock>
#include <QVBoxLayout>

#include <algorithm>

namespace tilewright::ui {

namespace {

/// Converts a byte offset into a position in the text as QString counts it (UTF-16).
int positionOf(const std::string& text, std::size_t byte)
{
    return static_cast<int>(QString::fromStdString(text.substr(0, byte)).size());
}

} // namespace

SourceDialog::SourceDialog(const QString& path, const std::string& text, const Error& error,
                           const TextPlace& place, const Theme& theme, QWidget* parent)
    : QDialog(parent), m_path(path), m_editor(new QPlainTextEdit(this))
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
    m_editor->setLineWrapMode(QPlainTextEdit::WidgetWidth); // some files are one long line
    m_editor->setAccessibleName(tr("Text of the file"));
    m_editor->setPlainText(QString::fromStdString(text));
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
    connect(m_editor->document(), &QTextDocument::modificationChanged, m_save, &QWidget::setEnabled);
    connect(m_save, &QPushButton::clicked, this, &SourceDialog::save);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(buttons);
    resize(fontMetrics().averageCharWidth() * 100, fontMetrics().height() * 32);
    m_editor->setFocus();
}

void SourceDialog::showEvent(QShowEvent* event)
{
    QDialog::showEvent(event);
    m_editor->centerCursor(); // only now the height of the editor is known
}

void SourceDialog::save()
{
    const Status written = writeFileAtomically(m_path.toStdString(), m_editor->toPlainText().toStdString());
    if (!written) {
        m_save->setText(tr("Cannot be saved"));
        m_save->setToolTip(QString::fromStdString(written.error().text()));
        return;
    }
    accept();
    Q_EMIT savedFile(m_path);
}

} // namespace tilewright::ui
