// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/installed_files.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace tilewright::ui {

namespace {

struct Installed
{
    const char* installed; ///< path below the data folder, which is usually /usr/share
    const char* inTree;    ///< path below the source folder
    const char* sign;      ///< file that must exist in the folder; "" if the path is a file itself
};

constexpr Installed kSamples{"tilewright/samples", "samples", "/schedule"};
constexpr Installed kHandbook{"doc/tilewright-doc/html/handbook/index.html",
                              "build/handbook/html/handbook/index.html", ""};

bool isThere(const Installed& what, const QString& path)
{
    return QFileInfo::exists(path + QLatin1String(what.sign));
}

QString above(const Installed& what, const QString& folder)
{
    QDir dir(folder);
    do {
        for (const QString& place :
             {QStringLiteral("share/") + QLatin1String(what.installed), QString(QLatin1String(what.inTree))})
            if (const QString path = dir.absoluteFilePath(place); isThere(what, path))
                return QDir::cleanPath(path);
    } while (dir.cdUp());
    return {};
}

QString find(const Installed& what)
{
    if (QString found = above(what, QCoreApplication::applicationDirPath()); !found.isEmpty())
        return found;
    for (const QString& folder : QStandardPaths::standardLocations(QStandardPaths::GenericDataLocation))
        if (QString path = folder + QLatin1Char('/') + QLatin1String(what.installed); isThere(what, path))
            return path;
    return above(what, QDir::currentPath());
}

} // namespace

QString samplesFolder()
{
    return find(kSamples);
}

QString samplesAbove(const QString& folder)
{
    return above(kSamples, folder);
}

QString handbookPage(const QString& name)
{
    QString first = find(kHandbook);
    if (first.isEmpty() || name.isEmpty())
        return first;
    const QString path = QFileInfo(first).dir().filePath(name);
    return QFileInfo::exists(path) ? path : QString();
}

QString folderBeside(const QString& file)
{
    if (!file.isEmpty() && !file.startsWith(QLatin1Char(':')))
        return QFileInfo(file).path();
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    return QFileInfo(documents).isDir() ? documents : QDir::homePath();
}

} // namespace tilewright::ui
