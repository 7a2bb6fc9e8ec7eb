// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/remembered_dimensions.h"

#include <QSettings>

namespace tilewright::ui {

namespace {

QString dimensionsKey(const QString& path)
{
    return QStringLiteral("dimensions/") + QString::fromLatin1(path.toUtf8().toHex());
}

} // namespace

onnx::Dimensions rememberedDimensions(const QString& path)
{
    onnx::Dimensions out;
    const QVariantMap map = QSettings().value(dimensionsKey(path)).toMap();
    for (auto it = map.begin(); it != map.end(); ++it)
        out[it.key().toStdString()] = it.value().toLongLong();
    return out;
}

void rememberDimensions(const QString& path, const onnx::Dimensions& dimensions)
{
    QVariantMap map;
    for (const auto& [name, value] : dimensions)
        map.insert(QString::fromStdString(name), static_cast<qlonglong>(value));
    QSettings().setValue(dimensionsKey(path), map);
}

} // namespace tilewright::ui
