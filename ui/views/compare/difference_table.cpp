// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/difference_table.h"

#include "theme/number.h"
#include "theme/text_row.h"
#include "theme/words.h"
#include "views/compare/difference_list.h"
#include "views/graph/graph_colouring.h"

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

QString subgraphList(const std::vector<SubgraphId>& ids)
{
    QStringList out;
    for (const SubgraphId s : ids)
        out << QString::number(s.index());
    return out.join(QStringLiteral(", "));
}

QString kindText(DifferenceKind kind)
{
    switch (kind) {
    case DifferenceKind::Fused:
        return tr("fused");
    case DifferenceKind::Split:
        return tr("split");
    case DifferenceKind::Moved:
        return tr("moved");
    case DifferenceKind::Recompute:
        return tr("recompute");
    case DifferenceKind::Granularity:
        return tr("granularity");
    case DifferenceKind::Traversal:
        return tr("traversal");
    case DifferenceKind::Order:
        return tr("order");
    case DifferenceKind::Retain:
        break;
    }
    return tr("retain");
}

/// Where a subgraph stands in its order.
std::optional<double> place(const std::vector<SubgraphId>& ids)
{
    return ids.empty() ? std::nullopt : std::optional(static_cast<double>(ids.front().index()));
}

/// The ops that each operator of a model has become.
std::vector<std::set<OpId>> opsOfOperators(const lower::ModelOnMachine& model)
{
    std::vector<std::set<OpId>> out(model.model().operators.size());
    for (std::size_t i = 0; i < model.lowered.source.size(); ++i)
        out[model.operatorOf(OpId(i)).index()].insert(OpId(i));
    return out;
}

QString resultShape(const lower::ModelsOnMachine& models, std::size_t side, std::optional<OperatorId> op)
{
    if (!op || models.operatorOf(side, *op).outputs.empty())
        return {};
    QStringList sizes;
    const model::Model& m = models.models[side]->model();
    for (const std::int64_t size : m.shape(models.operatorOf(side, *op).outputs.front()))
        sizes << QString::number(size);
    return sizes.join(QChar(0x00D7));
}

/// What is there now, and by how much it is more.
void addFigures(DifferenceRow& row, double before, double after, bool isThere)
{
    row.cells << (before == 0 && after == 0 ? QString() : number(isThere ? after : before))
              << (before == after ? QString() : signedNumber(after - before));
    row.copied << exactNumber(before) << exactNumber(after);
    row.values.insert(row.values.end(), {isThere ? after : before, after - before});
    const QString tip = tr("%1 in A, %2 in B").arg(exactNumber(before), exactNumber(after));
    row.tips << tip << tip;
}

} // namespace

DifferenceTable differencesOf(const Comparison& comparison)
{
    DifferenceTable out;
    out.columns = {{tr("Kind"), {}},
                   {tr("Subgraph A"), {}},
                   {tr("Subgraph B"), {}},
                   {tr("In A"), {}, false, true},
                   {tr("In B"), {}, false, true},
                   {tr("Δ latency"),
                    tr("What the total changes by when this and all before it are applied to A."), true},
                   {tr("Δ of A"), tr("The same as a share of A's total."), true}};
    out.barColumn = DifferenceList::Delta;
    out.copiedTitles = tr("kind\tsubgraph A\tsubgraph B\tin A\tin B\tchange").split(QLatin1Char('\t'));
    double largest = 0;
    for (const Contribution& c : comparison.contributions)
        largest = std::max(largest, std::abs(c.delta));
    for (const Contribution& c : comparison.contributions) {
        const Difference& d = c.difference;
        const double share = comparison.before > 0 ? c.delta / comparison.before : 0;
        // Names of ops stay as they are.
        const auto shown = [&d](const std::string& text) {
            return d.kind == DifferenceKind::Granularity ? sentence(text) : QString::fromStdString(text);
        };
        DifferenceRow row;
        row.cells = {kindText(d.kind),   subgraphList(d.before), subgraphList(d.after), shown(d.textBefore),
                     shown(d.textAfter), signedNumber(c.delta),  signedPercent(share)};
        row.copied = row.cells.mid(0, DifferenceList::Delta) << exactNumber(c.delta);
        row.values = {std::nullopt, place(d.before), place(d.after), std::nullopt,
                      std::nullopt, c.delta,         c.delta};
        const QString exact = tr("exactly %1; the total is %2 after this and all before it")
                                  .arg(exactNumber(c.delta), exactNumber(c.total));
        row.tips = {{}, {}, {}, row.cells[DifferenceList::InA], row.cells[DifferenceList::InB], exact, exact};
        row.amount = largest > 0 ? c.delta / largest : 0;
        row.ops.fill({d.ops.begin(), d.ops.end()});
        out.rows.push_back(std::move(row));
    }
    return out;
}

DifferenceTable differencesOf(const lower::ModelsOnMachine& models)
{
    DifferenceTable out;
    out.columns = {
        {tr("Against A"), tr("new: only B has it; gone: only A has it; changed: other shapes, sizes or "
                             "attributes.")},
        {tr("Operator"), tr("Its name in B, behind that in A where they differ."), false, true},
        {tr("Type"), {}},
        {tr("Result"), tr("Shape of what it computes, behind that in A where they differ."), false, true},
        {tr("MACs"), tr("Multiply-accumulates; of what is gone, those in A."), true},
        {tr("Δ MACs"), {}, true},
        {tr("Bytes"), tr("Of operands and results; of what is gone, those in A."), true},
        {tr("Δ bytes"), {}, true},
        {tr("Cycles"), tr("Latency of its ops, each alone in a subgraph on the machine in force."), true},
        {tr("Δ cycles"), {}, true}};
    out.barColumn = out.columns.size() - 1;
    out.copiedTitles =
        tr("against A\toperator\ttype\tresult\tMACs A\tMACs B\tbytes A\tbytes B\tcycles A\tcycles B")
            .split(QLatin1Char('\t'));
    const std::array ops{opsOfOperators(*models.models[0]), opsOfOperators(*models.models[1])};
    double largest = 0;
    for (const auto& [before, after] : models.cycles)
        largest = std::max(largest, std::abs(after - before));
    for (std::size_t i = 0; i < models.comparison.operators.size(); ++i) {
        const model::OperatorPair& p = models.comparison.operators[i];
        const std::array sides{p.before, p.after};
        std::array<QString, 2> names, shapes;
        DifferenceRow row;
        for (const std::size_t side : {0U, 1U})
            if (sides[side]) {
                names[side] = QString::fromStdString(models.operatorOf(side, *sides[side]).name);
                shapes[side] = resultShape(models, side, sides[side]);
                row.ops[side] = ops[side][sides[side]->index()];
            }
        const auto both = [](const std::array<QString, 2>& texts) {
            if (texts[0].isEmpty() || texts[0] == texts[1])
                return texts[1];
            return texts[1].isEmpty() ? texts[0] : texts[0] + QStringLiteral(" → ") + texts[1];
        };
        const std::size_t told = p.after ? 1 : 0;
        row.cells = {changeText(p.change), both(names),
                     word(models.operatorOf(told, *sides[told]).typeName()), both(shapes)};
        row.copied = row.cells;
        row.tips = {{}, row.cells[1], row.cells[2], row.cells[3]};
        // In the order of the model, unless another is asked for.
        row.values = {static_cast<double>(p.change), std::nullopt, std::nullopt, std::nullopt};
        addFigures(row, static_cast<double>(p.macs[0]), static_cast<double>(p.macs[1]), p.after.has_value());
        addFigures(row, static_cast<double>(p.bytes[0]), static_cast<double>(p.bytes[1]),
                   p.after.has_value());
        addFigures(row, models.cycles[i][0], models.cycles[i][1], p.after.has_value());
        row.amount = largest > 0 ? (models.cycles[i][1] - models.cycles[i][0]) / largest : 0;
        row.differs = p.change != model::OperatorChange::Same;
        out.rows.push_back(std::move(row));
    }
    return out;
}

} // namespace tilewright::ui
