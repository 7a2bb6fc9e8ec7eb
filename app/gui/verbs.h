// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "verbs/options.h"

#include <string>

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

} // namespace tilewright::ui
