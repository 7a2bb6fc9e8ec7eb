// SPDX-License-Identifier: GPL-3.0-or-later
#include "llm/quantisation.h"

#include "base/integer.h"
#include "base/typed_number.h"
#include "llm/config.h"

#include <algorithm>
#include <regex>

namespace tilewright::llm {

namespace {

constexpr std::string_view kRegex = "re:";
constexpr std::size_t kLongestPattern = 512;

/// The matching time is linear in the length of the text for every pattern.
constexpr auto kSyntax = std::regex::ECMAScript | std::regex_constants::__polynomial;

/// True if the pattern equals `name` or one of its beginnings up to a dot.
bool beginsWith(std::string_view pattern, std::string_view name)
{
    std::size_t p = 0, n = 0, star = std::string_view::npos, from = 0;
    for (;;) {
        if (p == pattern.size() && (n == name.size() || name[n] == '.'))
            return true;
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            from = n;
        } else if (p < pattern.size() && n < name.size() && pattern[p] == name[n]) {
            ++p;
            ++n;
        } else if (star != std::string_view::npos && from < name.size()) {
            p = star + 1;
            n = ++from;
        } else {
            return false;
        }
    }
}

} // namespace

std::int64_t LlmFormat::weightBits(std::int64_t rows, std::int64_t columns) const
{
    std::int64_t out = bits;
    for (const LlmOverhead& o : overheads) {
        const std::int64_t shared = o.of == LlmOverhead::Of::Group ? o.weights
                                    : o.of == LlmOverhead::Of::Row ? rows
                                                                   : columns;
        out += ceilDiv(o.bits * kBit, std::max<std::int64_t>(1, shared));
    }
    return out;
}

Result<ModulePattern> ModulePattern::of(const std::string& text)
{
    const auto wrong = [&](const char* what) {
        return Error{ErrorCode::Field, what + (", got " + quotedExcerpt(text)), {}, {}};
    };
    if (text.empty() || text.size() > kLongestPattern)
        return wrong("expected a pattern of 1 to 512 characters");
    ModulePattern out;
    out.m_text = text;
    if (!text.starts_with(kRegex))
        return out;
    if (text.find('{') != std::string::npos)
        return wrong("a regular expression with counts ({2}) is not read");
    try {
        out.m_regex.emplace(text.substr(kRegex.size()), kSyntax);
    } catch (const std::regex_error&) {
        return wrong("expected a regular expression");
    }
    return out;
}

bool ModulePattern::names(std::string_view module) const
{
    if (m_regex)
        return std::regex_search(module.begin(), module.end(), *m_regex,
                                 std::regex_constants::match_continuous);
    for (std::size_t at = 0; at != std::string_view::npos;) {
        if (beginsWith(m_text, module.substr(at)))
            return true;
        at = module.find('.', at);
        at += at == std::string_view::npos ? 0 : 1;
    }
    return false;
}

ModuleFormats::ModuleFormats(const LlmQuantisation& quantisation) : m_quantisation(quantisation)
{
    for (const std::string& text : quantisation.kept)
        m_kept.push_back(*ModulePattern::of(text));
    for (const auto& own : quantisation.own)
        m_own.push_back(*ModulePattern::of(own.first));
}

const LlmFormat* ModuleFormats::of(std::string_view module, bool routedExpert) const
{
    const auto names = [&](const ModulePattern& pattern) { return pattern.names(module); };
    if (std::any_of(m_kept.begin(), m_kept.end(), names))
        return nullptr;
    for (std::size_t i = 0; i < m_own.size(); ++i)
        if (names(m_own[i]))
            return &m_quantisation.own[i].second;
    const bool stays = (m_quantisation.expertsOnly && !routedExpert) || m_quantisation.format.bits == 0;
    return stays ? nullptr : &m_quantisation.format;
}

} // namespace tilewright::llm
