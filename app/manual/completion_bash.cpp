// SPDX-License-Identifier: GPL-3.0-or-later
#include "manual/shell_text.h"

namespace tilewright::manual {

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

} // namespace tilewright::manual
