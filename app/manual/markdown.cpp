// SPDX-License-Identifier: GPL-3.0-or-later
#include "manual/program.h"

namespace tilewright::manual {

namespace {

/// Plain text as Markdown: nothing in it is markup, lines stay lines.
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
