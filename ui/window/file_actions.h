// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "window/app_state.h"

class QFileSystemWatcher;

namespace tilewright::ui {

class MessageBar;

/// What a person does with files: open, save, be asked before something is lost, export. It says what
/// happened in the message bar; what the window has to show of it goes out as signals.
class FileActions : public QObject
{
    Q_OBJECT
public:
    FileActions(QWidget& window, AppState& state, MessageBar& messages);

    /// Opens problems, schedules and the files of the other lenses; whether all could be opened.
    bool open(const QStringList& paths);
    void chooseAndOpen();
    /// Compares the open model with another one.
    void chooseAndCompare();
    bool compareWith(const QString& path);
    /// The files of the current document again, from disk.
    void reload();
    /// Where files that belong to the open problem are written first: its folder, but not that of a sample.
    [[nodiscard]] QString startFolder() const;
    /// Writes the document into its file, or asks for one. The samples stay as they came.
    bool save(LensDocument& document);
    bool saveAs(LensDocument& document);
    /// Whether the person agrees to lose, or has saved, what is modified: one question for all of them.
    bool mayLose(const std::vector<LensDocument*>& documents);
    void rememberRecent(const QString& path);
    /// Where a picture or table was written, or why not.
    void tellWritten(const Status& written, const QString& path);

Q_SIGNALS:
    void opening();                             ///< another file: how the present one is left is to be kept
    void lensOpened(tilewright::FileKind kind); ///< it is to be seen, and what was wrong with it if anything
    void opened(tilewright::FileKind kind);     ///< without any fault
    void viewWanted(const QString& name);       ///< what a message is about
    void comparisonOpened();                    ///< of schedules or models: it is to be seen
    void recentChanged();

private:
    void offerSchedules(const QString& problem);
    bool openFile(const LensFile& file);
    /// A model that one lens has opened can be the workload of all.
    void offerAllLenses(const LensFile& file);
    void tellImport(); ///< what of the open model was not understood, if anything
    /// The error, with its place in the file to be shown where it has one; and another way out, if any.
    void tellUnreadable(const Error& error, const QString& file, const QString& otherwise = {},
                        std::function<void()> instead = {});
    void tell(const Error& error);
    void watch(const QString& path);

    QWidget& m_window;
    AppState& m_state;
    MessageBar& m_messages;
    QString m_offer; ///< of schedules, while it stands in the messages
    QFileSystemWatcher* m_watcher;
};

} // namespace tilewright::ui
