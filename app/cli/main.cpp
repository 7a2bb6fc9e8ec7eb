// SPDX-License-Identifier: GPL-3.0-or-later
#include "manual/program.h"
#include "manual/standard_output.h"
#include "manual/version.h"
#include "verbs.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <string_view>

namespace tilewright::cli {

int fail(const Error& error)
{
    std::cerr << "tilewright-cli: " << error.text() << '\n';
    return Exit::BadInput;
}

/// A verb that the window's program has, because it draws.
static bool isDrawingVerb(std::string_view verb)
{
    return verb == "render" || verb == "report" || verb == "demo";
}

} // namespace tilewright::cli

int main(int argc, char** argv)
{
    using namespace tilewright::cli;
    tilewright::manual::StandardOutput output;
    CLI::App app{"Tilewright: schedules, systolic arrays, NPU tile graphs and loop-nest mappings",
                 "tilewright-cli"};
    app.set_version_flag("--version", "tilewright-cli " + tilewright::manual::versionText());
    app.footer(
        "Exit codes: 0 success, 1 the answer is \"no\", 2 bad input, 130 interrupted (with the best result "
        "written).");
    app.require_subcommand(1);
    int exitCode = Exit::Success;
    // add*Verb calls, one a line, in the order of docs/design.md 3
    addInfoVerb(app, exitCode);
    addCheckVerb(app, exitCode);
    addEvaluateVerb(app, exitCode);
    addSolveVerb(app, exitCode);
    addBoundVerb(app, exitCode);
    addPlaceVerb(app, exitCode);
    addConvertVerb(app, exitCode);
    addGenerateVerb(app, exitCode);
    addSystolicVerb(app, exitCode);
    addTileVerb(app, exitCode);
    addNpuVerb(app, exitCode);
    addMapVerb(app, exitCode);
    addSweepVerb(app, exitCode);
    tilewright::manual::addManualVerb(app);
    if (argc > 1 && isDrawingVerb(argv[1])) {
        std::cerr << "tilewright-cli: " << argv[1] << " is a verb of the window's program: tilewright "
                  << argv[1] << '\n';
        return Exit::BadInput;
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        exitCode = app.exit(e) == 0 ? Exit::Success : Exit::BadInput;
    }
    return output.finish("tilewright-cli", exitCode);
}
