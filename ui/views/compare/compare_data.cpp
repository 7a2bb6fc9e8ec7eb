// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/compare_data.h"

#include "edit/fit.h"
#include "snapshot/snapshot.h"
#include "theme/text.h"
#include "views/compare/difference_list.h"
#include "views/graph/graph_colouring.h"
#include "workspace/model_file.h"
#include "workspace/texts.h"

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

/// Returns the position of the first of these subgraphs in its schedule, for sorting; empty if there are
/// none.
std::optional<double> place(const std::vector<SubgraphId>& ids)
{
    return ids.empty() ? std::nullopt : std::optional(static_cast<double>(ids.front().index()));
}

/// Returns the ops of each operator of a model.
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

/// Adds two cells for a figure. The screen shows the current value and the difference; a copied table has the
/// values before and after.
void addFigures(std::vector<TableCell>& row, double before, double after, bool isThere)
{
    const QString tip = tr("%1 in A, %2 in B").arg(exactNumber(before), exactNumber(after));
    const double now = isThere ? after : before;
    row.emplace_back(before, before == 0 && after == 0 ? QString() : number(now), now, tip);
    row.emplace_back(after, before == after ? QString() : signedNumber(after - before), after - before, tip);
}

} // namespace

DifferenceTable differencesOf(const Comparison& comparison, const QString& prefix)
{
    DifferenceTable out;
    constexpr auto figure = ColumnKind::Change;
    out.cells.columns = {
        {tr("Kind")},
        {tr("Subgraph A")},
        {tr("Subgraph B")},
        {tr("In A")},
        {tr("In B")},
        {tr("Δ latency"), figure,
         tr("Change of the total when this difference is applied to A after all earlier ones.")},
        {tr("Δ of A"), figure, tr("The change as a share of A's total.")}};
    out.cells.nameColumns(tr("kind\tsubgraph A\tsubgraph B\tin A\tin B\tchange"));
    out.stretched = {DifferenceList::InA, DifferenceList::InB};
    out.barColumn = DifferenceList::Delta;
    double largest = 0;
    for (const Contribution& c : comparison.contributions)
        largest = std::max(largest, std::abs(c.delta));
    for (const Contribution& c : comparison.contributions) {
        const Difference& d = c.difference;
        const double share = comparison.before > 0 ? c.delta / comparison.before : 0;
        // Numbers in names of ops are not reformatted; names are shortened as in the graphs.
        const auto shown = [&](const std::string& text) {
            return d.kind == DifferenceKind::Granularity
                       ? sentence(text)
                       : namesWithoutPrefix(QString::fromStdString(text), prefix);
        };
        const auto subgraphs = [](const std::vector<SubgraphId>& ids) {
            const QString list = subgraphList(ids);
            return TableCell(ids.empty() ? TableValue() : TableValue(list), list, place(ids));
        };
        const auto text = [&](const std::string& side) {
            return TableCell(QString::fromStdString(side), shown(side), {}, QString::fromStdString(side));
        };
        const QString exact = tr("exactly %1; the total is %2 after this and all earlier differences")
                                  .arg(exactNumber(c.delta), exactNumber(c.total));
        out.cells.add(kindText(d.kind), subgraphs(d.before), subgraphs(d.after), text(d.textBefore),
                      text(d.textAfter), TableCell(c.delta, signedNumber(c.delta), {}, exact),
                      TableCell(c.delta, signedPercent(share), {}, exact));
        DifferenceRow row;
        row.amount = largest > 0 ? c.delta / largest : 0;
        row.ops.fill({d.ops.begin(), d.ops.end()});
        out.rows.push_back(std::move(row));
    }
    return out;
}

DifferenceTable differencesOf(const lower::ModelsOnMachine& models)
{
    DifferenceTable out;
    constexpr auto figure = ColumnKind::Number;
    constexpr auto text = ColumnKind::Text;
    out.cells.columns = {
        {tr("Change"), text,
         tr("new: only in B; gone: only in A; changed: different shapes, sizes or attributes.")},
        {tr("Operator"), text, tr("Name in B, followed by the name in A if they differ.")},
        {tr("Type")},
        {tr("Result"), text, tr("Shape of the result in B, followed by the shape in A if they differ.")},
        {tr("MACs"), figure, tr("Multiply-accumulates; for operators that are gone, those in A.")},
        {tr("Δ MACs"), figure},
        {tr("Bytes"), figure, tr("Bytes of operands and results; for operators that are gone, those in A.")},
        {tr("Δ bytes"), figure},
        {tr("Cycles"), figure, tr("Latency of its ops, each alone in a subgraph, on the current machine.")},
        {tr("Δ cycles"), figure}};
    out.cells.nameColumns(
        tr("against A\toperator\ttype\tresult\tMACs A\tMACs B\tbytes A\tbytes B\tcycles A\tcycles B"));
    out.stretched = {1, 3};
    out.barColumn = 9;
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
        const std::size_t later = p.after ? 1 : 0;
        const QString change = changeText(p.change);
        std::vector<TableCell> cells{TableCell(change, change, static_cast<int>(p.change))};
        for (const QString& text :
             {both(names), word(models.operatorOf(later, *sides[later]).typeName()), both(shapes)})
            cells.push_back(TableCell(text, text, {}, text));
        addFigures(cells, static_cast<double>(p.macs[0]), static_cast<double>(p.macs[1]),
                   p.after.has_value());
        addFigures(cells, static_cast<double>(p.bytes[0]), static_cast<double>(p.bytes[1]),
                   p.after.has_value());
        addFigures(cells, models.cycles[i][0], models.cycles[i][1], p.after.has_value());
        out.cells.add(std::move(cells));
        row.amount = largest > 0 ? (models.cycles[i][1] - models.cycles[i][0]) / largest : 0;
        row.differs = p.change != model::OperatorChange::Same;
        out.rows.push_back(std::move(row));
    }
    return out;
}

namespace {

/// Lays out the graph of B first. Then A's nodes are placed near B's positions and in as many columns, and
/// common subgraphs get the same colour.
void addGraphs(CompareData& data, std::array<GraphOptions, 2> options, SubgraphColours colours,
               const GraphMetrics& metrics, const Progress& progress)
{
    GraphShape shape;
    // Differences refer to ops. In a graph with thousands of ops only the cards that contain these ops are
    // visible.
    shape.cards = !data.models && std::ranges::all_of(data.snapshots, [](const SnapshotPtr& snapshot) {
        return snapshot->problem->opCount() > kCardsAbove;
    });
    shape.blocks = shape.cards;
    std::shared_ptr<const GraphGeometry> beside;
    for (const std::size_t side : {1U, 0U}) {
        const SnapshotPtr& own = data.snapshots[side];
        const SnapshotPtr& other = data.snapshots[1 - side];
        colours.update(*own->problem, own->schedule);
        const bool same = beside && beside->problem == own->problem;
        const auto layout =
            layOutGraph(own->problem, own->schedule, shape, metrics, same ? beside.get() : nullptr, progress);
        if (!layout)
            return;
        beside = std::make_shared<const GraphGeometry>(*layout);
        options[side].edgeLabels = false;
        data.graphs[side] = buildGraph(own, other.get(), colours.colours(), options[side], beside);
    }
}

} // namespace

bool isComparable(const Snapshot& a, const Snapshot& b)
{
    return a.problem == b.problem || lower::sameGraph(*a.problem, *b.problem);
}

std::set<OpId> CompareData::across(std::size_t from, const std::set<OpId>& ops) const
{
    if (!models)
        return ops;
    std::set<OpId> out;
    for (const OpId op : ops)
        if (op.index() < counterparts[from].size())
            out.insert(counterparts[from][op.index()].begin(), counterparts[from][op.index()].end());
    return out;
}

CompareDataPtr compareData(const SnapshotPtr& a, const SnapshotPtr& b, const std::array<QString, 2>& names,
                           const SubgraphColours& colours, const GraphMetrics& metrics, std::stop_token stop,
                           double unitOfA)
{
    auto data = std::make_shared<CompareData>();
    data->snapshots = {a, b};
    data->names = names;
    const Progress progress{stop, {}};
    data->comparison = compareSchedules(b->problem, a->schedule, b->schedule, b->evaluation.rules, progress);
    data->totals = {data->comparison.before, data->comparison.after};
    data->otherHardware =
        a->problem->hardware() != b->problem->hardware() || a->problem->data().ops != b->problem->data().ops;
    if (data->otherHardware) { // the hardware differs, so each schedule is evaluated on its own
        data->totals = {a->evaluation.total, b->evaluation.total};
        data->unitOfA = unitOfA;
    }
    data->table = differencesOf(data->comparison, commonPrefix(*b->problem));
    addGraphs(*data, {}, colours, metrics, progress);
    return data;
}

CompareDataPtr compareData(const lower::ModelsOnMachinePtr& models, const std::array<QString, 2>& names,
                           const GraphMetrics& metrics, std::stop_token stop)
{
    auto data = std::make_shared<CompareData>();
    data->models = models;
    data->names = names;
    data->totals = models->totalCycles;
    data->table = differencesOf(*models);
    std::array<GraphOptions, 2> options;
    for (const std::size_t side : {0U, 1U}) {
        const ProblemPtr& problem = models->models[side]->problem;
        data->snapshots[side] = takeSnapshot(problem, oneOpPerSubgraph(*problem), problem->rules(), 0, 0);
        data->counterparts[side].resize(problem->opCount());
        options[side].colouring = GraphColouring::Change;
        options[side].changes = changesOf(*models, side);
    }
    for (const DifferenceRow& row : data->table.rows)
        for (const std::size_t side : {0U, 1U})
            for (const OpId op : row.ops[side])
                data->counterparts[side][op.index()] = row.ops[1 - side];
    addGraphs(*data, std::move(options), {}, metrics, Progress{stop, {}});
    return data;
}

} // namespace tilewright::ui
