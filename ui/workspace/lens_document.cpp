// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/lens_document.h"

#include "onnx/import.h"
#include "overlay/named_values.h"
#include "theme/text.h"
#include "validation/measured_set.h"

#include <QCryptographicHash>
#include <QFileInfo>

#include <algorithm>

namespace tilewright::ui {

QString lensName(Lens lens)
{
    switch (lens) {
    case Lens::Schedule:
        break;
    case Lens::Systolic:
        return tr("Systolic settings");
    case Lens::Npu:
        return tr("NPU model");
    case Lens::Mapping:
        return tr("Mapping");
    }
    return tr("Schedule");
}

QString lensTitle(Lens lens)
{
    switch (lens) {
    case Lens::Schedule:
        break;
    case Lens::Systolic:
        return tr("Systolic");
    case Lens::Npu:
        return tr("NPU");
    case Lens::Mapping:
        return tr("Mapping");
    }
    return tr("Schedule");
}

FileUse fileUse(FileKind kind)
{
    switch (kind) {
    case FileKind::Model:
    case FileKind::Problem:
        break;
    case FileKind::Machine:
        return {Lens::Schedule, 1, false, "machine"};
    case FileKind::MappingArchitecture:
        return {Lens::Mapping, 1, false, "mapping"};
    case FileKind::MappingModel:
        return {Lens::Mapping, 2, true, "mapping-model"};
    case FileKind::MappingLayer:
        return {Lens::Mapping, 3, true, "mapping"};
    case FileKind::MappingSetup:
        return {Lens::Mapping, 4, true, "mapping"};
    case FileKind::MappingMethod:
        return {Lens::Mapping, 5, false, "mapping"};
    case FileKind::NpuModel:
        return {Lens::Npu, 6, true, "npu"};
    case FileKind::SystolicSettings:
        return {Lens::Systolic, 7, true, "systolic"};
    case FileKind::SystolicHierarchy:
        return {Lens::Systolic, 8, false, "systolic"};
    case FileKind::Schedule:
        return {Lens::Schedule, 9, true, "graph"};
    case FileKind::Measurements:
        return {Lens::Schedule, 10, false, "validation"};
    }
    return {Lens::Schedule, 0, true, "graph"};
}

Result<LensFile> readLensFile(const QString& path)
{
    auto content = onnx::readFile(path.toStdString());
    if (!content)
        return content.error();
    auto kind = onnx::isOnnx(content->view()) ? Result(FileKind::Model)
                : validation::isMeasuredSet(content->view())
                    ? Result(FileKind::Measurements)
                    : fileKindOf(content->view(), path.toStdString());
    // Only if the file is of no other kind that the program knows.
    if (!kind && overlay::isNamedValues(content->view()))
        kind = FileKind::Measurements;
    if (!kind)
        return kind.error();
    return LensFile{path, std::move(*content), *kind};
}

QByteArray digestOf(std::string_view content)
{
    return QCryptographicHash::hash({content.data(), static_cast<qsizetype>(content.size())},
                                    QCryptographicHash::Sha1);
}

QByteArray digestOfFile(const QString& path)
{
    const auto content = readFile(path.toStdString());
    return content ? digestOf(*content) : QByteArray();
}

LensDocument::LensDocument(Lens lens, QObject* parent) : QObject(parent), m_lens(lens)
{
    connect(&m_undo, &QUndoStack::cleanChanged, this, &LensDocument::fileChanged);
}

LensDocument::~LensDocument()
{
    disconnect(&m_undo, nullptr, this, nullptr); // the undo stack emits cleanChanged() in its destructor
}

void LensDocument::setFile(const QString& path, std::string_view text)
{
    m_path = path;
    m_knownDigest = path.isEmpty() ? QByteArray() : digestOf(text);
}

void LensDocument::fileOpened(const QString& path, std::string_view text)
{
    m_undo.clear();
    m_undo.setClean(); // needed without undo steps, too, for example after recover()
    setFile(path, text);
    Q_EMIT fileChanged();
}

QJsonObject LensDocument::fileForRecovery() const
{
    return {{QStringLiteral("path"), m_path},
            {QStringLiteral("digest"), QString::fromLatin1(m_knownDigest.toHex())}};
}

void LensDocument::setFileOf(const QJsonObject& copy)
{
    m_path = copy[QStringLiteral("path")].toString();
    m_knownDigest = QByteArray::fromHex(copy[QStringLiteral("digest")].toString().toLatin1());
}

bool LensDocument::isChangedOnDisk() const
{
    return !m_path.isEmpty() && QFileInfo::exists(m_path) && digestOfFile(m_path) != m_knownDigest;
}

bool LensDocument::isModified() const
{
    if (m_undo.isClean())
        return false;
    const int saved = m_undo.cleanIndex();
    if (saved < 0)
        return true;
    for (int i = std::min(saved, m_undo.index()); i < std::max(saved, m_undo.index()); ++i)
        if (changesFile(*m_undo.command(i)))
            return true;
    return false;
}

Status LensDocument::save(const QString& path)
{
    const auto text = fileText();
    if (!text)
        return text.error();
    Status written = writeFileAtomically(path.toStdString(), *text);
    if (!written)
        return written;
    setFile(path, *text);
    m_undo.setClean();
    Q_EMIT fileChanged();
    return written;
}

void LensDocument::forgetChanges()
{
    if (!isModified())
        return;
    m_undo.setIndex(std::max(0, m_undo.cleanIndex()));
    m_undo.setClean();
}

Result<QJsonObject> LensDocument::recoveryCopy() const
{
    const auto text = fileText();
    if (!text)
        return text.error();
    QJsonObject copy = fileForRecovery();
    copy[QStringLiteral("text")] = QString::fromStdString(*text);
    return copy;
}

Status LensDocument::recover(const QJsonObject& copy)
{
    const QString path = copy[QStringLiteral("path")].toString();
    const std::string text = copy[QStringLiteral("text")].toString().toStdString();
    const auto kind = fileKindOf(text, path.toStdString());
    if (!kind)
        return kind.error();
    if (Status opened = open({path, FileContent(text), *kind}); !opened)
        return opened;
    fileOpened(path, text);
    setFileOf(copy);
    m_undo.resetClean(); // the content differs from that of the file, if there is a file
    Q_EMIT fileChanged();
    return Unit{};
}

} // namespace tilewright::ui
