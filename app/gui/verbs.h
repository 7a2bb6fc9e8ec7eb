// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs of the window program, and what they share: opening files without a window.
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

/// Adds the option --machine, which the window and the verbs have.
void bindMachine(verbs::OptionList& o, std::string& machine);

/// Prints an error message and returns the exit code for bad input.
inline int fail(const std::string& text)
{
    std::cerr << "tilewright: " << printable(text) << '\n';
    return 2;
}

/// Puts the settings and sessions into a temporary folder, so that a verb does not change those of the user's
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

/// Runtime folder of the process: a temporary one if there is no private one of the login session (cron, su,
/// a container), because Qt complains about any other.
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

/// R10.2: tells the latencies that the schedule file just opened reports wrongly, or not at all. They are
/// compared before a machine or other rules are taken.
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
    /// The platform without a display says of every window that it has no use for its size hints.
    static void say(QtMsgType, const QMessageLogContext&, const QString& text)
    {
        if (!text.contains(QLatin1String("propagateSizeHints")))
            std::cerr << "tilewright: " << text.toStdString() << '\n';
    }
    /// An interrupted verb writes nothing: a picture or a report is there as a whole or not at all.
    static void endAtOnce()
    {
        for (const int signal : {SIGINT, SIGTERM, SIGHUP})
            if (std::signal(signal, [](int) { ::_exit(130); }) == SIG_IGN && signal == SIGHUP)
                std::signal(signal, SIG_IGN); // as nohup has it
    }

    int m_argc;
    Application m_app;
    OwnSettings m_settings;
};

/// Applies --rules and --set. `auto` keeps the rule set that reproduces the latencies in the schedule file.
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

/// Applies --machine, a preset or a file. An empty name changes nothing.
[[nodiscard]] inline Status useMachine(Document& document, const std::string& name)
{
    if (name.empty())
        return Unit{};
    const std::array names{name};
    const auto machine = lower::loadMachine(names);
    if (!machine)
        return machine.error();
    // For an opened schedule, which has its own machine, the change is an edit.
    return document.schedulePath().isEmpty()
               ? document.setInitialMachine(*machine)
               : document.setMachine(*machine,
                                     QStringLiteral("--machine %1").arg(QString::fromStdString(name)));
}

} // namespace tilewright::ui
