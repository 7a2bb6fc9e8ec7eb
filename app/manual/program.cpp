// SPDX-License-Identifier: GPL-3.0-or-later
#include "manual/program.h"

#include "base/utf8.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace tilewright::manual {

namespace {

std::vector<std::string> split(const std::string& text, char by)
{
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, by);)
        out.push_back(part);
    return out;
}

/// True for a literal choice such as "edge"; false for a placeholder such as "N", "FILE" or "TixTjxTk".
bool isWord(const std::string& word)
{
    return std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::islower(c) != 0; }) &&
           std::none_of(word.begin(), word.end(), [](unsigned char c) { return std::isupper(c) != 0; });
}

/// Splits a type name such as "FILE|edge|server" or "TEXT:{final,seed}" into value and choices, and stores
/// them in `out`.
void readType(const std::string& type, Argument& out)
{
    const std::size_t open = type.find('{');
    if (open != std::string::npos && type.back() == '}') {
        out.choices = split(type.substr(open + 1, type.size() - open - 2), ',');
        out.value = oneOf(out.choices);
        return;
    }
    out.value = type.substr(0, type.find(':'));
    const std::vector<std::string> words = split(out.value, '|');
    for (const std::string& word : words) {
        if (word == "FILE" || word == "FOLDER" || word == "TEXT")
            out.takesFile = true;
        else if (words.size() > 1 && isWord(word))
            out.choices.push_back(word);
    }
}

Argument argumentOf(const CLI::Option& option)
{
    Argument out;
    if (option.get_positional() && !option.nonpositional()) {
        out.names.push_back(option.get_name(true));
    } else {
        for (const std::string& name : option.get_snames())
            out.names.push_back("-" + name);
        for (const std::string& name : option.get_lnames())
            out.names.push_back("--" + name);
    }
    if (option.get_type_size() != 0)
        readType(option.get_type_name(), out);
    out.meaning = option.get_description();
    out.standard = option.get_default_str();
    out.required = option.get_required();
    out.repeats = option.get_expected_max() > 1;
    return out;
}

Verb verbOf(const CLI::App& app)
{
    Verb out{app.get_name(), app.get_description(), {}, {}};
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_group().empty())
            continue;
        (option->nonpositional() ? out.options : out.positionals).push_back(argumentOf(*option));
    }
    return out;
}

} // namespace

Program describe(const CLI::App& app)
{
    Program out{app.version(), app.get_footer(), verbOf(app), {}};
    for (const CLI::App* verb : app.get_subcommands({}))
        if (!verb->get_group().empty())
            out.verbs.push_back(verbOf(*verb));
    return out;
}

void addManualVerb(CLI::App& app)
{
    auto* verb =
        app.add_subcommand("manual", "Print the manual page, the handbook's, or the completion of a shell");
    verb->group(""); // hidden from --help: only makers of packages need it
    const auto what = std::make_shared<std::string>();
    verb->add_option("what", *what, "What to print")
        ->required()
        ->check(CLI::IsMember({"man", "markdown", "bash", "zsh", "fish"}));
    verb->callback([what, &app] {
        const Program program = describe(app);
        std::cout << (*what == "man"        ? manPage(program)
                      : *what == "markdown" ? markdown(program)
                      : *what == "bash"     ? bashCompletion(program)
                      : *what == "zsh"      ? zshCompletion(program)
                                            : fishCompletion(program));
    });
}

namespace {

/// Prints an option that can be given without its value as "--explain[=FIGURE]".
class OptionFormatter : public CLI::Formatter
{
public:
    [[nodiscard]] std::string make_option_name(const CLI::Option* option, bool isPositional) const override
    {
        std::string name = Formatter::make_option_name(option, isPositional);
        if (const std::size_t brace = name.find('{'); brace != std::string::npos)
            name = name.substr(0, brace) + "[=" + option->get_type_name() + "]";
        return name;
    }
    [[nodiscard]] std::string make_option_opts(const CLI::Option* option) const override
    {
        const bool hasValue = Formatter::make_option_name(option, false).find('{') != std::string::npos;
        return hasValue ? std::string() : Formatter::make_option_opts(option);
    }
};

} // namespace

void addOptions(CLI::App& verb, verbs::OptionList& list, std::optional<Error>& error)
{
    verb.formatter(std::make_shared<OptionFormatter>());
    for (const verbs::Option& o : list.all()) {
        const auto read = [&list, &error, name = o.name](const std::vector<std::string>& values) {
            if (Status s = list.read(name, values); !s && !error)
                error = s.error();
        };
        const std::string names = (o.shortForm.empty() ? "" : o.shortForm + ",") + o.name;
        if (o.type == "bool") {
            verb.add_flag_callback(
                names, [read] { read({}); }, o.description());
            continue;
        }
        if (!o.implied.empty()) {
            const auto value = std::make_shared<std::string>();
            verb.add_flag(names + "{" + o.implied + "}", *value, o.description())
                ->type_name(o.value)
                ->each([read, value](const std::string& text) { read({text}); });
            continue;
        }
        const auto readOne = [read](const std::string& value) { read({value}); };
        CLI::Option* added =
            o.isList ? verb.add_option_function<std::vector<std::string>>(names, read, o.description())
                           ->allow_extra_args(o.manyAtOnce)
                     : verb.add_option_function<std::string>(names, readOne, o.description());
        added->type_name(o.value)->required(o.required)->default_str(o.standard);
        if (o.count > 0)
            // 1 to `count` values; the list reports missing ones in its own words
            added->expected(1, static_cast<int>(o.count));
        // Only lists are split at commas: a single number with a comma is refused.
        if (o.isNumber() && o.isList)
            added->delimiter(',');
    }
}

int refuse(const CLI::App& program, const Error& error)
{
    std::cerr << program.get_name() << ": " << printable(error.text()) << '\n';
    return error.code == ErrorCode::Missing ? 1 : 2;
}

int exitCodeOf(const CLI::App& program, const CLI::ParseError& error)
{
    std::stringstream out, wrong;
    const int code = program.exit(error, out, wrong);
    std::cout << out.str();
    std::cerr << printableLines(wrong.str()); // escaped, because the message quotes arguments
    return code == 0 ? 0 : 2;
}

} // namespace tilewright::manual
