// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "verbs/options.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace tilewright::manual {

/// Adds the options of a verb to its parser. Values are read into what the list is bound to; `error` becomes
/// the first value that is not legal. Both must outlive the parser.
void addOptions(CLI::App& verb, verbs::OptionList& list, std::optional<Error>& error);

/// Prints "PROGRAM: sentence" on stderr; exit code 2.
int refuse(const CLI::App& program, const Error& error);

/// Adds a verb. Its options are those of bindOptions(OptionList&, Call&); readFiles(Call&), where there is
/// one, reads the files that they name; `run` does the work and gives the exit code. A value that is not
/// legal and an option that can have no effect end with one sentence and exit code 2.
template <typename Call, typename Run>
void addVerb(CLI::App& program, const char* name, const char* meaning, Run run, int& exitCode)
{
    struct State
    {
        Call call;
        verbs::OptionList list;
        std::optional<Error> error;
    };
    const auto state = std::make_shared<State>();
    bindOptions(state->list, state->call);
    CLI::App* verb = program.add_subcommand(name, meaning);
    addOptions(*verb, state->list, state->error);
    verb->callback([state, run, &program, &exitCode] {
        Call& call = state->call;
        Status ready = state->error ? Status(*state->error) : verbs::checkEffects(state->list, call);
        if constexpr (requires { readFiles(call); }) {
            if (ready)
                ready = readFiles(call);
            if (ready) // what a file holds decides, too
                ready = verbs::checkEffects(state->list, call);
        }
        exitCode = ready ? run(call) : refuse(program, ready.error());
        if constexpr (requires { call.workload.notes; })
            for (const std::string& note : call.workload.notes)
                std::cerr << program.get_name() << ": " << note << '\n';
    });
}

} // namespace tilewright::manual
