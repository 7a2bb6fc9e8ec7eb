// SPDX-License-Identifier: GPL-3.0-or-later
// Common code of the verbs: exit codes, output files, Ctrl+C, progress.
#pragma once

#include "base/progress.h"
#include "base/result.h"
#include "verbs/options.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace CLI {
class App;
}

namespace tilewright::cli {

/// Exit codes (docs/design.md 3.1).
enum Exit { Success = 0, No = 1, BadInput = 2, Interrupted = 130 };

/// Prints "tilewright-cli: sentence" on stderr as one line, even if the sentence contains line breaks.
void tell(const std::string& sentence);
/// Prints the error's sentence on stderr and returns Exit::BadInput.
int fail(const Error& error);

inline constexpr const char* kJsonHelp = "One JSON document on stdout";

/// Options of a verb that has --json.
template <typename Call> struct WithJson : Call
{
    bool json = false;
};
template <typename Call> void bindOptions(verbs::OptionList& o, WithJson<Call>& a)
{
    bindOptions(o, static_cast<Call&>(a));
    o.flag("--json", a.json, kJsonHelp);
}

// One function per verb, each in its own verb_*.cpp: adds the subcommand to the parser; its callback sets
// `exitCode`.
void addInfoVerb(CLI::App& app, int& exitCode);
void addCheckVerb(CLI::App& app, int& exitCode);
void addEvaluateVerb(CLI::App& app, int& exitCode);
void addSolveVerb(CLI::App& app, int& exitCode);
void addBoundVerb(CLI::App& app, int& exitCode);
void addPlaceVerb(CLI::App& app, int& exitCode);
void addRunVerb(CLI::App& app, int& exitCode);
void addConvertVerb(CLI::App& app, int& exitCode);
void addGenerateVerb(CLI::App& app, int& exitCode);
void addSystolicVerb(CLI::App& app, int& exitCode);
void addTileVerb(CLI::App& app, int& exitCode);
void addNpuVerb(CLI::App& app, int& exitCode);
void addMapVerb(CLI::App& app, int& exitCode);
void addSweepVerb(CLI::App& app, int& exitCode);
void addSummaryVerb(CLI::App& app, int& exitCode);
void addValidateVerb(CLI::App& app, int& exitCode);
void addFitVerb(CLI::App& app, int& exitCode);
void addExplainVerb(CLI::App& app, int& exitCode);
void addTablesVerb(CLI::App& app, int& exitCode);
void addServeVerb(CLI::App& app, int& exitCode);
void addOverlayVerb(CLI::App& app, int& exitCode);
void addTracesVerb(CLI::App& app, int& exitCode);

/// Writes a file into a folder, and creates the folder if necessary.
[[nodiscard]] Status writeInFolder(const std::string& folder, const std::string& name, std::string_view text);

/// While an object exists, SIGINT, SIGTERM and SIGHUP (unless it is ignored, as by nohup) request a stop
/// instead of ending the process; the second signal ends it. Must be created before any thread starts,
/// because threads must inherit the blocked signals.
class InterruptGuard
{
public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    [[nodiscard]] std::stop_token token() const { return m_source.get_token(); }

private:
    std::stop_source m_source;
    std::jthread m_waiter;
};

/// Progress that can be stopped and, with `print`, prints each percent of the work on stderr.
[[nodiscard]] Progress progressLine(std::stop_token stop, bool print, std::string what);

} // namespace tilewright::cli
