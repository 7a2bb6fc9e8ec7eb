// SPDX-License-Identifier: GPL-3.0-or-later
#include "overlay/match.h"

#include "base/utf8.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <unordered_map>

namespace tilewright::overlay {

namespace {

/// The endings of a name that begin at the start of one of its parts, the shortest first; the name itself is
/// the last one. Separators are replaced by "/".
std::vector<std::string> endingsOf(std::string name)
{
    constexpr std::size_t kMost = 16; // maximum number of parts that are compared
    for (char& c : name)
        if (c == '.' || c == ':')
            c = '/';
    std::vector<std::string> out;
    std::size_t end = name.size();
    while (end > 0 && out.size() < kMost) {
        const std::size_t at = name.rfind('/', end - 1);
        const std::size_t from = at == std::string::npos ? 0 : at + 1;
        if (from < end) // adjacent separators count as one
            out.push_back(name.substr(from));
        if (at == std::string::npos)
            break;
        end = at;
    }
    return out;
}

class Matcher
{
public:
    Matcher(const NamedValues& values, const lower::ModelOnMachine& model)
        : m_values(values), m_model(model), m_found(model.model().operators.size())
    {
        for (std::size_t i = 0; i < m_found.size(); ++i)
            m_ops.push_back(0);
        for (const OperatorId op : model.lowered.source)
            ++m_ops[op.index()];
    }

    Matches run()
    {
        std::vector<std::size_t> rest;
        if (m_values.form == Form::ScaleSim)
            byPosition();
        else
            rest = byEnding(byOp(byName()));
        for (const std::size_t value : rest)
            m_out.values.push_back({value, "no operator has this name"});
        for (std::size_t i = 0; i < m_found.size(); ++i)
            if (m_found[i])
                m_out.matches.push_back(std::move(*m_found[i]));
            else if (m_ops[i] > 0)
                m_out.operators.emplace_back(i);
        std::ranges::stable_sort(m_out.values, {}, &UnmatchedValue::value);
        return std::move(m_out);
    }

private:
    [[nodiscard]] const std::string& nameOf(std::size_t op) const
    {
        return m_model.model().operators[OperatorId(op)].name;
    }
    void take(std::size_t op, MatchKind kind, std::size_t value, std::string ending = {})
    {
        m_found[op] = Match{OperatorId(op), kind, {value}, m_ops[op], std::move(ending)};
    }
    void refuse(std::size_t value, std::string reason) { m_out.values.push_back({value, std::move(reason)}); }

    void byPosition()
    {
        std::vector<std::size_t> products;
        for (std::size_t i = 0; i < m_found.size(); ++i)
            if (const auto kind = m_model.model().operators[OperatorId(i)].kind;
                kind == model::OperatorKind::MatMul || kind == model::OperatorKind::Conv2d)
                products.push_back(i);
        for (std::size_t v = 0; v < m_values.values.size(); ++v) {
            const std::string& name = m_values.values[v].name;
            std::size_t at = 0;
            const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), at);
            if (error != std::errc() || end != name.data() + name.size() || at >= products.size())
                refuse(v, "there is no product at this position");
            else
                take(products[at], MatchKind::Position, v);
        }
    }

    std::vector<std::size_t> byName()
    {
        std::unordered_map<std::string_view, std::vector<std::size_t>> operators;
        for (std::size_t i = 0; i < m_found.size(); ++i)
            operators[nameOf(i)].push_back(i);
        std::vector<std::size_t> rest;
        for (std::size_t v = 0; v < m_values.values.size(); ++v) {
            const auto it = operators.find(m_values.values[v].name);
            if (it == operators.end())
                rest.push_back(v);
            else if (it->second.size() > 1)
                refuse(v, std::to_string(it->second.size()) + " operators have this name");
            else
                take(it->second.front(), MatchKind::Exact, v);
        }
        return rest;
    }

    using OperatorsOfOps = std::unordered_map<std::string, std::size_t>;
    /// True if the name of the operator is also the name of one of its ops.
    [[nodiscard]] bool isOpName(const OperatorsOfOps& operators, const Match& match) const
    {
        const auto it = operators.find(m_values.values[match.values.front()].name);
        return match.kind == MatchKind::Exact && it != operators.end() && it->second == match.op.index();
    }

    std::vector<std::size_t> byOp(const std::vector<std::size_t>& values)
    {
        OperatorsOfOps operators;
        const Problem& problem = *m_model.problem;
        for (std::size_t i = 0; i < problem.opCount(); ++i)
            operators.emplace(problem.opName(OpId(i)), m_model.operatorOf(OpId(i)).index());
        std::vector<std::size_t> rest;
        for (const std::size_t v : values) {
            const auto it = operators.find(m_values.values[v].name);
            if (it == operators.end())
                rest.push_back(v);
            else if (auto& found = m_found[it->second]; !found)
                take(it->second, MatchKind::Op, v);
            else if (found->kind == MatchKind::Op || isOpName(operators, *found)) {
                found->kind = MatchKind::Op;
                found->values.push_back(v);
            } else
                refuse(v, "its operator " + printable(nameOf(it->second)) + " has a value of its own");
        }
        return rest;
    }

    std::vector<std::size_t> byEnding(const std::vector<std::size_t>& values)
    {
        std::unordered_map<std::string, std::vector<std::size_t>> operators;
        for (std::size_t i = 0; i < m_found.size(); ++i)
            if (!m_found[i] && m_ops[i] > 0)
                for (const std::string& ending : endingsOf(nameOf(i)))
                    operators[ending].push_back(i);
        struct Claim
        {
            std::size_t value = 0;
            std::string ending;
        };
        std::map<std::size_t, std::vector<Claim>> claims; // key: index of the operator
        std::vector<std::size_t> rest;
        for (const std::size_t v : values) {
            std::size_t several = 0;
            bool claimed = false;
            for (const std::string& ending : endingsOf(m_values.values[v].name)) {
                const auto it = operators.find(ending);
                if (it == operators.end())
                    break; // longer endings do not match either
                several = it->second.size();
                if (several == 1) {
                    claims[it->second.front()].push_back({v, ending});
                    claimed = true;
                    break;
                }
            }
            if (claimed)
                continue;
            if (several > 1)
                refuse(v, std::to_string(several) + " operators have this ending");
            else
                rest.push_back(v);
        }
        for (const auto& [op, of] : claims)
            if (of.size() == 1)
                take(op, MatchKind::Ending, of.front().value, printable(of.front().ending));
            else
                for (const Claim& claim : of)
                    refuse(claim.value,
                           std::to_string(of.size()) + " names have the ending of " + printable(nameOf(op)));
        return rest;
    }

    const NamedValues& m_values;
    const lower::ModelOnMachine& m_model;
    std::vector<std::optional<Match>> m_found; ///< per operator
    std::vector<std::size_t> m_ops;            ///< per operator: number of its ops
    Matches m_out;
};

} // namespace

std::string_view titleOf(MatchKind kind) noexcept
{
    switch (kind) {
    case MatchKind::Op:
        return "op";
    case MatchKind::Ending:
        return "ending";
    case MatchKind::Position:
        return "position";
    case MatchKind::Exact:
        break;
    }
    return "name";
}

std::string Match::text() const
{
    switch (kind) {
    case MatchKind::Op:
        return std::to_string(values.size()) + " of its " + std::to_string(ops) + " ops";
    case MatchKind::Ending:
        return "ending " + ending;
    case MatchKind::Position:
    case MatchKind::Exact:
        break;
    }
    return std::string(titleOf(kind));
}

Matches matchNames(const NamedValues& values, const lower::ModelOnMachine& model)
{
    return Matcher(values, model).run();
}

} // namespace tilewright::overlay
