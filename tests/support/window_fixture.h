// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of the window share: files of the examples, settings of their own, views by name.
#pragma once

#include "files.h"
#include "window/main_window.h"

#include <QApplication>
#include <QDir>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

namespace tilewright::ui {

/// Settings, sessions and written files in a folder that goes with the test; fresh() empties it.
class PrivateSettings
{
public:
    PrivateSettings()
    {
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
        qApp->setProperty("tilewrightNoPrompts", true);
    }
    void fresh() const
    {
        QSettings().clear();
        QDir(QFileInfo(QSettings().fileName()).path() + QStringLiteral("/sessions")).removeRecursively();
    }
    [[nodiscard]] QString filePath(const char* name) const { return m_folder.filePath(QLatin1String(name)); }

private:
    QTemporaryDir m_folder;
};

template <typename V> V* viewOf(const MainWindow& window, const char* name)
{
    V* v = qobject_cast<V*>(window.view(QLatin1String(name)));
    Q_ASSERT(v);
    return v;
}

/// Shown, with the files open and evaluated.
inline bool openIn(MainWindow& window, const QStringList& files)
{
    window.show();
    if (!QTest::qWaitForWindowExposed(&window) || !window.openPaths(files))
        return false;
    window.state().document.waitForSnapshot();
    return true;
}

} // namespace tilewright::ui
