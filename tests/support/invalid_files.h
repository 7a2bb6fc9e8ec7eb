// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDir>
#include <QTest>

#include <map>
#include <string>

namespace tilewright::test {

/// Every file of tests/data/FOLDER is refused with one sentence that begins with its path and holds what is
/// wanted of it, by name without .json. `refusal(path)`: the sentence of the reader, empty when it accepts
/// the file.
template <class Refusal>
void checkInvalidFiles(const char* folder, const std::map<std::string, std::string>& wanted,
                       Refusal&& refusal)
{
    const QDir dir(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/") + QLatin1String(folder));
    const auto files = dir.entryList({QStringLiteral("*.json")});
    QCOMPARE(static_cast<std::size_t>(files.size()), wanted.size());
    for (const QString& file : files) {
        const std::string path = dir.filePath(file).toStdString();
        const auto expected = wanted.find(file.chopped(5).toStdString());
        QVERIFY2(expected != wanted.end(), qPrintable(file));
        const std::string text = refusal(path);
        QVERIFY2(text.find(expected->second) != std::string::npos, (path + ": " + text).c_str());
        QVERIFY2(text.starts_with(path), text.c_str());
        QVERIFY2(text.find('\n') == std::string::npos, text.c_str());
    }
}

} // namespace tilewright::test
