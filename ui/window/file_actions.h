// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "window/app_state.h"

#include <QTimer>

#include <map>
#include <memory>

class QFileSystemWatcher;
class QLockFile;

namespace tilewright::ui {

class MessageBar;

/// Commands for files: open, save, ask before changes are lost, report exports. Results appear in the message
/// bar. Signals tell the window which view to show.
class FileActions : public QObject
{
    Q_OBJECT
public:
    FileActions(QWidget& window, AppState& state, MessageBar& messages);
    ~FileActions() override;

    /// Opens problems, schedules and files of the other lenses. True if all could be opened.
    bool open(const QStringList& paths);
    void chooseAndOpen();
    /// Asks the user for a model file and compares the open model with it.
    void chooseAndCompare();
    bool compareWith(const QString& path);
    /// Reads the files of the current document again from disk.
    void reload();
    /// Returns the folder in which save dialogs start: that of the open problem; for a sample, the user's
    /// documents.
    [[nodiscard]] QString startFolder() const;
    /// Writes the document to its file. If it has none, or if the file is a sample, asks for a file. If
    /// another program has changed the file, asks what to do. True if nothing is left to save.
    bool save(LensDocument& document);
    bool saveAs(LensDocument& document);
    /// Asks once whether to save or discard the changes of these documents. False if the user cancels.
    bool confirmDiscard(const std::vector<LensDocument*>& documents);
    void rememberRecent(const QString& path);
    /// Shows a message with the path of the exported file, or with the error.
    void showExported(const Status& written, const QString& path);

Q_SIGNALS:
    void opening(); ///< emitted before a file is opened: save the session of the current file
    /// emitted after a file of the Systolic, NPU or Mapping lens was read, even if it is not valid
    void lensOpened(tilewright::FileKind kind);
    void opened(tilewright::FileKind kind); ///< emitted after a file was opened without errors
    /// emitted when the user wants to see the view to which a message refers
    void viewWanted(const QString& name);
    void comparisonOpened(); ///< emitted after a comparison of schedules or models was opened
    void recentChanged();

private:
    void offerSchedules(const QString& problem);
    bool openFile(const LensFile& file);
    /// A model was opened in one lens: offers to open it as the workload of all lenses.
    void offerAllLenses(const LensFile& file);
    void tellAssumedSizes();
    void warnAboutImport(); ///< warns if operators of the open model could not be imported
    /// Shows an error in a file. If the position of the error is known, a button shows it in the text. There
    /// may be a second button.
    void showFileError(const Error& error, const QString& file, const QString& otherText = {},
                       std::function<void()> other = {});
    void showError(const Error& error);
    [[nodiscard]] bool write(LensDocument& document, const QString& path);
    /// Asks what to do with the changes of a document if another program has changed its file.
    [[nodiscard]] bool saveChanged(LensDocument& document);

    /// A file that is watched for changes by other programs.
    struct Watched
    {
        QByteArray known; ///< printOf() of the content that was read or written last
        QByteArray state; ///< size, time of change and inode at the last check; empty before the first one
        bool isDocument = false; ///< true if the file is the path() of a document
        /// lock that is held while the file is open here. Not held if another window has
        std::unique_ptr<QLockFile> lock;
        ///< the file open. Null if the file is not locked.
    };
    /// Watches a file. `known`: digest of the content that was read or written; empty if not known.
    void watch(const QString& path, const QByteArray& known);
    void watchDocuments();
    void forgetClosed(); ///< stops watching the files of an earlier workload
    /// checks the watched files, and reports those that differ from what was read or written
    void lookForChanges();
    void reportChange(const QString& path, const QString& text);
    void dismissReport(const QString& path);
    [[nodiscard]] bool isDocumentFile(const QString& path) const;
    [[nodiscard]] QByteArray printOf(const QString& path) const;
    /// Shows a message if the file is open in another window of the program.
    void warnIfOpenElsewhere(const QString& path);

    QWidget& m_window;
    AppState& m_state;
    MessageBar& m_messages;
    QString m_offer; ///< text of the offer that the message bar shows; empty if it shows none
    QFileSystemWatcher* m_watcher;
    std::map<QString, Watched> m_watched; ///< watched files by path
    QTimer m_lookTimer;       ///< delays the check until a file that is being replaced is complete
    QString m_reported;       ///< file whose report the message bar shows; empty if it shows none
    QString m_report;         ///< text of the report on m_reported
    bool m_reloading = false; ///< true if the user has agreed to lose the changes
};

} // namespace tilewright::ui
