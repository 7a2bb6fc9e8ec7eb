// SPDX-License-Identifier: GPL-3.0-or-later
// The description of a program: its parser, and its verbs and options as data.
#pragma once

#include "verbs/options.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace tilewright::manual {

/// An option, a flag or a positional argument.
struct Argument
{
    std::vector<std::string> names;   ///< "-o" and "--output"; of a positional argument its one name
    std::string value;                ///< placeholder of the value: "FILE", "light|dark"; empty: a flag
    std::string meaning;              ///< explanation as lines of plain text
    std::string standard;             ///< default: the value without the option
    std::vector<std::string> choices; ///< literal values that completion offers
    bool takesFile = false;
    bool required = false;
    bool repeats = false;
};

struct Verb
{
    std::string name;
    std::string meaning;
    std::vector<Argument> positionals;
    std::vector<Argument> options;
};

struct Program
{
    std::string version; ///< text that --version prints
    std::string footer;
    Verb own; ///< arguments of the program without a verb
    std::vector<Verb> verbs;
};

/// Returns the description of the parser of a command line, without hidden verbs. The type name of an option
/// defines its completion: lower-case words between bars are the choices ("light|dark", also
/// "FILE|edge|server"); FILE, FOLDER and TEXT complete names of files.
[[nodiscard]] Program describe(const CLI::App& app);

/// Returns a manual page for user commands (man 1) in roff.
[[nodiscard]] std::string manPage(const Program& program);
/// Returns the chapter of the handbook, with a heading of the third level for each verb.
[[nodiscard]] std::string markdown(const Program& program);
[[nodiscard]] std::string bashCompletion(const Program& program);
[[nodiscard]] std::string zshCompletion(const Program& program);
[[nodiscard]] std::string fishCompletion(const Program& program);

/// Joins the elements of a range to "a|b|c", the type name of an option with choices. An element is a word or
/// has a member `name`.
template <typename Range> [[nodiscard]] std::string oneOf(const Range& range)
{
    std::string out;
    for (const auto& element : range) {
        if (!out.empty())
            out += '|';
        if constexpr (requires { element.name; })
            out += element.name;
        else
            out += element;
    }
    return out;
}

/// Adds the hidden verb `manual man|markdown|bash|zsh|fish` that prints one of these texts. The build of
/// packages calls it.
void addManualVerb(CLI::App& app);

/// Adds the options of a verb to its parser. Values are read into the variables to which `list` is bound.
/// `error` describes the first illegal value. Both must outlive the parser.
void addOptions(CLI::App& verb, verbs::OptionList& list, std::optional<Error>& error);

/// Prints "PROGRAM: sentence" on stderr and returns exit code 2, or 1 for ErrorCode::Missing.
int refuse(const CLI::App& program, const Error& error);

/// Prints the help or the error message of the parser. Returns the exit code, 0 or 2.
int exitCodeOf(const CLI::App& program, const CLI::ParseError& error);

/// Parser of a verb that knows the verb's options and can run the verb without a command line.
class VerbParser : public CLI::App
{
public:
    /// `list` must outlive the parser. `run` returns the exit code.
    VerbParser(const CLI::App& program, const std::string& name, const std::string& meaning,
               verbs::OptionList& list, std::function<int()> run)
        : CLI::App(meaning, name), m_list(&list), m_run(std::move(run))
    {
        footer(program.get_footer());
    }
    [[nodiscard]] verbs::OptionList& list() const noexcept { return *m_list; }
    /// Runs the verb with the values that were read into the list; returns the exit code.
    [[nodiscard]] int run() const { return m_run(); }

private:
    verbs::OptionList* m_list;
    std::function<int()> m_run;
};

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
    const auto runVerb = [state, run, &program] {
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
        return ready ? run(call) : refuse(program, ready.error());
    };
    const auto verb = std::make_shared<VerbParser>(program, name, meaning, state->list, runVerb);
    addOptions(*verb, state->list, state->error);
    verb->callback([runVerb, &exitCode] { exitCode = runVerb(); });
    program.add_subcommand(verb);
}

} // namespace tilewright::manual
