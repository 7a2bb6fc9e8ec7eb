// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/file.h"

#include <QProcess>
#include <QTemporaryDir>

#include <nlohmann/json.hpp>

#include <string>

namespace tilewright::test {

/// tests/check_schemas.py of files by kind.
struct SchemaCheck
{
    QByteArray faults;    ///< nothing when the files are what docs/schema says and damaged ones are not
    QByteArray isMissing; ///< what the check needs and this machine does not have
};

inline SchemaCheck checkSchemas(const nlohmann::json& filesByKind)
{
    const QString root = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/");
    const QTemporaryDir dir;
    const QString list = dir.filePath(QStringLiteral("files.json"));
    if (!writeFileAtomically(list.toStdString(), filesByKind.dump()))
        return {"cannot write the list", {}};
    QProcess python;
    python.setProcessChannelMode(QProcess::MergedChannels);
    python.start(QStringLiteral("python3"), {root + QStringLiteral("tests/check_schemas.py"), root, list});
    if (!python.waitForStarted())
        return {{}, "python3 is not installed"};
    if (!python.waitForFinished(120'000))
        return {"the check does not end", {}};
    if (python.exitCode() == 77)
        return {{}, "python3-jsonschema is not installed"};
    return {python.exitCode() == 0 ? QByteArray() : python.readAll(), {}};
}

} // namespace tilewright::test
