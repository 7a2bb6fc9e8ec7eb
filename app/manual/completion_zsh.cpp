// SPDX-License-Identifier: GPL-3.0-or-later
#include "manual/shell_text.h"

namespace tilewright::manual {

namespace {

/// In a specification of _arguments brackets and colons have a meaning of their own.
std::string escaped(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\')
            out += '\\';
        out += c;
    }
    return out;
}

/// ":value:(a b)", ":FILE:_files", ":INT: "
std::string value(const Argument& a, const std::string& name)
{
    std::string action = a.takesFile ? "_files" : " ";
    if (!a.choices.empty()) {
        const std::string words = escaped(joined(a.choices, " "));
        action = a.takesFile ? "{compadd " + words + "; _files}" : "(" + words + ")";
    }
    return ":" + escaped(name) + ":" + action;
}

/// The arguments of _arguments, a line each.
std::string specifications(const Verb& verb, const std::string& indent)
{
    std::string out;
    for (const Argument& a : verb.options)
        for (const std::string& name : a.names) {
            // After one name of an option, its other names are no longer offered.
            std::string spec = a.repeats            ? "*"
                               : a.names.size() > 1 ? "(" + joined(a.names, " ") + ")"
                                                    : std::string();
            spec += name;
            // The value of a long option may follow "=" or be the next word.
            if (!a.value.empty() && name.starts_with("--"))
                spec += '=';
            spec += "[" + escaped(firstLine(a.meaning)) + "]";
            if (!a.value.empty())
                spec += value(a, a.choices.empty() ? a.value : "value");
            out += " \\\n" + indent + shellQuoted(spec);
        }
    std::size_t place = 0;
    for (const Argument& a : verb.positionals) {
        ++place;
        out += " \\\n" + indent +
               shellQuoted((a.repeats ? "*" : std::to_string(place)) + value(a, a.names.front()));
    }
    return out;
}

} // namespace

std::string zshCompletion(const Program& program)
{
    const std::string& name = program.own.name;
    std::string out = "#compdef " + name + "\n# zsh completion, written by `" + name + " manual zsh`\n\n_" +
                      name +
                      "() {\n    local curcontext=$curcontext state state_descr line\n"
                      "    typeset -A opt_args\n    local -a verbs\n    verbs=(\n";
    for (const Verb& verb : program.verbs)
        out += "        " + shellQuoted(verb.name + ":" + firstLine(verb.meaning)) + '\n';
    Verb own = program.own;
    own.positionals.clear();
    out += "    )\n    _arguments -C" + specifications(own, "        ") +
           " \\\n        '1: :->first' '*:: :->others'\n    case $state in\n    first)\n"
           "        _describe -t verbs verb verbs\n";
    const bool files = !program.own.positionals.empty();
    if (files)
        out += "        _files\n";
    out += "        ;;\n    others)\n        case $words[1] in\n";
    for (const Verb& verb : program.verbs)
        out += "        " + verb.name + ")\n            _arguments" +
               specifications(verb, "                ") + "\n            ;;\n";
    if (files)
        out += "        *) _files ;;\n";
    return out + "        esac\n        ;;\n    esac\n}\n\n_" + name + " \"$@\"\n";
}

} // namespace tilewright::manual
