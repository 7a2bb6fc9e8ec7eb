// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
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
    std::string meaning;              ///< lines of plain text
    std::string standard;             ///< without the option
    std::vector<std::string> choices; ///< values that may be completed
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
    std::string version; ///< as --version prints it
    std::string footer;
    Verb own; ///< the program without a verb
    std::vector<Verb> verbs;
};

/// Returns the description of the parser of a command line, without hidden verbs. The type name of an option
/// defines its completion: lower-case words between bars are the choices ("light|dark", also
/// "FILE|edge|server"); FILE, FOLDER and TEXT complete names of files.
[[nodiscard]] Program describe(const CLI::App& app);

/// Returns a manual page of section 1 (user commands) in roff.
[[nodiscard]] std::string manPage(const Program& program);
/// Returns the chapter of the handbook, with a heading of the third level for each verb.
[[nodiscard]] std::string markdown(const Program& program);
[[nodiscard]] std::string bashCompletion(const Program& program);
[[nodiscard]] std::string zshCompletion(const Program& program);
[[nodiscard]] std::string fishCompletion(const Program& program);

/// "a|b|c" of anything whose elements have a `name`, or are words themselves: the type name of a choice.
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

/// Adds the hidden verb `manual man|bash|zsh|fish` that prints one of these; packages are made with it.
void addManualVerb(CLI::App& app);

} // namespace tilewright::manual
