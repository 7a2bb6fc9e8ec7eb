// SPDX-License-Identifier: GPL-3.0-or-later
#include "command_line.h"

#include "base/notice.h"
#include "base/utf8.h"
#include "manual/program.h"
#include "manual/version.h"
#include "verbs.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <sstream>
#include <string>
#include <string_view>

#include <unistd.h>

namespace tilewright::cli {

void tell(const std::string& sentence)
{
    std::cerr << "tilewright-cli: " << printable(sentence) << '\n';
}

int fail(const Error& error)
{
    tell(error.text());
    return error.code == ErrorCode::Missing ? Exit::No : Exit::BadInput;
}

namespace {

constexpr std::string_view kNoMemory = "not enough memory";

struct Verb
{
    std::string_view name;
    void (*add)(CLI::App& app, int& exitCode);
};

/// The verbs in the order of docs/design.md 3.
constexpr Verb kVerbs[] = {
    {"info", addInfoVerb},         {"check", addCheckVerb},     {"evaluate", addEvaluateVerb},
    {"solve", addSolveVerb},       {"bound", addBoundVerb},     {"place", addPlaceVerb},
    {"run", addRunVerb},           {"convert", addConvertVerb}, {"generate", addGenerateVerb},
    {"systolic", addSystolicVerb}, {"tile", addTileVerb},       {"npu", addNpuVerb},
    {"map", addMapVerb},           {"sweep", addSweepVerb},     {"summary", addSummaryVerb},
    {"validate", addValidateVerb}, {"fit", addFitVerb},         {"explain", addExplainVerb},
    {"tables", addTablesVerb},     {"serve", addServeVerb},     {"overlay", addOverlayVerb},
    {"traces", addTracesVerb},
};

/// True for a verb that only `tilewright` has, not `tilewright-cli`, because it draws.
bool isDrawingVerb(std::string_view verb)
{
    return verb == "render" || verb == "report" || verb == "demo";
}

/// Redirects the output of one stream to another one. Restores the stream and its format at the end.
class Redirection
{
public:
    Redirection(std::ostream& from, std::ostream& to) : m_from(from), m_before(from.rdbuf(to.rdbuf()))
    {
        m_format.copyfmt(from);
    }
    Redirection(const Redirection&) = delete;
    Redirection& operator=(const Redirection&) = delete;
    ~Redirection()
    {
        m_from.rdbuf(m_before);
        m_from.copyfmt(m_format);
    }

private:
    std::ostream& m_from;
    std::streambuf* m_before;
    std::ios m_format{nullptr};
};

/// Calls a verb whose options have been read.
VerbOutput calledVerb(const manual::VerbParser& verb)
{
    std::stringstream out, err;
    VerbOutput result;
    {
        const Redirection toOut(std::cout, out);
        const Redirection toErr(std::cerr, err);
        try {
            result.code = verb.run();
        } catch (const std::bad_alloc&) {
            tell(std::string(kNoMemory));
            result.code = Exit::BadInput;
        } catch (const std::exception& e) {
            result.code = fail({ErrorCode::Internal, std::string("internal error: ") + e.what(), {}, {}});
        }
    }
    result.out = out.str();
    result.err = err.str();
    return result;
}

int run(int argc, char** argv)
{
    CLI::App app{"Tilewright: schedules, systolic arrays, NPU tile graphs and loop-nest mappings",
                 "tilewright-cli"};
    app.set_version_flag("--version", "tilewright-cli " + tilewright::manual::versionText());
    app.footer(
        "Exit codes: 0 success, 1 the answer is \"no\", 2 bad input, 130 interrupted (with the best result "
        "written).");
    app.require_subcommand(1);
    int exitCode = Exit::Success;
    // If the first argument is a verb, only the options of that verb are set up: setting up those of all
    // verbs would take most of the time of a short run.
    const auto named = std::ranges::find(kVerbs, std::string_view(argc > 1 ? argv[1] : ""), &Verb::name);
    for (const Verb& verb : kVerbs)
        if (named == std::end(kVerbs) || &verb == named)
            verb.add(app, exitCode);
    tilewright::manual::addManualVerb(app);
    if (argc > 1 && isDrawingVerb(argv[1])) {
        tell(std::string(argv[1]) + " is a verb of the window's program: tilewright " + argv[1]);
        return Exit::BadInput;
    }
    setNoticeHandler([](const Error& what) { tell(what.text()); });
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return manual::exitCodeOf(app, e);
    }
    return exitCode;
}

std::terminate_handler g_otherwise = nullptr;

[[noreturn]] void terminated()
{
    try {
        if (const auto thrown = std::current_exception())
            std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) { // no allocation below
        for (const std::string_view part :
             {std::string_view("tilewright-cli: "), kNoMemory, std::string_view("\n")})
            (void)!::write(STDERR_FILENO, part.data(), part.size());
        ::_exit(Exit::BadInput);
    } catch (...) {
        g_otherwise();
    }
    g_otherwise();
    std::abort();
}

} // namespace

void withVerbTools(std::string_view name, const std::function<void(std::vector<VerbTool>&)>& use)
{
    CLI::App app{"", "tilewright-cli"};
    int exitCode = Exit::Success;
    for (const Verb& verb : kVerbs)
        if (verb.add != addServeVerb && (name.empty() || name == verb.name))
            verb.add(app, exitCode);
    std::vector<VerbTool> tools;
    for (const CLI::App* const added : app.get_subcommands({}))
        if (const auto* const verb = dynamic_cast<const manual::VerbParser*>(added))
            tools.push_back({verb->get_name(), verb->get_description(), &verb->list(),
                             [verb] { return calledVerb(*verb); }});
    use(tools);
}

void endWithoutMemoryInWords()
{
    g_otherwise = std::set_terminate(terminated);
}

int runCommandLine(int argc, char** argv, std::ostream& out, std::ostream& err)
{
    const Redirection toOut(std::cout, out);
    const Redirection toErr(std::cerr, err);
    try {
        return run(argc, argv);
    } catch (const std::bad_alloc&) {
        tell(std::string(kNoMemory));
        return Exit::BadInput;
    } catch (const std::exception& e) {
        return fail({ErrorCode::Internal, std::string("internal error: ") + e.what(), {}, {}});
    }
}

} // namespace tilewright::cli
