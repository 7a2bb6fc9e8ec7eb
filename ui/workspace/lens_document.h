// SPDX-License-Identifier: GPL-3.0-or-later
// Documents of all lenses: their common base, and the undo command for a value.
#pragma once

#include "base/file.h"
#include "model/file_kind.h"

#include <QByteArray>
#include <QJsonObject>
#include <QObject>
#include <QString>
#include <QUndoCommand>
#include <QUndoStack>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace tilewright::ui {

/// Undo command that stores a value before and after a change; undo and redo assign the value. Consecutive
/// commands with the same merge key are merged if there is no pause between them. In one stack, commands with
/// different T must have different Kind.
template <typename T, int Kind = 1> class ValueCommand : public QUndoCommand
{
public:
    using Assign = std::function<void(const T&)>;

    ValueCommand(T before, T after, Assign assign, const QString& text, QString mergeKey = {})
        : QUndoCommand(text), m_before(std::move(before)), m_after(std::move(after)),
          m_assign(std::move(assign)), m_mergeKey(std::move(mergeKey))
    {
    }

    void undo() override { m_assign(m_before); }
    void redo() override { m_assign(m_after); }
    [[nodiscard]] int id() const override { return m_mergeKey.isEmpty() ? -1 : Kind; }
    bool mergeWith(const QUndoCommand* other) override
    {
        const auto& next = static_cast<const ValueCommand&>(*other);
        if (next.m_mergeKey != m_mergeKey || next.m_made - m_made > kPause)
            return false;
        m_made = next.m_made;
        m_after = next.m_after;
        setText(next.text()); // the text of the undo step is that of its latest change
        setObsolete(m_before == m_after);
        return true;
    }

private:
    using Clock = std::chrono::steady_clock;
    /// Maximum pause between changes that are merged; after a longer pause a new undo step begins.
    static constexpr std::chrono::milliseconds kPause{1500};

    Clock::time_point m_made = Clock::now();
    T m_before;
    T m_after;
    Assign m_assign;
    QString m_mergeKey;
};

enum class Lens { Schedule, Systolic, Npu, Mapping };
inline constexpr Lens kLenses[] = {Lens::Schedule, Lens::Systolic, Lens::Npu, Lens::Mapping};

/// Name of the document of a lens: "Schedule", "Systolic settings", "NPU model", "Mapping".
[[nodiscard]] QString lensName(Lens lens);
/// Name of a lens: "Schedule", "Systolic", "NPU", "Mapping".
[[nodiscard]] QString lensTitle(Lens lens);

/// The way in which files of a kind are opened.
struct FileUse
{
    Lens lens;
    /// Position in the order in which files are opened together: a problem comes before its schedules.
    int turn;
    /// True if the file replaces the document of the lens; false if it edits the document (machine, method).
    bool replaces;
    const char* view; ///< name of the view that shows the file
};
[[nodiscard]] FileUse fileUse(FileKind kind);

/// A file with its kind and its content, which is read only once. The weights of an ONNX model are not read.
struct LensFile
{
    QString path;
    FileContent content;
    FileKind kind;

    [[nodiscard]] std::string_view text() const { return content.view(); }
    [[nodiscard]] Lens lens() const { return fileUse(kind).lens; }
    /// Name of the file for error messages.
    [[nodiscard]] std::string name() const { return path.toStdString(); }
};
/// Reads a file and detects its kind. Returns an Error if it cannot be read or no lens can open it.
[[nodiscard]] Result<LensFile> readLensFile(const QString& path);

/// Digest of the content of a file. It is used to find out whether another program has changed the file.
[[nodiscard]] QByteArray digestOf(std::string_view content);
/// Digest of the file on disk; empty if it cannot be read.
[[nodiscard]] QByteArray digestOfFile(const QString& path);

/// Base class of the documents of all lenses: undo stack, file, and whether the document differs from its
/// file.
class LensDocument : public QObject
{
    Q_OBJECT
public:
    explicit LensDocument(Lens lens, QObject* parent = nullptr);
    ~LensDocument() override;

    [[nodiscard]] Lens lens() const { return m_lens; }
    /// Path of the file that Save writes; empty if there is none yet.
    [[nodiscard]] const QString& path() const { return m_path; }
    [[nodiscard]] bool isModified() const;
    /// Digest of the content of path() when it was last read or written; empty if it is not known.
    [[nodiscard]] const QByteArray& knownDigest() const { return m_knownDigest; }
    /// True if another program has written path() since it was read or written here, so that save() would
    /// overwrite content that the user has not seen. False if the file was deleted.
    [[nodiscard]] bool isChangedOnDisk() const;
    [[nodiscard]] QUndoStack& undoStack() { return m_undo; }

    /// Opens a file of this lens. On an Error nothing changes.
    [[nodiscard]] virtual Status open(const LensFile& file) = 0;
    /// True if there is something to save.
    [[nodiscard]] virtual bool hasContent() const { return true; }
    /// Text that save() writes.
    [[nodiscard]] virtual Result<std::string> fileText() const = 0;
    /// Default file name in the save dialog: "conv.mapping.json".
    [[nodiscard]] virtual QString suggestedName() const = 0;
    [[nodiscard]] Status save(const QString& path);
    /// Discards the changes: restores the state of the file, or the initial state if there is no file.
    void forgetChanges();

    /// Returns a copy from which recover() can restore the document after a crash, without any other file.
    [[nodiscard]] virtual Result<QJsonObject> recoveryCopy() const;
    /// Restores the document from a recoveryCopy(). The document then counts as modified. On an Error nothing
    /// changes.
    [[nodiscard]] virtual Status recover(const QJsonObject& copy);

Q_SIGNALS:
    void fileChanged(); ///< emitted when path() or isModified() has changed
    /// Emitted if a request is refused; `why` is one sentence.
    void refused(const QString& why);

protected:
    /// True if this step of the undo stack changes what is saved in the file.
    [[nodiscard]] virtual bool changesFile(const QUndoCommand& step) const
    {
        Q_UNUSED(step)
        return true;
    }
    /// Sets path() and remembers the text that was read from it.
    void setFile(const QString& path, std::string_view text);
    /// To be called after a file was opened: calls setFile() and clears the undo stack.
    void fileOpened(const QString& path, std::string_view text);
    /// Sets path() and the content that it had when the recovery copy was made.
    void setFileOf(const QJsonObject& copy);
    /// Returns the fields of a recovery copy that setFileOf() reads.
    [[nodiscard]] QJsonObject fileForRecovery() const;

private:
    Lens m_lens;
    QString m_path;
    QByteArray m_knownDigest;
    QUndoStack m_undo;
};

} // namespace tilewright::ui
