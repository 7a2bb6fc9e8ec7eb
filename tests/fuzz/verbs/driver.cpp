// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver.h"

#include "cli/command_line.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cxxabi.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace tilewright::fuzz {

namespace fs = std::filesystem;

namespace {

const std::string kRoot = TILEWRIGHT_SOURCE_DIR "/";
const std::string kHere = kRoot + "tests/fuzz/verbs/";
#ifdef __SANITIZE_ADDRESS__
constexpr double kSlowSeconds = 50;
#else
constexpr double kSlowSeconds = 10;
#endif

std::string contentOf(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t occurrences(const std::string& text, const std::string& word)
{
    std::size_t n = 0;
    for (std::size_t at = word.empty() ? std::string::npos : text.find(word); at != std::string::npos;
         at = text.find(word, at + 1))
        ++n;
    return n;
}

/// Without what differs between two runs of the same: "4.18 ms", "\"seconds\": 0.5".
std::string steady(const std::string& text)
{
    const auto isDigit = [&](std::size_t i) {
        return i < text.size() && (std::isdigit(static_cast<unsigned char>(text[i])) != 0 || text[i] == '.');
    };
    const auto isTime = [&](std::size_t from, std::size_t end) {
        for (const char* unit :
             {" s", " ms", "\u00a0s", "\u00a0ms", "\u00a0\u00b5s", " us", " \u00b5s", " ns"}) {
            const std::size_t after = end + std::string_view(unit).size();
            if (text.compare(end, after - end, unit) == 0 &&
                (after >= text.size() || std::isalnum(static_cast<unsigned char>(text[after])) == 0))
                return true;
        }
        return from > 12 &&
               std::string_view(text).substr(from - 12, 20).find("seconds\":") < 12; // not to the end of it
    };
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (isDigit(end))
            ++end;
        if (end == i)
            out += text[i++];
        else if (isTime(i, end))
            out += 'T', i = end;
        else
            out.append(text, i, end - i), i = end;
    }
    return out;
}

/// "not-utf8", "control-character" or nothing.
std::string faultOf(const std::string& text, bool isFile)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c < 0x20 && c != '\n' && !(isFile && (c == '\t' || c == '\r')) && c != '\t')
            return "control-character";
        if (c == 0x7f)
            return "control-character";
        if (c < 0x80)
            continue;
        const int more = c >= 0xf0 && c < 0xf5 ? 3 : c >= 0xe0 ? 2 : c >= 0xc2 ? 1 : -1;
        if (more < 0 || i + static_cast<std::size_t>(more) >= text.size() + 0 || c >= 0xf5)
            return "not-utf8";
        for (int k = 0; k < more; ++k)
            if ((static_cast<unsigned char>(text[i + 1 + static_cast<std::size_t>(k)]) & 0xc0) != 0x80)
                return "not-utf8";
        const auto next = static_cast<unsigned char>(text[i + 1]);
        if ((c == 0xe0 && next < 0xa0) || (c == 0xed && next >= 0xa0) || (c == 0xf0 && next < 0x90) ||
            (c == 0xf4 && next >= 0x90))
            return "not-utf8";
        if (c == 0xc2 && next < 0xa0)
            return "control-character";
        i += static_cast<std::size_t>(more);
    }
    return {};
}

bool saysNotANumber(const std::string& text)
{
    for (const char* word : {"nan", "inf", "NaN", "Infinity"})
        for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
            const auto isWord = [&](std::size_t i) {
                return i < text.size() &&
                       (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_' ||
                        text[i] == '"' || text[i] == '.' || text[i] == '/');
            };
            if (!isWord(at - 1) && !isWord(at + std::string_view(word).size()))
                return true;
        }
    return false;
}

bool isDevice(const std::string& path)
{
    return path.starts_with("/dev/") || path.starts_with("/proc/");
}

std::vector<Argument> readArguments(std::istringstream& words, std::vector<Argument>& beside)
{
    std::vector<Argument> out;
    for (std::string word; words >> word && word != "&&";) {
        const bool isBeside = word.starts_with("beside:");
        if (isBeside)
            word.erase(0, 7);
        const std::size_t equals = word.find('=');
        const std::string format = word.substr(0, equals);
        Argument a{word, {}, {}};
        if (equals != std::string::npos && word.front() != '-' && word.find('/') != std::string::npos) {
            const std::string path = word.substr(equals + 1);
            a = {fs::path(path).filename(), format, path.starts_with("seeds/") ? kHere + path : kRoot + path};
        } else if (format == "out") {
            a = {word.substr(equals + 1), format, {}};
        }
        (isBeside ? beside : out).push_back(a);
    }
    return out;
}

} // namespace

Driver::Driver(std::string folder) : m_folder(std::move(folder))
{
    fs::remove_all(m_folder);
    fs::create_directories(m_folder);
    fs::current_path(m_folder);
    readCommands();
}

void Driver::readCommands()
{
    std::ifstream in(kHere + "commands.txt");
    for (std::string text; std::getline(in, text);) {
        if (text.empty() || text.front() == '#')
            continue;
        std::istringstream words(text);
        std::size_t weight = 1;
        words >> weight;
        Line line;
        line.command.arguments = readArguments(words, line.command.beside);
        line.command.then = readArguments(words, line.command.beside);
        for (std::size_t i = 0; i < line.command.arguments.size(); ++i) {
            const Argument& a = line.command.arguments[i];
            if (a.source.empty())
                continue;
            line.command.inputs.push_back(i);
            m_sources[a.source] = contentOf(a.source);
            line.mutators.push_back(makeMutator(a.format, m_sources[a.source]));
        }
        for (const Argument& a : line.command.beside)
            m_sources[a.source] = contentOf(a.source);
        restore(line);
        line.usual = run(line.command.arguments);
        const Answer again = run(line.command.arguments);
        line.isSteady =
            again.out == line.usual.out && again.err == line.usual.err && again.written == line.usual.written;
        if (!line.usual.accepted())
            throw std::runtime_error("commands.txt: " + text + ": " + line.usual.err + line.usual.exception);
        if (!line.isSteady && m_verbose)
            std::cerr << "commands.txt: differs from run to run: " << text << '\n';
        m_choices.insert(m_choices.end(), weight, m_lines.size());
        m_lines.push_back(std::move(line));
    }
}

void Driver::put(const Argument& file, const std::string& content)
{
    std::string& there = m_there[file.text];
    if (there == content && fs::exists(file.text))
        return;
    std::ofstream(file.text, std::ios::binary | std::ios::trunc) << content;
    there = content;
}

void Driver::restore(const Line& line)
{
    for (const auto* list : {&line.command.arguments, &line.command.beside})
        for (const Argument& a : *list)
            if (!a.source.empty())
                put(a, m_sources.at(a.source));
}

Answer Driver::run(const std::vector<Argument>& arguments, bool isFirst)
{
    std::vector<std::string> words{"tilewright-cli"};
    for (const Argument& a : arguments) {
        words.push_back(a.text);
        if (a.format == "out" && isFirst)
            fs::remove_all(a.text);
    }
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    Answer out;
    std::ostringstream outText, errText;
    const auto start = std::chrono::steady_clock::now();
    try {
        out.code = cli::runCommandLine(static_cast<int>(words.size()), argv.data(), outText, errText);
    } catch (const std::exception& e) {
        int status = 0;
        char* name = abi::__cxa_demangle(typeid(e).name(), nullptr, nullptr, &status);
        out.exception =
            std::string(name ? name : typeid(e).name()) + ": " + std::string(e.what()).substr(0, 160);
        std::free(name);
    }
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    out.isJson = nlohmann::json::accept(outText.str());
    out.out = steady(outText.str());
    out.err = steady(errText.str());
    for (const Argument& a : arguments)
        if (a.format == "out") {
            std::error_code ec;
            if (fs::is_regular_file(a.text, ec))
                out.written[a.text] = contentOf(a.text);
            else if (fs::is_regular_file(a.text + "/table.csv", ec))
                out.written[a.text] = contentOf(a.text + "/table.csv");
        }
    return out;
}

const std::vector<Option>& Driver::optionsOf(const std::string& verb)
{
    const auto [found, isNew] = m_options.try_emplace(verb);
    if (!isNew)
        return found->second;
    const Answer help = run({{verb, {}, {}}, {"--help", {}, {}}});
    std::istringstream lines(help.out);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t at = line.find("--");
        if (line.size() < 5 || !line.starts_with("  -") || at > 6)
            continue;
        std::istringstream words(line.substr(at));
        Option o;
        words >> o.name;
        const std::string rest = line.substr(at + o.name.size());
        if (rest.size() > 1 && rest[1] != ' ')
            words >> o.value;
        o.value = o.value.substr(0, o.value.find('='));
        // These leave the process or the time that an execution has.
        static const std::set<std::string> kNot{"--slurm", "--write-training-set", "--held-out", "--help",
                                                "--sbatch"};
        if (!kNot.contains(o.name))
            found->second.push_back(o);
    }
    return found->second;
}

void Driver::mutateArguments(std::vector<Argument>& arguments, Mutation& m, Random& random)
{
    static const std::vector<std::string> kNoNumbers{"",  "nan", "inf", "-inf", "1x", "0x10",  "1e400", "1,5",
                                                     "+", "--",  "１",  "true", "1e", "1.2.3", "٣"};
    static const std::vector<std::string> kPaths{"",
                                                 ".",
                                                 "/",
                                                 "missing.json",
                                                 "/dev/null",
                                                 "a/b/c",
                                                 "/proc/self/mem",
                                                 "\xff\xfe.json",
                                                 std::string(300, 'n'),
                                                 "/dev/full",
                                                 "..",
                                                 "new\nline"};
    // Their numbers are the time of the run; others are tried.
    static const std::set<std::string> kTimes{"--seconds", "--iterations", "--prove", "--threads"};
    const std::vector<Option>& options = optionsOf(arguments.front().text);
    const Option& o = random.any(options);
    m.path = o.name;
    m.word = o.name;
    const auto present =
        std::find_if(arguments.begin(), arguments.end(), [&](const Argument& a) { return a.text == o.name; });
    const auto set = [&](const std::string& value) {
        const Argument a{value, {}, {}};
        if (present != arguments.end() && present + 1 != arguments.end()) {
            *(present + 1) = a;
            return;
        }
        arguments.push_back({o.name, {}, {}});
        arguments.push_back(a);
    };
    switch (random.below(8)) {
    case 0:
        m.kind = "misspelt-option";
        m.word = misspelt(o.name, random);
        if (m.word.starts_with("--")) // "-hidden" is -h, "-output" is -o
            m.owes = Owes::Name;
        arguments.push_back({m.word, {}, {}});
        return;
    case 1: {
        m.kind = "odd-path";
        const std::size_t i = 1 + random.below(arguments.size() - 1);
        m.path = "argument";
        arguments[i] = {random.any(kPaths), {}, {}};
        if (isDevice(arguments[i].text))
            m.kind = "odd-device";
        return;
    }
    case 2:
        m.kind = "dropped-argument";
        m.path = "argument";
        if (arguments.size() > 2)
            arguments.erase(arguments.begin() + 1 +
                            static_cast<std::ptrdiff_t>(random.below(arguments.size() - 1)));
        return;
    case 3: {
        m.kind = "doubled-argument";
        m.path = "argument";
        const Argument copy = arguments[1 + random.below(arguments.size() - 1)];
        arguments.push_back(copy);
        return;
    }
    default:
        break;
    }
    if (o.value.empty()) {
        m.kind = "flag";
        if (o.name != "--progress" && o.name != "--simulate")
            arguments.push_back({o.name, {}, {}});
    } else if (o.value.starts_with("N")) {
        const bool odd = random.oneIn(2) || kTimes.contains(o.name);
        m.kind = odd ? "no-number" : "number";
        m.owes = odd ? Owes::Name : Owes::Nothing;
        static const std::vector<std::string> kNumbers{"0", "1", "2", "3", "7", "16", "100", "-1", "1.5"};
        set(odd ? random.any(kNoNumbers) : random.oneIn(4) ? extremeNumber(random) : random.any(kNumbers));
    } else if (o.value.find('|') != std::string::npos && o.value.find("FILE") == std::string::npos) {
        std::vector<std::string> choices;
        std::istringstream words(o.value);
        for (std::string word; std::getline(words, word, '|');)
            choices.push_back(word);
        const bool odd = random.oneIn(4);
        m.kind = odd ? "no-choice" : "choice";
        m.owes = odd ? Owes::Name : Owes::Nothing;
        set(odd ? misspelt(random.any(choices), random) : random.any(choices));
    } else {
        const std::string value = random.oneIn(2) ? foreignText(random).c_str() : random.any(kPaths);
        m.kind = isDevice(value) ? "odd-device" : "odd-value";
        set(value);
    }
}

void Driver::execute(std::uint64_t seed, std::uint64_t execution,
                     const std::function<void(const std::string&)>& note)
{
    Random random(seed, execution);
    Line& line = m_lines[random.any(m_choices)];
    std::vector<Argument> arguments = line.command.arguments;
    Mutation m;
    std::string format = "arguments", file;
    const Mutator* mutator = nullptr;
    if (line.mutators.empty() || random.oneIn(20)) {
        mutateArguments(arguments, m, random);
    } else {
        const std::size_t which = random.below(line.mutators.size());
        const Argument& input = arguments[line.command.inputs[which]];
        mutator = line.mutators[which].get();
        m = mutator->mutate(random);
        format = input.format;
        file = input.text;
        put(input, m.input);
    }
    note(line.command.verb() + ' ' + format + ' ' + m.kind);
    if (m_verbose) {
        std::cerr << m_folder << ": tilewright-cli";
        for (const Argument& a : arguments)
            std::cerr << " '" << a.text << '\'';
        std::cerr << "\n" << m.kind << " at " << m.path << (file.empty() ? "" : " of " + file) << '\n';
    }
    const Answer answer = run(arguments);
    ++m_counts.executions;
    ++(answer.accepted() ? m_counts.accepted : m_counts.refused);
    if (m_verbose)
        std::cerr << "exit code " << answer.code << ", " << answer.seconds << " s\n"
                  << answer.out << answer.err << answer.exception << '\n';
    judge(line, m, format, file, answer, mutator);
    if (answer.exception.empty() && answer.code == 0 && !line.command.then.empty() && !file.empty()) {
        const Answer next = run(line.command.then, false);
        if (!next.accepted())
            find("then-refused " + line.command.verb() + ' ' + format + ' ' + m.kind,
                 next.err + next.exception);
    }
    restore(line);
    for (const Argument& a : arguments) // whatever a mutated argument has written
        if (a.source.empty() && a.format.empty() && !a.text.empty() &&
            a.text.find('/') == std::string::npos && a.text != "." && a.text != ".." &&
            !m_there.contains(a.text)) {
            std::error_code ec;
            fs::remove_all(a.text, ec);
        }
}

void Driver::judge(const Line& line, const Mutation& m, const std::string& format, const std::string& file,
                   const Answer& a, const Mutator* mutator)
{
    const std::string kind = line.command.verb() + ' ' + format + ' ' + m.kind;
    const std::string where = kind + ' ' + m.path;
    const std::string said = a.err.substr(0, 300);
    if (!a.exception.empty())
        return find("exception " + kind, a.exception);
    if (a.code != 0 && a.code != 1 && a.code != 2 && a.code != 130)
        find("exit-code-" + std::to_string(a.code) + ' ' + where, said);
    if (a.seconds > kSlowSeconds)
        find("slow " + kind, std::to_string(a.seconds) + " s");
    if (a.err.find("not enough memory") != std::string::npos)
        find("memory " + kind, said);
    for (const std::string* text : {&a.out, &a.err}) {
        if (const std::string fault = faultOf(*text, false); !fault.empty())
            find(fault + (text == &a.out ? " stdout " : " stderr ") + kind, text->substr(0, 400));
        if (text == &a.out && saysNotANumber(*text) && m.kind != "no-number" && m.kind != "wrong-type")
            find("not-a-number " + kind, text->substr(0, 400));
    }
    const bool isJson = std::any_of(line.command.arguments.begin(), line.command.arguments.end(),
                                    [](const Argument& x) { return x.text == "--json"; });
    if (a.accepted()) {
        if (isJson && !file.empty() && !a.isJson)
            find("bad-json " + where, a.out.substr(0, 300));
        for (const auto& [name, content] : a.written) {
            if (const std::string fault = faultOf(content, true); !fault.empty())
                find(fault + " file " + kind, name);
            if (!file.empty() && name.ends_with(".json") && !nlohmann::json::accept(content))
                find("bad-json file " + where, name);
        }
    } else {
        if (a.err.empty())
            find("no-message " + kind, "exit code " + std::to_string(a.code));
        if (!a.written.empty() && a.code == 2)
            find("left-after-refusal " + where, a.written.begin()->first);
    }
    if (file.empty()) {
        if (m.owes == Owes::Name && a.accepted() && occurrences(a.err, m.word) == 0)
            find("believed " + where, a.out.substr(0, 200));
        return;
    }
    const Answer& usual = line.usual;
    if (!a.accepted()) {
        const auto names = [&](const Argument& x) {
            return !x.source.empty() && a.err.find(x.text) != std::string::npos;
        };
        const auto& all = line.command.arguments;
        const bool isNamed = a.err.find(file) != std::string::npos;
        const bool isOther = std::any_of(all.begin(), all.end(), names);
        if (!isNamed && !isOther && a.err.find("--") == std::string::npos)
            find("unnamed-file " + kind, said);
        else if (!isNamed && isOther && (m.isBroken || mutator->isWrong(m.input)))
            find("blames-other " + kind, said);
        return;
    }
    const std::string now = a.out + a.err, before = usual.out + usual.err;
    const bool isSame =
        a.out == usual.out && a.err == usual.err && a.code == usual.code && a.written == usual.written;
    const bool isNamed =
        occurrences(now, m.word) > occurrences(before, m.word) || a.err.find(m.word) != std::string::npos;
    switch (m.owes) {
    case Owes::Name:
        if (!isNamed)
            find("believed " + where, m.word + (isSame ? ": the same answer" : ": another answer"));
        break;
    case Owes::NameIfWrong:
        if (!isNamed && mutator->isWrong(m.input))
            find("believed " + where, m.word + (isSame ? ": the same answer" : ": another answer"));
        break;
    case Owes::SameAnswer:
        if (!isSame && line.isSteady)
            find("believed " + where, a.out.substr(0, 200));
        break;
    case Owes::Effect:
        if (line.isSteady) {
            auto& [tries, changed] = m_effects[format + ' ' + m.path];
            ++tries;
            changed += isSame ? 0 : 1;
            m_counts.effects += isSame ? 0 : 1;
        }
        break;
    case Owes::Nothing:
        break;
    }
}

} // namespace tilewright::fuzz
