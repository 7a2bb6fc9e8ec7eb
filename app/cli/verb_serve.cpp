// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "command_line.h"
#include "manual/program.h"
#include "mcp.h"
#include "verbs.h"

#include <iostream>

namespace tilewright::cli {

namespace {

struct ServeArguments
{
    bool mcp = false, allowWrites = false;
};

void bindOptions(verbs::OptionList& o, ServeArguments& a)
{
    o.flag("--mcp", a.mcp, "Model Context Protocol on standard input and output: every verb is a tool");
    o.flag("--allow-writes", a.allowWrites, "Run calls that write files, which are refused otherwise");
}

int serve(const ServeArguments& a)
{
    if (!a.mcp)
        return fail({ErrorCode::Field, "is required", "--mcp", {}});
    readNoPipes(); // standard input carries the client's messages, so no file may be read from it
    serveMcp(std::cin, std::cout, withVerbTools, a.allowWrites);
    return Exit::Success;
}

} // namespace

void addServeVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<ServeArguments>(app, "serve", "Serve the verbs as tools to another program", serve,
                                    exitCode);
}

} // namespace tilewright::cli
