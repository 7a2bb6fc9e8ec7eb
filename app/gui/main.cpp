// SPDX-License-Identifier: GPL-3.0-or-later
#include "headless.h"
#include "theme/style.h"
#include "verbs.h"
#include "window/main_window.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QScreen>

#include <cstring>
#include <iostream>

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

    QCommandLineParser arguments;
    arguments.addPositionalArgument(QStringLiteral("FILE"),
                                    QStringLiteral("A model, a problem, a schedule of it, a machine ..."),
                                    QStringLiteral("[FILE...]"));
    const QCommandLineOption machine(QStringLiteral("machine"),
                                     QStringLiteral("Preset or file of the machine that a model is put on."),
                                     QStringLiteral("NAME"));
    arguments.addOption(machine);
    const QCommandLineOption help = arguments.addHelpOption();
    const QCommandLineOption version = arguments.addVersionOption();
    arguments.setApplicationDescription(
        QStringLiteral("Opens the window. Without one: tilewright render --help, tilewright report --help."));
    QStringList given;
    for (int i = 0; i < argc; ++i)
        given << QString::fromLocal8Bit(argv[i]);
    if (arguments.parse(given) && (arguments.isSet(help) || arguments.isSet(version))) {
        const QCoreApplication answer(argc, argv); // needs no display
        arguments.process(answer);
    }

    QApplication app(argc, argv);
    QApplication::setStyle(tilewright::ui::makeStyle());
    arguments.process(app);
    tilewright::ui::MainWindow window;
    const QStringList files = arguments.positionalArguments();
    window.restoreSession();
    window.fitOnto(window.screen()->availableSize());
    window.show();
    if (files.isEmpty())
        window.reopenLastFiles();
    else
        window.openPaths(files);
    const auto used =
        tilewright::ui::useMachine(window.state().document, arguments.value(machine).toStdString());
    if (!used) {
        std::cerr << "tilewright: " << used.error().text() << '\n';
        return 2;
    }
    return app.exec();
}
