// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "manual/program.h"
#include "manual/standard_output.h"
#include "manual/version.h"
#include "theme/theme.h"
#include "verbs.h"
#include "window/application.h"
#include "window/end_signals.h"
#include "window/main_window.h"

#include <CLI/CLI.hpp>

#include <QApplication>
#include <QScreen>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <optional>

namespace tilewright::ui {

void bindMachine(verbs::OptionList& o, std::string& machine)
{
    o.add("--machine", machine, "FILE|" + manual::oneOf(machinePresets()),
          "Machine for a model: a file or the name of a preset");
}

namespace {

int showWindow(QApplication& app, const std::vector<std::string>& files, const std::string& machine)
{
    QApplication::setStyle(makeStyle());
    readNoPipes();
    MainWindow window;
    QStringList paths;
    for (const std::string& file : files) {
        if (!isUtf8(file)) // Qt cannot open a file whose name is not UTF-8
            return fail(file + ": the name of the file is not UTF-8; rename the file");
        paths << QString::fromStdString(file);
    }
    window.restoreSession();
    window.fitOnto(window.screen()->availableSize());
    window.show();
    if (paths.isEmpty())
        window.reopenLastFiles();
    else
        window.openPaths(paths);
    const auto used = useMachine(window.state().document, machine);
    if (!used) {
        return fail(used.error().text());
    }
    const EndSignals ending([&](int signal) {
        constexpr int kEndedBy = 128; // exit code = 128 + signal, as a shell reports it
        window.keepForNextStart();
        QApplication::exit(kEndedBy + signal);
    });
    return app.exec();
}

/// Message handler while the application starts: if Qt cannot open a window, prints the reason in one
/// sentence and exits, instead of Qt's core dump.
void sayWhyNoWindow(QtMsgType type, const QMessageLogContext& context, const QString& text)
{
    static std::string reason;
    if (type == QtFatalMsg) {
        std::cerr << "tilewright: the window cannot be opened" << (reason.empty() ? "" : " (" + reason + ")")
                  << "; the verbs render and report work without a display\n";
        std::_Exit(2);
    }
    if (reason.empty() && QLatin1String(context.category).startsWith(QLatin1String("qt.qpa")))
        reason = text.trimmed().toStdString();
}

/// Parses the command line. Returns an exit code if the program should end: after a usage error, --help or
/// --version.
std::optional<int> parse(CLI::App& cli, int argc, char** argv)
{
    try {
        cli.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return manual::exitCodeOf(cli, e);
    }
    return std::nullopt;
}

} // namespace

} // namespace tilewright::ui

int main(int argc, char** argv)
{
    using namespace tilewright;
    using namespace tilewright::ui;
    manual::StandardOutput output;
    const OwnRuntimeFolder runtime;
    const std::string version = manual::versionText();
    QCoreApplication::setOrganizationName(QStringLiteral("tilewright"));
    QCoreApplication::setApplicationName(QStringLiteral("tilewright"));
    QCoreApplication::setApplicationVersion(QString::fromStdString(version));
    CLI::App cli{"View, edit and optimise schedules of tensor graphs on accelerators", "tilewright"};
    std::vector<std::string> files;
    std::string machine;
    int exitCode = 0;
    cli.set_version_flag("-v,--version", "tilewright " + version);
    verbs::OptionList options;
    std::optional<Error> wrong; // not used: these options accept any value
    options.add("files", files, "FILE", "Models, problems, schedules, machines, files of the other lenses");
    bindMachine(options, machine);
    manual::addOptions(cli, options, wrong);
    cli.require_subcommand(0, 1);
    addRenderVerb(cli, argv, exitCode);
    addReportVerb(cli, argv, exitCode);
    addDemoVerb(cli, argv, exitCode);
    manual::addManualVerb(cli);
    // Verbs, --help and --version work without a display. Options of Qt (-platform, -style) are accepted
    // here; QApplication removes them from the arguments.
    cli.allow_extras();
    if (const auto code = parse(cli, argc, argv))
        return output.finish("tilewright", *code);
    if (!cli.get_subcommands().empty())
        return output.finish("tilewright", exitCode);
    cli.allow_extras(false);
    const std::vector<std::string> unknown = cli.remaining();
    if (std::any_of(unknown.begin(), unknown.end(), [](const std::string& a) { return a.starts_with("--"); }))
        // Options of Qt have one dash, so an option with two dashes is unknown.
        return *parse(cli, argc, argv);
    const auto usual = qInstallMessageHandler(&sayWhyNoWindow);
    Application app(argc, argv);
    qInstallMessageHandler(usual);
    files.clear();
    if (const auto code = parse(cli, argc, argv))
        return *code;
    return showWindow(app, files, machine);
}
