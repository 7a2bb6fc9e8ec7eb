// SPDX-License-Identifier: GPL-3.0-or-later
#include "manual/shell_text.h"

namespace tilewright::manual {

namespace {

/// In single quotes fish knows two escapes.
std::string quoted(const std::string& text)
{
    return "'" + replaced(replaced(text, '\\', "\\\\"), '\'', "\\'") + "'";
}

std::string line(const std::string& start, const Verb& verb)
{
    std::string out;
    for (const Argument& a : verb.options) {
        out += start;
        for (const std::string& name : a.names)
            out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        // -x: a value that is no file; -r -F: a value, files among them.
        if (!a.value.empty())
            out += a.takesFile ? " -r -F" : " -x";
        if (!a.choices.empty())
            out += " -a " + quoted(joined(a.choices, " "));
        out += " -d " + quoted(firstLine(a.meaning)) + '\n';
    }
    std::vector<std::string> choices;
    bool files = false;
    for (const Argument& a : verb.positionals) {
        choices.insert(choices.end(), a.choices.begin(), a.choices.end());
        files = files || a.takesFile;
    }
    if (!choices.empty())
        out += start + " -a " + quoted(joined(choices, " ")) + '\n';
    if (!files)
        out += start + " -f\n";
    return out;
}

} // namespace

std::string fishCompletion(const Program& program)
{
    const std::string& name = program.own.name;
    std::string out = "# fish completion of " + name + ", written by `" + name + " manual fish`\n";
    const std::string first = "complete -c " + name + " -n __fish_use_subcommand";
    out += line(first, program.own);
    for (const Verb& verb : program.verbs)
        out += first + " -a " + verb.name + " -d " + quoted(firstLine(verb.meaning)) + '\n';
    for (const Verb& verb : program.verbs)
        out += line("complete -c " + name + " -n '__fish_seen_subcommand_from " + verb.name + "'", verb);
    return out;
}

} // namespace tilewright::manual
