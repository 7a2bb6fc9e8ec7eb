// SPDX-License-Identifier: GPL-3.0-or-later
#include "manual/shell_text.h"

#include <algorithm>
#include <cctype>

namespace tilewright::manual {

namespace {

/// Plain text as roff: nothing in it is a request, hyphens can be copied as such, lines stay lines.
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

/// "problem", "[architecture]", "file ..."
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

} // namespace tilewright::manual
