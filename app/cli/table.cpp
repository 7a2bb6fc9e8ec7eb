// SPDX-License-Identifier: GPL-3.0-or-later
#include "table.h"

#include "base/text.h"
#include "eval/waste.h"

#include <algorithm>
#include <iostream>
#include <numeric>
#include <string_view>

namespace tilewright::cli {

namespace {

/// True if the cell has only digits, signs, separators and characters beyond ASCII. Numbers have some of
/// these, for example the thin space (base/text.h).
bool isNumber(const std::string& cell)
{
    constexpr std::string_view kSigns = "0123456789.,+-% ";
    return !cell.empty() && std::ranges::all_of(cell, [&](char c) {
        return static_cast<unsigned char>(c) >= 0x80 || kSigns.find(c) != std::string_view::npos;
    });
}

/// Width in characters, not in bytes of UTF-8.
std::size_t widthOf(std::string_view text)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

} // namespace

std::string padded(const std::string& text, std::size_t width, bool right)
{
    const std::size_t now = widthOf(text);
    const std::string blanks(now < width ? width - now : 0, ' ');
    return right ? blanks + text : text + blanks;
}

void print(const Table& table)
{
    std::vector<std::string> lines(table.rowCount() + 1);
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        std::size_t width = 0;
        bool right = true;
        std::vector<std::string> cells{table.columns[c].title};
        for (std::size_t row = 0; row < table.rowCount(); ++row) {
            cells.push_back(table.shown(row, c));
            right = right && isNumber(cells.back());
        }
        for (const std::string& cell : cells)
            width = std::max(width, widthOf(cell));
        for (std::size_t i = 0; i < cells.size(); ++i)
            lines[i].append(c == 0 ? "" : "  ").append(padded(cells[i], width, right));
    }
    for (const std::string& line : lines)
        std::cout << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
}

namespace {

std::string granularity(const Granularity& g)
{
    return formatGrouped(g.w) + " x " + formatGrouped(g.h) + " x " + formatGrouped(g.k);
}

std::string opList(const std::vector<OpId>& ops)
{
    constexpr std::size_t kShown = 6;
    std::string out;
    for (std::size_t i = 0; i < ops.size() && i < kShown; ++i)
        out += (i > 0 ? "," : "") + std::to_string(ops[i].value);
    return ops.size() > kShown ? out + ",... (" + std::to_string(ops.size()) + ")" : out;
}

/// Returns the `most` subgraphs with the highest latency, in the order of the schedule; all subgraphs if
/// there are at most that many.
std::vector<std::size_t> shownOf(const Evaluation& evaluation, std::size_t most)
{
    std::vector<std::size_t> out(evaluation.subgraphs.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
    if (out.size() <= most)
        return out;
    std::ranges::stable_sort(out, std::greater{},
                             [&](std::size_t i) { return evaluation.subgraphs[i].latency; });
    out.resize(most);
    std::ranges::sort(out);
    return out;
}

} // namespace

void printSubgraphs(const Problem& problem, const Schedule& schedule, const Evaluation& evaluation,
                    std::size_t most)
{
    const std::int64_t capacity = problem.hardware().fastMemoryCapacity;
    const bool named = std::ranges::any_of(problem.ops(), [](const Op& op) { return !op.name.empty(); });
    std::vector<TableText> header{"#",       "ops",    "w x h x k", "order", "tiles",       "steps",
                                  "compute", "memory", "latency",   "bound", "working set", "of capacity"};
    if (problem.hasEnergy())
        header.emplace_back("energy pJ");
    const std::vector<Waste> waste = wasteOf(problem, schedule, evaluation);
    const auto anyOf = [&](const auto& has) {
        return std::ranges::any_of(waste, [&](const Waste& w) { return w.loads && has(*w.loads); });
    };
    const bool reloads = anyOf([](const Reloads&r) { return r.again > 0; }),
               halos = anyOf([](const Reloads&r) { return r.halo > 0; });
    if (reloads)
        header.emplace_back("loaded again");
    if (halos)
        header.emplace_back("halo");
    const std::size_t figures = header.size();
    if (named)
        header.emplace_back("names");
    Table table(header);
    const std::vector<std::size_t> shown = shownOf(evaluation, most);
    for (const std::size_t i : shown) {
        const Subgraph& s = schedule[SubgraphId(i)];
        const SubgraphEvaluation& e = evaluation.subgraphs[i];
        std::vector<TableCell> row{std::to_string(i), opList(s.ops), granularity(s.granularity),
                                   traversalName(s.traversal.kind())};
        if (e.structurallyValid)
            row.insert(row.end(),
                       {formatGrouped(e.rows) + " x " + formatGrouped(e.cols), e.steps, e.compute, e.memory,
                        e.latency, boundName(e.bound), e.peakWorkingSet,
                        percent(static_cast<double>(e.peakWorkingSet) / static_cast<double>(capacity))});
        if (e.structurallyValid && problem.hasEnergy())
            row.emplace_back(e.energy);
        if (e.structurallyValid && reloads)
            row.emplace_back(waste[i].again());
        if (e.structurallyValid && halos)
            row.emplace_back(waste[i].halo());
        row.resize(figures, "-");
        if (named)
            row.emplace_back(opNames(problem, s.ops));
        table.add(std::move(row));
    }
    print(table);
    if (const std::size_t rest = evaluation.subgraphs.size() - shown.size(); rest > 0)
        std::cout << "and " << formatGrouped(rest) << " more, none of which takes longer\n";
}

void printLensNotes(const std::vector<std::string>& notes)
{
    for (const std::string& note : notes)
        std::cout << "note         " << note << '\n';
}

void printLowering(const lower::LoweringReport& r, const std::vector<lower::LensCoverage>& lenses)
{
    const auto line = [](const char* name, const std::string& value) {
        std::cout << name << std::string(15 - std::string_view(name).size(), ' ') << value << '\n';
    };
    const auto count = [](std::size_t n) { return formatGrouped(static_cast<std::int64_t>(n)); };
    if (!r.name.empty())
        line("name", r.name);
    line("model", count(r.operators) + " operators, " + count(r.tensors) + " tensors");
    line("MACs", formatGrouped(r.macs) + (r.vectorMacs > 0
                                              ? ", " + formatGrouped(r.vectorMacs) + " of them vector work"
                                              : std::string()));
    line("of the MACs", percent(r.coverage.mapped) + " mapped, " + percent(r.coverage.approximated) +
                            " approximated, " + lower::droppedText(r.coverage) +
                            " dropped; of the operators " + percent(r.coverage.folded) + " folded");
    line("left out", formatGrouped(r.leftOutBytes) + " bytes of constants that are broadcast");
    for (const std::string& note : r.notes)
        line("note", note);
    Table coverage({"operators in lens", "mapped", "folded", "approximated", "dropped", "MACs dropped"});
    for (const lower::LensCoverage& lens : lenses) {
        const lower::Coverage& c = lens.coverage;
        using S = lower::NodeStatus;
        coverage.add(std::string(toString(lens.lens)), c.count(S::Mapped), c.count(S::Folded),
                     c.count(S::Approximated), c.count(S::Dropped),
                     c.unknown > 0 ? std::string("unknown") : percent(c.dropped));
    }
    std::cout << '\n';
    print(coverage);
    Table table({"type", "nodes", "MACs", "bytes in the model"});
    for (const lower::TypeReport& t : lower::typesOf(r))
        table.add(t.type, t.nodes, t.macs, t.bytes);
    std::cout << '\n';
    print(table);
    std::vector<const lower::NodeReport*> other;
    for (const lower::NodeReport& n : r.nodes)
        if (n.status == lower::NodeStatus::Approximated || n.status == lower::NodeStatus::Dropped)
            other.push_back(&n);
    std::stable_sort(other.begin(), other.end(), [](const auto* x, const auto* y) {
        return std::pair(x->macs, x->bytes) > std::pair(y->macs, y->bytes);
    });
    constexpr std::size_t kShown = 10;
    if (!other.empty())
        std::cout << "\nnot quite as in the model" << (other.size() > kShown ? ", the ten largest" : "")
                  << '\n';
    for (std::size_t i = 0; i < std::min(other.size(), kShown); ++i)
        std::cout << "  " << toString(other[i]->status) << "  " << other[i]->name << ": " << other[i]->note
                  << '\n';
}

} // namespace tilewright::cli
