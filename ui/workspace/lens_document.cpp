// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/lens_document.h"

#include "base/file.h"
#include "theme/words.h"

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

bool LensFile::replacesDocument() const
{
    return kind != FileKind::MappingMethod && kind != FileKind::MappingArchitecture &&
           kind != FileKind::SystolicHierarchy;
}

Lens LensFile::lens() const
{
    switch (kind) {
    case FileKind::Problem:
    case FileKind::Schedule:
        return Lens::Schedule;
    case FileKind::MappingLayer:
    case FileKind::MappingModel:
    case FileKind::MappingMethod:
    case FileKind::MappingArchitecture:
    case FileKind::MappingSetup:
        return Lens::Mapping;
    case FileKind::NpuModel:
        return Lens::Npu;
    case FileKind::SystolicHierarchy:
    case FileKind::SystolicSettings:
        return Lens::Systolic;
    }
    return Lens::Schedule;
}

Result<LensFile> readLensFile(const QString& path)
{
    auto text = readFile(path.toStdString());
    if (!text)
        return text.error();
    const auto kind = fileKindOf(*text, path.toStdString());
    if (!kind)
        return kind.error();
    return LensFile{path, std::move(*text), *kind};
}

LensDocument::LensDocument(Lens lens, QObject* parent) : QObject(parent), m_lens(lens)
{
    connect(&m_undo, &QUndoStack::cleanChanged, this, &LensDocument::fileChanged);
}

LensDocument::~LensDocument()
{
    disconnect(&m_undo, nullptr, this, nullptr); // a stack says it is clean while it goes
}

void LensDocument::startedFrom(const QString& path)
{
    m_undo.clear();
    m_undo.setClean(); // also when there was no step, but what a crash left
    m_path = path;
    Q_EMIT fileChanged();
}

Status LensDocument::save(const QString& path)
{
    const auto text = fileText();
    if (!text)
        return text.error();
    Status written = writeFileAtomically(path.toStdString(), *text);
    if (!written)
        return written;
    m_path = path;
    m_undo.setClean();
    Q_EMIT fileChanged();
    return written;
}

Result<QJsonObject> LensDocument::recoveryCopy() const
{
    const auto text = fileText();
    if (!text)
        return text.error();
    return QJsonObject{{QStringLiteral("path"), m_path},
                       {QStringLiteral("text"), QString::fromStdString(*text)}};
}

Status LensDocument::recover(const QJsonObject& copy)
{
    const QString path = copy[QStringLiteral("path")].toString();
    const std::string text = copy[QStringLiteral("text")].toString().toStdString();
    const auto kind = fileKindOf(text, path.toStdString());
    if (!kind)
        return kind.error();
    if (Status opened = open({path, text, *kind}); !opened)
        return opened;
    startedFrom(path);
    m_undo.resetClean(); // the file, if there is one, holds something else
    Q_EMIT fileChanged();
    return Unit{};
}

} // namespace tilewright::ui
