// SPDX-License-Identifier: GPL-3.0-or-later
#include "figures/figure.h"

#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace tilewright::figures {

namespace {

constexpr std::string_view kFigureSource = "figure ";

std::string withElement(std::string_view address, std::size_t element)
{
    const std::size_t star = address.find('*');
    std::string out(address.substr(0, star));
    if (star != std::string_view::npos) {
        out += std::to_string(element);
        out += address.substr(star + 1);
    }
    return out;
}

/// Returns the part of an address after the group: "3.latency" for "subgraphs.3.latency" and for
/// "subgraph.3.latency". Nothing if the address begins with another group.
std::optional<std::string_view> behindGroup(std::string_view address, std::string_view group)
{
    for (const std::size_t size : {group.size(), group.size() - (group.ends_with('s') ? 1 : 0)})
        if (address.size() > size && address[size] == '.' && address.starts_with(group.substr(0, size)))
            return address.substr(size + 1);
    return {};
}

/// Text of an element: "subgraph 3", "op conv1".
std::string elementName(const FigureGroup& group, std::size_t element)
{
    std::string_view one = group.name;
    if (one.ends_with('s'))
        one.remove_suffix(1);
    const std::string& name = group.names[element];
    return std::string(one == "per_core" ? "core" : one) + " " +
           (name.empty() ? std::to_string(element) : name);
}

Error unknown(const std::string& what)
{
    return {ErrorCode::Field, what, {}, {}};
}

} // namespace

const FigureGroup* Figures::groupOf(std::string_view kindAddress) const
{
    const std::size_t star = kindAddress.find(".*");
    if (star == std::string_view::npos)
        return nullptr;
    const auto found = std::ranges::find(m_groups, kindAddress.substr(0, star), &FigureGroup::name);
    return found == m_groups.end() ? nullptr : &*found;
}

std::vector<std::string> Figures::addresses(std::size_t most) const
{
    std::vector<std::string> out;
    for (std::size_t kind = 0; kind < m_kinds.size(); ++kind) {
        const FigureGroup* const group = groupOf(m_kinds[kind].address);
        const std::size_t count = group ? std::min(most, group->names.size()) : 1;
        for (std::size_t element = 0; element < count; ++element)
            if (m_explain(kind, element))
                out.push_back(withElement(m_kinds[kind].address, element));
    }
    return out;
}

Result<Figure> Figures::find(std::string_view address) const
{
    // Names of elements may contain dots, so the end of the address decides.
    const FigureGroup* named = nullptr;
    std::optional<std::string_view> unread; // what stands where an element is expected, and is none
    for (std::size_t kind = 0; kind < m_kinds.size(); ++kind) {
        const std::string_view pattern = m_kinds[kind].address;
        const FigureGroup* const group = groupOf(pattern);
        std::size_t element = 0;
        if (!group) {
            if (pattern != address)
                continue;
        } else {
            const auto behind = behindGroup(address, group->name);
            if (!behind)
                continue;
            named = group;
            const std::string_view end = pattern.substr(pattern.find('*') + 1);
            if (!behind->ends_with(end) || behind->size() <= end.size())
                continue;
            const std::string_view text = behind->substr(0, behind->size() - end.size());
            const auto byName = std::ranges::find(group->names, text);
            element = static_cast<std::size_t>(byName - group->names.begin());
            if (byName == group->names.end()) {
                const auto read = std::from_chars(text.data(), text.data() + text.size(), element);
                if (read.ec != std::errc() || read.ptr != text.data() + text.size() ||
                    element >= group->names.size()) {
                    // "layers.0.padding.k" ends as "layers.*.k" does, too
                    if (!unread || text.size() < unread->size())
                        unread = text;
                    continue;
                }
            }
        }
        if (auto value = m_explain(kind, element))
            return Figure{withElement(pattern, element), group ? elementName(*group, element) : std::string(),
                          m_kinds[kind], *std::move(value)};
        return unknown("this answer has no " + quotedExcerpt(address));
    }
    if (unread)
        return unknown("there is no " + quotedExcerpt(*unread) + " among the " +
                       formatGrouped(static_cast<double>(named->names.size())) + " " +
                       std::string(named->name));
    std::string known;
    for (const FigureKind& kind : m_kinds)
        if (!named || groupOf(kind.address) == named) {
            known += known.empty() ? "" : ", ";
            known += kind.address;
        }
    return unknown("there is no figure " + quotedExcerpt(address) + "; there are " + known);
}

std::string wrapped(std::string_view text, std::string_view indent)
{
    std::string out(indent);
    std::size_t used = indent.size();
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t space = std::min(text.find(' ', at), text.size());
        const std::string_view word = text.substr(at, space - at);
        if (used > indent.size() && used + 1 + word.size() > kTextWidth) {
            out += '\n';
            out += indent;
            used = indent.size();
        } else if (used > indent.size()) {
            out += ' ';
            ++used;
        }
        out += word;
        used += word.size();
        at = space + 1;
    }
    return out + '\n';
}

ExplainedValue figureLeaf(std::string name, std::string unit, double value, const std::string& address)
{
    return leaf(std::move(name), std::move(unit), value, std::string(kFigureSource) + address);
}

std::string_view figureOf(const ExplainedValue& leaf) noexcept
{
    const std::string_view source = leaf.source;
    return source.starts_with(kFigureSource) ? source.substr(kFigureSource.size()) : std::string_view();
}

std::string figureText(const Figure& figure)
{
    std::string out = figure.address + ": " + std::string(figure.kind.title) +
                      (figure.of.empty() ? "" : " (" + figure.of + ")") + "\n";
    const auto line = [&](std::string_view what, std::string_view text) {
        if (!text.empty())
            out += wrapped(std::string(what) + std::string(text));
    };
    line("", figure.kind.meaning);
    line("Leaves out: ", figure.kind.leavesOut);
    line("Elsewhere: ", figure.kind.elsewhere);
    return out + explanationText(figure.value);
}

std::string figureList(const Figures& figures, std::size_t most)
{
    std::string out;
    for (const std::string& address : figures.addresses(most))
        if (const auto figure = figures.find(address)) {
            out += address;
            out += ": " + valueText(figure->value);
            if (!figure->value.unit.empty())
                out += " " + figure->value.unit;
            out += ", ";
            out += figure->kind.title;
            out += '\n';
        }
    return out;
}

} // namespace tilewright::figures
