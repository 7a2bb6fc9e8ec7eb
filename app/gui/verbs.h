// SPDX-License-Identifier: GPL-3.0-or-later
// Verbs of the window program, and their common code: opening files without a window.
#pragma once

#include "base/notice.h"
#include "base/utf8.h"
#include "theme/theme.h"
#include "verbs/options.h"
#include "verbs/schedule.h"
#include "window/application.h"
#include "workspace/document.h"

#include <QApplication>
#include <QFile>
#include <QFileInfo>
#include <QSettings>
#include <QTemporaryDir>

#include <array>
#include <csignal>
#include <iostream>
#include <optional>
#include <string>
#include <unistd.h>

namespace CLI {
class App;
}

namespace tilewright::ui {

// Each function adds one verb as a subcommand to the parser; its callback sets `exitCode`. `argv`: arguments
// of the program, for the QApplication that the verb creates when it runs.

/// `tilewright render FILE… --view NAME --output FILE.png`: draws a view without a display.
void addRenderVerb(CLI::App& app, char** argv, int& exitCode);
/// `tilewright report FILE… -o report.html`: writes a report without a display.
void addReportVerb(CLI::App& app, char** argv, int& exitCode);
/// `tilewright demo`: plays the first tour.
void addDemoVerb(CLI::App& app, char** argv, int& exitCode);

/// Adds the option --machine of the window and of its verbs.
void bindMachine(verbs::OptionList& o, std::string& machine);

/// Prints an error message and returns the exit code for bad input.
inline int fail(const std::string& text)
{
    std::cerr << "tilewright: " << printable(text) << '\n';
    return 2;
}

/// Puts settings and sessions into a temporary folder, so that a verb does not change those of the user's
/// window.
class OwnSettings
{
public:
    OwnSettings()
    {
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
    }

private:
    QTemporaryDir m_folder;
};

/// Sets a temporary runtime folder for the process if the login session has no private one (cron, su, a
/// container), because Qt prints a warning about any other folder.
class OwnRuntimeFolder
{
public:
    OwnRuntimeFolder()
    {
        constexpr QFile::Permissions kOthers = QFile::ReadGroup | QFile::WriteGroup | QFile::ExeGroup |
                                               QFile::ReadOther | QFile::WriteOther | QFile::ExeOther;
        const QFileInfo session(qEnvironmentVariable("XDG_RUNTIME_DIR"));
        if (!session.isDir() || (session.permissions() & kOthers))
            qputenv("XDG_RUNTIME_DIR", QFile::encodeName(m_folder.emplace().path()));
    }

private:
    std::optional<QTemporaryDir> m_folder;
};

/// R10.2: prints which latencies in the schedule file just opened are wrong or missing. To be called before a
/// machine or other rules are applied, because these change the latencies.
inline void tellDeviations(ui::Document& document)
{
    if (!document.hasProblem())
        return;
    document.waitForSnapshot();
    noticeDeviations(document.path().toStdString(), document.latencyDeviations());
}

/// QApplication for verbs without a window: offscreen, no prompts, temporary settings, so that pictures do
/// not depend on the user's settings.
class HeadlessApplication
{
public:
    explicit HeadlessApplication(char** argv)
        : m_argc((qputenv("QT_QPA_PLATFORM", "offscreen"), qInstallMessageHandler(&say), endAtOnce(), 1)),
          m_app(m_argc, argv)
    {
        setNoticeHandler([](const Error& what) { fail(what.text()); });
        QApplication::setStyle(makeStyle());
        m_app.setProperty("tilewrightNoPrompts", true);
    }

private:
    /// Prints Qt's messages, except the one that the offscreen platform prints for every window about its
    /// size hints.
    static void say(QtMsgType, const QMessageLogContext&, const QString& text)
    {
        if (!text.contains(QLatin1String("propagateSizeHints")))
            std::cerr << "tilewright: " << text.toStdString() << '\n';
    }
    /// Lets a signal end the process at once. A picture or report is written only as a whole, so an
    /// interrupted verb leaves no file.
    static void endAtOnce()
    {
        for (const int signal : {SIGINT, SIGTERM, SIGHUP})
            if (std::signal(signal, [](int) { ::_exit(130); }) == SIG_IGN && signal == SIGHUP)
                std::signal(signal, SIG_IGN); // nohup ignores SIGHUP: keep that
    }

    int m_argc;
    Application m_app;
    OwnSettings m_settings;
};

/// Applies --rules and --set. With `auto` the document keeps the rule set that reproduces the latencies in
/// the schedule file.
[[nodiscard]] inline Status useRules(Document& document, const verbs::RulesCall& arguments)
{
    if (arguments.set == "auto" && arguments.switches.empty())
        return Unit{};
    Rules rules = document.rules();
    if (arguments.set != "auto") {
        const auto named = verbs::rulesNamed(arguments.set);
        if (!named)
            return named.error();
        rules = named->rules;
    }
    if (Status applied = arguments.apply(rules); !applied)
        return applied;
    document.setRules(rules);
    if (document.hasProblem())
        document.evaluateNow();
    return Unit{};
}

/// Applies --machine: a preset or a machine file. An empty name changes nothing.
[[nodiscard]] inline Status useMachine(Document& document, const std::string& name)
{
    if (name.empty())
        return Unit{};
    const std::array names{name};
    const auto machine = lower::loadMachine(names);
    if (!machine)
        return machine.error();
    // An opened schedule file has a machine of its own, so changing the machine is an edit.
    return document.schedulePath().isEmpty()
               ? document.setInitialMachine(*machine)
               : document.setMachine(*machine,
                                     QStringLiteral("--machine %1").arg(QString::fromStdString(name)));
}

} // namespace tilewright::ui
