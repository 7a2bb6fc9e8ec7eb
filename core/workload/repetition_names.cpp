// SPDX-License-Identifier: GPL-3.0-or-later
// Names of repeating blocks, derived from op names.
#include "workload/repetition_names.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace tilewright {

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

} // namespace

std::optional<NumberInName> numberInName(std::string_view name, std::string_view other)
{
    const auto [at, there] = std::mismatch(name.begin(), name.end(), other.begin(), other.end());
    auto begin = static_cast<std::size_t>(at - name.begin());
    while (begin > 0 && isDigit(name[begin - 1]))
        --begin;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(name.data() + begin, name.data() + name.size(), number);
    if (error != std::errc() || begin >= name.size() || !isDigit(name[begin]))
        return std::nullopt;
    return NumberInName{std::string(name.substr(0, begin)), number};
}

std::vector<std::int64_t> numbersOfOps(const Problem& problem, const Repetition& repetition)
{
    const std::vector<OpId>& last = repetition.blocks.back();
    const std::vector<OpId>& before = repetition.blocks[repetition.count() - 2];
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < last.size(); ++i) {
        const auto number = numberInName(problem.op(last[i]).name, problem.op(before[i]).name);
        out.push_back(number ? number->number : -1);
    }
    return out;
}

void nameBlocks(const Problem& problem, Repetition& repetition)
{
    repetition.name = "block";
    repetition.numbers.clear();
    for (std::size_t b = 0; b < repetition.count(); ++b)
        repetition.numbers.push_back(static_cast<std::int64_t>(b));
    // A common name requires that every op of every block has this prefix and number.
    std::optional<std::string> prefix;
    std::vector<std::int64_t> numbers(repetition.count(), -1);
    for (std::size_t b = 0; b < repetition.count(); ++b)
        for (std::size_t i = 0; i < repetition.period(); ++i) {
            const std::string& other = problem.op(repetition.blocks[b == 0 ? 1 : 0][i]).name;
            const auto number = numberInName(problem.op(repetition.blocks[b][i]).name, other);
            if (!number || (prefix && number->prefix != *prefix) ||
                (numbers[b] >= 0 && numbers[b] != number->number))
                return;
            prefix = number->prefix;
            numbers[b] = number->number;
        }
    for (std::size_t b = 1; b < repetition.count(); ++b)
        if (numbers[b] <= numbers[b - 1])
            return;
    while (!prefix->empty() && std::string_view("._-/:[ ").find(prefix->back()) != std::string_view::npos)
        prefix->pop_back();
    if (!prefix->empty())
        repetition.name = *prefix;
    repetition.numbers = std::move(numbers);
}

std::string Repetition::label(std::size_t block) const
{
    return name + ' ' + std::to_string(numbers[block]);
}

} // namespace tilewright
