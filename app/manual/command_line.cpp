// SPDX-License-Identifier: GPL-3.0-or-later
#include "manual/command_line.h"

namespace tilewright::manual {

void addOptions(CLI::App& verb, verbs::OptionList& list, std::optional<Error>& error)
{
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
        const auto readOne = [read](const std::string& value) { read({value}); };
        CLI::Option* added =
            o.isList ? verb.add_option_function<std::vector<std::string>>(names, read, o.description())
                           ->allow_extra_args(o.manyAtOnce)
                     : verb.add_option_function<std::string>(names, readOne, o.description());
        added->type_name(o.value)->required(o.required)->default_str(o.standard);
        if (o.count > 0)
            added->expected(1, static_cast<int>(o.count)); // the list itself says which are missing
        if (o.isNumber())
            added->delimiter(',');
    }
}

int refuse(const CLI::App& program, const Error& error)
{
    std::cerr << program.get_name() << ": " << error.text() << '\n';
    return 2;
}

} // namespace tilewright::manual
