// SPDX-License-Identifier: GPL-3.0-or-later
// Figures that can be asked: what each of them is, and how it came about.
#pragma once

#include "base/result.h"
#include "explanation/explanation.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::figures {

/// Properties of a figure that are the same in every answer. `address` is its path in the JSON document of
/// the answer: "subgraphs.*.latency", where the star stands for an index.
struct FigureKind
{
    std::string_view address;
    std::string_view title;          ///< noun: "latency of a subgraph"
    std::string_view meaning;        ///< definition of the figure, in sentences
    std::string_view leavesOut = {}; ///< effects that the figure does not include; may be empty
    std::string_view elsewhere = {}; ///< name of the figure in other programs; may be empty
};

/// One figure of an answer.
struct Figure
{
    std::string address; ///< address without star: "subgraphs.3.latency"
    std::string of; ///< element that the figure belongs to: "subgraph 3", "op conv1"; empty: the whole answer
    FigureKind kind;
    ExplainedValue value;
};

/// A group of elements, one of which replaces the star of an address.
struct FigureGroup
{
    std::string_view name;          ///< part of the address before the star: "subgraphs"
    std::vector<std::string> names; ///< name of each element; empty if the elements have no names
};

/// All figures of an answer. An explanation is computed only when it is requested. Must not be used longer
/// than the answer.
class Figures
{
public:
    /// Function that returns the explanation of a kind for an element (0 for addresses without star); nothing
    /// if the answer has no such figure.
    using Explain = std::function<std::optional<ExplainedValue>(std::size_t kind, std::size_t element)>;

    Figures(std::vector<FigureKind> kinds, std::vector<FigureGroup> groups, Explain explain)
        : m_kinds(std::move(kinds)), m_groups(std::move(groups)), m_explain(std::move(explain))
    {
    }
    [[nodiscard]] const std::vector<FigureKind>& kinds() const noexcept { return m_kinds; }
    /// Returns the addresses of all figures in the order of the kinds. For each group, the first `most`
    /// elements are listed.
    [[nodiscard]] std::vector<std::string> addresses(std::size_t most = std::size_t(-1)) const;
    /// Returns a figure. The address names an element by its index or its name, and may omit the last letter
    /// of a group: "subgraph.3.latency", "op.conv1.utilisation". The Error names the unknown part of the
    /// address and the possible values.
    [[nodiscard]] Result<Figure> find(std::string_view address) const;

private:
    [[nodiscard]] const FigureGroup* groupOf(std::string_view kindAddress) const;

    std::vector<FigureKind> m_kinds;
    std::vector<FigureGroup> m_groups;
    Explain m_explain;
};

/// A kind of figure, with the function that explains it in an answer of type Source.
template <typename Source> struct KindIn : FigureKind
{
    std::optional<ExplainedValue> (*explain)(const Source&, std::size_t element) = nullptr;
};
/// Returns the figures of a source, described by a table of kinds. `source` is copied.
template <typename Source>
[[nodiscard]] Figures figuresBy(std::span<const KindIn<Source>> kinds, std::vector<FigureGroup> groups,
                                Source source)
{
    return {{kinds.begin(), kinds.end()},
            std::move(groups),
            [kinds, source = std::move(source)](std::size_t kind, std::size_t element) {
                return kinds[kind].explain(source, element);
            }};
}

/// Returns a leaf whose value is another figure: its source is "figure subgraphs.3.latency".
[[nodiscard]] ExplainedValue figureLeaf(std::string name, std::string unit, double value,
                                        const std::string& address);
/// Returns the address of the figure that a leaf refers to; empty for leaves that refer to none.
[[nodiscard]] std::string_view figureOf(const ExplainedValue& leaf) noexcept;

/// Breaks a text into lines of at most kTextWidth characters. Each line begins with the indent.
[[nodiscard]] std::string wrapped(std::string_view text, std::string_view indent = {});
inline constexpr std::size_t kTextWidth = 100;

/// Returns the figure as lines of text: address, value, meaning, what it leaves out, and the tree.
[[nodiscard]] std::string figureText(const Figure& figure);
/// Returns the figure as one JSON object: {"address", "of", "title", "meaning", "leaves_out", "elsewhere",
/// "explanation"}. Empty texts are left out.
[[nodiscard]] std::string figureJson(const Figure& figure);
/// Returns a line with address, value, unit and title for each figure.
[[nodiscard]] std::string figureList(const Figures& figures, std::size_t most);

} // namespace tilewright::figures
