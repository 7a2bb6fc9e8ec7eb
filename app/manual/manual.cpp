// SPDX-License-Identifier: GPL-3.0-or-later
// Completions, manual page and Markdown, written from the description of a program.
#include "base/text.h"
#include "manual/program.h"

#include <algorithm>
#include <cctype>

namespace tilewright::manual {

// Texts that the completion scripts of all shells need.

[[nodiscard]] inline std::string joined(const std::vector<std::string>& words, const char* between)
{
    std::string out;
    for (const std::string& word : words)
        out += (out.empty() ? "" : between) + word;
    return out;
}

[[nodiscard]] inline std::string replaced(const std::string& text, char what, const char* by)
{
    std::string out;
    for (const char c : text)
        if (c == what)
            out += by;
        else
            out += c;
    return out;
}

/// Returns the text with every character replaced that a shell function's name cannot have, e.g.
/// "tilewright-cli".
[[nodiscard]] inline std::string identifier(std::string text)
{
    for (char& c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0)
            c = '_';
    return text;
}

/// Returns the first line of a text. A list of completions has one line for the meaning of an entry.
[[nodiscard]] inline std::string firstLine(const std::string& text)
{
    std::string line = text.substr(0, text.find('\n'));
    while (!line.empty() && line.back() == ':')
        line.pop_back();
    return line;
}

namespace {

/// Bash code that sets `words` and `files`, the two variables of the completion function, to what an argument
/// accepts.
std::string values(const Argument& a)
{
    std::string out;
    if (!a.choices.empty())
        out += "words=" + shellQuoted(joined(a.choices, " "));
    if (a.takesFile)
        out += std::string(out.empty() ? "" : "; ") + "files=1";
    return out.empty() ? ":" : out;
}

std::string optionNames(const Verb& verb)
{
    std::vector<std::string> names;
    for (const Argument& a : verb.options)
        names.insert(names.end(), a.names.begin(), a.names.end());
    return joined(names, " ");
}

/// The `case` branches of the bash script that complete the value of each option that takes one.
std::string valueCases(const Verb& verb, const std::string& key)
{
    std::string out;
    for (const Argument& a : verb.options) {
        if (a.value.empty())
            continue;
        std::string patterns;
        for (const std::string& name : a.names)
            patterns.append(patterns.empty() ? "" : "|")
                .append(shellQuoted(std::string(key).append(" ").append(name)));
        out.append("    ").append(patterns).append(") ").append(values(a)).append(" ;;\n");
    }
    return out;
}

/// The `case` branch of the bash script for all other places: completes options and all positional arguments.
std::string wordCase(const Verb& verb, const std::string& key, const std::string& verbs)
{
    std::vector<std::string> words;
    bool files = false;
    for (const Argument& a : verb.positionals) {
        words.insert(words.end(), a.choices.begin(), a.choices.end());
        files = files || a.takesFile;
    }
    if (!verbs.empty())
        words.push_back(verbs);
    return "    " + (key.empty() ? "''" : key) +
           ")\n        if [[ $cur == -* ]]; then words=" + shellQuoted(optionNames(verb)) +
           "; else words=" + shellQuoted(joined(words, " ")) + (files ? "; files=1" : "") + "; fi ;;\n";
}

} // namespace

std::string bashCompletion(const Program& program)
{
    const std::string& name = program.own.name;
    const std::string function = "_" + identifier(name);
    std::vector<std::string> verbs;
    for (const Verb& verb : program.verbs)
        verbs.push_back(verb.name);
    std::string out =
        "# bash completion of " + name + ", written by `" + name + " manual bash`\n" + function +
        "()\n{\n"
        "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}"
        " verb='' words='' files='' i\n"
        "    # --option=value is three words to bash.\n"
        "    if [[ $cur == '=' ]]; then\n"
        "        cur=''\n"
        "    elif [[ $prev == '=' ]]; then\n"
        "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
        "    fi\n"
        "    for ((i = 1; i < COMP_CWORD; ++i)); do\n"
        "        case ${COMP_WORDS[i]} in\n        " +
        joined(verbs, "|") +
        ")\n            verb=${COMP_WORDS[i]}\n            break\n            ;;\n        esac\n"
        "    done\n    COMPREPLY=()\n    case \"$verb $prev\" in\n";
    out += valueCases(program.own, "");
    for (const Verb& verb : program.verbs)
        out += valueCases(verb, verb.name);
    out += "    *)\n    case $verb in\n" + wordCase(program.own, "", joined(verbs, " "));
    for (const Verb& verb : program.verbs)
        out += wordCase(verb, verb.name, "");
    out += "    esac\n    ;;\n    esac\n"
           "    [[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
           "    if [[ -n $files ]]; then\n"
           "        compopt -o filenames 2>/dev/null\n"
           "        mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -- \"$cur\")\n"
           "    fi\n}\n";
    return out + "complete -F " + function + " " + name + '\n';
}

namespace {

/// Escapes brackets and colons, which have a special meaning in a specification of zsh's _arguments.
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

/// Value of an option for zsh's _arguments: ":value:(a b)", ":FILE:_files" or ":INT: ".
std::string value(const Argument& a, const std::string& name)
{
    std::string action = a.takesFile ? "_files" : " ";
    if (!a.choices.empty()) {
        const std::string words = escaped(joined(a.choices, " "));
        action = a.takesFile ? "{compadd " + words + "; _files}" : "(" + words + ")";
    }
    return ":" + escaped(name) + ":" + action;
}

/// Returns the specifications for zsh's _arguments, one per line.
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

namespace {

/// Quotes a text for fish: single quotes, with the only two escapes that fish knows there.
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
        // Options of `complete`: -x for a value that is not a file; -r -F for a value that may be a file.
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

namespace {

/// Escapes plain text for roff: no line becomes a request, hyphens can be copied as ASCII hyphens, line
/// breaks are kept.
std::string roff(const std::string& text)
{
    std::string out;
    bool start = true;
    for (const char c : text) {
        if (start && (c == '.' || c == '\''))
            out += "\\&";
        start = c == '\n';
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else if (c == '\n')
            out += "\n.br\n";
        else
            out += c;
    }
    return out;
}

std::string upper(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

std::string bold(const std::string& text)
{
    return "\\fB" + roff(text) + "\\fR";
}

std::string italic(const std::string& text)
{
    return "\\fI" + roff(text) + "\\fR";
}

/// Argument as the synopsis shows it: "problem", "[architecture]" or "file ...".
std::string inSynopsis(const Argument& a)
{
    const std::string text = italic(a.names.front()) + (a.repeats ? " ..." : "");
    return a.required ? text : "[" + text + "]";
}

std::string synopsis(const std::string& program, const Verb& verb)
{
    std::string out = bold(program == verb.name ? program : program + " " + verb.name);
    for (const Argument& a : verb.positionals)
        out += " " + inSynopsis(a);
    return out + " [" + italic("option") + " ...]";
}

/// If an option has more choices than this, they are listed below its meaning.
constexpr std::size_t kChoicesInLine = 6;

std::string entry(const Argument& a, bool positional)
{
    const bool list = a.choices.size() > kChoicesInLine;
    std::string out = ".TP\n";
    if (positional) {
        out += italic(a.names.front());
    } else {
        for (std::size_t i = 0; i < a.names.size(); ++i)
            out += (i > 0 ? ", " : "") + bold(a.names[i]);
        if (!a.value.empty())
            out += " " + italic(list ? upper(a.names.back().substr(2)) : a.value);
    }
    out += '\n' + roff(a.meaning);
    if (list && !positional)
        out += "\n.br\nOne of " + roff(joined(a.choices, ", ")) + ".";
    if (!positional && a.required)
        out += "\n.br\nRequired.";
    if (!a.standard.empty())
        out += "\n.br\nWithout it: " + roff(a.standard);
    return out + '\n';
}

std::string entries(const Verb& verb)
{
    std::string out;
    for (const Argument& a : verb.positionals)
        out += entry(a, true);
    for (const Argument& a : verb.options)
        out += entry(a, false);
    return out;
}

} // namespace

std::string manPage(const Program& program)
{
    const std::string& name = program.own.name;
    std::string out =
        ".\\\" Written by `" + name + " manual man` from the description of its command line.\n";
    out +=
        ".TH " + roff(upper(name)) + " 1 \"\" \"" + roff(program.version) + "\" \"Tilewright\"\n.nh\n.ad l\n";
    out += ".SH NAME\n" + roff(name) + " \\- " + roff(program.own.meaning) + '\n';
    out += ".SH SYNOPSIS\n";
    if (!program.own.positionals.empty())
        out += synopsis(name, program.own) + "\n.br\n";
    for (const Verb& verb : program.verbs)
        out += synopsis(name, verb) + "\n.br\n";
    out += ".SH OPTIONS\n" + entries(program.own);
    if (!program.verbs.empty())
        out += ".SH VERBS\n";
    for (const Verb& verb : program.verbs)
        out += ".SS " + roff(verb.name) + '\n' + roff(verb.meaning) + ".\n" + entries(verb);
    if (!program.footer.empty())
        out += ".SH NOTES\n" + roff(program.footer) + '\n';
    out += ".SH SEE ALSO\n";
    out += name == "tilewright" ? bold("tilewright-cli") : bold("tilewright");
    return out + "(1)\n";
}

namespace {

/// Escapes plain text for Markdown: no character acts as markup, line breaks are kept.
std::string inMarkdown(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        if (c == '\n')
            out += "  \n";
        else {
            if (std::string_view{"\\`*_[]<>#|~$"}.find(c) != std::string_view::npos)
                out += '\\';
            out += c;
        }
    }
    return out;
}

std::string item(const Argument& a)
{
    std::string out = "- ";
    for (std::size_t i = 0; i < a.names.size(); ++i) {
        if (i > 0)
            out += ", ";
        out.append("`").append(a.names[i]).append("`");
    }
    if (!a.value.empty())
        out.append(" *").append(inMarkdown(a.value)).append("*");
    if (a.repeats)
        out += " …";
    out.append(": ").append(inMarkdown(a.meaning));
    if (a.required)
        out += ". Required";
    if (!a.standard.empty())
        out.append(". Without it: ").append(inMarkdown(a.standard));
    return out + '\n';
}

std::string items(const Verb& verb)
{
    std::string out;
    for (const Argument& a : verb.positionals)
        out += item(a);
    for (const Argument& a : verb.options)
        out += item(a);
    return out;
}

} // namespace

std::string markdown(const Program& program)
{
    std::string out =
        "`" + program.own.name + "`: " + inMarkdown(program.own.meaning) + ".\n\n" + items(program.own);
    for (const Verb& verb : program.verbs)
        out += "\n### " + program.own.name + ' ' + verb.name + "\n\n" + inMarkdown(verb.meaning) + ".\n\n" +
               items(verb);
    if (!program.footer.empty())
        out += '\n' + inMarkdown(program.footer) + '\n';
    return out;
}

} // namespace tilewright::manual
