// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/file.h"
#include "model/file_kind.h"

#include <QJsonObject>
#include <QObject>
#include <QString>
#include <QUndoStack>

#include <string>

namespace tilewright::ui {

enum class Lens { Schedule, Systolic, Npu, Mapping };
inline constexpr Lens kLenses[] = {Lens::Schedule, Lens::Systolic, Lens::Npu, Lens::Mapping};

/// What is edited in it: "Schedule", "Systolic settings", "NPU model", "Mapping".
[[nodiscard]] QString lensName(Lens lens);
/// What the lens is called: "Schedule", "Systolic", "NPU", "Mapping".
[[nodiscard]] QString lensTitle(Lens lens);

/// What opening a file of some kind means.
struct FileUse
{
    Lens lens;
    int turn;         ///< of files that are given together: what a file belongs to comes before it
    bool replaces;    ///< it takes the place of what the lens holds; a machine or a method is an edit of that
    const char* view; ///< that shows it
};
[[nodiscard]] FileUse fileUse(FileKind kind);

/// A file as it was read: once, however many ask what it is. Of an ONNX model the weights are never read.
struct LensFile
{
    QString path;
    FileContent content;
    FileKind kind;

    [[nodiscard]] std::string_view text() const { return content.view(); }
    [[nodiscard]] Lens lens() const { return fileUse(kind).lens; }
    [[nodiscard]] std::string name() const { return path.toStdString(); } ///< for errors
};
/// Errors when the file cannot be read or is of no kind that a lens knows.
[[nodiscard]] Result<LensFile> readLensFile(const QString& path);

/// What one lens edits: a value with undo, the file it came from, and whether they differ.
class LensDocument : public QObject
{
    Q_OBJECT
public:
    explicit LensDocument(Lens lens, QObject* parent = nullptr);
    ~LensDocument() override;

    [[nodiscard]] Lens lens() const { return m_lens; }
    /// The file that Save writes; empty when there is none yet.
    [[nodiscard]] const QString& path() const { return m_path; }
    [[nodiscard]] bool isModified() const;
    [[nodiscard]] QUndoStack& undoStack() { return m_undo; }

    /// Takes a file of this lens; on an Error nothing changes.
    [[nodiscard]] virtual Status open(const LensFile& file) = 0;
    /// Whether there is something to save.
    [[nodiscard]] virtual bool hasContent() const { return true; }
    /// The file that save() writes.
    [[nodiscard]] virtual Result<std::string> fileText() const = 0;
    /// A name for a file that has none yet: "conv.mapping.json".
    [[nodiscard]] virtual QString suggestedName() const = 0;
    [[nodiscard]] Status save(const QString& path);
    /// Goes back to what is in the file, or to the start: a person has said that the rest may be lost.
    void forgetChanges();

    /// All that is needed to have the document back after a crash, without any file of the person's.
    [[nodiscard]] virtual Result<QJsonObject> recoveryCopy() const;
    /// The document is then as it was when the copy was made, and modified; on an Error nothing changes.
    [[nodiscard]] virtual Status recover(const QJsonObject& copy);

Q_SIGNALS:
    void fileChanged(); ///< its name, or whether it is modified
    /// Something that was asked for cannot be done, as one sentence.
    void refused(const QString& why);

protected:
    /// Whether a step of the undo stack changes what is saved.
    [[nodiscard]] virtual bool isOfTheFile(const QUndoCommand& step) const
    {
        Q_UNUSED(step)
        return true;
    }
    void setPath(const QString& path) { m_path = path; }
    /// What was opened is in the file of this path; the steps so far belong to something else.
    void startedFrom(const QString& path);

private:
    Lens m_lens;
    QString m_path;
    QUndoStack m_undo;
};

} // namespace tilewright::ui
