// SPDX-License-Identifier: GPL-3.0-or-later
// Command lines as data, runs of them in process, and what is owed for each.
#pragma once

#include "mutation.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tilewright::fuzz {

struct Argument
{
    std::string text;   ///< as it is passed; of a file its name in the folder of the run
    std::string format; ///< of an input; "out" of what is written
    std::string source; ///< path of an input
};

struct Command
{
    std::vector<Argument>
        arguments; ///< without the program's name; files that only lie beside are in `beside`
    std::vector<Argument> beside;
    std::vector<Argument> then; ///< nothing, or a command on what was written
    std::vector<std::size_t> inputs;

    [[nodiscard]] const std::string& verb() const { return arguments.front().text; }
};

struct Answer
{
    int code = 0;
    std::string out, err;
    std::map<std::string, std::string> written; ///< by name
    std::string exception;                      ///< its type and text, if one left the call
    double seconds = 0;
    bool isJson = false; ///< all of `out`

    [[nodiscard]] bool accepted() const { return exception.empty() && (code == 0 || code == 1); }
};

struct Option
{
    std::string name, value; ///< "--rows", "N"; no value: a flag
};

/// What is wrong with one run: words of a class ("believed info model wrong-type ops.n.name"), which
/// known.txt and allowed.txt match by globs, and what helps to see it.
struct Finding
{
    std::string what, detail;
};

struct Counts
{
    std::uint64_t executions = 0, accepted = 0, refused = 0, effects = 0;
};

/// Of each field of a format: accepted changes of its value, and how many of these changed an answer.
using Effects = std::map<std::string, std::pair<std::uint64_t, std::uint64_t>>;

class Driver
{
public:
    /// Reads commands.txt and runs each line as it stands, in `folder`, which is emptied.
    explicit Driver(std::string folder);

    /// One execution: the same for the same numbers. `note` is called before anything is run, with what a
    /// crash would be called.
    void execute(std::uint64_t seed, std::uint64_t execution,
                 const std::function<void(const std::string&)>& note);

    /// Prints the command line and leaves its files.
    void setVerbose() { m_verbose = true; }

    [[nodiscard]] const Counts& counts() const { return m_counts; }
    [[nodiscard]] std::vector<Finding> takeFindings() { return std::exchange(m_findings, {}); }
    [[nodiscard]] Effects takeEffects() { return std::exchange(m_effects, {}); }

private:
    struct Line
    {
        Command command;
        std::vector<std::unique_ptr<Mutator>> mutators; ///< one an input
        Answer usual;
        bool isSteady = true; ///< two runs gave the same answer
    };

    void readCommands();
    [[nodiscard]] Answer run(const std::vector<Argument>& arguments, bool isFirst = true);
    [[nodiscard]] const std::vector<Option>& optionsOf(const std::string& verb);
    void mutateArguments(std::vector<Argument>& arguments, Mutation& mutation, Random& random);
    void put(const Argument& file, const std::string& content);
    void restore(const Line& line);
    void judge(const Line& line, const Mutation& m, const std::string& format, const std::string& file,
               const Answer& answer, const Mutator* mutator);
    void find(const std::string& what, const std::string& detail) { m_findings.push_back({what, detail}); }

    std::string m_folder;
    std::vector<Line> m_lines;
    std::vector<std::size_t> m_choices;                    ///< of m_lines, each as often as its weight
    std::map<std::string, std::string> m_sources, m_there; ///< files by path; what lies in the folder by name
    std::map<std::string, std::vector<Option>> m_options;
    std::vector<Finding> m_findings;
    Effects m_effects;
    Counts m_counts;
    bool m_verbose = false;
};

} // namespace tilewright::fuzz
