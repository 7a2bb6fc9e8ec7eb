// SPDX-License-Identifier: GPL-3.0-or-later
#include "stablehlo/program.h"

#include "base/integer.h"
#include "base/limits.h"
#include "base/utf8.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace tilewright::stablehlo {

namespace {

using Kind = Token::Kind;

Error fail(std::uint32_t line, std::string message)
{
    return problemError(lineText(line), std::move(message));
}

bool isOpening(const Token& t) noexcept
{
    return t.isSign('(') || t.isSign('[') || t.isSign('{');
}

/// True if a statement can begin with this token, and a continued line cannot.
bool beginsStatement(const Token& t) noexcept
{
    if (t.kind == Kind::Value || t.kind == Kind::String || t.kind == Kind::Alias || t.kind == Kind::Block)
        return true;
    constexpr std::array<std::string_view, 4> kWords{"return", "call", "module", "func"};
    return t.kind == Kind::Word &&
           (t.text.find('.') != std::string_view::npos || std::ranges::find(kWords, t.text) != kWords.end());
}

/// True if a statement continues after this token, whatever the next line begins with.
bool isOpenEnd(const Token& t) noexcept
{
    return t.kind == Kind::Arrow || t.isSign(',') || t.isSign('=') || t.isSign(':');
}

std::optional<std::int64_t> numberOf(std::string_view text)
{
    if (text == "true" || text == "false")
        return text == "true" ? 1 : 0;
    std::int64_t out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(out) : std::nullopt;
}

/// The integers in a literal: "[[1, 1], [0, 0]]", "1"; nullopt if it contains others.
std::optional<std::vector<std::int64_t>> numbersIn(std::string_view text)
{
    std::vector<std::int64_t> out;
    constexpr std::string_view kBetween = "[], \t\r\n";
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(kBetween), text.size()));
        if (text.empty())
            return out;
        const std::size_t end = std::min(text.find_first_of(kBetween), text.size());
        const auto number = numberOf(text.substr(0, end));
        if (!number)
            return std::nullopt;
        out.push_back(*number);
        text.remove_prefix(end);
    }
}

} // namespace

std::size_t Statement::resultCount() const noexcept
{
    std::size_t out = 0;
    for (const auto& result : results)
        out += result.second;
    return out;
}

std::size_t Program::after(std::size_t i) const noexcept
{
    return isOpening(m_tokens[i]) ? m_tokens[i].match + 1 : i + 1;
}

/// The end of the statement at `begin`. It is the end of its line, unless a bracket is open or the next line
/// continues the statement.
std::size_t Program::endOf(std::size_t begin, std::size_t end) const
{
    std::size_t i = begin;
    while (i < end) {
        const std::size_t next = after(i);
        const Token& last = m_tokens[next - 1];
        i = next;
        if (i < end && m_tokens[i].line != last.line && !isOpenEnd(last) && beginsStatement(m_tokens[i]))
            break;
    }
    return i;
}

Status Program::read()
{
    // Names of locations are defined after the program.
    for (std::size_t i = 0; i + 2 < m_tokens.size(); ++i)
        if (m_tokens[i].kind == Kind::Alias && m_tokens[i + 1].isSign('=') && m_tokens[i + 2].isWord("loc") &&
            m_tokens[i + 3].isSign('('))
            m_aliases.emplace(m_tokens[i].text, Range{i + 4, m_tokens[i + 3].match});
    return readAll({0, m_tokens.size() - 1}, 0);
}

std::optional<Range> Program::bodyIn(Range s) const
{
    std::optional<Range> out;
    for (std::size_t i = s.begin; i < s.end; i = after(i)) {
        const Token& t = m_tokens[i];
        if (t.isSign('{') && i > s.begin && !m_tokens[i - 1].isWord("attributes") &&
            !m_tokens[i - 1].isSign('<'))
            out = Range{i + 1, t.match};
        else if (t.isSign('(') && m_tokens[i + 1].isSign('{')) // in the generic form, regions are in brackets
            return Range{i + 2, m_tokens[i + 1].match};
    }
    return out;
}

Status Program::readAll(Range range, int depth)
{
    for (std::size_t at = range.begin; at < range.end;) {
        const Range s{at, endOf(at, range.end)};
        const Token& first = m_tokens[at];
        const bool generic = first.kind == Kind::String;
        at = s.end;
        if (first.text == "module" || first.text == "builtin.module") {
            if (m_name.empty() && m_tokens[s.begin + 1].kind == Kind::Symbol)
                m_name = m_tokens[s.begin + 1].text;
            const auto body = bodyIn(s);
            if (!body || depth >= kMaxNesting)
                return fail(first.line, "the module has no body");
            if (Status inside = readAll(*body, depth + 1); !inside)
                return inside;
        } else if (first.text == "func.func" || first.text == "func") {
            if (Status function = readFunction(s, generic); !function)
                return function;
        }
    }
    return Unit{};
}

Result<std::vector<Argument>> Program::argumentsIn(Range range) const
{
    std::vector<Argument> out;
    for (std::size_t i = range.begin; i < range.end;) {
        const Token& id = m_tokens[i];
        if (id.kind != Kind::Value || !m_tokens[i + 1].isSign(':'))
            return fail(id.line, "an argument of the form \"%name: type\" is expected here");
        i += 2;
        const auto type = typeAt(m_tokens, i);
        if (!type)
            return type.error();
        const std::size_t begin = i;
        while (i < range.end && !m_tokens[i].isSign(','))
            i = after(i);
        out.push_back({id.text, *type, locationIn({begin, std::min(i, range.end)}), id.line});
        ++i;
    }
    return out;
}

Status Program::readFunction(Range s, bool generic)
{
    Function out;
    out.line = m_tokens[s.begin].line;
    const auto body = bodyIn(s);
    if (body)
        out.body = *body;
    if (generic) {
        for (std::size_t i = s.begin; i + 2 < s.end && (!body || i < body->begin); ++i)
            if (m_tokens[i + 1].isSign('=') && m_tokens[i + 2].kind == Kind::String) {
                if (m_tokens[i].isWord("sym_name"))
                    out.name = m_tokens[i + 2].text;
                else if (m_tokens[i].isWord("sym_visibility"))
                    out.isPublic = m_tokens[i + 2].text == "public";
            }
        if (body && m_tokens[body->begin].kind == Kind::Block) {
            std::size_t i = body->begin + 1;
            if (m_tokens[i].isSign('(')) {
                auto arguments = argumentsIn({i + 1, m_tokens[i].match});
                if (!arguments)
                    return arguments.error();
                out.arguments = std::move(*arguments);
                i = after(i);
            }
            out.body.begin = std::min(m_tokens[i].isSign(':') ? i + 1 : i, out.body.end);
        }
    } else {
        for (std::size_t i = s.begin; i < s.end; i = after(i)) {
            if (m_tokens[i].isWord("private"))
                out.isPublic = false;
            if (m_tokens[i].kind == Kind::Symbol && m_tokens[i + 1].isSign('(')) {
                out.name = m_tokens[i].text;
                if (body) {
                    auto arguments = argumentsIn({i + 2, m_tokens[i + 1].match});
                    if (!arguments)
                        return arguments.error();
                    out.arguments = std::move(*arguments);
                }
                break;
            }
        }
    }
    if (out.name.empty())
        return fail(out.line, "the function has no name");
    if (!m_byName.emplace(out.name, m_functions.size()).second)
        return fail(out.line, "the function @" + printable(out.name) + " is defined twice");
    m_functions.push_back(std::move(out));
    return Unit{};
}

const Function* Program::find(std::string_view name) const
{
    const auto it = m_byName.find(name);
    return it == m_byName.end() ? nullptr : &m_functions[it->second];
}

Result<const Function*> Program::entry() const
{
    const Function* only = find("main");
    std::size_t count = only != nullptr ? 1 : 0;
    for (const Function& f : m_functions)
        if (f.name != "main" && f.isPublic && find("main") == nullptr) {
            only = &f;
            ++count;
        }
    if (count != 1)
        return problemError({}, m_functions.empty()
                                    ? "is MLIR without a function"
                                    : "is MLIR without a function @main, and " + std::to_string(count) +
                                          " of its functions are public");
    if (only->body.begin >= only->body.end)
        return fail(only->line, "the function @" + printable(only->name) + " has no body");
    return only;
}

std::string Program::locationName(Range range, int& left) const
{
    for (std::size_t i = range.begin; i < range.end && left > 0; ++i) {
        const Token& t = m_tokens[i];
        --left;
        // "file.py":3:1 is a position in a file, not a name.
        if (t.kind == Kind::String && !m_tokens[i + 1].isSign(':'))
            return printable(t.text);
        if (const auto alias = t.kind == Kind::Alias ? m_aliases.find(t.text) : m_aliases.end();
            alias != m_aliases.end())
            if (std::string name = locationName(alias->second, left); !name.empty())
                return name;
    }
    return {};
}

std::string Program::locationIn(Range range) const
{
    for (std::size_t i = range.begin; i + 1 < range.end; i = after(i))
        if (m_tokens[i].isWord("loc") && m_tokens[i + 1].isSign('(')) {
            int left = 64; // limit for locations of many parts or locations that refer to themselves
            return locationName({i + 2, m_tokens[i + 1].match}, left);
        }
    return {};
}

Status Program::readTypes(Statement& out, std::size_t colon) const
{
    std::size_t i = colon + 1;
    const auto list = [&](std::size_t end, std::vector<Type>& types) -> Status {
        while (i < end) {
            auto type = typeAt(m_tokens.first(end), i);
            if (!type)
                return type.error();
            types.push_back(std::move(*type));
            while (i < end && isOpening(m_tokens[i])) // skips attributes of a result
                i = after(i);
            if (i >= end || !m_tokens[i].isSign(','))
                break;
            ++i;
        }
        return Unit{};
    };
    const auto listOrOne = [&](std::vector<Type>& types) -> Status {
        if (i >= out.whole.end || !m_tokens[i].isSign('('))
            return list(out.whole.end, types);
        const std::size_t end = m_tokens[i].match;
        ++i;
        Status s = list(end, types);
        i = end + 1;
        return s;
    };
    if (Status s = listOrOne(out.operandTypes); !s)
        return s;
    out.hasSignature = i < out.whole.end && m_tokens[i].kind == Kind::Arrow;
    if (!out.hasSignature) {
        // The types are one type for all, or the types of all results, or the type of the result last.
        const std::size_t count = out.resultCount();
        if (out.operandTypes.size() == count)
            out.resultTypes = out.operandTypes;
        else if (!out.operandTypes.empty())
            out.resultTypes.assign(count, out.operandTypes.back());
        out.operandTypes.clear();
        return Unit{};
    }
    ++i;
    return listOrOne(out.resultTypes);
}

Result<Statement> Program::statementAt(std::size_t& at, std::size_t end) const
{
    Statement out;
    out.whole = {at, endOf(at, end)};
    out.line = m_tokens[at].line;
    std::size_t i = at;
    at = out.whole.end;
    while (i < out.whole.end && m_tokens[i].kind == Kind::Value) {
        std::size_t count = 1;
        const std::string_view id = m_tokens[i++].text;
        if (i + 1 < out.whole.end && m_tokens[i].isSign(':')) {
            const auto number = numberOf(m_tokens[i + 1].text);
            if (!number || *number < 1 || *number > 4096)
                return fail(out.line, "the number of results must be from 1 to 4096");
            count = static_cast<std::size_t>(*number);
            i += 2;
        }
        out.results.emplace_back(id, count);
        if (i < out.whole.end && m_tokens[i].isSign(','))
            ++i;
    }
    if (!out.results.empty()) {
        if (i >= out.whole.end || !m_tokens[i].isSign('='))
            return fail(out.line, "\"=\" is expected behind the results");
        ++i;
    }
    if (i >= out.whole.end || (m_tokens[i].kind != Kind::Word && m_tokens[i].kind != Kind::String))
        return fail(out.line, "the name of an operator is expected here");
    out.name = m_tokens[i++].text;
    std::size_t colon = i;
    while (colon < out.whole.end && !m_tokens[colon].isSign(':'))
        colon = after(colon);
    out.header = {i, std::min(colon, out.whole.end)};
    for (std::size_t k = i; k < out.header.end; k = m_tokens[k].isSign('{') ? after(k) : k + 1) {
        if (m_tokens[k].kind == Kind::Value && !m_tokens[k + 1].isSign('='))
            out.operands.push_back(m_tokens[k].text);
        else if (m_tokens[k].kind == Kind::Symbol && out.symbol.empty())
            out.symbol = m_tokens[k].text;
    }
    out.location = locationIn(out.whole);
    if (colon < out.whole.end)
        if (Status s = readTypes(out, colon); !s)
            return s.error();
    return out;
}

std::optional<std::size_t> Program::attribute(const Statement& s, std::string_view name) const
{
    for (std::size_t i = s.header.begin; i + 2 < s.header.end; i = m_tokens[i].isSign('(') ? after(i) : i + 1)
        if (m_tokens[i].text == name && m_tokens[i + 1].isSign('=') &&
            (m_tokens[i].kind == Kind::Word || m_tokens[i].kind == Kind::String))
            return i + 2;
    return std::nullopt;
}

Result<std::vector<std::int64_t>> Program::integersAt(std::size_t& at) const
{
    const Token& first = token(at);
    const auto bad = [&] { return fail(first.line, "a list of whole numbers is expected here"); };
    std::vector<std::int64_t> out;
    const auto collect = [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Token& t = m_tokens[i];
            if (t.isSign(',') || t.isSign('[') || t.isSign(']'))
                continue;
            const auto number = t.kind == Kind::Word ? numberOf(t.text) : std::nullopt;
            if (!number)
                return false;
            out.push_back(*number);
        }
        return true;
    };
    if (first.isSign('[')) {
        if (!collect(at + 1, first.match))
            return bad();
        at = first.match + 1;
        return out;
    }
    if (first.isWord("array") && token(at + 1).isSign('<')) {
        std::size_t end = at + 2;
        while (token(end).kind != Kind::End && !token(end).isSign('>'))
            ++end;
        const std::size_t begin = token(at + 3).isSign(':') ? at + 4 : std::min(at + 3, end);
        if (begin > end || !collect(begin, end))
            return bad();
        at = end + 1;
        return out;
    }
    if (first.kind == Kind::Dense) {
        auto numbers = numbersIn(first.text);
        if (!numbers)
            return bad();
        ++at;
        if (token(at).isSign(':')) { // a single number may stand for all elements
            ++at;
            const auto type = typeAt(m_tokens, at);
            if (!type)
                return type.error();
            const std::int64_t count = model::elementsOf(type->shape);
            if (numbers->size() == 1 && count > 1 && count <= 64)
                numbers->resize(static_cast<std::size_t>(count), numbers->front());
        }
        return std::move(*numbers);
    }
    const auto number = first.kind == Kind::Word ? numberOf(first.text) : std::nullopt;
    if (!number)
        return bad();
    ++at;
    return std::vector<std::int64_t>{*number};
}

Result<std::optional<std::vector<std::int64_t>>> Program::integers(const Statement& s,
                                                                   std::string_view name) const
{
    auto at = attribute(s, name);
    if (!at)
        return std::optional<std::vector<std::int64_t>>();
    auto out = integersAt(*at);
    if (!out)
        return out.error();
    return std::optional(std::move(*out));
}

bool Program::mentions(const Statement& s, std::string_view word) const
{
    for (std::size_t i = s.whole.begin; i < s.whole.end; ++i)
        if (m_tokens[i].text == word)
            return true;
    return false;
}

} // namespace tilewright::stablehlo
