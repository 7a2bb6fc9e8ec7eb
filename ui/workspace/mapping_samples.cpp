// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/mapping_samples.h"

#include "theme/icon.h"

#include <QDir>
#include <QFile>

namespace tilewright::ui {

namespace {
const QLatin1String kRoot(":/samples/mapping/");
}

std::vector<MappingSample> mappingSamples(const QString& folder)
{
    (void)applicationIcon(); // registers the Qt resources, which a static library does not do by itself
    std::vector<MappingSample> out;
    const QDir dir(kRoot + folder);
    for (const QString& file : dir.entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Name))
        out.push_back({file.chopped(5), dir.filePath(file)});
    return out;
}

std::string mappingSampleText(const QString& path)
{
    (void)applicationIcon();
    QFile file(kRoot + path);
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

} // namespace tilewright::ui
