// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/style.h"
#include "verbs.h"
#include "window/main_window.h"

#include <QApplication>
#include <QScreen>

#include <cstring>

int main(int argc, char** argv)
{
    QCoreApplication::setOrganizationName(QStringLiteral("tilewright"));
    QCoreApplication::setApplicationName(QStringLiteral("tilewright"));
    QCoreApplication::setApplicationVersion(QStringLiteral("0.1.0"));
    const char* verb = argc > 1 ? argv[1] : "";
    if (std::strcmp(verb, "render") == 0)
        return tilewright::ui::runRender(argc, argv);
    if (std::strcmp(verb, "report") == 0)
        return tilewright::ui::runReport(argc, argv);

    QApplication app(argc, argv);
    QApplication::setStyle(tilewright::ui::makeStyle());
    tilewright::ui::MainWindow window;
    const QStringList files = app.arguments().mid(1);
    window.restoreSession();
    window.fitOnto(window.screen()->availableSize());
    window.show();
    if (files.isEmpty())
        window.reopenLastFiles();
    else
        window.openPaths(files);
    return app.exec();
}
