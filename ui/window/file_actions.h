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

/// File commands: open, save, ask before changes are lost, report exports. Results appear in the message bar;
/// signals tell the window which view to show.
class FileActions : public QObject
{
    Q_OBJECT
public:
    FileActions(QWidget& window, AppState& state, MessageBar& messages);
    ~FileActions() override;

    /// Opens problems, schedules and files of the other lenses. True if all could be opened.
    bool open(const QStringList& paths);
    void chooseAndOpen();
    /// Asks for a model file and compares the open model with it.
    void chooseAndCompare();
    bool compareWith(const QString& path);
    /// Reads the files of the current document again from disk.
    void reload();
    /// Folder that save dialogs start in: that of the open problem, or the user's documents for a sample.
    [[nodiscard]] QString startFolder() const;
    /// Writes the document to its file. Asks for a file if it has none or if that is one of the samples, and
    /// what to do if another program has changed the file. True if nothing is left to save.
    bool save(LensDocument& document);
    bool saveAs(LensDocument& document);
    /// Asks once whether to save or discard the changes of these documents. False if the user cancels.
    bool confirmDiscard(const std::vector<LensDocument*>& documents);
    void rememberRecent(const QString& path);
    /// Shows a message with the path of an exported file, or with the error.
    void showExported(const Status& written, const QString& path);

Q_SIGNALS:
    void opening(); ///< before a file is opened: save the session of the present one
    void lensOpened(tilewright::FileKind kind); ///< a file of Systolic, NPU or Mapping was read, valid or not
    void opened(tilewright::FileKind kind);     ///< a file was opened without errors
    void viewWanted(const QString& name);       ///< the user wants to see the view that a message refers to
    void comparisonOpened();                    ///< a comparison of schedules or models was opened
    void recentChanged();

private:
    void offerSchedules(const QString& problem);
    bool openFile(const LensFile& file);
    /// Offers to open a model that is open in one lens as the workload of all lenses.
    void offerAllLenses(const LensFile& file);
    void tellAssumedSizes();
    void warnAboutImport(); ///< warns if operators of the open model could not be imported
    /// Shows an error of a file, with a button that shows its position in the text if known, and an optional
    /// second button.
    void showFileError(const Error& error, const QString& file, const QString& otherText = {},
                       std::function<void()> other = {});
    void showError(const Error& error);
    [[nodiscard]] bool write(LensDocument& document, const QString& path);
    /// Asks what to do with the changes of a document whose file another program has changed.
    [[nodiscard]] bool saveChanged(LensDocument& document);

    /// A file whose changes on disk are reported.
    struct Watched
    {
        QByteArray known; ///< what was read or written last: printOf()
        QByteArray state; ///< size, time of change and inode at the last look; empty before the first one
        bool isDocument = false;         ///< path() of a document
        std::unique_ptr<QLockFile> lock; ///< held while the file is open here; not held if another window has
                                         ///< it open. Null if that is not looked after.
    };
    /// `known`: digest of the content that was read or written; empty if not known.
    void watch(const QString& path, const QByteArray& known);
    void watchDocuments();
    void forgetClosed();   ///< ends the watch of files of an earlier workload
    void lookForChanges(); ///< reports the watched files that differ from what was read or written
    void reportChange(const QString& path, const QString& text);
    void dismissReport(const QString& path);
    [[nodiscard]] bool isDocumentFile(const QString& path) const;
    [[nodiscard]] QByteArray printOf(const QString& path) const;
    /// Says so if the file is open in another window of the program.
    void warnIfOpenElsewhere(const QString& path);

    QWidget& m_window;
    AppState& m_state;
    MessageBar& m_messages;
    QString m_offer; ///< text of the offer that the message bar shows now; empty for none
    QFileSystemWatcher* m_watcher;
    std::map<QString, Watched> m_watched; ///< by path
    QTimer m_lookTimer;                   ///< waits until a file that is being replaced is complete
    QString m_reported;                   ///< file of the report that the message bar shows; empty for none
    QString m_report;                     ///< its text
    bool m_reloading = false;             ///< the user has agreed to lose the changes
};

} // namespace tilewright::ui
