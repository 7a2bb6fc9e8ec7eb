// SPDX-License-Identifier: GPL-3.0-or-later
#include "overlay/overlay.h"

#include "base/text.h"
#include "base/utf8.h"
#include "lower/element_bytes.h"
#include "lower/launch.h"

#include <algorithm>
#include <numeric>

namespace tilewright::overlay {

using validation::ComparedRow;
using validation::Quantity;

namespace {

/// Sets of operators that share subgraphs, found by union-find.
class Together
{
public:
    explicit Together(std::size_t n) : m_parent(n) { std::iota(m_parent.begin(), m_parent.end(), 0); }
    std::size_t rootOf(std::size_t i)
    {
        while (m_parent[i] != i)
            i = m_parent[i] = m_parent[m_parent[i]];
        return i;
    }
    void join(std::size_t a, std::size_t b)
    {
        const std::size_t x = rootOf(a), y = rootOf(b);
        m_parent[std::max(x, y)] = std::min(x, y);
    }

private:
    std::vector<std::size_t> m_parent;
};

Quantity quantityOf(Figure figure)
{
    return figure == Figure::DramBytes ? Quantity::Bytes
           : figure == Figure::Energy  ? Quantity::Picojoules
                                       : Quantity::Cycles;
}

/// A figure that this program computed, converted to the unit of a column.
std::optional<double> inUnit(const OurFigures& ours, Figure figure, Quantity quantity,
                             const lower::ModelOnMachine& model)
{
    if (figure == Figure::DramBytes)
        return ours.dramBytes;
    if (figure == Figure::Energy)
        return ours.energyPj;
    if (!ours.cycles || quantity != Quantity::Milliseconds)
        return ours.cycles;
    double milliseconds = *ours.cycles / (model.machine.clockGhz * 1e6);
    for (const OperatorId op : ours.operators)
        milliseconds += lower::launchOf(model, op);
    return milliseconds;
}

std::string namesOf(const lower::ModelOnMachine& model, std::span<const OperatorId> operators)
{
    constexpr std::size_t kShownNames = 3;
    std::string out;
    for (std::size_t i = 0; i < operators.size() && i < kShownNames; ++i)
        out.append(out.empty() ? "" : ", ").append(printable(model.model().operators[operators[i]].name));
    if (operators.size() > kShownNames)
        out.append(" and ").append(formatGrouped(operators.size() - kShownNames)).append(" more");
    return out;
}

} // namespace

std::string_view toString(Figure figure) noexcept
{
    return figure == Figure::DramBytes ? "dram_bytes" : figure == Figure::Energy ? "energy" : "latency";
}

Figure figureFor(Quantity quantity) noexcept
{
    return quantity == Quantity::Bytes        ? Figure::DramBytes
           : quantity == Quantity::Picojoules ? Figure::Energy
                                              : Figure::Latency;
}

std::vector<OurFigures> figuresOf(const lower::ModelOnMachine& model, const Schedule& schedule,
                                  const Evaluation& evaluation)
{
    Together together(model.model().operators.size());
    const auto operatorOf = [&](OpId op) { return model.operatorOf(op).index(); };
    for (const auto& subgraph : schedule.subgraphs)
        for (const OpId op : subgraph->ops)
            together.join(operatorOf(subgraph->ops.front()), operatorOf(op));
    std::vector<OurFigures> all(model.model().operators.size());
    const auto unit = static_cast<double>(model.lowered.timeUnit);
    const double bytes = lower::elementBytes(model);
    const bool hasEnergy = model.problem->hasEnergy();
    for (std::size_t i = 0; i < evaluation.subgraphs.size() && i < schedule.size(); ++i) {
        const SubgraphEvaluation& e = evaluation.subgraphs[i];
        OurFigures& f = all[together.rootOf(operatorOf(schedule.subgraphs[i]->ops.front()))];
        f.cycles = f.cycles.value_or(0) + e.latency * unit;
        f.dramBytes = f.dramBytes.value_or(0) + (e.loadElements + e.storeElements) * bytes;
        if (hasEnergy)
            f.energyPj = f.energyPj.value_or(0) + e.energy;
    }
    for (std::size_t i = 0; i < all.size(); ++i)
        all[together.rootOf(i)].operators.emplace_back(i);
    std::erase_if(all, [](const OurFigures& f) { return !f.cycles; });
    return all;
}

std::optional<std::size_t> Overlay::rowOf(OperatorId op) const
{
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (std::ranges::find(parts[i].operators, op) != parts[i].operators.end())
            return i;
    return std::nullopt;
}

std::optional<double> shownValue(const ComparedRow& row, Shown shown)
{
    if (shown == Shown::Value)
        return row.measured;
    if (!row.error.empty() || (shown == Shown::Ratio && row.measured <= 0))
        return std::nullopt;
    return shown == Shown::Ratio ? row.ratio() : row.difference();
}

Result<Overlay> overlayOf(const NamedValues& values, const lower::ModelOnMachine& model,
                          std::span<const OurFigures> ours, std::string lens, std::optional<Figure> figure)
{
    Overlay out;
    const Quantity quantity = values.column.quantity;
    out.form = values.form;
    out.figure = figure.value_or(figureFor(quantity));
    const bool isTime = quantity == Quantity::Milliseconds || quantity == Quantity::Cycles;
    if (quantity == Quantity::TokensPerSecond || (isTime && out.figure != Figure::Latency) ||
        (!isTime && quantity != Quantity::Plain && quantity != quantityOf(out.figure)))
        return Error{ErrorCode::Field,
                     "the column " + validation::quotedText(values.column.name) + " is in " +
                         std::string(validation::unitOf(quantity)) + ", which is no unit of the figure " +
                         std::string(toString(out.figure)),
                     {},
                     values.file};
    validation::Comparison& c = out.comparison;
    c.file = values.file;
    c.head = values.head;
    c.column = values.column.name;
    c.quantity = quantity;
    c.machine = model.machine.name;
    c.lens = std::move(lens);
    c.leftOut = values.leftOut;
    const Matches found = matchNames(values, model);
    std::vector<const Match*> matchOf(model.model().operators.size(), nullptr);
    for (const Match& match : found.matches)
        matchOf[match.op.index()] = &match;
    std::vector<char> shown(matchOf.size(), 0);
    const auto add = [&](std::span<const OperatorId> operators, const OurFigures* figures) {
        std::vector<OperatorId> without;
        ComparedRow row;
        RowParts parts{{operators.begin(), operators.end()}, {}};
        for (const OperatorId op : operators) {
            shown[op.index()] = 1;
            const Match* match = matchOf[op.index()];
            if (!match) {
                without.push_back(op);
                continue;
            }
            for (const std::size_t v : match->values)
                row.measured += values.values[v].value;
            if (row.line == 0)
                row.line = values.values[match->values.front()].line;
            parts.how.append(parts.how.empty() ? "" : ", ").append(match->text());
        }
        if (without.size() == operators.size())
            return;
        row.name = namesOf(model, operators);
        const auto value = figures ? inUnit(*figures, out.figure, quantity, model) : std::nullopt;
        if (!without.empty())
            row.error = "runs together with " + namesOf(model, without) + ", which has no value";
        else if (value)
            row.predicted = *value;
        else
            row.error = "the lens does not state it";
        c.rows.push_back(std::move(row));
        out.parts.push_back(std::move(parts));
    };
    for (const OurFigures& figures : ours)
        add(figures.operators, &figures);
    for (const Match& match : found.matches)
        if (shown[match.op.index()] == 0)
            add(std::span(&match.op, 1), nullptr);
    c.agreement = validation::agreementOf(c.rows);
    for (const UnmatchedValue& value : found.values) {
        out.values.push_back(values.values[value.value]);
        out.reasons.push_back(value.reason);
    }
    for (const OperatorId op : found.operators)
        out.operators.push_back(printable(model.model().operators[op].name));
    return out;
}

Table overlayTable(const Overlay& o)
{
    const validation::Comparison& c = o.comparison;
    const std::string unit(validation::unitOf(c.quantity));
    const auto in = [&](const char* what) { return unit.empty() ? std::string(what) : what + (", " + unit); };
    Table out({"operator", o.form == Form::Document ? "entry" : "line", in("measured"), in("ours"),
               in("difference"), "ratio", "found by"});
    for (std::size_t i = 1; i + 1 < out.columns.size(); ++i)
        out.columns[i].kind = ColumnKind::Number;
    for (std::size_t i = 0; i < c.rows.size(); ++i) {
        const ComparedRow& row = c.rows[i];
        const auto number = [](double value) { return TableCell(value, significantNumber(value, 4)); };
        const auto difference = shownValue(row, Shown::Difference), ratio = shownValue(row, Shown::Ratio);
        out.add({row.name, row.line, number(row.measured),
                 row.error.empty() ? number(row.predicted) : TableCell(row.error),
                 difference ? number(*difference) : TableCell(""),
                 ratio ? TableCell(*ratio, significantNumber(*ratio)) : TableCell(""), o.parts[i].how});
    }
    return out;
}

Table unmatchedTable(const Overlay& o)
{
    Table out({"without a partner", "name", o.form == Form::Document ? "entry" : "line", "reason"});
    for (std::size_t i = 0; i < o.values.size(); ++i)
        out.add("value", o.values[i].name, o.values[i].line, o.reasons[i]);
    for (const std::string& name : o.operators)
        out.add("operator", name, "", "no name of the file is its own");
    return out;
}

std::string matchedText(const Overlay& o)
{
    const auto count = [](std::size_t n, const char* what) {
        return formatGrouped(n) + " " + what + (n == 1 ? "" : "s");
    };
    return count(o.comparison.rows.size(), "row") + ", " + count(o.values.size(), "name") +
           " without an operator, " + count(o.operators.size(), "operator") + " without a value";
}

std::string overlaysCsv(std::span<const Overlay> overlays)
{
    std::string out = "file,machine,lens,figure,unit,operator,line,measured,ours,difference,ratio,error,"
                      "found_by\n";
    for (const Overlay& o : overlays) {
        const validation::Comparison& c = o.comparison;
        for (std::size_t i = 0; i < c.rows.size(); ++i) {
            const ComparedRow& row = c.rows[i];
            for (const std::string_view text :
                 {std::string_view(c.file), std::string_view(c.machine), std::string_view(c.lens),
                  toString(o.figure), validation::unitOf(c.quantity), std::string_view(row.name)})
                out.append(csvField(text)).append(",");
            out.append(std::to_string(row.line)).append(",").append(formatNumber(row.measured)).append(",");
            out.append(row.error.empty() ? formatNumber(row.predicted) : std::string());
            for (const Shown shown : {Shown::Difference, Shown::Ratio}) {
                const auto value = shownValue(row, shown);
                out.append(",").append(value ? formatNumber(*value) : std::string());
            }
            out.append(",").append(csvField(row.error)).append(",");
            out.append(csvField(o.parts[i].how)).append("\n");
        }
    }
    return out;
}

} // namespace tilewright::overlay
