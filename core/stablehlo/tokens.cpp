// SPDX-License-Identifier: GPL-3.0-or-later
#include "stablehlo/tokens.h"

#include "base/limits.h"
#include "base/utf8.h"

#include <algorithm>

namespace tilewright::stablehlo {

namespace {

/// Maximum number of tokens. A text of 64 MiB with fewer tokens takes 300 MB of memory.
constexpr std::size_t kMaxTokens = 8'000'000;

bool isDigit(char c) noexcept
{
    return c >= '0' && c <= '9';
}
bool isWordCharacter(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c) || c == '_' || c == '.' ||
           c == '$' || c == '?' || c == '*';
}

class Lexer
{
public:
    explicit Lexer(std::string_view text) : m_text(text) {}

    Result<std::vector<Token>> run()
    {
        while (skipSpace()) {
            if (m_tokens.size() >= kMaxTokens)
                return fail("more than " + std::to_string(kMaxTokens) + " words and signs", m_line);
            if (Status s = next(); !s)
                return s.error();
        }
        if (!m_open.empty()) {
            const Token& open = m_tokens[m_open.back()];
            return fail("the bracket \"" + std::string(open.text) + "\" is not closed", open.line);
        }
        m_tokens.push_back({Token::Kind::End, {}, m_line, 0});
        return std::move(m_tokens);
    }

private:
    [[nodiscard]] static Error fail(std::string message, std::uint32_t line)
    {
        return {ErrorCode::Syntax, std::move(message), lineText(line), {}};
    }
    [[nodiscard]] char at(std::size_t i) const noexcept { return i < m_text.size() ? m_text[i] : '\0'; }
    [[nodiscard]] std::size_t endOfWord(std::size_t i) const noexcept
    {
        while (i < m_text.size() && isWordCharacter(m_text[i]))
            ++i;
        return i;
    }

    /// Skips spaces and comments. Returns false at the end of the text.
    bool skipSpace()
    {
        for (; m_at < m_text.size(); ++m_at) {
            const char c = m_text[m_at];
            if (c == '/' && at(m_at + 1) == '/')
                m_at = std::min(m_text.find('\n', m_at), m_text.size());
            if (at(m_at) == '\n')
                ++m_line;
            else if (m_at < m_text.size() && c != ' ' && c != '\t' && c != '\r')
                return true;
        }
        return false;
    }

    void add(Token::Kind kind, std::size_t begin, std::size_t end, std::size_t next)
    {
        m_tokens.push_back({kind, m_text.substr(begin, end - begin), m_line, 0});
        m_at = next;
    }

    /// Index of the end of the quoted text that begins at `i`; npos if there is none.
    [[nodiscard]] std::size_t endOfString(std::size_t i) const noexcept
    {
        for (++i; i < m_text.size() && m_text[i] != '"'; ++i)
            if (m_text[i] == '\\')
                ++i;
        return i < m_text.size() ? i : std::string_view::npos;
    }

    Status string()
    {
        const std::size_t end = endOfString(m_at);
        if (end == std::string_view::npos)
            return fail("a text in quotes does not end", m_line);
        const std::size_t begin = m_at + 1;
        add(Token::Kind::String, begin, end, end + 1);
        m_line += static_cast<std::uint32_t>(std::ranges::count(m_text.substr(begin, end - begin), '\n'));
        return Unit{};
    }

    /// Reads a literal of many numbers as a single token, since weights are not read.
    Status dense(std::size_t open)
    {
        std::size_t end = open + 1;
        for (; end < m_text.size() && m_text[end] != '>'; ++end)
            if (m_text[end] == '"')
                end = std::min(endOfString(end), m_text.size() - 1);
        if (end >= m_text.size() || m_text[end] != '>')
            return fail("the literal \"dense<\" does not end", m_line);
        add(Token::Kind::Dense, open + 1, end, end + 1);
        m_line +=
            static_cast<std::uint32_t>(std::ranges::count(m_text.substr(open + 1, end - open - 1), '\n'));
        return Unit{};
    }

    Status bracket(char c)
    {
        if (c == '(' || c == '[' || c == '{') {
            if (m_open.size() >= kMaxNesting)
                return fail("brackets are nested more than " + std::to_string(kMaxNesting) + " levels deep",
                            m_line);
            m_open.push_back(m_tokens.size());
            return Unit{};
        }
        const char opening = c == ')' ? '(' : c == ']' ? '[' : '{';
        if (m_open.empty() || !m_tokens[m_open.back()].isSign(opening))
            return fail(std::string("the bracket \"") + c + "\" closes nothing", m_line);
        m_tokens[m_open.back()].match = static_cast<std::uint32_t>(m_tokens.size());
        m_open.pop_back();
        return Unit{};
    }

    Status next()
    {
        const char c = m_text[m_at];
        if (c == '"')
            return string();
        if (isWordCharacter(c) || (c == '-' && isDigit(at(m_at + 1)))) {
            const std::size_t end = endOfWord(m_at + 1);
            const std::string_view word = m_text.substr(m_at, end - m_at);
            if ((word == "dense" || word == "dense_resource" || word == "sparse") && at(end) == '<')
                return dense(end);
            add(Token::Kind::Word, m_at, end, end);
            return Unit{};
        }
        const Token::Kind kind = c == '%'   ? Token::Kind::Value
                                 : c == '@' ? Token::Kind::Symbol
                                 : c == '^' ? Token::Kind::Block
                                            : Token::Kind::Alias;
        if (c == '@' && at(m_at + 1) == '"') {
            ++m_at;
            if (Status s = string(); !s)
                return s;
            m_tokens.back().kind = kind;
            return Unit{};
        }
        if (c == '%' || c == '@' || c == '^' || c == '#' || c == '!') {
            std::size_t end = endOfWord(m_at + 1);
            while (at(end) == '-' && isWordCharacter(at(end + 1)))
                end = endOfWord(end + 1);
            if (end == m_at + 1)
                return fail(std::string("a name is missing behind \"") + c + "\"", m_line);
            if (c == '%' && at(end) == '#' && isDigit(at(end + 1)))
                end = endOfWord(end + 1);
            // The text of a symbol is its name without "@". Other tokens keep their first character.
            add(kind, c == '@' ? m_at + 1 : m_at, end, end);
            return Unit{};
        }
        if (c == '-' && at(m_at + 1) == '>') {
            add(Token::Kind::Arrow, m_at, m_at + 2, m_at + 2);
            return Unit{};
        }
        constexpr std::string_view kSigns = "()[]{}<>,:=-+|&/;";
        if (kSigns.find(c) == std::string_view::npos)
            return fail("\"" + printable(m_text.substr(m_at, 1)) + "\" is not expected here", m_line);
        if (std::string_view("()[]{}").find(c) != std::string_view::npos)
            if (Status s = bracket(c); !s)
                return s;
        add(Token::Kind::Sign, m_at, m_at + 1, m_at + 1);
        return Unit{};
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::uint32_t m_line = 1;
    std::vector<Token> m_tokens;
    std::vector<std::size_t> m_open;
};

} // namespace

std::string lineText(std::uint32_t line)
{
    return "line " + std::to_string(line);
}

Result<std::vector<Token>> tokensOf(std::string_view text)
{
    if (text.starts_with("\xef\xbb\xbf"))
        text.remove_prefix(3);
    return Lexer(text).run();
}

} // namespace tilewright::stablehlo
