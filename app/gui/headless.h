// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/style.h"
#include "verbs/evaluate.h"
#include "workspace/document.h"

#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>

#include <array>
#include <iostream>
#include <string>

namespace tilewright::ui {

/// Bad input: one sentence and the exit code.
inline int fail(const std::string& text)
{
    std::cerr << "tilewright: " << text << '\n';
    return 2;
}

/// Settings, and what is kept beside them, in a folder that goes with the verb: it must not change what the
/// person's window remembers.
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

/// A QApplication for verbs without a window: offscreen, no prompts, and settings of its own, on which
/// pictures do not depend either.
class HeadlessApplication
{
public:
    explicit HeadlessApplication(char** argv)
        : m_argc((qputenv("QT_QPA_PLATFORM", "offscreen"),
                  qEnvironmentVariableIsEmpty("XDG_RUNTIME_DIR") && qputenv("XDG_RUNTIME_DIR", "/tmp"), 1)),
          m_app(m_argc, argv)
    {
        QApplication::setStyle(makeStyle());
        m_app.setProperty("tilewrightNoPrompts", true);
    }

private:
    int m_argc;
    QApplication m_app;
    OwnSettings m_settings;
};

/// --rules and --set; `auto` leaves the rule set that the schedule's latencies agree with.
[[nodiscard]] inline Status useRules(Document& document, const verbs::RulesCall& arguments)
{
    if (arguments.set == "auto" && arguments.switches.empty())
        return Unit{};
    Rules rules = arguments.set == "auto"   ? document.rules()
                  : arguments.set == "seed" ? Rules::seed()
                                            : Rules::final();
    if (Status applied = arguments.apply(rules); !applied)
        return applied;
    document.setRules(rules);
    if (document.hasProblem())
        document.evaluateNow();
    return Unit{};
}

/// --machine of a verb: a preset or a file. Without a name the document keeps its own.
[[nodiscard]] inline Status useMachine(Document& document, const std::string& name)
{
    if (name.empty())
        return Unit{};
    const std::array names{name};
    const auto machine = lower::loadMachine(names);
    if (!machine)
        return machine.error();
    // A schedule that was saved on another machine is edited by it.
    return document.schedulePath().isEmpty()
               ? document.setInitialMachine(*machine)
               : document.setMachine(*machine,
                                     QStringLiteral("--machine %1").arg(QString::fromStdString(name)));
}

} // namespace tilewright::ui
