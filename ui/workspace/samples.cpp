// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/samples.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace tilewright::ui {

namespace {

bool isSamples(const QString& folder)
{
    return QFileInfo::exists(folder + QStringLiteral("/schedule"));
}

} // namespace

QString samplesAbove(const QString& folder)
{
    QDir dir(folder);
    do {
        for (const char* place : {"share/tilewright/samples", "samples"})
            if (const QString path = dir.absoluteFilePath(QLatin1String(place)); isSamples(path))
                return QDir::cleanPath(path);
    } while (dir.cdUp());
    return {};
}

QString samplesFolder()
{
    if (QString found = samplesAbove(QCoreApplication::applicationDirPath()); !found.isEmpty())
        return found;
    for (const QString& path :
         QStandardPaths::locateAll(QStandardPaths::GenericDataLocation, QStringLiteral("tilewright/samples"),
                                   QStandardPaths::LocateDirectory))
        if (isSamples(path))
            return path;
    return samplesAbove(QDir::currentPath());
}

} // namespace tilewright::ui
