// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "verbs/options.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace tilewright::manual {

/// Adds the options of a verb to its parser. Values are read into the variables to which `list` is bound.
/// `error` describes the first illegal value. Both must outlive the parser.
void addOptions(CLI::App& verb, verbs::OptionList& list, std::optional<Error>& error);

/// Prints "PROGRAM: sentence" on stderr and returns exit code 2.
int refuse(const CLI::App& program, const Error& error);

/// Prints the help or the error message of the parser. Returns the exit code, 0 or 2.
int exitCodeOf(const CLI::App& program, const CLI::ParseError& error);

/// Adds a verb. bindOptions(OptionList&, Call&) defines its options; readFiles(Call&), if it exists, reads
/// the files that they name; `run` does the work and returns the exit code. An illegal value, an option that
/// can have no effect, and an output file that cannot be written or is an input of the same call give an
/// error message and exit code 2.
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
        if (ready)
            ready = state->list.checkOutputs();
        if constexpr (requires { readFiles(call); }) {
            if (ready)
                ready = readFiles(call);
            if (ready) // the content of a file can also decide which options have an effect
                ready = verbs::checkEffects(state->list, call);
        }
        exitCode = ready ? run(call) : refuse(program, ready.error());
        if constexpr (requires { call.workload.notes; })
            for (const std::string& note : call.workload.notes)
                std::cerr << program.get_name() << ": " << note << '\n';
    });
}

} // namespace tilewright::manual
