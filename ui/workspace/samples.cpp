// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/samples.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace tilewright::ui {

QString samplesFolder()
{
    const QDir binary(QCoreApplication::applicationDirPath());
    for (const char* candidate : {"../share/tilewright/samples", "../../../../samples", "../../../samples",
                                  "../../samples", "../samples", "samples"}) {
        const QString path = binary.filePath(QLatin1String(candidate) + QLatin1String("/schedule"));
        if (QFileInfo::exists(path))
            return QDir::cleanPath(path + QLatin1String("/.."));
    }
    const QString here = QDir::current().filePath(QStringLiteral("samples"));
    return QFileInfo::exists(here + QStringLiteral("/schedule")) ? here : QString();
}

} // namespace tilewright::ui
