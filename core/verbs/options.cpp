// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/options.h"

#include "base/output_file.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace tilewright::verbs {

namespace {

Error notExpected(const std::string& expected, const std::string& text)
{
    return {ErrorCode::Field, "expected " + expected + ", got " + quotedExcerpt(text), {}, {}};
}

std::vector<std::string> split(std::string_view text, char by)
{
    std::vector<std::string> out;
    for (std::size_t at = 0; at != std::string_view::npos;
         text.remove_prefix(at == std::string_view::npos ? 0 : at + 1)) {
        at = text.find(by);
        out.emplace_back(text.substr(0, at));
    }
    return out;
}

/// True for a list of words such as "os|ws|is"; false for "FILE", "RxC" or "FILE|edge".
bool isChoice(std::string_view words)
{
    return words.find('|') != std::string_view::npos &&
           std::ranges::none_of(words, [](unsigned char c) { return std::isupper(c) != 0; });
}

} // namespace

std::string Option::identifier() const
{
    if (name == "MODEL" || name == "layer")
        return "workload";
    std::string out = name.substr(isPositional() ? 0 : name.find_first_not_of('-'));
    std::ranges::replace(out, '-', '_');
    return out;
}

std::string Option::description() const
{
    std::string out = help;
    for (std::string limit : limits) {
        limit.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(limit.front())));
        out += ". " + limit;
    }
    return otherwise.empty() ? out : out + ". Without it: " + otherwise;
}

Property OptionList::limit(bool holds, const std::string& sentence)
{
    return [=](Option& option) {
        option.limits.push_back(sentence);
        if (!holds && option.refusal.empty())
            option.refusal = sentence;
    };
}

Property OptionList::alone(bool holds, const std::string& what, const std::vector<std::string>& with)
{
    return [=](Option& option) {
        option.limits.push_back(what);
        option.isAlone = holds;
        option.company = with;
    };
}

Property OptionList::otherwise(const std::string& what)
{
    return [=](Option& option) {
        option.standard.clear();
        option.otherwise = what;
    };
}

Property OptionList::exactly(std::size_t number, const std::string& which)
{
    return [=](Option& option) {
        option.count = number;
        option.read = [=, read = option.read,
                       numbers = option.isNumber()](std::span<const std::string> texts) {
            const bool fits = partsOf(texts, numbers).size() == number;
            return fits ? read(texts) : Error{ErrorCode::Field, "expected " + which, {}, {}};
        };
    };
}

Option& OptionList::operator[](std::string_view name)
{
    return *std::ranges::find(m_options, name, &Option::name);
}

Option& OptionList::begin(const std::string& name, const std::string& help, const std::string& type)
{
    Option& out = m_options.emplace_back();
    const std::size_t comma = name.find(',');
    if (comma != std::string::npos)
        out.shortForm = name.substr(0, comma);
    out.name = name.substr(comma + 1); // npos + 1 is 0: without a comma, the whole name
    out.help = help;
    out.type = type;
    return out;
}

Status OptionList::check(const std::set<std::string>& given) const
{
    for (const Option& option : m_options) {
        if (!given.contains(option.name))
            continue;
        if (!option.refusal.empty())
            return Error{ErrorCode::Refused, option.refusal, option.name, {}};
        for (const std::string& other : given)
            if (option.isAlone && other != option.name && std::ranges::count(option.company, other) == 0)
                return Error{ErrorCode::Refused, "not with " + other, option.name, {}};
    }
    return Unit{};
}

Status OptionList::checkOutputs() const
{
    namespace fs = std::filesystem;
    const auto isSame = [](const std::string& a, const std::string& b) {
        std::error_code failed;
        if (fs::exists(a, failed)) // a device may be input and output
            return fs::is_regular_file(a, failed) && fs::equivalent(a, b, failed);
        const auto full = [&](const std::string& path) {
            return fs::weakly_canonical(fs::absolute(path), failed);
        };
        return full(a) == full(b) && !failed;
    };
    std::map<std::string, std::string> written; // key: file; value: option that names it
    const bool inPlace = m_given.contains("--in-place");
    bool isReplaced = false;
    for (const Option& option : m_options) {
        const auto files = m_files.find(option.name);
        if (!option.isOutput || files == m_files.end() || files->second.empty() ||
            files->second.back().empty() || files->second.back() == "-")
            continue;
        const std::string& path = files->second.back();
        std::vector<std::string> outputs;
        for (const std::string& name : option.inside)
            outputs.push_back((fs::path(path) / name).string());
        if (option.inside.empty())
            outputs.push_back(path);
        if (option.value == "FILE")
            if (Status s = checkOutput(path); !s)
                return s;
        if (std::error_code failed;
            option.value == "FOLDER" && fs::status(path, failed).type() == fs::file_type::none)
            return Error{ErrorCode::Io, "cannot be made (" + failed.message() + ")", {}, path};
        for (const std::string& output : outputs) {
            const auto refused = [&](const std::string& why) {
                return Error{ErrorCode::Refused, why + "; name another one", option.name, output};
            };
            const bool mayReplace = inPlace && option.name == "--output";
            for (const auto& [name, inputs] : m_files)
                if (!std::ranges::find(m_options, name, &Option::name)->isOutput)
                    for (const std::string& input : inputs)
                        if (isSame(output, input)) {
                            if (!mayReplace)
                                return refused("this file is read by the same call, as " + name);
                            isReplaced = true;
                        }
            for (const auto& [other, name] : written)
                if (isSame(output, other))
                    return refused("this file is written by the same call, by " + name);
            written.emplace(output, option.name);
        }
    }
    if (inPlace && !isReplaced)
        return Error{ErrorCode::Refused, "needs an --output that the call reads", "--in-place", {}};
    return Unit{};
}

Status OptionList::read(const std::string& name, std::span<const std::string> values)
{
    m_given.insert(name);
    const Option& option = (*this)[name];
    const bool isPath = option.isOutput || option.type == "path" || option.value.starts_with("FILE");
    if (isPath)
        m_files[name].assign(values.begin(), values.end());
    Status status = isPath && std::ranges::find(values, std::string()) != values.end()
                        ? Status(notExpected("the name of a file or folder", {}))
                        : option.read(values);
    if (status)
        return status;
    Error error = status.error();
    error.path = name;
    return error;
}

Error notOneOf(std::string_view words, const std::string& text)
{
    const std::vector<std::string> known = split(words, '|');
    std::string expected;
    for (std::size_t i = 0; i < known.size(); ++i)
        expected += (i == 0 ? "" : i + 1 == known.size() ? " or " : ", ") + known[i];
    return notExpected(expected, text);
}

Error notInRange(const Range& range, bool isInteger, const std::string& text)
{
    const std::string what = isInteger ? "an integer " : "a number ", min = formatGrouped(range.min);
    return notExpected(std::isfinite(range.max)   ? what + "from " + min + " to " + formatGrouped(range.max)
                       : std::isfinite(range.min) ? what + (range.above ? "above " : "of at least ") + min
                                                  : "a finite number",
                       text);
}

Status readValue(const std::string& text, std::string& out, std::string_view words)
{
    if (isChoice(words) && std::ranges::count(split(words, '|'), text) == 0)
        return notOneOf(words, text);
    if (text.empty())
        return notExpected(std::string(words), text);
    out = text;
    return Unit{};
}

std::string typeOfText(std::string_view value)
{
    return value == "FILE" || value == "FOLDER"                 ? "path"
           : !isChoice(value) && value.find('x') < value.size() ? "sizes"
                                                                : "str";
}

std::vector<std::string> partsOf(std::span<const std::string> values, bool areNumbers)
{
    std::vector<std::string> out;
    for (const std::string& value : values)
        if (areNumbers)
            std::ranges::move(split(value, ','), std::back_inserter(out));
        else
            out.push_back(value);
    return out;
}

} // namespace tilewright::verbs
