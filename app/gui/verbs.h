// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "verbs/options.h"

#include <string>

namespace CLI {
class App;
}

namespace tilewright::ui {

// One function per verb, each in its own file: adds the subcommand to the parser; its callback sets
// `exitCode`. `argv` is the program's, for a QApplication that is made only when the verb is there.

/// `tilewright render FILE… --view NAME --output FILE.png`: draws a view without a display.
void addRenderVerb(CLI::App& app, char** argv, int& exitCode);
/// `tilewright report FILE… -o report.html`
void addReportVerb(CLI::App& app, char** argv, int& exitCode);
/// `tilewright demo`: the first tour by itself.
void addDemoVerb(CLI::App& app, char** argv, int& exitCode);

/// --machine, of the window and of the verbs.
void bindMachine(verbs::OptionList& o, std::string& machine);

} // namespace tilewright::ui
