// SPDX-License-Identifier: GPL-3.0-or-later
// What the window says of files that cannot be opened.
#include "base/file.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/source_dialog.h"

namespace tilewright::ui {

namespace {

/// A lens gives its error as one sentence, "file: path: reason": the parts again.
Error partsOf(const Error& error, const QString& file)
{
    Error out = error;
    const std::string prefix = file.toStdString() + ": ";
    if (out.file.empty() && out.message.starts_with(prefix)) {
        out.file = file.toStdString();
        out.message.erase(0, prefix.size());
        if (const auto colon = out.message.find(": ");
            colon != std::string::npos && out.path.empty() && out.message.find(' ') > colon) {
            out.path = out.message.substr(0, colon);
            out.message.erase(0, colon + 2);
        }
        if (out.message.starts_with("not valid JSON"))
            out.code = ErrorCode::Syntax;
    }
    return out;
}

} // namespace

void MainWindow::tellUnreadable(const Error& given, const QString& file, const QString& otherwise,
                                std::function<void()> instead)
{
    const Error error = partsOf(given, file);
    const auto text = readFile(file.toStdString());
    const auto place = text ? placeOfError(*text, error) : std::nullopt;
    QString showText;
    std::function<void()> show;
    if (place) {
        showText = tr("Show in text");
        show = [this, file, text = *text, error, place = *place] {
            auto* dialog = new SourceDialog(file, text, error, place, m_state->themes.theme(), this);
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            connect(dialog, &SourceDialog::savedFile, this,
                    [this](const QString& path) { openPaths({path}); });
            dialog->open();
        };
    }
    m_messages->show(MessageBar::Kind::Error, QString::fromStdString(error.text()), showText, show, otherwise,
                     std::move(instead));
}

} // namespace tilewright::ui
